//! The zone of times that tell none: an offset from UTC, or a name of the tz database whose clocks
//! change.

use super::builder::Builder;
use super::clock_changes::{ClockChanges, clock_changes};
use crate::trace::{Effect, ImportRule};

/// The largest size of a zone's name, in bytes.
const NAME_BYTES: usize = 64;

/// A zone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Zone(ClockChanges);

/// The number of times that clocks showed a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Once,
    /// A time of an hour that came twice: the first of both instants counts.
    Twice,
    /// A time of an hour that clocks left out: the offset from before counts.
    Never,
}

impl Zone {
    /// Returns a zone whose clocks never change.
    pub fn of_offset(seconds: i64) -> Self {
        Self(ClockChanges {
            first: seconds,
            changes: Vec::new(),
        })
    }

    /// Returns the zone of a name such as `Europe/Berlin`, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        // The name stands for a zone that is not known, which is none.
        let is_like = name.len() <= NAME_BYTES
            && !name.eq_ignore_ascii_case("Etc/Unknown")
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte));
        if is_like {
            clock_changes(name).map(Self)
        } else {
            None
        }
    }

    /// Returns the instant at which clocks showed `local`, in seconds since 1970.
    pub fn instant(&self, local: i64) -> (i64, Shown) {
        let ClockChanges { first, changes } = &self.0;
        let mut before = *first;
        // Offsets are at most 14 hours and a change at most a day, so only changes near `local` matter.
        let near = changes.partition_point(|(at, _)| at + 2 * 86_400 < local);
        if near > 0 {
            before = changes[near - 1].1;
        }
        for &(at, after) in &changes[near..] {
            if local < at + before.min(after) {
                break;
            }
            if local < at + before {
                return (local - before, Shown::Twice);
            }
            if local < at + after {
                return (local - before, Shown::Never);
            }
            before = after;
        }
        (local - before, Shown::Once)
    }
}

const IN_ZONE: ImportRule = ImportRule {
    id: "times_in_given_zone",
    effect: Effect::Noted,
    text: "times without a zone: read in the given zone",
};
const TWICE: ImportRule = ImportRule {
    id: "times_shown_twice",
    effect: Effect::Noted,
    text: "times that clocks showed twice, because they were set back: the first of both",
};
const NEVER: ImportRule = ImportRule {
    id: "times_never_shown",
    effect: Effect::Noted,
    text: "times that clocks never showed, because they were set forward: as if they had not been",
};

/// The kinds of times without a zone that a row has.
#[derive(Copy, Clone, Debug, Default)]
pub struct LocalTimes {
    is_any: bool,
    is_twice: bool,
    is_never: bool,
}

impl LocalTimes {
    /// Returns the instant of a time without a zone: without a given zone, it counts as UTC.
    pub fn take(&mut self, local: i64, zone: Option<&Zone>) -> i64 {
        self.is_any = true;
        let Some(zone) = zone else { return local };
        let (instant, shown) = zone.instant(local);
        self.is_twice |= shown == Shown::Twice;
        self.is_never |= shown == Shown::Never;
        instant.max(0)
    }

    /// Counts a row: by the rule `as_utc` if no zone is given.
    pub fn count(
        self,
        zone: Option<&Zone>,
        as_utc: &'static ImportRule,
        line: u64,
        to: &mut Builder,
    ) {
        let in_zone = zone.map_or(as_utc, |_| &IN_ZONE);
        for (is_met, rule) in [
            (self.is_any, in_zone),
            (self.is_twice, &TWICE),
            (self.is_never, &NEVER),
        ] {
            if is_met {
                to.count(rule, line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_berlin_change_twice_a_year() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        // 31 March 2024, 02:00 is skipped; 27 October 2024, 02:00 to 03:00 comes twice.
        let (march, october) = (1_711_843_200, 1_729_987_200);
        assert_eq!(berlin.instant(march), (march - 3600, Shown::Once));
        for (hour, seconds, shown) in [
            (1.5, 3600, Shown::Once),
            (2.0, 3600, Shown::Never),
            (2.5, 3600, Shown::Never),
            (3.0, 7200, Shown::Once),
        ] {
            let local = march + (hour * 3600.0) as i64;
            assert_eq!(berlin.instant(local), (local - seconds, shown), "{hour}");
        }
        for (hour, seconds, shown) in [
            (1.5, 7200, Shown::Once),
            (2.0, 7200, Shown::Twice),
            (2.99, 7200, Shown::Twice),
            (3.0, 3600, Shown::Once),
        ] {
            let local = october + (hour * 3600.0) as i64;
            assert_eq!(berlin.instant(local), (local - seconds, shown), "{hour}");
        }
    }

    #[test]
    fn names_are_known_or_refused() {
        assert_eq!(Zone::named("UTC"), Some(Zone::default()));
        assert_eq!(Zone::named("Asia/Kolkata"), Some(Zone::of_offset(19_800)));
        for bad in [
            "",
            "Berlin",
            "Europe/Nowhere",
            "../etc/passwd",
            "+02:00",
            "local",
            "Etc/Unknown",
        ] {
            assert_eq!(Zone::named(bad), None, "{bad}");
        }
    }
}
