//! Advance reservations: periods in which nodes are kept for some users, or for maintenance.

use crate::time::{Span, Time};

/// The purpose of an advance reservation.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum AdvanceKind {
    /// It keeps its nodes for some jobs.
    #[default]
    Jobs,
    /// It keeps its nodes for maintenance (`Flags=MAINT`).
    Maintenance,
    /// It is an outage of a what-if, which nobody knows of before.
    Outage,
}

/// Nodes that are kept for a while. Jobs that are not admitted do not run there meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceReservation {
    /// Name of the reservation.
    pub name: String,
    /// Beginning of the first period.
    pub from: Time,
    /// Length of each period.
    pub length: Span,
    /// Time from the beginning of a period to the beginning of the next one; `None` if there is only
    /// one period.
    pub every: Option<Span>,
    /// Number of periods.
    pub times: i64,
    /// True if `from` is a date, in seconds since 1970, and not a time of the workload.
    pub is_dated: bool,
    /// The purpose.
    pub kind: AdvanceKind,
    /// True if it is for all nodes, whatever they are (`Nodes=ALL`, `Flags=ALL_NODES`).
    pub has_all_nodes: bool,
    /// Users whose jobs are admitted.
    pub users: Vec<String>,
    /// Slurm's accounts (groups in a log without accounts) whose jobs are admitted.
    pub groups: Vec<String>,
}

impl AdvanceReservation {
    /// Returns a reservation with one period, to which no job is admitted.
    pub fn once(name: &str, from: Time, length: Span) -> Self {
        Self {
            name: name.into(),
            from,
            length,
            every: None,
            times: 1,
            is_dated: false,
            kind: AdvanceKind::Jobs,
            has_all_nodes: false,
            users: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Returns the number of the first period that ends after `at`; `None` if there is none.
    fn first_after(&self, at: Time) -> Option<i64> {
        let since = (at - self.from).microseconds();
        let length = self.length.microseconds();
        let number = match self.every {
            Some(every) if since >= length => (since - length) / every.microseconds() + 1,
            None if since >= length => return None,
            _ => 0,
        };
        (number < self.times).then_some(number)
    }

    fn begins(&self, number: i64) -> Time {
        let every = self.every.map_or(0, Span::microseconds);
        self.from
            .saturating_add(Span::from_microseconds(every.saturating_mul(number)))
    }

    /// True if a period has an instant of [from, to) in it.
    pub fn is_within(&self, from: Time, to: Time) -> bool {
        from < to
            && self
                .first_after(from)
                .is_some_and(|number| self.begins(number) < to)
    }

    /// Returns the first end of a period after `at`.
    pub fn next_end(&self, at: Time) -> Option<Time> {
        let number = self.first_after(at)?;
        Some(self.begins(number).saturating_add(self.length))
    }

    /// Returns the beginnings and ends of the periods, in order.
    pub fn periods(&self) -> impl Iterator<Item = (Time, Time)> {
        (0..self.times).map(|number| {
            let from = self.begins(number);
            (from, from.saturating_add(self.length))
        })
    }

    /// Lets the periods repeat only until `end`, at least once.
    pub fn repeat_until(&mut self, end: Time) {
        let since = (end - self.from).microseconds();
        self.times = match self.every {
            Some(every) if since >= 0 => since / every.microseconds() + 1,
            _ => 1,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::ZERO + Span::from_seconds(seconds)
    }

    #[test]
    fn periods_repeat_as_often_as_they_should() {
        let mut daily = AdvanceReservation {
            every: Some(Span::from_seconds(50)),
            ..AdvanceReservation::once("daily", at(100), Span::from_seconds(10))
        };
        daily.repeat_until(at(205));
        assert_eq!(daily.times, 3);
        // The plain way to say the same.
        let periods = [(100, 110), (150, 160), (200, 210)];
        assert!(
            daily
                .periods()
                .eq(periods.map(|(from, to)| (at(from), at(to))))
        );
        for from in 80..230 {
            for to in from..240 {
                let plain = periods
                    .iter()
                    .any(|(start, end)| from < to && *start < to && from < *end);
                assert_eq!(daily.is_within(at(from), at(to)), plain, "{from} {to}");
            }
            let next = periods.iter().map(|(_, end)| *end).find(|end| *end > from);
            assert_eq!(daily.next_end(at(from)), next.map(at), "{from}");
        }
        daily.every = None;
        daily.repeat_until(at(1000));
        assert_eq!(daily.next_end(at(109)), Some(at(110)));
        assert_eq!(daily.next_end(at(110)), None);
    }
}
