//! The readers of messages: programmers, who want source lines and method names, or the users of a command, who see neither.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if this process prints messages for the users of a command.
static FOR_USERS: AtomicBool = AtomicBool::new(false);

/// From this call on, the errors and findings of this process are printed for the users of a command: without source lines, and without the
/// names of constructors and methods. A program calls it once, before it prints.
///
/// ```
/// use figrs_factor::eliminate::EliminationError;
/// use figrs_factor::wording;
///
/// let error = EliminationError::Interrupted;
/// assert!(error.to_string().ends_with("allow more time (`deadline`)"));
/// wording::address_users();
/// assert!(error.to_string().ends_with("allow more time"));
/// ```
pub fn address_users() {
    FOR_USERS.store(true, Ordering::Relaxed);
}

/// True after a call of [`address_users`].
pub fn addresses_users() -> bool {
    FOR_USERS.load(Ordering::Relaxed)
}

/// A call of the library that is the remedy of an error. It is printed as `` (`memory`) `` after a blank, and for the users of a command as
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct Call(pub &'static str);

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if addresses_users() {
            return Ok(());
        }
        write!(f, " (`{}`)", self.0)
    }
}

/// The source line of a statement. It is printed as `stated at src/rain.rs:3:5` after a blank, and for the users of a command as nothing.
#[derive(Clone, Copy, Debug)]
pub struct StatedAt(pub &'static Location<'static>);

impl fmt::Display for StatedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if addresses_users() {
            return Ok(());
        }
        write!(f, " stated at {}", self.0)
    }
}
