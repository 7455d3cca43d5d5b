//! Limits of a computation: memory, work, time and threads.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::eliminate::{BarrenFactors, Order};
use crate::until::Until;

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

/// Limits of a computation: the size of the expansion of a model, the memory and the work of an elimination, time and threads.
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
    /// Maximum number of bytes of all messages of an elimination, or of the data structures of a search. `None` (the default) means three
    /// quarters of the memory available when the plan is made.
    pub memory: Option<u64>,
    /// Maximum number of predicted operations of an elimination ([`PlanCost::operations`](crate::eliminate::PlanCost::operations)), or of steps of a
    /// search. Default infinity. The limit does not stop an elimination that takes more operations than predicted.
    pub work: f64,
    /// Maximum number of entries of the largest table of an elimination. Default 2^27.
    pub table_entries: usize,
    /// Maximum number of entries in the table of one element: the product of the numbers of its parents' values. Default 2^25.
    pub element_entries: u64,
    /// Maximum number of elements in an expansion or in one world. Elements that functions of Chains create count as soon as they are created. The
    /// default is 8 million, and [four million](Self::WORLD_ELEMENTS) for worlds.
    pub elements: usize,
    /// Maximum number of bytes of an expansion, or of the worlds that are evaluated together, including the elements that their functions create. The
    /// bytes include the heap memory of values and the data structures of figrs. They exclude data captured by functions, unless it is an element.
    /// Default [2 GiB](Self::EXPANSION_MEMORY).
    pub expansion_memory: u64,
    /// Maximum nesting depth of Chains within branches of Chains. Default 10 000.
    pub depth: usize,
    /// Nesting depth up to which Chains are expanded; `None` if all Chains are expanded.
    #[doc(hidden)]
    pub expanded_depth: Option<usize>,
    /// In an expansion to a given depth, the number of values that are listed for an element with infinitely many values; `None` if such an element
    /// is an error.
    #[doc(hidden)]
    pub range: Option<usize>,
    /// Maximum number of threads that share the work; `None` (the default) means the number of cores.
    pub threads: Option<NonZero<usize>>,
    /// Deadline and interrupt.
    pub until: Until,
    /// Elimination order.
    pub order: Order,
    /// Treatment of barren factors.
    pub barren: BarrenFactors,
    /// Maximum number of partial assignments that the joins of an elimination may visit, for each predicted operation.
    pub(crate) assignment_ratio: f64,
    /// Maximum number of partial assignments that the joins of an elimination may visit in total.
    pub(crate) most_assignments: f64,
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
    /// Returns the default limits with at most `elements` elements.
    fn from(elements: usize) -> Self {
        Self::default().elements(elements)
    }
}

impl Limits {
    /// Default maximum number of elements of a world: four million.
    pub const WORLD_ELEMENTS: usize = 4_000_000;

    /// Default maximum number of bytes of an expansion or a world: 2 GiB. An expansion of two million small elements needs about one gibibyte. With
    /// the default limit, the expansion of an infinite model takes less than three quarters of 4 GiB, including the overhead of the allocator.
    pub const EXPANSION_MEMORY: u64 = 2 << 30;

    field_setters! {
        /// Sets the maximum number of bytes of all messages of an elimination together, or of the data structures of a search.
        memory: u64 => memory;
        /// Sets the maximum number of predicted operations of an elimination, or of steps of a search. An elimination over the limit is refused
        /// before factors are multiplied.
        work: f64 => work;
        /// Sets the maximum number of entries of the largest table of an elimination.
        table_entries: usize => table_entries;
        /// Sets the maximum number of entries in the table of one element.
        element_entries: u64 => element_entries;
        /// Sets the maximum number of elements of an expansion or a world.
        elements: usize => elements;
        /// Sets the maximum number of bytes of an expansion, or of the worlds that are evaluated together.
        expansion_memory: u64 => expansion_memory;
        /// Sets the maximum nesting depth of Chains.
        depth: usize => depth;
        /// Sets the maximum number of threads.
        threads: NonZero<usize> => threads;
        /// Sets the elimination order.
        order: Order => order;
        /// Sets the treatment of barren factors.
        barren: BarrenFactors => barren;
    }

    /// Returns the same limits with the deadline and the interrupt of `until`.
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
    /// Joins need this limit because tables may contain fewer zeros than predicted.
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
