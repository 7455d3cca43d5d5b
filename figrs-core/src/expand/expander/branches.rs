//! The elements that a `Chain`'s function returns (the branches) for all combinations of its parents' values.

use std::any::Any;

use rustc_hash::FxHashMap;

use super::Expander;
use crate::element::apply::{check_equal_arguments, impurity};
use crate::element::node::{AnyElement, ElementId};
use crate::element::operations::ChainOp;
use crate::error::{Fault, ModelError};
use crate::expand::expansion::{Content, bytes_of};
use crate::expand::product;
use crate::limits::{check_elements, check_time};
use crate::value::support::Support;

#[derive(Default)]
pub(super) struct BranchResults {
    /// For each combination of the parents' values, the index of the branch (an element that the function returned) that the `Chain` chooses, as in
    /// [`Content::Chain`].
    pub(super) choice: Vec<u32>,
    pub(super) results: Vec<AnyElement>,
    /// The error for the first combination of parent values for which the function of the `Chain` failed.
    pub(super) error: Option<ModelError>,
}

impl BranchResults {
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.choice.capacity()) + bytes_of::<AnyElement>(self.results.capacity())
    }
}

/// A type with the size of the temporary entries that one branch of a `Chain` takes in a hash table and in a list.
type ResultPlaces = [(ElementId, usize); 2];

impl Expander<'_> {
    pub(super) fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<BranchResults, ModelError> {
        let parents = self.parents(element)?;
        if self.interval_parent(&parents).is_some() {
            return self.branches_of_cells(element, op, &parents);
        }
        let supports: Vec<Support> = self.supports(&parents).into_iter().cloned().collect();
        let supports: Vec<&Support> = supports.iter().collect();
        let size = product::size(element, &supports, self.limits.element_entries)?;
        self.check_bytes(element, bytes_of::<u32>(size))?;
        let mut branches = BranchResults {
            choice: Vec::with_capacity(size),
            results: Vec::new(),
            error: None,
        };
        let single = match &self.limit {
            None => op.for_tables(&supports),
            // In an expansion with a depth limit, the supports may not be complete yet.
            Some(_) => None,
        };
        let mut known = FxHashMap::default();
        product::for_each_combination(&parents, &supports, |arguments| {
            check_time(&self.limits.until, element)?;
            let Some(arguments) = arguments else {
                branches.choice.push(Content::NO_CHOICE);
                return Ok(());
            };
            let result = match (&single, &mut self.limit) {
                (Some(single), _) => Ok(single.clone()),
                (None, Some(limit)) => limit.memory.call(element, op, arguments),
                (None, None) => match self.learned_member(element, arguments)? {
                    Some(member) => Ok(member),
                    None => op.call(arguments).and_then(|result| {
                        check_equal_arguments(&supports, arguments, |equal| {
                            let other = op.call(equal)?;
                            Ok(impurity(&result, &other))
                        })?;
                        Ok(result)
                    }),
                },
            };
            let is_open =
                |result: &AnyElement| self.limit.is_none() && self.open.contains(&result.id());
            match result {
                Ok(result) if result.id() == element.id() || is_open(&result) => {
                    branches
                        .error
                        .get_or_insert_with(|| element.fault(Fault::Cyclic));
                    branches.choice.push(Content::NO_CHOICE);
                }
                Ok(result) => self.add_result(element, &mut branches, &mut known, result)?,
                Err(fault) => {
                    branches.error.get_or_insert_with(|| element.fault(fault));
                    branches.choice.push(Content::NO_CHOICE);
                }
            }
            Ok::<_, ModelError>(())
        })?;
        self.memory.account.add(branches.bytes());
        Ok(branches)
    }

    /// Calls the function of a `Chain`, or returns a stored result of an earlier call.
    pub(super) fn call(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
        arguments: &[&dyn Any],
    ) -> Result<AnyElement, Fault> {
        match &mut self.limit {
            Some(limit) => limit.memory.call(element, op, arguments),
            None => op.call(arguments),
        }
    }

    /// Adds the element that a `Chain`'s function returns for the next combination of parent values. The map `known` contains the index of each
    /// branch of the `Chain` that was found before.
    pub(super) fn add_result(
        &mut self,
        element: &AnyElement,
        branches: &mut BranchResults,
        known: &mut FxHashMap<ElementId, u32>,
        result: AnyElement,
    ) -> Result<(), ModelError> {
        if let Some(&choice) = known.get(&result.id()) {
            branches.choice.push(choice);
            return Ok(());
        }
        self.count_result(element, &result)?;
        let choice = branches.results.len() as u32;
        known.insert(result.id(), choice);
        branches.results.push(result);
        branches.choice.push(choice);
        let choices = bytes_of::<u32>(branches.choice.capacity());
        self.check_bytes(element, choices + bytes_of::<ResultPlaces>(known.len()))
    }

    /// Adds one to the number of elements for a new branch of a `Chain`, and returns an error if there are too many elements.
    fn count_result(&mut self, chain: &AnyElement, result: &AnyElement) -> Result<(), ModelError> {
        if !self.is_done(result) && self.counted.insert(result.id()) {
            self.expansion.reached += 1;
            check_elements(self.limits, chain, self.expansion.reached)?;
        }
        Ok(())
    }
}
