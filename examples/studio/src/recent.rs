//! A few results that are kept for the next request.

use std::sync::{Arc, Mutex, PoisonError};

/// The latest results by a text that tells what they were made of, the last one used at the end.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    most: usize,
    kept: Mutex<Vec<(String, Arc<T>)>>,
}

impl<T> Recent<T> {
    /// Keeps this many.
    pub(crate) fn of(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// The result for a text, made if it is not kept. It is made without a lock, by each that asks meanwhile.
    ///
    /// **Errors.** Those of `make`.
    pub(crate) fn get<E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = self.find(key) {
            return Ok(found);
        }
        let made = Arc::new(make()?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| other != key);
        kept.push((key.to_owned(), Arc::clone(&made)));
        if kept.len() > self.most {
            kept.remove(0);
        }
        Ok(made)
    }

    fn find(&self, key: &str) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(other, _)| other == key)?;
        let entry = kept.remove(place);
        let found = Arc::clone(&entry.1);
        kept.push(entry);
        Some(found)
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
