//! What every metric says of itself.

/// A metric's description.
#[derive(Copy, Clone, Debug, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MetricSpec {
    /// Stable id, the first part of its keys.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Unit of its figures; empty for a ratio.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Better,
    /// One sentence on what it is.
    pub help: &'static str,
    /// The second parts of its keys.
    pub figures: &'static [&'static str],
}

impl MetricSpec {
    /// The keys of its figures.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let key = |figure: &&str| format!("{}.{figure}", self.id);
        self.figures.iter().map(key)
    }
}

/// Which way a figure is better.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither.
    Neither,
}
