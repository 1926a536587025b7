//! Schedules that others published, to the last second.

use super::support::{real_trace, run};
use schedscope::experiment::Scenario;

/// Mean wait and mean bounded slowdown (10 s) of KTH-SP2-1996-2 on 100 processors, 28,481 jobs, as pyss has them.
#[test]
fn kth_under_the_pyss_preset() {
    let Some(trace) = real_trace("KTH-SP2-1996-2.swf.gz") else { return };
    let pyss = Scenario { preset: Some("pyss".into()), ..Scenario::new("easy") }.with("processors", 100.0);
    let clairvoyant = pyss.clone().with("estimates", "actual");
    for (scenario, wait, slowdown) in [
        (&pyss, "6836.872", "92.5765"),
        (&clairvoyant, "6327.682", "71.7224"),
        (&clairvoyant.clone().with("scan", "shortest"), "5436.021", "49.8477"),
    ] {
        let run = run(scenario, &trace);
        let figures = run.measures().figures;
        assert_eq!(run.schedule().workload.len(), 28_481);
        assert_eq!(format!("{:.3}", figures["wait.mean"]), wait);
        assert_eq!(format!("{:.4}", figures["bounded_slowdown.mean"]), slowdown);
    }
}

/// What the importer says of the archive's logs, as counted from their text.
#[test]
fn import_reports_of_real_logs() {
    for (name, read, never_ran, killed) in
        [("KTH-SP2-1996-2.swf.gz", 28_489, 0, 475), ("SDSC-BLUE-2000-4.2-cln.swf.gz", 243_306, 10_744, 23_434)]
    {
        let Some(trace) = real_trace(name) else { return };
        let workload = Scenario::new("fcfs").resolve().unwrap().workload(&trace).unwrap();
        assert_eq!(workload.report.read, read, "{name}");
        assert_eq!(workload.report.of("run_time_missing"), never_ran, "{name}");
        assert_eq!(workload.report.of("killed_at_estimate"), killed, "{name}");
        assert_eq!(workload.report.kept + never_ran, read, "{name}");
    }
}

/// The windows of the torus paper have the mean sizes that its table 4.1 prints.
#[test]
fn windows_of_the_torus_paper() {
    for (name, first, mean_size) in [("NASA-iPSC-1993-3.swf.gz", 20_001.0, 6.31), ("SDSC-SP2-1998-4.2-cln.swf.gz", 1.0, 9.67)] {
        let Some(trace) = real_trace(name) else { return };
        let scenario = Scenario::new("fcfs").with("first_job", first).with("jobs", 10_000.0).with("incomplete", "keep");
        let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
        let mean = workload.requests.iter().map(|request| f64::from(request.processors)).sum::<f64>() / 10_000.0;
        assert_eq!(workload.len(), 10_000);
        assert!((mean - mean_size).abs() < 0.05, "{name}: {mean}");
    }
}

/// Real logs run to the end under every policy, with the audit on.
#[test]
fn real_logs_under_every_policy() {
    for name in ["SDSC-SP2-1998-4.2-cln.swf.gz", "SDSC-BLUE-2000-4.2-cln.swf.gz"] {
        let Some(trace) = real_trace(name) else { return };
        for spec in schedscope::policy::ALL {
            run(&Scenario::new(spec.id), &trace);
        }
    }
}
