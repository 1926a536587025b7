//! The timetable of a cluster: what each node has left, over future time.
//!
//! If several jobs can be on a node, a reservation names its nodes. If no node ever has two jobs,
//! nodes of a class are interchangeable. The timetable then counts the free nodes of each class, and
//! a reservation says how many of each it gets: which ones is decided when the job starts. A
//! schedule of counts can always be carried out, and more fits than with names.

use super::placing::{UsableNode, choose};
use super::space::{Fixed, Prepared, holds, load, request_of};
use crate::cluster::{Amounts, CORES, NOTHING, NodeUse};
use crate::machine::{ANY_CORES, Ask, NodeChoice, Placement, PlacementBuf, Range, Timetable};
use crate::pulse::beat;
use crate::time::{Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Approximate time of a question about an advance reservation, in nanoseconds.
const PER_RESERVATION: usize = 16;

/// A time from which on a row has so much left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct LeftFrom {
    from: Time,
    left: Amounts,
}

/// The nodes over future time. A row is the node at a place or, where nodes are counted, a class of
/// nodes. The first amount of such a row is the number of free nodes.
#[derive(Clone)]
pub struct Times {
    fixed: Arc<Fixed>,
    requests: Arc<Vec<Prepared>>,
    counts: bool,
    rows: Vec<Vec<LeftFrom>>,
    /// The licences that are left.
    licences: Vec<LeftFrom>,
    now: Time,
}

impl Times {
    /// Returns the timetable of a free cluster from `now` on.
    pub fn new(fixed: &Arc<Fixed>, requests: &Arc<Vec<Prepared>>, now: Time) -> Self {
        let counts = fixed.counts(requests);
        let all: Vec<Amounts> = if counts {
            fixed
                .cluster
                .classes
                .iter()
                .map(|class| {
                    let mut count = NOTHING;
                    count[CORES] = class.count;
                    count
                })
                .collect()
        } else {
            fixed.all.clone()
        };
        Self {
            fixed: Arc::clone(fixed),
            requests: Arc::clone(requests),
            counts,
            rows: all
                .into_iter()
                .map(|left| vec![LeftFrom { from: now, left }])
                .collect(),
            licences: vec![LeftFrom {
                from: now,
                left: fixed.cluster.licence_counts(),
            }],
            now,
        }
    }

    /// Returns the number of tasks that a node of a row can run, and the number of such nodes, if
    /// the row has `left`. No node serves that one of the `closed` advance reservations keeps.
    fn tasks(&self, row: usize, left: &Amounts, request: &Prepared, closed: u64) -> (u32, u32) {
        let (class, all, count) = if self.counts {
            let class = &self.fixed.cluster.classes[row];
            let all = &self.fixed.cluster.kinds[class.kind as usize].amounts;
            (class, all, left[CORES])
        } else {
            let class = self.fixed.class[row] as usize;
            (&self.fixed.cluster.classes[class], &self.fixed.all[row], 1)
        };
        let left = if self.counts { all } else { left };
        let tasks = request.tasks(left, all);
        let is_open = class.advance & closed == 0;
        if tasks > 0 && count > 0 && is_open && self.fixed.cluster.serves(class, &request.request) {
            (tasks, count)
        } else {
            (0, 0)
        }
    }

    /// Returns the part of a row in the count of a request: see [`Prepared::wanted`].
    fn worth(&self, row: usize, left: &Amounts, request: &Prepared, closed: u64) -> u64 {
        let (tasks, count) = self.tasks(row, left, request, closed);
        if request.is_even {
            count.into()
        } else {
            u64::from(tasks) * u64::from(count)
        }
    }

    /// Returns the advance reservations that keep a request off their nodes over [from, from + span).
    fn closed(&self, request: &Prepared, from: Time, span: Span) -> u64 {
        let until = from.saturating_add(span);
        let cluster = &self.fixed.cluster;
        cluster.closed(request.request.admitted, from, until)
    }

    /// Returns the least that a row has left over [from, from + span).
    fn least(&self, row: usize, from: Time, span: Span) -> Amounts {
        least_of(&self.rows[row], from, span)
    }

    /// Returns the nodes that a request gets from `from` on for all of `span`.
    fn choose(&self, request: &Prepared, from: Time, span: Span) -> Option<NodeChoice> {
        beat(self.rows.len());
        let wanted = &request.request.licences;
        if *wanted != NOTHING && !holds(&least_of(&self.licences, from, span), wanted) {
            return None;
        }
        let closed = self.closed(request, from, span);
        let mut candidates = Vec::new();
        let asked = &request.request;
        // In an order that never changes, the first nodes that hold all tasks are those that the job
        // gets, unless the number of nodes is limited.
        let is_first = self.fixed.placing.is_in_order()
            && (request.is_even || asked.most_nodes >= asked.tasks);
        let mut tasks_so_far = 0_u64;
        // The first candidate of each row, to find the row of a candidate.
        let mut rows: Vec<(u32, u32)> = Vec::new();
        for at in 0..self.rows.len() as u32 {
            let row = if self.counts {
                self.fixed.classes_in_order[at as usize]
            } else {
                at
            };
            if !self.counts
                && !holds(&self.rows[row as usize][0].left, &request.least)
                && from <= self.now
            {
                continue;
            }
            let left = self.least(row as usize, from, span);
            let (tasks, count) = self.tasks(row as usize, &left, request, closed);
            if count == 0 {
                continue;
            }
            rows.push((candidates.len() as u32, row));
            tasks_so_far += u64::from(tasks) * u64::from(count);
            // Counted nodes are free nodes.
            let (free, all) = if self.counts {
                let kind = self.fixed.cluster.classes[row as usize].kind;
                let all = self.fixed.cluster.kinds[kind as usize].amounts;
                (all, all)
            } else {
                (left, self.fixed.all[row as usize])
            };
            let load = if self.fixed.placing.is_in_order() {
                0
            } else {
                let load = || load(&free, &all);
                self.fixed.order(request, tasks, (&free, &all), load)
            };
            let room = self.fixed.room(request, &free);
            // With more nodes than a job may have, some rules leave some out.
            let most = match asked.most_nodes {
                u32::MAX => asked.tasks,
                most => asked.tasks.max(most.saturating_add(1)),
            };
            for _ in 0..count.min(most) {
                candidates.push(UsableNode {
                    place: candidates.len() as u32,
                    tasks,
                    room,
                    load,
                });
            }
            if is_first
                && tasks_so_far >= asked.tasks.into()
                && candidates.len() as u64 >= asked.least_nodes.into()
            {
                break;
            }
        }
        let mut nodes = choose(candidates, &request.request, self.fixed.placing)?;
        for at in &mut nodes {
            let row = rows.partition_point(|(first, _)| *first <= at.node) - 1;
            at.node = rows[row].1;
        }
        Some(NodeChoice(nodes))
    }

    /// Returns what tasks of a request take of a row.
    fn used(&self, request: &Prepared, row: usize, tasks: u32) -> Amounts {
        if self.counts {
            let mut one = NOTHING;
            one[CORES] = 1;
            one
        } else {
            request.used(tasks, &self.fixed.all[row])
        }
    }

    /// Changes what a row has left over [from, to).
    fn change(&mut self, row: usize, from: Time, to: Time, by: impl Fn(&mut Amounts)) {
        change(&mut self.rows[row], from.max(self.now), to, by);
    }

    fn each(&mut self, ask: Ask, choice: &NodeChoice, from: Time, to: Time, gives: bool) {
        let requests = Arc::clone(&self.requests);
        let request = &*request_of(&requests, ask);
        for at in &choice.0 {
            let row = at.node as usize;
            let used = self.used(request, row, at.tasks);
            self.change(row, from, to, |left| exchange(left, &used, gives));
        }
        let licences = request.request.licences;
        if licences != NOTHING {
            let from = from.max(self.now);
            let by = |left: &mut Amounts| exchange(left, &licences, gives);
            change(&mut self.licences, from, to, by);
        }
    }

    /// Returns the instants of [from, to) at which a request may have nodes that it could not have
    /// just before, because an advance reservation ends.
    fn openings(&self, from: Time, to: Time) -> Vec<Time> {
        let mut openings = Vec::new();
        let mut next = self.fixed.cluster.next_opening(from);
        while let Some(at) = next.filter(|at| *at < to) {
            beat(PER_RESERVATION * self.fixed.cluster.advance.len());
            openings.push(at);
            next = self.fixed.cluster.next_opening(at);
        }
        openings
    }

    /// Returns the part of a row in the count of a request that starts at `from`, in the step `at` of
    /// the row. `is_kept` says whether advance reservations keep its nodes.
    fn worth_from(
        &self,
        (row, at): (usize, usize),
        request: &Prepared,
        from: Time,
        span: Span,
        is_kept: bool,
    ) -> u64 {
        let steps = &self.rows[row];
        let end = from.saturating_add(span);
        let mut always = steps[at].left;
        let mut work = 16;
        for later in steps[at + 1..].iter().take_while(|step| step.from < end) {
            lower(&mut always, &later.left);
            work += 8;
        }
        let closed = if is_kept {
            work += PER_RESERVATION * self.fixed.cluster.advance.len();
            self.closed(request, from, span)
        } else {
            0
        };
        beat(work);
        self.worth(row, &always, request, closed)
    }
}

/// Gives amounts back, or takes them.
fn exchange(left: &mut Amounts, used: &Amounts, gives: bool) {
    for (left, used) in left.iter_mut().zip(used) {
        *left = if gives {
            left.saturating_add(*used)
        } else {
            // A job that outlives its belief may hold what a reservation was promised.
            left.saturating_sub(*used)
        };
    }
}

/// Returns the least that is left over [from, from + span).
fn least_of(steps: &[LeftFrom], from: Time, span: Span) -> Amounts {
    let end = from.saturating_add(span);
    let first = steps.partition_point(|step| step.from <= from).max(1) - 1;
    let mut least = steps[first].left;
    for step in steps[first + 1..].iter().take_while(|step| step.from < end) {
        lower(&mut least, &step.left);
    }
    least
}

/// Changes what is left over [from, to).
fn change(steps: &mut Vec<LeftFrom>, from: Time, to: Time, by: impl Fn(&mut Amounts)) {
    if from >= to {
        return;
    }
    let first = split(steps, from);
    let last = split(steps, to);
    steps[first..last]
        .iter_mut()
        .for_each(|step| by(&mut step.left));
    join(steps, last);
    join(steps, first);
}

/// Lowers amounts to those of `other` where these are lower.
fn lower(least: &mut Amounts, other: &Amounts) {
    for (least, other) in least.iter_mut().zip(other) {
        *least = (*least).min(*other);
    }
}

/// Returns the index of the step that begins at `at`, and makes it if there is none.
fn split(steps: &mut Vec<LeftFrom>, at: Time) -> usize {
    let after = steps.partition_point(|step| step.from < at);
    if steps.get(after).is_none_or(|step| step.from != at) {
        let left = steps[after - 1].left;
        steps.insert(after, LeftFrom { from: at, left });
    }
    after
}

/// Removes a step that has as much left as the one before.
fn join(steps: &mut Vec<LeftFrom>, at: usize) {
    if at > 0 && at < steps.len() && steps[at].left == steps[at - 1].left {
        steps.remove(at);
    }
}

impl Timetable for Times {
    fn advance(&mut self, now: Time) {
        self.now = now;
        for steps in self.rows.iter_mut().chain([&mut self.licences]) {
            let first = steps.partition_point(|step| step.from <= now).max(1) - 1;
            steps.drain(..first);
            steps[0].from = steps[0].from.max(now);
        }
    }

    fn earliest(&self, ask: Ask, span: Span, before: Time) -> Option<(Time, NodeChoice)> {
        let request = &*request_of(&self.requests, ask);
        // Many jobs can start at once.
        if self.now < before
            && let Some(nodes) = self.choose(request, self.now, span)
        {
            return Some((self.now, nodes));
        }
        let last_step = |steps: &Vec<LeftFrom>| steps.last().map_or(self.now, |step| step.from);
        let all_rows = self.rows.iter().chain([&self.licences]);
        let last = all_rows.map(last_step).max().unwrap_or(self.now);
        let openings = self.openings(self.now, before.min(last.saturating_add(Span::SECOND)));
        // (start, row, part of the row in the count from this start on)
        let mut changes: Vec<(Time, u32, u64)> = Vec::new();
        for (row, steps) in self.rows.iter().enumerate() {
            beat(8 * steps.len());
            let class = if self.counts {
                row
            } else {
                self.fixed.class[row] as usize
            };
            let is_kept = self.fixed.cluster.classes[class].advance != 0;
            let opens = if is_kept { &openings[..] } else { &[] };
            beat(opens.len());
            let mut opens = opens.iter().peekable();
            let mut last = 0;
            for (at, step) in steps.iter().enumerate() {
                if step.from >= before {
                    break;
                }
                let next = steps.get(at + 1).map_or(Time::NEVER, |step| step.from);
                // The part of a row grows only at the beginning of a step, and when an advance
                // reservation ends. In between it may shrink, which the next search below finds.
                if !holds(&step.left, &request.least) && !self.counts {
                    while opens.next_if(|opening| **opening < next).is_some() {}
                    if last > 0 {
                        changes.push((step.from, row as u32, 0));
                        last = 0;
                    }
                    continue;
                }
                let mut from = step.from;
                loop {
                    let worth = self.worth_from((row, at), request, from, span, is_kept);
                    // Even an equal part can be one that was lower just before: the least of each
                    // resource over two steps may serve fewer tasks than either step.
                    if worth > 0 || last > 0 {
                        changes.push((from, row as u32, worth));
                        last = worth;
                    }
                    let Some(opening) = opens.next_if(|opening| **opening < next) else {
                        break;
                    };
                    from = *opening;
                }
            }
        }
        if request.request.licences != NOTHING {
            // A row that is no node: licences may suffice from such an instant on.
            let steps = self.licences.iter().filter(|step| step.from < before);
            changes.extend(steps.map(|step| (step.from, self.rows.len() as u32, 0)));
        }
        crate::sorting::by(&mut changes, |(at, row, _)| {
            [at.microseconds().into(), (*row).into()]
        });
        let mut parts = vec![0_u64; self.rows.len() + 1];
        let mut count = 0_u64;
        let mut rest = changes.into_iter().peekable();
        while let Some((at, row, worth)) = rest.next() {
            beat(4);
            let part = &mut parts[row as usize];
            count = count - *part + worth;
            *part = worth;
            let more = rest.peek().is_some_and(|(next, ..)| *next == at);
            // The count is that of starts at the beginning of the rows' steps: an upper bound.
            if !more
                && count >= request.wanted()
                && let Some(nodes) = self.choose(request, at, span)
            {
                return Some((at, nodes));
            }
        }
        // After the last change everything is free, except what advance reservations keep.
        let mut next = self.fixed.cluster.next_opening(last);
        while let Some(at) = next.filter(|at| *at < before) {
            if let Some(nodes) = self.choose(request, at, span) {
                return Some((at, nodes));
            }
            next = self.fixed.cluster.next_opening(at);
        }
        None
    }

    fn may_use(&self, ask: Ask, span: Span, before: Time, opened: &BTreeMap<u32, Time>) -> bool {
        let request = &*request_of(&self.requests, ask);
        if request.request.licences != NOTHING {
            return true;
        }
        // A start in the middle of a step, when an advance reservation ends, may see less taken.
        let is_kept = |row: usize| {
            let class = if self.counts {
                row
            } else {
                self.fixed.class[row] as usize
            };
            self.fixed.cluster.classes[class].advance != 0
        };
        opened.iter().any(|(row, until)| {
            let (row, before) = (*row as usize, before.min(*until));
            let steps = self.rows[row].iter();
            let is_useful = |step: &LeftFrom| {
                self.worth(row, &step.left, request, 0) > 0
                    && (is_kept(row)
                        || self.worth(row, &self.least(row, step.from, span), request, 0) > 0)
            };
            steps.take_while(|step| step.from < before).any(is_useful)
        })
    }

    fn now(&self, ask: Ask, span: Span) -> Option<NodeChoice> {
        let request = &*request_of(&self.requests, ask);
        self.choose(request, self.now, span)
    }

    fn hold(&mut self, ask: Ask, choice: &NodeChoice, from: Time, to: Time) {
        self.each(ask, choice, from, to, false);
    }

    fn give(&mut self, ask: Ask, choice: &NodeChoice, from: Time, to: Time) {
        self.each(ask, choice, from, to, true);
    }

    fn choice(&self, ask: Ask, placement: Placement<'_>) -> NodeChoice {
        let request = &*request_of(&self.requests, ask);
        let mut nodes = Vec::new();
        self.fixed.by_place(placement, |place, cores| {
            nodes.push(NodeUse {
                node: if self.counts {
                    self.fixed.class[place]
                } else {
                    place as u32
                },
                tasks: request.request.tasks_of(cores),
            });
        });
        NodeChoice(nodes)
    }

    fn placement(&self, ask: Ask, choice: &NodeChoice) -> PlacementBuf {
        let mut placement = PlacementBuf::default();
        if self.counts || ask.request == ANY_CORES {
            return placement;
        }
        let request = &*request_of(&self.requests, ask);
        for at in &choice.0 {
            let place = at.node as usize;
            placement.ranges.push(Range {
                first: self.fixed.first_core[place],
                count: request.used(at.tasks, &self.fixed.all[place])[CORES],
            });
        }
        crate::sorting::by(&mut placement.ranges, |range| [range.first.into(), 0]);
        placement
    }

    fn fork(&self) -> Box<dyn Timetable> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::placing::Placing;
    use super::super::space::NodeSpace;
    use super::*;
    use crate::cluster::NodeRequest;
    use crate::machine::Space;
    use crate::pulse::{Doing, listen};
    use std::cell::Cell;

    thread_local! {
        static HEARD: Cell<u32> = const { Cell::new(0) };
    }

    fn hear(_: Doing) {
        HEARD.set(HEARD.get() + 1);
    }

    #[test]
    fn a_search_over_many_periods_gives_signs_of_life() {
        const DAY: i64 = 86_400;
        // Nodes `a` are kept for an hour of each day. Job 0 holds node `b` until all of these days
        // are over, and job 1 wants all nodes.
        let text = "NodeName=a[1-16] CPUs=1\nNodeName=b CPUs=2\n\
            ReservationName=daily Nodes=a[1-16] StartTime=0 Duration=60 Flags=DAILY";
        let mut cluster = crate::cluster::read(text).expect("the description is right");
        let end = Time::ZERO + Span::from_seconds(4000 * DAY);
        cluster.advance[0].repeat_until(end - Span::from_seconds(DAY));
        assert_eq!(cluster.advance[0].times, 4000);
        let requests = [2, 18].map(NodeRequest::of_cores).to_vec();
        let cluster = Arc::new(cluster);
        let space = NodeSpace::new(&cluster, &Arc::new(requests), &[0, 1], Placing::First);
        let mut times = space.timetable(Time::ZERO).expect("nodes have timetables");
        let ask = |request: u32, processors: u32| Ask {
            request,
            ..Ask::of(processors)
        };
        let held = NodeChoice(vec![NodeUse { node: 16, tasks: 2 }]);
        times.hold(ask(0, 2), &held, Time::ZERO, end);
        listen(hear);
        let found = times.earliest(ask(1, 18), Span::SECOND, Time::NEVER);
        assert_eq!(found.map(|(at, _)| at), Some(end));
        assert!(HEARD.get() > 0, "no sign of life");
    }
}
