//! Zones, natively and in the browser: the same log has the same times in both.

use schedscope::import::{BadLines, Mapping, Reader};
use std::fmt::Write;

/// Zones, with the sums of the submissions of [`log`] in them. Computed with the tz database.
pub const SUMS: &[(&str, i64)] = &[
    ("America/New_York", 94_556_551_596_469_200),
    ("Asia/Kolkata", 94_554_094_217_184_000),
    ("Australia/Lord_Howe", 94_552_789_844_055_600),
    ("Europe/Berlin", 94_555_069_656_678_000),
    ("UTC", 94_555_463_479_848_000),
];

/// Returns a log with a submission on each of the first 28 days of each month from 1990 to 2024, an
/// hour later each day, in times without a zone.
fn log() -> String {
    let mut log = String::from("JobIDRaw|Submit|Start|End|AllocCPUS|State\n");
    let mut job = 0;
    for (year, month) in (1990..2025).flat_map(|year| (1..=12).map(move |month| (year, month))) {
        for day in 1..=28 {
            job += 1;
            let time = format!("{year}-{month:02}-{day:02}T{:02}:30:00", job % 24);
            let _ = writeln!(log, "{job}|{time}|{time}|{time}|1|COMPLETED");
        }
    }
    log
}

/// Returns each zone with its sum: of the instants of all submissions, each times its place.
pub fn sums() -> Vec<(&'static str, i64)> {
    let log = log();
    let sum = |(name, _): &(&'static str, i64)| {
        let zone = Mapping::parse(&format!("zone={name}")).unwrap();
        let mut reader = Reader::new(BadLines::Stop).with_mapping(Some(zone));
        reader.push(log.as_bytes()).unwrap();
        let trace = reader.finish("zones").unwrap();
        let first = trace.unix_start().unwrap();
        let all = trace.records.iter().zip(1..);
        (
            *name,
            all.map(|(record, place)| place * (record.submit + first))
                .sum(),
        )
    };
    SUMS.iter().map(sum).collect()
}
