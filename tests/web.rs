//! The wasm half of the tests, in headless browsers: the schedules equal the native ones, and the
//! bindings work.
#![cfg(target_arch = "wasm32")]

mod same_digests;
mod zone_sums;

use js_sys::{Array, Float64Array, Function, JSON, Reflect, Uint8Array, Uint32Array};
use same_digests::{DIGESTS, compare};
use schedscope::wasm::{
    Flag, Number, Run, Text, Trace, TraceReader, Traced, catalog, fresh_seed, paired,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn json(text: &str) -> JsValue {
    JSON::parse(text).unwrap()
}

fn get(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |value, key| {
        Reflect::get(&value, &key.into()).unwrap()
    })
}

fn number(object: &JsValue, path: &str) -> f64 {
    get(object, path)
        .as_f64()
        .unwrap_or_else(|| panic!("{path} is not a number in {}", text(object)))
}

fn text(value: &JsValue) -> String {
    JSON::stringify(value).map(String::from).unwrap_or_default()
}

fn n(number: f64) -> Number {
    number.into()
}

fn t(text: &str) -> Text {
    text.into()
}

fn flag(value: bool) -> Flag {
    value.into()
}

/// Returns a trace in the form in which JavaScript passes it.
fn passed(trace: &Trace) -> Traced {
    JsValue::from(trace.share()).unchecked_into()
}

fn easy() -> JsValue {
    json(r#"{"policy": "easy", "machine": "flat", "settings": {"depth": 1}}"#)
}

fn sample() -> Trace {
    Trace::generate(
        &t("lublin"),
        &json(r#"{"jobs": 1500, "seed": 1, "users": 24, "overestimate": 6}"#),
    )
    .unwrap()
}

#[wasm_bindgen_test]
fn wasm_runs_give_the_native_digests() {
    compare(DIGESTS, &same_digests::schedules(u64::MAX));
}

#[wasm_bindgen_test]
fn in_slices_too() {
    compare(DIGESTS, &same_digests::schedules(1000));
}

#[wasm_bindgen_test]
fn a_plan_says_the_same_everywhere() {
    compare(DIGESTS, &same_digests::plan());
}

#[wasm_bindgen_test]
fn forecasts_are_the_native_ones() {
    compare(DIGESTS, &same_digests::forecasts());
}

#[wasm_bindgen_test]
fn processes_do_what_they_do_natively() {
    compare(DIGESTS, &same_digests::processes());
    compare(DIGESTS, &same_digests::nodes());
}

/// The browser's zones are those of the tz database.
#[wasm_bindgen_test]
fn clocks_change_as_natively() {
    assert_eq!(zone_sums::sums(), zone_sums::SUMS);
}

#[wasm_bindgen_test]
fn the_catalogue_crosses_as_plain_objects() {
    let catalog = catalog();
    assert_eq!(
        get(&catalog, "policies.1.id").as_string().as_deref(),
        Some("easy")
    );
    assert!(is_plain(&get(&catalog, "presets.0.settings")));
    assert_eq!(
        get(&catalog, "presets.0.settings.ties")
            .as_string()
            .as_deref(),
        Some("per_event")
    );
    assert_eq!(number(&catalog, "groups.reading.0.kind.min"), 1.0);
}

#[wasm_bindgen_test]
fn a_run_explains_itself() {
    let lines = [
        "1 0 -1 9 4 -1 -1 4 9 -1 1 1 1 -1 -1 -1 -1 -1",
        "2 1 -1 5 4 -1 -1 4 5 -1 1 1 1 -1 -1 -1 -1 -1",
    ];
    let trace = Trace::from_text(
        &t("two"),
        &t(&format!("; MaxProcs: 4\n{}\n", lines.join("\n"))),
    )
    .unwrap();
    let mut run = Run::new(&passed(&trace), &easy()).unwrap();
    run.advance(&n(1e9)).unwrap();
    let why = run.why(&n(1.0)).unwrap();
    assert_eq!(number(&why, "causes.0.total"), 8.0);
    assert_eq!(get(&why, "causes.0.reason.kind"), "processors");
    assert_eq!(number(&why, "ahead.count"), 0.0);
    assert!(run.why(&n(2.0)).unwrap().is_null());
    let story = run.story().unwrap();
    assert_eq!(number(&story, "1.reserved.0.start"), 9.0);
    assert_eq!(number(&story, "1.reserved.0.job.number"), 2.0);
    assert_eq!(get(&story, "1.waiting.0.reason.kind"), "processors");
    let part = run.part(&n(9.0), &n(2.0)).unwrap();
    assert_eq!(number(&part, "steps.length"), 2.0);
    assert_eq!(number(&part, "steps.0.at"), 9.0);
    assert_eq!(number(&part, "running.length"), 1.0);
    let mut long = Run::new(&passed(&sample()), &easy()).unwrap();
    long.advance(&n(1e9)).unwrap();
    assert!(text(&long.story().unwrap_err()).contains("too many"));
}

/// Returns true if the value is a plain object and not a `Map`.
fn is_plain(value: &JsValue) -> bool {
    value.is_object() && get(value, "constructor.name") == "Object"
}

#[wasm_bindgen_test]
fn a_run_advances_by_slices_of_time_and_answers() {
    let trace = sample();
    let mut run = Run::new(&passed(&trace), &easy()).unwrap();
    assert_eq!(number(&run.facts(), "workload.jobs"), 1500.0);
    let mut slices = 0;
    while get(&run.progress(), "done") != JsValue::TRUE {
        let progress = run.advance_for(&n(0.5)).unwrap();
        assert!(number(&progress, "finished") <= number(&progress, "jobs"));
        slices += 1;
    }
    assert!(slices >= 1);
    let result = run.result().unwrap();
    let figures = get(&result, "figures");
    let mean = Reflect::get(&figures, &"wait.mean".into())
        .unwrap()
        .as_f64()
        .unwrap();
    assert!(mean > 0.0);
    assert_eq!(
        get(&result, "digest").as_string().as_deref(),
        Some("1150004e43e8d3bb")
    );
    let job = run.job(&n(3.0)).unwrap();
    assert_eq!(number(&job, "number"), 4.0);
    assert!(run.job(&n(1e6)).unwrap().is_null());
    assert_eq!(run.find_job(&n(4.0)).unwrap(), Some(3));
    let start = number(&job, "start");
    let placement = get(&job, "placement");
    assert_eq!(number(&placement, "row"), 0.0);
    let ranges = Array::from(&get(&placement, "ranges"));
    let first = Array::from(&ranges.get(0)).get(0).as_f64().unwrap();
    assert_eq!(
        number(
            &run.job_at(&n(start), &n(first), &n(1.0), &JsValue::from("slots"))
                .unwrap(),
            "number"
        ),
        4.0
    );
    assert_eq!(run.waits().length(), 1500);
    let same = paired(&run.waits(), &run.waits()).unwrap();
    assert_eq!(
        (number(&same, "mean"), number(&same, "jobs")),
        (0.0, 1500.0)
    );
    let classes: Array = run.classes(&"month".into()).unwrap().into();
    assert!(classes.length() >= 1);
}

#[wasm_bindgen_test]
fn pictures_have_their_size_and_odd_windows_do_no_harm() {
    let trace = sample();
    let mut run = Run::new(&passed(&trace), &easy()).unwrap();
    run.advance(&n(1e9)).unwrap();
    let mut raster = |from: f64, to: f64, top: f64, bottom: f64| {
        let sizes = [n(64.0), n(32.0), n(f64::from(0x00ff_ffff))];
        let [width, height, background] = &sizes;
        run.raster(
            &n(from),
            &n(to),
            &n(top),
            &n(bottom),
            width,
            height,
            background,
            &"wait".into(),
            &"dark".into(),
            &JsValue::from("slots"),
        )
        .unwrap()
        .length()
    };
    for (from, to, top, bottom) in [
        (0.0, 1e6, 0.0, 128.0),
        (1e6, 0.0, 0.0, 128.0),
        (f64::NAN, f64::INFINITY, 0.0, 128.0),
        (-1e300, 1e300, -1e300, 1e300),
        (5.0, 5.0, 3.0, 3.0),
    ] {
        assert_eq!(raster(from, to, top, bottom), 64 * 32 * 4);
    }
    assert_eq!(run.bins(&n(0.0), &n(1e6), &n(10.0)).unwrap().length(), 30);
    let visible = |run: &mut Run, limit: f64| {
        run.visible(
            &n(0.0),
            &n(1e7),
            &n(0.0),
            &n(128.0),
            &n(64.0),
            &n(32.0),
            &n(limit),
            &JsValue::from("slots"),
        )
        .unwrap()
    };
    assert!(visible(&mut run, 1.0).is_none());
    assert_eq!(visible(&mut run, 1e6).unwrap().length() % 6, 0);
    assert!(get(&run.legend(), "entries.length").as_f64().unwrap() > 2.0);
    let (zero, one) = (n(0.0), n(1.0));
    let wrong = "no such colouring".into();
    assert!(
        run.raster(
            &zero,
            &one,
            &zero,
            &one,
            &one,
            &one,
            &zero,
            &wrong,
            &"dark".into(),
            &JsValue::from("slots")
        )
        .is_err()
    );
}

#[wasm_bindgen_test]
fn filters_areas_and_comparisons() {
    let trace = sample();
    let mut run = Run::new(&passed(&trace), &easy()).unwrap();
    run.advance(&n(1e9)).unwrap();
    let all = run.filter(&t("")).unwrap();
    let ended = Reflect::get(&get(&all, "figures"), &"jobs.value".into())
        .unwrap()
        .as_f64();
    assert_eq!((number(&all, "jobs"), ended), (1500.0, Some(1500.0)));
    let wide = number(&run.filter(&t("size>16")).unwrap(), "jobs");
    assert_eq!(
        wide + number(&run.filter(&t("-size>16")).unwrap(), "jobs"),
        1500.0
    );
    let listed = run.listed(&t("wait"), &n(0.0), &n(3.0)).unwrap();
    assert_eq!(listed.len(), 3);
    let waits: Vec<f64> = listed
        .iter()
        .map(|job| number(&run.job(&n(f64::from(*job))).unwrap(), "wait"))
        .collect();
    assert!(waits.is_sorted_by(|one, other| one >= other));
    assert!(
        get(&run.filter(&t("wate>1h")).unwrap_err(), "what")
            .as_string()
            .unwrap()
            .contains("wate>1h")
    );
    assert_eq!(
        run.listed(&t("wait"), &n(0.0), &n(3.0)).unwrap(),
        listed,
        "an invalid filter leaves the last valid one in place"
    );
    run.filter(&t("")).unwrap();
    let area = run
        .area(
            &n(0.0),
            &n(1e7),
            &n(0.0),
            &n(128.0),
            &JsValue::from("shared"),
        )
        .unwrap();
    assert!(number(&area, "jobs") > 1400.0 && number(&area, "work") > 0.0);
    assert_eq!(
        number(
            &run.area(
                &n(f64::NAN),
                &n(0.0),
                &n(5.0),
                &n(1.0),
                &JsValue::from("shared")
            )
            .unwrap(),
            "jobs"
        ),
        0.0
    );
    // A run does not differ from itself, and a comparison with nothing has no differences.
    let columns = |run: &Run| {
        (
            Uint32Array::from(run.records().as_slice()),
            run.starts(),
            run.ends(),
            run.waits(),
        )
    };
    let (records, starts, ends, waits) = columns(&run);
    run.against(&records, &starts, &ends, &waits).unwrap();
    assert!(
        run.versus(&n(0.0), &n(1e7), &n(50.0))
            .unwrap()
            .to_vec()
            .iter()
            .all(|value| *value == 0.0)
    );
    let mut fcfs = Run::new(&passed(&trace), &json(r#"{"policy": "fcfs"}"#)).unwrap();
    fcfs.advance(&n(1e9)).unwrap();
    fcfs.against(&records, &starts, &ends, &waits).unwrap();
    assert!(
        fcfs.versus(&n(0.0), &n(1e7), &n(50.0)).unwrap().to_vec()[50..]
            .iter()
            .any(|value| *value > 1.0),
        "EASY runs jobs that wait under FCFS"
    );
    let none = Float64Array::new_with_length(0);
    fcfs.against(&Uint32Array::new_with_length(0), &none, &none, &none)
        .unwrap();
    assert!(
        fcfs.versus(&n(0.0), &n(1e7), &n(50.0))
            .unwrap()
            .to_vec()
            .iter()
            .all(|value| *value == 0.0)
    );
}

#[wasm_bindgen_test]
fn files_come_in_pieces_and_say_what_the_columns_say() {
    let trace = sample();
    let mut run = Run::new(&passed(&trace), &easy()).unwrap();
    run.advance(&n(1e9)).unwrap();
    let pieces = Array::new();
    let sink = Function::new_with_args("piece", "this.push(piece)").bind0(&pieces);
    run.jobs_csv(&sink).unwrap();
    let csv: String = pieces
        .iter()
        .map(|piece| piece.as_string().unwrap())
        .collect();
    assert_eq!(csv.lines().count(), 1501);
    let summary = json(&run.summary());
    assert_eq!(number(&summary, "schedule.jobs"), 1500.0);
    assert_eq!(
        get(&summary, "schedule.digest").as_string().as_deref(),
        Some("1150004e43e8d3bb")
    );
    let throwing = Function::new_no_args("throw 'disk full'");
    assert_eq!(
        run.swf(&throwing).unwrap_err().as_string().as_deref(),
        Some("disk full")
    );
}

#[wasm_bindgen_test]
fn bad_input_throws_problems_and_loses_nothing() {
    let thrown =
        |value: Result<Trace, JsValue>| get(&value.err().unwrap(), "what").as_string().unwrap();
    assert!(thrown(Trace::from_text(&t("bad"), &t("1 2 3\n"))).contains("3 fields"));
    assert!(
        thrown(Trace::generate(&t("lublin"), &json(r#"{"jobs": 0}"#))).contains("cannot be `0`")
    );
    assert!(thrown(Trace::generate(&t("lublin"), &json("[1, 2]"))).contains("not understood"));
    assert!(
        thrown(Trace::generate(&t("no such model"), &json("{}"))).contains("no workload model")
    );
    let trace = sample();
    for scenario in [
        r#"{"policy": "esay"}"#,
        r#"{"policy": "easy", "settings": {"depth": -1}}"#,
        r#"{"policy": 7}"#,
        "null",
        r#"{"policy": "easy", "typo": 1}"#,
    ] {
        let problem = Run::new(&passed(&trace), &json(scenario)).err().unwrap();
        assert!(
            get(&problem, "what").is_string() && get(&problem, "next").is_string(),
            "{scenario}: {}",
            text(&problem)
        );
    }
    let mut reader = TraceReader::new(&flag(true), None, None).unwrap();
    let bytes = b"garbage\n1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n";
    reader.push(&Uint8Array::from(bytes.as_slice())).unwrap();
    let facts = reader
        .finish(&t("mended"), &t(""))
        .unwrap()
        .describe(&easy())
        .unwrap();
    assert_eq!(number(&facts, "report.rules.0.count"), 1.0);
    assert_eq!(number(&facts, "report.read"), 1.0);
    assert!(Run::new(&passed(&trace), &easy()).is_ok());
}

#[wasm_bindgen_test]
fn the_browser_has_seeds() {
    assert_ne!(fresh_seed().unwrap(), fresh_seed().unwrap());
}
