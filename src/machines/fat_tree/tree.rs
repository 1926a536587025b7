//! The shape of a fat tree.

/// A tree of switches with `ports` ports each. Hosts are numbered switch by switch, switches pod by
/// pod.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    ports: u32,
}

impl Tree {
    /// The tree of switches with so many ports, an even number.
    pub const fn new(ports: u32) -> Self {
        Self { ports }
    }

    /// Hosts of an edge switch, and edge switches of a pod.
    pub const fn half(self) -> u32 {
        self.ports / 2
    }

    /// Hosts of a pod.
    pub const fn pod(self) -> u32 {
        self.half() * self.half()
    }

    /// Edge switches.
    pub const fn switches(self) -> u32 {
        self.ports * self.half()
    }

    /// Hosts.
    pub const fn hosts(self) -> u32 {
        self.ports * self.pod()
    }

    /// The edge switch of a host.
    pub const fn switch_of(self, host: u32) -> u32 {
        host / self.half()
    }

    /// The pod of a host.
    pub const fn pod_of(self, host: u32) -> u32 {
        host / self.pod()
    }
}
