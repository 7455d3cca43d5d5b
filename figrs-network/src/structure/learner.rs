//! Learns the structure of a network from data.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use figrs_infer::internals::Listener;
use figrs_infer::{Progress, Stopped};

use super::super::{Network, NetworkData, NetworkKind, NetworkLearner};
use super::arc_rules::ArcRules;
use super::climber::Climber;
use super::dag::Dag;
use super::family_scores::FamilyScores;
use super::fitted::{fitted_tables, log_likelihood, parents_of, with_tables};
use super::hill_climbing::{FoundStructure, HillClimbing, SearchObserver};
use super::row_counts::DataRows;
use super::structural_em::StructuralEm;
use super::{NetworkScore, ScoredNetwork, StructureLearningError, k2_search};

/// Maximum number of variables in a search for a structure. The number of variables is limited because a search stores a number for each pair of
/// variables.
const MOST_VARIABLES: usize = 4096;
/// Default number of arc changes for which a changed arc is tabu, if the network has at most this number of variables.
const TABU_LENGTH: usize = 10;
const RESTARTS: u64 = 30;
/// Default maximum number of rounds of structural expectation-maximisation.
const ROUNDS: u64 = 50;

/// Settings that all structure searches of one run of the learner share.
struct SearchSettings<'s> {
    rules: &'s ArcRules,
    order: &'s [u32],
    threads: usize,
    /// Number of arc changes that earlier searches of the run made.
    earlier: AtomicU64,
    is_over: &'s (dyn Fn() -> bool + Sync),
}

/// Learns the structure of a Bayesian network by searching for the structure with the best score on data.
///
/// If cells of the data are missing, the learner runs rounds of structural expectation-maximisation. In each round, the current network gives the
/// exact posterior of the missing cells in each row, and thereby the expected counts of each family (a variable with its parents). In each round, the
/// search finds a structure with a better score on the expected counts, and the conditional tables learned for this structure complete the next
/// network. Structural expectation-maximisation runs from two initial structures. The first run of structural expectation-maximisation starts at the
/// structure with which the search begins. The second run starts at the structure that a search finds with other counts: each variable is counted in
/// the rows in which the variable and its parents are observed. In the second run, the initial table of a variable comes from the rows in which the
/// variable and all its parents are observed; one is added to each count. The learner returns the result with the better score among the two runs of
/// structural expectation-maximisation. A run of structural expectation-maximisation ends when the score of the observed cells does not rise. For
/// BIC, AIC and the log-likelihood, the score of the observed cells of data is computed from their log-likelihood. For scores other than BIC, AIC and
/// the log-likelihood, the score of the observed cells is the score of the expected counts plus the entropy of the missing cells (Cheeseman and
/// Stutz). The rounds of structural expectation-maximisation end in a local optimum, which depends on the initial structure. Structural
/// expectation-maximisation assumes that cells are missing at random.
///
/// **Guarantee.** The learned structure is acyclic, contains all required arcs and no forbidden arcs, and has at least the score of the structure
/// with which the search begins. Hill climbing, with or without a tabu list, ends at a structure where adding, deleting or reversing any arc raises
/// the score by no more than rounding, unless an interrupt ends it earlier. After an interrupt or a deadline, the learner returns the best structure
/// found so far. Unless a deadline or an interrupt ends the search, the result depends only on the data, the settings and the seed, not on the number
/// of threads.
///
/// **Complexity.** For each family (a variable with its parents), the data is counted only once. With `V` variables, hill climbing counts `V²`
/// families (a variable with its parents) at the beginning and `V` to `2 V` families for each arc change; each count takes time linear in the number
/// of distinct rows.
///
/// If cells are missing, all families (a variable with its parents) are counted anew in each round. A round computes a posterior for each row, and
/// for each family the joint posterior of its missing cells.
///
/// **Errors.** [`StructureLearningError`] if the data or the rules for arcs do not suit the network, or if the problem is too large.
///
/// **References.** Heckerman, Geiger and Chickering, *Learning Bayesian networks: the combination of knowledge and statistical data*, Machine
/// Learning 20, 1995; Bouckaert, *Bayesian belief networks: from construction to inference*, 1995 (tabu search); Cooper and Herskovits, *A Bayesian
/// method for the induction of probabilistic networks from data*, Machine Learning 9, 1992 (K2); Friedman, *Learning belief networks in the presence
/// of missing values and hidden variables*, ICML 1997, and *The Bayesian structural EM algorithm*, UAI 1998; Cheeseman and Stutz, *Bayesian
/// classification (`AutoClass`)*, 1996.
///
/// ```
/// # use figrs_network::{Network, NetworkScore, StructureLearner};
/// let rows = "yes,wet\n".repeat(9) + &"no,dry\n".repeat(8) + "no,wet\nyes,dry\n";
/// let (network, data) = Network::from_data_csv(&format!("rain,grass\n{rows}"))?;
/// let learned = StructureLearner::new(NetworkScore::Bic).require("rain", "grass").learn(&network, &data)?;
/// assert_eq!(learned.network.tables()[1].variables(), [0, 1]);
/// assert!(learned.score.total > NetworkScore::Bic.of(&network, &data)?.total);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct StructureLearner {
    score: NetworkScore,
    search: StructureSearch,
    required: Vec<(String, String)>,
    forbidden: Vec<(String, String)>,
    most_parents: Option<usize>,
    order: Vec<String>,
    tabu_length: Option<usize>,
    restarts: u64,
    seed: u64,
    prior: f64,
    rounds: u64,
    threads: Option<NonZero<usize>>,
    interrupt: Option<Arc<AtomicBool>>,
    deadline: Option<Duration>,
    listener: Listener<Progress>,
}

/// Algorithm that searches for a structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructureSearch {
    /// Hill climbing: repeatedly makes the change of one arc that raises the score most, until no change raises the score. Hill climbing begins with
    /// the arcs of the network, as far as the required and forbidden arcs and the maximum number of parents allow.
    #[default]
    HillClimbing,
    /// Tabu search: hill climbing that continues at a local optimum with the change that lowers the score least. Recently changed arcs are not
    /// changed again (tabu), unless the change gives the best structure so far.
    Tabu,
    /// K2: greedily chooses the parents of each variable from the variables before it in the given [`order`](StructureLearner::order).
    K2,
}

/// A network whose structure was learned, with details of the search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LearnedStructure {
    /// The network with the learned structure; its conditional tables maximise the likelihood of the data after the prior is added to each count. In
    /// a row of a conditional table without counts, all states are equally likely.
    pub network: Network,
    /// The score of the learned structure; if cells are missing, the score is computed from the expected counts under the network.
    pub score: ScoredNetwork,
    /// The natural logarithm of the likelihood of the observed cells of data.
    pub log_likelihood: f64,
    /// The rounds of structural expectation-maximisation; `None` if no cell is missing.
    pub missing: Option<MissingCellRounds>,
    /// Total number of arc changes that the searches made.
    pub steps: u64,
    /// The reason why the structure search ended.
    pub ended: Stopped,
}

/// Summary of the rounds of structural expectation-maximisation. The rounds of structural expectation-maximisation end in a local optimum, which
/// depends on the initial structure.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MissingCellRounds {
    /// Number of missing cells.
    pub cells: u64,
    /// Total number of rounds from both initial structures; each round is a structure search on expected counts.
    pub rounds: u64,
    /// The score of the observed cells of data under the first network, and after each round that raised the score.
    pub scores: Vec<f64>,
}

impl StructureLearner {
    /// Creates a learner that searches by hill climbing for the structure with the best value of `score`.
    pub fn new(score: NetworkScore) -> Self {
        Self {
            score,
            search: StructureSearch::default(),
            required: Vec::new(),
            forbidden: Vec::new(),
            most_parents: None,
            order: Vec::new(),
            tabu_length: None,
            restarts: RESTARTS,
            seed: 0,
            prior: 0.0,
            rounds: ROUNDS,
            threads: None,
            interrupt: None,
            deadline: None,
            listener: Listener::default(),
        }
    }

    /// Sets the algorithm that searches for the structure.
    pub fn search(mut self, search: StructureSearch) -> Self {
        self.search = search;
        self
    }

    /// Requires an arc from the variable named `from` to the variable named `to`.
    pub fn require(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.required.push((from.into(), to.into()));
        self
    }

    /// Forbids an arc from the variable named `from` to the variable named `to`.
    pub fn forbid(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.forbidden.push((from.into(), to.into()));
        self
    }

    /// Sets the maximum number of parents of a variable (default: no limit).
    pub fn max_parents(mut self, most: usize) -> Self {
        self.most_parents = Some(most);
        self
    }

    /// Sets the order of the variables for K2, given by names; variables that are not listed follow in the order of the
    /// network.
    pub fn order(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.order = names.into_iter().map(Into::into).collect();
        self
    }

    figrs_factor::field_setters! {
        /// Sets the number of arc changes for which a changed arc is tabu, and the number of arc changes without a better structure after which a
        /// climb ends. The default tabu length is ten, or the number of variables if there are more than ten.
        tabu_length: usize => tabu_length;
        /// Sets the number of restarts of hill climbing (default 30). The first restart begins again at the initial structure, but prefers another
        /// change among changes of equal gain, which gives a second local optimum. Further restarts alternate between the two local optima. Each
        /// restart begins at the best structure found so far from one of the optima, with random covered arcs reversed, and every second time also
        /// with random arc changes. Reversing covered arcs gives a structure of the same equivalence class, in which all structures have equal scores
        /// except for [`NetworkScore::K2`]. The search [`StructureSearch::K2`] has no restarts.
        restarts: u64 => restarts;
        /// Sets the seed of the random changes in restarts (default 0).
        seed: u64 => seed;
        /// Adds `prior` to each count from which the tables are learned (default 0, at most [`NetworkLearner::MOST_PRIOR`]); the score of the
        /// structure is not affected.
        prior: f64 => prior;
        /// Sets the maximum number of rounds of structural expectation-maximisation from each of the two initial structures (default 50).
        rounds: u64 => rounds;
        /// Sets the number of threads (default: all cores); the result does not depend on the number of threads.
        threads: NonZero<usize> => threads;
        /// Ends the search with the best structure so far once `interrupt` is `true`.
        interrupt: Arc<AtomicBool> => interrupt;
        /// Sets the time after which the structure search ends with the best structure so far (default: no limit).
        deadline: Duration => deadline;
    }

    /// Calls `listener` after each arc change, with the number of arc changes so far.
    pub fn on_progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.listener = Listener::new(listener);
        self
    }

    /// Learns the structure and the conditional tables of `network` from `data` about its variables.
    ///
    /// **Errors.** The errors that the documentation of [`StructureLearner`](Self) lists.
    pub fn learn(
        &self,
        network: &Network,
        data: &NetworkData,
    ) -> Result<LearnedStructure, StructureLearningError> {
        self.score.check()?;
        if !(0.0..=NetworkLearner::MOST_PRIOR).contains(&self.prior) {
            return Err(StructureLearningError::Setting {
                setting: "prior",
                value: self.prior,
                remedy: "give a number from 0 to 1e15",
            });
        }
        if network.kind() != NetworkKind::Bayesian {
            return Err(StructureLearningError::not_bayesian());
        }
        let count = network.variables().len();
        if count > MOST_VARIABLES {
            let problem = format!(
                "{count} variables are more than the {MOST_VARIABLES} that a search for arcs supports"
            );
            return Err(StructureLearningError::too_large(
                &problem,
                "leave some out",
                &[],
            ));
        }
        let arcs = (&self.required[..], &self.forbidden[..]);
        let rules = ArcRules::new(network, arcs, self.most_parents.unwrap_or(usize::MAX))?;
        let order = match self.search {
            StructureSearch::K2 => k2_search::order(network, &self.order, &rules)?,
            StructureSearch::HillClimbing | StructureSearch::Tabu => Vec::new(),
        };
        let rows = DataRows::new(network, data)?;
        let threads = self.threads.or_else(|| available_parallelism().ok());
        let threads = threads.map_or(1, NonZero::get);
        let start = rules.start(&parents_of(network));
        rules.check_entries(rules.least())?;
        let began = Instant::now();
        let is_over = || self.deadline.is_some_and(|limit| began.elapsed() >= limit);
        let settings = SearchSettings {
            rules: &rules,
            order: &order,
            threads,
            earlier: AtomicU64::new(0),
            is_over: &is_over,
        };
        if rows.missing_cells > 0 {
            rows.check_columns(network)?;
            return self.learn_in_rounds(network, &rows, start, &settings);
        }
        let rows = rows.complete;
        let mut families = FamilyScores::new(&rows, self.score, threads);
        let found = self.found(&mut families, &settings, start, &is_over);
        let ended = self.end(found.is_interrupted, &is_over);
        let dag = found.dag;
        rules.check_entries(&dag)?;
        let terms = (0..count as u32).map(|child| families.family(child, dag.parents(child)));
        let score = ScoredNetwork::new(terms.collect());
        let tables = fitted_tables(&rows, &dag, self.prior);
        Ok(LearnedStructure {
            log_likelihood: log_likelihood(&rows, &dag, &tables),
            network: with_tables(network, &dag, tables),
            score,
            missing: None,
            steps: found.steps,
            ended,
        })
    }

    /// Learns a structure from data with missing cells.
    fn learn_in_rounds(
        &self,
        network: &Network,
        rows: &DataRows,
        start: Dag,
        settings: &SearchSettings<'_>,
    ) -> Result<LearnedStructure, StructureLearningError> {
        let search = |families: &mut FamilyScores<'_>, start, ends: &(dyn Fn() -> bool + Sync)| {
            let found = self.found(families, settings, start, ends);
            settings.earlier.fetch_add(found.steps, Ordering::Relaxed);
            found
        };
        let is_interrupted = || self.is_interrupted() || (settings.is_over)();
        let rounds = StructuralEm {
            rows,
            rules: settings.rules,
            score: self.score,
            prior: self.prior,
            threads: settings.threads,
            most_rounds: self.rounds,
            search: &search,
            is_interrupted: &is_interrupted,
        };
        let found = rounds.run(start)?;
        Ok(LearnedStructure {
            network: with_tables(network, &found.dag, found.tables),
            score: found.score,
            log_likelihood: found.log_likelihood,
            missing: Some(MissingCellRounds {
                cells: rows.missing_cells,
                rounds: found.rounds,
                scores: found.scores,
            }),
            steps: found.steps,
            ended: self.end(found.is_interrupted, settings.is_over),
        })
    }

    /// Returns the reason why a structure search ended.
    fn end(&self, was_cut: bool, is_over: &dyn Fn() -> bool) -> Stopped {
        match was_cut {
            true if is_over() && !self.is_interrupted() => Stopped::Deadline,
            true => Stopped::Interrupted,
            false => Stopped::Finished,
        }
    }

    fn is_interrupted(&self) -> bool {
        let flag = self.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    fn found(
        &self,
        families: &mut FamilyScores<'_>,
        settings: &SearchSettings<'_>,
        start: Dag,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> FoundStructure {
        let (began, rules) = (Instant::now(), settings.rules);
        let is_interrupted = || self.is_interrupted() || is_over();
        let earlier = settings.earlier.load(Ordering::Relaxed);
        let report = |done| {
            self.listener.tell(&Progress {
                algorithm: "StructureLearner",
                done: earlier + done,
                total: None,
                elapsed: began.elapsed(),
            });
        };
        let observer = SearchObserver {
            is_interrupted: &is_interrupted,
            report: &report,
        };
        if self.search == StructureSearch::K2 {
            return k2_search::search(families, rules, settings.order, &observer);
        }
        let length = self.tabu_length.unwrap_or(TABU_LENGTH.max(start.len()));
        let climbing = HillClimbing {
            tabu_length: (self.search == StructureSearch::Tabu).then_some(length),
            restarts: self.restarts,
            seed: self.seed,
        };
        match Climber::new(families, rules, start.clone(), &is_interrupted) {
            Some(mut climber) => climbing.run(&mut climber, &observer),
            None => FoundStructure {
                dag: start,
                steps: 0,
                is_interrupted: true,
            },
        }
    }
}
