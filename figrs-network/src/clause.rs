//! Clauses of a formula, as chains of small tables.

/// Largest number of parents of a table of a chain.
const MOST_PARENTS: usize = 4;

/// A clause of a formula in conjunctive normal form: a factor that is one where some literal is true, and zero elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkClause {
    /// The literals, of different variables in ascending order.
    literals: Vec<(usize, bool)>,
    /// The number of the clause in the file, from 1, and the line on which it begins.
    number: usize,
    line: usize,
}

/// A variable of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainVariable {
    /// A variable of the network.
    Own(usize),
    /// The variable that states whether a table of the chain holds, by the position of that table.
    Holds(usize),
}

/// A table of a chain: it fails in one row of its parents, and holds in the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainTable {
    pub(super) parents: Vec<ChainVariable>,
    /// The row in which it fails, the last parent varying fastest.
    pub(super) failing: usize,
}

impl NetworkClause {
    /// The clause of some literals, each a variable and the value that makes it true, with its number and its line in the file; `None` if it
    /// is true for all values.
    pub(super) fn new(
        mut literals: Vec<(usize, bool)>,
        (number, line): (usize, usize),
    ) -> Option<Self> {
        literals.sort_unstable();
        literals.dedup();
        literals.shrink_to_fit();
        let is_tautology = literals.windows(2).any(|pair| pair[0].0 == pair[1].0);
        (!is_tautology).then_some(Self {
            literals,
            number,
            line,
        })
    }

    /// The number and the line of the clause, in words.
    pub(super) fn name(&self) -> String {
        format!("clause {}, line {}", self.number, self.line)
    }

    /// The literals, each the position of a variable in the network and the value that makes it true; each variable once.
    pub fn literals(&self) -> &[(usize, bool)] {
        &self.literals
    }

    /// Tables with few parents, the last of which holds where the clause does: each looks at some literals, and at whether the
    /// table before it holds. An empty clause has none.
    pub(super) fn chain(&self) -> impl Iterator<Item = ChainTable> + '_ {
        let mut rest = &self.literals[..];
        let mut before: Option<usize> = None;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let carried = before.map(ChainVariable::Holds);
            let room = MOST_PARENTS - carried.iter().len();
            let (own, others) = rest.split_at(room.min(rest.len()));
            rest = others;
            before = Some(before.map_or(0, |table| table + 1));
            let own_variables = own
                .iter()
                .map(|&(variable, _)| ChainVariable::Own(variable));
            // A literal is false if its variable has the other value.
            let failing = own
                .iter()
                .fold(0, |row, &(_, value)| 2 * row + usize::from(!value));
            Some(ChainTable {
                parents: carried.into_iter().chain(own_variables).collect(),
                failing,
            })
        })
    }
}

impl ChainTable {
    /// For each row, one if the table holds there, and zero if not.
    pub(super) fn holds(&self) -> impl Iterator<Item = f64> {
        let failing = self.failing;
        (0..1 << self.parents.len()).map(move |row| f64::from(u8::from(row != failing)))
    }

    /// For each row the probabilities that the table fails and that it holds.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.holds()
            .flat_map(|holds| [1.0 - holds, holds])
            .collect()
    }
}
