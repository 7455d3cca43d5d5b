//! `Param`s that replace learned elements in an expanded model, and the outcomes whose probabilities depend on these `Param`s.

use std::any::Any;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::super::expansion::{Content, ParametricOutcomes};
use super::super::rows;
use super::Expander;
use crate::element::learned_prior::LearnedPrior;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::operations::{FamilyOp, MemberArgument};
use crate::element::param::{Number, Param};
use crate::error::ModelError;
use crate::value::datum::Datum;
use crate::value::support::Support;

impl Expander<'_> {
    /// Returns the family of `element`, if the element has learned elements as parents that `Param`s can replace.
    pub(super) fn learned_family<'e>(&self, element: &'e AnyElement) -> Option<&'e dyn FamilyOp> {
        self.learned.as_ref()?;
        let family = element.kind().family()?;
        let takes = family.takes_params() && element.parents().iter().any(|p| self.is_open(p));
        takes.then_some(family)
    }

    /// True if `element` is a learned element without an intervention.
    pub(super) fn is_open(&self, element: &AnyElement) -> bool {
        is_learned(element) && self.statements.intervention(element).is_none()
    }

    /// Returns those parents of `element` that are not learned elements replaced by `Param`s.
    pub(super) fn open_parents<'e>(
        &self,
        element: &'e AnyElement,
    ) -> impl DoubleEndedIterator<Item = &'e AnyElement> {
        let is_member = self.learned_family(element).is_some();
        let all = element.parents().iter();
        all.filter(move |parent| !is_member || !self.is_open(parent))
    }

    /// True if `element` is a member of a family, and `Param`s replace all its parents.
    pub(super) fn is_learned_member(&self, element: &AnyElement) -> bool {
        self.learned_family(element).is_some() && self.open_parents(element).next().is_none()
    }

    /// Returns the member of the family of `element` if the parents that are not learned elements have the values `open`; `None` if no parent is a
    /// learned element.
    pub(super) fn learned_member(
        &mut self,
        element: &AnyElement,
        open: &[&dyn Any],
    ) -> Result<Option<AnyElement>, ModelError> {
        let to_learn = element.parents().iter().filter(|p| self.is_open(p));
        let to_learn: Vec<&AnyElement> = to_learn.collect();
        let (Some(family), Some(learned)) = (self.learned_family(element), &mut self.learned)
        else {
            return Ok(None);
        };
        for parent in to_learn {
            learned.of(parent)?;
        }
        let mut open = open.iter();
        let arguments: Option<Vec<MemberArgument<'_>>> = element
            .parents()
            .iter()
            .map(|parent| match learned.get(parent) {
                Some((_, learned)) => Some(MemberArgument::Params(&learned.params)),
                None => open.next().map(|value| MemberArgument::Value(*value)),
            })
            .collect();
        Ok(arguments.and_then(|arguments| family.member(&arguments)))
    }

    /// Adds a member of a family as an element without parents; all parents of the member are learned.
    pub(super) fn member(&mut self, element: AnyElement, depth: usize) -> Result<(), ModelError> {
        let member = self.learned_member(&element, &[])?;
        let Some(Kind::Atomic(op)) = member.as_ref().map(AnyElement::kind) else {
            unreachable!("a family that takes parameters has atomic members");
        };
        let observed = self.observed(&element);
        let (support, content, failures) = rows::atomic(&element, &**op, observed.as_ref(), None)?;
        let content = self.with_origins(member.as_ref().unwrap_or(&element), &support, content);
        self.finish(element, depth, Vec::new(), support, content, failures)
    }

    /// Returns `content`, which holds the weights of the next element that is added, or otherwise determines its value. If weights of an element
    /// depend on `Param`s, each weight records the index of its outcome in the list of all outcomes that depend on `Param`s.
    pub(super) fn with_origins(
        &mut self,
        member: &AnyElement,
        support: &Support,
        content: Content,
    ) -> Content {
        let expansion = &mut self.expansion;
        let here = expansion.elements.len();
        // If an earlier addition of this element failed, its outcomes are still in the list, and are removed.
        expansion.parametric.pop_if(|last| last.position == here);
        let Kind::Atomic(op) = member.kind() else {
            return content;
        };
        let is_param = |number: &Number| matches!(number, Number::Param(_));
        if self.learned.is_none() && !op.numbers().iter().any(is_param) {
            return content;
        }
        // The densities of observed values differ between cases. Therefore their weights need indices of outcomes even if no number is a parameter.
        let is_density = op.outcomes().is_ok_and(|outcomes| outcomes.is_err());
        if !is_density && !op.numbers().iter().any(is_param) {
            return content;
        }
        let first = expansion
            .parametric
            .last()
            .map_or(0, |last| last.first + last.origins() as u32);
        expansion.parametric.push(ParametricOutcomes {
            member: member.clone(),
            position: here,
            first,
            support: if is_density {
                member.no_values().build()
            } else {
                support.clone()
            },
        });
        match content {
            Content::Atomic(weights) => {
                let origins = (first..).take(weights.len());
                Content::Atomic(weights.with_origins(origins.collect::<Vec<u32>>()))
            }
            _ => content,
        }
    }

    /// If the probabilities of the next element's outcomes depend on `Param`s, returns the index of that element in the list of such elements.
    pub(super) fn parametric_here(&self, content: &Content) -> Option<usize> {
        let last = self.expansion.parametric.last()?;
        let has_origins = match content {
            Content::Atomic(weights) => weights.origins().is_some(),
            content => matches!(content, Content::NotEnumerable(_)),
        };
        let is_here = has_origins && last.position == self.expansion.elements.len();
        is_here.then(|| self.expansion.parametric.len() - 1)
    }
}

/// The `Param`s that replace [`Learned`](crate::Learned) elements, in the order in which expansions of the model reach these elements.
#[derive(Clone, Debug, Default)]
pub struct LearnedParameters {
    learned: IndexMap<ElementId, LearnedParameter, FxBuildHasher>,
}

/// A learned element and the `Param`s that replace it.
#[derive(Clone, Debug)]
pub struct LearnedParameter {
    /// The learned element.
    pub element: AnyElement,
    /// One `Param` for each number in the value of the learned element.
    pub params: Vec<Param>,
    prior: LearnedPrior,
}

fn prior_of(element: &AnyElement) -> Option<&LearnedPrior> {
    element.kind().atomic()?.prior()
}

impl LearnedParameter {
    /// Returns the prior distribution of the learned element.
    pub fn prior(&self) -> &LearnedPrior {
        &self.prior
    }

    /// Sets the `Param`s to the numbers in `value`, a value of the learned element; returns `false` if the length of `value` is wrong.
    pub fn set(&self, value: &Datum) -> bool {
        let number = value.get::<f64>().map(std::slice::from_ref);
        let numbers = number.or_else(|| value.get::<Vec<f64>>().map(Vec::as_slice));
        let fits = numbers.filter(|numbers| numbers.len() == self.params.len());
        if let Some(numbers) = fits {
            self.set_numbers(numbers);
        }
        fits.is_some()
    }

    /// Sets each `Param` of the learned element to the number in `numbers` with the same index.
    pub fn set_numbers(&self, numbers: &[f64]) {
        for (param, &x) in self.params.iter().zip(numbers) {
            param.set(x);
        }
    }

    /// Returns the present values of the `Param`s that replace the learned element.
    pub fn numbers(&self) -> Vec<f64> {
        self.params.iter().map(Param::get).collect()
    }

    /// Returns the value of the learned element: the present value of its `Param`, or the list of the values of its `Param`s.
    pub fn value(&self) -> Datum {
        let numbers = self.numbers();
        if self.prior().is_list() {
            Datum::new(numbers)
        } else {
            Datum::new(numbers[0])
        }
    }
}

impl LearnedParameters {
    /// Returns the learned elements with their `Param`s, in the order in which expansions of the model reached them.
    pub fn iter(&self) -> impl Iterator<Item = &LearnedParameter> {
        self.learned.values()
    }

    /// Returns the learned element with the index `position`, with its `Param`s.
    ///
    /// **Panics** if there is no learned element with the index `position`.
    pub fn at(&self, position: usize) -> &LearnedParameter {
        &self.learned[position]
    }

    /// Returns the index and the `Param`s of the learned element `element`, if an expansion of the model has reached it.
    pub fn get(&self, element: &AnyElement) -> Option<(usize, &LearnedParameter)> {
        let (position, _, learned) = self.learned.get_full(&element.id())?;
        Some((position, learned))
    }

    /// Returns the `Param`s that replace the element `element`; `None` if it is not a learned element. If the learned element has no `Param`s yet,
    /// they are created with the mean of the element's prior.
    ///
    /// **Errors.** [`ModelError::InvalidParameter`] if the prior of the learned element is not allowed.
    pub fn of(&mut self, element: &AnyElement) -> Result<Option<&LearnedParameter>, ModelError> {
        let (Kind::Atomic(op), Some(prior)) = (element.kind(), prior_of(element)) else {
            return Ok(None);
        };
        if !self.learned.contains_key(&element.id()) {
            op.check().map_err(|problem| element.invalid(problem))?;
            let name = element.label().name.unwrap_or_default();
            let params = prior.mean().into_iter();
            let learned = LearnedParameter {
                element: element.clone(),
                params: params.map(|x| Param::new(&name, x)).collect(),
                prior: prior.clone(),
            };
            self.learned.insert(element.id(), learned);
        }
        Ok(self.learned.get(&element.id()))
    }
}

/// True if `Param`s replace the element `element` in learning.
pub(super) fn is_learned(element: &AnyElement) -> bool {
    prior_of(element).is_some()
}
