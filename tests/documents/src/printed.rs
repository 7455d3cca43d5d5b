//! Collects the output of a program.

use std::cell::RefCell;
use std::fmt::{Arguments, Debug, Write};

thread_local! {
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Writes to the buffer of the output as `print!` writes to standard output.
pub(crate) fn write(text: Arguments<'_>) {
    BUFFER.with_borrow_mut(|buffer| buffer.write_fmt(text).expect("a string takes all"));
}

/// The return value of a `main`, which is nothing or a result.
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

/// Returns the output that a program prints.
///
/// # Panics
///
/// Panics if the program returns an error.
pub(crate) fn by<T: Ending>(main: impl FnOnce() -> T) -> String {
    BUFFER.with_borrow_mut(String::clear);
    main().expect_success();
    BUFFER.with_borrow_mut(std::mem::take)
}
