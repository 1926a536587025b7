//! The heap budget of a run: bytes kept for each job, and blocks taken for each job. The figures
//! are the same on every machine.
//!
//! There is one test only, because the counters belong to the process. The figures are in
//! docs/performance.md.

#[cfg(not(target_arch = "wasm32"))]
mod heap {
    use dhat::{Alloc, HeapStats, Profiler};
    use schedscope::experiment::Scenario;
    use schedscope::import::{BadLines, Reader};
    use schedscope::machine::Placements;
    use schedscope::param::Settings;
    use schedscope::sim::Silent;
    use schedscope::trace::write_trace;
    use schedscope::view::{Colouring, Colours, Frame, Index, Lanes, Theme, Viewport, raster};
    use schedscope::workload::model::generate;
    use std::sync::Arc;

    #[global_allocator]
    static ALLOCATOR: Alloc = Alloc;

    const JOBS: f64 = 100_000.0;

    /// The state of the heap at an instant, from which the growth for each job is computed.
    struct Since {
        before: HeapStats,
        what: &'static str,
    }

    impl Since {
        fn now(what: &'static str) -> Self {
            Self {
                before: HeapStats::get(),
                what,
            }
        }

        /// Asserts that the growth is within the budgets: bytes kept for each job, and blocks taken
        /// for each job.
        fn within(&self, bytes: f64, blocks: f64) {
            let after = HeapStats::get();
            let kept = (after.curr_bytes as f64 - self.before.curr_bytes as f64) / JOBS;
            let taken = (after.total_blocks - self.before.total_blocks) as f64 / JOBS;
            println!("{}: {kept:.1} bytes and {taken:.4} blocks a job", self.what);
            assert!(
                kept <= bytes,
                "{}: {kept:.1} bytes are kept for each job, more than {bytes}",
                self.what
            );
            assert!(
                taken <= blocks,
                "{}: {taken:.4} blocks are taken for each job, more than {blocks}",
                self.what
            );
        }
    }

    #[test]
    fn each_step_keeps_to_its_budget() {
        let settings = Settings::default()
            .with("jobs", JOBS)
            .with("processors", 256.0)
            .with("overestimate", 5.0);
        let mut text: Vec<u8> = Vec::new();
        write_trace(&generate("lublin", &settings).unwrap(), |line| {
            text.extend_from_slice(line.as_bytes());
        });
        let _profiler = Profiler::builder().testing().build();

        let since = Since::now("reading a trace");
        let mut reader = Reader::new(BadLines::Stop);
        text.chunks(1 << 16)
            .try_for_each(|piece| reader.push(piece))
            .unwrap();
        let trace = Arc::new(reader.finish("generated").unwrap());
        since.within(145.0, 0.001);
        let peak = HeapStats::get().max_bytes as f64 / text.len() as f64;
        assert!(
            peak <= 3.0,
            "reading takes {peak:.2} times the size of the text"
        );

        for (policy, bytes, blocks) in [
            ("fcfs", 16.0, 0.001),
            ("easy", 1.0, 0.001),
            ("conservative", 1.0, 2.0),
        ] {
            let scenario = Scenario::new(policy).resolve().unwrap();
            let workload = Arc::new(scenario.workload(&trace).unwrap());
            let mut simulation = scenario.simulation(workload, Placements::Counted);
            let since = Since::now(policy);
            simulation.advance(u64::MAX, &mut Silent);
            since.within(bytes, blocks);
        }

        let since = Since::now("EASY, recorded, measured and drawn");
        let mut run = Scenario::new("easy")
            .resolve()
            .unwrap()
            .run(Arc::clone(&trace))
            .unwrap();
        run.advance(u64::MAX);
        let figures = run.measures();
        let schedule = run.schedule();
        let (from, to) = schedule.span();
        let window = Viewport {
            from,
            to,
            top: 0.0,
            bottom: 256.0,
        };
        let mut colours = Colours::new(&schedule.workload, Colouring::User, Theme::Light);
        colours.update(schedule);
        let index = Index::new(schedule);
        let frame = Frame {
            width: 1600,
            height: 400,
            background: [255; 3],
        };
        assert_eq!(
            raster(
                schedule,
                &index,
                &colours,
                &window,
                &frame,
                &Lanes::Rows(schedule.workload.processors)
            )
            .len(),
            4 * 1600 * 400
        );
        since.within(240.0, 0.7);
        drop(figures);
    }
}
