//! Names of flags in messages.

use std::fmt;
use std::sync::OnceLock;

use figrs_core::wording::{Audience, address};

/// A function that returns, for a flag, the words of a web page for the control that sets the flag, if the page has such a control.
type Controls = fn(&str) -> Option<&'static str>;

/// The controls of the web page whose users read the messages of this process.
static CONTROLS: OnceLock<Controls> = OnceLock::new();

/// Makes this process print messages for the users of a web page, whose requests have a field for each flag. Messages for users of a web page name a
/// flag by the words that `controls` returns and by the field of the request. Only the first call of the function that sets the controls has an
/// effect.
pub fn address_page(controls: Controls) {
    CONTROLS.get_or_init(|| controls);
    address(Audience::PageUsers);
}

/// The name of a flag, without `--`, as a part of a message. Users of a command see the flag in messages; users of a web page see the control of the
/// flag and the field of the request.
///
/// ```standalone_crate
/// use figrs_command::{Flag, address_page};
///
/// assert_eq!(Flag("min-walk").to_string(), "--min-walk");
/// address_page(|flag| (flag == "min-walk").then_some("“Steps”, from"));
/// assert_eq!(Flag("min-walk").to_string(), "“Steps”, from (`min_walk`)");
/// assert_eq!(Flag("show-path").to_string(), "`show_path`");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Flag<'f>(pub &'f str);

impl fmt::Display for Flag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(controls) = CONTROLS.get() else {
            return write!(f, "--{}", self.0);
        };
        let field = self.0.replace('-', "_");
        match controls(self.0) {
            Some(control) => write!(f, "{control} (`{field}`)"),
            None => write!(f, "`{field}`"),
        }
    }
}
