//! The past states that a filter keeps, given all evidence so far (smoothing with a fixed lag).

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use figrs_answer::error::Error;
use figrs_core::{AnyElement, FilterState, Model, NextElements};

use crate::backward_kernel::BackwardKernel;
use crate::belief::Belief;
use crate::belief_component::BeliefComponent;
use crate::hybrid_model::NumbersOfElement;
use crate::made_elements::{MadeElements, StateLink, elements_before};
use crate::state_marginals::PastBeliefs;

/// The present state of a filter.
#[derive(Clone, Debug)]
pub(crate) struct PresentState<S> {
    pub(crate) state: Arc<S>,
    /// The elements that were created for each group of the state's elements.
    pub(crate) made: Vec<MadeElements>,
}

impl<S: FilterState> PresentState<S> {
    /// Creates the elements of a filter's state, whose groups of elements have the joint distributions `beliefs`. The elements of `like` must have
    /// the same types as the elements of the state.
    pub(crate) fn new(like: &S, beliefs: &[Belief]) -> Self {
        let like_elements = like.elements();
        let mut rest = &like_elements[..];
        let (mut made, mut elements) = (Vec::with_capacity(beliefs.len()), Vec::new());
        for belief in beliefs {
            let (own, others) = rest.split_at(belief.numbers.len());
            let group = MadeElements::new(belief, own);
            elements.extend_from_slice(&group.elements);
            made.push(group);
            rest = others;
        }
        Self {
            state: Arc::new(like.renewed(&mut NextElements::new(&elements))),
            made,
        }
    }

    /// Returns, for each group of the state's elements, the elements on which the state before this one depends; the groups have the distributions
    /// `beliefs`.
    pub(crate) fn links(&self, beliefs: &[Belief]) -> impl Iterator<Item = StateLink> {
        let groups = self.made.iter().zip(beliefs);
        groups.map(|(made, belief)| made.link(belief))
    }

    /// Returns the random elements on which all elements of the state depend.
    pub(crate) fn sources(&self) -> impl Iterator<Item = AnyElement> {
        self.made.iter().flat_map(MadeElements::sources)
    }

    /// Returns, for each group of the state's elements, the element that is the index of the mixture component.
    pub(crate) fn components(&self) -> impl Iterator<Item = StateLink> {
        self.made.iter().map(MadeElements::component)
    }
}

/// The last states before the filter's present state, the latest first.
#[derive(Clone, Debug)]
pub(crate) struct PastStates<S> {
    pub(crate) states: VecDeque<PastState<S>>,
    /// The elements of the past states, which are created when they are first needed.
    smoothed: OnceLock<Vec<SmoothedState<S>>>,
    /// The distributions of the past states, which are computed when they are first needed.
    pub(crate) beliefs: OnceLock<PastBeliefs>,
}

/// A past state.
#[derive(Clone, Debug)]
pub(crate) struct PastState<S> {
    /// A state whose elements have the same types as the elements of this past state.
    pub(crate) like: Arc<S>,
    /// For each group of elements, its distribution given the next state.
    pub(crate) kernels: Vec<BackwardKernel>,
}

/// The elements of a past state of the filter, which depend on the elements of the present state.
#[derive(Clone, Debug)]
pub(crate) struct SmoothedState<S> {
    pub(crate) state: S,
    /// For each group of elements, the elements on which the next earlier state depends.
    pub(crate) links: Vec<StateLink>,
}

impl<S> Default for PastStates<S> {
    fn default() -> Self {
        Self::new(VecDeque::new())
    }
}

impl<S> PastStates<S> {
    pub(crate) fn new(states: VecDeque<PastState<S>>) -> Self {
        Self {
            states,
            smoothed: OnceLock::new(),
            beliefs: OnceLock::new(),
        }
    }

    /// Adds the state that has become the latest past state of the filter, and forgets all past states but the last `most`.
    pub(crate) fn add(&mut self, state: PastState<S>, most: usize) {
        self.states.push_front(state);
        self.states.truncate(most);
    }

    /// Adapts the latest past state to a present state whose vector of numbers has the layout `new` instead of `old`.
    pub(crate) fn set_next_layout(&mut self, old: &[NumbersOfElement], new: &[NumbersOfElement]) {
        let latest = self.states.front_mut().filter(|_| old != new);
        for kernel in latest.into_iter().flat_map(|past| &mut past.kernels) {
            kernel.set_next_layout(old, new);
        }
    }

    /// Forgets the elements and the distributions of the past states, because the distribution of the present state has changed.
    pub(crate) fn forget_elements(&mut self) {
        self.smoothed = OnceLock::new();
        self.beliefs = OnceLock::new();
    }

    /// For each past state of the filter, returns the elements on which its distribution depends, if these elements have been created.
    pub(crate) fn created_elements(&self) -> Vec<Vec<AnyElement>> {
        let of_state = |state: &SmoothedState<S>| {
            let links = state.links.iter();
            links.flat_map(StateLink::elements).collect()
        };
        let states = self.smoothed.get().into_iter().flatten();
        states.map(of_state).collect()
    }

    /// True if an intervention of `model` sets an element of a past state.
    pub(crate) fn are_set_by(&self, model: &Model) -> bool
    where
        S: FilterState,
    {
        let states = self.smoothed.get().into_iter().flatten();
        let own: Vec<AnyElement> = states.flat_map(|past| past.state.elements()).collect();
        let mut set = model.interventions().iter();
        set.any(|(element, _)| own.iter().any(|other| other.id() == element.id()))
    }

    /// Computes the distribution of each group of elements of each past state, the latest state first, from the distributions `present` of the groups
    /// of the present state. If `merges` is true, or if there are more than `most` mixture components, components with the same finite values are
    /// merged.
    pub(crate) fn beliefs_before(
        &self,
        present: &[Belief],
        merges: bool,
        most: usize,
    ) -> PastBeliefs {
        let indexed = |belief: &Belief| belief.components.iter().cloned().enumerate().collect();
        let mut next: Vec<Vec<(usize, BeliefComponent)>> = present.iter().map(indexed).collect();
        let mut is_merged = false;
        let of_state = |past: &PastState<S>| {
            let pairs = past.kernels.iter().zip(&mut next);
            let beliefs = pairs.map(|(kernel, next)| {
                let (earlier, merged) = kernel.earlier(next, (merges, most));
                is_merged |= merged;
                *next = earlier;
                Belief {
                    numbers: kernel.numbers.clone(),
                    components: next
                        .iter()
                        .map(|(_, component)| component.clone())
                        .collect(),
                    log_evidence: 0.0,
                }
            });
            beliefs.collect()
        };
        let states = self.states.iter().map(of_state).collect();
        PastBeliefs { states, is_merged }
    }
}

impl<S: FilterState> PastStates<S> {
    /// Returns the elements of the filter's past states. The function `present` returns the elements of the present state on which the elements of
    /// the past states depend.
    pub(crate) fn smoothed(&self, present: impl FnOnce() -> Vec<StateLink>) -> &[SmoothedState<S>] {
        self.smoothed.get_or_init(|| {
            let mut all: Vec<SmoothedState<S>> = Vec::with_capacity(self.states.len());
            let mut next = if self.states.is_empty() {
                Vec::new()
            } else {
                present()
            };
            for past in &self.states {
                let like = past.like.elements();
                let (mut like, mut elements) = (&like[..], Vec::with_capacity(like.len()));
                let mut links = Vec::with_capacity(next.len());
                for (kernel, next) in past.kernels.iter().zip(&next) {
                    let (own, others) = like.split_at(kernel.numbers.len());
                    let (link, made) = elements_before(kernel, next, own);
                    elements.extend(made);
                    links.push(link);
                    like = others;
                }
                let state = past.like.renewed(&mut NextElements::new(&elements));
                next.clone_from(&links);
                all.push(SmoothedState { state, links });
            }
            all
        })
    }

    /// Computes the distributions of the filter's past states, given evidence about the last `states` past states. The argument `next` has the
    /// elements on which the latest past state depends. If `next` is `None`, the distribution of the latest past state is known, and those of the
    /// other past states are computed. The function `joint` returns the joint distribution of elements of two successive states. The returned flag is
    /// `true` if a distribution is an approximation, which is allowed only if `may_approximate` is true.
    ///
    /// **Errors.** The errors of `joint` and of [`BackwardKernel::replace`].
    pub(crate) fn replaced(
        &self,
        (next, states): (Option<&[StateLink]>, usize),
        may_approximate: bool,
        joint: impl Fn(&[AnyElement]) -> Result<Belief, Error>,
    ) -> Result<(Vec<Vec<BackwardKernel>>, bool), Error> {
        let mut is_approximate = false;
        let smoothed = self.smoothed.get().into_iter().flatten();
        let links = next
            .into_iter()
            .chain(smoothed.map(|state| &state.links[..]));
        let links: Vec<&[StateLink]> = links.collect();
        let first = usize::from(next.is_none());
        let pairs = links.windows(2).zip(self.states.iter().skip(first));
        // Evidence about later states does not change the distribution of a state given the next state.
        let pairs = pairs.take(states - first);
        let replaced = pairs.map(|(pair, past)| {
            let links = pair[0].iter().zip(pair[1]);
            let kernels = links.zip(&past.kernels).map(|((next, earlier), kernel)| {
                let elements = [next.elements(), earlier.elements()].concat();
                let mut kernel = kernel.clone();
                is_approximate |=
                    kernel.replace(&joint(&elements)?, may_approximate, &elements[0])?;
                Ok(kernel)
            });
            kernels.collect()
        });
        let replaced = replaced.collect::<Result<_, Error>>()?;
        Ok((replaced, is_approximate))
    }
}
