//! The colours of jobs: by user or another attribute, size, wait, slowdown, class of processes, or
//! difference from another run.
//!
//! `attributes.rs` has the colours of attributes. The other scales are logarithmic.

use super::attributes::{shading, unknown};
use super::legend::{Legend, LegendEntry};
use super::palette::{PETROFF, Rgb, Theme, cividis, hex, mix, neutral};
use crate::job::JobId;
use crate::machine::{Placement, Range};
use crate::schedule::Schedule;
use crate::time::Time;
use crate::workload::Workload;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The quantity that colours show.
///
/// As text it is one lower-case word, or `attribute:` and the id of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Colouring {
    /// The user.
    User,
    /// The job: one of ten colours, in turn in the order of arrival.
    Job,
    /// The size.
    Size,
    /// The wait.
    Wait,
    /// The bounded slowdown.
    Slowdown,
    /// The class of each process, under flexible coscheduling.
    Class,
    /// The difference between the waits in this run and in another run.
    Difference,
    /// An attribute of jobs, by its id: `queue`, or a further column of the log.
    Attribute(String),
}

/// The quantities with their words.
const WORDS: [(&str, Colouring); 7] = [
    ("user", Colouring::User),
    ("job", Colouring::Job),
    ("size", Colouring::Size),
    ("wait", Colouring::Wait),
    ("slowdown", Colouring::Slowdown),
    ("class", Colouring::Class),
    ("difference", Colouring::Difference),
];

/// The beginning of the text of an attribute.
const ATTRIBUTE: &str = "attribute:";

impl TryFrom<String> for Colouring {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Some(id) = text.strip_prefix(ATTRIBUTE) {
            return Ok(Self::Attribute(id.to_owned()));
        }
        let known = WORDS.into_iter().find(|(word, _)| *word == text);
        known.map(|(_, colouring)| colouring).ok_or_else(|| {
            let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!("expected one of {} or {ATTRIBUTE}ID", words.join(", "))
        })
    }
}

/// The shade of no difference. It has as many shades on either side.
const EVEN: usize = 127;
/// Blue where a job waits less, orange where it waits longer.
const LESS: Rgb = [0x1b, 0x62, 0xb5];
const MORE: Rgb = [0xe0, 0x66, 0x00];
/// The scale of differences is logarithmic beyond a minute and ends at about eleven days. In
/// seconds.
const DIFFERENCE: f64 = 60.0;
const LONGEST_DIFFERENCE: f64 = 1_000_000.0;
/// Share of the faded colour in the colour of a dimmed job.
const FADED: f64 = 0.86;

/// Steps of a continuous scale: the values of one byte per job.
const SHADES: usize = 256;

/// The colours of the jobs of a run.
#[derive(Clone, Debug)]
pub struct Colours {
    colouring: Colouring,
    palette: Vec<Rgb>,
    legend: Legend,
    shade_of: Vec<u8>,
    /// Number of entries of the schedule's order that have their shade.
    shaded: usize,
    scale: Scale,
    /// Changes of the classes of processes, by job and process. `classified` counts the schedule's
    /// changes that are already here.
    classes: BTreeMap<JobId, Vec<Changes>>,
    classified: usize,
    /// Waits in the run with which this one is compared, in seconds.
    others: Vec<f64>,
    /// Threshold of bounded slowdowns, in seconds.
    threshold: f64,
    /// True for each job that is not dimmed; `None` if no job is dimmed.
    kept: Option<Vec<bool>>,
    /// The colour into which dimmed jobs fade.
    faded: Rgb,
}

/// The changes of class of a process, each with its instant.
type Changes = Vec<(Time, u8)>;

const UNCLASSIFIED: &str = "not classified";

/// Colours of the classes of processes, by class number.
const CLASSES: [Rgb; 3] = [PETROFF[0], PETROFF[1], PETROFF[4]];

const fn class_colour(class: u8) -> Rgb {
    CLASSES[class as usize % CLASSES.len()]
}

/// A logarithmic scale that starts at `low`.
#[derive(Copy, Clone, Debug)]
struct Scale {
    low: f64,
    factor: f64,
}

impl Scale {
    fn new(low: f64, high: f64) -> Self {
        Self {
            low,
            factor: (SHADES - 1) as f64 / libm::log(high / low),
        }
    }

    fn shade(&self, value: f64) -> u8 {
        (libm::log(value.max(self.low) / self.low) * self.factor).min((SHADES - 1) as f64) as u8
    }
}

impl Colours {
    /// Creates the colours of a workload's jobs. [`Colours::update`] adds those that depend on
    /// starts.
    pub fn new(workload: &Workload, colouring: Colouring, theme: Theme) -> Self {
        let mut colours = Self {
            colouring,
            palette: (0..SHADES)
                .map(|shade| cividis(shade as f64 / (SHADES - 1) as f64))
                .collect(),
            legend: Legend {
                title: String::new(),
                entries: Vec::new(),
                continuous: true,
            },
            shade_of: vec![0; workload.len()],
            shaded: 0,
            scale: Scale::new(1.0, f64::from(workload.processors.max(2))),
            classes: BTreeMap::new(),
            classified: 0,
            others: Vec::new(),
            threshold: crate::metrics::THRESHOLD_SECONDS,
            kept: None,
            faded: if theme == Theme::Light {
                [0xf4, 0xf5, 0xf7]
            } else {
                [0x20, 0x24, 0x2a]
            },
        };
        match colours.colouring.clone() {
            Colouring::User => colours.by_attribute(workload, "user", theme),
            Colouring::Attribute(id) => colours.by_attribute(workload, &id, theme),
            Colouring::Job => {
                colours.palette = PETROFF.to_vec();
                for (place, shade) in colours.shade_of.iter_mut().enumerate() {
                    *shade = (place % PETROFF.len()) as u8;
                }
                colours.legend = Legend {
                    title: "Job: each has one of ten colours, in turn".into(),
                    entries: Vec::new(),
                    continuous: false,
                };
            }
            Colouring::Size => {
                for job in workload.ids() {
                    colours.shade_of[job.index()] = colours
                        .scale
                        .shade(f64::from(workload.request(job).processors));
                }
                let sizes: Vec<u32> = (0..32)
                    .map(|bit| 1 << bit)
                    .take_while(|size| *size < workload.processors)
                    .chain([workload.processors])
                    .collect();
                let names: Vec<String> = sizes.iter().map(u32::to_string).collect();
                let marks: Vec<(f64, &str)> = sizes
                    .iter()
                    .zip(&names)
                    .map(|(size, name)| (f64::from(*size), name.as_str()))
                    .collect();
                colours.scale_legend("Processors", &marks);
            }
            Colouring::Wait => {
                colours.scale = Scale::new(1.0, 1_000_000.0);
                let marks = [
                    (1.0, "1 s or less"),
                    (60.0, "1 min"),
                    (600.0, "10 min"),
                    (3600.0, "1 h"),
                    (36_000.0, "10 h"),
                    (345_600.0, "4 d"),
                    (1_000_000.0, "11 d or more"),
                ];
                colours.scale_legend("Wait", &marks);
            }
            Colouring::Slowdown => {
                colours.scale = Scale::new(1.0, 10_000.0);
                let marks = [
                    (1.0, "1"),
                    (10.0, "10"),
                    (100.0, "100"),
                    (1000.0, "1,000"),
                    (10_000.0, "10,000 or more"),
                ];
                colours.scale_legend("Bounded slowdown", &marks);
            }
            Colouring::Difference => {
                colours.scale = Scale::new(1.0, LONGEST_DIFFERENCE / DIFFERENCE);
                let middle = neutral(theme);
                let share = |shade: usize| shade as f64 / EVEN as f64 - 1.0;
                colours.palette = (0..=2 * EVEN)
                    .map(|shade| {
                        mix(
                            middle,
                            if shade < EVEN { LESS } else { MORE },
                            share(shade).abs(),
                        )
                    })
                    .collect();
                colours.shade_of.fill(EVEN as u8);
                let marks = [
                    (-604_800.0, "7 d less"),
                    (-86_400.0, "1 d less"),
                    (-3600.0, "1 h less"),
                    (0.0, "no difference"),
                    (3600.0, "1 h longer"),
                    (86_400.0, "1 d longer"),
                    (604_800.0, "7 d longer"),
                ];
                colours.scale_legend("Wait compared with the other run", &marks);
            }
            Colouring::Class => {
                colours.palette = vec![neutral(theme)];
                let entries = vec![LegendEntry {
                    label: UNCLASSIFIED.into(),
                    colour: hex(neutral(theme)),
                }];
                colours.legend = Legend {
                    title: "Class".into(),
                    entries,
                    continuous: false,
                };
            }
        }
        colours
    }

    /// Returns the same colours with another threshold of the bounded slowdown, in seconds, instead
    /// of the default of the metrics.
    #[must_use]
    pub fn bounding(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }

    /// Sets the waits of the other run, in seconds; NaN for a job that is not in it.
    pub fn against(&mut self, waits: Vec<f64>) {
        self.others = waits;
        self.shaded = 0;
    }

    /// Dims all jobs but these; `None` dims no job.
    pub fn keep(&mut self, kept: Option<Vec<bool>>) {
        self.kept = kept;
    }

    /// Returns a colour as it appears on a job: faded if the job is dimmed.
    fn seen(&self, job: JobId, colour: Rgb) -> Rgb {
        match &self.kept {
            Some(kept) if !kept[job.index()] => mix(colour, self.faded, FADED),
            _ => colour,
        }
    }

    /// Returns the shade of a difference in seconds.
    fn difference(&self, seconds: f64) -> u8 {
        let half = f64::from(self.scale.shade(1.0 + seconds.abs() / DIFFERENCE)) * EVEN as f64
            / (SHADES - 1) as f64;
        (EVEN as f64 + half.round().copysign(seconds)) as u8
    }

    /// Gives the jobs that have started since the last call their colours.
    pub fn update(&mut self, schedule: &Schedule) {
        // If processors are shared, or jobs are cancelled, only the end of a job tells its slowdown.
        let ends_count = schedule.slots > 1 || !schedule.cancelled.is_empty();
        let from = if ends_count { 0 } else { self.shaded };
        for place in from..schedule.order.len() {
            // The last attempt of a job decides its colour.
            let entry = schedule.attempt(place);
            let request = schedule.workload.request(entry.job);
            let wait = (entry.start - request.submitted).seconds();
            let runtime = schedule.run_time(entry.job).seconds();
            let response = if entry.has_ended() && !entry.is_lost {
                (entry.end - request.submitted).seconds()
            } else {
                wait + runtime
            };
            let shade = match self.colouring {
                Colouring::User
                | Colouring::Job
                | Colouring::Attribute(_)
                | Colouring::Size
                | Colouring::Class => break,
                Colouring::Wait => self.scale.shade(wait),
                Colouring::Difference => match self.others.get(entry.job.index()) {
                    Some(other) if !other.is_nan() => self.difference(wait - other),
                    _ => EVEN as u8,
                },
                Colouring::Slowdown => self.scale.shade(crate::metrics::bounded_slowdown(
                    response,
                    runtime,
                    self.threshold,
                )),
            };
            self.shade_of[entry.job.index()] = shade;
        }
        self.shaded = schedule.order.len();
        if self.colouring == Colouring::Class {
            self.name_classes(schedule.own.classes());
            // If processes are classified, all begin in the first class.
            let tints = schedule.own.tints(self.classified);
            if self.classified + tints.len() > 0 {
                self.palette = vec![class_colour(0)];
            }
            for change in &tints {
                let size = schedule
                    .workload
                    .request(change.job)
                    .processors
                    .max(change.rank + 1) as usize;
                let processes = self
                    .classes
                    .entry(change.job)
                    .or_insert_with(|| vec![Changes::new(); size]);
                processes[change.rank as usize].push((change.at, change.class));
            }
            self.classified += tints.len();
        }
    }

    /// Adds the classes of the machine to the legend, before the unclassified jobs.
    fn name_classes(&mut self, names: &[&str]) {
        let entry = |(class, name): (usize, &&str)| LegendEntry {
            label: (*name).into(),
            colour: hex(class_colour(class as u8)),
        };
        let entries = &mut self.legend.entries;
        if entries.len() == 1 {
            entries.splice(0..0, names.iter().enumerate().map(entry));
        }
    }

    /// Passes the colours of a job on these processors to `put`: one colour for all, or one for
    /// each class of its processes.
    pub fn pieces(
        &self,
        job: JobId,
        placement: Placement<'_>,
        from: Time,
        to: Time,
        mut put: impl FnMut(Time, Time, Range, Rgb),
    ) {
        let Some(processes) = self.classes.get(&job) else {
            let colour = self.of(job);
            placement
                .ranges
                .iter()
                .for_each(|range| put(from, to, *range, colour));
            return;
        };
        let mut ranks = 0..processes.len();
        for range in placement.ranges {
            let own = &processes[ranks.start.min(processes.len())
                ..(ranks.start + range.count as usize).min(processes.len())];
            ranks.start += range.count as usize;
            let mut first = range.first;
            for alike in own.chunk_by(|one, other| one == other) {
                let part = Range {
                    first,
                    count: alike.len() as u32,
                };
                first += part.count;
                let changes = std::iter::once((from, 0)).chain(alike[0].iter().copied());
                let ends = alike[0].iter().map(|(at, _)| *at).chain([to]);
                for ((since, class), until) in changes.zip(ends) {
                    let (since, until) = (since.max(from), until.min(to));
                    if since < until {
                        put(since, until, part, self.seen(job, class_colour(class)));
                    }
                }
            }
        }
    }

    /// Returns the colour of a job.
    pub fn of(&self, job: JobId) -> Rgb {
        self.seen(job, self.palette[self.shade_of[job.index()] as usize])
    }

    /// Returns the colour of an attempt whose job has this colour: faded if the attempt is lost.
    pub fn of_attempt(&self, is_lost: bool, colour: Rgb) -> Rgb {
        if is_lost {
            mix(colour, self.faded, FADED)
        } else {
            colour
        }
    }

    /// Returns the legend.
    pub const fn legend(&self) -> &Legend {
        &self.legend
    }

    fn by_attribute(&mut self, workload: &Workload, id: &str, theme: Theme) {
        let found = match workload.attribute(id) {
            Some(attribute) => shading(workload, attribute, &workload.name_of(attribute), theme),
            None => unknown(workload, id, theme),
        };
        self.shade_of = found.shade_of;
        self.palette = found.palette;
        self.legend = found.legend;
    }

    /// Sets the legend of a continuous scale. All scales share this function, because an inlined
    /// copy for each would add some kilobytes of code.
    #[inline(never)]
    fn scale_legend(&mut self, title: &str, marks: &[(f64, &str)]) {
        let entry = |(value, label): &(f64, &str)| {
            let shade = if self.colouring == Colouring::Difference {
                self.difference(*value)
            } else {
                self.scale.shade(*value)
            };
            LegendEntry {
                label: (*label).to_owned(),
                colour: hex(self.palette[shade as usize]),
            }
        };
        self.legend = Legend {
            title: title.into(),
            entries: marks.iter().map(entry).collect(),
            continuous: true,
        };
    }
}
