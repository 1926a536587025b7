//! The numbered names that stand for the names of a site, the same in all of its files.

use super::nodes::ranges;
use crate::cluster::expand;
use crate::limits;
use crate::problem::Problem;
use crate::slurm::natural_key;
use crate::sorting;
use std::collections::BTreeMap;

/// A kind of names of a site.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A user.
    User,
    /// An account, or a group of users: the log calls accounts groups.
    Account,
    /// A partition, or a queue.
    Partition,
    /// A quality of service.
    Qos,
    /// A feature of nodes.
    Feature,
    /// A licence.
    Licence,
    /// A generic resource.
    Resource,
    /// The type of a generic resource.
    ResourceType,
    /// A cluster.
    Cluster,
    /// An advance reservation.
    Reservation,
    /// A switch.
    Switch,
}

/// The start of the new names of each kind, and the names that Slurm gives a meaning. Those stay.
const KINDS: [(NameKind, &str, &[&str]); 11] = [
    (NameKind::User, "u", &["root"]),
    (NameKind::Account, "a", &["root"]),
    (NameKind::Partition, "p", &[]),
    (NameKind::Qos, "q", &["normal"]),
    (NameKind::Feature, "f", &[]),
    (NameKind::Licence, "lic", &[]),
    (NameKind::Resource, "gres", &["gpu", "mps", "shard"]),
    (NameKind::ResourceType, "type", &[]),
    (NameKind::Cluster, "c", &[]),
    (NameKind::Reservation, "resv", &[]),
    (NameKind::Switch, "s", &[]),
];

/// Resources that Slurm counts in every cluster.
const COUNTED: [&str; 10] = [
    "cpu", "mem", "energy", "node", "billing", "vmem", "pages", "1", "2", "4",
];

/// The word for a value that is neither known nor a name.
pub const OTHER: &str = "other";

/// The largest number of names of nodes in all lists of a site together. A text of a few bytes can list a
/// hundred thousand nodes.
const LISTED_NODES: usize = 4 * limits::PARTITION_NODES;

/// The largest number of names in the lists of nodes of a log.
const LOGGED_NODES: usize = 50_000_000;

/// The new names of a kind.
#[derive(Debug, Default)]
struct NumberedNames {
    /// By the name as written.
    new: BTreeMap<String, String>,
    /// The number of each name and of its spellings, by the name in small letters.
    numbers: BTreeMap<String, (usize, usize)>,
}

/// The new names of a site.
#[derive(Debug, Default)]
pub struct SiteNames {
    kinds: [NumberedNames; KINDS.len()],
    nodes: BTreeMap<String, u32>,
    /// Names in the lists of nodes so far: in slurm.conf, and in the log.
    listed: usize,
    logged: usize,
}

impl SiteNames {
    /// Returns the new name for a name of the site. Names that differ in case only get new names that
    /// differ in case only, because some readers tell them apart and others do not.
    pub fn of(&mut self, kind: NameKind, name: &str) -> String {
        let (_, start, fixed) = KINDS[kind as usize];
        if let Some(fixed) = fixed.iter().find(|word| word.eq_ignore_ascii_case(name)) {
            return if *fixed == name {
                name.to_owned()
            } else {
                fixed.to_ascii_uppercase()
            };
        }
        let known = &mut self.kinds[kind as usize];
        if let Some(new) = known.new.get(name) {
            return new.clone();
        }
        let next = known.numbers.len() + 1;
        let entry = known.numbers.entry(name.to_lowercase());
        let (number, spellings) = entry.or_insert((next, 0));
        let new = match *spellings {
            0 => format!("{start}{number}"),
            1 => format!("{}{number}", start.to_ascii_uppercase()),
            // Further spellings are as good as other names.
            more => format!("{start}{number}x{more}"),
        };
        *spellings += 1;
        known.new.insert(name.to_owned(), new.clone());
        new
    }

    /// Returns the new names for a list with commas. Each can have a sign in front. The words of `kept` stay.
    pub fn list(&mut self, kind: NameKind, list: &str, kept: &[&str]) -> String {
        let names = list
            .split(',')
            .map(|name| name.trim().trim_matches(['\'', '"']));
        let names = names.filter(|name| !name.is_empty()).map(|name| {
            let bare = name.trim_start_matches(['+', '-']);
            let sign = &name[..usize::from(bare.len() < name.len())];
            match kept.iter().find(|word| word.eq_ignore_ascii_case(bare)) {
                Some(word) => format!("{sign}{word}"),
                None => format!("{sign}{}", self.of(kind, bare)),
            }
        });
        names.collect::<Vec<_>>().join(",")
    }

    /// Returns a list of trackable resources with new names, such as `cpu=10,gres/gpu:type1=2`. Unknown
    /// ones become `other`: they still count as an item. Returns `None` if a value is no amount.
    pub fn tres(&mut self, list: &str) -> Option<String> {
        let mut kept = Vec::new();
        for item in list.split(',').map(str::trim) {
            if item.is_empty() {
                continue;
            }
            let (name, value) = match item.split_once('=') {
                Some((_, value)) if !is_amount(value) => return None,
                Some((name, value)) => (name, format!("={}", value.trim())),
                None => (item, String::new()),
            };
            let name = name.trim();
            let new = match name.split_once('/') {
                None => {
                    let is_known = COUNTED.iter().any(|one| one.eq_ignore_ascii_case(name));
                    is_known.then(|| name.to_owned())
                }
                Some((class, name)) if class.eq_ignore_ascii_case("gres") => {
                    let (name, model) = name.split_once(':').unwrap_or((name, ""));
                    let mut new = format!("gres/{}", self.of(NameKind::Resource, name));
                    if !model.is_empty() {
                        new.push(':');
                        new.push_str(&self.of(NameKind::ResourceType, model));
                    }
                    Some(new)
                }
                Some((class, name)) if class.eq_ignore_ascii_case("license") => {
                    Some(format!("license/{}", self.of(NameKind::Licence, name)))
                }
                Some(_) => None,
            };
            kept.push(new.unwrap_or_else(|| OTHER.to_owned()) + &value);
        }
        Some(kept.join(","))
    }

    /// Numbers the nodes of a cluster in Slurm's order, so that ties between nodes come out as before.
    pub fn number_nodes(&mut self, names: &[String]) {
        let sorted = sorting::set(names.iter().map(|name| (natural_key(name), name)));
        self.nodes = sorting::map(
            (1..)
                .zip(sorted)
                .map(|(number, (_, name))| (name.clone(), number)),
        );
    }

    /// Returns a list of nodes with new names. Returns `None` if it is no list, or names an unknown node.
    ///
    /// # Errors
    /// Returns a problem if all lists together name too many nodes.
    pub fn nodes(&mut self, list: &str) -> Result<Option<String>, Problem> {
        let Ok(names) = expand(list, limits::CLUSTER_NODES) else {
            return Ok(None);
        };
        self.listed += names.len();
        limits::check("The lists of nodes", self.listed, LISTED_NODES, "nodes")?;
        Ok(self.numbered(&names))
    }

    /// Returns those nodes of a list that are known, with new names; the name of no node if there are none.
    ///
    /// # Errors
    /// Returns a problem if the text is no list, or if all lists together are too long.
    pub fn known_nodes(&mut self, list: &str) -> Result<String, Problem> {
        let mut names = expand(list, limits::CLUSTER_NODES)?;
        self.listed += names.len();
        limits::check("The lists of nodes", self.listed, LISTED_NODES, "nodes")?;
        names.retain(|name| self.nodes.contains_key(name));
        let known = self.numbered(&names).filter(|list| !list.is_empty());
        Ok(known.unwrap_or_else(|| "unknown".to_owned()))
    }

    /// Returns a list of nodes of the log with new names; nothing if it is no list, if it names an unknown
    /// node, or if all lists before it together name very many nodes.
    pub fn logged_nodes(&mut self, list: &str) -> String {
        if self.logged > LOGGED_NODES {
            return String::new();
        }
        let names = expand(list, limits::CLUSTER_NODES);
        // A text that is no list can take as long as the longest one.
        self.logged += names.as_ref().map_or(limits::CLUSTER_NODES, Vec::len);
        let numbered = names.ok().and_then(|names| self.numbered(&names));
        numbered.unwrap_or_default()
    }

    fn numbered(&self, names: &[String]) -> Option<String> {
        let numbers = names.iter().map(|name| self.nodes.get(name).copied());
        let numbers: Option<Vec<u32>> = numbers.collect();
        Some(ranges(&numbers?))
    }
}

/// True for a number, a time or an amount, and for the words that stand for one. No name is one.
pub fn is_amount(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "infinite",
        "unlimited",
        "none",
        "no",
        "yes",
        "true",
        "false",
        "default",
        "parent",
    ];
    let text = text.trim();
    if WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return true;
    }
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let units = ["", "K", "M", "G", "T", "P", "KB", "MB", "GB", "TB"];
    let is_digit = |char: char| char.is_ascii_digit() || ".:-+".contains(char);
    digits.starts_with(is_digit)
        && digits.contains(|char: char| char.is_ascii_digit())
        && digits.len() <= 24
        && digits.matches('.').count() <= 1
        && digits.chars().all(is_digit)
        && units.contains(&unit.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart_and_words_of_slurm_stay() {
        let mut names = SiteNames::default();
        let mut user = |name: &str| names.of(NameKind::User, name);
        let new = [
            "ann", "bob", "ann", "ANN", "Ann", "root", "Root", "Änne", "änne",
        ]
        .map(&mut user);
        assert_eq!(
            new,
            ["u1", "u2", "u1", "U1", "u1x2", "root", "ROOT", "u3", "U3"]
        );
        assert_eq!(
            names.list(NameKind::Qos, "+'high',-low, normal", &[]),
            "+q1,-q2,normal"
        );
        assert_eq!(names.list(NameKind::Account, "all", &["ALL"]), "ALL");
        let tres = "cpu=10,Mem=5G,gres/gpu:a100=2,gres/nic,license/x@y=-1,fs/home=1,secret=2";
        let tres = names.tres(tres).unwrap();
        assert_eq!(
            tres,
            "cpu=10,Mem=5G,gres/gpu:type1=2,gres/gres1,license/lic1=-1,other=1,other=2"
        );
        assert_eq!(names.tres("cpu=many"), None);
    }

    #[test]
    fn nodes_are_numbered_in_natural_order() {
        let mut names = SiteNames::default();
        let all = expand("n[9-11],g[1-2],n08", 10).unwrap();
        names.number_nodes(&all);
        let mut of = |list: &str| names.nodes(list).unwrap();
        assert_eq!(of("n[9-11]").unwrap(), "n[4-6]");
        assert_eq!(of("n9,g2,n08").unwrap(), "n[4,2-3]");
        assert_eq!(of("g1").unwrap(), "n1");
        assert_eq!((of("n7"), of("n[")), (None, None));
    }

    #[test]
    fn amounts_are_no_names() {
        for amount in [
            "5",
            "-1",
            "1-00:00:00",
            "0.25G",
            "4GB",
            "UNLIMITED",
            "00:15",
        ] {
            assert!(is_amount(amount), "{amount}");
        }
        for name in [
            "",
            "a",
            "5x",
            "G",
            "10.0.0.1",
            "1e5",
            "5 6",
            "123456789012345678901234567890",
        ] {
            assert!(!is_amount(name), "{name}");
        }
    }
}
