//! The terminal's host of policies that are compiled to WebAssembly: a faulty module is refused or
//! stopped with a message, whatever it does, and a module means what the same code in JavaScript
//! means.

#[path = "../../src/bin/schedscope/own/compiled.rs"]
mod host;

use super::support::{check, folder, refused, root, schedscope};
use host::CompiledPolicy;
use schedscope::policy::own::CodeHost;
use schedscope::problem::Problem;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

/// The definition of a module's policy at a place in its memory, and the function that tells it.
fn described(json: &str) -> String {
    format!(
        "(memory (export \"memory\") 1) (data (i32.const 1024) \"{}\\00\")
            (func (export \"describe\") (result i32) (i32.const 1024))",
        json.replace('\n', " ").replace('"', "\\22")
    )
}

/// Imports of the engine's functions, by name and type.
fn imports(functions: &[(&str, &str)]) -> String {
    let import = |(name, kind): &(&str, &str)| {
        format!("(import \"schedscope\" \"{name}\" (func ${name} {kind}))")
    };
    functions.iter().map(import).collect()
}

const HEADS: (&str, &str) = ("start_heads", "(result i32)");
const NOW: (&str, &str) = ("now", "(result f64)");
const WAKE: (&str, &str) = ("wake_at", "(param f64) (result i32)");
const WAITING: (&str, &str) = ("waiting", "(result i32)");

/// A module whose `decide` does this, beside more fields.
fn deciding(id: &str, functions: &[(&str, &str)], more: &str, decide: &str) -> Vec<u8> {
    bytes(&format!(
        "(module {} {} {more} (func (export \"decide\") {decide}))",
        imports(functions),
        described(&format!("{{\"id\": \"{id}\"}}"))
    ))
}

fn bytes(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"))
}

fn written(folder: &Path, name: &str, code: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, code).unwrap();
    path
}

/// A log with long queues, in which nobody knows run times exactly.
fn log(folder: &Path) -> PathBuf {
    let path = folder.join("log.swf");
    let options = [
        "generate", "lublin", "--set", "jobs=600", "--set", "seed=5", "--force", "--out",
    ];
    let mut arguments: Vec<&dyn AsRef<OsStr>> = Vec::new();
    arguments.extend(options.iter().map(|option| option as &dyn AsRef<OsStr>));
    arguments.push(&path);
    check(&schedscope(&arguments));
    path
}

/// Runs policies on a log under load, with long estimates.
fn run(log: &Path, policies: &[&dyn AsRef<OsStr>], settings: &[&str]) -> Output {
    let mut arguments: Vec<&dyn AsRef<OsStr>> = vec![&"run", &log, &"--audit"];
    for policy in policies {
        arguments.extend([&"--policy" as &dyn AsRef<OsStr>, *policy]);
    }
    let loaded = ["load=1.1", "estimate_model=factor", "estimate_factor=4"];
    for setting in loaded.iter().chain(settings) {
        arguments.extend([&"--set" as &dyn AsRef<OsStr>, setting]);
    }
    schedscope(&arguments)
}

/// Returns the problem of reading a module.
fn unread(code: &[u8], longest: Duration) -> Problem {
    let read = CompiledPolicy::read("faulty.wasm", code, longest);
    read.map(drop).unwrap_err()
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn the_terminal_runs_the_easy_of_the_gallery() {
    let folder = folder("compiled easy");
    let text = fs::read_to_string(root().join("examples/policies/easy.wat")).unwrap();
    let easy = written(&folder, "easy.wasm", &bytes(&text));
    let log = log(&folder);
    let said = check(&run(&log, &[&easy, &"easy"], &[]));
    assert!(
        said.contains("easy has that of compiled-easy, job by job"),
        "{said}"
    );
    let said = check(&run(&log, &[&easy, &"fcfs"], &[]));
    assert!(!said.contains("Same schedule"), "{said}");
    let said = check(&schedscope(&[&"check", &easy]));
    assert_eq!(said, "compiled-easy: conforms.\n");
}

#[test]
fn a_module_means_what_the_same_code_in_javascript_means() {
    let folder = folder("compiled twins");
    let log = log(&folder);
    // Beliefs depend on many facts of a job, and what happens next on the last completion.
    let javascript = "export default { id: 'js-twin', params: [
            { key: 'mode', type: 'choice', options: [{ id: 'never' }, { id: 'often' }], default: 'often' },
            { key: 'hour', type: 'real', min: 0, max: 9e9, default: 36e8 } ],
        begin: () => ({ ran: 0 }),
        believe: (job) => job.estimate * 0.5 + (job.size + job.user + job.index + job.number) * 1e6,
        completed(job, ran, state) { state.ran = ran; },
        decide(turn, state) {
            const head = turn.startHeads();
            if (head === undefined) return;
            if (turn.settings.mode === 'often' && state.ran > turn.settings.hour) return;
            for (const job of turn.reserve(head) ?? []) job.start();
        } };";
    let definition = "{\"id\": \"wasm-twin\", \"params\": [
            {\"key\": \"mode\", \"type\": \"choice\", \"options\": [{\"id\": \"never\"}, {\"id\": \"often\"}], \"default\": \"often\"},
            {\"key\": \"hour\", \"type\": \"real\", \"min\": 0, \"max\": 9e9, \"default\": 36e8}]}";
    let functions = imports(&[
        HEADS,
        ("setting", "(param i32) (result f64)"),
        ("reserve", "(param i32) (result f64)"),
        ("next_admitted", "(param i32) (result i32)"),
        ("job_at", "(param i32) (result i32)"),
        ("start", "(param i32) (result i32)"),
    ]);
    let compiled = bytes(&format!(
        "(module {functions} {}
            (global $ran (export \"ran\") (mut f64) (f64.const nan))
            (func (export \"begin\") (global.set $ran (f64.const 0)))
            (func (export \"believe\") (param f64 f64 f64 f64 f64 f64) (result f64)
                (f64.add (f64.mul (local.get 3) (f64.const 0.5))
                    (f64.mul (f64.const 1e6) (f64.add (f64.add (local.get 4) (local.get 5))
                        (f64.add (local.get 0) (local.get 1))))))
            (func (export \"completed\") (param f64 f64 f64 f64 f64 f64 f64 f64 f64 f64)
                (global.set $ran (local.get 9)))
            (func (export \"decide\") (local $head i32) (local $position i32)
                (local.set $head (call $start_heads))
                (if (i32.eq (local.get $head) (i32.const -1)) (then (return)))
                (if (f64.eq (call $setting (i32.const 0)) (f64.const 1))
                    (then (if (f64.gt (global.get $ran) (call $setting (i32.const 1))) (then (return)))))
                (drop (call $reserve (local.get $head)))
                (loop $again
                    (local.set $position (call $next_admitted (local.get $position)))
                    (if (i32.ne (local.get $position) (i32.const -1)) (then
                        (drop (call $start (call $job_at (local.get $position))))
                        (local.set $position (i32.add (local.get $position) (i32.const 1)))
                        (br $again))))))",
        described(definition)
    ));
    let javascript = written(&folder, "twin.js", javascript.as_bytes());
    let compiled = written(&folder, "twin.wasm", &compiled);
    for settings in [&[][..], &["mode=never"], &["hour=60e6"]] {
        let said = check(&run(&log, &[&javascript, &compiled], settings));
        assert!(said.contains("Same schedule"), "{settings:?}: {said}");
    }
    // The settings count, or the comparison above says little.
    let digest = |settings: &[&str]| {
        let said = check(&run(&log, &[&compiled], settings));
        let line = said.lines().find(|line| line.contains("digest"));
        line.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert_ne!(digest(&[]), digest(&["mode=never"]));
    assert_ne!(digest(&[]), digest(&["hour=60e6"]));
    let said = check(&schedscope(&[&"check", &compiled]));
    assert!(!said.contains("fault"), "{said}");
}

/// A module that starts nothing in two of three turns, by a count that it keeps in a variable.
fn counting(id: &str, export: &str) -> Vec<u8> {
    deciding(
        id,
        &[HEADS, NOW, WAKE, WAITING],
        &format!("(global $turns {export} (mut i32) (i32.const 0))"),
        "(global.set $turns (i32.add (global.get $turns) (i32.const 1)))
        (if (i32.rem_u (global.get $turns) (i32.const 3))
            (then (if (call $waiting)
                (then (drop (call $wake_at (f64.add (call $now) (f64.const 600e6)))))))
            (else (drop (call $start_heads))))",
    )
}

#[test]
fn a_copy_gets_memory_and_exported_variables() {
    let folder = folder("compiled copies");
    let kept = written(
        &folder,
        "kept.wasm",
        &counting("kept", "(export \"turns\")"),
    );
    let said = check(&schedscope(&[&"check", &kept]));
    assert_eq!(said, "kept: conforms.\n");
    let lost = written(&folder, "lost.wasm", &counting("lost", ""));
    let said = schedscope(&[&"check", &lost]);
    assert!(
        String::from_utf8_lossy(&said.stdout).contains("do not decide alike"),
        "{}",
        refused(&said)
    );
    // The count is in a page of memory that the first turn adds.
    let grown = deciding(
        "grown",
        &[HEADS, NOW, WAKE, WAITING],
        "(global $at (export \"at\") (mut i32) (i32.const 0))",
        "(if (i32.eqz (global.get $at))
            (then (global.set $at (i32.mul (memory.grow (i32.const 1)) (i32.const 65536)))))
        (i32.store (global.get $at) (i32.add (i32.load (global.get $at)) (i32.const 1)))
        (if (i32.rem_u (i32.load (global.get $at)) (i32.const 3))
            (then (if (call $waiting)
                (then (drop (call $wake_at (f64.add (call $now) (f64.const 600e6)))))))
            (else (drop (call $start_heads))))",
    );
    let grown = written(&folder, "grown.wasm", &grown);
    let said = check(&schedscope(&[&"check", &grown]));
    assert_eq!(said, "grown: conforms.\n");
    // A reference to a function belongs to its instance, so that a copy begins with its own.
    let referring = deciding(
        "referring",
        &[HEADS],
        "(func $start (drop (call $start_heads)))
        (global $next (export \"next\") (mut funcref) (ref.func $start))
        (table $calls (export \"calls\") 1 funcref) (type $plain (func))",
        "(table.set $calls (i32.const 0) (global.get $next))
        (call_indirect $calls (type $plain) (i32.const 0))",
    );
    let referring = written(&folder, "referring.wasm", &referring);
    let said = check(&schedscope(&[&"check", &referring]));
    assert_eq!(said, "referring: conforms.\n");
}

#[test]
fn a_module_that_is_no_policy_is_refused() {
    let decide = "(func (export \"decide\"))";
    let module = |fields: &str| bytes(&format!("(module {fields})"));
    let telling = |at: &str, data: &str| {
        module(&format!(
            "(memory (export \"memory\") 1) (data (i32.const 65530) \"{data}\")
                (func (export \"describe\") (result i32) (i32.const {at})) {decide}"
        ))
    };
    let long_id = "x".repeat(41);
    for (code, wanted) in [
        (b"no module".to_vec(), "is not understood"),
        (Vec::new(), "is not understood"),
        (
            module(&format!("(memory i64 1) {decide}")),
            "is not understood",
        ),
        (
            module(&format!(
                "(func (result v128) (v128.const i64x2 0 0)) {decide}"
            )),
            "is not understood",
        ),
        (module(""), "is no policy"),
        (
            module(&imports(&[("fetch", "")])),
            "imports `schedscope.fetch`, which no policy gets",
        ),
        (
            module("(import \"schedscope\" \"now\" (global f64))"),
            "imports `schedscope.now`",
        ),
        (
            module("(import \"env\" \"memory\" (memory 1))"),
            "imports `env.memory`",
        ),
        (
            module("(import \"wasi_snapshot_preview1\" \"fd_write\" (func))"),
            "imports `wasi_snapshot_preview1.fd_write`",
        ),
        (
            module(&format!("{} {decide}", imports(&[("now", "(result i32)")]))),
            "cannot be instantiated",
        ),
        (
            module("(global (export \"decide\") i32 (i32.const 0))"),
            "exports `decide` as a global. It must be a function",
        ),
        (
            module("(func (export \"decide\") (param i32))"),
            "exports `decide` as a function `(i32) -> ()`",
        ),
        (
            module(&format!(
                "(func (export \"believe\") (param i32) (result f64) (f64.const 0)) {decide}"
            )),
            "exports `believe` as a function `(i32) -> (f64)`",
        ),
        (
            module(&format!("(func (export \"memory\")) {decide}")),
            "exports `memory` as a function",
        ),
        (
            module(&format!(
                "(func (export \"describe\") (result i32) (i32.const 0)) {decide}"
            )),
            "exports no `memory`",
        ),
        (telling("0", ""), "is not understood: EOF"),
        (telling("65530", "[]\\00"), "it is no object"),
        (telling("65530", "{}\\00"), ""),
        (telling("65530", "{}    "), "no byte 0 ends it"),
        (telling("65530", "\\ff\\fe\\00"), "invalid utf-8"),
        (telling("65536", ""), "no byte 0 ends it"),
        (telling("65537", ""), "65537 is not in the memory"),
        (telling("-1", ""), "4294967295 is not in the memory"),
        (
            module(&format!(
                "{} {decide}",
                described(&format!("{{\"id\": \"{long_id}\"}}"))
            )),
            "cannot be the id",
        ),
        (
            module(&format!("{} {decide}", described("{\"nmae\": \"x\"}"))),
            "has a field `nmae`",
        ),
        (
            module(&format!("{} {decide}", described(&"[".repeat(10_000)))),
            "recursion limit",
        ),
        (
            module(&format!(
                "(func $start unreachable) (start $start) {decide}"
            )),
            "cannot be instantiated: wasm `unreachable`",
        ),
        (
            module(&format!("(memory 65536) {decide}")),
            "asks for more memory",
        ),
        (
            module(&format!("(table 65537 funcref) {decide}")),
            "a longer table",
        ),
        (
            module(&format!("{} {decide}", "(table 1 funcref)".repeat(17))),
            "cannot be instantiated",
        ),
        (
            module(&format!("(memory 1) (memory 1) {decide}")),
            "is not understood",
        ),
        (
            module(&format!(
                "(memory 1) (data (i32.const 65535) \"ab\") {decide}"
            )),
            "cannot be instantiated",
        ),
    ] {
        if wanted.is_empty() {
            assert!(CompiledPolicy::read("good.wasm", &code, LONG).is_ok());
            continue;
        }
        let said = unread(&code, LONG).to_string();
        assert!(said.contains(wanted), "{wanted}: {said}");
        assert!(said.contains("faulty.wasm") || said.contains("id") || said.contains("field"));
    }
}

#[test]
fn the_terminal_tells_what_stops_a_module() {
    let folder = folder("faulty modules");
    let log = log(&folder);
    let said = |path: &PathBuf| refused(&schedscope(&[&"run", &log, &"--policy", path]));
    let believing = |id: &str, belief: &str| {
        let believe = format!("(func (export \"believe\") (result f64) {belief})");
        deciding(id, &[HEADS], &believe, "(drop (call $start_heads))")
    };
    let calls_itself = "(func $deeper (param i64 i64) (result i64)
        (i64.add (call $deeper (local.get 0) (local.get 1)) (i64.const 1)))";
    for (id, code, wanted) in [
        (
            "traps",
            deciding("traps", &[], "", "unreachable"),
            "`decide` of the policy `traps` failed: wasm `unreachable`",
        ),
        (
            "begins",
            deciding("begins", &[], "(func (export \"begin\") unreachable)", ""),
            "`begin` of the policy `begins` failed",
        ),
        (
            "divides",
            deciding(
                "divides",
                &[WAITING],
                "",
                "(drop (i32.div_u (i32.const 1) (i32.sub (call $waiting) (call $waiting))))",
            ),
            "`decide` of the policy `divides` failed: integer divide by zero",
        ),
        (
            "deep",
            deciding(
                "deep",
                &[],
                calls_itself,
                "(drop (call $deeper (i64.const 1) (i64.const 2)))",
            ),
            "`decide` of the policy `deep` failed: call stack exhausted",
        ),
        (
            "greedy",
            deciding(
                "greedy",
                &[],
                "",
                "(loop $more (drop (memory.grow (i32.const 16))) (br $more))",
            ),
            "`decide` of the policy `greedy` asks for more memory",
        ),
        (
            "tables",
            deciding(
                "tables",
                &[],
                "(table $all 1 funcref)",
                "(loop $more (drop (table.grow $all (ref.null func) (i32.const 9))) (br $more))",
            ),
            "`decide` of the policy `tables` asks for more memory, or a longer table",
        ),
        (
            "belief",
            believing("belief", "(f64.const inf)"),
            "`believe` of the policy `belief` returned inf",
        ),
        (
            "time",
            deciding(
                "time",
                &[WAKE],
                "",
                "(drop (call $wake_at (f64.const nan)))",
            ),
            "names the time NaN",
        ),
        (
            "timers",
            deciding(
                "timers",
                &[NOW, WAKE],
                "",
                "(drop (call $wake_at (f64.add (call $now) (f64.const 1))))",
            ),
            "asks for turns for ever",
        ),
        (
            "lazy",
            deciding("lazy", &[], "", ""),
            "Let the policy `lazy` start the jobs",
        ),
    ] {
        let said = said(&written(&folder, &format!("{id}.wasm"), &code));
        assert!(said.contains(wanted), "{id}: {said}");
        assert!(said.starts_with("error: "), "{id}: {said}");
    }
    assert!(said(&PathBuf::from("no-such.wasm")).contains("cannot be read"));
    let wide = vec![0; 1 << 21];
    let said = said(&written(&folder, "wide.wasm", &wide));
    assert!(said.contains("more than 1048576 bytes"), "{said}");
    // A belief that is none leaves the estimate.
    let none = written(&folder, "none.wasm", &believing("none", "(f64.const nan)"));
    let negative = believing("negative", "(f64.const -1)");
    let negative = written(&folder, "negative.wasm", &negative);
    let said = check(&run(&log, &[&none, &negative, &"fcfs"], &[]));
    assert_eq!(said.matches("Same schedule").count(), 2, "{said}");
}

const FOR_EVER: &str = "(loop $again (br $again))";

#[test]
fn a_loop_that_does_not_end_is_stopped() {
    let start = bytes(&format!(
        "(module (func $start {FOR_EVER}) (start $start) (func (export \"decide\")))"
    ));
    let problem = unread(&start, SHORT);
    assert!(
        problem.what.contains("executes more than 1000000000"),
        "{problem}"
    );
    let telling = bytes(&format!(
        "(module (memory (export \"memory\") 1) (func (export \"decide\"))
            (func (export \"describe\") (result i32) {FOR_EVER} unreachable))"
    ));
    let begun = Instant::now();
    let problem = unread(&telling, SHORT);
    assert!(
        problem
            .what
            .contains("`describe` of faulty.wasm ran for more than 0.1 seconds"),
        "{problem}"
    );
    assert!(begun.elapsed() >= SHORT);
    // Not only in `describe`, and also if each round calls the engine.
    for decide in [
        FOR_EVER,
        "(loop $again (drop (call $start_heads)) (br $again))",
    ] {
        let code = deciding("endless", &[HEADS], "", decide);
        let (_, policy) = CompiledPolicy::read("endless.wasm", &code, SHORT).unwrap();
        let mut guest = policy.begin("{}").unwrap();
        let problem = guest.decide().unwrap_err();
        let wanted = "`decide` of the policy `endless` ran for more than 0.1 seconds";
        assert!(problem.what.contains(wanted), "{problem}");
    }
}

#[test]
fn a_long_call_goes_on_after_each_look_at_the_clock() {
    let folder = folder("long calls");
    let log = log(&folder);
    // More than one slice in each call, and a memory whose growth alone takes several.
    let code = deciding(
        "long",
        &[HEADS],
        "(func (export \"begin\") (drop (memory.grow (i32.const 4000))))",
        "(local $left i32) (local.set $left (i32.const 400000))
        (loop $again
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $again (local.get $left)))
        (drop (call $start_heads))",
    );
    let policy = written(&folder, "long.wasm", &code);
    let said = check(&run(&log, &[&policy, &"fcfs"], &[]));
    assert!(said.contains("Same schedule"), "{said}");
}

#[test]
fn no_bytes_make_the_host_panic() {
    let text = fs::read_to_string(root().join("examples/policies/easy.wat")).unwrap();
    let good = bytes(&text);
    // One cut leaves a whole module: the names of its functions, which nobody needs, come last.
    let cuts = (0..good.len()).map(|length| &good[..length]);
    let whole = cuts.filter(|cut| CompiledPolicy::read("cut.wasm", cut, SHORT).is_ok());
    assert!(whole.count() <= 1);
    for at in 0..good.len() {
        for change in [1, 0x40, 0x80, 0xff] {
            let mut code = good.clone();
            code[at] ^= change;
            if let Ok((_, policy)) = CompiledPolicy::read("changed.wasm", &code, SHORT)
                && let Ok(mut guest) = policy.begin("{}")
            {
                // Outside a turn the engine's functions do nothing.
                let _ = guest.decide();
                let _ = guest.fork();
            }
        }
    }
}

/// Returns a number as WebAssembly writes it.
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn nested_blocks_are_read_without_a_deep_stack() {
    let section = |id: u8, content: &[u8]| [&[id][..], &leb(content.len()), content].concat();
    let depth = 300_000;
    let mut body = vec![0];
    body.extend([0x02, 0x40].repeat(depth));
    body.extend([0x0b].repeat(depth + 1));
    let code = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(7, b"\x01\x06decide\0\0"),
        section(10, &[&[1][..], &leb(body.len()), &body].concat()),
    ]
    .concat();
    let read = CompiledPolicy::read("nested.wasm", &code, SHORT);
    let (_, policy) = read.unwrap_or_else(|problem| panic!("{problem}"));
    assert!(policy.begin("{}").unwrap().decide().is_ok());
}
