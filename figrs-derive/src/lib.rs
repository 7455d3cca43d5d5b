//! Derive macros: `Value` for the types of users, and `ErrorDebug` for error types.

mod error_debug;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `figrs::Value` for an enum or a struct. All fields of the type must implement `Value`.
///
/// Two values are the same if they have the same variant and all their fields are the same. A field of the type may be an element, which is compared
/// by its identity. The type must implement `Clone` and `Debug`, but neither `PartialEq` nor `Hash`. The attribute `crate` names the crate that
/// exports the trait `Value`, if that is not `figrs`.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Implements `Debug` for an error type: `{:?}` prints the text of `Display`, and `{:#?}` prints the structure.
///
/// The message is useful because a program whose `main` returns `Result<(), Error>` prints its error with `Debug`.
#[proc_macro_derive(ErrorDebug)]
pub fn derive_error_debug(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    error_debug::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
