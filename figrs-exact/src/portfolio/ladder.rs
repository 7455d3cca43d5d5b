//! The sequence in which a portfolio (`Exact`, `MpeExact`) tries algorithms, by their predicted work.

use super::attempts::Attempts;
use figrs_answer::error::Error;
use figrs_factor::graph::{FactorGraph, VarId, has_zeros};

/// Maximum number of predicted operations (about a tenth of a second) of an elimination that is tried before all other algorithms.
const CHEAPEST: f64 = 1e8;
/// Maximum number of predicted operations (about a second) of a cheap elimination. Only a short exhaustive search is tried before a cheap
/// elimination, and only for a logical model (a model with many zeros).
const CHEAP: f64 = 1e9;
/// Number of decisions of the search that runs before a cheap elimination of a logical model (a model with many zeros).
const FEW_DECISIONS: f64 = 4096.0;
/// Number of decisions (less than a second) of the first search in a logical model (a model with many zeros), if no elimination is cheap.
pub(super) const FIRST_DECISIONS: f64 = 65_536.0;
/// Maximum number of decisions (some seconds) of the first search in a small logical model (a model with many zeros).
const MOST_FIRST_DECISIONS: f64 = 1_048_576.0;
/// Minimum ratio of the number of decisions of a second exhaustive search to the number of decisions of the first search; with a smaller ratio, there
/// is no second search.
const SECOND_SEARCH_FACTOR: f64 = 4.0;
/// Divisor by which the number of decisions of a search is reduced in a model with few zeros.
const FEW_ZEROS_DIVISOR: f64 = 8.0;
/// Maximum memory in bytes of the first exploration of frontiers (a tenth of a second), and of the second exploration (one or two seconds), which
/// precedes algorithms that take long.
const FRONTIER_BYTES: [u64; 2] = [1 << 23, 1 << 27];
/// Predicted operations of the next algorithm above which the second exploration of frontiers is tried (it corresponds to minutes), and number above
/// which the last exploration is tried with the maximum memory (it corresponds to hours).
const FRONTIER_THRESHOLDS: [f64; 2] = [1e10, 1e12];
/// Divisor of the portfolio's memory; the quotient is the maximum memory of an exploration of frontiers.
const FRONTIER_SHARE: u64 = 4;
/// Number of operations of an elimination that take as long as one decision of a search, measured on networks that both elimination and search solve.
const OPERATIONS_PER_DECISION: f64 = 5000.0;
/// The number of operations of an elimination that take as long as one decision of a search, for small models whose elimination tables exceed every
/// processor cache. A decision of a search was measured to take 2.6 microseconds on formulas with 60 variables, and an operation of an elimination 5
/// to 14 nanoseconds.
const SMALL_DECISION: f64 = 500.0;

/// A sequence of attempts, in which a portfolio tries the algorithms for one kind of question in the order of their predicted work.
pub(super) trait Ladder<'a> {
    /// The type of the answers that the algorithms of the portfolio give.
    type Found;

    fn attempts(&mut self) -> &mut Attempts<'a>;

    /// Tries an elimination of all variables with at most `operations` predicted operations.
    fn eliminate(&mut self, operations: f64) -> Result<Option<Self::Found>, Error>;

    /// Tries an exhaustive search with at most `decisions` decisions.
    fn search(&mut self, decisions: f64) -> Result<Option<Self::Found>, Error>;

    /// Tries an exploration of frontiers with at most `bytes` bytes of memory.
    fn explore(&mut self, _bytes: u64) -> Result<Option<Self::Found>, Error> {
        Ok(None)
    }

    /// Returns the maximum memory in bytes of the first, the second and the last exploration of frontiers.
    fn frontier_bytes(&mut self) -> [u64; 3] {
        let most = self.attempts().settings.memory.0 / FRONTIER_SHARE;
        let [first, larger] = FRONTIER_BYTES.map(|bytes| bytes.min(most));
        [first, larger, most]
    }

    /// Explores frontiers again with `bytes` bytes of memory, if the previous exploration had only the smaller memory `before`.
    fn explore_further(&mut self, before: u64, bytes: u64) -> Result<Option<Self::Found>, Error> {
        if bytes > before {
            self.explore(bytes)
        } else {
            Ok(None)
        }
    }

    /// Returns the predicted number of operations of a sum over all slices (one elimination for each joint value of some fixed variables); infinite
    /// if no choice of the fixed variables fits the memory. Stores the plan of the slices (the choice of the variables to fix).
    fn slice_operations(&mut self) -> Result<f64, Error> {
        Ok(f64::INFINITY)
    }

    /// Sums over all slices (one elimination for each joint value of the fixed variables); `_operations` is the predicted number of operations.
    fn sum_slices(&mut self, _operations: f64) -> Result<Option<Self::Found>, Error> {
        Ok(None)
    }

    /// Computes crude lower and upper bounds of the answer, after a cheap elimination was refused.
    fn begin_bounds(&mut self) {}

    /// Computes closer bounds of the answer, before an algorithm that is predicted to take `_operations` operations.
    fn bound(&mut self, _operations: f64) {}

    /// Returns the number of operations of an elimination of this model that take as long as one decision of a search.
    fn decision(&mut self) -> f64 {
        let outline = self.attempts().outline();
        if outline.is_logical() && outline.is_small() {
            SMALL_DECISION
        } else {
            OPERATIONS_PER_DECISION
        }
    }

    /// Runs an exhaustive search that takes about as long as `operations` operations of an elimination, or an eighth of that time if few factors have
    /// zeros. No exhaustive search runs if no factor has zeros, or if earlier searches took nearly as long.
    fn search_for(&mut self, operations: f64) -> Result<Option<Self::Found>, Error> {
        let mut decisions = operations / self.decision();
        match self.attempts().outline().zeros {
            ZeroShare::Most => {}
            ZeroShare::Few => decisions /= FEW_ZEROS_DIVISOR,
            ZeroShare::None => return Ok(None),
        }
        if decisions > SECOND_SEARCH_FACTOR * self.attempts().searched.max(FIRST_DECISIONS) {
            self.search(decisions)
        } else {
            Ok(None)
        }
    }

    /// Returns the maximum number of decisions of the first search in a logical model (a model with many zeros). The maximum number of decisions of
    /// the first search is small if an elimination is predicted to be cheap. For a small model, the maximum number of decisions follows from the
    /// predicted operations of the elimination, because this prediction is often wrong for small models.
    fn first_decisions(&mut self) -> f64 {
        let operations = self.attempts().refused_operations();
        let least = if operations <= CHEAP {
            FEW_DECISIONS
        } else {
            FIRST_DECISIONS
        };
        if self.attempts().outline().is_small() {
            (operations / self.decision()).clamp(least, MOST_FIRST_DECISIONS)
        } else {
            least
        }
    }

    /// Tries those algorithms of the portfolio that take a few seconds at most.
    fn at_little_cost(&mut self) -> Result<Option<Self::Found>, Error> {
        let work = self.attempts().settings.limits.work;
        if let Some(found) = self.eliminate(CHEAPEST.min(work))? {
            return Ok(Some(found));
        }
        self.begin_bounds();
        if self.attempts().outline().is_logical() {
            let decisions = self.first_decisions();
            if let Some(found) = self.search(decisions.min(work / OPERATIONS_PER_DECISION))? {
                return Ok(Some(found));
            }
        }
        // The elimination with more operations spends more time than the first elimination on the search for an elimination order.
        if let Some(found) = self.eliminate(CHEAP.min(work))? {
            return Ok(Some(found));
        }
        let [first, ..] = self.frontier_bytes();
        self.explore(first)
    }

    /// Searches for as long as the cheaper of the elimination and the sum over slices (eliminations with fixed variables) is predicted to take, and
    /// then runs the cheaper algorithm. Returns `None` if no algorithm gives an answer.
    fn by_predicted_work(&mut self) -> Result<Option<Self::Found>, Error> {
        let work = self.attempts().settings.limits.work;
        let whole = self.attempts().refused_operations();
        let mut sliced = if whole < work {
            f64::INFINITY
        } else {
            self.slice_operations()?
        };
        let cheapest = whole.min(sliced).min(work);
        let [first, larger, most] = self.frontier_bytes();
        if cheapest >= FRONTIER_THRESHOLDS[0]
            && let Some(found) = self.explore_further(first, larger)?
        {
            return Ok(Some(found));
        }
        self.bound(cheapest);
        if let Some(found) = self.search_for(cheapest)? {
            return Ok(Some(found));
        }
        if cheapest >= FRONTIER_THRESHOLDS[1]
            && let Some(found) = self.explore_further(larger, most)?
        {
            return Ok(Some(found));
        }
        if whole.is_finite() && whole <= work {
            if let Some(found) = self.eliminate(work)? {
                return Ok(Some(found));
            }
            sliced = self.slice_operations()?;
            if let Some(found) = self.search_for(sliced.min(work))? {
                return Ok(Some(found));
            }
        }
        if sliced.is_finite() && sliced <= work {
            return self.sum_slices(sliced);
        }
        self.bound(work);
        Ok(None)
    }
}

/// A model is small if a joint value of all its variables has at most this number of binary digits. If an elimination of a small model is costly, its
/// tables exceed every processor cache, whereas each decision of a search fixes a large part of the model.
const SMALL_MODEL_DIGITS: usize = 128;

/// Among the factors of at least two variables, the fraction of factors that have zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZeroShare {
    /// No factor has zeros. If no factor has zeros, decisions of a search imply no other values.
    None,
    /// Less than half of the factors have zeros.
    Few,
    /// At least half of the factors have zeros; such a model is called logical.
    Most,
}

/// Size of a model, and its fraction of factors with zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelOutline {
    pub(super) zeros: ZeroShare,
    /// Number of binary digits that a joint value of all variables needs.
    pub(super) digits: usize,
}

impl ModelOutline {
    /// The size and the fraction of factors with zeros that are assumed for a model that cannot be expanded.
    pub(super) const UNKNOWN: Self = Self {
        zeros: ZeroShare::Few,
        digits: usize::MAX,
    };

    pub(super) fn of(graph: &FactorGraph) -> Self {
        let is_open = |v: &&VarId| graph.cardinality(**v) > 1;
        let factors = graph.factors.iter();
        let joint = factors.filter(|f| f.variables.iter().filter(is_open).count() > 1);
        let (with_zeros, others): (Vec<_>, Vec<_>) = joint.partition(|f| has_zeros(f));
        let zeros = if with_zeros.len() >= others.len() {
            ZeroShare::Most
        } else if with_zeros.is_empty() {
            ZeroShare::None
        } else {
            ZeroShare::Few
        };
        let digits = |&n: &u32| n.max(1).next_power_of_two().trailing_zeros() as usize;
        let digits = graph.cardinalities.iter().map(digits).sum();
        Self { zeros, digits }
    }

    /// True if at least half of the factors of at least two variables have zeros, so that decisions of a search imply many other values.
    pub(super) fn is_logical(self) -> bool {
        self.zeros == ZeroShare::Most
    }

    /// True if the model is small: a joint value has at most `SMALL_MODEL_DIGITS` binary digits.
    pub(super) fn is_small(self) -> bool {
        self.digits <= SMALL_MODEL_DIGITS
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::{Bytes, Model};

    use super::*;
    use crate::portfolio::ladder::ModelOutline;
    use crate::portfolio::settings::PortfolioSettings;
    use figrs_answer::run::watch::Watch;
    use figrs_factor::eliminate::EliminationError;

    /// A sequence of attempts for tests: no algorithm gives an answer, and the test sets the predicted operations.
    struct InVain<'a> {
        attempts: Attempts<'a>,
        whole: f64,
        /// True if the elimination exceeds the memory although its number of operations is permitted.
        is_large: bool,
        sliced: f64,
        tried: Vec<(&'static str, f64)>,
    }

    impl<'a> Ladder<'a> for InVain<'a> {
        type Found = ();

        fn attempts(&mut self) -> &mut Attempts<'a> {
            &mut self.attempts
        }

        fn eliminate(&mut self, limit: f64) -> Result<Option<()>, Error> {
            self.tried.push(("elimination", limit));
            let needed = self.whole;
            let refused = if self.is_large && limit > needed {
                EliminationError::TooMuchMemory {
                    needed: 1e15,
                    limit: 1,
                }
            } else {
                EliminationError::TooManyOperations { needed, limit }
            };
            let refuse = || Err(Error::Elimination(refused));
            self.attempts.try_once("VariableElimination", None, refuse)
        }

        fn search(&mut self, decisions: f64) -> Result<Option<()>, Error> {
            self.tried.push(("search", decisions));
            self.attempts.searched = self.attempts.searched.max(decisions);
            Ok(None)
        }

        fn explore(&mut self, bytes: u64) -> Result<Option<()>, Error> {
            self.tried.push(("frontier", bytes as f64));
            Ok(None)
        }

        fn slice_operations(&mut self) -> Result<f64, Error> {
            Ok(self.sliced)
        }

        fn sum_slices(&mut self, operations: f64) -> Result<Option<()>, Error> {
            self.tried.push(("slices", operations));
            Ok(None)
        }
    }

    const LOGICAL: ModelOutline = ModelOutline {
        zeros: ZeroShare::Most,
        digits: 1000,
    };
    const SMALL: ModelOutline = ModelOutline {
        digits: 60,
        ..LOGICAL
    };
    const WITHOUT_ZEROS: ModelOutline = ModelOutline {
        zeros: ZeroShare::None,
        ..LOGICAL
    };

    /// Returns the list of all attempts to run an algorithm.
    fn attempted(
        outline: ModelOutline,
        (whole, is_large): (f64, bool),
        sliced: f64,
    ) -> [Vec<(&'static str, f64)>; 2] {
        let (watch, settings, model) = (
            Watch::default(),
            PortfolioSettings::within(Bytes(1 << 32)),
            Model::new(),
        );
        let run = watch.start("Exact", None);
        let mut attempts = Attempts::new(&settings, &run, &model, &[]);
        attempts.outline = Some(outline);
        let mut ladder = InVain {
            attempts,
            whole,
            is_large,
            sliced,
            tried: Vec::new(),
        };
        assert!(ladder.at_little_cost().unwrap().is_none());
        let cheap = ladder.tried.len();
        assert!(ladder.by_predicted_work().unwrap().is_none());
        let beyond = ladder.tried.split_off(cheap);
        [ladder.tried, beyond]
    }

    /// Returns the list of the attempts to run algorithms that follow the attempts with little work.
    fn costly(outline: ModelOutline, whole: f64, sliced: f64) -> Vec<(&'static str, f64)> {
        let [_, beyond] = attempted(outline, (whole, false), sliced);
        beyond
    }

    #[test]
    fn a_search_goes_on_only_for_much_longer_than_the_first() {
        // A search with slightly more decisions than the first search would mostly repeat the first search.
        let little = 1.5 * FIRST_DECISIONS * OPERATIONS_PER_DECISION;
        assert_eq!(costly(LOGICAL, 1e14, little), [("slices", little)]);
        let much = 10.0 * FIRST_DECISIONS * OPERATIONS_PER_DECISION;
        let expected = [("search", 10.0 * FIRST_DECISIONS), ("slices", much)];
        assert_eq!(costly(LOGICAL, 1e14, much), expected);
    }

    #[test]
    fn slices_follow_an_elimination() {
        // The slices are tried after an elimination that does not fit the memory.
        let expected = [("elimination", 1e12), ("slices", 1e9)];
        assert_eq!(costly(LOGICAL, 1.2e9, 1e9), expected);
    }

    #[test]
    fn a_search_follows_an_elimination_that_does_not_fit() {
        // The predicted elimination is so cheap that no second search is tried. If the elimination does not fit into memory, no further attempt
        // remains.
        let [cheap, beyond] = attempted(LOGICAL, (1.2e9, true), f64::INFINITY);
        assert_eq!(cheap[1], ("search", FIRST_DECISIONS));
        let expected = [
            ("elimination", 1e12),
            ("search", 1e12 / OPERATIONS_PER_DECISION),
        ];
        assert_eq!(beyond, expected);
    }

    #[test]
    fn a_small_logical_model_is_searched_longer_at_first() {
        let [cheap, _] = attempted(SMALL, (3e8, false), f64::INFINITY);
        assert_eq!(cheap[1], ("search", 3e8 / SMALL_DECISION));
        let [cheap, _] = attempted(SMALL, (1e12, false), f64::INFINITY);
        assert_eq!(cheap[1], ("search", MOST_FIRST_DECISIONS));
        let [cheap, _] = attempted(LOGICAL, (3e8, false), f64::INFINITY);
        assert_eq!(cheap[1], ("search", FEW_DECISIONS));
    }

    #[test]
    fn models_without_zeros_are_not_searched() {
        let [cheap, beyond] = attempted(WITHOUT_ZEROS, (1e14, false), f64::INFINITY);
        let all = [cheap, beyond].concat();
        assert!(all.iter().all(|&(name, _)| name != "search"), "{all:?}");
    }

    #[test]
    fn frontiers_get_more_memory_where_others_take_long() {
        let expected = [
            ("frontier", f64::from(1 << 27)),
            ("search", 1e12 / OPERATIONS_PER_DECISION),
            ("frontier", f64::from(1 << 30)),
        ];
        assert_eq!(costly(LOGICAL, 1e14, f64::INFINITY), expected);
    }
}
