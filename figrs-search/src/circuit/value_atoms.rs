//! Atoms of the values of variables.

use super::literal::AtomLiteral;

/// The direct encoding of variables by atoms, statements that a variable has a value.
///
/// A variable of two values has one atom, true for the second; one of three values or more has an atom for each value, exactly one of which
/// is true; one of a single value has none.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueAtoms {
    pub(super) cardinalities: Vec<u32>,
    /// The first atom of each variable.
    firsts: Vec<u32>,
    /// The variable of each atom.
    pub(super) variables: Vec<u32>,
}

impl ValueAtoms {
    pub(super) fn new(cardinalities: &[u32]) -> Self {
        let mut this = Self {
            cardinalities: cardinalities.to_vec(),
            firsts: Vec::with_capacity(cardinalities.len()),
            variables: Vec::new(),
        };
        for (v, &n) in (0..).zip(cardinalities) {
            this.firsts.push(this.variables.len() as u32);
            let atoms = if n > 2 { n } else { n.saturating_sub(1) };
            this.variables.extend((0..atoms).map(|_| v));
        }
        this
    }

    /// Number of atoms.
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.cardinalities.len() + self.firsts.len() + self.variables.len())
    }

    /// The atoms of a variable.
    pub(super) fn of(&self, variable: u32) -> std::ops::Range<u32> {
        let first = self.firsts[variable as usize];
        let n = self.cardinalities[variable as usize];
        first..first + if n > 2 { n } else { n.saturating_sub(1) }
    }

    /// The variable of a literal.
    pub(super) fn variable(&self, literal: AtomLiteral) -> u32 {
        self.variables[literal.atom()]
    }

    /// For each atom, the range of atoms that exclude each other: the values of its variable.
    pub(super) fn exclusive(&self) -> Vec<(u32, u32)> {
        let range = |&v: &u32| {
            let atoms = self.of(v);
            (atoms.start, atoms.end)
        };
        self.variables.iter().map(range).collect()
    }

    /// The literal that a variable of at least two values has this value.
    pub(super) fn has_value(&self, variable: u32, value: u32) -> AtomLiteral {
        let first = self.firsts[variable as usize];
        if self.cardinalities[variable as usize] == 2 {
            AtomLiteral::new(first, value == 1)
        } else {
            AtomLiteral::new(first + value, true)
        }
    }

    /// The variable and the value that a literal assigns to it; `None` for a literal that excludes one of several values.
    pub(super) fn value_of(&self, literal: AtomLiteral) -> Option<(u32, u32)> {
        let variable = self.variable(literal);
        if self.cardinalities[variable as usize] == 2 {
            return Some((variable, u32::from(literal.is_positive())));
        }
        let value = literal.atom() as u32 - self.firsts[variable as usize];
        literal.is_positive().then_some((variable, value))
    }

    /// Adds the literals of "the variable has none of these values".
    pub(super) fn exclude(&self, variable: u32, values: &[u32], clause: &mut Vec<AtomLiteral>) {
        let n = self.cardinalities[variable as usize];
        if let [value] = *values {
            clause.push(!self.has_value(variable, value));
        } else {
            let others = (0..n).filter(|value| !values.contains(value));
            clause.extend(others.map(|value| self.has_value(variable, value)));
        }
    }

    /// The clauses that each variable of three or more values has some value.
    pub(super) fn some_value(&self) -> impl Iterator<Item = Vec<AtomLiteral>> {
        let variables = (0..).zip(&self.cardinalities).filter(|&(_, &n)| n > 2);
        variables.map(|(v, _)| {
            self.of(v)
                .map(|atom| AtomLiteral::new(atom, true))
                .collect()
        })
    }
}
