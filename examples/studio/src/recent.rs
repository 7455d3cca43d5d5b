//! A cache of a few results for later requests.

use std::sync::{Arc, Mutex, PoisonError};

/// The latest results by keys that identify their inputs; the most recently used result is at the end.
#[derive(Debug)]
pub(crate) struct Recent<K, T> {
    most: usize,
    kept: Mutex<Vec<(K, Arc<T>)>>,
}

impl<K: PartialEq, T> Recent<K, T> {
    /// Creates a cache that keeps at most the given number of results.
    pub(crate) fn of(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// Returns the result for a key, and computes the result if the cache does not contain it. Simultaneous requests may each compute the same
    /// result, because the computation holds no lock of the cache.
    ///
    /// **Errors.** The errors of the function `make`, which computes the result.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        match self.find(&key) {
            Some(found) => Ok(found),
            None => Ok(self.keep(key, make()?)),
        }
    }

    /// Returns the result for a key, if it is in the cache.
    pub(crate) fn find(&self, key: &K) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(other, _)| other == key)?;
        let entry = kept.remove(place);
        let found = Arc::clone(&entry.1);
        kept.push(entry);
        Some(found)
    }

    /// Stores a result in the cache, and replaces a result with the same key.
    pub(crate) fn keep(&self, key: K, made: T) -> Arc<T> {
        let made = Arc::new(made);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != key);
        kept.push((key, Arc::clone(&made)));
        if kept.len() > self.most {
            kept.remove(0);
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_that_was_used_last_is_kept() {
        let recent = Recent::of(2);
        let make = |value: u32| move || Ok::<_, ()>(value);
        for (key, value, expected) in [
            ("a", 1, 1),
            ("b", 2, 2),
            ("a", 3, 1),
            ("c", 4, 4),
            ("b", 5, 5),
            ("c", 6, 4),
        ] {
            assert_eq!(*recent.get(key, make(value)).unwrap(), expected, "{key}");
        }
        assert_eq!(recent.get("d", || Err("no")), Err("no"));
        assert_eq!(*recent.get("c", make(7)).unwrap(), 4);
    }
}
