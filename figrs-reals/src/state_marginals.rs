//! The marginal distributions of the states that a filter keeps.

use figrs_answer::answer::estimate::Estimate;
use figrs_answer::answer::normal_mixture::NormalMixture;
use figrs_answer::answer::{Answer, LogEvidence};
use figrs_answer::error::Error;
use figrs_core::{Element, FilterState, Value};

use crate::approximation::PAIRS;
use crate::belief::Belief;
use crate::filter::Filter;

/// The marginal distributions of the elements of a filter's state, given all evidence of the [`Filter`]; [`Filter::at`] returns them.
#[derive(Clone, Debug)]
pub struct StateMarginals<'f, S> {
    /// A state whose elements have the right types; the answer is about the elements of this state.
    like: &'f S,
    answer: Answer,
}

impl<S: FilterState> StateMarginals<'_, S> {
    /// Returns a one-line summary of an element of the filter's state.
    pub fn summary<T: Value>(&self, of: impl FnOnce(&S) -> &Element<T>) -> Result<String, Error> {
        self.answer.summary(of(self.like))
    }

    /// Returns the probability that a finite element of the filter's state has the value `value`.
    pub fn probability<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
        value: &T,
    ) -> Result<f64, Error> {
        self.answer.probability(of(self.like), value)
    }

    /// Returns the distribution of a real element of the filter's state.
    pub fn mixture<T: Value>(
        &self,
        of: impl FnOnce(&S) -> &Element<T>,
    ) -> Result<&NormalMixture, Error> {
        self.answer.mixture(of(self.like))
    }

    /// Returns the mean of a real element of the filter's state.
    pub fn mean(&self, of: impl FnOnce(&S) -> &Element<f64>) -> Result<f64, Error> {
        self.answer.mean(of(self.like))
    }
}

/// The joint distributions of the groups of elements of each past state of a filter, the latest state first.
#[derive(Clone, Debug)]
pub(crate) struct PastBeliefs {
    pub(crate) states: Vec<Vec<Belief>>,
    /// True if components of the mixtures were merged.
    pub(crate) is_merged: bool,
}

impl<S: FilterState> Filter<S> {
    /// Returns the marginal distributions of the state `lag` steps before the filter's present state, given all evidence so far; `None` if the filter
    /// does not keep the past state. The lag 0 selects the filter's present state.
    ///
    /// Unlike [`past`](Self::past) and [`answer`](Self::answer), this method creates no elements; with a window of all steps and a compiled step
    /// ([`follow`](Self::follow)), the method is a fast smoother.
    ///
    /// ```
    /// use figrs_core::{Model, Normal, Variance};
    /// use figrs_reals::Filter;
    ///
    /// let mut filter = Filter::exact(&Normal::new(0.0, Variance(100.0)))?.window(3);
    /// let law = filter.law(
    ///     |level| Normal::new(level, Variance(1.0)),
    ///     |level| Normal::new(level, Variance(4.0)),
    /// )?;
    /// for reading in [1.2, 0.7, 1.9] {
    ///     filter.follow(&law, |seen| Model::new().observe(seen, reading))?;
    /// }
    /// let first = filter.at(2).expect("the filter keeps three states");
    /// println!("{}", first.summary(|level| level)?); // Normal(1.1973, sd 1.3242), exact
    /// # assert_eq!(first.summary(|level| level)?, "Normal(1.1973, sd 1.3242), exact");
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn at(&self, lag: usize) -> Option<StateMarginals<'_, S>> {
        let Some(place) = lag.checked_sub(1) else {
            return Some(StateMarginals {
                like: &self.present.state,
                answer: self.now().clone(),
            });
        };
        let past = self.past.states.get(place)?;
        let beliefs = self.past_beliefs();
        let states = [(&*past.like, &beliefs.states[place][..])];
        Some(StateMarginals {
            like: &past.like,
            answer: self.answer_about(states, beliefs.is_merged),
        })
    }

    /// Returns the marginal distributions of the filter's present state.
    pub(crate) fn now(&self) -> &Answer {
        let states = [(&*self.present.state, &self.beliefs[..])];
        self.now.get_or_init(|| self.answer_about(states, false))
    }

    pub(crate) fn past_beliefs(&self) -> &PastBeliefs {
        self.past.beliefs.get_or_init(|| {
            let most = self.components.saturating_mul(PAIRS);
            self.past
                .beliefs_before(&self.beliefs, self.approximation.merges(), most)
        })
    }

    /// Returns the marginals of all elements of several states of a filter; for each state, `states` has the distributions of its groups of elements.
    pub(crate) fn answer_about<'b>(
        &self,
        states: impl IntoIterator<Item = (&'b S, &'b [Belief])>,
        is_merged: bool,
    ) -> Answer
    where
        S: 'b,
    {
        let estimate = if self.is_approximate() || is_merged {
            Estimate::Approximate
        } else {
            Estimate::Exact
        };
        let (mut marginals, mut mixtures) = (Vec::new(), Vec::new());
        for (state, beliefs) in states {
            let elements = state.elements();
            let mut rest = &elements[..];
            for belief in beliefs {
                let (own, others) = rest.split_at(belief.numbers.len());
                belief.add_marginals(own, &estimate, (&mut marginals, &mut mixtures));
                rest = others;
            }
        }
        let evidence = LogEvidence {
            value: self.beliefs[0].log_evidence,
            ..self.log_evidence()
        };
        Answer::marginals(Self::NAME, marginals, evidence).with_mixtures(mixtures, estimate)
    }
}
