//! The loops of one dense contraction, with their strides.

use super::tensor::Rank;

/// An inner block of loops is not extended to further variables if it has more than this number of entries.
const BLOCK: usize = 24;
/// Maximum number of entries of an inner block of loops over several variables.
const LARGEST_BLOCK: usize = 256;

/// One loop of a contraction: its number of iterations, and its stride in each of the three tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopDim {
    pub(super) n: usize,
    pub(super) strides: [usize; 3],
}

/// Access pattern of a table within the inner block of a contraction's loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessPattern {
    /// The inner block of the loops reads consecutive entries of the table.
    Run,
    /// The inner block of the loops reads only one entry of the table.
    Same,
    /// The inner block of the loops reads the table's entries at a list of offsets.
    Listed,
}

/// The loops of `z[..] += x[..] * y[..]` over the union of three scopes. A contraction has outer loops with strides, and an inner block over the
/// innermost variables, which a kernel processes at once.
///
/// **References.** Huang and Darwiche, *Inference in belief networks: a procedural guide*, 1996, describe the computation; the
/// division into blocks is common in dense linear algebra.
#[derive(Debug, Default)]
pub(super) struct LoopNest {
    /// The loops of the contraction, innermost first.
    dims: Vec<LoopDim>,
    /// Number of loops within the inner block.
    inner: usize,
    pub(super) block: usize,
    modes: [Option<AccessPattern>; 3],
    /// For each table with the access pattern [`AccessPattern::Listed`], the offsets of the entries of an inner block.
    pub(super) offsets: [Vec<u32>; 3],
}

impl LoopNest {
    /// Rebuilds the loops of a contraction for three tables with the scopes `scopes`.
    pub(super) fn set_scopes(&mut self, scopes: [&[Rank]; 3], cards: &[u32]) {
        self.dims.clear();
        let mut left = scopes;
        let mut strides = [1usize; 3];
        let mut last = left.map(|scope| scope.last().copied());
        while let Some(rank) = last[0].max(last[1]).max(last[2]) {
            let n = cards[rank as usize] as usize;
            let mut dim = LoopDim { n, strides: [0; 3] };
            for t in 0..3 {
                if last[t] == Some(rank) {
                    dim.strides[t] = strides[t];
                    strides[t] *= n;
                    left[t] = &left[t][..left[t].len() - 1];
                    last[t] = left[t].last().copied();
                }
            }
            self.push(dim);
        }
        if self.dims.is_empty() {
            self.dims.push(LoopDim {
                n: 1,
                strides: [0; 3],
            });
        }
        self.choose_block();
    }

    /// Adds `dim` as the next outer loop, or merges it with the previous loop if one longer loop can replace both in all tables.
    fn push(&mut self, dim: LoopDim) {
        if dim.n == 1 {
            return;
        }
        if let Some(last) = self.dims.last_mut() {
            let continues = (0..3).all(|t| dim.strides[t] == last.strides[t] * last.n);
            if continues {
                last.n *= dim.n;
                return;
            }
        }
        self.dims.push(dim);
    }

    fn choose_block(&mut self) {
        let (mut taken, mut block) = (1, self.dims[0].n);
        while block < BLOCK && taken < self.dims.len() {
            let more = block * self.dims[taken].n;
            if more > LARGEST_BLOCK {
                break;
            }
            block = more;
            taken += 1;
        }
        self.block = block;
        for t in 0..3 {
            self.modes[t] = Some(self.access_pattern(t, taken));
            self.offsets[t].clear();
            if self.modes[t] == Some(AccessPattern::Listed) {
                list_offsets(&self.dims[..taken], t, block, &mut self.offsets[t]);
            }
        }
        self.inner = taken;
    }

    fn access_pattern(&self, t: usize, taken: usize) -> AccessPattern {
        let inner = &self.dims[..taken];
        let mut run = 1;
        let is_run = inner.iter().all(|dim| {
            let fits = dim.strides[t] == run;
            run *= dim.n;
            fits
        });
        if is_run {
            AccessPattern::Run
        } else if inner.iter().all(|dim| dim.strides[t] == 0) {
            AccessPattern::Same
        } else {
            AccessPattern::Listed
        }
    }

    /// Returns the access pattern of table `t` within the inner block of the loops.
    pub(super) fn mode(&self, t: usize) -> AccessPattern {
        self.modes[t].unwrap_or(AccessPattern::Same)
    }

    pub(super) fn outer(&self) -> &[LoopDim] {
        &self.dims[self.inner..]
    }
}

/// Writes the offsets of the entries of table `t` within an inner block to `offsets`; the loops `inner` of the block are listed innermost first.
fn list_offsets(inner: &[LoopDim], t: usize, block: usize, offsets: &mut Vec<u32>) {
    offsets.reserve(block);
    offsets.push(0);
    for dim in inner {
        let known = offsets.len();
        for i in 1..dim.n {
            for k in 0..known {
                offsets.push(offsets[k] + (i * dim.strides[t]) as u32);
            }
        }
    }
    debug_assert_eq!(offsets.len(), block);
}
