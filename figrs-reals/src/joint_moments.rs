//! Joint moments of groups of elements, given the evidence.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Limits, Model};

use crate::belief::Belief;
use crate::closed_form::MAX_COMPONENTS;

/// One mixture component of the joint distribution of a group of elements: values of the finite elements, and a normal distribution of the real
/// elements.
#[derive(Clone, Debug)]
pub struct JointComponent {
    /// The probability of the mixture component.
    pub share: f64,
    /// For each element of the group, its value in the component if it is finite, and `None` if it is real.
    pub finite: Vec<Option<Datum>>,
    /// For each element of the group, its mean in the component if it is real, and zero if it is finite.
    pub mean: Vec<f64>,
    /// The covariance matrix of the elements of the group, row by row; the rows and columns of finite elements are zero.
    pub covariance: Vec<Vec<f64>>,
}

/// Returns the mixture components of the joint distribution of each group of elements given the evidence of `model`, and the log-evidence. The real
/// elements of the groups must be single numbers.
///
/// **Errors.** The same errors as [`in_closed_form`](crate::in_closed_form), also for a model without real elements; [`Error::NotClosedForm`] for an
/// element whose value is a list of numbers.
pub fn joint_moments(
    model: &Model,
    groups: &[Vec<AnyElement>],
    limits: &Limits,
) -> Result<(Vec<Vec<JointComponent>>, f64), Error> {
    let beliefs = Belief::of_groups(model, groups, limits, MAX_COMPONENTS)?;
    let log_evidence = beliefs.first().map_or(0.0, |belief| belief.log_evidence);
    let mut all = Vec::with_capacity(groups.len());
    for (group, belief) in groups.iter().zip(&beliefs) {
        for (element, numbers) in group.iter().zip(&belief.numbers) {
            if numbers.as_ref().is_some_and(|numbers| numbers.len() != 1) {
                let problem = "it is a list of numbers; take its entries";
                return Err(Error::not_closed_form(element, problem));
            }
        }
        let place = |i: usize| belief.numbers[i].as_ref().map(|numbers| numbers.start);
        let places: Vec<Option<usize>> = (0..group.len()).map(place).collect();
        let components = belief.components.iter().map(|component| {
            let mut values = component.finite.iter();
            let number = |place: &Option<usize>| place.map_or(0.0, |i| component.mean[i]);
            let entry = |pair: (&Option<usize>, &Option<usize>)| match pair {
                (Some(i), Some(j)) => component.covariance[(*i, *j)],
                _ => 0.0,
            };
            let row = |i: &Option<usize>| places.iter().map(|j| entry((i, j))).collect();
            let finite = places.iter().map(|place| match place {
                Some(_) => None,
                None => values.next().cloned(),
            });
            JointComponent {
                share: component.share,
                finite: finite.collect(),
                mean: places.iter().map(number).collect(),
                covariance: places.iter().map(row).collect(),
            }
        });
        all.push(components.collect());
    }
    Ok((all, log_evidence))
}
