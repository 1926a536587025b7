//! The instant of a forecast.

use super::result::InstantSource;
use super::settings::ForecastSettings;
use crate::problem::Problem;
use crate::trace::{LONGEST_SECONDS, QUEUE_INSTANT, QUEUE_WRITTEN, Trace};

/// Returns the instant that a queue tells, in seconds after its trace's zero, and the source.
pub fn told(queue: &Trace) -> Option<(i64, InstantSource)> {
    let mut words = queue.header_value(QUEUE_INSTANT)?.split_whitespace();
    let at: i64 = words.next()?.parse().ok()?;
    let at = at.checked_sub(queue.unix_start()?)?;
    let source = match words.next() {
        Some(QUEUE_WRITTEN) => InstantSource::Written,
        _ => InstantSource::Latest,
    };
    (at.unsigned_abs() <= LONGEST_SECONDS.unsigned_abs()).then_some((at, source))
}

/// Returns the instant of the forecast, and the source.
///
/// # Errors
/// Fails if neither the settings nor the file tell it, or if the file does not reach so far.
pub fn instant(
    queue: &Trace,
    settings: &ForecastSettings,
) -> Result<(i64, InstantSource), Problem> {
    let told = told(queue);
    let Some(given) = settings.at else {
        return told.ok_or_else(|| {
            Problem::new(
                format!("{} does not tell the instant of a queue.", queue.name),
                "A forecast begins at an instant, at which jobs run and wait.",
                "Give the instant (`--at`), or the output of `squeue --json`.",
            )
        });
    };
    let at = given.floor() as i64;
    match told {
        Some((last, _)) if at > last => Err(Problem::new(
            format!("{} ends before the instant of the forecast.", queue.name),
            format!("It was written {last} s after its first submission, and {at} s are given."),
            "Choose an earlier instant.",
        )),
        _ => Ok((at, InstantSource::Given)),
    }
}
