//! Schedules that others published, which this program reproduces to the last second.

use super::support::{real_trace, run};
use schedscope::experiment::Scenario;

/// Mean wait and mean bounded slowdown (10 s) of KTH-SP2-1996-2 on 100 processors with 28,481 jobs,
/// as predictsim published them.
#[test]
fn kth_under_the_predictsim_preset() {
    let Some(trace) = real_trace("KTH-SP2-1996-2.swf.gz") else {
        return;
    };
    let preset = |id: &str| {
        Scenario {
            preset: Some(id.into()),
            ..Scenario::new("easy")
        }
        .with("processors", 100.0)
    };
    let clairvoyant = preset("predictsim").with("estimates", "actual");
    for (scenario, wait, slowdown) in [
        (&preset("predictsim"), "6836.872", "92.5765"),
        (&clairvoyant, "6327.682", "71.7224"),
        (
            &clairvoyant.clone().with("scan", "shortest"),
            "5436.021",
            "49.8477",
        ),
        (&preset("predictsim_pp"), "6235.854", "63.5007"),
    ] {
        let run = run(scenario, &trace);
        let figures = run.measures().figures;
        assert_eq!(run.schedule().workload.len(), 28_481);
        assert_eq!(format!("{:.3}", figures["wait.mean"]), wait);
        assert_eq!(format!("{:.4}", figures["bounded_slowdown.mean"]), slowdown);
    }
}

/// The import reports of the archive's logs equal counts from their text.
#[test]
fn import_reports_of_real_logs() {
    for (name, read, never_ran, killed) in [
        ("KTH-SP2-1996-2.swf.gz", 28_489, 0, 475),
        ("SDSC-BLUE-2000-4.2-cln.swf.gz", 243_306, 10_744, 23_434),
    ] {
        let Some(trace) = real_trace(name) else {
            return;
        };
        let workload = Scenario::new("fcfs")
            .resolve()
            .unwrap()
            .workload(&trace)
            .unwrap();
        assert_eq!(workload.report.read, read, "{name}");
        assert_eq!(workload.report.of("run_time_missing"), never_ran, "{name}");
        assert_eq!(workload.report.of("killed_at_estimate"), killed, "{name}");
        assert_eq!(workload.report.kept + never_ran, read, "{name}");
    }
}

/// The windows of the torus paper have the mean sizes that its table 4.1 prints.
#[test]
fn windows_of_the_torus_paper() {
    for (name, first, mean_size) in [
        ("NASA-iPSC-1993-3.swf.gz", 20_001.0, 6.31),
        ("SDSC-SP2-1998-4.2-cln.swf.gz", 1.0, 9.67),
    ] {
        let Some(trace) = real_trace(name) else {
            return;
        };
        let scenario = Scenario::new("fcfs")
            .with("first_job", first)
            .with("jobs", 10_000.0)
            .with("incomplete", "keep");
        let workload = scenario.resolve().unwrap().workload(&trace).unwrap();
        let mean = workload
            .requests
            .iter()
            .map(|request| f64::from(request.processors))
            .sum::<f64>()
            / 10_000.0;
        assert_eq!(workload.len(), 10_000);
        assert!((mean - mean_size).abs() < 0.05, "{name}: {mean}");
    }
}

/// Real logs run to the end under every policy, and pass the audit.
#[test]
fn real_logs_under_every_policy() {
    for name in [
        "SDSC-SP2-1998-4.2-cln.swf.gz",
        "SDSC-BLUE-2000-4.2-cln.swf.gz",
    ] {
        let Some(trace) = real_trace(name) else {
            return;
        };
        for spec in schedscope::policy::ALL {
            let mut scenario = Scenario::new(spec.id);
            if spec.id == "slurm" {
                // Its controller wakes up every half minute.
                scenario = scenario.with("jobs", 5_000.0);
            }
            run(&scenario, &trace);
        }
    }
}

/// The saturation utilisations of chapter 5 of the torus paper agree within 3 points, and the
/// capacity changes of figure 5-6 within 5.
#[test]
fn saturation_of_the_torus_paper() {
    let measured = |name: &str, first: f64, policy: &str, c: f64| {
        let scenario = Scenario {
            machine: "torus".into(),
            ..Scenario::new(policy)
        };
        let scenario = scenario
            .with("first_job", first)
            .with("jobs", 10_000.0)
            .with("incomplete", "drop_zero")
            .with("runtime_factor", c);
        real_trace(name).map(|trace| run(&scenario, &trace).measures().figures)
    };
    let (nasa, sdsc) = (
        ("NASA-iPSC-1993-3.swf.gz", 20_001.0),
        ("SDSC-SP2-1998-4.2-cln.swf.gz", 1.0),
    );
    for ((name, first), policy, c, printed) in [
        (nasa, "fcfs", 2.0, 0.77),
        (nasa, "migration", 2.0, 0.80),
        (nasa, "easy", 1.6, 0.90),
        (nasa, "bm", 1.6, 0.90),
        (sdsc, "fcfs", 1.4, 0.63),
        (sdsc, "migration", 1.4, 0.73),
        (sdsc, "easy", 1.4, 0.85),
        (sdsc, "bm", 1.4, 0.85),
    ] {
        let Some(figures) = measured(name, first, policy, c) else {
            return;
        };
        let found = figures["utilisation.value"];
        assert!((found - printed).abs() < 0.03, "{name}, {policy}: {found}");
    }
    let Some(base) = measured(sdsc.0, sdsc.1, "fcfs", 1.0) else {
        return;
    };
    for (policy, utilised, lost) in [
        ("easy", 0.15, -0.44),
        ("migration", 0.13, -0.32),
        ("bm", 0.15, -0.54),
    ] {
        let Some(figures) = measured(sdsc.0, sdsc.1, policy, 1.0) else {
            return;
        };
        for (key, printed) in [("utilisation.value", utilised), ("lost.value", lost)] {
            let change = figures[key] / base[key] - 1.0;
            assert!((change - printed).abs() < 0.05, "{policy}, {key}: {change}");
        }
    }
}

/// Any trace runs on any shape: the 100 processors of KTH as 4 x 5 x 5, the 1,152 of BLUE as 8 x 12
/// x 12. Jobs that are larger than the machine are left out and counted.
#[test]
fn real_logs_on_other_shapes() {
    for (name, [x, y, z], left_out) in [
        ("KTH-SP2-1996-2.swf.gz", [4.0, 5.0, 5.0], 0),
        ("SDSC-BLUE-2000-4.2-cln.swf.gz", [8.0, 12.0, 12.0], 0),
        ("KTH-SP2-1996-2.swf.gz", [2.0, 2.0, 4.0], 2615),
    ] {
        let Some(trace) = real_trace(name) else {
            return;
        };
        let scenario = Scenario::new("bm")
            .with("x", x)
            .with("y", y)
            .with("z", z)
            .with("jobs", 5_000.0);
        let run = run(&scenario, &trace);
        assert_eq!(
            run.schedule().workload.report.of("too_wide"),
            left_out,
            "{name}"
        );
    }
}
