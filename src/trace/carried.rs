//! A trace as bytes, for another instance of the same program, which takes them faster than the
//! text. The bytes come in pieces, so that nobody holds all of them at once.
//!
//! The code is plain, because the page's program must be small: a reader that meets other bytes goes
//! on with zeros, and says so at the end.

use super::{
    Column, ColumnNote, ColumnValues, Effect, Record, RecordedUses, RuleCount, Trace, UNKNOWN,
    Words,
};

/// Number of chunks of records in a piece.
const CHUNKS: usize = 4;

/// Bytes of the wide and of the narrow fields of a record.
const WIDE: usize = 80;
const NARROW: usize = 36;

impl Trace {
    /// Returns the piece with this number: 0 has all but the values for each record, the others have
    /// these. Returns `None` after the last piece, and for a trace with demands, whose table is read
    /// again.
    pub fn piece(&self, at: usize) -> Option<Vec<u8>> {
        let mut out = Out(Vec::new());
        if self.demands.is_some() {
            return None;
        }
        if at == 0 {
            out.bare(self);
            return Some(out.0);
        }
        let mut chunks = self.records.chunks().chunks(CHUNKS);
        let mut from = 0;
        for chunks in chunks.by_ref().take(at - 1) {
            from += length(chunks);
        }
        let chunks = chunks.next()?;
        let count = length(chunks);
        out.0.reserve(8 + count * (WIDE + NARROW));
        out.number(count as i64);
        for record in chunks.iter().flatten() {
            out.0.extend_from_slice(&record_bytes(record));
        }
        // A column that ends early knows no more values.
        for column in &self.columns {
            for at in from..from + count {
                out.number(match &column.values {
                    ColumnValues::Numbers(numbers) => *numbers.get(at).unwrap_or(&UNKNOWN),
                    ColumnValues::Words { numbers, .. } => {
                        numbers.get(at).map_or(0, |at| (*at).into())
                    }
                });
            }
        }
        Some(out.0)
    }

    /// Returns the trace that begins with piece 0, without its records; `None` if the bytes are
    /// something else.
    pub fn of_piece(bytes: &[u8]) -> Option<Self> {
        let mut trace = Self::default();
        let mut bytes = In(bytes, false);
        bytes.bare(&mut trace);
        bytes.is_over().then_some(trace)
    }

    /// Appends the next piece. Returns false if the bytes are something else.
    pub fn push_piece(&mut self, bytes: &[u8]) -> bool {
        let mut bytes = In(bytes, false);
        let count = bytes.count();
        let each = WIDE + NARROW + 8 * self.columns.len();
        if bytes.0.len() != count.saturating_mul(each) {
            return false;
        }
        for record in bytes
            .take(count.saturating_mul(WIDE + NARROW))
            .as_chunks()
            .0
        {
            self.records.push(read_record(record));
        }
        for column in &mut self.columns {
            for _ in 0..count {
                let number = bytes.number();
                match &mut column.values {
                    ColumnValues::Numbers(numbers) => numbers.push(number),
                    ColumnValues::Words { numbers, .. } => numbers.push(number as u32),
                }
            }
        }
        bytes.is_over()
    }
}

fn length(chunks: &[Vec<Record>]) -> usize {
    chunks.iter().map(Vec::len).sum()
}

fn record_bytes(record: &Record) -> [u8; WIDE + NARROW] {
    let long = [
        record.number,
        record.submit,
        record.wait,
        record.run_time,
        record.requested_time,
        record.preceding,
        record.think_time,
        record.cpu_time.to_bits().cast_signed(),
        record.used_memory.to_bits().cast_signed(),
        record.requested_memory.to_bits().cast_signed(),
    ];
    let short = [
        record.allocated,
        record.requested,
        record.status,
        record.user,
        record.group,
        record.application,
        record.queue,
        record.partition,
        record.line.cast_signed(),
    ];
    let mut bytes = [0; WIDE + NARROW];
    let (wide, narrow) = bytes.split_at_mut(WIDE);
    for (place, number) in wide.as_chunks_mut().0.iter_mut().zip(long) {
        *place = number.to_le_bytes();
    }
    for (place, number) in narrow.as_chunks_mut().0.iter_mut().zip(short) {
        *place = number.to_le_bytes();
    }
    bytes
}

fn read_record(bytes: &[u8; WIDE + NARROW]) -> Record {
    let (wide, narrow) = bytes.split_at(WIDE);
    let (mut long, mut short) = ([0; 10], [0; 9]);
    for (number, bytes) in long.iter_mut().zip(wide.as_chunks().0) {
        *number = i64::from_le_bytes(*bytes);
    }
    for (number, bytes) in short.iter_mut().zip(narrow.as_chunks().0) {
        *number = i32::from_le_bytes(*bytes);
    }
    let fraction = |at: usize| f64::from_bits(long[at].cast_unsigned());
    Record {
        number: long[0],
        submit: long[1],
        wait: long[2],
        run_time: long[3],
        requested_time: long[4],
        preceding: long[5],
        think_time: long[6],
        cpu_time: fraction(7),
        used_memory: fraction(8),
        requested_memory: fraction(9),
        allocated: short[0],
        requested: short[1],
        status: short[2],
        user: short[3],
        group: short[4],
        application: short[5],
        queue: short[6],
        partition: short[7],
        line: short[8].cast_unsigned(),
    }
}

/// Bytes that are written.
struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    #[inline(never)]
    fn text(&mut self, text: &str) {
        self.number(text.len() as i64);
        self.0.extend_from_slice(text.as_bytes());
    }

    #[inline(never)]
    fn words(&mut self, words: &Words) {
        self.number(words.len() as i64);
        for word in words.iter() {
            self.text(word);
        }
    }

    /// Writes the trace without the values for each record.
    fn bare(&mut self, trace: &Trace) {
        for text in [&trace.name, &trace.format, &trace.sha256] {
            self.text(text);
        }
        self.number(trace.header.len() as i64);
        for line in &trace.header {
            self.text(line);
        }
        let report = &trace.report;
        for number in [report.read, report.kept, report.rules.len() as u64] {
            self.number(number.cast_signed());
        }
        for rule in &report.rules {
            self.text(&rule.id);
            self.text(&rule.text);
            self.number(rule.effect as i64);
            self.number(rule.count.cast_signed());
            self.number(rule.lines.len() as i64);
            for line in &rule.lines {
                self.number(line.cast_signed());
            }
        }
        self.number(report.columns.len() as i64);
        for note in &report.columns {
            self.text(&note.column);
            self.text(&note.text);
        }
        let names = &trace.names;
        for words in [
            &names.users,
            &names.groups,
            &names.applications,
            &names.queues,
        ] {
            self.words(words);
        }
        self.number(trace.columns.len() as i64);
        for column in &trace.columns {
            self.text(&column.id);
            self.text(&column.name);
            match &column.values {
                ColumnValues::Numbers(_) => self.number(0),
                ColumnValues::Words { words, .. } => {
                    self.number(1);
                    self.words(words);
                }
            }
        }
        for number in trace.uses.numbers().into_iter().flatten() {
            self.number(number);
        }
    }
}

/// Bytes that are read, and whether others were expected.
struct In<'a>(&'a [u8], bool);

impl<'a> In<'a> {
    /// True if all bytes were read, and no others were expected.
    fn is_over(&self) -> bool {
        self.0.is_empty() && !self.1
    }

    #[inline(never)]
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at_checked(count).unwrap_or_else(|| {
            self.1 = true;
            (&[], &[])
        });
        self.0 = rest;
        taken
    }

    #[inline(never)]
    fn number(&mut self) -> i64 {
        let bytes = self.take(8).first_chunk();
        bytes.map_or(0, |bytes| i64::from_le_bytes(*bytes))
    }

    /// Returns a number of things, each of which has at least a byte.
    #[inline(never)]
    fn count(&mut self) -> usize {
        let count = usize::try_from(self.number()).unwrap_or(usize::MAX);
        if count <= self.0.len() {
            return count;
        }
        self.1 = true;
        0
    }

    #[inline(never)]
    fn text(&mut self) -> String {
        let count = self.count();
        String::from_utf8_lossy(self.take(count)).into_owned()
    }

    #[inline(never)]
    fn words(&mut self, words: &mut Words) {
        for _ in 0..self.count() {
            words.number(&self.text());
        }
    }

    fn bare(&mut self, trace: &mut Trace) {
        for text in [&mut trace.name, &mut trace.format, &mut trace.sha256] {
            *text = self.text();
        }
        for _ in 0..self.count() {
            trace.header.push(self.text());
        }
        let report = &mut trace.report;
        report.read = self.number().cast_unsigned();
        report.kept = self.number().cast_unsigned();
        for _ in 0..self.count() {
            let mut rule = RuleCount {
                id: self.text(),
                text: self.text(),
                effect: match self.number() {
                    0 => Effect::Noted,
                    1 => Effect::Repaired,
                    _ => Effect::Skipped,
                },
                count: self.number().cast_unsigned(),
                lines: Vec::new(),
            };
            for _ in 0..self.count() {
                rule.lines.push(self.number().cast_unsigned());
            }
            report.rules.push(rule);
        }
        for _ in 0..self.count() {
            report.columns.push(ColumnNote {
                column: self.text(),
                text: self.text(),
            });
        }
        let names = &mut trace.names;
        for words in [
            &mut names.users,
            &mut names.groups,
            &mut names.applications,
            &mut names.queues,
        ] {
            self.words(words);
        }
        for _ in 0..self.count() {
            let (id, name) = (self.text(), self.text());
            let values = if self.number() == 0 {
                ColumnValues::Numbers(Vec::new())
            } else {
                let mut words = Words::default();
                self.words(&mut words);
                let numbers = Vec::new();
                ColumnValues::Words { words, numbers }
            };
            trace.columns.push(Column { id, name, values });
        }
        let mut uses = RecordedUses::default().numbers();
        for number in uses.iter_mut().flatten() {
            *number = self.number();
        }
        trace.uses = RecordedUses::of_numbers(uses);
    }
}
