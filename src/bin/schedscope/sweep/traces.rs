//! The traces of a plan, which its cells share.

use crate::terminal::result::Result;
use schedscope::import::{BadLines, Mapping, file::read_file_with};
use schedscope::plan::{Cell, TraceSource, WorkloadSource};
use schedscope::problem::Problem;
use schedscope::trace::{PACKED_ENDINGS, Trace};
use schedscope::workload::model;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The traces that the cells of a sweep share.
///
/// * Traces from files are read before the cells run. Reading uses all cores itself, so a cell that
///   read while it holds a lock could wait for itself.
/// * Traces of models are drawn when the first cell needs them, and dropped after the last.
pub(super) struct Traces {
    read: BTreeMap<String, Arc<Trace>>,
    drawn: Mutex<BTreeMap<String, Arc<Mutex<Drawn>>>>,
}

pub(super) struct Drawn {
    trace: Option<Result<Arc<Trace>>>,
    /// Number of cells that still need the trace.
    left: usize,
}

pub(super) fn source_key(source: &WorkloadSource) -> String {
    serde_json::to_string(source).unwrap_or_default()
}

impl Traces {
    pub(super) fn new(folders: &[PathBuf], cells: &[&Cell]) -> Result<Self> {
        let (mut read, mut drawn) = (
            BTreeMap::new(),
            BTreeMap::<String, Arc<Mutex<Drawn>>>::new(),
        );
        for cell in cells {
            let key = source_key(&cell.source);
            match &cell.source.trace {
                Some(_) if read.contains_key(&key) => {}
                Some(trace) => {
                    read.insert(key, Arc::new(read_trace(trace, folders)?));
                }
                None => {
                    let entry = drawn.entry(key).or_insert_with(|| {
                        Arc::new(Mutex::new(Drawn {
                            trace: None,
                            left: 0,
                        }))
                    });
                    entry.lock().unwrap_or_else(PoisonError::into_inner).left += 1;
                }
            }
        }
        Ok(Self {
            read,
            drawn: Mutex::new(drawn),
        })
    }

    /// Returns the trace of a cell. While a trace is drawn, other cells of the same model wait.
    pub(super) fn take(&self, source: &WorkloadSource) -> Result<Arc<Trace>> {
        let key = source_key(source);
        if let Some(trace) = self.read.get(&key) {
            return Ok(Arc::clone(trace));
        }
        let draw = || {
            let model = source.model.clone().unwrap_or_default();
            model::generate(&model.id, &model.settings).map(Arc::new)
        };
        let place = self
            .drawn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        let Some(place) = place else { return draw() };
        let mut drawn = place.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.trace.get_or_insert_with(draw).clone()
    }

    pub(super) fn give_back(&self, source: &WorkloadSource) {
        let mut all = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let key = source_key(source);
        let is_last = all.get(&key).is_some_and(|place| {
            let mut drawn = place.lock().unwrap_or_else(PoisonError::into_inner);
            drawn.left -= 1;
            drawn.left == 0
        });
        if is_last {
            all.remove(&key);
        }
    }
}

pub(super) fn read_trace(wanted: &TraceSource, folders: &[PathBuf]) -> Result<Trace> {
    let Some(path) = trace_file(wanted, folders) else {
        let looked: Vec<String> = folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        let archive = if wanted.archive.is_empty() {
            String::new()
        } else {
            format!(" You can download it from {}.", wanted.archive)
        };
        return Err(Problem::new(
            format!(
                "The trace {} is not in {}.",
                wanted.name,
                looked.join(" or ")
            ),
            "A plan names its traces. The program looks for files with these names, also with \
                .gz, .zst, .xz, .bz2 or .zip.",
            format!("Name their folder with --traces.{archive}"),
        ));
    };
    let mut trace = read_trace_file(wanted, &path)?;
    if !wanted.sha256.is_empty() && trace.sha256 != wanted.sha256 {
        return Err(Problem::new(
            format!(
                "{} is not the trace that the plan means: its SHA-256 is {}.",
                path.display(),
                trace.sha256
            ),
            format!(
                "The plan was made for {} with {}.",
                wanted.name, wanted.sha256
            ),
            "Get the version that the plan means, or change the plan.",
        ));
    }
    // The name of a trace does not depend on its packing.
    wanted.bare().clone_into(&mut trace.name);
    Ok(trace)
}

/// Reads the file of a trace, with the columns that the plan names.
pub(super) fn read_trace_file(wanted: &TraceSource, path: &Path) -> Result<Trace> {
    let mapping = (!wanted.columns.is_empty())
        .then(|| Mapping::parse(&wanted.columns))
        .transpose()?;
    read_file_with(path, BadLines::Stop, mapping.as_ref(), |_, _| {})
}

/// Returns the path of a trace in the first folder that has it.
pub(super) fn trace_file(trace: &TraceSource, folders: &[PathBuf]) -> Option<PathBuf> {
    let endings = [""].into_iter().chain(PACKED_ENDINGS);
    let names: Vec<String> = endings
        .map(|ending| format!("{}{ending}", trace.bare()))
        .collect();
    folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .find(|path| path.is_file())
}
