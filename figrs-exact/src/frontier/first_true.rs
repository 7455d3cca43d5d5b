//! Search for the first target of a list that can be true in some world.

use figrs_core::{AnyElement, Element, Model};

use super::Frontier;
use super::coded_elements::CodedElements;
use super::element_order::ElementOrder;
use super::explore::ExplorationLimits;
use super::sweep::{SweepGoal, sweep};
use figrs_answer::{Algorithm, Error};
use figrs_factor::{Stopped, WorkBudget};

/// Result of [`Frontier::first_true`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTrue {
    position: Option<usize>,
    excluded: usize,
    settled: bool,
    exhausted: bool,
    largest: usize,
    bytes: u64,
    stopped: Stopped,
    is_full: bool,
}

impl FirstTrue {
    /// Returns the index of the first element of the searched list that can be true in some world; `None` if the search found none.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// Returns the number of elements at the start of the list that the search proved to be false in all worlds. If a limit ended the search, the
    /// next elements of the list may also be false in all worlds.
    pub fn excluded(&self) -> usize {
        self.excluded
    }

    /// True if the evidence excludes all worlds.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Returns [`Stopped::Budget`] if the limit of transitions or of memory ended the search.
    pub fn stopped(&self) -> Stopped {
        self.stopped
    }

    /// True if the memory limit ended the search; a larger limit of transitions would not help.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// True if some step of the search repeated an earlier step, or if the evidence left no world. If all steps of the model are of the same kind
    /// (same functions and values), further steps find nothing new after one step has repeated an earlier step.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Returns the number of states (joint values) of the largest frontier.
    pub fn largest_frontier(&self) -> usize {
        self.largest
    }

    /// Returns the approximate memory in bytes that [`compile`](Frontier::compile) would need for the transitions of the steps that the search has
    /// explored. The search for the first true element does not store transitions.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Frontier {
    /// Finds the first element of a list that can be true, in the order in which a frontier sweep visits the elements. For example, the search finds
    /// the minimum length of a sequence that satisfies a condition.
    ///
    /// The search is breadth-first: each element of the list is visited after the elements on which it depends, and equal states (joint values) are
    /// merged. The search considers only evidence on the listed elements and on the elements on which the listed elements depend.
    ///
    /// **Guarantee.** The answer is exact, because the search does no arithmetic on probabilities.
    ///
    /// **Complexity.** The search takes the time of [`compile`](Self::compile) for the same steps of the sweep. The search keeps in memory only the
    /// transitions of one step and the states of the frontiers before and after this step, and recent frontiers if there is room.
    ///
    /// **Errors.** The errors of [`compile`](Self::compile), except that impossible evidence is not an error: with impossible evidence, no element
    /// can be true.
    ///
    /// ```
    /// # use figrs_core::{Constant, Model, Uniform};
    /// # use figrs_exact::Frontier;
    /// let mut place = Constant::new(0u32);
    /// let mut reached = Vec::new();
    /// for _ in 0..20 {
    ///     let dice = Uniform::new(1..=6u32);
    ///     place = (&place, &dice).map(|(place, dice)| place + dice);
    ///     reached.push(place.map(|&place| place == 25));
    /// }
    /// let found = Frontier::new().first_true(&Model::new(), &reached)?;
    /// assert_eq!(found.position(), Some(4)); // by the fifth of the dice
    /// # use figrs_core::Parents;
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn first_true(
        &self,
        model: &Model,
        elements: &[Element<bool>],
    ) -> Result<FirstTrue, Error> {
        self.search(model, elements, None)
    }

    /// Searches as [`first_true`](Self::first_true) does, but explores at most `transitions` transitions. A search that reaches the limit of
    /// transitions or of memory ends early, and reports the [excluded](FirstTrue::excluded) elements.
    ///
    /// A transition is one outcome of a random choice, or one value of another element, in one state of the frontier (one joint value of the elements
    /// that are still needed). Cached transitions of earlier steps do not count towards the limit again.
    ///
    /// **Errors.** The errors of `first_true`, except that a frontier beyond the memory limit is not an error.
    ///
    /// ```
    /// # use figrs_core::{Constant, Model, Uniform, fold};
    /// # use figrs_factor::{Stopped, WorkBudget};
    /// # use figrs_exact::Frontier;
    /// # use figrs_core::Parents;
    /// let mut place = Constant::new(1u64);
    /// let mut reached = Vec::new();
    /// for _ in 0..60 {
    ///     let dice = Uniform::new(2..=7u64);
    ///     place = (&place, &dice).map(|(place, dice)| place.wrapping_mul(*dice));
    ///     reached.push(place.map(|&place| place == 11));
    /// }
    /// let found = Frontier::new().first_true_within(&Model::new(), &reached, 10_000)?;
    /// assert_eq!((found.position(), found.stopped()), (None, Stopped::Budget));
    /// assert!(found.excluded() > 5 && found.excluded() < 60);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn first_true_within(
        &self,
        model: &Model,
        elements: &[Element<bool>],
        transitions: u64,
    ) -> Result<FirstTrue, Error> {
        self.search(model, elements, Some(&WorkBudget::new(transitions)))
    }

    fn search(
        &self,
        model: &Model,
        elements: &[Element<bool>],
        work: Option<&WorkBudget>,
    ) -> Result<FirstTrue, Error> {
        let targets: Vec<AnyElement> = elements.iter().map(|e| e.erased().clone()).collect();
        let run = self.watch.start(self.name(), None);
        let linear = ElementOrder::along(model, &targets, &targets);
        let mut rules = CodedElements::new(linear, self.memory);
        let work = work.or(self.work.as_ref());
        let limits = ExplorationLimits {
            work,
            ..self.allowance(&run)
        };
        let swept = sweep(&mut rules, SweepGoal::FirstTrue, limits)?;
        Ok(FirstTrue {
            position: swept.first,
            excluded: swept.excluded,
            settled: swept.settled,
            exhausted: swept.exhausted,
            largest: swept.largest,
            bytes: swept.bytes,
            is_full: swept.is_cut && work.is_none_or(|work| work.left() > 0),
            stopped: if swept.is_cut {
                Stopped::Budget
            } else {
                Stopped::Finished
            },
        })
    }
}
