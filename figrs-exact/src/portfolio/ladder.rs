//! The order of attempts, by their predicted work.

use super::attempts::Attempts;
use super::outline::ZeroShare;
use figrs_answer::error::Error;

/// Maximum number of operations of an elimination that is done before anything else: about a tenth of a second.
const CHEAPEST: f64 = 1e8;
/// Maximum number of operations of an elimination that only a short search of a logical model precedes: about a second.
const CHEAP: f64 = 1e9;
/// Number of decisions of a search of a logical model before an elimination that is cheap.
const FEW_DECISIONS: f64 = 4096.0;
/// Number of decisions of the first search of a logical model where no elimination is cheap: less than a second.
pub(super) const FIRST_DECISIONS: f64 = 65_536.0;
/// Maximum number of decisions of the first search of a small logical model: some seconds.
const MOST_FIRST_DECISIONS: f64 = 1_048_576.0;
/// A second search has more than this many times the decisions of the first.
const SECOND_SEARCH_FACTOR: f64 = 4.0;
/// Divisor of the decisions of a search where few factors have zeros.
const FEW_ZEROS_DIVISOR: f64 = 8.0;
/// Maximum bytes of the first frontiers, and of the frontiers where other algorithms take long: a tenth of a second, and a second or two.
const FRONTIER_BYTES: [u64; 2] = [1 << 23, 1 << 27];
/// Predicted operations from which frontiers get more memory, and from which they get all: minutes, and hours.
const FRONTIER_THRESHOLDS: [f64; 2] = [1e10, 1e12];
/// Divisor of the memory that gives the maximum for frontiers.
const FRONTIER_SHARE: u64 = 4;
/// Operations of an elimination that take as long as a decision of a search. Measured on networks that both answer.
const OPERATIONS_PER_DECISION: f64 = 5000.0;
/// Operations of an elimination that take as long as a decision of a search in small models, whose tables are larger than every cache. Measured on formulas of
/// 60 variables: a decision takes 2.6 microseconds, an operation 5 to 14 nanoseconds.
const SMALL_DECISION: f64 = 500.0;

/// The algorithms that answer one kind of question, in the order of their predicted work.
pub(super) trait Ladder<'a> {
    /// Answer of an algorithm.
    type Found;

    fn attempts(&mut self) -> &mut Attempts<'a>;

    /// Eliminates everything, in at most this number of predicted operations.
    fn eliminate(&mut self, operations: f64) -> Result<Option<Self::Found>, Error>;

    /// Searches, with at most this number of decisions.
    fn search(&mut self, decisions: f64) -> Result<Option<Self::Found>, Error>;

    /// Explores frontiers of at most this number of bytes.
    fn explore(&mut self, _bytes: u64) -> Result<Option<Self::Found>, Error> {
        Ok(None)
    }

    /// The maximum bytes of the first, the second and the last attempt with frontiers.
    fn frontier_bytes(&mut self) -> [u64; 3] {
        let most = self.attempts().settings.memory.0 / FRONTIER_SHARE;
        let [first, larger] = FRONTIER_BYTES.map(|bytes| bytes.min(most));
        [first, larger, most]
    }

    /// Explores frontiers again if `bytes` is more than `before`.
    fn explore_further(&mut self, before: u64, bytes: u64) -> Result<Option<Self::Found>, Error> {
        if bytes > before {
            self.explore(bytes)
        } else {
            Ok(None)
        }
    }

    /// The predicted operations of all slices, whose plan is kept; infinite if no slices fit the memory.
    fn slice_operations(&mut self) -> Result<f64, Error> {
        Ok(f64::INFINITY)
    }

    /// Sums the slices, for which this number of operations is predicted.
    fn sum_slices(&mut self, _operations: f64) -> Result<Option<Self::Found>, Error> {
        Ok(None)
    }

    /// Finds crude bounds, once a cheap elimination was refused.
    fn begin_bounds(&mut self) {}

    /// Finds closer bounds, before an attempt that takes this number of operations.
    fn bound(&mut self, _operations: f64) {}

    /// Operations of an elimination that take as long as a decision of a search.
    fn decision(&mut self) -> f64 {
        let outline = self.attempts().outline();
        if outline.is_logical() && outline.is_small() {
            SMALL_DECISION
        } else {
            OPERATIONS_PER_DECISION
        }
    }

    /// Searches for about as long as these operations take; an eighth of that where few factors have zeros; not at all where no factor has zeros, or if that is
    /// not much longer than the searches before.
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

    /// Number of decisions of the first search: few where an elimination is predicted to be cheap, unless the model is small, because predictions are wrong for
    /// small models.
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

    /// Makes the attempts that take seconds at most.
    fn at_little_cost(&mut self) -> Result<Option<Self::Found>, Error> {
        let work = self.attempts().settings.work;
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
        // The search for its order takes longer than that of the first elimination.
        if let Some(found) = self.eliminate(CHEAP.min(work))? {
            return Ok(Some(found));
        }
        let [first, ..] = self.frontier_bytes();
        self.explore(first)
    }

    /// Searches for as much work as the cheaper of elimination and slices is predicted to take, then tries the cheaper one; `None` if none is done.
    fn by_predicted_work(&mut self) -> Result<Option<Self::Found>, Error> {
        let work = self.attempts().settings.work;
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

#[cfg(test)]
mod tests {
    use figrs_core::{Bytes, Model};

    use super::*;
    use crate::portfolio::outline::ModelOutline;
    use crate::portfolio::settings::PortfolioSettings;
    use figrs_answer::run::watch::Watch;
    use figrs_factor::eliminate::EliminationError;

    /// A ladder whose attempts never answer, with the given operations of an elimination and of slices.
    struct InVain<'a> {
        attempts: Attempts<'a>,
        whole: f64,
        /// True if the elimination does not fit the memory once it is not refused for its operations.
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

    /// The attempts of a ladder: attempts of little cost, and the attempts after them.
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

    /// The attempts that follow the attempts of little cost.
    fn costly(outline: ModelOutline, whole: f64, sliced: f64) -> Vec<(&'static str, f64)> {
        let [_, beyond] = attempted(outline, (whole, false), sliced);
        beyond
    }

    #[test]
    fn a_search_goes_on_only_for_much_longer_than_the_first() {
        // A search of slightly more decisions than the first would only repeat it.
        let little = 1.5 * FIRST_DECISIONS * OPERATIONS_PER_DECISION;
        assert_eq!(costly(LOGICAL, 1e14, little), [("slices", little)]);
        let much = 10.0 * FIRST_DECISIONS * OPERATIONS_PER_DECISION;
        let expected = [("search", 10.0 * FIRST_DECISIONS), ("slices", much)];
        assert_eq!(costly(LOGICAL, 1e14, much), expected);
    }

    #[test]
    fn slices_follow_an_elimination() {
        // An elimination that turns out not to fit leaves the slices.
        let expected = [("elimination", 1e12), ("slices", 1e9)];
        assert_eq!(costly(LOGICAL, 1.2e9, 1e9), expected);
    }

    #[test]
    fn a_search_follows_an_elimination_that_does_not_fit() {
        // The elimination is too cheap for a second search; where it does not fit, no attempt is left.
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
