//! The description that the author of a policy gives, and its rules.

use crate::limits;
use crate::param::{Choice, Kind, Param, Settings, Typed, Value, whole};
use crate::policy::tools::prediction::{CORRECTION, ESTIMATES};
use crate::policy::tools::spec::{Needs, Spec};
use crate::problem::Problem;
use serde_json::Value as Json;

/// The seed of the random numbers that an own policy draws.
pub const SEED: Typed<i64> = whole("policy_seed", "Policy's seed", 0..=u32::MAX as i64, 1)
    .help("Seed of the random numbers that the policy draws; it has no effect if it draws none");

/// The description of a policy by its author.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Id of the policy: a small letter, then small letters, digits, `-` and `_`.
    id: String,
    /// The name that forms and tables show; the id if there is none.
    name: String,
    /// One sentence that says what the policy does.
    summary: String,
    /// Publication that describes the policy.
    paper: String,
    /// Requirement on the machine.
    needs: Needs,
    /// Parameters, in the order of forms.
    params: Vec<Param>,
    /// SHA-256 of the code; empty if nobody has told it.
    code: String,
}

impl Definition {
    /// Reads the JSON object of a definition. Its fields are `id`, and possibly `name`, `summary`,
    /// `paper`, `needs` (`room` or `counts`) and `params`.
    ///
    /// # Errors
    /// Returns a problem that names the field that breaks a rule.
    pub fn read(json: &Json) -> Result<Self, Problem> {
        let fields = JsonFields::of("The policy", json)?;
        fields.check(&["id", "name", "summary", "paper", "needs", "params"])?;
        let id = fields
            .text("id")?
            .ok_or_else(|| fields.wrong("id", "there"))?;
        check_id(&id)?;
        let needs = match fields.text("needs")?.as_deref() {
            None | Some("room") => Needs::Room,
            Some("counts") => Needs::Counts,
            Some(_) => return Err(fields.wrong("needs", "`room` or `counts`")),
        };
        let mut params: Vec<Param> = Vec::new();
        for param in fields.list("params")? {
            let param = read_param(param)?;
            if params.iter().any(|other| other.key == param.key) {
                return Err(Problem::new(
                    format!("Two parameters have the key `{}`.", param.key),
                    "Settings name a parameter by its key.",
                    "Give one of them another key.",
                ));
            }
            params.push(param);
        }
        Ok(Self {
            name: fields.text("name")?.unwrap_or_else(|| id.clone()),
            id,
            summary: fields.text("summary")?.unwrap_or_default(),
            paper: fields.text("paper")?.unwrap_or_default(),
            needs,
            params,
            code: String::new(),
        })
    }

    /// Returns the definition of the code with this SHA-256.
    #[must_use]
    pub fn of_code(mut self, sha256: String) -> Self {
        self.code = sha256;
        self
    }

    /// Returns the SHA-256 of the code; an empty text if nobody has told it.
    pub(super) fn code(&self) -> &str {
        &self.code
    }

    /// Returns the id of the policy.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the spec that the definition describes, which builds nothing yet.
    pub(super) fn shown(self) -> Spec {
        let mut params = self.params;
        params.extend([ESTIMATES.param, CORRECTION.param, SEED.param]);
        Spec {
            id: kept(self.id),
            name: kept(self.name),
            summary: kept(self.summary),
            paper: kept(self.paper),
            needs: self.needs,
            params: Vec::leak(params),
            check: &|_| Ok(Vec::new()),
            build: &|_| Box::new(super::guest::Nobody),
        }
    }
}

fn check_id(id: &str) -> Result<(), Problem> {
    if is_word(id, "-_") {
        return Ok(());
    }
    Err(Problem::new(
        format!("`{}` cannot be the id of a policy.", cut(id)),
        "An id is a small letter and up to 39 more small letters, digits, `-` and `_`.",
        "Correct `id`.",
    ))
}

/// Reads a parameter, and checks its default.
fn read_param(json: &Json) -> Result<Param, Problem> {
    let fields = JsonFields::of("The parameter", json)?;
    fields.check(&[
        "key", "name", "type", "min", "max", "options", "default", "unit", "help",
    ])?;
    let key = fields.text("key")?.unwrap_or_default();
    if !is_word(&key, "_") {
        return Err(Problem::new(
            format!("`{}` cannot be the key of a parameter.", cut(&key)),
            "A key is a small letter and up to 39 more small letters, digits and `_`.",
            "Correct `key`.",
        ));
    }
    let fields = JsonFields::of(&format!("The parameter `{key}`"), json)?;
    let (kind, default) = match fields.text("type")?.as_deref() {
        Some("whole") => {
            let default = fields.number("default")?;
            let whole = |field: &str| {
                let number = fields.number(field)?;
                let is_whole = number.fract() == 0.0 && number.abs() <= 9e15;
                if is_whole {
                    Ok(number as i64)
                } else {
                    Err(fields.wrong(field, "a whole number"))
                }
            };
            let kind = Kind::Whole {
                min: whole("min")?,
                max: whole("max")?,
                default: Some(default as i64),
            };
            (kind, Value::Number(default))
        }
        Some("real") => {
            let default = fields.number("default")?;
            let kind = Kind::Real {
                min: fields.number("min")?,
                max: fields.number("max")?,
                default,
            };
            (kind, Value::Number(default))
        }
        Some("choice") => {
            let mut options = Vec::new();
            for option in fields.list("options")? {
                let fields = JsonFields::of("The option", option)?;
                fields.check(&["id", "help"])?;
                let id = fields.text("id")?.unwrap_or_default();
                let is_twice = options.iter().any(|other: &Choice| other.id == id);
                if !is_word(&id, "-_") || is_twice {
                    return Err(fields.wrong("id", "a word of its own in small letters"));
                }
                options.push(Choice {
                    id: kept(id),
                    help: kept(fields.text("help")?.unwrap_or_default()),
                });
            }
            let default = fields.text("default")?.unwrap_or_default();
            let kind = Kind::Choice {
                options: Vec::leak(options),
                default: kept(default.clone()),
            };
            (kind, Value::Text(default))
        }
        _ => return Err(fields.wrong("type", "`whole`, `real` or `choice`")),
    };
    let param = Param {
        name: kept(fields.text("name")?.unwrap_or_else(|| key.clone())),
        key: kept(key),
        kind,
        unit: kept(fields.text("unit")?.unwrap_or_default()),
        when: None,
        help: kept(fields.text("help")?.unwrap_or_default()),
    };
    param.check(&default).map_err(|problem| Problem {
        next: "Correct the parameter's `default`.".to_owned(),
        ..problem
    })?;
    if [ESTIMATES.key, CORRECTION.key, SEED.key].contains(&param.key) {
        return Err(taken(&param, "policy that every own policy has"));
    }
    Ok(param)
}

/// Returns the problem of a parameter whose key something else has.
pub fn taken(param: &Param, by: &str) -> Problem {
    Problem::new(
        format!("The policy cannot have a parameter `{}` here.", param.key),
        format!("A parameter of the {by} has the same key."),
        "Give the policy's parameter another key.",
    )
}

/// The fields of a JSON object, which `what` names in messages.
struct JsonFields<'a> {
    what: String,
    fields: &'a serde_json::Map<String, Json>,
}

impl<'a> JsonFields<'a> {
    fn of(what: &str, json: &'a Json) -> Result<Self, Problem> {
        json.as_object()
            .map(|fields| Self {
                what: what.to_owned(),
                fields,
            })
            .ok_or_else(|| {
                Problem::new(
                    format!("{what} is not an object."),
                    "A policy, its parameters and their options are objects.",
                    "Write it as docs/policies/own.md shows.",
                )
            })
    }

    fn check(&self, known: &[&str]) -> Result<(), Problem> {
        let other = self.fields.keys().find(|key| !known.contains(&&***key));
        other.map_or(Ok(()), |key| {
            Err(Problem::new(
                format!("{} has a field `{}`.", self.what, cut(key)),
                format!("Its fields are: {}.", known.join(", ")),
                "Correct the name of the field, or remove it.",
            ))
        })
    }

    fn wrong(&self, field: &str, wanted: &str) -> Problem {
        Problem::new(
            format!("{}: the field `{field}` is not {wanted}.", self.what),
            "docs/policies/own.md has the type of each field.",
            format!("Correct `{field}`."),
        )
    }

    fn text(&self, field: &str) -> Result<Option<String>, Problem> {
        let Some(value) = self.fields.get(field) else {
            return Ok(None);
        };
        let text = value.as_str().ok_or_else(|| self.wrong(field, "a text"))?;
        limits::check_name(&format!("{}: the field `{field}`", self.what), text)?;
        Ok(Some(text.to_owned()))
    }

    fn number(&self, field: &str) -> Result<f64, Problem> {
        let number = self.fields.get(field).and_then(Json::as_f64);
        number.ok_or_else(|| self.wrong(field, "a number"))
    }

    fn list(&self, field: &str) -> Result<&'a [Json], Problem> {
        let Some(value) = self.fields.get(field) else {
            return Ok(&[]);
        };
        let list = value
            .as_array()
            .ok_or_else(|| self.wrong(field, "a list"))?;
        limits::check(
            &format!("{}: the list `{field}`", self.what),
            list.len(),
            limits::OWN_PARAMS,
            "entries",
        )?;
        Ok(list)
    }
}

/// Keeps a text for as long as the program runs.
fn kept(text: String) -> &'static str {
    String::leak(text)
}

fn is_word(text: &str, more: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase();
    (1..=40).contains(&text.len())
        && text.starts_with(is_letter)
        && text
            .chars()
            .all(|c| is_letter(c) || c.is_ascii_digit() || more.contains(c))
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Returns the values of all parameters, with their defaults, as the code of the policy gets them.
pub(super) fn values(params: &[Param], settings: &Settings) -> String {
    let value = |param: &Param| match param.kind {
        Kind::Whole { .. } => settings.whole(param).into(),
        Kind::Real { .. } => settings.real(param).into(),
        Kind::Choice { .. } | Kind::Text {} | Kind::Lines {} | Kind::Policies { .. } => {
            settings.choice(param).into()
        }
    };
    let mut values = serde_json::Map::new();
    for param in params {
        values.insert(param.key.to_owned(), value(param));
    }
    Json::Object(values).to_string()
}
