//! The form in which the result of learning (`Fit`) is saved and loaded.

use std::hash::Hasher;
use std::sync::{Arc, Mutex};

use figrs_answer::run::checksum::checksum;
use figrs_answer::{Error, guarded};
use figrs_core::{AnyElement, Model};
use figrs_factor::Stopped;
use figrs_factor::fnv::Fnv;
use serde::{Deserialize, Serialize};

use super::case_rows::{CaseRows, MISSING};
use super::case_table::CaseTable;
use super::cases::{CaseColumns, Cases};
use super::expectation_maximization::ExpectationMaximization;
use super::expected_counts::ExpectedCounts;
use super::fit::Fit;
use super::learner::Learner;
use super::rounds::numbers;

#[cfg(test)]
mod tests;

/// A [`Fit`] in a form that serde can serialise: the learned values, the expected counts of all rows of data, and the log-likelihoods. A saved `Fit`
/// contains neither the rows of data nor the model: [`ExpectationMaximization::load`] needs both to restore the `Fit`. Numbers are stored as their
/// bits, so that any serialisation format preserves them.
///
/// ```
/// # use figrs_core::{Learned, Model, Select};
/// # use figrs_infer::JunctionTree;
/// # use figrs_learn::{Cases, ExpectationMaximization, SavedFit};
/// let mix = Learned::dirichlet("mix", [2.0, 2.0, 2.0]);
/// let choice = Select::by(&mix, ["a", "b", "c"]);
/// let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
/// let cases = Cases::new(&choice).rows(["a", "b", "a"]);
/// let fit = learner.fit(&Model::new(), &cases)?;
/// let text = serde_json::to_string(&fit.save()?)?;
/// // Later, in a program that builds the same model and the same cases:
/// let saved: SavedFit = serde_json::from_str(&text)?;
/// let mut again = learner.load(&Model::new(), &cases, &saved)?;
/// again.update(&Cases::new(&choice).rows(["c"]))?;
/// assert_eq!(again.value(&mix)?, vec![3.0 / 7.0, 2.0 / 7.0, 2.0 / 7.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFit {
    version: u32,
    /// For each parameter, its name and the bits of its numbers.
    parameters: Vec<(String, Vec<u64>)>,
    counts: Vec<u64>,
    log_likelihoods: Vec<u64>,
    starts: Vec<u64>,
    ended: Stopped,
    /// Number of distinct rows of data for which the model was prepared.
    prepared_rows: u64,
    /// The numbers of distinct values in each column of data: first when the model was prepared, then after each update with new values.
    stages: Vec<Vec<u64>>,
    /// Checksum of the columns and rows of all data from which the parameters were learned.
    cases: u64,
    /// Checksum of all other fields of the saved `Fit`.
    checksum: u64,
}

impl SavedFit {
    const VERSION: u32 = 3;

    fn computed_checksum(&self) -> Result<u64, Error> {
        let values = (&self.parameters, &self.counts, &self.log_likelihoods);
        let rounds = (self.version, &self.starts, self.ended);
        let data = (self.prepared_rows, &self.stages, self.cases);
        checksum(&(values, rounds, data)).or_else(|_| unfit("it cannot be serialised"))
    }
}

fn unfit<T>(reason: &'static str) -> Result<T, Error> {
    Err(Error::Saved {
        what: "fit",
        reason,
        remedy: "fit the parameters again, and save the result",
    })
}

fn name(element: &AnyElement) -> String {
    element.label().name.unwrap_or_default()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn from_bits(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|&x| f64::from_bits(x)).collect()
}

fn cases_checksum(columns: &CaseTable, rows: &CaseRows) -> u64 {
    let mut table = columns.columns_only();
    table.rows = rows.clone();
    let mut hash = Fnv::default();
    hash.write(&table.bytes());
    hash.finish()
}

/// True if the values listed for each column are exactly the values in the rows of data, in the order of their first occurrence.
fn has_cells_of(columns: &CaseTable, rows: &CaseRows) -> bool {
    let mut seen = vec![0; columns.columns.len()];
    for row in rows.iter() {
        for (column, seen) in seen.iter_mut().enumerate() {
            match row.cell(column) {
                MISSING => {}
                cell if cell > *seen => return false,
                cell => *seen = (*seen).max(cell + 1),
            }
        }
    }
    let lengths = columns.lengths();
    seen.iter()
        .zip(lengths)
        .all(|(&seen, n)| seen as usize == n)
}

impl Fit {
    /// Returns the result of learning in a form that serde can serialise.
    ///
    /// **Errors.** [`Error::Saved`] if a clone of this `Fit`, or a failed update, prepared the model for values that do not occur in the data of this
    /// `Fit`. The expected counts of the `Fit` can then not be matched to the rows of data.
    pub fn save(&self) -> Result<SavedFit, Error> {
        let learner = self.learner();
        if !has_cells_of(&learner.columns, &self.rows) {
            return unfit("the model of the fit has also been prepared for other cases");
        }
        let stages = learner.stages.iter();
        let mut saved = SavedFit {
            version: SavedFit::VERSION,
            parameters: self
                .parameters
                .values()
                .map(|(element, value)| (name(element), bits(numbers(value))))
                .collect(),
            counts: bits(&self.counts),
            log_likelihoods: bits(&self.log_likelihoods),
            starts: bits(&self.starts),
            ended: self.ended,
            prepared_rows: learner.prepared_rows as u64,
            stages: stages
                .map(|stage| stage.iter().map(|&n| n as u64).collect())
                .collect(),
            cases: cases_checksum(&learner.columns, &self.rows),
            checksum: 0,
        };
        saved.checksum = saved.computed_checksum()?;
        Ok(saved)
    }
}

impl<E: ExpectedCounts> ExpectationMaximization<E> {
    /// Restores a result of learning that was [saved](Fit::save), without further rounds of expectation-maximisation. The argument `model` is the
    /// model whose parameters were learned, and `cases` are all rows of data, in the same order: the first rows, followed by the rows of updates.
    ///
    /// **Guarantee.** The loaded `Fit` and its further updates have the same values, to the last bit, as the original `Fit`. Standard errors of a
    /// loaded `Fit` are computed by [`standard_errors`](Fit::standard_errors).
    ///
    /// **Complexity.** The model is prepared as for learning; no row of data is evaluated.
    ///
    /// **Errors.** [`Error::Saved`] if another version of figrs saved the `Fit`, if the saved data are damaged, or if they belong to another model or
    /// to other rows of data; the errors of [`fit`](Self::fit), except errors of its rounds.
    pub fn load<C: CaseColumns>(
        &self,
        model: &Model,
        cases: &Cases<C>,
        saved: &SavedFit,
    ) -> Result<Fit, Error> {
        if let Some(mistake) = &cases.mistake {
            return Err(mistake.clone());
        }
        if saved.version != SavedFit::VERSION {
            return unfit("it was saved by another version of this library");
        }
        if saved.checksum != saved.computed_checksum()? {
            return unfit("it is damaged");
        }
        let all = &cases.table;
        if saved.cases != cases_checksum(all, &all.rows) {
            return unfit("it was learned from other cases");
        }
        let learner = guarded(|| self.prepared(model, all, saved))?;
        let learned: Vec<_> = learner.step.outcomes().learned().iter().collect();
        let own = learned
            .iter()
            .map(|learned| (name(&learned.element), learned.params.len()));
        let parameters = saved.parameters.iter();
        let parameters = parameters.map(|(name, numbers)| (name.clone(), numbers.len()));
        if !own.eq(parameters)
            || saved.counts.len() != learner.step.outcomes().len()
            || saved.log_likelihoods.is_empty()
        {
            return unfit("it was learned with another model");
        }
        for (learned, (_, numbers)) in learned.iter().zip(&saved.parameters) {
            learned.set_numbers(&from_bits(numbers));
        }
        let elements: Vec<AnyElement> = learned.iter().map(|own| own.element.clone()).collect();
        drop(learned);
        let parameters = elements.into_iter().zip(learner.values());
        Ok(Fit {
            model: model.clone(),
            parameters: parameters.map(|(e, value)| (e.id(), (e, value))).collect(),
            log_likelihoods: from_bits(&saved.log_likelihoods),
            ended: saved.ended,
            starts: from_bits(&saved.starts),
            rows: Arc::new(all.rows.clone()),
            counts: from_bits(&saved.counts),
            standard_errors: None,
            learner: Arc::new(Mutex::new(learner)),
        })
    }

    /// Prepares the model as it was prepared for the saved `Fit`: for the values in the first rows of data, and then for the values that each update
    /// added.
    fn prepared(&self, model: &Model, all: &CaseTable, saved: &SavedFit) -> Result<Learner, Error> {
        let mut stages = saved.stages.iter();
        let Some(first) = stages.next() else {
            return unfit("it is damaged");
        };
        let lengths = |stage: &[u64]| stage.iter().map(|&n| n as usize).collect::<Vec<usize>>();
        let mut table = all.columns_only();
        table.truncate(&lengths(first));
        let rows = all.rows.iter().take(saved.prepared_rows as usize);
        for row in rows {
            let cells = (0..all.columns.len()).map(|column| row.cell(column));
            table
                .rows
                .push_numbered(row.weight, cells.collect(), row.number);
        }
        let monitor = self.watch.start("ExpectationMaximization", None);
        let mut learner = self.prepare(model, &table, &monitor)?;
        for stage in stages {
            let mut columns = all.columns_only();
            columns.truncate(&lengths(stage));
            learner.step.extend(&columns)?;
            learner.columns = columns;
            learner.stages.push(lengths(stage));
        }
        Ok(learner)
    }
}
