//! Normal variables that read learned parameters: their means as polynomials of parameters and real variables.

use figrs_core::internals::{ApplyOp, FamilyOp, Kind, LearnedPrior, OpenArgument};
use figrs_core::{AnyElement, ElementId};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Walk;
use crate::learning::normal_sums::{MeanTerm, NormalSpread};
use figrs_answer::error::Error;

/// A mean as a polynomial: for each product of a parameter and a real variable, the coefficient of the product. The parameter or the real variable
/// may be absent from a product.
type Polynomial = IndexMap<(Option<usize>, Option<usize>), f64, FxBuildHasher>;

impl Walk<'_> {
    /// Returns the terms of the mean of a normal variable, its spread (variance or precision), and the real variables in the mean.
    pub(super) fn normal(
        &mut self,
        element: &AnyElement,
        family: &dyn FamilyOp,
    ) -> Result<(Vec<MeanTerm>, NormalSpread, Vec<AnyElement>), Error> {
        let parents = element.parents();
        let mut spread = None;
        for (i, parent) in parents.iter().enumerate() {
            if let Some(at) = self.parameter(parent)?
                && !matches!(self.learned.at(at).prior(), LearnedPrior::Normal { .. })
                && spread.replace((i, at)).is_some()
            {
                return Err(self.not_learnable(parent, element));
            }
        }
        let law = |value: f64| {
            let argument = |i: usize| match spread {
                Some((place, _)) if place == i => OpenArgument::Known(&value),
                _ => OpenArgument::Open(1),
            };
            let arguments: Vec<OpenArgument<'_>> = (0..parents.len()).map(argument).collect();
            let law = family.linear_gaussian(&arguments);
            law.map_err(|problem| Error::from(element.invalid(problem)))
        };
        let (Some(one), Some(two)) = (law(1.0)?, law(2.0)?) else {
            let reading = parents
                .iter()
                .find(|p| self.depends.get(&p.id()) == Some(&true));
            return Err(self.not_learnable(reading.unwrap_or(element), element));
        };
        let variances = [one.covariance[0], two.covariance[0]];
        let spread = match spread {
            None => NormalSpread::Variance(variances[0]),
            Some((place, at)) => match (self.learned.at(at).prior(), variances) {
                (LearnedPrior::InverseGamma { .. }, [1.0, 2.0]) if one.mean == two.mean => {
                    NormalSpread::LearnedVariance(at)
                }
                (LearnedPrior::Gamma { .. }, [1.0, 0.5]) if one.mean == two.mean => {
                    NormalSpread::LearnedPrecision(at)
                }
                _ => return Err(self.not_learnable(&parents[place], element)),
            },
        };
        let mut reals = IndexMap::default();
        let mut mean = Polynomial::default();
        *mean.entry((None, None)).or_insert(0.0) += one.mean.offset()[0];
        let open = parents.iter().enumerate().filter(|(i, _)| match spread {
            NormalSpread::Variance(_) => true,
            NormalSpread::LearnedVariance(at) | NormalSpread::LearnedPrecision(at) => {
                self.learned.get(&parents[*i]).map(|(own, _)| own) != Some(at)
            }
        });
        let open: Vec<AnyElement> = open.map(|(_, parent)| parent.clone()).collect();
        for (parent, column) in open.iter().zip(one.mean.columns()) {
            for (term, coefficient) in self.polynomial(element, parent, &mut reals)? {
                *mean.entry(term).or_insert(0.0) += column[0] * coefficient;
            }
        }
        let terms = mean
            .into_iter()
            .filter(|(_, coefficient)| *coefficient != 0.0);
        let terms = terms.map(|((parameter, real), coefficient)| MeanTerm {
            coefficient,
            parameter,
            real,
        });
        Ok((terms.collect(), spread, reals.into_values().collect()))
    }

    /// Returns `function`, which `element` reads, as a polynomial of parameters and real variables. Real variables that are not yet in `reals` are
    /// added to `reals`.
    pub(super) fn polynomial(
        &mut self,
        element: &AnyElement,
        function: &AnyElement,
        reals: &mut IndexMap<ElementId, AnyElement, FxBuildHasher>,
    ) -> Result<Polynomial, Error> {
        let mut known: FxHashMap<ElementId, Polynomial> = FxHashMap::default();
        let mut stack = vec![function.clone()];
        while let Some(top) = stack.last().cloned() {
            if known.contains_key(&top.id()) {
                stack.pop();
                continue;
            }
            let found = if let Some(parameter) = self.parameter(&top)? {
                Polynomial::from_iter([((Some(parameter), None), 1.0)])
            } else if !self.depends_on_learned(&top)? {
                let entry = reals.entry(top.id());
                let place = entry.index();
                entry.or_insert_with(|| top.clone());
                Polynomial::from_iter([((None, Some(place)), 1.0)])
            } else {
                let parents = top.parents();
                let is_unknown = |parent: &&AnyElement| !known.contains_key(&parent.id());
                let unknown: Vec<AnyElement> = parents.iter().filter(is_unknown).cloned().collect();
                if !unknown.is_empty() {
                    stack.extend(unknown.into_iter().rev());
                    continue;
                }
                let Kind::Apply(_, op) = top.kind() else {
                    return Err(self.not_learnable(&top, element));
                };
                let parts: Vec<&Polynomial> = parents.iter().map(|p| &known[&p.id()]).collect();
                combined(&**op, &parts).ok_or_else(|| self.not_learnable(&top, element))?
            };
            known.insert(top.id(), found);
            stack.pop();
        }
        Ok(known.remove(&function.id()).unwrap_or_default())
    }
}

/// Returns the result of the function `op` for the arguments `parts` as a polynomial; `None` unless `op` is linear or a product, and the result has
/// no product of two parameters or of two real variables.
fn combined(op: &dyn ApplyOp, parts: &[&Polynomial]) -> Option<Polynomial> {
    let open: Vec<OpenArgument<'_>> = parts.iter().map(|_| OpenArgument::Open(1)).collect();
    let mut all = Polynomial::default();
    if let Some(function) = op.linear(&open) {
        let &[offset] = function.offset() else {
            return None;
        };
        if offset != 0.0 {
            *all.entry((None, None)).or_insert(0.0) += offset;
        }
        for (part, column) in parts.iter().zip(function.columns()) {
            for (&term, coefficient) in *part {
                *all.entry(term).or_insert(0.0) += column[0] * coefficient;
            }
        }
        return Some(all);
    }
    let [left, right] = parts else {
        return None;
    };
    // A function of two numbers is their product if it is `c y` for each value `c` of the first number.
    for c in [1.0, 2.0, -3.0] {
        let function = op.linear(&[OpenArgument::Known(&c), OpenArgument::Open(1)])?;
        if function.offset() != [0.0] || function.coefficients() != [c] {
            return None;
        }
    }
    let product = |a: Option<usize>, b: Option<usize>| match (a, b) {
        (Some(_), Some(_)) => None,
        (one, other) => Some(one.or(other)),
    };
    for (&(p, x), a) in *left {
        for (&(q, y), b) in *right {
            *all.entry((product(p, q)?, product(x, y)?)).or_insert(0.0) += a * b;
        }
    }
    Some(all)
}
