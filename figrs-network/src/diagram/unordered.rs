//! Finds consecutive decisions of an influence diagram whose order the diagram does not determine.

use rustc_hash::FxHashSet;

use super::InfluenceDiagram;

impl InfluenceDiagram {
    /// Returns the pairs of consecutive [`decisions`](Self::decisions) whose order is determined only by the file, as indices of their variables. The
    /// order of two consecutive decisions is determined only by the file if no directed path leads from one decision to the other, and if different
    /// variables are known at the two decisions. If two decisions whose order is determined only by the file exchanged their places, the decision
    /// that comes first would remember less.
    ///
    /// ```
    /// # use figrs_network::InfluenceDiagram;
    /// let diagram = InfluenceDiagram::from_net("net { } node x { states = (a b); } potential (x) { data = (0.5 0.5); }
    ///     decision d { states = (a b); } potential (d | x) { } decision e { states = (a b); }
    ///     utility u { } potential (u | d e) { data = (0 1 2 3); }")?;
    /// assert_eq!(diagram.unordered_decisions(), [[1, 2]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unordered_decisions(&self) -> Vec<[usize; 2]> {
        let mut children = vec![Vec::new(); self.variables.len()];
        let tables = self.tables.iter().filter_map(|t| t.variables.split_last());
        let tables = tables.map(|(&child, parents)| (child, parents));
        let decisions = self.decisions.iter().map(|d| (d.variable, &d.known[..]));
        for (child, parents) in tables.chain(decisions) {
            for &parent in parents {
                children[parent].push(child);
            }
        }
        let mut earlier: FxHashSet<usize> = FxHashSet::default();
        let mut unordered = Vec::new();
        for pair in self.decisions.windows(2) {
            let [first, second] = [&pair[0], &pair[1]];
            let mut known = [earlier.clone(), earlier.clone()];
            known[0].extend(&first.known);
            known[1].extend(&second.known);
            let is_ordered = leads(&children, first.variable, second.variable);
            if known[0] != known[1] && !is_ordered {
                unordered.push([first.variable, second.variable]);
            }
            earlier.extend(&first.known);
            earlier.insert(first.variable);
        }
        unordered
    }
}

/// True if a directed path of the diagram leads from the variable `from` to the variable `to`.
fn leads(children: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut is_seen = vec![false; children.len()];
    let mut open = vec![from];
    while let Some(variable) = open.pop() {
        if variable == to {
            return true;
        }
        if !std::mem::replace(&mut is_seen[variable], true) {
            open.extend(&children[variable]);
        }
    }
    false
}
