//! A viewport of a timeline, and its division into parts.

use crate::time::Time;

/// A window of a timeline: an interval of time, and one of processors.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge.
    pub from: Time,
    /// Right edge.
    pub to: Time,
    /// Upper edge: a lane number; a fraction lies within a lane.
    pub top: f64,
    /// Lower edge.
    pub bottom: f64,
}

/// Equal parts of an interval: the pixels of a strip.
pub(super) struct Parts {
    from: Time,
    /// Number of parts.
    count: usize,
    /// Parts in a microsecond.
    scale: f64,
}

impl Parts {
    /// Divides [from, to) into `count` parts; returns `None` if the interval or the count is empty.
    pub fn of(from: Time, to: Time, count: usize) -> Option<Self> {
        (from < to && count > 0).then(|| Self {
            from,
            count,
            scale: count as f64 / (to - from).microseconds() as f64,
        })
    }

    /// Passes each part that [from, to) touches to `each`, with the share of the part that it
    /// covers.
    pub fn cover(&self, from: Time, to: Time, mut each: impl FnMut(usize, f64)) {
        let position = |time: Time| {
            ((time - self.from).microseconds() as f64 * self.scale).clamp(0.0, self.count as f64)
        };
        let (left, right) = (position(from), position(to));
        for part in left as usize..=(right as usize).min(self.count - 1) {
            let share = right.min(part as f64 + 1.0) - left.max(part as f64);
            if share > 0.0 {
                each(part, share);
            }
        }
    }
}

impl Viewport {
    /// True if the window has an area.
    pub fn is_valid(&self) -> bool {
        self.from < self.to
            && self.top < self.bottom
            && self.top.is_finite()
            && self.bottom.is_finite()
    }
}
