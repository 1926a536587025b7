//! Traces for JavaScript: read from a stream of bytes, or drawn from a model.

use super::arguments::{self, Flag, Number, Text};
use super::convert::{in_pieces, object, thrown, value};
use crate::experiment::Scenario;
use crate::files::{TraceKind, anonymised, write_trace_as};
use crate::import::{BadLines, Mapping, Reader, is_swf, read};
use crate::param::Settings;
use crate::problem::Problem;
use crate::session::WorkloadFacts;
use crate::trace::{self, Fingerprint};
use crate::workload::clean::partitions;
use crate::workload::{model, workload_profile};
use js_sys::{Function, Uint8Array};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// Reads an uncompressed trace piece by piece.
#[wasm_bindgen]
pub struct TraceReader(Reader);

#[wasm_bindgen]
impl TraceReader {
    /// Creates a reader at the start of a file. A line that is not 18 numbers is skipped and
    /// counted if `skip_bad_lines` is true; otherwise it stops the reader. With `columns`, a mapping
    /// as JSON or text, the file is a table with these columns, unless the mapping only gives the
    /// zone. With `keeps_queue`, jobs that have not ended are kept, for a forecast of their starts.
    ///
    /// # Errors
    /// Throws a `Problem` if `skip_bad_lines` or `keeps_queue` is not true or false, or if `columns`
    /// cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn new(
        skip_bad_lines: &Flag,
        columns: Option<Text>,
        keeps_queue: Option<Flag>,
    ) -> Result<Self, JsValue> {
        let bad_lines = if skip_bad_lines.get("skip_bad_lines")? {
            BadLines::Skip
        } else {
            BadLines::Stop
        };
        let mapping = mapping(columns)?;
        let reader = Reader::new(bad_lines).with_mapping(mapping);
        let keeps_queue = keeps_queue.map_or(Ok(false), |flag| flag.get("keeps_queue"))?;
        Ok(Self(if keeps_queue {
            reader.keeping_queue()
        } else {
            reader
        }))
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// Throws a `Problem` if the bytes are not a trace.
    pub fn push(&mut self, bytes: &Uint8Array) -> Result<(), JsValue> {
        self.0
            .push(&arguments::bytes(bytes, "bytes")?)
            .map_err(thrown)
    }

    /// Returns the number of job lines read so far.
    #[wasm_bindgen(getter)]
    pub fn records(&self) -> usize {
        self.0.records()
    }

    /// Returns the trace, after the last byte. `sha256` is the hash of the bytes, from a
    /// [`Hasher`], or empty.
    ///
    /// # Errors
    /// Throws a `Problem` if there was no job line.
    pub fn finish(self, name: &Text, sha256: &Text) -> Result<Trace, JsValue> {
        let (name, sha256) = (name.get("name")?, sha256.get("sha256")?);
        let mut trace = self.0.finish(&name).map_err(thrown)?;
        trace.sha256 = sha256;
        Ok(Trace(Arc::new(trace)))
    }
}

/// Reads a mapping of the columns of a table, if there is one.
fn mapping(columns: Option<Text>) -> Result<Option<Mapping>, JsValue> {
    let Some(columns) = columns else {
        return Ok(None);
    };
    Mapping::parse(&columns.get("columns")?)
        .map(Some)
        .map_err(thrown)
}

/// True if a file that begins with `bytes` is SWF: its first line that is neither blank nor a
/// comment begins with 18 numbers. Only the whole engine reads other logs.
///
/// # Errors
/// Throws a `Problem` if `bytes` are not bytes.
#[wasm_bindgen(js_name = isSwf)]
pub fn is_plain(bytes: &Uint8Array) -> Result<bool, JsValue> {
    Ok(is_swf(&arguments::bytes(bytes, "bytes")?))
}

/// Returns the header, the first rows and the guess about the columns of a file that begins with
/// `bytes`; `undefined` if it is not read as a table. With `columns`, a mapping as JSON or text, the
/// file is a table with these columns.
///
/// # Errors
/// Throws a `Problem` if `columns` cannot be read.
#[cfg(feature = "formats")]
#[wasm_bindgen(js_name = tableFacts, unchecked_return_type = "TableFacts | undefined")]
pub fn describe_table(bytes: &Uint8Array, columns: Option<Text>) -> Result<JsValue, JsValue> {
    let bytes = arguments::bytes(bytes, "bytes")?;
    let mapping = mapping(columns)?;
    let facts = crate::import::table_facts(&bytes, mapping.as_ref()).map_err(thrown)?;
    Ok(facts.map_or(JsValue::UNDEFINED, |facts| object(&facts)))
}

/// Returns the description of a cluster, for the setting `cluster`, that a file has: slurm.conf, a
/// JSON array of objects, or CSV with a header.
///
/// # Errors
/// Throws a `Problem` if the text is none of these, or if the description cannot be read.
#[cfg(feature = "clusters")]
#[wasm_bindgen(js_name = clusterDescription)]
pub fn cluster_description(text: &Text) -> Result<String, JsValue> {
    let lines = crate::cluster::description(&text.get("text")?).map_err(thrown)?;
    crate::cluster::read(&lines).map_err(thrown)?;
    Ok(lines)
}

/// Computes the SHA-256 of a text that is read piece by piece. The hash identifies a trace in
/// citations.
#[wasm_bindgen]
#[derive(Default)]
pub struct Hasher(Fingerprint);

#[wasm_bindgen]
impl Hasher {
    /// Creates a hasher that has read nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// Throws a `Problem` if the argument is not an array of bytes.
    pub fn push(&mut self, bytes: &Uint8Array) -> Result<(), JsValue> {
        self.0.push(&arguments::bytes(bytes, "bytes")?);
        Ok(())
    }

    /// Returns the hash in hex.
    pub fn finish(self) -> String {
        self.0.finish()
    }
}

fn no_piece() -> JsValue {
    thrown(Problem::new(
        "The bytes are not the next piece of a trace.",
        "Pieces come from another instance of the same program, in order.",
        "Read the file itself.",
    ))
}

/// A trace of jobs.
#[wasm_bindgen]
pub struct Trace(pub(super) Arc<trace::Trace>);

#[wasm_bindgen]
impl Trace {
    /// Reads a whole trace from text.
    ///
    /// # Errors
    /// Throws a `Problem` if the text is not a trace.
    #[wasm_bindgen(js_name = fromText)]
    pub fn from_text(name: &Text, text: &Text) -> Result<Self, JsValue> {
        let (name, text) = (name.get("name")?, text.get("text")?);
        let mut trace = read(&name, text.as_bytes(), BadLines::Stop).map_err(thrown)?;
        let mut print = Fingerprint::default();
        print.push(text.as_bytes());
        trace.sha256 = print.finish();
        Ok(Self(Arc::new(trace)))
    }

    /// Returns the same trace again, for arguments that must not take it from JavaScript.
    #[wasm_bindgen(skip_typescript)]
    pub fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Returns the trace with a table (CSV) of what its jobs need of a node's resources, which
    /// replaces an earlier table.
    ///
    /// # Errors
    /// Throws a `Problem` if the text is not such a table.
    #[wasm_bindgen(js_name = withDemands)]
    pub fn with_demands(&self, name: &Text, text: &Uint8Array) -> Result<Self, JsValue> {
        let demands = Some(
            trace::Demands::read(&name.get("name")?, &arguments::bytes(text, "text")?)
                .map_err(thrown)?,
        );
        Ok(Self(Arc::new(trace::Trace {
            demands,
            ..(*self.0).clone()
        })))
    }

    /// Returns the trace as bytes for another instance of this program, in pieces; `undefined` after
    /// the last piece, and for a trace with demands. Piece 0 has all but the records.
    ///
    /// # Errors
    /// Throws a `Problem` if `at` is not a number.
    pub fn piece(&self, at: &Number) -> Result<Option<Vec<u8>>, JsValue> {
        Ok(self.0.piece(at.count("at")?))
    }

    /// Returns the trace that begins with piece 0 of another instance.
    ///
    /// # Errors
    /// Throws a `Problem` if the bytes are something else.
    #[wasm_bindgen(js_name = ofPiece)]
    pub fn of_piece(bytes: &Uint8Array) -> Result<Self, JsValue> {
        trace::Trace::of_piece(&arguments::bytes(bytes, "bytes")?)
            .map(|trace| Self(Arc::new(trace)))
            .ok_or_else(no_piece)
    }

    /// Appends the next piece, before the trace is used.
    ///
    /// # Errors
    /// Throws a `Problem` if the bytes are something else, or if the trace is in use.
    #[wasm_bindgen(js_name = pushPiece)]
    pub fn push_piece(&mut self, bytes: &Uint8Array) -> Result<(), JsValue> {
        let bytes = arguments::bytes(bytes, "bytes")?;
        Arc::get_mut(&mut self.0)
            .is_some_and(|trace| trace.push_piece(&bytes))
            .then_some(())
            .ok_or_else(no_piece)
    }

    /// Draws a trace from a workload model.
    ///
    /// # Errors
    /// Throws a `Problem` if there is no such model, or if a setting is out of range.
    pub fn generate(
        model: &Text,
        #[wasm_bindgen(unchecked_param_type = "Settings")] settings: &JsValue,
    ) -> Result<Self, JsValue> {
        let settings: Settings = value(settings, "settings")?;
        model::generate(&model.get("model")?, &settings)
            .map(|trace| Self(Arc::new(trace)))
            .map_err(thrown)
    }

    /// Returns the SHA-256 of the text.
    #[wasm_bindgen(getter)]
    pub fn sha256(&self) -> String {
        self.0.sha256.clone()
    }

    /// Returns the facts about the workload that a scenario makes of the trace, with the partitions
    /// of the trace.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario is invalid or leaves no job.
    #[wasm_bindgen(unchecked_return_type = "WorkloadFacts")]
    pub fn describe(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let scenario: Scenario = value(scenario, "scenario")?;
        let mut workload = scenario
            .resolve()
            .and_then(|resolved| resolved.workload(&self.0))
            .map_err(thrown)?;
        workload.log.trace = Some(Arc::clone(&self.0));
        let partitions = partitions(&self.0, &scenario.settings);
        Ok(object(&WorkloadFacts::of(&workload).with(partitions)))
    }

    /// Returns a summary of that workload: weeks, distributions, users, oddities.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario is invalid or leaves no job.
    #[wasm_bindgen(js_name = workloadProfile, unchecked_return_type = "WorkloadProfile")]
    pub fn workload_profile(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let scenario: Scenario = value(scenario, "scenario")?;
        let mut workload = scenario
            .resolve()
            .and_then(|resolved| resolved.workload(&self.0))
            .map_err(thrown)?;
        workload.log.trace = Some(Arc::clone(&self.0));
        Ok(object(&workload_profile(&workload, &self.0)))
    }

    /// Writes the trace as a file of a kind: `swf`, `swf-extended` or `csv`. Calls `sink` with one
    /// piece of text after the other. Returns a sentence for each thing that the file does not hold.
    /// With `anonymise`, the file holds no word of the trace.
    ///
    /// # Errors
    /// Throws a `Problem` if there is no such kind, or what `sink` throws.
    #[wasm_bindgen(js_name = writeAs)]
    pub fn write_as(
        &self,
        kind: &Text,
        anonymise: &Flag,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<Vec<String>, JsValue> {
        let id = kind.get("kind")?;
        let kind = TraceKind::find(&id).ok_or_else(|| {
            thrown(Problem::new(
                format!("There is no kind of file `{id}`."),
                "The kinds are swf, swf-extended and csv.",
                "Choose one of them.",
            ))
        })?;
        let hidden = anonymise.get("anonymise")?.then(|| anonymised(&self.0, 0));
        let trace = hidden.as_ref().unwrap_or(&self.0);
        let mut left_out = Vec::new();
        in_pieces(sink, |line| left_out = write_trace_as(trace, kind, line))?;
        Ok(left_out)
    }

    /// Returns the job on a line of the file, as the trace format writes it; `undefined` if the
    /// line holds no job.
    ///
    /// # Errors
    /// Throws a `Problem` if `line` is not a number.
    pub fn line(&self, line: &Number) -> Result<Option<String>, JsValue> {
        let line = line.index("line")?;
        let written = |record: &trace::Record| {
            let mut text = String::new();
            trace::record_line(record, &mut text);
            text.trim_end().to_owned()
        };
        Ok(self
            .0
            .records
            .iter()
            .find(|record| record.line == line)
            .map(written))
    }
}
