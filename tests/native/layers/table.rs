//! The plan of src/: what each part may import, use and call. This is the one place to change it.

/// A part of src/, by the paths of its files, and the parts that it may import beside itself.
pub struct Part {
    pub path: &'static str,
    pub imports: &'static [&'static str],
}

const fn part(path: &'static str, imports: &'static [&'static str]) -> Part {
    Part { path, imports }
}

/// The parts, from the vocabulary to the borders. A file belongs to the longest path that it has.
pub const PARTS: &[Part] = &[
    part("problem.rs", &[]),
    part("sorting.rs", &[]),
    part("time.rs", &[]),
    part("job.rs", &["time.rs"]),
    part("limits.rs", &["problem.rs"]),
    part("param/", &["limits.rs", "problem.rs"]),
    part("pulse.rs", &["time.rs"]),
    part("random.rs", &["problem.rs"]),
    part("statistics.rs", &["sorting.rs"]),
    part(
        "trace/",
        &["limits.rs", "problem.rs", "pulse.rs", "sorting.rs"],
    ),
    part(
        "import/",
        &[
            "limits.rs",
            "problem.rs",
            "pulse.rs",
            "sorting.rs",
            "trace/",
        ],
    ),
    part(
        "workload/",
        &[
            "job.rs",
            "limits.rs",
            "param/",
            "problem.rs",
            "pulse.rs",
            "random.rs",
            "sorting.rs",
            "statistics.rs",
            "time.rs",
            "trace/",
        ],
    ),
    part(
        "machine/",
        &[
            "job.rs",
            "param/",
            "problem.rs",
            "pulse.rs",
            "sorting.rs",
            "time.rs",
        ],
    ),
    part(
        "machines/",
        &[
            "job.rs",
            "machine/",
            "param/",
            "problem.rs",
            "pulse.rs",
            "sorting.rs",
            "time.rs",
        ],
    ),
    part(
        "machines/mod.rs",
        &[
            "metrics/",
            "machines/shared/sight.rs",
            "machines/shared/spec.rs",
            "machines/",
            "machines/*/mod.rs",
            "param/",
            "problem.rs",
        ],
    ),
    part(
        "machines/shared/mod.rs",
        &[
            "machines/",
            "machines/shared/sight.rs",
            "machines/shared/spec.rs",
        ],
    ),
    part(
        "machines/shared/sight.rs",
        &[
            "param/",
            "problem.rs",
            "schedule/",
            "sim/",
            "time.rs",
            "view/",
        ],
    ),
    part(
        "machines/shared/spec.rs",
        &[
            "machines/shared/sight.rs",
            "metrics/",
            "machine/",
            "param/",
            "problem.rs",
            "schedule/",
        ],
    ),
    part(
        "machines/*/mod.rs",
        &[
            "metrics/",
            "machine/",
            "machines/",
            "machines/*/audit.rs",
            "machines/*/figures.rs",
            "machines/*/record.rs",
            "machines/*/view.rs",
            "machines/*/watch.rs",
            "machines/shared/sight.rs",
            "machines/shared/spec.rs",
            "param/",
            "problem.rs",
            "schedule/",
            "time.rs",
        ],
    ),
    part(
        "machines/*/record.rs",
        &[
            "job.rs",
            "machine/",
            "machines/",
            "machines/*/audit.rs",
            "machines/*/figures.rs",
            "schedule/",
            "sorting.rs",
            "time.rs",
        ],
    ),
    part(
        "machines/*/audit.rs",
        &[
            "machine/",
            "machines/",
            "schedule/",
            "sorting.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "machines/*/figures.rs",
        &[
            "machine/",
            "machines/",
            "metrics/",
            "schedule/",
            "sorting.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "machines/*/view.rs",
        &[
            "job.rs",
            "machine/",
            "machines/",
            "machines/*/record.rs",
            "machines/*/watch.rs",
            "machines/shared/sight.rs",
            "param/",
            "problem.rs",
            "schedule/",
            "sim/",
            "sorting.rs",
            "time.rs",
            "view/",
            "workload/",
        ],
    ),
    part(
        "machines/*/watch.rs",
        &["job.rs", "machines/", "sim/", "time.rs"],
    ),
    part(
        "sim/",
        &[
            "job.rs",
            "machine/",
            "param/",
            "pulse.rs",
            "sorting.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "policy/",
        &[
            "machines/",
            "job.rs",
            "machine/",
            "param/",
            "problem.rs",
            "pulse.rs",
            "sim/",
            "sorting.rs",
            "time.rs",
        ],
    ),
    part(
        "schedule/",
        &[
            "job.rs",
            "machine/",
            "sim/",
            "sorting.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "metrics/",
        &[
            "job.rs",
            "machine/",
            "param/",
            "pulse.rs",
            "schedule/",
            "sorting.rs",
            "statistics.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "files/",
        &[
            "job.rs",
            "limits.rs",
            "machine/",
            "metrics/",
            "schedule/",
            "sorting.rs",
            "time.rs",
            "trace/",
            "workload/",
        ],
    ),
    part(
        "view/",
        &[
            "job.rs",
            "limits.rs",
            "machine/",
            "metrics/",
            // Suggestions for unknown words of filters.
            "param/",
            "problem.rs",
            "schedule/",
            "sim/",
            "sorting.rs",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "explain/",
        &[
            "job.rs",
            "machine/",
            "schedule/",
            "sim/",
            "time.rs",
            "workload/",
        ],
    ),
    part(
        "experiment/",
        &[
            "machines/",
            "machines/*/record.rs",
            "machines/*/view.rs",
            "machines/*/watch.rs",
            "machines/*/mod.rs",
            "machines/mod.rs",
            "machines/shared/sight.rs",
            "machines/shared/spec.rs",
            "explain/",
            "files/",
            "job.rs",
            "limits.rs",
            "machine/",
            "metrics/",
            "param/",
            "policy/",
            "problem.rs",
            "pulse.rs",
            "schedule/",
            "sim/",
            "sorting.rs",
            "time.rs",
            "trace/",
            "view/",
            "workload/",
        ],
    ),
    part(
        "plan/",
        &[
            "machines/",
            "machines/*/record.rs",
            "machines/*/view.rs",
            "machines/*/watch.rs",
            "machines/*/mod.rs",
            "machines/mod.rs",
            "machines/shared/spec.rs",
            "experiment/",
            "limits.rs",
            "machine/",
            "metrics/",
            "param/",
            "policy/",
            "problem.rs",
            "sorting.rs",
            "statistics.rs",
            "trace/",
            "workload/",
        ],
    ),
    part(
        "session/",
        &[
            "machines/",
            "machines/*/mod.rs",
            "machines/*/record.rs",
            "machines/*/view.rs",
            "machines/mod.rs",
            "machines/shared/sight.rs",
            "experiment/",
            "explain/",
            "job.rs",
            "machine/",
            "metrics/",
            "policy/",
            "problem.rs",
            "schedule/",
            "sim/",
            "sorting.rs",
            "time.rs",
            "trace/",
            "view/",
            "workload/",
        ],
    ),
    part("wasm/", EVERYTHING),
    part("bin/", EVERYTHING),
    part("lib.rs", &[]),
];

/// Parts that the borders, `wasm/` and `bin/`, may import.
const EVERYTHING: &[&str] = &[
    "machines/",
    "machines/shared/sight.rs",
    "machines/*/record.rs",
    "machines/*/view.rs",
    "machines/*/watch.rs",
    "machines/*/mod.rs",
    "machines/mod.rs",
    "machines/shared/spec.rs",
    "experiment/",
    "explain/",
    "files/",
    "import/",
    "job.rs",
    "limits.rs",
    "machine/",
    "metrics/",
    "param/",
    "plan/",
    "policy/",
    "problem.rs",
    "pulse.rs",
    "random.rs",
    "schedule/",
    "session/",
    "sim/",
    "sorting.rs",
    "statistics.rs",
    "time.rs",
    "trace/",
    "view/",
    "workload/",
];

/// Libraries, and the paths below which they may be used.
pub const LIBRARIES: &[(&str, &[&str])] = &[
    ("bytes", &["import/packed/parquet.rs"]),
    ("bzip2", &["import/packed/unpack.rs"]),
    ("clap", &["bin/"]),
    ("console_error_panic_hook", &["wasm/"]),
    ("csv", &["bin/", "trace/", "plan/"]),
    ("csv_core", &["import/formats/table/"]),
    ("flate2", &["import/packed/"]),
    ("fnv", &["schedule/", "trace/words.rs"]),
    ("getrandom", &["random.rs"]),
    ("indicatif", &["bin/"]),
    ("jiff", &["import/rows/clock_changes.rs"]),
    ("js_sys", &["import/rows/clock_changes.rs", "wasm/"]),
    (
        "libm",
        &[
            "metrics/",
            "policy/tools/",
            "random.rs",
            "statistics.rs",
            "view/",
            "workload/",
        ],
    ),
    ("lz4_flex", &["import/packed/parquet.rs"]),
    ("lzma_rust2", &["import/packed/unpack.rs"]),
    ("memchr", &["import/"]),
    ("rand", &["random.rs"]),
    ("rand_chacha", &["random.rs"]),
    ("parquet", &["import/packed/parquet.rs"]),
    ("rawzip", &["import/packed/unpack.rs"]),
    ("rayon", &["bin/", "import/formats/swf.rs"]),
    ("ruzstd", &["import/packed/"]),
    ("schemars", SERIAL),
    ("serde", SERIAL),
    ("serde_json", SERIAL),
    ("serde_path_to_error", &["plan/"]),
    ("serde_wasm_bindgen", &["wasm/"]),
    ("sha2", &["trace/"]),
    ("snap", &["import/packed/parquet.rs"]),
    ("strsim", &["param/"]),
    ("tempfile", &["bin/"]),
    ("time", &["metrics/calendar.rs", "view/filter.rs"]),
    ("tsify", SERIAL),
    ("wasm_bindgen", &["import/rows/clock_changes.rs", "wasm/"]),
    ("web_sys", &["wasm/"]),
];

/// Paths whose types may cross a border as JSON or as an object of JavaScript. The simulation
/// and the policies have no part in it.
const SERIAL: &[&str] = &[
    "bin/",
    "experiment/",
    "files/",
    "import/",
    "machines/*/view.rs",
    "machines/shared/sight.rs",
    "machines/shared/spec.rs",
    "metrics/",
    "param/",
    "plan/",
    "problem.rs",
    "schedule/mod.rs",
    "session/",
    "trace/",
    "view/",
    "wasm/",
    "workload/",
];

/// Names of the standard library, with the paths below which they may be used: clocks, threads,
/// files, and collections without an order. The rule applies to each path of the standard library
/// that contains one of these names.
pub const STANDARD: &[(&[&str], &[&str])] = &[
    (&["time", "Instant", "SystemTime"], &["bin/", "wasm/"]),
    (&["thread", "process", "net", "os", "sync::mpsc"], &["bin/"]),
    (&["env"], &["bin/"]),
    (&["fs", "io"], &["bin/", "import/file.rs", "import/packed/"]),
    (
        &["HashMap", "HashSet", "RandomState", "DefaultHasher"],
        &["bin/", "wasm/"],
    ),
];

/// Methods and functions of numbers whose results differ between platforms.
pub const TRANSCENDENTAL: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "exp",
    "exp2", "exp_m1", "hypot", "ln", "ln_1p", "log", "log10", "log2", "mul_add", "powf", "powi",
    "sin", "sin_cos", "sinh", "tan", "tanh",
];

/// Methods that panic.
pub const PANICKING: &[&str] = &["expect", "expect_err", "unwrap", "unwrap_err"];

/// Macros that panic or print; the program may print.
pub const MACROS: &[(&[&str], &[&str])] = &[
    (
        &[
            "panic",
            "unreachable",
            "todo",
            "unimplemented",
            "assert",
            "assert_eq",
            "assert_ne",
        ],
        &[],
    ),
    (&["print", "println", "eprint", "eprintln"], &["bin/"]),
    (&["dbg"], &[]),
];

/// Folders whose files may import each other. Two folders never import each other.
///
/// The cause is mostly a `mod.rs` that has more than names in it. Other causes are:
///
/// * In `sim/`, a turn can begin a simulation.
/// * In `schedule/`, the machine's own record audits a schedule.
/// * In `policy/`, an adaptive policy finds others by their names.
/// * In `trace/`, a trace has a report that has the size found in the trace.
pub const FILE_CYCLES: &[&str] = &[
    "bin/schedscope",
    "experiment",
    "machines",
    "plan",
    "policy",
    "schedule",
    "sim",
    "trace",
    "wasm",
    "workload/model",
];
