//! The Lublin-Feitelson generator against the means of the original program, over 20 seeds and
//! within 3 standard errors.

use schedscope::param::Settings;
use schedscope::trace::Trace;
use schedscope::workload::model::generate;

const SEEDS: u64 = 20;
const JOBS: f64 = 100_000.0;

/// The name of a figure, its function, and its mean and standard deviation over seeds of 200,000
/// jobs in the original program.
type Check = (&'static str, fn(&Trace) -> f64, f64, f64);

fn mean(trace: &Trace, of: impl Fn(&schedscope::trace::Record) -> f64) -> f64 {
    trace.records.iter().map(of).sum::<f64>() / trace.records.len() as f64
}

fn span(trace: &Trace) -> f64 {
    let last = trace.records.get(trace.records.len() - 1).submit;
    (last - trace.records.get(0).submit) as f64
}

fn inter_arrival(trace: &Trace) -> f64 {
    span(trace) / (trace.records.len() - 1) as f64
}

fn load(trace: &Trace) -> f64 {
    trace
        .records
        .iter()
        .map(|r| f64::from(r.requested) * r.run_time as f64)
        .sum::<f64>()
        / (128.0 * span(trace))
}

fn median_run_time(trace: &Trace) -> f64 {
    let mut times: Vec<i64> = trace.records.iter().map(|r| r.run_time).collect();
    times.sort_unstable();
    (times[times.len() / 2 - 1] + times[times.len() / 2]) as f64 / 2.0
}

/// Returns the mean over seeds, and its standard error.
fn over_seeds(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn traces(types: &str) -> Vec<Trace> {
    let settings = Settings::default()
        .with("types", types)
        .with("jobs", JOBS)
        .with("processors", 128.0);
    (0..SEEDS)
        .map(|seed| generate("lublin", &settings.clone().with("seed", seed as f64)).unwrap())
        .collect()
}

fn check_figures(types: &str, traces: &[Trace], checks: &[Check]) {
    for (name, figure, expected, published_sd) in checks {
        let (found, error) = over_seeds(&traces.iter().map(figure).collect::<Vec<_>>());
        // The mean of the original program has a standard error too, from as many seeds.
        let error = (error * error + published_sd * published_sd / SEEDS as f64).sqrt();
        assert!(
            (found - expected).abs() <= 3.0 * error,
            "{types} {name}: {found}, expected {expected} within {}",
            3.0 * error
        );
    }
}

/// Checks that the arrivals of one queue follow the daily cycle of the model's weights.
///
/// Shares that are counted from the original program differ by up to a fifth in the morning. Its
/// clock is cut to whole seconds at each arrival and so falls behind the cycle. A short run also
/// over-represents the hours after its start.
fn check_hours(types: &str, traces: &[Trace], queue: i32, expected: [f64; 24]) {
    let shares: Vec<[f64; 24]> = traces
        .iter()
        .map(|trace| {
            let mut hours = [0.0; 24];
            let records = || trace.records.iter().filter(|record| record.queue == queue);
            records().for_each(|record| hours[(record.submit / 3600 % 24) as usize] += 1.0);
            hours.map(|count| count / records().count() as f64)
        })
        .collect();
    for hour in 0..24 {
        let (found, error) =
            over_seeds(&shares.iter().map(|hours| hours[hour]).collect::<Vec<_>>());
        assert!(
            (found - expected[hour]).abs() <= 3.0 * error,
            "{types} hour {hour}: {found}, expected {} within {}",
            expected[hour],
            3.0 * error
        );
    }
}

/// The hourly shares of arrivals: the sums of the model's normalised half-hour weights, divided by
/// 48.
const BATCH_HOURS: [f64; 24] = [
    0.021819, 0.018298, 0.015227, 0.012580, 0.010325, 0.016574, 0.025729, 0.035699, 0.045484,
    0.054197, 0.061186, 0.066074, 0.068748, 0.069306, 0.067996, 0.065154, 0.061151, 0.056353,
    0.051091, 0.045649, 0.040253, 0.035074, 0.030232, 0.025800,
];
const INTERACTIVE_HOURS: [f64; 24] = [
    0.020257, 0.016073, 0.012602, 0.009772, 0.007499, 0.006217, 0.012707, 0.021882, 0.033068,
    0.045088, 0.056582, 0.066314, 0.073393, 0.077368, 0.078213, 0.076239, 0.071978, 0.066063,
    0.059127, 0.051739, 0.044363, 0.037344, 0.030913, 0.025200,
];
const TYPELESS_HOURS: [f64; 24] = [
    0.020082, 0.016112, 0.012787, 0.010047, 0.007821, 0.008413, 0.015925, 0.025799, 0.037118,
    0.048647, 0.059134, 0.067560, 0.073280, 0.076053, 0.075991, 0.073463, 0.068993, 0.063158,
    0.056512, 0.049543, 0.042640, 0.036092, 0.030089, 0.024739,
];

#[test]
fn typed() {
    let checks: &[Check] = &[
        ("inter-arrival", inter_arrival, 526.9, 12.0),
        ("run time", |t| mean(t, |r| r.run_time as f64), 1625.9, 48.0),
        ("size", |t| mean(t, |r| f64::from(r.requested)), 8.92, 0.04),
        (
            "serial share",
            |t| mean(t, |r| f64::from(u8::from(r.requested == 1))),
            0.1747,
            0.001,
        ),
        (
            "power-of-two share",
            |t| {
                mean(t, |r| {
                    f64::from(u8::from((r.requested as u32).is_power_of_two()))
                })
            },
            0.864,
            0.001,
        ),
        (
            "batch share",
            |t| mean(t, |r| f64::from(r.queue)),
            0.149,
            0.005,
        ),
        ("load", load, 0.400, 0.010),
        ("median run time", median_run_time, 18.05, 0.3),
    ];
    let traces = traces("typed");
    check_figures("typed", &traces, checks);
    check_hours("batch", &traces, 1, BATCH_HOURS);
    check_hours("interactive", &traces, 0, INTERACTIVE_HOURS);
}

#[test]
fn typeless() {
    let checks: &[Check] = &[
        ("inter-arrival", inter_arrival, 905.2, 11.0),
        ("run time", |t| mean(t, |r| r.run_time as f64), 4358.7, 17.0),
        (
            "size",
            |t| mean(t, |r| f64::from(r.requested)),
            12.135,
            0.06,
        ),
        (
            "serial share",
            |t| mean(t, |r| f64::from(u8::from(r.requested == 1))),
            0.2438,
            0.001,
        ),
        (
            "power-of-two share",
            |t| {
                mean(t, |r| {
                    f64::from(u8::from((r.requested as u32).is_power_of_two()))
                })
            },
            0.869,
            0.001,
        ),
        ("load", load, 0.727, 0.013),
        ("median run time", median_run_time, 107.75, 1.0),
    ];
    let traces = traces("typeless");
    check_figures("typeless", &traces, checks);
    check_hours("typeless", &traces, 1, TYPELESS_HOURS);
}
