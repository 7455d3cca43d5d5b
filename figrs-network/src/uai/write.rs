//! Writes networks in the UAI format.

use std::fmt::Write as _;

use super::super::clause::ChainVariable;
use super::super::{Network, NetworkKind, NetworkTable};

/// Writes a network as UAI text; each number has the fewest digits from which the same number is read back.
pub(in super::super) fn write(network: &Network) -> String {
    let variables = network.variables();
    let kind = match network.kind() {
        NetworkKind::Bayesian => "BAYES",
        NetworkKind::Markov => "MARKOV",
    };
    let clauses = ClauseFactors::new(network);
    let sizes = variables.iter().map(|v| v.states().len());
    let sizes = sizes.chain(std::iter::repeat_n(2, clauses.helpers));
    let scopes = network.tables().iter().map(NetworkTable::variables);
    let scopes = scopes.chain(clauses.factors.iter().map(|(scope, _)| &scope[..]));
    // Writing to a string cannot fail.
    let mut text = format!("{kind}\n{}\n", variables.len() + clauses.helpers);
    line(&mut text, sizes);
    let _ = writeln!(text, "{}", network.tables().len() + clauses.factors.len());
    for scope in scopes {
        line(&mut text, [scope.len()].iter().chain(scope).copied());
    }
    for table in network.tables() {
        let columns = match (network.kind(), table.variables().last()) {
            (NetworkKind::Bayesian, Some(&child)) => variables[child].states().len(),
            _ => table.numbers().len(),
        };
        rows(&mut text, table.numbers(), columns);
    }
    for (_, numbers) in &clauses.factors {
        rows(&mut text, numbers, numbers.len());
    }
    text
}

/// The factors that represent the clauses of a network; their helper variables come after the variables of the network.
struct ClauseFactors {
    helpers: usize,
    /// For each factor, the indices of its variables and the numbers of its table.
    factors: Vec<(Vec<usize>, Vec<f64>)>,
}

impl ClauseFactors {
    fn new(network: &Network) -> Self {
        let mut all = Self {
            helpers: 0,
            factors: Vec::new(),
        };
        for clause in network.clauses() {
            let first = network.variables().len() + all.helpers;
            let mut tables = clause.chain().enumerate().peekable();
            if tables.peek().is_none() {
                all.factors.push((Vec::new(), vec![0.0]));
            }
            while let Some((place, table)) = tables.next() {
                let parents = table.parents.iter().map(|&parent| match parent {
                    ChainVariable::Own(variable) => variable,
                    ChainVariable::Holds(before) => first + before,
                });
                let mut scope: Vec<usize> = parents.collect();
                let numbers = if tables.peek().is_some() {
                    scope.push(first + place);
                    all.helpers += 1;
                    table.numbers()
                } else {
                    table.holds().collect()
                };
                all.factors.push((scope, numbers));
            }
        }
        all
    }
}

/// Writes the numbers of a table as lines of text, with `columns` numbers in each line.
pub(super) fn rows(text: &mut String, numbers: &[f64], columns: usize) {
    let _ = write!(text, "\n{}\n", numbers.len());
    for row in numbers.chunks(columns.max(1)) {
        for number in row {
            let _ = write!(text, " {number:?}");
        }
        text.push('\n');
    }
}

/// Writes numbers as a line of text, separated by spaces.
pub(super) fn line(text: &mut String, numbers: impl Iterator<Item = usize>) {
    for (i, number) in numbers.enumerate() {
        let _ = write!(text, "{}{number}", if i > 0 { " " } else { "" });
    }
    text.push('\n');
}
