//! The space of a machine: where jobs can be.

use super::ask::Ask;
use super::placement::{Placement, PlacementBuf};
use super::timetable::{NodeChoice, Timetable};
use crate::cluster::{Amounts, CORES, Cluster, NOTHING, NodeRequest, NodeUse, RESOURCES};
use crate::time::Time;
use std::any::Any;
use std::sync::Arc;

/// The free processors of a row of an Ousterhout matrix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Number of free processors.
    pub free: u32,
    /// Number of free processors that were not set aside.
    pub beside: u32,
}

/// The processors of a machine: which ones are free, and which ones a job gets.
///
/// Policies that only need counts ask [`Space::free`]. On machines with geometry [`Space::fits`]
/// tells more. The methods with a default body do nothing on machines that do not need them.
pub trait Space: Send {
    /// Returns the number of processors of the machine.
    fn capacity(&self) -> u32;
    /// Returns the number of free processors.
    fn free(&self) -> u32;
    /// True if a job with this request could start now.
    fn fits(&self, ask: Ask) -> bool;
    /// Allocates processors for a request and writes them into `placement`, which must be empty.
    /// The caller must have checked [`Space::fits`].
    fn claim(&mut self, ask: Ask, placement: &mut PlacementBuf);
    /// Frees the processors that [`Space::claim`] allocated. `held` has the number of processors and
    /// the request.
    fn release(&mut self, held: Ask, placement: Placement<'_>);
    /// Returns an independent copy in the same state.
    fn fork(&self) -> Box<dyn Space>;

    /// Returns the same machine with all processors free. If only counts matter, the copy may do
    /// without processor numbers.
    fn empty(&self) -> Box<dyn Space>;

    /// True if jobs ask for nodes with several resources.
    fn has_nodes(&self) -> bool {
        false
    }
    /// Takes what a request uses on these nodes, as [`Space::claim`] did when it chose them. Only
    /// machines with nodes differ from [`Space::occupy`].
    fn take(&mut self, _ask: Ask, placement: Placement<'_>) {
        self.occupy(placement);
    }
    /// Returns the timetable of the machine without jobs from `now` on. `None` on machines without
    /// nodes.
    fn timetable(&self, _now: Time) -> Option<Box<dyn Timetable>> {
        None
    }
    /// Takes processors on the nodes that a timetable has chosen, and writes them into `placement`.
    /// Returns false, with nothing changed, if they do not have enough left.
    fn claim_on(&mut self, _ask: Ask, _choice: &NodeChoice, _placement: &mut PlacementBuf) -> bool {
        false
    }
    /// Frees what a suspended job does not keep: the cores of its nodes, and whole nodes. Only machines with
    /// nodes differ from [`Space::release`].
    fn suspend(&mut self, held: Ask, placement: Placement<'_>) {
        self.release(held, placement);
    }
    /// Takes what a suspended job keeps on these nodes, and names processors for it that others can have. Returns
    /// false, with nothing changed, if the nodes do not have enough left.
    fn claim_suspended(
        &mut self,
        _ask: Ask,
        _nodes: &[NodeUse],
        _placement: &mut PlacementBuf,
    ) -> bool {
        false
    }

    /// Takes again what [`Space::suspend`] freed, on the same nodes, and writes the processors into
    /// `placement`. Returns false, with nothing changed, if they do not have enough left.
    fn resume(&mut self, _held: Ask, _: Placement<'_>, _placement: &mut PlacementBuf) -> bool {
        false
    }
    /// Frees what [`Space::suspend`] left to a job.
    fn release_suspended(&mut self, _held: Ask, _placement: Placement<'_>) {}
    /// Takes processors on these nodes, by their numbers in the cluster, and writes them into
    /// `placement`. Returns false, with nothing changed, if they do not have enough left.
    fn claim_nodes(&mut self, _ask: Ask, _: &[NodeUse], _placement: &mut PlacementBuf) -> bool {
        false
    }
    /// Returns the number of the resource without which a request that does not fit would fit; that
    /// of cores if there is none.
    fn short_of(&self, _ask: Ask) -> u32 {
        0
    }
    /// Replaces the requests that [`Ask::request`] names, and the advance reservations of the
    /// cluster. Requests that were known keep their indices. There may be advance reservations now, or
    /// none any more ([`Self::has_openings`]).
    fn ask_by(&mut self, _cluster: &Arc<Cluster>, _requests: &Arc<Vec<NodeRequest>>) {}
    /// Returns the sum of each resource that a request has on these processors.
    fn amounts(&self, held: Ask, _placement: Placement<'_>) -> Amounts {
        let mut amounts = NOTHING;
        amounts[CORES] = held.processors;
        amounts
    }
    /// Returns the sum of each resource over the machine; 0 where it is not limited.
    fn totals(&self) -> [u64; RESOURCES] {
        let mut totals = [0; RESOURCES];
        totals[CORES] = self.capacity().into();
        totals
    }
    /// True if there are advance reservations.
    fn has_openings(&self) -> bool {
        false
    }
    /// Returns the first instant after `at` at which an advance reservation ends, so that nodes open
    /// for other jobs.
    fn next_opening(&self, _at: Time) -> Option<Time> {
        None
    }
    /// Returns the advance reservations, as bits, whose nodes a request cannot have over its period.
    fn closed_to(&self, _ask: Ask) -> u64 {
        0
    }
    /// Takes processors for a request that leave room for `head` in `later`, here and there, and
    /// writes them into `placement`. Returns false, with nothing changed, if there are none. Always
    /// false on machines without nodes.
    fn claim_sparing(
        &mut self,
        _ask: Ask,
        _head: Ask,
        _later: &mut dyn Space,
        _placement: &mut PlacementBuf,
    ) -> bool {
        false
    }
    /// Returns the space as a value of its own type, if other spaces of the type look into it.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }
    /// Returns a copy on which to try out what could happen. Numbers of processors in its
    /// placements may stand for others of the same node. `head` is a request that it will be asked
    /// about.
    fn draft(&self, _head: Option<Ask>) -> Box<dyn Space> {
        self.fork()
    }
    /// True if it matters which processors are free, not only how many.
    fn has_geometry(&self) -> bool {
        false
    }
    /// Returns the size of a job on this machine. It exceeds `processors` if no partition has
    /// exactly that size.
    fn raised(&self, processors: u32) -> u32 {
        processors
    }
    /// Returns the size of the largest job that could start now.
    fn largest(&self) -> u32 {
        self.free()
    }
    /// Sets processors aside and replaces the earlier choice. An empty list sets nothing aside. The
    /// processors stay free, but a request can avoid them ([`Ask::beside`]).
    fn set_aside(&mut self, _placements: &[Placement<'_>]) {}
    /// Returns the free processors of each row. A job must fit in one of them. A machine without
    /// rows returns one entry.
    fn rooms(&self) -> Vec<Room> {
        vec![Room {
            free: self.free(),
            beside: self.free(),
        }]
    }
    /// Moves running jobs after other jobs have ended. `held` are the placements of the running
    /// jobs. Returns the index in `held` and the new placement of each job that moved.
    fn tidy(&mut self, _held: &[Placement<'_>]) -> Vec<(usize, PlacementBuf)> {
        Vec::new()
    }
    /// True if [`Space::tidy`] ever moves a job.
    fn tidies(&self) -> bool {
        false
    }
    /// True if all processors of the placement are free. Always false on machines that do not let a
    /// policy name processors.
    fn is_free(&self, _placement: Placement<'_>) -> bool {
        false
    }
    /// Takes these processors, free or not.
    fn occupy(&mut self, _placement: Placement<'_>) {}
    /// True if jobs share processors: each processor has a place in every row of an Ousterhout matrix.
    fn has_rows(&self) -> bool {
        false
    }
    /// Takes these processors out of service: free ones now, others when the jobs that hold them end.
    /// On machines without geometry and rows, a job's end does not give back processors that are closed.
    fn close(&mut self, placement: Placement<'_>) {
        self.occupy(placement);
    }
    /// Puts the processors back into service that [`Space::close`] took out. `closed` has their number.
    fn reopen(&mut self, closed: Ask, placement: Placement<'_>) {
        self.release(closed, placement);
    }
    /// Lays out all running jobs anew. `held` are their placements. If the new layout leaves a
    /// larger free partition, adopts it and returns the new placements in the same order.
    fn repack(&mut self, _held: &[Placement<'_>]) -> Option<Vec<PlacementBuf>> {
        None
    }
}
