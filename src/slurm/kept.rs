//! Advance reservations, and what the controller notes about them.

use super::nodeset::NodeSet;

/// An advance reservation of whole nodes, in the words of `scontrol create reservation`. Times are seconds
/// since 1970.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the reservation that is there or not"
)]
pub struct NodeReservation {
    /// The name.
    pub name: String,
    /// The begin of the current period.
    pub start: i64,
    /// The end of the current period.
    pub end: i64,
    /// Seconds from period to period; 0 if there is only one.
    pub every: i64,
    /// The number of periods that are left, with the current one.
    pub periods: i64,
    /// The nodes.
    pub nodes: NodeSet,
    /// The users whose jobs may ask for it. If empty, all may.
    pub users: Vec<String>,
    /// The accounts whose jobs may ask for it. If empty, all may.
    pub accounts: Vec<String>,
    /// `MAINT`.
    pub is_maintenance: bool,
    /// `OVERLAP`.
    pub is_overlapping: bool,
    /// `ALL_NODES`.
    pub has_all_nodes: bool,
    /// `MAGNETIC`: jobs that may use it also try it without asking.
    pub is_magnetic: bool,
}

/// A reservation of a controller, and what the controller has noted about it.
#[derive(Clone, Debug)]
pub(super) struct KnownReservation {
    pub facts: NodeReservation,
    /// True once the controller has forgotten it.
    pub is_deleted: bool,
    /// True if the begin of the current period has been noticed (`RESV_CTLD_PROLOG`).
    pub has_begun: bool,
    /// True if its nodes are marked as being in maintenance.
    pub is_marked: bool,
}

impl KnownReservation {
    fn repeats(&self) -> bool {
        self.facts.every > 0 && self.facts.periods > 1
    }

    /// Moves a repeated reservation that has ended on to its next period (`_advance_resv_time`). Returns
    /// true if it moved.
    pub fn advance(&mut self) -> bool {
        if !self.repeats() {
            return false;
        }
        self.facts.start += self.facts.every;
        self.facts.end += self.facts.every;
        self.facts.periods -= 1;
        self.has_begun = false;
        true
    }
}
