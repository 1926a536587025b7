//! The queue orders.

use super::queue::View;
use super::words::{Experiment, Job};

/// A queue order by its word; weights as in [`WEIGHTS`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Order(pub &'static str);

pub const ARRIVAL: Order = Order("arrival");

/// Weights that the `weights` order has here: of waiting (1/min), expansion, size and passes.
const WEIGHTS: [(&str, f64); 4] = [
    ("weight_wait", 2.0),
    ("weight_expansion", 3.0),
    ("weight_size", -0.25),
    ("weight_passed", 1.5),
];

pub const ORDERS: &[Order] = &[
    ARRIVAL,
    Order("shortest"),
    Order("longest"),
    Order("smallest"),
    Order("largest"),
    Order("smallest_area"),
    Order("largest_area"),
    Order("expansion"),
    Order("wfp3"),
    Order("unicef"),
    Order("f1"),
    Order("f2"),
    Order("f3"),
    Order("f4"),
    Order("weights"),
];

impl Order {
    /// Least first. Times are in seconds: a second has one tick wherever the order is not that of
    /// arrival.
    pub fn key(self, view: &View<'_>, job: usize) -> f64 {
        let Job {
            submit, processors, ..
        } = view.jobs[job];
        let (wait, length, size) = (
            (view.now - submit) as f64,
            view.belief[job] as f64,
            f64::from(processors),
        );
        let arrival = libm::log10(((submit - view.began) as f64).max(1.0));
        match self.0 {
            "shortest" => length,
            "longest" => -length,
            "smallest" => size,
            "largest" => -size,
            "smallest_area" => size * length,
            "largest_area" => -(size * length),
            "expansion" => -(wait + length) / length,
            "wfp3" => -(wait / length) * (wait / length) * (wait / length) * size,
            "unicef" => -wait / (libm::log2(size.max(2.0)) * length),
            "f1" => libm::log10(length) * size + 870.0 * arrival,
            "f2" => length.sqrt() * size + 25_600.0 * arrival,
            "f3" => length * size + 6_860_000.0 * arrival,
            "f4" => length * size.sqrt() + 530_000.0 * arrival,
            "weights" => {
                let [w, x, s, p] = WEIGHTS.map(|(_, weight)| weight);
                -(w * wait / 60.0
                    + x * (wait + length) / length
                    + s * size
                    + p * f64::from(view.passes[job]))
            }
            _ => 0.0,
        }
    }
}

/// The experiment with a queue order, and weights for the order that has them.
pub fn in_order(experiment: Experiment, order: Order) -> Experiment {
    WEIGHTS
        .iter()
        .fold(experiment.with("order", order.0), |experiment, weight| {
            experiment.with(weight.0, weight.1)
        })
}
