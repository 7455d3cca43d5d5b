//! An optional function of the user that a run calls when an event occurs.

use std::fmt;
use std::sync::Arc;

/// An optional function that is called with events of type `T`.
#[derive(Clone)]
pub struct Listener<T>(Option<Arc<ListenerFn<T>>>);

type ListenerFn<T> = dyn Fn(&T) + Send + Sync;

impl<T> Listener<T> {
    /// Creates a listener that calls the function `listener`.
    pub fn new(listener: impl Fn(&T) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// True if there is a function to call.
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Calls the function with `event`, if the listener has a function.
    pub fn tell(&self, event: &T) {
        if let Some(listener) = &self.0 {
            listener(event);
        }
    }
}

impl<T> Default for Listener<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> fmt::Debug for Listener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listener").finish_non_exhaustive()
    }
}
