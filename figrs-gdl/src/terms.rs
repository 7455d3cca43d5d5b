//! Stores each term without variables once, and matches patterns with such terms.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::kif::MOST_NESTED;
use super::syntax::{Pattern, SymbolId, Symbols};

/// Index of a term without variables in the table that stores each such term once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(pub(super) u32);

/// Values of the variables of a rule; the value of an unbound variable is `None`.
pub(super) type Bindings = Vec<Option<TermId>>;

#[derive(Clone, Copy, Debug)]
pub(super) struct TooDeep;

/// The set of all terms without variables found so far, each of which is stored once.
#[derive(Debug, Default)]
pub(super) struct TermInterner {
    nodes: IndexSet<(SymbolId, Box<[TermId]>), FxBuildHasher>,
    depths: Vec<usize>,
}

impl TermInterner {
    pub(super) fn parts(&self, term: TermId) -> (SymbolId, &[TermId]) {
        let (function, arguments) = &self.nodes[term.0 as usize];
        (*function, arguments)
    }

    fn number(&mut self, function: SymbolId, arguments: Vec<TermId>) -> Result<TermId, TooDeep> {
        let depths = arguments.iter().map(|term| self.depths[term.0 as usize]);
        let depth = depths.max().unwrap_or(0) + 1;
        if depth > MOST_NESTED {
            return Err(TooDeep);
        }
        let (number, is_new) = self.nodes.insert_full((function, arguments.into()));
        if is_new {
            self.depths.push(depth);
        }
        Ok(TermId(number as u32))
    }

    /// Returns the term without variables that results from `pattern`, whose variables must all be bound.
    pub(super) fn filled(
        &mut self,
        pattern: &Pattern,
        bindings: &Bindings,
    ) -> Result<TermId, TooDeep> {
        match pattern {
            Pattern::Variable(variable) => {
                Ok(bindings[*variable].expect("variables of safe rules are bound"))
            }
            Pattern::Term(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.filled(a, bindings));
                let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
                self.number(*function, arguments)
            }
        }
    }

    /// Returns the term without variables that results from `pattern` as [`filled`](Self::filled) does, but only if all variables are bound and the
    /// interner already contains the term.
    pub(super) fn known(&self, pattern: &Pattern, bindings: &Bindings) -> Option<TermId> {
        match pattern {
            Pattern::Variable(variable) => bindings[*variable],
            Pattern::Term(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.known(a, bindings));
                let key = (*function, arguments.collect::<Option<Box<[_]>>>()?);
                self.nodes.get_index_of(&key).map(|at| TermId(at as u32))
            }
        }
    }

    /// True if `pattern` matches `term`; the match binds free variables of `pattern` and lists them in `trail`.
    pub(super) fn matches(
        &self,
        pattern: &Pattern,
        term: TermId,
        bindings: &mut Bindings,
        trail: &mut Vec<usize>,
    ) -> bool {
        match pattern {
            Pattern::Variable(variable) => {
                let free = bindings[*variable].is_none();
                if free {
                    bindings[*variable] = Some(term);
                    trail.push(*variable);
                }
                free || bindings[*variable] == Some(term)
            }
            Pattern::Term(function, patterns) => {
                let (found, arguments) = self.parts(term);
                let mut pairs = patterns.iter().zip(arguments);
                found == *function
                    && patterns.len() == arguments.len()
                    && pairs.all(|(p, &term)| self.matches(p, term, bindings, trail))
            }
        }
    }

    /// True if `a` and `b` represent the same term; all variables of the two patterns must be bound.
    pub(super) fn same(&self, a: &Pattern, b: &Pattern, bindings: &Bindings) -> bool {
        match (self.known(a, bindings), self.known(b, bindings)) {
            (None, None) => match (a, b) {
                // A term that the interner does not contain equals another term only if both have the same function and
                // arguments.
                (Pattern::Term(f, xs), Pattern::Term(g, ys)) => {
                    let mut pairs = xs.iter().zip(ys);
                    f == g && xs.len() == ys.len() && pairs.all(|(x, y)| self.same(x, y, bindings))
                }
                _ => false,
            },
            (a, b) => a == b,
        }
    }

    pub(super) fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let (function, arguments) = self.parts(term);
        let name = symbols.name(function);
        if arguments.is_empty() {
            return name.into();
        }
        let arguments = arguments.iter().map(|&term| self.text(term, symbols));
        let arguments: Vec<String> = arguments.collect();
        format!("({name} {})", arguments.join(" "))
    }
}
