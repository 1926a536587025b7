//! Orders in which waiting jobs are looked at, by what is believed of them; ties stay in order of arrival.

use crate::param::{Choice, Kind, Param, Settings};
use crate::sim::Waiting;

/// The order in which candidates for backfilling are tried.
pub const SCAN: Param = Param {
    key: "scan",
    name: "Scan order",
    kind: Kind::Choice {
        options: &[
            Choice { id: "arrival", help: "as they arrived" },
            Choice { id: "shortest", help: "shortest estimate first (SJBF)" },
            Choice { id: "longest", help: "longest estimate first" },
            Choice { id: "smallest", help: "fewest processors first" },
            Choice { id: "largest", help: "most processors first" },
            Choice { id: "smallest_area", help: "least processors x estimate first" },
            Choice { id: "largest_area", help: "most processors x estimate first" },
        ],
        default: "arrival",
    },
    unit: "",
    help: "The order in which waiting jobs behind the head are tried",
};

/// An order of waiting jobs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of SCAN say it")]
pub enum Order {
    Arrival,
    Shortest,
    Longest,
    Smallest,
    Largest,
    SmallestArea,
    LargestArea,
}

impl Order {
    /// The order that the settings choose.
    pub fn from(settings: &Settings) -> Self {
        match settings.choice(&SCAN) {
            "shortest" => Self::Shortest,
            "longest" => Self::Longest,
            "smallest" => Self::Smallest,
            "largest" => Self::Largest,
            "smallest_area" => Self::SmallestArea,
            "largest_area" => Self::LargestArea,
            _ => Self::Arrival,
        }
    }

    /// Sorts jobs that stand in order of arrival.
    pub fn sort(self, jobs: &mut [Waiting]) {
        if self != Self::Arrival {
            jobs.sort_by_key(|job| self.key(job));
        }
    }

    fn key(self, job: &Waiting) -> i128 {
        let (processors, expected) = (i128::from(job.processors), i128::from(job.expected.microseconds()));
        match self {
            Self::Arrival => 0,
            Self::Shortest => expected,
            Self::Longest => -expected,
            Self::Smallest => processors,
            Self::Largest => -processors,
            Self::SmallestArea => processors * expected,
            Self::LargestArea => -processors * expected,
        }
    }
}
