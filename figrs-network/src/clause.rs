//! Clauses of a formula in conjunctive normal form, and their conversion to sequences of small tables.

/// Maximum number of parents of each table in the sequence of tables for a clause.
const MOST_PARENTS: usize = 4;

/// A clause of a formula in conjunctive normal form. A clause is a factor of the product that gives the weight of an assignment: one if some literal
/// is true, and zero otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkClause {
    /// The literals of the clause, whose variables are distinct and in ascending order.
    literals: Vec<(usize, bool)>,
    /// The number of the clause in the file; the first clause has the number 1.
    number: usize,
    line: usize,
}

/// A parent of a table in the sequence of tables for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainVariable {
    /// A variable of the network.
    Own(usize),
    /// A helper variable, which is true if the earlier table with the contained index holds.
    Holds(usize),
}

/// A table in the sequence of tables for a clause: for one combination of its parents' values the table fails (it has the value 0), and for all
/// others it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChainTable {
    pub(super) parents: Vec<ChainVariable>,
    /// The index of the combination of the parents' values for which the table fails; in this index, the last parent varies fastest.
    pub(super) failing: usize,
}

impl NetworkClause {
    /// Creates a clause from its number and line in the file and from `literals`, which are pairs of a variable and the value that makes the literal
    /// true. Returns `None` if the clause is always true.
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

    /// Describes the clause by its number and line in the file, for error messages.
    pub(super) fn name(&self) -> String {
        format!("clause {}, line {}", self.number, self.line)
    }

    /// Returns the literals of the clause as pairs of a variable's index in the network and the value that makes the literal true; each variable
    /// occurs once.
    pub fn literals(&self) -> &[(usize, bool)] {
        &self.literals
    }

    /// Returns the sequence of small tables that together represent the clause. The last table in the sequence holds if and only if the clause is
    /// true. Each table for a clause depends on some of the clause's literals, and on the previous table. The sequence for an empty clause has no
    /// tables.
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
            // The table fails only if all its literals are false; in the failing row, each variable therefore has the value that makes its literal
            // false.
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
    /// Returns, for each combination of the parents' values, 1 if the table holds, and 0 if the table fails.
    pub(super) fn holds(&self) -> impl Iterator<Item = f64> {
        let failing = self.failing;
        (0..1 << self.parents.len()).map(move |row| f64::from(u8::from(row != failing)))
    }

    /// Returns, for each combination of the parents' values, the probability that the table fails (one or zero), and the probability that the table
    /// holds.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.holds()
            .flat_map(|holds| [1.0 - holds, holds])
            .collect()
    }
}
