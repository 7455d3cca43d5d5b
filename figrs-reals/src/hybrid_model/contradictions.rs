//! Statements about real elements that exclude each other.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Model};
use rustc_hash::FxHashMap;

use super::HybridModel;
use crate::linear_element::Linear;
use crate::site::{Site, Weighed};

/// A real number, and the interval in which the observed comparisons of linear functions of it hold.
struct ComparedNumber {
    number: Linear,
    compared: Vec<AnyElement>,
    low: f64,
    high: f64,
}

impl HybridModel<'_> {
    /// Checks for each real number that the observed comparisons of linear functions of this number hold in some interval. Comparisons that depend
    /// on finite elements are not checked.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if there is no such interval.
    pub(super) fn check_comparisons(&self, model: &Model, sites: &[Site]) -> Result<(), Error> {
        let mut numbers: FxHashMap<Vec<usize>, Vec<ComparedNumber>> = FxHashMap::default();
        for site in sites {
            let Weighed::ObservedSign(is_true, _) = site.weighed else {
                continue;
            };
            let argument = &site.function.argument;
            let replaced = self.substituted(&site.element, argument)?;
            let rows = replaced.as_ref().unwrap_or(argument);
            let [row] = &rows.rows[..] else { continue };
            if row.is_constant() || !site.function.scope.is_empty() {
                continue;
            }
            let alike = numbers.entry(row.vectors().collect()).or_default();
            let place = alike
                .iter()
                .position(|known| row.in_terms_of(&known.number).is_some());
            let place = place.unwrap_or_else(|| {
                alike.push(ComparedNumber {
                    number: row.clone(),
                    compared: Vec::new(),
                    low: f64::NEG_INFINITY,
                    high: f64::INFINITY,
                });
                alike.len() - 1
            });
            let known = &mut alike[place];
            let Some((offset, slope)) = row.in_terms_of(&known.number) else {
                continue;
            };
            if slope == 0.0 {
                continue;
            }
            known.compared.push(site.element.clone());
            let bound = -offset / slope;
            if (slope > 0.0) == is_true {
                known.low = known.low.max(bound);
            } else {
                known.high = known.high.min(bound);
            }
            if known.low >= known.high {
                let is_compared = |element: &AnyElement| {
                    let mut compared = known.compared.iter();
                    compared.any(|other| other.id() == element.id())
                };
                let last = model.evidence().len() - 1;
                return Err(contradiction(model, last, is_compared));
            }
        }
        Ok(())
    }
}

/// Returns the error for statements that contradict each other: the statements up to the index `last` about elements with the property `is_about`.
pub(super) fn contradiction(
    model: &Model,
    last: usize,
    is_about: impl Fn(&AnyElement) -> bool,
) -> Error {
    let about = (0..=last).filter(|&i| is_about(&model.evidence()[i].0));
    Error::ImpossibleEvidence {
        conflict: about.map(|i| model.describe(i)).collect(),
        is_minimal: false,
    }
}
