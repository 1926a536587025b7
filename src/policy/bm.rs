//! B+M: EASY backfilling after migration. Backfilling can use the free nodes that migration has
//! brought together.
//!
//! E. Krevat, MIT 2003, chapter 2, scheduler 4. The steps of a decision are: first come, first
//! served; migration; first come, first served again; EASY backfilling.

use super::easy::{DEPTH, Easy, RAISE};
use super::tools::moving::{FN_MAX, FN_TOR, MIGRATION_COST, with_migration};
use super::tools::order::{ORDER, SCAN, WEIGHT_EXPANSION, WEIGHT_PASSED, WEIGHT_SIZE, WEIGHT_WAIT};
use super::tools::prediction::{CORRECTION, ESTIMATES, with_beliefs};
use super::tools::spec::{Needs, Spec};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "bm",
    name: "B+M",
    summary: "EASY backfilling; before it, the policy moves running jobs together when the first \
        waiting job does not fit.",
    paper: "Krevat, MIT 2003, chapter 2, scheduler 4; Krevat, Castaños and Moreira, JSSPP 2002",
    needs: Needs::Moves,
    params: &[
        FN_TOR.param,
        FN_MAX.param,
        MIGRATION_COST.param,
        RAISE.param,
        DEPTH.param,
        ORDER.param,
        SCAN.param,
        ESTIMATES.param,
        CORRECTION.param,
        WEIGHT_WAIT.param,
        WEIGHT_EXPANSION.param,
        WEIGHT_SIZE.param,
        WEIGHT_PASSED.param,
    ],
    check: &|_| Ok(Vec::new()),
    build: &|settings| with_beliefs(with_migration(Easy::new(settings), settings), settings),
};
