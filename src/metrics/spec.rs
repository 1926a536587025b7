//! The description of a metric.

/// The description of a metric.
#[derive(Copy, Clone, Debug, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MetricSpec {
    /// Stable id, the first part of its keys.
    pub id: &'static str,
    /// Name, as users see it.
    pub name: &'static str,
    /// Unit of its figures; empty for a ratio.
    pub unit: &'static str,
    /// Direction in which its figures get better.
    pub better: Better,
    /// One sentence that defines it.
    pub help: &'static str,
    /// The second parts of its keys.
    pub figures: &'static [&'static str],
}

impl MetricSpec {
    /// Returns the keys of its figures.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let key = |figure: &&str| format!("{}.{figure}", self.id);
        self.figures.iter().map(key)
    }
}

/// Direction in which a figure gets better.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Lower values are better.
    Lower,
    /// Higher values are better.
    Higher,
    /// No direction is better.
    Neither,
}
