//! A pass of the backfill scheduler (`_attempt_backfill`): it plans jobs in the order of the queue,
//! starts those whose plan begins now, and reserves nodes for the others.

use super::backfill_pass::{BackfillPass, KeptEntry, LeftByEntry};
use super::choice::{AskMode, NodeBounds, StartOutcome};
use super::controller::Controller;
use super::entry::QueueEntry;
use super::idle::IdlePass;
use super::looks::JobFound;
use super::nodeset::NodeSet;
use super::reason::WaitReason;
use super::record::{JobState, JobTerms, PreemptNotes};
use super::refusals::{PlanNeed, Refusal};
use super::releases::Sufficiency;
use super::start::end_of;
use super::text::modes::PreemptMode;
use super::text::words::INFINITE;
use super::timeline::{BackfillMap, MapSlot};
use crate::pulse::beat;
use std::collections::BTreeMap;

/// A second at which nothing changes.
const NEVER_CHANGED: i64 = i64::MIN;

/// The time limit in minutes of jobs that have none.
const YEAR_MINUTES: i64 = 365 * 24 * 60;

/// A job in its turn.
struct PlannedJob {
    record: usize,
    partition: usize,
    /// True if the job may start now, but gets no reservation.
    is_now_only: bool,
    old_start: i64,
    old_limit: Option<i64>,
    /// True if the entry stands for an array.
    is_head: bool,
}

impl PlannedJob {
    fn without_room(&self) -> JobFound {
        if self.is_now_only {
            JobFound::OnlyNow
        } else {
            JobFound::NoRoom
        }
    }
}

/// A plan in progress.
struct PlanAsk {
    bounds: NodeBounds,
    /// The time limit of the plan and that of the job, in minutes.
    limit: i64,
    whole_limit: i64,
    is_counted: bool,
    /// True if a plan was left out that would begin too late. `None` if none is left out.
    left_out: Option<bool>,
    /// A second, and the first slot of the map that ends after it.
    from: (i64, usize),
    /// The need of the job, if plans that are known to be in vain may be left out.
    need: Option<PlanNeed>,
}

/// The result of a try to start a job whose plan begins now.
enum PlannedStart {
    Step(PlanStep),
    /// A limit of an account is reached; the job is planned for later.
    Limited,
    Failed,
}

/// Seconds until a job that a limit stops may start, if nothing better is known.
const LIMITED_SECONDS: i64 = 500;

/// The result of a try to plan.
enum PlanStep {
    /// Try again, not before this second.
    Later(i64),
    /// Try again from the begin.
    Again,
    Next,
    /// Go on with the next task of the array.
    Task,
    Stop,
}

impl Controller {
    /// Runs a pass of the backfill scheduler.
    pub fn backfill_pass(&mut self, now: i64) {
        if self.repeat_idle(now) {
            return;
        }
        let changes = self.changes;
        self.near_before.clone_from(&self.near);
        let notes = self.notes_to_read();
        let before = std::mem::replace(&mut self.changed, NEVER_CHANGED);
        let until = self.plan_pass(now);
        let is_change = self.changed != NEVER_CHANGED;
        if !is_change {
            self.changed = before;
        }
        self.near_after.clone_from(&self.near);
        self.idle_pass = (changes == self.changes && until > now).then(|| IdlePass {
            changes,
            until,
            is_change,
            before: notes,
            after: self.all_notes(),
        });
    }

    /// Runs a pass, and returns the first second at which the same pass could come out otherwise.
    fn plan_pass(&mut self, now: i64) -> i64 {
        let mut kept = std::mem::take(&mut self.kept_pass.pass);
        let queue = self.next_queue(true, now);
        self.begin_watched(true, now, queue.iter().map(|entry| entry.record));
        if queue.is_empty() {
            return now;
        }
        for record in self.pending.iter().map(|record| *record as usize) {
            if self.records[record].start != 0 {
                self.records[record].start = 0;
            }
        }
        let mut pass = self.begin_pass(now);
        let changes = self.changes - self.plain_changes;
        let keeps = pass.until > now && self.keeps_entries();
        let mut is_same = keeps && kept.until > now && kept.changes == changes;
        (kept.changes, kept.until) = (changes, pass.until);
        let mut count = 0;
        for entry in &queue {
            if pass.tested >= self.conf.backfill.most_tests {
                break;
            }
            let border = self.conf.backfill.reserve_priority;
            let last = kept.entries.get_mut(count).filter(|_| is_same);
            let last = last.filter(|last| last.entry.is_like(entry, border));
            let is_last = match last {
                Some(last) if self.comes_again(last, now) => {
                    self.take_over(last, entry, &mut pass);
                    last.left.is_last
                }
                last => {
                    let one = self.plan_kept(entry, &mut pass);
                    is_same =
                        last.is_some_and(|last| last.map_until > now && last.left == one.left);
                    let is_last = one.left.is_last;
                    match kept.entries.get_mut(count) {
                        _ if !keeps => {}
                        Some(place) => *place = one,
                        None => kept.entries.push(one),
                    }
                    is_last
                }
            };
            is_same &= pass.starts == 0;
            count += 1;
            if is_last {
                break;
            }
        }
        let is_kept = keeps && pass.starts == 0;
        kept.entries.truncate(if is_kept { count } else { 0 });
        self.kept_pass.pass = kept;
        self.kept_pass.spare = pass.map.into_sets();
        self.keep_queue(queue);
        pass.until
    }

    /// Plans an entry, and returns what it leaves behind.
    fn plan_kept(&mut self, entry: &QueueEntry, pass: &mut BackfillPass) -> KeptEntry {
        let (until, map_until) = (pass.until, pass.map_until);
        (pass.until, pass.map_until) = (i64::MAX, i64::MAX);
        let tested = pass.tested;
        let notes = self.notes_for_entry(entry.record);
        let near = self.near_now();
        let before = std::mem::replace(&mut self.changed, NEVER_CHANGED);
        pass.left = LeftByEntry::default();
        let is_last = !self.plan_entry(entry, pass);
        let one = KeptEntry {
            entry: entry.clone(),
            left: LeftByEntry {
                is_tested: pass.tested > tested,
                is_last,
                ..std::mem::take(&mut pass.left)
            },
            before: notes,
            after: self.notes_of(entry.record),
            until: if self.records[entry.record].facts.gres.is_empty() && self.is_near(&near) {
                pass.until
            } else {
                // It leaves weights behind: those of nodes with the resources that it asks for, or the usual
                // ones, with which the choice for any job begins.
                i64::MIN
            },
            near,
            map_until: pass.map_until,
            is_change: self.changed != NEVER_CHANGED,
        };
        if !one.is_change {
            self.changed = before;
        }
        pass.until = until.min(pass.until);
        pass.map_until = map_until.min(one.map_until);
        one
    }

    /// True if an entry of the last pass comes out the same, because it finds the same map.
    fn comes_again(&self, last: &KeptEntry, now: i64) -> bool {
        last.until > now
            && last.before == self.notes_for_entry(last.entry.record)
            && self.is_near(&last.near)
    }

    /// Does what an entry did in the last pass.
    fn take_over(&mut self, last: &mut KeptEntry, entry: &QueueEntry, pass: &mut BackfillPass) {
        beat(64);
        last.entry.priority = entry.priority;
        last.after.priority = entry.priority;
        if !last.left.is_planned {
            last.after.planned = self.records[entry.record].planned;
        }
        self.write_notes(entry.record, &last.after);
        if last.left.is_counted {
            let is_magnetic = entry.magnet.is_some();
            self.is_above_counts((entry.record, is_magnetic), entry.partition, pass);
        }
        pass.reservations[entry.partition] += i64::from(last.left.is_limited);
        if let Some((begin, end, nodes)) = &last.left.reserved {
            pass.map.reserve(*begin, *end, nodes, &[]);
        }
        pass.tested += i64::from(last.left.is_tested);
        pass.until = pass.until.min(last.until);
        if last.is_change {
            self.changed = pass.now;
        }
    }

    /// True if entries that come out the same can be taken over from the last pass: they leave nothing behind
    /// that is not kept.
    fn keeps_entries(&self) -> bool {
        let is_watched = self.watched.record.is_some();
        // Idle nodes change by themselves.
        let is_busy_first = self.conf.backfill.flags.is_busy_first;
        !self.runs_all && !is_watched && !is_busy_first
    }

    /// Begins a pass: its map has what cannot be planned.
    fn begin_pass(&mut self, now: i64) -> BackfillPass {
        let mut spare = std::mem::take(&mut self.kept_pass.spare);
        let mut free = spare.pop().unwrap_or_default();
        free.copy_from(&self.all);
        let conf = &self.conf.backfill;
        let floor = |time: i64| time.div_euclid(conf.resolution) * conf.resolution;
        let first = MapSlot {
            begin: floor(now),
            end: floor(now + conf.window),
            free,
            licences: conf
                .flags
                .has_licences
                .then(|| self.conf.licences.iter().map(|(_, count)| *count).collect()),
            next: 0,
            differs: false,
        };
        let mut pass = BackfillPass {
            now,
            map: BackfillMap::new(first, conf.resolution, spare),
            tested: 0,
            starts: 0,
            rejected: None,
            counts: BTreeMap::new(),
            reservations: vec![0; self.conf.partitions.len()],
            array: (0, 0),
            until: self.waiting_until(now),
            map_until: i64::MAX,
            blocked: vec![0; self.accounts.qos.len()],
            left: LeftByEntry::default(),
        };
        if conf.flags.reserves_running {
            let mut running: Vec<u32> = self.running.iter().map(|(_, record)| *record).collect();
            crate::sorting::by(&mut running, |record| [(*record).into(), 0]);
            for record in running {
                self.reserve_running(&mut pass, record as usize);
            }
        }
        pass
    }

    /// Returns the first second at which a pass could come out otherwise for what waiting jobs ask.
    fn waiting_until(&self, now: i64) -> i64 {
        let reserve_age = self.conf.backfill.reserve_age;
        let mut until = self.next_reservation_change(now);
        let preempts = self.conf.preempt.is_on();
        let has_age = self.conf.priority.age_weight > 0;
        for record in &self.pending {
            let job = &self.records[*record as usize];
            if has_age && job.accrued == 0 && job.begin != 0 {
                // The next pass notes since when its age counts.
                until = now;
            }
            let mut partitions = job.facts.partitions.iter();
            if preempts && partitions.any(|partition| self.can_preempt(job, *partition)) {
                until = now;
            }
            for change in [job.begin, job.begin.saturating_add(reserve_age)] {
                if change > now {
                    until = until.min(change);
                }
            }
            if !job.dependencies.is_empty() || job.is_of_array() {
                until = now;
            }
        }
        let has_licences = self.conf.backfill.flags.has_licences;
        if has_licences || self.conf.enforce.limits && self.accounts.has_usage {
            until = now;
        }
        until
    }

    /// Plans a job, and the further tasks of its array. Returns false at the end of the pass.
    fn plan_entry(&mut self, entry: &QueueEntry, pass: &mut BackfillPass) -> bool {
        beat(128);
        let mut record = entry.record;
        let is_head = entry.task.is_none() && self.records[record].array.is_some();
        if is_head && self.records[record].task.is_some() {
            match self.base_of(record) {
                Some(base) => record = base,
                None => return true,
            }
        }
        let conf = &self.conf.backfill;
        let job = &self.records[record];
        if job.state != JobState::Pending || job.priority == 0 || job.is_completing {
            self.passed_by_backfill(record, pass.now, JobFound::NotQueued);
            return true;
        }
        if let Some(array) = &job.array {
            let is_full = array.most_running > 0 && array.planned >= array.most_running;
            if array.planned >= conf.array_reservations || is_full {
                self.passed_by_backfill(record, pass.now, JobFound::Array);
                return true;
            }
        }
        if entry.magnet.is_some() {
            self.records[record].reservation = entry.magnet;
        }
        let is_going_on = self.plan_tasks(&mut record, entry, is_head, pass);
        self.leave_magnet(record);
        is_going_on
    }

    /// Plans a job and the further tasks of its array, and leaves the number of the last one planned.
    fn plan_tasks(
        &mut self,
        last: &mut usize,
        entry: &QueueEntry,
        is_head: bool,
        pass: &mut BackfillPass,
    ) -> bool {
        let record = *last;
        let job = &self.records[record];
        if (job.partition, job.priority) != (entry.partition, entry.priority) {
            let job = &mut self.records[record];
            (job.partition, job.priority) = (entry.partition, entry.priority);
        }
        if self.shut_out(record, entry.partition) == Some(WaitReason::QosNotAllowed) {
            self.seen_by_backfill(record, pass.now, JobFound::AccountLimit);
            return true;
        }
        let conf = &self.conf.backfill;
        if !conf.flags.stops_at_limits && self.before_choice(record).is_some() {
            self.seen_by_backfill(record, pass.now, JobFound::AccountLimit);
            return true;
        }
        let conf = &self.conf.backfill;
        let job = &self.records[record];
        let is_young = job.begin != 0 && pass.now - job.begin < conf.reserve_age;
        let most = conf.partition_reservations;
        let is_now_only = job.priority < conf.reserve_priority
            || conf.reserve_age > 0 && is_young
            || conf.flags.is_one_reservation && job.start != 0
            || most > 0 && pass.reservations[entry.partition] >= most;
        if job.preempt.is_in_progress {
            self.passed_by_backfill(record, pass.now, JobFound::Preempting);
            return true;
        }
        let mut job = PlannedJob {
            record,
            partition: entry.partition,
            is_now_only,
            old_start: job.start,
            old_limit: job.limit,
            is_head,
        };
        // Each task of an array may preempt others.
        let mut kept = PreemptNotes::default();
        let is_going_on = loop {
            let notes = self.records[job.record].preempt;
            if notes.is_in_progress {
                kept = notes;
                let notes = &mut self.records[job.record].preempt;
                (notes.began, notes.is_in_progress) = (0, false);
            }
            match self.plan_job(&mut job, pass) {
                PlanStep::Task => {}
                PlanStep::Stop => break false,
                PlanStep::Next | PlanStep::Later(_) | PlanStep::Again => break true,
            }
        };
        *last = job.record;
        if kept.began != 0 && self.records[job.record].preempt.began == 0 {
            let notes = &mut self.records[job.record].preempt;
            (notes.began, notes.is_in_progress) = (kept.began, kept.is_in_progress);
        }
        is_going_on
    }

    fn plan_job(&mut self, job: &mut PlannedJob, pass: &mut BackfillPass) -> PlanStep {
        let Some(mut ask) = self.plan_ask(job, pass) else {
            return PlanStep::Next;
        };
        let facts = std::sync::Arc::clone(&self.records[job.record].facts);
        let mut earliest = pass.now;
        if self.conf.backfill.flags.stops_at_limits {
            let of_partition = self.accounts.of_partition[job.partition];
            for qos in [facts.qos, of_partition].into_iter().flatten() {
                earliest = earliest.max(pass.blocked[qos]);
            }
        }
        let first = earliest;
        let mut nodes = pass.map.spare.pop().unwrap_or_default();
        let step = loop {
            match self.plan_from(job, &facts, (&mut ask, &mut nodes), (pass, earliest)) {
                PlanStep::Again => earliest = first,
                PlanStep::Later(time) => {
                    if self.records[job.record].start != 0 {
                        self.records[job.record].start = 0;
                    }
                    earliest = self.next_try(job, &mut ask, (pass, time));
                }
                step => break step,
            }
        };
        pass.map.spare.push(nodes);
        step
    }

    /// Returns the begin of the next try to plan a job, which is not before a second. Tries that are known to be
    /// in vain are left out.
    fn next_try(
        &self,
        job: &PlannedJob,
        ask: &mut PlanAsk,
        (pass, mut earliest): (&mut BackfillPass, i64),
    ) -> i64 {
        let is_open = ask.left_out.is_some() && ask.is_counted && earliest > pass.now;
        let Some(need) = ask.need.filter(|_| is_open) else {
            return earliest;
        };
        let all = &self.conf.partitions[job.partition].nodes;
        loop {
            let from = if earliest < ask.from.0 { 0 } else { ask.from.1 };
            let slot = pass.map.skip_to(earliest, from);
            ask.from = (earliest, slot);
            let until = pass.map.refusals.until(slot, earliest, need, self.uses);
            let most_begin = earliest + ask.limit * 60;
            // The tries up to that second end there only if nodes become free then.
            let Some(until) =
                until.filter(|until| pass.map.gains_at(*until, all, (slot, most_begin)))
            else {
                return earliest;
            };
            pass.holds_until(earliest);
            ask.left_out = Some(true);
            earliest = until;
        }
    }

    /// Tests whether a job may be planned, and returns what it needs.
    fn plan_ask(&mut self, job: &PlannedJob, pass: &mut BackfillPass) -> Option<PlanAsk> {
        let (record, now) = (job.record, pass.now);
        let one = &self.records[record];
        if one.state != JobState::Pending || one.priority == 0 {
            return None;
        }
        if one.is_of_array() {
            let array = Some((one.array_job, job.partition, one.reservation));
            let is_rejected = pass.rejected == array;
            pass.rejected = array;
            if is_rejected || !self.is_array_open(record, now) {
                self.seen_by_backfill(record, now, JobFound::Array);
                return None;
            }
        }
        if self.records[record].partition != job.partition {
            self.records[record].partition = job.partition;
        }
        let has_licences_in_map = self.conf.backfill.flags.has_licences;
        let part = &self.conf.partitions[job.partition];
        let (is_up, most_time) = (part.is_up, part.most_time);
        let is_settled = self.stays_settled(record);
        let found = if !(is_settled || self.is_within_limits(record, job.partition, true)) {
            Some(JobFound::PartitionLimit)
        } else if self.counts_above(record, job.partition, pass) {
            Some(JobFound::TestLimit)
        } else if !is_up {
            Some(JobFound::PartitionLimit)
        } else if !has_licences_in_map && !self.has_licences(record) {
            Some(JobFound::Licences)
        } else if !(is_settled || self.is_independent(record, now)) {
            Some(JobFound::NotQueued)
        } else {
            None
        };
        if let Some(found) = found {
            self.seen_by_backfill(record, now, found);
            return None;
        }
        let bounds = self.node_bounds(record, job.partition);
        if let Some(reason) = self.few_nodes(record, job.partition, bounds.least) {
            self.records[record].reason = reason;
            self.seen_by_backfill(record, now, JobFound::FewNodes);
            return None;
        }
        if bounds.most < bounds.least {
            self.seen_by_backfill(record, now, JobFound::PartitionLimit);
            return None;
        }
        let most_limit = if most_time >= INFINITE {
            YEAR_MINUTES
        } else {
            most_time
        };
        let one = &self.records[record];
        let mut limit = match one.limit {
            Some(limit) if limit < INFINITE => limit.min(most_time),
            _ => most_limit,
        };
        let least = one.facts.least_time;
        if least > 0 && least < limit {
            limit = least;
            self.records[record].limit = Some(least);
        }
        let whole_limit = limit;
        if self.conf.preempt.is_on() && self.has_no_reservation(record) {
            // Such a job can be preempted, and is planned for a minute.
            limit = 1;
            self.records[record].limit = Some(limit);
        }
        let leaves_nothing = self.leaves_nothing(record);
        // Reservations and licences make further seconds for tries.
        let is_plain = leaves_nothing && self.reservations.is_empty() && !has_licences_in_map;
        let kind = self.offer_kind(record).filter(|_| is_plain);
        let kind = kind.and_then(|kind| pass.map.refusals.number_of(kind));
        let need = kind.map(|kind| PlanNeed {
            kind,
            cpus: self.records[record].facts.least_cpus,
            seconds: limit * 60,
        });
        Some(PlanAsk {
            bounds,
            limit,
            whole_limit,
            is_counted: self.records[record].is_magnetic(),
            left_out: leaves_nothing.then_some(false),
            from: (i64::MIN, 0),
            need,
        })
    }

    /// True if a plan of a job leaves nothing behind but the number of CPUs, and plans may be left out.
    fn leaves_nothing(&self, record: usize) -> bool {
        let facts = &self.records[record].facts;
        let leaves_notes = !facts.gres.is_empty() || facts.least_time > 0;
        let job = &self.records[record];
        let preempts = self.can_preempt(job, job.partition)
            || self.conf.preempt.is_on() && self.has_no_reservation(record);
        !(leaves_notes || self.runs_all || preempts)
    }

    /// Tests the limits of jobs in a pass, counts the job, and notes that.
    fn counts_above(&self, record: usize, partition: usize, pass: &mut BackfillPass) -> bool {
        pass.left.is_counted = true;
        let is_magnetic = self.records[record].is_magnetic();
        self.is_above_counts((record, is_magnetic), partition, pass)
    }

    /// Tests the limits of jobs in a pass, and counts the job (`_job_exceeds_max_bf_param`). The first
    /// test of a count always passes.
    fn is_above_counts(
        &self,
        (record, is_magnetic): (usize, bool),
        partition: usize,
        pass: &mut BackfillPass,
    ) -> bool {
        let conf = &self.conf.backfill;
        let facts = &self.records[record].facts;
        let (user, association) = (facts.user, facts.association);
        let limits = [
            (conf.user_partition_jobs, (0, user, partition)),
            (conf.partition_jobs, (1, 0, partition)),
            (
                association.map_or(0, |_| conf.association_jobs),
                (3, association.unwrap_or(0) as u32, 0),
            ),
            (conf.user_jobs, (2, user, 0)),
        ];
        let limits = limits.iter().filter(|(most, _)| *most > 0);
        for (most, key) in limits.clone() {
            match pass.counts.get(key) {
                Some(count) if count >= most => return true,
                Some(_) => {}
                None => {
                    pass.counts.insert(*key, 0);
                }
            }
        }
        for (_, key) in limits.filter(|_| !is_magnetic) {
            *pass.counts.entry(*key).or_insert(0) += 1;
        }
        false
    }

    /// Plans a job that starts not before a second, and leaves the nodes of the try.
    fn plan_from(
        &mut self,
        job: &mut PlannedJob,
        facts: &JobTerms,
        (ask, nodes): (&mut PlanAsk, &mut NodeSet),
        (pass, earliest): (&mut BackfillPass, i64),
    ) -> PlanStep {
        let (record, now) = (job.record, pass.now);
        let Some(left) = self.plan_left(record, earliest, now) else {
            if ask.takes_all() {
                return PlanStep::Again;
            }
            self.records[record].limit = job.old_limit;
            self.seen_by_backfill(record, now, JobFound::Reserved);
            return PlanStep::Next;
        };
        let (earliest, after) = (left.start, left.after);
        pass.holds_until(left.until);
        let of_partition = &self.conf.partitions[job.partition].nodes;
        let all = left.nodes.as_ref().unwrap_or(of_partition);
        let end = ask.limit * 60 + earliest.max(now);
        // The map stays as it is while a job is planned, and slots before the last try are not looked at again.
        let from = if earliest < ask.from.0 { 0 } else { ask.from.1 };
        ask.from = (earliest, pass.map.skip_to(earliest, from));
        let window = (earliest, end, ask.from.1);
        let mut room = PlanRoom::of(&pass.map, (all, nodes), &facts.licences, window);
        if let Some(after) = after
            && room.later.is_none_or(|later| after < later)
        {
            room.later = Some(after);
        }
        if room.is_past_end {
            pass.holds_until(earliest - self.conf.backfill.window);
        }
        if earliest <= now {
            let in_seconds = end - now;
            pass.holds_until(room.first_end);
            pass.holds_until(room.next_begin.saturating_sub(in_seconds));
        } else {
            pass.holds_until(earliest);
        }
        let later = room.later;
        nodes.take_away(&facts.excluded);
        let mut fits =
            room.has_licences && nodes.has(ask.bounds.least) && facts.required.is_within(nodes);
        if fits {
            self.filter_nodes(record, nodes);
            fits = facts.featured.is_none() || !nodes.is_empty();
        }
        let retry = later.filter(|_| !job.is_now_only);
        if !fits {
            if let Some(later) = retry {
                return PlanStep::Later(later);
            }
            if ask.takes_all() {
                return PlanStep::Again;
            }
            self.records[record].limit = job.old_limit;
            self.records[record].start = job.old_start;
            self.seen_by_backfill(record, now, job.without_room());
            return PlanStep::Next;
        }
        if !std::mem::replace(&mut ask.is_counted, true) {
            pass.tested += 1;
        }
        if let Some(later) =
            retry.filter(|later| ask.left_out.is_some() && *later > now.max(earliest))
        {
            let is_enough = self.is_enough_by(record, nodes, ask.bounds, (later, now));
            let has_all = facts.excluded.is_empty() && facts.featured.is_none();
            if let Sufficiency::TooFewCpus(offered) = is_enough
                && let Some(need) = ask.need.filter(|_| has_all)
            {
                let cpus = offered + 1;
                let refusal = Refusal {
                    need: PlanNeed { cpus, ..need },
                    from: earliest,
                    until: later,
                    uses: self.uses,
                };
                pass.map.refusals.note(ask.from.1, refusal);
            }
            if is_enough != Sufficiency::Possible {
                ask.left_out = Some(true);
                return PlanStep::Later(later);
            }
        }
        let mode = AskMode::Will {
            is_now: job.is_now_only,
        };
        let chosen = if !nodes.has(ask.bounds.least) {
            None
        } else if ask.left_out.is_some() && !job.is_now_only {
            self.plan_again(record, nodes, ask.bounds, now)
        } else {
            self.plan_anew(record, nodes, ask.bounds, (mode, now))
        };
        let Some(chosen) = chosen else {
            self.records[record].limit = job.old_limit;
            if let Some(later) = retry {
                return PlanStep::Later(later);
            }
            if ask.takes_all() {
                return PlanStep::Again;
            }
            self.records[record].start = job.old_start;
            self.seen_by_backfill(record, now, job.without_room());
            return PlanStep::Next;
        };
        if let Some(cpus) = chosen.cpus
            && self.records[record].cpus != cpus
        {
            self.records[record].cpus = cpus;
        }
        let mut start = chosen.start;
        // A choice that needs an end changes when the end is past.
        if start > now {
            pass.holds_until(if self.is_late(start, now) { now } else { start });
        }
        if earliest > start {
            start = earliest;
            self.changed = now;
        }
        let mut later = later;
        if start <= now && chosen.nodes.meets(&self.cleaning) {
            start = now + 1;
            later = None;
            pass.holds_until(now);
        }
        self.records[record].start = start;
        if start <= now {
            match self.start_planned(job, ask, (pass, later), nodes) {
                PlannedStart::Step(step) => return step,
                PlannedStart::Failed => {
                    self.records[record].limit = job.old_limit;
                    later = None;
                }
                PlannedStart::Limited => {}
            }
            pass.holds_until(now);
        }
        self.reserve_planned(job, ask, pass, (chosen.nodes, later))
    }

    /// Starts a job whose plan begins now.
    fn start_planned(
        &mut self,
        job: &mut PlannedJob,
        ask: &PlanAsk,
        (pass, later): (&mut BackfillPass, Option<i64>),
        nodes: &NodeSet,
    ) -> PlannedStart {
        let record = job.record;
        let off_limits = self.all.without(nodes);
        let all = self.all.clone();
        let outcome = self.select_nodes(record, job.partition, (&all, Some(&off_limits)), pass.now);
        let stops = self.conf.backfill.flags.stops_at_limits;
        match outcome {
            StartOutcome::Started => {}
            StartOutcome::AccountLimit | StartOutcome::Reserved
                if !stops || outcome == StartOutcome::Reserved =>
            {
                let one = &mut self.records[record];
                one.limit = job.old_limit;
                one.start = job.old_start;
                self.seen_by_backfill(record, pass.now, outcome.found());
                if !self.cleaning.is_empty() {
                    // The choice was made without these nodes.
                    pass.holds_until(pass.now);
                }
                return PlannedStart::Step(PlanStep::Next);
            }
            StartOutcome::AccountLimit => {
                let one = &mut self.records[record];
                one.limit = job.old_limit.or(Some(ask.limit));
                one.start = later.unwrap_or(pass.now + LIMITED_SECONDS);
                if let Some(qos) = one.blocking_qos.filter(|_| one.reason.is_qos_group()) {
                    pass.blocked[qos] = pass.blocked[qos].max(one.start);
                    pass.left.blocked = Some((qos, one.start));
                }
                return PlannedStart::Limited;
            }
            _ => return PlannedStart::Failed,
        }
        let is_short = ask.limit != ask.whole_limit;
        let one = &mut self.records[record];
        let (start, first_limit) = (one.start, one.limit);
        if is_short {
            let limit = job.old_limit.unwrap_or(ask.whole_limit);
            one.limit = Some(limit);
            self.set_end(record, end_of(start, limit));
        } else if one.facts.least_time > 0 {
            one.limit = Some(ask.limit);
            self.set_end(record, start + ask.limit * 60);
            self.shorten_limit(record, pass);
        } else if job.old_limit.is_none() {
            one.limit = Some(ask.limit);
            self.set_end(record, end_of(start, ask.limit));
        }
        let limit = self.records[record].limit.unwrap_or(INFINITE);
        self.alter_use(record, first_limit, limit);
        self.mark_backfilled(record);
        self.seen_by_backfill(record, pass.now, JobFound::Started);
        self.reserve_running(pass, record);
        pass.rejected = None;
        pass.starts += 1;
        let most = self.conf.backfill.most_starts;
        if most > 0 && pass.starts >= most {
            return PlannedStart::Step(PlanStep::Stop);
        }
        if job.is_head
            && self.records[record].task.is_some()
            && let Some(base) = self.base_of(record)
            && base != record
            && self.records[base].state == JobState::Pending
        {
            job.record = base;
            return PlannedStart::Step(PlanStep::Task);
        }
        PlannedStart::Step(PlanStep::Next)
    }

    /// Reserves the nodes of a job that starts later.
    fn reserve_planned(
        &mut self,
        job: &PlannedJob,
        ask: &PlanAsk,
        pass: &mut BackfillPass,
        (chosen, later): (NodeSet, Option<i64>),
    ) -> PlanStep {
        let (record, now) = (job.record, pass.now);
        let conf = &self.conf.backfill;
        let one = &self.records[record];
        let start = one.start;
        let earlier = |start: i64| match job.old_start {
            0 => start,
            old => old.min(start),
        };
        if start > now && job.is_now_only {
            let one = &mut self.records[record];
            one.start = earlier(start);
            one.limit = job.old_limit;
            self.seen_by_backfill(record, now, JobFound::OnlyNow);
            return PlanStep::Next;
        }
        if let Some(later) = later.filter(|later| start > *later) {
            return PlanStep::Later(later);
        }
        if start > now + conf.window {
            pass.holds_until(start - conf.window);
            let one = &mut self.records[record];
            one.start = earlier(start);
            one.limit = job.old_limit;
            self.seen_by_backfill(record, now, JobFound::BeyondWindow);
            return PlanStep::Next;
        }
        let floor = |time: i64| time.div_euclid(conf.resolution) * conf.resolution;
        let (begin, end) = (floor(start), floor(start + ask.limit * 60));
        let licences = &one.facts.licences;
        let held = end.max(begin + conf.resolution);
        pass.note_end((begin, held), conf.window);
        // The slots before the one of the try end before it begins, as `begin` does not.
        let window = (begin, end);
        if start > now && pass.map.overlaps(&chosen, licences, window, ask.from.1) {
            return PlanStep::Later(start);
        }
        if !conf.flags.stops_at_limits && self.conf.enforce.limits {
            let tres = self.request(record, chosen.count(), None);
            if self.after_choice(record, &tres, None).is_some() {
                self.records[record].limit = job.old_limit;
                self.seen_by_backfill(record, now, JobFound::AccountLimit);
                return PlanStep::Next;
            }
        }
        if self.has_no_reservation(record) {
            self.records[record].limit = job.old_limit;
            self.seen_by_backfill(record, now, JobFound::NoReservation);
            return PlanStep::Next;
        }
        let conf = &self.conf.backfill;
        if conf.partition_reservations > 0 {
            let count = &mut pass.reservations[job.partition];
            if *count >= conf.partition_reservations {
                self.records[record].limit = job.old_limit;
                self.seen_by_backfill(record, now, JobFound::PartitionReservations);
                return PlanStep::Next;
            }
            *count += 1;
            pass.left.is_limited = true;
        }
        pass.rejected = None;
        // Nodes on which nothing runs get the flag PLANNED: a change.
        if !chosen.is_within(&self.busy) {
            self.changed = now;
        }
        let is_kept = !self.records[record].is_magnetic();
        let one = &mut self.records[record];
        let licences = &one.facts.licences;
        if is_kept && (!conf.flags.is_one_reservation || job.old_start == 0) {
            if pass.map.slots.len() as i64 >= conf.map_size {
                one.limit = job.old_limit;
                self.seen_by_backfill(record, now, JobFound::MapFull);
                return PlanStep::Stop;
            }
            pass.map.reserve(begin, end, &chosen, licences);
            pass.left.reserved = Some((begin, end, chosen));
        }
        one.start = earlier(start);
        one.planned = one.start;
        pass.left.is_planned = true;
        one.limit = job.old_limit;
        let planned = JobFound::Planned { start: one.start };
        self.seen_by_backfill(record, now, planned);
        let conf = &self.conf.backfill;
        let one = &self.records[record];
        let Some(array) = &one.array else {
            return PlanStep::Next;
        };
        let id = one.array_job.unwrap_or(0);
        if pass.array.0 != id {
            pass.array = (id, 0);
        }
        pass.array.1 += 1;
        let tested = pass.array.1;
        let is_open = array.most_running == 0 || array.planned < array.most_running;
        if is_open && tested < conf.array_reservations && tested < array.tasks.len() as i64 {
            return PlanStep::Task;
        }
        PlanStep::Next
    }

    /// True if the QOS of a job lets it have no reservation (`NoReserve`).
    fn has_no_reservation(&self, record: usize) -> bool {
        let qos = self.records[record].facts.qos;
        qos.is_some_and(|qos| self.accounts.accounts.qos[qos].has_no_reservation)
    }

    /// Reserves what the select plugin does not know of a running job (`_bf_reserve_running`).
    fn reserve_running(&self, pass: &mut BackfillPass, record: usize) {
        let job = &self.records[record];
        let conf = &self.conf.backfill;
        // The plugin knows the nodes of a job that can be preempted.
        let is_kept = self.preempt_mode(job) == PreemptMode::Off;
        let is_whole =
            is_kept && !self.conf.select.is_linear && (job.is_whole || job.is_in_exclusive);
        let is_full = pass.map.slots.len() as i64 >= conf.map_size;
        if !is_whole && job.facts.licences.is_empty() || is_full {
            return;
        }
        let end = job.end.div_euclid(conf.resolution) * conf.resolution;
        let none = NodeSet::none(self.conf.node_count());
        let nodes = if is_whole { &job.nodes } else { &none };
        pass.holds_until(end - conf.resolution);
        pass.note_end((0, end), conf.window);
        pass.map.reserve(0, end, nodes, &job.facts.licences);
    }

    /// True if the start of a choice can depend on the time of the pass, because a running job has
    /// reached its limit.
    fn is_late(&self, start: i64, now: i64) -> bool {
        let is_overdue = self.running.first().is_some_and(|(end, _)| *end <= now);
        // select/linear gives the next second then.
        is_overdue && (start == now + 1 || !self.conf.select.is_linear)
    }

    /// Shortens a started job to the time that reservations leave (`_reset_job_time_limit`).
    fn shorten_limit(&mut self, record: usize, pass: &BackfillPass) {
        let job = &self.records[record];
        let mut limit = job.limit.unwrap_or(INFINITE);
        for slot in pass.map.in_order() {
            let is_hit = slot.begin != pass.now && slot.begin < job.end;
            if is_hit && !job.nodes.is_within(&slot.free) {
                limit = limit.min((slot.begin - pass.now).div_euclid(60));
            }
        }
        let limit = limit.max(job.facts.least_time);
        let end = job.start + limit * 60;
        self.records[record].limit = Some(limit);
        self.set_end(record, end);
    }
}

impl PlanAsk {
    /// True if plans were left out. From now on all are made, because one may have left the number of CPUs
    /// behind that it chose.
    fn takes_all(&mut self) -> bool {
        self.left_out.take() == Some(true)
    }
}

/// The room for a plan, besides its nodes: licences, and the next second at which more may be free.
struct PlanRoom {
    has_licences: bool,
    later: Option<i64>,
    /// The end of the first slot that counts, and the begin of the first one that does not.
    first_end: i64,
    next_begin: i64,
    /// True if the map ends before the plan begins.
    is_past_end: bool,
}

impl PlanRoom {
    /// Finds the room for a plan, and which of all its nodes are free.
    fn of(
        map: &BackfillMap,
        (all, nodes): (&NodeSet, &mut NodeSet),
        licences: &[(usize, i64)],
        (earliest, end, first): (i64, i64, usize),
    ) -> Self {
        nodes.copy_from(all);
        let mut room = Self {
            has_licences: true,
            later: None,
            first_end: i64::MAX,
            next_begin: i64::MAX,
            is_past_end: map.end <= earliest,
        };
        if room.is_past_end {
            return room;
        }
        room.first_end = map.slots[first].end;
        for slot in map.in_order_from(first) {
            if slot.next != 0 && room.later.is_none() {
                let next = &map.slots[slot.next].free;
                if all.and_exceeds(next, nodes, &slot.free) {
                    room.later = Some(slot.end);
                }
            }
            if slot.begin > end {
                room.next_begin = slot.begin;
                break;
            }
            nodes.keep(&slot.free);
            if !slot.has_licences(licences) {
                room.has_licences = false;
                room.later = Some(slot.end);
            }
        }
        beat(8 * map.slots.len());
        room
    }
}
