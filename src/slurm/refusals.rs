//! Plans that a pass of the backfill scheduler need not try. Where the free CPUs do not suffice for a job, they
//! do not suffice for jobs of its kind that need as many or more, for as long or longer.

use super::known::OfferKind;

/// The most kinds of jobs whose refusals are kept.
const MOST_KINDS: usize = 64;

/// The need of jobs: the number of their kind, their CPUs, and their time in seconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanNeed {
    pub kind: usize,
    pub cpus: i64,
    pub seconds: i64,
}

impl PlanNeed {
    /// True if a job of this need fits wherever one of the other need does.
    fn is_within(self, other: Self) -> bool {
        self.kind == other.kind && self.cpus <= other.cpus && self.seconds <= other.seconds
    }

    /// Returns a measure of the need.
    fn area(self) -> i64 {
        self.cpus.saturating_mul(self.seconds)
    }
}

/// A refusal: a job with such a need, or with more, that is planned between two seconds finds too few CPUs up to
/// the second one.
#[derive(Copy, Clone, Debug)]
pub(super) struct Refusal {
    pub need: PlanNeed,
    pub from: i64,
    pub until: i64,
    /// The number of starts and ends before it. It holds as long as nothing starts or ends.
    pub uses: u64,
}

/// The refusals of a pass, at most one for each slot of its map.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    kinds: Vec<OfferKind>,
    by_slot: Vec<Option<Refusal>>,
}

impl Refusals {
    /// Returns the number of a kind of jobs. `None`: there are too many kinds.
    pub fn number_of(&mut self, kind: OfferKind) -> Option<usize> {
        let known = self.kinds.iter().position(|other| other.is_like(&kind));
        known.or_else(|| {
            let number = self.kinds.len();
            (number < MOST_KINDS).then(|| {
                self.kinds.push(kind);
                number
            })
        })
    }

    /// Notes a refusal of a plan that begins in a slot. Another one in the slot stays if its need is less.
    pub fn note(&mut self, slot: usize, refusal: Refusal) {
        if self.by_slot.len() <= slot {
            self.by_slot.resize(slot + 1, None);
        }
        let old = self.by_slot[slot].filter(|old| {
            old.uses == refusal.uses
                && old.until >= refusal.until
                && old.need.area() < refusal.need.area()
        });
        self.by_slot[slot] = old.or(Some(refusal));
    }

    /// Notes that a part of a slot becomes a slot.
    pub fn split(&mut self, slot: usize, part: usize) {
        if let Some(Some(refusal)) = self.by_slot.get(slot).copied() {
            self.note(part, refusal);
        }
    }

    /// Returns the second until which a plan that begins in a slot is in vain, if that is known.
    pub fn until(&self, slot: usize, second: i64, need: PlanNeed, uses: u64) -> Option<i64> {
        let refusal = self.by_slot.get(slot).copied().flatten()?;
        let holds = refusal.uses == uses && (refusal.from..refusal.until).contains(&second);
        (holds && refusal.need.is_within(need)).then_some(refusal.until)
    }
}
