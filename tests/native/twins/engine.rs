//! The engine's side: makes an experiment of a case, runs it under audit, and tells of it in the
//! twins' words. No other file here names the engine.

use super::super::support;
use super::words::{
    self, Event, Experiment, Jobs, Pattern, Schedule, Search, Setting, Tried, Workload, must,
};
use schedscope::cluster::{self, NodeRequest};
use schedscope::experiment::{Resolved, Scenario};
use schedscope::job::{self, JobId, Program, Request, Shape};
use schedscope::machine::{Placements, Range};
use schedscope::machines::{
    bsp::{
        Algorithm, Arrival, BspRecord, Constants, FFirst, LocalRule, ProcessCluster, Thresholds,
    },
    smt,
};
use schedscope::param::{Settings, Value};
use schedscope::schedule::{self, Recorder, audit::audit};
use schedscope::sim::{self, Observer, Reasons, Turning};
use schedscope::time::{Span, Time};
use schedscope::workload::{self, NodeRequests, model::generate};
use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

fn value(setting: &Setting) -> Value {
    match setting {
        Setting::Number(number) => (*number).into(),
        Setting::Word(word) => Value::parse(word),
    }
}

fn scenario(experiment: &Experiment) -> Scenario {
    let scenario = Scenario {
        machine: experiment.machine.into(),
        ..Scenario::new(experiment.policy)
    };
    experiment
        .settings
        .iter()
        .fold(scenario, |scenario, (key, setting)| {
            scenario.with(key, value(setting))
        })
}

const fn pattern(pattern: Pattern) -> job::Pattern {
    match pattern {
        Pattern::None => job::Pattern::None,
        Pattern::Ring => job::Pattern::Ring,
        Pattern::Grid => job::Pattern::Grid,
        Pattern::Barrier => job::Pattern::Barrier,
    }
}

fn shape(program: &words::Program) -> Arc<Shape> {
    Arc::new(Shape {
        pattern: pattern(program.pattern),
        compute: program.compute.clone(),
        group: 1,
        jitter: program.jitter,
        seed: program.seed,
    })
}

/// A drawn workload for the engine.
fn workload(drawn: &Workload) -> Arc<workload::Workload> {
    let span = |ticks: i64| Span::from_microseconds(ticks * 1_000_000 / drawn.second);
    let request = |(index, job): (usize, &words::Job)| Request {
        number: index as i64 + 1,
        submitted: Time::ZERO + span(job.submit),
        estimate: span(job.estimate),
        processors: job.processors,
        user: job.user,
        group: -1,
        application: -1,
        queue: -1,
    };
    let has_shapes = !drawn.programs.is_empty();
    let program = |(index, job): (usize, &words::Job)| Program {
        shape: has_shapes.then_some(index as u32),
        ..Program::rigid(span(job.runtime))
    };
    let workload = workload::Workload {
        requests: drawn.jobs.iter().enumerate().map(request).collect(),
        programs: drawn.jobs.iter().enumerate().map(program).collect(),
        shapes: drawn.programs.iter().map(shape).collect(),
        sources: (0..drawn.jobs.len() as u32).collect(),
        processors: drawn.processors,
        ..workload::Workload::default()
    };
    workload.check().unwrap();
    Arc::new(workload)
}

/// The same workload with the requests for nodes, if jobs have them. The setting `cluster` describes
/// the nodes.
fn on_nodes(
    experiment: &Experiment,
    drawn: &Workload,
    workload: Arc<workload::Workload>,
) -> Arc<workload::Workload> {
    if drawn.node_asks.is_empty() {
        return workload;
    }
    let text = experiment.settings.iter().find_map(|(key, value)| {
        let Setting::Word(text) = value else {
            return None;
        };
        (*key == "cluster").then_some(text)
    });
    let mut cluster = cluster::read(text.expect("a cluster")).unwrap();
    let last = workload.requests.last().map(|request| request.submitted);
    for reservation in &mut cluster.advance {
        reservation.repeat_until(last.unwrap_or(Time::ZERO));
    }
    let amounts = |[cores, memory, gpus]: [u32; 3]| {
        let mut amounts = cluster::NOTHING;
        amounts[..3].copy_from_slice(&[cores, memory, gpus]);
        amounts
    };
    let bits = |list: &[usize]| list.iter().fold(0, |bits, at| bits | 1 << at);
    let request = |ask: &words::NodeAsk| NodeRequest {
        tasks: ask.tasks,
        per_task: amounts(ask.per_task),
        per_node: {
            let mut per_node = amounts(ask.per_node);
            per_node[3..3 + ask.others.len()].copy_from_slice(&ask.others);
            per_node
        },
        least_nodes: ask.least_nodes,
        most_nodes: ask.most_nodes,
        most_tasks: ask.most_tasks,
        asked_nodes: (ask.most_tasks != u32::MAX)
            .then_some([ask.least_nodes, ask.most_nodes.min(ask.tasks)]),
        is_whole: ask.is_whole,
        partitions: if cluster.partitions.is_empty() {
            u64::MAX
        } else {
            bits(&ask.partitions)
        },
        features: 0,
        has_no_node: false,
        admitted: bits(&ask.admitted),
        reservation: None,
        lacks_licence: false,
        licences: {
            let mut licences = cluster::NOTHING;
            licences[..ask.licences.len()].copy_from_slice(&ask.licences);
            licences
        },
        tier: ask.tier,
    };
    let table: Vec<NodeRequest> = drawn.node_asks.iter().map(request).collect();
    assert!(table.iter().all(|request| cluster.fits_empty(request)));
    Arc::new(workload::Workload {
        nodes: Some(NodeRequests {
            of: (0..table.len() as u32).collect(),
            table: Arc::new(table),
            cluster: Arc::new(cluster),
        }),
        ..Arc::unwrap_or_clone(workload)
    })
}

/// A model's workload in the twins' words, in microseconds.
fn in_words(workload: &workload::Workload) -> Workload {
    let job = |(request, program): (&Request, &Program)| words::Job {
        submit: request.submitted.microseconds(),
        runtime: program.runtime.microseconds(),
        estimate: request.estimate.microseconds(),
        processors: request.processors,
        user: request.user,
    };
    let demand = |demand: &job::Demand| words::Demand {
        cpu: demand.cpu,
        network: demand.network,
        disk: demand.disk,
        memory: demand.memory,
        mark: demand.mark,
    };
    let jobs = workload.requests.iter().zip(&workload.programs);
    Workload {
        second: 1_000_000,
        demands: workload
            .demands
            .iter()
            .map(|known| known.as_ref().map(demand))
            .collect(),
        ..Workload::new(workload.processors, jobs.map(job).collect())
    }
}

fn settings(pairs: &[(&str, f64)]) -> Settings {
    pairs
        .iter()
        .fold(Settings::default(), |settings, (key, number)| {
            settings.with(key, *number)
        })
}

/// The schedule of a case whose twin plays: the columns and lines that the twin tells, too.
pub fn play(
    experiment: &Experiment,
    drawn: &Workload,
    twin: &Schedule,
) -> Result<Schedule, String> {
    if experiment.machine == "processors of bsp" {
        return play_processors(experiment, drawn);
    }
    let resolved = scenario(experiment).resolve().unwrap();
    let workload = on_nodes(experiment, drawn, workload(drawn));
    let mut recorder = resolved.recorder(&workload);
    simulate(
        experiment,
        &resolved,
        drawn.second,
        &workload,
        &mut recorder,
    );
    let schedule = recorder.into_schedule();
    check(&schedule)?;
    let ticks = |times: &[Time]| -> Vec<i64> {
        times
            .iter()
            .map(|at| at.microseconds() * drawn.second / 1_000_000)
            .collect()
    };
    let lines = |name: &&'static str| (*name, lines(name, &schedule));
    Ok(Schedule {
        starts: ticks(&schedule.starts),
        ends: Some(ticks(&schedule.ends)),
        processors: Some(processors(&schedule)),
        told: twin.told.keys().map(lines).collect(),
        counts: BTreeMap::new(),
    })
}

/// Runs an experiment, with its outage.
fn simulate(
    experiment: &Experiment,
    resolved: &Resolved,
    second: i64,
    workload: &Arc<workload::Workload>,
    observer: &mut dyn Observer,
) {
    let mut simulation = resolved.simulation(Arc::clone(workload), Placements::Recorded);
    if let Some(outage) = experiment.outage {
        let span = |ticks: i64| Span::from_microseconds(ticks * 1_000_000 / second);
        let at = Time::ZERO + span(outage.at);
        simulation.advance_through(at, observer);
        let range = Range {
            first: outage.first,
            count: outage.count,
        };
        let turning = Turning {
            at,
            policy: (resolved.policy.build)(&resolved.settings),
            predicts: false,
            known_until_start: None,
            closed: Some((range, span(outage.length))),
        };
        let same: Vec<Option<JobId>> = workload.ids().map(Some).collect();
        let other = simulation.otherwise(workload, &same, turning, observer);
        simulation = other.expect("jobs keep their ids");
    }
    simulation.run(observer);
}

/// The audit of a run finds nothing.
fn check(schedule: &schedule::Schedule) -> Result<(), String> {
    let findings = audit(schedule, 3);
    must(findings.is_empty(), || {
        format!("the audit of the engine's run finds {findings:?}")
    })
}

fn processors(schedule: &schedule::Schedule) -> Vec<Vec<u32>> {
    let mut processors = vec![Vec::new(); schedule.workload.len()];
    for start in &schedule.order {
        let own = &mut processors[start.job.index()];
        own.extend(schedule.placement(start).columns());
        own.sort_unstable();
    }
    processors
}

/// Returns one kind of records of a schedule, other than starts and ends, as lines of text. `name`
/// is the twins' name for this kind.
fn lines(name: &str, schedule: &schedule::Schedule) -> Vec<String> {
    match name {
        "promises" => {
            let latest: BTreeMap<usize, i64> = schedule
                .promises
                .iter()
                .map(|promise| (promise.job.index(), promise.latest.microseconds()))
                .collect();
            let line = |(job, latest)| format!("job {job} by {latest} us");
            latest.into_iter().map(line).collect()
        }
        "number of promises" => vec![schedule.promises.len().to_string()],
        "switches" => schedule
            .switches
            .iter()
            .map(|switch| {
                let second = switch.at.whole_seconds();
                format!("{second} s: candidate {}", switch.policy)
            })
            .collect(),
        "migrations" => {
            let tried = &schedule.migrations;
            let successful = tried.iter().filter(|tried| tried.successful).count();
            vec![format!("{} tried, {successful} successful", tried.len())]
        }
        "classes" => schedule
            .of::<BspRecord>()
            .unwrap()
            .classes
            .iter()
            .map(|change| {
                let at = change.at.microseconds();
                let (job, rank, class) = (change.job.0, change.rank, change.class);
                format!("{at} us: process {rank} of job {job} is {class:?}")
            })
            .collect(),
        _ => panic!("the engine's side does not know what \"{name}\" are"),
    }
}

/// Takes down what a twin that watches is told.
#[derive(Default)]
struct Taker(Vec<(i64, Event)>);

fn search(search: &smt::Search) -> Search {
    let tried = |tried: &smt::Tried| Tried {
        job: tried.job.index(),
        verdict: format!("{:?}", tried.verdict).to_lowercase(),
        slowdown: tried.slowdown,
        gain: tried.gain,
    };
    Search {
        job: search.job.index(),
        among_running: search.among_running,
        tried: search.tried.iter().map(tried).collect(),
        chosen: search.chosen.map(JobId::index),
    }
}

impl Observer for Taker {
    fn on_event(&mut self, at: Time, event: &sim::Event<'_>) {
        let event = match *event {
            sim::Event::Submitted(job) => Event::Submitted(job.index()),
            sim::Event::Started(job, placement, _) => {
                Event::Started(job.index(), placement.columns().collect())
            }
            sim::Event::Finished(job) => Event::Finished(job.index()),
            sim::Event::Reserved(reservation, _) => {
                Event::Reserved(reservation.job.index(), reservation.start.microseconds())
            }
            sim::Event::Closed(placement, until) => {
                Event::Closed(placement.columns().collect(), until.microseconds())
            }
            sim::Event::Noted(note) => {
                let note: &dyn Any = note;
                match note.downcast_ref() {
                    Some(found) => Event::Searched(search(found)),
                    None => return,
                }
            }
            _ => return,
        };
        self.0.push((at.microseconds(), event));
    }

    fn wants_reasons(&self) -> Reasons {
        Reasons::All
    }
}

/// A watched run: the workload, what happened, and the figures.
pub struct Run {
    pub workload: Rc<Workload>,
    pub log: Vec<(i64, Event)>,
    schedule: schedule::Schedule,
}

impl Run {
    pub fn figure(&self, key: &str) -> f64 {
        schedscope::metrics::measure(&self.schedule, &Settings::default()).figures[key]
    }
}

/// Runs a case whose twin watches.
pub fn watch(experiment: &Experiment, jobs: &Jobs) -> Result<Run, String> {
    let resolved = scenario(experiment).resolve().unwrap();
    let (drawn, workload) = match jobs {
        Jobs::Drawn(drawn) => (Rc::clone(drawn), workload(drawn)),
        Jobs::Model(model) => {
            let trace = generate("lublin", &settings(model)).unwrap();
            let workload = Arc::new(resolved.workload(&trace).unwrap());
            (Rc::new(in_words(&workload)), workload)
        }
    };
    let mut watched: (Recorder, Taker) = (resolved.recorder(&workload), Taker::default());
    simulate(experiment, &resolved, drawn.second, &workload, &mut watched);
    let schedule = watched.0.into_schedule();
    check(&schedule)?;
    Ok(Run {
        workload: drawn,
        log: watched.1.0,
        schedule,
    })
}

/// The processors of the cluster of processes alone, without a queue in front.
fn play_processors(experiment: &Experiment, drawn: &Workload) -> Result<Schedule, String> {
    let schedule = processes(experiment, drawn, u64::MAX);
    let in_slices = processes(experiment, drawn, 7);
    must(schedule.ends == in_slices.ends, || {
        format!(
            "jobs end at {:?}, and in slices of a few events at {:?}",
            schedule.ends, in_slices.ends
        )
    })?;
    Ok(schedule)
}

fn constants(experiment: &Experiment) -> Constants {
    let whole = |key: &str| match experiment.settings.iter().find(|(own, _)| *own == key) {
        Some((_, Setting::Number(number))) => *number as i64,
        other => panic!("{key}: {other:?}"),
    };
    let word = |key: &str| match experiment.settings.iter().find(|(own, _)| *own == key) {
        Some((_, Setting::Word(word))) => word.as_str(),
        other => panic!("{key}: {other:?}"),
    };
    let quantum = whole("local_quantum");
    Constants {
        algorithm: match word("coscheduling") {
            "batch" => Algorithm::Batch,
            "gang" => Algorithm::Gang,
            "spin_block" => Algorithm::SpinBlock,
            _ => Algorithm::Flexible,
        },
        local: match word("local") {
            "linux24" => LocalRule::Epochs {
                base: quantum,
                tick: whole("tick"),
                margin: whole("wake_margin"),
            },
            _ => LocalRule::RoundRobin { quantum },
        },
        latency: whole("latency"),
        spin: whole("spin"),
        switch: whole("process_switch"),
        turn: whole("turn_cost"),
        reload: whole("reload"),
        displaced: whole("displaced"),
        measure: whole("measure"),
        f_first: match word("f_first") {
            "gently" => FFirst::Gently,
            "every_slot" => FFirst::EverySlot,
            _ => FFirst::OwnSlot,
        },
        noise_period: whole("noise_period"),
        noise_length: whole("noise_length"),
        thresholds: Thresholds {
            slice: whole("slice"),
            cs: whole("cs_thresh"),
            dc: whole("dc_thresh"),
            f: whole("f_thresh"),
            least_slots: whole("cslots_min") as u32,
            most_slots: whole("tslots_max") as u32,
        },
    }
}

/// Runs the processors, in slices of so many events.
fn processes(experiment: &Experiment, drawn: &Workload, budget: u64) -> Schedule {
    let constants = constants(experiment);
    let rows = match &experiment.settings.iter().find(|(key, _)| *key == "rows") {
        Some((_, Setting::Number(rows))) => *rows as u32,
        other => panic!("{other:?}"),
    };
    let jobs = &drawn.jobs;
    let mut cluster = ProcessCluster::new(drawn.processors, rows, constants, 1);
    let mut ends = vec![-1; jobs.len()];
    let mut classes = Vec::new();
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|job| jobs[*job].submit);
    let mut next = 0;
    while next < jobs.len() || cluster.is_busy() {
        let until = order
            .get(next)
            .map_or(i64::MAX - 1, |job| jobs[*job].submit);
        while !cluster.run(until, budget) {}
        for note in cluster.take_reclassified() {
            let (job, rank, class) = (note.job.0, note.rank, note.class);
            classes.push((note.at, job, rank, format!("{class:?}")));
        }
        let ended = cluster.take_ended();
        for (at, id) in &ended {
            check_computed(&cluster, drawn, *id, &constants);
            cluster.forget(*id, *at);
            ends[id.index()] = *at;
        }
        if !ended.is_empty() {
            continue;
        }
        assert!(next < jobs.len(), "nothing is left to happen");
        // All that come at an instant come before anything else happens.
        while let Some(job) = order
            .get(next)
            .copied()
            .filter(|job| jobs[*job].submit == until)
        {
            let placed = &drawn.placed[job];
            let columns: Vec<u32> = placed.columns.iter().map(|at| *at as u32).collect();
            let arrival = Arrival {
                id: JobId(job as u32),
                row: placed.row as u32,
                columns: &columns,
                shape: shape(&drawn.programs[job]),
                iterations: placed.iterations as u64,
            };
            cluster.start(&arrival, until);
            next += 1;
        }
    }
    let line = |(at, job, rank, class): (i64, u32, u32, String)| {
        format!("{at} us: process {rank} of job {job} is {class}")
    };
    Schedule {
        ends: Some(ends),
        told: BTreeMap::from([("classes", classes.into_iter().map(line).collect())]),
        ..Schedule::of(jobs.iter().map(|job| job.submit).collect())
    }
}

/// Nothing is computed twice, and nothing is left out.
fn check_computed(cluster: &ProcessCluster, drawn: &Workload, id: JobId, constants: &Constants) {
    let (program, placed) = (&drawn.programs[id.index()], &drawn.placed[id.index()]);
    let count = placed.iterations;
    let measure = match constants.algorithm {
        Algorithm::Flexible => constants.measure,
        _ => 0,
    };
    let talks = placed.columns.len() > 1 && program.pattern != Pattern::None;
    for (rank, (computed, iterations)) in cluster.computed_by(id).into_iter().enumerate() {
        let compute = program.compute[rank];
        let (each, count) = if talks {
            (compute + measure, count)
        } else {
            (compute * count, 1)
        };
        assert_eq!(computed, each * count, "process {rank} of {id:?}");
        assert!(iterations == count as u64 || computed == 0);
    }
}

/// The ids of all policies and machines.
pub fn ids() -> (Vec<&'static str>, Vec<&'static str>) {
    let policies = schedscope::policy::ALL.iter().map(|spec| spec.id);
    let machines = schedscope::machines::ALL.iter().map(|spec| spec.id);
    (policies.collect(), machines.collect())
}

/// The text of every file here, by its name.
pub fn texts() -> BTreeMap<String, String> {
    let folder = support::root().join("tests/native/twins");
    let text = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(text).collect()
}
