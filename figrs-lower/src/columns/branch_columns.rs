//! Evaluation of a branch of a `Chain` in several worlds at the same time, without a column of the block for each element of the branch.
//!
//! A branch that is evaluated in several worlds at the same time must be a tree of atomic elements (elements without parents), functions and members
//! of families; nothing outside the branch may refer to its elements. The columns of the branch's elements have one entry for each world that takes
//! the branch, whereas a column of the block also stores the set of its worlds.

use super::block::Block;
use figrs_core::element::family_values::MemberFault;
use figrs_core::element::node::{AnyElement, Kind};
use figrs_core::element::step::with_list;
use figrs_core::error::ModelError;
use figrs_core::random::Stream;
use figrs_core::value::support::AnyColumn;

/// Maximum depth of the recursive evaluation of a branch; deeper branches are evaluated world by world, with a stack.
const MAX_DEPTH: usize = 32;

/// Maximum number of values (elements times worlds) of a branch that is evaluated in several worlds at the same time.
pub(super) const MAX_TREE_VALUES: usize = 1 << 16;

impl Block {
    /// Returns the number of elements of a new branch with the root `element`, if the branch can be evaluated in several worlds at the same time. The
    /// flag `own` is `true` if nothing but the branch refers to its root.
    pub(super) fn elements_of_tree(&self, (element, own): (&AnyElement, bool)) -> Option<usize> {
        let mut left = MAX_TREE_VALUES;
        let is_tree = self.is_tree((element, own), 0, &mut left);
        is_tree.then(|| MAX_TREE_VALUES - left)
    }

    /// Subtracts the number of elements of the tree with the root `element` from `left`. Returns `false` if the elements are not a tree that can be
    /// evaluated in several worlds at the same time, or if the tree has more than `left` elements.
    fn is_tree(&self, (element, own): (&AnyElement, bool), depth: usize, left: &mut usize) -> bool {
        if !own || depth > MAX_DEPTH || *left == 0 || self.policy(element).is_some() {
            return false;
        }
        *left -= 1;
        let is_evaluated = match element.kind() {
            Kind::Atomic(_) | Kind::Apply(..) => true,
            Kind::Chain(_, op) => op.family().is_some(),
            Kind::Table(..) | Kind::Score(..) => false,
        };
        let mut parents = element.parents().iter();
        is_evaluated && parents.all(|p| self.is_tree((p, p.is_unshared()), depth + 1, left))
    }
}

/// Draws the values of a tree of elements in `worlds` worlds. The values of each element are drawn after those of its parents. The list `known` has
/// the columns of parents whose children have not been evaluated yet; the list is empty at first and at the end.
pub(super) fn values_of_tree(
    element: &AnyElement,
    worlds: usize,
    known: &mut Vec<Box<dyn AnyColumn>>,
    rng: &mut Stream,
) -> Result<Box<dyn AnyColumn>, ModelError> {
    element.check_parameters()?;
    if let Kind::Atomic(op) = element.kind() {
        let values = op.sample_many(worlds, rng);
        return values.map_err(|fault| element.fault(fault));
    }
    let first = known.len();
    for parent in element.parents() {
        let values = values_of_tree(parent, worlds, known, rng)?;
        known.push(values);
    }
    let arguments = known[first..].iter().map(|column| &**column);
    let none = Vec::<bool>::new();
    let kind = element.kind();
    let values = with_list(&none as &dyn AnyColumn, arguments, |arguments| {
        match (kind, kind.family()) {
            (Kind::Apply(_, op), _) => {
                let values = op.call_many(arguments, worlds);
                values.map_err(|fault| element.fault(fault))
            }
            (_, Some(family)) => {
                let values = family.sample_many(arguments, worlds, rng);
                values.map_err(|fault| match fault {
                    MemberFault::Parameters(problem) => element.invalid(problem),
                    MemberFault::Function(fault) => element.fault(fault),
                })
            }
            (_, None) => Ok(element.no_column()),
        }
    })?;
    known.truncate(first);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use crate::columns::Block;
    use crate::{EvidenceOrder, Observations};
    use figrs_core::Model;
    use figrs_core::element::{DiscreteUniform, Element, Flip, Select, inject};
    use figrs_core::error::ModelError;
    use figrs_core::random::stream;

    fn block(target: &Element<Vec<bool>>, limit: usize) -> Block {
        let (observations, order) = (Observations::Weigh, EvidenceOrder::AsStated);
        let targets = [target.erased().clone()];
        Block::new(&Model::new(), &targets, observations, order, limit).unwrap()
    }

    fn lists(block: &mut Block, width: usize, seed: u64) -> Vec<Vec<bool>> {
        block.run(width, &mut stream(seed, 0)).unwrap();
        let values = block.target(0).typed();
        values.as_any().downcast_ref::<Vec<_>>().unwrap().clone()
    }

    /// Creates, as a test model, a list of five truth values for each of ten numbers, as a tree of functions and of members of families.
    fn list() -> Element<Vec<bool>> {
        DiscreteUniform::new(0, 9).flat_map(|&n| {
            let coin = move |i: i64| {
                let share = 0.1 * ((n + i) % 5) as f64;
                let certain = Select::new([(share, 0.0), (1.0 - share, 1.0)]);
                Flip::new(&certain).map(|heads| !heads)
            };
            inject((0..5).map(coin))
        })
    }

    /// In the test, the branch of a number gets an index in the block if over 256 worlds take the branch. A later run, in which fewer worlds take the
    /// branch, must draw the same values as without the earlier run.
    #[test]
    fn draws_do_not_depend_on_earlier_runs() {
        let list = list();
        let fresh = lists(&mut block(&list, 1000), 1000, 3);
        let mut used = block(&list, 1000);
        assert_eq!(lists(&mut used, 5000, 4).len(), 5000);
        assert_eq!(fresh, lists(&mut used, 1000, 3));
    }

    #[test]
    fn trees_have_the_law_of_their_elements() {
        let drawn = lists(&mut block(&list(), 1000), 1000, 5);
        let heads = drawn.iter().flatten().filter(|&&truth| truth).count() as f64;
        // Each list has one coin of each share .0, .1, ... .4. A correct sampler deviates by more than six standard deviations about once in 5e8 tests.
        let deviation = f64::sqrt(1000.0 * (0.09 + 0.16 + 0.21 + 0.24));
        assert!((heads - 1000.0).abs() < 6.0 * deviation, "{heads}");
        let together = drawn.iter().filter(|list| list.iter().any(|&truth| truth));
        let some = 1.0 - 0.9 * 0.8 * 0.7 * 0.6;
        let deviation = f64::sqrt(1000.0 * some * (1.0 - some));
        assert!((together.count() as f64 - 1000.0 * some).abs() < 6.0 * deviation);
    }

    #[test]
    fn errors_in_trees_name_the_element() {
        let few = block(&list(), 16).run(100, &mut stream(1, 0));
        assert!(
            matches!(few, Err(ModelError::TooManyElements { limit: 16, .. })),
            "{few:?}"
        );
        let wrong = DiscreteUniform::new(0, 9).flat_map(|&n| {
            let coin = Flip::new(n as f64).named("coin");
            inject([coin.map(|heads| !heads)])
        });
        let error = block(&wrong, 1000).run(100, &mut stream(1, 0)).unwrap_err();
        assert!(error.to_string().contains("coin"), "{error}");
    }
}
