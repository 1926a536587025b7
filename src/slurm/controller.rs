//! The controller: the records of jobs, and the state of the nodes.

use super::account_use::AccountUse;
use super::accounts::SlurmAccounts;
use super::backfill_pass::KeptCell;
use super::conf::SlurmConf;
use super::core_rows::CoreRows;
use super::core_use::{CoreUse, release, take_up};
use super::entry::LastQueue;
use super::gang_state::GangState;
use super::gres::GresUse;
use super::idle::IdlePass;
use super::kept::KnownReservation;
use super::known::{KnownOffers, KnownPlans, Releases};
use super::looks::WatchedJob;
use super::nodeset::NodeSet;
use super::record::{JobArray, JobRecord, JobState, NodeShare, PreemptedJob};
use super::records::JobRecords;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The priority below which those of priority/basic begin.
const HIGHEST: i64 = 0xffff_0000;

/// A job that started.
#[derive(Clone, Debug)]
pub struct StartedJob {
    /// The number of the record.
    pub record: usize,
    /// The caller's number of the job, and the task of an array.
    pub number: u64,
    /// The task of an array.
    pub task: Option<u32>,
    /// The second of the start.
    pub at: i64,
    /// The nodes, and the resources on each.
    pub shares: Vec<NodeShare>,
    /// True if the backfill scheduler started it.
    pub is_backfilled: bool,
}

/// A controller of Slurm, without a clock: it runs a pass when it is told to. Times are whole seconds
/// since 1970.
#[derive(Clone, Debug)]
pub struct Controller {
    pub(super) conf: Arc<SlurmConf>,
    /// All records in the order of their creation.
    pub(super) records: JobRecords,
    /// The records that wait, run, and complete, in the order of creation; running ones by their end.
    pub(super) pending: Vec<u32>,
    pub(super) running: Vec<(i64, u32)>,
    pub(super) completing: Vec<u32>,
    /// The record with each id; the first id is 1.
    by_id: Vec<u32>,
    /// The records of each array.
    pub(super) members: BTreeMap<u32, Vec<u32>>,
    /// The lowest priority of priority/basic so far.
    pub(super) lowest: i64,
    pub(super) all: NodeSet,
    /// Nodes with running jobs, with completing jobs, and with running jobs that share nothing.
    pub(super) busy: NodeSet,
    pub(super) cleaning: NodeSet,
    pub(super) unshared: NodeSet,
    pub(super) unshared_jobs: Vec<u32>,
    cleaning_jobs: Vec<u32>,
    pub(super) used: CoreUse,
    /// The jobs that gang scheduling knows; `None` without it.
    pub(super) gang: Option<GangState>,
    pub(super) licences_used: Vec<i64>,
    pub(super) accounts: AccountUse,
    pub(super) users: BTreeMap<String, u32>,
    pub(super) names: BTreeMap<String, u32>,
    pub(super) started: Vec<StartedJob>,
    killed: Vec<usize>,
    pub(super) reservations: Vec<KnownReservation>,
    pub(super) preempted: Vec<PreemptedJob>,
    /// Preempted jobs whose nodes the clock does not clean yet.
    pub(super) to_clean: Vec<usize>,
    /// The number of jobs in their grace time.
    pub(super) graced: usize,
    /// True if a main pass was asked for since the last one.
    pub(super) is_pass_asked: bool,
    /// The second of the last change that the backfill scheduler looks for.
    pub(super) changed: i64,
    /// The number of changes of jobs and nodes so far.
    pub(super) changes: u64,
    /// The number of those among them that change no plan but by the order of the queue: submissions, new
    /// priorities, and nodes that are clean.
    pub(super) plain_changes: u64,
    /// The number of changes of what runs, and until when.
    pub(super) uses: u64,
    pub(super) offers: KnownOffers,
    pub(super) releases: Releases,
    pub(super) plans: KnownPlans,
    pub(super) idle_pass: Option<IdlePass>,
    pub(super) kept_pass: KeptCell,
    pub(super) last_queue: LastQueue,
    /// The last byte of the weight of each node (empty without generic resources): 255, less the GPUs that
    /// the last job found that was tested there (`sched_weight`).
    pub(super) near: Vec<Cell<u8>>,
    /// The same before and after the last pass of the backfill scheduler.
    pub(super) near_before: Vec<Cell<u8>>,
    pub(super) near_after: Vec<Cell<u8>>,
    /// The contents of `near`, for answers that hold as long as these are the same.
    pub(super) near_now: RefCell<Option<Arc<[u8]>>>,
    pub(super) watched: WatchedJob,
    /// True if no submission is refused for its account or a limit.
    pub(super) accepts_all: bool,
    /// True if no pass of the backfill scheduler is left out.
    pub(super) runs_all: bool,
}

impl Controller {
    /// Returns a controller without jobs and without accounts: jobs have no association, no QOS and no
    /// limits.
    pub fn new(conf: SlurmConf) -> Self {
        Self::with_accounts(conf, SlurmAccounts::default())
    }

    /// Returns a controller without jobs, whose jobs belong to accounts.
    pub fn with_accounts(mut conf: SlurmConf, accounts: SlurmAccounts) -> Self {
        conf.settle_preemption();
        if accounts.is_empty() {
            conf.enforce = super::conf_priority::EnforceConf::default();
        }
        let nodes = conf.node_count();
        let limited = (0..).zip(&conf.partitions);
        let limited = limited.filter(|(_, one)| one.node_cpus < super::text::words::INFINITE);
        let by_partition = limited.map(|(at, _)| (at, vec![0; nodes]));
        Self {
            records: JobRecords::default(),
            pending: Vec::new(),
            running: Vec::new(),
            completing: Vec::new(),
            by_id: Vec::new(),
            members: BTreeMap::new(),
            lowest: HIGHEST,
            all: NodeSet::all(nodes),
            busy: NodeSet::none(nodes),
            cleaning: NodeSet::none(nodes),
            unshared: NodeSet::none(nodes),
            unshared_jobs: vec![0; nodes],
            cleaning_jobs: vec![0; nodes],
            used: CoreUse {
                cores: vec![0; nodes],
                full: NodeSet::none(nodes),
                memory: vec![0; nodes],
                jobs: vec![0; nodes],
                exclusive: vec![0; nodes],
                forced: if conf.mixes_sharing() {
                    vec![0; nodes]
                } else {
                    Vec::new()
                },
                gres: GresUse::new(nodes, conf.gres.len()),
                by_partition: crate::sorting::map(by_partition),
                shared: None,
                rows: (conf.preempt.is_gang && !conf.select.is_linear)
                    .then(|| CoreRows::new(&conf)),
            },
            gang: GangState::of(&conf),
            licences_used: vec![0; conf.licences.len()],
            accounts: AccountUse::new(accounts, &conf),
            users: BTreeMap::new(),
            names: BTreeMap::new(),
            started: Vec::new(),
            killed: Vec::new(),
            reservations: Vec::new(),
            preempted: Vec::new(),
            to_clean: Vec::new(),
            graced: 0,
            is_pass_asked: false,
            changed: 0,
            changes: 0,
            uses: 0,
            offers: KnownOffers::default(),
            releases: Releases::default(),
            plans: KnownPlans::default(),
            idle_pass: None,
            kept_pass: KeptCell::default(),
            last_queue: LastQueue::default(),
            plain_changes: 0,
            near: if conf.gres.len() == 0 {
                Vec::new()
            } else {
                vec![Cell::new(u8::MAX); nodes]
            },
            near_before: Vec::new(),
            near_after: Vec::new(),
            near_now: RefCell::default(),
            watched: WatchedJob::default(),
            accepts_all: false,
            runs_all: false,
            conf: Arc::new(conf),
        }
    }

    /// Accepts every job, whatever its account and the limits of submission say: a log has only jobs that
    /// were accepted. A job whose account is not known belongs to none. Jobs whose minutes are used up run
    /// on.
    pub fn accept_all(&mut self) {
        self.accepts_all = true;
    }

    /// Runs every pass of the backfill scheduler in full, also where another one has just found that
    /// nothing can start. The schedule is the same.
    pub fn run_all_passes(&mut self) {
        self.runs_all = true;
    }

    /// Returns the configuration.
    pub fn conf(&self) -> &SlurmConf {
        &self.conf
    }

    /// Returns a record.
    pub fn record(&self, record: usize) -> &JobRecord {
        &self.records[record]
    }

    /// Returns all records, in the order of their creation.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &JobRecord> {
        (0..self.records.len()).map(|record| &self.records[record])
    }

    /// Returns the jobs that started since the last call, in the order of their starts.
    pub fn take_started(&mut self) -> Vec<StartedJob> {
        std::mem::take(&mut self.started)
    }

    /// Returns the records that the controller itself ended since the last call: at their time limit,
    /// or because a dependency failed.
    pub fn take_killed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.killed)
    }

    /// Returns the jobs that were preempted since the last call, in the order of their ends. Those of
    /// [`Controller::take_started`] since the last call belong to the same list of events.
    pub fn take_preempted(&mut self) -> Vec<PreemptedJob> {
        std::mem::take(&mut self.preempted)
    }

    /// Takes these nodes out of service, and no others. Jobs that run there go on.
    pub fn set_down(&mut self, nodes: &NodeSet) {
        self.changes += 1;
        self.all = NodeSet::all(self.conf.node_count()).without(nodes);
    }

    /// Asks for a main pass because nodes came up.
    pub fn register_nodes(&mut self, now: i64) {
        self.changes += 1;
        self.is_pass_asked = true;
        self.changed = now;
    }

    /// Ends a running job. Its resources are free, its nodes complete until [`Controller::clean`].
    /// A job that does not run stays as it is.
    pub fn finish(&mut self, record: usize, now: i64, state: JobState) {
        self.changes += 1;
        let Some(job) = self.records.get(record) else {
            return;
        };
        if job.state != JobState::Running || state == JobState::Running {
            return;
        }
        if std::mem::take(&mut self.records[record].suspend.is_suspended) {
            self.count_suspended(record, false);
        }
        self.unlist_running(record);
        if std::mem::take(&mut self.records[record].preempt.is_in_grace) {
            self.graced -= 1;
        }
        let place = self.completing.partition_point(|one| *one < record as u32);
        self.completing.insert(place, record as u32);
        let job = &mut self.records[record];
        job.state = state;
        job.is_completing = true;
        job.ended = now;
        self.end_use(record, now);
        let job = &self.records[record];
        for node in job.nodes.iter() {
            self.cleaning_jobs[node] += 1;
            self.cleaning.insert(node);
            if job.shares_nothing {
                self.unshared_jobs[node] -= 1;
                if self.unshared_jobs[node] == 0 {
                    self.unshared.remove(node);
                }
            }
        }
        release(&mut self.used, job);
        self.offers.note_change(&job.nodes);
        self.uses += 1;
        for node in job.nodes.iter() {
            let suspended = self.gang.as_ref().map_or(0, |gang| gang.suspended[node]);
            if self.used.jobs[node] <= suspended {
                self.busy.remove(node);
            }
        }
        for (licence, count) in &job.facts.licences {
            self.licences_used[*licence] -= count;
        }
        if let Some(base) = self.base_of(record)
            && let Some(array) = &mut self.records[base].array
        {
            array.running = (array.running - 1).max(0);
        }
        self.changed = now;
    }

    /// Frees the nodes of a job that ended, and asks for a main pass.
    pub fn clean(&mut self, record: usize, now: i64) {
        self.changes += 1;
        self.plain_changes += 1;
        let Some(job) = self.records.get_mut(record) else {
            return;
        };
        if !std::mem::replace(&mut job.is_completing, false) {
            return;
        }
        let nodes = job.uncleaned.take().unwrap_or_else(|| job.nodes.clone());
        self.completing.retain(|one| *one != record as u32);
        nodes.iter().for_each(|node| self.free_node(node));
        self.leave_gang(record, now);
        self.renew(record, now);
        self.is_pass_asked = true;
        self.changed = now;
    }

    /// Frees a node of a job that was killed: nodes of such a job answer one by one. Returns true if
    /// this was its last node. No main pass is asked for then: the answer of the last node runs one
    /// at once.
    pub fn clean_node(&mut self, record: usize, node: usize, now: i64) -> bool {
        self.changes += 1;
        let Some(job) = self.records.get_mut(record) else {
            return false;
        };
        let nodes = job.uncleaned.get_or_insert_with(|| job.nodes.clone());
        if !job.is_completing || !nodes.contains(node) {
            return false;
        }
        nodes.remove(node);
        let is_last = nodes.is_empty();
        if is_last {
            job.is_completing = false;
            self.completing.retain(|one| *one != record as u32);
            self.changed = now;
        }
        self.free_node(node);
        if is_last {
            self.leave_gang(record, now);
            self.renew(record, now);
        }
        is_last
    }

    fn free_node(&mut self, node: usize) {
        self.cleaning_jobs[node] -= 1;
        if self.cleaning_jobs[node] == 0 {
            self.cleaning.remove(node);
        }
    }

    /// Ends the jobs that run beyond their limits, or whose accounts have used theirs up
    /// (`job_time_limit`), and returns them.
    pub fn end_overdue(&mut self, now: i64) -> Vec<usize> {
        let over = self.conf.over_time_limit;
        let mut tested: Vec<usize> = Vec::new();
        let is_late = |end: i64| over < super::text::words::INFINITE && end + over * 60 <= now;
        let has_limits = self.ends_jobs_at_limits();
        let has_others = has_limits || self.graced > 0 || self.ends_with_reservations();
        let running = self.running.iter();
        let tests = running.take_while(|(end, _)| has_others || is_late(*end));
        tested.extend(tests.map(|(_, record)| *record as usize));
        crate::sorting::by(&mut tested, |record| [*record as i128, 0]);
        let mut overdue = Vec::new();
        for record in tested {
            if self.records[record].suspend.is_suspended {
                continue;
            }
            if self.records[record].preempt.told != 0 {
                self.end_preempted(record, now);
                continue;
            }
            let is_late =
                is_late(self.records[record].end) || self.is_beyond_reservation(record, now);
            if is_late || has_limits && self.is_out_of_minutes(record, now) {
                self.finish(record, now, JobState::Timeout);
                self.killed.push(record);
                overdue.push(record);
            }
        }
        self.check_reservations(now);
        overdue
    }

    /// Tests whether the jobs that wait are eligible, as the background thread does after a pass.
    pub fn update_eligible(&mut self, now: i64) {
        for record in self.pending.clone() {
            crate::pulse::beat(16);
            let is_settled = self.stays_settled(record as usize);
            if !is_settled && self.records[record as usize].begin <= now {
                self.is_independent(record as usize, now);
            }
        }
    }

    /// True if completing jobs hold both schedulers back (`job_is_completing`).
    pub fn is_held_back(&self, now: i64) -> bool {
        let wait = self.conf.complete_wait;
        let ended = |record: &u32| self.records[*record as usize].ended;
        wait > 0 && self.completing.iter().any(|one| ended(one) >= now - wait)
    }

    /// Returns the record with an id.
    pub fn find(&self, id: u32) -> Option<usize> {
        let place = (id as usize).checked_sub(1)?;
        self.by_id.get(place).map(|record| *record as usize)
    }

    /// Returns the record that has the id of the job's array.
    pub(super) fn base_of(&self, record: usize) -> Option<usize> {
        self.records[record].array_job.and_then(|id| self.find(id))
    }

    pub(super) fn array_of(&self, record: usize) -> Option<&JobArray> {
        self.records[record].array.as_ref()
    }

    /// Gives the next id to a record.
    pub(super) fn next_id(&mut self, record: usize) -> u32 {
        self.by_id.push(record as u32);
        self.by_id.len() as u32
    }

    /// Adds a record that waits to the end of the list.
    pub(super) fn add_pending(&mut self, job: JobRecord) -> usize {
        let record = self.records.len();
        if let Some(array) = job.array_job {
            self.members.entry(array).or_default().push(record as u32);
        }
        if let Some(place) = (job.id as usize).checked_sub(1)
            && let Some(known) = self.by_id.get_mut(place)
        {
            *known = record as u32;
        }
        self.records.push(job);
        self.pending.push(record as u32);
        record
    }

    pub(super) fn cancel(&mut self, record: usize) {
        self.cancel_use(record);
        self.records[record].state = JobState::Cancelled;
        self.killed.push(record);
        self.unlist_pending(record);
    }

    pub(super) fn unlist_pending(&mut self, record: usize) {
        if let Ok(place) = self.pending.binary_search(&(record as u32)) {
            self.pending.remove(place);
        }
    }

    pub(super) fn list_running(&mut self, record: usize) {
        self.uses += 1;
        let entry = (self.records[record].end, record as u32);
        let place = self.running.partition_point(|one| *one < entry);
        self.running.insert(place, entry);
    }

    fn unlist_running(&mut self, record: usize) {
        self.uses += 1;
        let entry = (self.records[record].end, record as u32);
        if let Ok(place) = self.running.binary_search(&entry) {
            self.running.remove(place);
        }
    }

    /// Changes the end of a running job.
    pub(super) fn set_end(&mut self, record: usize, end: i64) {
        self.changes += 1;
        self.unlist_running(record);
        self.records[record].end = end;
        self.list_running(record);
    }

    /// Takes the resources of a job that starts.
    pub(super) fn occupy(&mut self, record: usize, now: i64) {
        self.changes += 1;
        self.uses += 1;
        let job = &self.records[record];
        take_up(&mut self.used, &self.conf, job);
        self.offers.note_change(&job.nodes);
        for share in &job.shares {
            let node = share.node as usize;
            self.busy.insert(node);
            if job.shares_nothing {
                self.unshared_jobs[node] += 1;
                self.unshared.insert(node);
            }
        }
        for (licence, count) in &job.facts.licences {
            self.licences_used[*licence] += count;
        }
        self.started.push(StartedJob {
            record,
            number: job.number,
            task: job.task,
            at: now,
            shares: job.shares.clone(),
            is_backfilled: false,
        });
        if let Some(base) = self.base_of(record)
            && let Some(array) = &mut self.records[base].array
        {
            array.running += 1;
        }
        self.changed = now;
    }

    /// Notes that the last start is one of the backfill scheduler.
    pub(super) fn mark_backfilled(&mut self, record: usize) {
        self.records[record].is_backfilled = true;
        if let Some(last) = self.started.last_mut() {
            last.is_backfilled = true;
        }
    }

    /// True if the licences of a job are free.
    pub(super) fn has_licences(&self, record: usize) -> bool {
        let mut licences = self.records[record].facts.licences.iter();
        licences.all(|(licence, count)| {
            count + self.licences_used[*licence] <= self.conf.licences[*licence].1
        })
    }

    /// Returns the nodes without running and completing jobs.
    pub(super) fn idle(&self) -> NodeSet {
        let mut idle = self.all.without(&self.busy);
        idle.take_away(&self.cleaning);
        idle
    }
}
