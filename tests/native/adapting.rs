//! PBAS and WBAS: one candidate alone is that policy; naive twins; what a switch must not break.

use super::flex;
use super::plain::{self, Limit, Order, View};
use super::support::{
    Job, Overruns, random_jobs, random_workload, schedule, small, starts, workload,
};
use schedscope::experiment::Scenario;
use schedscope::policy::{self, candidates::candidates_param};
use schedscope::schedule::Schedule;
use schedscope::{machines, time::Time};
use std::cell::RefCell;

const FRAME: i64 = 60;
const METRICS: [&str; 5] = [
    "utilisation",
    "response",
    "bounded_slowdown",
    "wait",
    "slowdown",
];

/// Jobs over several frames.
fn long_jobs(seed: u64) -> (u32, Vec<Job>) {
    let (processors, mut jobs) = random_jobs(seed, Overruns::Never);
    let (_, more) = random_jobs(seed + 10_000, Overruns::Never);
    let last = jobs.last().unwrap().submit;
    jobs.extend(more.into_iter().map(|job| Job {
        submit: job.submit + last + 30,
        processors: job.processors.min(processors),
        ..job
    }));
    (processors, jobs)
}

#[test]
fn one_candidate_alone_is_that_policy() {
    for machine in machines::ALL {
        for spec in policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
        {
            for estimates in ["requested", "predicted"] {
                let on = |policy: &str| {
                    small(Scenario {
                        machine: machine.id.into(),
                        ..Scenario::new(policy)
                    })
                };
                let mut alone = on(spec.id);
                if spec.params.iter().any(|param| param.key == "estimates") {
                    alone = alone.with("estimates", estimates);
                }
                let candidate = on("pbas")
                    .with("candidates", spec.id)
                    .with("frame", 60.0)
                    .with("estimates", estimates);
                for seed in 0..if machine.offer.processes { 3 } else { 40 } {
                    let workload = random_workload(&alone, seed, Overruns::Never);
                    assert_eq!(
                        schedule(&alone, &workload).digest(),
                        schedule(&candidate, &workload).digest(),
                        "{} seed {seed}",
                        spec.id
                    );
                }
            }
        }
    }
}

/// Two of the same kind never differ, so there is never a reason to switch; and that frames end
/// changes nothing.
#[test]
fn equals_never_switch() {
    for policy in ["easy", "conservative", "flex", "selective", "priority"] {
        let words = format!("{policy}+{policy}2");
        let mut adaptive = Scenario::new("pbas")
            .with("candidates", words.as_str())
            .with("frame", 60.0);
        let mut plain = Scenario::new(policy);
        if policy == "easy" {
            // In this order another job may have become the first one: whoever is asked once more
            // starts it.
            plain = plain.with("order", "wfp3");
            adaptive = adaptive
                .with("easy.order", "wfp3")
                .with("easy2.order", "wfp3");
        }
        for (seed, metric) in (0..300).zip(METRICS.iter().cycle()) {
            let (processors, jobs) = long_jobs(seed);
            let workload = workload(processors, &jobs);
            let schedule_of = |scenario: &Scenario| schedule(scenario, &workload);
            let adapted = schedule_of(&adaptive.clone().with("metric", *metric));
            assert_eq!(
                starts(&adapted),
                starts(&schedule_of(&plain)),
                "{words} seed {seed} {metric}"
            );
            assert_eq!(adapted.switches.len(), 1, "{words} seed {seed} {metric}");
        }
    }
}

/// A machine in the background is like the real one, alternative scheduling and all.
#[test]
fn equals_never_switch_where_rows_alternate() {
    let gang = |policy: &str| {
        Scenario {
            machine: "gang".into(),
            ..Scenario::new(policy)
        }
        .with("slots", 3.0)
        .with("quantum", 4.0)
        .with("alternate", "on")
    };
    let adaptive = gang("pbas")
        .with("candidates", "easy+easy2")
        .with("frame", 60.0);
    for (seed, metric) in (0..100).zip(METRICS.iter().cycle()) {
        let (processors, jobs) = long_jobs(seed);
        let adapted = schedule(
            &adaptive.clone().with("metric", *metric),
            &workload(processors, &jobs),
        );
        assert_eq!(adapted.switches.len(), 1, "seed {seed} {metric}");
        assert_eq!(
            starts(&adapted),
            starts(&schedule(&gang("easy"), &workload(processors, &jobs))),
            "seed {seed} {metric}"
        );
    }
}

/// Every policy takes over from another one in the middle of a run, again and again: the audit
/// finds every job started once, and none is left.
#[test]
fn a_switch_loses_no_job_and_starts_none_twice() {
    let mut switches = 0;
    for machine in machines::ALL {
        let able: Vec<_> = policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
            .collect();
        for one in &able {
            for other in [able[0], able[1], able[able.len() - 1]] {
                let words = format!("{}+{}2", one.id, other.id);
                // With a factor of 1 the usual parallelism is that of the last job: about every
                // other frame is a switch.
                let scenario = small(Scenario {
                    machine: machine.id.into(),
                    ..Scenario::new("wbas")
                })
                .with("candidates", words.as_str())
                .with("maf", 1.0)
                .with("frame", 60.0);
                for seed in 0..if machine.offer.processes { 3 } else { 30 } {
                    let (processors, jobs) = long_jobs(seed);
                    let schedule = schedule(
                        &scenario,
                        &super::support::workload_for(&scenario, processors, &jobs),
                    );
                    assert!(schedule.is_complete(), "{words} seed {seed}");
                    switches += schedule.switches.len() - 1;
                }
            }
        }
    }
    assert!(switches > 1000, "{switches} switches test little");
}

/// The same under PBAS, where the one that decided before goes on in the background: with
/// predictions, and event by event.
#[test]
fn the_one_before_goes_on_in_the_background() {
    let mut switches = 0;
    for machine in machines::ALL {
        let able: Vec<_> = policy::ALL
            .iter()
            .filter(|spec| spec.runs_on(machine.offer) && candidates_param(spec).is_none())
            .collect();
        for pair in able.windows(2) {
            for (seed, metric) in (0..if machine.offer.processes { 2 } else { 20 })
                .zip(METRICS.iter().cycle().skip(1))
            {
                let scenario = small(Scenario {
                    machine: machine.id.into(),
                    ..Scenario::new("pbas")
                })
                .with(
                    "candidates",
                    format!("{}+{}", pair[0].id, pair[1].id).as_str(),
                )
                .with("metric", *metric)
                .with(
                    "estimates",
                    if seed % 2 == 0 {
                        "predicted"
                    } else {
                        "requested"
                    },
                )
                .with(
                    "ties",
                    if machine.id == "flat" && seed % 4 > 1 {
                        "per_event"
                    } else {
                        "together"
                    },
                )
                .with("frame", 60.0);
                let (processors, jobs) = long_jobs(seed);
                let schedule = schedule(
                    &scenario,
                    &super::support::workload_for(&scenario, processors, &jobs),
                );
                assert!(schedule.is_complete(), "{scenario:?} seed {seed}");
                switches += schedule.switches.len() - 1;
            }
        }
    }
    assert!(switches > 200, "{switches} switches test little");
}

/// A naive scheduler.
type Twin = Box<dyn FnMut(&mut View<'_>)>;

/// The twin of a candidate, from the beginning: some remember what they have planned, some nothing.
fn twin(candidate: &str) -> Twin {
    match candidate {
        "easy" => Box::new(|view| plain::easy(view, Order("arrival"), Order("arrival"))),
        "priority" => Box::new(|view| plain::priority(view, Order("shortest"), Limit::None)),
        "lookahead" => Box::new(|view| plain::lookahead(view, Order("arrival"), true, 50)),
        "conservative" => {
            let mut plan = plain::Plan::default();
            Box::new(move |view| plain::conservative(view, &mut plan, Order("arrival")))
        }
        _ => {
            let mut twin = flex::Twin::new(flex::RULES);
            Box::new(move |view| twin.decide(view))
        }
    }
}

/// Candidates in several orders, so that each takes over from each.
const CANDIDATES: [[&str; 3]; 3] = [
    ["easy", "flex", "conservative"],
    ["priority", "lookahead", "flex"],
    ["conservative", "priority", "easy"],
];

fn adaptive(policy: &str, candidates: &[&str]) -> Scenario {
    let scenario = Scenario::new(policy)
        .with("candidates", candidates.join("+").as_str())
        .with("frame", FRAME as f64);
    if !candidates.contains(&"priority") {
        return scenario;
    }
    scenario
        .with("priority.order", "shortest")
        .with("priority.starvation", "none")
}

/// The runs of a naive adaptive scheduler: whenever a frame ends, `choose` is told its end and who
/// decides.
fn naive(
    processors: u32,
    jobs: &[Job],
    candidates: &[&str],
    choose: impl Fn(i64, usize) -> usize,
) -> (Vec<i64>, Vec<(i64, u32)>) {
    let (mut ends, mut active) = (jobs[0].submit + FRAME, 0);
    let mut deciding = twin(candidates[0]);
    let mut switches = vec![(jobs[0].submit, 0)];
    let starts = plain::starts(processors, jobs, |view| {
        if view.now == ends {
            let chosen = choose(ends, active);
            if chosen != active {
                switches.push((ends, chosen as u32));
                deciding = twin(candidates[chosen]);
            }
            active = chosen;
            ends += FRAME;
        }
        deciding(view);
        view.wakes.insert(ends);
    });
    (starts, switches)
}

fn switches(schedule: &Schedule) -> Vec<(i64, u32)> {
    schedule
        .switches
        .iter()
        .map(|switch| (switch.at.whole_seconds(), switch.policy))
        .collect()
}

/// What a complete schedule has over (from, to], by the word of the metric: a sum that is bad, and
/// over how many it is a mean.
fn tally(metric: &str, jobs: &[Job], starts: &[i64], from: i64, to: i64) -> (i128, u64) {
    let all = || jobs.iter().zip(starts);
    if metric == "utilisation" {
        let overlap = |(job, start): (&Job, &i64)| {
            ((start + job.runtime).min(to) - (*start).max(from)).max(0) * i64::from(job.processors)
        };
        return (-i128::from(all().map(overlap).sum::<i64>()), 1);
    }
    // Jobs of no length are left out.
    let ended = all().filter(|(job, start)| {
        job.runtime > 0 && from < *start + job.runtime && *start + job.runtime <= to
    });
    let values = ended.map(|(job, start)| {
        let response = start + job.runtime - job.submit;
        let billionths =
            |response: i64, runtime: i64| (response as f64 / runtime as f64 * 1e9).round() as i128;
        match metric {
            "response" => i128::from(response),
            "wait" => i128::from(start - job.submit),
            "slowdown" => billionths(response, job.runtime),
            _ => billionths(response.max(10), job.runtime.max(10)),
        }
    });
    values.fold((0, 0), |(sum, count), value| (sum + value, count + 1))
}

/// A run of which it is known who decides from when on.
fn scripted(processors: u32, jobs: &[Job], candidates: &[&str], script: &[(i64, u32)]) -> Vec<i64> {
    let next = |end: i64, active: usize| {
        script
            .iter()
            .find(|(at, _)| *at == end)
            .map_or(active, |(_, next)| *next as usize)
    };
    naive(processors, jobs, candidates, next).0
}

/// The machines of the candidates, each as a whole schedule, when the switches so far are known. If
/// `alone`, each has always been alone. If not, the one that decides is the real run; one that
/// decided before is the real run without the switch to the next one, or any that came later.
fn machines(
    processors: u32,
    jobs: &[Job],
    candidates: &[&str],
    alone: bool,
    switches: &[(i64, u32)],
) -> Vec<Vec<i64>> {
    let machine = |(candidate, name): (u32, &&str)| match switches
        .iter()
        .rposition(|(_, active)| *active == candidate)
    {
        Some(last) if !alone => scripted(processors, jobs, candidates, &switches[..=last]),
        _ => plain::starts(processors, jobs, twin(name)),
    };
    (0..).zip(candidates).map(machine).collect()
}

#[test]
fn pbas_agrees_with_its_twin_by_every_metric() {
    for background in ["real", "alone"] {
        let mut switched = 0;
        for metric in METRICS {
            for (history, candidates) in
                [(1, CANDIDATES[0]), (1, CANDIDATES[1]), (3, CANDIDATES[2])]
            {
                for seed in 0..60 {
                    let (processors, jobs) = long_jobs(seed);
                    let scenario = adaptive("pbas", &candidates)
                        .with("metric", metric)
                        .with("history", f64::from(history))
                        .with("background", background);
                    let ours = schedule(&scenario, &workload(processors, &jobs));
                    let begin = [(jobs[0].submit, 0)];
                    let state = RefCell::new((
                        begin.to_vec(),
                        Vec::new(),
                        vec![Vec::new(); candidates.len()],
                    ));
                    let (naive, naive_switches) =
                        naive(processors, &jobs, &candidates, |end, active| {
                            let (script, machines, frames) = &mut *state.borrow_mut();
                            if machines.is_empty() {
                                *machines = self::machines(
                                    processors,
                                    &jobs,
                                    &candidates,
                                    background == "alone",
                                    script,
                                );
                            }
                            let mut bad = Vec::new();
                            for (machine, frames) in machines.iter().zip(frames) {
                                frames.push(tally(metric, &jobs, machine, end - FRAME, end));
                                let last = &frames[frames.len().saturating_sub(history as usize)..];
                                let (sum, count) =
                                    last.iter().fold((0, 0), |(sum, count), frame| {
                                        (sum + frame.0, count + frame.1)
                                    });
                                bad.push((count > 0).then(|| {
                                    if metric == "utilisation" {
                                        sum as f64
                                    } else {
                                        sum as f64 / count as f64
                                    }
                                }));
                            }
                            let Some(own) = bad[active] else {
                                return active;
                            };
                            let least = bad.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                            let next = if own <= least {
                                active
                            } else {
                                bad.iter().position(|bad| *bad == Some(least)).unwrap()
                            };
                            if next != active {
                                script.push((end, next as u32));
                                machines.clear();
                            }
                            next
                        });
                    let on = format!("{background}, {metric}, history {history}, seed {seed}");
                    assert_eq!(switches(&ours), naive_switches, "{on}");
                    assert_eq!(starts(&ours), naive, "{on}");
                    switched += naive_switches.len() - 1;
                }
            }
        }
        assert!(switched > 100, "{switched} switches test little");
    }
}

#[test]
fn wbas_agrees_with_its_twin() {
    for (maf, beginning) in [
        (1.0, "first"),
        (2.5, "first"),
        (40.0, "first"),
        (15.0, "mean"),
    ] {
        for (seed, candidates) in (0..150).zip(CANDIDATES.iter().cycle()) {
            let candidates = &candidates[seed as usize / 3 % 2..][..2];
            let (processors, jobs) = long_jobs(seed);
            let scenario = adaptive("wbas", candidates)
                .with("maf", maf)
                .with("beginning", beginning);
            let ours = schedule(&scenario, &workload(processors, &jobs));
            let (naive, naive_switches) = naive(processors, &jobs, candidates, |end, active| {
                let sizes = |from: i64| {
                    jobs.iter()
                        .filter(move |job| from < job.submit && job.submit <= end)
                        .map(|job| f64::from(job.processors))
                };
                let usual = sizes(i64::MIN)
                    .zip(1..)
                    .map(|(size, count)| (size, f64::from(count)))
                    .reduce(|(usual, _), (size, count)| {
                        let factor = if beginning == "mean" {
                            maf.min(count)
                        } else {
                            maf
                        };
                        ((1.0 - 1.0 / factor) * usual + 1.0 / factor * size, count)
                    });
                let usual = usual.unwrap().0;
                // The first job arrives when the first frame begins, and counts for it.
                let from = if end == jobs[0].submit + FRAME {
                    i64::MIN
                } else {
                    end - FRAME
                };
                let frame: Vec<f64> = sizes(from).collect();
                let last = frame.iter().sum::<f64>() / frame.len() as f64;
                let (all, count) = (sizes(i64::MIN).sum::<f64>(), sizes(i64::MIN).count() as f64);
                // While AP is the mean of all, in whole numbers.
                let is_less = if beginning == "mean" && count <= maf {
                    all * (frame.len() as f64) < frame.iter().sum::<f64>() * count
                } else {
                    usual < last
                };
                if frame.is_empty() {
                    active
                } else {
                    usize::from(!is_less)
                }
            });
            assert_eq!(switches(&ours), naive_switches, "MAF {maf}, seed {seed}");
            assert_eq!(starts(&ours), naive, "MAF {maf}, seed {seed}");
        }
    }
}

/// Where all jobs so far came in the first frame, its mean is the mean of all, however sums of
/// fractions are rounded: the second candidate decides.
#[test]
fn wbas_does_not_decide_its_first_frame_by_rounding() {
    for seed in 0..200 {
        let mut stream = schedscope::random::Stream::new(seed, "sizes");
        let job = |submit| Job {
            submit,
            runtime: 1,
            estimate: 1,
            processors: stream.below(10) as u32 + 1,
            user: 0,
        };
        let mut jobs: Vec<Job> = (0..=FRAME).map(job).collect();
        jobs.push(Job {
            submit: FRAME + 10,
            ..jobs[0]
        });
        let scenario = adaptive("wbas", &["easy", "fcfs"])
            .with("maf", 1e9)
            .with("beginning", "mean");
        assert_eq!(
            switches(&schedule(&scenario, &workload(10, &jobs)))[..2],
            [(0, 0), (FRAME, 1)],
            "seed {seed}"
        );
    }
}

/// MAF 2: the average after 8 is 8, after 4 it is 6, after 2 it is 4, after 6 it is 5, after 3 it
/// is 4.
#[test]
fn wbas_by_hand() {
    let job = |submit: i64, processors: u32| Job {
        submit,
        runtime: 1,
        estimate: 1,
        processors,
        user: 0,
    };
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
    let scenario = adaptive("wbas", &["easy", "priority"]).with("maf", 2.0);
    // Event by event too: the frame that ends at 180 has the arrival of that instant.
    let event_by_event = schedule(
        &scenario.clone().with("ties", "per_event"),
        &workload(10, &jobs),
    );
    let schedule = schedule(&scenario, &workload(10, &jobs));
    assert_eq!(switches(&schedule), [(0, 0), (60, 1), (180, 0), (300, 1)]);
    assert_eq!(switches(&event_by_event), switches(&schedule));
    let measures = schedscope::metrics::measure(&schedule, &schedscope::param::Settings::default());
    assert_eq!(schedule.span(), (Time::ZERO, Time::from_seconds(401)));
    let figure = |key: &str| measures.figures[key];
    assert_eq!(
        (figure("switches.count"), figure("switches.per_day")),
        (3.0, 3.0 / (401.0 / 86_400.0))
    );
    assert!(
        (figure("deciding.1st") - 180.0 / 401.0).abs() < 1e-12
            && (figure("deciding.2nd") - 221.0 / 401.0).abs() < 1e-12
    );
}
