//! The audience of error messages: programmers, who know source lines and method names, the users of a command, or the users of a web page.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering};

/// The readers of the messages that a process prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Programmers: messages contain source lines, and the names of constructors and methods.
    Programmers,
    /// Users of a command, who know its flags.
    CommandUsers,
    /// Users of a web page, which counts rows and columns from 1.
    PageUsers,
}

/// The audience of the messages of the running process.
static AUDIENCE: AtomicU8 = AtomicU8::new(Audience::Programmers as u8);

/// Makes this process print errors and findings for `audience`; by default, messages are for programmers. A program must call `address` before it
/// prints a message for another audience than programmers.
///
/// ```standalone_crate
/// use figrs_factor::eliminate::EliminationError;
/// use figrs_factor::wording::{Audience, address};
///
/// let error = EliminationError::Interrupted;
/// assert!(error.to_string().ends_with("allow more time (`deadline`)"));
/// address(Audience::CommandUsers);
/// assert!(error.to_string().ends_with("allow more time"));
/// ```
pub fn address(audience: Audience) {
    AUDIENCE.store(audience as u8, Ordering::Relaxed);
}

/// The audience given to [`address`].
pub fn audience() -> Audience {
    match AUDIENCE.load(Ordering::Relaxed) {
        0 => Audience::Programmers,
        1 => Audience::CommandUsers,
        _ => Audience::PageUsers,
    }
}

/// True if messages are for the users of a command or a web page, not for programmers.
pub fn addresses_users() -> bool {
    audience() != Audience::Programmers
}

/// The name of a method of the library that is the remedy of an error, as a part of a message. In the message, programmers see `` (`memory`) `` after
/// a space; other audiences see nothing.
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

/// The source line of a statement, as a part of an error message. In the message, programmers see `stated at src/rain.rs:3:5` after a space; other
/// audiences see nothing.
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

/// A row or a column of a game level, given by its index. Users of a web page see the row or column number from 1; other audiences see the index,
/// from 0.
///
/// ```standalone_crate
/// use figrs_factor::wording::{Audience, Counted, address};
///
/// assert_eq!(format!("row {} (counted from {})", Counted(6), Counted(0)), "row 6 (counted from 0)");
/// address(Audience::PageUsers);
/// assert_eq!(format!("row {} (counted from {})", Counted(6), Counted(0)), "row 7 (counted from 1)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counted(pub usize);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = usize::from(audience() == Audience::PageUsers);
        self.0.saturating_add(first).fmt(f)
    }
}
