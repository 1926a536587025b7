//! Runs for JavaScript. A [`Session`] gives all answers; this module only takes them across the
//! border.

use super::arguments::{self, Flag, Number, Text, Traced};
use super::clock::Clock;
use super::convert::{in_pieces, object, thrown, value};
use super::trace::Trace;
use crate::experiment::{Scenario, summary};
use crate::job::JobId;
use crate::plan::{Keep, measure_cell};
use crate::session::{Lens, Look, Picture, Session, StepFacts, WaitFacts};
use crate::time::Time;
use crate::view::Viewport;
use js_sys::{Float32Array, Float64Array, Function, Uint8ClampedArray, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Least and largest number of events between two looks at the clock.
const STEPS: (u64, u64) = (16, 16_384);

/// Largest number of pixels along an edge of a picture.
const LARGEST: usize = 16_384;

/// Largest number of steps of a part of a run.
const MOST_STEPS: usize = 500;

/// A run of a scenario on a trace.
#[wasm_bindgen]
pub struct Run {
    session: Session,
    clock: Clock,
    step: u64,
}

#[wasm_bindgen]
impl Run {
    /// Creates a run at its first instant.
    ///
    /// # Errors
    /// Throws a `Problem` if the scenario is invalid or leaves no job.
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
            session: Session::new(run),
            clock: Clock::new(),
            step: STEPS.0,
        })
    }

    /// Returns the facts about the run.
    #[wasm_bindgen(unchecked_return_type = "RunFacts")]
    pub fn facts(&self) -> JsValue {
        object(&self.session.facts())
    }

    /// Advances the run by at least `budget` arrivals and completions, as far as there are any.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "RunProgress")]
    pub fn advance(&mut self, budget: &Number) -> Result<JsValue, JsValue> {
        self.session.advance(budget.budget("budget")? as u64);
        Ok(self.progress())
    }

    /// Simulates for about this number of milliseconds.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = advanceFor, unchecked_return_type = "RunProgress")]
    pub fn advance_for(&mut self, milliseconds: &Number) -> Result<JsValue, JsValue> {
        let milliseconds = milliseconds.budget("milliseconds")?;
        let mut now = self.clock.milliseconds();
        let until = now + milliseconds;
        while !self.session.advance(self.step) && now < until {
            let before = std::mem::replace(&mut now, self.clock.milliseconds());
            // A long queue can make one decision cost as much as thousands elsewhere.
            let quick = now - before < milliseconds / 8.0;
            self.step = if quick { self.step * 2 } else { self.step / 2 }.clamp(STEPS.0, STEPS.1);
        }
        Ok(self.progress())
    }

    /// Returns the progress of the run.
    #[wasm_bindgen(unchecked_return_type = "RunProgress")]
    pub fn progress(&self) -> JsValue {
        object(&self.session.progress())
    }

    /// Returns every figure of the run that has ended.
    ///
    /// # Errors
    /// Throws a `Problem` if jobs are left that no rule of the policy leaves waiting for ever.
    #[wasm_bindgen(unchecked_return_type = "RunResult")]
    pub fn result(&mut self) -> Result<JsValue, JsValue> {
        let result = self.session.result().map_err(thrown)?;
        Ok(object(&result))
    }

    /// Returns the figures of each class of jobs.
    ///
    /// # Errors
    /// Throws a `Problem` if the grouping is unknown.
    #[wasm_bindgen(unchecked_return_type = "JobClass[]")]
    pub fn classes(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Grouping")] grouping: &JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(object(&self.session.classes(value(grouping, "grouping")?)))
    }

    /// Returns the causes of all waits, by class of jobs. Finds them by running again.
    ///
    /// # Errors
    /// Throws a `Problem` if the grouping is unknown, if the run is not complete or a what-if, or if
    /// jobs waited at too many decisions.
    #[wasm_bindgen(js_name = waitCauses, unchecked_return_type = "ClassCauses[]")]
    pub fn wait_causes(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Grouping")] grouping: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let grouping = value(grouping, "grouping")?;
        let causes = self.session.wait_causes(grouping).map_err(thrown)?;
        Ok(object(&causes))
    }

    /// Draws a window (seconds, processor numbers) as RGBA pixels.
    ///
    /// # Errors
    /// Throws a `Problem` if the colouring or the theme is unknown.
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
        #[wasm_bindgen(unchecked_param_type = "RowsBy")] rows: &JsValue,
    ) -> Result<Uint8ClampedArray, JsValue> {
        let mut picture = picture(&window(from, to, top, bottom)?, (width, height), rows)?;
        picture.size = (picture.size.0.min(LARGEST), picture.size.1.min(LARGEST));
        let background = background.index("background")?;
        let rgb = [16, 8, 0].map(|bits| (background >> bits) as u8);
        let pixels = self.session.raster(&picture, rgb, look(colouring, theme)?);
        Ok(Uint8ClampedArray::from(pixels.as_slice()))
    }

    /// Returns the legend of the colours of the last raster; `null` before the first.
    #[wasm_bindgen(unchecked_return_type = "Legend | null")]
    pub fn legend(&self) -> JsValue {
        nullable(self.session.legend())
    }

    /// Returns means over `count` parts of [from, to): first of used processors, then of waiting
    /// jobs, then of the work of waiting jobs in processor seconds.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn bins(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        Ok(floats(&self.session.bins(from, to, count)))
    }

    /// Returns the share of each of `count` parts of [from, to) in which each candidate of an
    /// adaptive policy decided: all parts of the first candidate, then of the second. Empty under
    /// any other policy.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn deciding(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        Ok(floats(&self.session.deciding(from, to, count)))
    }

    /// Returns the rectangles in a window, drawn with so many pixels, as [job, number, from, to,
    /// top, height, ...]; `undefined` if there are more than `limit`. The number of a job that does
    /// not pass the filter is NaN.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
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
        #[wasm_bindgen(unchecked_param_type = "RowsBy")] rows: &JsValue,
    ) -> Result<Option<Float64Array>, JsValue> {
        let picture = picture(&window(from, to, top, bottom)?, (width, height), rows)?;
        let found = self.session.visible(&picture, limit.count("limit")?);
        Ok(found.as_deref().map(doubles))
    }

    /// Dims all jobs that do not pass a filter such as `user:7 wait>1h`; dims none if it is empty.
    /// Returns the facts about the jobs that pass.
    ///
    /// # Errors
    /// Throws a `Problem` that names a word of the filter that is not understood.
    #[wasm_bindgen(unchecked_return_type = "SelectionFacts")]
    pub fn filter(&mut self, text: &Text) -> Result<JsValue, JsValue> {
        let found = self.session.filter(&text.get("text")?).map_err(thrown)?;
        Ok(object(&found))
    }

    /// Returns the facts about the jobs in an area of a timeline that pass the filter.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "SelectionFacts")]
    pub fn area(
        &mut self,
        from: &Number,
        to: &Number,
        top: &Number,
        bottom: &Number,
        #[wasm_bindgen(unchecked_param_type = "RowsBy")] rows: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let window = window(from, to, top, bottom)?;
        Ok(object(&self.session.area(&window, value(rows, "rows")?)))
    }

    /// Returns the indices of up to `count` jobs that pass the filter, from place `from` on. They
    /// are in order of arrival or, if `field` names a field of filters, in the order of that field,
    /// the greatest first.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = listed)]
    pub fn listed(
        &mut self,
        field: &Text,
        from: &Number,
        count: &Number,
    ) -> Result<Vec<u32>, JsValue> {
        let (from, count) = (from.count("from")?, count.count("count")?);
        Ok(self.session.listed(&field.get("field")?, from, count))
    }

    /// Compares with another run of the same trace. Starts, ends and waits of that run are in
    /// seconds; `records` says which record of the trace each of them belongs to. Empty arrays end
    /// the comparison.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn against(
        &mut self,
        records: &Uint32Array,
        starts: &Float64Array,
        ends: &Float64Array,
        waits: &Float64Array,
    ) -> Result<(), JsValue> {
        self.session.against(
            &arguments::indexes(records, "records")?,
            &arguments::numbers(starts, "starts")?,
            &arguments::numbers(ends, "ends")?,
            &arguments::numbers(waits, "waits")?,
        );
        Ok(())
    }

    /// Returns the record of the trace that became each job, in order of arrival.
    pub fn records(&self) -> Vec<u32> {
        self.session.records().to_vec()
    }

    /// Returns means over `count` parts of [from, to): first of the processors of jobs that run
    /// here and wait in the other run, then of those that wait here and run there.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn versus(
        &self,
        from: &Number,
        to: &Number,
        count: &Number,
    ) -> Result<Float32Array, JsValue> {
        let (from, to, count) = span(from, to, count)?;
        Ok(floats(&self.session.versus(from, to, count)))
    }

    /// Returns the job that a timeline shows at a time and height. A pixel is `pixel` seconds wide.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = jobAt, unchecked_return_type = "JobFacts | null")]
    pub fn job_at(
        &mut self,
        at: &Number,
        height: &Number,
        pixel: &Number,
        #[wasm_bindgen(unchecked_param_type = "RowsBy")] rows: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let (at, height) = (at.get("at")?, height.get("height")?);
        let (pixel, rows) = (pixel.get("pixel")?, value(rows, "rows")?);
        let job = self.session.job_at(at, height, pixel, rows);
        Ok(nullable(job.and_then(|job| self.session.job(job))))
    }

    /// Returns the jobs in the rows of an Ousterhout matrix at an instant. The first two numbers
    /// are the row whose turn it is and the end of the turn; they are NaN if rows do not take
    /// turns. Then come [number, job, record, size, row, first column, columns, colour, ...].
    ///
    /// # Errors
    /// Throws a `Problem` if the colouring or the theme is unknown.
    pub fn matrix(
        &mut self,
        at: &Number,
        #[wasm_bindgen(unchecked_param_type = "Colouring")] colouring: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Theme")] theme: &JsValue,
    ) -> Result<Float64Array, JsValue> {
        let at = time(at, "at")?;
        Ok(doubles(&self.session.matrix(at, look(colouring, theme)?)))
    }

    /// Returns a microscope on a processor for a period. Returns `undefined` if the machine does
    /// not simulate processes or has no such processor, or if no state before the period is kept.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn microscope(
        &self,
        processor: &Number,
        from: &Number,
        to: &Number,
    ) -> Result<Option<Microscope>, JsValue> {
        let (processor, from, to) = (
            processor.index("processor")?,
            time(from, "from")?,
            time(to, "to")?,
        );
        Ok(self.session.microscope(processor, from, to).map(Microscope))
    }

    /// Answers a question of a picture that only machines of this kind have: a `TorusQuestion`,
    /// a `NodesQuestion` or an `SmtQuestion`.
    ///
    /// # Errors
    /// Throws a `Problem` if the machine does not understand the question, or if the colouring or
    /// the theme is unknown.
    #[wasm_bindgen(unchecked_return_type = "unknown")]
    pub fn show(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "TorusQuestion | NodesQuestion | SmtQuestion")]
        question: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Colouring")] colouring: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Theme")] theme: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let (question, look) = (value(question, "question")?, look(colouring, theme)?);
        let answer = self.session.show(question, look).map_err(thrown)?;
        Ok(object(&answer))
    }

    /// Returns the next instant after `at` at which a job starts, moves or ends. If `forwards` is
    /// false, returns the last one before `at`.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = nextChange)]
    pub fn next_change(&mut self, at: &Number, forwards: &Flag) -> Result<Option<f64>, JsValue> {
        let (at, forwards) = (time(at, "at")?, forwards.get("forwards")?);
        Ok(self.session.next_change(at, forwards).map(Time::seconds))
    }

    /// Returns the facts about a job, by its index in the run.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "JobFacts | null")]
    pub fn job(&mut self, job: &Number) -> Result<JsValue, JsValue> {
        Ok(nullable(self.session.job(job.index("job")?)))
    }

    /// Returns the places in a window where two jobs share nodes, as [from, to, first node, nodes,
    /// slowdown, ...]; `undefined` if there are more than `limit`.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    pub fn overlaps(
        &mut self,
        from: &Number,
        to: &Number,
        limit: &Number,
    ) -> Result<Option<Float64Array>, JsValue> {
        let (from, to, limit) = span(from, to, limit)?;
        let found = self.session.shared_nodes(from, to, limit);
        Ok(found.as_deref().map(doubles))
    }

    /// Returns the index of the first job with this number in the trace.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = findJob)]
    pub fn find_job(&self, number: &Number) -> Result<Option<u32>, JsValue> {
        Ok(self.session.find_job(number.get("number")? as i64))
    }

    /// Returns the facts about the job that a record of the trace became; `null` if no job came of
    /// it.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(js_name = jobOfRecord, unchecked_return_type = "JobFacts | null")]
    pub fn job_of_record(&mut self, record: &Number) -> Result<JsValue, JsValue> {
        Ok(nullable(
            self.session.job_of_record(record.index("record")?),
        ))
    }

    /// Returns the explanation of a job's wait, by the job's index in the run; `null` if there is
    /// no such job.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "WaitFacts | null")]
    pub fn why(&self, job: &Number) -> Result<JsValue, JsValue> {
        let job = job.index("job")?;
        let workload = &self.session.schedule().workload;
        let is_job = (job as usize) < workload.len();
        let facts = || WaitFacts::of(workload, &self.session.run().why(JobId(job)));
        Ok(nullable(is_job.then(facts)))
    }

    /// Returns the run instant by instant, with reservations and reasons.
    ///
    /// # Errors
    /// Throws a `Problem` if the run has too many jobs for that.
    #[wasm_bindgen(unchecked_return_type = "StepFacts[]")]
    pub fn story(&self) -> Result<JsValue, JsValue> {
        let story = self.session.run().story().map_err(thrown)?;
        let workload = &self.session.schedule().workload;
        Ok(object(&StepFacts::all(workload, &story)))
    }

    /// Returns up to `most` instants of the run, from the last one by `at` (in seconds) on, with
    /// reservations and reasons; `null` before the fork of a what-if.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "PartFacts | null")]
    pub fn part(&mut self, at: &Number, most: &Number) -> Result<JsValue, JsValue> {
        let (at, most) = (time(at, "at")?, most.index("most")? as usize);
        Ok(nullable(self.session.part(at, most.min(MOST_STEPS))))
    }

    /// Returns the waits in seconds, in order of arrival; NaN for a job that has not started.
    pub fn waits(&self) -> Float64Array {
        doubles(&self.session.waits())
    }

    /// Returns a job metric (`wait`, `response`, `bounded_slowdown`) of every job, in order of
    /// arrival; NaN for a job that the metric does not count. Undefined for other metrics.
    #[wasm_bindgen(js_name = perJob)]
    pub fn per_job(&self, metric: &str) -> Option<Float64Array> {
        self.session.per_job(metric).map(|values| doubles(&values))
    }

    /// Compares the waits of another run of the same jobs, which come first, with those of this
    /// run.
    ///
    /// # Errors
    /// Throws a `Problem` if an argument has the wrong type.
    #[wasm_bindgen(unchecked_return_type = "Comparison")]
    pub fn comparison(&self, first: &Float64Array) -> Result<JsValue, JsValue> {
        let first = arguments::numbers(first, "first")?;
        Ok(object(&self.session.comparison(&first)))
    }

    /// Returns the fit of this run to the recorded schedule; null if the log has no starts.
    #[wasm_bindgen(unchecked_return_type = "FitCard | null")]
    pub fn fit(&self) -> JsValue {
        self.session.fit().map_or(JsValue::NULL, |fit| object(&fit))
    }

    /// Returns by how much the recorded schedule overbooks the machine, as a sentence without a
    /// beginning; undefined if it does not.
    pub fn overbooking(&self) -> Option<String> {
        self.session.overbooking()
    }

    /// Returns the result of this complete run for a cell of a plan.
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
        let run = self.session.run();
        run.check_complete().map_err(thrown)?;
        Ok(object(&measure_cell(&key.get("key")?, run, &keep)))
    }

    /// Returns the starts in seconds, in order of arrival; infinite for a job that has not started.
    pub fn starts(&self) -> Float64Array {
        doubles(&self.session.starts())
    }

    /// Returns the ends in seconds, in order of arrival; infinite for a job that has not ended.
    pub fn ends(&self) -> Float64Array {
        doubles(&self.session.ends())
    }

    /// Returns the summary of the run as JSON text.
    pub fn summary(&mut self) -> String {
        let measures = self.session.measures().clone();
        format!("{:#}\n", summary(self.session.run(), &measures))
    }

    /// Writes the jobs CSV. Calls `sink` with one piece of text after the other.
    ///
    /// # Errors
    /// Throws what `sink` throws.
    #[wasm_bindgen(js_name = jobsCsv)]
    pub fn jobs_csv(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.session.run().jobs_csv(line))
    }

    /// Writes the schedule as SWF. Calls `sink` with one piece of text after the other.
    ///
    /// # Errors
    /// Throws what `sink` throws.
    pub fn swf(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.session.run().swf(line))
    }

    /// Writes the schedule in Chrome's trace event format. Calls `sink` with one piece of text
    /// after the other.
    ///
    /// # Errors
    /// Throws what `sink` throws.
    #[wasm_bindgen(js_name = chromeTrace)]
    pub fn chrome_trace(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: string) => void")] sink: &Function,
    ) -> Result<(), JsValue> {
        in_pieces(sink, |line| self.session.run().chrome_trace(line))
    }
}

/// A part of a run that is repeated under a microscope.
#[wasm_bindgen]
pub struct Microscope(Lens);

#[wasm_bindgen]
impl Microscope {
    /// Returns the instant reached, in seconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.0.now()
    }

    /// Continues the repeated part of the run; returns `undefined` until its end. Then returns a
    /// first number, which is 1 if there was more than follows, and [job's number, process, row,
    /// activity, from, to, ...]. Activities from 0 on are computing, spinning, overhead, blocked
    /// and descheduled.
    pub fn advance(&mut self) -> Option<Float64Array> {
        self.0.advance().as_deref().map(doubles)
    }
}

fn nullable<T: Serialize>(found: Option<T>) -> JsValue {
    found.map_or(JsValue::NULL, |found| object(&found))
}

fn floats(numbers: &[f32]) -> Float32Array {
    Float32Array::from(numbers)
}

fn doubles(numbers: &[f64]) -> Float64Array {
    Float64Array::from(numbers)
}

fn time(seconds: &Number, name: &str) -> Result<Time, JsValue> {
    Ok(Time::near(seconds.get(name)?))
}

fn look(colouring: &JsValue, theme: &JsValue) -> Result<Look, JsValue> {
    Ok(Look {
        colouring: value(colouring, "colouring")?,
        theme: value(theme, "theme")?,
    })
}

fn picture(
    window: &Viewport,
    (width, height): (&Number, &Number),
    rows: &JsValue,
) -> Result<Picture, JsValue> {
    Ok(Picture {
        window: *window,
        size: (width.count("width")?, height.count("height")?),
        rows: value(rows, "rows")?,
    })
}

fn window(from: &Number, to: &Number, top: &Number, bottom: &Number) -> Result<Viewport, JsValue> {
    Ok(Viewport {
        from: time(from, "from")?,
        to: time(to, "to")?,
        top: top.get("top")?,
        bottom: bottom.get("bottom")?,
    })
}

/// Reads a period, and its number of parts or the largest number of things that it may hold.
fn span(from: &Number, to: &Number, count: &Number) -> Result<(Time, Time, usize), JsValue> {
    Ok((time(from, "from")?, time(to, "to")?, count.count("count")?))
}
