//! The steps of a tree by their variables.

use crate::graph::VarId;

use super::contraction_tree::ContractionTree;

/// A step without its numbers.
#[derive(Debug)]
pub struct StepOutline {
    /// The variables over which the tables range together.
    pub clique: Vec<VarId>,
    /// The variables of the clique that are summed out.
    pub eliminated: Vec<VarId>,
    /// The position of the step that uses the result.
    pub parent: Option<usize>,
}

impl ContractionTree {
    /// The steps, each before the step that uses its result.
    pub fn outline(&self) -> Vec<StepOutline> {
        let mut parents = vec![None; self.tensors.len()];
        for (position, step) in self.steps.iter().enumerate() {
            for &input in &step.inputs {
                parents[input as usize] = Some(position);
            }
        }
        let variable = |&rank: &super::tensor::Rank| self.variables[rank as usize];
        let outline = |step: &super::contraction_tree::ContractionStep| StepOutline {
            clique: self.clique(step).iter().map(variable).collect(),
            eliminated: self.summed_variables(step).iter().map(variable).collect(),
            parent: parents[step.out as usize],
        };
        self.steps.iter().map(outline).collect()
    }
}
