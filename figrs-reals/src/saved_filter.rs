//! The saved form of a filter.

use std::any::TypeId;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, NextElements, PortableState};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::approximation::Approximation;
use crate::backward_kernel::{BackwardKernel, BackwardOption};
use crate::belief::Belief;
use crate::belief_component::BeliefComponent;
use crate::filter::Filter;
use crate::past_states::{PastState, PastStates};

/// A saved [`Filter`], which serde can serialise; for example, a service can save its filter and load it after a restart.
///
/// The saved form contains the distributions of the present state and of the past states that are kept, the settings, and the log-evidence, but no
/// elements. The function [`Filter::load`] creates a filter from its saved form. A text format for saved filters must preserve all digits of numbers;
/// for example, `serde_json` needs its feature `float_roundtrip`.
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
    /// The version of the saved form of a filter; another version of figrs may have another form.
    version: u32,
    approximation: Approximation,
    window: usize,
    components: usize,
    steps: u64,
    log_evidence: f64,
    /// True if an earlier step of the filter approximated the distribution.
    is_approximate: bool,
    /// The joint distribution of each group of elements of the filter's present state.
    beliefs: Vec<SavedBelief<V>>,
    /// For each past state of the filter, the latest first, the distribution of each group of elements given the next state.
    past: Vec<Vec<SavedKernel<V>>>,
}

/// The joint distribution of a group of successive elements of a filter's state.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedBelief<V> {
    /// For each element, the range of its numbers in the mean vector; `None` if the element is finite.
    numbers: Vec<Option<Range<usize>>>,
    components: Vec<SavedComponent<V>>,
    log_evidence: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedComponent<V> {
    share: f64,
    /// The values of the finite elements of the group.
    values: V,
    mean: Vec<f64>,
    /// The covariance matrix of the mixture component, column by column; and a matrix factor of the covariance matrix if it is known.
    covariance: Vec<f64>,
    factor: Option<Vec<f64>>,
}

/// The distribution of a group of elements of a filter's past state, given the next state.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedKernel<V> {
    numbers: Vec<Option<Range<usize>>>,
    /// For each mixture component of the past state, the values of its finite elements.
    components: Vec<V>,
    /// For each mixture component of the next state, the possible components of the past state.
    options: Vec<Vec<SavedOption>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedOption {
    component: usize,
    share: f64,
    /// The mean (as an offset and a matrix of coefficients) and the covariance matrix of the past state's numbers given the next state's numbers;
    /// matrices are stored column by column.
    offset: Vec<f64>,
    coefficients: Vec<f64>,
    covariance: Vec<f64>,
}

impl<V> SavedFilter<V> {
    const VERSION: u32 = 3;
}

impl<S: PortableState> Filter<S> {
    /// Returns the filter as a [`SavedFilter`].
    pub fn save(&self) -> SavedFilter<S::Values> {
        let mut start = 0;
        let beliefs = self.beliefs.iter().map(|belief| {
            let values = ValuesOf::next(self.state(), &mut start, &belief.numbers);
            SavedBelief {
                numbers: belief.numbers.clone(),
                components: belief
                    .components
                    .iter()
                    .map(|component| SavedComponent {
                        share: component.share,
                        values: values.of(&component.finite),
                        mean: component.mean.as_slice().to_vec(),
                        covariance: component.covariance.as_slice().to_vec(),
                        factor: component.factor.as_ref().map(|f| f.as_slice().to_vec()),
                    })
                    .collect(),
                log_evidence: belief.log_evidence,
            }
        });
        let past = self.past.states.iter().map(|past| {
            let mut start = 0;
            let kernels = past.kernels.iter().map(|kernel| {
                let values = ValuesOf::next(&*past.like, &mut start, &kernel.numbers);
                SavedKernel {
                    numbers: kernel.numbers.clone(),
                    components: kernel
                        .finite
                        .iter()
                        .map(|finite| values.of(finite))
                        .collect(),
                    options: kernel
                        .options
                        .iter()
                        .map(|options| options.iter().map(SavedOption::new).collect())
                        .collect(),
                }
            });
            kernels.collect()
        });
        SavedFilter {
            version: SavedFilter::<S::Values>::VERSION,
            approximation: self.approximation,
            window: self.window,
            components: self.components,
            steps: self.steps,
            log_evidence: self.log_evidence,
            is_approximate: self.is_approximate,
            past: past.collect(),
            beliefs: beliefs.collect(),
        }
    }

    /// Creates a filter from its saved form `saved`. The elements of `first` must have the same types as the elements of the saved filter's states;
    /// the distribution of `first` is not used.
    ///
    /// **Errors.** [`Error::Saved`] if another version of figrs saved the filter, if the saved filter's state has other elements, or if the saved
    /// form is damaged.
    pub fn load(first: &S, saved: SavedFilter<S::Values>) -> Result<Self, Error> {
        if saved.version != SavedFilter::<S::Values>::VERSION {
            return Err(Error::unfit_filter(
                "it was saved by another version of this library",
            ));
        }
        if !saved.approximation.is_valid() || saved.past.len() > saved.window {
            return Err(Error::unfit_filter("it is damaged"));
        }
        let elements = first.elements();
        let ranges = |counts: Vec<usize>| {
            let mut end: usize = 0;
            let ranges = counts.into_iter().map(|count| {
                let start = end;
                end = end.saturating_add(count);
                start..end
            });
            let ranges: Vec<Range<usize>> = ranges.collect();
            if ranges.is_empty() || end != elements.len() {
                return Err(Error::unfit_filter(
                    "the number of elements of its state differs from that of the first state",
                ));
            }
            Ok(ranges)
        };
        let own = ranges(saved.beliefs.iter().map(|b| b.numbers.len()).collect())?;
        let beliefs = saved.beliefs.into_iter().zip(&own);
        let beliefs = beliefs.map(|(belief, own)| belief.loaded::<S>(&elements, own));
        let beliefs: Vec<Belief> = beliefs.collect::<Result<_, _>>()?;
        let next = beliefs.iter().map(|b| (b.components.len(), b.dimension()));
        let mut next: Vec<(usize, usize)> = next.collect();
        let mut past = VecDeque::with_capacity(saved.past.len());
        for saved in saved.past {
            let own = ranges(saved.iter().map(|kernel| kernel.numbers.len()).collect())?;
            if own.len() != next.len() {
                return Err(Error::unfit_filter("it is damaged"));
            }
            let kernels = saved.into_iter().zip(&own).zip(&next);
            let kernels =
                kernels.map(|((kernel, own), next)| kernel.loaded::<S>((&elements, own), *next));
            let kernels: Vec<BackwardKernel> = kernels.collect::<Result<_, _>>()?;
            next = kernels
                .iter()
                .map(|k| (k.finite.len(), k.dimension()))
                .collect();
            let like = first.renewed(&mut NextElements::new(&elements));
            past.push_back(PastState {
                like: Arc::new(like),
                kernels,
            });
        }
        Ok(Self::of_beliefs(first, beliefs, saved.approximation)
            .window(saved.window)
            .components(saved.components)
            .after(saved.steps, saved.log_evidence, saved.is_approximate)
            .with_past(PastStates::new(past)))
    }
}

/// The values of a group of elements of a filter's state.
struct ValuesOf<'s, S> {
    state: &'s S,
    start: usize,
    numbers: &'s [Option<Range<usize>>],
}

impl<'s, S: PortableState> ValuesOf<'s, S> {
    /// Returns the group of elements that starts at the index `start`, and advances `start` to the next group.
    fn next(state: &'s S, start: &mut usize, numbers: &'s [Option<Range<usize>>]) -> Self {
        let this = Self {
            state,
            start: *start,
            numbers,
        };
        *start += numbers.len();
        this
    }

    /// Returns the values `finite` of the finite elements of the group as values of all its elements; the other elements have no values.
    fn of(&self, finite: &[Datum]) -> S::Values {
        let (mut finite, mut place) = (finite.iter(), 0_usize);
        self.state.values(&mut || {
            let own = place.checked_sub(self.start);
            place += 1;
            let is_finite = own.and_then(|own| self.numbers.get(own))?.is_none();
            is_finite.then(|| finite.next().cloned()).flatten()
        })
    }
}

/// Returns the values of the finite elements among the elements with the indices `own` of a state of `count` elements.
fn loaded_values<S: PortableState>(
    values: S::Values,
    (count, own): (usize, &Range<usize>),
    numbers: &[Option<Range<usize>>],
) -> Result<Vec<Datum>, Error> {
    let mut all: Vec<Option<Datum>> = Vec::new();
    S::append(values, &mut all);
    if all.len() != count {
        return Err(Error::unfit_filter(
            "the number of elements of its state differs from that of the first state",
        ));
    }
    let places = numbers.iter().zip(all.drain(own.clone()));
    let finite = places.filter(|(numbers, _)| numbers.is_none());
    let finite: Option<Vec<Datum>> = finite.map(|(_, value)| value).collect();
    finite.ok_or_else(|| Error::unfit_filter("it is damaged"))
}

/// Returns the number of real numbers of a group of elements.
fn loaded_dimension(
    numbers: &[Option<Range<usize>>],
    elements: &[AnyElement],
) -> Result<usize, Error> {
    let mut end = 0;
    for (numbers, element) in numbers.iter().zip(elements) {
        if let Some(numbers) = numbers {
            let is_number = element.no_values().value_type() == TypeId::of::<f64>();
            let has_length = numbers.len() == 1 || (!is_number && !numbers.is_empty());
            if numbers.start != end || !has_length || !crate::scan::is_float(element) {
                return Err(Error::unfit_filter("its state has elements of other types"));
            }
            end = numbers.end;
        }
    }
    Ok(end)
}

/// Returns a matrix with the given numbers of rows and columns and the entries `entries`, which must be finite.
fn loaded_matrix(entries: Vec<f64>, rows: usize, columns: usize) -> Result<DMatrix<f64>, Error> {
    let is_whole = rows.checked_mul(columns) == Some(entries.len());
    if is_whole && entries.iter().all(|x| x.is_finite()) {
        return Ok(DMatrix::from_vec(rows, columns, entries));
    }
    Err(Error::unfit_filter("it is damaged"))
}

/// Checks that the numbers `shares` can be the probabilities of a mixture's components.
fn check_shares(shares: impl Iterator<Item = f64> + Clone) -> Result<(), Error> {
    let is_share = |share: f64| (0.0..=1.0 + 1e-9).contains(&share);
    if shares.clone().all(is_share) && (shares.sum::<f64>() - 1.0).abs() <= 1e-6 {
        return Ok(());
    }
    Err(Error::unfit_filter("it is damaged"))
}

impl<V> SavedBelief<V> {
    /// Returns the joint distribution of the state's elements with the indices `own`.
    fn loaded<S: PortableState<Values = V>>(
        self,
        elements: &[AnyElement],
        own: &Range<usize>,
    ) -> Result<Belief, Error> {
        let end = loaded_dimension(&self.numbers, &elements[own.clone()])?;
        if self.components.is_empty() {
            return Err(Error::unfit_filter("it has no distribution"));
        }
        if self.log_evidence.is_nan() {
            return Err(Error::unfit_filter("it is damaged"));
        }
        check_shares(self.components.iter().map(|component| component.share))?;
        let mut components = Vec::with_capacity(self.components.len());
        for component in self.components {
            let of = (elements.len(), own);
            let finite = loaded_values::<S>(component.values, of, &self.numbers)?;
            let factor = component.factor.map(|entries| {
                let columns = entries.len().checked_div(end).unwrap_or(1);
                loaded_matrix(entries, end, columns)
            });
            components.push(BeliefComponent {
                share: component.share,
                finite,
                mean: loaded_matrix(component.mean, end, 1)?
                    .column(0)
                    .into_owned(),
                covariance: loaded_matrix(component.covariance, end, end)?,
                factor: factor.transpose()?,
            });
        }
        Ok(Belief {
            numbers: self.numbers,
            components,
            log_evidence: self.log_evidence,
        })
    }
}

impl SavedOption {
    fn new(option: &BackwardOption) -> Self {
        Self {
            component: option.component,
            share: option.share,
            offset: option.offset.as_slice().to_vec(),
            coefficients: option.coefficients.as_slice().to_vec(),
            covariance: option.covariance.as_slice().to_vec(),
        }
    }
}

impl<V> SavedKernel<V> {
    /// Returns the distribution of the elements with the indices `own` given the next state, whose mixture has `components` components with `known`
    /// real numbers each.
    fn loaded<S: PortableState<Values = V>>(
        self,
        (elements, own): (&[AnyElement], &Range<usize>),
        (components, known): (usize, usize),
    ) -> Result<BackwardKernel, Error> {
        let end = loaded_dimension(&self.numbers, &elements[own.clone()])?;
        let count = self.components.len();
        if self.options.len() != components {
            return Err(Error::unfit_filter("it is damaged"));
        }
        let finite = self.components.into_iter().map(|values| {
            let of = (elements.len(), own);
            loaded_values::<S>(values, of, &self.numbers)
        });
        let finite = finite.collect::<Result<_, _>>()?;
        let options = self.options.into_iter().map(|options| {
            check_shares(options.iter().map(|option| option.share))?;
            let options = options.into_iter().map(|option| {
                if option.component >= count {
                    return Err(Error::unfit_filter("it is damaged"));
                }
                Ok(BackwardOption {
                    component: option.component,
                    share: option.share,
                    offset: loaded_matrix(option.offset, end, 1)?.column(0).into_owned(),
                    coefficients: loaded_matrix(option.coefficients, end, known)?,
                    covariance: loaded_matrix(option.covariance, end, end)?,
                })
            });
            options.collect()
        });
        let options = options.collect::<Result<_, _>>()?;
        Ok(BackwardKernel {
            numbers: self.numbers,
            finite,
            options,
        })
    }
}
