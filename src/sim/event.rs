//! What happens in a run, as a stream that observers fold into schedules, pictures and audits.

use crate::job::JobId;
use crate::machine::Range;
use crate::time::Time;

/// Something that happened.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A job came into the queue.
    Submitted(JobId),
    /// A job started on these processors (none where placements are not recorded).
    Started(JobId, &'a [Range]),
    /// A job ended, by itself or killed at its estimate.
    Finished(JobId),
}

/// Sees everything that happens and can change nothing.
pub trait Observer {
    /// Something happened at `at`. Instants never go back.
    fn on_event(&mut self, at: Time, event: &Event<'_>);
}

/// An observer that does not look.
#[derive(Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on_event(&mut self, _: Time, _: &Event<'_>) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        self.0.on_event(at, event);
        self.1.on_event(at, event);
    }
}

impl<T: Observer + ?Sized> Observer for &mut T {
    fn on_event(&mut self, at: Time, event: &Event<'_>) {
        (**self).on_event(at, event);
    }
}
