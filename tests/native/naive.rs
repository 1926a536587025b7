//! The naive twin: FCFS and the EASY family, second by second and job by job, sharing no code with
//! the engine.
//!
//! It knows the future as an array with one entry a second, looks at every job at every event, and
//! is slow and plain on purpose. Reservations are found by trying every second, not by shadow times
//! and extra processors.

use super::support::Job;

/// How the naive scheduler decides.
#[derive(Copy, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the real policy"
)]
pub struct Rules {
    /// No job may pass another: FCFS.
    pub strict: bool,
    pub depth: usize,
    /// A blocked head is given a start once, and not tried before; everything else passes that
    /// fits.
    pub once: bool,
    /// At an arrival only new jobs are tried.
    pub only_new: bool,
    pub scan: fn(&Job, i64) -> i64,
    pub predicted: bool,
    /// The run time is believed until the start, the estimate from then on.
    pub until_start: bool,
    pub correction: Correction,
    pub per_event: bool,
    /// Completions first, then arrivals, a decision after each.
    pub ends_first: bool,
    /// Nothing is tried at an arrival that is larger than what is free.
    pub fitting: bool,
}

/// How a belief that proved too short is corrected.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Correction {
    Totals,
    Added,
    Estimate,
}

pub const FCFS: Rules = Rules {
    strict: true,
    ..EASY
};
pub const EASY: Rules = Rules {
    strict: false,
    depth: 1,
    once: false,
    only_new: false,
    scan: |_, _| 0,
    predicted: false,
    until_start: false,
    correction: Correction::Totals,
    per_event: false,
    ends_first: false,
    fitting: false,
};

const STEPS: [i64; 11] = [
    60, 300, 900, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000,
];

struct State<'a> {
    rules: Rules,
    capacity: i64,
    jobs: &'a [Job],
    now: i64,
    start: Vec<Option<i64>>,
    /// Jobs in the order in which they were started.
    started: Vec<usize>,
    arrived: Vec<bool>,
    /// The scheduler knows that the job has ended.
    ended: Vec<bool>,
    belief: Vec<i64>,
    /// Each job's belief when it arrived, and how often it was corrected.
    first: Vec<i64>,
    corrected: Vec<usize>,
    /// Run times by user, in order of completion.
    history: Vec<(i32, i64)>,
    /// Other jobs end at this instant, which the scheduler does not know yet.
    more_to_end: bool,
    /// The blocked head, and the start that it was given.
    blocked: Option<(usize, i64)>,
}

/// The start of every job.
pub fn starts(capacity: u32, jobs: &[Job], rules: Rules) -> Vec<i64> {
    let n = jobs.len();
    let mut state = State {
        rules,
        capacity: i64::from(capacity),
        jobs,
        now: i64::MIN,
        start: vec![None; n],
        started: Vec::new(),
        arrived: vec![false; n],
        ended: vec![false; n],
        belief: jobs.iter().map(|job| job.estimate).collect(),
        first: vec![0; n],
        corrected: vec![0; n],
        history: Vec::new(),
        more_to_end: false,
        blocked: None,
    };
    // A blocked head for whom nothing is left to happen starts when it may.
    while let Some(now) = state.next_instant().or_else(|| {
        state
            .blocked
            .filter(|(_, at)| *at > state.now)
            .map(|(_, at)| at)
    }) {
        state.now = now;
        match (rules.per_event, rules.ends_first) {
            (true, _) => state.instant_per_event(),
            (_, true) => state.instant_ends_first(),
            _ => state.instant(),
        }
    }
    state
        .start
        .iter()
        .map(|start| start.expect("every job starts"))
        .collect()
}

impl State<'_> {
    fn runs(&self, job: usize) -> bool {
        self.start[job].is_some() && !self.ended[job]
    }

    fn end(&self, job: usize) -> i64 {
        self.start[job].unwrap() + self.jobs[job].runtime
    }

    fn next_instant(&self) -> Option<i64> {
        let n = 0..self.jobs.len();
        n.filter_map(|job| {
            if !self.arrived[job] {
                Some(self.jobs[job].submit)
            } else if self.runs(job) {
                Some(self.end(job))
            } else {
                None
            }
        })
        .min()
    }

    /// Jobs that end now, in order of starting.
    fn ending(&self) -> Vec<usize> {
        self.started
            .iter()
            .copied()
            .filter(|&job| self.runs(job) && self.end(job) == self.now)
            .collect()
    }

    fn instant(&mut self) {
        let ending = self.ending();
        for &job in &ending {
            self.finish(job);
        }
        self.correct_until(self.now);
        let arriving: Vec<usize> = (0..self.jobs.len())
            .filter(|&job| !self.arrived[job] && self.jobs[job].submit == self.now)
            .collect();
        for &job in &arriving {
            self.arrive(job);
        }
        let is_larger =
            |job: &usize| i64::from(self.jobs[*job].processors) > self.physically_free();
        if self.rules.fitting && ending.is_empty() && arriving.iter().all(is_larger) {
            return;
        }
        let only = (self.rules.only_new && ending.is_empty()).then_some(arriving);
        self.decide(only.as_deref());
    }

    /// Arrivals first, then completions, a decision after each.
    fn instant_per_event(&mut self) {
        let ending = self.ending();
        // A job that ends now and was expected to end now needs no correction, and none is of use.
        self.correct_until(self.now - 1);
        let last: Vec<usize> = ending
            .iter()
            .copied()
            .filter(|&job| self.expected_end(job) == self.now)
            .collect();
        let beliefs: Vec<i64> = last.iter().map(|&job| self.belief[job]).collect();
        self.correct_until(self.now);
        last.iter()
            .zip(beliefs)
            .for_each(|(&job, belief)| self.belief[job] = belief);
        let arriving: Vec<usize> = (0..self.jobs.len())
            .filter(|&job| !self.arrived[job] && self.jobs[job].submit == self.now)
            .collect();
        for job in arriving {
            self.arrive(job);
            if !self.rules.fitting || i64::from(self.jobs[job].processors) <= self.free_at(self.now)
            {
                self.decide(None);
            }
        }
        for job in ending {
            self.finish(job);
            self.decide(None);
        }
    }

    /// Completions first, then arrivals, a decision after each.
    fn instant_ends_first(&mut self) {
        self.correct_until(self.now - 1);
        let ending = self.ending();
        for (at, &job) in ending.iter().enumerate() {
            self.finish(job);
            self.more_to_end = at + 1 < ending.len();
            self.decide(None);
        }
        self.correct_until(self.now);
        let mut has_happened = !ending.is_empty();
        for job in 0..self.jobs.len() {
            if !self.arrived[job] && self.jobs[job].submit == self.now {
                self.arrive(job);
                has_happened = true;
                let only = self.rules.only_new.then_some([job]);
                if !self.rules.fitting
                    || i64::from(self.jobs[job].processors) <= self.physically_free()
                {
                    self.decide(only.as_ref().map(|only| &only[..]));
                }
            }
        }
        if !has_happened {
            self.decide(None);
        }
    }

    fn start(&mut self, job: usize) {
        self.start[job] = Some(self.now);
        self.started.push(job);
        if self.rules.until_start {
            self.belief[job] = self.jobs[job].estimate;
        }
    }

    fn finish(&mut self, job: usize) {
        self.ended[job] = true;
        self.history
            .push((self.jobs[job].user, self.jobs[job].runtime));
    }

    fn arrive(&mut self, job: usize) {
        self.arrived[job] = true;
        if self.rules.predicted {
            let mine: Vec<i64> = self
                .history
                .iter()
                .rev()
                .filter(|(user, _)| *user == self.jobs[job].user)
                .map(|(_, ran)| *ran)
                .collect();
            if let [last, before, ..] = mine[..] {
                self.belief[job] = self.belief[job].min(i64::midpoint(last, before));
            }
        }
        if self.rules.until_start {
            self.belief[job] = self.jobs[job].runtime;
        }
        self.first[job] = self.belief[job];
    }

    fn correct_until(&mut self, now: i64) {
        for job in 0..self.jobs.len() {
            let estimate = self.jobs[job].estimate;
            while self.rules.predicted
                && self.runs(job)
                && self.expected_end(job) <= now
                && self.belief[job] < estimate
            {
                let step = STEPS[self.corrected[job].min(10)];
                self.belief[job] = match self.rules.correction {
                    Correction::Totals => self.first[job] + step,
                    Correction::Added => self.belief[job] + step,
                    Correction::Estimate => estimate,
                }
                .min(estimate);
                self.corrected[job] += 1;
            }
        }
    }

    fn expected_end(&self, job: usize) -> i64 {
        self.start[job].unwrap() + self.belief[job]
    }

    /// Processors free at a second from now on, by what is believed. An overdue job is taken to end
    /// in a second; when events are taken one by one, a job that was expected to end by now no
    /// longer counts.
    fn free_at(&self, second: i64) -> i64 {
        self.capacity
            - (0..self.jobs.len())
                .filter(|&job| second < self.held_until(job))
                .map(|job| i64::from(self.jobs[job].processors))
                .sum::<i64>()
    }

    /// When a job's processors are believed to be free; never held by a job that does not run.
    fn held_until(&self, job: usize) -> i64 {
        if !self.runs(job) {
            return i64::MIN;
        }
        let end = self.expected_end(job);
        let is_overdue = if self.more_to_end {
            end < self.now
        } else {
            end <= self.now
        };
        if is_overdue && !self.rules.per_event {
            self.now + 1
        } else {
            end
        }
    }

    fn decide(&mut self, only: Option<&[usize]>) {
        let longest = |j: usize| self.belief[j].max(self.jobs[j].estimate).max(1);
        let horizon = 2
            + (0..self.jobs.len())
                .filter(|&j| self.arrived[j] && !self.ended[j])
                .map(longest)
                .sum::<i64>();
        let mut free = vec![self.capacity; 2 * horizon as usize];
        for job in 0..self.jobs.len() {
            let until = self
                .held_until(job)
                .saturating_sub(self.now)
                .clamp(0, 2 * horizon);
            free[..until as usize]
                .iter_mut()
                .for_each(|second| *second -= i64::from(self.jobs[job].processors));
        }
        let waiting: Vec<usize> = (0..self.jobs.len())
            .filter(|&job| self.arrived[job] && self.start[job].is_none())
            .collect();
        let fits = |free: &[i64], at: i64, job: &Job, belief: i64| {
            (at..at + belief.max(1))
                .all(|second| free[second as usize] >= i64::from(job.processors))
        };
        // A belief of 0 (both last jobs of the user had no length) is overdue at once, and so taken
        // for a second.
        let take = |free: &mut [i64], at: i64, job: &Job, belief: i64| {
            (at..at + belief.max(1))
                .for_each(|second| free[second as usize] -= i64::from(job.processors));
        };
        if self.rules.once {
            return self.decide_once(&waiting, &free, only);
        }
        let mut others = waiting.iter().copied().peekable();
        // Heads start while they fit, whatever else is asked.
        while let Some(job) =
            others.next_if(|&job| self.physically_free() >= i64::from(self.jobs[job].processors))
        {
            self.start(job);
            take(&mut free, 0, &self.jobs[job], self.belief[job]);
        }
        if self.rules.strict {
            return;
        }
        let mut reserved = 0;
        let mut rest: Vec<usize> = Vec::new();
        for job in others {
            if reserved == self.rules.depth {
                rest.push(job);
                continue;
            }
            let at = (0..horizon)
                .find(|&at| fits(&free, at, &self.jobs[job], self.belief[job]))
                .expect("it fits in the end");
            let may_start = at == 0
                && only.is_none_or(|only| only.contains(&job))
                && self.physically_free() >= i64::from(self.jobs[job].processors);
            take(&mut free, at, &self.jobs[job], self.belief[job]);
            if may_start {
                self.start(job);
            } else {
                reserved += 1;
            }
        }
        rest.sort_by_key(|&job| (self.rules.scan)(&self.jobs[job], self.belief[job]));
        for job in rest {
            let is_tried = only.is_none_or(|only| only.contains(&job));
            if is_tried
                && fits(&free, 0, &self.jobs[job], self.belief[job])
                && self.physically_free() >= i64::from(self.jobs[job].processors)
            {
                take(&mut free, 0, &self.jobs[job], self.belief[job]);
                self.start(job);
            }
        }
    }

    /// `free` are the processors that are believed to be free, by seconds from now.
    fn decide_once(&mut self, waiting: &[usize], free: &[i64], only: Option<&[usize]>) {
        let mut free = free.to_vec();
        for &job in waiting {
            let size = i64::from(self.jobs[job].processors);
            let may_be_tried = match self.blocked {
                Some((head, at)) if head == job => at <= self.now,
                Some(_) => only.is_none_or(|only| only.contains(&job)),
                None => true,
            };
            if may_be_tried && self.physically_free() >= size {
                self.start(job);
                free[..self.belief[job].max(1) as usize]
                    .iter_mut()
                    .for_each(|second| *second -= size);
                if self.blocked.is_some_and(|(head, _)| head == job) {
                    self.blocked = None;
                }
            } else if self.blocked.is_none() {
                let at = free
                    .iter()
                    .position(|second| *second >= size)
                    .expect("it fits in the end");
                self.blocked = Some((job, self.now + at as i64));
            }
        }
    }

    /// Processors that nobody holds, whatever is believed.
    fn physically_free(&self) -> i64 {
        let gone = |job: usize| {
            self.rules.per_event
                && self.runs(job)
                && self.end(job) == self.now
                && self.expected_end(job) <= self.now
                && self.jobs[job].runtime > 0
        };
        self.capacity
            - (0..self.jobs.len())
                .filter(|&j| self.runs(j) && !gone(j))
                .map(|j| i64::from(self.jobs[j].processors))
                .sum::<i64>()
    }
}
