//! The plan of an elimination that merges components of mixtures: the order of the vectors, and of some finite variables.

use std::collections::BTreeSet;

use figrs_factor::Until;
use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::graph::VarId;

use crate::error::GaussianError;
use crate::hybrid_graph::{HybridGraph, RealId};
use crate::plan::{Input, Step};
use crate::square_root_form::SquareRootForm;

/// Number of components that each elimination step may have before components of mixtures are merged.
const MIN_COMPONENTS: usize = 8;

/// Number of elimination steps between two checks of the deadline.
const STEPS_PER_LOOK: usize = 1024;

/// Returns elimination steps with at most `limit` assignments of finite variables each. If an elimination of all vectors before all finite variables
/// would need more than `limit` assignments, some steps sum over finite variables while vectors remain (weak marginals).
///
/// A step sums over a finite variable only if the step's factors give all its vectors a distribution. The factors of a step include the density of
/// each vector given earlier vectors; therefore, for a sequence of vectors, the steps follow the sequence from its start.
///
/// **References.** Lauritzen 1992, section 5 (weak marginals); Boyen and Koller 1998 (the error of a merged distribution in a sequence).
pub(crate) fn merging_plan(
    graph: &HybridGraph,
    limit: usize,
    until: &Until,
) -> Result<Vec<Step>, GaussianError> {
    let vectors = graph.dimensions.len().max(1);
    let planned = (limit / vectors).max(MIN_COMPONENTS).min(limit);
    let mut planner = Planner::new(graph, planned, limit);
    let mut steps = 0;
    while let Some((rank, variable)) = planner.next() {
        if steps % STEPS_PER_LOOK == 0 {
            check_interrupt(until)?;
        }
        steps += 1;
        let bucket = planner.bucket(variable);
        if rank.preference == Preference::TooLarge {
            return Err(GaussianError::TooManyComponents {
                real: bucket.reals.first().copied().unwrap_or(RealId(0)),
                components: rank.components as f64,
                limit,
            });
        }
        planner.eliminate(variable, bucket);
    }
    Ok(planner.steps)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Finite(VarId),
    Real(RealId),
}

/// The kinds of elimination steps; the preferred kinds come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Preference {
    /// The message of the step has no more assignments of finite variables than one of the multiplied factors.
    NoGrowth,
    /// The step eliminates a vector, and the factors of the step are a normal distribution of all its vectors.
    Integral,
    /// The step sums over a finite variable, which merges components of mixtures.
    Merge,
    /// A step like [`Integral`](Self::Integral) or [`Merge`](Self::Merge), with more assignments of finite variables than planned.
    Large,
    /// The step eliminates a vector, and the factors of the step are no distribution of some of its vectors, so that components of mixtures cannot be
    /// merged.
    Likelihood,
    /// A step with more assignments of finite variables than the limit.
    TooLarge,
}

/// The rank of a variable; the variable of least rank is eliminated next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    preference: Preference,
    /// Number of assignments of the finite variables of the step that eliminates the variable.
    components: usize,
    numbers: usize,
    /// For a finite variable, the first step in which the variable occurs together with vectors. Components of mixtures that differ in variables of
    /// early steps are merged first.
    age: usize,
}

/// A factor of the graph or the message of a step.
#[derive(Clone, Debug)]
struct Table {
    input: Input,
    reals: Vec<RealId>,
    finite: Vec<VarId>,
    /// The vectors whose density given earlier vectors is a factor of this table.
    owned: Vec<RealId>,
    is_live: bool,
}

/// The product of the tables (factors and messages) that contain a variable.
#[derive(Debug, Default)]
struct Bucket {
    tables: Vec<usize>,
    reals: Vec<RealId>,
    finite: Vec<VarId>,
    components: usize,
    /// True if the product of the tables is a distribution of all vectors in it.
    is_proper: bool,
}

struct Planner<'g> {
    graph: &'g HybridGraph,
    /// The planned maximum number of assignments of finite variables in a step; `limit` is the absolute maximum.
    planned: usize,
    limit: usize,
    tables: Vec<Table>,
    of_real: Vec<Vec<usize>>,
    of_finite: Vec<Vec<usize>>,
    /// For each vector, the table that contains its density given earlier vectors.
    owners: Vec<Option<usize>>,
    ages: Vec<usize>,
    queue: BTreeSet<(Rank, Variable)>,
    real_tables: usize,
    steps: Vec<Step>,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g HybridGraph, planned: usize, limit: usize) -> Self {
        let mut this = Self {
            graph,
            planned,
            limit,
            tables: Vec::new(),
            of_real: vec![Vec::new(); graph.dimensions.len()],
            of_finite: vec![Vec::new(); graph.finite.cardinalities.len()],
            owners: vec![None; graph.dimensions.len()],
            ages: vec![usize::MAX; graph.finite.cardinalities.len()],
            queue: BTreeSet::new(),
            real_tables: 0,
            steps: Vec::new(),
        };
        for (i, factor) in graph.factors.iter().enumerate() {
            // The factor that has the density of a vector is the first factor in which the vector is the last one.
            let last = factor.reals.iter().copied().max();
            let is_constant = factor.forms.iter().all(SquareRootForm::is_constant);
            let owned = last.filter(|real| !is_constant && this.owners[real.index()].is_none());
            this.add(Table {
                input: Input::Factor(i as u32),
                reals: sorted(factor.reals.to_vec()),
                finite: sorted(factor.finite.clone()),
                owned: owned.into_iter().collect(),
                is_live: true,
            });
        }
        for (i, factor) in graph.finite.factors.iter().enumerate() {
            this.add(Table {
                input: Input::Finite(i as u32),
                reals: Vec::new(),
                finite: sorted(factor.variables.clone()),
                owned: Vec::new(),
                is_live: true,
            });
        }
        for real in 0..graph.dimensions.len() {
            this.rank_anew(Variable::Real(RealId(real as u32)));
        }
        for finite in 0..graph.finite.cardinalities.len() {
            this.rank_anew(Variable::Finite(VarId(finite as u32)));
        }
        this
    }

    fn add(&mut self, table: Table) {
        let index = self.tables.len();
        for real in &table.reals {
            self.of_real[real.index()].push(index);
        }
        for v in &table.finite {
            self.of_finite[v.index()].push(index);
        }
        for real in &table.owned {
            self.owners[real.index()] = Some(index);
        }
        self.real_tables += usize::from(!table.reals.is_empty());
        self.tables.push(table);
    }

    fn tables_of(&self, variable: Variable) -> Vec<usize> {
        let all = match variable {
            Variable::Real(real) => &self.of_real[real.index()],
            Variable::Finite(v) => &self.of_finite[v.index()],
        };
        let live = all.iter().copied().filter(|&t| self.tables[t].is_live);
        live.collect()
    }

    /// Returns the product of the tables that a step multiplies to eliminate `variable`. If `variable` is finite, the product includes the densities
    /// of all vectors of the step, so that the components to be merged have means and covariances. Some densities of vectors are omitted if there
    /// would be more assignments of finite variables than the limit.
    fn bucket(&self, variable: Variable) -> Bucket {
        let is_finite = matches!(variable, Variable::Finite(_));
        let mut bucket = Bucket {
            tables: self.tables_of(variable),
            ..Bucket::default()
        };
        let mut owners: BTreeSet<Option<usize>> = BTreeSet::new();
        let mut finite: BTreeSet<VarId> = BTreeSet::new();
        bucket.components = 1;
        let mut at = 0;
        while let Some(&table) = bucket.tables.get(at) {
            let table = &self.tables[table];
            for &v in &table.finite {
                if finite.insert(v) {
                    let size = self.graph.finite.cardinality(v);
                    bucket.components = bucket.components.saturating_mul(size);
                }
            }
            if bucket.components > self.limit && is_finite {
                break;
            }
            for real in &table.reals {
                let owner = self.owners[real.index()];
                if owners.insert(owner)
                    && is_finite
                    && let Some(owner) = owner
                    && !bucket.tables.contains(&owner)
                {
                    bucket.tables.push(owner);
                }
            }
            at += 1;
        }
        bucket.tables.sort_unstable();
        let has = |owner: &Option<usize>| {
            owner.is_some_and(|owner| bucket.tables.binary_search(&owner).is_ok())
        };
        bucket.is_proper = owners.iter().all(has);
        let reals = bucket
            .tables
            .iter()
            .flat_map(|&table| &self.tables[table].reals);
        bucket.reals = sorted(reals.copied().collect());
        bucket.finite = finite.into_iter().collect();
        bucket
    }

    /// Returns the rank of `variable` in the elimination; the variable of least rank is eliminated next. Returns `None` if the variable has no
    /// tables, or if it is finite and its elimination can wait until all vectors are eliminated.
    fn rank(&self, variable: Variable) -> Option<Rank> {
        let bucket = self.bucket(variable);
        let components = bucket.components;
        let sizes = bucket.tables.iter().map(|&table| {
            let finite = &self.tables[table].finite;
            self.graph.finite.dense_size(finite)
        });
        let largest = sizes.max()?;
        let is_small = components <= self.planned;
        let preference = match variable {
            Variable::Finite(_) if bucket.reals.is_empty() => {
                if components > largest || !is_small {
                    return None;
                }
                Preference::NoGrowth
            }
            _ if components > self.limit => Preference::TooLarge,
            Variable::Finite(_) if is_small => Preference::Merge,
            Variable::Real(_) if components <= largest => Preference::NoGrowth,
            Variable::Real(_) if !bucket.is_proper => Preference::Likelihood,
            Variable::Real(_) if is_small => Preference::Integral,
            _ => Preference::Large,
        };
        let reals = bucket.reals.iter();
        Some(Rank {
            preference,
            components,
            numbers: reals.map(|&real| self.graph.dimension(real)).sum(),
            age: match variable {
                Variable::Finite(v) => self.ages[v.index()],
                Variable::Real(_) => 0,
            },
        })
    }

    fn rank_anew(&mut self, variable: Variable) {
        if let Some(rank) = self.rank(variable) {
            self.queue.insert((rank, variable));
        }
    }

    /// Returns the next variable to eliminate, with its rank; `None` if no table contains vectors.
    fn next(&mut self) -> Option<(Rank, Variable)> {
        while self.real_tables > 0 {
            let (rank, variable) = self.queue.pop_first()?;
            // The rank of the variable in the queue may be out of date.
            match self.rank(variable) {
                Some(now) if now == rank => return Some((rank, variable)),
                Some(now) => {
                    self.queue.insert((now, variable));
                }
                None => {}
            }
        }
        None
    }

    fn eliminate(&mut self, variable: Variable, bucket: Bucket) {
        let index = self.steps.len();
        let mut owned: Vec<RealId> = Vec::new();
        let mut inputs = Vec::with_capacity(bucket.tables.len());
        for &table in &bucket.tables {
            let table = &mut self.tables[table];
            table.is_live = false;
            self.real_tables -= usize::from(!table.reals.is_empty());
            owned.append(&mut table.owned);
            inputs.push(table.input);
            if let Input::Message(step) = table.input {
                self.steps[step as usize].parent = Some(index);
            }
        }
        let (mut separator, mut kept) = (bucket.reals.clone(), bucket.finite.clone());
        let (mut eliminated, mut summed) = (Vec::new(), Vec::new());
        match variable {
            Variable::Real(real) => {
                separator.retain(|&other| other != real);
                eliminated.push(real);
            }
            Variable::Finite(v) => {
                kept.retain(|&other| other != v);
                summed.push(v);
            }
        }
        owned.retain(|real| !eliminated.contains(real));
        self.add(Table {
            input: Input::Message(index as u32),
            reals: separator.clone(),
            finite: kept.clone(),
            owned,
            is_live: true,
        });
        if !separator.is_empty() {
            for v in &kept {
                let age = &mut self.ages[v.index()];
                *age = (*age).min(index);
            }
        }
        let reals = separator.iter().map(|&real| Variable::Real(real));
        let all = reals.chain(kept.iter().map(|&v| Variable::Finite(v)));
        for other in all.collect::<Vec<_>>() {
            self.rank_anew(other);
        }
        self.steps.push(Step {
            eliminated: eliminated.into(),
            separator: separator.into(),
            finite: bucket.finite,
            summed,
            kept,
            inputs: inputs.into(),
            parent: None,
        });
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}
