//! Ctrl-C: ends a set with the levels so far.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::failure::Failure;
use crate::no_answer::NoAnswer;

static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Listens from now on; a second Ctrl-C ends the program at once.
pub(crate) fn listen() -> Result<(), Failure> {
    let again = || FLAG.swap(true, Ordering::Relaxed);
    Ok(ctrlc::set_handler(move || {
        if again() {
            exit(130);
        }
    })?)
}

/// What is set by Ctrl-C.
pub(crate) fn flag() -> Arc<AtomicBool> {
    FLAG.clone()
}

pub(crate) fn is_set() -> bool {
    FLAG.load(Ordering::Relaxed)
}

/// The failure where there is nothing yet.
pub(crate) fn nothing() -> Failure {
    Box::new(NoAnswer("interrupted before there was a level".to_owned()))
}
