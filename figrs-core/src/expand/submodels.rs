//! Sub-models of an expanded model: each is a group of elements on which the rest of the model depends only through one of its elements, the root.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::calls::QueryKind;
use super::expander::Expander;
use super::expansion::{Content, Expansion, Listing};
use super::reach::{ReachCondition, ReachConditions};
use crate::element::node::{AnyElement, ElementId};
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::{Assignments, Weights};

/// A sub-model: the elements on which the rest of the model depends only through the element `root`.
///
/// Given the values of the elements `outer`, the sub-model is independent of the rest of the model.
#[derive(Clone, Debug)]
pub struct Submodel {
    /// The only element of the sub-model on which other elements of the model depend directly.
    pub root: AnyElement,
    /// The values of the root.
    pub support: Support,
    /// The elements outside the sub-model that are parents or `Chain` branches of its elements, with their values.
    pub outer: Vec<(AnyElement, Support)>,
    /// Number of joint values of the root of the sub-model and the outer elements on which it depends.
    pub interface: usize,
}

/// A solved sub-model: the weights of the values of its root for each combination of values of the outer elements on which the sub-model depends. The
/// weight of a root value is its probability, or the weight of the most probable world of the sub-model with this value.
#[derive(Clone, Debug)]
pub struct SolvedSubmodel {
    /// The root of the sub-model.
    pub root: AnyElement,
    /// The elements outside the sub-model on which the sub-model depends directly, with the values for which it was solved.
    pub outer: Vec<(AnyElement, Support)>,
    /// The values of the root.
    pub support: Support,
    /// For each combination of values of the outer elements (the last element changes fastest), the weights of the values of the root. If the
    /// sub-model depends on no outer elements, the last weight may be the probability that the value of the root is unknown.
    pub weights: Weights,
}

/// Maximum number of steps of the search for sub-models, for each element of the expanded model.
const STEPS: usize = 64;

impl Expansion {
    /// Returns the largest sub-models for which the root and the outer elements together have at most `interface` joint values. The root of a
    /// sub-model must be neither a target nor in `refused`. Sub-models that contain `Score` elements, observed densities or functions that fail for
    /// some values are omitted; sub-models in which only the root has parents are omitted as well.
    ///
    /// In the dependency graph of the model, the root of a sub-model dominates the other elements of the sub-model. In a search for the most probable
    /// world, each world with the root must evaluate all elements `outer`; otherwise the sub-model is omitted, because its table would count an
    /// element that a world does not evaluate.
    ///
    /// **References.** Lengauer and Tarjan (1979), for dominators; Koller and Pfeffer (1997), *Object-oriented Bayesian networks*, for
    /// interfaces.
    pub fn submodels(
        &self,
        asked: QueryKind,
        interface: usize,
        refused: &FxHashSet<ElementId>,
    ) -> Vec<Submodel> {
        let reaches = (asked == QueryKind::BestWorld)
            .then(|| ReachConditions::new(&self.elements, &self.roots()).reach);
        let dominators = Dominators::new(self);
        let mut found = Vec::new();
        let mut steps = STEPS * self.elements.len();
        let mut last = usize::MAX;
        for &position in &dominators.order {
            // The order has each element before the elements that it dominates.
            let members = dominators.dominated(position);
            if (last != usize::MAX && dominators.is_within(position, last))
                || self.targets.contains(&position)
                || members.len() < 2
                || refused.contains(&self.elements[position].element.id())
            {
                continue;
            }
            steps = steps.saturating_sub(members.len());
            if steps == 0 {
                break;
            }
            let is_inside = |p: usize| dominators.is_within(p, position);
            let is_read = |submodel: &Submodel| {
                let reaches = reaches.as_ref();
                reaches.is_none_or(|reach| self.always_reads(position, submodel, reach))
            };
            let submodel = self.submodel(position, members, is_inside, interface);
            if let Some(submodel) = submodel.filter(is_read) {
                found.push(submodel);
                last = position;
            }
        }
        found
    }

    fn submodel(
        &self,
        root: usize,
        members: &[usize],
        is_inside: impl Fn(usize) -> bool,
        most: usize,
    ) -> Option<Submodel> {
        let mut interface = self.elements[root].support.len();
        let mut outer: Vec<usize> = Vec::new();
        let mut is_plain = true;
        for &member in members {
            let expanded = &self.elements[member];
            is_plain &= member == root || matches!(expanded.content, Content::Atomic(_));
            // Elements with one of the following contents, such as observed densities, belong to no sub-model.
            let is_special = matches!(
                expanded.content,
                Content::Score(_) | Content::Fixed | Content::NotEnumerable(_)
            );
            if is_special || expanded.failures.is_some() || expanded.unknown {
                return None;
            }
            for read in self.read(member) {
                if !is_inside(read) && !outer.contains(&read) {
                    outer.push(read);
                    interface = interface.saturating_mul(self.elements[read].support.len());
                }
            }
            if interface > most {
                return None;
            }
        }
        let with_values = |&p: &usize| {
            let expanded = &self.elements[p];
            let has_values = !expanded.unknown && !expanded.support.is_empty();
            has_values.then(|| (expanded.element.clone(), expanded.support.clone()))
        };
        let outer: Option<Vec<_>> = outer.iter().map(with_values).collect();
        (!is_plain).then_some(Submodel {
            root: self.elements[root].element.clone(),
            support: self.elements[root].support.clone(),
            outer: outer?,
            interface,
        })
    }

    /// True if each world that evaluates the root of a sub-model also evaluates all elements outside the sub-model on which it depends.
    fn always_reads(
        &self,
        root: usize,
        submodel: &Submodel,
        reach: &[Option<ReachCondition>],
    ) -> bool {
        let mut certain = FxHashSet::from_iter([root]);
        let mut stack = vec![root];
        while let Some(position) = stack.pop() {
            let parents = self.elements[position].read_parents().iter();
            stack.extend(parents.filter(|&&parent| certain.insert(parent)));
        }
        let outer = submodel
            .outer
            .iter()
            .filter_map(|(read, _)| self.position(read));
        let is_certain = |read: usize| {
            let own = &reach[read];
            certain.contains(&read) || *own == Some(ReachCondition::Always) || *own == reach[root]
        };
        outer.into_iter().all(is_certain)
    }

    /// Returns the elements on which the element with the index `position` depends directly: its parents and, for a `Chain`, the elements that it can
    /// choose.
    fn read(&self, position: usize) -> impl Iterator<Item = usize> {
        let expanded = &self.elements[position];
        let results: &[usize] = match &expanded.content {
            Content::Chain { results, .. } => results,
            _ => &[],
        };
        expanded.parents.iter().chain(results).copied()
    }
}

/// The dominator tree of an expanded model: an element dominates another element if every path from the roots to the other element contains it.
struct Dominators {
    /// The elements that the roots need, in depth-first order of the dominator tree.
    order: Vec<usize>,
    /// For each element, its place in the depth-first order of the dominator tree, and the place after the last element that it dominates.
    places: Vec<(usize, usize)>,
}

impl Dominators {
    fn new(expansion: &Expansion) -> Self {
        let count = expansion.elements.len();
        // The index `count` is that of a node above all roots.
        let mut parent: Vec<Option<usize>> = vec![None; count + 1];
        let mut depth = vec![0u32; count + 1];
        for root in expansion.roots() {
            parent[root] = Some(count);
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        // Each element comes before the elements that depend on it.
        for position in (0..count).rev() {
            let Some(own) = parent[position] else {
                continue;
            };
            depth[position] = depth[own] + 1;
            children[own].push(position);
            for read in expansion.read(position) {
                let mut other = position;
                let mut common = parent[read].unwrap_or(position);
                while common != other {
                    if depth[common] < depth[other] || common == count {
                        other = parent[other].unwrap_or(count);
                    } else {
                        common = parent[common].unwrap_or(count);
                    }
                }
                parent[read] = Some(common);
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut places = vec![(0, 0); count];
        let mut stack: Vec<(usize, bool)> = vec![(count, false)];
        while let Some((position, is_left)) = stack.pop() {
            if is_left {
                places[position].1 = order.len();
                continue;
            }
            if position < count {
                places[position].0 = order.len();
                order.push(position);
                stack.push((position, true));
            }
            stack.extend(children[position].iter().rev().map(|&child| (child, false)));
        }
        Self { order, places }
    }

    /// Returns the elements that the element with the index `position` dominates, including the element itself.
    fn dominated(&self, position: usize) -> &[usize] {
        let (first, end) = self.places[position];
        &self.order[first..end]
    }

    fn is_within(&self, position: usize, root: usize) -> bool {
        let (first, end) = self.places[root];
        (first..end).contains(&self.places[position].0)
    }
}

impl Expander<'_> {
    pub(in crate::expand) fn replace(&mut self, solved: impl IntoIterator<Item = SolvedSubmodel>) {
        let by_root = solved.into_iter().map(|s| (s.root.id(), Arc::new(s)));
        self.replaced = by_root.collect();
    }

    /// Adds the root of a solved sub-model; the outer elements on which the sub-model depends must have been added before.
    pub(super) fn add_solved(
        &mut self,
        element: AnyElement,
        depth: usize,
        solved: &SolvedSubmodel,
    ) -> Result<(), ModelError> {
        let mut parents = Vec::with_capacity(solved.outer.len());
        for (read, _) in &solved.outer {
            parents.push(self.position(read)?);
        }
        let columns = solved.weights.len() / product(solved.outer.iter().map(|(_, s)| s));
        let moved: Vec<Vec<Option<usize>>> = (parents.iter().zip(&solved.outer))
            .map(|(&parent, (_, known))| {
                let now = &self.expansion.elements[parent].support;
                (0..now.len()).map(|i| known.index_of(now.any(i))).collect()
            })
            .collect();
        let mut entries = Vec::new();
        let all = Assignments::rows(moved.iter().map(Vec::len));
        let mut values = vec![0; moved.len()];
        loop {
            let mut digits = values.iter().zip(&moved).zip(&solved.outer);
            let row = digits.try_fold(0, |row, ((&value, moved), (_, known))| {
                Some(row * known.len() + moved[value as usize]?)
            });
            // For a value of an outer element that the solution does not list, all probabilities are zero.
            entries.extend((0..columns).map(|column| row.map(|row| row * columns + column)));
            if all.advance(&mut values).is_none() {
                break;
            }
        }
        let weights = solved.weights.gather(&entries);
        let content = if parents.is_empty() {
            Content::Atomic(weights)
        } else {
            Content::Table(weights)
        };
        let is_ranged = columns > solved.support.len();
        self.expansion.listing.raise(Listing::Ranged, is_ranged);
        self.finish(
            element,
            depth,
            parents,
            solved.support.clone(),
            content,
            None,
        )
    }
}

fn product<'s>(supports: impl Iterator<Item = &'s Support>) -> usize {
    supports.map(Support::len).product()
}
