//! Reads what `sacct -P` and `sacct -p` print, with any columns in any order and any separator, and
//! the rows without a header that XDMoD collects.

use super::slurm_words::{
    self as words, HETEROGENEOUS, MEMORY_FLAG, NO_LIMIT, REQUEUED, REVOKED, STEP, SlurmId,
    TimeLimit, Tres,
};
use crate::import::rows::{
    Builder, EndState, FirstBytes, Format, Instant, LineReader, LocalTimes, LogRow, Reading, Rows,
    Zone, bad_value, count, digits, instant, is_unknown, length, memory,
};
use crate::problem::Problem;
use crate::trace::{Effect, ImportRule};

pub const FORMAT: Format = Format {
    id: "sacct",
    name: Sacct::NAME,
    open,
};

const LOCAL_TIMES: ImportRule = ImportRule {
    id: "times_without_zone",
    effect: Effect::Noted,
    text: "times without a zone: read as UTC (SLURM_TIME_FORMAT=%s writes times that need no zone)",
};
const SEPARATORS_IN_TEXT: ImportRule = ImportRule {
    id: "separator_in_text",
    effect: Effect::Repaired,
    text: "a separator or a line end inside a column of text: its parts are put together",
};
const SHORT: &str = "The header of the file says how many columns a row has.";

/// The columns that are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum SacctColumn {
    JobId,
    JobIdRaw,
    Submit,
    Eligible,
    Start,
    End,
    Elapsed,
    ElapsedRaw,
    Limit,
    LimitRaw,
    Nodes,
    AllocNodes,
    ReqNodes,
    Cpus,
    AllocCpus,
    ReqCpus,
    ReqMem,
    ReqTres,
    AllocTres,
    Gres,
    State,
    User,
    Uid,
    Group,
    Gid,
    Account,
    Partition,
    Qos,
    Reason,
    NodeList,
    JobName,
    Priority,
    CpuTime,
    MaxRss,
    Constraints,
    Reservation,
    SubmitLine,
    /// Text that nobody reads, and that may hold anything.
    Text,
    /// A column that is not read, without separators in it.
    Other,
}

const KINDS: [(&str, SacctColumn); 44] = [
    ("jobid", SacctColumn::JobId),
    ("jobidraw", SacctColumn::JobIdRaw),
    ("submit", SacctColumn::Submit),
    ("eligible", SacctColumn::Eligible),
    ("start", SacctColumn::Start),
    ("end", SacctColumn::End),
    ("elapsed", SacctColumn::Elapsed),
    ("elapsedraw", SacctColumn::ElapsedRaw),
    ("timelimit", SacctColumn::Limit),
    ("timelimitraw", SacctColumn::LimitRaw),
    ("nnodes", SacctColumn::Nodes),
    ("allocnodes", SacctColumn::AllocNodes),
    ("reqnodes", SacctColumn::ReqNodes),
    ("ncpus", SacctColumn::Cpus),
    ("alloccpus", SacctColumn::AllocCpus),
    ("reqcpus", SacctColumn::ReqCpus),
    ("reqmem", SacctColumn::ReqMem),
    ("reqtres", SacctColumn::ReqTres),
    ("alloctres", SacctColumn::AllocTres),
    ("allocgres", SacctColumn::Gres),
    ("reqgres", SacctColumn::Gres),
    ("state", SacctColumn::State),
    ("user", SacctColumn::User),
    ("uid", SacctColumn::Uid),
    ("group", SacctColumn::Group),
    ("gid", SacctColumn::Gid),
    ("account", SacctColumn::Account),
    ("partition", SacctColumn::Partition),
    ("qos", SacctColumn::Qos),
    ("reason", SacctColumn::Reason),
    ("nodelist", SacctColumn::NodeList),
    ("jobname", SacctColumn::JobName),
    ("priority", SacctColumn::Priority),
    ("cputimeraw", SacctColumn::CpuTime),
    ("maxrss", SacctColumn::MaxRss),
    ("constraints", SacctColumn::Constraints),
    ("reservation", SacctColumn::Reservation),
    ("submitline", SacctColumn::SubmitLine),
    ("workdir", SacctColumn::Text),
    ("comment", SacctColumn::Text),
    ("admincomment", SacctColumn::Text),
    ("systemcomment", SacctColumn::Text),
    ("extra", SacctColumn::Text),
    ("container", SacctColumn::Text),
];

/// The columns of XDMoD's `sacct`, which prints no header.
const WITHOUT_HEADER: [SacctColumn; 26] = [
    SacctColumn::JobId,
    SacctColumn::JobIdRaw,
    SacctColumn::Other,
    SacctColumn::Partition,
    SacctColumn::Qos,
    SacctColumn::Account,
    SacctColumn::Group,
    SacctColumn::Gid,
    SacctColumn::User,
    SacctColumn::Uid,
    SacctColumn::Submit,
    SacctColumn::Eligible,
    SacctColumn::Start,
    SacctColumn::End,
    SacctColumn::Elapsed,
    SacctColumn::Other,
    SacctColumn::State,
    SacctColumn::Nodes,
    SacctColumn::Cpus,
    SacctColumn::ReqCpus,
    SacctColumn::ReqMem,
    SacctColumn::ReqTres,
    SacctColumn::AllocTres,
    SacctColumn::Limit,
    SacctColumn::NodeList,
    SacctColumn::JobName,
];

fn open(start: &FirstBytes<'_>) -> Option<Box<dyn Reading>> {
    let first = start.lines().next()?;
    if let Some(mut sacct) = of_header(first) {
        sacct.zone = start.zone.cloned();
        return Some(Box::new(LineReader::new(sacct)));
    }
    let sacct = Sacct {
        separator: '|',
        kinds: WITHOUT_HEADER.to_vec(),
        has_header: false,
        rows: 0,
        zone: start.zone.cloned(),
    };
    let fields: Vec<&str> = first.split('|').collect();
    let is_like_xdmod = fields.len() >= WITHOUT_HEADER.len()
        && words::job_id(fields[0]).is_some()
        && (10..14).all(|at| instant(fields[at]) != Instant::Bad)
        && words::state(fields[16]).is_some();
    is_like_xdmod.then(|| Box::new(LineReader::new(sacct)) as Box<dyn Reading>)
}

/// Returns the columns that a header names, or `None` if the line is no header.
fn of_header(line: &str) -> Option<Sacct> {
    let separator = ['|', '\t', ',', ';', '^', '~', '!']
        .into_iter()
        .max_by_key(|separator| line.matches(*separator).count())?;
    let kinds: Vec<SacctColumn> = line
        .split(separator)
        .map(|name| {
            let name = name.trim().trim_matches('"').to_ascii_lowercase();
            let name = name.split('%').next().unwrap_or_default();
            KINDS
                .iter()
                .find(|(known, _)| *known == name)
                .map_or(SacctColumn::Other, |(_, kind)| *kind)
        })
        .collect();
    let known = kinds
        .iter()
        .filter(|kind| **kind != SacctColumn::Other)
        .count();
    let has_id = kinds.contains(&SacctColumn::JobId) || kinds.contains(&SacctColumn::JobIdRaw);
    (has_id && known >= 2).then_some(Sacct {
        separator,
        kinds,
        has_header: true,
        rows: 0,
        zone: None,
    })
}

#[derive(Debug)]
struct Sacct {
    separator: char,
    kinds: Vec<SacctColumn>,
    has_header: bool,
    rows: u64,
    /// The zone of times that tell none, if it is given.
    zone: Option<Zone>,
}

/// The values of a row, by what they mean.
#[derive(Default)]
struct Told<'a> {
    id: Option<SlurmId>,
    raw: Option<i64>,
    cpus: [Option<i64>; 3],
    nodes: [Option<i64>; 3],
    req_mem: &'a str,
    req_tres: Tres,
    alloc_tres: Tres,
    gpus: Option<i64>,
    limit: Option<TimeLimit>,
    local: LocalTimes,
    is_requeued: bool,
    uid: &'a str,
    gid: &'a str,
    row: LogRow<'a>,
}

impl Rows for Sacct {
    const NAME: &'static str = "Slurm (sacct)";

    fn row(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<bool, Problem> {
        self.rows += 1;
        if self.has_header && self.rows == 1 {
            return self.check_header(number).map(|()| true);
        }
        let mut fields: Vec<&str> = line.split(self.separator).collect();
        // `sacct -p` ends each row with a separator.
        if fields.len() == self.kinds.len() + 1 && fields.last() == Some(&"") {
            fields.pop();
        }
        if fields.len() < self.kinds.len() {
            return Ok(false);
        }
        if fields.len() == self.kinds.len() {
            let found = self.found(&fields, number)?;
            finish(found, self.zone.as_ref(), builder);
        } else {
            let joined = self.joined(line, &fields);
            let found = joined
                .iter()
                .find_map(|fields| self.found(fields, number).ok());
            let Some(found) = found else {
                return Err(self.wrong_count(number, fields.len()));
            };
            builder.count(&SEPARATORS_IN_TEXT, number);
            finish(found, self.zone.as_ref(), builder);
        }
        Ok(true)
    }

    fn begins(&self, line: &str) -> bool {
        let fields: Vec<&str> = line.split(self.separator).collect();
        fields.len() >= self.kinds.len()
            && self.kinds.iter().zip(fields).all(|(kind, field)| {
                !matches!(kind, SacctColumn::JobId | SacctColumn::JobIdRaw)
                    || words::job_id(field).is_some()
            })
    }

    fn rest(&mut self, line: &str, number: u64, builder: &mut Builder) -> Result<(), Problem> {
        // A line end in the last column leaves a line that no row begins with.
        let is_text = |kind: &SacctColumn| {
            matches!(
                kind,
                SacctColumn::JobName | SacctColumn::SubmitLine | SacctColumn::Text
            )
        };
        let first = line.split(self.separator).next().unwrap_or_default();
        if self.kinds.last().is_some_and(is_text) && words::job_id(first).is_none() {
            builder.count(&SEPARATORS_IN_TEXT, number);
            return Ok(());
        }
        Err(self.wrong_count(number, line.split(self.separator).count()))
    }
}

impl Sacct {
    /// Refuses a header without the columns that a job needs.
    fn check_header(&self, line: u64) -> Result<(), Problem> {
        let has = |kinds: &[SacctColumn]| self.kinds.iter().any(|kind| kinds.contains(kind));
        let problem = |what: &str| {
            Err(Problem::new(
                format!("Line {line}, the header, has no column for {what}."),
                "A job needs a submission, a start and an end (or the time that it ran), and a size.",
                "Run sacct with --format=JobID,JobIDRaw,User,Group,Account,Partition,QOS,State,Submit,\
                    Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,ReqCPUS,ReqMem,ReqTRES,\
                    AllocTRES,NodeList,Constraints,Reservation,Reason,Priority,JobName.",
            )
            .at_line(line))
        };
        if !has(&[
            SacctColumn::Submit,
            SacctColumn::Eligible,
            SacctColumn::Start,
        ]) {
            return problem("the submission (Submit)");
        }
        if !has(&[
            SacctColumn::End,
            SacctColumn::Elapsed,
            SacctColumn::ElapsedRaw,
        ]) {
            return problem("the run time (End or Elapsed)");
        }
        if !has(&[
            SacctColumn::Cpus,
            SacctColumn::AllocCpus,
            SacctColumn::ReqCpus,
            SacctColumn::Nodes,
            SacctColumn::AllocNodes,
            SacctColumn::ReqNodes,
            SacctColumn::AllocTres,
            SacctColumn::ReqTres,
        ]) {
            return problem("the size (NCPUS or NNodes)");
        }
        Ok(())
    }

    fn wrong_count(&self, line: u64, found: usize) -> Problem {
        Problem::new(
            format!(
                "Line {line} has {found} columns, not {}, and cannot be read as a job.",
                self.kinds.len()
            ),
            SHORT,
            "Correct the line; other lines are read without it.",
        )
        .at_line(line)
    }

    /// Returns the row with more fields than columns in the ways in which one column of text can
    /// hold the rest.
    fn joined<'a>(&self, line: &'a str, fields: &[&'a str]) -> Vec<Vec<&'a str>> {
        let more = fields.len() - self.kinds.len();
        let place = |field: &str| field.as_ptr() as usize - line.as_ptr() as usize;
        let texts = |wanted: &[SacctColumn]| {
            let is_wanted = |at: &usize| wanted.contains(&self.kinds[*at]);
            (0..self.kinds.len()).filter(is_wanted).collect::<Vec<_>>()
        };
        // A choice of features, such as `intel|amd`, has no empty part. The Priority behind it shows whether it is
        // one.
        let mut order = texts(&[SacctColumn::Constraints]);
        order.retain(|at| {
            let is_full = fields[*at..=at + more].iter().all(|part| !part.is_empty());
            is_full && self.kinds[*at..].contains(&SacctColumn::Priority)
        });
        order.extend(texts(&[SacctColumn::JobName]));
        order.extend(texts(&[SacctColumn::SubmitLine]));
        order.extend(texts(&[SacctColumn::Text]));
        order
            .into_iter()
            .map(|at| {
                let (first, last) = (fields[at], fields[at + more]);
                let whole = &line[place(first)..place(last) + last.len()];
                let mut joined = fields[..at].to_vec();
                joined.push(whole);
                joined.extend_from_slice(&fields[at + more + 1..]);
                joined
            })
            .collect()
    }

    /// Reads the fields of a row.
    fn found<'a>(&self, fields: &[&'a str], line: u64) -> Result<Told<'a>, Problem> {
        let mut found = Told::default();
        found.row.line = line;
        for (kind, field) in self.kinds.iter().zip(fields) {
            let word = field.trim();
            let bad = |column: &str, why: &str| bad_value(line, column, word, why);
            let mut time = |column: &str| match instant(word) {
                Instant::Bad => Err(bad(
                    column,
                    "A time is seconds since 1970 or like 2024-05-06T07:08:09.",
                )),
                Instant::Local(seconds) => Ok(Some(found.local.take(seconds, self.zone.as_ref()))),
                known => Ok(known.seconds()),
            };
            let number = |column: &str| match count(word) {
                None if !is_unknown(word) => Err(bad(column, "The column holds a whole number.")),
                known => Ok(known),
            };
            match kind {
                SacctColumn::JobId => match words::job_id(word) {
                    None => {
                        return Err(bad(
                            "JobID",
                            "An id is like 123, 123_4, 123+1 or 123.batch.",
                        ));
                    }
                    id => found.id = id,
                },
                SacctColumn::JobIdRaw => match words::job_id(word) {
                    None => return Err(bad("JobIDRaw", "An id is like 123 or 123.batch.")),
                    Some(id) => {
                        found.raw = Some(id.number);
                        if found.id.is_none() {
                            found.id = Some(id);
                        }
                    }
                },
                SacctColumn::Submit => found.row.submit = time("Submit")?,
                SacctColumn::Eligible => found.row.eligible = time("Eligible")?,
                SacctColumn::Start => found.row.start = time("Start")?,
                SacctColumn::End => found.row.end = time("End")?,
                SacctColumn::Elapsed => match length(word) {
                    None if !is_unknown(word) && word != "INVALID" => {
                        return Err(bad("Elapsed", "A length of time is like 1-02:03:04."));
                    }
                    known => found.row.elapsed = found.row.elapsed.or(known),
                },
                SacctColumn::ElapsedRaw => found.row.elapsed = number("ElapsedRaw")?,
                SacctColumn::Limit => match words::limit(word) {
                    TimeLimit::Bad => return Err(bad("Timelimit", "A limit is like 1-02:03:04.")),
                    TimeLimit::Unknown => {}
                    limit => found.limit = Some(limit),
                },
                SacctColumn::LimitRaw => {
                    found.limit = match (digits(word), words::limit(word)) {
                        (Some(minutes), _) => minutes.checked_mul(60).map(TimeLimit::Seconds),
                        (None, TimeLimit::Unnumbered) => Some(TimeLimit::Unnumbered),
                        (None, _) => found.limit,
                    };
                }
                SacctColumn::AllocNodes => found.nodes[0] = number("AllocNodes")?,
                SacctColumn::Nodes => found.nodes[1] = number("NNodes")?,
                SacctColumn::ReqNodes => found.nodes[2] = number("ReqNodes")?,
                SacctColumn::AllocCpus => found.cpus[0] = number("AllocCPUS")?,
                SacctColumn::Cpus => found.cpus[1] = number("NCPUS")?,
                SacctColumn::ReqCpus => found.cpus[2] = number("ReqCPUS")?,
                SacctColumn::ReqMem => found.req_mem = word,
                SacctColumn::ReqTres => found.req_tres = words::tres(word),
                SacctColumn::AllocTres => found.alloc_tres = words::tres(word),
                SacctColumn::Gres => found.gpus = found.gpus.or(words::gres(word)),
                SacctColumn::State => match words::state(word) {
                    None if !is_unknown(word) => {
                        return Err(bad(
                            "State",
                            "A state is like COMPLETED or CANCELLED by 1001.",
                        ));
                    }
                    None => {}
                    Some((state, is_requeued)) => {
                        found.row.state = state;
                        found.is_requeued = is_requeued;
                        found.row.state_word = word.split(' ').next().unwrap_or(word);
                    }
                },
                SacctColumn::User => found.row.user = word,
                SacctColumn::Uid => found.uid = word,
                SacctColumn::Group => found.row.group = word,
                SacctColumn::Gid => found.gid = word,
                SacctColumn::Account => found.row.account = word,
                SacctColumn::Partition => found.row.queue = word,
                SacctColumn::Qos => found.row.qos = word,
                SacctColumn::Reason => found.row.reason = if is_unknown(word) { "" } else { word },
                SacctColumn::NodeList => found.row.node_list = word,
                SacctColumn::JobName => found.row.name = word,
                SacctColumn::Priority => found.row.priority = number("Priority")?,
                SacctColumn::CpuTime => {
                    found.row.cpu_time = digits(word).map(|seconds| seconds as f64);
                }
                SacctColumn::MaxRss => found.row.used_memory = memory(word, 1.0 / 1024.0),
                SacctColumn::Constraints => found.row.features = word,
                SacctColumn::Reservation => found.row.reservation = word,
                SacctColumn::SubmitLine => found.row.dependency = words::dependency(word),
                SacctColumn::Text | SacctColumn::Other => {}
            }
        }
        Ok(found)
    }
}

/// Gives the builder the job of a row.
fn finish(found: Told<'_>, zone: Option<&Zone>, builder: &mut Builder) {
    let Told {
        id,
        raw,
        cpus,
        nodes,
        req_mem,
        req_tres,
        alloc_tres,
        gpus,
        limit,
        local,
        is_requeued,
        uid,
        gid,
        mut row,
    } = found;
    let Some(id) = id else { return };
    if id.is_step {
        return builder.count(&STEP, row.line);
    }
    if row.state_word.starts_with("REVOKED") {
        return builder.count(&REVOKED, row.line);
    }
    local.count(zone, &LOCAL_TIMES, row.line, builder);
    for (is_met, rule) in [
        (id.is_component, &HETEROGENEOUS),
        (is_requeued, &REQUEUED),
        (limit == Some(TimeLimit::Unnumbered), &NO_LIMIT),
    ] {
        if is_met {
            builder.count(rule, row.line);
        }
    }
    if let Some(TimeLimit::Seconds(seconds)) = limit {
        row.limit = Some(seconds);
    }
    let some = |count: &Option<i64>| count.filter(|count| *count > 0);
    row.number = raw.filter(|_| id.tasks == 1).unwrap_or(id.number);
    (row.task, row.tasks) = (id.task, id.tasks);
    row.requested = some(&cpus[2]).or(req_tres.processors);
    row.processors = alloc_tres.processors.or(cpus[..2].iter().find_map(some));
    row.nodes = alloc_tres.nodes.or(nodes.iter().find_map(some));
    let least = req_tres.nodes.or(some(&nodes[2]));
    row.least_nodes = least.filter(|least| row.nodes.is_some_and(|nodes| *least < nodes));
    row.gpus = alloc_tres.gpus.or(req_tres.gpus).or(gpus);
    let asked = words::asked_memory(
        req_mem,
        row.requested.or(row.processors).unwrap_or(1),
        row.nodes.unwrap_or(1),
    );
    if asked.is_some_and(|asked| asked.had_flag) {
        builder.count(&MEMORY_FLAG, row.line);
    }
    // The amount asked for counts the least number of nodes.
    let [first, second] = match row.least_nodes {
        Some(_) => [alloc_tres.memory, req_tres.memory],
        None => [req_tres.memory, alloc_tres.memory],
    };
    row.memory = first.or(second).or(asked.map(|asked| asked.kilobytes));
    row.node_memory = asked
        .and_then(|asked| asked.of_node)
        .or_else(|| words::node_memory(&req_tres));
    // Slurm gives a job that never started the instant of its cancellation as its start.
    if row.node_list == "None assigned" {
        row.node_list = "";
        if row.elapsed.is_none_or(|elapsed| elapsed == 0) {
            row.start = None;
        }
    }
    if row.state == EndState::Alive && row.state_word.starts_with("PENDING") {
        row.start = None;
        (row.nodes, row.least_nodes) = words::nodes_of_waiting(least.or(row.nodes), None);
    }
    if row.user.is_empty() {
        row.user = uid;
    }
    if row.group.is_empty() {
        row.group = gid;
    }
    builder.push(&row);
}
