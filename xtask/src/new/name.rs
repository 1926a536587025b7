//! The name of a new part, and the forms that the templates need.

/// The names of Rust's keywords, and of crates that a module of this name would hide.
const RESERVED: &[&str] = &[
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "libm", "loop", "macro", "match", "mod", "move", "mut", "option",
    "override", "priv", "pub", "ref", "return", "self", "serde", "static", "std", "string",
    "struct", "super", "test", "tools", "trait", "true", "try", "type", "typeof", "union",
    "unsafe", "unsized", "use", "vec", "virtual", "where", "while", "yield",
];

/// The longest name: lines of tables, which rustfmt leaves alone, stay within 100 columns.
const LONGEST: usize = 24;

/// A name in the forms that the templates need.
pub struct Name {
    /// As in `--policy NAME`, and the name of its file.
    pub id: String,
    /// As the name of a type.
    pub type_name: String,
    /// As users see it.
    pub title: String,
}

impl Name {
    /// Checks a name and its title. Without a title, users see the name with a capital.
    pub fn new(id: &str, title: Option<&str>) -> Result<Self, String> {
        let is_letter = |letter: char| letter.is_ascii_lowercase();
        let is_allowed =
            |letter: char| is_letter(letter) || letter.is_ascii_digit() || letter == '_';
        if !id.starts_with(is_letter)
            || !id.chars().all(is_allowed)
            || id.ends_with('_')
            || id.contains("__")
        {
            return Err(format!(
                "`{id}` cannot be a name. Begin with a small letter (a to z); small letters, digits \
                    and single underscores may follow."
            ));
        }
        if id.len() > LONGEST {
            return Err(format!("`{id}` is longer than {LONGEST} letters."));
        }
        if RESERVED.contains(&id) {
            return Err(format!(
                "`{id}` means something in Rust or in this project."
            ));
        }
        let is_shown = |letter: char| letter.is_alphanumeric() || " +-.,'()/".contains(letter);
        if let Some(title) = title
            && (title.trim() != title || title.is_empty() || !title.chars().all(is_shown))
        {
            return Err(format!(
                "`{title}` cannot be a title. Use letters, digits, spaces and + - . , ' ( ) /."
            ));
        }
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        Ok(Self {
            id: id.to_owned(),
            type_name: id.split('_').map(capital).collect(),
            title: title.map_or_else(|| capital(&id.replace('_', " ")), str::to_owned),
        })
    }

    /// Fills a template.
    pub fn fill(&self, template: &str) -> String {
        template
            .replace("@name@", &self.id)
            .replace("@Type@", &self.type_name)
            .replace("@Title@", &self.title)
    }
}
