//! Contractions with lists of products, and their derivatives.
//!
//! A list of products holds, for each product, the index of an entry in each input and in the result.

use crate::algebra::Semiring;

/// Sets each entry of `z` to the sum of its products of entries of `inputs`. Returns `true` if products are checked and one of them overflowed or
/// underflowed.
pub(super) fn contract_listed<S: Semiring>(
    products: &[u32],
    inputs: &[&[S::Value]],
    z: &mut [S::Value],
    is_checked: bool,
) -> bool {
    z.fill(S::zero());
    match inputs {
        [x] => {
            for &[i, k] in products.as_chunks::<2>().0 {
                S::accumulate(&mut z[k as usize], &x[i as usize]);
            }
            false
        }
        [x, y] => pairs::<S>(products, [0, 1, 2], [x, y], z, is_checked),
        _ => {
            let mut lost = false;
            for product in products.chunks_exact(inputs.len() + 1) {
                let mut value = S::one();
                for (x, &i) in inputs.iter().zip(product) {
                    value = times::<S>(&value, &x[i as usize], is_checked, &mut lost);
                }
                S::accumulate(&mut z[product[inputs.len()] as usize], &value);
            }
            lost
        }
    }
}

/// Sets `z` to the derivative of the total weight with respect to one of at most two inputs of a contraction, given the derivative `above` with
/// respect to its result. Returns `true` if products are checked and one of them overflowed or underflowed.
pub(super) fn derive_listed<S: Semiring>(
    products: &[u32],
    other: Option<&[S::Value]>,
    is_first: bool,
    above: &[S::Value],
    z: &mut [S::Value],
    is_checked: bool,
) -> bool {
    z.fill(S::zero());
    let Some(other) = other else {
        for &[i, k] in products.as_chunks::<2>().0 {
            S::accumulate(&mut z[i as usize], &above[k as usize]);
        }
        return false;
    };
    let roles = if is_first { [2, 1, 0] } else { [2, 0, 1] };
    pairs::<S>(products, roles, [above, other], z, is_checked)
}

/// Sets the derivatives of the total weight with respect to all inputs of a contraction, given the derivative `above` with respect to its result.
/// Returns `true` if products are checked and one of them overflowed or underflowed.
///
/// The argument `starts` has the offset of each input's derivatives in the list `derivatives`. Prefix and suffix products of the entries make it
/// unnecessary to divide the product of all entries.
///
/// **References.** Darwiche, *A differential approach to inference in Bayesian networks*, Journal of the ACM 50(3), 2003.
pub(super) fn derive_all<S: Semiring>(
    products: &[u32],
    inputs: &[&[S::Value]],
    above: &[S::Value],
    starts: &[usize],
    derivatives: &mut [S::Value],
    is_checked: bool,
) -> bool {
    let Some((_, others)) = inputs.split_last() else {
        return false;
    };
    for (x, &start) in inputs.iter().zip(starts) {
        derivatives[start..start + x.len()].fill(S::zero());
    }
    let mut lost = false;
    let mut before = Vec::with_capacity(inputs.len());
    for product in products.chunks_exact(inputs.len() + 1) {
        let mut rest = above[product[inputs.len()] as usize].clone();
        if S::is_zero(&rest) {
            continue;
        }
        before.clear();
        before.push(S::one());
        let mut value = S::one();
        for (x, &i) in others.iter().zip(product) {
            value = times::<S>(&value, &x[i as usize], is_checked, &mut lost);
            before.push(value.clone());
        }
        for (t, before) in before.iter().enumerate().rev() {
            let i = product[t] as usize;
            let derivative = times::<S>(before, &rest, is_checked, &mut lost);
            S::accumulate(&mut derivatives[starts[t] + i], &derivative);
            if t > 0 {
                rest = times::<S>(&rest, &inputs[t][i], is_checked, &mut lost);
            }
        }
    }
    lost
}

fn times<S: Semiring>(a: &S::Value, b: &S::Value, is_checked: bool, lost: &mut bool) -> S::Value {
    let product = S::mul(a, b);
    *lost |= is_checked && S::is_out_of_range(a, b, &product);
    product
}

/// Adds products of entries of `x` and `y` to entries of `z`; `roles` gives the columns of the product list for `x`, `y` and `z`.
fn pairs<S: Semiring>(
    products: &[u32],
    roles: [usize; 3],
    [x, y]: [&[S::Value]; 2],
    z: &mut [S::Value],
    is_checked: bool,
) -> bool {
    let products = products.as_chunks::<3>().0;
    let entries = |product: &[u32; 3]| roles.map(|role| product[role] as usize);
    let lost = is_checked
        && products.iter().any(|product| {
            let [i, j, _] = entries(product);
            S::is_out_of_range(&x[i], &y[j], &S::mul(&x[i], &y[j]))
        });
    for product in products {
        let [i, j, k] = entries(product);
        S::accumulate(&mut z[k], &S::mul(&x[i], &y[j]));
    }
    lost
}
