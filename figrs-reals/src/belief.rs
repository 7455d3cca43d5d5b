//! The joint distribution of several elements as a mixture, whose components have a value for each finite element and a normal distribution of the
//! real elements.

use figrs_answer::answer::{TargetMarginal, estimate::Estimate};
use figrs_answer::error::Error;
use figrs_answer::{ClosedForm, NormalComponent, NormalMixture};
use figrs_core::{AnyElement, Limits, Model, Stream, SupportBuilder};
use figrs_gaussian::{Elimination, GaussianError, HybridPosterior, RealId};
use nalgebra::DMatrix;
use rand::RngExt;

use crate::belief_component::{Alike, BeliefComponent, grouped};
use crate::closed_form::{coefficients, explained, moments};
use crate::compiled_step::{drop_rounding, rotate};
use crate::hybrid_model::{HybridModel, Mention, NumbersOfElement};

use crate::linear_element::{Conditional, Linear};
use crate::scan::Scan;

/// Deviations are treated as rounding errors if they are at most this number times the magnitudes of the terms from which the deviations were
/// computed.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The joint distribution of several elements, as a mixture of normal distributions.
#[derive(Clone, Debug)]
pub(crate) struct Belief {
    /// For each element, the range of its numbers in the mean vector; `None` if the element is finite.
    pub(crate) numbers: Vec<Option<std::ops::Range<usize>>>,
    pub(crate) components: Vec<BeliefComponent>,
    /// The natural logarithm of the probability (or density) of the evidence.
    pub(crate) log_evidence: f64,
}

/// The real numbers of a group of elements, concatenated, as linear functions of random vectors; the range of each element's numbers; and the random
/// vectors.
type Stacked = (Conditional<Linear>, Vec<NumbersOfElement>, Mention);

/// A function that checks the random elements of a filter's step, and returns an error if one is not allowed.
pub(crate) type CheckElements<'c> = dyn Fn(&[AnyElement]) -> Result<(), Error> + 'c;

/// The joint distribution of the elements of a filter's step.
pub(crate) struct StepBelief {
    pub(crate) belief: Belief,
    /// The number of past states of the filter on which the elements or the evidence depend.
    pub(crate) past_states: usize,
    /// The random elements on which the elements in `belief` and the evidence depend.
    pub(crate) random: Vec<AnyElement>,
}

impl Belief {
    /// Returns the joint distribution of `elements`, given the evidence of `model`. The joint distribution is a mixture of at most `limit`
    /// components.
    ///
    /// **Errors.** The errors of [`in_closed_form`](super::in_closed_form).
    pub(crate) fn new(
        model: &Model,
        elements: &[AnyElement],
        limits: &Limits,
        limit: usize,
    ) -> Result<Self, Error> {
        let mut hybrid = Self::hybrid(model, elements, limits)?;
        let groups = [elements.to_vec()];
        let mut beliefs = Self::of_hybrid(&mut hybrid, model, (&groups, true), (limits, limit))?;
        Ok(beliefs.swap_remove(0))
    }

    /// Returns the joint distribution of `elements` in a step of a filter, as [`new`](Self::new) does for other elements. The argument `past` has the
    /// elements of each past state of the filter, the latest state first. The function `check` is called with the random elements of the filter's
    /// step before the elimination.
    ///
    /// **Errors.** The errors of [`new`](Self::new) and of `check`.
    pub(crate) fn of_step(
        model: &Model,
        (elements, past): (&[AnyElement], &[Vec<AnyElement>]),
        check: &CheckElements<'_>,
        (limits, limit): (&Limits, usize),
    ) -> Result<StepBelief, Error> {
        let mut hybrid = Self::hybrid(model, elements, limits)?;
        let random = hybrid.random_elements();
        check(&random)?;
        let groups = [elements.to_vec()];
        let mut beliefs = Self::of_hybrid(&mut hybrid, model, (&groups, true), (limits, limit))?;
        Ok(StepBelief {
            belief: beliefs.swap_remove(0),
            past_states: (0..past.len())
                .rev()
                .find(|&lag| past[lag].iter().any(|past| hybrid.depends_on(past)))
                .map_or(0, |lag| lag + 1),
            random,
        })
    }

    /// Returns the joint distribution of each group of elements as [`new`](Self::new) does, but computes all of them by a single elimination. The
    /// list of groups of elements must not be empty.
    pub(crate) fn of_groups(
        model: &Model,
        groups: &[Vec<AnyElement>],
        limits: &Limits,
        limit: usize,
    ) -> Result<Vec<Self>, Error> {
        let mut hybrid = Self::hybrid(model, &groups.concat(), limits)?;
        Self::of_hybrid(&mut hybrid, model, (groups, false), (limits, limit))
    }

    /// Builds the factor graph of a model with finite and real variables (hybrid) for the joint distribution of `elements`.
    fn hybrid<'m>(
        model: &'m Model,
        elements: &[AnyElement],
        limits: &'m Limits,
    ) -> Result<HybridModel<'m>, Error> {
        let mut scan = Scan::new(model, elements, limits);
        scan.run()?;
        let hybrid = HybridModel::new(scan, model, elements, limits)?;
        for element in elements {
            if hybrid.parameter(element)?.is_some() {
                let problem = "a filter supports only normal and finite elements, but this is a parameter of another family";
                return Err(Error::not_closed_form(element, problem));
            }
        }
        Ok(hybrid)
    }

    /// Returns the joint distribution of each group of elements; if `has_factors`, also with triangular factors of the covariance matrices.
    fn of_hybrid(
        hybrid: &mut HybridModel<'_>,
        model: &Model,
        (groups, has_factors): (&[Vec<AnyElement>], bool),
        (limits, limit): (&Limits, usize),
    ) -> Result<Vec<Self>, Error> {
        let all = groups.concat();
        let mut stacked = Vec::with_capacity(groups.len());
        for group in groups {
            let (rows, numbers) = hybrid.stacked(group)?;
            let mention = hybrid.mention(&rows);
            stacked.push((rows, numbers, mention));
        }
        let hybrid = &*hybrid;
        let explain = |error| of_filter(hybrid, &all, error);
        let until = &limits.until;
        let elimination = Elimination::run(&hybrid.graph, limit, until).map_err(explain)?;
        let posterior = HybridPosterior::new(&elimination, limits).map_err(explain)?;
        if posterior.log_total() == f64::NEG_INFINITY {
            return Err(crate::closed_form::impossible(model));
        }
        let joint = |(group, stacked): (&Vec<AnyElement>, Stacked)| {
            Self::of_group(hybrid, &posterior, group, stacked, (limit, has_factors))
        };
        let beliefs = groups.iter().zip(stacked).map(joint);
        beliefs.collect()
    }

    /// Returns the joint distribution of `elements`, a group of elements for which the variable elimination has been made.
    fn of_group(
        hybrid: &HybridModel<'_>,
        posterior: &HybridPosterior<'_>,
        elements: &[AnyElement],
        (rows, numbers, mention): Stacked,
        (limit, has_factors): (usize, bool),
    ) -> Result<Self, Error> {
        let explain = |error| of_filter(hybrid, elements, error);
        let joint = mention.joint(posterior, limit).map_err(explain)?;
        let mut components: Vec<BeliefComponent> = Vec::with_capacity(joint.components.len());
        for (values, component) in &joint.components {
            let row = hybrid.row(&rows, &joint.scope, values);
            let (mean, mut covariance) = moments(hybrid, row, &mention.vectors, component);
            let mut factor = None;
            if has_factors && !mean.is_empty() {
                let reals: Vec<RealId> = mention.vectors.iter().map(|(_, real)| *real).collect();
                let deviations = posterior.deviations(&reals, &joint.scope, values);
                let lower = triangle(&coefficients(hybrid, row, &mention.vectors), &deviations);
                covariance = &lower * lower.transpose();
                factor = Some(lower);
            }
            let finite = elements
                .iter()
                .zip(&numbers)
                .filter(|(_, numbers)| numbers.is_none());
            let made = BeliefComponent {
                share: component.share,
                finite: finite
                    .map(|(e, _)| hybrid.datum(e, &joint.scope, values))
                    .collect(),
                mean,
                covariance,
                factor,
            };
            components.push(made);
        }
        let equal = grouped(&components, Alike::Equal);
        let components = BeliefComponent::totals(components, &equal);
        Ok(Self {
            numbers,
            components,
            log_evidence: posterior.log_total(),
        })
    }

    /// Adds the marginal distribution of each finite and of each real element in this joint distribution to an answer.
    pub(crate) fn add_marginals(
        &self,
        elements: &[AnyElement],
        estimate: &Estimate,
        (marginals, mixtures): (&mut Vec<TargetMarginal>, &mut Vec<(AnyElement, ClosedForm)>),
    ) {
        let mut place = 0;
        for (element, numbers) in elements.iter().zip(&self.numbers) {
            if let Some(numbers) = numbers {
                let part = |c: &BeliefComponent| NormalComponent {
                    share: c.share,
                    mean: numbers.clone().map(|i| c.mean[i]).collect(),
                    covariance: numbers
                        .clone()
                        .flat_map(|i| numbers.clone().map(move |j| c.covariance[(i, j)]))
                        .collect(),
                };
                let mixture = NormalMixture::new(self.components.iter().map(part).collect());
                mixtures.push((element.clone(), ClosedForm::Normal(mixture)));
                continue;
            }
            let mut values: SupportBuilder = element.no_values();
            let mut probabilities: Vec<f64> = Vec::new();
            for component in &self.components {
                let value = component.finite[place].as_any();
                let index = values.insert(value).unwrap_or_default();
                probabilities.resize(values.len(), 0.0);
                probabilities[index] += component.share;
            }
            marginals.push(TargetMarginal {
                element: element.clone(),
                support: values.build(),
                probabilities,
                estimate: estimate.clone(),
            });
            place += 1;
        }
    }

    /// Number of real numbers.
    pub(crate) fn dimension(&self) -> usize {
        self.components.first().map_or(0, |c| c.mean.len())
    }

    /// Replaces the mixture components with the same finite values by one component with the mean and the covariance of their mixture. For each new
    /// component of the mixture, returns the indices of the components that it replaces.
    pub(crate) fn merge(&mut self) -> Vec<Vec<usize>> {
        let groups = grouped(&self.components, Alike::Values);
        let components = std::mem::take(&mut self.components);
        self.components = BeliefComponent::all_merged(components, &groups);
        groups
    }

    /// Returns the joint distribution of the first `count` elements; for each of its components, also returns the indices of the components of `self`
    /// that are equal in the first `count` elements.
    pub(crate) fn first(&self, count: usize) -> (Self, Vec<Vec<usize>>) {
        let numbers = self.numbers[..count].to_vec();
        let dimension = numbers.iter().flatten().map(|range| range.end).max();
        let dimension = dimension.unwrap_or(0);
        let values = numbers.iter().filter(|range| range.is_none()).count();
        let start = |c: &BeliefComponent| BeliefComponent {
            share: c.share,
            finite: c.finite[..values].to_vec(),
            mean: c.mean.rows(0, dimension).clone_owned(),
            covariance: c
                .covariance
                .view((0, 0), (dimension, dimension))
                .clone_owned(),
            factor: c.first_factor(dimension),
        };
        let components: Vec<BeliefComponent> = self.components.iter().map(start).collect();
        let equal = grouped(&components, Alike::Equal);
        let first = Self {
            numbers,
            components: BeliefComponent::totals(components, &equal),
            log_evidence: self.log_evidence,
        };
        (first, equal)
    }

    /// Draws at most `most` of the mixture's components, without replacement. The expected new share of each component is its old share. Components
    /// with large shares keep their shares, and all other drawn components get equal shares. If components of the mixture are left out, returns the
    /// indices of the components that remain.
    ///
    /// **References.** Fearnhead and Clifford, *On-line inference for hidden Markov models via particle filters*, 2003, section 3.
    pub(crate) fn resample(&mut self, most: usize, rng: &mut Stream) -> Option<Vec<usize>> {
        let count = self.components.len();
        if count <= most {
            return None;
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| {
            let share = |i: usize| self.components[i].share;
            share(b).total_cmp(&share(a))
        });
        // For each place in the order, the total share of the components from this place on.
        let mut rest = vec![0.0; count + 1];
        for (place, &i) in order.iter().enumerate().rev() {
            rest[place] = rest[place + 1] + self.components[i].share;
        }
        let is_large = |place: usize| {
            self.components[order[place]].share * (most - place) as f64 >= rest[place]
        };
        let large = (0..most).take_while(|&place| is_large(place)).count();
        let mut is_kept = vec![false; count];
        order[..large].iter().for_each(|&i| is_kept[i] = true);
        let mut left = most - large;
        let unit = rest[large] / left.max(1) as f64;
        let (mut sum, mut point) = (0.0, rng.random::<f64>() * unit);
        let components = std::mem::take(&mut self.components).into_iter();
        let drawn = components.zip(is_kept).enumerate();
        let drawn = drawn.filter_map(|(i, (mut component, is_kept))| {
            if is_kept {
                return Some((i, component));
            }
            sum += component.share;
            if sum <= point || left == 0 {
                return None;
            }
            point += unit;
            left -= 1;
            component.share = unit;
            Some((i, component))
        });
        let places;
        (places, self.components) = drawn.unzip();
        Some(places)
    }
}

/// Returns a lower triangular matrix L for which L L' equals P P', where P is the product of `coefficients` and `deviations`. Entries of the product,
/// and conditional deviations of a number given the numbers before it, are set to zero if they have the size of rounding errors.
fn triangle(coefficients: &DMatrix<f64>, deviations: &DMatrix<f64>) -> DMatrix<f64> {
    let sizes = coefficients.abs() * deviations.abs();
    let mut product = coefficients * deviations;
    product.zip_apply(&sizes, |x, size| {
        if x.abs() <= ROUNDING * size {
            *x = 0.0;
        }
    });
    let n = product.nrows();
    let mut lower = product.resize_horizontally(n.max(deviations.ncols()), 0.0);
    rotate(&mut lower);
    let mut lower = lower.columns(0, n).clone_owned();
    drop_rounding(&mut lower);
    lower
}

/// Converts an error of a variable elimination to an error of a filter about `elements`.
fn of_filter(hybrid: &HybridModel<'_>, elements: &[AnyElement], error: GaussianError) -> Error {
    match (error, elements.first()) {
        (
            GaussianError::TooManyComponents {
                components, limit, ..
            },
            Some(element),
        ) => too_many(element, components, limit),
        (error, _) => explained(hybrid, error),
    }
}

/// Returns the error of a filter whose distribution has more than `limit` mixture components; `element` is one of the elements of the distribution.
pub(crate) fn too_many(element: &AnyElement, components: f64, limit: usize) -> Error {
    let problem = format!(
        "the filter needs a joint distribution with {components} components (joint values of the finite elements of a state, or of two successive states if \
         the filter has a window), more than {limit}; `components` raises this limit, and `Filter::particles`, `Filter::moments` and `Filter::factored` need fewer components"
    );
    Error::not_closed_form(element, problem)
}
