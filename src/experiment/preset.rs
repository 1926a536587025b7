//! Presets: named settings under which a run is comparable with published ones.

use crate::param::closest;
use crate::param::{Settings, Value};
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
        summary: "The readings of the Python simulator pyss and its descendants: arrivals before completions, a decision after each \
                  event, requested sizes, jobs of zero run time or without an estimate left out, jobs killed at their estimates.",
        settings: &[("ties", "per_event"), ("sizes", "requested"), ("incomplete", "drop"), ("overrun", "kill")],
    },
    Preset {
        id: "students",
        name: "15 workers",
        summary: "The cluster of the student projects (Rajaei and Dadfar, ASEE 2007): 15 workers, wider jobs clamped to them. \
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
        PRESETS.iter().find(|preset| preset.id == id).ok_or_else(|| {
            Problem::new(
                format!("There is no preset `{}`.", id.chars().take(60).collect::<String>()),
                "A preset is named by its id.",
                format!("{}The presets are: {}.", closest(id, &ids), ids.join(", ")),
            )
        })
    }

    /// Its settings.
    pub fn settings(&self) -> Settings {
        Settings(crate::sorting::map(self.settings.iter().map(|(key, word)| ((*key).to_owned(), Value::parse(word)))))
    }
}
