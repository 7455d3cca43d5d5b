//! Results of a Chain's function for all combinations of its parents' values.

use rustc_hash::FxHashMap;

use super::Expander;
use crate::element::node::{AnyElement, ChainOp, ElementId};
use crate::element::purity;
use crate::error::{Fault, ModelError};
use crate::expand::content::Content;
use crate::expand::expansion_memory::bytes_of;
use crate::expand::product;
use crate::limits::{check_elements, check_time};
use crate::value::support::Support;

/// Results of a Chain's function for all combinations of parent values.
pub(super) struct BranchResults {
    /// The choice for each combination of parent values, represented as in [`Content::Chain`].
    pub(super) choice: Vec<u32>,
    pub(super) results: Vec<AnyElement>,
    /// The error of the first combination for which the function failed.
    pub(super) error: Option<ModelError>,
}

impl BranchResults {
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.choice.capacity()) + bytes_of::<AnyElement>(self.results.capacity())
    }
}

/// A type as large as the temporary entries for one result of a Chain, in a hash table and in a list.
type ResultPlaces = [(ElementId, usize); 2];

impl Expander<'_> {
    /// Calls the function of a Chain for all combinations of its parents' values.
    pub(super) fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<BranchResults, ModelError> {
        let parents = self.parents(element)?;
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
            // The supports may not be complete yet.
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
                        purity::check_equal_arguments(&supports, arguments, |equal| {
                            let other = op.call(equal)?;
                            Ok(purity::difference(&result, &other))
                        })?;
                        Ok(result)
                    }),
                },
            };
            let is_open =
                |result: &AnyElement| self.limit.is_none() && self.open.contains(&result.id());
            let choice = match result {
                Ok(result) if result.id() == element.id() || is_open(&result) => {
                    branches
                        .error
                        .get_or_insert_with(|| element.fault(Fault::Cyclic));
                    Content::NO_CHOICE
                }
                Ok(result) => {
                    if let Some(&choice) = known.get(&result.id()) {
                        choice
                    } else {
                        self.count_result(element, &result)?;
                        let choice = branches.results.len() as u32;
                        known.insert(result.id(), choice);
                        branches.results.push(result);
                        let all = bytes_of::<u32>(size) + bytes_of::<ResultPlaces>(known.len());
                        self.check_bytes(element, all)?;
                        choice
                    }
                }
                Err(fault) => {
                    branches.error.get_or_insert_with(|| element.fault(fault));
                    Content::NO_CHOICE
                }
            };
            branches.choice.push(choice);
            Ok::<_, ModelError>(())
        })?;
        self.memory.account.add(branches.bytes());
        Ok(branches)
    }

    /// Counts a new result of a Chain against the limits before the next result is made.
    fn count_result(&mut self, chain: &AnyElement, result: &AnyElement) -> Result<(), ModelError> {
        if !self.is_done(result) && self.counted.insert(result.id()) {
            self.expansion.reached += 1;
            check_elements(self.limits, chain, self.expansion.reached)?;
        }
        Ok(())
    }
}
