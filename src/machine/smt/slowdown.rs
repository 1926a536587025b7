//! How much two jobs on the same nodes slow each other down, at most: by what they both need of a resource.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP 2004, section 4.1. As it
//! is printed the sum has the shared parts alone, so that two jobs with nothing in common would take no time at all; with the
//! parts added that are not shared, it is 1 + (k - 1) min(cpu) + min(network) + min(disk), where k is 1 to 2 by how much
//! their instructions compete for the parts of the CPU. That gives every estimate of the paper's table 2.

use crate::job::Demand;

/// Shares are in ten-thousandths, and slowdowns too.
pub const WHOLE: i64 = 10_000;

/// What slowdowns depend on beside the two jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How many of all pairs have instructions that go well together, in ten-thousandths.
    pub compatible: i64,
    /// Slowdown of the CPU part of those, in ten-thousandths.
    pub good: i64,
    /// And of the others.
    pub poor: i64,
    /// Slowdown of two jobs that do not fit into the memory together.
    pub paging: i64,
    /// Slowdown where it is not known what the jobs need.
    pub unknown: i64,
}

impl Model {
    /// By how much two jobs slow each other down, in ten-thousandths: never less than [`WHOLE`].
    pub fn slowdown(&self, one: Option<&Demand>, other: Option<&Demand>) -> i64 {
        let (Some(one), Some(other)) = (one, other) else { return self.unknown };
        if one.memory + other.memory > WHOLE {
            return self.paging;
        }
        let cpu = if self.go_well(one, other) { self.good } else { self.poor };
        let shared = |of: fn(&Demand) -> i64| of(one).min(of(other));
        WHOLE + (cpu - WHOLE) * shared(|demand| demand.cpu) / WHOLE + shared(|demand| demand.network) + shared(|demand| demand.disk)
    }

    /// Whether the instructions of two jobs go well together: drawn, and the same for the same two jobs.
    pub fn go_well(&self, one: &Demand, other: &Demand) -> bool {
        ((one.mark ^ other.mark) % WHOLE as u64) < self.compatible as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Model = Model { compatible: 0, good: WHOLE, poor: 2 * WHOLE, paging: 25_000, unknown: 14_000 };

    /// A job that communicates for this share of its time, and computes for the rest.
    fn communicating(network: i64) -> Demand {
        Demand { cpu: WHOLE - network, network, disk: 0, memory: 0, mark: 1 }
    }

    #[test]
    fn estimates_are_those_of_the_papers_table_2() {
        // (communication of one, of the other, estimate, estimate without a slowdown of the CPU part)
        for (one, other, competing, different) in [(4000, 4000, 20_000, 14_000), (4000, 6000, 18_000, 14_000), (6000, 6000, 20_000, 16_000)]
        {
            let (one, other) = (communicating(one), communicating(other));
            assert_eq!(MODEL.slowdown(Some(&one), Some(&other)), competing);
            assert_eq!(MODEL.slowdown(Some(&other), Some(&one)), competing, "it is the same for both");
            let good = Model { compatible: WHOLE, ..MODEL };
            assert_eq!(good.slowdown(Some(&one), Some(&other)), different);
        }
    }

    #[test]
    fn limits() {
        let of = |cpu, network, disk, memory| Demand { cpu, network, disk, memory, mark: 1 };
        let (cpu, network, disk) = (of(WHOLE, 0, 0, 0), of(0, WHOLE, 0, 0), of(0, 0, WHOLE, 0));
        for (one, other) in [(&cpu, &network), (&cpu, &disk), (&network, &disk)] {
            assert_eq!(MODEL.slowdown(Some(one), Some(other)), WHOLE, "nothing in common");
        }
        for one in [cpu, network, disk, of(3000, 3000, 4000, 0)] {
            assert_eq!(MODEL.slowdown(Some(&one), Some(&one)), 2 * WHOLE, "all in common");
        }
        let (half, more) = (of(WHOLE, 0, 0, 5000), of(0, WHOLE, 0, 5001));
        assert_eq!(MODEL.slowdown(Some(&half), Some(&half)), 2 * WHOLE, "both fit");
        assert_eq!(MODEL.slowdown(Some(&half), Some(&more)), 25_000, "they do not fit");
        assert_eq!(MODEL.slowdown(None, Some(&half)), 14_000);
    }
}
