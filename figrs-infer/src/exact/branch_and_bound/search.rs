//! Depth-first branch and bound over the AND/OR graph of a pseudo tree.

use figrs_core::factor::VarId;
use rustc_hash::FxHashMap;

use super::bounds::SearchBounds;

/// Capacity of the cache of proven results.
const CACHE_CAPACITY: usize = 1 << 21;
/// Relative tolerance, in units of the bound at the root: bounds closer than this count as equal.
const ROUNDING: f64 = 1e-12;

/// Tolerance within which a weight counts as equal to a bound.
pub(super) fn tolerance(bound: f64) -> f64 {
    ROUNDING * (1.0 + bound.abs())
}

/// Result for a subtree, given the values above it: bound and best assignment.
#[derive(Clone, Copy, Debug)]
struct SubtreeResult {
    /// Upper bound of the weight of any assignment of the subtree.
    bound: f64,
    /// The best assignment that was found, and its weight.
    best: Option<(f64, u32)>,
}

/// A variable with its value and the assignments of the subtrees below, as a range of `SubtreeAssignments::below`.
#[derive(Clone, Copy, Debug)]
struct SubtreeAssignment {
    variable: VarId,
    value: u32,
    below: (u32, u32),
}

/// Best assignments of subtrees, with shared parts.
#[derive(Debug, Default)]
struct SubtreeAssignments {
    all: Vec<SubtreeAssignment>,
    below: Vec<u32>,
}

impl SubtreeAssignments {
    fn add(&mut self, variable: VarId, value: u32, below: &[SubtreeResult]) -> u32 {
        let start = self.below.len() as u32;
        self.below.extend(
            below
                .iter()
                .filter_map(|known| known.best)
                .map(|best| best.1),
        );
        self.all.push(SubtreeAssignment {
            variable,
            value,
            below: (start, self.below.len() as u32),
        });
        self.all.len() as u32 - 1
    }

    fn write(&self, solution: u32, values: &mut [u32]) {
        let mut open = vec![solution];
        while let Some(next) = open.pop() {
            let SubtreeAssignment {
                variable,
                value,
                below: (start, end),
            } = self.all[next as usize];
            values[variable.index()] = value;
            open.extend(&self.below[start as usize..end as usize]);
        }
    }
}

/// A value of a variable while the subtrees below are searched.
#[derive(Debug)]
struct AndNode {
    value: u32,
    weight: f64,
    /// Results or bounds of the children; those before `next` are finished.
    children: Vec<SubtreeResult>,
    next: usize,
}

impl AndNode {
    fn bound(&self) -> f64 {
        self.weight + self.children.iter().map(|child| child.bound).sum::<f64>()
    }
}

/// A variable whose values are tried, best bound first.
#[derive(Debug)]
struct OrNode {
    variable: VarId,
    key: Option<u64>,
    /// Lower limit: only assignments that weigh more are of use.
    lower_limit: f64,
    /// Values with their bounds, the best last; those tried are taken out.
    open: Vec<(f64, u32)>,
    branch: Option<AndNode>,
    best: Option<(f64, u32)>,
    /// A bound for all values that are finished.
    finished: f64,
}

impl OrNode {
    fn threshold(&self) -> f64 {
        self.best
            .map_or(self.lower_limit, |best| best.0.max(self.lower_limit))
    }

    /// A bound for the whole subtree, from that of the branch under way.
    fn bound(&self, branch: f64) -> f64 {
        let open = self.open.last().map_or(f64::NEG_INFINITY, |open| open.0);
        let best = self.best.map_or(f64::NEG_INFINITY, |best| best.0);
        self.finished.max(open).max(best).max(branch)
    }
}

/// Result of [`AndOrSearch::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchStatus {
    /// There may be a better assignment than the best one known: [`AndOrSearch::candidate`] has it.
    Candidate,
    /// The budget is used.
    Stopped,
    /// No assignment is better than the best one known.
    Finished,
}

/// The search in one tree of the forest.
#[derive(Debug)]
pub(super) struct AndOrSearch<'b, 'g> {
    bounds: &'b SearchBounds<'g>,
    frames: Vec<OrNode>,
    values: Vec<u32>,
    solutions: SubtreeAssignments,
    cache: FxHashMap<(VarId, u64), SubtreeResult>,
    /// A bound for the whole tree, when the search is finished.
    bound: f64,
    tolerance: f64,
    /// Values tried so far.
    pub(super) work: u64,
}

impl<'b, 'g> AndOrSearch<'b, 'g> {
    /// Looks for assignments of the tree of `root` that weigh more than `need`, the logarithm of a weight.
    pub(super) fn new(bounds: &'b SearchBounds<'g>, root: VarId, need: f64) -> Self {
        let values = vec![0; bounds.graph.cardinalities.len()];
        let bound = bounds.without_value(root, &values);
        let mut search = Self {
            bounds,
            frames: Vec::new(),
            values,
            solutions: SubtreeAssignments::default(),
            cache: FxHashMap::default(),
            bound,
            tolerance: tolerance(bound),
            work: 0,
        };
        if bound > need + search.tolerance {
            search.open(root, need, None);
        }
        search
    }

    /// Upper bound of the weight of the assignments of the tree, other than the best one known.
    pub(super) fn bound(&self) -> f64 {
        let mut bound = self.bound;
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let branch = frame.branch.as_ref().map_or(f64::NEG_INFINITY, |branch| {
                let child = branch.children.get(branch.next);
                match child.filter(|_| depth + 1 < self.frames.len()) {
                    Some(child) => branch.bound() - child.bound + bound.min(child.bound),
                    None => branch.bound(),
                }
            });
            bound = frame.bound(branch);
        }
        bound.min(self.bound)
    }

    /// Raises the limit: an assignment of the tree with this weight is known.
    pub(super) fn raise_limit(&mut self, need: f64) {
        let mut need = need;
        for frame in &mut self.frames {
            frame.lower_limit = frame.lower_limit.max(need);
            let Some(branch) = &frame.branch else {
                break;
            };
            let Some(child) = branch.children.get(branch.next) else {
                break;
            };
            need = frame.threshold() - (branch.bound() - child.bound);
        }
    }

    /// True if only values of the root are left to be tried.
    pub(super) fn is_at_root(&self) -> bool {
        self.frames.len() <= 1
    }

    /// Writes the current assignment of the search into `values`, as far as it goes.
    pub(super) fn candidate(&self, values: &mut [u32]) {
        for frame in &self.frames {
            if let Some(branch) = &frame.branch {
                values[frame.variable.index()] = branch.value;
                for (_, solution) in branch.children[..branch.next].iter().filter_map(|c| c.best) {
                    self.solutions.write(solution, values);
                }
            } else if let Some((_, solution)) = frame.best {
                self.solutions.write(solution, values);
            }
        }
    }

    /// Searches on until there is progress to report or `budget` values have been tried.
    pub(super) fn advance(&mut self, budget: u64) -> SearchStatus {
        let mut returned: Option<SubtreeResult> = None;
        while let Some(frame) = self.frames.last_mut() {
            let threshold = frame.threshold() + self.tolerance;
            if let Some(branch) = &mut frame.branch {
                if let Some(known) = returned.take() {
                    branch.children[branch.next] = known;
                    branch.next += 1;
                }
                let bound = branch.bound();
                if bound <= threshold {
                    frame.finished = frame.finished.max(bound);
                    frame.branch = None;
                } else if branch.next < branch.children.len() {
                    returned = self.descend();
                } else if self.finish_branch() {
                    return SearchStatus::Candidate;
                }
                continue;
            }
            if self.work >= budget {
                return SearchStatus::Stopped;
            }
            match frame.open.last() {
                Some(&(bound, value)) if bound > threshold => {
                    frame.open.pop();
                    self.branch(value);
                }
                _ => returned = Some(self.close()),
            }
        }
        if let Some(known) = returned {
            self.bound = self.bound.min(known.bound);
        }
        SearchStatus::Finished
    }

    /// Assigns a value to the variable of the last frame.
    fn branch(&mut self, value: u32) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let v = frame.variable;
        self.values[v.index()] = value;
        let child = |&child: &VarId| SubtreeResult {
            bound: self.bounds.without_value(child, &self.values),
            best: None,
        };
        frame.branch = Some(AndNode {
            value,
            weight: self.bounds.weight(v, &self.values),
            children: self.bounds.tree.children[v.index()]
                .iter()
                .map(child)
                .collect(),
            next: 0,
        });
    }

    /// Moves on to the next child of the last frame's branch; returns its cached result if that suffices.
    fn descend(&mut self) -> Option<SubtreeResult> {
        let frame = self.frames.last()?;
        let branch = frame.branch.as_ref()?;
        let child = self.bounds.tree.children[frame.variable.index()][branch.next];
        let own = branch.children[branch.next].bound;
        let need = frame.threshold() - (branch.bound() - own);
        let key = self.key(child);
        if let Some(known) = key.and_then(|key| self.cache.get(&(child, key)))
            && (known.best.is_some() || known.bound <= need + self.tolerance)
        {
            return Some(*known);
        }
        self.open(child, need, key);
        None
    }

    /// Opens a frame for a variable.
    fn open(&mut self, v: VarId, need: f64, key: Option<u64>) {
        let cardinality = self.bounds.graph.cardinality(v) as u32;
        let mut open = Vec::with_capacity(cardinality as usize);
        for value in (0..cardinality).rev() {
            self.values[v.index()] = value;
            open.push((self.bounds.with_value(v, &self.values), value));
        }
        open.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.work += u64::from(cardinality);
        self.frames.push(OrNode {
            variable: v,
            key,
            lower_limit: need,
            open,
            branch: None,
            best: None,
            finished: f64::NEG_INFINITY,
        });
    }

    /// Merges a branch all of whose children are solved; returns whether it is the best of its variable.
    fn finish_branch(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        let Some(branch) = frame.branch.take() else {
            return false;
        };
        frame.finished = frame.finished.max(branch.bound());
        let weights = branch
            .children
            .iter()
            .map(|child| child.best.map(|best| best.0));
        let Some(weight) = weights.sum::<Option<f64>>().map(|sum| sum + branch.weight) else {
            return false;
        };
        let better = frame.best.is_none_or(|best| weight > best.0);
        if better {
            let solution = self
                .solutions
                .add(frame.variable, branch.value, &branch.children);
            frame.best = Some((weight, solution));
        }
        better
    }

    /// Closes the last frame.
    fn close(&mut self) -> SubtreeResult {
        let Some(frame) = self.frames.pop() else {
            return SubtreeResult {
                bound: f64::NEG_INFINITY,
                best: None,
            };
        };
        let bound = frame.bound(f64::NEG_INFINITY);
        // If more was needed than was found, what was cut off may have been better.
        let solved = frame
            .best
            .filter(|best| best.0 >= frame.lower_limit - self.tolerance);
        let known = SubtreeResult {
            bound,
            best: solved,
        };
        if let Some(key) = frame.key {
            if self.cache.len() >= CACHE_CAPACITY {
                self.cache.clear();
            }
            self.cache.insert((frame.variable, key), known);
        }
        known
    }

    /// Cache key: the number of the values that the subtree of `v` depends on; `None` if it is not worth keeping, or too
    /// large.
    fn key(&self, v: VarId) -> Option<u64> {
        let (tree, context) = (&self.bounds.tree, &self.bounds.tree.context[v.index()]);
        // A context that has all of the parent's comes up once only.
        let parent = tree.parent[v.index()]?;
        if context.len() > tree.context[parent.index()].len() {
            return None;
        }
        context.iter().try_fold(0u64, |key, &u| {
            let cardinality = self.bounds.graph.cardinality(u) as u64;
            key.checked_mul(cardinality)?
                .checked_add(u64::from(self.values[u.index()]))
        })
    }
}
