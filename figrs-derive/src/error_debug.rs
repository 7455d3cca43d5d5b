//! Derives `Debug` for errors: `{:?}` prints the message, and `{:#?}` prints the structure.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident};

pub(super) fn implementation(input: &DeriveInput) -> Result<TokenStream, Error> {
    let structure = match &input.data {
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                arm(&quote!(Self::#name), name, &variant.fields)
            });
            quote!(match self { #(#arms)* })
        }
        Data::Struct(data) => {
            let arm = arm(&quote!(Self), &input.ident, &data.fields);
            quote!(match self { #arm })
        }
        Data::Union(_) => {
            return Err(Error::new_spanned(
                &input.ident,
                "a union cannot be an error",
            ));
        }
    };
    let name = &input.ident;
    let (own, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #own ::core::fmt::Debug for #name #arguments #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                if f.alternate() {
                    #structure
                } else {
                    ::core::fmt::Display::fmt(self, f)
                }
            }
        }
    })
}

/// Returns the match arm that writes one variant in the same way as a derived `Debug`.
fn arm(path: &TokenStream, name: &Ident, fields: &Fields) -> TokenStream {
    let title = name.to_string();
    let members: Vec<_> = fields.members().collect();
    let bound: Vec<Ident> = (0..members.len())
        .map(|at| format_ident!("a_{at}"))
        .collect();
    let writer = match fields {
        Fields::Named(_) => {
            let labels = fields.iter().filter_map(|field| field.ident.as_ref());
            let labels = labels.map(ToString::to_string);
            quote!(f.debug_struct(#title)#(.field(#labels, #bound))*.finish())
        }
        Fields::Unnamed(_) => quote!(f.debug_tuple(#title)#(.field(#bound))*.finish()),
        Fields::Unit => quote!(f.write_str(#title)),
    };
    quote!(#path { #(#members: #bound),* } => #writer,)
}
