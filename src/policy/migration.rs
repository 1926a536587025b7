//! Migration: first come, first served, which moves the running jobs together when the first
//! waiting job does not fit. Moving joins scattered free nodes into one partition.
//!
//! E. Krevat, MIT 2003, chapter 2, scheduler 3.

use super::fcfs::Fcfs;
use super::tools::moving::{FN_MAX, FN_TOR, MIGRATION_COST, with_migration};
use super::tools::spec::{Needs, Spec};

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "migration",
    name: "Migration",
    summary: "First come, first served; when the first waiting job does not fit, the policy moves \
        running jobs together.",
    paper: "Krevat, MIT 2003, chapter 2, scheduler 3; Krevat, Castaños and Moreira, JSSPP 2002",
    needs: Needs::Moves,
    params: &[FN_TOR.param, FN_MAX.param, MIGRATION_COST.param],
    check: &|_| Ok(Vec::new()),
    build: &|settings| Box::new(with_migration(Fcfs, settings)),
};
