//! Symbolic elimination: the tables of a graph have scopes and predicted densities, but no entries.

use std::ops::Range;

use crate::graph::{FactorGraph, VarId};

use super::symbolic_table::{SymbolicTable, TableLists, log_density};

/// Maximum number of tables of a variable for which a covering table is searched for (a table that contains all variables of the other tables of the
/// variable).
const LOOKED_AT: usize = 16;
/// Maximum number of variables of a covering table.
const COVERING: usize = 64;
/// Maximum base-2 logarithm of the number of joint values of the variables that one bucket sums out.
const JOINT_VALUES: f64 = 40.0;

/// Number of neighbours of a variable for which memory is allocated at first.
const USUAL_NEIGHBOURS: usize = 16;

/// One bucket of an elimination plan: the product of some tables, from which variables are summed out.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// The variables that the bucket sums out: the next variable in the order, and the variables that occur only in tables of the bucket.
    pub eliminated: Vec<VarId>,
    /// The indices of the tables that the bucket multiplies. In the numbering of tables, factors have the first indices, and messages of earlier
    /// buckets follow.
    pub inputs: Vec<u32>,
    /// The scope of the bucket's message, sorted.
    pub output: Vec<VarId>,
    /// The base-2 logarithm of the predicted number of non-zero entries of the joint table.
    pub joint: f64,
}

/// State of a symbolic elimination: the tables, their variables, and the buckets that have been made.
#[derive(Clone, Debug)]
pub struct SymbolicElimination {
    /// The base-2 logarithm of the cardinality of each variable.
    pub log_cards: Vec<f64>,
    /// The tables of the graph, followed by the messages.
    pub sketches: Vec<SymbolicTable>,
    /// The scopes of all tables, one after another.
    scopes: Vec<VarId>,
    mentions: TableLists,
    live_mentions: Vec<u32>,
    gone: Vec<bool>,
    kept: Vec<bool>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The buckets that have been made, in the order of elimination.
    pub buckets: Vec<Bucket>,
}

impl SymbolicElimination {
    /// Creates symbolic tables (scopes and densities without entries) of the factors of `graph` that are marked in `live`; the variables `keep` may
    /// not be eliminated.
    pub fn new(graph: &FactorGraph, live: &[bool], keep: &[VarId]) -> Self {
        let n = graph.cardinalities.len();
        let mentions = graph.factors.iter().map(|factor| factor.variables.len());
        let mentions: usize = mentions.sum();
        let log_cards = graph.cardinalities.iter().map(|&c| f64::from(c).log2());
        let mut this = Self {
            log_cards: log_cards.collect(),
            sketches: Vec::with_capacity(graph.factors.len() + n),
            scopes: Vec::with_capacity(2 * mentions),
            mentions: TableLists::new(n, 2 * mentions),
            live_mentions: vec![0; n],
            gone: vec![false; n],
            kept: vec![false; n],
            stamps: vec![0; n],
            stamp: 0,
            buckets: Vec::with_capacity(n),
        };
        for v in keep {
            this.kept[v.index()] = true;
        }
        for (factor, &live) in graph.factors.iter().zip(live) {
            if live && !factor.variables.is_empty() {
                let density = log_density(factor, &this.log_cards);
                this.push(&factor.variables, density);
            } else {
                this.push(&[], 0.0);
            }
        }
        this
    }

    /// Creates symbolic tables (without entries) with the scopes `scopes` and without zeros; the variables `keep` may not be eliminated.
    pub fn of_scopes(
        cardinalities: &[u32],
        scopes: impl IntoIterator<Item = Vec<VarId>>,
        keep: &[VarId],
    ) -> Self {
        let graph = FactorGraph {
            cardinalities: cardinalities.to_vec(),
            factors: Vec::new(),
        };
        let mut this = Self::new(&graph, &[], keep);
        for scope in scopes.into_iter().filter(|scope| !scope.is_empty()) {
            this.push(&scope, 0.0);
        }
        this
    }

    /// Returns the variables of `table`; the list is empty if the table has already been multiplied into a message.
    pub fn scope(&self, table: u32) -> &[VarId] {
        let Range { start, end } = self.sketches[table as usize].scope;
        &self.scopes[start as usize..end as usize]
    }

    /// From now on, predicts costs as if no entry were zero.
    pub fn ignore_zeros(&mut self) {
        for sketch in &mut self.sketches {
            sketch.density = 0.0;
        }
    }

    /// Removes `v` from all tables, because its value is given.
    pub fn condition(&mut self, v: VarId) {
        self.gone[v.index()] = true;
        self.live_mentions[v.index()] = 0;
        for t in self.mentions.take(v) {
            let sketch = &mut self.sketches[t as usize];
            let scope = &mut self.scopes[sketch.scope.start as usize..sketch.scope.end as usize];
            if let Some(place) = scope.iter().position(|&u| u == v) {
                scope[place..].rotate_left(1);
                sketch.scope.end -= 1;
            }
            sketch.live &= !sketch.scope.is_empty();
        }
    }

    /// Allows the elimination of the variables `keep`, and returns the variables among them that occur in tables not yet multiplied into a message.
    pub fn release(&mut self, keep: &[VarId]) -> Vec<VarId> {
        for v in keep {
            self.kept[v.index()] = false;
        }
        let mentioned = keep.iter().copied().filter(|&v| self.is_mentioned(v));
        mentioned.collect()
    }

    /// True if `v` occurs in a table that has not been multiplied into a message.
    pub fn is_mentioned(&self, v: VarId) -> bool {
        self.live_mentions[v.index()] > 0
    }

    /// True if `v` may not be eliminated, because it was eliminated, its value is given, or it is among the variables `keep`.
    pub fn is_no_candidate(&self, v: VarId) -> bool {
        self.gone[v.index()] || self.kept[v.index()]
    }

    /// True if `v` was eliminated or its value is given.
    pub fn is_eliminated(&self, v: VarId) -> bool {
        self.gone[v.index()]
    }

    /// Returns the tables that remain after the elimination; these tables contain only variables that are not eliminated.
    pub fn remaining_tables(&self) -> Vec<u32> {
        let live = self
            .sketches
            .iter()
            .zip(0..)
            .filter(|(sketch, _)| sketch.live);
        live.map(|(_, i)| i).collect()
    }

    /// Eliminates all variables of `order` that have not been eliminated, in this sequence.
    pub fn eliminate_all(&mut self, order: &[VarId]) {
        for &v in order {
            if !self.is_no_candidate(v) && self.is_mentioned(v) {
                self.eliminate(v);
            }
        }
    }

    /// Eliminates covered variables (one table of a covered variable contains all variables of its other tables) until none remains. A variable is
    /// covered if one of its tables contains all variables of its other tables.
    ///
    /// **Guarantee.** If zeros are ignored, some cheapest order begins with the covered variables. The joint table of a covered variable has no more
    /// entries than one of the existing tables. In an acyclic graph, only variables that occur in very many tables remain after the elimination of
    /// the covered variables.
    ///
    /// **Complexity.** The time is linear in the total number of variables of all tables, for tables of bounded scope.
    ///
    /// **References.** Yu and Ozsoyoglu, *An algorithm for tree-query membership of a distributed query*, 1979
    /// (the reduction of Graham, Yu and Ozsoyoglu).
    pub fn eliminate_covered(&mut self, candidates: &[VarId]) {
        let mut waiting: Vec<VarId> = candidates.iter().rev().copied().collect();
        while let Some(v) = waiting.pop() {
            if !self.is_no_candidate(v) && self.is_covered(v) {
                let place = self.eliminate(v);
                let output = &self.buckets[place].output;
                if output.len() <= COVERING {
                    waiting.extend(output.iter().rev());
                }
            }
        }
    }

    /// True if `v` has few tables, and one of these tables contains all variables of the other tables.
    fn is_covered(&mut self, v: VarId) -> bool {
        let count = self.live_mentions[v.index()] as usize;
        if count == 0 || count > LOOKED_AT {
            return false;
        }
        let largest = self.tables_of(v).max_by_key(|&t| self.scope(t).len());
        let Some(largest) = largest else { return false };
        let Range { start, end } = self.sketches[largest as usize].scope;
        let scope = &self.scopes[start as usize..end as usize];
        if scope.len() > COVERING {
            return false;
        }
        self.stamp += 1;
        for u in scope {
            self.stamps[u.index()] = self.stamp;
        }
        self.tables_of(v).all(|t| self.is_stamped(t))
    }

    /// Eliminates `v`, and the neighbours of `v` that occur only in tables of `v`. Returns the index of the new bucket.
    pub fn eliminate(&mut self, v: VarId) -> usize {
        let mut scope = self.stamp_neighbours(v);
        scope.sort_unstable();
        let mut bucket = Bucket {
            eliminated: vec![v],
            inputs: Vec::new(),
            output: Vec::new(),
            joint: scope.iter().map(|u| self.log_cards[u.index()]).sum(),
        };
        self.take_tables(v, &mut bucket);
        let mut values = self.log_cards[v.index()];
        for &u in &scope {
            let more = values + self.log_cards[u.index()];
            if !self.is_no_candidate(u) && more <= JOINT_VALUES && self.is_private(u) {
                values = more;
                bucket.eliminated.push(u);
                self.take_tables(u, &mut bucket);
            }
        }
        scope.retain(|u| !self.gone[u.index()]);
        bucket.output = scope;
        bucket.joint = bucket.joint.max(0.0);
        self.add_message(&bucket);
        self.buckets.push(bucket);
        self.buckets.len() - 1
    }

    /// Marks `v` and the variables that share a table with `v` with a new number, and returns these variables.
    pub fn stamp_neighbours(&mut self, v: VarId) -> Vec<VarId> {
        self.stamp += 1;
        self.stamps[v.index()] = self.stamp;
        let mut scope = Vec::with_capacity(USUAL_NEIGHBOURS);
        scope.push(v);
        for t in self.mentions.of(v) {
            let Range { start, end } = self.sketches[t as usize].scope;
            for &u in &self.scopes[start as usize..end as usize] {
                if self.stamps[u.index()] != self.stamp {
                    self.stamps[u.index()] = self.stamp;
                    scope.push(u);
                }
            }
        }
        scope
    }

    /// Adds a table with the given scope and density; a table with an empty scope takes no part in the elimination.
    fn push(&mut self, scope: &[VarId], density: f64) {
        let id = self.sketches.len() as u32;
        for &v in scope {
            self.mentions.push(v, id);
            self.live_mentions[v.index()] += 1;
        }
        let start = self.scopes.len() as u32;
        self.scopes.extend_from_slice(scope);
        self.sketches.push(SymbolicTable {
            scope: start..self.scopes.len() as u32,
            density,
            live: !scope.is_empty(),
        });
    }

    /// Returns the tables that contain `v` and have not been multiplied into messages.
    pub fn tables_of(&self, v: VarId) -> impl Iterator<Item = u32> + '_ {
        let all = self.mentions.of(v);
        all.filter(|&t| self.sketches[t as usize].live)
    }

    /// Returns the number of tables that contain `v` and have not been multiplied into messages.
    pub fn count_tables(&self, v: VarId) -> usize {
        self.live_mentions[v.index()] as usize
    }

    fn is_stamped(&self, t: u32) -> bool {
        let mut scope = self.scope(t).iter();
        scope.all(|w| self.stamps[w.index()] == self.stamp)
    }

    /// True if `u` has few tables, and all variables of these tables have the mark of the last call of [`stamp_neighbours`](Self::stamp_neighbours).
    fn is_private(&self, u: VarId) -> bool {
        self.count_tables(u) <= LOOKED_AT && self.tables_of(u).all(|t| self.is_stamped(t))
    }

    fn take_tables(&mut self, v: VarId, bucket: &mut Bucket) {
        self.gone[v.index()] = true;
        for t in self.mentions.take(v) {
            let sketch = &mut self.sketches[t as usize];
            if !sketch.live {
                continue;
            }
            sketch.live = false;
            bucket.joint += sketch.density;
            bucket.inputs.push(t);
            let Range { start, end } = std::mem::take(&mut sketch.scope);
            for u in &self.scopes[start as usize..end as usize] {
                self.live_mentions[u.index()] -= 1;
            }
        }
        bucket.inputs.sort_unstable();
    }

    fn add_message(&mut self, bucket: &Bucket) {
        let output = &bucket.output;
        let dense: f64 = output.iter().map(|u| self.log_cards[u.index()]).sum();
        for u in output {
            self.drop_dead_tables(*u);
        }
        self.push(output, (bucket.joint - dense).min(0.0));
    }

    /// Removes the tables that have been multiplied into messages from the list of `u`, if they are the majority.
    fn drop_dead_tables(&mut self, u: VarId) {
        if self.mentions.len(u) > 2 * self.live_mentions[u.index()] + 4 {
            let sketches = &self.sketches;
            self.mentions.retain(u, |t| sketches[t as usize].live);
        }
    }
}
