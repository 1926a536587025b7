//! The parameters of queue orders.

use crate::param::{Choice, FromSetting, Param, Settings, Typed, When, choice, real, words};

words! {
    /// An order of waiting jobs.
    pub enum Order {
        Classes = "classes": "short jobs, then medium, then long ones; each so much of waiting \
            lifts a job one class",
        Arrival = "arrival": "as they arrived",
        Shortest = "shortest": "shortest estimate first",
        Longest = "longest": "longest estimate first",
        Smallest = "smallest": "fewest processors first",
        Largest = "largest": "most processors first",
        SmallestArea = "smallest_area": "least processors x estimate first",
        LargestArea = "largest_area": "most processors x estimate first",
        Expansion = "expansion": "largest expansion factor, (wait + estimate) / estimate, first",
        Wfp3 = "wfp3": "largest (wait / estimate)^3 x processors first",
        Unicef = "unicef": "largest wait / (log2(processors) x estimate) first",
        F1 = "f1": "least log10(estimate) x processors + 870 x log10(arrival) first",
        F2 = "f2": "least sqrt(estimate) x processors + 25,600 x log10(arrival) first",
        F3 = "f3": "least estimate x processors + 6,860,000 x log10(arrival) first",
        F4 = "f4": "least estimate x sqrt(processors) + 530,000 x log10(arrival) first",
        Weights = "weights": "largest weighted sum of wait, expansion factor, processors and times \
            passed first",
    }
}

/// Order of the candidates for backfilling: the queue's, or another one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Scan(pub Option<Order>);

impl FromSetting for Scan {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        Self(Order::named(settings.choice(param)))
    }
}

/// The words of [`ORDER`]: every order but that of [`ORDER_CLASSES`].
const WORDS: &[Choice] = Order::CHOICES.split_at(1).1;

/// The words of [`SCAN`].
const SCAN_WORDS: [Choice; 16] = {
    let mut words = [Choice {
        id: "queue",
        help: "as the queue",
    }; 16];
    let mut at = 0;
    while at < WORDS.len() {
        words[at + 1] = WORDS[at];
        at += 1;
    }
    words
};

const fn order(options: &'static [Choice], default: Order) -> Typed<Order> {
    choice("order", "Queue order", options, default.word())
        .help("Which waiting job comes first; docs/orders.md has the formulas and their sources")
}

/// The order of the queue.
pub const ORDER: Typed<Order> = order(WORDS, Order::Arrival);

/// The same for policies whose paper has the shortest first.
pub const ORDER_SHORTEST: Typed<Order> = order(WORDS, Order::Shortest);

/// The same for schedulers whose queue has weights, as Maui's; with their defaults that is the
/// order of arrival.
pub const ORDER_WEIGHTS: Typed<Order> = order(WORDS, Order::Weights);

/// The same for schedulers that class jobs by how long they are.
pub const ORDER_CLASSES: Typed<Order> = order(Order::CHOICES, Order::Classes);

const CLASSED: When = When {
    keys: &["order"],
    words: &["classes"],
};

/// Up to which estimate a job is short.
pub const SHORT: Typed<f64> = real("short", "Short jobs", 0.0..=1e6, 60.0)
    .unit("s")
    .help("A job is short up to this estimate");

/// Up to which estimate a job that is not short is medium.
pub const MEDIUM: Typed<f64> = real("medium", "Medium jobs", 0.0..=1e7, 3600.0)
    .unit("s")
    .when(CLASSED)
    .help("A job that is not short is medium up to this estimate, else long");

/// How long a job waits until it is lifted one class.
pub const AGING: Typed<f64> = real("aging", "Aging", 0.0..=1e5, 0.0)
    .unit("h")
    .when(CLASSED)
    .help(
        "A job that has waited this long is lifted one class, and so on; 0 is the mean wait so far",
    );

/// The order in which candidates for backfilling are tried.
pub const SCAN: Typed<Scan> = choice("scan", "Scan order", &SCAN_WORDS, "queue")
    .help("The order in which waiting jobs behind the head are tried; `shortest` is SJBF");

const WEIGHED: When = When {
    keys: &["order", "scan"],
    words: &["weights"],
};
/// Weights go from minus to plus this.
const MOST: f64 = 1e9;

/// Weight of the wait.
pub const WEIGHT_WAIT: Typed<f64> = real("weight_wait", "Weight of wait", -MOST..=MOST, 1.0)
    .unit("1/min")
    .when(WEIGHED)
    .help("Priority for each minute of waiting");

/// Weight of the expansion factor.
pub const WEIGHT_EXPANSION: Typed<f64> =
    real("weight_expansion", "Weight of expansion", -MOST..=MOST, 0.0)
        .when(WEIGHED)
        .help("Priority for each unit of the expansion factor, (wait + estimate) / estimate");

/// Weight of the size.
pub const WEIGHT_SIZE: Typed<f64> = real("weight_size", "Weight of size", -MOST..=MOST, 0.0)
    .unit("1/processor")
    .when(WEIGHED)
    .help("Priority for each processor asked for");

/// Weight of being passed.
pub const WEIGHT_PASSED: Typed<f64> = real("weight_passed", "Weight of passes", -MOST..=MOST, 0.0)
    .unit("1/pass")
    .when(WEIGHED)
    .help("Priority for each time a job of lower priority started before it (Maui's bypass count)");
