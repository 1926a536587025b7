//! Advance reservations (`job_test_resv`): nodes that are kept for some jobs, or for maintenance.

use super::choice::StartOutcome;
use super::controller::Controller;
use super::kept::{KnownReservation, NodeReservation};
use super::nodeset::NodeSet;
use super::reason::WaitReason;
use super::record::JobState;
use super::start::{YEAR_SECONDS, end_of};
use super::text::words::INFINITE;
use crate::limits;
use crate::problem::Problem;

/// The most reservations of a controller: the bits of a word.
const MOST: usize = 64;

/// The number of times that a job without a reservation is put off in one test.
const MOST_MOVES: usize = 10;

/// The nodes that reservations leave a job.
#[derive(Clone, Debug)]
pub(super) struct LeftNodes {
    /// `None` if no reservation keeps any.
    pub nodes: Option<NodeSet>,
    /// The time of the start, which can be later than the one that was asked for.
    pub start: i64,
    /// True if a reservation keeps nodes of the partition (`resv_overlap`).
    pub is_overlapped: bool,
    /// True if the job has a reservation.
    pub is_reserved: bool,
    /// True if the job can use no node, because all of its partition are in maintenance.
    pub is_maintained: bool,
}

/// The nodes that reservations leave a job that is planned.
pub(super) struct PlannedNodes {
    /// Nodes of its partition; `None` if no reservation keeps any.
    pub nodes: Option<NodeSet>,
    /// The time from which the job is planned.
    pub start: i64,
    /// The second after the next end of a reservation, if one keeps nodes.
    pub after: Option<i64>,
    /// The second from which they can be others, unless a period begins or ends before.
    pub until: i64,
}

/// The reason for which no nodes are left to a job with a reservation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum NoNodes {
    /// It cannot use its reservation at that time, but later.
    Later,
    /// It cannot use its reservation any more, or nothing suits it.
    Invalid,
}

impl LeftNodes {
    /// Returns the reason for which a job waits that reservations stop.
    pub fn reason(&self) -> WaitReason {
        if self.is_maintained {
            WaitReason::Maintenance
        } else {
            WaitReason::Reservation
        }
    }

    /// Returns the outcome of a try that came out otherwise without reservations.
    pub fn outcome(&self, outcome: StartOutcome) -> StartOutcome {
        match outcome {
            StartOutcome::Never if self.is_overlapped => StartOutcome::Reserved,
            StartOutcome::NotAvailable if self.is_maintained => StartOutcome::Reserved,
            outcome => outcome,
        }
    }
}

impl Controller {
    /// Makes an advance reservation.
    ///
    /// # Errors
    /// Returns a problem if there are too many.
    pub fn reserve_nodes(&mut self, facts: NodeReservation, now: i64) -> Result<(), Problem> {
        let count = self.reservations.len() + 1;
        let what = "advance reservations";
        limits::check("The controller", count, MOST, what)?;
        self.changes += 1;
        self.changed = now;
        let mut one = KnownReservation {
            facts,
            is_deleted: false,
            has_begun: false,
            is_marked: false,
        };
        while one.facts.end <= now && one.advance() {}
        one.is_deleted = one.facts.end < now;
        self.reservations.push(one);
        Ok(())
    }

    /// Returns the number of the reservation that a job asks for by name.
    ///
    /// # Errors
    /// Returns a problem if there is none of this name, or if the job may not use it.
    pub(super) fn asked_reservation(
        &self,
        name: &str,
        user: &str,
        account: &str,
    ) -> Result<Option<usize>, Problem> {
        if name.is_empty() {
            return Ok(None);
        }
        let mut all = self.reservations.iter();
        let found = all.position(|one| !one.is_deleted && one.facts.name == name);
        let found = found.filter(|at| self.accepts_all || self.admits(*at, user, account));
        let word = if self.reservations.iter().any(|one| one.facts.name == name) {
            "The reservation has ended, or it is not for the user and the account of the job."
        } else {
            "There is no reservation of this name."
        };
        found.map(Some).ok_or_else(|| {
            Problem::new(
                format!("Slurm refuses the job: no reservation `{name}`."),
                word,
                "Name a reservation that the job may use.",
            )
        })
    }

    /// True if a reservation is for jobs of a user and an account (`_valid_job_access_resv`).
    fn admits(&self, at: usize, user: &str, account: &str) -> bool {
        let has = |list: &[String], name: &str| {
            let mut list = list.iter();
            list.any(|one| one.eq_ignore_ascii_case(name))
        };
        let one = &self.reservations[at].facts;
        (one.users.is_empty() || has(&one.users, user))
            && (one.accounts.is_empty() || has(&one.accounts, account))
    }

    /// Returns the magnetic reservations that are for jobs of a user and an account.
    pub(super) fn magnets(&self, user: &str, account: &str) -> Vec<usize> {
        let all = 0..self.reservations.len();
        let is_magnet = |at: &usize| {
            self.reservations[*at].facts.is_magnetic && self.admits(*at, user, account)
        };
        all.filter(is_magnet).collect()
    }

    /// Returns the next second at which a period begins or ends; the largest number if none does.
    pub(super) fn next_reservation_change(&self, now: i64) -> i64 {
        let all = self.reservations.iter().filter(|one| !one.is_deleted);
        let changes = all.flat_map(|one| [one.facts.start, one.facts.end, one.facts.end + 1]);
        let changes = changes.filter(|second| *second > now);
        changes.min().unwrap_or(i64::MAX)
    }

    /// True if the controller has not forgotten all reservations.
    pub(super) fn knows_reservations(&self) -> bool {
        self.reservations.iter().any(|one| !one.is_deleted)
    }

    /// Returns the end of the last period of all reservations, also of forgotten ones.
    pub(super) fn last_reserved(&self) -> Option<i64> {
        let all = self.reservations.iter();
        let last = all.map(|one| {
            let more = one.facts.every.saturating_mul(one.facts.periods - 1);
            one.facts.end.saturating_add(more)
        });
        last.max()
    }

    /// True if the reservation of a job lets it start at this second (`job_test_resv_now`).
    pub(super) fn is_reservation_open(&mut self, record: usize, now: i64) -> bool {
        let Some(at) = self.records[record].reservation else {
            return true;
        };
        let one = &self.reservations[at];
        let is_open = !one.is_deleted && (one.facts.start..=one.facts.end).contains(&now);
        if !is_open {
            self.records[record].reason = WaitReason::Reservation;
        }
        is_open
    }

    /// Returns the nodes that reservations leave a job in its partition if it starts at a time
    /// (`job_test_resv`). If `moves`, a job without a reservation can be put off.
    pub(super) fn left_nodes(
        &mut self,
        record: usize,
        (when, moves): (i64, bool),
        now: i64,
    ) -> Result<LeftNodes, NoNodes> {
        let reservation = self.records[record].reservation;
        let mut left = LeftNodes {
            nodes: None,
            start: when,
            is_overlapped: false,
            is_reserved: reservation.is_some(),
            is_maintained: false,
        };
        if self.reservations.is_empty() {
            return Ok(left);
        }
        self.advance_reservations(now);
        let Some(own) = reservation else {
            return self.left_beside(record, left, moves);
        };
        let known = &self.reservations[own];
        let facts = &known.facts;
        if known.is_deleted || when > facts.end {
            return Err(NoNodes::Invalid);
        }
        if when < facts.start {
            return Err(NoNodes::Later);
        }
        let required = &self.records[record].facts.required;
        if !required.is_within(&facts.nodes) {
            return Err(NoNodes::Invalid);
        }
        let until = when + self.reserved_seconds(record);
        let mut nodes = facts.nodes.clone();
        for (at, other) in self.reservations.iter().enumerate() {
            // A machine does not let a log's job on nodes of a second reservation.
            let is_beside = !self.accepts_all
                && (facts.is_maintenance || facts.is_overlapping && !other.facts.is_maintenance);
            let is_off = other.is_deleted
                || self.passes(record, at)
                || other.facts.start >= until
                || other.facts.end <= when;
            if at == own || is_beside || is_off {
                continue;
            }
            if nodes.meets(&other.facts.nodes) {
                left.is_overlapped = true;
                nodes.take_away(&other.facts.nodes);
            }
        }
        left.nodes = Some(nodes);
        Ok(left)
    }

    /// Returns the nodes of its partition that reservations leave a job that is planned, not before a second.
    /// `None`: the job is not planned.
    pub(super) fn plan_left(
        &mut self,
        record: usize,
        earliest: i64,
        now: i64,
    ) -> Option<PlannedNodes> {
        let left = self.left_nodes(record, (earliest, true), now).ok()?;
        let part = &self.conf.partitions[self.records[record].partition].nodes;
        let conf = &self.conf.backfill;
        let window_end = (now + conf.window).div_euclid(conf.resolution) * conf.resolution;
        let after = if left.is_overlapped {
            self.after_reservation(left.start)
        } else {
            None
        };
        let mut until = after.map_or(i64::MAX, |after| after - conf.window);
        if after.is_some_and(|after| after < window_end) {
            until = i64::MAX;
        }
        if earliest <= now {
            // The job would meet a period that begins later.
            let seconds = self.reserved_seconds(record);
            let starts = self.reservations.iter().map(|one| one.facts.start);
            let meets = starts.map(|start| start - seconds + 1);
            until = meets.filter(|second| *second > now).fold(until, i64::min);
        }
        Some(PlannedNodes {
            nodes: left.nodes.map(|nodes| part.and(&nodes)),
            start: left.start,
            after: after.filter(|after| *after < window_end),
            until: until.max(now),
        })
    }

    /// Returns the nodes that reservations leave a job that has none.
    fn left_beside(
        &self,
        record: usize,
        mut left: LeftNodes,
        moves: bool,
    ) -> Result<LeftNodes, NoNodes> {
        let job = &self.records[record];
        let part = &self.conf.partitions[job.partition].nodes;
        let seconds = self.reserved_seconds(record);
        let has_list = self.reservations.iter().any(|one| !one.is_deleted);
        for _ in 0..=MOST_MOVES {
            let from = left.start;
            let mut nodes: Option<NodeSet> = None;
            let mut stop = None;
            for (at, one) in self.reservations.iter().enumerate() {
                crate::pulse::beat(16);
                let facts = &one.facts;
                let is_off = facts.start >= from + seconds || facts.end <= from;
                if one.is_deleted || is_off || self.passes(record, at) {
                    continue;
                }
                let is_whole = facts.is_maintenance && part.is_within(&facts.nodes);
                if facts.has_all_nodes || is_whole {
                    stop = Some((facts.end, true));
                    break;
                }
                if job.facts.required.meets(&facts.nodes) {
                    stop = Some((facts.end, false));
                    break;
                }
                let all = || NodeSet::all(self.conf.node_count());
                nodes.get_or_insert_with(all).take_away(&facts.nodes);
                left.is_overlapped |= part.meets(&facts.nodes);
            }
            // A job whose licences are in use is never put off to a time at which they are free.
            if stop.is_none() && moves && has_list && !self.has_licences(record) {
                return Err(NoNodes::Later);
            }
            let Some((end, is_maintained)) = stop else {
                left.nodes = nodes;
                return Ok(left);
            };
            if !moves {
                left.nodes = Some(NodeSet::none(self.conf.node_count()));
                left.is_maintained = is_maintained;
                return Ok(left);
            }
            left.start = end;
        }
        Err(NoNodes::Later)
    }

    /// True if a job uses the nodes of a reservation as if they were free.
    fn passes(&self, record: usize, at: usize) -> bool {
        self.records[record].facts.admitted >> at & 1 == 1
    }

    /// Returns the seconds for which a job needs its nodes (`_get_job_duration`).
    fn reserved_seconds(&self, record: usize) -> i64 {
        let job = &self.records[record];
        let most = self.conf.partitions[job.partition].most_time;
        end_of(0, job.limit.unwrap_or(most))
    }

    /// Returns the first end of a reservation from a second on, as a multiple of `bf_resolution`, and a
    /// second more (`find_resv_end`).
    pub(super) fn after_reservation(&self, from: i64) -> Option<i64> {
        let all = self.reservations.iter().filter(|one| !one.is_deleted);
        let ends = all.map(|one| one.facts.end).filter(|end| *end >= from);
        let resolution = self.conf.backfill.resolution;
        let up = |end: i64| (end + resolution - 1).div_euclid(resolution) * resolution + 1;
        ends.min().map(up)
    }

    fn advance_reservations(&mut self, now: i64) {
        for one in &mut self.reservations {
            while !one.is_deleted && one.facts.end <= now && one.advance() {
                self.changes += 1;
                self.changed = self.changed.max(now);
            }
        }
    }

    /// Notices reservations that begin, and asks for a main pass if one does (`set_node_maint_mode`). Nodes
    /// of a period are marked each time: a change.
    pub(super) fn mark_reservations(&mut self, now: i64) {
        for one in &mut self.reservations {
            if one.is_deleted {
                continue;
            }
            let is_on = one.facts.start <= now && now < one.facts.end;
            if is_on || std::mem::take(&mut one.is_marked) {
                self.changed = self.changed.max(now);
            }
            one.is_marked = is_on && one.facts.is_maintenance;
            if one.facts.start <= now && !one.has_begun {
                one.has_begun = true;
                self.is_pass_asked = true;
            }
        }
    }

    /// Returns the next second, not before `now`, at which [`Controller::mark_reservations`] can notice a
    /// period that begins.
    pub(super) fn next_begin(&self, now: i64) -> Option<i64> {
        let all = self.reservations.iter();
        let ahead = all.filter(|one| !one.is_deleted && !one.has_begun);
        ahead.map(|one| one.facts.start.max(now)).min()
    }

    /// True if [`Controller::mark_reservations`] notes a change at a second, because of a period that has
    /// begun.
    pub(super) fn is_marking(&self, now: i64) -> bool {
        let mut all = self.reservations.iter().filter(|one| !one.is_deleted);
        all.any(|one| one.is_marked || one.facts.start <= now && now < one.facts.end)
    }

    /// Returns the next second, not before `now`, at which [`Controller::check_reservations`] can do
    /// something.
    pub(super) fn next_check(&self, now: i64) -> Option<i64> {
        let all = self.reservations.iter().filter(|one| !one.is_deleted);
        all.map(|one| now.max(one.facts.end + 1)).min()
    }

    /// Forgets reservations that are over, and moves repeated ones on (`job_resv_check`). Jobs that wait for
    /// a forgotten one are held.
    pub(super) fn check_reservations(&mut self, now: i64) {
        for at in 0..self.reservations.len() {
            let one = &mut self.reservations[at];
            if one.is_deleted || one.facts.end >= now {
                continue;
            }
            if one.advance() {
                self.changes += 1;
                self.changed = now;
                continue;
            }
            let has = |record: &u32| self.records[*record as usize].reservation == Some(at);
            if self.running.iter().any(|(_, record)| has(record)) {
                continue;
            }
            self.changes += 1;
            self.changed = now;
            self.reservations[at].is_deleted = true;
            let is_maintenance = self.reservations[at].facts.is_maintenance;
            for record in self.pending.clone() {
                let job = &mut self.records[record as usize];
                if is_maintenance && job.reason == WaitReason::Maintenance {
                    job.reason = WaitReason::None;
                }
                if job.reservation == Some(at) && job.state == JobState::Pending {
                    job.reason = WaitReason::ReservationDeleted;
                    job.priority = 0;
                    job.is_held = true;
                }
            }
        }
    }

    /// True if the reservation of a running job ended longer than `ResvOverRun` ago.
    pub(super) fn is_beyond_reservation(&self, record: usize, now: i64) -> bool {
        let over = match self.conf.reservation_over_run {
            INFINITE.. => YEAR_SECONDS,
            minutes => minutes * 60,
        };
        let own = self.records[record].reservation;
        own.is_some_and(|at| self.reservations[at].facts.end + over < now)
    }

    /// True if jobs can end with their reservations.
    pub(super) fn ends_with_reservations(&self) -> bool {
        self.conf.reservation_over_run < INFINITE && !self.reservations.is_empty()
    }

    /// Takes a job out of a magnetic reservation that it did not start in
    /// (`job_resv_clear_magnetic_flag`).
    pub(super) fn leave_magnet(&mut self, record: usize) {
        let job = &self.records[record];
        let own = job.facts.reservation;
        if job.state != JobState::Running && job.reservation != own {
            self.records[record].reservation = own;
        }
    }
}
