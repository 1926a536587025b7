//! Runs for JavaScript: advanced in slices, drawn, measured, asked about jobs, written to files.

use super::arguments::{self, Flag, Number, Text, Traced};
use super::clock::Clock;
use super::convert::{object, thrown, value};
use super::explain::{StepFacts, WaitFacts};
use super::trace::{Trace, facts};
use super::types::{
    CandidateFacts, GeometryFacts, JobFacts, OccupancyFacts, PartnerFacts, PlacementFacts,
    ResidentFacts, RunFacts, RunProgress, RunResult, SearchesFacts, SelectionFacts,
};
use crate::experiment::{self, Scenario, summary};
use crate::job::JobId;
use crate::machines::bsp::{Probe, ProbeSpan};
use crate::machines::smt;
use crate::machines::torus::{self, Geometry, Resident, SUPERNODE, contiguity, occupancy};
use crate::metrics::{
    Grouping, Measures, bounded_slowdown, compare, measure_classes, measure_jobs,
};
use crate::plan::{Keep, measure_cell};
use crate::policy::candidates::Candidate;
use crate::schedule::{Overlap, Overlaps};
use crate::time::Time;
use crate::view::{
    Colouring, Colours, Filter, Frame, Index, Lanes, Seats, Theme, Viewport, area, changes,
    deciding, job_at, matrix, ranked, raster, versus, visible,
};
use crate::workload::Workload;
use js_sys::{Float32Array, Float64Array, Function, Uint8ClampedArray, Uint32Array};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// Events between two looks at the clock: the least, and the most.
const STEPS: (u64, u64) = (16, 16_384);

/// Partners of a job that are told.
const PARTNERS: usize = 50;

/// Areas are looked at as if they had so many pixels.
const AREA: (usize, usize) = (1000, 1000);

/// Text is handed over in pieces of about this many bytes.
const PIECE: usize = 1 << 20;

/// A run of a scenario on a trace.
#[wasm_bindgen]
pub struct Run {
    run: experiment::Run,
    clock: Clock,
    step: u64,
    index: Index,
    /// Starts and ends that the index knows.
    indexed: (usize, u32),
    overlaps: Arc<Overlaps>,
    colours: Option<((Colouring, Theme), Colours)>,
    filter: Filter,
    /// Which jobs pass the filter; all if there is none.
    kept: Option<Vec<bool>>,
    /// Submissions, starts and ends in the run with which this one is compared.
    other: Vec<(Time, Time, Time)>,
    /// Of which workload all of this is, by its address: a run that goes on otherwise has another
    /// one then.
    of: usize,
    /// Jobs that pass the filter, by the field that they were asked by, in that state of the run.
    ranked: (String, (usize, u32), Vec<JobId>),
    measures: Option<Measures>,
    /// The instants at which anything changes, of that state of the run.
    changes: ((usize, u32), Vec<Time>),
}

#[wasm_bindgen]
impl Run {
    /// A run at its first instant.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario is not good or leaves no job.
    #[wasm_bindgen(constructor)]
    pub fn new(
        trace: &Traced,
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: &JsValue,
    ) -> Result<Self, JsValue> {
        let (trace, scenario): (Trace, Scenario) =
            (trace.get("trace")?, value(scenario, "scenario")?);
        let run = scenario
            .resolve()
            .and_then(|resolved| resolved.run(trace.0))
            .map_err(thrown)?;
        Ok(Self {
            run,
            clock: Clock::new(),
            step: STEPS.0,
            index: Index::default(),
            indexed: (0, 0),
            overlaps: Arc::default(),
            colours: None,
            filter: Filter::default(),
            kept: None,
            other: Vec::new(),
            of: 0,
            ranked: (String::new(), (0, 0), Vec::new()),
            measures: None,
            changes: ((0, 0), Vec::new()),
        })
    }

    /// What it is about.
    #[wasm_bindgen(unchecked_return_type = "RunFacts")]
    pub fn facts(&self) -> JsValue {
        let candidate = |candidate: Candidate| CandidateFacts {
            name: candidate.name,
            policy: candidate.spec.name,
        };
        object(&RunFacts {
            workload: facts(&self.run.schedule().workload),
            policy: self.run.scenario.policy.name,
            slots: self.run.scenario.slots(),
            processes: self.run.scenario.machine.offer.processes,
            at_once: self.run.scenario.machine.offer.at_once,
            matches: self.run.scenario.matches(),
            candidates: self
                .run
                .scenario
                .candidates()
                .into_iter()
                .map(candidate)
                .collect(),
        })
    }

    /// Lets at least `budget` arrivals and completions happen, as far as there are any.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "RunProgress")]
    pub fn advance(&mut self, budget: &Number) -> Result<JsValue, JsValue> {
        self.run.advance(budget.budget("budget")? as u64);
        Ok(self.progress())
    }

    /// Simulates for about so many milliseconds.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = advanceFor, unchecked_return_type = "RunProgress")]
    pub fn advance_for(&mut self, milliseconds: &Number) -> Result<JsValue, JsValue> {
        let milliseconds = milliseconds.budget("milliseconds")?;
        let mut now = self.clock.milliseconds();
        let until = now + milliseconds;
        while !self.run.advance(self.step).done && now < until {
            let before = std::mem::replace(&mut now, self.clock.milliseconds());
            // A long queue can make one decision cost as much as thousands elsewhere.
            let quick = now - before < milliseconds / 8.0;
            self.step = if quick { self.step * 2 } else { self.step / 2 }.clamp(STEPS.0, STEPS.1);
        }
        Ok(self.progress())
    }

    /// How far it is.
    #[wasm_bindgen(unchecked_return_type = "RunProgress")]
    pub fn progress(&self) -> JsValue {
        let progress = self.run.progress();
        object(&RunProgress {
            now: progress.now.seconds(),
            finished: progress.finished,
            jobs: progress.jobs,
            waiting: self.run.waiting(),
            done: progress.done,
        })
    }

    /// Every figure of the complete run.
    ///
    /// # Errors
    /// Throws a `Problem` if jobs are left that the policy never started.
    #[wasm_bindgen(unchecked_return_type = "RunResult")]
    pub fn result(&mut self) -> Result<JsValue, JsValue> {
        self.run.check_complete().map_err(thrown)?;
        let figures = self.measures().figures.clone();
        let schedule = self.run.schedule();
        Ok(object(&RunResult {
            figures,
            digest: format!("{:016x}", schedule.digest()),
            end: schedule.span().1.seconds(),
        }))
    }

    /// Figures by class.
    ///
    /// # Errors
    /// Throws a `Problem` if the grouping is unknown.
    #[wasm_bindgen(unchecked_return_type = "JobClass[]")]
    pub fn classes(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Grouping")] grouping: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let grouping: Grouping = value(grouping, "grouping")?;
        Ok(object(&measure_classes(
            self.run.schedule(),
            &self.run.scenario.settings,
            grouping,
        )))
    }

    /// Draws a window (seconds, processor numbers) as RGBA pixels.
    ///
    /// # Errors
    /// Throws a `Problem` if colouring or theme is unknown.
    #[expect(
        clippy::too_many_arguments,
        reason = "an object would cost a conversion for every frame"
    )]
    pub fn raster(
        &mut self,
        from: &Number,
        to: &Number,
        top: &Number,
        bottom: &Number,
        width: &Number,
        height: &Number,
        background: &Number,
        #[wasm_bindgen(unchecked_param_type = "Colouring")] colouring: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Theme")] theme: &JsValue,
        shared: &Flag,
    ) -> Result<Uint8ClampedArray, JsValue> {
        let (window, background, shared) = (
            window_of(from, to, top, bottom)?,
            background.index("background")?,
            shared.get("shared")?,
        );
        let frame = Frame {
            width: width.count("width")?.min(16_384),
            height: height.count("height")?.min(16_384),
            background: [
                (background >> 16) as u8,
                (background >> 8) as u8,
                background as u8,
            ],
        };
        self.update_index();
        self.update_colours(value(colouring, "colouring")?, value(theme, "theme")?);
        let Some((_, colours)) = &self.colours else {
            return Ok(Uint8ClampedArray::new_with_length(0));
        };
        let lanes = Lanes::new(
            self.run.schedule(),
            &self.overlaps,
            &window,
            (frame.width, frame.height),
            shared,
        );
        let pixels = raster(
            self.run.schedule(),
            &self.index,
            colours,
            &window,
            &frame,
            &lanes,
        );
        Ok(Uint8ClampedArray::from(pixels.as_slice()))
    }

    /// What the colours of the last raster mean.
    #[wasm_bindgen(unchecked_return_type = "Legend | null")]
    pub fn legend(&self) -> JsValue {
        self.colours
            .as_ref()
            .map_or(JsValue::NULL, |(_, colours)| object(colours.legend()))
    }

    /// Means of used processors, then of waiting jobs, then of their work in processor seconds,
    /// over `count` parts of [from, to).
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn bins(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        let bins = self
            .run
            .steps()
            .bins(from, to, count.min(16_384), self.run.schedule().until);
        Ok(Float32Array::from(
            [bins.used, bins.waiting, bins.work].concat().as_slice(),
        ))
    }

    /// The share of each of `count` parts of [from, to) in which each candidate of an adaptive
    /// policy decided: all parts of the first candidate, then of the second. Empty under any other
    /// policy.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn deciding(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        let candidates = self.run.scenario.candidates().len();
        Ok(Float32Array::from(
            deciding(self.run.schedule(), candidates, from, to, count.min(16_384)).as_slice(),
        ))
    }

    /// The rectangles in a window of so many pixels as [job, number, from, to, top, height, ...];
    /// nothing if they are more than `limit`. Jobs that do not pass the filter have no number.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[expect(
        clippy::too_many_arguments,
        reason = "an object would cost a conversion for every frame"
    )]
    pub fn visible(
        &mut self,
        from: &Number,
        to: &Number,
        top: &Number,
        bottom: &Number,
        width: &Number,
        height: &Number,
        limit: &Number,
        shared: &Flag,
    ) -> Result<Option<Float64Array>, JsValue> {
        let (window, size) = (
            window_of(from, to, top, bottom)?,
            (width.count("width")?, height.count("height")?),
        );
        let (limit, shared) = (limit.count("limit")?, shared.get("shared")?);
        self.update_index();
        let lanes = Lanes::new(self.run.schedule(), &self.overlaps, &window, size, shared);
        let Some(boxes) = visible(self.run.schedule(), &self.index, &window, &lanes, limit) else {
            return Ok(None);
        };
        let number = |job: JobId| {
            if self.keeps(job) {
                self.run.schedule().workload.request(job).number as f64
            } else {
                f64::NAN
            }
        };
        let flat: Vec<f64> = boxes
            .iter()
            .flat_map(|b| {
                [
                    f64::from(b.job.0),
                    number(b.job),
                    b.from.seconds(),
                    b.to.seconds(),
                    b.top,
                    b.bottom - b.top,
                ]
            })
            .collect();
        Ok(Some(Float64Array::from(flat.as_slice())))
    }

    /// Dims all jobs but those that a filter such as `user:7 wait>1h` names; none if it is empty.
    /// What is known of the others.
    ///
    /// # Errors
    /// Throws a `Problem` that names the word that is not understood.
    #[wasm_bindgen(unchecked_return_type = "SelectionFacts")]
    pub fn filter(&mut self, text: &Text) -> Result<JsValue, JsValue> {
        let unix_start = self.run.schedule().workload.provenance.unix_start;
        self.filter = Filter::parse(&text.get("text")?, unix_start)
            .map_err(thrown)?
            .bounding(self.run.threshold());
        (self.indexed, self.ranked.0) = ((usize::MAX, 0), String::new());
        self.update_index();
        let jobs: Vec<JobId> = self
            .run
            .schedule()
            .workload
            .ids()
            .filter(|job| self.keeps(*job))
            .collect();
        let work = |job: &JobId| {
            let workload = &self.run.schedule().workload;
            workload.program(*job).runtime.seconds() * f64::from(workload.request(*job).processors)
        };
        Ok(self.selection(&jobs, jobs.iter().map(work).sum()))
    }

    /// What lies in an area of a timeline, of the jobs that pass the filter.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "SelectionFacts")]
    pub fn area(
        &mut self,
        from: &Number,
        to: &Number,
        top: &Number,
        bottom: &Number,
        shared: &Flag,
    ) -> Result<JsValue, JsValue> {
        let (window, shared) = (window_of(from, to, top, bottom)?, shared.get("shared")?);
        self.update_index();
        let lanes = Lanes::new(self.run.schedule(), &self.overlaps, &window, AREA, shared);
        let found = area(self.run.schedule(), &self.index, &window, &lanes, |job| {
            self.keeps(job)
        });
        Ok(self.selection(&found.jobs, found.used))
    }

    /// The indexes of jobs that pass the filter, from a place on: in order of arrival, or, if a
    /// field of filters is named, by that, the greatest first.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = listed)]
    pub fn listed(
        &mut self,
        field: &Text,
        from: &Number,
        count: &Number,
    ) -> Result<Vec<u32>, JsValue> {
        let (field, from, count) = (
            field.get("field")?,
            from.count("from")?,
            count.count("count")?,
        );
        self.update_index();
        if self.ranked.0 != field || self.ranked.1 != self.indexed || field.is_empty() {
            let jobs: Vec<JobId> = self
                .run
                .schedule()
                .workload
                .ids()
                .filter(|job| self.keeps(*job))
                .collect();
            let jobs =
                ranked(self.run.schedule(), &jobs, &field, self.run.threshold()).unwrap_or(jobs);
            self.ranked = (field, self.indexed, jobs);
        }
        Ok(self
            .ranked
            .2
            .iter()
            .skip(from)
            .take(count)
            .map(|job| job.0)
            .collect())
    }

    /// Compares with another run of the same trace, of which starts, ends and waits are given, by
    /// the records of jobs; with none if these are empty.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn against(
        &mut self,
        records: &Uint32Array,
        starts: &Float64Array,
        ends: &Float64Array,
        waits: &Float64Array,
    ) -> Result<(), JsValue> {
        let (records, starts) = (
            arguments::indexes(records, "records")?,
            arguments::numbers(starts, "starts")?,
        );
        let (ends, waits) = (
            arguments::numbers(ends, "ends")?,
            arguments::numbers(waits, "waits")?,
        );
        let known = records
            .iter()
            .map(|record| *record as usize + 1)
            .max()
            .unwrap_or(0);
        let nowhere = (Time::NEVER, Time::NEVER, Time::NEVER);
        let mut by_record = vec![nowhere; known];
        for (((record, start), end), wait) in records.iter().zip(&starts).zip(&ends).zip(&waits) {
            by_record[*record as usize] = (moment(*start - *wait), moment(*start), moment(*end));
        }
        let own = |record: &u32| by_record.get(*record as usize).copied().unwrap_or(nowhere);
        self.other = self
            .run
            .schedule()
            .workload
            .sources
            .iter()
            .map(own)
            .collect();
        if known == 0 {
            self.other = Vec::new();
        }
        self.colours = None;
        Ok(())
    }

    /// Which record of the trace each job is, in order of arrival.
    pub fn records(&self) -> Vec<u32> {
        self.run.schedule().workload.sources.clone()
    }

    /// Processors of the jobs that run here and wait in the other run, then of those that wait here
    /// and run there: means over `count` parts of [from, to).
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn versus(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        Ok(Float32Array::from(
            versus(
                self.run.schedule(),
                &self.other,
                from,
                to,
                count.min(16_384),
            )
            .as_slice(),
        ))
    }

    /// The job that a timeline shows at a time and height, where a pixel is so many seconds.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = jobAt, unchecked_return_type = "JobFacts | null")]
    pub fn job_at(
        &mut self,
        at: &Number,
        height: &Number,
        pixel: &Number,
        shared: &Flag,
    ) -> Result<JsValue, JsValue> {
        let (at, height, pixel, shared) = (
            at.get("at")?,
            height.get("height")?,
            pixel.get("pixel")?,
            shared.get("shared")?,
        );
        self.update_index();
        let schedule = self.run.schedule();
        let around = window(
            at - pixel.max(1e-6),
            at + pixel.max(2e-6),
            height,
            height + 1.0,
        );
        let places =
            Lanes::new(schedule, &self.overlaps, &around, (2, 1), shared).at(time(at), height);
        let job = places
            .into_iter()
            .find_map(|place| job_at(schedule, &self.index, time(at), place));
        Ok(job.map_or(JsValue::NULL, |job| self.facts_of(job.0)))
    }

    /// Who is in which row of an Ousterhout matrix at an instant: the row whose turn it is and when
    /// that ends, no numbers where rows take none; then [number, job, record, size, row, first
    /// column, columns, colour, ...].
    ///
    /// # Errors
    /// Throws a `Problem` if colouring or theme is unknown.
    pub fn matrix(
        &mut self,
        at: &Number,
        #[wasm_bindgen(unchecked_param_type = "Colouring")] colouring: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Theme")] theme: &JsValue,
    ) -> Result<Float64Array, JsValue> {
        let at = at.get("at")?;
        self.update_index();
        self.update_colours(value(colouring, "colouring")?, value(theme, "theme")?);
        let schedule = self.run.schedule();
        let Some((_, colours)) = &self.colours else {
            return Ok(Float64Array::new_with_length(0));
        };
        let found = matrix(schedule, &self.index, colours, time(at));
        let mut flat = found.turn.map_or(vec![f64::NAN; 2], |(row, ends)| {
            vec![f64::from(row), ends.seconds()]
        });
        for Seats {
            job,
            row,
            columns,
            colour: [red, green, blue],
        } in found.seats
        {
            let request = schedule.workload.request(job);
            let colour = u32::from(red) << 16 | u32::from(green) << 8 | u32::from(blue);
            let numbers = [
                job.0,
                schedule.workload.sources[job.index()],
                request.processors,
                row,
                columns.first,
                columns.count,
                colour,
            ];
            flat.push(request.number as f64);
            flat.extend(numbers.map(f64::from));
        }
        Ok(Float64Array::from(flat.as_slice()))
    }

    /// Looks at a processor through a microscope, from when to when; nothing if the machine does
    /// not see processes.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn microscope(
        &self,
        processor: &Number,
        from: &Number,
        to: &Number,
    ) -> Result<Option<Microscope>, JsValue> {
        let (from, to) = (
            time(from.get("from")?).microseconds(),
            time(to.get("to")?).microseconds(),
        );
        let probe = Probe {
            processor: processor.index("processor")?,
            from,
            to,
        };
        let workload = Arc::clone(&self.run.schedule().workload);
        Ok(self
            .run
            .microscope(probe)
            .map(|inner| Microscope { inner, workload }))
    }

    /// The machine's shape; nothing if any processors serve.
    #[wasm_bindgen(unchecked_return_type = "GeometryFacts | null")]
    pub fn geometry(&self) -> JsValue {
        let supernode = self.run.scenario.settings.whole(&SUPERNODE) as u32;
        let facts = |geometry: &Arc<Geometry>| {
            object(&GeometryFacts {
                extent: geometry.extent,
                wraps: geometry.wraps,
                supernode,
            })
        };
        let record: Option<&torus::TorusRecord> = self.run.schedule().of();
        record.map_or(JsValue::NULL, |record| facts(&record.geometry))
    }

    /// Who has which box at an instant; nothing if any processors serve.
    ///
    /// # Errors
    /// Throws a `Problem` if colouring or theme is unknown.
    #[wasm_bindgen(unchecked_return_type = "OccupancyFacts | null")]
    pub fn occupancy(
        &mut self,
        at: &Number,
        #[wasm_bindgen(unchecked_param_type = "Colouring")] colouring: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Theme")] theme: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let at = at.get("at")?;
        self.update_index();
        self.update_colours(value(colouring, "colouring")?, value(theme, "theme")?);
        let schedule = self.run.schedule();
        let (Some(found), Some((_, colours))) =
            (occupancy(schedule, &self.index, time(at)), &self.colours)
        else {
            return Ok(JsValue::NULL);
        };
        let resident = |resident: &Resident| {
            let [red, green, blue] = colours.of(resident.job);
            let request = schedule.workload.request(resident.job);
            ResidentFacts {
                job: resident.job.0,
                record: schedule.workload.sources[resident.job.index()],
                number: request.number,
                processors: request.processors,
                partition: resident.partition.into(),
                from: resident.from.seconds(),
                to: resident.to.seconds(),
                moved: resident.from > schedule.held_from(resident.job),
                colour: u32::from_be_bytes([0, red, green, blue]),
            }
        };
        let bins = self
            .run
            .steps()
            .bins(time(at), time(at + 1e-6), 1, schedule.until);
        Ok(object(&OccupancyFacts {
            at,
            residents: found.residents.iter().map(resident).collect(),
            free: found.free,
            largest: found.largest.map(Into::into),
            waiting: bins
                .waiting
                .first()
                .map_or(0, |waiting| waiting.round() as u32),
        }))
    }

    /// The share of the free nodes in the largest free box, at the middle of each of `count` parts
    /// of [from, to).
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn contiguity(
        &mut self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        self.update_index();
        let shares = contiguity(self.run.schedule(), &self.index, from, to, count.min(4096));
        Ok(Float32Array::from(shares.as_slice()))
    }

    /// The next instant after `at` at which somebody starts, moves or ends, or the last one before
    /// it.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = nextChange)]
    pub fn next_change(&mut self, at: &Number, forwards: &Flag) -> Result<Option<f64>, JsValue> {
        let (at, forwards) = (at.get("at")?, forwards.get("forwards")?);
        let state = (
            self.run.schedule().order.len(),
            self.run.progress().finished,
        );
        if self.changes.0 != state {
            self.changes = (state, changes(self.run.schedule()));
        }
        let instants = &self.changes.1;
        let found = if forwards {
            instants.get(instants.partition_point(|instant| *instant <= time(at)))
        } else {
            instants[..instants.partition_point(|instant| *instant < time(at))].last()
        };
        Ok(found.map(|instant| instant.seconds()))
    }

    /// The facts of a job, by its index in the run.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "JobFacts | null")]
    pub fn job(&mut self, job: &Number) -> Result<JsValue, JsValue> {
        Ok(self.facts_of(job.index("job")?))
    }

    /// Where two jobs share nodes in a window, as [from, to, first node, nodes, slowdown, ...];
    /// nothing if they are more than `limit`.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    pub fn overlaps(
        &mut self,
        from: &Number,
        to: &Number,
        limit: &Number,
    ) -> Result<Option<Float64Array>, JsValue> {
        let (from, to, limit) = span(from, to, limit)?;
        self.update_index();
        let mut flat = Vec::new();
        for overlap in self
            .overlaps
            .iter()
            .filter(|overlap| overlap.from < to && overlap.to > from)
        {
            if flat.len() / 5 >= limit {
                return Ok(None);
            }
            let slowdown = self
                .slowdown(overlap.job, overlap.other)
                .max(self.slowdown(overlap.other, overlap.job));
            let nodes = overlap.nodes;
            flat.extend([
                overlap.from.seconds(),
                overlap.to.seconds(),
                nodes.first.into(),
                nodes.count.into(),
                slowdown,
            ]);
        }
        Ok(Some(Float64Array::from(flat.as_slice())))
    }

    /// The searches for partners of the last decision until `at` that had any.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "SearchesFacts | null")]
    pub fn searches(&self, at: &Number) -> Result<JsValue, JsValue> {
        let found = self.run.searches(time(at.get("at")?));
        Ok(found.map_or(JsValue::NULL, |(at, searches)| {
            object(&SearchesFacts::of(
                &self.run.schedule().workload,
                at,
                &searches,
            ))
        }))
    }

    /// The next instant after `at` at which jobs were matched, or the last one before it.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = nextMatch)]
    pub fn next_match(&self, at: &Number, forwards: &Flag) -> Result<Option<f64>, JsValue> {
        let (at, forwards) = (at.get("at")?, forwards.get("forwards")?);
        let Some(record) = self.run.schedule().of::<smt::SmtRecord>() else {
            return Ok(None);
        };
        let matches = &record.searches.matches;
        let found = if forwards {
            matches.get(matches.partition_point(|found| found.at <= time(at)))
        } else {
            matches[..matches.partition_point(|found| found.at < time(at))].last()
        };
        Ok(found.map(|found| found.at.seconds()))
    }

    /// The index of the first job with this number in the trace.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = findJob)]
    pub fn find_job(&self, number: &Number) -> Result<Option<u32>, JsValue> {
        let number = number.get("number")? as i64;
        Ok(self
            .run
            .schedule()
            .workload
            .requests
            .iter()
            .position(|request| request.number == number)
            .map(|at| at as u32))
    }

    /// The facts of the job that a record of the trace became; nothing if it takes no part.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(js_name = jobOfRecord, unchecked_return_type = "JobFacts | null")]
    pub fn job_of_record(&mut self, record: &Number) -> Result<JsValue, JsValue> {
        let record = record.index("record")?;
        let found = self
            .run
            .schedule()
            .workload
            .sources
            .iter()
            .position(|source| *source == record);
        Ok(found.map_or(JsValue::NULL, |job| self.facts_of(job as u32)))
    }

    /// Why a job waited, by its index in the run.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "WaitFacts | null")]
    pub fn why(&self, job: &Number) -> Result<JsValue, JsValue> {
        let job = job.index("job")?;
        let workload = &self.run.schedule().workload;
        if job as usize >= workload.len() {
            return Ok(JsValue::NULL);
        }
        Ok(object(&WaitFacts::of(workload, &self.run.why(JobId(job)))))
    }

    /// The run instant by instant, with reservations and reasons.
    ///
    /// # Errors
    /// Throws a `Problem` if the run has too many jobs for that.
    #[wasm_bindgen(unchecked_return_type = "StepFacts[]")]
    pub fn story(&self) -> Result<JsValue, JsValue> {
        let story = self.run.story().map_err(thrown)?;
        Ok(object(&StepFacts::all(
            &self.run.schedule().workload,
            &story,
        )))
    }

    /// Waits in seconds, in order of arrival; not a number for a job that has not started.
    pub fn waits(&self) -> Float64Array {
        let schedule = self.run.schedule();
        let waits: Vec<f64> = schedule
            .workload
            .ids()
            .map(|job| {
                schedule
                    .wait(job)
                    .map_or(f64::NAN, crate::time::Span::seconds)
            })
            .collect();
        Float64Array::from(waits.as_slice())
    }

    /// Compares with another run of the same jobs, whose waits are given: second is this one.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has another type.
    #[wasm_bindgen(unchecked_return_type = "Comparison")]
    pub fn comparison(&self, first: &Float64Array) -> Result<JsValue, JsValue> {
        Ok(object(&compare(
            &arguments::numbers(first, "first")?,
            self.run.schedule(),
            &self.run.scenario.settings,
        )))
    }

    /// The result of a cell of a plan, of the complete run.
    ///
    /// # Errors
    /// Throws a `Problem` if jobs are left that the policy never started.
    #[wasm_bindgen(js_name = cellResult, unchecked_return_type = "CellResult")]
    pub fn cell_result(
        &self,
        key: &Text,
        #[wasm_bindgen(unchecked_param_type = "Keep[]")] keep: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let keep: Vec<Keep> = value(keep, "list of what to keep")?;
        self.run.check_complete().map_err(thrown)?;
        Ok(object(&measure_cell(&key.get("key")?, &self.run, &keep)))
    }

    /// Starts in seconds, in order of arrival; infinite for a job that has not started.
    pub fn starts(&self) -> Float64Array {
        column(&self.run.schedule().starts)
    }

    /// Ends in seconds, in order of arrival; infinite for a job that has not ended.
    pub fn ends(&self) -> Float64Array {
        column(&self.run.schedule().ends)
    }

    /// The summary as JSON text.
    pub fn summary(&mut self) -> String {
        let measures = self.measures().clone();
        format!("{:#}\n", summary(&self.run, &measures))
    }

    /// Writes the jobs CSV: `sink` is called with one piece of text after the other.
    ///
    /// # Errors
    /// What `sink` throws.
    #[wasm_bindgen(js_name = jobsCsv)]
    pub fn jobs_csv(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.run.jobs_csv(line))
    }

    /// Writes the schedule as SWF: `sink` is called with one piece of text after the other.
    ///
    /// # Errors
    /// What `sink` throws.
    pub fn swf(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.run.swf(line))
    }

    /// Writes the schedule in Chrome's trace event format: `sink` is called with one piece of text
    /// after the other.
    ///
    /// # Errors
    /// What `sink` throws.
    #[wasm_bindgen(js_name = chromeTrace)]
    pub fn chrome_trace(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.run.chrome_trace(line))
    }
}

impl Run {
    /// The facts of a job, by its index; null if there is none.
    fn facts_of(&mut self, job: u32) -> JsValue {
        self.update_index();
        let schedule = self.run.schedule();
        if job as usize >= schedule.workload.len() {
            return JsValue::NULL;
        }
        let job = JobId(job);
        let (request, program) = (
            schedule.workload.request(job),
            schedule.workload.program(job),
        );
        let known = |at: Time| (at != Time::NEVER).then(|| at.seconds());
        let (start, end) = (
            known(schedule.starts[job.index()]),
            known(schedule.ends[job.index()]),
        );
        let runtime = program.runtime.seconds();
        // Starts stand in order of time, so the job is among those that share its start.
        let first = schedule.order.partition_point(|entry| {
            schedule.starts[entry.job.index()] < schedule.starts[job.index()]
        });
        let mut entries = schedule.order[first..].iter();
        let entry = entries.find(|entry| entry.job == job);
        let placement = entry.map(|entry| PlacementFacts::of(schedule.placement(entry)));
        let mut partners = self.partners(job);
        let partner_count = partners.len();
        partners.truncate(PARTNERS);
        object(&JobFacts {
            job: job.0,
            record: schedule.workload.sources[job.index()],
            number: request.number,
            user: request.user,
            group: request.group,
            application: request.application,
            queue: request.queue,
            processors: request.processors,
            submitted: request.submitted.seconds(),
            estimate: request.estimate.seconds(),
            runtime,
            outcome: schedule.outcome(job),
            start,
            end,
            wait: schedule.wait(job).map(crate::time::Span::seconds),
            bounded_slowdown: end.map(|end| {
                bounded_slowdown(
                    end - request.submitted.seconds(),
                    runtime,
                    self.run.threshold(),
                )
            }),
            placement,
            moves: schedule.moves.get(&job).map_or(0, Vec::len),
            partners,
            partner_count,
        })
    }

    /// How many times longer a job takes beside another one.
    fn slowdown(&self, job: JobId, other: JobId) -> f64 {
        let workload = &self.run.schedule().workload;
        let record: Option<&smt::SmtRecord> = self.run.schedule().of();
        let pairing = record.map(|record| record.pairing);
        pairing.map_or(1.0, |pairing| {
            pairing.slowdown(workload.demand(job), workload.demand(other)) as f64 / 1e4
        })
    }

    /// Whether a job passes the filter.
    fn keeps(&self, job: JobId) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept[job.index()])
    }

    fn selection(&self, jobs: &[JobId], work: f64) -> JsValue {
        let figures = measure_jobs(self.run.schedule(), &self.run.scenario.settings, jobs);
        object(&SelectionFacts {
            jobs: jobs.len(),
            work,
            figures,
        })
    }

    /// With whom a job shared nodes, in order of time.
    fn partners(&self, job: JobId) -> Vec<PartnerFacts> {
        let workload = &self.run.schedule().workload;
        let mut overlaps: Vec<Overlap> = Vec::new();
        // Nodes that do not follow one another are told together.
        for overlap in self.overlaps.of(job) {
            match overlaps.last_mut() {
                Some(last) if (last.other, last.from) == (overlap.other, overlap.from) => {
                    last.nodes.count += overlap.nodes.count;
                }
                _ => overlaps.push(*overlap),
            }
        }
        crate::sorting::by(&mut overlaps, |overlap| {
            [overlap.from.microseconds().into(), 0]
        });
        let facts = |overlap: &Overlap| {
            let (own, others) = (
                self.slowdown(job, overlap.other),
                self.slowdown(overlap.other, job),
            );
            let length = (overlap.to - overlap.from).seconds();
            // A job is as slow as its slowest node: with several partners at a time what a pair
            // does is not the pair's alone.
            let meets = |found: &Overlap| found.from < overlap.to && overlap.from < found.to;
            let is_pair = |one: JobId, other: JobId| {
                !self
                    .overlaps
                    .of(one)
                    .iter()
                    .any(|found| found.other != other && meets(found))
            };
            let is_pair = is_pair(job, overlap.other) && is_pair(overlap.other, job);
            PartnerFacts {
                job: overlap.other.0,
                record: workload.sources[overlap.other.index()],
                number: workload.request(overlap.other).number,
                from: overlap.from.seconds(),
                to: overlap.to.seconds(),
                nodes: overlap.nodes.count,
                slowdown: own,
                lost: is_pair.then(|| length - length / own),
                won: is_pair.then(|| length / own + length / others - length),
            }
        };
        overlaps.iter().map(facts).collect()
    }

    fn measures(&mut self) -> &Measures {
        self.measures.get_or_insert_with(|| self.run.measures())
    }

    fn update_index(&mut self) {
        let workload = Arc::as_ptr(&self.run.schedule().workload) as usize;
        if self.of != workload {
            (self.of, self.indexed) = (workload, (usize::MAX, 0));
            (self.colours, self.other) = (None, Vec::new());
        }
        let state = (
            self.run.schedule().order.len(),
            self.run.progress().finished,
        );
        if self.indexed != state {
            self.index = Index::new(self.run.schedule());
            // Of a long run they are looked for when it is over: pictures of its progress would
            // take longer than itself.
            let is_soon = state.0 <= 20_000 || self.run.progress().done;
            self.overlaps = if is_soon {
                Arc::new(Overlaps::new(self.run.schedule()))
            } else {
                Arc::default()
            };
            self.indexed = state;
            let schedule = self.run.schedule();
            let kept = || {
                schedule
                    .workload
                    .ids()
                    .map(|job| self.filter.keeps(schedule, job))
                    .collect()
            };
            self.kept = (!self.filter.is_empty()).then(kept);
            if let Some((_, colours)) = &mut self.colours {
                colours.keep(self.kept.clone());
            }
        }
    }

    fn update_colours(&mut self, colouring: Colouring, theme: Theme) {
        let key = (colouring, theme);
        if self.colours.as_ref().is_none_or(|(have, _)| *have != key) {
            let mut colours = Colours::new(&self.run.schedule().workload, colouring, theme)
                .bounding(self.run.threshold());
            colours.keep(self.kept.clone());
            let wait = |(submitted, start, _): &(Time, Time, Time)| {
                if *start == Time::NEVER {
                    f64::NAN
                } else {
                    (*start - *submitted).seconds()
                }
            };
            colours.against(self.other.iter().map(wait).collect());
            self.colours = Some((key, colours));
        }
        if let Some((_, colours)) = &mut self.colours {
            colours.update(self.run.schedule());
        }
    }
}

/// A part of a run that happens once more, under a microscope.
#[wasm_bindgen]
pub struct Microscope {
    inner: experiment::Microscope,
    workload: Arc<Workload>,
}

#[wasm_bindgen]
impl Microscope {
    /// How far it is.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.inner.now().seconds()
    }

    /// Goes on for a while. What was seen, once all of it was: whether there was more than this,
    /// then [job's number, process, row, activity, from, to, ...], where activities are computing,
    /// spinning, overhead, blocked and off.
    pub fn advance(&mut self) -> Option<Float64Array> {
        const STEPS: u32 = 400;
        let probed = self.inner.advance(STEPS)?;
        let mut flat = vec![f64::from(u8::from(probed.is_cut))];
        for ProbeSpan {
            job,
            rank,
            row,
            activity,
            from,
            to,
        } in probed.stretches
        {
            let number = self.workload.request(job).number as f64;
            flat.extend([
                number,
                rank.into(),
                row.into(),
                f64::from(activity as u8),
                from as f64 / 1e6,
                to as f64 / 1e6,
            ]);
        }
        Some(Float64Array::from(flat.as_slice()))
    }
}

fn time(seconds: f64) -> Time {
    // Far outside any schedule, and far inside the range in which differences are safe. The cast
    // takes NaN for 0.
    const FAR: f64 = 1e18;
    Time::from_microseconds((seconds * 1e6).round().clamp(-FAR, FAR) as i64)
}

/// An instant that infinity says is not known.
fn moment(seconds: f64) -> Time {
    if seconds == f64::INFINITY {
        Time::NEVER
    } else {
        time(seconds)
    }
}

fn window_of(
    from: &Number,
    to: &Number,
    top: &Number,
    bottom: &Number,
) -> Result<Viewport, JsValue> {
    Ok(window(
        from.get("from")?,
        to.get("to")?,
        top.get("top")?,
        bottom.get("bottom")?,
    ))
}

/// A span of time, and into how many parts it is divided or how many things it may hold.
fn span(from: &Number, to: &Number, count: &Number) -> Result<(Time, Time, usize), JsValue> {
    Ok((
        time(from.get("from")?),
        time(to.get("to")?),
        count.count("count")?,
    ))
}

fn window(from: f64, to: f64, top: f64, bottom: f64) -> Viewport {
    Viewport {
        from: time(from),
        to: time(to),
        top,
        bottom,
    }
}

fn column(times: &[Time]) -> Float64Array {
    let seconds: Vec<f64> = times
        .iter()
        .map(|at| {
            if *at == Time::NEVER {
                f64::INFINITY
            } else {
                at.seconds()
            }
        })
        .collect();
    Float64Array::from(seconds.as_slice())
}

fn in_pieces(sink: &Function, write: impl FnOnce(&mut dyn FnMut(&str))) -> Result<(), JsValue> {
    arguments::function(sink, "sink")?;
    let mut piece = String::with_capacity(PIECE + 4096);
    let mut failed = None;
    write(&mut |line| {
        piece.push_str(line);
        if piece.len() >= PIECE && failed.is_none() {
            failed = sink.call1(&JsValue::NULL, &piece.as_str().into()).err();
            piece.clear();
        }
    });
    failed.map_or_else(
        || sink.call1(&JsValue::NULL, &piece.as_str().into()).map(drop),
        Err,
    )
}
