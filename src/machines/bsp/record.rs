//! The record of a cluster: the classes of processes, and how long each process computed.

use super::note::{Classified, Worked};
use crate::job::JobId;
use crate::machine::Note;
use crate::schedule::{self, Tint};
use crate::sorting::map;
use crate::time::Time;
use std::any::Any;
use std::collections::BTreeMap;

/// The record of a cluster.
#[derive(Clone, Debug, Default)]
pub struct BspRecord {
    /// Changes of the classes of processes, in order of time. Every process begins as CS. Empty if
    /// the algorithm keeps no classes.
    pub classes: Vec<Classified>,
    /// Computing time of each process of a job, in microseconds and in the order of its processors.
    /// The run time of the job tells only roughly how long it takes on dedicated processors.
    pub worked: BTreeMap<JobId, Box<[i64]>>,
}

/// Names of the classes in a legend, by number.
const CLASSES: [&str; 3] = [
    "CS: needs the other processes of its job",
    "F: waits too long for other processes",
    "DC: does not care",
];

impl schedule::MachineRecord for BspRecord {
    fn note(&mut self, _: Time, note: &dyn Note) {
        let note: &dyn Any = note;
        if let Some(classified) = note.downcast_ref::<Classified>() {
            self.classes.push(*classified);
        } else if let Some(Worked { job, computed }) = note.downcast_ref() {
            self.worked.insert(*job, computed.clone());
        }
    }

    fn renumber(&mut self, number: &dyn Fn(JobId) -> Option<JobId>) {
        let worked = std::mem::take(&mut self.worked).into_iter();
        self.worked = map(worked.filter_map(|(job, worked)| Some((number(job)?, worked))));
        for class in &mut self.classes {
            class.job = number(class.job).unwrap_or(class.job);
        }
    }

    fn computed(&self, job: JobId) -> Option<&[i64]> {
        self.worked.get(&job).map(|computed| &**computed)
    }

    fn classes(&self) -> &'static [&'static str] {
        &CLASSES
    }

    fn tints(&self, from: usize) -> Vec<Tint> {
        let tint = |change: &Classified| Tint {
            job: change.job,
            rank: change.rank,
            at: change.at,
            class: change.class as u8,
        };
        self.classes[from.min(self.classes.len())..]
            .iter()
            .map(tint)
            .collect()
    }

    fn fork(&self) -> Box<dyn schedule::MachineRecord> {
        Box::new(self.clone())
    }
}
