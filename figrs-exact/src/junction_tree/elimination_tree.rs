//! The elimination tree of a compiled model, as a public data type.

/// A step of an elimination: the product of some tables, summed over the elements that occur in no other remaining table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EliminationStep {
    /// The names of all elements of the tables that the step multiplies.
    pub clique: Vec<String>,
    /// The names of the elements of the clique that are summed out.
    pub eliminated: Vec<String>,
    /// The index of the later step that uses the result of the step; `None` for a root.
    pub parent: Option<usize>,
}

/// The steps in which a [`CompiledTree`](crate::CompiledTree) sums out all elements.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::JunctionTree;
/// let rain = Flip::new(0.2).named("rain");
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 })).named("wet");
/// let tree = JunctionTree::new().compile(&Model::new(), (&rain, &wet))?.elimination_tree();
/// assert_eq!(tree.width(), 2);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EliminationTree {
    pub(crate) steps: Vec<EliminationStep>,
}

impl EliminationTree {
    /// Returns the steps of the elimination; each step comes before the step that uses its result.
    pub fn steps(&self) -> &[EliminationStep] {
        &self.steps
    }

    /// Returns the number of elements in the largest clique.
    pub fn width(&self) -> usize {
        let sizes = self.steps.iter().map(|step| step.clique.len());
        sizes.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use figrs_core::{Element, Flip, Model};

    use super::*;
    use crate::junction_tree::JunctionTree;

    /// Returns a Markov chain of `length` Boolean elements.
    fn chain(length: usize) -> Vec<Element<bool>> {
        let mut elements = vec![Flip::new(0.3).named("e0")];
        for i in 1..length {
            let next = elements[i - 1].flat_map(|&x| Flip::new(if x { 0.9 } else { 0.2 }));
            elements.push(next.named(format!("e{i}")));
        }
        elements
    }

    #[test]
    fn every_element_is_eliminated_once_from_cliques_that_meet_in_the_parent() {
        let elements = chain(6);
        let compiled = JunctionTree::new()
            .compile(&Model::new(), &elements)
            .unwrap();
        let tree = compiled.elimination_tree();
        assert_eq!((tree.width(), compiled.cost().width), (2, 2));
        let mut eliminated: Vec<&str> = Vec::new();
        for (at, step) in tree.steps().iter().enumerate() {
            eliminated.extend(step.eliminated.iter().map(String::as_str));
            let left: BTreeSet<&String> = step
                .clique
                .iter()
                .filter(|name| !step.eliminated.contains(name))
                .collect();
            match step.parent {
                Some(parent) => {
                    assert!(parent > at);
                    let above = &tree.steps()[parent].clique;
                    assert!(left.iter().all(|name| above.contains(name)), "{step:?}");
                }
                None => assert!(left.is_empty(), "{step:?}"),
            }
        }
        eliminated.sort_unstable();
        assert_eq!(eliminated, ["e0", "e1", "e2", "e3", "e4", "e5"]);
        let impossible = Model::new().condition(&elements[0], |_| false);
        let compiled = JunctionTree::new().compile(&impossible, &elements).unwrap();
        assert_eq!(compiled.elimination_tree(), EliminationTree::default());
    }
}
