//! Prints forecasts and calibrations in the terminal.

use crate::terminal::output::{count, say};
use crate::terminal::table;
use schedscope::files::csv_field;
use schedscope::forecast::{
    CalibrationResult, Coverage, ForecastResult, InstantSource, JobForecast, LaterArrivals,
    RatioLevel, RunTimes,
};
use schedscope::time::date_of;

/// The number of classes of a calibration, each with its name.
fn class_name(from: f64, below: Option<f64>) -> String {
    let hours = |seconds: f64| format!("{} h", seconds / 3600.0);
    match below {
        Some(below) if from == 0.0 => format!("below {}", hours(below)),
        Some(below) => format!("{} to {}", hours(from), hours(below)),
        None => format!("from {}", hours(from)),
    }
}

/// Writes a time as days, hours and minutes, rounded to minutes: `2-03:15`, `3:15`.
fn span(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let minutes = (seconds.abs() / 60.0).round() as i64;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    if days > 0 {
        format!("{sign}{days}-{hours:02}:{minutes:02}")
    } else {
        format!("{sign}{hours}:{minutes:02}")
    }
}

/// Writes an instant of Unix time as a date in UTC.
fn date(unix: i64) -> String {
    let [year, month, day] = date_of(unix.div_euclid(86_400));
    let (hours, minutes) = (unix.rem_euclid(86_400) / 3600, unix.rem_euclid(3600) / 60);
    format!("{year}-{month:02}-{day:02} {hours:02}:{minutes:02} UTC")
}

const fn level(level: RatioLevel) -> &'static str {
    match level {
        RatioLevel::User => "user",
        RatioLevel::Account => "account",
        RatioLevel::Partition => "partition",
        RatioLevel::All => "all",
        RatioLevel::Limit => "limit",
    }
}

const fn arrivals(arrivals: LaterArrivals) -> &'static str {
    match arrivals {
        LaterArrivals::None => "none",
        LaterArrivals::Resampled => "resampled",
    }
}

pub(super) fn print_forecast(forecast: &ForecastResult) {
    let source = match forecast.at_source {
        InstantSource::Given => "as given",
        InstantSource::Written => "the file's last_update",
        InstantSource::Latest => "the latest instant in the file that has passed",
    };
    let moment = match forecast.unix_start {
        Some(zero) => date(zero + forecast.at as i64),
        None => format!("{} s after the zero", forecast.at),
    };
    say!("{}: the queue at {moment} ({source})", forecast.queue);
    say!(
        "{} on {} with {}: {} running, {} waiting; {}, seed {}",
        forecast.policy,
        forecast.machine,
        count(forecast.processors as usize, "processor"),
        forecast.running,
        forecast.jobs.len(),
        count(forecast.samples as usize, "sample"),
        forecast.seed
    );
    say!("run times: {}", run_times(forecast));
    say!("later arrivals: {}", later(forecast));
    if forecast.elsewhere > 0 {
        let jobs = count(forecast.elsewhere as usize, "running job");
        say!("  {jobs} on other nodes than the file names, where no room is");
    }
    for rule in &forecast.left_out {
        let named: Vec<String> = rule.jobs.iter().map(ToString::to_string).collect();
        let more = if rule.count > rule.jobs.len() as u64 {
            ", …"
        } else {
            ""
        };
        say!(
            "  {:>8}  left out: {} (job {}{more})",
            rule.count,
            rule.text,
            named.join(", ")
        );
    }
    for rule in &forecast.report {
        say!("  {:>8}  {}", rule.count, rule.text);
    }
    say!("");
    let head = [
        "job",
        "user",
        "procs",
        "limit",
        "waited",
        "median",
        "50 % from",
        "to",
        "90 % from",
        "to",
        "not started",
    ];
    let rows: Vec<Vec<String>> = forecast.jobs.iter().map(|job| row(forecast, job)).collect();
    table::print(&head.map(str::to_owned), &rows);
    say!("Starts are days-hours:minutes after the instant; > is beyond the horizon.");
}

fn run_times(forecast: &ForecastResult) -> String {
    match forecast.run_times {
        RunTimes::Limit => return "each job runs until its limit".into(),
        RunTimes::Uniform => return "uniform up to each job's limit".into(),
        RunTimes::Log => {}
    }
    let used = forecast.levels.iter().filter(|level| level.jobs > 0);
    let used: Vec<String> = used
        .map(|one| match one.level {
            RatioLevel::User => format!("the same user for {}", one.jobs),
            RatioLevel::Account => format!("the same account for {}", one.jobs),
            RatioLevel::Partition => format!("the same partition for {}", one.jobs),
            RatioLevel::All => format!("all users for {}", one.jobs),
            RatioLevel::Limit => format!("the limit for {}", one.jobs),
        })
        .collect();
    let log = forecast.log.as_ref().unwrap_or(&forecast.queue);
    format!(
        "shares of limits of {} in {log} (from {})",
        count(forecast.ended as usize, "ended job"),
        used.join(", ")
    )
}

fn later(forecast: &ForecastResult) -> String {
    match (forecast.arrivals, forecast.arrival_block) {
        (LaterArrivals::None, _) => "none".into(),
        (LaterArrivals::Resampled, Some(block)) if block > 86_400.0 => {
            "those of earlier weeks".into()
        }
        (LaterArrivals::Resampled, Some(_)) => "those of earlier days".into(),
        (LaterArrivals::Resampled, None) => "none: the log is shorter than a day".into(),
    }
}

fn row(forecast: &ForecastResult, job: &JobForecast) -> Vec<String> {
    let start = |at: usize| {
        job.starts[at].map_or_else(
            || format!("> {}", span(forecast.horizon)),
            |start| span(start - forecast.at),
        )
    };
    vec![
        job.task.map_or_else(
            || job.number.to_string(),
            |task| format!("{}_{task}", job.number),
        ),
        job.user.clone(),
        job.processors.to_string(),
        span(job.limit),
        span(forecast.at - job.submitted),
        start(2),
        start(1),
        start(3),
        start(0),
        start(4),
        format!("{:.0} %", 100.0 * job.not_started),
    ]
}

fn share(inside: u64, of: u64) -> String {
    if of == 0 {
        return "-".into();
    }
    format!("{:.1} %", 100.0 * inside as f64 / of as f64)
}

pub(super) fn print_calibration(calibration: &CalibrationResult, line: &mut dyn FnMut(&str)) {
    let CalibrationResult {
        log,
        policy,
        machine,
        coverage,
        ..
    } = calibration;
    line("");
    line(&format!(
        "Calibration: {policy} on {machine} at {} of {log}; {}, seed {}, arrivals {}",
        count(calibration.moments.len(), "past moment"),
        count(calibration.samples as usize, "sample"),
        calibration.seed,
        arrivals(calibration.arrivals)
    ));
    line(&format!(
        "{} compared; {} without a recorded start; {} of the log without a queue",
        count(coverage.jobs as usize, "waiting job"),
        calibration.censored,
        count(calibration.without_queue as usize, "part"),
    ));
    if calibration.crowded > 0 {
        line(&format!(
            "{} left out: more jobs run, wait or arrive there than a forecast can have (docs/limits.md)",
            count(calibration.crowded as usize, "crowded moment"),
        ));
    }
    line(&format!(
        "{:<16}{:>8}{:>11}{:>11}{:>10}{:>10}{:>12}{:>12}{:>12}",
        "wait", "jobs", "50 % held", "90 % held", "earlier", "later", "error", "bias", "width"
    ));
    let mut row = |name: &str, one: &Coverage| {
        line(&format!(
            "{name:<16}{:>8}{:>11}{:>11}{:>10}{:>10}{:>12}{:>12}{:>12}",
            one.jobs,
            share(one.inside_50, one.jobs),
            share(one.inside_90, one.jobs),
            share(one.before_90, one.jobs),
            share(one.after_90, one.jobs),
            span(one.median_error),
            span(one.median_bias),
            span(one.median_width),
        ));
    };
    for class in &calibration.classes {
        row(&class_name(class.from, class.below), &class.coverage);
    }
    row("all", coverage);
    line(&format!(
        "Mean over moments: {:.1} % and {:.1} % held. Error and bias are medians of the distance from \
            the median to the start; width is the median length of the 90 % intervals.",
        100.0 * calibration.mean_50,
        100.0 * calibration.mean_90
    ));
}

/// Returns the forecast of each job as CSV. Times are in seconds; instants count from the zero of the
/// queue's file.
pub(super) fn forecast_csv(forecast: &ForecastResult) -> String {
    let mut table =
        "job,task,user,queue,processors,limit,submitted,at,q5,q25,q50,q75,q95,not_started,\
        run_times\n"
            .to_owned();
    for job in &forecast.jobs {
        let mut row = vec![
            job.number.to_string(),
            job.task.map(|task| task.to_string()).unwrap_or_default(),
            csv_field(&job.user),
            csv_field(&job.queue),
            job.processors.to_string(),
            job.limit.to_string(),
            job.submitted.to_string(),
            forecast.at.to_string(),
        ];
        let starts = job.starts.iter();
        row.extend(starts.map(|start| start.map(|start| start.to_string()).unwrap_or_default()));
        row.push(job.not_started.to_string());
        row.push(level(job.level).into());
        table.push_str(&row.join(","));
        table.push('\n');
    }
    table
}

/// Returns the coverage of each moment as CSV. Times are in seconds.
pub(super) fn calibration_csv(calibration: &CalibrationResult) -> String {
    let mut table = "at,running,waiting,censored,compared,inside_50,inside_90,before_90,after_90,\
        median_error,median_bias,median_width\n"
        .to_owned();
    for moment in &calibration.moments {
        let one = &moment.coverage;
        let counts = [
            moment.running,
            moment.waiting,
            moment.censored,
            one.jobs,
            one.inside_50,
            one.inside_90,
            one.before_90,
            one.after_90,
        ];
        let times = [one.median_error, one.median_bias, one.median_width];
        let row = std::iter::once(moment.at.to_string())
            .chain(counts.map(|count| count.to_string()))
            .chain(times.map(|time| time.to_string()));
        table.push_str(&row.collect::<Vec<_>>().join(","));
        table.push('\n');
    }
    table
}
