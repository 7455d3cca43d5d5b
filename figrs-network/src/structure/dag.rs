//! Directed acyclic graphs that can be changed arc by arc.

/// A directed acyclic graph over variables given by indices, with the set of descendants of each variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dag {
    /// The parents of each variable, in ascending order.
    parents: Vec<Vec<u32>>,
    /// For each variable, a bit set of its descendants.
    descendants: Vec<u64>,
    /// Number of 64-bit words in each variable's bit set.
    words: usize,
}

/// A change of one arc, from a parent to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArcChange {
    Add(u32, u32),
    Delete(u32, u32),
    /// Reverses the arc from the first variable to the second; the first variable becomes the child.
    Reverse(u32, u32),
}

impl Dag {
    pub(super) fn empty(variables: usize) -> Self {
        let words = variables.div_ceil(64);
        Self {
            parents: vec![Vec::new(); variables],
            descendants: vec![0; variables * words],
            words,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn parents(&self, child: u32) -> &[u32] {
        &self.parents[child as usize]
    }

    pub(super) fn all_parents(&self) -> &[Vec<u32>] {
        &self.parents
    }

    /// Returns all arcs, sorted by child.
    pub(super) fn arcs(&self) -> Vec<(u32, u32)> {
        let children = (0..).zip(&self.parents);
        let arcs = children.flat_map(|(to, parents)| parents.iter().map(move |&from| (from, to)));
        arcs.collect()
    }

    /// True if the arc from `from` to `to` is covered: the parents of `to` other than `from` are exactly the parents of `from`.
    pub(super) fn is_covered(&self, from: u32, to: u32) -> bool {
        let others = self.parents(to).iter().filter(|parent| **parent != from);
        others.eq(self.parents(from))
    }

    pub(super) fn has(&self, from: u32, to: u32) -> bool {
        self.parents(to).binary_search(&from).is_ok()
    }

    /// True if a directed path of at least one arc leads from `from` to `to`.
    pub(super) fn reaches(&self, from: u32, to: u32) -> bool {
        let word = self.descendants[from as usize * self.words + to as usize / 64];
        word >> (to % 64) & 1 == 1
    }

    /// True if `change` is possible and keeps the graph acyclic: an arc to add must be absent, and an arc to delete or reverse must exist.
    pub(super) fn allows(&self, change: ArcChange) -> bool {
        match change {
            ArcChange::Add(from, to) => {
                from != to && !self.has(from, to) && !self.reaches(to, from)
            }
            ArcChange::Delete(from, to) => self.has(from, to),
            ArcChange::Reverse(from, to) => {
                let mut others = self.parents(to).iter().filter(|parent| **parent != from);
                self.has(from, to) && !others.any(|&parent| self.reaches(from, parent))
            }
        }
    }

    /// Makes `change`, which the graph must [allow](Self::allows).
    pub(super) fn change(&mut self, change: ArcChange) {
        debug_assert!(self.allows(change));
        match change {
            ArcChange::Add(from, to) => self.insert(from, to),
            ArcChange::Delete(from, to) => self.parents[to as usize].retain(|p| *p != from),
            ArcChange::Reverse(from, to) => {
                self.parents[to as usize].retain(|p| *p != from);
                self.insert(to, from);
            }
        }
        self.find_descendants();
    }

    fn insert(&mut self, from: u32, to: u32) {
        let parents = &mut self.parents[to as usize];
        if let Err(place) = parents.binary_search(&from) {
            parents.insert(place, from);
        }
    }

    pub(super) fn topological_order(&self) -> Vec<u32> {
        let mut missing: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        let mut children = vec![Vec::new(); self.len()];
        for (child, parents) in (0..).zip(&self.parents) {
            for &parent in parents {
                children[parent as usize].push(child);
            }
        }
        let roots = (0..self.len() as u32).filter(|&v| missing[v as usize] == 0);
        let mut order: Vec<u32> = roots.collect();
        let mut done = 0;
        while let Some(&parent) = order.get(done) {
            done += 1;
            for &child in &children[parent as usize] {
                missing[child as usize] -= 1;
                if missing[child as usize] == 0 {
                    order.push(child);
                }
            }
        }
        order
    }

    fn find_descendants(&mut self) {
        self.descendants.fill(0);
        for &child in self.topological_order().iter().rev() {
            let own = child as usize * self.words;
            for &parent in &self.parents[child as usize] {
                let above = parent as usize * self.words;
                for word in 0..self.words {
                    self.descendants[above + word] |= self.descendants[own + word];
                }
                self.descendants[above + child as usize / 64] |= 1 << (child % 64);
            }
        }
    }
}

impl ArcChange {
    /// Returns the parent and the child of the arc that is changed.
    pub(super) fn ends(self) -> (u32, u32) {
        let (Self::Add(from, to) | Self::Delete(from, to) | Self::Reverse(from, to)) = self;
        (from, to)
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::rand::RngExt;
    use figrs_core::stream;

    use super::*;

    /// True if the arcs have no cycle. The test for a cycle removes variables without parents until no such variable remains.
    fn is_acyclic(parents: &[Vec<u32>]) -> bool {
        let mut left: Vec<u32> = (0..parents.len() as u32).collect();
        loop {
            let inner = left.clone();
            left.retain(|&v| parents[v as usize].iter().any(|p| inner.contains(p)));
            if left.len() == inner.len() {
                return left.is_empty();
            }
        }
    }

    #[test]
    fn exactly_the_changes_without_cycles_are_allowed() {
        for seed in 0..20 {
            let mut random = stream(seed, 0);
            let variables = [3, 6, 70][seed as usize % 3];
            let mut dag = Dag::empty(variables as usize);
            for _ in 0..3 * variables {
                let (from, to) = (
                    random.random_range(0..variables),
                    random.random_range(0..variables),
                );
                for change in [
                    ArcChange::Add(from, to),
                    ArcChange::Delete(from, to),
                    ArcChange::Reverse(from, to),
                ] {
                    let mut parents = dag.all_parents().to_vec();
                    let applies = match change {
                        ArcChange::Add(..) => from != to && !dag.has(from, to),
                        _ => dag.has(from, to),
                    };
                    if matches!(change, ArcChange::Add(..)) {
                        parents[to as usize].push(from);
                    } else {
                        parents[to as usize].retain(|p| *p != from);
                    }
                    if matches!(change, ArcChange::Reverse(..)) {
                        parents[from as usize].push(to);
                    }
                    let expected = applies && is_acyclic(&parents);
                    assert_eq!(dag.allows(change), expected, "{change:?}");
                    if expected && random.random_bool(0.5) {
                        dag.change(change);
                        assert!(is_acyclic(dag.all_parents()));
                    }
                }
            }
        }
    }
}
