//! What policies share: queue orders, the shadow time, availability profiles, lasting reservations,
//! best sets, beliefs, migration, adapting, sharing nodes.

mod adapting;
mod calendar;
mod candidates;
mod insertion;
mod knapsack;
mod matching;
mod migrating;
mod nodes;
mod order;
mod plan;
mod predicting;
mod predictor;
mod profile;
mod shadow;

pub use adapting::{Adapting, Rule};
pub use calendar::Calendar;
pub use candidates::{
    CANDIDATES, Candidate, DEFAULTS, candidates, candidates_param, candidates_run,
    check_candidates, is_setting, without_others,
};
pub use insertion::{Layout, Planned, Positions};
pub use knapsack::{Item, best_set};
pub use matching::{
    ARRIVALS, Arrivals, HEURISTIC, Heuristic, Line, MAX_SLOWDOWN, MEMORY, Matching, Party, Stream,
    WEAKLY, go_together,
};
pub use migrating::{FN_MAX, FN_TOR, HeadFirst, MIGRATION_COST, with_migration};
pub use nodes::{Host, Nodes, together};
pub use order::{
    AGING, MEDIUM, ORDER, ORDER_CLASSES, ORDER_SHORTEST, ORDER_WEIGHTS, Rank, Ranking, SCAN, SHORT,
    WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT,
};
pub use plan::{Plan, Window, span};
pub use predicting::{BELIEFS, Believing, CORRECTION, ESTIMATES, with_beliefs};
pub use predictor::{Correction, Predictor};
pub use profile::Profile;
pub use shadow::{Hole, Shadow, shadow};
