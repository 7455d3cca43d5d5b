//! Deadline and interrupt of a computation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A deadline and a flag, each of which ends work that looks at them.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Work ends at this time, if there is one.
    pub deadline: Option<Instant>,
    /// Work ends once this flag is `true`, if there is one.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Until {
    /// True if the flag is raised.
    #[inline]
    pub fn is_interrupted(&self) -> bool {
        let interrupt = self.interrupt.as_deref();
        interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// True if work is to end now. The clock is read only if there is a deadline; it takes some 25 nanoseconds.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl PartialEq for Until {
    fn eq(&self, other: &Self) -> bool {
        let flag = |until: &Self| until.interrupt.as_ref().map(Arc::as_ptr);
        self.deadline == other.deadline && flag(self) == flag(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Flip;
    use crate::error::ModelError;
    use crate::expand::sharing::QueryKind;
    use crate::expand::{Budget, Expansion, ExpansionCache};
    use crate::factor::Weights;
    use crate::model::Model;

    #[test]
    fn an_expansion_ends_when_it_is_told_to() {
        let flag = Arc::new(AtomicBool::new(false));
        let until = Until {
            interrupt: Some(Arc::clone(&flag)),
            ..Until::default()
        };
        let coin = Flip::new(0.5).named("coin").erased().clone();
        let (model, targets) = (Model::new(), [coin]);
        let expand = || {
            let limits = (Budget::default(), &until);
            let unneeded = |_: &Expansion| Ok::<Weights, ModelError>(Weights::from_linear(vec![]));
            let all =
                Expansion::sharing_calls(&model, &targets, limits, QueryKind::Sums, unneeded).err();
            let memory = &mut ExpansionCache::default();
            let deep = Expansion::to_depth(&model, &targets, limits.0, 3, (memory, &until)).err();
            [all, deep]
        };
        assert_eq!(expand(), [None, None]);
        flag.store(true, Ordering::Relaxed);
        for error in expand() {
            let error = error.expect("the flag is raised");
            assert!(matches!(error, ModelError::Stopped { .. }), "{error}");
            assert!(error.to_string().contains("coin"), "{error}");
        }
    }
}
