//! Sharing nodes: who goes together with whom, and on which nodes.

mod matching;
mod nodes;

pub use matching::{
    ARRIVALS, ArrivalStream, Arrivals, HEURISTIC, Heuristic, Line, MAX_SLOWDOWN, MEMORY, Matching,
    Party, WEAKLY, go_together,
};
pub use nodes::{Host, Nodes, above, together};
