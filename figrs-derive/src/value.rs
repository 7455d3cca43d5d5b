//! Derives `Value`, whose methods compare, hash and represent each variant and each field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Member, Path, parse_quote};

/// The path and the fields of a struct or of one variant of an enum, from which patterns are generated.
struct Variant<'a> {
    path: TokenStream,
    fields: &'a Fields,
}

impl Variant<'_> {
    /// Returns a pattern that binds each field to a variable, and the names of these variables. The names of the variables in the pattern begin with
    /// `prefix`.
    fn pattern(&self, prefix: &str) -> (TokenStream, Vec<Ident>) {
        let members: Vec<Member> = self.fields.members().collect();
        let names: Vec<Ident> = (0..members.len())
            .map(|at| format_ident!("{prefix}_{at}"))
            .collect();
        let path = &self.path;
        (quote!(#path { #(#members: #names),* }), names)
    }
}

pub(super) fn implementation(input: &DeriveInput) -> Result<TokenStream, Error> {
    let krate = crate_path(input)?;
    let variants: Vec<Variant<'_>> = match &input.data {
        Data::Struct(data) => vec![Variant {
            path: quote!(Self),
            fields: &data.fields,
        }],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let name = &variant.ident;
                Variant {
                    path: quote!(Self::#name),
                    fields: &variant.fields,
                }
            })
            .collect(),
        Data::Union(_) => {
            let problem = "a union cannot be a value; use an enum";
            return Err(Error::new_spanned(&input.ident, problem));
        }
    };
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
        }
    })
}

/// Returns the path of the crate that exports the trait: `figrs`, or the crate in `#[value(crate = "..")]`.
fn crate_path(input: &DeriveInput) -> Result<Path, Error> {
    let mut path: Path = parse_quote!(::figrs);
    for attribute in &input.attrs {
        if attribute.path().is_ident("value") {
            attribute.parse_nested_meta(|meta| {
                if !meta.path.is_ident("crate") {
                    return Err(meta.error("unknown option; there is `crate = \"path\"`"));
                }
                path = meta.value()?.parse::<LitStr>()?.parse()?;
                Ok(())
            })?;
        }
    }
    Ok(path)
}

fn same(variants: &[Variant<'_>], krate: &Path) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let ((left, a), (right, b)) = (variant.pattern("a"), variant.pattern("b"));
        quote!((#left, #right) => true #(&& #krate::Value::same(#a, #b))*)
    });
    // If there is only one variant, a further arm would be unreachable.
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
