//! The parameters of queue orders.

use crate::param::{Choice, FromSetting, Param, Settings, Typed, When, choice, real, words};

words! {
    /// An order of the waiting jobs.
    pub enum Order {
        Classes = "classes": "short jobs first, then medium, then long jobs; waiting lifts a job \
            to the class before",
        Arrival = "arrival": "earliest arrival first",
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
        Tier = "tier": "jobs of the partitions with the highest tier first, on the machine `nodes`",
        Dominant = "dominant": "jobs of the user with the least dominant share first",
        Weights = "weights": "largest weighted sum of wait, expansion factor, processors and times \
            passed first",
    }
}

/// The order in which a policy tries candidates for backfilling. `None` is the order of the queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Scan(pub Option<Order>);

impl FromSetting for Scan {
    fn from_setting(settings: &Settings, param: &Param) -> Self {
        Self(Order::named(settings.choice(param)))
    }
}

/// The words of [`ORDER`]: every order except [`Order::Classes`].
const WORDS: &[Choice] = Order::CHOICES.split_at(1).1;

/// The words of [`SCAN`].
const SCAN_WORDS: [Choice; WORDS.len() + 1] = {
    let mut words = [Choice {
        id: "queue",
        help: "the order of the queue",
    }; WORDS.len() + 1];
    let mut at = 0;
    while at < WORDS.len() {
        words[at + 1] = WORDS[at];
        at += 1;
    }
    words
};

const fn order(options: &'static [Choice], default: Order) -> Typed<Order> {
    choice("order", "Queue order", options, default.word()).help(
        "The order in which the policy considers waiting jobs; docs/orders.md has the formulas \
            and their sources",
    )
}

/// The order of the queue.
pub const ORDER: Typed<Order> = order(WORDS, Order::Arrival);

/// The order of the queue for policies whose papers put the shortest job first.
pub const ORDER_SHORTEST: Typed<Order> = order(WORDS, Order::Shortest);

/// The order of the queue for schedulers with weights, like Maui. With the default weights this is
/// the order of arrival.
pub const ORDER_WEIGHTS: Typed<Order> = order(WORDS, Order::Weights);

/// The order of the queue for schedulers that class jobs by length.
pub const ORDER_CLASSES: Typed<Order> = order(Order::CHOICES, Order::Classes);

const CLASSED: When = When {
    keys: &["order"],
    words: &["classes"],
};

/// The longest estimate of a short job.
pub const SHORT: Typed<f64> = real("short", "Short jobs", 0.0..=1e6, 60.0)
    .unit("s")
    .help("A job is short up to this estimate");

/// The longest estimate of a medium job.
pub const MEDIUM: Typed<f64> = real("medium", "Medium jobs", 0.0..=1e7, 3600.0)
    .unit("s")
    .when(CLASSED)
    .help("A job that is not short is medium up to this estimate, else long");

/// The wait that lifts a job by one class.
pub const AGING: Typed<f64> = real("aging", "Aging", 0.0..=1e5, 0.0)
    .unit("h")
    .when(CLASSED)
    .help(
        "Each time that a job has waited this long lifts it by one class; 0 stands for the mean \
            wait so far",
    );

/// The order in which candidates for backfilling are tried.
pub const SCAN: Typed<Scan> = choice("scan", "Scan order", &SCAN_WORDS, "queue")
    .help("The order in which the policy tries jobs behind the head; `shortest` is SJBF");

const WEIGHED: When = When {
    keys: &["order", "scan"],
    words: &["weights"],
};
/// Largest absolute value of a weight.
const MOST: f64 = 1e9;

/// The weight of a job's wait.
pub const WEIGHT_WAIT: Typed<f64> = real("weight_wait", "Weight of wait", -MOST..=MOST, 1.0)
    .unit("1/min")
    .when(WEIGHED)
    .help("Priority for each minute of waiting");

/// The weight of a job's expansion factor.
pub const WEIGHT_EXPANSION: Typed<f64> =
    real("weight_expansion", "Weight of expansion", -MOST..=MOST, 0.0)
        .when(WEIGHED)
        .help("Priority for each unit of the expansion factor, (wait + estimate) / estimate");

/// The weight of a job's size.
pub const WEIGHT_SIZE: Typed<f64> = real("weight_size", "Weight of size", -MOST..=MOST, 0.0)
    .unit("1/processor")
    .when(WEIGHED)
    .help("Priority for each processor asked for");

/// The weight of the number of times that a job was passed.
pub const WEIGHT_PASSED: Typed<f64> = real("weight_passed", "Weight of passes", -MOST..=MOST, 0.0)
    .unit("1/pass")
    .when(WEIGHED)
    .help("Priority for each start of a job of lower priority before it (Maui's bypass count)");
