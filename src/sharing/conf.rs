//! slurm.conf without the names of the site. Only keywords of the lists here are kept.

use super::dates::SharedDates;
use super::left_out::Losses;
use super::names::{NameKind, OTHER, SiteNames, is_amount};
use super::words::{DOWN, GENERAL, KindOfValue, NODE, PARTITION, RESERVATION, SCHEDULER, SWITCH};
use crate::cluster::{AdvanceReservation, Cluster, expand};
use crate::limits;
use crate::problem::Problem;
use crate::slurm::{ConfLine, ConfWord, conf_lines, plain};
use crate::time::Span;

/// Rewrites slurm.conf.
pub struct ConfWriter<'a> {
    pub names: &'a mut SiteNames,
    pub losses: &'a mut Losses,
    pub dates: &'a SharedDates,
    pub cluster: &'a Cluster,
}

impl ConfWriter<'_> {
    /// Returns the text without names. The nodes have their numbers already.
    ///
    /// # Errors
    /// Returns a problem if the lists of nodes are too long.
    pub fn text(&mut self, text: &str) -> Result<String, Problem> {
        let mut written = String::new();
        let mut reservations = 0;
        for line in conf_lines(&plain(text)) {
            let words = match line.words.first().map(|word| word.key.as_str()) {
                Some("nodename") => self.described(&line, NODE)?,
                Some("partitionname") => self.described(&line, PARTITION)?,
                Some("switchname") => self.described(&line, SWITCH)?,
                Some("downnodes") => self.described(&line, DOWN)?,
                Some("reservationname") => self.reservation(&line, &mut reservations)?,
                _ => self.words(&line.words, GENERAL)?,
            };
            if !words.is_empty() {
                written.push_str(&words.join(" "));
                written.push('\n');
            }
        }
        Ok(written)
    }

    /// Returns a line that begins with a name, or nothing if the name is unknown.
    fn described(
        &mut self,
        line: &ConfLine,
        known: &[(&str, KindOfValue)],
    ) -> Result<Vec<String>, Problem> {
        let (first, rest) = line.words.split_at(1);
        let is_default = first[0].value.eq_ignore_ascii_case("default");
        let mut words = if is_default {
            vec![format!("{}=DEFAULT", first[0].written)]
        } else {
            self.words(first, known)?
        };
        if !words.is_empty() {
            words.extend(self.words(rest, known)?);
        }
        Ok(words)
    }

    fn words(
        &mut self,
        words: &[ConfWord],
        known: &[(&str, KindOfValue)],
    ) -> Result<Vec<String>, Problem> {
        let mut kept = Vec::new();
        for word in words {
            let kind = known.iter().find(|(key, _)| *key == word.key);
            let value = match kind {
                Some((_, kind)) => self.value(kind, word)?,
                None => None,
            };
            match value {
                Some(value) => kept.push(format!("{}={value}", word.written)),
                None => self.losses.count(&word.written),
            }
        }
        Ok(kept)
    }

    /// Returns a value without names. A value of no known form becomes [`OTHER`], because a line without
    /// it would let an earlier one count. `None` leaves the keyword out.
    fn value(&mut self, kind: &KindOfValue, word: &ConfWord) -> Result<Option<String>, Problem> {
        let value = word.value.as_str();
        if value.is_empty() {
            return Ok(Some(String::new()));
        }
        Ok(Some(match kind {
            KindOfValue::Amount if is_amount(value) => value.to_owned(),
            KindOfValue::Amount => self.other(word),
            KindOfValue::Words(known) => self.fixed(known, word),
            KindOfValue::Names(kind) => self.names.list(*kind, value, &["ALL", "NONE", "(null)"]),
            KindOfValue::One(kind) => self.names.of(*kind, value),
            KindOfValue::Nodes if value.eq_ignore_ascii_case("all") => value.to_owned(),
            KindOfValue::Nodes => return self.names.nodes(value),
            KindOfValue::Reached => self.names.known_nodes(value)?,
            KindOfValue::Switches => {
                let names = expand(value, limits::SWITCHES)?;
                let names = names
                    .iter()
                    .map(|name| self.names.of(NameKind::Switch, name));
                names.collect::<Vec<_>>().join(",")
            }
            KindOfValue::Tres => match self.names.tres(value) {
                Some(tres) => tres,
                None => self.other(word),
            },
            KindOfValue::Licences => self.licences(value),
            KindOfValue::Resources => self.resources(value),
            KindOfValue::Options => self.options(value),
            KindOfValue::Lifetime => {
                let lifetime = value.split(',').find_map(|word| {
                    let seconds = word.trim().strip_prefix("cred_expire=")?;
                    seconds.parse::<u32>().ok()
                });
                return Ok(lifetime.map(|seconds| format!("cred_expire={seconds}")));
            }
        }))
    }

    fn other(&mut self, word: &ConfWord) -> String {
        self.losses.count(&format!("value of {}", word.written));
        OTHER.to_owned()
    }

    /// Returns a list of fixed words, each of which can have a number behind a colon.
    fn fixed(&mut self, known: &[&str], word: &ConfWord) -> String {
        let mut lost = false;
        let mut of_piece = |piece: &str| {
            let (bare, rest) = piece.split_once(':').unwrap_or((piece, ""));
            let is_known = known.iter().any(|one| one.eq_ignore_ascii_case(bare));
            if is_amount(piece) || is_known && (rest.is_empty() || is_amount(rest)) {
                return piece.to_owned();
            }
            lost = true;
            OTHER.to_owned()
        };
        let words: Vec<String> = word
            .value
            .split(',')
            .map(|one| of_piece(one.trim()))
            .collect();
        if lost {
            self.other(word);
        }
        words.join(",")
    }

    /// Returns `name:count` items with new names.
    fn licences(&mut self, list: &str) -> String {
        let items = list.split(',').filter(|item| !item.is_empty());
        let items: Vec<String> = items.map(|item| licence(self.names, item)).collect();
        items.join(",")
    }

    /// Returns items such as `gpu:a100:4` with new names, without the words in brackets.
    fn resources(&mut self, list: &str) -> String {
        let items = list.split(',').filter(|item| !item.is_empty());
        let mut of_item = |item: &str| {
            let mut parts = item.split('(').next().unwrap_or_default().split(':');
            let name = parts.next().filter(|name| !name.is_empty());
            let mut new =
                name.map_or_else(String::new, |name| self.names.of(NameKind::Resource, name));
            for part in parts {
                new.push(':');
                if part == "no_consume" || is_amount(part) {
                    new.push_str(part);
                } else {
                    new.push_str(&self.names.of(NameKind::ResourceType, part));
                }
            }
            new
        };
        let items: Vec<String> = items.map(&mut of_item).collect();
        items.join(",")
    }

    /// Returns the options of `SchedulerParameters` that are known.
    fn options(&mut self, list: &str) -> String {
        let mut kept = Vec::new();
        for option in list.split(',').map(str::trim) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let is_known = SCHEDULER.iter().any(|one| one.eq_ignore_ascii_case(key));
            if option.is_empty() {
            } else if !is_known {
                self.losses.count(key);
            } else if value.is_empty() || is_amount(value) {
                kept.push(option.to_owned());
            } else {
                self.losses.count(&format!("value of {key}"));
                kept.push(format!("{key}={OTHER}"));
            }
        }
        kept.join(",")
    }

    /// Returns the next advance reservation of the cluster, with its times shifted.
    fn reservation(&mut self, line: &ConfLine, from: &mut usize) -> Result<Vec<String>, Problem> {
        let name = line.words[0].value.as_str();
        let rest = &self.cluster.advance[*from..];
        let Some(place) = rest.iter().position(|one| one.name == name) else {
            self.losses.count(&line.words[0].written);
            return Ok(Vec::new());
        };
        let one = &rest[place];
        *from += place + 1;
        let Some(start) = self.dates.of(one.from, one.is_dated) else {
            self.losses.count(&line.words[0].written);
            return Ok(Vec::new());
        };
        let mut words = vec![
            format!(
                "ReservationName={}",
                self.names.of(NameKind::Reservation, name)
            ),
            format!("StartTime={start}"),
            format!("Duration={}", duration(one)),
        ];
        let kept = line.words[1..].iter();
        let kept: Vec<ConfWord> = kept
            .filter(|word| !["starttime", "endtime", "duration"].contains(&word.key.as_str()))
            .cloned()
            .collect();
        words.extend(self.words(&kept, RESERVATION)?);
        Ok(words)
    }
}

/// Returns the length of a period as Slurm writes it.
fn duration(one: &AdvanceReservation) -> String {
    let seconds = one.length.microseconds() / Span::from_seconds(1).microseconds();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!(
        "{days}-{:02}:{:02}:{:02}",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// Returns an item `name:count` or `name=count` with a new name.
pub fn licence(names: &mut SiteNames, item: &str) -> String {
    let item = item.trim();
    match item.rsplit_once([':', '=']) {
        Some((name, count)) if count.parse::<u32>().is_ok() => {
            format!("{}:{count}", names.of(NameKind::Licence, name))
        }
        _ => names.of(NameKind::Licence, item),
    }
}
