//! Parses the contents of a probability block in a BIF file.

use super::super::draft::NetworkDraft;
use super::super::lexer::{Input, LexerError, LexerResult, offset, unexpected};
use super::super::mistakes;
use super::super::variable::{combination, unknown_state};
use super::block::{StateNames, TableBlock};
use super::token::{Bif, Dialect, number, property};
use figrs_reading::{Mistake, MistakeKind};

pub(super) struct Tables<'d, 't> {
    draft: &'d mut NetworkDraft,
    /// The names of the states of each variable of the network.
    names: &'d [StateNames<'t>],
}

/// The state of the parser for one table of a BIF file, while this table is parsed.
struct TableReader<'d, 't> {
    /// The indices, among the variables of the network, of the table's parents and of its child.
    variables: Vec<usize>,
    /// For each parent of the table, the names of its states, and the index of its state in the row that was parsed last.
    parents: Vec<(&'d StateNames<'t>, usize)>,
    columns: usize,
    /// The entries of the table; NaN in table rows that have not been parsed yet.
    numbers: Vec<f64>,
}

impl<'d, 't> Tables<'d, 't> {
    pub(super) fn new(draft: &'d mut NetworkDraft, names: &'d [StateNames<'t>]) -> Self {
        Self { draft, names }
    }

    pub(super) fn read(&mut self, block: &TableBlock<'t>) -> LexerResult<()> {
        let names = [&block.child].into_iter().chain(&block.parents);
        let mut variables = self.draft.scope(names.copied())?;
        variables.rotate_left(1);
        let entries = self.entries(block, &variables)?;
        let parents = variables[..block.parents.len()].iter();
        let mut rows = TableReader {
            parents: parents.map(|&p| (&self.names[p], 0)).collect(),
            columns: self.draft.variables[variables[block.parents.len()]]
                .states
                .len(),
            numbers: vec![f64::NAN; entries],
            variables,
        };
        let mut input = block.body;
        let mut default = None;
        while !Bif::mark(&mut input, '}')? {
            let at = offset(&input);
            if Bif::mark(&mut input, '(')? {
                let row = self.row(&mut input, &mut rows)?;
                let start = row * rows.columns;
                self.require_new(&rows, row, at)?;
                for cell in &mut rows.numbers[start..][..rows.columns] {
                    *cell = number(&mut input)?;
                }
                Bif::require(&mut input, ';', "`;` at the end of the row")?;
                self.check(&mut rows, row, at)?;
                continue;
            }
            match Bif::word(&mut input, "a row such as `(yes, no) 0.2, 0.8;`")? {
                (_, "property") => property(&mut input)?,
                (at, "table") => self.whole(&mut input, &mut rows, at)?,
                (at, "default") if default.is_none() => {
                    let numbers = (0..rows.columns).map(|_| number(&mut input));
                    let numbers = numbers.collect::<LexerResult<Vec<f64>>>()?;
                    Bif::require(&mut input, ';', "`;` at the end of the row")?;
                    default = Some((at, numbers));
                }
                (at, found) => {
                    let what = "a row, `table`, one `default`, `property` or `}`";
                    return Err(unexpected(at, found, what));
                }
            }
        }
        self.complete(&mut rows, default, block.child.0)?;
        let TableReader {
            variables, numbers, ..
        } = rows;
        self.draft.push_table(block.child.0, variables, numbers);
        Ok(())
    }

    /// Returns the number of entries of the table, or an error if the text of `block` is too short for this number of entries.
    fn entries(&mut self, block: &TableBlock<'t>, variables: &[usize]) -> LexerResult<usize> {
        if block.body[..block.length].contains("default") {
            let (at, held) = (block.child.0, block.length);
            return self.draft.implied_entries(at, variables, held);
        }
        let (needed, limit) = (self.draft.entries(variables), block.length);
        mistakes::check_size(block.child.0, "entries", needed, limit)?;
        Ok(needed as usize)
    }

    /// Parses the states of the parents after the opening parenthesis, and returns the index of the table row that these states select.
    fn row(&self, input: &mut Input<'t>, rows: &mut TableReader<'d, 't>) -> LexerResult<usize> {
        let mut row = 0;
        for (i, (names, last)) in rows.parents.iter_mut().enumerate() {
            let (at, name) = Bif::word(input, "a state of each parent")?;
            // Rows are usually in order, so the state in the last row and the next state are compared first.
            let next = if *last + 1 < names.len() {
                *last + 1
            } else {
                0
            };
            *last = if names[*last] == name {
                *last
            } else if names[next] == name {
                next
            } else {
                let variable = &self.draft.variables[rows.variables[i]];
                let unknown = || LexerError::new(at, unknown_state(variable, name));
                names.get_index_of(name).ok_or_else(unknown)?
            };
            row = row * names.len() + *last;
        }
        Bif::require(input, ')', "`)` after a state of each parent")?;
        Ok(row)
    }

    /// Parses a whole probability table after the word `table`; in this form of a BIF table, the child's state varies slowest.
    fn whole(
        &mut self,
        input: &mut Input<'t>,
        rows: &mut TableReader<'d, 't>,
        at: usize,
    ) -> LexerResult<()> {
        let count = rows.numbers.len() / rows.columns;
        for row in 0..count {
            self.require_new(rows, row, at)?;
        }
        for column in 0..rows.columns {
            for row in 0..count {
                rows.numbers[row * rows.columns + column] = number(input)?;
            }
        }
        Bif::require(input, ';', "`;` at the end of the table")?;
        for row in 0..count {
            self.check(rows, row, at)?;
        }
        Ok(())
    }

    /// Fills the table rows that the BIF file does not list with the numbers of its `default` row.
    fn complete(
        &mut self,
        rows: &mut TableReader<'d, 't>,
        default: Option<(usize, Vec<f64>)>,
        at: usize,
    ) -> LexerResult<()> {
        for row in 0..rows.numbers.len() / rows.columns {
            let start = row * rows.columns;
            if !rows.numbers[start].is_nan() {
                continue;
            }
            let Some((place, numbers)) = &default else {
                let (variable, row) = self.names(rows, row);
                let problem = format!("the table of `{variable}` lacks the row {row}");
                let remedy = "add it, or a `default` row";
                let mistake = Mistake::new(MistakeKind::Missing, problem, remedy);
                return Err(LexerError::new(at, mistake));
            };
            rows.numbers[start..][..rows.columns].copy_from_slice(numbers);
            self.check(rows, row, *place)?;
        }
        Ok(())
    }

    fn check(&mut self, rows: &mut TableReader<'d, 't>, row: usize, at: usize) -> LexerResult<()> {
        let numbers = &mut rows.numbers[row * rows.columns..][..rows.columns];
        self.draft.check_row(&rows.variables, row, numbers, at)
    }

    fn require_new(&self, rows: &TableReader<'d, 't>, row: usize, at: usize) -> LexerResult<()> {
        if rows.numbers[row * rows.columns].is_nan() {
            return Ok(());
        }
        let (variable, row) = self.names(rows, row);
        let statement = format_args!("the table of `{variable}` has the row {row}");
        Err(LexerError::new(at, mistakes::repeated(statement)))
    }

    /// Returns, for error messages, the name of the table's child and the states of the parents in a row.
    fn names(&self, rows: &TableReader<'d, 't>, row: usize) -> (String, String) {
        let variables = &self.draft.variables;
        let parents = &rows.variables[..rows.parents.len()];
        let child = rows.variables[rows.parents.len()];
        let name = variables[child].name.clone();
        (name, combination(variables, parents, row))
    }
}
