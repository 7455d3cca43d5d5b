//! Answers about the world that would have been, read by the elements of the model.

use std::sync::Arc;

use figrs_core::{AnyElement, Counterfactual};

use super::contents::{Answer, AnswerContent};

impl Answer {
    /// The answer about twins of some elements as one about these elements; the counterfactual is kept for what is asked of it later.
    pub(crate) fn of_twins(
        mut self,
        counterfactual: &Counterfactual,
        targets: &[AnyElement],
        twins: &[AnyElement],
    ) -> Self {
        let pairs = || targets.iter().zip(twins);
        match &mut self.content {
            AnswerContent::Marginals(marginals, _) => {
                let renamed = pairs().filter_map(|(target, twin)| {
                    let found = marginals.iter().find(|m| m.element.id() == twin.id());
                    let mut renamed = found?.clone();
                    renamed.element = target.clone();
                    Some(renamed)
                });
                *marginals = renamed.collect();
            }
            AnswerContent::Bounds(bounds, _) => {
                let renamed = pairs().filter_map(|(target, twin)| {
                    let found = bounds.iter().find(|b| b.element.id() == twin.id());
                    let mut renamed = found?.clone();
                    renamed.element = target.clone();
                    Some(renamed)
                });
                *bounds = renamed.collect();
            }
            AnswerContent::World(values, ..) => {
                let renamed = pairs().filter_map(|(target, twin)| {
                    let (_, value) = values.get(&twin.id())?;
                    Some((target.id(), (target.clone(), value.clone())))
                });
                let renamed: Vec<_> = renamed.collect();
                values.extend(renamed);
            }
        }
        if let Some(draws) = &mut self.draws {
            let renamed = pairs().filter_map(|(target, twin)| {
                let found = draws.targets.iter().find(|t| t.element.id() == twin.id());
                let mut renamed = found?.clone();
                renamed.element = target.clone();
                Some(renamed)
            });
            draws.targets = renamed.collect();
        }
        if let Some(model) = self.differentiable.as_mut().and_then(Arc::get_mut) {
            model.rename(pairs());
        }
        // Twins are no elements to predict from.
        self.asked = None;
        self.counterfactual = Some(counterfactual.clone());
        self
    }
}
