//! A draft: the contents of a network or influence diagram that a parser has read, before elements (random variables of figrs) are built.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::clause::NetworkClause;
use super::lexer::{LexerError, LexerResult, finite, unexpected, weight};
use super::row::{NormalisedRow, RowSumCheck, normalise};
use super::variable::{combination, unknown_among};
use super::{
    DecisionNode, NetworkKind, NetworkReader, NetworkTable, RealDistribution, State, UtilityNode,
    Variable, mistakes,
};
use figrs_reading::{Mistake, MistakeKind};

/// Maximum number of table entries that need not be listed one by one in the text of a file, such as the entries of `default` rows.
const MAX_IMPLIED_ENTRIES: usize = 1 << 25;

/// A real variable that has been declared in the file; its distribution may follow later in the file.
#[derive(Default)]
pub(super) struct DraftedReal {
    /// The offset in the text of the declaration of the real variable.
    pub(super) declared: usize,
    /// The distribution of the real variable with its offset in the text; `None` until the file states the distribution.
    pub(super) distribution: Option<(usize, RealDistribution)>,
}

pub(super) struct NetworkDraft {
    pub(super) name: String,
    pub(super) kind: NetworkKind,
    /// The chance variables and decisions of the network, in the order of the file.
    pub(super) variables: Vec<Variable>,
    pub(super) tables: Vec<NetworkTable>,
    /// For each table of the network, the offset in the text of the list of its variables.
    pub(super) places: Vec<usize>,
    /// The table rows that were divided by their sums so that they sum to one, with their offsets in the text.
    pub(super) normalised: Vec<(usize, NormalisedRow)>,
    pub(super) clauses: Vec<NetworkClause>,
    /// For each name of a variable, the index of the variable.
    pub(super) index: FxHashMap<String, usize>,
    /// The decisions of the diagram, each with the offset of its list of known variables in the text.
    pub(super) decisions: Vec<(usize, DecisionNode)>,
    /// The utilities of the diagram, each with the offset of its declaration in the text.
    pub(super) utilities: Vec<(usize, UtilityNode)>,
    /// For each variable, the offset of its declaration in the text.
    declared: Vec<usize>,
    /// The indices of those variables that are decisions.
    chosen: FxHashSet<usize>,
    /// The names of the utilities of the diagram, with the offsets of their declarations in the text.
    valued: IndexMap<String, usize, FxBuildHasher>,
    /// The real variables by name; each has the offset of its declaration and, once the file has stated it, its distribution.
    pub(super) reals: IndexMap<String, DraftedReal, FxBuildHasher>,
    /// Number of table entries that further tables may have beyond those listed in the text.
    implied: usize,
    /// True if table rows are to be divided by their sums even if these sums deviate much from one.
    normalises: bool,
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
            clauses: Vec::new(),
            index: FxHashMap::default(),
            decisions: Vec::new(),
            utilities: Vec::new(),
            declared: Vec::new(),
            chosen: FxHashSet::default(),
            valued: IndexMap::default(),
            reals: IndexMap::default(),
            implied: MAX_IMPLIED_ENTRIES,
            normalises: false,
        }
    }

    /// Applies the options of the reader `reader` to the draft of the network.
    pub(super) fn read_by(mut self, reader: &NetworkReader) -> Self {
        self.normalises = reader.normalises;
        self
    }

    /// Adds a variable with the distinct states `states` to the draft; `at` is the offset of its declaration in the text; returns the index of the
    /// variable.
    pub(super) fn add_variable(
        &mut self,
        at: usize,
        name: &str,
        states: figrs_core::States<State>,
    ) -> LexerResult<usize> {
        if states.is_empty() {
            return Err(LexerError::new(at, mistakes::no_states(name)));
        }
        self.require_new(at, name)?;
        let (name, position) = (name.to_owned(), self.variables.len());
        self.index.insert(name.clone(), position);
        self.variables.push(Variable { name, states });
        self.declared.push(at);
        Ok(position)
    }

    /// Adds a variable to the draft as [`add_variable`](Self::add_variable) does; the names of the variable's states are given with their offsets in
    /// the text.
    pub(super) fn declare(
        &mut self,
        at: usize,
        name: &str,
        states: Vec<(usize, String)>,
    ) -> LexerResult<usize> {
        let mut seen = FxHashSet::default();
        if let Some((at, state)) = states.iter().find(|(_, state)| !seen.insert(state)) {
            return Err(LexerError::new(*at, mistakes::repeated_state(name, state)));
        }
        let states = states.into_iter().map(|(_, state)| state).collect();
        self.add_variable(at, name, State::all(states))
    }

    pub(super) fn declare_decision(
        &mut self,
        at: usize,
        name: &str,
        options: Vec<(usize, String)>,
    ) -> LexerResult<()> {
        let variable = self.declare(at, name, options)?;
        self.chosen.insert(variable);
        Ok(())
    }

    pub(super) fn declare_utility(&mut self, at: usize, name: &str) -> LexerResult<()> {
        self.require_new(at, name)?;
        self.valued.insert(name.into(), at);
        Ok(())
    }

    pub(super) fn declare_real(&mut self, declared: usize, name: &str) -> LexerResult<()> {
        self.require_new(declared, name)?;
        let distribution = None;
        let real = DraftedReal {
            declared,
            distribution,
        };
        self.reals.insert(name.into(), real);
        Ok(())
    }

    pub(super) fn is_real(&self, name: &str) -> bool {
        self.reals.contains_key(name)
    }

    /// Sets the distribution of the real variable named `name`, which must have been declared before.
    pub(super) fn define_real(
        &mut self,
        at: usize,
        name: &str,
        distribution: RealDistribution,
    ) -> LexerResult<()> {
        let Some(real) = self.reals.get_mut(name) else {
            return Err(LexerError::new(at, self.unknown(name)));
        };
        if real.distribution.replace((at, distribution)).is_some() {
            return Err(LexerError::new(at, mistakes::repeated_table(name)));
        }
        Ok(())
    }

    pub(super) fn is_utility(&self, name: &str) -> bool {
        self.valued.contains_key(name)
    }

    fn require_new(&self, at: usize, name: &str) -> LexerResult<()> {
        if self.index.contains_key(name) || self.is_utility(name) || self.is_real(name) {
            return Err(LexerError::new(at, mistakes::repeated_variable(name)));
        }
        Ok(())
    }

    /// Returns the indices of variables, given their names with the offsets in the text; returns an error if a name is unknown or repeated.
    pub(super) fn scope<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = (usize, N)>,
    ) -> LexerResult<Vec<usize>> {
        let mut scope = Vec::new();
        let mut seen = FxHashSet::default();
        for (at, name) in names {
            let name = name.as_ref();
            let Some(&variable) = self.index.get(name) else {
                return Err(LexerError::new(at, self.unknown(name)));
            };
            if !seen.insert(variable) {
                return Err(LexerError::new(at, mistakes::repeated_in_table(name)));
            }
            scope.push(variable);
        }
        Ok(scope)
    }

    fn unknown(&self, name: &str) -> Mistake {
        if self.is_real(name) {
            let problem = format!(
                "the continuous node `{name}` is a parent of a node that is not continuous"
            );
            let remedy = "reverse the arc, or give the parent discrete states";
            return Mistake::new(MistakeKind::Unsupported, problem, remedy);
        }
        if !self.is_utility(name) {
            let names = self.variables.iter().map(Variable::name);
            let names = names.chain(self.reals.keys().map(String::as_str));
            return unknown_among(names, name).into();
        }
        let problem = format!(
            "the utility `{name}` is not a variable, so no table or decision can depend on it"
        );
        let remedy = "remove it from the parents";
        Mistake::new(MistakeKind::Unsupported, problem, remedy)
    }

    pub(super) fn entries(&self, variables: &[usize]) -> u128 {
        let sizes = variables.iter().map(|&v| self.variables[v].states.len());
        sizes.fold(1, |n, size| n.saturating_mul(size as u128))
    }

    /// Returns the number of entries of a table over the variables `variables`; at most `held` of these entries can be listed in the text. Returns an
    /// error if too many entries of all tables together are not listed in the text.
    pub(super) fn implied_entries(
        &mut self,
        at: usize,
        variables: &[usize],
        held: usize,
    ) -> LexerResult<usize> {
        let needed = self.entries(variables);
        let limit = self.implied.max(held);
        mistakes::check_size(at, "entries", needed, limit)?;
        if needed > held as u128 {
            self.implied -= needed as usize;
        }
        Ok(needed as usize)
    }

    pub(super) fn is_decision(&self, variable: usize) -> bool {
        self.chosen.contains(&variable)
    }

    /// Defines the declared node `name` of the network by its parents and the numbers in the text. The numbers of a chance variable are listed row by
    /// row; those of a utility are listed such that its last parent varies fastest; a decision has no numbers. The names and numbers of the
    /// definition are given with their offsets in the text.
    pub(super) fn define<'w, N: AsRef<str>>(
        &mut self,
        (at, name): (usize, &str),
        parents: impl IntoIterator<Item = (usize, N)>,
        mut words: impl Iterator<Item = (usize, &'w str)>,
    ) -> LexerResult<()> {
        let mut scope = self.scope(parents)?;
        if self.is_utility(name) {
            return self.add_utility(at, name, scope, words);
        }
        let variable = self.scope([(at, name)])?[0];
        if !self.chosen.contains(&variable) {
            if scope.contains(&variable) {
                return Err(LexerError::new(at, mistakes::repeated_in_table(name)));
            }
            scope.push(variable);
            return self.add_table(at, scope, words);
        }
        if let Some((at, word)) = words.next() {
            let what = "no numbers, since this is a decision";
            return Err(unexpected(at, word, what));
        }
        let known = scope;
        self.decisions.push((at, DecisionNode { variable, known }));
        Ok(())
    }

    /// Adds the conditional table of the last variable in `variables`; the numbers of the table are listed row by row in the text.
    fn add_table<'w>(
        &mut self,
        at: usize,
        variables: Vec<usize>,
        words: impl Iterator<Item = (usize, &'w str)>,
    ) -> LexerResult<()> {
        let Some(&child) = variables.last() else {
            return Ok(());
        };
        let mut starts = Vec::new();
        let columns = self.variables[child].states.len();
        let mut numbers = self.numbers(at, &variables, words, |place, word, number| {
            if number.is_multiple_of(columns) {
                starts.push(place);
            }
            weight(place, word)
        })?;
        for (row, (numbers, start)) in numbers.chunks_mut(columns).zip(starts).enumerate() {
            self.check_row(&variables, row, numbers, start)?;
        }
        self.push_table(at, variables, numbers);
        Ok(())
    }

    /// Adds a conditional table to the draft after a check of its rows.
    pub(super) fn push_table(&mut self, at: usize, variables: Vec<usize>, numbers: Vec<f64>) {
        let weights = numbers.into();
        self.tables.push(NetworkTable { variables, weights });
        self.places.push(at);
    }

    fn add_utility<'w>(
        &mut self,
        at: usize,
        name: &str,
        variables: Vec<usize>,
        words: impl Iterator<Item = (usize, &'w str)>,
    ) -> LexerResult<()> {
        let numbers = self.numbers(at, &variables, words, |place, word, _| finite(place, word))?;
        let utility = UtilityNode {
            name: name.into(),
            variables,
            numbers,
        };
        self.utilities.push((at, utility));
        Ok(())
    }

    /// Reads the numbers of a table; there must be as many numbers as joint states of the variables.
    fn numbers<'w>(
        &self,
        at: usize,
        variables: &[usize],
        words: impl Iterator<Item = (usize, &'w str)>,
        mut read: impl FnMut(usize, &str, usize) -> LexerResult<f64>,
    ) -> LexerResult<Vec<f64>> {
        let needed = self.entries(variables);
        let mut numbers = Vec::new();
        let mut found = 0;
        for (place, word) in words {
            let number = read(place, word, found)?;
            found += 1;
            if found as u128 <= needed {
                numbers.push(number);
            }
        }
        mistakes::check_entries(at, found, needed)?;
        Ok(numbers)
    }

    /// Checks that each node of the network is defined exactly once; a decision without a definition has no known variables.
    pub(super) fn check_definitions(&mut self) -> LexerResult<()> {
        let names = |v: usize| self.variables[v].name.as_str();
        let tables = self.tables.iter().zip(&self.places);
        let tables = tables.filter_map(|(table, &at)| Some((at, names(*table.variables.last()?))));
        let decisions = self.decisions.iter();
        let decisions = decisions.map(|(at, decision)| (*at, names(decision.variable)));
        let utilities = self.utilities.iter();
        let utilities = utilities.map(|(at, utility)| (*at, utility.name.as_str()));
        let mut defined = FxHashSet::default();
        for (at, name) in tables.chain(decisions).chain(utilities) {
            if !defined.insert(name) {
                return Err(LexerError::new(at, mistakes::repeated_table(name)));
            }
        }
        let mut reals = self.reals.iter();
        if let Some((name, real)) = reals.find(|(_, real)| real.distribution.is_none()) {
            return Err(LexerError::new(
                real.declared,
                mistakes::no_distribution(name),
            ));
        }
        let mut unknowing = Vec::new();
        let variables = self.variables.iter().zip(&self.declared).enumerate();
        let variables = variables.map(|(v, (variable, &at))| (Some(v), variable.name(), at));
        let utilities = self.valued.iter();
        let utilities = utilities.map(|(name, &at)| (None, name.as_str(), at));
        for (position, name, at) in variables.chain(utilities) {
            match position.filter(|position| self.chosen.contains(position)) {
                _ if defined.contains(name) => {}
                Some(variable) => unknowing.push((at, variable)),
                None => return Err(LexerError::new(at, mistakes::no_table(name))),
            }
        }
        let decisions = unknowing.into_iter().map(|(at, variable)| {
            let known = Vec::new();
            (at, DecisionNode { variable, known })
        });
        self.decisions.extend(decisions);
        Ok(())
    }

    /// Checks that the probabilities in a row of a table sum to one. If the sum of a row's probabilities deviates from one by rounding, the row is
    /// divided by the sum.
    ///
    /// The argument `variables` contains the parents and the child of the table, and `at` is the offset of the row in the text.
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
        match normalise(numbers, self.normalises) {
            RowSumCheck::One => {}
            RowSumCheck::Normalised(sum) => {
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
                let row = combination(&self.variables, parents, row);
                let mistake = row_sum(&self.variables[variable].name, &row, sum);
                return Err(LexerError::new(at, mistake));
            }
        }
        Ok(())
    }
}

/// Returns the error that the sum of the probabilities in a row of a table deviates from one. A table row of zeros cannot be divided by its sum.
fn row_sum(variable: &str, row: &str, sum: f64) -> Mistake {
    let row = match row {
        "()" => "table".to_owned(),
        row => format!("row {row}"),
    };
    // The digits that rounding affects are left out.
    let digits = format!("{sum:.6}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let problem = format!(
        "the {row} of `{variable}` sums to {digits}, which differs from one by more than rounding"
    );
    let mistake = |remedy| Mistake::new(MistakeKind::Value, problem, remedy);
    if sum > 0.0 {
        mistake("correct its numbers, or have the reader normalise rows").with_setting("normalise")
    } else {
        mistake("correct its numbers")
    }
}
