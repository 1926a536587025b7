//! Slurm: the main scheduler and the backfill scheduler of a controller with its inner clock, as
//! slurm.conf configures them.
//!
//! [`crate::slurm`] decides. This file tells the controller what arrives and what ends, and starts on
//! the machine what the controller starts. Source: the code of Slurm 22.05.8 (`src/slurmctld`,
//! `sched/backfill`, `select/linear`, `select/cons_tres`, `priority/basic`, `priority/multifactor`).

use super::tools::slurm::{self, SlurmSettings, SlurmState};
use super::tools::spec::{Needs, Spec};
#[cfg(feature = "clusters")]
use crate::job::JobId;
use crate::param::{Settings, Typed, lines, real, words};
use crate::problem::Problem;
use crate::sim::{Policy, Turn};
use crate::slurm::ClockFigures;
use crate::time::Span;

const CONF: Typed<Option<String>> = lines("conf", "slurm.conf").help(
    "Lines of slurm.conf about scheduling, such as `SchedulerParameters=bf_window=2880`; nodes and \
        partitions come from the machine",
);

const ACCOUNTS: Typed<Option<String>> = lines("accounts", "Accounts").help(
    "Lines of `sacctmgr dump`, of `sacctmgr show qos -P`, or commands of sacctmgr: accounts, users, QOS \
        and their limits; without them, no job belongs to an account. Lines of `sshare -P` tell their \
        usage",
);

words! {
    /// The begins at which the usage counts that the accounts tell.
    enum UsageFrom {
        Forecast = "forecast": "only in a forecast at the instant of its own file",
        Start = "start": "wherever the policy begins: at the start of a log, in a what-if and in each \
            forecast",
    }
}

const USAGE: Typed<UsageFrom> = UsageFrom::param("usage", "Usage of accounts", UsageFrom::Forecast)
    .help("Where the usage counts that lines of `sshare -P` in `accounts` tell; elsewhere it begins at 0");

const TICK: Typed<f64> = real("tick", "Tick of the controller", 0.01..=60.0, 1.0014)
    .unit("s")
    .help("Time from tick to tick of the thread that runs the main scheduler");

const BACKFILL_EXTRA: Typed<f64> = real(
    "backfill_extra",
    "Rest of a backfill cycle",
    0.0..=600.0,
    0.0008,
)
.unit("s")
.help("Time that a cycle of the backfill scheduler takes beyond its sleep");

const CLEANUP: Typed<f64> = real("cleanup", "Cleaning of nodes", 0.0..=86_400.0, 0.002)
    .unit("s")
    .help(
        "Time from the end of a job until its nodes can run other jobs, such as that of an epilog",
    );

const LAG: Typed<f64> = real("lag", "Lag of the clock", 0.0..=1.0, 0.003)
    .unit("s")
    .help("Lag of the clock that the controller reads, in whole seconds");

const LEAD: Typed<f64> = real("lead", "Lead of the controller", 0.0..=86_400.0, 60.0)
    .unit("s")
    .help("Time from the start of the controller until the first job arrives");

words! {
    /// The age of the controller when the run begins.
    enum ControllerAge {
        Up = "up": "the controller has run passes before, so its options count from the beginning",
        New = "new": "the controller starts: until its first main pass, `batch_sched_delay` is 3 s and \
            `sched_interval` is 60 s",
    }
}

const CONTROLLER: Typed<ControllerAge> =
    ControllerAge::param("controller", "Controller", ControllerAge::Up)
        .help("Whether the controller has run passes before the run or starts with it");

/// The policy's description.
pub const SPEC: Spec = Spec {
    id: "slurm",
    name: "Slurm",
    summary: "The main scheduler and the backfill scheduler of Slurm 22.05, as a slurm.conf \
        configures them, with the times at which they run.",
    paper: "The source code of Slurm 22.05.8 (SchedMD)",
    needs: Needs::Nodes,
    params: &[
        CONF.param,
        ACCOUNTS.param,
        USAGE.param,
        TICK.param,
        BACKFILL_EXTRA.param,
        CLEANUP.param,
        LAG.param,
        LEAD.param,
        CONTROLLER.param,
    ],
    check: &|settings| {
        if IS_HERE {
            slurm::check(&Slurm::new(settings).settings, settings)
        } else {
            Ok(Vec::new())
        }
    },
    build: &|settings| {
        if IS_HERE {
            Box::new(Slurm::new(settings))
        } else {
            Box::new(Absent)
        }
    },
};

/// False in the engine with which the page begins. It has no machine with nodes, so the policy never runs
/// there.
const IS_HERE: bool = cfg!(feature = "clusters");

/// A policy that is never asked.
struct Absent;

impl Policy for Absent {
    fn decide(&mut self, _: &mut Turn<'_>) {}

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self)
    }
}

#[derive(Clone)]
struct Slurm {
    settings: SlurmSettings,
    /// The controller, from the first turn on.
    state: Option<Box<SlurmState>>,
}

fn span(seconds: f64) -> Span {
    Span::from_microseconds((seconds * 1e6).round() as i64)
}

impl Slurm {
    fn new(settings: &Settings) -> Self {
        let figures = ClockFigures {
            tick: span(settings.get(&TICK)),
            backfill_extra: span(settings.get(&BACKFILL_EXTRA)),
            cleanup: span(settings.get(&CLEANUP)),
            lag: span(settings.get(&LAG)),
            ..ClockFigures::default()
        };
        Self {
            settings: SlurmSettings {
                conf: settings.get(&CONF).unwrap_or_default(),
                accounts: settings.get(&ACCOUNTS).unwrap_or_default(),
                figures,
                lead: span(settings.get(&LEAD)),
                is_new: settings.get(&CONTROLLER) == ControllerAge::New,
                takes_usage: settings.get(&USAGE) == UsageFrom::Start,
            },
            state: None,
        }
    }

    fn work(&mut self, turn: &mut Turn<'_>) -> Result<(), Problem> {
        let state = match &mut self.state {
            Some(state) => {
                state.hear(turn)?;
                state
            }
            None => self
                .state
                .insert(Box::new(slurm::state(&self.settings, turn)?)),
        };
        state.go_on(turn)
    }
}

impl Policy for Slurm {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        if let Err(problem) = self.work(turn) {
            turn.fail(problem);
            return;
        }
        if turn.is_watched()
            && let Some(state) = &self.state
        {
            state.explain(turn);
        }
    }

    fn begin_now(&mut self) {
        self.settings.takes_usage = true;
    }

    #[cfg(feature = "clusters")]
    fn unheeded(&self) -> Vec<String> {
        let told = self.state.as_ref().and_then(|state| state.unheeded());
        told.into_iter().collect()
    }

    #[cfg(feature = "clusters")]
    fn left_pending(&self, waiting: &[(JobId, i64)], jobs: usize) -> Option<String> {
        self.state.as_ref()?.left_pending(waiting, jobs)
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
