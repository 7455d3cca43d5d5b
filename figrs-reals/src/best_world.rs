//! The most probable world of a model of normal and finite elements.

use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_core::expand::Encoding;
use figrs_core::internals::{Kind, QueryKind};
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, ModelError};
use figrs_factor::eliminate::EliminationError;
use figrs_factor::graph::VarId;
use figrs_gaussian::{GaussianError, MostProbable, most_probable};
use rustc_hash::FxHashSet;

use crate::closed_form::{MAX_COMPONENTS, explained, impossible};
use crate::hybrid_model::HybridModel;
use crate::linear_element::{Conditional, Linear};
use crate::scan::{Form, Scan, not_closed};

/// Finds the most probable world of a model in closed form if `refused` states that an element is continuous; otherwise returns `refused`.
///
/// The world has values of the targets, of the elements with evidence, and of all elements on which they depend. Its probability is the product of the
/// probabilities of its finite elements and the densities of its normal elements.
///
/// **Guarantee.** Exact up to rounding: the real elements are linear functions of normal elements, given the finite elements.
///
/// **Complexity.** As [`in_closed_form`](crate::in_closed_form), with maximisation in place of sums and integrals.
///
/// **Errors.** [`Error::NotClosedForm`], also if a parameter has a conjugate prior, or if some worlds have more random elements than others;
/// [`Error::ImpossibleEvidence`]; the errors of the model.
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
        Err(Error::NotClosedForm { .. }) if scan.vectors.is_empty() => return Err(refused),
        found => found?,
    }
    if let Some(parameter) = scan.parameters.first() {
        let problem = "a most probable world has values of finite and normal elements, and this is a parameter with a conjugate prior; ask `Exact` for its distribution";
        return Err(not_closed(&parameter.element, problem.to_owned()));
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
    let values = BestWorld::new(&hybrid, &encoding, world).values()?;
    Ok(Answer::world(algorithm, values, log_probability))
}

/// Checks that all worlds have the same random elements: their densities cannot be compared otherwise.
fn check_worlds(scan: &Scan<'_>) -> Result<(), Error> {
    let mut reached: FxHashSet<ElementId> = FxHashSet::default();
    let mut stack = scan.roots.clone();
    while let Some(element) = stack.pop() {
        if reached.insert(element.id()) && !scan.is_set(&element) {
            stack.extend(element.parents().iter().cloned());
        }
    }
    let vectors = scan.vectors.iter().flatten().map(|vector| &vector.element);
    let mut stack: Vec<AnyElement> = vectors.chain(&scan.finite.elements).cloned().collect();
    while let Some(element) = stack.pop() {
        if !reached.insert(element.id()) {
            continue;
        }
        match element.kind() {
            Kind::Apply(..) => stack.extend(element.parents().iter().cloned()),
            Kind::Atomic(op) if matches!(op.outcomes(), Ok(Ok(all)) if all.support.len() == 1) => {}
            _ => {
                let problem = "only some results of a Chain depend on it, so that the densities of worlds cannot be compared; make all results of the Chain normal elements of their own, or ask `Exact` for the marginals";
                return Err(not_closed(&element, problem.to_owned()));
            }
        }
    }
    Ok(())
}

/// The values of the elements of a world.
struct BestWorld<'w, 'm> {
    hybrid: &'w HybridModel<'m>,
    encoding: &'w Encoding,
    world: MostProbable,
    /// All finite variables of the graph, in ascending order.
    variables: Vec<VarId>,
}

impl<'w, 'm> BestWorld<'w, 'm> {
    fn new(hybrid: &'w HybridModel<'m>, encoding: &'w Encoding, world: MostProbable) -> Self {
        let variables = (0..world.finite.len() as u32).map(VarId).collect();
        Self {
            hybrid,
            encoding,
            world,
            variables,
        }
    }

    /// The elements of the world with their values.
    fn values(&self) -> Result<Vec<(AnyElement, Datum)>, Error> {
        let scan = self.hybrid.scan();
        let expansion = &self.hybrid.expansion;
        let finite = expansion.elements().iter().filter_map(|expanded| {
            let element = &expanded.element;
            let value = self
                .encoding
                .value(expansion, element, &self.world.finite)?;
            Some((element.clone(), value))
        });
        let mut values: Vec<(AnyElement, Datum)> = finite.collect();
        let mut seen: FxHashSet<ElementId> = FxHashSet::default();
        let mut stack = scan.roots.clone();
        while let Some(element) = stack.pop() {
            let Form::Real(_) = scan.form(&element) else {
                continue;
            };
            if !seen.insert(element.id()) {
                continue;
            }
            stack.extend(element.parents().iter().cloned());
            stack.extend(self.result_of(&element));
            let value = match scan.observed(&element) {
                Some(value) => value.clone(),
                None => self.real_value(&element)?,
            };
            values.push((element, value));
        }
        Ok(values)
    }

    /// The result of a Chain in the world; `None` for other elements.
    fn result_of(&self, element: &AnyElement) -> Option<AnyElement> {
        let scan = self.hybrid.scan();
        let results = scan.branches.get(&element.id())?;
        let parents = element.parents().iter();
        let index = parents.fold(0, |index, parent| {
            let place = scan.finite.known_place(parent);
            let value = self
                .hybrid
                .value(place, &self.variables, &self.world.finite);
            index * scan.finite.support(place).len() + value as usize
        });
        results.get(index).cloned()
    }

    /// The value of an element that is a linear function of the vectors.
    fn real_value(&self, element: &AnyElement) -> Result<Datum, Error> {
        let rows = self.hybrid.real_target(element)?;
        let numbers = rows.map_or_else(Vec::new, |rows| self.numbers(&rows));
        let is_number = element.no_values().value_type() == std::any::TypeId::of::<f64>();
        Ok(match numbers[..] {
            [number] if is_number => Datum::new(number),
            _ => Datum::new(numbers),
        })
    }

    fn numbers(&self, rows: &Conditional<Linear>) -> Vec<f64> {
        let finite = &self.world.finite;
        let row = self.hybrid.row(rows, &self.variables, finite);
        let mut numbers = row.offset().to_vec();
        for (index, coefficients) in row.terms() {
            let Some(real) = self.hybrid.real(index) else {
                continue;
            };
            let vector = &self.world.reals[real.index()];
            for (number, term) in numbers.iter_mut().zip((coefficients * vector).iter()) {
                *number += term;
            }
        }
        numbers
    }
}
