//! Tables whose columns are guessed or given: guesses for the headers of known data sets, mappings,
//! and what happens to text that is hardly a table.

#[path = "../zone_sums.rs"]
mod zone_sums;

use super::support::root;

use proptest::prelude::*;
use schedscope::import::{BadLines, Mapping, Reader, TableFacts, table_facts};
use schedscope::problem::Problem;
use schedscope::trace::{Record, Trace};
use std::fmt::Write;

fn facts(text: &str, mapping: Option<&str>) -> TableFacts {
    let mapping = mapping.map(|text| Mapping::parse(text).unwrap());
    table_facts(text.as_bytes(), mapping.as_ref())
        .unwrap()
        .expect("it is a table")
}

/// Reads a table in one piece and in pieces of 1, 7 and 100 bytes.
fn read(text: &str, mapping: Option<&str>) -> Result<Trace, Problem> {
    let mapping = mapping.map(Mapping::parse).transpose()?;
    let in_pieces = |size: usize| {
        let mut reader = Reader::new(BadLines::Stop).with_mapping(mapping.clone());
        text.as_bytes()
            .chunks(size)
            .try_for_each(|piece| reader.push(piece))?;
        reader.finish("table")
    };
    let whole = in_pieces(text.len().max(1));
    for size in [1, 7, 100] {
        match (&whole, &in_pieces(size)) {
            (Ok(whole), Ok(pieces)) => {
                assert!(whole.records.iter().eq(pieces.records.iter()));
                assert_eq!(whole.report, pieces.report, "pieces of {size}");
            }
            (Err(whole), Err(pieces)) => assert_eq!(whole, pieces),
            _ => panic!("pieces of {size} differ"),
        }
    }
    whole
}

fn first(trace: &Trace) -> &Record {
    trace.records.get(0)
}

/// Headers of known data sets, each with a row, and the mapping that is guessed.
#[test]
fn headers_of_known_data_sets_are_understood() {
    for (header, row, expected) in [
        // MIT Supercloud: Slurm's database.
        (
            "id_job,id_user,time_submit,time_eligible,time_start,time_end,timelimit,cpus_req,nodes_alloc,\
                mem_req,state,partition",
            "7,1001,1600000000,1600000000,1600000100,1600003700,120,40,1,2147483648,3,normal",
            "job=id_job,submit=time_submit:unix,eligible=time_eligible:unix,start=time_start:unix,\
                end=time_end:unix,limit=timelimit:minutes,requested=cpus_req:count,\
                nodes=nodes_alloc:count,memory=mem_req:bytes,user=id_user,queue=partition,\
                state=state:slurm_number",
        ),
        // PM100: Slurm on M100.
        (
            "job_id,submit_time,eligible_time,start_time,end_time,run_time,time_limit,num_nodes_alloc,\
                num_cores_alloc,num_gpus_alloc,mem_alloc,user_id,group_id,partition,qos,job_state",
            "7,2020-05-06 10:00:00+00:00,2020-05-06 10:00:00+00:00,2020-05-06 10:01:00+00:00,\
                2020-05-06 11:01:00+00:00,3600,1440,2,256,8,480,5,6,m100_usr_prod,normal,COMPLETED",
            "job=job_id,submit=submit_time:iso,eligible=eligible_time:iso,start=start_time:iso,\
                end=end_time:iso,run_time=run_time:seconds,limit=time_limit:minutes,\
                processors=num_cores_alloc:count,nodes=num_nodes_alloc:count,\
                gpus=num_gpus_alloc:count,memory=mem_alloc:megabytes,user=user_id,group=group_id,\
                queue=partition,qos=qos,state=job_state:words",
        ),
        // Fugaku.
        (
            "jid,usr,jnam,cnumr,cnumat,nnuma,adt,qdt,sdt,edt,duration,elpl,mszl,exit state",
            "7,u,n,48,48,1,2021-03-01 00:00:00,2021-03-01 00:00:00,2021-03-01 00:00:10,\
                2021-03-01 00:10:10,600,86400,31138512896,completed",
            "job=jid,submit=adt:iso,eligible=qdt:iso,start=sdt:iso,end=edt:iso,\
                run_time=duration:seconds,limit=elpl:seconds,processors=cnumat:count,\
                requested=cnumr:count,nodes=nnuma:count,memory=mszl:bytes,user=usr,\
                state=exit state:words,name=jnam",
        ),
        // Alibaba's GPU cluster: seconds of its own, hundredths of processors.
        (
            "job_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,user",
            "a1b2,1,Terminated,86400.0,90000.0,600.0,29.3,50.0,c0ff",
            "start=start_time:since,end=end_time:since,processors=plan_cpu:hundredths,\
                gpus=plan_gpu:hundredths,memory=plan_mem:gigabytes,user=user,state=status:words,\
                name=job_name",
        ),
        // PBS by a script.
        (
            "Job Number\tOwner\tctime\tetime\tstart\tend\tResource_List.walltime\tResource_List.ncpus\t\
                resources_used.walltime\tExit_status",
            "7.pbs\tann\t1600000000\t1600000000\t1600000100\t1600003700\t02:00:00\t40\t01:00:00\t271",
            "job=Job Number,submit=ctime:unix,eligible=etime:unix,start=start:unix,end=end:unix,\
                run_time=resources_used.walltime:clock,limit=Resource_List.walltime:clock,\
                requested=Resource_List.ncpus:count,user=Owner,state=Exit_status:exit_status",
        ),
        // A simulator's output, in milliseconds, under names in camel case.
        (
            "jobId;submitTimeMs;waitTimeMs;runTimeMs;numProcs;walltime",
            "7;1600000000000;5000;60000;4;2",
            "job=jobId,submit=submitTimeMs:unix_ms,wait=waitTimeMs:milliseconds,\
                run_time=runTimeMs:milliseconds,limit=walltime:seconds,processors=numProcs:count",
        ),
    ] {
        let found = facts(&format!("{header}\n{row}\n"), None);
        let found_text: Vec<String> = found
            .text
            .split(',')
            .filter(|part| !part.ends_with("=-"))
            .map(str::to_owned)
            .collect();
        assert_eq!(found_text.join(","), expected, "{header}");
        assert!(found.problem.is_none(), "{:?}", found.problem);
        let trace = read(&format!("{header}\n{row}\n"), None).unwrap();
        assert_eq!(trace.records.len(), 1, "{header}");
        assert_eq!(trace.report.columns.len(), found.columns.len());
        // The mapping that the guess gives reads the same jobs.
        let again = read(&format!("{header}\n{row}\n"), Some(&found.text)).unwrap();
        assert_eq!(first(&again), first(&trace), "{header}");
    }
}

#[test]
fn units_come_from_the_columns_beside_them() {
    let rows = |limit: [i64; 3]| {
        let [a, b, c] = limit;
        format!(
            "job,submit,start,end,duration,estimate\n1,1600000000,1600000000,1600003600,60,{a}\n\
            2,1600000000,1600000000,1600007200,120,{b}\n3,1600000000,1600000000,1600000060,1,{c}\n"
        )
    };
    let unit = |text: &str, role: &str| {
        let facts = facts(text, None);
        let part = facts
            .text
            .split(',')
            .find(|part| part.starts_with(role))
            .unwrap()
            .to_owned();
        part.split_once(':').unwrap().1.to_owned()
    };
    assert_eq!(unit(&rows([60, 130, 5]), "run_time"), "minutes");
    assert_eq!(unit(&rows([60, 130, 5]), "limit"), "minutes");
    assert_eq!(unit(&rows([3600, 7300, 500]), "limit"), "seconds");
    assert_eq!(unit(&rows([1, 2, 1]), "limit"), "hours");
    let trace = read(&rows([1, 2, 1]), None).unwrap();
    let limits: Vec<i64> = trace
        .records
        .iter()
        .map(|record| record.requested_time)
        .collect();
    assert_eq!(limits, [3600, 7200, 3600]);
}

#[test]
fn a_mapping_goes_before_guesses() {
    let text = "who,asked,got,at,until,minutes\nann,4,8,1600000000,1600000600,20\n";
    let problem = read(text, None).unwrap_err();
    assert!(
        problem.what.contains("no column that is known to hold"),
        "{problem}"
    );
    assert!(
        problem
            .why
            .contains("`who`, `asked`, `got`, `at`, `until`, `minutes`")
    );
    assert!(problem.next.contains("--columns"));
    let trace = read(
        text,
        Some("user=who,requested=asked,processors=got,start=at,end=#5,limit=minutes:minutes"),
    )
    .unwrap();
    let record = first(&trace);
    assert_eq!(
        (
            record.run_time,
            record.requested_time,
            record.allocated,
            record.requested
        ),
        (600, 1200, 8, 4)
    );
    assert_eq!(trace.names.users.get(1), Some("ann"));
    // A role without a column is not guessed.
    let text = "user,submit,runtime\nann,1600000000,600\n";
    assert_eq!(read(text, None).unwrap().names.users.len(), 1);
    let trace = read(text, Some("user=-")).unwrap();
    assert_eq!(trace.names.users.len(), 0);
    assert_eq!(trace.columns[0].word(0), Some("ann"), "it is kept beside");
}

#[test]
fn times_without_a_zone_have_that_of_the_mapping() {
    let text = "job,submit,runtime\n1,2024-03-01 12:00:00,60\n2,2024-03-01 12:00:00Z,60\n";
    let starts = |mapping| {
        let trace = read(text, mapping).unwrap();
        let zero = trace.unix_start().unwrap();
        let all: Vec<i64> = trace
            .records
            .iter()
            .map(|record| record.submit + zero)
            .collect();
        let rules: Vec<String> = trace
            .report
            .rules
            .iter()
            .map(|rule| rule.id.clone())
            .collect();
        (all, rules[0].clone())
    };
    let noon = 1_709_294_400;
    assert_eq!(
        starts(None),
        (vec![noon, noon], "times_without_zone".into())
    );
    assert_eq!(
        starts(Some("zone=+02:00")),
        (vec![noon - 7200, noon], "times_in_given_zone".into())
    );
    assert!(facts(text, None).is_local);
}

#[test]
fn a_mapping_that_does_not_fit_is_refused() {
    let text = "job,submit,runtime\n1,1600000000,60\n";
    let refused = |mapping| read(text, Some(mapping)).unwrap_err().what;
    assert!(refused("start=begin").contains("no column `begin`"));
    assert!(refused("start=#9").contains("no column `#9`"));
    assert!(refused("submit=-").contains("no column that is known"));
    // A mapping makes a table of any text, and then its first line is the header.
    let problem = Reader::new(BadLines::Stop).with_mapping(Some(Mapping::default()));
    let mut reader = problem;
    reader
        .push(b"1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n")
        .unwrap();
    let problem = reader.finish("swf").unwrap_err();
    assert!(
        problem.what.contains("no column that is known"),
        "{problem}"
    );
}

#[test]
fn quotes_that_stay_open_hide_no_lines() {
    let text = "job,submit,runtime,name\n1,1600000000,60,\"a\n2,1600000000,60,b\n3,1600000000,60,\"c\"\n\
        4,1600000000,60,\"two\nlines\"\n5,1600000000,60,e";
    let trace = read(text, None).unwrap();
    let numbers: Vec<i64> = trace.records.iter().map(|record| record.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(trace.report.of("open_quote"), 1);
    assert_eq!(trace.report.of("line_end_in_cell"), 1);
    // A quote that never ends is read on in the same way, however long the file is.
    let mut text = "job,submit,runtime,name\n1,1600000000,60,\"a\n".to_owned();
    let rows = 400_000;
    for job in 2..=rows {
        let _ = writeln!(text, "{job},1600000000,60,b");
    }
    let mut reader = Reader::new(BadLines::Stop);
    text.as_bytes()
        .chunks(1 << 16)
        .for_each(|piece| reader.push(piece).unwrap());
    let trace = reader.finish("long").unwrap();
    assert_eq!(trace.records.len(), rows);
    assert_eq!(trace.report.of("bad_row"), 0);
}

#[test]
fn columns_beyond_the_limits_are_left_out_or_refused() {
    use schedscope::limits::{MORE_COLUMNS, TABLE_COLUMNS};
    let wide = |count: usize| {
        let (mut names, mut cells) = ("submit,runtime".to_owned(), "1600000000,60".to_owned());
        for at in 0..count {
            let _ = write!(names, ",x{at}");
            let _ = write!(cells, ",{at}");
        }
        format!("{names}\n{cells}\n")
    };
    let trace = read(&wide(MORE_COLUMNS + 3), None).unwrap();
    assert_eq!(trace.columns.len(), MORE_COLUMNS);
    let left_out = trace
        .report
        .columns
        .iter()
        .filter(|note| note.text.starts_with("left out"));
    assert_eq!(left_out.count(), 3);
    let problem = read(&wide(TABLE_COLUMNS), None).unwrap_err();
    assert!(problem.what.contains("is too large"), "{problem}");
}

#[test]
fn other_files_are_no_tables() {
    for text in [
        "",
        "; UnixStartTime: 0; x\n1 0 5 10 4 -1 -1 4 20 -1 1 3 2 -1 0 -1 -1 -1\n",
        "<html>,<body>\n",
        "{\"a\": 1, \"b\": 2}\n",
        "1,2,3\n4,5,6\n",
        "garbage\n",
        "JobID|State|Elapsed\n1|COMPLETED|1\n",
    ] {
        assert!(
            table_facts(text.as_bytes(), None).unwrap().is_none(),
            "{text}"
        );
    }
    let shown = facts("submit,runtime\n1600000000,60\n1600000001,60\n", None);
    assert_eq!((shown.rows.len(), shown.columns.len()), (2, 2));
    assert_eq!(shown.header, "submit\u{1f}runtime");
}

proptest! {
    #[test]
    fn any_table_under_any_mapping_gives_a_trace_or_an_error(
        cells in proptest::collection::vec("[a-z0-9:./ \"\n,é-]{0,12}", 0..40),
        separator in "[,;\t|]",
        mapping in "((submit|start|end|limit|nodes|user|state|memory|job)=[a-z#\"-]{1,3}(:(unix|iso|us_date|clock|minutes|count))?,?){0,5}",
    ) {
        let mut text = ["job", "submit", "start", "end", "limit", "nodes", "user", "state"].join(&separator);
        for row in cells.chunks(8) {
            text.push('\n');
            text.push_str(&row.join(&separator));
        }
        let _ = read(&text, None);
        let _ = table_facts(text.as_bytes(), None);
        if let Ok(parsed) = Mapping::parse(&mapping) {
            prop_assert_eq!(Mapping::parse(&parsed.to_string()).unwrap().to_string(), parsed.to_string());
            let _ = read(&text, Some(&mapping));
            let _ = table_facts(text.as_bytes(), Some(&parsed));
        }
    }

    #[test]
    fn any_bytes_under_a_mapping_give_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mapping = Mapping::parse("submit=#1,run_time=#2").unwrap();
        let _ = table_facts(&bytes, Some(&mapping));
        let mut reader = Reader::new(BadLines::Stop).with_mapping(Some(mapping));
        let _ = reader.push(&bytes).and_then(|()| reader.finish("any"));
    }
}

/// Berlin's clocks showed 02:30 twice on 27 October 2024, and never on 31 March.
#[test]
fn a_named_zone_is_that_of_slurms_times_too() {
    let log = "JobIDRaw|Submit|Start|End|AllocCPUS|State\n\
        1|2024-01-10T12:00:00|2024-01-10T12:00:00|2024-01-10T13:00:00|1|COMPLETED\n\
        2|2024-03-31T02:30:00|2024-03-31T03:30:00|2024-03-31T04:30:00|1|COMPLETED\n\
        3|2024-07-10T12:00:00|2024-07-10T12:00:00|2024-07-10T13:00:00|1|COMPLETED\n\
        4|2024-10-27T02:30:00|2024-10-27T03:30:00|2024-10-27T04:30:00|1|COMPLETED\n";
    let january = 1_704_888_000;
    for (columns, first, submits, rules) in [
        (
            None,
            january,
            [0, 6_964_200, 15_724_800, 25_108_200],
            vec!["times_without_zone"],
        ),
        (
            Some("zone=Europe/Berlin"),
            january - 3600,
            [0, 6_964_200, 15_721_200, 25_104_600],
            vec![
                "times_in_given_zone",
                "times_shown_twice",
                "times_never_shown",
            ],
        ),
        (
            Some("zone=+02:00"),
            january - 7200,
            [0, 6_964_200, 15_724_800, 25_108_200],
            vec!["times_in_given_zone"],
        ),
    ] {
        let mut reader = Reader::new(BadLines::Stop)
            .with_mapping(columns.map(|columns| Mapping::parse(columns).unwrap()));
        reader.push(log.as_bytes()).unwrap();
        let trace = reader.finish("a.sacct").unwrap();
        assert_eq!(trace.unix_start(), Some(first), "{columns:?}");
        let own: Vec<i64> = trace.records.iter().map(|record| record.submit).collect();
        assert_eq!(own, submits, "{columns:?}");
        let told: Vec<&str> = trace.report.rules.iter().map(|rule| &*rule.id).collect();
        for rule in [
            "times_without_zone",
            "times_in_given_zone",
            "times_shown_twice",
            "times_never_shown",
        ] {
            assert_eq!(
                told.contains(&rule),
                rules.contains(&rule),
                "{columns:?} {rule}"
            );
        }
    }
    let problem = Mapping::parse("zone=Europe/Nowhere").unwrap_err();
    assert_eq!(problem.what, "There is no zone `Europe/Nowhere`.");
}

/// A zone alone says nothing about columns, so the format is found as without it.
#[test]
fn a_zone_alone_changes_no_format() {
    let zone = Mapping::parse("zone=Asia/Tokyo").unwrap();
    for (name, text) in logs() {
        let read = |mapping: Option<Mapping>| {
            let mut reader = Reader::new(BadLines::Stop).with_mapping(mapping);
            reader.push(&text).unwrap();
            let trace = reader.finish(&name).unwrap();
            (trace.format, trace.records.len())
        };
        assert_eq!(read(Some(zone.clone())), read(None), "{name}");
    }
}

fn logs() -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(root().join("tests/logs")).unwrap();
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_none_or(|ending| ending != "expected"))
        .map(|path| (path.display().to_string(), std::fs::read(path).unwrap()))
        .collect()
}

/// The sums were computed by another implementation (Python's zoneinfo).
#[test]
fn clocks_change_as_elsewhere() {
    assert_eq!(zone_sums::sums(), zone_sums::SUMS);
}
