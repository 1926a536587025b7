//! The situation at an instant: the jobs that run and wait there, on the machine of a scenario.

use super::arrivals::EarlierArrivals;
use super::failure::ForecastFailure;
use super::instant::instant;
use super::joined::{Joined, joined, present_only};
use super::left_out::{LeftOut, NO_ROOM, REFUSED};
use super::ratios::{Blocks, Ratios, RunTimeSource};
use super::result::InstantSource;
use super::settings::{ForecastSettings, LaterArrivals};
use super::standing::Standing;
use super::starter::{RunningStart, Starter};
use super::watch::Watch;
use crate::cluster::{Cluster, NodeUse, expand};
use crate::experiment::{Resolved, Scenario};
use crate::job::{JobId, Program, Request};
use crate::limits;
use crate::machine::{Fit, Placements};
use crate::param::Settings;
use crate::policy::Needs;
use crate::policy::tools::prediction::{ESTIMATES, Estimates};
use crate::problem::Problem;
use crate::random::Stream;
use crate::sim::{Simulation, TIES};
use crate::time::{Span, Time};
use crate::trace::{Effect, RuleCount, Trace};
use crate::workload::clean::{OVERRUN, Overrun, PROCESSORS};
use crate::workload::{NodeRequests, Workload, shape};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A job that runs or waits at the instant.
#[derive(Clone, Debug)]
pub struct PresentJob {
    /// Its place in the table of all jobs.
    pub place: usize,
    /// Index of its record in the trace of the queue.
    pub record: u32,
    /// Its start, if it runs.
    pub started: Option<i64>,
    /// The place from which its run time is drawn.
    pub source: RunTimeSource,
    /// The nodes on which it runs.
    nodes: Arc<[NodeUse]>,
}

/// The jobs at an instant, and what is drawn of them.
pub struct Situation {
    pub resolved: Resolved,
    pub settings: ForecastSettings,
    pub joined: Joined,
    pub at_source: InstantSource,
    /// All jobs that are known at the instant, as the machine takes them.
    pub all: Workload,
    /// The jobs that run and wait, in the order of submission.
    pub present: Vec<PresentJob>,
    pub earlier: EarlierArrivals,
    pub ratios: Ratios,
    /// Number of jobs whose ratios are known.
    pub ended: u64,
    /// Number of jobs that run on other nodes than the file names.
    pub elsewhere: u64,
    /// The rules of cleaning that met jobs of the queue.
    pub report: Vec<RuleCount>,
    /// Takes the names and columns to where policies look for them.
    log: Arc<Trace>,
}

/// One sample: the jobs that run, wait and arrive, with drawn run times.
pub struct DrawnJobs {
    pub workload: Arc<Workload>,
    /// The jobs that run, in the order of their starts.
    pub started: Arc<[RunningStart]>,
    /// For each job of the table, its place among the jobs of the situation; `None` if it arrives.
    pub present: Vec<Option<usize>>,
}

fn check(resolved: &Resolved) -> Result<(), Problem> {
    let refuse = |what: String, why: &str, next: &str| Err(Problem::new(what, why, next));
    let offer = resolved.machine.offer;
    if offer.fit == Fit::InARow || offer.processes || resolved.policy.needs == Needs::Sharing {
        return refuse(
            format!(
                "There is no forecast on the machine `{}`.",
                resolved.machine.id
            ),
            "Jobs share processors there, so the time that a job has run does not tell how far it is.",
            "Choose the machine `flat`, `nodes`, `torus` or `fat_tree`.",
        );
    }
    if resolved.is_recorded() {
        return refuse(
            "The recorded schedule makes no forecast.".into(),
            "It repeats the log, and decides nothing.",
            "Choose a policy.",
        );
    }
    if resolved.what_if.is_some() {
        return refuse(
            "A forecast and a what-if contradict each other.".into(),
            "A forecast begins at its own instant, with the policy of the scenario.",
            "Leave one of the two out.",
        );
    }
    let settings = &resolved.settings;
    if matches!(
        settings.get(&ESTIMATES),
        Estimates::Actual | Estimates::ActualUntilStart
    ) {
        return refuse(
            format!(
                "There is no forecast with `estimates={}`.",
                settings.get(&ESTIMATES)
            ),
            "The policy would know run times that nobody knows at the instant.",
            "Choose `user` or `predicted`.",
        );
    }
    if settings.get(&OVERRUN) == Overrun::Swap {
        return refuse(
            "There is no forecast with `overrun=swap`.".into(),
            "It exchanges the run time of a job with its limit.",
            "Choose `kill`, `raise` or `continue`.",
        );
    }
    let changed = shape::PARAMS.iter().find(|param| {
        let given = settings.0.get(param.key);
        given.is_some_and(|value| *value.shown() != param.default_text())
    });
    match changed {
        Some(param) => refuse(
            format!("A forecast and `{}` contradict each other.", param.key),
            "A forecast takes the jobs as they are at its instant.",
            "Leave the setting out.",
        ),
        None => Ok(()),
    }
}

impl Situation {
    /// Finds the jobs that run and wait at the instant. None may wait.
    ///
    /// # Errors
    /// Fails if the scenario makes no forecast, if the instant is not known, or if there are too many
    /// jobs.
    pub fn new(
        scenario: &Scenario,
        queue: &Trace,
        log: Option<&Trace>,
        settings: &ForecastSettings,
    ) -> Result<Self, ForecastFailure> {
        settings.check()?;
        let mut resolved = scenario.resolve()?;
        check(&resolved)?;
        let (at, at_source) = instant(queue, settings)?;
        let mut joined = joined(queue, log, at)?;
        if !joined
            .known
            .iter()
            .any(super::joined::KnownRecord::is_present)
        {
            return Err(nobody_waits(&joined).into());
        }
        // Records that tell no run time and no start are read as they are: every job of the joined
        // trace has both its limit and its run time.
        let all = resolved.workload(&joined.trace)?;
        let mut report = report(&mut resolved, &joined, &all);
        let of_reading = queue.report.rules.iter();
        report.extend(
            of_reading
                .filter(|rule| rule.effect == Effect::Skipped)
                .cloned(),
        );
        let kills = resolved.settings.get(&OVERRUN) == Overrun::Kill;
        let (ratios, ended) = ratios(&joined, settings, kills);
        let earlier = earlier(&joined, &all, settings);
        let log = Arc::new(std::mem::take(&mut joined.trace));
        let mut situation = Self {
            resolved,
            settings: settings.clone(),
            at_source,
            all,
            present: Vec::new(),
            earlier,
            ratios,
            ended,
            elsewhere: 0,
            report,
            log,
            joined,
        };
        situation.find_present();
        situation.leave_out_without_room();
        let what = "The starts of a forecast";
        let starts = situation
            .waiting()
            .count()
            .saturating_mul(settings.samples as usize);
        ForecastFailure::check_limit(what, starts, limits::FORECAST_STARTS, "starts")?;
        Ok(situation)
    }

    /// Returns the instant.
    pub const fn at(&self) -> Time {
        Time::from_seconds(self.joined.at)
    }

    /// Returns the instant at which a sample ends.
    pub fn horizon(&self) -> Time {
        Time::from_seconds(self.joined.at + self.settings.horizon_seconds())
    }

    /// Returns the trace of all known jobs.
    pub fn trace(&self) -> &Trace {
        &self.log
    }

    /// Returns the places of the waiting jobs among the jobs that are present.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.present.len()).filter(|at| self.present[*at].started.is_none())
    }

    /// Fails if no job waits.
    pub fn check_waiting(&self) -> Result<(), Problem> {
        if self.waiting().next().is_some() {
            return Ok(());
        }
        Err(nobody_waits(&self.joined))
    }

    fn find_present(&mut self) {
        let belongings = |at: usize| {
            // The columns have moved to the log.
            Joined::belongings_in(&self.log, at)
        };
        let cluster = self
            .all
            .nodes
            .as_ref()
            .map(|nodes| Arc::clone(&nodes.cluster));
        let numbers: BTreeMap<&str, u32> = cluster
            .iter()
            .flat_map(|cluster| cluster.names.iter().map(String::as_str).zip(0..))
            .collect();
        let mut present = Vec::new();
        let mut is_taken = vec![false; self.joined.known.len()];
        for (place, source) in self.all.sources.iter().enumerate() {
            let at = *source as usize;
            let one = &self.joined.known[at];
            let Some(record) = one.record.filter(|_| one.is_present()) else {
                continue;
            };
            is_taken[at] = true;
            let started = match one.standing {
                Standing::Runs(start) => Some(start),
                _ => None,
            };
            let limit = self.all.requests[place].estimate.whole_seconds().max(1);
            let elapsed = started.map_or(0, |start| self.joined.at - start);
            let nodes = match (started, &cluster) {
                (Some(_), Some(cluster)) => self.nodes_of(place, at, cluster, &numbers),
                _ => Vec::new(),
            };
            present.push(PresentJob {
                place,
                record,
                started,
                source: self.ratios.source(belongings(at), limit, elapsed),
                nodes: nodes.into(),
            });
        }
        for (at, one) in self.joined.known.iter().enumerate() {
            if one.is_present() && !is_taken[at] {
                let number = self.log.records.get(at).number;
                self.joined.left_out.count(&REFUSED, number);
            }
        }
        self.present = present;
    }

    /// Returns the nodes of a running job that the file names, with an even share of its tasks on each;
    /// none if the cluster does not have them all.
    fn nodes_of(
        &self,
        place: usize,
        at: usize,
        cluster: &Cluster,
        numbers: &BTreeMap<&str, u32>,
    ) -> Vec<NodeUse> {
        let list = self
            .log
            .column("node_list")
            .and_then(|column| column.word(at));
        let names = expand(list.unwrap_or_default(), cluster.nodes() as usize);
        let names = names.unwrap_or_default();
        let nodes: Option<Vec<u32>> = names
            .iter()
            .map(|name| numbers.get(name.as_str()).copied())
            .collect();
        let mut nodes = nodes.unwrap_or_default();
        crate::sorting::by(&mut nodes, |node| [i128::from(*node), 0]);
        nodes.dedup();
        let request = self.all.node_request(JobId(place as u32));
        let table = self.all.nodes.as_ref().map(|nodes| &nodes.table);
        let tasks = table
            .and_then(|table| table.get(request as usize))
            .map(|one| one.tasks);
        let (count, tasks) = (nodes.len() as u32, tasks.unwrap_or(0));
        if count == 0 || tasks < count {
            return Vec::new();
        }
        let (each, more) = (tasks / count, tasks % count);
        let share = |(node, at): (u32, u32)| NodeUse {
            node,
            tasks: each + u32::from(at < more),
        };
        nodes.into_iter().zip(0..).map(share).collect()
    }

    /// Lets the running jobs start, and leaves out those that do not fit.
    fn leave_out_without_room(&mut self) {
        let drawn = self.jobs(&mut |source| source.most(), &[]);
        let Ok(drawn) = drawn else {
            return;
        };
        let mut simulation = self.simulation(&drawn);
        let mut watch = Watch::new(drawn.workload.len(), self.all.nodes.as_ref());
        simulation.advance_through(self.at(), &mut watch);
        let mut has_room = vec![true; self.present.len()];
        for RunningStart { job, nodes, .. } in drawn.started.iter() {
            let Some(at) = drawn.present[job.index()] else {
                continue;
            };
            has_room[at] = watch.starts[job.index()] != Time::NEVER;
            if !has_room[at] {
                let request = &self.all.requests[self.present[at].place];
                self.joined.left_out.count(&NO_ROOM, request.number);
            } else if !nodes.is_empty() {
                let own = nodes.iter().map(|one| one.node);
                self.elsewhere += u64::from(!own.eq(watch.nodes[job.index()].iter().copied()));
            }
        }
        let mut at = 0;
        self.present.retain(|_| {
            at += 1;
            has_room[at - 1]
        });
    }

    /// Draws the jobs that arrive in a sample: the submission, the place and the run time of each, in
    /// seconds.
    ///
    /// # Errors
    /// Fails if too many jobs arrive.
    pub fn arrivals(
        &self,
        seed: u64,
        number: u32,
    ) -> Result<Vec<(i64, usize, i64)>, ForecastFailure> {
        let end = self.joined.at + self.settings.horizon_seconds();
        let mut stream = Stream::new(seed, &format!("arrivals {number}"));
        let drawn = self.earlier.draw(end, &mut stream);
        let what = "A sample of a forecast";
        ForecastFailure::check_limit(what, drawn.len(), limits::FORECAST_ARRIVALS, "arrivals")?;
        let mut stream = Stream::new(seed, &format!("later {number}"));
        let mut blocks = Blocks::new(seed, number);
        let arrival = |(submit, place): (i64, usize)| {
            let at = self.all.sources[place] as usize;
            let limit = self.all.requests[place].estimate.whole_seconds().max(1);
            let source = self
                .ratios
                .source(Joined::belongings_in(&self.log, at), limit, 0);
            (
                submit,
                place,
                self.ratios.draw(&source, &mut blocks, &mut stream),
            )
        };
        Ok(drawn.into_iter().map(arrival).collect())
    }

    /// Returns the jobs of a sample: the present ones and those that arrive, each as its submission and
    /// its place among all jobs. `run_time` gives the run time of a present job, in seconds.
    ///
    /// # Errors
    /// Fails if times leave the range.
    pub fn jobs(
        &self,
        run_time: &mut dyn FnMut(&RunTimeSource) -> i64,
        arrivals: &[(i64, usize, i64)],
    ) -> Result<DrawnJobs, Problem> {
        struct Row {
            request: Request,
            program: Program,
            place: usize,
            present: Option<usize>,
        }
        let overrun = self.resolved.settings.get(&OVERRUN);
        let row = |place: usize, seconds: i64, present: Option<usize>| {
            let mut request = self.all.requests[place];
            let runs = Span::from_seconds(seconds);
            if overrun == Overrun::Raise {
                request.estimate = request.estimate.max(runs);
            }
            let program = Program {
                killed: overrun == Overrun::Kill && runs >= request.estimate,
                ..Program::rigid(runs)
            };
            Row {
                request,
                program,
                place,
                present,
            }
        };
        let mut rows: Vec<Row> = Vec::with_capacity(self.present.len() + arrivals.len());
        for (at, job) in self.present.iter().enumerate() {
            let mut row = row(job.place, run_time(&job.source), Some(at));
            if let Some(start) = job.started {
                row.request.submitted = row.request.submitted.min(Time::from_seconds(start));
            }
            rows.push(row);
        }
        for (submit, place, seconds) in arrivals {
            let mut row = row(*place, *seconds, None);
            row.request.submitted = Time::from_seconds(*submit);
            rows.push(row);
        }
        crate::sorting::by(&mut rows, |row| {
            [row.request.submitted.microseconds().into(), 0]
        });
        let of = |nodes: &NodeRequests| rows.iter().map(|row| nodes.of[row.place]).collect();
        let mut workload = Workload {
            provenance: self.all.provenance.clone(),
            requests: rows.iter().map(|row| row.request).collect(),
            programs: rows.iter().map(|row| row.program).collect(),
            sources: rows.iter().map(|row| self.all.sources[row.place]).collect(),
            nodes: self.all.nodes.as_ref().map(|nodes| NodeRequests {
                cluster: Arc::clone(&nodes.cluster),
                table: Arc::clone(&nodes.table),
                of: of(nodes),
            }),
            processors: self.all.processors,
            ..Workload::default()
        };
        workload.log.trace = Some(Arc::clone(&self.log));
        workload.check()?;
        let mut started = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let present = row.present.map(|at| &self.present[at]);
            if let Some(PresentJob {
                started: Some(start),
                nodes,
                ..
            }) = present
            {
                started.push(RunningStart {
                    at: Time::from_seconds(*start),
                    job: JobId(number as u32),
                    nodes: Arc::clone(nodes),
                });
            }
        }
        crate::sorting::by(&mut started, |one| [one.at.microseconds().into(), 0]);
        Ok(DrawnJobs {
            workload: Arc::new(workload),
            started: started.into(),
            present: rows.iter().map(|row| row.present).collect(),
        })
    }

    /// Returns the simulation of a sample at its beginning: until the instant, jobs start as they did.
    pub fn simulation(&self, drawn: &DrawnJobs) -> Simulation {
        let settings = &self.resolved.settings;
        let workload = Arc::clone(&drawn.workload);
        let machine = (self.resolved.machine.build)(&workload, settings, Placements::Recorded);
        let starter = Box::new(Starter::new(Arc::clone(&drawn.started)));
        Simulation::new(workload, machine, starter, settings.get(&TIES))
    }

    /// Returns the jobs that take no part.
    pub const fn left_out(&self) -> &LeftOut {
        &self.joined.left_out
    }
}

fn nobody_waits(joined: &Joined) -> Problem {
    let rules = joined.left_out.rules().iter();
    let rules: Vec<String> = rules
        .map(|rule| format!("{}: {}", rule.count, rule.text))
        .collect();
    Problem::new(
        format!(
            "No job waits at the instant ({} s after the zero).",
            joined.at
        ),
        if rules.is_empty() {
            "A forecast is about jobs that wait.".to_owned()
        } else {
            format!("Jobs were left out ({}).", rules.join("; "))
        },
        "Choose another instant (`--at`), or a file that lists jobs that wait.",
    )
}

/// Returns the rules of cleaning and of the machine that met jobs of the queue. The number of
/// processors is that of all jobs.
fn report(resolved: &mut Resolved, joined: &Joined, all: &Workload) -> Vec<RuleCount> {
    let settings = resolved.settings.clone();
    if !settings.0.contains_key(PROCESSORS.key) {
        resolved.settings =
            Settings::with(settings.clone(), PROCESSORS.key, f64::from(all.processors));
    }
    let workload = resolved.workload(&present_only(joined));
    resolved.settings = settings;
    let mut rules = workload.map_or(Vec::new(), |workload| workload.report.rules);
    rules.retain(|rule| rule.effect != Effect::Noted);
    rules
}

/// Returns the ratios of the jobs that have ended, in the order of their ends, and their number.
fn ratios(joined: &Joined, settings: &ForecastSettings, kills: bool) -> (Ratios, u64) {
    let mut ended = Vec::new();
    for (at, one) in joined.known.iter().enumerate() {
        // A limit that the log does not tell is no limit to compare with.
        if let (Standing::Ended { run_time, end }, true, true) =
            (one.standing, one.is_past, one.has_limit)
        {
            let belongings = Joined::belongings_in(&joined.trace, at);
            ended.push((end, (belongings, run_time, one.limit)));
        }
    }
    crate::sorting::by(&mut ended, |(end, _)| [i128::from(*end), 0]);
    let count = ended.len() as u64;
    let ended = ended.into_iter().map(|(_, job)| job);
    (Ratios::new(settings.run_times, kills, ended), count)
}

/// Returns the jobs that can arrive again.
fn earlier(joined: &Joined, all: &Workload, settings: &ForecastSettings) -> EarlierArrivals {
    if settings.arrivals == LaterArrivals::None {
        return EarlierArrivals::default();
    }
    let past = joined.known.iter().filter(|one| one.is_past);
    let first = past.map(|one| one.submit).min().unwrap_or(joined.at);
    let mut jobs = Vec::new();
    for (place, source) in all.sources.iter().enumerate() {
        let one = &joined.known[*source as usize];
        if one.is_past {
            jobs.push((one.submit, place));
        }
    }
    crate::sorting::by(&mut jobs, |(submit, place)| {
        [(*submit).into(), *place as i128]
    });
    EarlierArrivals::new(jobs, first, joined.at)
}
