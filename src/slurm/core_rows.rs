//! The single cores that jobs hold. They count with gang scheduling, where jobs of several partitions hold the
//! same ones.

use super::conf::SlurmConf;
use super::record::{JobRecord, NodeShare};

/// The cores that jobs of each partition hold, running or suspended, as bits.
#[derive(Clone, Debug)]
pub(super) struct CoreRows {
    /// The first word of each node, and the number of all words.
    first: Vec<usize>,
    rows: Vec<Vec<u64>>,
}

impl CoreRows {
    /// Returns the rows without jobs.
    pub fn new(conf: &SlurmConf) -> Self {
        let first = first_words(conf);
        let words = first[conf.node_count()];
        Self {
            first,
            rows: vec![vec![0; words]; conf.partitions.len()],
        }
    }

    /// Adds the cores of a job to the row of its partition, or takes them off.
    pub fn change(&mut self, job: &JobRecord, takes: bool) {
        let row = &mut self.rows[job.partition];
        for (word, bits) in words_of(&self.first, job) {
            if takes {
                row[word] |= bits;
            } else {
                row[word] &= !bits;
            }
        }
    }

    /// Returns the number of cores of a node that are held.
    pub fn count(&self, node: usize) -> i64 {
        let words = self.first[node]..self.first[node + 1];
        let held = |word: usize| self.rows.iter().fold(0, |held, row| held | row[word]);
        words.map(|word| i64::from(held(word).count_ones())).sum()
    }

    /// Returns the cores that the jobs of some partitions hold.
    pub fn held(&self, counts: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut held = vec![0; self.first[self.first.len() - 1]];
        let rows = self.rows.iter().enumerate();
        for (_, row) in rows.filter(|(partition, _)| counts(*partition)) {
            held.iter_mut().zip(row).for_each(|(all, own)| *all |= own);
        }
        held
    }

    /// Returns the number of cores of a node in a set.
    pub fn count_in(&self, held: &[u64], node: usize) -> i64 {
        let words = &held[self.first[node]..self.first[node + 1]];
        words.iter().map(|word| i64::from(word.count_ones())).sum()
    }

    /// Chooses the cores of a job on its nodes among those that are not held (`_cyclic_sync_core_bitmap`):
    /// the lowest of each socket in turn.
    pub fn choose(
        &self,
        (shares, task_cpus): (&[NodeShare], i64),
        held: &[u64],
        conf: &SlurmConf,
    ) -> Vec<u64> {
        let mut chosen = Vec::new();
        for share in shares {
            let node = share.node as usize;
            let words = &held[self.first[node]..self.first[node + 1]];
            let line = conf.node(node);
            let is_free = |core: i64| words[core as usize / 64] >> (core % 64) & 1 == 0;
            let size = line.socket_cores.max(1);
            let mut sockets: Vec<Vec<i64>> = Vec::new();
            for from in (0..line.cores).step_by(size as usize) {
                let to = (from + size).min(line.cores);
                let mut free: Vec<i64> = (from..to).filter(|core| is_free(*core)).collect();
                free.reverse();
                sockets.push(free);
            }
            let mut bits = vec![0; words.len()];
            let mut left = share.cores;
            let mut take = |socket: &mut Vec<i64>| {
                let Some(core) = socket.pop().filter(|_| left > 0) else {
                    return false;
                };
                bits[core as usize / 64] |= 1 << (core % 64);
                left -= 1;
                true
            };
            if task_cpus > 1 {
                // All CPUs of a task are on one socket, as far as possible.
                for socket in &mut sockets {
                    let mut room = socket.len() as i64 * line.core_cpus;
                    room -= room % task_cpus;
                    while room > 0 && take(socket) {
                        room -= line.core_cpus;
                    }
                }
            }
            let mut has_taken = true;
            while has_taken {
                has_taken = false;
                for socket in &mut sockets {
                    has_taken |= take(socket);
                }
            }
            chosen.extend(bits);
        }
        chosen
    }
}

/// Returns the first word of each node, and the number of all words: one bit for each core, or under
/// select/linear for the whole node.
pub(super) fn first_words(conf: &SlurmConf) -> Vec<usize> {
    let mut first = vec![0];
    for node in 0..conf.node_count() {
        let words = if conf.select.is_linear {
            1
        } else {
            (conf.node(node).cores.max(0) as usize).div_ceil(64)
        };
        first.push(first[node] + words);
    }
    first
}

/// Returns the words of the cores of a job, each with its place.
pub(super) fn words_of<'a>(
    first: &'a [usize],
    job: &'a JobRecord,
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let words = job.shares.iter().flat_map(|share| {
        let node = share.node as usize;
        first[node]..first[node + 1]
    });
    words.zip(job.cores.iter().copied())
}
