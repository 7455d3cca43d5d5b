//! Exhaustive search over the solutions of clauses: decisions, unit propagation, and a cache of the values of components.

mod split;

use figrs_factor::{Limits, MemoryAccount};
use std::fmt;

use super::clause_database::ClauseKind;
use super::component_cache::ComponentCache;
use super::components::{ComponentFinder, OpenComponent};
use super::conflict_analysis::{ConflictAnalysis, Refutation};
use super::defined_atoms::DefinedAtom;
use super::literal::AtomLiteral;
use super::logical_form::LogicalForm;
use super::memory_budget::{UNCHECKED_GROWTH, check_positions};
use super::propagator::{AssignmentReason, ClausePropagator, Truth};
use super::search_trace::SearchTrace;
use super::weight_diagrams::ResidualTable;
use figrs_factor::eliminate::EliminationError;

/// Number of atoms that the search reads between two checks of the time and memory limits; tests check the limits after each step.
const LOOK_INTERVAL: usize = if cfg!(test) { 1 } else { 1 << 14 };
/// Work of one search step in addition to reading the atoms of its component, as a number of atoms that are read.
const STEP_WORK: usize = 1 << 6;
/// Number of learned clauses at which the search forgets clauses for the first time.
const FIRST_LEARNED_LIMIT: usize = 4000;
/// Number of bytes of an atom in the lists of the search.
const ATOM_BYTES: usize = 32;
/// Weight of an atom's activity in conflicts, relative to the number of its clauses, in the choice of decisions.
const ACTIVITY_WEIGHT: f64 = 10.0;

/// A decision of the search, with the lengths that the search's lists had before the decision.
#[derive(Clone, Debug)]
struct SearchFrame<V> {
    component: OpenComponent,
    branch: AtomLiteral,
    /// True in the second branch of the search after a decision, in which the decided literal is false.
    second: bool,
    /// The value of the first branch after the decision; `None` if the first branch has no solution.
    first_value: Option<V>,
    trail_start: usize,
    residuals_start: usize,
    pending_start: usize,
    members_start: usize,
}

/// Limits of a search, and the listener of its progress.
pub struct SearchControl<'a> {
    /// Limits of the search: memory, deadline and interrupt.
    pub limits: &'a Limits,
    /// Maximum number of decisions of the search.
    pub decisions: u64,
    /// Progress listener, which the search calls from time to time with the number of decisions.
    pub report: &'a dyn Fn(u64),
}

impl<'a> SearchControl<'a> {
    /// Creates the control of a search with any number of decisions, without a progress listener.
    pub fn within(limits: &'a Limits) -> Self {
        Self {
            limits,
            decisions: u64::MAX,
            report: &|_| (),
        }
    }
}

impl fmt::Debug for SearchControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SearchControl");
        debug.field("decisions", &self.decisions);
        debug.finish_non_exhaustive()
    }
}

/// Exhaustive search over the worlds (assignments) of a factor graph in the form of clauses and decision diagrams.
#[derive(Debug)]
pub(super) struct ExhaustiveSearch<'a, T: SearchTrace> {
    form: &'a mut LogicalForm,
    pub trace: T,
    pub propagator: ClausePropagator,
    pub analysis: ConflictAnalysis,
    finder: ComponentFinder,
    pub cache: ComponentCache<T::Value>,
    /// For each decision, the number of keys that had been inserted into the cache when the decision's current branch began.
    cache_marks: Vec<usize>,
    preferences: Vec<f64>,
    frames: Vec<SearchFrame<T::Value>>,
    pending: Vec<OpenComponent>,
    /// The recorded changes of residual tables (tables restricted to the remaining values): each has a factor, and its table before the change.
    residual_trail: Vec<(u32, ResidualTable)>,
    /// For each atom, the index of the last search branch whose component contains the atom.
    owner: Vec<u64>,
    is_defined: Vec<bool>,
    branches: u64,
    learned_limit: usize,
    decisions: u64,
    /// Number of atoms that were read since the last check of the time and memory limits.
    work: usize,
    fixed_bytes: usize,
    memory: MemoryAccount,
    /// If set, components whose values are cached are searched again, and the new values are compared with the cached values.
    #[cfg(test)]
    pub replay: Option<super::tests::CacheReplay<T::Value>>,
}

impl<'a, T: SearchTrace> ExhaustiveSearch<'a, T> {
    /// Creates a search of the problem `form`, which consists of clauses and decision diagrams; the search drops the clauses of `form` when it
    /// begins.
    pub(super) fn new(
        form: &'a mut LogicalForm,
        (preferences, defined): (Vec<f64>, &[DefinedAtom]),
        trace: T,
        cache_bytes: u64,
    ) -> Self {
        let mut propagator = ClausePropagator::new(form.atoms.exclusive());
        for clause in &form.clauses {
            propagator.add_clause(clause, ClauseKind::Given, 0);
        }
        let finder = ComponentFinder::new(form, &propagator.clauses);
        let atoms = form.atoms.len();
        let mut is_defined = vec![false; atoms];
        for atom in defined {
            is_defined[atom.atom as usize] = true;
        }
        let fixed_bytes = finder.bytes() + form.atoms.bytes() + atoms * ATOM_BYTES;
        Self {
            form,
            trace,
            propagator,
            analysis: ConflictAnalysis::new(atoms),
            finder,
            cache: ComponentCache::new(cache_bytes),
            cache_marks: vec![0],
            preferences,
            frames: Vec::new(),
            pending: Vec::new(),
            residual_trail: Vec::new(),
            owner: vec![0; atoms],
            is_defined,
            branches: 0,
            learned_limit: FIRST_LEARNED_LIMIT,
            decisions: 0,
            work: 0,
            fixed_bytes,
            memory: MemoryAccount::default(),
            #[cfg(test)]
            replay: None,
        }
    }

    pub(super) fn into_trace(self) -> T {
        self.trace
    }

    /// Returns the value of the searched problem: the sum of the weights of all assignments, or a circuit for this sum. Returns `None` if zeros of
    /// the factors exclude all assignments.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] at a deadline or an interrupt; [`EliminationError::TooManyOperations`] after the maximum number
    /// of decisions; [`EliminationError::TooMuchMemory`] if the search exceeds the memory limit.
    pub(super) fn run(
        &mut self,
        control: &SearchControl<'_>,
    ) -> Result<Option<T::Value>, EliminationError> {
        if self.form.is_empty || !self.begin() {
            return Ok(None);
        }
        loop {
            self.work += STEP_WORK;
            if self.work >= LOOK_INTERVAL {
                self.work = 0;
                self.check_limits(control)?;
            }
            let base = self.frames.last().map_or(0, |frame| frame.pending_start);
            let is_possible = if self.pending.len() > base {
                self.decide();
                self.settle()
            } else {
                match self.frames.last().map(|frame| frame.second) {
                    None => {
                        let value = self.trace.close_product();
                        self.check_positions()?;
                        control.limits.check_memory(self.bytes() as f64)?;
                        return Ok(Some(value));
                    }
                    Some(false) => {
                        let value = self.trace.close_product();
                        self.flip(Some(value), AssignmentReason::None);
                        self.settle()
                    }
                    Some(true) => {
                        let value = self.trace.close_product();
                        self.finish_frame(Some(value));
                        true
                    }
                }
            };
            if !is_possible {
                return Ok(None);
            }
        }
    }

    /// Returns the approximate memory of the search in bytes: its result so far, the cache, the clauses, the decision diagrams and the components.
    fn bytes(&self) -> usize {
        self.fixed_bytes
            + self.trace.bytes()
            + self.cache.bytes()
            + self.propagator.bytes()
            + self.form.diagrams.bytes()
            + self.finder.members.capacity() * size_of::<u32>()
            + self.residual_trail.capacity() * size_of::<(u32, ResidualTable)>()
            + self.pending.capacity() * size_of::<OpenComponent>()
            + self.frames.capacity() * (size_of::<SearchFrame<T::Value>>() + size_of::<usize>())
    }

    fn check_positions(&self) -> Result<(), EliminationError> {
        let longest = (self.trace.positions())
            .max(self.propagator.clauses.positions())
            .max(self.form.diagrams.positions())
            .max(self.finder.members.len());
        check_positions(longest, self.bytes())
    }

    fn check_limits(&mut self, control: &SearchControl<'_>) -> Result<(), EliminationError> {
        (control.report)(self.decisions);
        if self.decisions > control.decisions {
            return Err(EliminationError::TooManyOperations {
                needed: self.decisions as f64,
                limit: control.decisions as f64,
            });
        }
        self.check_positions()?;
        self.memory.set(self.bytes() as u64);
        self.memory.check_growth(control.limits, UNCHECKED_GROWTH)?;
        control.limits.check_interrupt()
    }

    /// Assigns the literals of unit clauses, and finds the first components of undecided atoms; returns `false` if the problem has no solution.
    fn begin(&mut self) -> bool {
        for i in 0..self.form.clauses.len() {
            if let [literal] = *self.form.clauses[i] {
                match self.propagator.truth(literal) {
                    Truth::True => {}
                    Truth::Open => self.propagator.assign(literal, AssignmentReason::None),
                    Truth::False => return false,
                }
            }
        }
        if !self.propagator.propagate() {
            return false;
        }
        // The clauses are dropped, because the propagator has a copy of them.
        self.form.clauses = Vec::new();
        self.trace.open_product();
        for &residual in &self.finder.residuals {
            if let Some(symbol) = residual.symbol() {
                self.trace.symbol(symbol);
            }
        }
        for (v, &n) in (0..).zip(&self.form.atoms.cardinalities) {
            if n == 1 && !self.form.determined.contains(v) {
                self.trace.value(v, 0);
            }
        }
        self.branches += 1;
        self.owner.fill(self.branches);
        self.record_assignments(0);
        self.finder.begin();
        for atom in 0..self.form.atoms.len() as u32 {
            if !self.is_defined[atom as usize] {
                self.split_off(atom);
            }
        }
        self.sort_pending(0);
        true
    }

    /// Takes the next component of the current search branch, and decides one of its atoms.
    fn decide(&mut self) {
        let Some(component) = self.pending.pop() else {
            return;
        };
        self.decisions += 1;
        let branch = self.choose(component);
        let frame = SearchFrame {
            component,
            branch,
            second: false,
            first_value: None,
            trail_start: self.propagator.trail.len(),
            residuals_start: self.residual_trail.len(),
            pending_start: self.pending.len(),
            members_start: self.finder.members.len(),
        };
        self.frames.push(frame);
        self.cache_marks.push(self.cache.mark());
        self.propagator.level = self.frames.len() as u32;
        self.trace.open_product();
        self.propagator.assign(branch, AssignmentReason::None);
    }

    /// Returns the literal of `component` that is decided next.
    fn choose(&self, component: OpenComponent) -> AtomLiteral {
        let members = self.members(component);
        let activity = |literal: AtomLiteral| self.propagator.activity[literal.index()];
        let step = ACTIVITY_WEIGHT / self.propagator.activity_step;
        let score = |atom: u32| {
            let [yes, no] = [true, false].map(|value| activity(AtomLiteral::new(atom, value)));
            let preference = self.preferences[self.form.atoms.variables[atom as usize] as usize];
            preference + f64::from(self.finder.frequency[atom as usize]) + step * (yes + no)
        };
        let mut best = (f64::NEG_INFINITY, 0);
        for &atom in members {
            let score = score(atom);
            if score > best.0 {
                best = (score, atom);
            }
        }
        let [yes, no] = [true, false].map(|value| AtomLiteral::new(best.1, value));
        if activity(no) > activity(yes) {
            no
        } else {
            yes
        }
    }

    fn members(&self, component: OpenComponent) -> &[u32] {
        &self.finder.members[component.start as usize..][..component.len as usize]
    }

    /// Propagates the last decision, and resolves conflicts until no conflict remains. Returns `false` if the conflicts show that the problem has no
    /// solution.
    fn settle(&mut self) -> bool {
        while !(self.propagator.assign_facts() && self.propagator.propagate()) {
            let refutation = self.analysis.resolve(&mut self.propagator);
            self.propagator.clauses.compact();
            if self.propagator.clauses.learned > self.learned_limit {
                self.propagator.forget_learned();
                self.learned_limit += self.learned_limit / 10;
            }
            let Refutation::Decision(level, reason) = refutation else {
                return false;
            };
            while self.frames.len() > level as usize {
                self.trace.drop_product();
                self.drop_frame();
            }
            self.cache.purge(self.cache_marks[level as usize]);
            #[cfg(test)]
            if let Some(replay) = &mut self.replay {
                replay.purge(self.cache_marks[level as usize]);
            }
            self.trace.drop_product();
            if self.frames.last().is_some_and(|frame| frame.second) {
                self.propagator.forget_reason(reason);
                self.finish_frame(None);
                return true;
            }
            self.flip(None, reason);
        }
        self.extend();
        true
    }

    /// Undoes the assignments of the current search branch, and drops the components of this branch that have not been searched.
    fn undo_branch(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let start = frame.residuals_start;
        let (pending, members) = (frame.pending_start, frame.members_start);
        // The reason of the first literal of the branch is forgotten; it is a clause only if the literal is a negated decision.
        let first = self.propagator.trail[frame.trail_start];
        let reason = self.propagator.reason_of(first);
        self.propagator.forget_reason(reason);
        self.propagator.undo(frame.trail_start);
        for (factor, before) in self.residual_trail.drain(start..).rev() {
            self.finder.residuals[factor as usize] = before;
        }
        self.pending.truncate(pending);
        self.finder.members.truncate(members);
    }

    fn drop_frame(&mut self) {
        self.undo_branch();
        self.frames.pop();
        self.cache_marks.pop();
        self.propagator.level = self.frames.len() as u32;
    }

    /// Changes from the first branch of the last decision to the second branch. The argument `value` is the value of the first branch; `reason` is
    /// the reason for the negation of the decision.
    fn flip(&mut self, value: Option<T::Value>, reason: AssignmentReason) {
        self.undo_branch();
        let mark = self.cache.mark();
        if let Some(last) = self.cache_marks.last_mut() {
            *last = mark;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.second = true;
            frame.first_value = value;
            frame.branch = !frame.branch;
            self.trace.open_product();
            self.propagator.assign(frame.branch, reason);
        }
    }

    /// Completes the last decision, whose second branch has the value `second`.
    fn finish_frame(&mut self, second: Option<T::Value>) {
        let Some((hash, first)) = self
            .frames
            .last()
            .map(|f| (f.component.hash, f.first_value))
        else {
            return;
        };
        self.drop_frame();
        let value = match (first, second) {
            (Some(first), Some(second)) => self.trace.sum(first, second),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => return,
        };
        #[cfg(test)]
        if let Some(replay) = &mut self.replay
            && let Some(known) = self.cache.get(hash)
        {
            replay.compare(self.cache.mark(), known, value);
        }
        self.cache.insert(hash, value, self.cache_marks.iter_mut());
        self.trace.multiply(value);
    }
}
