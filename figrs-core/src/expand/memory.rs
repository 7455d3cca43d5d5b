//! What expansions of one model to different depths have in common.

use std::any::Any;

use rustc_hash::FxHashMap;

use crate::error::Fault;
use crate::node::{AnyElement, ChainOp, ElementId};
use crate::support::SupportBuilder;

/// The results of Chains and the depths of elements, kept from one expansion of a model to the next.
///
/// A Chain's function runs once for a combination of values however often the model is expanded, and gives the same
/// element each time. So it is known of every element how few Chains it is nested in.
#[derive(Debug, Default)]
pub struct Memory {
    /// With the elements, so that their identities are not given to others.
    elements: FxHashMap<ElementId, (AnyElement, Remembered)>,
}

#[derive(Debug)]
struct Remembered {
    depth: usize,
    calls: Option<Box<Calls>>,
}

/// What a Chain's function gave, by the positions of its arguments.
#[derive(Debug)]
struct Calls {
    arguments: Vec<SupportBuilder>,
    results: FxHashMap<Box<[u32]>, Result<AnyElement, Fault>>,
}

impl Memory {
    /// The smallest depth at which an element was reached so far, and whether this is a new one.
    pub(super) fn depth(&mut self, element: &AnyElement, depth: usize) -> (usize, bool) {
        let remembered = self.remembered(element, depth);
        let known = remembered.depth;
        remembered.depth = known.min(depth);
        (remembered.depth, depth < known)
    }

    /// What a Chain's function gives for these arguments.
    pub(super) fn call(
        &mut self,
        chain: &AnyElement,
        op: &dyn ChainOp,
        arguments: &[&dyn Any],
    ) -> Result<AnyElement, Fault> {
        let remembered = self.remembered(chain, usize::MAX);
        let calls = remembered.calls.get_or_insert_with(|| {
            Box::new(Calls {
                arguments: chain.parents().iter().map(AnyElement::no_values).collect(),
                results: FxHashMap::default(),
            })
        });
        let positions = calls.arguments.iter_mut().zip(arguments);
        let positions = positions.filter_map(|(known, &value)| known.insert(value));
        let key: Box<[u32]> = positions.map(|position| position as u32).collect();
        let result = calls.results.entry(key);
        result.or_insert_with(|| op.call(arguments)).clone()
    }

    fn remembered(&mut self, element: &AnyElement, depth: usize) -> &mut Remembered {
        let entry = self.elements.entry(element.id());
        let (_, remembered) = entry.or_insert_with(|| {
            let calls = None;
            (element.clone(), Remembered { depth, calls })
        });
        remembered
    }
}
