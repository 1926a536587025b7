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
    /// True if the slot is known to differ from the next one.
    pub differs: bool,
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

    /// True if the slots between two seconds lack a node or a licence (`_test_resv_overlap`). The search begins at a
    /// slot before them.
    pub fn overlaps(
        &self,
        nodes: &NodeSet,
        licences: &[(usize, i64)],
        (begin, end): (i64, i64),
        first: usize,
    ) -> bool {
        self.in_order_from(first)
            .skip_while(|slot| slot.end <= begin)
            .take_while(|slot| slot.begin < end)
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
            differs: slot.differs,
        };
        slot.end = time;
        slot.next = new;
        slot.differs = false;
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
        let mut was_whole = false;
        while self.slots[at].next != 0 {
            let last = at;
            at = self.slots[at].next;
            if end < self.slots[at].end {
                self.split(at, end);
            }
            let slot = &mut self.slots[at];
            let is_whole = slot.free.take_all(nodes);
            if let Some(free) = &mut slot.licences {
                for (licence, count) in licences {
                    free[*licence] -= count;
                }
            }
            let is_last = slot.end == end;
            if is_last {
                after = slot.next;
                slot.differs = false;
            }
            // Two slots that differ still do without nodes that both had.
            self.slots[last].differs &= was_whole && is_whole;
            if is_last {
                break;
            }
            was_whole = is_whole;
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
            if !one.differs {
                if one.free == other.free && one.licences == other.licences {
                    let (end, after, differs) = (other.end, other.next, other.differs);
                    let slot = &mut self.slots[at];
                    (slot.end, slot.next, slot.differs) = (end, after, differs);
                    return;
                }
                self.slots[at].differs = true;
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

#[cfg(test)]
mod tests {
    use super::{BackfillMap, MapSlot};
    use crate::slurm::nodeset::NodeSet;

    const NODES: usize = 5;
    const END: i64 = 40;

    /// Slots by hand: begin, end and free nodes.
    type Slots = Vec<(i64, i64, Vec<bool>)>;

    fn of(nodes: &[bool]) -> NodeSet {
        let mut set = NodeSet::none(NODES);
        for node in (0..NODES).filter(|node| nodes[*node]) {
            set.insert(node);
        }
        set
    }

    fn slots_of(map: &BackfillMap) -> Slots {
        let slots = map.in_order();
        slots
            .map(|slot| {
                let nodes = (0..NODES).map(|node| slot.free.contains(node));
                (slot.begin, slot.end, nodes.collect())
            })
            .collect()
    }

    fn reserve(slots: &mut Slots, begin: i64, end: i64, nodes: &[bool]) {
        for time in [begin, end] {
            if let Some(at) = slots
                .iter()
                .position(|(from, to, _)| *from < time && time < *to)
            {
                let rest = (time, slots[at].1, slots[at].2.clone());
                slots[at].1 = time;
                slots.insert(at + 1, rest);
            }
        }
        for (from, to, free) in slots.iter_mut() {
            if begin <= *from && *to <= end {
                (0..NODES).for_each(|node| free[node] &= !nodes[node]);
            }
        }
        // The first pair of those between the slot before the one that ends where the reservation begins, and the
        // slot after it.
        let ends_at_begin = slots
            .iter()
            .position(|(_, to, _)| *to == begin)
            .unwrap_or(0);
        let first = ends_at_begin.saturating_sub(1);
        let pair = (first..slots.len() - 1)
            .find(|at| slots[*at].1 <= end && slots[*at].2 == slots[at + 1].2);
        if let Some(at) = pair {
            slots[at].1 = slots[at + 1].1;
            slots.remove(at + 1);
        }
    }

    #[test]
    fn slots_and_overlaps_are_those_made_by_hand() {
        let mut state = 7_u64;
        let mut draw = |below: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as i64 % below
        };
        for _ in 0..400 {
            let first = MapSlot {
                begin: 0,
                end: END,
                free: NodeSet::all(NODES),
                licences: None,
                next: 0,
                differs: false,
            };
            let mut map = BackfillMap::new(first, 1, Vec::new());
            let mut slots = slots_of(&map);
            for _ in 0..12 {
                let begin = 1 + draw(END - 2);
                let end = begin + 1 + draw(END - 1 - begin);
                let nodes: Vec<bool> = (0..NODES).map(|_| draw(3) == 0).collect();
                map.reserve(begin, end, &of(&nodes), &[]);
                reserve(&mut slots, begin, end, &nodes);
                assert_eq!(slots_of(&map), slots);
                let earliest = draw(begin + 1);
                let is_hit = slots.iter().any(|(from, to, free)| {
                    let lacks = (0..NODES).any(|node| nodes[node] && !free[node]);
                    *to > begin && *from < end && lacks
                });
                let at = map.skip_to(earliest, 0);
                assert_eq!(map.overlaps(&of(&nodes), &[], (begin, end), at), is_hit);
            }
        }
    }
}
