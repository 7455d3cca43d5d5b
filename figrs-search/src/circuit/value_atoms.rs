//! Atoms (Boolean variables) that encode the values of variables.

use super::literal::AtomLiteral;

/// The encoding of variables by atoms (Boolean variables): each atom states that a variable has a certain value.
///
/// In the encoding by atoms, a variable of two values has one atom, which is true for the second value. In the encoding by atoms, a variable of three
/// or more values has an atom for each value, and exactly one of these atoms is true. In the encoding by atoms, a variable of one value has no atom.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueAtoms {
    pub(super) cardinalities: Vec<u32>,
    firsts: Vec<u32>,
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

    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.cardinalities.len() + self.firsts.len() + self.variables.len())
    }

    pub(super) fn of(&self, variable: u32) -> std::ops::Range<u32> {
        let first = self.firsts[variable as usize];
        let n = self.cardinalities[variable as usize];
        first..first + if n > 2 { n } else { n.saturating_sub(1) }
    }

    pub(super) fn variable(&self, literal: AtomLiteral) -> u32 {
        self.variables[literal.atom()]
    }

    /// Returns, for each atom, the range of atoms that exclude each other: all atoms that state values of the same variable.
    pub(super) fn exclusive(&self) -> Vec<(u32, u32)> {
        let range = |&v: &u32| {
            let atoms = self.of(v);
            (atoms.start, atoms.end)
        };
        self.variables.iter().map(range).collect()
    }

    /// Returns the literal which states that `variable` has the value `value`; the variable must have at least two values.
    pub(super) fn has_value(&self, variable: u32, value: u32) -> AtomLiteral {
        let first = self.firsts[variable as usize];
        if self.cardinalities[variable as usize] == 2 {
            AtomLiteral::new(first, value == 1)
        } else {
            AtomLiteral::new(first + value, true)
        }
    }

    /// Returns the variable and the value that it has if the literal `literal` is true; `None` if the literal only excludes a value.
    pub(super) fn value_of(&self, literal: AtomLiteral) -> Option<(u32, u32)> {
        let variable = self.variable(literal);
        if self.cardinalities[variable as usize] == 2 {
            return Some((variable, u32::from(literal.is_positive())));
        }
        let value = literal.atom() as u32 - self.firsts[variable as usize];
        literal.is_positive().then_some((variable, value))
    }

    /// Adds to `clause` the literals which state that `variable` has none of the values `values`.
    pub(super) fn exclude(&self, variable: u32, values: &[u32], clause: &mut Vec<AtomLiteral>) {
        let n = self.cardinalities[variable as usize];
        if let [value] = *values {
            clause.push(!self.has_value(variable, value));
        } else {
            let others = (0..n).filter(|value| !values.contains(value));
            clause.extend(others.map(|value| self.has_value(variable, value)));
        }
    }

    /// Returns the clauses which state that each variable of three or more values has at least one of its values.
    pub(super) fn some_value(&self) -> impl Iterator<Item = Vec<AtomLiteral>> {
        let variables = (0..).zip(&self.cardinalities).filter(|&(_, &n)| n > 2);
        variables.map(|(v, _)| {
            self.of(v)
                .map(|atom| AtomLiteral::new(atom, true))
                .collect()
        })
    }
}
