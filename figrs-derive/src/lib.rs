//! Derive macros: `Value` and `Parts` for the types of users, and `ErrorDebug` for error types.

mod error_debug;
mod parts;
mod value;
mod variant;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `figrs::Value` for an enum or a struct. For `#[derive(Value)]`, all fields of the type must implement `Value`.
///
/// Two values of the type are the same if they have the same variant and all their fields are the same. Fields of the type that are elements are
/// compared by identity. For `#[derive(Value)]`, the type must implement `Clone` and `Debug`, but neither `PartialEq` nor `Hash`. If the trait
/// `Value` is not exported by `figrs`, the attribute `crate` names the crate that exports it. If the type also implements `figrs::Parts`, the
/// attribute `parts` lets paths continue through elements with values of this type.
#[proc_macro_derive(Value, attributes(value))]
pub fn derive_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Implements `figrs::Parts` for a struct or an enum whose fields are elements, plain values, other types with parts, or lists and options
/// of these.
///
/// The attribute `#[parts(value)]` marks a field as a value that is not random, and `#[parts(skip)]` omits a field. If a field's type contains a type
/// parameter, the implementation requires that the field's type has parts; for example, `struct Sensor<T> { reading: Element<T> }` has parts if
/// `Element<T>` has. If the trait `Parts` is not exported by `figrs`, the attribute `crate` of the type names the crate that exports it.
#[proc_macro_derive(Parts, attributes(parts))]
pub fn derive_parts(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    parts::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Implements `Debug` for an error type: `{:?}` prints the text of `Display`, and `{:#?}` prints the structure.
///
/// A program whose `main` returns `Result<(), Error>` prints its error with `Debug`, so the program prints the message and not the structure.
#[proc_macro_derive(ErrorDebug)]
pub fn derive_error_debug(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    error_debug::implementation(&input)
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
