//! Conversion of panics in users' functions to errors.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread;

use crate::error::Fault;

/// Calls `function`, which a user wrote, and converts a panic into a [`Fault`].
#[inline]
pub fn contained<R>(function: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(function)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let mut message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    if let Some(place) = PLACE.take() {
        message = format!("{message} ({place})");
    }
    Fault::Panicked(message)
}

thread_local! {
    /// Number of calls of [`unprinted`] that are in progress on this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
    /// File, line and column of the last panic on this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Ends a call of [`unprinted`] when it is dropped, even if the call panics.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// Calls `function`, and converts a panic into an error that names the source line. The panic hook prints the panic only if `RUST_BACKTRACE` is set.
pub fn unprinted<R>(function: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    let install = || {
        let is_traced = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if CALLS.get() == 0 || is_traced {
                print(panic);
            }
            PLACE.set(panic.location().map(ToString::to_string));
        }));
    };
    // Setting the panic hook during a panic would abort the program.
    if !thread::panicking() {
        HOOK.call_once(install);
    }
    CALLS.set(CALLS.get() + 1);
    let _end = End;
    function()
}
