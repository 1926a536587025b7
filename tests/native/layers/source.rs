//! The references of a source file, read from its syntax tree.
//!
//! Test modules are left out. A name inside of a macro's arguments counts like any other.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, Path, UseTree};

/// A source file below src/.
pub struct Source {
    /// Its path below src/, with forward slashes.
    pub path: String,
    /// The module that it is.
    pub module: Vec<String>,
    /// Every path in it, as it is written: `crate::time::Time`, `super::Space`.
    pub paths: Vec<Vec<String>>,
    /// Names that its `use` items bring in, each with the path that it stands for.
    pub imports: BTreeMap<String, Vec<String>>,
    /// The imports that it re-exports.
    pub exports: BTreeMap<String, Vec<String>>,
    /// Modules of which it re-exports all names.
    pub globs: Vec<Vec<String>>,
    /// Names of the methods that it calls.
    pub methods: Vec<String>,
    /// Names of the macros that it uses.
    pub macros: Vec<String>,
}

impl Source {
    /// Reads a file's text.
    pub fn read(path: &str, text: &str) -> Self {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("src/{path}: {error}"));
        let mut source = Self {
            path: path.into(),
            module: module(path),
            paths: Vec::new(),
            imports: BTreeMap::new(),
            exports: BTreeMap::new(),
            globs: Vec::new(),
            methods: Vec::new(),
            macros: Vec::new(),
        };
        source.visit_file(&file);
        source
    }

    fn import(&mut self, tree: &UseTree, before: &[String], is_handed_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let mut take = |name: String, path: Vec<String>| {
            self.paths.push(path.clone());
            if is_handed_on {
                self.exports.insert(name.clone(), path.clone());
            }
            self.imports.insert(name, path);
        };
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_handed_on),
            UseTree::Name(name) if name.ident == "self" => {
                take(before.last().cloned().unwrap_or_default(), before.to_vec());
            }
            UseTree::Name(name) => take(name.ident.to_string(), with(&name.ident)),
            UseTree::Rename(name) => take(name.rename.to_string(), with(&name.ident)),
            UseTree::Glob(_) => {
                self.paths.push(before.to_vec());
                if is_handed_on {
                    self.globs.push(before.to_vec());
                }
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, is_handed_on);
                }
            }
        }
    }

    /// Finds paths among tokens: names with two colons between them.
    fn scan(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::<String>::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons < 2 {
                        self.paths.push(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Punct(mark) => {
                    if mark.as_char() == '!' && path.len() == 1 {
                        self.macros.push(path[0].clone());
                    }
                    self.paths.push(std::mem::take(&mut path));
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.paths.push(std::mem::take(&mut path));
                    colons = 0;
                    self.scan(group.stream());
                }
                TokenTree::Literal(_) => {}
            }
        }
        self.paths.push(path);
    }
}

/// The module that a file below src/ is; a program's files are modules of `bin`.
fn module(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let names = path
        .split('/')
        .filter(|name| !["mod", "lib", "main", "schedscope"].contains(name));
    names.map(str::to_owned).collect()
}

fn is_test(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<Path>()
                .is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(ItemMod { attrs, .. }) if is_test(attrs) => {}
            Item::Use(ItemUse { attrs, .. }) if is_test(attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_handed_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &[], is_handed_on);
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast Path) {
        self.paths.push(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect(),
        );
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.methods.push(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, invoked: &'ast Macro) {
        self.macros.extend(
            invoked
                .path
                .segments
                .last()
                .map(|name| name.ident.to_string()),
        );
        self.scan(invoked.tokens.clone());
        visit::visit_macro(self, invoked);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.scan(list.tokens.clone());
        }
    }
}
