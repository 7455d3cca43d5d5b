//! A parsed network, before its elements are built.

use rustc_hash::FxHashMap;

use super::lexer::{LexerError, LexerResult};
use super::row::{NormalisedRow, RowSumCheck, normalise};
use super::variable::combination;
use super::{NetworkKind, NetworkTable, State, TextProblem, Variable};

pub(super) struct NetworkDraft {
    pub(super) name: String,
    pub(super) kind: NetworkKind,
    pub(super) variables: Vec<Variable>,
    pub(super) tables: Vec<NetworkTable>,
    /// For each table the offset in the text of its list of variables.
    pub(super) places: Vec<usize>,
    /// Rows that were divided by their sums, with their offsets in the text.
    pub(super) normalised: Vec<(usize, NormalisedRow)>,
    /// The positions of the variables.
    pub(super) index: FxHashMap<String, usize>,
}

impl NetworkDraft {
    pub(super) fn new(kind: NetworkKind, name: String) -> Self {
        Self {
            name,
            kind,
            variables: Vec::new(),
            tables: Vec::new(),
            places: Vec::new(),
            normalised: Vec::new(),
            index: FxHashMap::default(),
        }
    }

    /// Adds a variable; false if there is one of this name.
    pub(super) fn add_variable(&mut self, name: String, states: figrs_core::States<State>) -> bool {
        let known = self.index.insert(name.clone(), self.variables.len());
        self.variables.push(Variable { name, states });
        known.is_none()
    }

    /// Number of entries of a table over some variables.
    pub(super) fn entries(&self, variables: &[usize]) -> u128 {
        let sizes = variables.iter().map(|&v| self.variables[v].states.len());
        sizes.fold(1, |n, size| n.saturating_mul(size as u128))
    }

    /// Checks that a row sums to one, and divides it by its sum if that is only rounded.
    ///
    /// `variables` are the parents and the child, and `at` is the offset of the row in the text.
    pub(super) fn check_row(
        &mut self,
        variables: &[usize],
        row: usize,
        numbers: &mut [f64],
        at: usize,
    ) -> LexerResult<()> {
        let Some((&variable, parents)) = variables.split_last() else {
            return Ok(());
        };
        match normalise(numbers) {
            RowSumCheck::One => {}
            RowSumCheck::Rounded(sum) => {
                let normalised = NormalisedRow {
                    variable,
                    row,
                    sum,
                    line: 0,
                    column: 0,
                };
                self.normalised.push((at, normalised));
            }
            RowSumCheck::Wrong(sum) => {
                let problem = TextProblem::RowSum {
                    variable: self.variables[variable].name.clone(),
                    row: combination(&self.variables, parents, row),
                    sum,
                };
                return Err(LexerError::new(at, problem));
            }
        }
        Ok(())
    }
}
