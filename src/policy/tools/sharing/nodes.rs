//! Nodes that two jobs can share: the jobs on each of them, and the times at which they will be
//! free again, according to the beliefs about run times.

use crate::job::JobId;
use crate::machine::{Placement, PlacementBuf, Range, common};
use crate::machines::smt::{Pairing, Sharing};
use crate::policy::tools::reservation::Profile;
use crate::sim::{Turn, release_time};
use crate::time::{Span, Time};

/// The slowdown of 1. Slowdowns are in ten-thousandths.
const WHOLE: i64 = 10_000;

/// A running job with its nodes.
#[derive(Clone, Debug)]
pub struct Host {
    /// Id of the job.
    pub job: JobId,
    /// Number of nodes that the job holds.
    pub size: u32,
    /// Belief about the whole run time on nodes of its own.
    pub expected: Span,
    /// Rest of `expected` that is still to run, at least one second.
    pub left: Span,
    /// Expected end, if the job keeps its partner while both run and gets no other partner.
    pub end: Time,
    /// True if no other job is on its nodes, and none of them goes out of service.
    pub is_alone: bool,
    row: u32,
    nodes: Vec<Range>,
}

/// The nodes of a machine and the running jobs on them.
#[derive(Clone, Debug)]
pub struct Nodes {
    count: u32,
    rows: u32,
    now: Time,
    hosts: Vec<Host>,
    /// For each node, true if no job is on it.
    is_free: Vec<bool>,
    /// Number of nodes without a job.
    free: u32,
    /// Times at which nodes become free, earliest first, with the number of these nodes.
    releases: Vec<(Time, u32)>,
    /// The nodes that are out of service, or will be when their jobs end, and the end of the outage.
    closed: Vec<Range>,
    closed_until: Time,
}

impl Nodes {
    /// Reads the present state of the nodes from the turn.
    pub fn of(turn: &Turn<'_>, pairing: &Pairing) -> Self {
        let sharing: Option<&Sharing> = turn.offer();
        let done = |job| sharing.map_or(Span::ZERO, |sharing| sharing.done(job, turn.now()));
        let rows = turn.rooms().len().max(1) as u32;
        let count = turn.capacity() / rows;
        let mut nodes = Self {
            count,
            rows,
            now: turn.now(),
            hosts: Vec::new(),
            is_free: vec![true; count as usize],
            free: 0,
            releases: Vec::new(),
            closed: Vec::new(),
            closed_until: turn.now(),
        };
        // For each node and each of its rows: the index in `hosts` of the job there plus one, or 0.
        let mut on = vec![[0_u32; 2]; count as usize];
        for running in turn.running().iter() {
            let expected = Span::from_microseconds(
                (running.expected_end - running.started).microseconds() / turn.stretch(),
            );
            let placement = turn.placement(running.job);
            let (row, within) = (placement.row, placement.ranges.to_vec());
            for node in placement.columns() {
                nodes.is_free[node as usize] = false;
            }
            if !turn.knows(running.job) {
                (nodes.closed, nodes.closed_until) = (within, running.expected_end);
                continue;
            }
            for node in placement.columns() {
                on[node as usize][row.min(1) as usize] = nodes.hosts.len() as u32 + 1;
            }
            nodes.hosts.push(Host {
                job: running.job,
                size: within.iter().map(|range| range.count).sum(),
                expected,
                left: (expected - done(running.job)).max(Span::SECOND),
                end: Time::ZERO,
                is_alone: true,
                row,
                nodes: within,
            });
        }
        nodes.free = nodes.is_free.iter().filter(|is_free| **is_free).count() as u32;
        nodes.reckon(&on, turn, pairing);
        nodes
    }

    /// Computes the expected ends of the jobs, and the times at which nodes become free.
    fn reckon(&mut self, on: &[[u32; 2]], turn: &Turn<'_>, pairing: &Pairing) {
        // For each job: the index of a partner, and true if it has no other partner.
        let mut partners: Vec<(Option<usize>, bool)> = vec![(None, true); self.hosts.len()];
        for pair in on.iter().filter(|pair| pair[0] > 0 && pair[1] > 0) {
            let (one, other) = (pair[0] as usize - 1, pair[1] as usize - 1);
            for (own, its) in [(one, other), (other, one)] {
                partners[own].1 &= partners[own].0.is_none_or(|known| known == its);
                partners[own].0 = Some(its);
            }
        }
        let slowdown = |one: &Host, other: &Host| {
            pairing.slowdown(turn.demand(one.job), turn.demand(other.job))
        };
        for at in 0..self.hosts.len() {
            let host = &self.hosts[at];
            let end = match partners[at] {
                (None, _) => self.now.saturating_add(host.left),
                (Some(other), is_only) => {
                    let other_host = &self.hosts[other];
                    let (own, others) = (slowdown(host, other_host), slowdown(other_host, host));
                    // If more than two jobs are involved, a bound is enough: the job ends no later
                    // than at its slowest present pace.
                    let is_pair = is_only && partners[other].1;
                    if is_pair {
                        together(self.now, [host.left, other_host.left], [own, others])[0]
                    } else {
                        self.slowest(at, on, own, &slowdown)
                    }
                }
            };
            self.hosts[at].end = release_time(end, self.now);
            self.hosts[at].is_alone =
                partners[at].0.is_none() && common(&self.hosts[at].nodes, &self.closed).is_empty();
        }
        // The last end is that of the outage.
        let ends = self.hosts.iter().map(|host| host.end);
        let ends: Vec<Time> = ends.chain([self.closed_until]).collect();
        let mut releases = vec![0; ends.len()];
        for (pair, first) in on.iter().zip(0..) {
            let is_closed = !common(&[Range { first, count: 1 }], &self.closed).is_empty();
            let outage = is_closed.then_some(self.hosts.len());
            let last = pair
                .iter()
                .filter(|host| **host > 0)
                .map(|host| *host as usize - 1)
                .chain(outage)
                .max_by_key(|at| (ends[*at], *at));
            if let Some(last) = last {
                releases[last] += 1;
            }
        }
        for (end, count) in ends.into_iter().zip(releases) {
            if count > 0 {
                let place = self.releases.partition_point(|(other, _)| *other <= end);
                self.releases.insert(place, (end, count));
            }
        }
    }

    /// Returns the end of a job if it keeps the slowest pace that any of its partners causes.
    fn slowest(
        &self,
        at: usize,
        on: &[[u32; 2]],
        own: i64,
        slowdown: &dyn Fn(&Host, &Host) -> i64,
    ) -> Time {
        let host = &self.hosts[at];
        let others = host
            .nodes
            .iter()
            .flat_map(|range| range.first..range.end())
            .map(|node| on[node as usize][1 - host.row.min(1) as usize]);
        let slowest = others
            .filter(|other| *other > 0)
            .map(|other| slowdown(host, &self.hosts[other as usize - 1]))
            .max();
        self.now
            .saturating_add(at_pace(host.left, slowest.unwrap_or(own).max(own)))
    }

    /// Returns the number of nodes.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// True if two jobs can share a node.
    pub const fn can_share(&self) -> bool {
        self.rows > 1
    }

    /// Returns the number of nodes without a job.
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Returns the running jobs, in order of start plus stretched belief. This is not the order of
    /// their [`Host::end`].
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Returns the number of free nodes over future time.
    pub fn profile(&self) -> Profile {
        Profile::of_releases(self.free, self.releases.iter().copied(), self.now)
    }

    /// Returns the lowest `size` nodes without a job, in row 0.
    pub fn lowest(&self, size: u32) -> PlacementBuf {
        let mut ranges: Vec<Range> = Vec::new();
        let free = self
            .is_free
            .iter()
            .zip(0..)
            .filter(|(is_free, _)| **is_free)
            .map(|(_, node)| node);
        for node in free.take(size as usize) {
            match ranges.last_mut() {
                Some(last) if last.end() == node => last.count += 1,
                _ => ranges.push(Range {
                    first: node,
                    count: 1,
                }),
            }
        }
        PlacementBuf { row: 0, ranges }
    }

    /// Returns the places in the other row on the lowest `size` nodes of the running job with the
    /// index `host`.
    pub fn beside(&self, host: usize, size: u32) -> PlacementBuf {
        let host = &self.hosts[host];
        PlacementBuf {
            row: 1 - host.row.min(1),
            ranges: first(&host.nodes, size).collect(),
        }
    }
}

/// Returns the places in row 1 on the lowest `size` of these nodes of row 0.
pub fn above(nodes: Placement<'_>, size: u32) -> PlacementBuf {
    PlacementBuf {
        row: 1,
        ranges: first(nodes.ranges, size).collect(),
    }
}

/// Returns the lowest `size` of these nodes.
fn first(nodes: &[Range], size: u32) -> impl Iterator<Item = Range> {
    let mut left = size;
    nodes.iter().map_while(move |range| {
        let count = range.count.min(left);
        left -= count;
        (count > 0).then_some(Range { count, ..*range })
    })
}

/// Returns `(value x by + more) / of`, rounded down, at most the largest number.
fn scaled(value: i64, by: i64, of: i64, more: i64) -> i64 {
    // The product of most numbers fits into 64 bits, which their highest bits show. The bits are
    // tested because wasm has no multiplication that reports an overflow. Dividing 128-bit numbers
    // takes several times as long.
    if (value | more) >> 44 == 0 && by >> 18 == 0 {
        return (value * by + more) / of;
    }
    i64::try_from((i128::from(value) * i128::from(by) + i128::from(more)) / i128::from(of))
        .unwrap_or(i64::MAX)
}

/// Returns the time that the work of `left` takes at a slowdown, rounded up.
fn at_pace(left: Span, slowdown: i64) -> Span {
    Span::from_microseconds(scaled(left.microseconds(), slowdown, WHOLE, WHOLE - 1))
}

/// Returns the ends of two jobs that share nodes from `now` on until one of them ends. `left` is
/// the rest of each job's run time on nodes of its own.
pub fn together(now: Time, left: [Span; 2], slowdowns: [i64; 2]) -> [Time; 2] {
    let first = [0, 1].map(|at| at_pace(left[at], slowdowns[at]));
    let shorter = usize::from(first[1] < first[0]);
    let longer = 1 - shorter;
    let done = scaled(first[shorter].microseconds(), WHOLE, slowdowns[longer], 0);
    let rest = Span::from_microseconds((left[longer].microseconds() - done).max(0));
    let mut ends = [now; 2];
    ends[shorter] = now.saturating_add(first[shorter]);
    ends[longer] = ends[shorter].saturating_add(rest);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Compares numbers of any width with exact results in 128 bits.
    #[test]
    fn scaled_rounds_down_and_stops_at_the_largest_number() {
        let mut stream = Stream::new(7, "scaled");
        for _ in 0..20_000 {
            let mut wide =
                |bits: u64| (stream.below(1 << 62) >> (62 - 1 - stream.below(bits))) as i64;
            let (value, by, of, more) = (wide(62), wide(30), wide(30).max(1), wide(62));
            let exact =
                (i128::from(value) * i128::from(by) + i128::from(more)).div_euclid(i128::from(of));
            assert_eq!(
                i128::from(scaled(value, by, of, more)),
                exact.min(i64::MAX.into()),
                "{value} x {by} + {more} over {of}"
            );
        }
    }
}
