//! Generic resources (GRES) such as GPUs: what nodes have, and what jobs ask for on each of their nodes.
//! They are counted; no GPU belongs to certain cores.

use super::text::words::{ConfWord, INFINITE};
use crate::problem::Problem;

/// The most kinds of generic resources that a configuration has.
const MOST_KINDS: usize = 64;

/// The name of the resource that counts as a TRES.
const GPU: &str = "gpu";

/// A kind of generic resource: a name, and a type if the nodes give one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GresKind {
    name: String,
    model: String,
}

/// The kinds of generic resources that nodes have.
#[derive(Clone, Debug, Default)]
pub(super) struct GresKinds {
    /// The names of `GresTypes`.
    names: Vec<String>,
    kinds: Vec<GresKind>,
}

/// A generic resource that a job asks for on each of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GresAsk {
    /// The kinds that fulfil it.
    pub kinds: Vec<usize>,
    pub is_gpu: bool,
    pub count: i64,
}

/// The generic resources that a job has on a node.
#[derive(Copy, Clone, Debug)]
pub(super) struct GresShare {
    pub node: u32,
    pub kind: u32,
    pub count: i64,
}

/// The generic resources in use, node by node.
#[derive(Clone, Debug, Default)]
pub(super) struct GresUse {
    kinds: usize,
    counts: Vec<i64>,
}

impl GresUse {
    pub fn new(nodes: usize, kinds: usize) -> Self {
        Self {
            kinds,
            counts: vec![0; nodes * kinds],
        }
    }

    /// Returns the counts by kind on a node.
    pub fn on(&self, node: usize) -> &[i64] {
        &self.counts[node * self.kinds..][..self.kinds]
    }

    /// True if a node has some in use.
    pub fn is_any(&self, node: usize) -> bool {
        self.on(node).iter().any(|count| *count > 0)
    }

    /// Counts what a job has, or, with the sign -1, takes it off.
    pub fn count(&mut self, shares: &[GresShare], sign: i64) {
        for share in shares {
            let at = share.node as usize * self.kinds + share.kind as usize;
            self.counts[at] += sign * share.count;
        }
    }
}

impl GresKinds {
    pub fn new(types: &str) -> Self {
        let names = types.split(',').map(str::trim);
        Self {
            names: names
                .filter(|name| !name.is_empty())
                .map(Into::into)
                .collect(),
            kinds: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Reads what a node has: items such as `gpu:2`, `gpu:a100:4(S:0-1)`. A name that `GresTypes` does not
    /// have is dropped (`gres_name_filter`). Returns the counts by kind, as far as kinds are known so far.
    pub fn of_node(&mut self, word: &ConfWord) -> Result<Vec<i64>, Problem> {
        let mut counts = vec![0; self.kinds.len()];
        for item in word.value.split(',').filter(|item| !item.is_empty()) {
            let read = split(item);
            let (name, model, count) = read.ok_or_else(|| {
                word.problem("A resource is for example `gpu:4` or `gpu:a100:4`.")
            })?;
            if !self.names.iter().any(|known| known == name) {
                continue;
            }
            let kind = GresKind {
                name: name.into(),
                model: model.into(),
            };
            let at = match self.kinds.iter().position(|known| *known == kind) {
                Some(at) => at,
                None if self.kinds.len() == MOST_KINDS => {
                    return Err(word.problem("The nodes have too many kinds of resources."));
                }
                None => {
                    self.kinds.push(kind);
                    counts.push(0);
                    self.kinds.len() - 1
                }
            };
            counts[at] = (counts[at] + count).min(INFINITE);
        }
        Ok(counts)
    }

    /// Reads what a job asks for (`gres_job_state_validate`): items such as `gpu:2`, `gpu:a100:1`.
    pub fn asked(&self, text: &str) -> Result<Vec<GresAsk>, Problem> {
        let mut asks = Vec::new();
        let items = text.split(',').map(str::trim);
        for item in items.filter(|item| !item.is_empty() && !item.eq_ignore_ascii_case("none")) {
            let read = split(item.strip_prefix("gres:").unwrap_or(item));
            let known = read.filter(|(name, ..)| self.names.iter().any(|known| known == name));
            let Some((name, model, count)) = known else {
                let item: String = item.chars().take(60).collect();
                return Err(Problem::new(
                    format!("`{item}` is no generic resource of the cluster."),
                    "A job asks for a resource of `GresTypes`, such as `gpu:2`.",
                    "Name a resource of the configuration.",
                ));
            };
            let kinds = (0..)
                .zip(&self.kinds)
                .filter(|(_, kind)| kind.name == name && (model.is_empty() || kind.model == model));
            if count > 0 {
                asks.push(GresAsk {
                    kinds: kinds.map(|(at, _)| at).collect(),
                    is_gpu: name == GPU,
                    count,
                });
            }
        }
        Ok(asks)
    }

    /// Returns the GPUs among counts by kind.
    pub fn gpus(&self, counts: &[i64]) -> i64 {
        let all = self.kinds.iter().zip(counts);
        all.filter(|(kind, _)| kind.name == GPU)
            .map(|(_, count)| count)
            .sum()
    }
}

/// Splits an item into a name, a type (empty if there is none) and a count.
fn split(item: &str) -> Option<(&str, &str, i64)> {
    let item = item.split('(').next()?;
    let mut parts = item.split(':').filter(|part| *part != "no_consume");
    let name = parts.next().filter(|name| !name.is_empty())?;
    match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => Some((name, "", 1)),
        (Some(last), None, _) => match number(last) {
            Some(count) => Some((name, "", count)),
            None if last.starts_with(|char: char| char.is_ascii_digit()) => None,
            None => Some((name, last, 1)),
        },
        (Some(model), Some(last), None) => Some((name, model, number(last)?)),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1 << 10),
        b'm' | b'M' => (&text[..text.len() - 1], 1 << 20),
        b'g' | b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let count: u32 = digits.parse().ok()?;
    Some((i64::from(count) * factor).min(INFINITE))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn reads_items() {
        assert_eq!(split("gpu"), Some(("gpu", "", 1)));
        assert_eq!(split("gpu:2"), Some(("gpu", "", 2)));
        assert_eq!(split("gpu:a100"), Some(("gpu", "a100", 1)));
        assert_eq!(split("gpu:a100:4(S:0-1)"), Some(("gpu", "a100", 4)));
        assert_eq!(split("lustre:2K"), Some(("lustre", "", 2048)));
        assert_eq!(split("bandwidth:no_consume:4"), Some(("bandwidth", "", 4)));
        assert_eq!(split("gpu:4x"), None);
        assert_eq!(split(":4"), None);
        assert_eq!(split("a:b:c:4"), None);
    }
}
