//! A wrapper that adds migration to a policy: it lays out the running jobs anew when the head of
//! the queue does not fit.
//!
//! E. Krevat, MIT 2003, chapter 2, scheduler 3. The wrapper tries a migration if the head cannot be
//! placed and if the free nodes meet two thresholds. Then the policy decides on the new layout.

use crate::param::{Settings, Typed, real, whole};
use crate::sim::Policy;
use crate::sim::{Turn, Waiting};
use crate::time::Span;

/// The share of free nodes from which on the policy tries migrations.
pub const FN_TOR: Typed<f64> = real("fn_tor", "Free nodes, at least", 0.0..=1.0, 0.1).help(
    "The policy tries a migration only if at least this share of the nodes is free (FN_tor); 0 \
            with a largest partition of 1 always tries one",
);

/// The share of the free nodes in the largest free partition up to which the policy tries
/// migrations.
pub const FN_MAX: Typed<f64> = real("fn_max", "Largest partition, at most", 0.0..=1.0, 0.7).help(
    "The policy tries a migration only if the largest free partition has at most this share of \
            the free nodes (FN_max)",
);

/// The time that each move of a job costs.
pub const MIGRATION_COST: Typed<i64> = whole("migration_cost", "Migration cost", 0..=86_400, 0)
    .unit("s")
    .help("Each job that moves runs longer by this time; 0 in the published experiments");

/// A policy that first starts jobs in the order of its queue until one does not fit.
pub trait HeadFirst: Policy {
    /// Starts waiting jobs in order until one does not fit, and returns that job.
    fn start_heads(&mut self, turn: &mut Turn<'_>) -> Option<Waiting>;
}

/// A policy with migration.
#[derive(Clone)]
struct Migrating<P> {
    policy: P,
    fn_tor: f64,
    fn_max: f64,
    cost: Span,
    /// Value of [`Turn::changes`] after the last attempt. While it stays the same, another attempt
    /// would end alike.
    tried_at: Option<u64>,
}

/// Adds migration to `policy`.
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
    /// True if enough nodes are free, and enough of these are outside the largest free partition.
    /// If no node is free, a migration can win nothing.
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
