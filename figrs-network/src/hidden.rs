//! Finds hidden variables whose states the data cannot distinguish, and table rows for which the data has no case.

use figrs_factor::graph::Assignments;
use rustc_hash::FxHashSet;

use super::{Network, NetworkData, NetworkTable, State};

/// For each variable of a network, two flags: whether no case of the data observes the variable, and whether some case observes a descendant of the
/// variable.
pub(super) struct Hidden {
    is_hidden: Vec<bool>,
    is_cause: Vec<bool>,
}

impl Hidden {
    pub(super) fn new(network: &Network, data: &NetworkData) -> Self {
        let mut is_hidden = vec![true; network.variables.len()];
        for row in data.rows() {
            for (hidden, cell) in is_hidden.iter_mut().zip(row) {
                *hidden &= cell.is_none();
            }
        }
        let mut is_cause = vec![false; network.variables.len()];
        for &table in network.order.iter().rev() {
            if let Some((&child, parents)) = network.tables[table].variables.split_last()
                && (is_cause[child] || !is_hidden[child])
            {
                for &parent in parents {
                    is_cause[parent] = true;
                }
            }
        }
        Self {
            is_hidden,
            is_cause,
        }
    }

    /// True if the cases of the data carry no information about `variable`, whatever numbers its table has.
    pub(super) fn is_barren(&self, variable: usize) -> bool {
        self.is_hidden[variable] && !self.is_cause[variable]
    }
}

/// Returns the hidden variables that have an observed descendant and two states with the same numbers in all tables. Expectation-maximisation never
/// separates two states with the same numbers in all tables.
pub(super) fn alike(network: &Network, uses: &Hidden) -> Vec<usize> {
    let has_twins = |&variable: &usize| {
        let states = network.variables[variable].states.len();
        let tables = network.tables.iter();
        let tables: Vec<_> = tables.filter(|t| t.variables.contains(&variable)).collect();
        // Each state is compared with all earlier states.
        let pairs = (1..states).flat_map(|second| (0..second).map(move |first| (first, second)));
        let mut pairs = pairs.take(MOST_PAIRS);
        pairs.any(|(first, second)| {
            let is_alike = |table: &&NetworkTable| {
                let variables = table.variables.iter();
                let position = variables.clone().position(|&v| v == variable);
                let sizes = variables.map(|&v| network.variables[v].states.len());
                let sizes: Vec<usize> = sizes.collect();
                let after: usize = sizes[position.map_or(0, |p| p + 1)..].iter().product();
                let numbers = table.numbers();
                let blocks = numbers.chunks(after * states);
                blocks.into_iter().all(|block| {
                    let of = |state: usize| &block[state * after..][..after];
                    of(first) == of(second)
                })
            };
            tables.iter().all(is_alike)
        })
    };
    let all = 0..network.variables.len();
    let hidden = all.filter(|&variable| uses.is_hidden[variable] && uses.is_cause[variable]);
    hidden.filter(has_twins).collect()
}

/// Maximum number of pairs of states that are compared for each hidden variable.
const MOST_PAIRS: usize = 1 << 12;

impl Network {
    /// Returns the table rows for which the data has no case, as indices of the variable and of the row in its table. A case of the data belongs to a
    /// table row if the parents can have the row's states in this case; a missing cell may be any state. Learning without a prior does not change the
    /// table rows to which no case belongs.
    ///
    /// **Cost.** Each table is checked once for each case of the data or, if the states of some of its parents are missing in the case, once for each
    /// joint state of these parents.
    ///
    /// ```
    /// # use figrs_network::Network;
    /// let (network, data) = Network::from_data_csv("rain,wet\nyes,yes\nno,no\n")?;
    /// assert!(network.unreached_rows(&data).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unreached_rows(&self, data: &NetworkData) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        for table in &self.tables {
            let Some((&child, parents)) = table.variables.split_last() else {
                continue;
            };
            let sizes = parents.iter().map(|&p| self.variables[p].states.len());
            let sizes: Vec<usize> = sizes.collect();
            let rows = sizes.iter().product();
            let mut is_reached = vec![data.is_empty(); rows];
            let mut open = rows;
            let mut seen: FxHashSet<Vec<Option<usize>>> = FxHashSet::default();
            for case in 0..data.len() {
                if open == 0 || parents.is_empty() {
                    break;
                }
                let states = parents
                    .iter()
                    .map(|&p| data.cell(case, p).map(State::index));
                let states: Vec<Option<usize>> = states.collect();
                if seen.contains(&states) {
                    continue;
                }
                let missing = sizes
                    .iter()
                    .zip(&states)
                    .filter(|(_, state)| state.is_none());
                let missing = Assignments::rows(missing.map(|(&size, _)| size));
                for number in 0..missing.count() {
                    let mut free = missing.values(number);
                    let row = sizes.iter().zip(&states).fold(0, |row, (size, state)| {
                        let own = state.or_else(|| free.next().map(|x| x as usize));
                        row * size + own.unwrap_or(0)
                    });
                    open -= usize::from(!std::mem::replace(&mut is_reached[row], true));
                }
                seen.insert(states);
            }
            if !parents.is_empty() {
                let rows = (0..rows).filter(|&row| !is_reached[row]);
                all.extend(rows.map(|row| (child, row)));
            }
        }
        all
    }
}
