//! The timetable of a machine with nodes: which nodes will have which resources left, and when.

use super::ask::Ask;
use super::placement::{Placement, PlacementBuf};
use crate::cluster::NodeUse;
use crate::time::{Span, Time};
use std::collections::BTreeMap;

/// The nodes that a request gets, in the words of the timetable that chose them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeChoice(pub Vec<NodeUse>);

/// A timetable: the part of each node that running jobs and reservations leave, over future time.
pub trait Timetable: Send + Sync {
    /// Moves the beginning of the timetable to `now`.
    fn advance(&mut self, now: Time);
    /// Returns the earliest start, before `before`, at which nodes can run a request for all of
    /// `span`, and these nodes. Returns `None` if there is none.
    fn earliest(&self, ask: Ask, span: Span, before: Time) -> Option<(Time, NodeChoice)>;
    /// False if no start of a request before `before` can use any of these periods, each of which
    /// ends at an instant on a node that some choice names.
    fn may_use(&self, ask: Ask, span: Span, before: Time, opened: &BTreeMap<u32, Time>) -> bool;
    /// Returns nodes that can run a request from now on for all of `span`.
    fn now(&self, ask: Ask, span: Span) -> Option<NodeChoice>;
    /// Takes what a request uses of nodes over [from, to).
    fn hold(&mut self, ask: Ask, choice: &NodeChoice, from: Time, to: Time);
    /// Gives back what a request uses of nodes over [from, to).
    fn give(&mut self, ask: Ask, choice: &NodeChoice, from: Time, to: Time);
    /// Returns the nodes of a placement.
    fn choice(&self, ask: Ask, placement: Placement<'_>) -> NodeChoice;
    /// Returns cores that stand for nodes; none if it is not decided yet which nodes they are.
    fn placement(&self, ask: Ask, choice: &NodeChoice) -> PlacementBuf;
    /// Returns a copy.
    fn fork(&self) -> Box<dyn Timetable>;
}
