//! The output of a program, collected.

use std::cell::RefCell;
use std::fmt::{Arguments, Debug, Write};

thread_local! {
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Writes as `print!` does.
pub(crate) fn write(text: Arguments<'_>) {
    BUFFER.with_borrow_mut(|buffer| buffer.write_fmt(text).expect("a string takes all"));
}

/// Return value of a `main`: nothing or a result.
pub(crate) trait Ending {
    fn expect_success(self);
}

impl Ending for () {
    fn expect_success(self) {}
}

impl<E: Debug> Ending for Result<(), E> {
    fn expect_success(self) {
        self.expect("the program succeeds");
    }
}

/// The output that a program prints.
///
/// # Panics
///
/// If it returns an error.
pub(crate) fn by<T: Ending>(main: impl FnOnce() -> T) -> String {
    BUFFER.with_borrow_mut(String::clear);
    main().expect_success();
    BUFFER.with_borrow_mut(std::mem::take)
}
