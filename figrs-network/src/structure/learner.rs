//! Learning of the structure of a network from complete data.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use figrs_infer::{Progress, Stopped};

use super::super::{Network, NetworkData, NetworkKind, NetworkLearner};
use super::arc_rules::ArcRules;
use super::climber::Climber;
use super::dag::Dag;
use super::family_scores::FamilyScores;
use super::fitted::{fitted, parents_of};
use super::hill_climbing::{FoundStructure, HillClimbing, SearchObserver};
use super::row_counts::RowCounts;
use super::{NetworkScore, ScoredNetwork, StructureLearningError, k2_search};

/// Largest number of variables of a search: it keeps a number for each pair.
const MOST_VARIABLES: usize = 4096;
/// Default length of the tabu list, or the number of variables if that is larger.
const TABU_LENGTH: usize = 10;
/// Default number of restarts.
const RESTARTS: u64 = 30;

type SearchListener = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Search for the structure of a Bayesian network with the best score on complete data.
///
/// **Guarantee.** The structure is acyclic, has the required arcs and none of the forbidden ones, and its score is never below that of the structure that the
/// search begins with. Hill climbing, with or without a tabu list, ends where no arc that is added, deleted or reversed raises the score by more than rounding,
/// unless it is interrupted or its deadline passes: then the result is the best structure so far. Unless the search was cut short, the result depends only on
/// the data, the settings and the seed, not on the number of threads.
///
/// **Complexity.** Each family, a variable with its parents, is counted once. With `V` variables hill climbing counts `V²` families at the beginning
/// and `V` to `2 V` for each step, each in time linear in the number of different rows.
///
/// **Errors.** [`StructureLearningError`].
///
/// **References.** Heckerman, Geiger and Chickering, *Learning Bayesian networks: the combination of knowledge and statistical data*, Machine Learning
/// 20, 1995; Bouckaert, *Bayesian belief networks: from construction to inference*, 1995 (tabu search); Cooper and Herskovits, *A Bayesian method for the
/// induction of probabilistic networks from data*, Machine Learning 9, 1992 (K2).
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
#[derive(Clone)]
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
    threads: Option<NonZero<usize>>,
    interrupt: Option<Arc<AtomicBool>>,
    deadline: Option<Duration>,
    listener: Option<SearchListener>,
}

/// Search for a structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructureSearch {
    /// Hill climbing: makes the change of one arc that raises the score most, while there is one. It begins with the arcs of the network, as far as
    /// the required and forbidden ones and the maximum number of parents allow.
    #[default]
    HillClimbing,
    /// Hill climbing that continues at a top with the change that lowers the score least. Arcs that were changed recently are left alone (tabu) unless
    /// their change gives the best structure so far.
    Tabu,
    /// K2: variables take parents from those before them in an order, greedily.
    K2,
}

/// A network whose structure was learned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LearnedStructure {
    /// The network: each table has the parents in the order of the variables, and the numbers that make the data most likely, with the prior added to
    /// each count. The states of a row without counts are equally likely.
    pub network: Network,
    /// The score of the structure.
    pub score: ScoredNetwork,
    /// The log-likelihood of the data, in natural logarithms.
    pub log_likelihood: f64,
    /// Number of changes that the search made.
    pub steps: u64,
    /// The reason for the end of the search.
    pub ended: Stopped,
}

impl StructureLearner {
    /// A search by hill climbing for the structure with the best score.
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
            threads: None,
            interrupt: None,
            deadline: None,
            listener: None,
        }
    }

    /// Sets the search.
    pub fn search(mut self, search: StructureSearch) -> Self {
        self.search = search;
        self
    }

    /// Requires the arc from one variable to another, by their names.
    pub fn require(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.required.push((from.into(), to.into()));
        self
    }

    /// Forbids the arc from one variable to another, by their names.
    pub fn forbid(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.forbidden.push((from.into(), to.into()));
        self
    }

    /// Sets the maximum number of parents of a variable (default: none).
    pub fn max_parents(mut self, most: usize) -> Self {
        self.most_parents = Some(most);
        self
    }

    /// Sets the order of K2, by names; variables that it does not name follow in the order of the network.
    pub fn order(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.order = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the number of changes for which a changed arc is tabu, which is also the number of changes without a better structure after which the
    /// search ends (default: ten, or the number of variables if that is larger).
    pub fn tabu_length(mut self, length: usize) -> Self {
        self.tabu_length = Some(length);
        self
    }

    /// Climbs this many times more (default 30): once from the start again, with another order of changes of equal gain; then in turn from the best
    /// structure above one of these two tops and above the other, with random covered arcs reversed, every other time after random changes. Such
    /// reversals stay in the equivalence class, in which all structures have the same score except by [`NetworkScore::K2`]. The search
    /// [`StructureSearch::K2`] has no restarts.
    pub fn restarts(mut self, restarts: u64) -> Self {
        self.restarts = restarts;
        self
    }

    /// Sets the seed of the random changes (default 0).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Adds this number to each count of the learned tables (default 0, at most [`NetworkLearner::MOST_PRIOR`]); the score has a prior of its own.
    pub fn prior(mut self, count: f64) -> Self {
        self.prior = count;
        self
    }

    /// Works on this many threads (default: all cores); the result is the same.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Ends the search, with the best structure so far, once this flag is `true`.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// Ends the search after this time, with the best structure so far (default: no limit).
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
        self
    }

    /// Calls this after each change, with their number.
    pub fn on_progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Learns the structure and the tables of a network from data about its variables.
    ///
    /// **Errors.** Those of the [search](Self).
    pub fn learn(
        &self,
        network: &Network,
        data: &NetworkData,
    ) -> Result<LearnedStructure, StructureLearningError> {
        self.score.check()?;
        if !(0.0..=NetworkLearner::MOST_PRIOR).contains(&self.prior) {
            let count = self.prior;
            return Err(StructureLearningError::PriorCount { count });
        }
        if network.kind() != NetworkKind::Bayesian {
            return Err(StructureLearningError::NotBayesian);
        }
        let count = network.variables().len();
        if count > MOST_VARIABLES {
            return Err(StructureLearningError::TooManyVariables {
                count,
                limit: MOST_VARIABLES,
            });
        }
        let arcs = (&self.required[..], &self.forbidden[..]);
        let rules = ArcRules::new(network, arcs, self.most_parents.unwrap_or(usize::MAX))?;
        let order = match self.search {
            StructureSearch::K2 => k2_search::order(network, &self.order, &rules)?,
            StructureSearch::HillClimbing | StructureSearch::Tabu => Vec::new(),
        };
        let rows = RowCounts::new(network, data)?;
        let threads = self.threads.or_else(|| available_parallelism().ok());
        let threads = threads.map_or(1, NonZero::get);
        let mut families = FamilyScores::new(&rows, self.score, threads);
        let start = rules.start(&parents_of(network));
        rules.check_entries(rules.least())?;
        let began = Instant::now();
        let is_over = || self.deadline.is_some_and(|limit| began.elapsed() >= limit);
        let found = self.found(&mut families, &rules, (start, &order), &is_over);
        let ended = match found.is_interrupted {
            true if is_over() && !self.is_interrupted() => Stopped::Deadline,
            true => Stopped::Interrupted,
            false => Stopped::Finished,
        };
        let dag = found.dag;
        rules.check_entries(&dag)?;
        let terms = (0..count as u32).map(|child| families.family(child, dag.parents(child)));
        let score = ScoredNetwork::new(terms.collect());
        let (network, log_likelihood) = fitted(network, &dag, &rows, self.prior);
        Ok(LearnedStructure {
            network,
            score,
            log_likelihood,
            steps: found.steps,
            ended,
        })
    }

    fn is_interrupted(&self) -> bool {
        let flag = self.interrupt.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    fn found(
        &self,
        families: &mut FamilyScores<'_>,
        rules: &ArcRules,
        (start, order): (Dag, &[u32]),
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> FoundStructure {
        let began = Instant::now();
        let is_interrupted = || self.is_interrupted() || is_over();
        let report = |done| {
            if let Some(listener) = &self.listener {
                listener(&Progress {
                    algorithm: "StructureLearner",
                    done,
                    total: None,
                    elapsed: began.elapsed(),
                });
            }
        };
        let observer = SearchObserver {
            is_interrupted: &is_interrupted,
            report: &report,
        };
        if self.search == StructureSearch::K2 {
            return k2_search::search(families, rules, order, &observer);
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

impl fmt::Debug for StructureLearner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StructureLearner")
            .field("score", &self.score)
            .field("search", &self.search)
            .field("required", &self.required)
            .field("forbidden", &self.forbidden)
            .field("most_parents", &self.most_parents)
            .field("restarts", &self.restarts)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
