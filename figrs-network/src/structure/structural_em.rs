//! Structural expectation-maximisation, whose rounds search for a structure on the expected counts under the current
//! network.

use super::arc_rules::ArcRules;
use super::case_counts::CaseCounts;
use super::climber::resolution;
use super::dag::Dag;
use super::expected_counts::ExpectedFamilyCounts;
use super::family_scores::FamilyScores;
use super::fitted::fitted_tables;
use super::hill_climbing::FoundStructure;
use super::row_counts::DataRows;
use super::{NetworkScore, ScoredNetwork, StructureLearningError};

/// Maximum number of expected counts in one pass over all pairs of variables: the number of distinct rows with missing cells times the number of
/// pairs of variables.
const MOST_COUNTS: u64 = 1 << 33;
/// Maximum number of rounds of expectation-maximisation for the tables of one structure. The rounds for the tables of a structure end earlier if the
/// log-likelihood rises by a smaller fraction than `TABLE_RISE`.
const TABLE_ROUNDS: u64 = 100;
const TABLE_RISE: f64 = 1e-7;

/// A function that searches for a structure with a good score on given counts, starting from a given structure.
pub(super) type StructureSearchOf<'s> =
    &'s dyn Fn(&mut FamilyScores<'_>, Dag, &(dyn Fn() -> bool + Sync)) -> FoundStructure;

pub(super) struct StructuralEm<'s> {
    pub(super) rows: &'s DataRows,
    pub(super) rules: &'s ArcRules,
    pub(super) score: NetworkScore,
    pub(super) prior: f64,
    pub(super) threads: usize,
    pub(super) most_rounds: u64,
    pub(super) search: StructureSearchOf<'s>,
    pub(super) is_interrupted: &'s (dyn Fn() -> bool + Sync),
}

pub(super) struct FoundNetwork {
    pub(super) dag: Dag,
    pub(super) tables: Vec<Vec<f64>>,
    /// The score of the learned structure, computed from the expected counts.
    pub(super) score: ScoredNetwork,
    pub(super) log_likelihood: f64,
    /// The score of the observed cells of data at the start, and after each round that raised the score.
    pub(super) scores: Vec<f64>,
    pub(super) rounds: u64,
    pub(super) steps: u64,
    pub(super) is_interrupted: bool,
}

/// A structure with learned conditional tables, and the expected counts under these tables.
struct Fitted<'d> {
    dag: Dag,
    tables: Vec<Vec<f64>>,
    expected: ExpectedFamilyCounts<'d>,
    score: ScoredNetwork,
    /// The score computed from the expected counts, plus the entropy of the missing cells.
    observed_score: f64,
}

impl<'s> StructuralEm<'s> {
    /// Runs rounds of structural expectation-maximisation from two structures: `start`, and the structure that a search with the counts of
    /// [`ExpectedFamilyCounts::available`] finds. Returns the network with the better score among the results of the two runs.
    ///
    /// **Errors.** An error if the expected counts would need too much work.
    pub(super) fn run(&self, start: Dag) -> Result<FoundNetwork, StructureLearningError> {
        self.check_work()?;
        let mut found = self.run_from(start.clone())?;
        if found.is_interrupted || self.most_rounds == 0 {
            return Ok(found);
        }
        let available = ExpectedFamilyCounts::available(self.rows);
        let mut families = FamilyScores::new(&available, self.score, self.threads);
        let second = (self.search)(&mut families, start.clone(), self.is_interrupted);
        self.rules.check_entries(&second.dag)?;
        found.is_interrupted = second.is_interrupted;
        if found.is_interrupted || second.dag == start || second.dag == found.dag {
            return Ok(found);
        }
        let other = self.run_from(second.dag)?;
        let (rounds, steps) = (found.rounds + other.rounds, found.steps + other.steps);
        let is_interrupted = other.is_interrupted;
        let is_better = other.scores.last() > found.scores.last();
        Ok(FoundNetwork {
            rounds,
            steps,
            is_interrupted,
            ..if is_better { other } else { found }
        })
    }

    /// Runs rounds of structural expectation-maximisation from the structure `start` until a round does not raise the score.
    fn run_from(&self, start: Dag) -> Result<FoundNetwork, StructureLearningError> {
        // One is added to each count, so that no row has probability zero.
        let available = ExpectedFamilyCounts::available(self.rows);
        let tables = fitted_tables(&available, &start, 1.0 + self.prior);
        let mut best = self.fitted(start, tables)?;
        let mut scores = vec![best.observed_score];
        let (mut rounds, mut steps) = (0, 0);
        let mut is_interrupted = (self.is_interrupted)();
        while rounds < self.most_rounds && !is_interrupted {
            let expected = &best.expected;
            let mut families = FamilyScores::new(expected, self.score, self.threads);
            let ends = || (self.is_interrupted)() || expected.has_failed();
            let found = (self.search)(&mut families, best.dag.clone(), &ends);
            Self::check(expected)?;
            self.rules.check_entries(&found.dag)?;
            (rounds, steps) = (rounds + 1, steps + found.steps);
            is_interrupted = found.is_interrupted;
            if found.dag == best.dag {
                break;
            }
            let tables = fitted_tables(expected, &found.dag, self.prior);
            let next = self.fitted(found.dag, tables)?;
            is_interrupted |= (self.is_interrupted)();
            if next.observed_score <= best.observed_score + resolution(self.rows.total) {
                break;
            }
            scores.push(next.observed_score);
            best = next;
        }
        Ok(FoundNetwork {
            dag: best.dag,
            tables: best.tables,
            score: best.score,
            log_likelihood: best.expected.log_likelihood,
            scores,
            rounds,
            steps,
            is_interrupted,
        })
    }

    /// **Errors.** An error if there are more expected counts than can be computed.
    fn check_work(&self) -> Result<(), StructureLearningError> {
        let (rows, variables) = (self.rows.open.len(), self.rows.complete.width());
        let families = variables as u64 * variables as u64;
        if rows as u64 * families > MOST_COUNTS {
            return Err(StructureLearningError::too_large(
                &format!(
                    "{rows} different rows with missing cells and {families} pairs of variables are more expected counts than the limit of {MOST_COUNTS}"
                ),
                "leave out rows or variables, or fill cells",
                &[],
            ));
        }
        Ok(())
    }

    /// **Errors.** An error if the joint posterior of the missing cells of some row could not be computed.
    fn check(expected: &ExpectedFamilyCounts<'_>) -> Result<(), StructureLearningError> {
        expected.failure().map_or(Ok(()), |large| Err(large.into()))
    }

    /// Learns the conditional tables of the structure `dag` in rounds of expectation-maximisation.
    fn fitted(
        &self,
        dag: Dag,
        mut tables: Vec<Vec<f64>>,
    ) -> Result<Fitted<'s>, StructureLearningError> {
        let expect = |tables: &[Vec<f64>]| ExpectedFamilyCounts::new(self.rows, &dag, tables);
        let mut expected = expect(&tables)?;
        for _ in 0..TABLE_ROUNDS {
            if (self.is_interrupted)() {
                break;
            }
            let next_tables = fitted_tables(&expected, &dag, self.prior);
            Self::check(&expected)?;
            let next = expect(&next_tables)?;
            let before = expected.log_likelihood;
            let rise = next.log_likelihood - before;
            // With a prior, the likelihood itself may fall, so only the size of its change ends the rounds.
            if rise.is_nan() || next.log_likelihood == f64::NEG_INFINITY {
                break;
            }
            (tables, expected) = (next_tables, next);
            if rise.abs() <= TABLE_RISE * before.abs() {
                break;
            }
        }
        let mut families = FamilyScores::new(&expected, self.score, 1);
        let children = 0..dag.len() as u32;
        let terms = children.map(|child| families.family(child, dag.parents(child)));
        let score = ScoredNetwork::new(terms.collect());
        let observed_score =
            score.total + expected.log_likelihood - explained(&expected, &dag, &tables);
        Self::check(&expected)?;
        Ok(Fitted {
            dag,
            tables,
            expected,
            score,
            observed_score,
        })
    }
}

/// Returns the expected log-likelihood of the completed rows: the log-likelihood of the observed cells minus the entropy of the missing cells.
fn explained(expected: &dyn CaseCounts, dag: &Dag, tables: &[Vec<f64>]) -> f64 {
    let terms = (0..).zip(tables).map(|(child, numbers)| {
        let counts = expected.table(child, dag.parents(child));
        let cells = counts
            .iter()
            .zip(numbers)
            .filter(|(count, _)| **count > 0.0);
        cells.map(|(count, p)| count * p.ln()).sum::<f64>()
    });
    terms.sum()
}
