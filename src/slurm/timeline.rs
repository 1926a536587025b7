//! The map of the backfill scheduler: which nodes and licences are free in which slot of time.

use super::nodeset::NodeSet;
use super::refusals::Refusals;

/// Nodes and licences that are free from one second to another.
#[derive(Debug)]
pub(super) struct MapSlot {
    pub begin: i64,
    pub end: i64,
    pub free: NodeSet,
    /// Free licences by their numbers; `None` if the map has none.
    pub licences: Option<Vec<i64>>,
    /// The place of the next slot; 0 is none.
    pub next: usize,
}

/// A list of slots. Slots are never reclaimed: the number of all slots bounds the pass.
#[derive(Debug)]
pub(super) struct BackfillMap {
    pub slots: Vec<MapSlot>,
    /// Sets of older maps: there are many slots, and their memory is used again.
    pub spare: Vec<NodeSet>,
    pub refusals: Refusals,
    /// The end of the last slot.
    pub end: i64,
    resolution: i64,
}

impl BackfillMap {
    pub fn new(first: MapSlot, resolution: i64, spare: Vec<NodeSet>) -> Self {
        Self {
            end: first.end,
            slots: vec![first],
            spare,
            refusals: Refusals::default(),
            resolution,
        }
    }

    /// Returns the sets of the map, and the spare ones.
    pub fn into_sets(mut self) -> Vec<NodeSet> {
        let of_slots = self.slots.into_iter().map(|slot| slot.free);
        self.spare.extend(of_slots);
        self.spare
    }

    /// Returns the slots in the order of time.
    pub fn in_order(&self) -> impl Iterator<Item = &MapSlot> {
        self.in_order_from(0)
    }

    /// Returns the slots in the order of time from one on.
    pub fn in_order_from(&self, first: usize) -> impl Iterator<Item = &MapSlot> {
        let mut at = Some(first);
        std::iter::from_fn(move || {
            let slot = self.slots.get(at?)?;
            at = (slot.next != 0).then_some(slot.next);
            Some(slot)
        })
    }

    /// Returns the first slot that ends after a second, or the last one, beginning at a slot before it.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub fn skip_to(&self, second: i64, mut at: usize) -> usize {
        while self.slots[at].end <= second && self.slots[at].next != 0 {
            at = self.slots[at].next;
        }
        at
    }

    /// True if nodes of `all` become free at a second, at the end of a slot that begins not after another one.
    /// The search begins at a slot before it.
    pub fn gains_at(&self, second: i64, all: &NodeSet, (mut at, most_begin): (usize, i64)) -> bool {
        loop {
            let slot = &self.slots[at];
            if slot.next == 0 || slot.begin > most_begin || slot.end > second {
                return false;
            }
            let next = &self.slots[slot.next].free;
            if slot.end == second {
                return all.and_exceeds(next, &slot.free, &slot.free);
            }
            at = slot.next;
        }
    }

    /// True if the slots between two seconds lack a node or a licence (`_test_resv_overlap`).
    pub fn overlaps(
        &self,
        nodes: &NodeSet,
        licences: &[(usize, i64)],
        begin: i64,
        end: i64,
    ) -> bool {
        self.in_order()
            .filter(|slot| slot.end > begin && slot.begin < end)
            .any(|slot| !nodes.is_within(&slot.free) || !slot.has_licences(licences))
    }

    fn split(&mut self, at: usize, time: i64) {
        let new = self.slots.len();
        let slot = &mut self.slots[at];
        let mut free = self.spare.pop().unwrap_or_default();
        free.copy_from(&slot.free);
        let rest = MapSlot {
            begin: time,
            end: slot.end,
            free,
            licences: slot.licences.clone(),
            next: slot.next,
        };
        slot.end = time;
        slot.next = new;
        self.slots.push(rest);
        self.refusals.split(at, new);
    }

    /// Adds a reservation of nodes and licences (`_add_reservation`).
    pub fn reserve(&mut self, begin: i64, end: i64, nodes: &NodeSet, licences: &[(usize, i64)]) {
        let begin = begin.max(self.slots[0].begin);
        let end = end.max(begin + self.resolution);
        let (mut before, mut at) = (0, 0);
        loop {
            if self.slots[at].end > begin {
                self.split(at, begin);
                break;
            }
            if self.slots[at].end == begin {
                break;
            }
            before = at;
            at = self.slots[at].next;
            if at == 0 {
                return;
            }
        }
        let mut after = 0;
        while self.slots[at].next != 0 {
            at = self.slots[at].next;
            if end < self.slots[at].end {
                self.split(at, end);
            }
            let slot = &mut self.slots[at];
            slot.free.take_away(nodes);
            if let Some(free) = &mut slot.licences {
                for (licence, count) in licences {
                    free[*licence] -= count;
                }
            }
            if slot.end == end {
                after = slot.next;
                break;
            }
        }
        self.join(before, after);
    }

    /// Joins the first two neighbours that are alike, from one slot up to another (0: to the end).
    fn join(&mut self, from: usize, to: usize) {
        let mut at = from;
        loop {
            let next = self.slots[at].next;
            if next == 0 {
                return;
            }
            let (one, other) = (&self.slots[at], &self.slots[next]);
            if one.free == other.free && one.licences == other.licences {
                let (end, after) = (other.end, other.next);
                self.slots[at].end = end;
                self.slots[at].next = after;
                return;
            }
            at = next;
            if at == to {
                return;
            }
        }
    }
}

impl MapSlot {
    pub fn has_licences(&self, licences: &[(usize, i64)]) -> bool {
        let Some(free) = &self.licences else {
            return true;
        };
        let mut licences = licences.iter();
        licences.all(|(licence, count)| free.get(*licence).is_some_and(|free| free >= count))
    }
}
