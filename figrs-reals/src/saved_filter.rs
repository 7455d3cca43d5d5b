//! The saved form of a filter.

use std::ops::Range;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, PortableState};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::approximation::Approximation;
use crate::belief::{Belief, BeliefComponent};
use crate::filter::Filter;

/// A saved [`Filter`], which serde can serialise; for example, a service can save its filter and load it after a restart.
///
/// The saved form contains the distributions of the present state and of the past states that are kept, the settings, and the log-evidence, but no
/// elements. [`Filter::load`] creates the filter from its saved form. A text format must preserve all digits of numbers; for example, `serde_json`
/// needs its feature `float_roundtrip`.
///
/// ```
/// use figrs_core::{Model, Normal, Variance};
/// use figrs_reals::Filter;
///
/// let first = || Normal::new(0.0, Variance(100.0));
/// let mut filter = Filter::exact(&first())?;
/// filter.observe(|level| Model::new().observe(&Normal::new(level, Variance(4.0)), 1.2))?;
/// let text = serde_json::to_string(&filter.save())?;
/// // Later, in another process:
/// let again = Filter::load(&first(), serde_json::from_str(&text)?)?;
/// assert!((again.mean(|level| level)? - 1.1538).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedFilter<V> {
    /// The version of the saved form; another version of figrs may have another form.
    version: u32,
    approximation: Approximation,
    window: usize,
    components: usize,
    steps: u64,
    log_evidence: f64,
    /// True if an earlier step approximated the distribution.
    is_approximate: bool,
    past: usize,
    beliefs: Vec<SavedBelief<V>>,
}

/// The joint distribution of some elements, which are successive among the elements of the present and the past states.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedBelief<V> {
    /// For each element, the range of its numbers in the mean; `None` if the element is finite.
    numbers: Vec<Option<Range<usize>>>,
    components: Vec<SavedComponent<V>>,
    log_evidence: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedComponent<V> {
    share: f64,
    /// For the present state and for each past state, the values of the finite elements to which the distribution applies.
    states: Vec<V>,
    mean: Vec<f64>,
    /// The covariance matrix, and a matrix factor of it if it is known, column by column.
    covariance: Vec<f64>,
    factor: Option<Vec<f64>>,
}

impl<V> SavedFilter<V> {
    const VERSION: u32 = 2;
}

impl<S: PortableState> Filter<S> {
    /// Returns the filter as a [`SavedFilter`].
    pub fn save(&self) -> SavedFilter<S::Values> {
        let states: Vec<&S> = (0..).map_while(|lag| self.past(lag)).collect();
        let mut start = 0;
        let beliefs = self.beliefs.iter().map(|belief| {
            let own = start..start + belief.numbers.len();
            start = own.end;
            SavedBelief {
                numbers: belief.numbers.clone(),
                components: belief
                    .components
                    .iter()
                    .map(|component| SavedComponent::new(component, (belief, &own), &states))
                    .collect(),
                log_evidence: belief.log_evidence,
            }
        });
        SavedFilter {
            version: SavedFilter::<S::Values>::VERSION,
            approximation: self.approximation,
            window: self.window,
            components: self.components,
            steps: self.steps,
            log_evidence: self.log_evidence,
            is_approximate: self.is_approximate,
            past: states.len() - 1,
            beliefs: beliefs.collect(),
        }
    }

    /// Creates a filter from its saved form `saved`. The elements of `first` must have the same types as the elements of the saved filter's states;
    /// the distribution of `first` is not used.
    ///
    /// **Errors.** [`Error::Saved`] if another version of figrs saved the filter, if its state has other elements, or if the saved form is damaged.
    pub fn load(first: &S, saved: SavedFilter<S::Values>) -> Result<Self, Error> {
        if saved.version != SavedFilter::<S::Values>::VERSION {
            return Err(Error::unfit_filter(
                "it was saved by another version of this library",
            ));
        }
        if !saved.approximation.is_valid() {
            return Err(Error::unfit_filter("it is damaged"));
        }
        let own = first.elements();
        let count = saved.beliefs.iter().map(|belief| belief.numbers.len());
        let elements = own.len().checked_mul(saved.past.saturating_add(1));
        if elements != Some(count.sum())
            || saved.beliefs.is_empty()
            || saved.past > saved.window
            || (own.is_empty() && saved.past > 0)
        {
            return Err(Error::unfit_filter(
                "its state has another number of elements",
            ));
        }
        let mut elements = Vec::new();
        for _ in 0..=saved.past {
            elements.extend(own.iter().cloned());
        }
        let mut start = 0;
        let mut beliefs = Vec::with_capacity(saved.beliefs.len());
        for belief in saved.beliefs {
            let range = start..start + belief.numbers.len();
            start = range.end;
            beliefs.push(belief.loaded::<S>(&elements, range)?);
        }
        Ok(
            Self::of_beliefs(first, (beliefs, &elements), saved.approximation)
                .window(saved.window)
                .components(saved.components)
                .after(saved.steps, saved.log_evidence, saved.is_approximate),
        )
    }
}

impl<V> SavedComponent<V> {
    fn new<S: PortableState<Values = V>>(
        component: &BeliefComponent,
        (belief, own): (&Belief, &Range<usize>),
        states: &[&S],
    ) -> Self {
        let mut finite = component.finite.iter();
        let mut place = 0;
        let mut next = || {
            let is_own = own.contains(&place) && belief.numbers[place - own.start].is_none();
            place += 1;
            is_own.then(|| finite.next().cloned()).flatten()
        };
        Self {
            share: component.share,
            states: states.iter().map(|state| state.values(&mut next)).collect(),
            mean: component.mean.as_slice().to_vec(),
            covariance: component.covariance.as_slice().to_vec(),
            factor: component.factor.as_ref().map(|f| f.as_slice().to_vec()),
        }
    }
}

impl<V> SavedBelief<V> {
    /// Returns the joint distribution of the elements with the indices `own`.
    fn loaded<S: PortableState<Values = V>>(
        self,
        elements: &[AnyElement],
        own: Range<usize>,
    ) -> Result<Belief, Error> {
        let mut end = 0;
        for (numbers, element) in self.numbers.iter().zip(&elements[own.clone()]) {
            if let Some(numbers) = numbers {
                if numbers.start != end || numbers.is_empty() || !crate::scan::is_float(element) {
                    return Err(Error::unfit_filter("its state has elements of other types"));
                }
                end = numbers.end;
            }
        }
        if self.components.is_empty() {
            return Err(Error::unfit_filter("it has no distribution"));
        }
        let mut components = Vec::with_capacity(self.components.len());
        let mut total = 0.0;
        for component in self.components {
            let mut all: Vec<Option<Datum>> = Vec::new();
            for values in component.states {
                S::append(values, &mut all);
            }
            if all.len() != elements.len() {
                return Err(Error::unfit_filter(
                    "its state has another number of elements",
                ));
            }
            let places = self.numbers.iter().zip(all.drain(own.clone()));
            let finite = places.filter(|(numbers, _)| numbers.is_none());
            let finite: Option<Vec<Datum>> = finite.map(|(_, value)| value).collect();
            let matrix = |entries: Vec<f64>, columns: usize| {
                let is_whole = end.checked_mul(columns) == Some(entries.len());
                let is_finite = entries.iter().all(|x| x.is_finite());
                (is_whole && is_finite).then(|| DMatrix::from_vec(end, columns, entries))
            };
            let columns = |entries: &Vec<f64>| entries.len() / end.max(1);
            let factor = component.factor.map(|entries| {
                let columns = if end == 0 { 1 } else { columns(&entries) };
                matrix(entries, columns)
            });
            let is_known = factor.as_ref().is_none_or(Option::is_some);
            let mean = matrix(component.mean, 1).filter(|_| is_known);
            let covariance = matrix(component.covariance, end);
            let (Some(finite), Some(mean), Some(covariance)) = (finite, mean, covariance) else {
                return Err(Error::unfit_filter("it is damaged"));
            };
            if !(component.share >= 0.0 && component.share <= 1.0 + 1e-9) {
                return Err(Error::unfit_filter("it is damaged"));
            }
            total += component.share;
            components.push(BeliefComponent {
                share: component.share,
                finite,
                mean: DVector::from_column_slice(mean.as_slice()),
                covariance,
                factor: factor.flatten(),
            });
        }
        if (total - 1.0).abs() > 1e-6 || self.log_evidence.is_nan() {
            return Err(Error::unfit_filter("it is damaged"));
        }
        Ok(Belief {
            numbers: self.numbers,
            components,
            log_evidence: self.log_evidence,
        })
    }
}
