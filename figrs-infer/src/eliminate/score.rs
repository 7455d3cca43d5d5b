//! What it costs to eliminate a variable now.

use figrs_core::factor::VarId;

use super::interaction::Interaction;

/// Fill-in is counted up to this many neighbours and bounded beyond.
const FILL_NEIGHBOURS: usize = 32;

/// What a greedy order looks at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The predicted non-zeros of the joint table.
    NonZeros,
    /// How many neighbours become neighbours of each other.
    FillIn,
}

/// The price of eliminating a variable now; less is better.
pub(super) type Score = (u64, u64, u64);

impl Interaction {
    /// The price of eliminating `v`: predicted non-zeros of the joint table, size of the message and fill-in,
    /// weighed as `rule` says.
    pub(super) fn score(&self, v: VarId, rule: Rule) -> Score {
        let out: f64 = self.around(v).map(|u| self.log_cards[u.index()]).sum();
        let density: f64 = self
            .tables_of(v)
            .map(|t| self.sketches[t as usize].density)
            .sum();
        let joint = (self.log_cards[v.index()] + out + density).max(0.0);
        // Rounded, so that the order of the sums does not decide between equals.
        let fixed = |x: f64| (x * 1_048_576.0).round() as u64;
        let (joint, out, fill) = (fixed(joint), fixed(out), self.fill_in(v));
        match rule {
            Rule::NonZeros => (joint, out, fill),
            Rule::FillIn => (fill, joint, out),
        }
    }

    /// How many pairs of neighbours do not meet yet.
    fn fill_in(&self, v: VarId) -> u64 {
        let around: Vec<VarId> = self.around(v).take(FILL_NEIGHBOURS + 1).collect();
        if around.len() > FILL_NEIGHBOURS {
            return (self.degree(v) as u64).pow(2);
        }
        let mut missing = 0;
        for (i, &a) in around.iter().enumerate() {
            for &b in &around[..i] {
                let (few, other) = if self.degree(a) < self.degree(b) {
                    (a, b)
                } else {
                    (b, a)
                };
                missing += u64::from(self.neighbours[few.index()].binary_search(&other).is_err());
            }
        }
        missing
    }
}
