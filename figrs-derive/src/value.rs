//! Derives `Value`: the methods compare, hash and canonicalise values, variant by variant and field by field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Path, parse_quote};

use super::variant::{Variant, options};

pub(super) fn implementation(input: &DeriveInput) -> Result<TokenStream, Error> {
    let (krate, set) = options(&input.attrs, "value", &["crate", "parts"])?;
    let variants = Variant::all(input, "a union cannot be a value; use an enum")?;
    let mut generics = input.generics.clone();
    if let Some(lifetime) = generics.lifetimes().next() {
        let problem =
            "a value owns its parts; use owned types or `&'static` ones instead of a lifetime";
        return Err(Error::new_spanned(lifetime, problem));
    }
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#krate::Value));
    }
    let (own, arguments, bounds) = generics.split_for_impl();
    let name = &input.ident;
    let (same, feed) = (same(&variants, &krate), feed(&variants, &krate));
    let canonical = canonical(&variants, &krate);
    let heap_bytes = heap_bytes(&variants, &krate);
    let from_data = from_data(&variants, &krate);
    let parts = set.contains(&"parts").then(|| {
        quote! {
            fn parts() -> ::core::option::Option<#krate::ValueParts> {
                ::core::option::Option::Some(#krate::ValueParts::of::<Self>())
            }
        }
    });
    Ok(quote! {
        impl #own #krate::Value for #name #arguments #bounds {
            fn same(&self, other: &Self) -> bool {
                #same
            }
            fn feed<FigrsHasher: ::core::hash::Hasher>(&self, hasher: &mut FigrsHasher) {
                #feed
            }
            fn canonical(&self) -> ::core::option::Option<Self> {
                #canonical
            }
            fn heap_bytes(&self) -> usize {
                #heap_bytes
            }
            #from_data
            #parts
        }
    })
}

fn same(variants: &[Variant<'_>], krate: &Path) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let ((left, a), (right, b)) = (variant.pattern("a"), variant.pattern("b"));
        quote!((#left, #right) => true #(&& #krate::Value::same(#a, #b))*)
    });
    // For a single variant, a further arm would be unreachable.
    let otherwise = (variants.len() != 1).then(|| quote!(_ => false));
    quote!(match (self, other) { #(#arms,)* #otherwise })
}

fn feed(variants: &[Variant<'_>], krate: &Path) -> TokenStream {
    if variants.is_empty() {
        return quote!(match *self {});
    }
    let arms = variants.iter().enumerate().map(|(number, variant)| {
        let (pattern, names) = variant.pattern("a");
        quote!(#pattern => {
            ::core::hash::Hasher::write_usize(hasher, #number);
            #(#krate::Value::feed(#names, hasher);)*
        })
    });
    quote!(match self { #(#arms)* })
}

fn canonical(variants: &[Variant<'_>], krate: &Path) -> TokenStream {
    if variants.is_empty() {
        return quote!(match *self {});
    }
    let arms = variants.iter().map(|variant| {
        let ((pattern, own), (_, given)) = (variant.pattern("a"), variant.pattern("b"));
        let members = variant.fields.members();
        let path = &variant.path;
        quote!(#pattern => {
            #(let #given = #krate::Value::canonical(#own);)*
            if true #(&& #given.is_none())* {
                return ::core::option::Option::None;
            }
            ::core::option::Option::Some(#path {
                #(#members: #given.unwrap_or_else(|| ::core::clone::Clone::clone(#own))),*
            })
        })
    });
    quote!(match self { #(#arms)* })
}

fn heap_bytes(variants: &[Variant<'_>], krate: &Path) -> TokenStream {
    if variants.is_empty() {
        return quote!(match *self {});
    }
    let arms = variants.iter().map(|variant| {
        let (pattern, names) = variant.pattern("a");
        quote!(#pattern => 0 #(+ #krate::Value::heap_bytes(#names))*)
    });
    quote!(match self { #(#arms,)* })
}

/// Returns the method that converts the name of a variant without fields to its value; `None` if the type has no variants without fields.
fn from_data(variants: &[Variant<'_>], krate: &Path) -> Option<TokenStream> {
    let plain = variants.iter().filter(|variant| variant.fields.is_empty());
    let (names, paths): (Vec<String>, Vec<&TokenStream>) = plain
        .filter_map(|variant| Some((variant.name?.to_string(), &variant.path)))
        .unzip();
    let numbers = 0..paths.len();
    (!paths.is_empty()).then(|| {
        quote! {
            fn from_data(data: &#krate::PlainData) -> ::core::result::Result<Self, ::std::string::String> {
                let variant = #krate::internals::variant(data, &[#(#names),*])?;
                ::core::result::Result::Ok(match variant {
                    #(#numbers => #paths {},)*
                    _ => ::core::unreachable!(),
                })
            }
        }
    })
}
