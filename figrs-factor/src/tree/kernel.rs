//! The innermost loops of contractions: one dense contraction `z[..] += x[..] * y[..]`.

use crate::algebra::Semiring;

use super::loop_nest::{AccessPattern, LoopDim, LoopNest};
use super::tensor::Rank;

/// Number of parallel partial sums in a reduction, chosen to fill vector registers.
const LANES: usize = 8;

/// Minimum number of products of a contraction that runs on several threads.
pub(super) const MIN_PARALLEL_PRODUCTS: usize = 1 << 19;

/// Buffers that the contractions of a tree reuse.
#[derive(Debug)]
pub(super) struct Workspace<V> {
    nest: LoopNest,
    digits: Vec<usize>,
    gathered: [Vec<V>; 2],
    threads: usize,
    shared: usize,
}

impl<V: Clone + Send + Sync> Workspace<V> {
    /// Creates the buffers; a contraction with at least `shared` products of entries runs on `threads` threads.
    pub(super) fn new(threads: usize, shared: usize) -> Self {
        Self {
            nest: LoopNest::default(),
            digits: Vec::new(),
            gathered: [Vec::new(), Vec::new()],
            threads,
            shared,
        }
    }

    /// Sets each entry of `z` to a sum of products `x[..] * y[..]`, over all assignments that agree with the assignment of this entry.
    ///
    /// The tables `x`, `y` and `z` are dense over their scopes.
    ///
    /// Each thread computes the entries of `z` for some values of the outermost variable of `z`. Every sum has the same order of terms for any number
    /// of threads, because one thread computes each entry of `z`.
    ///
    /// Returns the number of terms in the sum for each entry of `z`.
    pub(super) fn contract<S: Semiring<Value = V>>(
        &mut self,
        cards: &[u32],
        (x_scope, x): (&[Rank], &[V]),
        (y_scope, y): (&[Rank], &[V]),
        (z_scope, z): (&[Rank], &mut [V]),
    ) -> usize {
        self.nest.set_scopes([x_scope, y_scope, z_scope], cards);
        let nest = &self.nest;
        let products = nest.outer().iter().fold(nest.block, |all, dim| all * dim.n);
        let terms = products / z.len().max(1);
        let is_split =
            self.threads > 1 && products >= self.shared && nest.mode(2) != AccessPattern::Listed;
        let widest = (0..nest.outer().len()).max_by_key(|&d| nest.outer()[d].strides[2]);
        let Some(d) = widest.filter(|&d| is_split && nest.outer()[d].strides[2] > 0) else {
            let [gx, gy] = &mut self.gathered;
            contract_blocks::<S>(nest, nest.outer(), x, y, z, &mut self.digits, [gx, gy]);
            return terms;
        };
        let split = nest.outer()[d];
        let rest = [&nest.outer()[..d], &nest.outer()[d + 1..]].concat();
        let rest = &rest[..];
        let share = split.n.div_ceil(self.threads);
        std::thread::scope(|scope| {
            for (at, z) in z.chunks_mut(share * split.strides[2]).enumerate() {
                scope.spawn(move || {
                    let (mut digits, [mut gx, mut gy]) = (Vec::new(), [Vec::new(), Vec::new()]);
                    for (i, z) in (at * share..).zip(z.chunks_mut(split.strides[2])) {
                        let (x, y) = (&x[i * split.strides[0]..], &y[i * split.strides[1]..]);
                        contract_blocks::<S>(nest, rest, x, y, z, &mut digits, [&mut gx, &mut gy]);
                    }
                });
            }
        });
        terms
    }
}

/// Contracts two tables: the loops `outer` run over blocks of the inner loops, and each block is computed at once.
fn contract_blocks<S: Semiring>(
    nest: &LoopNest,
    outer: &[LoopDim],
    x: &[S::Value],
    y: &[S::Value],
    z: &mut [S::Value],
    digits: &mut Vec<usize>,
    [gx, gy]: [&mut Vec<S::Value>; 2],
) {
    let n = nest.block;
    let modes = [0, 1, 2].map(|t| nest.mode(t));
    let offsets = &nest.offsets;
    match modes {
        [AccessPattern::Run, AccessPattern::Run, AccessPattern::Run] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                multiply::<S>(&x[i..i + n], &y[j..j + n], &mut z[k..k + n], first);
            });
        }
        [AccessPattern::Run, AccessPattern::Same, AccessPattern::Run] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                scale::<S>(&x[i..i + n], &y[j], &mut z[k..k + n], first);
            });
        }
        [AccessPattern::Same, AccessPattern::Run, AccessPattern::Run] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                scale::<S>(&y[j..j + n], &x[i], &mut z[k..k + n], first);
            });
        }
        [AccessPattern::Same, AccessPattern::Same, AccessPattern::Run] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                fill::<S>(&S::mul(&x[i], &y[j]), &mut z[k..k + n], first);
            });
        }
        [AccessPattern::Run, AccessPattern::Run, AccessPattern::Same] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                accumulate::<S>(&mut z[k], dot::<S>(&x[i..i + n], &y[j..j + n]), first);
            });
        }
        [AccessPattern::Run, AccessPattern::Same, AccessPattern::Same] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                accumulate::<S>(&mut z[k], S::mul(&sum::<S>(&x[i..i + n]), &y[j]), first);
            });
        }
        [AccessPattern::Same, AccessPattern::Run, AccessPattern::Same] => {
            for_each_block(outer, digits, |[i, j, k], first| {
                accumulate::<S>(&mut z[k], S::mul(&sum::<S>(&y[j..j + n]), &x[i]), first);
            });
        }
        _ => {
            gx.resize(n, S::zero());
            gy.resize(n, S::zero());
            let (mut at_x, mut at_y) = (usize::MAX, usize::MAX);
            if modes[2] == AccessPattern::Listed {
                z.fill(S::zero());
            }
            for_each_block(outer, digits, |[i, j, k], first| {
                if modes[0] != AccessPattern::Run && at_x != i {
                    gather(&x[i..], modes[0], &offsets[0], gx);
                    at_x = i;
                }
                if modes[1] != AccessPattern::Run && at_y != j {
                    gather(&y[j..], modes[1], &offsets[1], gy);
                    at_y = j;
                }
                let a = if modes[0] == AccessPattern::Run {
                    &x[i..i + n]
                } else {
                    &gx[..]
                };
                let b = if modes[1] == AccessPattern::Run {
                    &y[j..j + n]
                } else {
                    &gy[..]
                };
                match modes[2] {
                    AccessPattern::Run => multiply::<S>(a, b, &mut z[k..k + n], first),
                    AccessPattern::Same => accumulate::<S>(&mut z[k], dot::<S>(a, b), first),
                    AccessPattern::Listed => {
                        let z = &mut z[k..];
                        for ((a, b), &at) in a.iter().zip(b).zip(&offsets[2]) {
                            S::accumulate(&mut z[at as usize], &S::mul(a, b));
                        }
                    }
                }
            });
        }
    }
}

impl<V: Clone> Workspace<V> {
    /// True if a product of an entry of `x` and the matching entry of `y` overflows or underflows.
    pub(super) fn has_lost_products<S: Semiring<Value = V>>(
        &mut self,
        cards: &[u32],
        (x_scope, x): (&[Rank], &[V]),
        (y_scope, y): (&[Rank], &[V]),
    ) -> bool {
        self.nest.set_scopes([x_scope, y_scope, &[]], cards);
        let nest = &self.nest;
        let place = |t: usize, i: usize| match nest.mode(t) {
            AccessPattern::Run => i,
            AccessPattern::Listed => nest.offsets[t][i] as usize,
            AccessPattern::Same => 0,
        };
        let mut lost = false;
        for_each_block(nest.outer(), &mut self.digits, |[i, j, _], _| {
            for k in 0..nest.block {
                let (x, y) = (&x[i + place(0, k)], &y[j + place(1, k)]);
                lost |= S::is_out_of_range(x, y, &S::mul(x, y));
            }
        });
        lost
    }
}

/// Runs the outer loops of a contraction, which are listed innermost first. Calls `block` with the offsets of each inner block in the three tables
/// (two inputs and the result), and with `true` if no earlier block had the same offset in the result.
#[inline]
fn for_each_block(
    outer: &[LoopDim],
    digits: &mut Vec<usize>,
    mut block: impl FnMut([usize; 3], bool),
) {
    digits.clear();
    digits.resize(outer.len(), 0);
    let mut at = [0usize; 3];
    // Number of loops over summed variables that have completed their first iteration.
    let mut repeats = 0u32;
    loop {
        block(at, repeats == 0);
        let mut dims = outer.iter().zip(digits.iter_mut());
        loop {
            let Some((dim, digit)) = dims.next() else {
                return;
            };
            *digit += 1;
            let is_summed = dim.strides[2] == 0;
            if *digit < dim.n {
                repeats += u32::from(is_summed && *digit == 1);
                for (at, stride) in at.iter_mut().zip(dim.strides) {
                    *at += stride;
                }
                break;
            }
            *digit = 0;
            repeats -= u32::from(is_summed);
            for (at, stride) in at.iter_mut().zip(dim.strides) {
                *at -= stride * (dim.n - 1);
            }
        }
    }
}

fn gather<V: Clone>(from: &[V], mode: AccessPattern, offsets: &[u32], to: &mut [V]) {
    if mode == AccessPattern::Same {
        to.fill(from[0].clone());
        return;
    }
    for (to, &offset) in to.iter_mut().zip(offsets) {
        *to = from[offset as usize].clone();
    }
}

#[inline]
fn accumulate<S: Semiring>(z: &mut S::Value, value: S::Value, first: bool) {
    if first {
        *z = value;
    } else {
        S::accumulate(z, &value);
    }
}

#[inline]
fn multiply<S: Semiring>(x: &[S::Value], y: &[S::Value], z: &mut [S::Value], first: bool) {
    let pairs = x.iter().zip(y);
    if first {
        for (z, (x, y)) in z.iter_mut().zip(pairs) {
            *z = S::mul(x, y);
        }
    } else {
        for (z, (x, y)) in z.iter_mut().zip(pairs) {
            S::accumulate(z, &S::mul(x, y));
        }
    }
}

#[inline]
fn scale<S: Semiring>(x: &[S::Value], y: &S::Value, z: &mut [S::Value], first: bool) {
    if first {
        for (z, x) in z.iter_mut().zip(x) {
            *z = S::mul(x, y);
        }
    } else if !S::is_zero(y) {
        for (z, x) in z.iter_mut().zip(x) {
            S::accumulate(z, &S::mul(x, y));
        }
    }
}

#[inline]
fn fill<S: Semiring>(value: &S::Value, z: &mut [S::Value], first: bool) {
    if first {
        z.fill(value.clone());
    } else {
        for z in z {
            S::accumulate(z, value);
        }
    }
}

/// Returns the sum of the products of entries of `x` and `y` at equal indices.
#[inline]
fn dot<S: Semiring>(x: &[S::Value], y: &[S::Value]) -> S::Value {
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let rest = rest.fold(S::zero(), |mut sum, (x, y)| {
        S::accumulate(&mut sum, &S::mul(x, y));
        sum
    });
    if x.len() < LANES {
        return rest;
    }
    let mut lanes: [S::Value; LANES] = std::array::from_fn(|_| S::zero());
    for (x, y) in xs.zip(ys) {
        for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
            S::accumulate(lane, &S::mul(x, y));
        }
    }
    lanes.into_iter().fold(rest, S::add)
}

/// Returns the sum of the values `x`, in a fixed order of additions.
#[inline]
pub(super) fn sum<S: Semiring>(x: &[S::Value]) -> S::Value {
    let xs = x.chunks_exact(LANES);
    let rest = xs.remainder().iter().fold(S::zero(), |mut sum, x| {
        S::accumulate(&mut sum, x);
        sum
    });
    if x.len() < LANES {
        return rest;
    }
    let mut lanes: [S::Value; LANES] = std::array::from_fn(|_| S::zero());
    for x in xs {
        for (lane, x) in lanes.iter_mut().zip(x) {
            S::accumulate(lane, x);
        }
    }
    lanes.into_iter().fold(rest, S::add)
}
