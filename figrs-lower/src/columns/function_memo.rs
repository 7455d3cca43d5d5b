//! Cache of the atomic elements that the functions of Chains return; Chains with the same function share the entries.

use std::any::Any;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::draw::PooledSampler;
use figrs_core::element::function::FunctionId;
use figrs_core::element::node::{AnyElement, ElementId};
use figrs_core::element::operations::FiniteOutcomes;
use figrs_core::value::support::SupportBuilder;

/// The atomic elements that functions returned and to which nothing else refers. The key is the function and the arguments of the call. A function
/// without captured variables returns equivalent elements for every Chain that calls it. If two Chains draw from the same cached element, their
/// values are nevertheless independent.
#[derive(Default)]
pub(super) struct FunctionMemo {
    /// The functions with cached results, by function and number of parents. (A function of a list accepts any number of parents.)
    met: FxHashMap<(FunctionId, usize), MemoisedFunction>,
    /// The sampler of each element. The element is stored too, so that no other element gets its identity.
    choices: FxHashMap<ElementId, (AnyElement, FiniteSampler)>,
}

struct MemoisedFunction {
    /// For each parent, the arguments with which the function has been called.
    arguments: Vec<SupportBuilder>,
    elements: FxHashMap<Box<[u32]>, AnyElement>,
}

#[derive(Clone)]
pub(super) struct FiniteSampler {
    pub(super) outcomes: Rc<FiniteOutcomes>,
    /// The dictionary code of each outcome in the sampler.
    pub(super) codes: Vec<u32>,
    pub(super) ready: Rc<PooledSampler>,
}

/// The key of a function call: the function, and the codes of its arguments.
pub(super) struct CallKey((FunctionId, usize), Box<[u32]>);

impl FunctionMemo {
    /// Returns the key of the call of `function` with the arguments `values`; `None` if an argument has the wrong type.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        parents: &[AnyElement],
        values: &[&dyn Any],
    ) -> Option<CallKey> {
        let function = (function, parents.len());
        let function_met = self
            .met
            .entry(function)
            .or_insert_with(|| MemoisedFunction {
                arguments: parents.iter().map(AnyElement::no_values).collect(),
                elements: FxHashMap::default(),
            });
        let codes = function_met.arguments.iter_mut().zip(values);
        let codes = codes.map(|(met, &value)| met.insert(value).map(|code| code as u32));
        Some(CallKey(function, codes.collect::<Option<_>>()?))
    }

    pub(super) fn element(&self, call: &CallKey) -> Option<AnyElement> {
        self.met.get(&call.0)?.elements.get(&call.1).cloned()
    }

    pub(super) fn insert(&mut self, call: CallKey, element: AnyElement) {
        if let Some(function) = self.met.get_mut(&call.0) {
            function.elements.insert(call.1, element);
        }
    }

    pub(super) fn choice(&self, element: &AnyElement) -> Option<FiniteSampler> {
        let (_, choice) = self.choices.get(&element.id())?;
        Some(choice.clone())
    }

    pub(super) fn cache_sampler(&mut self, element: &AnyElement, choice: FiniteSampler) {
        self.choices.insert(element.id(), (element.clone(), choice));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::columns::{Block, ColumnValues};
    use crate::{EvidenceOrder, Observations};
    use figrs_core::element::Flip;
    use figrs_core::model::Model;
    use figrs_core::random::stream;

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn chains_of_one_function_share_calls_but_no_randomness() {
        let parent = Flip::new(0.5);
        let report = || {
            parent.flat_map(|&truth| {
                CALLS.fetch_add(1, Ordering::Relaxed);
                Flip::new(if truth { 0.8 } else { 0.1 })
            })
        };
        let targets = [report().erased().clone(), report().erased().clone()];
        let (observations, order) = (Observations::Weigh, EvidenceOrder::AsStated);
        let mut block = Block::new(&Model::new(), &targets, observations, order, 10).unwrap();
        block.run(1 << 14, &mut stream(1, 0)).unwrap();
        // Debug builds call a function twice for each value, to compare the results.
        assert!(CALLS.load(Ordering::Relaxed) <= 4);
        let mut bits = |target| match block.target(target).values() {
            ColumnValues::Bits(bits) => bits.to_vec(),
            other => panic!("{other:?}"),
        };
        let (first, second) = (bits(0), bits(1));
        let agree = first
            .iter()
            .zip(&second)
            .map(|(a, b)| (!(a ^ b)).count_ones());
        // The two values are equal with the probability 0.34 + 0.41. A correct sampler deviates by more than six standard errors about once in 5e8
        // tests.
        let difference = f64::from(agree.sum::<u32>()) / 16384.0 - 0.75;
        assert!(difference.abs() < 6.0 * (0.75_f64 * 0.25 / 16384.0).sqrt());
    }
}
