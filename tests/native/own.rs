//! Own policies against the policies that they repeat: through plain calls, they make the same
//! schedule, and give the same reasons.

use super::support::{
    Overruns, check, folder, random_workload, refused, root, schedscope, schedule, simulation,
    small,
};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::param::Settings;
use schedscope::plan::{Plan, cells};
use schedscope::policy::define;
use schedscope::policy::own::{Beside, CodeHost, Definition, Guest, Submission, calls};
use schedscope::problem::Problem;
use schedscope::workload::Workload;
use schedscope::workload::model::generate;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A policy whose code is a function of Rust.
#[derive(Clone)]
struct Code {
    decide: fn(),
    believe: Option<fn(&Submission) -> f64>,
    /// The number of turns after which the code fails.
    fails_after: Option<u32>,
}

impl CodeHost for Code {
    fn begin(&self, _: &str) -> Result<Box<dyn Guest>, Problem> {
        Ok(Box::new(self.clone()))
    }
}

impl Guest for Code {
    fn beside(&self) -> Beside {
        Beside {
            believe: self.believe.is_some(),
            completed: false,
        }
    }

    fn decide(&mut self) -> Result<(), Problem> {
        if let Some(turns) = &mut self.fails_after {
            if *turns == 0 {
                return Err(Problem::new(
                    "The code failed.",
                    "A test wants it.",
                    "None.",
                ));
            }
            *turns -= 1;
        }
        (self.decide)();
        Ok(())
    }

    fn fork(&self) -> Result<Box<dyn Guest>, Problem> {
        Ok(Box::new(self.clone()))
    }

    fn believe(&mut self, job: &Submission) -> Result<Option<f64>, Problem> {
        Ok(self.believe.map(|believe| believe(job)))
    }
}

fn defined(definition: &Value, decide: fn()) -> Scenario {
    let code = Code {
        decide,
        believe: None,
        fails_after: None,
    };
    with_code(definition, code)
}

fn with_code(definition: &Value, code: Code) -> Scenario {
    let definition = Definition::read(definition).unwrap();
    Scenario::new(define(definition, Arc::new(code)).unwrap().id)
}

/// Returns the waiting jobs, in order of arrival.
fn queue() -> impl Iterator<Item = u32> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let found = calls::next(position, calls::NONE, f64::INFINITY, 0);
        position = found.saturating_add(1);
        (found != calls::NONE).then(|| calls::job_at(found))
    })
}

fn fcfs() {
    for job in queue() {
        if calls::start(job) == 0 {
            calls::because(calls::NONE, 0, job);
            break;
        }
    }
}

fn easy() {
    let head = calls::start_heads();
    if head != calls::NONE && !calls::reserve(head).is_nan() {
        let mut position = 0;
        loop {
            position = calls::next_admitted(position);
            if position == calls::NONE {
                break;
            }
            calls::start(calls::job_at(position));
            position += 1;
        }
    }
}

/// EASY again, from the running jobs and the queue alone.
fn easy_by_hand() {
    let head = loop {
        let first = calls::first();
        if first == calls::NONE {
            return;
        }
        let head = calls::job_at(first);
        if calls::start(head) == 0 {
            break head;
        }
    };
    let (count, mut free, mut shadow) = (calls::running(), calls::free(), None);
    for at in 0..count {
        free += calls::running_size(at);
        let is_last = at + 1 == count || calls::running_end(at + 1) != calls::running_end(at);
        if free >= calls::size(head) && is_last {
            shadow = Some((calls::running_end(at), free - calls::size(head)));
            break;
        }
    }
    let Some((shadow, mut extra)) = shadow else {
        return;
    };
    let rest: Vec<u32> = queue().filter(|job| *job != head).collect();
    for job in rest {
        let position = calls::position(job);
        let is_long = calls::now() + calls::expected_at(position) > shadow;
        let size = calls::size_at(position);
        let may_start = !is_long || size <= extra;
        if may_start && calls::start(job) == 1 && is_long {
            extra -= size;
        }
    }
}

fn conservative() {
    if calls::plan_go_on() == 0 {
        return;
    }
    for at in 0..calls::arrived() {
        calls::plan_reserve(calls::arrived_job(at));
    }
    calls::plan_start_due();
}

fn conservative_anew() {
    calls::start_heads();
    calls::plan_anew();
    for job in queue() {
        if calls::plan_start(job) == 0 {
            calls::plan_reserve(job);
        }
    }
}

/// Tries jobs, the shortest first.
fn shortest() {
    let mut jobs: Vec<u32> = queue().collect();
    jobs.sort_by_key(|job| calls::expected_at(calls::position(*job)) as i64);
    for job in jobs {
        calls::start(job);
    }
}

/// Returns the reservations and reasons of every decision after which jobs wait.
fn stories(scenario: &Scenario, workload: &Arc<Workload>) -> Vec<String> {
    let mut teller = StoryTeller::new(Arc::clone(workload));
    simulation(scenario, workload).run(&mut teller);
    let steps = teller.into_story().steps;
    let waits = steps.iter().filter(|step| !step.waiting.is_empty());
    waits
        .map(|step| format!("{:?} {:?} {:?}", step.at, step.reserved, step.waiting))
        .collect()
}

#[test]
fn own_policies_repeat_the_known_ones() {
    let conservative_needs = |id: &str| json!({ "id": id, "needs": "counts" });
    let pairs = [
        (
            defined(&json!({ "id": "own-fcfs" }), fcfs),
            Scenario::new("fcfs"),
        ),
        (
            defined(&json!({ "id": "own-easy" }), easy),
            Scenario::new("easy"),
        ),
        (
            defined(&json!({ "id": "own-easy-by-hand" }), easy_by_hand),
            Scenario::new("easy"),
        ),
        (
            defined(&conservative_needs("own-conservative"), conservative),
            Scenario::new("conservative"),
        ),
        (
            defined(&conservative_needs("own-anew"), conservative_anew),
            Scenario::new("conservative").with("compression", "anew"),
        ),
        (
            defined(&json!({ "id": "own-shortest" }), shortest),
            Scenario::new("priority").with("starvation", "none"),
        ),
    ];
    for (own, known) in pairs {
        for machine in ["flat", "torus", "gang"] {
            let on = |scenario: &Scenario| {
                small(Scenario {
                    machine: machine.into(),
                    ..scenario.clone()
                })
            };
            let (own, known) = (on(&own), on(&known));
            // Rows give one more way to place a job, and by-hand EASY knows counts only.
            let differs = machine != "flat" && own.policy == "own-easy-by-hand";
            if differs || own.resolve().is_err() {
                continue;
            }
            for (estimates, seed) in ["requested", "predicted"]
                .into_iter()
                .flat_map(|estimates| (0..60).map(move |seed| (estimates, seed)))
            {
                if known.policy == "fcfs" && estimates == "predicted" {
                    continue;
                }
                let believing = |scenario: &Scenario| match estimates {
                    "requested" => scenario.clone(),
                    _ => scenario.clone().with("estimates", estimates),
                };
                let (own, known) = (believing(&own), believing(&known));
                let workload = random_workload(&known, seed, Overruns::Sometimes);
                let (ours, theirs) = (schedule(&own, &workload), schedule(&known, &workload));
                assert!(ours.is_complete());
                assert_eq!(
                    ours.digest(),
                    theirs.digest(),
                    "{} on {machine}, {estimates}, seed {seed}",
                    own.policy
                );
                // On other machines a known policy tells more about placements.
                if machine == "flat" && estimates == "requested" && own.policy != "own-easy-by-hand"
                {
                    let known = stories(&known, &workload);
                    for (step, known) in stories(&own, &workload).iter().zip(known) {
                        assert_eq!(step, &known, "{} on {machine}, seed {seed}", own.policy);
                    }
                }
            }
        }
    }
}

/// Returns the problem with which a run of random jobs ends.
fn failure(scenario: &Scenario) -> Problem {
    let trace = Arc::new(generate("random", &Settings::default().with("jobs", 50.0)).unwrap());
    let mut run = scenario.resolve().unwrap().run(trace).unwrap();
    assert!(run.advance(u64::MAX).done, "{}", scenario.policy);
    run.check_complete().unwrap_err()
}

#[test]
fn a_failure_of_the_code_stops_the_run_and_is_told() {
    let code = Code {
        decide: fcfs,
        believe: None,
        fails_after: Some(10),
    };
    let problem = failure(&with_code(&json!({ "id": "own-failing" }), code));
    assert_eq!(problem.what, "The code failed.");

    let problem = failure(&defined(&json!({ "id": "own-planning" }), conservative));
    assert!(
        problem.what.contains("plans, but does not say"),
        "{problem}"
    );

    let problem = failure(&defined(&json!({ "id": "own-lazy" }), || ()));
    assert!(problem.next.contains("the policy `own-lazy`"), "{problem}");
}

#[test]
fn a_policy_sees_no_job_that_has_not_arrived_and_nothing_between_turns() {
    fn spy() {
        for job in 0..100 {
            let submitted = calls::submitted(job);
            assert!(submitted.is_nan() || submitted <= calls::now());
            assert_eq!(submitted.is_nan(), calls::size(job) == 0);
            assert_eq!(submitted.is_nan(), calls::number(job).is_nan());
            assert_eq!(submitted.is_nan(), calls::of(job, 0).is_nan());
        }
        fcfs();
    }
    let own = small(defined(&json!({ "id": "own-spy" }), spy));
    for seed in 0..20 {
        let workload = random_workload(&own, seed, Overruns::Sometimes);
        assert!(schedule(&own, &workload).is_complete());
    }
    assert!(calls::now().is_nan() && calls::free() == 0 && calls::first() == calls::NONE);
    assert_eq!((calls::start(0), calls::running()), (0, 0));
}

#[test]
fn an_own_belief_counts() {
    let code = Code {
        decide: shortest,
        believe: Some(|job| 1e6 * f64::from(100 - job.size)),
        fails_after: None,
    };
    let own = small(with_code(&json!({ "id": "own-believer" }), code));
    // By this belief the widest jobs are the shortest.
    let known = small(Scenario::new("priority"))
        .with("starvation", "none")
        .with("order", "largest");
    for seed in 0..20 {
        let workload = random_workload(&known, seed, Overruns::Never);
        assert_eq!(
            schedule(&own, &workload).digest(),
            schedule(&known, &workload).digest()
        );
    }
}

#[test]
fn an_adaptive_policy_takes_own_candidates() {
    let own = defined(&json!({ "id": "own-candidate" }), easy);
    let pbas = |candidates: &str| {
        small(Scenario::new("pbas"))
            .with("candidates", candidates)
            .with("frame", 60.0)
    };
    let (own, known) = (pbas(&format!("fcfs+{}", own.policy)), pbas("fcfs+easy"));
    for seed in 0..20 {
        let workload = random_workload(&known, seed, Overruns::Sometimes);
        assert_eq!(
            schedule(&own, &workload).digest(),
            schedule(&known, &workload).digest()
        );
    }
}

#[test]
fn a_definition_that_breaks_a_rule_is_refused() {
    let param = |more: Value| {
        let mut param =
            json!({ "key": "depth", "type": "whole", "min": 0, "max": 9, "default": 3 });
        for (key, value) in more.as_object().unwrap() {
            param[key] = value.clone();
        }
        json!({ "id": "own", "params": [param] })
    };
    let long = "x".repeat(501);
    for (definition, said) in [
        (json!([]), "is not an object"),
        (json!({}), "`id` is not there"),
        (json!({ "id": "My Policy" }), "cannot be the id"),
        (json!({ "id": "own+other" }), "cannot be the id"),
        (json!({ "id": 7 }), "`id` is not a text"),
        (json!({ "id": "own", "nmae": "x" }), "has a field `nmae`"),
        (json!({ "id": "own", "name": long }), "too large"),
        (json!({ "id": "own", "needs": "rows" }), "`needs` is not"),
        (
            json!({ "id": "own", "params": {} }),
            "`params` is not a list",
        ),
        (param(json!({ "key": "De pth" })), "cannot be the key"),
        (
            param(json!({ "key": "estimates" })),
            "cannot have a parameter",
        ),
        (param(json!({ "type": "text" })), "`type` is not"),
        (param(json!({ "max": "9" })), "`max` is not a number"),
        (param(json!({ "default": 10 })), "cannot be `10`"),
        (param(json!({ "default": 0.5 })), "cannot be `0.5`"),
        (
            param(json!({ "type": "choice", "options": [{ "id": "a" }], "default": "b" })),
            "cannot be `b`",
        ),
        (
            json!({ "id": "own", "params": vec![json!({}); 41] }),
            "too large",
        ),
    ] {
        let problem = Definition::read(&definition).unwrap_err();
        assert!(problem.what.contains(said), "{definition}: {problem}");
    }
    for id in ["easy", "recorded"] {
        let definition = Definition::read(&json!({ "id": id })).unwrap();
        let code = Code {
            decide: fcfs,
            believe: None,
            fails_after: None,
        };
        let problem = define(definition, Arc::new(code)).map(drop).unwrap_err();
        assert!(problem.what.contains("a policy that exists"), "{problem}");
    }
    // A key of the machine is known only when the machine is.
    let own = with_code(
        &json!({ "id": "own-taken", "params": [
            { "key": "start_delay", "type": "real", "min": 0, "max": 9, "default": 3 }
        ]}),
        Code {
            decide: fcfs,
            believe: None,
            fails_after: None,
        },
    );
    let problem = own.resolve().map(drop).unwrap_err();
    assert!(problem.what.contains("`start_delay`"), "{problem}");
}

/// Returns the path of a policy of the gallery.
fn gallery(name: &str) -> PathBuf {
    root().join("examples/policies").join(name)
}

/// Writes a policy of a test.
fn written(folder: &Path, name: &str, code: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, code).unwrap();
    path
}

/// A log with long queues, in which nobody knows run times exactly.
fn log(folder: &Path) -> PathBuf {
    let path = folder.join("log.swf");
    check(&schedscope(&[
        &"generate",
        &"lublin",
        &"--set",
        &"jobs=600",
        &"--set",
        &"seed=5",
        &"--out",
        &path,
        &"--force",
    ]));
    path
}

/// Two nodes have GPUs: whether a job fits depends on more than its processors.
#[test]
fn a_job_fits_if_it_starts() {
    let folder = folder("own fits");
    let code = "export default { id: 'asks', decide(turn) { for (const job of [...turn.queue]) {
        const fits = turn.fits(job);
        turn.log(turn.free >= job.size ? 'room' : 'full', fits ? 'fits' : 'short');
        if (fits !== job.start()) throw new Error(`job ${job.number}`);
        if (turn.fits(job)) throw new Error(`job ${job.number} runs`);
    } } };";
    let cluster = written(
        &folder,
        "cluster.conf",
        "NodeName=c[1-4] CPUs=4\nNodeName=g[1-2] CPUs=4 Gres=gpu:4\n",
    );
    let mut text = String::from(
        "; Note: written by Schedscope 0\n; MaxProcs: 24\n\
            ; Field 19: GPUs (column gpus, numbers)\n",
    );
    for job in 1..=60 {
        let (submit, size, gpus) = (job * 5, 1 + job % 5, job % 3 * 2);
        writeln!(
            text,
            "{job} {submit} -1 40 {size} -1 -1 {size} 40 -1 1 1 1 -1 -1 -1 -1 -1 {gpus}"
        )
        .unwrap();
    }
    let log = written(&folder, "gpus.swf", &text);
    let said = schedscope(&[
        &"run",
        &log,
        &"--policy",
        &written(&folder, "asks.js", code),
        &"--cluster",
        &cluster,
        &"--audit",
    ]);
    check(&said);
    assert!(String::from_utf8_lossy(&said.stderr).contains("room short"));
}

#[test]
fn the_terminal_runs_policies_in_javascript() {
    let log = log(&folder("own policies"));
    for (file, known) in [
        ("fcfs.js", "fcfs"),
        ("easy.js", "easy"),
        ("easy-by-hand.js", "easy"),
        ("shortest.js", "priority"),
        ("conservative.js", "conservative"),
    ] {
        let said = check(&schedscope(&[
            &"run",
            &log,
            &"--policy",
            &gallery(file),
            &"--policy",
            &known,
            &"--set",
            &"load=1.1",
            &"--audit",
        ]));
        assert!(said.contains("Same schedule"), "{file}: {said}");
    }
    // With one user, fair share is the order of arrival.
    let text = fs::read_to_string(&log).unwrap();
    let of_one_user = |line: &str| {
        let mut fields: Vec<_> = line.split_whitespace().collect();
        if !line.starts_with(';') {
            fields[11] = "1";
        }
        fields.join(" ") + "\n"
    };
    let log_of_one = written(
        &folder("fair share"),
        "log.swf",
        &text.lines().map(of_one_user).collect::<String>(),
    );
    for (passing, known) in [("no_delay", "easy"), ("nobody", "fcfs")] {
        let said = check(&schedscope(&[
            &"run",
            &log_of_one,
            &"--policy",
            &gallery("fair-share.js"),
            &"--policy",
            &known,
            &"--set",
            &format!("passing={passing}"),
            &"--set",
            &"load=1.1",
            &"--audit",
        ]));
        assert!(said.contains("Same schedule"), "{passing}: {said}");
    }
    for file in ["wfp3.js", "fair-share.js", "random.js", "reads-minds.js"] {
        check(&schedscope(&[
            &"run",
            &log,
            &"--policy",
            &gallery(file),
            &"--audit",
        ]));
    }
    // A setting of the policy, and a reason.
    let said = check(&schedscope(&[
        &"run",
        &log,
        &"--policy",
        &gallery("shortest.js"),
        &"--set",
        &"patience=0.5",
        &"--why",
        &"300",
    ]));
    assert!(said.contains("own-shortest"), "{said}");
}

#[test]
fn the_terminal_tells_what_is_wrong_with_a_policy() {
    let folder = folder("faulty policies");
    let log = log(&folder);
    let said = |path: &PathBuf| refused(&schedscope(&[&"run", &log, &"--policy", path]));
    for (name, code, wanted) in [
        (
            "syntax.js",
            "export default {\n  id: 'a',\n  decide( {\n};",
            "syntax.js",
        ),
        ("empty.js", "", "is no policy"),
        (
            "throws.js",
            "export default {\n  id: 'throws',\n  decide(turn) {\n    turn.nothing.more;\n  },\n};",
            "failed at line 4, column",
        ),
        (
            "clock.js",
            "export default { id: 'clock', decide() { Date.now(); } };",
            "Date",
        ),
        (
            "chance.js",
            "export default { id: 'chance', decide() { Math.random(); } };",
            "`turn.random()` gives random numbers",
        ),
        (
            "async.js",
            "export default { id: 'async', async decide() {} };",
            "asynchronous",
        ),
        (
            "belief.js",
            "export default { id: 'belief', believe: () => NaN, decide() {} };",
            "`believe` of the policy `belief` failed",
        ),
        (
            "timers.js",
            "export default { id: 'timers', decide(turn) { turn.wakeAt(turn.now + 1); } };",
            "asks for turns for ever",
        ),
        (
            "index.js",
            "export default { id: 'index', decide(turn) { turn.start(7); } };",
            "`start` takes a job of the queue, and got 7",
        ),
        (
            "files.js",
            "import * as std from 'std';\nexport default { id: 'files', decide() {} };",
            "files.js",
        ),
        (
            "memory.js",
            "export default { id: 'memory', decide() { const all = []; for (;;) all.push(new Float64Array(1e6)); } };",
            "memory",
        ),
        (
            "lazy.js",
            "export default { id: 'lazy', decide() {} };",
            "start the jobs that wait",
        ),
    ] {
        let said = said(&written(&folder, name, code));
        assert!(said.contains(wanted), "{name}: {said}");
        assert!(said.starts_with("error: "), "{name}: {said}");
    }
    assert!(said(&PathBuf::from("no-such.js")).contains("cannot be read"));
    // Two versions of a policy, side by side, need two ids.
    let code = "export default { id: 'twin', decide(turn) { turn.startHeads(); } };";
    let (one, two) = (
        written(&folder, "one.js", code),
        written(&folder, "two.js", code),
    );
    let said = refused(&schedscope(&[
        &"run",
        &log,
        &"--policy",
        &one,
        &"--policy",
        &two,
    ]));
    assert!(
        said.contains("Two files define the policy `twin`"),
        "{said}"
    );
}

#[test]
fn the_check_tells_faults_and_notes() {
    let folder = folder("checked policies");
    let conforming = check(&schedscope(&[
        &"check",
        &gallery("easy.js"),
        &"conservative",
    ]));
    assert_eq!(conforming, "own-easy: conforms.\nconservative: conforms.\n");
    let noted = check(&schedscope(&[&"check", &gallery("random.js")]));
    assert!(noted.contains("note: In a stream of jobs"), "{noted}");
    let path = written(
        &folder,
        "module.js",
        "let count = 0;\nexport default { id: 'module', decide(turn) {\n  count += 1;\n  \
            if (count % 3 === 0) for (const job of turn.queue) job.start();\n  \
            else turn.wakeAt(turn.now + 600e6);\n} };",
    );
    // Each run has a context of its own, so only a copy shares the variable.
    let output = schedscope(&[&"check", &path]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    assert!(said.contains("do not decide alike"), "{said}");
    assert!(refused(&output).contains("The check found"));
}

/// Defines FCFS under an id, with code of this hash.
fn define_with_hash(id: &str, sha256: &str) {
    let definition = Definition::read(&json!({ "id": id })).unwrap();
    let code = Code {
        decide: fcfs,
        believe: None,
        fails_after: None,
    };
    define(definition.of_code(sha256.to_owned()), Arc::new(code)).unwrap();
}

/// Defines the policy `keyed` with code of this hash, and returns the keys of a plan's cells: of FCFS,
/// of the policy, of PBAS with it as a candidate.
fn keys_with(sha256: &str) -> Vec<String> {
    define_with_hash("keyed", sha256);
    let plan = json!({
        "schedscope_plan": 1,
        "workloads": [{"model": {"id": "lublin"}}],
        "policies": [
            {"policy": "fcfs"},
            {"policy": "keyed"},
            {"policy": "pbas", "settings": {"candidates": "easy+keyed"}},
        ],
    });
    let plan = Plan::parse(&plan.to_string()).unwrap();
    let cells = cells(&plan).unwrap();
    cells.into_iter().map(|cell| cell.key).collect()
}

#[test]
fn the_key_of_a_cell_holds_the_code() {
    let [one, other] = ["1", "2"].map(|digit| digit.repeat(64));
    let before = keys_with(&one);
    assert_eq!(before, keys_with(&one), "the same code");
    let after = keys_with(&other);
    assert_eq!(before[0], after[0], "a policy of the engine");
    assert_ne!(before[1], after[1], "the policy");
    assert_ne!(before[2], after[2], "a candidate");
    assert_ne!(
        keys_with("")[1],
        keys_with("")[1],
        "code that nobody has told is new each time"
    );
}

#[test]
fn a_plan_does_not_run_with_other_code() {
    let [known, other] = ["3", "4"].map(|digit| digit.repeat(64));
    define_with_hash("meant", &known);
    let with = |policy: &str, sha256: &str| {
        let plan = json!({
            "schedscope_plan": 1,
            "workloads": [{"model": {"id": "lublin"}}],
            "policies": [{"policy": "meant"}],
            "own": [{"policy": policy, "file": "meant.js", "sha256": sha256}],
        });
        Plan::parse(&plan.to_string()).map_err(|problem| problem.to_string())
    };
    assert!(with("meant", &known).is_ok());
    let refused = with("meant", &other).unwrap_err();
    assert!(
        refused.contains("own[0]") && refused.contains(&known),
        "{refused}"
    );
    assert!(with("meant", "12").unwrap_err().contains("own[0].sha256"));
    let absent = with("absent", &known).unwrap_err();
    assert!(absent.contains("is not given"), "{absent}");
}

#[test]
fn a_sweep_runs_own_policies_by_their_files_or_the_plans_code() {
    let folder = folder("own sweeps");
    let code = fs::read_to_string(gallery("fcfs.js")).unwrap();
    let mut print = schedscope::trace::Fingerprint::default();
    print.push(code.as_bytes());
    let sha256 = print.finish();
    let plan = |own: Value| {
        let mut plan = json!({
            "schedscope_plan": 1,
            "workloads": [{"model": {"id": "lublin", "settings": {"jobs": 200, "processors": 64}}}],
            "policies": [{"policy": "fcfs"}, {"policy": "own-fcfs"}],
            "seeds": [1, 2],
        });
        if !own.is_null() {
            plan["own"] = json!([own]);
        }
        plan.to_string()
    };
    let path = folder.join("plan.json");
    let out = folder.join("out");
    let digests = |out: &Path| {
        let table = fs::read_to_string(out.join("results.csv")).unwrap();
        let mut lines = table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let at = head.iter().position(|name| *name == "digest").unwrap();
        lines.map(|line| line[at].to_owned()).collect::<Vec<_>>()
    };
    let held = json!({"policy": "own-fcfs", "file": "fcfs.js", "sha256": sha256, "code": code});
    fs::write(&path, plan(held.clone())).unwrap();
    let said = refused(&schedscope(&[&"sweep", &path, &"--out", &out]));
    assert!(said.contains("--run-code"), "{said}");
    check(&schedscope(&[
        &"sweep",
        &path,
        &"--out",
        &out,
        &"--run-code",
    ]));
    let found = digests(&out);
    assert_eq!(found.len(), 4);
    assert_eq!(
        (&found[0], &found[2]),
        (&found[1], &found[3]),
        "FCFS and its copy"
    );

    // The same cells, found again by the file, and merged.
    fs::write(&path, plan(Value::Null)).unwrap();
    let file = gallery("fcfs.js");
    let again = check(&schedscope(&[
        &"sweep",
        &path,
        &"--out",
        &out,
        &"--policy",
        &file,
    ]));
    assert!(again.contains("0 of them to run"), "{again}");
    let merged = folder.join("merged");
    check(&schedscope(&[
        &"merge",
        &out,
        &"--out",
        &merged,
        &"--policy",
        &file,
    ]));
    assert_eq!(digests(&merged), found);

    // Other code under the same id.
    let other = folder.join("fcfs.js");
    fs::write(&other, format!("// Changed.\n{code}")).unwrap();
    fs::write(&path, plan(held)).unwrap();
    let said = refused(&schedscope(&[
        &"sweep",
        &path,
        &"--out",
        &out,
        &"--policy",
        &other,
    ]));
    assert!(said.contains("own[0]"), "{said}");
    let said = refused(&schedscope(&[
        &"sweep",
        &path,
        &"--out",
        &out,
        &"--policy",
        &"easy",
    ]));
    assert!(said.contains("names no file"), "{said}");
}
