//! A pass of the main scheduler (`_schedule`): it starts jobs in the order of the queue, and a job
//! that cannot start closes its partition.

use super::choice::StartOutcome;
use super::conf::MainConf;
use super::controller::Controller;
use super::entry::QueueEntry;
use super::looks::JobFound;
use super::nodeset::NodeSet;
use super::reason::WaitReason;
use super::record::JobState;

/// The state of a pass.
struct MainPass {
    now: i64,
    is_full: bool,
    /// Nodes of no closed partition.
    open: NodeSet,
    /// The record of the job that closed each partition.
    closed: Vec<Option<u32>>,
    /// Entries tried of each partition.
    tried: Vec<i64>,
    depth: i64,
    starts: i64,
    /// The array whose task was tried last without a start, and the partition.
    rejected: Option<(Option<u32>, usize, Option<usize>)>,
    /// The reservations of jobs that could not start.
    failed: Vec<usize>,
}

/// The most reservations whose further jobs wait (`MAX_FAILED_RESV`).
const MOST_FAILED: usize = 10;

/// The step after a job.
#[derive(PartialEq, Eq)]
enum NextStep {
    Entry,
    Stop,
    /// The job started: it may be a task of an array.
    Task,
}

impl Controller {
    /// Runs a pass. A full pass looks at the whole queue, another one at its first
    /// `default_queue_depth` jobs.
    pub fn main_pass(&mut self, now: i64, is_full: bool) {
        if self.conf.main.is_off || self.is_held_back(now) {
            return;
        }
        let is_in_list_order = self.is_in_list_order();
        let queue = if is_in_list_order {
            self.build_queue(&self.pending.clone(), false, now)
        } else {
            self.next_queue(false, now)
        };
        let partitions = self.conf.partitions.len();
        let mut pass = MainPass {
            now,
            is_full,
            open: self.all.clone(),
            closed: vec![None; partitions],
            tried: vec![0; partitions],
            depth: 0,
            starts: 0,
            rejected: None,
            failed: Vec::new(),
        };
        self.begin_watched(false, now, queue.iter().map(|entry| entry.record));
        for entry in &queue {
            if !self.try_entry(entry, &mut pass) {
                break;
            }
        }
        // An unsorted queue is of no use for the next one.
        if !is_in_list_order {
            self.keep_queue(queue);
        }
    }

    /// True if sched/builtin takes the jobs as they stand in the list.
    fn is_in_list_order(&self) -> bool {
        let partitions = &self.conf.partitions;
        self.conf.main.is_builtin
            && !self.conf.priority.is_multifactor
            && partitions.iter().all(|one| one.tier == partitions[0].tier)
    }

    /// Tries a job, and the further tasks of its array. Returns false at the end of the pass.
    fn try_entry(&mut self, entry: &QueueEntry, pass: &mut MainPass) -> bool {
        let mut record = entry.record;
        // Most entries of a long queue come after one that closed their partition.
        if let Some(by) = pass.closed[entry.partition]
            && self.is_plain(entry)
        {
            let conf = &self.conf.main;
            let is_going_on = !(pass.has_started_all(conf) || pass.counts_enough(conf));
            if is_going_on {
                self.wait_behind(record, by, pass);
            }
            return is_going_on;
        }
        if self.records[record].priority != entry.priority {
            self.records[record].priority = entry.priority;
        }
        if entry.task.is_none() && self.records[record].task.is_some() {
            match self.base_of(record) {
                Some(base) => record = base,
                None => return true,
            }
        }
        if self.records[record].state != JobState::Pending {
            self.passed_by_main(record, pass.now, JobFound::NotQueued);
            return true;
        }
        if entry.magnet.is_some() {
            self.records[record].reservation = entry.magnet;
        }
        let is_going_on = self.try_tasks(&mut record, entry.partition, pass);
        self.leave_magnet(record);
        is_going_on
    }

    /// Tries a job and the further tasks of its array, and leaves the number of the last one tried.
    fn try_tasks(&mut self, record: &mut usize, partition: usize, pass: &mut MainPass) -> bool {
        if !self.has_reserved_nodes(*record, partition) {
            self.passed_by_main(*record, pass.now, JobFound::NotQueued);
            return true;
        }
        if self.records[*record].partition != partition {
            self.records[*record].partition = partition;
        }
        if self.records[*record].preempt.is_in_progress {
            self.passed_by_main(*record, pass.now, JobFound::Preempting);
            return true;
        }
        let is_head = self.records[*record].is_head();
        loop {
            match self.try_job(*record, partition, pass) {
                NextStep::Stop => return false,
                NextStep::Entry => return true,
                NextStep::Task => {}
            }
            if !is_head || self.records[*record].task.is_none() {
                return true;
            }
            match self.base_of(*record) {
                Some(base) if base != *record && self.records[base].state == JobState::Pending => {
                    *record = base;
                }
                _ => return true,
            }
        }
    }

    /// True if the partition has enough nodes of the job's reservation, if it has one
    /// (`_job_runnable_test3`).
    fn has_reserved_nodes(&self, record: usize, partition: usize) -> bool {
        let job = &self.records[record];
        let Some(own) = job.reservation else {
            return true;
        };
        let nodes = &self.reservations[own].facts.nodes;
        self.conf.partitions[partition].nodes.count_in(nodes) >= job.node_guess
    }

    fn try_job(&mut self, record: usize, partition: usize, pass: &mut MainPass) -> NextStep {
        if pass.has_started_all(&self.conf.main) {
            return NextStep::Stop;
        }
        if self.records[record].is_of_array() {
            let job = &self.records[record];
            let array = Some((job.array_job, partition, job.reservation));
            if pass.rejected == array {
                self.seen_by_main(record, pass.now, JobFound::Array);
                return NextStep::Entry;
            }
            pass.rejected = array;
            if !self.is_array_open(record, pass.now) {
                self.seen_by_main(record, pass.now, JobFound::Array);
                return NextStep::Entry;
            }
        }
        if self.conf.main.partition_depth > 0 {
            pass.tried[partition] += 1;
            if pass.tried[partition] > self.conf.main.partition_depth {
                let reason = &mut self.records[record].reason;
                if *reason == WaitReason::None {
                    *reason = WaitReason::Priority;
                }
                self.seen_by_main(record, pass.now, JobFound::PartitionDepth);
                return NextStep::Entry;
            }
        }
        if pass.counts_enough(&self.conf.main) {
            return NextStep::Stop;
        }
        if !(self.stays_settled(record) || self.is_within_limits(record, partition, false)) {
            self.seen_by_main(record, pass.now, JobFound::PartitionLimit);
            return NextStep::Entry;
        }
        if let Some(own) = self.records[record].reservation {
            if pass.failed.contains(&own) {
                self.records[record].reason = WaitReason::Priority;
                self.changed = pass.now;
                self.seen_by_main(record, pass.now, JobFound::Reserved);
                return NextStep::Entry;
            }
        } else if let Some(by) = pass.closed[partition] {
            self.wait_behind(record, by, pass);
            return NextStep::Entry;
        }
        let reason = self.records[record].reason;
        if reason.is_tested_limit() && self.before_choice(record).is_some() {
            self.seen_by_main(record, pass.now, JobFound::AccountLimit);
            return NextStep::Entry;
        }
        let nodes = &self.conf.partitions[partition].nodes;
        if self.records[record].facts.least_nodes > pass.open.count_in(nodes) {
            self.records[record].reason = WaitReason::Resources;
            pass.close(record, partition, nodes);
            self.seen_by_main(record, pass.now, JobFound::FewNodes);
            return NextStep::Entry;
        }
        if !self.has_licences(record) {
            self.seen_by_main(record, pass.now, JobFound::Licences);
            self.records[record].reason = WaitReason::Licenses;
            return if self.conf.backfill.flags.has_licences {
                NextStep::Stop
            } else {
                NextStep::Entry
            };
        }
        match self.select_nodes(record, partition, (&pass.open, None), pass.now) {
            StartOutcome::Started => {
                pass.rejected = None;
                pass.starts += 1;
                self.seen_by_main(record, pass.now, JobFound::Started);
                NextStep::Task
            }
            outcome => {
                let found = if outcome == StartOutcome::Busy && self.has_preempted(record, pass.now)
                {
                    JobFound::Preempting
                } else {
                    outcome.found()
                };
                self.seen_by_main(record, pass.now, found);
                self.after_failure(record, partition, pass, outcome);
                NextStep::Entry
            }
        }
    }

    /// True if a closed partition is all that counts for an entry: its job is settled.
    fn is_plain(&self, entry: &QueueEntry) -> bool {
        self.stays_settled(entry.record)
            && self.conf.main.partition_depth == 0
            && self.records[entry.record].priority == entry.priority
    }

    /// Lets a job wait behind the one that closed its partition.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn wait_behind(&mut self, record: usize, by: u32, pass: &MainPass) {
        let reason = self.records[record].reason;
        if matches!(reason, WaitReason::None | WaitReason::Resources) {
            self.records[record].reason = WaitReason::Priority;
        }
        self.changed = pass.now;
        self.seen_by_main(record, pass.now, JobFound::Closed { by });
    }

    /// Closes the partition of a job that could not start, unless an exception holds.
    fn after_failure(
        &mut self,
        record: usize,
        partition: usize,
        pass: &mut MainPass,
        outcome: StartOutcome,
    ) {
        let stops = self.conf.backfill.flags.stops_at_limits;
        let mut closes =
            outcome == StartOutcome::Busy || outcome == StartOutcome::AccountLimit && stops;
        let job = &mut self.records[record];
        let own = job.reservation;
        if let Some(own) = own.filter(|_| outcome == StartOutcome::Reserved) {
            pass.open.take_away(&self.reservations[own].facts.nodes);
        }
        // The job has another entry without the magnetic reservation.
        let is_magnetic = job.is_magnetic();
        if outcome == StartOutcome::Never && job.facts.partitions.len() == 1 && !is_magnetic {
            job.priority = 0;
            job.is_held = true;
            self.changes += 1;
            job.reason = WaitReason::BadConstraints;
        }
        let facts = &job.facts;
        if facts.required_count > 0 && facts.required_count >= facts.least_nodes {
            closes = false;
            pass.open.take_away(&facts.required);
        }
        if let Some(own) = own.filter(|_| closes) {
            // Only further jobs of the reservation wait.
            closes = false;
            if pass.failed.len() < MOST_FAILED {
                pass.failed.push(own);
            }
        }
        let backfill = &self.conf.backfill;
        let is_young = job.begin == 0 || pass.now - job.begin < backfill.reserve_age;
        if backfill.reserve_age > 0 && is_young || job.priority < backfill.reserve_priority {
            closes = false;
        }
        if closes {
            pass.close(record, partition, &self.conf.partitions[partition].nodes);
        }
    }
}

impl MainPass {
    /// True if the pass has started as many jobs as it may.
    fn has_started_all(&self, conf: &MainConf) -> bool {
        conf.most_starts > 0 && self.starts >= conf.most_starts
    }

    /// Counts an entry. True if the pass has come to more of them than it looks at.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn counts_enough(&mut self, conf: &MainConf) -> bool {
        self.depth += i64::from(!self.is_full);
        !self.is_full && self.depth - 1 > conf.queue_depth
    }

    /// Closes a partition: its nodes, also those of other partitions, are out of reach.
    fn close(&mut self, record: usize, partition: usize, nodes: &NodeSet) {
        if self.closed[partition].is_none() {
            self.closed[partition] = Some(record as u32);
            self.open.take_away(nodes);
        }
    }
}
