//! Best-first search: greedy search for any plan, and A* for a shortest plan.

use std::collections::BTreeMap;

use super::nodes::Nodes;
use super::open_lists::OpenLists;
use super::other_searches::{OtherSearches, work_since};
use super::state_space::{SearchEstimate, StateSpace};
use figrs_answer::{RunMonitor, Watch, guarded, setters};
use figrs_factor::Stopped;
use figrs_infer::Error;

/// Best-first search for one plan through the states of a [`StateSpace`].
///
/// Best-first search is meant for models with too many states for [`Frontier`](figrs_infer::Frontier), an exact algorithm which stores all states
/// that are reachable in the same number of steps. A plan is a sequence of actions that meets the evidence (the goal), and estimates guide the
/// search.
///
/// The method [`any_plan`](Self::any_plan) is a greedy best-first search with deferred evaluation and preferred actions. The greedy search proves
/// little about the length of shortest plans. If the greedy search takes long, three other searches run alternately with the greedy search. The first
/// additional search is a breadth-first search from both ends, if the state space knows [goals](StateSpace::goals) and
/// [predecessors](StateSpace::predecessors). The second additional search is weighted A*, which finds shorter plans; only weighted A* can decide
/// whether there is a plan of at most [`steps`](Self::steps) steps, if this limit is small. The third additional search is a sequence of depth-first
/// searches with restarts, which backtrack at dead ends and prefer states with the fewest or most successors, or preferred actions. The method
/// [`shortest_plan`](Self::shortest_plan) is A*, which finds a plan and proves that no plan is shorter.
///
/// **Guarantee.** A returned plan leads from the start to a goal. The values of [`SearchResult::at_least`] and [`SearchResult::is_impossible`] are
/// proven, provided that the bounds of the state space are correct. The search always finds the same plan, because the random numbers that break ties
/// have fixed seeds.
///
/// **Complexity.** The greedy search of `any_plan` expands each state at most once; the search of `shortest_plan` does too if its lower bound is
/// consistent. All visited states are stored in memory.
///
/// **Errors.** [`Error::Panicked`] if a method of the state space panics. Reaching a limit of memory, work or steps is not an error: the result
/// states the reason why the search ended.
///
/// **References.** Hart, Nilsson and Raphael (1968) for A*. Greedy search with several open lists, deferred evaluation and preferred actions is
/// described in Richter and Westphal (2010), "The LAMA Planner", sections 4 and 5. Weighted A* is described in Pohl, "Heuristic search viewed as path
/// finding in a graph", Artificial Intelligence 1 (1970). Search from both ends is described in Pohl, "Bi-directional search", Machine Intelligence 6
/// (1971). Restarts of a search are described in Gomes, Selman and Kautz, "Boosting combinatorial search through randomization", AAAI 1998.
///
/// ```
/// use figrs_gdl::{BestFirst, StateSpace};
///
/// /// From 1 to a number by doubling and adding one.
/// struct Doubling(u32);
/// impl StateSpace for Doubling {
///     type State = u32;
///     type Action = char;
///     fn start(&self) -> u32 {
///         1
///     }
///     fn is_goal(&mut self, state: &u32) -> bool {
///         *state == self.0
///     }
///     fn successors(&mut self, state: &u32, found: &mut Vec<(char, u32)>) {
///         found.extend([('d', 2 * state), ('a', state + 1)].into_iter().filter(|next| next.1 <= self.0));
///     }
/// }
/// let found = BestFirst::new().shortest_plan(&mut Doubling(10))?;
/// assert_eq!(found.plan().unwrap(), ['d', 'd', 'a', 'd']);
/// assert!(found.is_shortest());
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BestFirst {
    memory: u64,
    work: Option<u64>,
    steps: usize,
    watch: Watch,
}

impl Default for BestFirst {
    fn default() -> Self {
        Self::new()
    }
}

/// Number of states for which memory is reserved in advance, enough for the successors of one state.
const RESERVED: usize = 1 << 10;

/// Maximum number of states that a search stores. The indices of states have 32 bits. Half of the 32-bit indices of states are reserved, because one
/// state may have many successors.
const MAX_STATES: usize = 1 << 31;

impl BestFirst {
    /// Creates a search with a memory budget of one GiB.
    pub fn new() -> Self {
        Self {
            memory: 1 << 30,
            work: None,
            steps: u32::MAX as usize,
            watch: Watch::default(),
        }
    }

    figrs_factor::field_setters! {
        /// Limits the memory: the search ends when its states and open lists take more than `memory` bytes.
        memory: u64 => memory;
        /// Limits the work: the search ends when [`StateSpace::work`] has grown by more than `work`.
        work: u64 => work;
    }

    /// Returns the limit of the work, if there is one.
    pub fn work_limit(&self) -> Option<u64> {
        self.work
    }

    /// Limits the length of plans: the search finds only plans of at most `most` steps.
    pub fn steps(mut self, most: usize) -> Self {
        self.steps = most;
        self
    }

    setters!(watch: watch);

    /// Finds some plan by greedy best-first search.
    ///
    /// **Errors.** The same errors as listed for [`BestFirst`](Self).
    pub fn any_plan<T: StateSpace>(&self, space: &mut T) -> Result<SearchResult<T::Action>, Error> {
        self.limited(space, Self::greedy)
    }

    /// Finds a shortest plan of at most [`steps`](Self::steps), by A*.
    ///
    /// **Errors.** The same errors as listed for [`BestFirst`](Self).
    pub fn shortest_plan<T: StateSpace>(
        &self,
        space: &mut T,
    ) -> Result<SearchResult<T::Action>, Error> {
        self.limited(space, Self::a_star)
    }

    /// Runs the search `search`, and determines whether the limit of work or of memory ended the search.
    fn limited<T: StateSpace>(
        &self,
        space: &mut T,
        search: impl Fn(&Self, &mut T) -> SearchResult<T::Action>,
    ) -> Result<SearchResult<T::Action>, Error> {
        guarded(|| {
            let began = space.work();
            let found = search(self, space);
            let is_spent = self.work.is_some_and(|most| space.work() - began > most);
            Ok(SearchResult {
                is_full: found.stopped == Stopped::Budget && !is_spent,
                ..found
            })
        })
    }

    /// Returns the reason why the search stops before the next state; `None` if the search continues.
    fn stopped<T: StateSpace>(
        &self,
        space: &T,
        (run, began): (&RunMonitor<'_>, u64),
        (states, bytes): (usize, u64),
    ) -> Option<Stopped> {
        let is_spent = self.work.is_some_and(|most| space.work() - began > most);
        let is_full = bytes > self.memory || states > MAX_STATES;
        let budget = (is_spent || is_full).then_some(Stopped::Budget);
        budget.or_else(|| run.stopped())
    }

    fn greedy<T: StateSpace>(&self, space: &mut T) -> SearchResult<T::Action> {
        let run = self.watch.start("BestFirst", None);
        let began = space.work();
        let start = space.start();
        let mut estimate = SearchEstimate::default();
        space.estimate(&start, &mut estimate);
        let scores = estimate.scores.len().max(1);
        let mut open = OpenLists::new(scores);
        let mut best = vec![u64::MAX; scores];
        let solved = space.is_goal(&start);
        let mut others = OtherSearches::new(start.clone());
        let mut nodes = Nodes::new(start);
        let mut found = Vec::new();
        // True after the search has dropped a state because plans through this state need too many steps.
        let mut is_cut = false;
        let result = |states, plan: Option<Vec<T::Action>>, why, impossible| SearchResult {
            at_least: usize::from(plan.as_ref().is_none_or(|plan| !plan.is_empty())),
            plan,
            impossible,
            states,
            stopped: why,
            is_full: false,
        };
        if solved {
            return result(nodes.len(), Some(Vec::new()), Stopped::Finished, false);
        }
        open.push(0, &vec![0; scores], false);
        while let Some(number) = open.pop() {
            if !nodes.expand(number) {
                continue;
            }
            let bytes = nodes.bytes_with(RESERVED) + open.bytes() + others.bytes();
            let met = nodes.len() + others.states();
            if let Some(why) = self.stopped(space, (&run, began), (nodes.len(), bytes)) {
                return result(met, None, why, false);
            }
            if others.have_turn(work_since(space, began, nodes.len())) {
                let here = bytes - others.bytes();
                let goes_on = |space: &T, more: u64| {
                    let (all, states) = ((&run, began), nodes.len());
                    self.stopped(space, all, (states, here + more)).is_none()
                };
                let found = others.turn(space, self.steps, &goes_on);
                if found.is_some() {
                    let met = nodes.len() + others.states();
                    return result(met, found, Stopped::Finished, false);
                }
            }
            if nodes.steps(number) as usize >= self.steps {
                is_cut = true;
                continue;
            }
            let state = nodes.state(number).clone();
            estimate.clear();
            space.estimate(&state, &mut estimate);
            if estimate.is_dead_end {
                continue;
            }
            let least = (nodes.steps(number) as usize).saturating_add(estimate.at_least as usize);
            if least > self.steps {
                is_cut = true;
                continue;
            }
            estimate.scores.resize(scores, 0);
            let mut is_better = false;
            for (best, &score) in best.iter_mut().zip(&estimate.scores) {
                is_better |= score < *best;
                *best = score.min(*best);
            }
            if is_better {
                open.boost();
            }
            found.clear();
            space.successors(&state, &mut found);
            for (action, state) in found.drain(..) {
                let is_goal = |space: &mut T, nodes: &Nodes<_, _>, new| {
                    let state: &T::State = Nodes::state(nodes, new);
                    space.is_goal(state)
                };
                let Some(new) = nodes.reach(number, action, state) else {
                    continue;
                };
                if is_goal(space, &nodes, new) {
                    let met = nodes.len() + others.states();
                    return result(met, Some(nodes.way(new)), Stopped::Finished, false);
                }
                let is_preferred = estimate.preferred.contains(&action);
                open.push(new, &estimate.scores, is_preferred);
            }
            run.report(nodes.len() as u64);
        }
        let met = nodes.len() + others.states();
        if !is_cut {
            return result(met, None, Stopped::Finished, true);
        }
        // A dropped state may also be reached by a shorter path that has few enough steps, so the weighted search
        // continues.
        let here = nodes.bytes_with(RESERVED) + open.bytes();
        let weighted = others.weighted();
        let (mut stopped, mut looked_at) = (None, met as u64);
        let plan = weighted.go_on(space, self.steps, &mut |space, bytes| {
            looked_at += 1;
            run.report(looked_at);
            stopped = self.stopped(space, (&run, began), (met, here + bytes));
            stopped.is_none()
        });
        let is_impossible = weighted.is_exhausted() && !weighted.is_cut();
        let met = nodes.len() + others.states();
        let why = stopped.unwrap_or(Stopped::Finished);
        let is_none = plan.is_none() && stopped.is_none();
        let mut result = result(met, plan, why, is_none && is_impossible);
        if is_none {
            result.at_least = self.steps.saturating_add(1);
        }
        result
    }

    fn a_star<T: StateSpace>(&self, space: &mut T) -> SearchResult<T::Action> {
        let run = self.watch.start("BestFirst", None);
        let began = space.work();
        let mut nodes = Nodes::new(space.start());
        // The open states, ordered by the total number of steps (taken plus estimated) and by the estimated number of remaining steps; the estimates
        // were made when the states were added.
        let mut open: BTreeMap<(u64, u32), Vec<u32>> = BTreeMap::new();
        let mut entries = 1;
        open.insert((0, 0), vec![0]);
        let mut found = Vec::new();
        let mut is_cut = false;
        let most = self.steps as u64;
        while let Some(mut first) = open.first_entry() {
            let (total, left) = *first.key();
            let number = first.get_mut().pop();
            if first.get().is_empty() {
                first.remove();
            }
            entries -= 1;
            let Some(number) = number else {
                continue;
            };
            let result = |nodes: &Nodes<T::State, T::Action>, plan, why| SearchResult {
                plan,
                at_least: total as usize,
                impossible: false,
                states: nodes.len(),
                stopped: why,
                is_full: false,
            };
            let steps = nodes.steps(number);
            // The entry is outdated, because a shorter path to the state was found later.
            if u64::from(steps) + u64::from(left) != total {
                continue;
            }
            let bytes = nodes.bytes_with(RESERVED) + 8 * entries;
            if let Some(why) = self.stopped(space, (&run, began), (nodes.len(), bytes)) {
                return result(&nodes, None, why);
            }
            let state = nodes.state(number).clone();
            if space.is_goal(&state) {
                return result(&nodes, Some(nodes.way(number)), Stopped::Finished);
            }
            let Some(bound) = space.at_least(&state) else {
                nodes.expand(number);
                continue;
            };
            let bound = bound.max(left);
            if u64::from(steps) + u64::from(bound) > most {
                is_cut = true;
                continue;
            }
            if bound > left {
                let at = (u64::from(steps) + u64::from(bound), bound);
                open.entry(at).or_default().push(number);
                entries += 1;
                continue;
            }
            if !nodes.expand(number) {
                continue;
            }
            found.clear();
            space.successors(&state, &mut found);
            let left = bound.saturating_sub(1);
            for (action, state) in found.drain(..) {
                if let Some(new) = nodes.reach_sooner(number, action, state) {
                    let at = (u64::from(steps) + 1 + u64::from(left), left);
                    open.entry(at).or_default().push(new);
                    entries += 1;
                }
            }
            run.report(nodes.len() as u64);
        }
        SearchResult {
            plan: None,
            at_least: self.steps.saturating_add(1),
            impossible: !is_cut,
            states: nodes.len(),
            stopped: Stopped::Finished,
            is_full: false,
        }
    }
}

/// Result of a search by [`BestFirst`](crate::BestFirst).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<A> {
    pub(super) plan: Option<Vec<A>>,
    pub(super) at_least: usize,
    pub(super) impossible: bool,
    pub(super) states: usize,
    pub(super) stopped: Stopped,
    pub(super) is_full: bool,
}

impl<A> SearchResult<A> {
    /// Returns the actions from the start to a goal; `None` if the search found no plan.
    pub fn plan(&self) -> Option<&[A]> {
        self.plan.as_deref()
    }

    /// Returns the number of steps below which it is proven that there is no plan.
    pub fn at_least(&self) -> usize {
        self.at_least
    }

    /// True if it is proven that no plan has fewer steps than the plan found.
    pub fn is_shortest(&self) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.len() <= self.at_least)
    }

    /// True if it is proven that no goal can be reached in any number of steps.
    pub fn is_impossible(&self) -> bool {
        self.impossible
    }

    /// Returns the number of states that the search visited.
    pub fn states(&self) -> usize {
        self.states
    }

    /// True if the memory limit ended the search, so that a larger work limit would not help.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the reason why the search ended: [`Stopped::Budget`] if the limit of memory or of work was reached. [`Stopped::Finished`] without a
    /// plan means that a goal is [impossible](Self::is_impossible), or needs more than the allowed number of steps.
    pub fn stopped(&self) -> Stopped {
        self.stopped
    }
}
