//! Learning of the tables of a network from data.

use figrs_core::rand::RngExt;
use figrs_core::{Constant, Element, Learned, Model, Parents, Select, States, stream};
use figrs_infer::JunctionTree;
use figrs_learn::{Cases, ExpectationMaximization, Fit};

use super::{Network, NetworkData, NetworkKind, NetworkLearningError, State, Variable, elements};

/// Learning of the tables of a Bayesian network from data with missing values, by expectation-maximisation on its junction tree.
///
/// The rows of all tables are parameters, each its own. Without a prior a row that no case needs keeps its numbers.
///
/// **Guarantee**, **complexity** and **references** are those of [`ExpectationMaximization`].
///
/// ```
/// # use figrs_network::{Network, NetworkLearner};
/// # let network = Network::from_bif("network n { } variable rain { type discrete [ 2 ] { yes, no }; }
/// #     variable grass { type discrete [ 2 ] { wet, dry }; }
/// #     probability ( rain ) { table 0.2, 0.8; }
/// #     probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }")?;
/// let data = network.data_from_csv("rain,grass\nyes,wet\nno,dry\n,wet\nno,wet\n")?;
/// let learned = NetworkLearner::new().learn(&network, &data)?;
/// println!("{:.4}", learned.fit.log_likelihood());
/// learned.network.to_bif()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct NetworkLearner {
    algorithm: ExpectationMaximization<JunctionTree>,
    prior: f64,
    start: LearningStart,
}

/// Numbers that learning starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearningStart {
    /// Those of the network.
    #[default]
    Network,
    /// All states of a row equally likely.
    Uniform,
    /// Rows drawn uniformly from all rows, with this seed.
    Random(u64),
}

/// A network whose tables were learned.
#[derive(Clone, Debug)]
pub struct LearnedNetwork {
    /// The network with the learned tables.
    pub network: Network,
    /// The log-likelihoods of all rounds, and the reason for their end.
    pub fit: Fit,
}

impl Default for NetworkLearner {
    fn default() -> Self {
        Self::new()
    }
}

impl NetworkLearner {
    /// The largest count of [`prior`](Self::prior): beside a larger one the count of a case is lost to rounding.
    pub const MOST_PRIOR: f64 = 1e15;

    /// For the maximum of the likelihood, from the network's own numbers.
    pub fn new() -> Self {
        Self::by(ExpectationMaximization::new(JunctionTree::new()))
    }

    /// With the settings of an algorithm.
    pub fn by(algorithm: ExpectationMaximization<JunctionTree>) -> Self {
        Self {
            algorithm,
            prior: 0.0,
            start: LearningStart::default(),
        }
    }

    /// Adds so much to the count of every state in every row: a Dirichlet prior of one more, whose posterior density is maximised
    /// (default 0, at most [`MOST_PRIOR`](Self::MOST_PRIOR)).
    pub fn prior(mut self, count: f64) -> Self {
        self.prior = count;
        self
    }

    /// Sets the numbers to start from.
    pub fn start(mut self, start: LearningStart) -> Self {
        self.start = start;
        self
    }

    /// Learns the tables of a network.
    ///
    /// **Errors.** [`NetworkLearningError::NotBayesian`] and [`NetworkLearningError::Prior`]; those of [`ExpectationMaximization`], of which
    /// [`InvalidCase`](figrs_infer::Error::InvalidCase) names the row of the data.
    pub fn learn(
        &self,
        network: &Network,
        data: &NetworkData,
    ) -> Result<LearnedNetwork, NetworkLearningError> {
        if network.kind() != NetworkKind::Bayesian {
            return Err(NetworkLearningError::NotBayesian);
        }
        if !(0.0..=Self::MOST_PRIOR).contains(&self.prior) {
            return Err(NetworkLearningError::Prior { count: self.prior });
        }
        let tables = self.tables(network);
        let elements = elements::bayesian(
            network.variables(),
            network.tables(),
            &network.order,
            |table, child, parents| element(&tables[table], child, parents),
        );
        let mut algorithm = self.algorithm.clone();
        if self.prior > 0.0 {
            algorithm = algorithm.map_estimate();
        }
        for row in tables.iter().flat_map(|table| &table.rows) {
            if let Some(parameter) = &row.parameter {
                algorithm = algorithm.start(parameter, row.start.clone());
            }
        }
        let rows = data.rows().map(|row| row.map(Option::<&State>::cloned));
        let fit = algorithm.fit(&Model::new(), &Cases::new(&elements).rows(rows))?;
        let mut numbers = Vec::with_capacity(tables.len());
        for table in &tables {
            let mut all = Vec::new();
            for row in &table.rows {
                match &row.parameter {
                    Some(parameter) => all.extend(fit.value(parameter)?),
                    None => all.extend(&row.start),
                }
            }
            numbers.push(all);
        }
        Ok(LearnedNetwork {
            network: network.with_numbers(numbers),
            fit,
        })
    }

    fn tables(&self, network: &Network) -> Vec<LearnedTable> {
        let mut random = match self.start {
            LearningStart::Random(seed) => Some(stream(seed, 0)),
            LearningStart::Network | LearningStart::Uniform => None,
        };
        let tables = network.tables().iter().map(|table| {
            let (states, name) = match table
                .variables()
                .last()
                .map(|&child| &network.variables()[child])
            {
                Some(child) => (child.states().len(), child.name()),
                None => (1, ""),
            };
            let rows = table
                .numbers()
                .chunks(states)
                .enumerate()
                .map(|(number, row)| {
                    let start = match (self.start, &mut random) {
                        (LearningStart::Network, _) | (LearningStart::Random(_), None) => {
                            row.to_vec()
                        }
                        (LearningStart::Uniform, _) => vec![1.0 / states as f64; states],
                        (LearningStart::Random(_), Some(random)) => {
                            // Exponentially distributed numbers over their sum.
                            let drawn: Vec<f64> = row
                                .iter()
                                .map(|_| -(-random.random::<f64>()).ln_1p())
                                .collect();
                            let sum: f64 = drawn.iter().sum();
                            drawn.iter().map(|x| x / sum).collect()
                        }
                    };
                    let concentrations = vec![1.0 + self.prior; states];
                    LearnedRow {
                        parameter: (states > 1).then(|| {
                            Learned::dirichlet(format!("{name} {number}"), concentrations)
                        }),
                        start,
                    }
                });
            LearnedTable {
                rows: rows.collect(),
            }
        });
        tables.collect()
    }
}

/// The parameters of a table, by row.
struct LearnedTable {
    rows: Vec<LearnedRow>,
}

/// A row of a table: its parameter, if it has several states, and its first numbers.
struct LearnedRow {
    parameter: Option<Element<Vec<f64>>>,
    start: Vec<f64>,
}

/// The element of a variable with these parents.
fn element(
    table: &LearnedTable,
    variable: &Variable,
    parents: Vec<(&Element<State>, &States<State>)>,
) -> Element<State> {
    let states: Vec<State> = variable.states().iter().cloned().collect();
    let row = |row: &LearnedRow| match &row.parameter {
        Some(parameter) => Select::by(parameter, states.clone()),
        None => Constant::new(states[0].clone()),
    };
    let rows: Vec<Element<State>> = table.rows.iter().map(row).collect();
    if parents.is_empty() {
        return rows[0].clone();
    }
    let (parents, sizes): (Vec<Element<State>>, Vec<usize>) = parents
        .into_iter()
        .map(|(parent, states)| (parent.clone(), states.len()))
        .unzip();
    parents.flat_map(move |values: Vec<&State>| {
        let values = values.iter().zip(&sizes);
        rows[values.fold(0, |row, (state, size)| row * size + state.index())].clone()
    })
}
