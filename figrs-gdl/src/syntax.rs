//! Abstract syntax of rules: patterns of terms, conditions and heads.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Index of a name in the table [`Symbols`] of all names in the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SymbolId(pub(super) u32);

/// The set of all names in the rules; the names that the Game Description Language defines come first.
#[derive(Clone, Debug)]
pub(super) struct Symbols(IndexSet<Box<str>, FxBuildHasher>);

/// The relations that the Game Description Language defines, in the order of their indices.
const KEYWORDS: [&str; 8] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal",
];

impl SymbolId {
    pub(super) const ROLE: Self = Self(0);
    pub(super) const INIT: Self = Self(1);
    pub(super) const TRUE: Self = Self(2);
    pub(super) const DOES: Self = Self(3);
    pub(super) const NEXT: Self = Self(4);
    pub(super) const LEGAL: Self = Self(5);
    pub(super) const GOAL: Self = Self(6);
    pub(super) const TERMINAL: Self = Self(7);

    /// Returns the number of arguments of a relation that the Game Description Language defines; `None` for a name that the rules introduce.
    pub(super) fn fixed_arity(self) -> Option<usize> {
        match self {
            Self::ROLE | Self::INIT | Self::TRUE | Self::NEXT => Some(1),
            Self::DOES | Self::LEGAL | Self::GOAL => Some(2),
            Self::TERMINAL => Some(0),
            _ => None,
        }
    }
}

impl Symbols {
    pub(super) fn new() -> Self {
        Self(KEYWORDS.iter().map(|&word| word.into()).collect())
    }

    pub(super) fn number(&mut self, name: &str) -> SymbolId {
        if let Some(known) = self.0.get_index_of(name) {
            return SymbolId(known as u32);
        }
        SymbolId(self.0.insert_full(name.into()).0 as u32)
    }

    pub(super) fn name(&self, symbol: SymbolId) -> &str {
        &self.0[symbol.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A term that may contain variables, each given by its index within the rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    Variable(usize),
    /// A function with its arguments; a constant is a function without arguments.
    Term(SymbolId, Vec<Self>),
}

impl Pattern {
    pub(super) fn each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Term(_, arguments) => {
                for argument in arguments {
                    argument.each_variable(visit);
                }
            }
        }
    }
}

/// A relation with its arguments and its offset in the text.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) at: usize,
    pub(super) relation: SymbolId,
    pub(super) arguments: Vec<Pattern>,
}

impl Atom {
    pub(super) fn each_variable(&self, visit: &mut impl FnMut(usize)) {
        for argument in &self.arguments {
            argument.each_variable(visit);
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Literal {
    Holds(Atom),
    Fails(Atom),
    /// A condition that two terms are equal, or that they differ.
    Compared {
        at: usize,
        terms: Box<[Pattern; 2]>,
        same: bool,
    },
}

impl Literal {
    pub(super) fn each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => atom.each_variable(visit),
            Self::Compared { terms, .. } => {
                for term in &**terms {
                    term.each_variable(visit);
                }
            }
        }
    }
}

/// A rule: its head holds if all conditions of its body hold.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) head: Atom,
    pub(super) body: Vec<Literal>,
    /// Names of the variables of the rule, in the order of their indices.
    pub(super) variables: Arc<[String]>,
}
