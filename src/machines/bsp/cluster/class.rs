//! Classification of processes: Algorithm 2 of flexible coscheduling, with the counters of its
//! table 1.
//!
//! E. Frachtenberg, D. G. Feitelson, F. Petrini and J. Fernandez, "Adaptive parallel job scheduling
//! with flexible coscheduling", IEEE TPDS 16(11), 2005, sections 2.1 and 2.4.

/// The class of a process: how much it needs coscheduling.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// Coscheduling: the process communicates often, and must run at the same time as the other
    /// processes of its job.
    #[default]
    CS,
    /// Frustrated: the process needs coscheduling, but waits for processes that are behind.
    F,
    /// Don't care: the process rarely synchronises.
    DC,
}

/// The constants of table 2 that concern slots and classes; times are in microseconds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// T_slice: the length of a slot.
    pub slice: i64,
    /// CS_thresh: processes of a finer granularity are CS.
    pub cs: i64,
    /// DC_thresh: processes of a coarser granularity are DC.
    pub dc: i64,
    /// F_thresh: processes between `cs` and `dc` are F if they compute less than this per
    /// communication.
    pub f: i64,
    /// cslots_MIN: number of slots in a class before the next evaluation.
    pub least_slots: u32,
    /// tslots_MAX: number of slots after which every process is CS again.
    pub most_slots: u32,
}

/// The counters of a process, as in table 1.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Class of the process.
    pub class: Class,
    /// cslots: number of its slots in this class.
    pub class_slots: u32,
    /// tslots: number of its slots since it started.
    pub slots: u32,
    /// T_cpu: time spent computing since the last reset, in microseconds.
    pub computing: i64,
    /// T_comm: time spent waiting for blocking communications since the last reset, in
    /// microseconds.
    pub waiting: i64,
    /// C_comm: number of blocking communications since the last reset.
    pub communications: i64,
    /// True if its granularity was below DC_thresh when its class was last judged.
    pub communicates: bool,
}

impl History {
    /// Counts the end of one of its own slots, and judges the class if it is time. Returns true if
    /// the class has changed.
    pub fn slot_ended(&mut self, thresholds: &Thresholds) -> bool {
        self.class_slots += 1;
        self.slots += 1;
        if self.class_slots < thresholds.least_slots {
            return false;
        }
        // A reset by age and a change of class begin the measurement anew.
        let is_reset = self.slots.is_multiple_of(thresholds.most_slots);
        let class = if is_reset {
            Class::CS
        } else {
            self.judged(thresholds)
        };
        self.communicates = self.is_finer(self.computing + self.waiting, thresholds.dc);
        let changes = class != self.class;
        if changes || is_reset {
            let class_slots = if changes { 0 } else { self.class_slots };
            *self = Self {
                class,
                class_slots,
                slots: self.slots,
                communicates: self.communicates,
                ..Self::default()
            };
        }
        changes
    }

    /// True if this time per communication is below a threshold. A mean over no communications is
    /// above any threshold.
    fn is_finer(&self, time: i64, threshold: i64) -> bool {
        self.communications > 0
            && i128::from(time) < i128::from(threshold) * i128::from(self.communications)
    }

    /// Returns the class that follows from the measured granularity.
    fn judged(&self, thresholds: &Thresholds) -> Class {
        let granularity = self.computing + self.waiting;
        if self.is_finer(granularity, thresholds.cs) {
            Class::CS
        } else if self.is_finer(granularity, thresholds.dc)
            && self.is_finer(self.computing, thresholds.f)
        {
            Class::F
        } else {
            Class::DC
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process counts as communicating if its granularity was below DC_thresh at the last
    /// evaluation. Class F always does.
    #[test]
    fn whoever_was_finer_than_the_threshold_communicates() {
        let judged = |computing: i64, waiting: i64, communications: i64| {
            let mut record = History {
                class_slots: 19,
                computing,
                waiting,
                communications,
                ..History::default()
            };
            record.slot_ended(&PAPER);
            (record.class, record.communicates)
        };
        assert_eq!(judged(10_000_000, 0, 0), (Class::DC, false));
        assert_eq!(judged(10_000_000, 0, 10), (Class::DC, false));
        assert_eq!(judged(9_999_990, 0, 10), (Class::DC, true));
        assert_eq!(judged(10_000, 11_000, 10), (Class::F, true));
        assert_eq!(judged(10_000, 600, 10), (Class::CS, true));
        let mut record = History {
            class: Class::DC,
            communicates: true,
            ..History::default()
        };
        assert!((0..19).all(|_| !record.slot_ended(&PAPER) && record.communicates));
        record.slot_ended(&PAPER);
        assert!(!record.communicates);
    }

    const PAPER: Thresholds = Thresholds {
        slice: 100_000,
        cs: 2_000,
        dc: 1_000_000,
        f: 1_700,
        least_slots: 20,
        most_slots: 32_768,
    };

    fn judged(computing: i64, waiting: i64) -> Class {
        History {
            computing,
            waiting,
            communications: 1,
            ..History::default()
        }
        .judged(&PAPER)
    }

    #[test]
    fn the_phase_diagram_point_by_point() {
        for (computing, waiting, class) in [
            (0, 0, Class::CS),
            (1_000, 999, Class::CS),
            (1_999, 0, Class::CS),
            (0, 1_999, Class::CS),
            // On the diagonal of 2 ms a process is no longer CS. It is F if it computes less than
            // 1.7 ms, else DC.
            (1_000, 1_000, Class::F),
            (1_699, 301, Class::F),
            (1_700, 300, Class::DC),
            (2_000, 0, Class::DC),
            (0, 2_000, Class::F),
            (1_699, 900_000, Class::F),
            (0, 999_999, Class::F),
            // On the diagonal of 1 s a process is DC, however little it computes.
            (0, 1_000_000, Class::DC),
            (1_699, 998_301, Class::DC),
            (500_000, 499_999, Class::DC),
        ] {
            assert_eq!(judged(computing, waiting), class, "{computing} {waiting}");
        }
        assert_eq!(
            History {
                computing: 5,
                ..History::default()
            }
            .judged(&PAPER),
            Class::DC,
            "a process that never communicates does not care"
        );
    }

    #[test]
    fn counters_rule_when_it_is_judged() {
        let mut record = History::default();
        for slot in 1..=20 {
            record.computing += 1_000;
            record.waiting += 2_000;
            record.communications += 1;
            assert_eq!(record.slot_ended(&PAPER), slot == 20, "slot {slot}");
        }
        assert_eq!(
            (
                record.class,
                record.class_slots,
                record.slots,
                record.communications
            ),
            (Class::F, 0, 20, 0)
        );
        // The same behaviour keeps the class, and the measurement goes on.
        for _ in 0..25 {
            record.computing += 1_000;
            record.waiting += 2_000;
            record.communications += 1;
            assert!(!record.slot_ended(&PAPER));
        }
        assert_eq!((record.class_slots, record.communications), (25, 25));
        // Age makes the process CS again, whatever it does.
        record.slots = 32_767;
        assert!(record.slot_ended(&PAPER));
        assert_eq!(
            (record.class, record.class_slots, record.slots),
            (Class::CS, 0, 32_768)
        );
        // A process that is CS by then stays CS. Its measurement begins anew, but the next slot is
        // judged without a delay.
        let mut record = History {
            class_slots: 39,
            slots: 32_767,
            computing: 9,
            communications: 3,
            ..History::default()
        };
        assert!(!record.slot_ended(&PAPER));
        assert_eq!(
            record,
            History {
                class_slots: 40,
                slots: 32_768,
                communicates: true,
                ..History::default()
            }
        );
    }
}
