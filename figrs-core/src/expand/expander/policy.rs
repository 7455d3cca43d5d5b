//! Expansion of decisions that follow policies.

use super::{Content, Expander, ExpansionStage, Frame};
use crate::element::node::AnyElement;
use crate::error::ModelError;

impl Expander<'_> {
    /// Adds a decision that follows a policy. The element that gives the decision its value must have been added before.
    pub(super) fn follow(
        &mut self,
        element: AnyElement,
        depth: usize,
        policy: &AnyElement,
    ) -> Result<(), ModelError> {
        if let Some((_, error)) = self.failed.get(&policy.id()) {
            return Err(error.clone());
        }
        let Some(&position) = self.expansion.positions.get(&policy.id()) else {
            let stage = ExpansionStage::Parents;
            self.check_budget(&element)?;
            self.stack.push(Frame {
                element,
                depth,
                stage,
            });
            self.push(policy, depth);
            return Ok(());
        };
        let chosen = &self.expansion.elements[position];
        chosen.require_finite()?;
        self.require_points(&[position])?;
        let chosen = &self.expansion.elements[position];
        let support = chosen.support.clone();
        let same = Content::Apply((0..support.len() as u32).collect());
        self.finish(element, depth, vec![position], support, same, None)
    }
}
