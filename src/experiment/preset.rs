//! Presets: named settings that make a run comparable with published runs.

use crate::param::closest;
use crate::param::{Settings, Value};
use crate::policy::{ALL, Spec};
use crate::problem::Problem;

/// Named settings. A setting that the user makes beside a preset wins over the preset's.
#[derive(Debug)]
pub struct Preset {
    /// The stable id of the preset.
    pub id: &'static str,
    /// Name that forms and tables show.
    pub name: &'static str,
    /// The runs that the preset makes comparable, and by what rules.
    pub summary: &'static str,
    /// The settings, as pairs of key and word.
    pub settings: &'static [(&'static str, &'static str)],
}

/// All presets, in the order of lists and forms.
pub const PRESETS: &[Preset] = &[
    Preset {
        id: "pyss",
        name: "As pyss",
        summary: "pyss on raw logs: arrivals before completions, with a decision after each event, \
            and allocated processors. The longer of estimate and run time becomes the estimate, \
            and the job runs for the shorter. Invalid jobs run for 1 s. An exceeded prediction \
            becomes the estimate.",
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
            before completions, with a decision after each event (EASY: after an arrival only if \
            the job fits). Jobs without run time or estimate are left out. Corrections are totals.",
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
        summary: "EASY++ in the published schedules of predictsim, for the policy EASY: like the \
            preset predictsim, but with the shortest prediction first, and with a decision after \
            every arrival.",
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
            new jobs at an arrival, and conservative compresses whenever a job ends.",
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
            and jobs run on past their estimates. A blocked head is given a start once, and every \
            job that fits passes it.",
        settings: &[
            ("reservation", "once"),
            ("sizes", "requested"),
            ("overrun", "continue"),
        ],
    },
    Preset {
        id: "cqsim",
        name: "As CQSim",
        summary: "CQSim with FCFS, EASY or conservative: completions before arrivals, with a \
            decision after each event. The belief about a waiting job is its run time, about a \
            running job its estimate. Jobs without run time or estimate are left out.",
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
            and wider jobs ask for all of them. Multiple-queue then has shares of 4, 4, 4 and 3.",
        settings: &[("processors", "15"), ("too_wide", "clamp")],
    },
];

impl Preset {
    /// Returns the preset with this id.
    ///
    /// # Errors
    /// Fails if there is no such preset.
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

    /// Returns all settings of the preset.
    pub fn settings(&self) -> Settings {
        Settings(crate::sorting::map(
            self.settings
                .iter()
                .map(|(key, word)| ((*key).to_owned(), Value::parse(word))),
        ))
    }

    /// Returns the settings of the preset for a run under `policy`. A preset names parameters of
    /// several policies, and a run has those of one policy.
    pub fn settings_for(&self, policy: &Spec) -> Settings {
        let mut settings = self.settings();
        let has = |spec: &Spec, key: &str| spec.params.iter().any(|param| param.key == key);
        settings.retain(&|key| has(policy, key) || !ALL.iter().any(|other| has(other, key)));
        settings
    }
}
