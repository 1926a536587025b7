//! The state of a pass of the backfill scheduler, and of one from which the next can go on.

use super::entry::QueueEntry;
use super::idle::PassNotes;
use super::nodeset::NodeSet;
use super::timeline::BackfillMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The marks that an entry of the queue leaves in a pass, besides the record of its job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "an entry can leave each mark or not"
)]
pub(super) struct LeftByEntry {
    /// The begin, the end and the nodes of its reservation.
    pub reserved: Option<(i64, i64, NodeSet)>,
    /// True if it counts as tested.
    pub is_tested: bool,
    /// The QOS that it blocks, and until when.
    pub blocked: Option<(usize, i64)>,
    /// True if it left its job a planned start.
    pub is_planned: bool,
    /// True if it counts for the limits of jobs in a pass, and for that of reservations of a partition.
    pub is_counted: bool,
    pub is_limited: bool,
    /// True if the pass ends with it.
    pub is_last: bool,
}

/// The state of a pass.
#[derive(Debug)]
pub(super) struct BackfillPass {
    pub now: i64,
    pub map: BackfillMap,
    pub tested: i64,
    pub starts: i64,
    pub rejected: Option<(Option<u32>, usize, Option<usize>)>,
    /// Jobs by user and partition, by partition, and by user.
    pub counts: BTreeMap<(u8, u32, usize), i64>,
    /// Reservations of each partition.
    pub reservations: Vec<i64>,
    /// The array whose tasks are reserved in a row, and their number.
    pub array: (u32, i64),
    /// The first second at which the same pass could come out otherwise.
    pub until: i64,
    /// The first second at which the same reservations would make another map.
    pub map_until: i64,
    /// The seconds until which the limits of groups block each QOS (`assoc_limit_stop`).
    pub blocked: Vec<i64>,
    /// The marks of the entry in turn.
    pub left: LeftByEntry,
}

impl BackfillPass {
    /// Notes that something comes out otherwise from a second on.
    pub fn holds_until(&mut self, second: i64) {
        self.until = self.until.min(second.max(self.now));
    }

    /// Notes a reservation that the end of the map cuts off: the map ends with the window, later in each
    /// pass.
    pub fn note_end(&mut self, (begin, end): (i64, i64), window: i64) {
        let last = self.map.end;
        for time in [begin, end] {
            if time >= last {
                self.holds_until(time - window);
                self.map_until = self.map_until.min(time - window);
            }
        }
    }
}

/// An entry of the last pass.
#[derive(Debug)]
pub(super) struct KeptEntry {
    pub entry: QueueEntry,
    pub left: LeftByEntry,
    /// The notes in the record of its job that it read, and those that it left.
    pub before: PassNotes,
    pub after: PassNotes,
    /// The last bytes of the weights of nodes before it.
    pub near: Arc<[u8]>,
    /// The first second at which the entry could come out otherwise, as long as the map before it is the same.
    pub until: i64,
    /// The first second at which its reservation would make another map.
    pub map_until: i64,
    /// True if it noted a change.
    pub is_change: bool,
}

/// The entries of the last pass. As long as nothing but plain changes comes, those entries come out the same that
/// find the same map.
#[derive(Debug, Default)]
pub(super) struct KeptPass {
    pub entries: Vec<KeptEntry>,
    /// The number of changes before the pass that are not plain.
    pub changes: u64,
    /// The first second at which no entry can be taken over.
    pub until: i64,
}

/// The last pass, as far as it is kept, and the sets of its map. A fork of the controller keeps nothing.
#[derive(Debug, Default)]
pub(super) struct KeptCell {
    pub pass: KeptPass,
    pub spare: Vec<NodeSet>,
}

impl Clone for KeptCell {
    fn clone(&self) -> Self {
        Self::default()
    }
}
