//! Seeded streams of random numbers, identical natively and in wasm.
//!
//! A seed and a label name a stream, so that another draw in one part of a model shifts nothing in
//! another part.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// A stream of random numbers: ChaCha with 12 rounds, seeded as [`Stream::new`] describes.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha12Rng);

impl Stream {
    /// Returns the stream `label` of `seed`. Streams with different labels are independent. The
    /// first 24 bytes of a label count.
    pub fn new(seed: u64, label: &str) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let length = label.len().min(24);
        bytes[8..8 + length].copy_from_slice(&label.as_bytes()[..length]);
        Self(ChaCha12Rng::from_seed(bytes))
    }

    /// Draws a number uniformly from [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Draws a number uniformly from [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Draws a whole number uniformly from 0..bound; returns 0 if the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            0
        } else {
            self.0.random_range(0..bound)
        }
    }

    /// Draws from the standard normal distribution (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }

    /// Draws from the gamma distribution with the given shape and scale, both positive (Marsaglia and
    /// Tsang, 2000).
    #[expect(
        clippy::many_single_char_names,
        reason = "the names of the publication"
    )]
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        if shape < 1.0 {
            let boost = libm::pow(1.0 - self.uniform(), 1.0 / shape);
            return self.gamma(shape + 1.0, scale) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            let u = 1.0 - self.uniform();
            if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v * scale;
            }
        }
    }
}

/// Returns a random seed from the operating system or, in a browser, from its cryptographic source.
///
/// # Errors
/// Returns a problem if there is no such source. The caller then asks the user for a seed.
pub fn fresh_seed() -> Result<u64, crate::problem::Problem> {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_err(|error| {
        crate::problem::Problem::new(
            format!("No source of random numbers is available ({error})."),
            "A fresh seed must come from the system.",
            "Set a seed, for example 1.",
        )
    })?;
    // 32 bits, so that the page can hold the seed exactly and a person can type it.
    Ok(u64::from(u32::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_its_seed_and_label() {
        let draws = |seed, label| {
            let mut stream = Stream::new(seed, label);
            [stream.below(1 << 32), stream.below(1 << 32)]
        };
        assert_eq!(draws(7, "arrivals"), draws(7, "arrivals"));
        assert_ne!(draws(7, "arrivals"), draws(8, "arrivals"));
        assert_ne!(draws(7, "arrivals"), draws(7, "sizes"));
    }

    /// Seeds are results, because published figures name them. An earlier version of the generator
    /// drew these values; they may never change.
    #[test]
    fn the_draws_of_a_seed_are_known() {
        let mut stream = Stream::new(7, "arrivals");
        assert_eq!(
            [(); 4].map(|()| stream.below(u64::MAX)),
            [
                177_946_564_702_739_992,
                1_264_406_155_442_977_299,
                6_929_115_937_751_159_184,
                6_199_650_768_498_288_616
            ]
        );
        assert_eq!(
            [1, 2, 10, 1_000_003, 1 << 40].map(|bound| stream.below(bound)),
            [0, 0, 9, 66_347, 629_966_439_959]
        );
        assert_eq!(
            [(); 3].map(|()| stream.uniform().to_bits()),
            [
                4_599_324_345_591_486_106,
                4_602_191_554_929_675_794,
                4_603_201_634_630_358_223
            ]
        );
        assert_eq!(
            [
                stream.normal().to_bits(),
                stream.gamma(0.5, 2.0).to_bits(),
                stream.gamma(4.2, 0.94).to_bits()
            ],
            [
                4_581_081_483_727_286_508,
                4_610_276_307_349_098_659,
                4_611_548_372_614_209_981
            ]
        );
        // The sum covers far more than one block of the generator and one refill of its buffer.
        let sum = (0..10_000).fold(0_u64, |sum, _| sum.rotate_left(1) ^ stream.below(u64::MAX));
        assert_eq!(sum, 1_952_856_919_781_565_523);
    }

    #[test]
    fn gamma_has_its_mean_and_variance() {
        for (shape, scale) in [(0.5, 2.0), (4.2, 0.94), (312.0, 0.03)] {
            let mut stream = Stream::new(1, "gamma");
            let n = 100_000;
            let draws: Vec<f64> = (0..n).map(|_| stream.gamma(shape, scale)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let variance =
                draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
            let error = (shape * scale * scale / f64::from(n)).sqrt();
            assert!(
                (mean - shape * scale).abs() < 4.0 * error,
                "mean {mean} of gamma({shape}, {scale})"
            );
            assert!(
                (variance / (shape * scale * scale) - 1.0).abs() < 0.05,
                "variance {variance}"
            );
        }
    }
}
