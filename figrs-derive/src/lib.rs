//! Derive macros: `Value` for the types of users, and `ErrorDebug` for error types.

mod error_debug;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `figrs::Value` for an enum or a struct. All fields of the type must be values.
///
/// Two values are the same if they have the same variant and all their fields are the same. Fields may be elements, which are compared by their
/// identity. The type must implement `Clone` and `Debug`, but neither `PartialEq` nor `Hash`. If `figrs` does not export the trait, the attribute
/// `crate` names the crate that exports it.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Implements `Debug` for an error type: `{:?}` prints the text of `Display`, and `{:#?}` prints the structure.
///
/// The derived text is useful because a function `fn main() -> Result<(), Error>` prints its error with `Debug`.
#[proc_macro_derive(ErrorDebug)]
pub fn derive_error_debug(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    error_debug::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
