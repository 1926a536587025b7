use schedscope::experiment::Scenario;
use schedscope::machine::Placements;
use schedscope::param::Settings;
use schedscope::sim::Silent;
use schedscope::trace::{BadLines, read};
use schedscope::workload::model::generate;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let factor: f64 = args[2].parse().unwrap();
    let est: f64 = args[3].parse().unwrap();
    let trace = if args[1] == "lublin" {
        generate("lublin", &Settings::default().with("jobs", 100_000.0).with("processors", 256.0).with("overestimate", est)).unwrap()
    } else {
        read("x", &std::fs::read(&args[1]).unwrap(), BadLines::Stop).unwrap()
    };
    let ids: Vec<String> =
        if args.len() > 4 { args[4..].to_vec() } else { schedscope::policy::ALL.iter().map(|s| s.id.to_owned()).collect() };
    for id in ids {
        let mut parts = id.split(',');
        let mut sc = Scenario::new(parts.next().unwrap()).with("arrival_factor", factor);
        for p in parts {
            let (k, v) = p.split_once('=').unwrap();
            sc = sc.with(k, schedscope::param::Value::parse(v));
        }
        let r = sc.resolve().unwrap();
        let w = Arc::new(r.workload(&trace).unwrap());
        let work: f64 = w.requests.iter().zip(&w.programs).map(|(q, p)| f64::from(q.processors) * p.runtime().seconds()).sum();
        let span = (w.requests.last().unwrap().submitted - w.requests[0].submitted).seconds();
        let b = std::time::Instant::now();
        let mut s = r.simulation(Arc::clone(&w), Placements::Counted);
        let mut most = 0;
        loop {
            let p = s.advance(1000, &mut Silent);
            most = most.max(s.waiting());
            if p.done {
                break;
            }
        }
        let e = b.elapsed().as_secs_f64();
        println!(
            "{id:40} load {:.2} longest queue {most:6} {:8.2} s {:10.0} jobs/s",
            work / span / f64::from(w.processors),
            e,
            w.len() as f64 / e
        );
    }
}
