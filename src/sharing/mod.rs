//! A log, slurm.conf and accounts of a site without its names. All names become numbered ones, the same in
//! all files, so that a run with the shared files gives the schedule of a run with the originals.
//! docs/formats/sharing.md says what is kept, and what that can reveal.

mod accounts;
mod conf;
mod dates;
mod left_out;
mod log;
mod names;
mod nodes;
mod words;

pub use left_out::LostKeyword;

use crate::cluster;
use crate::limits;
use crate::problem::Problem;
use crate::slurm::{SlurmAccounts, keywords, plain};
use crate::trace::Trace;
use accounts::AccountsWriter;
use conf::ConfWriter;
use dates::SharedDates;
use left_out::Losses;
use log::shared_log;
use names::SiteNames;

/// The files of a site.
#[derive(Copy, Clone, Debug)]
pub struct SiteFiles<'a> {
    /// The log.
    pub log: &'a Trace,
    /// The text of slurm.conf.
    pub conf: &'a str,
    /// Accounts and QOS in the words of sacctmgr; empty without any.
    pub accounts: &'a str,
    /// True if the dates of the log stay.
    pub keeps_date: bool,
}

/// The files of a site without its names.
#[derive(Clone, Debug)]
pub struct SharedFiles {
    /// The log.
    pub log: Trace,
    /// The text of slurm.conf.
    pub conf: String,
    /// Accounts and QOS.
    pub accounts: String,
    /// The keywords that were left out, by file.
    pub left_out: Vec<LostKeyword>,
    /// True if usage is forgotten at dates that are others now.
    pub resets_differ: bool,
}

/// Returns the files of a site without its names.
///
/// # Errors
/// Returns a problem if slurm.conf describes no cluster, if the accounts cannot be read, or if a limit is
/// exceeded.
pub fn shared(files: &SiteFiles<'_>) -> Result<SharedFiles, Problem> {
    limits::check(
        "slurm.conf",
        files.conf.len(),
        limits::NODE_LIST_BYTES,
        "bytes",
    )?;
    if !files.conf.to_ascii_lowercase().contains("nodename=") {
        return Err(Problem::new(
            "The file slurm.conf describes no node.",
            "Nodes are in lines such as `NodeName=n[1-16] CPUs=32`.",
            "Give the slurm.conf of the cluster, with the files that it includes.",
        ));
    }
    let cluster = cluster::read(&cluster::description(files.conf)?)?;
    SlurmAccounts::read(files.accounts)?;
    let mut names = SiteNames::default();
    names.number_nodes(&cluster.names);
    let dates = SharedDates::new(files.log, files.conf, files.keeps_date);
    let mut losses = Losses::default();
    let conf = ConfWriter {
        names: &mut names,
        losses: &mut losses,
        dates: &dates,
        cluster: &cluster,
    }
    .text(files.conf)?;
    // A safeguard: what is shared can be read.
    cluster::read(&cluster::description(&conf)?)?;
    let (mut of_log, mut of_accounts) = (Losses::default(), Losses::default());
    let log = shared_log(files.log, &cluster, &mut names, &dates, &mut of_log)?;
    let accounts = AccountsWriter::new(&mut names, &mut of_accounts).text(files.accounts);
    SlurmAccounts::read(&accounts)?;
    let left_out = of_log.of("the log").chain(losses.of("slurm.conf"));
    let left_out = left_out.chain(of_accounts.of("accounts"));
    Ok(SharedFiles {
        log,
        left_out: left_out.collect(),
        resets_differ: !files.keeps_date && resets_by_month(files.conf),
        conf,
        accounts,
    })
}

/// True if usage is forgotten at the begin of months: a shift by weeks moves these.
fn resets_by_month(conf: &str) -> bool {
    let facts = keywords(&plain(conf));
    let mut facts = facts.iter().rev();
    let word = facts.find(|fact| {
        fact.keyword
            .eq_ignore_ascii_case("PriorityUsageResetPeriod")
    });
    word.is_some_and(|fact| {
        let value = fact.value.to_ascii_uppercase();
        ["MONTHLY", "QUARTERLY", "YEARLY"].contains(&value.as_str())
    })
}
