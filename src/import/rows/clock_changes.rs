//! The changes of a zone's clocks. Natively, the program brings its own copy of the tz database; in a
//! browser, it asks the browser.

#[cfg(target_arch = "wasm32")]
use crate::time::days_since_1970;
#[cfg(not(target_arch = "wasm32"))]
use jiff::{Timestamp, tz::TimeZone};
#[cfg(target_arch = "wasm32")]
use js_sys::{Array, Date, Object, Reflect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::*;

/// The years whose changes of clocks are known, as seconds since 1970: from 1985 to the end of 2039.
const KNOWN: (i64, i64) = (473_385_600, 2_208_988_800);

/// The offsets of a zone from UTC.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClockChanges {
    /// The offset before the first change, in seconds to the east.
    pub first: i64,
    /// The instants of changes, in seconds since 1970, and the offsets from then on.
    pub changes: Vec<(i64, i64)>,
}

/// Returns the changes of the zone that a name of the tz database stands for, or `None` if it stands
/// for none.
#[cfg(not(target_arch = "wasm32"))]
pub fn clock_changes(name: &str) -> Option<ClockChanges> {
    let zone = TimeZone::get(name).ok()?;
    let from = Timestamp::from_second(KNOWN.0).ok()?;
    let to = Timestamp::from_second(KNOWN.1).ok()?;
    let first = i64::from(zone.to_offset(from).seconds());
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for change in zone.following(from) {
        if change.timestamp() >= to {
            break;
        }
        let offset = i64::from(change.offset().seconds());
        // Some changes are of the name alone.
        if offset != changes.last().map_or(first, |(_, last)| *last) {
            changes.push((change.timestamp().as_second(), offset));
        }
    }
    Some(ClockChanges { first, changes })
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen]
extern "C" {
    /// A clock of the browser.
    #[wasm_bindgen(js_namespace = Intl, js_name = DateTimeFormat)]
    type Clock;

    #[wasm_bindgen(constructor, catch, js_namespace = Intl, js_class = "DateTimeFormat")]
    fn new(locales: &str, options: &Object) -> Result<Clock, JsValue>;

    #[wasm_bindgen(method, js_name = formatToParts)]
    fn parts(this: &Clock, date: &Date) -> Array;
}

/// Returns the changes of the zone that a name of the tz database stands for, or `None` if it stands
/// for none.
#[cfg(target_arch = "wasm32")]
pub fn clock_changes(name: &str) -> Option<ClockChanges> {
    let options = Object::new();
    let given = [
        ("timeZone", name),
        ("calendar", "gregory"),
        ("numberingSystem", "latn"),
        ("hourCycle", "h23"),
    ];
    let numbers = PARTS.map(|part| (part, "numeric"));
    for (key, value) in given.into_iter().chain(numbers) {
        Reflect::set(&options, &key.into(), &value.into()).ok()?;
    }
    let clock = Clock::new("en-US", &options).ok()?;
    Some(changes_of(&|at| shown(&clock, at) - at))
}

#[cfg(target_arch = "wasm32")]
const PARTS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];

/// Returns what a clock shows at an instant, as seconds since 1970.
#[cfg(target_arch = "wasm32")]
fn shown(clock: &Clock, at: i64) -> i64 {
    let date = Date::new(&JsValue::from_f64(at as f64 * 1000.0));
    let mut told = [0; 6];
    for part in clock.parts(&date) {
        let text = |key: &str| Reflect::get(&part, &key.into()).ok()?.as_string();
        let place = text("type").and_then(|kind| PARTS.iter().position(|part| *part == kind));
        if let (Some(place), Some(value)) = (place, text("value")) {
            told[place] = value.parse().unwrap_or_default();
        }
    }
    let [year, month, day, hour, minute, second] = told;
    86_400 * days_since_1970(year, month, day).unwrap_or_default()
        + 3600 * hour
        + 60 * minute
        + second
}

/// Finds all changes of an offset: the offset is looked at every week, and a week in which it
/// differs is halved.
#[cfg(any(test, target_arch = "wasm32"))]
fn changes_of(offset: &dyn Fn(i64) -> i64) -> ClockChanges {
    const WEEK: i64 = 7 * 86_400;
    let (mut same, to) = KNOWN;
    let first = offset(same);
    let (mut last, mut changes) = (first, Vec::new());
    while same < to - 1 {
        let mut other = (same + WEEK).min(to - 1);
        if offset(other) == last {
            same = other;
            continue;
        }
        while other - same > 1 {
            let middle = i64::midpoint(same, other);
            if offset(middle) == last {
                same = middle;
            } else {
                other = middle;
            }
        }
        last = offset(other);
        changes.push((other, last));
        same = other;
    }
    ClockChanges { first, changes }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the changes that are found as in a browser with those of the database.
    #[test]
    fn halving_weeks_finds_every_change() {
        for name in [
            "Europe/Berlin",
            "America/New_York",
            "Australia/Lord_Howe",
            "Africa/Casablanca",
            "Asia/Tokyo",
        ] {
            let known = clock_changes(name).unwrap();
            let offset = |at: i64| {
                let all = known.changes.iter().take_while(|(from, _)| *from <= at);
                all.last().map_or(known.first, |(_, offset)| *offset)
            };
            assert_eq!(changes_of(&offset), known, "{name}");
        }
    }
}
