//! The description of a metric.

/// The description of a metric.
#[derive(Copy, Clone, Debug, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MetricSpec {
    /// Stable id, the first part of its keys.
    pub id: &'static str,
    /// Name, as users see it.
    pub name: &'static str,
    /// Unit of its figures.
    pub unit: Unit,
    /// Figures that have another unit, with that unit.
    pub units: &'static [(&'static str, Unit)],
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

    /// Returns the unit of a figure, which is the second part of a key.
    pub fn unit_of(&self, figure: &str) -> Unit {
        let other = self.units.iter().find(|(name, _)| *name == figure);
        other.map_or(self.unit, |(_, unit)| *unit)
    }

    /// Returns the same metric with another unit for some figures.
    pub const fn with_units(self, units: &'static [(&'static str, Unit)]) -> Self {
        Self { units, ..self }
    }
}

/// Unit of a figure.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A time in seconds.
    Seconds,
    /// A number of jobs, or a mean of such numbers.
    Jobs,
    /// A share of a whole, from 0 to 1. The page shows it in percent.
    Share,
    /// A power in kW.
    Kilowatts,
    /// An energy in kWh.
    #[serde(rename = "kilowatt-hours")]
    KilowattHours,
    /// A mass in kg.
    Kilograms,
    /// A number of events, which is whole.
    Count,
    /// Another number without a dimension.
    Number,
}

impl Unit {
    /// Returns the symbol behind a figure, such as `s` or `jobs`. Shares, counts and numbers have none.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Jobs => "jobs",
            Self::Kilowatts => "kW",
            Self::KilowattHours => "kWh",
            Self::Kilograms => "kg",
            Self::Share | Self::Count | Self::Number => "",
        }
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
