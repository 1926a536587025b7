//! The jobs that gang scheduling knows, by partition.

use super::conf::SlurmConf;
use super::core_rows::first_words;
use super::record::SuspendedJob;

/// The place of a job in the row of jobs that run (`row_state`).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum GangPlace {
    /// It was in the row when the row was last filled from the list (`GS_ACTIVE`).
    Active,
    /// It joined the row since (`GS_FILLER`).
    Filler,
    /// It is not in the row (`GS_NO_ACTIVE`).
    Out,
}

/// A job that gang scheduling knows.
#[derive(Copy, Clone, Debug)]
pub(super) struct GangJob {
    pub record: u32,
    pub place: GangPlace,
    /// True if it was told to stop (`GS_SUSPEND`). Others cast their shadow on lower tiers.
    pub is_stopped: bool,
}

/// A row: jobs of which no two hold the same core.
#[derive(Clone, Debug)]
pub(super) struct GangRow {
    /// The cores of the jobs, as bits, and the number of jobs.
    pub cores: Vec<u64>,
    pub count: usize,
}

/// The jobs of a partition from their start until their nodes are clean.
#[derive(Clone, Debug)]
pub(super) struct GangPart {
    /// The jobs in the order in which the row is filled: at first that of their starts.
    pub jobs: Vec<GangJob>,
    /// The row of those that run, with the jobs of higher tiers that cast their shadow on it (`active_resmap`).
    pub row: GangRow,
}

/// The jobs that gang scheduling knows.
#[derive(Clone, Debug)]
pub(super) struct GangState {
    /// The first word of each node in sets of cores.
    pub first: Vec<usize>,
    /// The partitions, the highest tier first.
    pub order: Vec<usize>,
    pub parts: Vec<GangPart>,
    /// The suspended jobs on each node.
    pub suspended: Vec<u32>,
    pub told: Vec<SuspendedJob>,
    /// Seconds of a time slice; `None` if the jobs of a partition never hold the same cores.
    pub slice: Option<i64>,
    /// True if a job is not in the row of its partition, so that the end of a slice matters.
    pub is_slicing: bool,
}

impl GangState {
    /// Returns the state without jobs, if the configuration has gang scheduling.
    pub fn of(conf: &SlurmConf) -> Option<Self> {
        if !conf.preempt.is_gang {
            return None;
        }
        let mut order: Vec<usize> = (0..conf.partitions.len()).collect();
        crate::sorting::by(&mut order, |one| {
            [-i128::from(conf.partitions[*one].tier), 0]
        });
        let first = first_words(conf);
        let part = GangPart {
            jobs: Vec::new(),
            row: GangRow {
                cores: vec![0; first[conf.node_count()]],
                count: 0,
            },
        };
        let has_rows = (0..conf.partitions.len()).any(|one| conf.rows_of(one) > 1);
        Some(Self {
            first,
            order,
            parts: vec![part; conf.partitions.len()],
            suspended: vec![0; conf.node_count()],
            told: Vec::new(),
            slice: has_rows.then_some(conf.preempt.slice),
            is_slicing: false,
        })
    }
}
