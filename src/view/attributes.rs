//! The colours of attributes of jobs: users, queues, and the further columns of a log.
//!
//! Words get the ten colours of users: the ten words with most jobs (of users, those with most
//! work), and one neutral colour for all others. Quantities get a scale.

use super::legend::{Legend, LegendEntry};
use super::palette::{PETROFF, Rgb, Theme, cividis, mix, neutral};
use crate::sorting;
use crate::workload::{Attribute, AttributeKind, Workload};
use std::collections::BTreeMap;

/// Number of shades of a scale. One more stands for unknown values.
const SHADES: usize = 255;

/// Largest ratio of a column's values up to which its scale is linear.
const NARROW: f64 = 10.0;

/// Number of marks of a linear scale.
const MARKS: i64 = 5;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Shades of the jobs, with their colours.
pub(super) struct Shading {
    /// The shade of each job.
    pub shade_of: Vec<u8>,
    /// The colour of each shade.
    pub palette: Vec<Rgb>,
    /// The legend.
    pub legend: Legend,
}

/// Returns the colours of an attribute. `name` is the name of the attribute.
pub(super) fn shading(
    workload: &Workload,
    attribute: Attribute,
    name: &str,
    theme: Theme,
) -> Shading {
    if workload.kind(attribute) == AttributeKind::Words {
        words(workload, attribute, name, theme)
    } else {
        numbers(workload, attribute, name, theme)
    }
}

/// Returns a neutral picture, for an attribute that the workload does not have.
pub(super) fn unknown(workload: &Workload, id: &str, theme: Theme) -> Shading {
    let entry = LegendEntry::new("this trace has no such column".into(), neutral(theme));
    Shading {
        shade_of: vec![0; workload.len()],
        palette: vec![neutral(theme)],
        legend: Legend {
            title: id.to_owned(),
            entries: vec![entry],
            continuous: false,
        },
    }
}

fn words(workload: &Workload, attribute: Attribute, name: &str, theme: Theme) -> Shading {
    let is_user = attribute == Attribute::User;
    let mut weights: BTreeMap<i64, i128> = BTreeMap::new();
    let mut unknown = 0_usize;
    for job in workload.ids() {
        let Some(key) = workload.key(attribute, job) else {
            unknown += 1;
            continue;
        };
        let (request, program) = (workload.request(job), workload.program(job));
        *weights.entry(key).or_default() += if is_user {
            i128::from(program.runtime.microseconds()) * i128::from(request.processors)
        } else {
            1
        };
    }
    let mut heaviest: Vec<(i128, i64)> = weights
        .into_iter()
        .map(|(key, weight)| (-weight, key))
        .collect();
    sorting::by(&mut heaviest, |(weight, key)| [*weight, (*key).into()]);
    let others = heaviest.len().saturating_sub(PETROFF.len());
    heaviest.truncate(PETROFF.len());
    let (neutral, faint) = (neutral(theme), faint(theme));
    let shades: BTreeMap<i64, u8> = sorting::map(
        heaviest
            .iter()
            .enumerate()
            .map(|(rank, (_, key))| (*key, rank as u8)),
    );
    let shade = |job| match workload.key(attribute, job) {
        Some(key) => shades.get(&key).copied().unwrap_or(PETROFF.len() as u8),
        None => PETROFF.len() as u8 + 1,
    };
    let mut entries: Vec<LegendEntry> = heaviest
        .iter()
        .zip(PETROFF)
        .map(|((_, key), colour)| LegendEntry::new(workload.label(attribute, *key), colour))
        .collect();
    if others > 0 {
        entries.push(LegendEntry::new(format!("{others} others"), neutral));
    }
    if unknown > 0 {
        entries.push(LegendEntry::new("unknown".into(), faint));
    }
    let title = match (others, is_user) {
        (_, true) => format!("{name}, the ten with most work"),
        (0, false) => name.to_owned(),
        (_, false) => format!("{name}, the ten with most jobs"),
    };
    Shading {
        shade_of: workload.ids().map(shade).collect(),
        palette: PETROFF.into_iter().chain([neutral, faint]).collect(),
        legend: Legend {
            title,
            entries,
            continuous: false,
        },
    }
}

/// A scale of quantities: logarithmic from 1 on, or linear.
struct ValueScale {
    low: f64,
    high: f64,
    is_linear: bool,
}

impl ValueScale {
    /// Returns the scale from the least to the largest value. Instants, negative values, and values
    /// that differ little are on a linear scale.
    fn new(low: f64, high: f64, kind: AttributeKind) -> Self {
        let is_linear =
            kind == AttributeKind::Moments || low < 0.0 || (low > 0.0 && high / low < NARROW);
        Self {
            low,
            high,
            is_linear,
        }
    }

    fn shade(&self, value: f64) -> u8 {
        let place = |value: f64| {
            if self.is_linear {
                value
            } else {
                libm::log(1.0 + value)
            }
        };
        let length = place(self.high) - place(self.low);
        let share = if length > 0.0 {
            (place(value) - place(self.low)) / length
        } else {
            0.0
        };
        (share * (SHADES - 1) as f64).round() as u8
    }

    /// Returns the values that the legend names.
    fn marks(&self) -> Vec<f64> {
        if self.low >= self.high {
            return vec![self.low];
        }
        if self.is_linear {
            let step = (self.high - self.low) / (MARKS - 1) as f64;
            let mut marks: Vec<f64> = (0..MARKS)
                .map(|mark| (self.low + step * mark as f64).round())
                .collect();
            marks.dedup();
            return marks;
        }
        let mut between = Vec::new();
        let mut mark = 1.0;
        while mark < self.high {
            if mark > self.low {
                between.push(mark);
            }
            mark *= 10.0;
        }
        // A few marks suffice.
        let step = between.len().div_ceil(6).max(1);
        let between = between.into_iter().step_by(step);
        [self.low]
            .into_iter()
            .chain(between)
            .chain([self.high])
            .collect()
    }
}

fn numbers(workload: &Workload, attribute: Attribute, name: &str, theme: Theme) -> Shading {
    let value = |job| workload.key(attribute, job).map(|key| key as f64);
    let (mut low, mut high, mut unknown) = (f64::INFINITY, f64::NEG_INFINITY, 0_usize);
    for job in workload.ids() {
        match value(job) {
            Some(value) => (low, high) = (low.min(value), high.max(value)),
            None => unknown += 1,
        }
    }
    let kind = workload.kind(attribute);
    let scale = ValueScale::new(low, high, kind);
    let mut palette: Vec<Rgb> = (0..SHADES)
        .map(|shade| cividis(shade as f64 / (SHADES - 1) as f64))
        .collect();
    palette.push(faint(theme));
    let mut entries = Vec::new();
    if low <= high {
        for mark in scale.marks() {
            let label = if kind == AttributeKind::Moments {
                format!("day {:.1}", mark / DAY)
            } else {
                format!("{mark}")
            };
            entries.push(LegendEntry::new(
                label,
                palette[scale.shade(mark.clamp(low, high)) as usize],
            ));
        }
    }
    if unknown > 0 {
        entries.push(LegendEntry::new("unknown".into(), faint(theme)));
    }
    let shade = |job| value(job).map_or(SHADES as u8, |value| scale.shade(value));
    Shading {
        shade_of: workload.ids().map(shade).collect(),
        palette,
        legend: Legend {
            title: name.to_owned(),
            entries,
            continuous: unknown == 0,
        },
    }
}

/// Returns the colour of jobs whose value is unknown: between the neutral one and the background.
fn faint(theme: Theme) -> Rgb {
    let background = match theme {
        Theme::Light => [0xff; 3],
        Theme::Dark => [0x10, 0x12, 0x16],
    };
    mix(neutral(theme), background, 0.6)
}
