//! Migration: the wrapper that lets a policy lay out the running jobs anew when the head of its
//! queue does not fit.
//!
//! E. Krevat, 2003, chapter 2, scheduler 3: after the head could not be placed, and only where it
//! promises something, the running jobs are laid out anew; then the policy decides on what that
//! left.

use crate::param::{Settings, Typed, real, whole};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting};
use crate::time::Span;

/// The least share of free nodes.
pub const FN_TOR: Typed<f64> = real("fn_tor", "Free nodes, at least", 0.0..=1.0, 0.1).help(
    "Migration is tried from this share of free nodes on (FN_tor); 0 with a largest partition \
            of 1: always",
);

/// The largest share of the largest partition.
pub const FN_MAX: Typed<f64> = real("fn_max", "Largest partition, at most", 0.0..=1.0, 0.7).help(
    "Migration is tried while the largest free partition has at most this share of the free \
            nodes (FN_max)",
);

/// What a move costs.
pub const MIGRATION_COST: Typed<i64> = whole("migration_cost", "Migration cost", 0..=86_400, 0)
    .unit("s")
    .help("By how much a job that moves runs longer; the published experiments have none");

/// Policies that first start jobs in the order of their queue until one does not fit.
pub trait HeadFirst: Policy {
    /// Starts waiting jobs in order until one does not fit, which is returned.
    fn start_heads(&mut self, turn: &mut Turn<'_>) -> Option<Waiting>;
}

/// A policy that migrates.
#[derive(Clone)]
struct Migrating<P> {
    policy: P,
    fn_tor: f64,
    fn_max: f64,
    cost: Span,
    /// Where a migration was tried last: as long as nothing changes, another one would end alike.
    tried_at: Option<u64>,
}

/// `policy` with migration.
pub fn with_migration<P: HeadFirst + Clone + 'static>(
    policy: P,
    settings: &Settings,
) -> impl Policy + 'static {
    let cost = Span::from_seconds(settings.get(&MIGRATION_COST));
    Migrating {
        policy,
        fn_tor: settings.get(&FN_TOR),
        fn_max: settings.get(&FN_MAX),
        cost,
        tried_at: None,
    }
}

impl<P: HeadFirst> Migrating<P> {
    /// Whether enough is free, and enough of that outside the largest free partition. Where nothing
    /// is free nothing can be won.
    fn promises(&self, turn: &Turn<'_>) -> bool {
        let (free, largest) = (f64::from(turn.free()), f64::from(turn.room()));
        free > 0.0
            && free >= self.fn_tor * f64::from(turn.capacity())
            && largest <= self.fn_max * free
    }
}

impl<P: HeadFirst + Clone + 'static> Policy for Migrating<P> {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if self.policy.start_heads(turn).is_some()
            && self.tried_at != Some(turn.changes())
            && self.promises(turn)
        {
            turn.migrate(self.cost);
            self.tried_at = Some(turn.changes());
        }
        self.policy.decide(turn);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
