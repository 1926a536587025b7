//! The state of a session: the run, and what is derived from it and kept until it changes.

use crate::experiment::Run;
use crate::job::JobId;
use crate::machine::Placement;
use crate::machines::Sight;
use crate::metrics::Measures;
use crate::schedule::{Attempt, Overlaps, Schedule, UnitRows};
use crate::time::Time;
use crate::view::{
    Colouring, Colours, Filter, Index, Lanes, Legend, PlacementFacts, RowsBy, Theme, Viewport,
    changes,
};
use std::sync::Arc;

/// Number of jobs up to which the overlaps of an unfinished run are computed. A longer run gets
/// them when it is over, because they would otherwise slow down every picture of its progress.
const OVERLAPPING: usize = 20_000;

/// A run, and the data that pictures and questions need of it.
pub struct Session {
    run: Run,
    index: Index,
    /// State of the run for which the index was made.
    indexed: Reached,
    overlaps: Arc<Overlaps>,
    /// State of the run, and the units that its attempts hold, once lanes of units were asked for.
    units: (Reached, Option<Arc<UnitRows>>),
    colours: Option<((Colouring, Theme), Colours)>,
    filter: Filter,
    /// True for each job that passes the filter; `None` if there is no filter.
    kept: Option<Vec<bool>>,
    /// Submission, start and end of each job in the run with which this one is compared.
    other: Vec<(Time, Time, Time)>,
    /// Address of the workload of the derived data. A run that continues differently has another
    /// workload.
    of: usize,
    /// Field of an order, state of the run, and the jobs that pass the filter in this order.
    ranked: (String, Reached, Vec<JobId>),
    measures: Option<Measures>,
    /// State of the run, and the instants at which a job starts, moves or ends in it.
    changes: (Reached, Vec<Time>),
}

/// A state of a run: the numbers of attempts that have begun, of those that are lost, of suspensions
/// and resumptions, and of jobs that have ended.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Reached {
    started: usize,
    lost: usize,
    turns: usize,
    ended: u32,
}

/// A state that no run has.
const NOWHERE: Reached = Reached {
    started: usize::MAX,
    lost: 0,
    turns: 0,
    ended: 0,
};

impl Session {
    /// Returns a session for a run.
    pub fn new(run: Run) -> Self {
        let of = Arc::as_ptr(&run.schedule().workload) as usize;
        Self {
            run,
            index: Index::default(),
            indexed: NOWHERE,
            overlaps: Arc::default(),
            units: (NOWHERE, None),
            colours: None,
            filter: Filter::default(),
            kept: None,
            other: Vec::new(),
            of,
            ranked: (String::new(), Reached::default(), Vec::new()),
            measures: None,
            changes: (Reached::default(), Vec::new()),
        }
    }

    /// Returns the run of the session.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Advances the run by at least `budget` arrivals and completions, as far as there are any.
    /// Returns true if the run is over.
    pub fn advance(&mut self, budget: u64) -> bool {
        self.run.advance(budget).done
    }

    /// Returns the schedule so far.
    pub fn schedule(&self) -> &Schedule {
        self.run.schedule()
    }

    /// Returns the measures of the run, which are computed once.
    pub fn measures(&mut self) -> &Measures {
        self.measures.get_or_insert_with(|| self.run.measures())
    }

    /// Returns the next instant after `at` at which a job starts, moves or ends. If `forwards` is
    /// false, returns the last one before `at`.
    pub fn next_change(&mut self, at: Time, forwards: bool) -> Option<Time> {
        let state = self.reached();
        if self.changes.0 != state {
            self.changes = (state, changes(self.run.schedule()));
        }
        let instants = &self.changes.1;
        let found = if forwards {
            instants.get(instants.partition_point(|instant| *instant <= at))
        } else {
            instants[..instants.partition_point(|instant| *instant < at)].last()
        };
        found.copied()
    }

    /// Returns the legend of the colours that were used last; `None` before the first picture.
    pub fn legend(&self) -> Option<&Legend> {
        self.colours.as_ref().map(|(_, colours)| colours.legend())
    }

    /// True if `job` passes the filter.
    pub fn keeps(&self, job: JobId) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept[job.index()])
    }

    /// Returns the times in which jobs share nodes, as of the last update of the index.
    pub(super) fn overlaps(&self) -> &Arc<Overlaps> {
        &self.overlaps
    }

    /// Returns schedule and index as of the last update of the index.
    pub(super) fn as_indexed(&self) -> (&Schedule, &Index) {
        (self.run.schedule(), &self.index)
    }

    /// Updates the index, and returns the lanes of a window. Without GPUs, their rows are those of
    /// processors.
    pub(super) fn lanes(
        &mut self,
        window: &Viewport,
        pixels: (usize, usize),
        rows: RowsBy,
    ) -> Lanes {
        self.update_index();
        if rows == RowsBy::Gpus {
            self.update_units();
            if let Some(units) = &self.units.1 {
                return Lanes::Units(Arc::clone(units));
            }
        }
        let schedule = self.run.schedule();
        let is_shared = rows != RowsBy::Slots;
        Lanes::new(schedule, &self.overlaps, window, pixels, is_shared)
    }

    /// Updates the units to the state of the index.
    pub(super) fn update_units(&mut self) {
        if self.units.0 != self.indexed {
            let schedule = self.run.schedule();
            let units = schedule.own.unit_rows(schedule);
            self.units = (self.indexed, units.map(Arc::new));
        }
    }

    /// Updates the units, if that takes little time or a timeline has shown them. A run that goes on has
    /// them after its pictures only: they would have to be found anew for each job.
    pub(super) fn update_few_units(&mut self) {
        let is_little = self.indexed.started <= OVERLAPPING || self.units.0 != NOWHERE;
        if is_little && self.run.progress().done {
            self.update_units();
        }
    }

    /// Returns the units of an attempt, if there are any and they are up to date.
    pub(super) fn units(&self, attempt: Attempt) -> Option<PlacementFacts> {
        let units = self.units.1.as_ref();
        let units = units.filter(|_| self.units.0 == self.indexed)?;
        Some(PlacementFacts::of(Placement {
            row: 0,
            ranges: units.of(attempt),
        }))
    }

    /// Returns the sight of the run as it is now, with the colours for a colouring and theme, and
    /// the overlaps.
    pub(super) fn coloured(
        &mut self,
        colouring: Colouring,
        theme: Theme,
    ) -> (Sight<'_>, &Arc<Overlaps>) {
        self.update_index();
        let key = (colouring, theme);
        let (schedule, threshold) = (self.run.schedule(), self.run.threshold());
        let fresh = || {
            let mut colours =
                Colours::new(&schedule.workload, key.0.clone(), key.1).bounding(threshold);
            colours.keep(self.kept.clone());
            let wait = |(submitted, start, _): &(Time, Time, Time)| {
                if *start == Time::NEVER {
                    f64::NAN
                } else {
                    (*start - *submitted).seconds()
                }
            };
            colours.against(self.other.iter().map(wait).collect());
            (key.clone(), colours)
        };
        if self.colours.as_ref().is_some_and(|(have, _)| *have != key) {
            self.colours = None;
        }
        let (_, colours) = self.colours.get_or_insert_with(fresh);
        colours.update(schedule);
        let sight = Sight {
            settings: &self.run.scenario.settings,
            schedule,
            index: &self.index,
            colours,
            past: &self.run,
        };
        (sight, &self.overlaps)
    }

    /// Replaces the filter and updates the index.
    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
        (self.indexed, self.ranked.0) = (NOWHERE, String::new());
        self.update_index();
    }

    /// Replaces the submissions, starts and ends of the other run, by job. An empty list ends the
    /// comparison.
    pub(super) fn set_other(&mut self, other: Vec<(Time, Time, Time)>) {
        (self.other, self.colours) = (other, None);
    }

    /// Returns the submissions, starts and ends of the other run, by job.
    pub(super) fn other(&self) -> &[(Time, Time, Time)] {
        &self.other
    }

    /// Returns the jobs that pass the filter, in the order that `rank` gives them for `field`. The
    /// order is kept until the field, the filter or the run changes.
    pub(super) fn ranked(
        &mut self,
        field: &str,
        rank: impl FnOnce(&Self, Vec<JobId>) -> Vec<JobId>,
    ) -> &[JobId] {
        self.update_index();
        if self.ranked.0 != field || self.ranked.1 != self.indexed || field.is_empty() {
            let jobs = self.kept_jobs();
            self.ranked = (field.to_owned(), self.indexed, rank(self, jobs));
        }
        &self.ranked.2
    }

    /// Returns the jobs that pass the filter, in order of arrival.
    pub(super) fn kept_jobs(&self) -> Vec<JobId> {
        let ids = self.schedule().workload.ids();
        ids.filter(|job| self.keeps(*job)).collect()
    }

    fn reached(&self) -> Reached {
        Reached {
            started: self.schedule().order.len(),
            lost: self.schedule().lost.len(),
            turns: self.schedule().suspension_turns,
            ended: self.run.progress().finished,
        }
    }

    /// Updates the index to the present state of the run.
    pub(super) fn update_index(&mut self) {
        let workload = Arc::as_ptr(&self.schedule().workload) as usize;
        if self.of != workload {
            (self.of, self.indexed) = (workload, NOWHERE);
            self.units = (NOWHERE, None);
            (self.colours, self.other) = (None, Vec::new());
        }
        let state = self.reached();
        if self.indexed == state {
            return;
        }
        self.index = Index::new(self.run.schedule());
        let is_soon = state.started <= OVERLAPPING || self.run.progress().done;
        self.overlaps = if is_soon {
            Arc::new(Overlaps::new(self.run.schedule()))
        } else {
            Arc::default()
        };
        self.indexed = state;
        let schedule = self.run.schedule();
        let kept = || {
            let ids = schedule.workload.ids();
            ids.map(|job| self.filter.keeps(schedule, job)).collect()
        };
        self.kept = (!self.filter.is_empty()).then(kept);
        if let Some((_, colours)) = &mut self.colours {
            colours.keep(self.kept.clone());
        }
    }
}
