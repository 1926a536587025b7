//! The command `expect`, which tells when the jobs of a queue will start.

use super::expected::{calibration_csv, forecast_csv, print_calibration, print_forecast};
use super::reading::{parse_columns, parse_settings, put_slurm, read_with_queue};
use crate::own::policy_id;
use crate::terminal::args::{ArrivalsArg, ExpectArgs, FormatArg, RunTimesArg};
use crate::terminal::output::{complain, say, say_json, write_out};
use crate::terminal::result::Result;
use indicatif::{ProgressBar, ProgressStyle};
use schedscope::experiment::Scenario;
use schedscope::forecast::{
    Calibration, CalibrationResult, ForecastResult, ForecastSettings, LaterArrivals, QueueForecast,
    RunTimes, told_instant,
};
use schedscope::machines::nodes;
use schedscope::problem::Problem;
use schedscope::time::days_since_1970;
use schedscope::trace::{QUEUE_INSTANT, Trace};
use std::sync::Arc;

/// Events between two updates of the progress bar.
const SLICE: u64 = 20_000;

pub(super) fn expect(args: &ExpectArgs) -> Result<()> {
    let scenario = scenario(args)?;
    let mapping = parse_columns(args.columns.as_deref())?;
    let at = args.at.as_deref().map(GivenInstant::parse).transpose()?;
    let read = |path| read_with_queue(path, args.skip_bad_lines, mapping.as_ref());
    let queue = Arc::new(read(&args.queue)?);
    let log = args.log.as_deref().map(read).transpose()?.map(Arc::new);
    let settings = ForecastSettings {
        at: at.map(|at| at.after_zero(&queue)).transpose()?,
        samples: args.samples,
        seed: args.seed,
        horizon: args.horizon * 3600.0,
        arrivals: match args.arrivals {
            ArrivalsArg::None => LaterArrivals::None,
            ArrivalsArg::Resampled => LaterArrivals::Resampled,
        },
        run_times: match args.run_times {
            RunTimesArg::Log => RunTimes::Log,
            RunTimesArg::Limit => RunTimes::Limit,
            RunTimesArg::Uniform => RunTimes::Uniform,
        },
    };
    // A log without an instant can be calibrated, and has no queue to forecast.
    let has_instant = settings.at.is_some() || queue.header_value(QUEUE_INSTANT).is_some();
    let forecast = if has_instant || args.calibrate.is_none() {
        match QueueForecast::new(&scenario, &queue, log.as_deref(), &settings) {
            Ok(forecast) => Some(advance_forecast(forecast)?),
            // The instant is that of the file, such as the end of a log in which every job has ended.
            Err(problem) if args.calibrate.is_some() && settings.at.is_none() => {
                complain(&format!(
                    "No forecast: {} {} {}",
                    problem.what, problem.why, problem.next
                ));
                None
            }
            Err(problem) => return Err(problem),
        }
    } else {
        None
    };
    let calibration = args.calibrate.map(|count| {
        let past = log.as_ref().unwrap_or(&queue);
        // The instant of the queue counts also if the queue has no forecast.
        let known = settings.at.map(f64::floor);
        let known = known.or_else(|| told_instant(&queue).map(|(at, _)| at as f64));
        let at = known.and_then(|at| {
            let zero = queue.unix_start().zip(past.unix_start());
            let shift = zero.map(|(queue, log)| (queue - log) as f64);
            let shift = if log.is_some() { shift } else { Some(0.0) };
            Some(at + shift?)
        });
        let settings = ForecastSettings { at, ..settings };
        advance_calibration(Calibration::new(
            &scenario,
            Arc::clone(past),
            &settings,
            count,
        )?)
    });
    show(
        args.format,
        forecast.as_ref(),
        calibration.transpose()?.as_ref(),
    );
    Ok(())
}

fn scenario(args: &ExpectArgs) -> Result<Scenario> {
    let mut settings = parse_settings(&args.settings, args.procs.as_deref())?;
    let policy = policy_id(&args.policy)?;
    let policies = std::slice::from_ref(&policy);
    let cluster = args.cluster.as_deref();
    put_slurm(&mut settings, &args.slurm, (cluster, policies))?;
    let mut scenario = Scenario::new(&policy);
    if cluster.is_some() || !args.slurm.slurm_conf.is_empty() {
        scenario.machine = nodes::SPEC.id.into();
    }
    if let Some(machine) = &args.machine {
        scenario.machine.clone_from(machine);
    }
    scenario.preset.clone_from(&args.preset);
    scenario.settings = settings;
    for left_out in scenario.resolve()?.not_modelled {
        complain(&format!("! {policy}: {left_out}"));
    }
    Ok(scenario)
}

/// An instant as the user gives it.
#[derive(Copy, Clone)]
enum GivenInstant {
    AfterZero(f64),
    Since1970(f64),
}

impl GivenInstant {
    fn parse(text: &str) -> Result<Self> {
        let problem = || {
            Problem::new(
                format!("`{text}` is no instant."),
                "An instant is seconds after the file's zero, @ and seconds since 1970, or a date in UTC.",
                "For example --at 86400, --at @1714982400 or --at 2024-05-06T08:00.",
            )
        };
        let number = |text: &str| {
            let number = text.parse::<f64>().ok()?;
            number.is_finite().then_some(number)
        };
        let found = match text.strip_prefix('@') {
            Some(seconds) => number(seconds).map(Self::Since1970),
            None => number(text)
                .map(Self::AfterZero)
                .or_else(|| date(text).map(|seconds| Self::Since1970(seconds as f64))),
        };
        found.ok_or_else(problem)
    }

    /// Returns the seconds after the zero of a trace.
    fn after_zero(self, trace: &Trace) -> Result<f64> {
        match (self, trace.unix_start()) {
            (Self::AfterZero(seconds), _) => Ok(seconds),
            (Self::Since1970(seconds), Some(zero)) => Ok(seconds - zero as f64),
            (Self::Since1970(_), None) => Err(Problem::new(
                format!("{} does not tell the date of its zero.", trace.name),
                "A date needs `UnixStartTime`.",
                "Give the instant in seconds after the file's zero.",
            )),
        }
    }
}

/// Returns the seconds since 1970 of a date such as `2024-05-06`, `2024-05-06T08:00` or
/// `2024-05-06T08:00:30`.
fn date(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "0:0"));
    let numbers = |text: &str, separator: char| -> Option<Vec<i64>> {
        let parts = text.split(separator);
        let parts = parts.map(|part| part.parse::<u32>().ok().map(i64::from));
        parts.collect()
    };
    let [year, month, day] = numbers(day, '-')?.try_into().ok()?;
    let mut time = numbers(time, ':')?;
    time.resize(time.len().max(3), 0);
    let [hours, minutes, seconds] = time.try_into().ok()?;
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    Some(days_since_1970(year, month, day)? * 86_400 + hours * 3600 + minutes * 60 + seconds)
}

fn bar(length: u64, what: &str) -> ProgressBar {
    let template = format!("{{msg:12}} {{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn advance_forecast(mut forecast: QueueForecast) -> Result<ForecastResult> {
    let bar = bar(forecast.progress().of.into(), "samples");
    bar.set_message("forecast");
    while !forecast.progress().done {
        bar.set_position(forecast.advance(SLICE)?.samples.into());
    }
    bar.finish_and_clear();
    Ok(forecast.result())
}

fn advance_calibration(mut calibration: Calibration) -> Result<CalibrationResult> {
    let bar = bar(calibration.progress().of.into(), "moments");
    bar.set_message("calibration");
    while !calibration.progress().done {
        bar.set_position(calibration.advance(SLICE)?.moments.into());
    }
    bar.finish_and_clear();
    Ok(calibration.result())
}

fn show(
    format: FormatArg,
    forecast: Option<&ForecastResult>,
    calibration: Option<&CalibrationResult>,
) {
    match format {
        FormatArg::Json => {
            let mut document = serde_json::Map::new();
            let mut put = |key: &str, value: Option<serde_json::Result<serde_json::Value>>| {
                if let Some(Ok(value)) = value {
                    document.insert(key.into(), value);
                }
            };
            put("forecast", forecast.map(serde_json::to_value));
            put("calibration", calibration.map(serde_json::to_value));
            say_json(&document.into());
        }
        FormatArg::Csv => {
            let table = match (forecast, calibration) {
                (Some(forecast), _) => forecast_csv(forecast),
                (None, Some(calibration)) => calibration_csv(calibration),
                (None, None) => String::new(),
            };
            write_out(|piece| piece(&table));
            if let (Some(_), Some(calibration)) = (forecast, calibration) {
                print_calibration(calibration, &mut |line| complain(line));
            }
        }
        FormatArg::Table => {
            if let Some(forecast) = forecast {
                print_forecast(forecast);
            }
            if let Some(calibration) = calibration {
                print_calibration(calibration, &mut |line| say!("{line}"));
            }
        }
    }
}
