//! One step of a filter: the distributions of the present state and of past states, given the evidence of the step.

use std::sync::{Arc, OnceLock};

use figrs_answer::error::Error;
use figrs_answer::guarded;
use figrs_core::internals::{EarlierElements, inherit_names};
use figrs_core::{AnyElement, FilterState, Model};

use crate::approximation::Conditioned;
use crate::backward_kernel::BackwardKernel;
use crate::belief::Belief;
use crate::filter::Filter;
use crate::made_elements::StateLink;
use crate::past_states::{PastState, PresentState};

/// The distributions that a filter's step changes.
struct Step {
    /// For each group of elements of the filter's present state, the distribution after the step.
    groups: Vec<Conditioned>,
    /// If the evidence depends on past states: for the past states, the latest first, the distribution of each group of elements given the next
    /// state. Past states before those on which the evidence depends are left out. The latest past state is left out, too, if there is no next state.
    replaced: Option<Vec<Vec<BackwardKernel>>>,
}

impl Step {
    fn of_present(groups: Vec<Conditioned>) -> Self {
        Self {
            groups,
            replaced: None,
        }
    }
}

impl<S: FilterState> Filter<S> {
    /// Advances the filter to the state `next`, if there is one, and conditions the distribution of the state on the evidence.
    pub(crate) fn condition(
        &mut self,
        next: Option<S>,
        evidence: impl FnOnce(&S) -> Model,
    ) -> Result<(), Error> {
        let found = guarded(|| self.conditioned(next.as_ref(), evidence));
        let Step { groups, replaced } = found.map_err(|error| Error::InStep {
            step: self.steps,
            error: Box::new(error),
        })?;
        self.is_approximate |= groups.iter().any(|group| group.is_approximate);
        let (mut beliefs, mut pairs, mut random) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            beliefs.push(group.belief);
            pairs.extend(group.pair);
            random.extend(group.random);
        }
        self.earlier.add(&random);
        self.retire_elements();
        // The elements of the new state do not keep the elements of earlier states in memory.
        let state = next.as_ref().unwrap_or_else(|| self.state());
        let present = PresentState::new(state, &beliefs);
        inherit_names(&*present.state, &*self.present.state);
        let depends_on_past = replaced.is_some();
        let latest = usize::from(next.is_none());
        let rest = self.past.states.iter_mut().skip(latest);
        for (past, kernels) in rest.zip(replaced.into_iter().flatten()) {
            past.kernels = kernels;
        }
        if next.is_some() {
            let kernels = pairs.iter().zip(&self.beliefs);
            let kernels = kernels.map(|(pair, before)| BackwardKernel::new(pair, before));
            let kernels = kernels.collect();
            let like = std::mem::replace(&mut self.present, present).state;
            self.add_past(kernels, like);
        } else {
            let latest = self.past.states.front_mut().map(|past| &mut past.kernels);
            for (kernel, pair) in latest.into_iter().flatten().zip(&pairs) {
                match depends_on_past {
                    true => kernel.renew(pair),
                    false => kernel.renumber(pair),
                }
            }
            self.present = present;
        }
        self.followed = None;
        self.settle(beliefs);
        Ok(())
    }

    /// Keeps the state before the filter's present state as a past state, with its distributions given the present state. The elements of the kept
    /// past state have the types of the elements of `like`.
    pub(crate) fn add_past(&mut self, kernels: Vec<BackwardKernel>, like: Arc<S>) {
        self.past.add(PastState { like, kernels }, self.window);
    }

    /// Ends a step of the filter, after which the groups of elements of the present state have the distributions `beliefs`.
    pub(crate) fn settle(&mut self, beliefs: Vec<Belief>) {
        self.past.forget_elements();
        self.log_evidence += beliefs[0].log_evidence;
        self.approximation = self.approximation.after_draw();
        self.beliefs = beliefs;
        self.answer = OnceLock::new();
        self.now = OnceLock::new();
    }

    /// Records that the elements of the filter's present state and past states are replaced by new elements.
    pub(crate) fn retire_elements(&mut self) {
        let present = match &self.followed {
            Some(followed) => followed.get(),
            None => Some(&self.present),
        };
        // The elements of past states depend on those of the present state.
        let sources = present.into_iter().flat_map(PresentState::sources);
        self.earlier.replace(sources);
    }

    /// Computes the distributions of a filter's step to the state `next`, or of more evidence about the present state.
    fn conditioned(
        &self,
        next: Option<&S>,
        evidence: impl FnOnce(&S) -> Model,
    ) -> Result<Step, Error> {
        let state = next.unwrap_or_else(|| self.state());
        let model = evidence(state);
        let elements = state.elements();
        let groups = self.approximation.groups(&elements);
        let past = self.past.created_elements();
        let within = (&self.limits, self.components);
        let check = |random: &[AnyElement]| check_elements(&self.earlier, random);
        let given = |before: &[StateLink]| {
            let groups = groups.iter().enumerate().map(|(i, own)| {
                let before = before.get(i).map(StateLink::elements).unwrap_or_default();
                let elements = (*own, &before[..], &past[..]);
                self.approximation
                    .conditioned(&model, elements, &check, within)
            });
            groups.collect::<Result<Vec<_>, Error>>()
        };
        if self.window == 0 || (next.is_none() && self.past.states.is_empty()) {
            return Ok(Step::of_present(given(&[])?));
        }
        let is_late = next.is_none() && !model.interventions().is_empty();
        if is_late || self.past.are_set_by(&model) {
            return Err(Error::InvalidSetting {
                algorithm: Self::NAME,
                setting: "evidence",
                value: "an intervention on a state whose past is kept".to_owned(),
                remedy: "state interventions on the next state in `advance`, or use no window",
            });
        }
        let present = self.present();
        let links: Vec<StateLink> = match next {
            Some(_) => present.links(&self.beliefs).collect(),
            // The numbers of the present state are the same before and after the evidence.
            None => present.components().collect(),
        };
        if links.len() != groups.len() {
            return Err(Error::InvalidSetting {
                algorithm: Self::NAME,
                setting: "window",
                value: format!(
                    "{} groups of elements after a state of {} groups",
                    groups.len(),
                    links.len()
                ),
                remedy: "return states with the same number of elements, or use no window",
            });
        }
        let mut found = given(&links)?;
        let past_states = found.iter().map(|group| group.past_states).max();
        let past_states = past_states.unwrap_or(0);
        if past_states == 0 {
            return Ok(Step::of_present(found));
        }
        if next.is_none() {
            found = given(&self.smoothed()[0].links)?;
        }
        let next = next.map(|_| &links[..]);
        let may_approximate = self.approximation.merges() || self.beliefs.len() > 1;
        let joint = |elements: &[AnyElement]| self.approximation.joint(&model, elements, within);
        let replaced = self
            .past
            .replaced((next, past_states), may_approximate, joint)?;
        let (replaced, is_approximate) = replaced;
        found[0].is_approximate |= is_approximate;
        Ok(Step {
            groups: found,
            replaced: Some(replaced),
        })
    }
}

/// Returns an error if the random elements `random` of a filter's step belong to earlier steps.
pub(crate) fn check_elements(
    earlier: &EarlierElements,
    random: &[AnyElement],
) -> Result<(), Error> {
    earlier.mistake(random).map_or(Ok(()), |(value, remedy)| {
        Err(Error::InvalidSetting {
            algorithm: "Filter",
            setting: EarlierElements::SETTING,
            value,
            remedy,
        })
    })
}
