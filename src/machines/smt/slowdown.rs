//! The slowdown of two jobs on the same nodes, computed from what both need of each resource, or
//! measured.
//!
//! A. C. Sodan and L. Lan, "LOMARC: lookahead matchmaking for multi-resource coscheduling", JSSPP
//! 2004, section 4. As printed, the sum of section 4.1 has the shared parts alone, so that two jobs
//! with nothing in common would take no time at all. With the parts that are not shared, the sum is
//! 1 + (k - 1) min(cpu) + min(network) + min(disk). The factor k is from 1 to 2; it depends on how
//! much the instructions of the jobs compete for the parts of the CPU. This sum gives every
//! estimate of the paper's table 2.

use crate::job::{Demand, Resource};

/// The value that stands for 1: shares and slowdowns are in ten-thousandths.
pub const WHOLE: i64 = 10_000;

/// The rules for the slowdown of two jobs on the same nodes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// True if the CPU has only one thread, so that two jobs take turns on it.
    pub standard: bool,
    /// The rule for two jobs that fit into the memory together.
    pub by: By,
    /// Slowdown of two jobs that do not fit into the memory together, in ten-thousandths.
    pub paging: i64,
    /// Slowdown if the demand of a job is not known, in ten-thousandths.
    pub unknown: i64,
}

/// A rule for the slowdown of two jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The slowdown follows from what both jobs need of each resource.
    Shares {
        /// Share of the pairs whose instructions go well together, in ten-thousandths.
        compatible: i64,
        /// Slowdown of the CPU part of these pairs.
        good: i64,
        /// Slowdown of the CPU part of the other pairs.
        poor: i64,
        /// True if only the shared parts count, as the paper prints the sum. Time that the jobs do
        /// not share then costs nothing.
        printed: bool,
    },
    /// The slowdown is the paper's measurement, by the resource that each job needs most.
    Measured,
    /// The slowdown is a figure for the resources that the two jobs need most: both CPU, CPU and
    /// network, CPU and disk, both network, network and disk, both disk.
    Classes([i64; 6]),
}

impl Pairing {
    /// Returns the slowdown of a job beside another job, in ten-thousandths. It is never less than
    /// [`WHOLE`].
    pub fn slowdown(&self, one: Option<&Demand>, other: Option<&Demand>) -> i64 {
        let (Some(one), Some(other)) = (one, other) else {
            return self.unknown;
        };
        if one.memory + other.memory > WHOLE {
            return self.paging;
        }
        match self.by {
            By::Shares {
                good,
                poor,
                printed,
                ..
            } => {
                let k = if self.compete(one, other) { poor } else { good };
                let shared = |of: fn(&Demand) -> i64| of(one).min(of(other));
                let (cpu, network, disk) = (
                    shared(|demand| demand.cpu),
                    shared(|demand| demand.network),
                    shared(|demand| demand.disk),
                );
                if printed {
                    (k * cpu / WHOLE + 2 * network + 2 * disk).max(WHOLE)
                } else {
                    WHOLE + (k - WHOLE) * cpu / WHOLE + network + disk
                }
            }
            By::Measured => measured(one, other),
            By::Classes(all) => {
                let place = |resource: Resource| resource as usize;
                let (first, second) = (one.most().min(other.most()), one.most().max(other.most()));
                all[[0, 2, 3][place(first)] + place(second)]
            }
        }
    }

    /// True if the instructions of two jobs compete for the parts of the CPU. The answer is drawn,
    /// and is always the same for the same two jobs. On a standard CPU all jobs compete.
    pub fn compete(&self, one: &Demand, other: &Demand) -> bool {
        let By::Shares { compatible, .. } = self.by else {
            return self.standard;
        };
        self.standard || (one.mark ^ other.mark) % WHOLE as u64 >= compatible as u64
    }

    /// Returns the slowdown of each of two jobs beside the other: that of `one`, then that of
    /// `other`.
    pub fn of_both(&self, one: Option<&Demand>, other: Option<&Demand>) -> [i64; 2] {
        let slowdown = self.slowdown(one, other);
        // Only measurements differ between the two jobs.
        match self.by {
            By::Measured => [slowdown, self.slowdown(other, one)],
            _ => [slowdown; 2],
        }
    }
}

/// Table 1, twice the same computation, in floating point and in integers. The rows are additions
/// without data in the second cache, with 40 kB and with 400 kB there, then multiplications with 0,
/// 80 and 400 kB.
const ALIKE: [[i64; 2]; 6] = [
    [21_000, 10_700],
    [10_000, 13_000],
    [15_000, 13_000],
    [16_000, 14_000],
    [11_000, 11_000],
    [17_000, 12_000],
];

/// Table 1, a floating-point and an integer computation of the same kind; `None` if the pair was
/// not measured.
const UNLIKE: [Option<[i64; 2]>; 6] = [
    Some([11_000, 10_000]),
    None,
    None,
    Some([18_000, 14_000]),
    Some([12_000, 11_000]),
    Some([17_000, 14_000]),
];

/// Table 3, the slowdown of a row's job beside a column's job. The order is messages of 200 bytes,
/// messages of 18,000 bytes, computation, disk.
const KINDS: [[i64; 4]; 4] = [
    [14_000, 17_000, 10_000, 10_000],
    [11_000, 13_000, 10_000, 11_000],
    [10_000, 10_000, 11_000, 10_000],
    [13_000, 12_000, 12_000, 12_000],
];

/// Returns the measured slowdown of a job beside another job: from table 1 for two computations,
/// from table 3 for others. The draws of a job decide which computation it is and how long its
/// messages are.
fn measured(one: &Demand, other: &Demand) -> i64 {
    let kind = |demand: &Demand| match demand.most() {
        Resource::Cpu => 2,
        Resource::Network => (demand.mark >> 8 & 1) as usize,
        Resource::Disk => 3,
    };
    if (kind(one), kind(other)) != (2, 2) {
        return KINDS[kind(one)][kind(other)];
    }
    let computation = |demand: &Demand| {
        (
            ((demand.mark >> 16) % ALIKE.len() as u64) as usize,
            (demand.mark >> 9 & 1) as usize,
        )
    };
    let ((size, whole), (others_size, others_whole)) = (computation(one), computation(other));
    match UNLIKE[size] {
        Some(pair) if size == others_size && whole != others_whole => pair[whole],
        // Two computations that were not measured together are as slow as the worse of them is
        // beside its like.
        _ => ALIKE[size][whole].max(ALIKE[others_size][others_whole]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPETING: Pairing = Pairing {
        standard: false,
        by: By::Shares {
            compatible: 0,
            good: WHOLE,
            poor: 2 * WHOLE,
            printed: false,
        },
        paging: 25_000,
        unknown: 14_000,
    };

    fn of(cpu: i64, network: i64, disk: i64, memory: i64) -> Demand {
        Demand {
            cpu,
            network,
            disk,
            memory,
            mark: 1,
        }
    }

    #[test]
    fn estimates_are_those_of_the_papers_table_2() {
        let communicating = |network| of(WHOLE - network, network, 0, 0);
        // (communication of one job, of the other job, estimate, estimate without a slowdown of the
        // CPU part)
        for (one, other, competing, different) in [
            (4000, 4000, 20_000, 14_000),
            (4000, 6000, 18_000, 14_000),
            (6000, 6000, 20_000, 16_000),
        ] {
            let (one, other) = (communicating(one), communicating(other));
            assert_eq!(COMPETING.slowdown(Some(&one), Some(&other)), competing);
            assert_eq!(
                COMPETING.slowdown(Some(&other), Some(&one)),
                competing,
                "it is the same for both"
            );
            let good = Pairing {
                by: By::Shares {
                    compatible: WHOLE,
                    good: WHOLE,
                    poor: 2 * WHOLE,
                    printed: false,
                },
                ..COMPETING
            };
            assert_eq!(good.slowdown(Some(&one), Some(&other)), different);
            assert_eq!(
                Pairing {
                    standard: true,
                    ..good
                }
                .slowdown(Some(&one), Some(&other)),
                competing,
                "they take turns"
            );
        }
    }

    #[test]
    fn limits() {
        let (cpu, network, disk) = (of(WHOLE, 0, 0, 0), of(0, WHOLE, 0, 0), of(0, 0, WHOLE, 0));
        for (one, other) in [(&cpu, &network), (&cpu, &disk), (&network, &disk)] {
            assert_eq!(
                COMPETING.slowdown(Some(one), Some(other)),
                WHOLE,
                "nothing in common"
            );
        }
        for one in [cpu, network, disk, of(3000, 3000, 4000, 0)] {
            assert_eq!(
                COMPETING.slowdown(Some(&one), Some(&one)),
                2 * WHOLE,
                "all in common"
            );
        }
        let (half, more) = (of(WHOLE, 0, 0, 5000), of(0, WHOLE, 0, 5001));
        assert_eq!(
            COMPETING.slowdown(Some(&half), Some(&half)),
            2 * WHOLE,
            "both fit"
        );
        assert_eq!(
            COMPETING.slowdown(Some(&half), Some(&more)),
            25_000,
            "they do not fit"
        );
        assert_eq!(COMPETING.slowdown(None, Some(&half)), 14_000);
    }

    #[test]
    fn the_sum_as_printed_has_the_shared_parts_alone() {
        let printed = Pairing {
            by: By::Shares {
                compatible: 0,
                good: WHOLE,
                poor: 2 * WHOLE,
                printed: true,
            },
            ..COMPETING
        };
        let slowdown = |one: Demand, other: Demand| printed.slowdown(Some(&one), Some(&other));
        // Twice the lesser of each share is 2 x (0.3 + 0.1 + 0.2).
        assert_eq!(
            slowdown(of(7000, 1000, 2000, 0), of(3000, 4000, 3000, 0)),
            12_000
        );
        assert_eq!(
            slowdown(of(WHOLE, 0, 0, 0), of(0, WHOLE, 0, 0)),
            WHOLE,
            "never faster than alone"
        );
        // The printed sum gives the estimates of table 2 for equal jobs, but not 1.8 for jobs that
        // communicate for 40 and 60 %.
        assert_eq!(slowdown(of(6000, 4000, 0, 0), of(6000, 4000, 0, 0)), 20_000);
        assert_eq!(slowdown(of(6000, 4000, 0, 0), of(4000, 6000, 0, 0)), 16_000);
    }

    #[test]
    fn slowdowns_by_class() {
        let pairing = Pairing {
            by: By::Classes([1, 2, 3, 4, 5, 6].map(|at| 10_000 + at)),
            ..COMPETING
        };
        let jobs = [
            of(8000, 1000, 1000, 0),
            of(1000, 8000, 1000, 0),
            of(1000, 1000, 8000, 0),
        ];
        let found = |one: usize, other: usize| {
            pairing.slowdown(Some(&jobs[one]), Some(&jobs[other])) - 10_000
        };
        assert_eq!(
            [
                found(0, 0),
                found(0, 1),
                found(0, 2),
                found(1, 1),
                found(1, 2),
                found(2, 2)
            ],
            [1, 2, 3, 4, 5, 6]
        );
        assert_eq!([found(1, 0), found(2, 0), found(2, 1)], [2, 3, 5]);
    }

    #[test]
    fn measured_slowdowns_are_those_of_tables_1_and_3() {
        let pairing = Pairing {
            by: By::Measured,
            ..COMPETING
        };
        let short = Demand {
            mark: 0,
            ..of(0, WHOLE, 0, 0)
        };
        let long = Demand {
            mark: 1 << 8,
            ..short
        };
        let (disk, float) = (
            of(0, 0, WHOLE, 0),
            Demand {
                mark: 0,
                ..of(WHOLE, 0, 0, 0)
            },
        );
        let int = Demand {
            mark: 1 << 9,
            ..float
        };
        for (one, other, first, second) in [
            (short, long, 17_000, 11_000),
            (short, disk, 10_000, 13_000),
            (long, disk, 11_000, 12_000),
            (float, disk, 10_000, 12_000),
            (short, short, 14_000, 14_000),
            (float, short, 10_000, 10_000),
            (float, float, 21_000, 21_000),
            (int, int, 10_700, 10_700),
            (float, int, 11_000, 10_000),
            // The worse of 1.7 (multiplications with 400 kB) and 2.1 (additions without data).
            (
                Demand {
                    mark: 5 << 16,
                    ..float
                },
                float,
                21_000,
                21_000,
            ),
        ] {
            assert_eq!(pairing.of_both(Some(&one), Some(&other)), [first, second]);
        }
    }
}
