//! Derive macros: `Value` for a user's types, `ErrorDebug` for error enums.

mod error_debug;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `figrs::Value` for an enum or a struct whose fields are values.
///
/// Two values are the same if they are of one variant and all their fields are the same. Elements may be fields: they are
/// compared by their identity. The type needs `Clone` and `Debug`, but no `PartialEq` or `Hash`. If the trait does not come from
/// `figrs`, the attribute `crate` names the crate that exports it.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Implements `Debug` for an error: `{:?}` prints its `Display` text, `{:#?}` its structure.
///
/// `fn main() -> Result<(), Error>` prints errors with `Debug`.
#[proc_macro_derive(ErrorDebug)]
pub fn derive_error_debug(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    error_debug::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
