//! Contractions with lists of products: a sort-merge join finds the pairs of matching entries of two tensors once, and stores them.

use std::cmp::Ordering;

use num_traits::PrimInt;

use super::tensor::{AssignmentIndex, Layout, Rank};

/// Entries are sorted by a counting sort if the ratio of possible assignments to entries is at most this number.
const SPREAD: usize = 4;

/// A tensor as a list of its stored entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryList<'a> {
    pub(super) scope: &'a [Rank],
    pub(super) layout: &'a Layout,
    pub(super) len: usize,
}

impl EntryList<'_> {
    /// The tensor without variables, which has one entry.
    pub(super) const UNIT: Self = Self {
        scope: &[],
        layout: &Layout::Dense,
        len: 1,
    };
}

/// One product: the indices of the matching entries of two tensors, and of the entry of the result.
type EntryProduct = [u32; 3];

/// An entry in a join of two tensors, with the contributions of its assignment to two indices.
#[derive(Clone, Copy, Debug)]
struct JoinEntry<N> {
    /// The row-major index of the entry's assignment to the variables that both tensors share.
    shared: N,
    /// The contribution of the entry to the row-major index of the assignment of the result.
    out: N,
    index: u32,
}

/// The entries of two tensors, as two lists that are sorted by the assignment of the shared variables. The integer type `N` must be large enough for
/// the indices of all assignments.
#[derive(Debug)]
pub(super) struct SortMergeJoin<N> {
    left: Vec<JoinEntry<N>>,
    right: Vec<JoinEntry<N>>,
    /// Number of matching pairs of entries.
    pub(super) count: u128,
}

impl<N: PrimInt> SortMergeJoin<N> {
    /// Prepares the contraction of `left` and `right` to the scope `out`. The number of assignments of each scope must be below the maximum of `N`.
    pub(super) fn new(left: EntryList, right: EntryList, out: &[Rank], cards: &[u32]) -> Self {
        let is_shared = |rank: &Rank| right.scope.contains(rank);
        let shared: Vec<Rank> = left.scope.iter().copied().filter(is_shared).collect();
        let mut this = Self {
            left: entries(left, &shared, out, |_| true, cards),
            right: entries(
                right,
                &shared,
                out,
                |rank| !left.scope.contains(&rank),
                cards,
            ),
            count: 0,
        };
        let mut count = 0u128;
        this.each_group(|a, b| count += a.len() as u128 * b.len() as u128);
        this.count = count;
        this
    }

    /// For each assignment of the shared variables, calls `group` with the entries of both tensors that have this assignment.
    fn each_group(&self, mut group: impl FnMut(&[JoinEntry<N>], &[JoinEntry<N>])) {
        let (mut a, mut b) = (self.left.as_slice(), self.right.as_slice());
        while let (Some(x), Some(y)) = (a.first(), b.first()) {
            match x.shared.cmp(&y.shared) {
                Ordering::Less => a = &a[run(a)..],
                Ordering::Greater => b = &b[run(b)..],
                Ordering::Equal => {
                    let (n, m) = (run(a), run(b));
                    group(&a[..n], &b[..m]);
                    (a, b) = (&a[n..], &b[m..]);
                }
            }
        }
    }

    /// Returns the products of matching entries, sorted by the assignment index of the result, and the distinct assignment indices of the result.
    /// `places` is the number of possible assignments of the result.
    pub(super) fn products(&self, places: f64) -> (Vec<EntryProduct>, Vec<N>) {
        if is_dense(places, self.count as usize) {
            return self.counted(places.round() as usize);
        }
        let mut found: Vec<(N, u32, u32)> = Vec::with_capacity(self.count as usize);
        self.each_group(|a, b| {
            for x in a {
                found.extend(b.iter().map(|y| (x.out + y.out, x.index, y.index)));
            }
        });
        found.sort_unstable();
        let (mut products, mut numbers) = (Vec::with_capacity(found.len()), Vec::new());
        for (number, i, j) in found {
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
            products.push([i, j, numbers.len() as u32 - 1]);
        }
        (products, numbers)
    }

    /// Returns the same lists as [`products`](Self::products), by a counting sort.
    fn counted(&self, places: usize) -> (Vec<EntryProduct>, Vec<N>) {
        let place = |x: &JoinEntry<N>, y: &JoinEntry<N>| (x.out + y.out).to_usize().unwrap_or(0);
        let mut starts = vec![0u32; places + 1];
        self.each_group(|a, b| {
            for x in a {
                for y in b {
                    starts[place(x, y) + 1] += 1;
                }
            }
        });
        let (mut numbers, mut names) = (Vec::new(), vec![0u32; places]);
        for at in 0..places {
            if starts[at + 1] > 0 {
                names[at] = numbers.len() as u32;
                numbers.extend(N::from(at));
            }
            starts[at + 1] += starts[at];
        }
        let mut products = vec![[0; 3]; self.count as usize];
        self.each_group(|a, b| {
            for x in a {
                for y in b {
                    let at = place(x, y);
                    products[starts[at] as usize] = [x.index, y.index, names[at]];
                    starts[at] += 1;
                }
            }
        });
        (products, numbers)
    }
}

/// True if a counting sort of `items` integers below `places` is expected to be faster than a comparison sort.
fn is_dense(places: f64, items: usize) -> bool {
    places <= (SPREAD * items + 1024) as f64
}

/// Returns the number of entries at the start of `entries` that have the same assignment as the first entry.
fn run<N: PrimInt>(entries: &[JoinEntry<N>]) -> usize {
    let first = entries[0].shared;
    entries.iter().take_while(|e| e.shared == first).count()
}

/// Sorts `entries` by the assignment index of the shared variables; `places` is the number of possible indices. The sort is stable.
fn sort<N: PrimInt>(entries: Vec<JoinEntry<N>>, places: f64) -> Vec<JoinEntry<N>> {
    let mut entries = entries;
    if entries.is_sorted_by_key(|e| e.shared) {
        return entries;
    }
    if !is_dense(places, entries.len()) {
        entries.sort_unstable_by_key(|e| (e.shared, e.index));
        return entries;
    }
    let place = |e: &JoinEntry<N>| e.shared.to_usize().unwrap_or(0);
    let mut starts = vec![0u32; places.round() as usize + 1];
    for entry in &entries {
        starts[place(entry) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut sorted = entries.clone();
    for entry in entries {
        let start = &mut starts[place(&entry)];
        sorted[*start as usize] = entry;
        *start += 1;
    }
    sorted
}

/// Returns the entries of `tensor`, sorted by their assignment of the variables `shared`.
fn entries<N: PrimInt>(
    tensor: EntryList,
    shared: &[Rank],
    out: &[Rank],
    is_counted: impl Fn(Rank) -> bool,
    cards: &[u32],
) -> Vec<JoinEntry<N>> {
    // For each variable of the tensor: its number of values, its stride among the shared variables, and its stride in the product.
    let columns: Vec<[N; 3]> = tensor
        .scope
        .iter()
        .map(|&rank| {
            let counted = if is_counted(rank) {
                stride(out, rank, cards)
            } else {
                N::zero()
            };
            [values(rank, cards), stride(shared, rank, cards), counted]
        })
        .collect();
    let mut entries = Vec::with_capacity(tensor.len);
    match tensor.layout {
        Layout::Dense => {
            let mut digits = vec![N::zero(); columns.len()];
            let (mut meets, mut goes) = (N::zero(), N::zero());
            for index in 0..tensor.len as u32 {
                entries.push(JoinEntry {
                    shared: meets,
                    out: goes,
                    index,
                });
                for (digit, &[n, shared, out]) in digits.iter_mut().zip(&columns).rev() {
                    *digit = *digit + N::one();
                    if *digit < n {
                        meets = meets + shared;
                        goes = goes + out;
                        break;
                    }
                    *digit = N::zero();
                    meets = meets - shared * (n - N::one());
                    goes = goes - out * (n - N::one());
                }
            }
        }
        Layout::Listed(numbers) => {
            for (&number, index) in numbers.iter().zip(0..) {
                let mut number: N = narrow(number);
                let (mut shared, mut out) = (N::zero(), N::zero());
                for &[n, to_shared, to_out] in columns.iter().rev() {
                    let digit = number % n;
                    number = number / n;
                    shared = shared + digit * to_shared;
                    out = out + digit * to_out;
                }
                entries.push(JoinEntry { shared, out, index });
            }
        }
    }
    let places = shared.iter().map(|&rank| f64::from(cards[rank as usize]));
    sort(entries, places.product())
}

fn narrow<N: PrimInt>(number: AssignmentIndex) -> N {
    N::from(number).unwrap_or_else(N::max_value)
}

fn values<N: PrimInt>(rank: Rank, cards: &[u32]) -> N {
    narrow(AssignmentIndex::from(cards[rank as usize]))
}

/// Returns the stride of the variable `rank` in a row-major table over `scope`; zero if `scope` does not contain the variable.
fn stride<N: PrimInt>(scope: &[Rank], rank: Rank, cards: &[u32]) -> N {
    match scope.iter().position(|&r| r == rank) {
        Some(at) => scope[at + 1..]
            .iter()
            .fold(N::one(), |product, &r| product * values(r, cards)),
        None => N::zero(),
    }
}
