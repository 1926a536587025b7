//! Presets: named settings under which a run is comparable with published ones.

use crate::param::closest;
use crate::param::{Settings, Value};
use crate::policy::{ALL, Spec};
use crate::problem::Problem;

/// Named settings. What somebody sets beside a preset wins over it.
#[derive(Debug)]
pub struct Preset {
    /// Stable id.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// What it makes comparable.
    pub summary: &'static str,
    /// Keys and words.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        id: "pyss",
        name: "As pyss",
        summary: "pyss on raw logs: arrivals before completions, a decision after each event; \
            allocated processors; the longer of \
                  estimate and run time is believed, the job runs for the shorter; invalid jobs \
                  run for 1 s; corrections to the estimate.",
        settings: &[
            ("ties", "per_event"),
            ("sizes", "allocated_only"),
            ("overrun", "swap"),
            ("incomplete", "one_second"),
            ("too_wide", "clamp"),
            ("compression", "every"),
            ("correction", "estimate"),
        ],
    },
    Preset {
        id: "predictsim",
        name: "As predictsim",
        summary: "The published schedules of predictsim, which descends from pyss: arrivals \
            before completions, a decision after each \
                  event (EASY: after an arrival only if the job fits); jobs without run time or \
                  estimate left out; corrections as totals.",
        settings: &[
            ("ties", "per_event"),
            ("rescan", "fitting"),
            ("compression", "every"),
            ("sizes", "requested"),
            ("incomplete", "drop"),
            ("overrun", "kill"),
            ("correction", "totals"),
        ],
    },
    Preset {
        id: "predictsim_pp",
        name: "As predictsim's EASY++",
        summary: "EASY++ in the published schedules of predictsim, for the policy EASY: as the \
            preset predictsim, but shortest \
                  prediction first, and a decision after every arrival.",
        settings: &[
            ("ties", "per_event"),
            ("rescan", "all"),
            ("scan", "shortest"),
            ("estimates", "predicted"),
            ("correction", "totals"),
            ("sizes", "requested"),
            ("incomplete", "drop"),
            ("overrun", "kill"),
        ],
    },
    Preset {
        id: "batsched",
        name: "As batsched",
        summary: "The decisions of batsched's easy_bf and conservative_bf: EASY tries only the \
            new jobs at an arrival, conservative \
                  compresses whenever a job ends.",
        settings: &[
            ("rescan", "new"),
            ("compression", "every"),
            ("overrun", "kill"),
        ],
    },
    Preset {
        id: "accasim",
        name: "As AccaSim",
        summary: "AccaSim 1.1.3 under FIFO (FCFS) and EASYBackfilling (EASY): requested sizes, \
            jobs run on past their estimates; a \
                  blocked head is given a start once, and everything passes that fits.",
        settings: &[
            ("reservation", "once"),
            ("sizes", "requested"),
            ("overrun", "continue"),
        ],
    },
    Preset {
        id: "cqsim",
        name: "As CQSim",
        summary: "CQSim with FCFS, EASY or conservative: completions before arrivals, a decision \
            after each event; of a waiting job its \
                  run time is believed, of a running one its estimate; jobs without run time or \
                  estimate left out.",
        settings: &[
            ("ties", "per_event_ends_first"),
            ("estimates", "actual_until_start"),
            ("compression", "anew"),
            ("sizes", "requested"),
            ("incomplete", "drop"),
            ("overrun", "kill"),
        ],
    },
    Preset {
        id: "students",
        name: "15 workers",
        summary: "The cluster of the student projects (Rajaei and Dadfar, ASEE 2007): 15 workers, \
            wider jobs clamped to them. \
                  Multiple-queue then has shares of 4, 4, 4 and 3.",
        settings: &[("processors", "15"), ("too_wide", "clamp")],
    },
];

impl Preset {
    /// The preset named `id`.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(id: &str) -> Result<&'static Self, Problem> {
        let ids: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        PRESETS
            .iter()
            .find(|preset| preset.id == id)
            .ok_or_else(|| {
                Problem::new(
                    format!(
                        "There is no preset `{}`.",
                        id.chars().take(60).collect::<String>()
                    ),
                    "A preset is named by its id.",
                    format!("{}The presets are: {}.", closest(id, &ids), ids.join(", ")),
                )
            })
    }

    /// Its settings.
    pub fn settings(&self) -> Settings {
        Settings(crate::sorting::map(
            self.settings
                .iter()
                .map(|(key, word)| ((*key).to_owned(), Value::parse(word))),
        ))
    }

    /// Its settings for a run under `policy`: a preset names parameters of several policies, and a
    /// run has those of one.
    pub fn settings_for(&self, policy: &Spec) -> Settings {
        let mut settings = self.settings();
        let has = |spec: &Spec, key: &str| spec.params.iter().any(|param| param.key == key);
        settings
            .0
            .retain(|key, _| has(policy, key) || !ALL.iter().any(|other| has(other, key)));
        settings
    }
}
