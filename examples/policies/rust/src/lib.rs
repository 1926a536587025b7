//! The functions that Schedscope gives to a compiled policy, for Rust. docs/policies/own.md says what
//! each one does.
//!
//! A policy is a type that is [`Policy`], and [`policy!`] exports it; `examples/easy.rs` is one. Compile
//! it with `cargo build --release --target wasm32-unknown-unknown --examples`.
//!
//! Times are whole microseconds. The state is the policy's value: a copy of a run gets a copy of it.
//! The feature `std` gives the standard library, without clocks and files; without it a policy begins
//! with `#![no_std]`.
#![no_std]

use core::cell::RefCell;
use core::ffi::CStr;

/// The functions of the engine, with plain numbers. The rest of this crate calls them; so may you.
pub mod calls {
    #[link(wasm_import_module = "schedscope")]
    unsafe extern "C" {
        // The turn: its instant, the first arrival, the mean wait; processors, free ones, the
        // size of the largest job that could start; timers that are due; 1 if somebody watches.
        pub safe fn now() -> f64;
        pub safe fn began() -> f64;
        pub safe fn mean_wait() -> f64;
        pub safe fn capacity() -> u32;
        pub safe fn free() -> u32;
        pub safe fn room() -> u32;
        pub safe fn timers() -> u32;
        pub safe fn watched() -> u32;

        // The queue: the number of waiting jobs, the position of the first, the first at or
        // after a position that suits.
        pub safe fn waiting() -> u32;
        pub safe fn first() -> u32;
        pub safe fn next(position: u32, size: u32, expected: f64, extra: u32) -> u32;
        pub safe fn position(job: u32) -> u32;
        pub safe fn job_at(position: u32) -> u32;
        pub safe fn size_at(position: u32) -> u32;
        pub safe fn expected_at(position: u32) -> f64;

        // Jobs that arrived and that ended since the last turn.
        pub safe fn arrived() -> u32;
        pub safe fn arrived_job(index: u32) -> u32;
        pub safe fn ended() -> u32;
        pub safe fn ended_job(index: u32) -> u32;

        // Running jobs in order of their ends. `running` makes the list to which the others
        // refer.
        pub safe fn running() -> u32;
        pub safe fn running_job(index: u32) -> u32;
        pub safe fn running_size(index: u32) -> u32;
        pub safe fn running_end(index: u32) -> f64;

        // Facts of a job. The fields of `of` are user (0), group (1), application (2) and queue
        // (3).
        pub safe fn submitted(job: u32) -> f64;
        pub safe fn estimate(job: u32) -> f64;
        pub safe fn size(job: u32) -> u32;
        pub safe fn number(job: u32) -> f64;
        pub safe fn of(job: u32, field: u32) -> f64;

        // Starts and timers.
        pub safe fn fits(size: u32) -> u32;
        pub safe fn fits_job(job: u32) -> u32;
        pub safe fn start(job: u32) -> u32;
        pub safe fn start_heads() -> u32;
        pub safe fn wake_at(time: f64) -> u32;

        // A reservation for one job, until the turn ends.
        pub safe fn reserve(job: u32) -> f64;
        pub safe fn extra() -> u32;
        pub safe fn next_admitted(position: u32) -> u32;
        pub safe fn admits(job: u32) -> u32;

        // Reservations for many jobs. The definition must say "needs": "counts".
        pub safe fn plan_go_on() -> u32;
        pub safe fn plan_anew() -> u32;
        pub safe fn plan_reserve(job: u32) -> f64;
        pub safe fn plan_reserved(job: u32) -> f64;
        pub safe fn plan_admits(job: u32) -> u32;
        pub safe fn plan_start(job: u32) -> u32;
        pub safe fn plan_start_due() -> u32;

        // Reservations and reasons for those who watch. The reasons are behind (0), reserved
        // (1), not chosen (2), not tried (3).
        pub safe fn hold(job: u32, start: f64) -> u32;
        pub safe fn because(job: u32, reason: u32, other: u32) -> u32;

        // Random numbers of the run; functions with the same bits everywhere.
        pub safe fn random() -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;

        // The value of the parameter with this index; of a choice, the index of the word.
        pub safe fn setting(index: u32) -> f64;
    }
}

/// The number that stands for no job and no position. As a size it is no limit.
pub const NONE: u32 = u32::MAX;

/// A policy, and its state in one run.
pub trait Policy: Sized {
    /// The definition, a JSON object: `cr#"{"id": "my-policy"}"#`.
    const DEFINITION: &'static CStr;

    /// Begins a run.
    fn begin() -> Self;

    /// Decides which jobs start now.
    fn decide(&mut self);
}

/// A policy with beliefs of its own. Export it by `policy!(MyPolicy, believe)`.
pub trait Believe: Policy {
    /// Returns the belief about the run time of a job that arrives now; `None` stands for the estimate.
    fn believe(&mut self, job: &Submission) -> Option<f64>;
}

/// A policy that hears of completions. Export it by `policy!(MyPolicy, completed)`.
pub trait Completed: Policy {
    /// Hears that a job has ended after running for `ran`.
    fn completed(&mut self, job: &Submission, ran: f64);
}

/// The facts about a job that are known when it arrives; -1 stands for an unknown one.
pub struct Submission {
    pub job: Job,
    pub number: f64,
    pub arrival: f64,
    pub estimate: f64,
    pub size: u32,
    pub user: i32,
    pub group: i32,
    pub application: i32,
    pub queue: i32,
}

impl Submission {
    #[doc(hidden)]
    pub fn new([job, number, arrival, estimate, size]: [f64; 5], of: [f64; 4]) -> Self {
        let [user, group, application, queue] = of.map(|number| number as i32);
        Self {
            job: Job(job as u32),
            number,
            arrival,
            estimate,
            size: size as u32,
            user,
            group,
            application,
            queue,
        }
    }
}

/// A job, by its index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job(pub u32);

impl Job {
    /// Returns the number of processors.
    pub fn size(self) -> u32 {
        calls::size(self.0)
    }

    /// Returns the place of the job in the queue, if it waits.
    pub fn position(self) -> Option<Position> {
        found(calls::position(self.0)).map(Position)
    }

    /// Starts the job. Returns false, with nothing changed, if it does not wait or does not fit.
    pub fn start(self) -> bool {
        calls::start(self.0) == 1
    }

    /// Reserves processors for the job until the turn ends, and returns its planned start; `None` if
    /// it can never start.
    pub fn reserve(self) -> Option<f64> {
        let start = calls::reserve(self.0);
        (!start.is_nan()).then_some(start)
    }
}

/// A place in the queue. It is valid until the turn ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u32);

impl Position {
    /// Returns the job.
    pub fn job(self) -> Job {
        Job(calls::job_at(self.0))
    }

    /// Returns the number of processors of the job.
    pub fn size(self) -> u32 {
        calls::size_at(self.0)
    }

    /// Returns the belief about the run time of the job.
    pub fn expected(self) -> f64 {
        calls::expected_at(self.0)
    }
}

/// Starts jobs in order of arrival until one does not fit, and returns that one.
pub fn start_heads() -> Option<Job> {
    found(calls::start_heads()).map(Job)
}

/// Returns the waiting jobs in order of arrival. Start jobs meanwhile if you like.
pub fn queue() -> impl Iterator<Item = Position> {
    walk(|position| calls::next(position, NONE, f64::INFINITY, 0))
}

/// Returns the waiting jobs that the reservation of [`Job::reserve`] admits now.
pub fn admitted() -> impl Iterator<Item = Position> {
    walk(|position| calls::next_admitted(position))
}

/// Returns the jobs that arrived since the last turn and still wait.
pub fn arrived() -> impl Iterator<Item = Job> {
    (0..calls::arrived()).map(|index| Job(calls::arrived_job(index)))
}

/// Returns job, size and expected end of the running jobs, in order of these ends.
pub fn running() -> impl Iterator<Item = (Job, u32, f64)> {
    (0..calls::running()).map(|index| {
        let (size, end) = (calls::running_size(index), calls::running_end(index));
        (Job(calls::running_job(index)), size, end)
    })
}

fn found(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

fn walk(next: impl Fn(u32) -> u32) -> impl Iterator<Item = Position> {
    let mut from = 0;
    core::iter::from_fn(move || {
        let position = found(next(from))?;
        from = position + 1;
        Some(Position(position))
    })
}

/// The place of a policy's state.
#[doc(hidden)]
pub struct State<P>(RefCell<Option<P>>);

// SAFETY: an instance of WebAssembly has one thread.
unsafe impl<P> Sync for State<P> {}

impl<P: Policy> State<P> {
    pub const fn empty() -> Self {
        Self(RefCell::new(None))
    }

    pub fn with<T>(&self, call: impl FnOnce(&mut P) -> T) -> T {
        call(self.0.borrow_mut().get_or_insert_with(P::begin))
    }
}

/// Exports a policy. Each function that it exports takes time, so name `believe` and `completed` only
/// if the policy has them: `policy!(MyPolicy, believe, completed)`.
#[macro_export]
macro_rules! policy {
    (@believe) => {
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        extern "C" fn believe(
            job: f64, number: f64, arrival: f64, estimate: f64, size: f64,
            user: f64, group: f64, application: f64, queue: f64,
        ) -> f64 {
            let of = [user, group, application, queue];
            let job = $crate::Submission::new([job, number, arrival, estimate, size], of);
            let belief = STATE.with(|policy| $crate::Believe::believe(policy, &job));
            belief.unwrap_or(-1.0)
        }
    };
    (@completed) => {
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        extern "C" fn completed(
            job: f64, number: f64, arrival: f64, estimate: f64, size: f64,
            user: f64, group: f64, application: f64, queue: f64, ran: f64,
        ) {
            let of = [user, group, application, queue];
            let job = $crate::Submission::new([job, number, arrival, estimate, size], of);
            STATE.with(|policy| $crate::Completed::completed(policy, &job, ran));
        }
    };
    ($policy:ty $(, $more:ident)* $(,)?) => {
        static STATE: $crate::State<$policy> = $crate::State::empty();

        #[unsafe(no_mangle)]
        extern "C" fn describe() -> *const core::ffi::c_char {
            <$policy as $crate::Policy>::DEFINITION.as_ptr()
        }

        #[unsafe(no_mangle)]
        extern "C" fn begin() {
            STATE.with(|_| ());
        }

        #[unsafe(no_mangle)]
        extern "C" fn decide() {
            STATE.with($crate::Policy::decide);
        }

        $($crate::policy!(@$more);)*
    };
}

/// Stops the run: the engine tells which call trapped.
#[cfg(all(target_arch = "wasm32", not(feature = "std")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
