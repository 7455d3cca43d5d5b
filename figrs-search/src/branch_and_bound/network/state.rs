//! The state of a network of cost functions: the domains of the variables, the lower and the upper bound, and the search levels.

use super::super::cost_table::CostTables;
use super::function::{Function, NaryCosts, NaryFunction};
use super::queue::VariableQueue;
use super::trail::Trailed;

/// Error: given the decisions of the search, no assignment costs less than the upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Conflict;

/// Mark of an inactive cost function, whose costs were moved to other functions.
pub(in super::super) const INACTIVE: u32 = 0;

pub(in super::super) const ACTIVE: u32 = 1;

/// The mark of a cost function that was eliminated with a variable is this number plus the index of the variable.
pub(in super::super) const ELIMINATED: u32 = 2;

/// Number of read costs that are counted as one step of the search.
const COSTS_OF_A_STEP: u64 = 64;

/// A decision of the search, which restricts the domain of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Decision {
    Assign(u32, u32),
    Remove(u32, u32),
    /// The decision keeps the values at the indices from `from` to below `to` of the variable's domain, and removes all other values.
    Keep {
        variable: u32,
        from: u32,
        to: u32,
    },
}

/// Those numbers of the network that no trail records, with their values at the beginning of a search level.
#[derive(Clone, Copy, Debug)]
struct Level {
    lower: i64,
    open: u32,
    eliminated: u32,
    functions: u32,
    supports: u32,
}

/// A network of cost functions, with the domains of its variables and a lower bound of the total cost.
///
/// The total cost of an assignment below the upper bound is the network's lower bound plus the assignment's costs by all active functions.
#[derive(Debug)]
pub(in super::super) struct Network {
    pub(in super::super) sizes: Vec<u32>,
    /// For each variable, the index of its first value in `values` and in `places`; in the list of costs, the unary costs of all variables have the
    /// same indices.
    pub(in super::super) first: Vec<u32>,
    /// The values of each variable; its remaining values come before its removed values.
    values: Vec<u32>,
    /// For each variable and value, the index of the value in the list `values`.
    places: Vec<u32>,
    pub(in super::super) live: Trailed<u32>,
    pub(in super::super) costs: Trailed<i64>,
    pub(in super::super) functions: Vec<Function>,
    pub(in super::super) nary: Vec<NaryFunction>,
    /// For each cost function, its mark: inactive, active, or eliminated with a variable.
    pub(in super::super) active: Trailed<u32>,
    pub(in super::super) supports: Vec<u32>,
    pub(in super::super) incident: Vec<Vec<u32>>,
    /// For each cost function, the number of conflicts that it has caused.
    pub(in super::super) weights: Vec<u64>,
    /// For each variable, a value with unary cost zero, and a value that has an extension of cost zero (a support) in all the variable's cost
    /// functions.
    pub(in super::super) cheapest: Vec<u32>,
    pub(in super::super) supported: Vec<u32>,
    /// The undecided variables, followed by all other variables.
    open: Vec<u32>,
    open_places: Vec<u32>,
    open_count: usize,
    /// Eliminated variables of the network, in the order of their elimination.
    pub(in super::super) eliminated: Vec<u32>,
    pub(in super::super) lower: i64,
    pub(in super::super) upper: i64,
    levels: Vec<Level>,
    /// The index of the cost function that changed costs last.
    pub(in super::super) cause: u32,
    /// Number of times that a cost function was read; `costs_seen` is the number of single costs that were read.
    pub(in super::super) looks: u64,
    pub(in super::super) costs_seen: u64,
    /// The number of steps at which the propagation of costs pauses; `is_paused` is true during a pause.
    pub(in super::super) pause_at: u64,
    pub(in super::super) is_paused: bool,
    pub(in super::super) node_queue: VariableQueue,
    pub(in super::super) arc_queue: VariableQueue,
    pub(in super::super) directed_queue: VariableQueue,
    pub(in super::super) existential_queue: VariableQueue,
    pub(in super::super) candidates: VariableQueue,
    pub(in super::super) assigned: Vec<u32>,
    /// Queue of cost functions of more than three variables, given by their indices in the list of such functions.
    pub(in super::super) nary_queue: VariableQueue,
    /// Queue of variables that may be eliminated, because their number of neighbours may have decreased.
    pub(in super::super) loosened: VariableQueue,
    /// Queue of variables that may have a new dominated value, that is, a value that another value can replace in every assignment without higher
    /// cost.
    pub(in super::super) dominance_queue: VariableQueue,
    pub(in super::super) swept: (i64, i64),
    /// Number of futile transfers in the current propagation: transfers of costs to earlier variables that did not raise the lower bound.
    pub(in super::super) fruitless: u32,
    pub(in super::super) scratch: Vec<i64>,
    /// Minimum increase of the lower bound for which costs are moved to functions of earlier variables.
    pub(in super::super) worthwhile: i64,
    /// True if the search may eliminate variables of the network and remove dominated values.
    pub(in super::super) is_simplifying: bool,
    /// For each variable, `true` if its value is also needed outside this network. A variable whose value is needed outside the network is not
    /// eliminated, and its dominated values are not removed.
    pub(in super::super) kept: Vec<bool>,
}

impl Network {
    /// Creates a network of cost functions that ignores assignments of cost `upper` or more.
    pub(in super::super) fn new(tables: &CostTables, upper: i64, worthwhile: i64) -> Self {
        let n = tables.sizes.len();
        let mut first = Vec::with_capacity(n);
        let mut total = 0;
        let mut values = Vec::new();
        for &size in &tables.sizes {
            first.push(total);
            total += size;
            values.extend(0..size);
        }
        let mut this = Self {
            sizes: tables.sizes.clone(),
            first,
            places: values.clone(),
            values,
            live: Trailed::default(),
            costs: Trailed::default(),
            functions: Vec::new(),
            nary: Vec::new(),
            active: Trailed::default(),
            supports: Vec::new(),
            incident: vec![Vec::new(); n],
            weights: Vec::new(),
            cheapest: vec![0; n],
            supported: vec![0; n],
            open: (0..n as u32).collect(),
            open_places: (0..n as u32).collect(),
            open_count: n,
            eliminated: Vec::new(),
            lower: tables.constant,
            upper,
            levels: Vec::new(),
            cause: u32::MAX,
            looks: 0,
            costs_seen: 0,
            pause_at: u64::MAX,
            is_paused: false,
            node_queue: VariableQueue::new(n),
            arc_queue: VariableQueue::new(n),
            directed_queue: VariableQueue::new(n),
            existential_queue: VariableQueue::new(n),
            candidates: VariableQueue::new(n),
            assigned: Vec::new(),
            nary_queue: VariableQueue::new(tables.tables.len() + tables.listed.len()),
            loosened: VariableQueue::new(n),
            dominance_queue: VariableQueue::new(n),
            swept: (i64::MAX, 0),
            fruitless: 0,
            scratch: Vec::new(),
            worthwhile: worthwhile.max(1),
            is_simplifying: true,
            kept: vec![false; n],
        };
        this.live.values.clone_from(&tables.sizes);
        this.costs.values = vec![0; total as usize];
        for table in &tables.tables {
            match *table.scope.as_slice() {
                [] => this.lower += table.cells[0],
                [v] => {
                    let first = this.first[v as usize] as usize;
                    for (i, &cost) in table.cells.iter().enumerate() {
                        let cost = super::super::cost_table::add(this.costs.get(first + i), cost);
                        this.costs.values[first + i] = cost;
                    }
                }
                _ => this.add_table(table),
            }
        }
        for listed in &tables.listed {
            this.add_nary(NaryCosts::Listed(listed.clone()));
        }
        for v in 0..n {
            this.touch(v);
            if this.sizes[v] == 1 {
                this.close(v);
                this.assigned.push(v as u32);
            }
        }
        this
    }

    /// Returns, for each variable, a value that all its cost functions support, or another remaining value if no such value is known.
    pub(in super::super) fn supported_values(&self) -> Vec<u32> {
        let value = |v: usize| {
            let supported = self.supported[v];
            let is_live = self.is_live(v, supported as usize);
            if is_live { supported } else { self.cheapest[v] }
        };
        (0..self.sizes.len()).map(value).collect()
    }

    pub(in super::super) fn touch(&mut self, v: usize) {
        self.node_queue.insert(v);
        self.arc_queue.insert(v);
        self.directed_queue.insert(v);
        self.existential_queue.insert(v);
        self.loosened.insert(v);
    }

    /// Counts one more read cost function, and `costs` more read costs.
    #[inline]
    pub(in super::super) fn look(&mut self, costs: usize) {
        self.looks += 1;
        self.costs_seen += costs as u64;
    }

    /// Returns the number of steps of the search: one step for each cost function that was read, and one step for every 64 costs that were read.
    #[inline]
    pub(in super::super) fn work(&self) -> u64 {
        self.looks + self.costs_seen / COSTS_OF_A_STEP
    }

    /// Continues the count of search steps of the network `before`.
    pub(in super::super) fn count_from(&mut self, before: &Self) {
        self.looks += before.looks;
        self.costs_seen += before.costs_seen;
    }

    #[inline]
    pub(in super::super) fn gap(&self) -> i64 {
        self.upper - self.lower
    }

    /// Returns the index of the unary cost of the value `value` of the variable `v`.
    #[inline]
    pub(in super::super) fn unary_place(&self, v: usize, value: usize) -> usize {
        self.first[v] as usize + value
    }

    #[inline]
    pub(in super::super) fn unary(&self, v: usize, value: usize) -> i64 {
        self.costs.values[self.first[v] as usize + value]
    }

    #[inline]
    pub(in super::super) fn live_count(&self, v: usize) -> usize {
        self.live.values[v] as usize
    }

    /// Returns the value of the variable `v` with the index `place` among its remaining values.
    #[inline]
    pub(in super::super) fn value(&self, v: usize, place: usize) -> usize {
        self.values[self.first[v] as usize + place] as usize
    }

    #[inline]
    pub(in super::super) fn is_live(&self, v: usize, value: usize) -> bool {
        self.places[self.first[v] as usize + value] < self.live.values[v]
    }

    pub(in super::super) fn domain(&self, v: usize) -> &[u32] {
        let first = self.first[v] as usize;
        &self.values[first..first + self.live_count(v)]
    }

    pub(in super::super) fn is_active(&self, f: usize) -> bool {
        self.active.values[f] == ACTIVE
    }

    pub(in super::super) fn remove(&mut self, v: usize, value: usize) -> Result<(), Conflict> {
        let first = self.first[v] as usize;
        let last = self.live_count(v) - 1;
        let place = self.places[first + value] as usize;
        let other = self.values[first + last] as usize;
        self.values.swap(first + place, first + last);
        self.places[first + value] = last as u32;
        self.places[first + other] = place as u32;
        self.live.set(v, last as u32);
        if last == 0 {
            return Err(Conflict);
        }
        if last == 1 {
            self.close(v);
            self.assigned.push(v as u32);
        }
        self.queue_without_zero(v);
        self.arc_queue.insert(v);
        self.directed_queue.insert(v);
        self.existential_queue.insert(v);
        Ok(())
    }

    /// Removes all values of the variable `v` except `value`.
    fn assign(&mut self, v: usize, value: usize) -> Result<(), Conflict> {
        if !self.is_live(v, value) {
            return Err(Conflict);
        }
        for place in (0..self.live_count(v)).rev() {
            let other = self.value(v, place);
            if other != value {
                self.remove(v, other)?;
            }
        }
        Ok(())
    }

    pub(in super::super) fn decide(&mut self, decision: Decision) -> Result<(), Conflict> {
        self.cause = u32::MAX;
        match decision {
            Decision::Assign(v, value) => self.assign(v as usize, value as usize),
            Decision::Remove(v, value) => {
                if self.is_live(v as usize, value as usize) {
                    self.remove(v as usize, value as usize)?;
                }
                Ok(())
            }
            Decision::Keep { variable, from, to } => {
                let v = variable as usize;
                for place in (0..self.live_count(v)).rev() {
                    let value = self.value(v, place);
                    if !(from..to).contains(&(value as u32)) {
                        self.remove(v, value)?;
                    }
                }
                Ok(())
            }
        }
    }

    pub(in super::super) fn open(&self) -> &[u32] {
        &self.open[..self.open_count]
    }

    pub(in super::super) fn is_open(&self, v: usize) -> bool {
        (self.open_places[v] as usize) < self.open_count
    }

    /// Removes the decided variable `v` from the list of undecided variables.
    pub(in super::super) fn close(&mut self, v: usize) {
        if !self.is_open(v) {
            return;
        }
        self.open_count -= 1;
        let (place, last) = (self.open_places[v] as usize, self.open_count);
        let other = self.open[last] as usize;
        self.open.swap(place, last);
        self.open_places[v] = last as u32;
        self.open_places[other] = place as u32;
    }

    pub(in super::super) fn depth(&self) -> usize {
        self.levels.len()
    }

    pub(in super::super) fn push_level(&mut self) {
        self.levels.push(Level {
            lower: self.lower,
            open: self.open_count as u32,
            eliminated: self.eliminated.len() as u32,
            functions: self.functions.len() as u32,
            supports: self.supports.len() as u32,
        });
        self.live.push_level();
        self.costs.push_level();
        self.active.push_level();
    }

    /// Undoes all changes of the network in the last search level.
    pub(in super::super) fn pop_level(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        self.live.pop_level();
        self.costs.pop_level();
        self.active.pop_level();
        self.lower = level.lower;
        self.open_count = level.open as usize;
        self.eliminated.truncate(level.eliminated as usize);
        while self.functions.len() > level.functions as usize {
            if let Some(function) = self.functions.pop() {
                for &v in function.variables() {
                    self.incident[v as usize].pop();
                }
                self.weights.pop();
            }
        }
        self.supports.truncate(level.supports as usize);
        self.clear_queues();
        self.swept = (i64::MAX, 0);
    }

    fn clear_queues(&mut self) {
        self.node_queue.clear();
        self.arc_queue.clear();
        self.directed_queue.clear();
        self.existential_queue.clear();
        self.candidates.clear();
        self.loosened.clear();
        self.dominance_queue.clear();
        self.assigned.clear();
        self.nary_queue.clear();
        self.is_paused = false;
    }
}
