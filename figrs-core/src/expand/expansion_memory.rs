//! Memory of an expansion, which is compared with the limit.

use crate::element::footprint::Footprint;
use crate::element::node::AnyElement;
use crate::error::ModelError;
use crate::limits::check_bytes;
use figrs_factor::{Limits, MemoryAccount};

pub(super) fn bytes_of<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

/// Memory of an expansion, and of the elements that were created during the expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpansionMemory {
    /// The memory footprint of the thread before the expansion.
    before: Footprint,
    pub(super) account: MemoryAccount,
}

impl ExpansionMemory {
    /// Creates an account that counts the elements that are created from now on, or since an earlier reading of the memory footprint.
    pub(super) fn new(before: Option<Footprint>) -> Self {
        Self {
            before: before.unwrap_or_else(Footprint::now),
            account: MemoryAccount::default(),
        }
    }

    pub(super) fn check(
        &self,
        limits: &Limits,
        element: &AnyElement,
        more: u64,
    ) -> Result<(), ModelError> {
        let held = self.account.held() + more;
        check_bytes(
            limits,
            element,
            self.before.bytes_since().saturating_add(held),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::element::{Constant, Element, Uniform};
    use crate::expand::{Expansion, ExpansionCache};
    use crate::model::Model;

    /// Returns an infinite recursive model; each call creates two wide distributions and two `Chain` elements on them.
    fn wide(calls: &Arc<AtomicUsize>) -> Element<u64> {
        let counted = calls.clone();
        Uniform::new(0..1000_u64).flat_map(move |&a| {
            counted.fetch_add(1, Ordering::Relaxed);
            let (x, y) = (wide(&counted), wide(&counted));
            crate::Parents::map(&(&x, &y), move |(p, q)| p ^ q ^ a)
        })
    }

    fn expand(element: &Element<u64>, limits: &Limits) -> ModelError {
        let targets = [element.erased().clone()];
        let before = Footprint::now();
        let whole = Expansion::new(&Model::new(), &targets, limits).unwrap_err();
        let mut memory = ExpansionCache::default();
        let depth = Expansion::to_depth(&Model::new(), &targets, limits, 5, &mut memory);
        let kind = std::mem::discriminant(&whole);
        assert_eq!(std::mem::discriminant(&depth.unwrap_err()), kind);
        drop(memory);
        assert_eq!(before.since().nodes, 0);
        whole
    }

    #[test]
    fn branches_count_before_the_next_is_made() {
        for elements in [100, 2000] {
            let calls = Arc::default();
            let limits = Limits::default().elements(elements);
            let error = expand(&wide(&calls), &limits);
            assert!(
                matches!(error, ModelError::TooManyElements { limit, .. } if limit == elements)
            );
            // The model is expanded twice, and debug builds call each function twice to compare the results.
            let calls = calls.load(Ordering::Relaxed);
            assert!(
                calls <= 4 * (elements + 1),
                "{calls} branches for {elements}"
            );
        }
    }

    #[test]
    fn elements_that_branches_hold_count_in_bytes() {
        let calls = Arc::default();
        let limits = Limits::default().expansion_memory(8 << 20);
        let ModelError::TooMuchMemory { needed, limit, .. } = expand(&wide(&calls), &limits) else {
            panic!("another error");
        };
        assert_eq!(limit, 8 << 20);
        // The limit is exceeded by no more than the last branch.
        assert!(needed > limit && needed < limit + (1 << 18), "{needed}");
    }

    #[test]
    fn values_and_tables_count_in_bytes() {
        let bytes = 1 << 20;
        let limits = Limits::default().expansion_memory(bytes);
        let expand = |element: &AnyElement| {
            let targets = [element.clone()];
            Expansion::new(&Model::new(), &targets, &limits).map(|_| ())
        };
        let (a, b) = (Uniform::new(0..600_u32), Uniform::new(0..600_u32));
        let long = a.map(|&n| vec![n; 1000]);
        let pairs = crate::Parents::map(&(&a, &b), |(a, b)| a * b % 2);
        let many = a.flat_map(|&n| Constant::new("x".repeat(4000 + n as usize)));
        for element in [long.erased(), pairs.erased(), many.erased()] {
            let error = expand(element);
            let is_memory = matches!(error, Err(ModelError::TooMuchMemory { needed, .. }) if needed < 3 * bytes);
            assert!(is_memory, "{error:?}");
        }
        let kept = a.map(|&n| n / 2);
        assert_eq!(expand(kept.erased()), Ok(()));
    }
}
