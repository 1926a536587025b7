//! The commands, one file each.

mod check;
mod convert;
mod expect;
mod expected;
mod generate;
mod inspect;
mod lists;
mod printing;
mod reading;
mod run;
mod share;

use crate::sweep;
use crate::terminal::args::{Args, Command};
use crate::terminal::result::Result;
use check::check;
use convert::convert;
use expect::expect;
use generate::generate;
use inspect::inspect;
use lists::list;
use run::run;
use schedscope::workload::model;
use schedscope::{machines, policy};
use share::share;

pub fn execute(args: Args) -> Result<()> {
    match args.command {
        Command::Run(args) => run(&args),
        Command::Check(args) => check(&args),
        Command::Policies(args) => {
            list(
                &args,
                "policies",
                policy::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Machines(args) => {
            list(
                &args,
                "machines",
                machines::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Models(args) => {
            list(
                &args,
                "models",
                model::ALL
                    .iter()
                    .map(|s| (s.id, s.name, s.summary, s.params)),
            );
            Ok(())
        }
        Command::Convert(args) => convert(&args),
        Command::Share(args) => share(&args),
        Command::Generate(args) => generate(&args),
        Command::Inspect(args) => inspect(&args),
        Command::Expect(args) => expect(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Merge(args) => sweep::merge(&args),
    }
}
