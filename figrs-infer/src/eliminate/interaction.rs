//! The graph of tables while it is eliminated on paper: scopes and predicted densities, no numbers.

use figrs_core::factor::{FactorGraph, VarId};

use super::sketch::{Sketch, log_density};

/// How many tables of a neighbour are looked at to see whether it can go along with a variable.
const LOOKED_AT: usize = 16;
/// The variables of one bucket have at most this many joint values, so that one number names them.
const JOINT_VALUES: f64 = 40.0;

/// One bucket of the plan.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// The variables that are added out here: the one the order named and those only its tables mention.
    pub(crate) eliminated: Vec<VarId>,
    /// The tables multiplied: factors by position, then the messages of earlier buckets.
    pub(crate) inputs: Vec<u32>,
    /// The scope of the message, sorted.
    pub(crate) output: Vec<VarId>,
    /// The predicted base-2 logarithm of the number of non-zeros of the joint table.
    pub(crate) joint: f64,
}

/// Whether a plan expects tables to have zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// As many as they have.
    Counted,
    /// None: the predicted work is a bound.
    Ignored,
}

/// Which tables mention which variables, and which variables meet in a table.
pub(super) struct Interaction {
    pub(super) log_cards: Vec<f64>,
    pub(super) sketches: Vec<Sketch>,
    /// The tables of a variable, with some dead ones among them.
    mentions: Vec<Vec<u32>>,
    live_mentions: Vec<u32>,
    /// The neighbours of a variable, sorted, with some eliminated ones among them.
    pub(super) neighbours: Vec<Vec<VarId>>,
    stale_neighbours: Vec<u32>,
    gone: Vec<bool>,
    kept: Vec<bool>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl Interaction {
    /// The live factors of a graph.
    pub(super) fn new(graph: &FactorGraph, live: &[bool], keep: &[VarId], zeros: Zeros) -> Self {
        let n = graph.cardinalities.len();
        let mut this = Self {
            log_cards: graph
                .cardinalities
                .iter()
                .map(|&c| f64::from(c).log2())
                .collect(),
            sketches: Vec::with_capacity(graph.factors.len() + n),
            mentions: vec![Vec::new(); n],
            live_mentions: vec![0; n],
            neighbours: vec![Vec::new(); n],
            stale_neighbours: vec![0; n],
            gone: vec![false; n],
            kept: vec![false; n],
            stamps: vec![0; n],
            stamp: 0,
        };
        for v in keep {
            this.kept[v.index()] = true;
        }
        for (factor, &live) in graph.factors.iter().zip(live) {
            let scope = if live {
                factor.variables.clone()
            } else {
                Vec::new()
            };
            for &v in &scope {
                this.neighbours[v.index()].extend(scope.iter().filter(|&&u| u != v));
            }
            this.push(Sketch {
                density: match zeros {
                    Zeros::Counted => log_density(graph, factor),
                    Zeros::Ignored => 0.0,
                },
                live: live && !scope.is_empty(),
                scope,
            });
        }
        for list in &mut this.neighbours {
            list.sort_unstable();
            list.dedup();
        }
        this
    }

    /// Whether some live table mentions a variable.
    pub(super) fn is_mentioned(&self, v: VarId) -> bool {
        self.live_mentions[v.index()] > 0
    }

    /// Whether a variable is out of the question: eliminated already, or to be kept.
    pub(super) fn is_settled(&self, v: VarId) -> bool {
        self.gone[v.index()] || self.kept[v.index()]
    }

    /// Lets kept variables be eliminated; returns those that live tables mention.
    pub(super) fn release(&mut self, keep: &[VarId]) -> Vec<VarId> {
        for v in keep {
            self.kept[v.index()] = false;
        }
        let mentioned = keep.iter().copied().filter(|&v| self.is_mentioned(v));
        mentioned.collect()
    }

    /// How much there is to look at when a variable is scored.
    pub(super) fn degree(&self, v: VarId) -> usize {
        self.neighbours[v.index()].len() + self.mentions[v.index()].len()
    }

    /// The live tables left, which mention kept variables only.
    pub(super) fn rest(&self) -> Vec<u32> {
        let live = self
            .sketches
            .iter()
            .zip(0..)
            .filter(|(sketch, _)| sketch.live);
        live.map(|(_, i)| i).collect()
    }

    /// Eliminates `v` and the neighbours that only its tables mention.
    pub(super) fn eliminate(&mut self, v: VarId) -> Bucket {
        let mut scope: Vec<VarId> = self.around(v).collect();
        scope.push(v);
        scope.sort_unstable();
        self.stamp += 1;
        for u in &scope {
            self.stamps[u.index()] = self.stamp;
        }
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
            if !self.is_settled(u) && more <= JOINT_VALUES && self.is_private(u) {
                values = more;
                bucket.eliminated.push(u);
                self.take_tables(u, &mut bucket);
            }
        }
        bucket.output = scope;
        bucket.output.retain(|u| !self.gone[u.index()]);
        bucket.joint = bucket.joint.max(0.0);
        self.add_message(&bucket);
        bucket
    }

    fn push(&mut self, sketch: Sketch) {
        let id = self.sketches.len() as u32;
        for v in &sketch.scope {
            self.mentions[v.index()].push(id);
            self.live_mentions[v.index()] += 1;
        }
        self.sketches.push(sketch);
    }

    /// The live tables of a variable.
    pub(super) fn tables_of(&self, v: VarId) -> impl Iterator<Item = u32> + '_ {
        let all = self.mentions[v.index()].iter().copied();
        all.filter(|&t| self.sketches[t as usize].live)
    }

    /// The neighbours of a variable that are left.
    pub(super) fn around(&self, v: VarId) -> impl Iterator<Item = VarId> + '_ {
        let all = self.neighbours[v.index()].iter().copied();
        all.filter(|u| !self.gone[u.index()])
    }

    /// Whether all tables of `u` (a few of them are looked at) stay within the stamped scope.
    fn is_private(&self, u: VarId) -> bool {
        self.live_mentions[u.index()] as usize <= LOOKED_AT
            && self.tables_of(u).all(|t| {
                let scope = &self.sketches[t as usize].scope;
                scope.iter().all(|w| self.stamps[w.index()] == self.stamp)
            })
    }

    fn take_tables(&mut self, v: VarId, bucket: &mut Bucket) {
        self.gone[v.index()] = true;
        for t in std::mem::take(&mut self.mentions[v.index()]) {
            let sketch = &mut self.sketches[t as usize];
            if !sketch.live {
                continue;
            }
            sketch.live = false;
            bucket.joint += sketch.density;
            bucket.inputs.push(t);
            for u in std::mem::take(&mut sketch.scope) {
                self.live_mentions[u.index()] -= 1;
            }
        }
        bucket.inputs.sort_unstable();
        self.neighbours[v.index()] = Vec::new();
    }

    fn add_message(&mut self, bucket: &Bucket) {
        let dense: f64 = bucket
            .output
            .iter()
            .map(|u| self.log_cards[u.index()])
            .sum();
        for &u in &bucket.output {
            self.tidy(u, bucket.eliminated.len() as u32);
            let list = &mut self.neighbours[u.index()];
            for &w in bucket.output.iter().filter(|&&w| w != u) {
                if let Err(place) = list.binary_search(&w) {
                    list.insert(place, w);
                }
            }
        }
        self.push(Sketch {
            scope: bucket.output.clone(),
            density: (bucket.joint - dense).min(0.0),
            live: !bucket.output.is_empty(),
        });
    }

    /// Forgets dead tables and eliminated neighbours of `u` once they are the majority.
    fn tidy(&mut self, u: VarId, newly_stale: u32) {
        let i = u.index();
        let (sketches, gone) = (&self.sketches, &self.gone);
        if self.mentions[i].len() > 2 * self.live_mentions[i] as usize + 4 {
            self.mentions[i].retain(|&t| sketches[t as usize].live);
        }
        self.stale_neighbours[i] += newly_stale;
        if self.stale_neighbours[i] as usize * 2 > self.neighbours[i].len() {
            self.neighbours[i].retain(|w| !gone[w.index()]);
            self.stale_neighbours[i] = 0;
        }
    }
}
