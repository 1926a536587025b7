//! Twins: a second implementation of each policy and machine, written from its page in the docs.
//! A twin is slow and plain on purpose, and shares nothing with the engine.
//!
//! To add a twin, write one file and add one line to the table, and its `mod` line:
//!
//! 1. `NAME.rs` holds the rules and a function from a seed to [`words::Case`]s: the experiment as a
//!    user would type it, the workload, and the twin. A twin *plays* if it makes the schedule from
//!    the workload alone (`queue.rs` has a queue on a flat machine for it), or *watches* if it is
//!    told what happened and checks every event.
//! 2. A line of the table says under which name the cases are compared, on how many random
//!    workloads, and what must have happened in them at least.
//!
//! `words.rs` and `draw.rs` are the twins' vocabulary, `compare.rs` finds the first difference,
//! `engine.rs` runs the engine. `independence.rs` reads the imports of every twin.
//! `SCHEDSCOPE_TWINS=1 cargo test --test native twins -- --nocapture` prints how much was compared.

mod compare;
mod draw;
mod engine;
mod independence;
mod orders;
mod queue;
mod words;

// The twins.
mod adaptive;
mod bsp;
mod bsp_microseconds;
mod conservative;
mod easy;
mod fat_tree;
mod fcfs;
mod flex;
mod gang;
mod lomarc;
mod lookahead;
mod maui;
mod multiqueue;
mod nodes;
mod pbas;
mod priority;
mod selective;
mod slurm;
mod slurm_controller;
mod slurm_plugins;
mod slurm_switches;
mod smt;
mod torus;
mod wbas;

pub use draw::random_jobs;
pub use words::{Job, Overruns};

use compare::{Row, names};
use std::collections::BTreeSet;

macro_rules! table {
    ($($twin:ident $cases:ident $test:ident on $workloads:literal $(, at least $least:tt)*;)+) => {
        const TABLE: &[Row] = &[$(Row {
            name: stringify!($test),
            cases: $twin::$cases,
            workloads: $workloads,
            at_least: &[$($least),*],
        }),+];

        $(#[test]
        fn $test() {
            TABLE.iter().find(|row| row.name == stringify!($test)).unwrap().compare();
        })+
    };
}

// Each line: the twin's file, its function, the test's name, the number of random workloads. A
// function compares several options on each workload.
table! {
    fcfs by_default fcfs_by_default on 1200;
    easy by_default easy_by_default on 1200;
    easy scans easy_in_every_scan_order on 1200;
    easy depths easy_at_every_depth on 1200;
    easy only_new_jobs easy_that_tries_only_new_jobs_at_arrivals on 1200;
    easy predictions easy_with_predictions on 1200;
    easy corrections_of_long_jobs easy_with_corrections_of_long_jobs on 60;
    easy fitting easy_that_tries_nothing_at_an_arrival_that_does_not_fit on 1200;
    easy heads_with_one_start easy_that_gives_the_head_a_start_once on 1200;
    easy known_run_times easy_that_knows_run_times_until_jobs_start on 1200;
    easy completions_first easy_event_by_event_with_completions_first on 1200;
    easy arrivals_first easy_event_by_event on 1200;
    easy orders easy_in_every_order on 400;
    easy halves_of_a_second easy_with_ends_within_a_second on 400;

    priority orders_and_limits priority_in_every_order_and_with_every_limit on 400;

    conservative orders conservative_in_every_order on 400;
    conservative compression_at_every_end conservative_that_compresses_whenever_a_job_ends on 400;
    conservative reservations_made_anew conservative_that_makes_reservations_anew on 1200;
    conservative known_run_times conservative_that_knows_run_times_until_jobs_start on 400;
    conservative halves_of_a_second conservative_with_ends_within_a_second on 400;

    selective thresholds selective_by_every_threshold on 400;

    maui by_default maui_by_default_is_easy on 400;
    maui backfill_policies maui_with_every_backfill_policy on 400;
    maui known_run_times maui_that_knows_run_times_until_jobs_start on 400;
    maui halves_of_a_second maui_with_ends_within_a_second on 400;

    lookahead subsets lookahead_finds_the_best_of_all_subsets on 400;
    lookahead known_run_times lookahead_that_knows_run_times_until_jobs_start on 400;
    lookahead halves_of_a_second lookahead_with_ends_within_a_second on 400;

    multiqueue shares_and_reservations multiqueue_with_shares_and_reservations on 400;

    flex by_default flex_by_default on 400;
    flex costs_and_slacks flex_with_every_cost_and_slack on 150;
    flex positions_and_reconsidered_jobs flex_with_positions_and_reconsidered_jobs on 150;
    flex reconsidered_jobs_with_overruns flex_with_reconsidered_jobs_and_overruns on 50;

    pbas metrics_on_the_real_machine pbas_by_every_metric on 60, at least ("switches", 101);
    pbas metrics_alone pbas_with_candidates_alone on 60, at least ("switches", 101);
    wbas factors wbas_with_every_factor on 150, at least ("switches", 101);

    lomarc searches lomarc_searches on 72,
        at least ("searches", 432), at least ("searches in order", 101),
        at least ("ruled out as short", 21), at least ("ruled out by size", 21),
        at least ("ruled out by memory", 21), at least ("ruled out by class", 21),
        at least ("ruled out by slowdown", 21), at least ("ruled out by a reservation", 21),
        at least ("candidates", 21);
    lomarc reservations lomarc_keeps_reservations on 16, at least ("reservations", 151);
    lomarc outages lomarc_outages on 48,
        at least ("searches", 200), at least ("reservations", 100),
        at least ("hosts on closed nodes", 50);

    gang random_rules gang_by_random_rules on 2500;
    gang outages gang_outages on 2500,
        at least ("closed processors", 5000), at least ("jobs on closed processors", 2500),
        at least ("waits until an outage ends", 500);

    torus fcfs torus_fcfs on 1000;
    torus backfill torus_backfill on 1000;
    torus strong_backfill torus_strong_backfill on 1000;
    torus outage torus_outage on 1000, at least ("outages", 1000);
    torus migration torus_migration on 1000, at least ("migrations", 1);
    torus migration_at_a_cost torus_migration_at_a_cost on 1000, at least ("migrations", 1);
    torus migration_whenever_a_job_waits torus_migration_whenever_a_job_waits on 1000,
        at least ("migrations", 1);
    torus backfill_with_migration torus_backfill_with_migration on 1000,
        at least ("migrations", 1);
    torus backfill_with_migration_at_a_cost torus_backfill_with_migration_at_a_cost on 1000,
        at least ("migrations", 1);
    torus backfill_with_migration_whenever_a_job_waits
        torus_backfill_with_migration_whenever_a_job_waits on 1000, at least ("migrations", 1);

    fat_tree hosts fat_tree_hosts on 1200,
        at least ("several switches", 1000), at least ("several pods", 1000);

    nodes fcfs nodes_fcfs on 1200,
        at least ("several nodes", 10000), at least ("shared nodes", 10000),
        at least ("whole nodes", 10000), at least ("nodes that are down", 10000),
        at least ("licences", 10000), at least ("power", 10000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000),
        at least ("decisions at ends of repeated periods", 500);
    nodes easy nodes_easy on 1200,
        at least ("several nodes", 10000), at least ("shared nodes", 10000),
        at least ("whole nodes", 10000), at least ("short jobs", 10000),
        at least ("long jobs anywhere", 1000), at least ("long jobs beside the head", 500),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes depths nodes_easy_at_every_depth on 1200,
        at least ("several nodes", 10000), at least ("shared nodes", 10000),
        at least ("whole nodes", 10000), at least ("counted nodes", 10000),
        at least ("reservations", 10000), at least ("starts behind reservations", 1000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes conservative nodes_conservative on 1200,
        at least ("several nodes", 10000), at least ("shared nodes", 10000),
        at least ("whole nodes", 10000), at least ("counted nodes", 10000),
        at least ("reservations", 10000), at least ("earlier starts", 10000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes counted nodes_that_are_only_counted on 3000,
        at least ("reservations", 10000), at least ("earlier starts", 10000),
        at least ("nodes that are down", 10000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes priority nodes_priority on 1200,
        at least ("several nodes", 10000), at least ("shared nodes", 10000),
        at least ("whole nodes", 10000), at least ("passes", 10000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes selective nodes_selective on 1000,
        at least ("reservations", 1000), at least ("earlier starts", 1000),
        at least ("starts without reservations", 1000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes maui nodes_maui on 400,
        at least ("reservations", 1000), at least ("starts behind reservations", 1000),
        at least ("starts in periods", 1000), at least ("decisions at ends of periods", 1000);
    nodes tiers nodes_in_order_of_tiers on 1200,
        at least ("starts before earlier jobs", 10000), at least ("passes", 10000);
    nodes dominant nodes_in_order_of_dominant_shares on 1200,
        at least ("starts before earlier jobs", 10000), at least ("passes", 10000);
    nodes close_shares nodes_in_order_of_close_shares on 600,
        at least ("shares equal by rounding", 10000),
        at least ("starts before earlier jobs", 10000);
    nodes selective_orders nodes_selective_in_every_order on 600,
        at least ("reservations", 1000), at least ("earlier starts", 1000),
        at least ("starts before earlier jobs", 10000);
    nodes overruns nodes_with_jobs_that_outlive_their_estimates on 1200,
        at least ("decisions while jobs are overdue", 10000),
        at least ("starts while jobs are overdue", 10000),
        at least ("plans made anew", 10000), at least ("counted nodes", 10000),
        at least ("waits for licences", 10000), at least ("waits for periods", 10000);

    slurm basic slurm_with_basic_priority on 3400,
        at least ("starts by main passes", 10000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans beyond the window", 10000),
        at least ("plans on nodes that complete", 1000),
        at least ("passes cut at the depth", 5000),
        at least ("passes cut at the number of tests", 10000),
        at least ("passes cut at the size of the map", 10000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300);
    slurm multifactor slurm_with_multifactor_priority on 2000,
        at least ("starts by main passes", 10000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans beyond the window", 10000),
        at least ("plans on nodes that complete", 1000),
        at least ("passes cut at the depth", 5000),
        at least ("passes cut at the number of tests", 10000),
        at least ("passes cut at the size of the map", 10000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300);
    slurm builtin slurm_with_the_builtin_scheduler on 1000,
        at least ("starts by main passes", 10000), at least ("passes cut at the depth", 5000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300);
    slurm several_cores slurm_with_several_cores on 2000,
        at least ("starts by main passes", 10000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans beyond the window", 10000),
        at least ("plans on nodes that complete", 1000),
        at least ("passes cut at the depth", 5000),
        at least ("passes cut at the number of tests", 10000),
        at least ("passes cut at the size of the map", 10000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300),
        at least ("numbers of nodes", 2000);
    slurm linear slurm_with_whole_nodes on 2000,
        at least ("starts by main passes", 10000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans beyond the window", 10000),
        at least ("plans on nodes that complete", 1000),
        at least ("passes cut at the depth", 5000),
        at least ("passes cut at the number of tests", 10000),
        at least ("passes cut at the size of the map", 10000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300),
        at least ("numbers of nodes", 2000);
    slurm exclusive slurm_with_all_cores_of_nodes on 2000,
        at least ("starts by main passes", 10000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans beyond the window", 10000),
        at least ("plans on nodes that complete", 1000),
        at least ("passes cut at the depth", 5000),
        at least ("passes cut at the number of tests", 10000),
        at least ("passes cut at the size of the map", 10000),
        at least ("deferred passes", 1000),
        at least ("ticks with unread options", 300),
        at least ("numbers of nodes", 2000);

    slurm gpus slurm_with_gpus on 1200,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans on nodes that complete", 1000),
        at least ("generic resources", 5000), at least ("exclusive starts", 3000),
        at least ("numbers of nodes", 2000),
        at least ("plans that GPUs of other jobs change", 10000);
    slurm linear_gpus slurm_with_gpus_on_whole_nodes on 800,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("retries", 100000),
        at least ("plans on nodes that complete", 1000),
        at least ("generic resources", 3000), at least ("exclusive starts", 10000),
        at least ("numbers of nodes", 2000);

    slurm reserved_cores slurm_with_reservations on 1200,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 2000),
        at least ("stops by maintenance", 1000),
        at least ("plans behind maintenance", 1000), at least ("plans behind reservations", 1000),
        at least ("main passes that go on behind a job", 1000),
        at least ("periods that repeat", 50);
    slurm reserved_linear slurm_with_reservations_of_whole_nodes on 1200,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 2000),
        at least ("stops by maintenance", 1000),
        at least ("plans behind maintenance", 1000), at least ("plans behind reservations", 1000),
        at least ("main passes that go on behind a job", 1000),
        at least ("tries that reservations stop", 10),
        at least ("periods that repeat", 50);

    slurm switches slurm_below_switches on 2000,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("generic resources", 1000),
        at least ("exclusive starts", 2000), at least ("numbers of nodes", 2000),
        at least ("starts below several leaves", 5000),
        at least ("starts of several nodes below one leaf", 2000),
        at least ("starts on nodes of several weights", 1000),
        at least ("starts that switches change", 5000),
        at least ("choices with too many nodes", 5);
    slurm linear_switches slurm_with_whole_nodes_below_switches on 1000,
        at least ("starts by main passes", 5000), at least ("starts by backfill passes", 5000),
        at least ("reservations", 100000), at least ("numbers of nodes", 2000),
        at least ("sets of one weight", 20000),
        at least ("starts below several leaves", 4000),
        at least ("starts of several nodes below one leaf", 3000),
        at least ("starts on nodes of several weights", 1000),
        at least ("starts that switches change", 4000);

    smt paces smt_paces on 40, at least ("overlaps", 800);
    smt outages smt_outages on 40,
        at least ("overlaps", 800), at least ("closed nodes", 200),
        at least ("jobs on closed nodes", 40);

    bsp whole_workloads bsp_whole_workloads on 1500,
        at least ("CS", 100), at least ("F", 100), at least ("DC", 100);
    bsp seconds bsp_seconds on 12, at least ("F", 1), at least ("DC", 1);
    bsp outages bsp_outages on 600,
        at least ("closed processors", 600), at least ("waits for an outage", 100);
    bsp_microseconds small_clusters bsp_microseconds on 8000,
        at least ("CS", 1000), at least ("F", 1000), at least ("DC", 1000);
    bsp_microseconds two_that_wake_at_once bsp_two_that_wake_at_once on 2;
}

#[test]
fn every_policy_and_every_machine_has_a_twin() {
    let named: Vec<_> = TABLE.iter().flat_map(names).collect();
    let policies: BTreeSet<_> = named.iter().map(|(policy, _)| *policy).collect();
    let machines: BTreeSet<_> = named.iter().map(|(_, machine)| *machine).collect();
    let (all_policies, all_machines) = engine::ids();
    let lacks = |have: &BTreeSet<&str>, all: Vec<&'static str>| -> Vec<&'static str> {
        all.into_iter().filter(|id| !have.contains(id)).collect()
    };
    assert_eq!(lacks(&policies, all_policies), Vec::<&str>::new());
    assert_eq!(lacks(&machines, all_machines), Vec::<&str>::new());
}
