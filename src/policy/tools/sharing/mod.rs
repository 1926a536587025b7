//! Sharing nodes: who goes together with whom, and on which nodes.

mod matching;
mod nodes;

pub use matching::{
    ARRIVALS, Arrivals, HEURISTIC, Heuristic, Line, MAX_SLOWDOWN, MEMORY, Matching, Party, Stream,
    WEAKLY, go_together,
};
pub use nodes::{Host, Nodes, above, together};
