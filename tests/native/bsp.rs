//! Tests of the cluster of processes: processes have the classes of the paper, many iterations in
//! one step equal a simulation event by event, and a microscope changes nothing.

use super::support::run;
use schedscope::experiment::Scenario;
use schedscope::job::{JobId, Pattern, Shape};
use schedscope::machines::bsp::Class;
use schedscope::machines::bsp::{
    Activity, Algorithm, Arrival, BspRecord, Constants, FFirst, LocalRule, Probe, Probed,
    ProcessCluster, Thresholds,
};
use schedscope::param::Settings;
use schedscope::random::Stream;
use schedscope::workload::model::generate;
use std::sync::Arc;

#[derive(Clone, Debug)]
struct Job {
    shape: Shape,
    iterations: u64,
    columns: Vec<usize>,
    row: usize,
    start: i64,
}

/// After the job of the process that ran last has gone, neither of two processes that wake up at
/// once is taken for it.
#[test]
fn nobody_is_taken_for_one_who_has_gone() {
    let mut constants = Constants {
        algorithm: Algorithm::SpinBlock,
        local: LocalRule::Epochs {
            base: 5_000,
            tick: 5_000,
            margin: 1,
        },
        latency: 60,
        spin: 10,
        switch: 0,
        turn: 0,
        reload: 0,
        displaced: 0,
        measure: 0,
        f_first: FFirst::Gently,
        noise_period: 0,
        noise_length: 0,
        thresholds: Thresholds {
            slice: 100_000,
            cs: 2_000,
            dc: 1_000_000,
            f: 1_700,
            least_slots: 20,
            most_slots: 32_768,
        },
    };
    let job = |row: usize, pattern: Pattern, columns: &[usize], compute: &[i64]| Job {
        shape: Shape {
            pattern,
            compute: compute.to_vec(),
            group: 1,
            jitter: 0,
            seed: 0,
        },
        iterations: if columns.len() > 1 { 3 } else { 1 },
        columns: columns.to_vec(),
        row,
        start: 0,
    };
    let ring = Pattern::Ring;
    let jobs = [
        job(0, ring, &[0, 1], &[100, 10_000]),
        job(1, ring, &[0, 2], &[50, 10_000]),
        job(2, Pattern::None, &[0], &[3_000]),
    ];
    for quantum in [0, 5_000] {
        if quantum > 0 {
            constants.local = LocalRule::RoundRobin { quantum };
        }
        let mut cluster = ProcessCluster::new(3, 3, constants, 1);
        cluster.probe(Probe {
            processor: 0,
            from: 0,
            to: 15_000,
        });
        for (
            number,
            Job {
                shape,
                columns,
                row,
                iterations,
                ..
            },
        ) in jobs.iter().enumerate()
        {
            let columns: Vec<u32> = columns.iter().map(|column| *column as u32).collect();
            let shape = Arc::new(shape.clone());
            let arrival = Arrival {
                id: JobId(number as u32),
                row: *row as u32,
                columns: &columns,
                shape,
                iterations: *iterations,
            };
            cluster.start(&arrival, 0);
        }
        // The third job ends in between.
        assert!(cluster.run(15_000, u64::MAX));
        let ended = cluster.take_ended();
        assert_eq!(ended, [(3_170, JobId(2))]);
        cluster.forget(JobId(2), 3_170);
        assert!(cluster.run(15_000, u64::MAX));
        let stretches = cluster.take_probed().unwrap().stretches;
        let computing = stretches
            .iter()
            .filter(|stretch| stretch.activity == Activity::Compute && stretch.from >= 3_500);
        let (first, from) = computing
            .map(|stretch| (stretch.row, stretch.from))
            .min_by_key(|(_, from)| *from)
            .unwrap();
        // Under epochs, the second process goes first, because it has used less of its counter.
        // Under round robin, the first process does.
        assert_eq!((first, from), (u32::from(quantum == 0), 10_060));
    }
}

/// Returns the classes of processes at the end, for each job: the class on its even nodes of four
/// processors, then that on its odd nodes.
fn classes(mix: &str) -> Vec<[Class; 2]> {
    let trace = Arc::new(
        generate(
            "programs",
            &Settings::default()
                .with("mix", mix)
                .with("processors", 32.0),
        )
        .unwrap(),
    );
    let flexible = Scenario {
        machine: "bsp".into(),
        ..Scenario::new("fcfs")
    }
    .with("programs", "library")
    .with("runtime_factor", 0.3);
    let run = run(&flexible, &trace);
    let jobs = run.schedule().workload.len();
    let class = |job: usize, rank: u32| {
        let mut changes = run
            .schedule()
            .of::<BspRecord>()
            .unwrap()
            .classes
            .iter()
            .filter(|change| change.job.index() == job && change.rank == rank);
        changes.next_back().map_or(Class::CS, |change| change.class)
    };
    let of_job = |job: usize| {
        [0, 1].map(|node| {
            let found: Vec<Class> = (0..32)
                .filter(|rank| rank / 4 % 2 == node)
                .map(|rank| class(job, rank))
                .collect();
            assert!(
                found.windows(2).all(|pair| pair[0] == pair[1]),
                "{mix}: {found:?}"
            );
            found[0]
        })
    };
    (0..jobs).map(of_job).collect()
}

#[test]
fn classes_are_those_of_the_paper() {
    use Class::{CS, DC, F};
    assert_eq!(classes("balanced"), [[CS, CS], [CS, CS]]);
    assert_eq!(classes("imbalanced"), [[DC, F], [F, DC]]);
    // In this mix, processes without work end at once, so they keep their first class, CS.
    assert_eq!(classes("complementing"), [[DC, CS], [DC, CS], [F, DC]]);
    assert_eq!(classes("combined"), [[DC, F], [F, DC], [CS, CS]]);
}

/// The ends of jobs, the changes of classes, each with its instant, and the number of events.
type Played = (Vec<(i64, JobId)>, Vec<(i64, JobId, u32, Class)>, u64);

/// Runs queues of jobs. A job starts when the job before it in its queue has ended. The first job
/// of every third queue starts when any job has ended.
fn play(cluster: ProcessCluster, queues: &[Vec<Job>], budget: u64) -> Played {
    let (mut ends, mut changes) = (Vec::new(), Vec::new());
    let cluster = play_on(cluster, queues, (budget, None), &mut ends, &mut changes);
    (ends, changes, cluster.events())
}

/// Runs the queues in slices of `budget` events. If `watch` is given, sets its probe at its
/// instant.
fn play_on(
    mut cluster: ProcessCluster,
    queues: &[Vec<Job>],
    (budget, mut watch): (u64, Option<(i64, Probe)>),
    ends: &mut Vec<(i64, JobId)>,
    changes: &mut Vec<(i64, JobId, u32, Class)>,
) -> ProcessCluster {
    /// The start of a job that waits for the end of another job.
    const NEVER: i64 = i64::MAX;
    // For each queue, the start of its next job, and the number of jobs that have started.
    let mut next: Vec<(i64, usize)> = queues.iter().map(|queue| (queue[0].start, 0)).collect();
    // In every third queue, the first job starts when a job of any queue has ended.
    (2..queues.len())
        .step_by(3)
        .for_each(|queue| next[queue].0 = NEVER);
    let mut runs = vec![false; queues.len()];
    loop {
        let until = next.iter().map(|(at, _)| *at).min().unwrap();
        while !cluster.run(until.min(NEVER - 1), budget) {}
        if let Some((_, probe)) = watch.take_if(|(from, _)| *from <= cluster.now()) {
            cluster.probe(probe);
        }
        changes.extend(
            cluster
                .take_reclassified()
                .into_iter()
                .map(|note| (note.at, note.job, note.rank, note.class)),
        );
        let ended = cluster.take_ended();
        for (at, id) in &ended {
            cluster.forget(*id, *at);
            runs[id.0 as usize / 100] = false;
            for (queue, jobs) in queues.iter().enumerate().filter(|(queue, _)| !runs[*queue]) {
                if let Some(job) = jobs.get(next[queue].1).filter(|_| next[queue].0 == NEVER) {
                    next[queue].0 = at + job.start;
                }
            }
        }
        ends.extend(&ended);
        if !ended.is_empty() {
            continue;
        }
        if until == NEVER {
            return cluster;
        }
        for (queue, jobs) in queues.iter().enumerate() {
            let (at, place) = next[queue];
            if at != until {
                continue;
            }
            let job = &jobs[place];
            let columns: Vec<u32> = job.columns.iter().map(|column| *column as u32).collect();
            let id = JobId((queue * 100 + place) as u32);
            let shape = Arc::new(job.shape.clone());
            cluster.start(
                &Arrival {
                    id,
                    row: job.row as u32,
                    columns: &columns,
                    shape,
                    iterations: job.iterations,
                },
                until,
            );
            (next[queue], runs[queue]) = ((NEVER, place + 1), true);
        }
    }
}

/// Draws larger clusters, with times in hundreds of microseconds and with several jobs after and
/// beside each other. Every third cluster has times in steps of 50 microseconds, so that many
/// events coincide.
fn draw_queues(seed: u64) -> (Constants, u32, u32, Vec<Vec<Job>>) {
    let mut stream = Stream::new(seed, "bsp rows");
    let mut below = |bound: u64| stream.below(bound) as i64;
    let algorithm = [
        Algorithm::Batch,
        Algorithm::Gang,
        Algorithm::SpinBlock,
        Algorithm::Flexible,
    ][below(4) as usize];
    let step = if seed.is_multiple_of(3) { 50 } else { 1 };
    let in_steps = |time: i64| (time + step - 1) / step * step;
    let constants = Constants {
        algorithm,
        local: match below(4) {
            0 => LocalRule::RoundRobin {
                quantum: in_steps(1_500 + below(3_000)),
            },
            _ => LocalRule::Epochs {
                base: in_steps(500 + below(4_000)),
                tick: in_steps(1 + below(500)),
                margin: below(4),
            },
        },
        latency: in_steps(1 + below(60)),
        spin: in_steps(below(200)),
        switch: in_steps(below(30)),
        turn: in_steps(below(200)),
        reload: in_steps(below(600)),
        displaced: if step > 1 {
            1_000 * below(2)
        } else {
            below(300)
        },
        measure: in_steps(below(6)),
        f_first: [FFirst::OwnSlot, FFirst::EverySlot, FFirst::Gently][below(3) as usize],
        noise_period: [0, 0, in_steps(3_000 + below(60_000))][below(3) as usize],
        noise_length: in_steps(1 + below(500)),
        thresholds: Thresholds {
            slice: in_steps(20_000 + below(80_000)),
            cs: 2_000,
            dc: 50_000,
            f: 1_700,
            least_slots: 3,
            most_slots: 17,
        },
    };
    let pes = 2 + below(30) as usize;
    let rows = if algorithm == Algorithm::Batch {
        1
    } else {
        1 + below(4) as u32
    };
    // In each row, two queues share the processors.
    let middle = below(pes as u64 + 1) as usize;
    let mut job = |row: usize, from: usize, to: usize| {
        let size = 1 + below((to - from) as u64) as usize;
        let first = from + below((to - from - size + 1) as u64) as usize;
        let pattern = [
            Pattern::None,
            Pattern::Ring,
            Pattern::Grid,
            Pattern::Barrier,
            Pattern::Ring,
        ][below(5) as usize];
        let grain = [300, 1_000, 5_000, 200_000][below(4) as usize];
        let compute = (0..=below(4))
            .map(|_| {
                if below(8) == 0 {
                    0
                } else {
                    in_steps(grain + below(grain as u64))
                }
            })
            .collect();
        let jitter = [0, 0, 100_000 * i64::from(step == 1)][below(3) as usize];
        let shape = Shape {
            pattern,
            compute,
            group: 1,
            jitter,
            seed,
        };
        let iterations = 1 + below(if grain > 100_000 { 12 } else { 400 }) as u64;
        Job {
            shape,
            iterations,
            columns: (first..first + size).collect(),
            row,
            start: in_steps(below(2) * below(30_000)),
        }
    };
    let halves: Vec<(usize, usize)> = [(0, middle), (middle, pes)]
        .into_iter()
        .filter(|(from, to)| from < to)
        .collect();
    let queue =
        |(row, (from, to)): (usize, (usize, usize))| (0..3).map(|_| job(row, from, to)).collect();
    let queues = (0..rows as usize)
        .flat_map(|row| halves.iter().map(move |half| (row, *half)))
        .map(queue)
        .collect();
    (constants, pes as u32, rows, queues)
}

#[test]
fn many_iterations_in_one_step_are_the_same_as_event_by_event() {
    let (mut all, mut fewer) = (0, 0);
    for seed in 0..600 {
        let (constants, pes, rows, queues) = draw_queues(seed);
        let cluster = ProcessCluster::new(pes, rows, constants, seed);
        let (ends, changes, slow) = play(cluster.clone().event_by_event(), &queues, u64::MAX);
        let (ours, ours_changes, fast) = play(cluster.clone(), &queues, u64::MAX);
        assert_eq!(
            (&ours, &ours_changes),
            (&ends, &changes),
            "seed {seed} {constants:?} {pes} processors"
        );
        let (sliced, sliced_changes, _) = play(cluster, &queues, 11);
        assert_eq!(
            (sliced, sliced_changes),
            (ends, changes),
            "in slices, seed {seed}"
        );
        if matches!(constants.algorithm, Algorithm::Batch | Algorithm::Gang) {
            (all, fewer) = (all + slow, fewer + fast);
        }
    }
    assert!(
        fewer * 2 < all,
        "{fewer} of {all} events are left: iterations are not computed in one step"
    );
}

/// A microscope changes nothing, and covers the whole time. At most one process has the processor,
/// and each process computes exactly its work.
#[test]
fn a_microscope_sees_everything_and_changes_nothing() {
    let mut late = 0;
    for seed in 0..400 {
        let (constants, pes, rows, queues) = draw_queues(seed);
        let cluster = ProcessCluster::new(pes, rows, constants, seed);
        let (ends, changes, _) = play(cluster.clone(), &queues, u64::MAX);
        let last = ends.iter().map(|(at, _)| *at).max().unwrap();
        let processor = seed as u32 % pes;
        let mut watched = cluster.clone();
        // In a quarter of the runs, the probe begins after a part of the run.
        let is_late = seed % 4 == 3;
        let from = if seed % 2 == 0 || is_late {
            0
        } else {
            last / 3
        };
        let probe = Probe {
            processor,
            from,
            to: if seed % 4 < 2 { last } else { last / 2 },
        };
        if !is_late {
            watched.probe(probe);
        }
        let (mut same_ends, mut same_changes) = (Vec::new(), Vec::new());
        let slices = if is_late {
            (u64::MAX, Some((last / 4, probe)))
        } else {
            (u64::MAX, None)
        };
        let mut watched = play_on(watched, &queues, slices, &mut same_ends, &mut same_changes);
        assert_eq!(
            (&same_ends, &same_changes),
            (&ends, &changes),
            "seed {seed}"
        );
        let probed = watched.take_probed().unwrap();
        if is_late {
            late += 1;
            // A late probe must show the same as a probe from the beginning.
            let mut early = cluster;
            early.probe(probe);
            let mut early = play_on(
                early,
                &queues,
                (u64::MAX, None),
                &mut Vec::new(),
                &mut Vec::new(),
            );
            let since = probed
                .stretches
                .iter()
                .map(|stretch| stretch.from)
                .min()
                .unwrap_or(i64::MAX);
            let of = |probed: Probed| {
                let seen = probed
                    .stretches
                    .into_iter()
                    .filter(|stretch| stretch.to > since);
                let mut seen: Vec<_> = seen
                    .map(|stretch| {
                        (
                            stretch.row,
                            stretch.from.max(since),
                            stretch.to,
                            stretch.activity,
                        )
                    })
                    .collect();
                seen.sort_by_key(|(row, from, ..)| (*row, *from));
                seen
            };
            assert_eq!(
                of(probed.clone()),
                of(early.take_probed().unwrap()),
                "seed {seed}"
            );
        }
        assert!(!probed.is_cut);
        let mut on: Vec<(i64, i64)> = Vec::new();
        for stretch in &probed.stretches {
            assert!(
                probe.from <= stretch.from && stretch.from < stretch.to && stretch.to <= probe.to,
                "{stretch:?} {probe:?}"
            );
            if matches!(
                stretch.activity,
                Activity::Compute | Activity::Spin | Activity::Overhead
            ) {
                on.push((stretch.from, stretch.to));
            }
        }
        on.sort_unstable();
        assert!(
            on.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "seed {seed}: two processes have the processor at once"
        );
        for (queue, jobs) in queues.iter().enumerate() {
            for (place, job) in jobs.iter().enumerate() {
                let id = JobId((queue * 100 + place) as u32);
                let Some(rank) = job
                    .columns
                    .iter()
                    .position(|column| *column == processor as usize)
                else {
                    continue;
                };
                let own = probed.stretches.iter().filter(|stretch| stretch.job == id);
                assert!(own.clone().all(|stretch| stretch.rank == rank as u32 && stretch.row == job.row as u32));
                assert!(
                    own.clone()
                        .zip(own.clone().skip(1))
                        .all(|(one, next)| one.to == next.from),
                    "seed {seed}: a gap"
                );
                let computed: i64 = own
                    .filter(|stretch| stretch.activity == Activity::Compute)
                    .map(|stretch| stretch.to - stretch.from)
                    .sum();
                let measure = if constants.algorithm == Algorithm::Flexible {
                    constants.measure
                } else {
                    0
                };
                let talks = job.columns.len() > 1 && job.shape.pattern != Pattern::None;
                let each = job.shape.compute_of(rank as u32) + if talks { measure } else { 0 };
                if (probe.from, probe.to, job.shape.jitter) == (0, last, 0) {
                    assert_eq!(
                        computed,
                        each * job.iterations as i64,
                        "seed {seed}, {id:?}"
                    );
                }
            }
        }
    }
    assert!(late > 50, "only {late} probes began late");
}

/// A process that cannot run, because another process has the processor for itself, can run as soon
/// as that one ends. The job of the other process can end in the middle of a turn. Then a new job
/// can come and take the processor of a process whose computing includes daemons.
#[test]
fn a_job_that_waits_for_its_turn_may_end_before() {
    let constants = Constants {
        algorithm: Algorithm::Flexible,
        local: LocalRule::Epochs {
            base: 5_000,
            tick: 5_000,
            margin: 1,
        },
        latency: 60,
        spin: 120,
        switch: 10,
        turn: 500,
        reload: 2_000,
        displaced: 15,
        measure: 5,
        f_first: FFirst::Gently,
        noise_period: 100_000,
        noise_length: 100,
        thresholds: Thresholds {
            slice: 1_000_000,
            cs: 2_000,
            dc: 1_000_000,
            f: 1_700,
            least_slots: 1,
            most_slots: 32_768,
        },
    };
    let job = |row: usize, columns: std::ops::Range<usize>, compute: &[i64]| Job {
        shape: Shape {
            pattern: Pattern::None,
            compute: compute.to_vec(),
            group: 1,
            jitter: 0,
            seed: 0,
        },
        iterations: 1,
        columns: columns.collect(),
        row,
        start: 0,
    };
    let long = 20_000_000;
    let queues = [
        vec![job(1, 0..1, &[long])],
        vec![job(1, 1..3, &[2_000_000, 0]), job(1, 1..3, &[long])],
        vec![job(0, 0..1, &[10_000_000])],
        vec![job(0, 1..3, &[300_000, 6_000_000])],
        // When this job comes, the cluster asks again when the first job can end.
        vec![Job {
            start: 1_050_000,
            ..job(1, 3..4, &[long])
        }],
    ];
    for seed in 0..20 {
        let cluster = ProcessCluster::new(4, 2, constants, seed);
        let slow = play(cluster.clone().event_by_event(), &queues, u64::MAX);
        let fast = play(cluster, &queues, u64::MAX);
        assert_eq!((fast.0, fast.1), (slow.0, slow.1), "seed {seed}");
    }
}
