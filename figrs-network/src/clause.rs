//! Clauses of a formula, each converted to a chain of small tables.

/// Maximum number of parents of a table in a chain.
const MOST_PARENTS: usize = 4;

/// A clause of a formula in conjunctive normal form: a factor that is one if some literal is true, and zero otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkClause {
    /// The literals, of distinct variables in ascending order.
    literals: Vec<(usize, bool)>,
    /// The number of the clause in the file, from 1, and the line on which the clause begins.
    number: usize,
    line: usize,
}

/// A variable of a table in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainVariable {
    /// A variable of the network.
    Own(usize),
    /// A helper variable that states whether an earlier table of the chain holds, by the position of that table.
    Holds(usize),
}

/// A table of a chain: it fails in one row of its parents' values, and holds in all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainTable {
    pub(super) parents: Vec<ChainVariable>,
    /// The row in which the table fails, the last parent varying fastest.
    pub(super) failing: usize,
}

impl NetworkClause {
    /// Creates the clause of some literals, each a variable and the value that makes the literal true, with its number and its line in the file; `None` if the
    /// clause is always true.
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

    /// Describes the clause by its number and line.
    pub(super) fn name(&self) -> String {
        format!("clause {}, line {}", self.number, self.line)
    }

    /// Returns the literals, each as the position of a variable in the network and the value that makes the literal true; each variable once.
    pub fn literals(&self) -> &[(usize, bool)] {
        &self.literals
    }

    /// Returns tables with few parents, the last of which holds exactly where the clause does: each table reads some literals, and whether the
    /// previous table holds. An empty clause has no tables.
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
    /// Returns for each row one if the table holds there, and zero if not.
    pub(super) fn holds(&self) -> impl Iterator<Item = f64> {
        let failing = self.failing;
        (0..1 << self.parents.len()).map(move |row| f64::from(u8::from(row != failing)))
    }

    /// Returns for each row the probability that the table fails and the probability that it holds.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.holds()
            .flat_map(|holds| [1.0 - holds, holds])
            .collect()
    }
}
