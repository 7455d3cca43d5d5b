//! Identities of functions and of recursive calls.

use std::any::TypeId;
use std::sync::Arc;

use crate::value::datum::Datum;

/// The identity of a function that was given to an element or to evidence. If two functions have equal identities, results that were computed for one
/// of them hold for the other. A function without an identity may still be the same as another function.
///
/// A closure that captures nothing always has an identity. A function that is shared through [`Parents::map_shared`](crate::Parents::map_shared) or a
/// similar method has an identity while an element holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId {
    code: TypeId,
    captured: usize,
}

impl FunctionId {
    /// Returns the identity of a function of type `F`; `None` if the function captures something.
    pub(crate) fn of_code<F: 'static>(_: &F) -> Option<Self> {
        (size_of::<F>() == 0).then(|| Self {
            code: TypeId::of::<F>(),
            captured: 0,
        })
    }

    pub(crate) fn of_shared<F: 'static>(function: &Arc<F>) -> Self {
        Self {
            code: TypeId::of::<F>(),
            captured: if size_of::<F>() == 0 {
                0
            } else {
                Arc::as_ptr(function).addr()
            },
        }
    }
}

/// The identity of a call of a [`Recursive`](crate::Recursive) function: equal calls have the same distribution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// The function that is called.
    pub function: FunctionId,
    /// The argument of the call.
    pub argument: Datum,
}
