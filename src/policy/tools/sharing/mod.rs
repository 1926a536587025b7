//! Sharing nodes: the choice of partners, and the nodes that two jobs share.

mod matching;
mod nodes;

pub use matching::{
    ARRIVALS, ArrivalStream, Arrivals, HEURISTIC, Heuristic, Line, MAX_SLOWDOWN, MEMORY, Matching,
    Party, Reach, WEAKLY, go_together,
};
pub use nodes::{Host, Nodes, above, together};
