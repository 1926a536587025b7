//! A tournament tree: which of a fixed number of clocks shows the least, with ties going to the lowest number.

/// Never.
pub const NEVER: i64 = i64::MAX;

/// The clocks and the winners of their matches.
#[derive(Clone, Debug)]
pub struct Tournament {
    keys: Vec<i64>,
    /// The winner of each match; that of 1 is the winner of all, those of n are 2 n and 2 n + 1.
    winners: Vec<u32>,
}

impl Tournament {
    /// So many clocks that never ring.
    pub fn new(clocks: usize) -> Self {
        let size = clocks.next_power_of_two().max(2);
        let mut tournament = Self { keys: vec![NEVER; size], winners: vec![0; size] };
        for clock in (0..size).step_by(2) {
            tournament.set(clock, NEVER);
        }
        tournament
    }

    /// The clock that rings first, and when.
    pub fn first(&self) -> (usize, i64) {
        let winner = self.winners[1] as usize;
        (winner, self.keys[winner])
    }

    /// When a clock rings.
    pub fn set(&mut self, clock: usize, at: i64) {
        self.keys[clock] = at;
        let size = self.keys.len();
        let pair = clock & !1;
        let mut winner = if self.keys[pair + 1] < self.keys[pair] { pair + 1 } else { pair };
        let mut place = usize::midpoint(size, clock);
        self.winners[place] = winner as u32;
        while place > 1 {
            let other = self.winners[place ^ 1] as usize;
            let (left, right) = if place & 1 == 0 { (winner, other) } else { (other, winner) };
            winner = if self.keys[right] < self.keys[left] { right } else { left };
            place /= 2;
            self.winners[place] = winner as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_first_is_the_least_of_all() {
        for clocks in [1, 2, 3, 8, 100] {
            let mut stream = Stream::new(clocks as u64, "tournament");
            let mut tournament = Tournament::new(clocks);
            let mut keys = vec![NEVER; clocks];
            for _ in 0..500 {
                let clock = stream.below(clocks as u64) as usize;
                keys[clock] = if stream.below(4) == 0 { NEVER } else { stream.below(20) as i64 };
                tournament.set(clock, keys[clock]);
                let least = (0..clocks).min_by_key(|clock| keys[*clock]).unwrap();
                assert_eq!(tournament.first(), (least, keys[least]));
            }
        }
    }
}
