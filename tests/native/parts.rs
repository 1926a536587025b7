//! The parts that a new policy is made of: put together as in CONTRIBUTING.md, they give EASY.

use super::support::{Overruns, random_workload, simulation, small};
use schedscope::experiment::Scenario;
use schedscope::explain::StoryTeller;
use schedscope::machine::Placements;
use schedscope::machines;
use schedscope::policy::tools::order::{Order, Ranking};
use schedscope::policy::tools::reservation::Hole;
use schedscope::schedule::Recorder;
use schedscope::sim::{Policy, Simulation, Ties, Turn};
use std::sync::Arc;

#[derive(Clone)]
struct MadeOfParts(Ranking);

impl Policy for MadeOfParts {
    fn decide(&mut self, turn: &mut Turn<'_>) {
        let Some(head) = self.0.start_heads(turn) else {
            return;
        };
        let Some(mut hole) = Hole::before(&head, turn) else {
            return;
        };
        hole.backfill(turn, &mut self.0);
        if turn.is_watched() {
            hole.explain(turn, &head);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[test]
fn a_policy_made_of_parts_decides_and_explains_as_easy() {
    for machine in ["flat", "gang", "torus"] {
        for seed in 0..200 {
            let easy = small(Scenario {
                machine: machine.into(),
                ..Scenario::new("easy").with("order", "wfp3")
            });
            let workload = random_workload(&easy, seed, Overruns::Sometimes);
            let run = |mut simulation: Simulation| {
                let mut watched = (
                    Recorder::new(Arc::clone(&workload)),
                    StoryTeller::new(Arc::clone(&workload)),
                );
                simulation.run(&mut watched);
                (watched.0.into_schedule().starts, watched.1.into_story())
            };
            let built = (machines::find(machine).unwrap().build)(
                &workload,
                &easy.resolve().unwrap().settings,
                Placements::Recorded,
            );
            let made = MadeOfParts(Ranking::of_order(Order::Wfp3));
            let ours = run(Simulation::new(
                Arc::clone(&workload),
                built,
                Box::new(made),
                Ties::Together,
            ));
            let easy = run(simulation(&easy, &workload));
            assert_eq!(ours.0, easy.0, "{machine}, {seed}");
            if machine == "flat" {
                assert_eq!(ours.1, easy.1, "{seed}");
            }
        }
    }
}
