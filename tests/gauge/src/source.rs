//! Reads the source files of a crate: their lines of code and their imports.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, File, Item, ItemUse, UseTree, Visibility};

/// The path of a module from the root of its crate.
type ModulePath = Vec<String>;

/// An imported name: `use path as name`.
struct Import {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

/// A file that is a module of a crate, without its tests.
struct Module {
    lines: usize,
    imports: Vec<Import>,
    defined: BTreeSet<String>,
}

/// The modules of a crate.
pub(crate) struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    /// Reads the files below a folder of sources.
    ///
    /// **Errors.** The errors of reading the files, and of texts that are not Rust.
    pub(crate) fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = Vec::new();
        list(folder, &mut files)?;
        let mut modules = BTreeMap::new();
        for file in files {
            let relative = file.strip_prefix(folder)?.with_extension("");
            let mut path: ModulePath = relative
                .components()
                .map(|part| part.as_os_str().to_string_lossy().into_owned())
                .collect();
            if path
                .iter()
                .any(|part| part == "tests" || part.ends_with("_tests"))
            {
                continue;
            }
            path.pop_if(|last| last == "mod" || last == "lib");
            let text = fs::read_to_string(&file)?;
            let parsed = syn::parse_file(&text).map_err(|e| format!("{}: {e}", file.display()))?;
            modules.insert(path, Module::new(parsed));
        }
        Ok(Self { modules })
    }

    /// Returns the number of lines with code, without comments and tests.
    pub(crate) fn lines(&self) -> usize {
        self.modules.values().map(|module| module.lines).sum()
    }

    /// Returns the files of the largest import cycle: a set in which each file imports each other file, directly or through others. Empty if there is
    /// no cycle.
    pub(crate) fn largest_circle(&self) -> Vec<String> {
        let paths: Vec<&ModulePath> = self.modules.keys().collect();
        let number = |path: &ModulePath| paths.binary_search(&path).ok();
        let mut graph = DiGraphMap::<usize, ()>::new();
        for (from, (path, module)) in self.modules.iter().enumerate() {
            for import in &module.imports {
                let to = self.definition(path, &import.path, &mut BTreeSet::new());
                // Imports between a file and the root of a folder or crate that contains the file are ignored, because they occur in every crate.
                if let Some(to) = to.as_ref().and_then(number)
                    && !path.starts_with(paths[to])
                    && !paths[to].starts_with(path)
                {
                    graph.add_edge(from, to, ());
                }
            }
        }
        let circles = tarjan_scc(&graph);
        let largest = circles.into_iter().max_by_key(Vec::len).unwrap_or_default();
        if largest.len() < 2 {
            return Vec::new();
        }
        let mut names: Vec<String> = largest.into_iter().map(|i| paths[i].join("/")).collect();
        names.sort();
        names
    }

    /// Returns the module that defines the item to which a path refers in another module, and follows `pub use`.
    fn definition(
        &self,
        module: &ModulePath,
        path: &[String],
        seen: &mut BTreeSet<(ModulePath, Vec<String>)>,
    ) -> Option<ModulePath> {
        if !seen.insert((module.clone(), path.to_vec())) {
            return None;
        }
        let (mut at, mut rest) = (module.clone(), path);
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while let Some(("super", after)) = rest.split_first().map(|(f, r)| (f.as_str(), r))
                {
                    at.pop()?;
                    rest = after;
                }
            }
            first => {
                let mut child = at.clone();
                child.push(first.to_owned());
                if !self.modules.contains_key(&child) {
                    return None;
                }
            }
        }
        while let Some((first, after)) = rest.split_first() {
            at.push(first.clone());
            if !self.modules.contains_key(&at) {
                at.pop();
                break;
            }
            rest = after;
        }
        let here = self.modules.get(&at)?;
        let Some((name, after)) = rest.split_first() else {
            return Some(at);
        };
        if !here.defined.contains(name) {
            for import in here.imports.iter().filter(|import| import.is_public) {
                let is_glob = import.name == "*";
                if import.name != *name && !is_glob {
                    continue;
                }
                let mut through = import.path.clone();
                if is_glob {
                    through.push(name.clone());
                }
                through.extend_from_slice(after);
                let found = self.definition(&at, &through, seen);
                if found.is_some() {
                    return found;
                }
            }
        }
        Some(at)
    }
}

impl Module {
    fn new(mut file: File) -> Self {
        file.items.retain(|item| !is_test(&attributes(item)));
        let mut visitor = Imports::default();
        visitor.visit_file(&file);
        let mut lines = BTreeSet::new();
        for item in &file.items {
            count(item.to_token_stream(), &mut lines);
        }
        let defined = file.items.iter().filter_map(name_of).collect();
        Self {
            lines: lines.len(),
            imports: visitor.imports,
            defined,
        }
    }
}

/// The imports of a file, including imports inside functions and paths in code.
#[derive(Default)]
struct Imports {
    imports: Vec<Import>,
}

impl<'a> Visit<'a> for Imports {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        let mut open = vec![(Vec::new(), &item.tree)];
        while let Some((mut path, tree)) = open.pop() {
            let (last, name) = match tree {
                UseTree::Path(part) => {
                    path.push(part.ident.to_string());
                    open.push((path, &part.tree));
                    continue;
                }
                UseTree::Group(group) => {
                    open.extend(group.items.iter().map(|tree| (path.clone(), tree)));
                    continue;
                }
                UseTree::Name(name) => (Some(name.ident.to_string()), name.ident.to_string()),
                UseTree::Rename(name) => (Some(name.ident.to_string()), name.rename.to_string()),
                UseTree::Glob(_) => (None, "*".to_owned()),
            };
            path.extend(last);
            self.imports.push(Import {
                path,
                name,
                is_public,
            });
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        if parts.len() > 1 && matches!(parts[0].as_str(), "crate" | "super") {
            self.imports.push(Import {
                name: String::new(),
                path: parts,
                is_public: false,
            });
        }
        syn::visit::visit_path(self, path);
    }
}

/// True for attributes such as `#[cfg(test)]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        let list = attribute.meta.require_list();
        is_cfg && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Adds the line numbers of tokens. Comments are no tokens, and documentation comments are left out.
fn count(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(mark) = &token
            && mark.as_char() == '#'
            && let Some(TokenTree::Group(group)) = tokens.peek()
            && group.stream().to_string().starts_with("doc ")
        {
            tokens.next();
            continue;
        }
        lines.insert(token.span().start().line);
        lines.insert(token.span().end().line);
        if let TokenTree::Group(group) = token {
            count(group.stream(), lines);
        }
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

macro_rules! items {
    ($item:expr, $part:ident, $otherwise:expr, $($variant:ident),+) => {
        match $item {
            $(Item::$variant(item) => item.$part.clone().into(),)+
            _ => $otherwise,
        }
    };
}

fn attributes(item: &Item) -> Vec<Attribute> {
    items!(
        item,
        attrs,
        Vec::new(),
        Const,
        Enum,
        ExternCrate,
        Fn,
        ForeignMod,
        Impl,
        Macro,
        Mod,
        Static,
        Struct,
        Trait,
        TraitAlias,
        Type,
        Union,
        Use
    )
}

/// Returns the name that an item has in its module.
fn name_of(item: &Item) -> Option<String> {
    let ident: Option<syn::Ident> = items!(
        item, ident, None, Const, Enum, Mod, Static, Struct, Trait, TraitAlias, Type, Union
    );
    match item {
        Item::Fn(function) => Some(function.sig.ident.to_string()),
        _ => ident.map(|ident| ident.to_string()),
    }
}
