//! Division of a search branch into components, each of which is solved by a look-up in the cache, by a sum over one variable, or by a search.

use super::super::components::OpenComponent;
use super::super::literal::AtomLiteral;
use super::super::search_trace::SearchTrace;
use super::ExhaustiveSearch;

impl<T: SearchTrace> ExhaustiveSearch<'_, T> {
    /// Records the assignments of the current search branch, and splits its undecided atoms into components.
    pub(super) fn extend(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let (component, start, base) = (frame.component, frame.trail_start, frame.pending_start);
        self.branches += 1;
        self.work += component.len as usize;
        let range = component.start as usize..(component.start + component.len) as usize;
        for i in range.clone() {
            self.owner[self.finder.members[i] as usize] = self.branches;
        }
        self.record_assignments(start);
        self.finder.begin();
        for i in range {
            self.split_off(self.finder.members[i]);
        }
        self.sort_pending(base);
    }

    /// Records those assignments in the trail from the index `from` on that concern atoms of the current component, and restricts the factors' tables
    /// to them.
    ///
    /// Assignments of atoms in other components, which may follow from learned clauses, are not recorded.
    pub(super) fn record_assignments(&mut self, from: usize) {
        for at in from..self.propagator.trail.len() {
            let literal = self.propagator.trail[at];
            if self.owner[literal.atom()] != self.branches {
                continue;
            }
            let Some((variable, value)) = self.form.atoms.value_of(literal) else {
                continue;
            };
            self.trace.value(variable, value);
            for i in 0..self.finder.factors[variable as usize].len() {
                let factor = self.finder.factors[variable as usize][i];
                let before = self.finder.residuals[factor as usize];
                let after = self.form.diagrams.restrict(before, variable, value);
                if after == before {
                    continue;
                }
                self.finder.residuals[factor as usize] = after;
                self.residual_trail.push((factor, before));
                if let Some(symbol) = after.symbol() {
                    self.trace.symbol(symbol);
                }
            }
        }
    }

    /// Finds the component of undecided atoms that contains `atom`. If the value of the component is in the cache or easy to compute, multiplies by
    /// it; otherwise queues the component for the search.
    pub(super) fn split_off(&mut self, atom: u32) {
        let found = self.finder.component_of(atom, self.form, &self.propagator);
        let Some(component) = found else {
            return;
        };
        if component.len == 1 && self.finder.frequency[atom as usize] == 0 {
            self.trace.free(self.form.atoms.variables[atom as usize]);
        } else if let Some(value) = self.look_up(component) {
            self.trace.multiply(value);
        } else if let Some(variable) =
            (self.finder).lone_variable(component, self.form, &self.propagator)
        {
            let value = self.sum_over(variable);
            (self.cache).insert(component.hash, value, self.cache_marks.iter_mut());
            self.trace.multiply(value);
        } else {
            self.pending.push(component);
            return;
        }
        self.finder.members.truncate(component.start as usize);
    }

    /// Returns the sum over the values of `variable` that are not excluded; the variable must be a component of its own. The sum over the values of a
    /// variable takes time linear in their number; a search with one decision for each value would take quadratic time.
    fn sum_over(&mut self, variable: u32) -> T::Value {
        let mut sum = None;
        for atom in self.form.atoms.of(variable) {
            if !self.propagator.is_open(atom as usize) {
                continue;
            }
            let Some((_, value)) = self.form.atoms.value_of(AtomLiteral::new(atom, true)) else {
                continue;
            };
            self.work += 1;
            self.trace.open_product();
            self.trace.value(variable, value);
            for &factor in &self.finder.factors[variable as usize] {
                let before = self.finder.residuals[factor as usize];
                let after = self.form.diagrams.restrict(before, variable, value);
                if after != before
                    && let Some(symbol) = after.symbol()
                {
                    self.trace.symbol(symbol);
                }
            }
            let product = self.trace.close_product();
            sum = Some(match sum {
                Some(sum) => self.trace.sum(sum, product),
                None => product,
            });
        }
        sum.unwrap_or_else(|| {
            self.trace.open_product();
            self.trace.close_product()
        })
    }

    fn look_up(&mut self, component: OpenComponent) -> Option<T::Value> {
        #[cfg(test)]
        if self.replay.is_some() {
            return None;
        }
        self.cache.get(component.hash)
    }

    /// Sorts the components that wait for the search, from the index `base` on, by decreasing size. The smallest component is at the end of the list
    /// and is searched first.
    pub(super) fn sort_pending(&mut self, base: usize) {
        self.pending[base..].sort_by_key(|component| std::cmp::Reverse(component.len));
    }
}
