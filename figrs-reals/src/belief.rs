//! The joint distribution of several elements: a mixture, in which each component has a value for each finite element and a normal distribution of
//! the real elements.

use figrs_answer::answer::normal_mixture::{ClosedForm, NormalComponent, NormalMixture};
use figrs_answer::answer::{TargetMarginal, estimate::Estimate};
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Limits, Model, Stream, SupportBuilder};
use figrs_gaussian::{Elimination, GaussianError, HybridPosterior};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;

use crate::closed_form::{explained, moments};
use crate::hybrid_model::{HybridModel, Mention, NumbersOfElement};
use crate::linear_element::{Conditional, Linear};
use crate::scan::Scan;

/// One component of the joint distribution of several elements.
#[derive(Clone, Debug)]
pub(crate) struct BeliefComponent {
    pub(crate) share: f64,
    /// The values of the finite elements, in the order of the elements.
    pub(crate) finite: Vec<Datum>,
    /// The mean of the concatenated numbers of all real elements; `covariance` is their covariance matrix.
    pub(crate) mean: DVector<f64>,
    pub(crate) covariance: DMatrix<f64>,
    /// A matrix L for which L L' is the covariance matrix, if L is known.
    pub(crate) factor: Option<DMatrix<f64>>,
}

/// The joint distribution of several elements, as a mixture.
#[derive(Clone, Debug)]
pub(crate) struct Belief {
    /// For each element, the range of its numbers in the mean; `None` if the element is finite.
    pub(crate) numbers: Vec<Option<std::ops::Range<usize>>>,
    pub(crate) components: Vec<BeliefComponent>,
    /// The natural logarithm of the probability (or density) of the evidence.
    pub(crate) log_evidence: f64,
}

/// The concatenated numbers of a group of elements as linear functions of vectors, the range of each element's numbers, and the vectors.
type Stacked = (Conditional<Linear>, Vec<NumbersOfElement>, Mention);

impl Belief {
    /// Returns the joint distribution of `elements`, given the evidence of `model`. The joint distribution may have at most `limit`
    /// components.
    ///
    /// **Errors.** The same errors as [`in_closed_form`](super::in_closed_form).
    pub(crate) fn new(
        model: &Model,
        elements: &[AnyElement],
        limits: &Limits,
        limit: usize,
    ) -> Result<Self, Error> {
        let mut beliefs = Self::of_groups(model, &[elements.to_vec()], limits, limit)?;
        Ok(beliefs.swap_remove(0))
    }

    /// Returns the joint distribution of each group of elements as [`new`](Self::new) does, but by a single elimination. There must be at least one
    /// group.
    pub(crate) fn of_groups(
        model: &Model,
        groups: &[Vec<AnyElement>],
        limits: &Limits,
        limit: usize,
    ) -> Result<Vec<Self>, Error> {
        let all = groups.concat();
        let mut scan = Scan::new(model, &all, limits);
        scan.run()?;
        let mut hybrid = HybridModel::new(scan, model, &all, limits)?;
        for element in &all {
            if hybrid.parameter(element)?.is_some() {
                let problem = "a filter supports only normal and finite elements, but this is a parameter of another family";
                return Err(Error::not_closed_form(element, problem));
            }
        }
        let mut stacked = Vec::with_capacity(groups.len());
        for group in groups {
            let (rows, numbers) = hybrid.stacked(group)?;
            let mention = hybrid.mention(&rows);
            stacked.push((rows, numbers, mention));
        }
        let explain = |error| of_filter(&hybrid, &all, error);
        let until = &limits.until;
        let elimination = Elimination::run(&hybrid.graph, limit, until).map_err(explain)?;
        let posterior = HybridPosterior::new(&elimination, limits).map_err(explain)?;
        if posterior.log_total() == f64::NEG_INFINITY {
            return Err(crate::closed_form::impossible(model));
        }
        let joint = |(group, stacked): (&Vec<AnyElement>, Stacked)| {
            Self::of_group(&hybrid, &posterior, group, stacked, limit)
        };
        groups.iter().zip(stacked).map(joint).collect()
    }

    /// Returns the joint distribution of `elements`, a group for which the elimination has been made.
    fn of_group(
        hybrid: &HybridModel<'_>,
        posterior: &HybridPosterior<'_>,
        elements: &[AnyElement],
        (rows, numbers, mention): Stacked,
        limit: usize,
    ) -> Result<Self, Error> {
        let explain = |error| of_filter(hybrid, elements, error);
        let joint = mention.joint(posterior, limit).map_err(explain)?;
        let mut components: Vec<BeliefComponent> = Vec::with_capacity(joint.components.len());
        for (values, component) in &joint.components {
            let row = hybrid.row(&rows, &joint.scope, values);
            let (mean, covariance) = moments(hybrid, row, &mention.vectors, component);
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
                factor: None,
            };
            match components.iter_mut().find(|other| other.is_like(&made)) {
                Some(other) => other.share += made.share,
                None => components.push(made),
            }
        }
        Ok(Self {
            numbers,
            components,
            log_evidence: posterior.log_total(),
        })
    }

    /// Adds the marginal distribution of each finite and each real element to an answer.
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

    /// Replaces the components with the same finite values by one component with their mean and covariance. Returns `true` if there were such components.
    pub(crate) fn merge(&mut self) -> bool {
        let mut groups: Vec<Vec<BeliefComponent>> = Vec::new();
        for component in std::mem::take(&mut self.components) {
            let alike = |group: &&mut Vec<BeliefComponent>| group[0].has_same_values(&component);
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(component),
                None => groups.push(vec![component]),
            }
        }
        let is_merged = groups.iter().any(|group| group.len() > 1);
        self.components = groups.into_iter().map(BeliefComponent::merged).collect();
        is_merged
    }

    /// Draws at most `most` of the components, without replacement. The mean of the new share of each component is its old share; components with large
    /// shares are kept with these shares, and all others that are drawn have the same share. Returns `true` if components were left out.
    ///
    /// **References.** Fearnhead and Clifford, *On-line inference for hidden Markov models via particle filters*, 2003, section 3.
    pub(crate) fn resample(&mut self, most: usize, rng: &mut Stream) -> bool {
        let count = self.components.len();
        if count <= most {
            return false;
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
        let drawn = components
            .zip(is_kept)
            .filter_map(|(mut component, is_kept)| {
                if is_kept {
                    return Some(component);
                }
                sum += component.share;
                if sum <= point || left == 0 {
                    return None;
                }
                point += unit;
                left -= 1;
                component.share = unit;
                Some(component)
            });
        self.components = drawn.collect();
        true
    }
}

/// Converts an error of an elimination to an error of a filter about `elements`.
fn of_filter(hybrid: &HybridModel<'_>, elements: &[AnyElement], error: GaussianError) -> Error {
    match (error, elements.first()) {
        (
            GaussianError::TooManyComponents {
                components, limit, ..
            },
            Some(element),
        ) => {
            let problem = format!(
                "the joint distribution of the elements of the filter has {components} components (joint values of finite elements), more than {limit}; \
                 `components` raises this limit, and `Filter::particles`, `Filter::moments` and `Filter::factored` need fewer components"
            );
            Error::not_closed_form(element, problem)
        }
        (error, _) => explained(hybrid, error),
    }
}

impl BeliefComponent {
    fn is_like(&self, other: &Self) -> bool {
        self.has_same_values(other)
            && self.mean == other.mean
            && self.covariance == other.covariance
    }

    fn has_same_values(&self, other: &Self) -> bool {
        let mut values = self.finite.iter().zip(&other.finite);
        values.all(|(a, b)| a.same_as(b.as_any()))
    }

    /// Returns the component with the total share, the mean and the covariance of the mixture of `components`.
    fn merged(mut components: Vec<Self>) -> Self {
        let mut first = components.swap_remove(0);
        if components.is_empty() {
            return first;
        }
        components.push(first.clone());
        let share: f64 = components.iter().map(|c| c.share).sum();
        first.mean.fill(0.0);
        first.covariance.fill(0.0);
        for c in &components {
            first.mean += &c.mean * (c.share / share);
        }
        for c in &components {
            let apart = &c.mean - &first.mean;
            first.covariance += (&c.covariance + &apart * apart.transpose()) * (c.share / share);
        }
        Self {
            share,
            factor: None,
            ..first
        }
    }
}
