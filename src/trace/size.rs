//! The machine's size: the size that a trace's header gives, and the reasons to doubt it.

use super::{RecordedUse, Trace};
use serde::{Deserialize, Serialize};

/// The largest machine, in processors.
pub const LARGEST_MACHINE: i64 = 1 << 24;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Number of characters of a header's value that a doubt quotes.
const QUOTED: usize = 40;

/// The source of a machine's size.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum SizeSource {
    /// The setting `processors`, a preset or the machine's own parameters: not a guess.
    Setting,
    /// `MaxProcs` of the header.
    MaxProcs,
    /// `MaxNodes` of the header.
    MaxNodes,
    /// The header's comment on the partition that the setting `partition` chooses.
    PartitionHeader,
    /// The most processors that the recorded jobs of the chosen partition used at one time.
    PartitionPeak,
    /// The widest job, because the header gives no size.
    WidestJob,
}

/// A reason to doubt a machine's size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SizeDoubt {
    /// Stable id.
    pub id: String,
    /// The reason, as a sentence.
    pub text: String,
}

/// A machine's size, its source, and the reasons to doubt it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MachineSize {
    /// Number of processors.
    pub processors: u32,
    /// Source of the size.
    pub source: SizeSource,
    /// Reasons to doubt the size. A size that was set has none.
    pub doubts: Vec<SizeDoubt>,
    /// The use of the machine by the recorded schedule, if the log has starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedUse>,
    /// Sizes that fit better, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<SizeProposal>,
    /// True if the size contradicts the log. Until the reader has chosen a size, no sentence should
    /// sum up a result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contradicts: bool,
}

/// A size that fits the recorded schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SizeProposal {
    /// Number of processors, or of nodes.
    pub processors: u32,
    /// True if jobs should be counted in nodes (`sizes=nodes`).
    pub in_nodes: bool,
    /// The reason, as a sentence.
    pub text: String,
}

/// The evidence in a log about the size of its machine, beside the header.
#[derive(Copy, Clone, Debug, Default)]
pub struct SizeEvidence {
    /// The recorded use, in the unit of the jobs' sizes.
    pub recorded: Option<RecordedUse>,
    /// The recorded use in nodes, if the log has nodes and the jobs are not counted in them.
    pub in_nodes: Option<RecordedUse>,
    /// True if the jobs are counted in nodes.
    pub counts_nodes: bool,
    /// Work of the jobs over the machine's capacity between the first and the last submission.
    pub offered_load: f64,
    /// Seconds between the first and the last submission.
    pub seconds: f64,
}

impl MachineSize {
    /// Returns a size that was set.
    pub fn set(processors: u32) -> Self {
        Self {
            processors,
            source: SizeSource::Setting,
            doubts: Vec::new(),
            recorded: None,
            proposals: Vec::new(),
            contradicts: false,
        }
    }

    /// Returns the size that the header of `trace` gives; if it gives none, the result of `widest`.
    /// If jobs are counted in nodes, the header's nodes go before its processors. docs/formats/swf.md
    /// has the rule.
    pub fn guessed(trace: &Trace, counts_nodes: bool, widest: impl FnOnce() -> u32) -> Self {
        let [processors, nodes] = ["MaxProcs", "MaxNodes"].map(|key| Values::of(trace, key));
        let known = if counts_nodes && nodes.first().is_some() {
            (None, nodes.first())
        } else {
            (processors.first(), nodes.first())
        };
        let (size, source) = match known {
            (Some(size), _) => (size, SizeSource::MaxProcs),
            (None, Some(size)) => (size, SizeSource::MaxNodes),
            (None, None) => (widest(), SizeSource::WidestJob),
        };
        let mut guessed = Self {
            source,
            ..Self::set(size)
        };
        if processors.is_absent() && nodes.is_absent() {
            guessed.doubt(
                "no_size",
                "The header gives neither MaxProcs nor MaxNodes.".into(),
            );
        }
        if counts_nodes && source == SizeSource::MaxNodes {
            guessed.doubt_values(&nodes);
            return guessed;
        }
        guessed.doubt_values(&processors);
        if processors.first().is_none() {
            guessed.doubt_values(&nodes);
        }
        match source {
            SizeSource::MaxNodes => guessed.doubt(
                "nodes",
                "The header gives nodes (MaxNodes); a node may have several processors.".into(),
            ),
            SizeSource::MaxProcs if nodes.most() > size => {
                let text = format!(
                    "The header gives more nodes (MaxNodes: {}) than processors (MaxProcs: \
                        {size}).",
                    nodes.most()
                );
                guessed.doubt("more_nodes", text);
            }
            _ => {}
        }
        guessed
    }

    fn doubt_values(&mut self, values: &Values) {
        let key = values.key;
        if let Some(text) = &values.bad {
            self.doubt(
                "no_number",
                format!(
                    "The header's {key} is `{text}`, not a whole number \
                from 1 to {LARGEST_MACHINE}."
                ),
            );
        }
        if let Some(other) = values.good.iter().find(|value| **value != values.good[0]) {
            self.doubt(
                "contradiction",
                format!(
                    "The header gives {key} twice: {} and {other}.",
                    values.good[0]
                ),
            );
        }
    }

    /// Adds the doubt that jobs are wider than the machine, unless its size was set.
    pub fn doubt_width(&mut self, jobs: u64, widest: u32) {
        if jobs > 0 && self.source != SizeSource::Setting {
            let are = if jobs == 1 {
                "1 job is".to_owned()
            } else {
                format!("{jobs} jobs are")
            };
            self.doubt(
                "wider_jobs",
                format!("{are} wider than the machine; the widest asks for {widest} processors."),
            );
        }
    }

    /// Compares the size with what the log says, and proposes sizes that fit. A size that was set is
    /// not judged. docs/recorded.md has the rule.
    pub fn judge(&mut self, evidence: &SizeEvidence) {
        self.recorded = evidence.recorded;
        if self.source == SizeSource::Setting {
            return;
        }
        let unit = if evidence.counts_nodes {
            "nodes"
        } else {
            "processors"
        };
        let own = self.processors;
        let overbooks = evidence.recorded.filter(|used| used.common > own);
        if let Some(used) = overbooks {
            self.doubt(
                "overbooked",
                format!(
                    "The recorded schedule does not fit: for more than 5 % of the time it uses more \
                        than {own} {unit} at once, at most {}.",
                    used.most
                ),
            );
        }
        // A log of a few hours says little about load, and a model may ask for more than fits.
        let tells_load = evidence.seconds >= DAY
            && (evidence.recorded.is_some() || self.source == SizeSource::WidestJob);
        let overloads = tells_load && evidence.offered_load > 1.0;
        if overloads {
            self.doubt(
                "overload",
                format!(
                    "The jobs ask for {:.0} % of what {own} {unit} can do from the first to the \
                        last submission.",
                    100.0 * evidence.offered_load
                ),
            );
        }
        self.contradicts = overbooks.is_some() || overloads;
        let is_open = self.contradicts || self.source == SizeSource::WidestJob;
        for (used, in_nodes) in [(evidence.recorded, false), (evidence.in_nodes, true)] {
            let Some(used) = used.filter(|used| is_open && (in_nodes || used.size() > own)) else {
                continue;
            };
            let unit = if in_nodes { "nodes" } else { unit };
            self.proposals.push(SizeProposal {
                processors: used.size(),
                in_nodes,
                text: format!(
                    "The recorded schedule of {} jobs fits on {} {unit}.",
                    used.jobs,
                    used.size()
                ),
            });
        }
    }

    fn doubt(&mut self, id: &str, text: String) {
        self.doubts.push(SizeDoubt {
            id: id.into(),
            text,
        });
    }

    /// True if there is a reason to doubt the size.
    pub fn is_doubtful(&self) -> bool {
        !self.doubts.is_empty()
    }

    /// Returns the source of the size, in words.
    pub fn origin(&self) -> &'static str {
        match self.source {
            SizeSource::Setting => "set",
            SizeSource::MaxProcs => "MaxProcs of the header",
            SizeSource::MaxNodes => "MaxNodes of the header",
            SizeSource::PartitionHeader => "the header's comment on the partition",
            SizeSource::PartitionPeak => "the peak of the recorded use of the partition",
            SizeSource::WidestJob => "the widest job",
        }
    }

    /// Returns the note on a doubtful size, as sentences; `None` without doubts.
    pub fn note(&self) -> Option<String> {
        let reasons: Vec<&str> = self
            .doubts
            .iter()
            .map(|doubt| doubt.text.as_str())
            .collect();
        self.is_doubtful().then(|| {
            format!(
                "The machine's size is a guess: {} processors ({}). {}",
                self.processors,
                self.origin(),
                reasons.join(" ")
            )
        })
    }
}

/// The values that a header gives for one key.
struct Values {
    key: &'static str,
    /// The valid sizes, in order.
    good: Vec<u32>,
    /// The first value that is not a size.
    bad: Option<String>,
}

impl Values {
    fn of(trace: &Trace, key: &'static str) -> Self {
        let mut values = Self {
            key,
            good: Vec::new(),
            bad: None,
        };
        for text in trace.header_values(key) {
            match size(text) {
                Some(size) => values.good.push(size),
                None => {
                    values.bad.get_or_insert_with(|| {
                        text.chars()
                            .filter(|char| !char.is_control())
                            .take(QUOTED)
                            .collect()
                    });
                }
            }
        }
        values
    }

    fn is_absent(&self) -> bool {
        self.good.is_empty() && self.bad.is_none()
    }

    fn first(&self) -> Option<u32> {
        self.good.first().copied()
    }

    fn most(&self) -> u32 {
        self.good.iter().copied().max().unwrap_or(0)
    }
}

/// Returns the size at the start of a header's value. Commas may separate its thousands.
fn size(text: &str) -> Option<u32> {
    let word = text.split_whitespace().next()?.replace(',', "");
    let is_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let size: u32 = word.parse().ok().filter(|_| is_digits)?;
    (1..=LARGEST_MACHINE).contains(&size.into()).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &[&str]) -> (u32, SizeSource, Vec<String>) {
        let header = header.iter().map(|line| format!("; {line}")).collect();
        let MachineSize {
            processors,
            source,
            doubts,
            ..
        } = MachineSize::guessed(
            &Trace {
                header,
                ..Trace::default()
            },
            false,
            || 60,
        );
        (
            processors,
            source,
            doubts.into_iter().map(|doubt| doubt.id).collect(),
        )
    }

    #[test]
    fn every_doubt_has_its_reason() {
        use SizeSource::{MaxNodes, MaxProcs, WidestJob};
        let cases: [(&[&str], u32, SizeSource, &[&str]); 20] = [
            (&["MaxProcs: 128"], 128, MaxProcs, &[]),
            (
                &["maxprocs : 1,024 (512 nodes)", "MaxNodes: 512"],
                1024,
                MaxProcs,
                &[],
            ),
            (
                &["MaxProcs: 128", "MaxProcs: 128", "MaxNodes: 128"],
                128,
                MaxProcs,
                &[],
            ),
            (&["MaxProcs: 16777216"], 1 << 24, MaxProcs, &[]),
            (&[], 60, WidestJob, &["no_size"]),
            (&["Computer: x"], 60, WidestJob, &["no_size"]),
            (&["MaxProcs: 0"], 60, WidestJob, &["no_number"]),
            (&["MaxProcs: -5"], 60, WidestJob, &["no_number"]),
            (&["MaxProcs: 1000000000000"], 60, WidestJob, &["no_number"]),
            (&["MaxProcs: 16777217"], 60, WidestJob, &["no_number"]),
            (&["MaxProcs: +8"], 60, WidestJob, &["no_number"]),
            (&["MaxProcs:"], 60, WidestJob, &["no_number"]),
            (
                &["MaxProcs: many", "MaxProcs: 64"],
                64,
                MaxProcs,
                &["no_number"],
            ),
            (&["MaxNodes: 64"], 64, MaxNodes, &["nodes"]),
            (
                &["MaxProcs: 0", "MaxNodes: 64"],
                64,
                MaxNodes,
                &["no_number", "nodes"],
            ),
            (&["MaxProcs: 64", "MaxNodes: unknown"], 64, MaxProcs, &[]),
            (
                &["MaxProcs: 64", "MaxNodes: 65"],
                64,
                MaxProcs,
                &["more_nodes"],
            ),
            (
                &["MaxProcs: 64", "MaxProcs: 128"],
                64,
                MaxProcs,
                &["contradiction"],
            ),
            (
                &[
                    "MaxProcs: 64",
                    "MaxProcs: 128",
                    "MaxNodes: 8",
                    "MaxNodes: 9",
                ],
                64,
                MaxProcs,
                &["contradiction"],
            ),
            (
                &["MaxNodes: 8", "MaxNodes: 9"],
                8,
                MaxNodes,
                &["contradiction", "nodes"],
            ),
        ];
        for (header, processors, source, doubts) in cases {
            let doubts = doubts.iter().map(ToString::to_string).collect();
            assert_eq!(of(header), (processors, source, doubts), "{header:?}");
        }
    }

    #[test]
    fn the_note_says_size_origin_and_reasons() {
        let mut size = MachineSize::guessed(
            &Trace {
                header: vec!["; MaxProcs: 6\u{1b}[31m4".into()],
                ..Trace::default()
            },
            false,
            || 60,
        );
        size.doubt_width(1, 99);
        let note = "The machine's size is a guess: 60 processors (the widest job). \
            The header's MaxProcs is `6[31m4`, not a whole number from 1 to 16777216. \
            1 job is wider than the machine; the widest asks for 99 processors.";
        assert_eq!(size.note().as_deref(), Some(note));
        let mut set = MachineSize::set(8);
        set.doubt_width(2, 99);
        assert_eq!((set.note(), set.origin()), (None, "set"));
    }
}
