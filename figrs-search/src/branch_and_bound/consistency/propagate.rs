//! Propagation to existential directional arc consistency (EDAC): moves costs between cost functions until no transfer is possible.

use figrs_factor::Until;

use super::super::network::function::Arity;
use super::super::network::{Conflict, Network};

const WORK_IN_A_ROW: u64 = 1 << 14;

/// Maximum number of futile transfers in one propagation: transfers of costs to earlier variables that do not raise the lower bound.
const MAX_FUTILE_MOVES: u32 = 64;

impl Network {
    /// Moves costs between cost functions until no transfer is possible (EDAC), and eliminates variables that have few neighbours. The propagation of
    /// costs pauses after the allowed number of steps. The bounds are valid while the propagation pauses, and the next call continues the
    /// propagation.
    ///
    /// **Errors.** [`Conflict`] if no assignment costs less than the upper bound.
    ///
    /// **References.** De Givry, Heras, Zytnicki and Larrosa, *Existential arc consistency: getting closer to full arc consistency in weighted
    /// CSPs*, IJCAI 2005; Sanchez, de Givry and Schiex, *Mendelian error detection in complex pedigrees using weighted constraint satisfaction
    /// techniques*, Constraints 13, 2008 (ternary functions).
    pub(in super::super) fn propagate(&mut self) -> Result<(), Conflict> {
        let result = self.run_queues();
        if result.is_err() && (self.cause as usize) < self.weights.len() {
            self.weights[self.cause as usize] += 1;
        }
        result
    }

    /// Propagates costs as [`propagate`](Self::propagate) does, but pauses only after the deadline.
    pub(in super::super) fn propagate_until(&mut self, until: &Until) -> Result<(), Conflict> {
        loop {
            self.pause_at = self.work() + WORK_IN_A_ROW;
            self.propagate()?;
            if !self.is_paused || until.is_over() {
                return Ok(());
            }
        }
    }

    fn run_queues(&mut self) -> Result<(), Conflict> {
        if !std::mem::take(&mut self.is_paused) {
            self.fruitless = 0;
        }
        loop {
            if self.lower >= self.upper {
                return Err(Conflict);
            }
            if self.work() >= self.pause_at {
                self.is_paused = true;
                return Ok(());
            }
            if let Some(v) = self.node_queue.pop_first() {
                self.make_node_consistent(v)?;
            } else if let Some(v) = self.assigned.pop() {
                self.project_assigned(v as usize)?;
            } else if let Some(v) = self.arc_queue.pop_first() {
                self.project_on_later(v)?;
            } else if let Some(v) = self.directed_queue.pop_last() {
                self.project_on_earlier(v)?;
            } else if let Some(place) = self.nary_queue.pop_first() {
                self.project_or_replace_nary(place)?;
            } else if self.swept != (self.lower, self.upper) {
                self.sweep()?;
            } else if let Some(v) = self.existential_queue.pop_first() {
                self.queue_candidates(v);
            } else if let Some(v) = self.candidates.pop_first() {
                if self.fruitless < MAX_FUTILE_MOVES {
                    let before = self.lower;
                    if !self.make_existential(v)? {
                        self.make_node_consistent(v)?;
                        self.fruitless += u32::from(self.lower == before);
                    }
                }
            } else if !self.is_simplifying {
                return Ok(());
            } else if let Some(v) = self.dominance_queue.pop_first() {
                self.remove_dominated(v)?;
            } else if let Some(v) = self.loosened.pop_first() {
                self.eliminate_if_easy(v)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Moves costs from the cost functions of the variable `v` to later variables. Values of later variables may have lost their supports (extensions
    /// of cost zero), because values of `v` were removed.
    fn project_on_later(&mut self, v: usize) -> Result<(), Conflict> {
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if !self.is_active(f) {
                continue;
            }
            let function = self.functions[f];
            match function.arity {
                Arity::Binary => {
                    if function.scope[0] as usize == v {
                        self.project_binary(f, 1)?;
                    }
                }
                Arity::Ternary => {
                    for place in 1..3 {
                        if function.scope[place] as usize != v {
                            self.project_ternary(f, place)?;
                        }
                    }
                }
                Arity::Nary(place) => self.nary_queue.insert(place as usize),
            }
        }
        Ok(())
    }

    /// Moves costs from the cost functions of the variable `v` to the first variables of the functions, after values of `v` were removed or their
    /// costs increased.
    fn project_on_earlier(&mut self, v: usize) -> Result<(), Conflict> {
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if !self.is_active(f) || self.functions[f].scope[0] as usize == v {
                continue;
            }
            match self.functions[f].arity {
                Arity::Binary => self.project_binary_fully(f, 0)?,
                Arity::Ternary => self.project_ternary_fully(f, 0)?,
                Arity::Nary(_) => {}
            }
        }
        Ok(())
    }

    /// Puts the changed variable `v` and the later variables of its cost functions into a queue, because they may no longer have a value that all
    /// their functions support.
    fn queue_candidates(&mut self, v: usize) {
        self.candidates.insert(v);
        self.dominance_queue.insert(v);
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if self.is_active(f) {
                let function = self.functions[f];
                for (place, &u) in function.variables().iter().enumerate() {
                    self.dominance_queue.insert(u as usize);
                    if place > 0 {
                        self.candidates.insert(u as usize);
                    }
                }
            }
        }
    }
}
