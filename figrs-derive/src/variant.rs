//! The fields of a struct, or of one variant of an enum.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, Member, Path, parse_quote};

/// A struct or one variant of an enum, for which the derive macros generate patterns from its path and fields.
pub(super) struct Variant<'a> {
    /// The name of the enum variant; `None` for a struct.
    pub(super) name: Option<&'a Ident>,
    pub(super) path: TokenStream,
    pub(super) fields: &'a Fields,
}

impl<'a> Variant<'a> {
    /// Returns the variants of an enum, or the only variant of a struct. For a union, the text `union` is returned as the error.
    pub(super) fn all(input: &'a DeriveInput, union: &str) -> Result<Vec<Self>, Error> {
        match &input.data {
            Data::Struct(data) => Ok(vec![Self {
                name: None,
                path: quote!(Self),
                fields: &data.fields,
            }]),
            Data::Enum(data) => {
                let variant = |variant: &'a syn::Variant| {
                    let name = &variant.ident;
                    Self {
                        name: Some(name),
                        path: quote!(Self::#name),
                        fields: &variant.fields,
                    }
                };
                Ok(data.variants.iter().map(variant).collect())
            }
            Data::Union(_) => Err(Error::new_spanned(&input.ident, union)),
        }
    }

    /// Returns a pattern that binds each field to a variable, and the names of these variables, which begin with `prefix`.
    pub(super) fn pattern(&self, prefix: &str) -> (TokenStream, Vec<Ident>) {
        let members: Vec<Member> = self.fields.members().collect();
        let names: Vec<Ident> = (0..members.len())
            .map(|at| format_ident!("{prefix}_{at}"))
            .collect();
        let path = &self.path;
        (quote!(#path { #(#members: #names),* }), names)
    }
}

/// Returns the options of a derive macro in the attributes with the given name: the path of the crate that exports the trait (the path in
/// `crate = ".."`, or else `figrs`), and the flags that are set.
pub(super) fn options(
    attributes: &[Attribute],
    name: &str,
    allowed: &[&'static str],
) -> Result<(Path, Vec<&'static str>), Error> {
    let mut path: Path = parse_quote!(::figrs);
    let mut set = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(name))
    {
        attribute.parse_nested_meta(|meta| {
            if let Some(option) = allowed.iter().find(|option| meta.path.is_ident(option)) {
                if *option == "crate" {
                    path = meta.value()?.parse::<LitStr>()?.parse()?;
                }
                set.push(*option);
                return Ok(());
            }
            let known = allowed.join("`, `");
            Err(meta.error(format!("unknown option; the options are `{known}`")))
        })?;
    }
    Ok((path, set))
}
