//! Listed contractions: which entries of two tensors meet, found once and kept.

use std::cmp::Ordering;

use super::kernel::Product;
use super::tensor::{Layout, Number, Rank};

/// A tensor as a list of entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listing<'a> {
    pub(super) scope: &'a [Rank],
    pub(super) layout: &'a Layout,
    pub(super) len: usize,
}

/// The part of an entry that decides what it meets and where the product goes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The number of its assignment of the shared variables.
    shared: Number,
    /// What it adds to the number of the product.
    out: Number,
    index: u32,
}

/// Two lists of entries, each sorted by what they share.
#[derive(Debug)]
pub(super) struct Meeting {
    left: Vec<Entry>,
    right: Vec<Entry>,
    /// How many pairs of entries meet.
    pub(super) count: u128,
}

impl Meeting {
    /// Prepares the contraction of `left` and `right` to the scope `out`.
    pub(super) fn new(left: Listing, right: Listing, out: &[Rank], cards: &[u32]) -> Self {
        let is_shared = |rank: &Rank| right.scope.contains(rank);
        let shared: Vec<Rank> = left.scope.iter().copied().filter(is_shared).collect();
        let mut this = Self {
            left: entries(left, &shared, out, |_| true, cards),
            right: entries(right, &shared, out, |rank| !left.scope.contains(&rank), cards),
            count: 0,
        };
        let mut count = 0u128;
        this.each_group(|a, b| count += a.len() as u128 * b.len() as u128);
        this.count = count;
        this
    }

    /// Calls `group` with the entries on both sides that share the same assignment.
    fn each_group(&self, mut group: impl FnMut(&[Entry], &[Entry])) {
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

    /// The products, sorted by where they go, and the distinct numbers they go to.
    pub(super) fn products(&self) -> (Vec<Product>, Vec<Number>) {
        let mut found: Vec<(Number, u32, u32)> = Vec::with_capacity(self.count as usize);
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
}

/// How many entries at the front share one assignment.
fn run(entries: &[Entry]) -> usize {
    let first = entries[0].shared;
    entries.iter().take_while(|e| e.shared == first).count()
}

/// The entries of a tensor, sorted by their assignment of the variables `shared`.
fn entries(
    tensor: Listing,
    shared: &[Rank],
    out: &[Rank],
    is_counted: impl Fn(Rank) -> bool,
    cards: &[u32],
) -> Vec<Entry> {
    // For each variable of the tensor: its number of values, its stride among the shared ones and in the product.
    let columns: Vec<(Number, Number, Number)> = tensor
        .scope
        .iter()
        .map(|&rank| {
            let counted = if is_counted(rank) { stride(out, rank, cards) } else { 0 };
            let n = Number::from(cards[rank as usize]);
            (n, stride(shared, rank, cards), counted)
        })
        .collect();
    let entry = |index: usize, mut number: Number| {
        let (mut meets, mut goes) = (0, 0);
        for &(n, shared, out) in columns.iter().rev() {
            // Division by a small number is much cheaper in 64 bits.
            let digit = match (u64::try_from(number), u64::try_from(n)) {
                (Ok(small), Ok(n)) => {
                    number = Number::from(small / n);
                    Number::from(small % n)
                }
                _ => {
                    let digit = number % n;
                    number /= n;
                    digit
                }
            };
            meets += digit * shared;
            goes += digit * out;
        }
        Entry {
            shared: meets,
            out: goes,
            index: index as u32,
        }
    };
    let mut entries: Vec<Entry> = match tensor.layout {
        Layout::Dense => (0..tensor.len).map(|i| entry(i, i as Number)).collect(),
        Layout::Listed(numbers) => numbers.iter().enumerate().map(|(i, &n)| entry(i, n)).collect(),
    };
    entries.sort_unstable_by_key(|e| (e.shared, e.index));
    entries
}

/// The stride of a variable in a row-major table over a scope; zero if it is not in it.
fn stride(scope: &[Rank], rank: Rank, cards: &[u32]) -> Number {
    match scope.iter().position(|&r| r == rank) {
        Some(at) => scope[at + 1..]
            .iter()
            .map(|&r| Number::from(cards[r as usize]))
            .product(),
        None => 0,
    }
}
