//! Statistics of a list of values.

/// Names of the statistics, in the order of [`Distribution::values`]. `ci95` is the half width of
/// the 95 % confidence interval of the mean, by batch means.
pub const STATISTICS: &[&str] = &["mean", "median", "p90", "p95", "p99", "max", "sd", "ci95"];

/// Number of batches of the confidence interval. [`STUDENT_T`] is Student's t at 95 % for one
/// degree of freedom less.
const BATCHES: usize = 20;
const STUDENT_T: f64 = 2.093_024;

/// Statistics of a list; zeros if the list is empty.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    values: [f64; 8],
}

impl Distribution {
    /// Computes the statistics of values in order of arrival.
    pub fn of(mut values: Vec<f64>) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let ci = confidence(&values);
        let max = values.iter().copied().fold(f64::MIN, f64::max);
        let [median, p90, p95, p99] = quantiles(&mut values, [0.5, 0.9, 0.95, 0.99]);
        Self {
            values: [mean, median, p90, p95, p99, max, variance.sqrt(), ci],
        }
    }

    /// Returns the statistics, in the order of [`STATISTICS`].
    pub const fn values(&self) -> [f64; 8] {
        self.values
    }

    /// Returns the statistics without the confidence interval, for values that are not samples.
    pub const fn without_interval(&self) -> [f64; 7] {
        let [mean, median, p90, p95, p99, max, sd, _] = self.values;
        [mean, median, p90, p95, p99, max, sd]
    }
}

/// Returns the half width of the 95 % confidence interval of the mean, by batch means: consecutive
/// values are not independent, but the means of long batches nearly are. Returns 0 if a batch has
/// fewer than two values.
pub fn confidence(values: &[f64]) -> f64 {
    batch_interval(&batch_means(values)).unwrap_or(0.0)
}

/// Returns the means of 20 equal batches of consecutive values. Values that remain at the end do
/// not count. Returns an empty list if a batch has fewer than two values.
pub fn batch_means(values: &[f64]) -> Vec<f64> {
    let size = values.len() / BATCHES;
    if size < 2 {
        return Vec::new();
    }
    values
        .chunks_exact(size)
        .take(BATCHES)
        .map(|batch| batch.iter().sum::<f64>() / size as f64)
        .collect()
}

/// Returns the half width of the 95 % confidence interval of the mean of 20 batch means; `None` for
/// another number of means.
pub fn batch_interval(means: &[f64]) -> Option<f64> {
    if means.len() != BATCHES {
        return None;
    }
    let mean = means.iter().sum::<f64>() / BATCHES as f64;
    let variance =
        means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / (BATCHES - 1) as f64;
    Some(STUDENT_T * (variance / BATCHES as f64).sqrt())
}

/// Returns Student's t for a two-sided 95 % interval. From five degrees of freedom on, it uses the
/// expansion in powers of 1/n (Abramowitz and Stegun, 26.7.5), which is right to four digits.
pub fn student_t(degrees: usize) -> f64 {
    const FEW: [f64; 4] = [12.706_205, 4.302_653, 3.182_446, 2.776_445];
    if let Some(t) = degrees.checked_sub(1).and_then(|at| FEW.get(at)) {
        return *t;
    }
    let (z, n) = (1.959_964_f64, degrees.max(1) as f64);
    let z2 = z * z;
    let terms = [
        (z2 + 1.0) / 4.0,
        ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0,
        (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0,
        ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0,
    ];
    z * terms.iter().rev().fold(0.0, |sum, term| (sum + term) / n) + z
}

/// Returns the percentiles 0, 1, ... 100 of values in any order; an empty list if there are no
/// values.
pub fn percentiles(values: &[f64]) -> Vec<f64> {
    let sorted = crate::sorting::rising(values);
    let at = |percent: usize| {
        let rank = percent * (sorted.len() - 1);
        let (low, rest) = (rank / 100, rank % 100);
        let value = sorted[low];
        if rest == 0 {
            value
        } else {
            value + (sorted[low + 1] - value) * (rest as f64 / 100.0)
        }
    };
    if sorted.is_empty() {
        Vec::new()
    } else {
        (0..=100).map(at).collect()
    }
}

/// Returns the quantile `q` of values in any order, linear between ranks as in numpy and R. The
/// call partly sorts the values.
pub fn quantile(values: &mut [f64], q: f64) -> f64 {
    quantiles(values, [q])[0]
}

/// Returns quantiles in ascending order. Each is selected among the values above the last one,
/// which is several times faster than sorting.
pub fn quantiles<const N: usize>(values: &mut [f64], wanted: [f64; N]) -> [f64; N] {
    let mut done = 0;
    wanted.map(|q| {
        let rank = q * (values.len() - 1) as f64;
        let low = rank.floor() as usize;
        let (_, value, above) = values[done..].select_nth_unstable_by(low - done, f64::total_cmp);
        let value = *value;
        let next = above.iter().copied().fold(f64::INFINITY, f64::min);
        done = low;
        let fraction = rank - low as f64;
        if fraction > 0.0 {
            value + (next - value) * fraction
        } else {
            value
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn figures_of_a_short_list_by_hand() {
        let d = Distribution::of(vec![4.0, 1.0, 3.0, 2.0]);
        let [mean, median, p90, _, _, max, sd, ci] = d.values();
        assert_eq!((mean, median, max, ci), (2.5, 2.5, 4.0, 0.0));
        assert!((p90 - 3.7).abs() < 1e-12);
        assert!((sd - 1.25_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Distribution::of(vec![]).values(), [0.0; 8]);
        assert_eq!(Distribution::of(vec![7.0]).values()[1..6], [7.0; 5]);
    }

    #[test]
    fn t_and_percentiles_are_the_tabulated_ones() {
        // Source: tables of Student's distribution, two-sided, 95 %.
        for (degrees, t) in [
            (1, 12.7062),
            (4, 2.7764),
            (5, 2.5706),
            (9, 2.2622),
            (19, 2.0930),
            (29, 2.0452),
            (120, 1.9799),
        ] {
            assert!(
                (student_t(degrees) - t).abs() < 4e-4,
                "{degrees}: {}",
                student_t(degrees)
            );
        }
        let of_four = percentiles(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!(
            (of_four[0], of_four[50], of_four[100], of_four.len()),
            (1.0, 2.5, 4.0, 101)
        );
        assert_eq!(percentiles(&[7.0]), vec![7.0; 101]);
        let batches = batch_means(&(0..45).map(f64::from).collect::<Vec<_>>());
        assert_eq!((batches.len(), batches[0], batches[19]), (20, 0.5, 38.5));
        assert!(batch_means(&[1.0; 39]).is_empty());
    }

    #[test]
    fn quantiles_agree_with_sorting() {
        let mut stream = Stream::new(1, "quantiles");
        for n in 1..60 {
            let values: Vec<f64> = (0..n).map(|_| stream.below(20) as f64).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let naive = |q: f64| {
                let rank = q * (n - 1) as f64;
                let (low, high) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
                low + (high - low) * (rank - rank.floor())
            };
            let each = percentiles(&values);
            assert!(
                (0..=100)
                    .all(|percent| (each[percent] - naive(percent as f64 / 100.0)).abs() < 1e-9)
            );
            let ours = quantiles(&mut values.clone(), [0.5, 0.9, 0.95, 0.99]);
            assert_eq!(ours, [0.5, 0.9, 0.95, 0.99].map(naive));
        }
    }

    #[test]
    fn the_interval_covers_the_mean_of_independent_values() {
        let covered = (0..400)
            .filter(|&seed| {
                let mut stream = Stream::new(seed, "ci");
                let values: Vec<f64> = (0..400).map(|_| stream.uniform()).collect();
                let mean = values.iter().sum::<f64>() / 400.0;
                (mean - 0.5).abs() <= confidence(&values)
            })
            .count();
        assert!(
            (360..=396).contains(&covered),
            "{covered} of 400, expected about 380"
        );
    }
}
