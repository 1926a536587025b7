//! The shape of a fat tree.

/// A fat tree of switches with `ports` ports each. Hosts are numbered switch by switch, switches
/// pod by pod.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    ports: u32,
}

impl Tree {
    /// Returns the tree of switches with this number of ports, which must be even.
    pub const fn new(ports: u32) -> Self {
        Self { ports }
    }

    /// Returns the number of hosts of an edge switch, and of edge switches of a pod.
    pub const fn half(self) -> u32 {
        self.ports / 2
    }

    /// Returns the number of hosts of a pod.
    pub const fn pod(self) -> u32 {
        self.half() * self.half()
    }

    /// Returns the number of edge switches.
    pub const fn switches(self) -> u32 {
        self.ports * self.half()
    }

    /// Returns the number of hosts.
    pub const fn hosts(self) -> u32 {
        self.ports * self.pod()
    }

    /// Returns the edge switch of a host.
    pub const fn switch_of(self, host: u32) -> u32 {
        host / self.half()
    }

    /// Returns the pod of a host.
    pub const fn pod_of(self, host: u32) -> u32 {
        host / self.pod()
    }
}
