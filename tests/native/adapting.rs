//! PBAS and WBAS: one candidate alone is that policy; naive twins; what a switch must not break.

use super::plain::{self, Limit, Order, View};
use super::support::{Job, Overruns, random_jobs, random_workload, schedule, small, starts, workload};
use schedscope::experiment::Scenario;
use schedscope::policy::{self, tools::candidates_param};
use schedscope::schedule::Schedule;
use schedscope::{machine, time::Time};

const FRAME: i64 = 60;

/// Jobs over several frames.
fn long_jobs(seed: u64) -> (u32, Vec<Job>) {
    let (processors, mut jobs) = random_jobs(seed, Overruns::Never);
    let (_, more) = random_jobs(seed + 10_000, Overruns::Never);
    let last = jobs.last().unwrap().submit;
    jobs.extend(more.into_iter().map(|job| Job { submit: job.submit + last + 30, processors: job.processors.min(processors), ..job }));
    (processors, jobs)
}

#[test]
fn one_candidate_alone_is_that_policy() {
    for machine in machine::ALL {
        for spec in policy::ALL.iter().filter(|spec| spec.runs_on(machine) && candidates_param(spec).is_none()) {
            for estimates in ["requested", "predicted"] {
                let on = |policy: &str| small(Scenario { machine: machine.id.into(), ..Scenario::new(policy) });
                let mut alone = on(spec.id);
                if spec.params.iter().any(|param| param.key == "estimates") {
                    alone = alone.with("estimates", estimates);
                }
                let candidate = on("pbas").with("candidates", spec.id).with("frame", 60.0).with("estimates", estimates);
                for seed in 0..40 {
                    let workload = random_workload(&alone, seed, Overruns::Never);
                    assert_eq!(schedule(&alone, &workload).digest(), schedule(&candidate, &workload).digest(), "{} seed {seed}", spec.id);
                }
            }
        }
    }
}

/// Two of the same kind never differ, so there is never a reason to switch; and that frames end changes nothing.
#[test]
fn equals_never_switch() {
    for policy in ["easy", "conservative", "flex", "selective", "priority"] {
        let words = format!("{policy}+{policy}2");
        let mut adaptive = Scenario::new("pbas").with("candidates", words.as_str()).with("frame", 60.0);
        let mut plain = Scenario::new(policy);
        if policy == "easy" {
            // In this order another job may have become the first one: whoever is asked once more starts it.
            plain = plain.with("order", "wfp3");
            adaptive = adaptive.with("easy.order", "wfp3").with("easy2.order", "wfp3");
        }
        for seed in 0..300 {
            let (processors, jobs) = long_jobs(seed);
            let workload = workload(processors, &jobs);
            let schedule_of = |scenario: &Scenario| schedule(scenario, &workload);
            assert_eq!(starts(&schedule_of(&adaptive)), starts(&schedule_of(&plain)), "{words} seed {seed}");
            assert_eq!(schedule_of(&adaptive).switches.len(), 1);
        }
    }
}

/// Every policy takes over from another one in the middle of a run, again and again: the audit finds every job started
/// once, and none is left.
#[test]
fn a_switch_loses_no_job_and_starts_none_twice() {
    let mut switches = 0;
    for machine in machine::ALL {
        let able: Vec<_> = policy::ALL.iter().filter(|spec| spec.runs_on(machine) && candidates_param(spec).is_none()).collect();
        for one in &able {
            for other in [able[0], able[1], able[able.len() - 1]] {
                let words = format!("{}+{}2", one.id, other.id);
                // With a factor of 1 the usual parallelism is that of the last job: about every other frame is a switch.
                let scenario = small(Scenario { machine: machine.id.into(), ..Scenario::new("wbas") })
                    .with("candidates", words.as_str())
                    .with("maf", 1.0)
                    .with("frame", 60.0);
                for seed in 0..30 {
                    let (processors, jobs) = long_jobs(seed);
                    let schedule = schedule(&scenario, &super::support::workload_for(&scenario, processors, &jobs));
                    assert!(schedule.is_complete(), "{words} seed {seed}");
                    switches += schedule.switches.len() - 1;
                }
            }
        }
    }
    assert!(switches > 1000, "{switches} switches test little");
}

/// What the twins of the candidates do, which remember nothing.
const STATELESS: [fn(&mut View<'_>); 3] = [
    |view| plain::easy(view, Order("arrival"), Order("arrival")),
    |view| plain::priority(view, Order("shortest"), Limit::None),
    |view| plain::lookahead(view, Order("arrival"), true, 50),
];

fn adaptive(policy: &str) -> Scenario {
    Scenario::new(policy)
        .with("candidates", "easy+priority+lookahead")
        .with("priority.order", "shortest")
        .with("priority.starvation", "none")
        .with("frame", FRAME as f64)
}

/// The runs of a naive adaptive scheduler: whenever a frame ends, `choose` is told its end and who decides.
fn naive(processors: u32, jobs: &[Job], choose: impl Fn(i64, usize) -> usize) -> (Vec<i64>, Vec<(i64, u32)>) {
    let (mut ends, mut active) = (jobs[0].submit + FRAME, 0);
    let mut switches = vec![(jobs[0].submit, 0)];
    let starts = plain::starts(processors, jobs, |view| {
        if view.now == ends {
            let chosen = choose(ends, active);
            if chosen != active {
                switches.push((ends, chosen as u32));
            }
            active = chosen;
            ends += FRAME;
        }
        view.wakes.insert(ends);
        STATELESS[active](view);
    });
    (starts, switches)
}

fn switches(schedule: &Schedule) -> Vec<(i64, u32)> {
    schedule.switches.iter().map(|switch| (switch.at.whole_seconds(), switch.policy)).collect()
}

/// How bad a complete schedule was over (from, to], by the word of the metric.
fn badness(metric: &str, jobs: &[Job], starts: &[i64], from: i64, to: i64) -> Option<f64> {
    let all = || jobs.iter().zip(starts);
    if metric == "utilisation" {
        let overlap = |(job, start): (&Job, &i64)| ((start + job.runtime).min(to) - (*start).max(from)).max(0) * i64::from(job.processors);
        return Some(-(all().map(overlap).sum::<i64>() as f64));
    }
    let ended = all().filter(|(job, start)| (from < *start + job.runtime || from == jobs[0].submit) && *start + job.runtime <= to);
    let values: Vec<f64> = ended
        .filter(|(job, _)| metric != "slowdown" || job.runtime > 0)
        .map(|(job, start)| {
            let response = (start + job.runtime - job.submit) as f64;
            match metric {
                "response" => response,
                "wait" => (start - job.submit) as f64,
                "slowdown" => response / job.runtime as f64,
                _ => response.max(10.0) / job.runtime.max(10) as f64,
            }
        })
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[test]
fn pbas_agrees_with_its_twin_by_every_metric() {
    let mut switched = 0;
    for metric in ["utilisation", "response", "bounded_slowdown", "wait", "slowdown"] {
        for history in [1, 3] {
            for seed in 0..100 {
                let (processors, jobs) = long_jobs(seed);
                let scenario = adaptive("pbas").with("metric", metric).with("history", history as f64);
                let ours = schedule(&scenario, &workload(processors, &jobs));
                let alone = STATELESS.map(|decide| plain::starts(processors, &jobs, decide));
                let (naive, naive_switches) = naive(processors, &jobs, |end, active| {
                    let from = (end - FRAME * history).max(jobs[0].submit);
                    let bad: Vec<Option<f64>> = alone.iter().map(|starts| badness(metric, &jobs, starts, from, end)).collect();
                    let Some(own) = bad[active] else { return active };
                    let least = bad.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                    // Sums in another order differ in their last bits.
                    if own <= least * (1.0 + 1e-12 * least.signum()) {
                        active
                    } else {
                        bad.iter().position(|bad| *bad == Some(least)).unwrap()
                    }
                });
                assert_eq!(switches(&ours), naive_switches, "{metric}, history {history}, seed {seed}");
                assert_eq!(starts(&ours), naive, "{metric}, history {history}, seed {seed}");
                switched += naive_switches.len() - 1;
            }
        }
    }
    assert!(switched > 100, "{switched} switches test little");
}

#[test]
fn wbas_agrees_with_its_twin() {
    for (maf, beginning) in [(1.0, "first"), (2.5, "first"), (40.0, "first"), (15.0, "mean")] {
        for seed in 0..100 {
            let (processors, jobs) = long_jobs(seed);
            let scenario = adaptive("wbas").with("candidates", "easy+priority").with("maf", maf).with("beginning", beginning);
            let ours = schedule(&scenario, &workload(processors, &jobs));
            let (naive, naive_switches) = naive(processors, &jobs, |end, active| {
                let sizes =
                    |from: i64| jobs.iter().filter(move |job| from < job.submit && job.submit <= end).map(|job| f64::from(job.processors));
                let usual = sizes(i64::MIN).zip(1..).map(|(size, count)| (size, f64::from(count))).reduce(|(usual, _), (size, count)| {
                    let factor = if beginning == "mean" { maf.min(count) } else { maf };
                    ((1.0 - 1.0 / factor) * usual + 1.0 / factor * size, count)
                });
                let usual = usual.unwrap().0;
                // The first job arrives when the first frame begins, and counts for it.
                let frame: Vec<f64> = sizes(if end == jobs[0].submit + FRAME { i64::MIN } else { end - FRAME }).collect();
                let last = frame.iter().sum::<f64>() / frame.len() as f64;
                if frame.is_empty() { active } else { usize::from(usual >= last) }
            });
            assert_eq!(switches(&ours), naive_switches, "MAF {maf}, seed {seed}");
            assert_eq!(starts(&ours), naive, "MAF {maf}, seed {seed}");
        }
    }
}

/// MAF 2: the average after 8 is 8, after 4 it is 6, after 2 it is 4, after 6 it is 5, after 3 it is 4.
#[test]
fn wbas_by_hand() {
    let job = |submit: i64, processors: u32| Job { submit, runtime: 1, estimate: 1, processors, user: 0 };
    let jobs = [
        // (0, 60]: 8 and 4. Their mean, 6, is the average, so the second candidate decides.
        job(0, 8),
        job(10, 4),
        // (60, 120]: 2. Less than 4: nothing changes.
        job(70, 2),
        // (120, 180]: 6. More than 5: the first one decides. Nobody arrives in (180, 240].
        job(180, 6),
        // (240, 300]: 3. Less than 4: the second one.
        job(241, 3),
        job(400, 1),
    ];
    let scenario = adaptive("wbas").with("candidates", "easy+priority").with("maf", 2.0);
    let schedule = schedule(&scenario, &workload(10, &jobs));
    assert_eq!(switches(&schedule), [(0, 0), (60, 1), (180, 0), (300, 1)]);
    let measures = schedscope::metrics::measure(&schedule, &schedscope::param::Settings::default());
    assert_eq!(schedule.span(), (Time::ZERO, Time::from_seconds(401)));
    let figure = |key: &str| measures.figures[key];
    assert_eq!((figure("switches.count"), figure("switches.per_day")), (3.0, 3.0 / (401.0 / 86_400.0)));
    assert!((figure("deciding.1st") - 180.0 / 401.0).abs() < 1e-12 && (figure("deciding.2nd") - 221.0 / 401.0).abs() < 1e-12);
}
