//! Answers to counterfactual queries: results about the counterfactual world, which are queried by the elements of the model.

use std::sync::Arc;

use figrs_core::{AnyElement, Counterfactual};

use super::contents::{Answer, AnswerContent};

impl Answer {
    /// Converts an answer about `twins`, the counterfactual copies of `targets`, to an answer about the targets themselves. The answer keeps the
    /// counterfactual, because later queries need the counterfactual.
    pub(crate) fn of_twins(
        mut self,
        counterfactual: &Counterfactual,
        targets: &[AnyElement],
        twins: &[AnyElement],
    ) -> Self {
        let pairs = || targets.iter().zip(twins);
        match &mut self.content {
            AnswerContent::Marginals(found, _) => rename(found, pairs(), |m| &mut m.element),
            AnswerContent::Bounds(found, _) => rename(found, pairs(), |b| &mut b.element),
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
            rename(&mut draws.targets, pairs(), |target| &mut target.element);
        }
        if let Some(model) = self.answered.as_mut().and_then(Arc::get_mut) {
            model.rename(pairs());
        }
        // The stored model is removed, because an answer about counterfactual twins cannot be used for predictions.
        self.asked = None;
        self.counterfactual = Some(counterfactual.clone());
        self
    }
}

/// Keeps the results of the twins (copies of targets in the counterfactual world), and assigns the result of each twin to the target of which it is a
/// copy.
fn rename<'e, T: Clone>(
    found: &mut Vec<T>,
    pairs: impl Iterator<Item = (&'e AnyElement, &'e AnyElement)>,
    element: fn(&mut T) -> &mut AnyElement,
) {
    let renamed = pairs.filter_map(|(target, twin)| {
        let mut all = found.iter_mut();
        let at = all.position(|one| element(one).id() == twin.id())?;
        let mut renamed = found[at].clone();
        element(&mut renamed).clone_from(target);
        Some(renamed)
    });
    *found = renamed.collect();
}
