//! Parameters in place of learned elements, and the outcomes whose probabilities depend on these parameters.

use std::any::Any;

use super::super::content::Content;
use super::super::parametric::{ParametricOutcomes, is_learned};
use super::super::rows;
use super::Expander;
use crate::element::node::{AnyElement, FamilyOp, Kind, MemberArgument};
use crate::element::param::Number;
use crate::error::ModelError;
use crate::value::support::Support;

impl Expander<'_> {
    /// Returns the family of `element`, if it has learned elements as parents and `Param`s can replace them.
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

    /// Returns the parents of `element`, without the learned elements that `Param`s replace.
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

    /// Returns the member of the family for the values `open` of the parents that are not learned; `None` if no parent is learned.
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

    /// Adds a member of a family all of whose parents are learned, as an atomic element.
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

    /// Returns `content`, the content of the next element of the expansion. If its weights depend on parameters, each weight records the index of its
    /// outcome among the parametric outcomes.
    pub(super) fn with_origins(
        &mut self,
        member: &AnyElement,
        support: &Support,
        content: Content,
    ) -> Content {
        let expansion = &mut self.expansion;
        let here = expansion.elements.len();
        // Removes the outcomes of an element whose addition failed.
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

    /// Returns the index of the next element's entry in the parametric outcomes, if the probabilities of its outcomes depend on parameters.
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
