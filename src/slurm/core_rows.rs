//! The single cores that jobs hold. They count with gang scheduling, where jobs of several partitions hold the
//! same ones.

use super::conf::SlurmConf;
use super::record::{JobRecord, NodeShare};
use std::cell::RefCell;
use std::sync::Arc;

/// The cores that jobs of each partition hold, running or suspended, as bits.
#[derive(Clone, Debug)]
pub(super) struct CoreRows {
    /// The first word of each node, and the number of all words.
    first: Vec<usize>,
    parts: Vec<PartRows>,
}

/// The rows of a partition. No two jobs of a row hold the same core.
#[derive(Clone, Debug)]
struct PartRows {
    /// The most rows.
    most: usize,
    /// Those that had a job so far. A test of a job can put them into another order.
    rows: RefCell<Vec<CoreRow>>,
}

#[derive(Clone, Debug)]
struct CoreRow {
    cores: Vec<u64>,
    /// The number of these cores.
    count: u32,
    /// The jobs; left out if the partition has one row only.
    jobs: Vec<RowJob>,
}

/// A job of a row.
#[derive(Clone, Debug)]
struct RowJob {
    number: u64,
    task: Option<u32>,
    /// Its lowest core, and its CPUs: the order in which jobs are put into rows.
    order: [i128; 2],
    words: Arc<[(usize, u64)]>,
}

impl CoreRow {
    fn has_room(&self, words: &[(usize, u64)]) -> bool {
        words
            .iter()
            .all(|(word, bits)| self.cores[*word] & bits == 0)
    }

    fn add(&mut self, words: &[(usize, u64)]) {
        for (word, bits) in words {
            self.count += (bits & !self.cores[*word]).count_ones();
            self.cores[*word] |= bits;
        }
    }

    fn take_off(&mut self, words: &[(usize, u64)]) {
        for (word, bits) in words {
            self.count -= (bits & self.cores[*word]).count_ones();
            self.cores[*word] &= !bits;
        }
    }
}

impl PartRows {
    /// Puts a job into the first row that has room for it. Returns false if none has.
    fn put(&mut self, job: &RowJob, size: usize) -> bool {
        let (most, rows) = (self.most, self.rows.get_mut());
        let at = rows.iter().position(|row| row.has_room(&job.words));
        let at = at.unwrap_or(rows.len());
        if at >= most {
            return false;
        }
        if at == rows.len() {
            rows.push(CoreRow {
                cores: vec![0; size],
                count: 0,
                jobs: Vec::new(),
            });
        }
        rows[at].add(&job.words);
        if most > 1 {
            rows[at].jobs.push(job.clone());
        }
        true
    }

    /// Takes a job off, and puts the others into as few rows as possible (`part_data_build_row_bitmaps`).
    fn take_off(&mut self, job: &RowJob, size: usize) {
        let rows = self.rows.get_mut();
        if self.most == 1 {
            rows.iter_mut().for_each(|row| row.take_off(&job.words));
            return;
        }
        let is_it = |one: &RowJob| (one.number, one.task) == (job.number, job.task);
        let Some(row) = rows.iter_mut().find(|row| row.jobs.iter().any(is_it)) else {
            return;
        };
        row.take_off(&job.words);
        row.jobs.retain(|one| !is_it(one));
        let before = rows.clone();
        let mut jobs: Vec<RowJob> = rows.drain(..).flat_map(|row| row.jobs).collect();
        crate::sorting::by(&mut jobs, |job| job.order);
        for job in jobs {
            if !self.put(&job, size) {
                self.rows = RefCell::new(before);
                return;
            }
            sort(self.rows.get_mut());
        }
    }
}

/// Puts the fullest rows in front (`part_data_sort_res`).
fn sort(rows: &mut [CoreRow]) {
    for at in 0..rows.len() {
        for later in at + 1..rows.len() {
            if rows[later].count > rows[at].count {
                rows.swap(at, later);
            }
        }
    }
}

impl CoreRows {
    /// Returns the rows without jobs.
    pub fn new(conf: &SlurmConf) -> Self {
        let part = |at: usize| PartRows {
            most: conf.rows_of(at),
            rows: RefCell::default(),
        };
        Self {
            first: first_words(conf),
            parts: (0..conf.partitions.len()).map(part).collect(),
        }
    }

    fn size(&self) -> usize {
        self.first[self.first.len() - 1]
    }

    /// Adds the cores of a job to a row of its partition, or takes them off.
    pub fn change(&mut self, job: &JobRecord, takes: bool) {
        let words: Vec<(usize, u64)> = words_of(&self.first, job).collect();
        let lowest = words.iter().find(|(_, bits)| *bits != 0);
        let lowest = lowest.map_or(0, |(word, bits)| {
            *word as i128 * 64 + i128::from(bits.trailing_zeros())
        });
        let one = RowJob {
            number: job.number,
            task: job.task,
            order: [lowest, job.cpus.into()],
            words: words.into(),
        };
        let (size, part) = (self.size(), &mut self.parts[job.partition]);
        if takes {
            part.put(&one, size);
        } else {
            part.take_off(&one, size);
        }
    }

    /// Returns the number of cores of a node that are held.
    pub fn count(&self, node: usize) -> i64 {
        let words = self.first[node]..self.first[node + 1];
        let mut held = vec![0; words.len()];
        for part in &self.parts {
            for row in part.rows.borrow().iter() {
                let own = &row.cores[words.clone()];
                held.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
            }
        }
        held.iter().map(|word| i64::from(word.count_ones())).sum()
    }

    /// Returns the cores that the jobs of some partitions hold.
    pub fn held(&self, counts: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut held = vec![0; self.size()];
        let parts = self.parts.iter().enumerate();
        for (_, part) in parts.filter(|(partition, _)| counts(*partition)) {
            for row in part.rows.borrow().iter() {
                join(&mut held, &row.cores);
            }
        }
        held
    }

    /// Returns the cores of each of the first rows of a partition, and of an empty one if there is room for more.
    /// If `is_sorted`, the fullest come first from now on.
    pub fn each_row(&self, partition: usize, most: usize, is_sorted: bool) -> Vec<Vec<u64>> {
        let mut rows = self.parts[partition].rows.borrow_mut();
        if is_sorted {
            sort(&mut rows);
        }
        let cores = rows.iter().map(|row| row.cores.clone());
        let empty = std::iter::once(vec![0; self.size()]);
        cores.chain(empty).take(most).collect()
    }

    /// True if a partition with several rows, other than the given one, holds cores of a node (`_is_node_busy`).
    /// The last `spare` rows of each do not count.
    pub fn is_shared(&self, node: usize, but: usize, spare: usize) -> bool {
        let words = self.first[node]..self.first[node + 1];
        let mut parts = self.parts.iter().enumerate();
        parts.any(|(at, part)| {
            let most = part.most - spare;
            let is_other = most > 1 && at != but;
            is_other && {
                let rows = part.rows.borrow();
                let mut rows = rows.iter().take(most);
                rows.any(|row| row.cores[words.clone()].iter().any(|word| *word != 0))
            }
        })
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

/// Adds cores to a set.
pub(super) fn join(all: &mut [u64], more: &[u64]) {
    all.iter_mut().zip(more).for_each(|(all, own)| *all |= own);
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
