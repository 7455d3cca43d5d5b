//! The audience of messages: programmers, who know source lines and method names, or users of a command, who do not.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if this process prints messages for the users of a command.
static FOR_USERS: AtomicBool = AtomicBool::new(false);

/// Makes this process print errors and findings for the users of a command: without source lines, and without the names of constructors and methods.
/// A program must call `address_users` before it prints.
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

/// The name of a method of the library that is the remedy of an error, as a part of a message. Programmers see `` (`memory`) `` after a space; users
/// of a command see nothing.
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

/// The source line of a statement. Programmers see `stated at src/rain.rs:3:5` after a space; users of a command see nothing.
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
