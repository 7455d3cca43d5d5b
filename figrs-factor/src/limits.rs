//! Limits of a computation (memory, work, time and threads), the deadline, and the account of the memory that the computation holds.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::eliminate::EliminationError;
use crate::graph::VarId;

/// Defines setter methods from the paths of their fields; a setter converts its argument to the type of the field by `into`.
#[doc(hidden)]
#[macro_export]
macro_rules! field_setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $($place:ident).+;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$($place).+ = $name.into();
            self
        }
    )+};
}

/// Limits of a computation: the size of the expansion of a model (the list of all possible values), the memory and the work of an elimination, time
/// and threads.
///
/// A computation that would exceed a limit ends with an error that names the limit. Limits decide if an elimination plan is refused, but do not
/// influence the choice of the plan. Each algorithm uses only the limits that apply to it.
///
/// ```
/// # use figrs_factor::Limits;
/// let limits = Limits::default().memory(2 << 30).work(1e9);
/// assert_eq!((limits.memory, limits.elements), (Some(2 << 30), 8_000_000));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of bytes of all messages of an elimination, or of the data structures of a search. `None` (the default) means three quarters of
    /// the memory that is available when the elimination is planned.
    pub memory: Option<u64>,
    /// Maximum number of predicted operations of an elimination ([`PlanCost::operations`](crate::eliminate::PlanCost::operations)), or of steps of a
    /// search. Default infinity. The limit on predicted operations does not stop a running elimination that takes more operations than predicted.
    pub work: f64,
    /// Maximum number of entries of the largest table of an elimination. Default 2^27.
    pub table_entries: usize,
    /// Maximum number of entries in the table of one element: the product of the numbers of its parents' values. Default 2^25.
    pub element_entries: u64,
    /// Maximum number of elements in the expansion of a model or in one world. An element that the function of a `Chain` element creates is counted
    /// as soon as it exists. The default limit is 8 million elements, and [four million](Self::WORLD_ELEMENTS) for worlds.
    pub elements: usize,
    /// Maximum number of bytes of the expansion of a model, or of the worlds that are evaluated together, including the elements that functions
    /// create. The bytes of an expansion or of worlds include the heap memory of values and the data structures of figrs. The bytes of an expansion
    /// or of worlds exclude data captured by functions, unless the data is an element. The default limit on these bytes of an expansion is
    /// [2 GiB](Self::EXPANSION_MEMORY).
    pub expansion_memory: u64,
    /// Maximum nesting depth of `Chain` elements within branches of `Chain` elements. Default 10 000.
    pub depth: usize,
    /// Nesting depth up to which `Chain` elements are expanded into their possible values; `None` if all `Chain` elements are expanded.
    #[doc(hidden)]
    pub expanded_depth: Option<usize>,
    /// In an expansion to a given depth, the number of values that are listed for an element with infinitely many values; `None` if such an element
    /// is an error.
    #[doc(hidden)]
    pub range: Option<usize>,
    /// In an expansion to a given depth, `true` if the bins of discretised elements are divided further.
    #[doc(hidden)]
    pub refines_bins: bool,
    /// Maximum number of threads that share the work of a computation; `None` (the default) means the number of cores.
    pub threads: Option<NonZero<usize>>,
    /// Deadline and interrupt.
    pub until: Until,
    /// Elimination order.
    pub order: Order,
    /// Treatment of barren factors (normalised factors whose last variable occurs in no other factor).
    pub barren: BarrenFactors,
    /// Maximum number of partial assignments that the joins of an elimination may visit, for each predicted operation.
    pub(crate) assignment_ratio: f64,
    /// Maximum number of partial assignments that the joins of an elimination may visit in total.
    pub(crate) most_assignments: f64,
}

/// Choice of the elimination order, which influences the cost of an elimination but not its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// An elimination order found by a search whose effort is proportionate to the predicted cost of the elimination.
    ///
    /// If the first greedy elimination order is predicted to be cheap, the search for an order ends. If no greedy elimination order is cheap, the
    /// search also tries noisy restarts and local improvements for each component of the graph, and returns the best order. The search for an
    /// elimination order is limited by steps, not by time, and its random numbers have a fixed seed. Equal factor graphs have equal elimination
    /// orders, because the search for an order does not depend on time.
    #[default]
    Greedy,
    /// The listed elimination order; variables that are not listed come last, sorted by identifier.
    Given(Vec<VarId>),
}

impl Order {
    /// Returns the option for an elimination order that begins with `variables`.
    pub fn given(variables: Vec<VarId>) -> Self {
        Self::Given(variables)
    }
}

/// Treatment of a barren factor: a normalised factor whose last variable occurs in no other factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrenFactors {
    /// A barren factor is omitted if the omission cannot change the answer: in sums and in tests of satisfiability.
    #[default]
    Prune,
    /// In this setting, a barren factor is multiplied like any other factor.
    Compute,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: None,
            work: f64::INFINITY,
            table_entries: 1 << 27,
            element_entries: 1 << 25,
            elements: 8_000_000,
            expansion_memory: Self::EXPANSION_MEMORY,
            depth: 10_000,
            expanded_depth: None,
            range: None,
            refines_bins: false,
            threads: None,
            until: Until::default(),
            order: Order::Greedy,
            barren: BarrenFactors::Prune,
            assignment_ratio: f64::INFINITY,
            most_assignments: f64::INFINITY,
        }
    }
}

impl From<usize> for Limits {
    /// Returns the default limits, with at most `elements` elements in an expansion or world.
    fn from(elements: usize) -> Self {
        Self::default().elements(elements)
    }
}

impl Limits {
    /// Default maximum number of elements of a world: four million.
    pub const WORLD_ELEMENTS: usize = 4_000_000;

    /// Default maximum number of bytes of the expansion of a model, or of a world: 2 GiB. The expansion of a model with two million small elements
    /// needs about one gibibyte. With the default limit, the expansion of an infinite model takes less than three quarters of 4 GiB, including the
    /// overhead of the allocator.
    pub const EXPANSION_MEMORY: u64 = 2 << 30;

    field_setters! {
        /// Sets the maximum number of bytes of all messages of an elimination together, or of the data structures of a search.
        memory: u64 => memory;
        /// Sets the maximum number of predicted operations of an elimination, or of steps of a search. An elimination with more predicted operations
        /// than the limit is refused before factors are multiplied.
        work: f64 => work;
        /// Sets the maximum number of entries of the largest table of an elimination.
        table_entries: usize => table_entries;
        /// Sets the maximum number of entries in the table of one element.
        element_entries: u64 => element_entries;
        /// Sets the maximum number of elements in the expansion of a model or in a world.
        elements: usize => elements;
        /// Sets the maximum number of bytes of the expansion of a model (the list of all possible values), or of the worlds that are evaluated
        /// together.
        expansion_memory: u64 => expansion_memory;
        /// Sets the maximum nesting depth of `Chain` elements.
        depth: usize => depth;
        /// Sets the maximum number of threads.
        threads: NonZero<usize> => threads;
        /// Sets the elimination order.
        order: Order => order;
        /// Sets the treatment of barren factors (normalised factors whose last variable occurs in no other factor).
        barren: BarrenFactors => barren;
    }

    /// Returns the same limits with the deadline and the interrupt that `until` contains.
    #[must_use]
    pub fn until(&self, until: &Until) -> Self {
        Self {
            until: until.clone(),
            ..self.clone()
        }
    }

    /// Returns the same limits with `flag` as the interrupt.
    #[must_use]
    pub fn interrupted_by(&self, flag: Arc<AtomicBool>) -> Self {
        let mut limits = self.clone();
        limits.until.interrupt = Some(flag);
        limits
    }

    /// Returns the same limits with at most `operations` predicted operations.
    #[must_use]
    pub fn with_work_at_most(&self, operations: f64) -> Self {
        self.clone().work(self.work.min(operations))
    }

    /// Limits the number of partial assignments that the joins of an elimination visit: `ratio` for each predicted operation, and `most` in total.
    /// The number of partial assignments needs a limit because tables may contain fewer zeros than predicted.
    #[must_use]
    pub fn assignments(mut self, ratio: f64, most: f64) -> Self {
        (self.assignment_ratio, self.most_assignments) = (ratio, most);
        self
    }

    /// Replaces the limits of the expansion of a model (elements, entries of the table of an element, bytes and depth) by those of `other`.
    #[must_use]
    pub fn with_expansion_of(self, other: &Self) -> Self {
        self.element_entries(other.element_entries)
            .elements(other.elements)
            .expansion_memory(other.expansion_memory)
            .depth(other.depth)
    }

    /// Returns the maximum number of threads, or the number of cores if there is no maximum.
    pub fn thread_count(&self) -> usize {
        self.threads.map_or_else(cores, NonZero::get)
    }
}

/// Returns the number of threads that this machine can run at the same time.
pub fn cores() -> usize {
    // The number is stored, because the system call takes longer than a small query.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// A deadline and an interrupt flag: a computation ends when the deadline has passed or the flag is set.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// The deadline, at which a computation ends; `None` if there is no deadline.
    pub deadline: Option<Instant>,
    /// Flag that ends the computation when it becomes `true`; `None` if the computation has no interrupt flag.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Second flag that ends the computation when it becomes `true`; the owner of a run sets this flag to stop the run.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Until {
    /// True if the interrupt flag or the stop flag is set.
    #[inline]
    pub fn is_interrupted(&self) -> bool {
        let is_set = |flag: &Option<Arc<AtomicBool>>| {
            let flag = flag.as_deref();
            flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        is_set(&self.interrupt) || is_set(&self.stop)
    }

    /// True if the deadline has passed or the interrupt flag is set. The clock is read only if there is a deadline, because
    /// reading the clock takes some 25 nanoseconds.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Until {
    /// Returns the reason why the computation must stop, or `None` if it may continue. The method `stopped` is cheap enough to be called every few
    /// microseconds.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.is_interrupted() {
            return Some(Stopped::Interrupted);
        }
        self.is_over().then_some(Stopped::Deadline)
    }
}

impl PartialEq for Until {
    fn eq(&self, other: &Self) -> bool {
        let flags = |until: &Self| {
            [&until.interrupt, &until.stop].map(|flag| flag.as_ref().map(Arc::as_ptr))
        };
        self.deadline == other.deadline && flags(self) == flags(other)
    }
}

/// The reason why a run of an algorithm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stopped {
    /// The run completed its work.
    Finished,
    /// The budget of iterations or of work was used up before the run finished.
    Budget,
    /// The deadline passed; the answer holds the results found before the deadline.
    Deadline,
    /// The run was interrupted; the answer holds the results found before the interruption.
    Interrupted,
}

impl Stopped {
    /// Returns the first reason of `ends` that is not [`Finished`](Self::Finished); `Finished` if all reasons are `Finished`.
    pub fn first_reason(ends: impl IntoIterator<Item = Self>) -> Self {
        let mut ends = ends.into_iter();
        ends.find(|why| *why != Self::Finished)
            .unwrap_or(Self::Finished)
    }
}

/// Number of bytes that a computation uses, for comparison with the memory limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryAccount {
    held: u64,
    /// The number of used bytes at the last check by [`check_growth`](Self::check_growth).
    checked: u64,
}

impl MemoryAccount {
    /// Returns the number of bytes that the computation uses.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Adds `bytes`, which the computation has allocated, to the account.
    pub fn add(&mut self, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
    }

    /// Subtracts `bytes`, which the computation has freed, from the account.
    pub fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Sets the number of used bytes to `bytes`.
    pub fn set(&mut self, bytes: u64) {
        self.held = bytes;
    }

    /// Returns an error if the used bytes and `more` additional bytes would exceed the memory limit of an elimination or a search.
    pub fn check(&self, limits: &Limits, more: u64) -> Result<(), EliminationError> {
        limits.check_memory(self.held.saturating_add(more) as f64)
    }

    /// Checks the used bytes as [`check`](Self::check) does, but only if their number has grown enough since the last check: by a sixteenth and by
    /// more than `least` bytes.
    ///
    /// Because only sufficient growth causes a check, the available memory of the machine is queried seldom.
    pub fn check_growth(&mut self, limits: &Limits, least: u64) -> Result<(), EliminationError> {
        let unchecked = least.max(self.checked / 16);
        if self.held > self.checked.saturating_add(unchecked) {
            self.check(limits, 0)?;
            self.checked = self.held;
        }
        Ok(())
    }
}

/// The number of steps that several computations may still do together; all clones of a budget share this number.
///
/// Unlike a deadline, a work budget ends the work at the same step on every machine.
#[derive(Clone, Debug)]
pub struct WorkBudget(Arc<AtomicU64>);

impl WorkBudget {
    /// Creates a budget of `steps` steps.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self(Arc::new(AtomicU64::new(steps)))
    }

    /// Returns the number of remaining steps.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Subtracts `steps` from the remaining steps of the budget and returns `true`. If fewer than `steps` steps remain, sets the remaining budget to
    /// zero and returns `false`.
    #[must_use]
    pub fn spend(&self, steps: u64) -> bool {
        let take = |left: u64| Some(left.saturating_sub(steps));
        let before = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.is_ok_and(|before| steps <= before)
    }
}

#[cfg(test)]
mod tests {
    use super::WorkBudget;

    #[test]
    fn clones_share_what_is_left() {
        let budget = WorkBudget::new(10);
        let other = budget.clone();
        assert!(budget.spend(7) && other.spend(3) && budget.spend(0));
        assert!(!other.spend(1));
        let budget = WorkBudget::new(10);
        assert!(!budget.spend(11) && budget.left() == 0);
    }
}
