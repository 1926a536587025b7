//! The offers of nodes that the ends of running jobs add. A choice of nodes is tried only after ends with which
//! the offers suffice. The start of a job for which only their sum counts follows without a choice.

use super::super::choice::{ChosenNodes, NodeBounds};
use super::super::controller::Controller;
use super::super::core_use::release;
use super::super::known::{EndOffers, EndStep, KnownList, OfferKind, note};
use super::super::nodeset::NodeSet;
use super::ask::CoreAsk;
use super::offers::{FreeRoom, kind_of};
use crate::pulse::beat;
use std::ops::Range;
use std::sync::Arc;

/// The most kinds of jobs for which ends are kept, and the fewest: few if many jobs run on many nodes.
const MOST_KINDS: usize = 64;
const FEWEST_KINDS: usize = 8;

/// The most nodes and running jobs of all kinds together, if there are more kinds than the fewest.
const MOST_ENTRIES: usize = 1 << 18;

/// Seconds of the first window in which ends of jobs are joined.
const FIRST_WINDOW: i64 = 30;

/// Jobs that are taken away at most between two tests.
const MOST_ENDS: usize = 200;

/// The offers that must suffice for a job.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Enough {
    /// The offers of all nodes together, whichever they are.
    Sum,
    /// The offer of any one node, which is at least so large.
    Node(i64),
}

/// The time at which the offers of nodes suffice for a job.
pub(super) enum SumStart {
    Now,
    /// After the end of this running job.
    After(u32),
    /// Up to a second, they do not: together, or on the best node, they are so many CPUs.
    TooFew(i64),
    /// They do, but no end up to that second is tested then.
    Never,
}

/// The state of a search through the ends of running jobs.
pub(super) struct EndWindows<'a> {
    ends: &'a [(i64, u32)],
    /// The place of the next one.
    at: usize,
    window: i64,
    border: i64,
}

impl<'a> EndWindows<'a> {
    pub fn of(ends: &'a [(i64, u32)]) -> Self {
        Self {
            ends,
            at: 0,
            window: FIRST_WINDOW,
            border: 0,
        }
    }

    /// Returns the next end.
    fn next(&self) -> Option<&(i64, u32)> {
        self.ends.get(self.at)
    }
}

impl Controller {
    /// Takes running jobs away up to the next test whether a job fits, and returns the last one. `take` returns
    /// false for a job that has none of the nodes in question, and `None` to end the search. `None`: no jobs are
    /// left.
    pub(super) fn take_window(
        &self,
        ends: &mut EndWindows<'_>,
        mut take: impl FnMut(i64, u32) -> Option<bool>,
    ) -> Option<u32> {
        let all = ends.ends;
        self.take_window_of(ends, |from| {
            let mut place = from;
            while let Some((end, number)) = all.get(place) {
                if take(*end, *number)? {
                    break;
                }
                place += 1;
            }
            Some(place)
        })
    }

    /// Takes running jobs away as [`Self::take_window`] does. `next` returns the place of the first job, from a place
    /// on, that has some of the nodes in question; the number of jobs if there is none; and `None` to end the search.
    fn take_window_of(
        &self,
        ends: &mut EndWindows<'_>,
        mut next: impl FnMut(usize) -> Option<usize>,
    ) -> Option<u32> {
        let mut last = None;
        let mut taken = 0;
        while ends.at < ends.ends.len() {
            let place = next(ends.at)?;
            ends.at = place + 1;
            let Some((end, number)) = ends.ends.get(place) else {
                break;
            };
            if ends.border == 0 {
                ends.border = end + (ends.window - end % ends.window);
            }
            last = Some(*number);
            let Some((next, _)) = ends.next() else {
                break;
            };
            if *next > ends.border + ends.window {
                break;
            }
            if taken > MOST_ENDS {
                // No test: the count begins anew.
                (taken, last) = (0, None);
                continue;
            }
            taken += 1;
        }
        last?;
        loop {
            ends.window = match self.conf.backfill.window_linear {
                0 => ends.window.saturating_mul(2),
                step => {
                    // As many steps as it takes, at least one.
                    let end = ends.border.saturating_add(ends.window + step);
                    let missing = ends.next();
                    let missing = missing.map_or(0, |(next, _)| (next - end).max(0));
                    ends.window + step + (missing + step - 1) / step * step
                }
            };
            let border = ends.border.saturating_add(ends.window);
            if ends.next().is_none_or(|(next, _)| *next <= border) {
                return last;
            }
        }
    }

    /// Returns what suffices for a job to start: the sum of the offers of its nodes, or the offer of one. `None` if
    /// more than offers counts for the choice.
    pub(super) fn enough_for(&self, ask: &CoreAsk<'_>, bounds: NodeBounds) -> Option<Enough> {
        let facts = ask.facts;
        let counts_more = self.runs_all
            || self.gang.is_some()
            || self.conf.backfill.flags.is_busy_first
            || self.conf.select.by_socket
            || facts.least_cpus <= 0;
        if counts_more {
            None
        } else if facts.most_nodes != 1 {
            self.is_any_choice_good(ask, bounds).then_some(Enough::Sum)
        } else {
            let is_good = !facts.overcommits && self.is_any_node_good(ask, bounds);
            let least = facts.least_cpus.max(ask.least_task_cpus());
            is_good.then_some(Enough::Node(least))
        }
    }

    /// Returns what ends of running jobs add for jobs of a kind.
    fn known_ends<'a>(
        &self,
        ask: &CoreAsk<'_>,
        all: &'a mut KnownList<(OfferKind, EndOffers)>,
    ) -> &'a mut EndOffers {
        all.renew(self.uses);
        let known = &mut all.list;
        let kind = kind_of(ask);
        let at = known.iter().position(|(other, _)| other.is_like(&kind));
        let at = at.unwrap_or_else(|| {
            let old = all.spare.pop();
            let mut ends = old.map(|(_, ends)| ends).unwrap_or_default();
            ends.begin(self.offer_table(ask), &self.used);
            let entries = self.conf.node_count() + self.running.len();
            let most = (MOST_ENTRIES / entries.max(1)).clamp(FEWEST_KINDS, MOST_KINDS);
            note(known, most, (kind, ends));
            known.len() - 1
        });
        // The next question is mostly about the same kind.
        if at > 0 {
            known.swap(0, at);
        }
        &mut known[0].1
    }

    /// Takes running jobs away in the order of their ends until a job without generic resources fits
    /// (`_will_run_test`). `room` is the present one.
    pub(super) fn fit_after_ends(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        bounds: NodeBounds,
        (now, mut room): (i64, FreeRoom),
    ) -> Option<ChosenNodes> {
        let known = &mut *self.offers.ends.borrow_mut();
        let known = self.known_ends(ask, known);
        let mut windows = EndWindows::of(&self.running);
        let (mut place, mut written) = (0, 0);
        while let Some(last) = self.take_window(&mut windows, |_, record| {
            if place == known.until.len() {
                self.add_end(ask, known, record);
            }
            let mut meets = 0;
            for step in known.of_end(place) {
                let both = nodes.common(step.word as usize, step.bits);
                meets |= both;
                if both != 0 && step.more != 0 {
                    let offer = step.before + step.more;
                    room.sum
                        .change(step.before, offer, both.count_ones().into());
                }
            }
            place += 1;
            Some(meets != 0)
        }) {
            if !room.sum.suffices() {
                continue;
            }
            room.write_ends(known, nodes, written..place);
            written = place;
            let released = self.take_use(place);
            let fitting = self.fit_room(ask, nodes, bounds, (&released.used, &room));
            self.keep_use(released);
            if let Some(mut chosen) = fitting {
                chosen.start = self.start_after(last, now);
                return Some(chosen);
            }
        }
        None
    }

    /// Returns when the offers of nodes suffice for a job for which nothing else counts. After a certain second
    /// the search ends.
    pub(super) fn sum_start(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        (enough, most): (Enough, i64),
    ) -> SumStart {
        let known = &mut *self.offers.ends.borrow_mut();
        let known = self.known_ends(ask, known);
        let least = ask.facts.least_cpus;
        // A plan is made of a start that a test has found.
        let (same, cpus, after) = &known.last;
        if *cpus == least && same == nodes {
            return after.map_or(SumStart::Now, SumStart::After);
        }
        let start = self.sum_start_anew(ask, known, nodes, (enough, most));
        let after = match start {
            SumStart::Now => None,
            SumStart::After(end) => Some(end),
            SumStart::TooFew(_) | SumStart::Never => return start,
        };
        known.last.0.copy_from(nodes);
        (known.last.1, known.last.2) = (least, after);
        start
    }

    fn sum_start_anew(
        &self,
        ask: &CoreAsk<'_>,
        known: &mut EndOffers,
        nodes: &NodeSet,
        (enough, most): (Enough, i64),
    ) -> SumStart {
        let (open, offers) = (&known.table.open, &known.table.offers);
        let (mut cpus, least) = match enough {
            Enough::Sum => (
                nodes.sum_in(open, offers, &known.by_word),
                ask.facts.least_cpus,
            ),
            Enough::Node(least) => (nodes.most_in(open, offers), least),
        };
        if cpus >= least {
            return SumStart::Now;
        }
        // The ends that have one of the nodes, up to that with which the sum suffices.
        let mut met = std::mem::take(&mut known.met);
        met.clear();
        let count = self.running.partition_point(|(end, _)| *end <= most);
        let mut at = 0;
        while cpus < least {
            let ready = known.until.len().min(count);
            let steps = ready.checked_sub(1).map_or(0, |last| known.until[last]);
            'steps: for some in known.steps[at..steps].chunks(STEPS) {
                let mut places = [0; STEPS];
                let count = nodes.places_of(some, &mut places);
                for step in places[..count].iter().map(|place| &some[*place as usize]) {
                    let both = nodes.common(step.word as usize, step.bits);
                    // Most jobs have none of their nodes in a set, or all. Counting bits is slow.
                    cpus = match enough {
                        Enough::Node(_) => cpus.max(step.before + step.more),
                        Enough::Sum if both == step.bits => cpus + step.all,
                        Enough::Sum => cpus + i64::from(both.count_ones()) * step.more,
                    };
                    met.push(step.end);
                    if cpus >= least {
                        break 'steps;
                    }
                }
            }
            at = steps;
            if ready == count {
                break;
            }
            if cpus < least {
                self.add_end(ask, known, self.running[ready].1);
            }
        }
        let start = if cpus >= least {
            self.tested_start(ask, known, nodes, (&met, most))
        } else {
            SumStart::TooFew(cpus)
        };
        known.met = met;
        start
    }

    /// Returns the first end that Slurm tests (it does not test each) of those from the last of `met` on: the
    /// ends up to that one which have one of the nodes, in rising order.
    fn tested_start(
        &self,
        ask: &CoreAsk<'_>,
        known: &mut EndOffers,
        nodes: &NodeSet,
        (met, most): (&[u32], i64),
    ) -> SumStart {
        let mut windows = EndWindows::of(&self.running);
        let count = met.last().map_or(0, |last| *last as usize + 1);
        let mut met = met.iter().map(|place| *place as usize);
        while let Some(last) = self.take_window_of(&mut windows, |from| {
            if let Some(place) = met.find(|place| *place >= from) {
                return Some(place);
            }
            let mut place = from;
            while let Some((end, record)) = self.running.get(place) {
                if place == known.until.len() {
                    self.add_end(ask, known, *record);
                }
                let mut steps = known.of_end(place).iter();
                if steps.any(|step| nodes.common(step.word as usize, step.bits) != 0) {
                    // The job would start at this end, or later.
                    return (*end <= most).then_some(place);
                }
                place += 1;
            }
            Some(place)
        }) {
            if windows.at >= count {
                return SumStart::After(last);
            }
        }
        SumStart::Never
    }

    /// Notes what nodes offer after the next end.
    fn add_end(&self, ask: &CoreAsk<'_>, ends: &mut EndOffers, record: u32) {
        beat(64);
        let job = &self.records[record as usize];
        release(&mut ends.used, job);
        let from = ends.steps.len();
        let end = ends.until.len() as u32;
        for node in job.nodes.iter() {
            let offer = if ask.part.nodes.contains(node) {
                self.free_offer(ask, node, &ends.used).max(0)
            } else {
                0
            };
            let before = std::mem::replace(&mut ends.offers[node], offer);
            let more = offer - before;
            let (word, bit) = ((node / 64) as u32, 1 << (node % 64));
            match ends.steps[from..]
                .iter_mut()
                .rev()
                .find(|step| step.word == word)
            {
                Some(step) if step.more == more && step.before == before => {
                    step.bits |= bit;
                    step.all += more;
                }
                _ => ends.steps.push(EndStep {
                    end,
                    word,
                    bits: bit,
                    before,
                    more,
                    all: more,
                }),
            }
        }
        ends.until.push(ends.steps.len());
    }

    /// Writes what nodes offer after the ends up to that of a running job, which [`Controller::sum_start`]
    /// returned, and returns the nodes that offer something. Other nodes get any offers.
    pub(super) fn offers_after(
        &self,
        ask: &CoreAsk<'_>,
        nodes: &NodeSet,
        last: Option<u32>,
        offers: &mut Vec<i64>,
    ) -> NodeSet {
        let kind = kind_of(ask);
        let known = self.offers.ends.borrow();
        let mut known = known.list.iter().filter(|(other, _)| other.is_like(&kind));
        let Some((_, known)) = known.next() else {
            return NodeSet::none(self.conf.node_count());
        };
        offers.clone_from(&known.table.offers);
        let mut open = nodes.and(&known.table.open);
        let place = last.and_then(|last| {
            let entry = (self.records[last as usize].end, last);
            self.running.binary_search(&entry).ok()
        });
        for step in place.map_or(&[][..], |place| &known.steps[..known.until[place]]) {
            let word = step.word as usize;
            let both = nodes.common(word, step.bits);
            if both == 0 {
                continue;
            }
            let offer = step.before + step.more;
            open.put(word, both, offer > 0);
            NodeSet::of_word(word, both).for_each(|node| offers[node] = offer);
        }
        open
    }
}

/// Steps that are looked through at once.
const STEPS: usize = 32;

impl NodeSet {
    /// Writes the places of steps that have some of the nodes, and returns their number. Without a branch for each
    /// step: the processor would guess wrong at the few that count.
    #[inline(never)]
    fn places_of(&self, steps: &[EndStep], places: &mut [u8; STEPS]) -> usize {
        let mut count = 0;
        for (place, step) in (0..).zip(steps) {
            places[count % STEPS] = place;
            count += usize::from(self.common(step.word as usize, step.bits) != 0);
        }
        count
    }
}

impl FreeRoom {
    /// Writes what nodes offer after some of the ends.
    fn write_ends(&mut self, known: &EndOffers, nodes: &NodeSet, ends: Range<usize>) {
        let table = Arc::make_mut(&mut self.table);
        for step in ends.flat_map(|end| known.of_end(end)) {
            let offer = step.before + step.more;
            let both = nodes.common(step.word as usize, step.bits);
            for node in NodeSet::of_word(step.word as usize, both) {
                table.offers[node] = offer;
                if offer > 0 {
                    self.open.insert(node);
                } else {
                    self.open.remove(node);
                }
            }
        }
    }
}
