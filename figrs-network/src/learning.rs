//! Learns the tables of a Bayesian network from data.

use figrs_core::rand::RngExt;
use figrs_core::{Constant, Element, Learned, Model, Parents, Select, States, stream};
use figrs_infer::JunctionTree;
use rustc_hash::FxHashSet;

use figrs_learn::{Cases, ExpectationMaximization, Fit};

use super::hidden::{Hidden, alike};
use super::{Network, NetworkData, NetworkKind, NetworkLearningError, State, Variable, elements};

/// Learns the tables of a Bayesian network from data that may have missing values, by expectation-maximisation on the junction tree of the
/// network.
///
/// In learning, each row of each table is a separate parameter. Without a prior, a table row for which the data has no case keeps its initial
/// probabilities.
///
/// The **guarantee**, the **complexity** and the **references** of learning are those of [`ExpectationMaximization`].
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
    starts: Option<u64>,
    seed: u64,
}

/// Default number of runs of expectation-maximisation if two states of a hidden variable have equal initial probabilities.
const STARTS_OF_ALIKE: u64 = 10;

/// The choice of the probabilities in the tables with which learning starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearningStart {
    /// Learning starts with the probabilities in the tables of the given network.
    #[default]
    Network,
    /// Learning starts with tables in whose rows all states have equal probabilities.
    Uniform,
    /// Learning starts with table rows that are drawn at random with the contained seed, uniformly from all distributions.
    Random(u64),
}

/// A network whose tables were learned from data, with details of the learning.
#[derive(Clone, Debug)]
pub struct LearnedNetwork {
    /// The network with the learned tables.
    pub network: Network,
    /// The log-likelihood of each round of expectation-maximisation from the best initial tables, and the reason why the rounds ended.
    pub fit: Fit,
    /// The indices of the hidden variables for which two states had equal initial probabilities; these probabilities were replaced by random ones.
    pub alike: Vec<usize>,
    /// The table rows for which the data has no case, each as the index of the variable and the index of the row in its table. If learning uses no
    /// prior, table rows without cases in the data keep their initial probabilities.
    pub unreached: Vec<(usize, usize)>,
}

impl Default for NetworkLearner {
    fn default() -> Self {
        Self::new()
    }
}

impl NetworkLearner {
    /// Maximum count that [`prior`](Self::prior) can add; with a larger prior, rounding would lose the count of a single case.
    pub const MOST_PRIOR: f64 = 1e15;

    /// Creates a learner that maximises the likelihood and starts from the probabilities in the network's tables.
    pub fn new() -> Self {
        Self::by(ExpectationMaximization::new(JunctionTree::new()))
    }

    /// Creates a learner of tables that uses the settings of the expectation-maximisation algorithm `algorithm`.
    pub fn by(algorithm: ExpectationMaximization<JunctionTree>) -> Self {
        Self {
            algorithm,
            prior: 0.0,
            start: LearningStart::default(),
            starts: None,
            seed: 0,
        }
    }

    figrs_factor::field_setters! {
        /// Adds `prior` to the count of every state in every row of every table (the default is 0, the maximum is [`MOST_PRIOR`](Self::MOST_PRIOR)).
        /// The learned tables maximise the posterior probability under a Dirichlet prior whose parameters are one larger than `prior`.
        prior: f64 => prior;
        /// Sets the probabilities with which learning starts.
        start: LearningStart => start;
        /// Sets the number of runs of expectation-maximisation (default 1, or 10 if two states of a hidden variable have equal initial
        /// probabilities). All runs of expectation-maximisation except the first start from random tables, and the learner returns the result with
        /// the highest likelihood.
        starts: u64 => starts;
        /// Sets the seed (default 0) with which table rows are drawn at random. The first run of expectation-maximisation has random table rows only
        /// if states of a hidden variable have equal initial probabilities.
        seed: u64 => seed;
    }

    /// Learns the tables of a Bayesian network from data.
    ///
    /// If two states of an unobserved variable have equal probabilities in all tables, these would stay equal in every round of
    /// expectation-maximisation (a stationary point of the likelihood that is not a maximum). The initial probabilities of tables in which two states
    /// have equal probabilities are drawn at random, and [`LearnedNetwork::alike`] lists the variables.
    ///
    /// **Errors.** [`NetworkLearningError::NotBayesian`] if `network` is a Markov network; [`NetworkLearningError::Prior`] if the prior is out of
    /// range; the errors of [`ExpectationMaximization`], where [`InvalidCase`](figrs_infer::Error::InvalidCase) states the row of the data.
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
        let uses = Hidden::new(network, data);
        let alike = match self.start {
            LearningStart::Network => alike(network, &uses),
            LearningStart::Uniform => alike(&self.started(network, &uses), &uses),
            LearningStart::Random(_) => Vec::new(),
        };
        let unreached = network.unreached_rows(data);
        let tables = self.tables(network, &alike, &uses);
        let elements = elements::bayesian(
            network.variables(),
            network.tables(),
            &network.order,
            |table, child, parents| element(&tables[table], child, parents),
        );
        let usual = if alike.is_empty() { 1 } else { STARTS_OF_ALIKE };
        let starts = self.starts.unwrap_or(usual);
        let mut algorithm = self.algorithm.clone().starts(starts).seed(self.seed);
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
        let is_unreached: FxHashSet<(usize, usize)> = unreached.iter().copied().collect();
        // Rows on which no case depends keep their numbers, even if this run drew random initial numbers for these rows.
        let is_idle = |child, row| uses.is_barren(child) || is_unreached.contains(&(child, row));
        let mut numbers = Vec::with_capacity(tables.len());
        for (table, own) in tables.iter().zip(network.tables()) {
            let child = own.variables().last().copied().unwrap_or(0);
            let mut all = Vec::new();
            for (number, row) in table.rows.iter().enumerate() {
                let is_kept = self.prior == 0.0 && is_idle(child, number);
                match &row.parameter {
                    Some(parameter) if !is_kept => all.extend(fit.value(parameter)?),
                    _ => all.extend(&row.kept),
                }
            }
            numbers.push(all);
        }
        Ok(LearnedNetwork {
            network: network.with_numbers(numbers),
            fit,
            alike,
            unreached,
        })
    }

    fn started(&self, network: &Network, uses: &Hidden) -> Network {
        let tables = self.tables(network, &[], uses);
        let starts = tables.into_iter().map(|table| {
            let rows = table.rows.into_iter();
            rows.flat_map(|row| row.start).collect()
        });
        network.with_numbers(starts.collect())
    }

    /// Returns the conditional tables to learn, with their initial probabilities. The initial probabilities of tables that contain a variable in
    /// `alike` are drawn at random.
    fn tables(&self, network: &Network, alike: &[usize], uses: &Hidden) -> Vec<LearnedTable> {
        let mut random = stream(
            match self.start {
                LearningStart::Random(seed) => seed,
                LearningStart::Network | LearningStart::Uniform => self.seed,
            },
            0,
        );
        let is_random = matches!(self.start, LearningStart::Random(_));
        let tables = network.tables().iter().map(|table| {
            let (states, name) = match table
                .variables()
                .last()
                .map(|&child| &network.variables()[child])
            {
                Some(child) => (child.states().len(), child.name()),
                None => (1, ""),
            };
            let is_used = (table.variables().last()).is_some_and(|&child| !uses.is_barren(child));
            let is_alike = is_used && table.variables().iter().any(|v| alike.contains(v));
            let rows = table
                .numbers()
                .chunks(states)
                .enumerate()
                .map(|(number, row)| {
                    let kept = match self.start {
                        LearningStart::Uniform => vec![1.0 / states as f64; states],
                        LearningStart::Network | LearningStart::Random(_) => row.to_vec(),
                    };
                    let start = if is_random || is_alike {
                        // Exponentially distributed numbers divided by their sum are uniformly distributed over all
                        // distributions.
                        let drawn: Vec<f64> = row
                            .iter()
                            .map(|_| -(-random.random::<f64>()).ln_1p())
                            .collect();
                        let sum: f64 = drawn.iter().sum();
                        drawn.iter().map(|x| x / sum).collect()
                    } else {
                        kept.clone()
                    };
                    let kept = if is_random { start.clone() } else { kept };
                    let concentrations = vec![1.0 + self.prior; states];
                    LearnedRow {
                        parameter: (states > 1).then(|| {
                            Learned::dirichlet(format!("{name} {number}"), concentrations)
                        }),
                        start,
                        kept,
                    }
                });
            LearnedTable {
                rows: rows.collect(),
            }
        });
        tables.collect()
    }
}

struct LearnedTable {
    rows: Vec<LearnedRow>,
}

/// A row of a conditional table to learn, with its parameter (`None` if the variable has a single state) and its initial probabilities.
struct LearnedRow {
    parameter: Option<Element<Vec<f64>>>,
    start: Vec<f64>,
    /// The probabilities that a row of a conditional table keeps if no case in the data has the parent states of the row.
    kept: Vec<f64>,
}

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
