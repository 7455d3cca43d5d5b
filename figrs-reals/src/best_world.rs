//! The most probable world of a model of normal and finite elements.

use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_core::expand::Encoding;
use figrs_core::internals::{Kind, QueryKind};
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, ModelError};
use figrs_factor::eliminate::EliminationError;
use figrs_gaussian::{GaussianError, most_probable};
use rustc_hash::FxHashSet;

use crate::closed_form::{MAX_COMPONENTS, explained, first_cause, impossible};
use crate::conjugate::Parameter;
use crate::hybrid_model::HybridModel;
use crate::hybrid_world::HybridWorld;
use crate::scan::{Form, Scan};

/// Finds the most probable world of a model in closed form if the error `refused` states that an element is continuous; otherwise returns `refused`.
///
/// The most probable world has values of the targets, of the elements with evidence, and of all elements on which they depend. The probability of the
/// world is the product of the probabilities of its finite elements and the densities of its real elements.
///
/// **Guarantee.** The result is exact up to rounding, because the real elements are linear functions of normal elements, or parameters with conjugate
/// priors, given the finite elements.
///
/// **Complexity.** The cost is that of [`in_closed_form`](crate::in_closed_form), with maxima in the place of sums and integrals.
///
/// **Errors.** [`Error::NotClosedForm`], also if the density of a parameter has no maximum, or if some worlds have more random elements than others;
/// [`Error::ImpossibleEvidence`] if no world satisfies the evidence; the errors of the model.
pub fn best_world_in_closed_form(
    algorithm: &'static str,
    (model, targets): (&Model, &[AnyElement]),
    limits: &Limits,
    refused: Error,
) -> Result<Answer, Error> {
    if !matches!(refused, Error::Model(ModelError::NotFinite { .. })) {
        return Err(refused);
    }
    let mut scan = Scan::new(model, targets, limits);
    match scan.run() {
        Err(error @ Error::NotClosedForm { .. })
            if scan.vectors.is_empty() && scan.parameters.is_empty() =>
        {
            return Err(first_cause(&scan, refused, error));
        }
        found => found?,
    }
    let has_choice = |parameter: &&Parameter| parameter.is_chosen || parameter.prior.rows.len() > 1;
    if let Some(parameter) = scan.parameters.iter().find(has_choice) {
        let problem = "a Chain chooses it among several parameters, so that the densities of worlds cannot be compared; ask `Exact` for its distribution";
        return Err(Error::not_closed_form(&parameter.element, problem));
    }
    scan.finite.find_supports()?;
    check_worlds(&scan)?;
    let question = (model, targets);
    let (hybrid, encoding) = HybridModel::asked(QueryKind::BestWorld, scan, question, limits)?;
    let found = most_probable(&hybrid.graph, MAX_COMPONENTS, limits);
    let world = found.map_err(|error| match error {
        GaussianError::Elimination(EliminationError::Impossible) => impossible(model),
        error => explained(&hybrid, error),
    })?;
    let log_probability = world.log_weight;
    let world = HybridWorld::new(&hybrid, world.finite, world.reals);
    Ok(Answer::world(
        algorithm,
        values(&world, &encoding)?,
        log_probability,
    ))
}

/// Checks that all worlds have the same random elements, because densities of different numbers of elements cannot be compared.
fn check_worlds(scan: &Scan<'_>) -> Result<(), Error> {
    let mut reached: FxHashSet<ElementId> = FxHashSet::default();
    let mut stack = scan.roots.to_vec();
    while let Some(element) = stack.pop() {
        if reached.insert(element.id()) && !scan.is_set(&element) {
            stack.extend(element.parents().iter().cloned());
        }
    }
    let vectors = scan.vectors.iter().flatten().map(|vector| &vector.element);
    let parameters = scan.parameters.iter().map(|parameter| &parameter.element);
    let reals = vectors.chain(parameters);
    let mut stack: Vec<AnyElement> = reals.chain(&scan.finite.elements).cloned().collect();
    while let Some(element) = stack.pop() {
        if !reached.insert(element.id()) {
            continue;
        }
        match element.kind() {
            Kind::Apply(..) => stack.extend(element.parents().iter().cloned()),
            Kind::Atomic(op) if matches!(op.outcomes(), Ok(Ok(all)) if all.support.len() == 1) => {}
            _ => {
                let problem = "only some results of a Chain depend on it, so that the densities of worlds cannot be compared; make all results of the Chain normal elements of their own, or ask `Exact` for the marginals";
                return Err(Error::not_closed_form(&element, problem));
            }
        }
    }
    Ok(())
}

fn values(
    world: &HybridWorld<'_, '_>,
    encoding: &Encoding,
) -> Result<Vec<(AnyElement, Datum)>, Error> {
    let (scan, expansion) = (world.hybrid.scan(), &world.hybrid.expansion);
    let finite = expansion.elements().iter().filter_map(|expanded| {
        let element = &expanded.element;
        let value = encoding.value(expansion, element, &world.finite)?;
        Some((element.clone(), value))
    });
    let mut values: Vec<(AnyElement, Datum)> = finite.collect();
    let mut seen: FxHashSet<ElementId> = FxHashSet::default();
    let mut stack = scan.roots.to_vec();
    while let Some(element) = stack.pop() {
        let form = scan.form(&element);
        if matches!(form, Form::Finite) || !seen.insert(element.id()) {
            continue;
        }
        stack.extend(element.parents().iter().cloned());
        stack.extend(result_of(world, &element));
        let value = if let Some(value) = scan.observed(&element) {
            Some(value.clone())
        } else if let &Form::Parameter(multiple) = form {
            world.parameter_value(&element, multiple)
        } else {
            let rows = world.hybrid.real_target(&element)?;
            rows.map(|rows| world.real_value(&element, &rows))
        };
        values.extend(value.map(|value| (element, value)));
    }
    Ok(values)
}

/// Returns the result element that the `Chain` `element` selects in `world`; `None` for elements other than a `Chain`.
fn result_of(world: &HybridWorld<'_, '_>, element: &AnyElement) -> Option<AnyElement> {
    let scan = world.hybrid.scan();
    let results = scan.branches.get(&element.id())?;
    let index = results.finite.iter().fold(0, |index, &place| {
        index * scan.finite.support(place).len() + world.finite_value(place) as usize
    });
    results.rows.get(index).cloned()
}
