//! The space of a fat tree: the free hosts, and the hosts that a job gets.

use super::Tree;
use crate::machine::{Ask, Placement, PlacementBuf, Range, Space};
use crate::machines::shared::{Bitmap, Counted};
use crate::param::words;

words! {
    /// The rule that chooses among the free hosts.
    pub enum Placing {
        Switches = "switches": "as few switches as the free hosts allow, whole switches first",
        Lowest = "lowest": "the lowest free hosts, wherever they are",
    }
}

/// The free hosts of a fat tree, with their numbers by switch and by pod.
#[derive(Clone)]
pub struct FatTree {
    tree: Tree,
    placing: Placing,
    hosts: Bitmap,
    /// Number of free hosts of each switch and, below, of each pod.
    switches: Vec<u32>,
    pods: Vec<u32>,
}

impl FatTree {
    /// Returns a tree whose hosts are all free.
    pub fn new(tree: Tree, placing: Placing) -> Self {
        Self {
            tree,
            placing,
            hosts: Bitmap::new(tree.hosts()),
            switches: vec![tree.half(); tree.switches() as usize],
            pods: vec![tree.pod(); (tree.hosts() / tree.pod()) as usize],
        }
    }

    /// Returns the switch for a part of a job, and the number of hosts that the job gets there. The
    /// switch is the one with fewest free hosts that has enough, else the one with most free hosts.
    /// Among equals, the lowest switch serves.
    fn switch_for(&self, among: std::ops::Range<u32>, wanted: u32) -> Option<(u32, u32)> {
        let free = |switch: &u32| self.switches[*switch as usize];
        let enough = among.clone().filter(|switch| free(switch) >= wanted);
        let fullest = || among.clone().filter(|switch| free(switch) > 0);
        let most = || fullest().min_by_key(|switch| (u32::MAX - free(switch), *switch));
        let switch = enough
            .min_by_key(|switch| (free(switch), *switch))
            .or_else(most)?;
        Some((switch, free(&switch).min(wanted)))
    }

    /// Takes the lowest free hosts of a switch.
    fn take_of(&mut self, switch: u32, count: u32, taken: &mut Vec<u32>) {
        let from = switch * self.tree.half();
        let mut left = count;
        for host in from..from + self.tree.half() {
            let at = Range {
                first: host,
                count: 1,
            };
            if left > 0 && self.hosts.is_free(at) {
                self.take(host);
                taken.push(host);
                left -= 1;
            }
        }
    }

    fn take(&mut self, host: u32) {
        self.hosts.take(Range {
            first: host,
            count: 1,
        });
        self.switches[self.tree.switch_of(host) as usize] -= 1;
        self.pods[self.tree.pod_of(host) as usize] -= 1;
    }

    /// Takes hosts of these switches. Whole free switches come first, the lowest first, as long as
    /// the job needs so many hosts; then come parts of other switches.
    fn take_among(&mut self, among: std::ops::Range<u32>, wanted: u32, taken: &mut Vec<u32>) {
        let (half, mut left) = (self.tree.half(), wanted);
        for switch in among.clone() {
            if left >= half && self.switches[switch as usize] == half {
                self.take_of(switch, half, taken);
                left -= half;
            }
        }
        while left > 0
            && let Some((switch, count)) = self.switch_for(among.clone(), left)
        {
            self.take_of(switch, count, taken);
            left -= count;
        }
    }

    fn take_switches(&mut self, wanted: u32) -> Vec<u32> {
        let mut taken = Vec::with_capacity(wanted as usize);
        let all = 0..self.tree.switches();
        let is_enough = |(_, count): &(u32, u32)| *count == wanted;
        if let Some((switch, count)) = self.switch_for(all.clone(), wanted).filter(is_enough) {
            self.take_of(switch, count, &mut taken);
            return taken;
        }
        let pods = (0..).zip(&self.pods).filter(|(_, free)| **free >= wanted);
        if let Some((pod, _)) = pods.min_by_key(|(pod, free)| (**free, *pod)) {
            self.take_among(self.switches_of(pod), wanted, &mut taken);
            return taken;
        }
        let mut left = wanted;
        for pod in 0..self.pods.len() as u32 {
            if left >= self.tree.pod() && self.pods[pod as usize] == self.tree.pod() {
                self.take_among(self.switches_of(pod), self.tree.pod(), &mut taken);
                left -= self.tree.pod();
            }
        }
        self.take_among(all, left, &mut taken);
        taken
    }

    fn switches_of(&self, pod: u32) -> std::ops::Range<u32> {
        let half = self.tree.half();
        pod * half..(pod + 1) * half
    }
}

impl Space for FatTree {
    fn capacity(&self) -> u32 {
        self.tree.hosts()
    }

    fn free(&self) -> u32 {
        self.hosts.free()
    }

    fn fits(&self, ask: Ask) -> bool {
        self.hosts.fits(ask)
    }

    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf) {
        if self.placing == Placing::Lowest {
            self.hosts.clone().claim(ask, placement);
            let hosts: Vec<u32> = placement.get().columns().collect();
            hosts.into_iter().for_each(|host| self.take(host));
            return;
        }
        let mut taken = self.take_switches(ask.processors);
        crate::sorting::by(&mut taken, |host| [(*host).into(), 0]);
        for host in taken {
            match placement.ranges.last_mut() {
                Some(last) if last.end() == host => last.count += 1,
                _ => placement.ranges.push(Range {
                    first: host,
                    count: 1,
                }),
            }
        }
    }

    fn release(&mut self, held: Ask, placement: Placement<'_>) {
        self.hosts.release(held, placement);
        for host in placement.columns() {
            self.switches[self.tree.switch_of(host) as usize] += 1;
            self.pods[self.tree.pod_of(host) as usize] += 1;
        }
    }

    fn occupy(&mut self, placement: Placement<'_>) {
        for host in placement.columns() {
            if self.hosts.is_free(Range {
                first: host,
                count: 1,
            }) {
                self.take(host);
            }
        }
    }

    fn fork(&self) -> Box<dyn Space> {
        Box::new(self.clone())
    }

    fn empty(&self) -> Box<dyn Space> {
        Box::new(Counted::new(self.tree.hosts()))
    }
}
