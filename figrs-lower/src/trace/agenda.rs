//! The agenda of a change of a world: the nodes (elements with their values) that must be evaluated again after a change.

/// The next step in the re-evaluation of a node of a trace (a world that a Markov chain changes step by step).
#[derive(Clone, Copy, Debug)]
pub(super) enum UpdateStep {
    /// The inputs of the node must be evaluated before the node itself.
    Enter,
    /// All inputs of the node are up to date; if the node is a `Chain`, the element that it selects may still not be up to date.
    Ready,
    /// All inputs of the node are up to date; if the node is a `Chain`, the element that it selects is up to date too.
    Finish,
}

/// A queue of nodes with one bucket for each topological height; the height of a node is greater than the heights of its inputs.
#[derive(Debug, Default)]
pub(super) struct BucketQueue {
    /// The height and the index of the node, if the queue has exactly one node.
    only: Option<(u32, u32)>,
    heights: Vec<Vec<u32>>,
    /// Bit set of the topological heights of the queued nodes.
    occupied: Vec<u64>,
    /// Index of the first word of the bit set `occupied` that may be other than zero.
    first: usize,
    len: usize,
}

impl BucketQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn push(&mut self, height: u32, number: u32) {
        if self.len == 0 {
            self.only = Some((height, number));
        } else {
            if let Some((height, number)) = self.only.take() {
                self.insert(height, number);
            }
            self.insert(height, number);
        }
        self.len += 1;
    }

    fn insert(&mut self, height: u32, number: u32) {
        let height = height as usize;
        if height >= self.heights.len() {
            self.heights.resize_with(height + 1, Vec::new);
            self.occupied.resize(height / 64 + 1, 0);
        }
        self.heights[height].push(number);
        self.occupied[height / 64] |= 1 << (height % 64);
        self.first = self.first.min(height / 64);
    }

    pub(super) fn lowest(&mut self) -> Option<u32> {
        if self.len == 0 {
            self.first = self.occupied.len();
            return None;
        }
        if let Some((height, _)) = self.only {
            return Some(height);
        }
        while self.occupied[self.first] == 0 {
            self.first += 1;
        }
        Some(self.first as u32 * 64 + self.occupied[self.first].trailing_zeros())
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u32, u32)> {
        if let Some(only) = self.only.take() {
            self.len = 0;
            return Some(only);
        }
        if self.len == 0 {
            return None;
        }
        self.remove()
    }

    fn remove(&mut self) -> Option<(u32, u32)> {
        let height = self.lowest()?;
        let nodes = &mut self.heights[height as usize];
        let number = nodes.pop()?;
        if nodes.is_empty() {
            self.occupied[height as usize / 64] &= !(1 << (height % 64));
        }
        self.len -= 1;
        Some((height, number))
    }

    pub(super) fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

#[derive(Debug, Default)]
pub(super) struct Agenda {
    /// The nodes to be re-evaluated that belong to every world, ordered by topological height.
    pub(super) permanent: BucketQueue,
    /// The nodes to be re-evaluated that belong only to some worlds; they are re-evaluated only if they stay in the changed world.
    pub(super) later: Vec<u32>,
    /// The remaining steps in the re-evaluation of nodes.
    pub(super) steps: Vec<(u32, UpdateStep)>,
    /// Nodes whose children have yet to be queued for re-evaluation.
    pub(super) marks: Vec<u32>,
}

impl Agenda {
    pub(super) fn clear(&mut self) {
        self.permanent.clear();
        self.later.clear();
        self.steps.clear();
    }
}

/// Nodes whose edges or required values must be updated after a change of the dependency graph of the world.
#[derive(Debug, Default)]
pub(super) struct StructureWorklist {
    /// Nodes that are added to the world before their inputs.
    pub(super) entering: Vec<u32>,
    /// Nodes on which no other node depends any more.
    pub(super) orphans: Vec<u32>,
    /// Nodes for which the value that observations of their children require may have changed.
    pub(super) statuses: Vec<u32>,
    /// Random choices whose values an observation determines, although another element also depends on them.
    pub(super) shared: Vec<u32>,
}

impl StructureWorklist {
    pub(super) fn clear(&mut self) {
        self.entering.clear();
        self.orphans.clear();
        self.statuses.clear();
        self.shared.clear();
    }
}
