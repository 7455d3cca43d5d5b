//! Derives `Parts`: the generated implementation lists, for each field, its name and the object in it.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, Error, Field, Ident, Member, parse_quote};

use super::variant::{Variant, options};

pub(super) fn implementation(input: &DeriveInput) -> Result<TokenStream, Error> {
    let (krate, _) = options(&input.attrs, "parts", &["crate"])?;
    let union = "a union has no parts; use an enum";
    let variants = Variant::all(input, union)?;
    let name = &input.ident;
    let mut generics = input.generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    let mut arms = Vec::new();
    let mut types = Vec::new();
    for variant in &variants {
        let (pattern, names) = variant.pattern("a");
        let mut fields = Vec::new();
        let mut unused = Vec::new();
        for ((field, member), bound) in variant
            .fields
            .iter()
            .zip(variant.fields.members())
            .zip(&names)
        {
            let (_, set) = options(&field.attrs, "parts", &["value", "skip"])?;
            let label = match member {
                Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            let (is_value, is_skipped) = (set.contains(&"value"), set.contains(&"skip"));
            if is_skipped {
                unused.push(quote!(let _ = #bound;));
                continue;
            }
            let kind = &field.ty;
            if depends(field, &parameters) {
                let bound: syn::WherePredicate = if is_value {
                    parse_quote!(#kind: #krate::Value)
                } else {
                    parse_quote!(#kind: #krate::Parts)
                };
                generics.make_where_clause().predicates.push(bound);
            }
            let (constructor, part_type) = if is_value {
                (quote!(value), quote!(#krate::PartType::value::<#kind>))
            } else {
                (quote!(parts), quote!(<#kind as #krate::Parts>::part_type))
            };
            types.push(quote!((#label, #part_type as fn() -> #krate::PartType)));
            fields.push(quote!((#label, #krate::ObjectField::#constructor(#bound))));
        }
        let type_name = match variant.name {
            Some(variant) => format!("{name}::{variant}"),
            None => name.to_string(),
        };
        arms.push(quote!(#pattern => {
            #(#unused)*
            #krate::Member::Object {
                type_name: #type_name,
                fields: ::std::vec![#(#fields),*],
            }
        }));
    }
    let body = if arms.is_empty() {
        quote!(match *self {})
    } else {
        quote!(match self { #(#arms)* })
    };
    let (own, arguments, bounds) = generics.split_for_impl();
    let text = name.to_string();
    Ok(quote! {
        impl #own #krate::Parts for #name #arguments #bounds {
            fn member(&self) -> #krate::Member<'_> {
                #body
            }
            fn part_type() -> #krate::PartType {
                #krate::PartType::fields(#text, ::std::vec![#(#types),*])
            }
        }
    })
}

/// True if the type of a field contains a type parameter.
fn depends(field: &Field, parameters: &[Ident]) -> bool {
    fn names(tokens: TokenStream, parameters: &[Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => parameters.contains(&name),
            TokenTree::Group(group) => names(group.stream(), parameters),
            _ => false,
        })
    }
    names(field.ty.to_token_stream(), parameters)
}
