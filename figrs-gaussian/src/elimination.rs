//! Elimination of the real vectors of a hybrid factor graph, one step after another.

use std::collections::BTreeMap;

use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::eliminate::log_sums;
use figrs_factor::graph::{
    Assignments, Factor, FactorGraph, FactorTable, VarId, Weights, for_each_entry, log_stored,
};
use figrs_factor::{Limits, Until};
use smallvec::SmallVec;

use crate::error::GaussianError;
use crate::front::{Front, Sign};
use crate::hybrid_graph::{HybridGraph, RealId};
use crate::merging_plan::merging_plan;
use crate::plan::{Input, Step, first_plan, plan};
use crate::square_root_form::{LN_2_PI, SquareRootForm};
use crate::weak_marginal::WeakMarginal;

/// For each elimination step and each assignment of its finite variables, the conditional distribution of the vectors that the step eliminates, given
/// the vectors of the step's message.
///
/// A conditional distribution consists of linear equations `triangle (R, S) = target` in the eliminated numbers R and the numbers S of the message;
/// each equation has an independent error of variance one. In a conditional distribution, the matrix of the linear equations is stored in row-major
/// order, with the target in the last column. The matrix of the linear equations is zero if the assignment of the finite variables is impossible.
#[derive(Debug)]
pub(crate) struct Conditionals {
    entries: Vec<f64>,
    /// For each elimination step, the index of the first entry of its conditional distributions in the list of all entries, and the number of entries
    /// for one assignment of its finite variables.
    steps: Vec<(usize, usize)>,
}

impl Conditionals {
    /// Returns the conditional distribution of `step` for the assignment of its finite variables with the index `place`.
    pub(crate) fn get(&self, step: usize, place: usize) -> &[f64] {
        let (first, size) = self.steps[step];
        &self.entries[first + place * size..][..size]
    }
}

/// If the first elimination plan needs more assignments of finite variables than this multiple of their maximum number, components of mixtures are
/// merged without a search for a better elimination order.
const HOPELESS: usize = 8;

/// The result of integrating the real vectors out of a hybrid factor graph.
///
/// The factor graph [`finite`](Self::finite), which remains after the elimination, gives the finite variables the same distribution as the whole
/// graph.
///
/// **Guarantee.** The elimination is exact up to rounding. Rounding errors grow with the square root of the condition number of the precision matrix.
///
/// **Complexity.** The time of an elimination step is proportional to the number of assignments of its finite variables, times the number of rows of
/// its factors, times the square of the number of its real numbers.
#[derive(Debug)]
pub struct Elimination<'g> {
    pub(crate) graph: &'g HybridGraph,
    pub(crate) steps: Vec<Step>,
    pub(crate) conditionals: Conditionals,
    /// For each elimination step that sums over finite variables, the result of the sum.
    pub(crate) sums: BTreeMap<usize, WeakMarginal>,
    finite: FactorGraph,
}

impl<'g> Elimination<'g> {
    /// Eliminates all vectors. A step of the elimination may have at most `limit` assignments of finite variables.
    ///
    /// **Errors.** [`GaussianError::Improper`], [`GaussianError::TooManyComponents`] or [`GaussianError::InfiniteTotal`], in the cases that their
    /// documentation states; [`GaussianError::Elimination`] if the deadline passes.
    pub fn run(graph: &'g HybridGraph, limit: usize, until: &Until) -> Result<Self, GaussianError> {
        Self::by_steps(graph, plan(graph, until)?, limit, until)
    }

    /// Eliminates all vectors. If a step of the elimination by [`run`](Self::run) would have more than `limit` assignments of finite variables,
    /// components of mixtures are merged: a sum of normal distributions over values of a finite variable is replaced by the normal distribution with
    /// the same mean and covariance (a weak marginal).
    ///
    /// **Guarantee.** The result is exact if no components were merged ([`is_exact`](Self::is_exact)); otherwise the result is an approximation
    /// without bounds.
    ///
    /// **Complexity.** The total number of assignments of finite variables in all steps is about `limit`, unless the structure of the graph requires
    /// more.
    ///
    /// **References.** Lauritzen 1992; Lauritzen and Jensen 2001.
    ///
    /// **Errors.** The same errors as [`run`](Self::run).
    pub fn merging(
        graph: &'g HybridGraph,
        limit: usize,
        until: &Until,
    ) -> Result<Self, GaussianError> {
        let hopeless = limit.saturating_mul(HOPELESS);
        let first = too_many_components(graph, &first_plan(graph, until)?, hopeless);
        let refused = match first.map_or_else(|| Self::run(graph, limit, until), Err) {
            Err(refused @ GaussianError::TooManyComponents { .. }) => refused,
            found => return found,
        };
        match Self::by_steps(graph, merging_plan(graph, limit, until)?, limit, until) {
            // A plan with merged components needs factors that are densities of vectors given earlier vectors.
            Err(GaussianError::Improper(_)) => Err(refused),
            found => found,
        }
    }

    /// Maximises over all vectors instead of integrating them out: in [`finite`](Self::finite), the weight of an assignment is the maximum of the
    /// product of all factors over the vectors.
    ///
    /// **Errors.** The same errors as [`run`](Self::run).
    pub(crate) fn maximise(
        graph: &'g HybridGraph,
        limit: usize,
        until: &Until,
    ) -> Result<Self, GaussianError> {
        Self::new(graph, plan(graph, until)?, limit, until, false)
    }

    /// Eliminates all vectors by the plan `steps`, which may be the plan for another graph whose factors have the same scopes.
    ///
    /// **Errors.** The same errors as [`run`](Self::run).
    pub(crate) fn by_steps(
        graph: &'g HybridGraph,
        steps: Vec<Step>,
        limit: usize,
        until: &Until,
    ) -> Result<Self, GaussianError> {
        Self::new(graph, steps, limit, until, true)
    }

    fn new(
        graph: &'g HybridGraph,
        steps: Vec<Step>,
        limit: usize,
        until: &Until,
        integrates: bool,
    ) -> Result<Self, GaussianError> {
        if let Some(refused) = too_many_components(graph, &steps, limit) {
            return Err(refused);
        }
        let mut finite = graph.finite.clone();
        let mut messages: Vec<Vec<SquareRootForm>> = Vec::with_capacity(steps.len());
        let size = |step: &Step| {
            let (own, others) = (
                numbers(graph, &step.eliminated),
                numbers(graph, &step.separator),
            );
            graph.finite.dense_size(&step.finite) * own * (own + others + 1)
        };
        let mut conditionals = Conditionals {
            entries: Vec::with_capacity(steps.iter().map(size).sum()),
            steps: Vec::with_capacity(steps.len()),
        };
        let mut sums = BTreeMap::new();
        let mut is_multiplied = vec![false; finite.factors.len()];
        let mut totals: Vec<Factor> = Vec::new();
        let mut front = Front::default();
        for (index, step) in steps.iter().enumerate() {
            check_interrupt(until)?;
            let run = StepRun {
                integrates,
                ..StepRun::new(graph, &steps, step)
            };
            let found = run.run(&mut front, &messages, &mut conditionals)?;
            for input in &step.inputs {
                match *input {
                    Input::Message(used) => messages[used as usize] = Vec::new(),
                    Input::Finite(used) => is_multiplied[used as usize] = true,
                    Input::Factor(_) => {}
                }
            }
            let message = if step.summed.is_empty() {
                found
            } else {
                for v in &step.summed {
                    finite.cardinalities[v.index()] = 1;
                }
                let sum = WeakMarginal::new(graph, step, found)?;
                sums.entry(index).or_insert(sum).sums.clone()
            };
            if step.parent.is_none() {
                let is_wrong =
                    |m: &SquareRootForm| m.log_scale.is_nan() || m.log_scale == f64::INFINITY;
                if message.iter().any(is_wrong) {
                    return Err(GaussianError::InfiniteTotal);
                }
                totals.push(finite_factor(step, &message));
                messages.push(Vec::new());
            } else {
                messages.push(message);
            }
        }
        let mut is_multiplied = is_multiplied.into_iter();
        finite
            .factors
            .retain(|_| is_multiplied.next() != Some(true));
        finite.factors.append(&mut totals);
        Ok(Self {
            graph,
            steps,
            conditionals,
            sums,
            finite,
        })
    }

    /// True if no components of mixtures were merged.
    pub fn is_exact(&self) -> bool {
        self.sums.values().all(|sum| sum.is_exact)
    }

    /// Returns the factors of [`finite`](Self::finite) that are integrals of the real numbers.
    pub(crate) fn totals(&self) -> &[Factor] {
        let roots = self.steps.iter().filter(|step| step.parent.is_none());
        &self.finite.factors[self.finite.factors.len() - roots.count()..]
    }

    /// For each value of `variable`, returns the natural logarithm of the product of all factors, integrated over the vectors and summed over the
    /// other finite variables; minus infinity if this total is zero.
    ///
    /// **Errors.** [`GaussianError::Elimination`] if the elimination of the finite variables fails; [`GaussianError::InfiniteTotal`] if a total is
    /// infinite.
    pub fn log_totals(&self, variable: VarId, limits: &Limits) -> Result<Vec<f64>, GaussianError> {
        let (totals, _) = log_sums(&self.finite, &[variable], limits)?;
        match totals.iter().all(|log| *log < f64::INFINITY) {
            true => Ok(totals),
            false => Err(GaussianError::InfiniteTotal),
        }
    }

    /// Returns the number of entries of all conditional distributions.
    pub fn entries(&self) -> usize {
        self.conditionals.entries.len()
    }

    /// Returns the factor graph of the finite variables. The factors of the returned graph include the integrals over the real vectors.
    pub fn finite(&self) -> &FactorGraph {
        &self.finite
    }
}

/// Returns an error if a step has more than `limit` assignments of finite variables.
fn too_many_components(graph: &HybridGraph, steps: &[Step], limit: usize) -> Option<GaussianError> {
    let size = |step: &Step| graph.finite.dense_size(&step.finite);
    let step = steps.iter().find(|step| size(step) > limit)?;
    Some(GaussianError::TooManyComponents {
        real: *step.eliminated.first().unwrap_or(&RealId(0)),
        components: size(step) as f64,
        limit,
    })
}

fn finite_factor(step: &Step, message: &[SquareRootForm]) -> Factor {
    let logs = message.iter().map(|message| message.log_scale).collect();
    Factor {
        variables: step.kept.clone(),
        table: FactorTable::Dense(Weights::from_logs(logs)),
        normalised: false,
    }
}

/// One elimination step, with the matrix columns of its real vectors.
struct StepRun<'a> {
    graph: &'a HybridGraph,
    step: &'a Step,
    /// Number of real numbers that the step eliminates; `separator` is the number of real numbers in the message of the step.
    eliminated: usize,
    separator: usize,
    inputs: SmallVec<[StepInput; 4]>,
    /// True if the step integrates over the eliminated vectors, and false if it maximises over them.
    integrates: bool,
}

/// A factor or a message that an elimination step multiplies.
struct StepInput {
    input: Input,
    /// For each real number of the factor or message, its column in the matrix of the step.
    columns: SmallVec<[u32; 8]>,
    /// For each finite variable of the step, the stride of the variable in the list of the factor's or message's Gaussian functions.
    strides: Vec<usize>,
    /// For a factor of finite variables, the natural logarithms of its entries.
    logs: Vec<f64>,
}

impl<'a> StepRun<'a> {
    fn new(graph: &'a HybridGraph, steps: &[Step], step: &'a Step) -> Self {
        let column = |real: &RealId| {
            let all = step.eliminated.iter().chain(&step.separator);
            let before = all.take_while(|other| *other != real);
            before.map(|&other| graph.dimension(other)).sum::<usize>()
        };
        let columns = |reals: &[RealId]| {
            let of_real = |real| column(real)..column(real) + graph.dimension(*real);
            reals.iter().flat_map(of_real).map(|c| c as u32).collect()
        };
        let inputs = step.inputs.iter().map(|&input| {
            let (reals, finite, logs) = match input {
                Input::Factor(i) => {
                    let factor = &graph.factors[i as usize];
                    (&factor.reals[..], &factor.finite, Vec::new())
                }
                Input::Finite(i) => {
                    let factor = &graph.finite.factors[i as usize];
                    (&[][..], &factor.variables, logs(&graph.finite, factor))
                }
                Input::Message(i) => {
                    let step = &steps[i as usize];
                    (&step.separator[..], &step.kept, Vec::new())
                }
            };
            StepInput {
                input,
                columns: columns(reals),
                strides: strides(graph, &step.finite, finite),
                logs,
            }
        });
        Self {
            graph,
            step,
            eliminated: numbers(graph, &step.eliminated),
            separator: numbers(graph, &step.separator),
            inputs: inputs.collect(),
            integrates: true,
        }
    }

    /// Returns the messages of the step, one for each assignment of the finite variables, and adds the conditional distributions to `conditionals`.
    fn run(
        &self,
        front: &mut Front,
        messages: &[Vec<SquareRootForm>],
        conditionals: &mut Conditionals,
    ) -> Result<Vec<SquareRootForm>, GaussianError> {
        let finite = &self.graph.finite;
        let cardinalities = self.step.finite.iter().map(|&v| finite.cardinality(v));
        let assignments = Assignments::rows(cardinalities);
        let mut values = vec![0; self.step.finite.len()];
        let entries = &mut conditionals.entries;
        let size = self.eliminated * (self.eliminated + self.separator + 1);
        conditionals.steps.push((entries.len(), size));
        let mut made = Vec::with_capacity(assignments.count());
        loop {
            self.fill(front, messages, &values);
            if front.log_scale == f64::NEG_INFINITY {
                entries.resize(entries.len() + size, 0.0);
                made.push(SquareRootForm::constant(self.separator, f64::NEG_INFINITY));
            } else {
                front.triangulate(self.eliminated);
                self.add_conditional(front, entries)?;
                made.push(self.message(front));
            }
            if assignments.advance(&mut values).is_none() {
                return Ok(made);
            }
        }
    }

    /// Multiplies the Gaussian functions of the step's factors and messages for the assignment `values` of the finite variables; the product is in
    /// `front`.
    fn fill(&self, front: &mut Front, messages: &[Vec<SquareRootForm>], values: &[u32]) {
        front.begin(self.eliminated + self.separator);
        let numbers = self.eliminated + self.separator;
        for StepInput {
            input,
            columns,
            strides,
            logs,
        } in &self.inputs
        {
            let places = strides.iter().zip(values);
            let place: usize = places.map(|(stride, &value)| stride * value as usize).sum();
            let form = match *input {
                Input::Factor(i) => &self.graph.factors[i as usize].forms[place],
                Input::Message(i) => &messages[i as usize][place],
                Input::Finite(_) => {
                    front.log_scale += logs[place];
                    continue;
                }
            };
            front.log_scale += form.log_scale;
            let (rows, added) = form.rows();
            for (i, row) in rows.enumerate() {
                front.add_row(sign(i, added), |all| {
                    for (&column, &x) in columns.iter().zip(row) {
                        all[column as usize] = x;
                    }
                    all[numbers] = row[columns.len()];
                });
            }
        }
    }

    /// Adds the conditional distribution of the eliminated vectors (the first rows of the triangular matrix) to `entries`. If the elimination step
    /// integrates over its vectors, also adds the logarithm of the integral to the constant term.
    fn add_conditional(
        &self,
        front: &mut Front,
        entries: &mut Vec<f64>,
    ) -> Result<(), GaussianError> {
        let mut log_scale = 0.5 * self.eliminated as f64 * LN_2_PI;
        for column in 0..self.eliminated {
            let row = front.row(Sign::Added, column);
            let row = row.ok_or_else(|| GaussianError::Improper(self.real_of(column)))?;
            log_scale -= row[column].abs().ln();
            entries.extend_from_slice(row);
        }
        if self.integrates {
            front.log_scale += log_scale;
        }
        Ok(())
    }

    fn message(&self, front: &Front) -> SquareRootForm {
        let mut message = SquareRootForm::constant(self.separator, front.log_scale);
        for sign in [Sign::Added, Sign::Subtracted] {
            for column in self.eliminated..self.eliminated + self.separator {
                if let Some(row) = front.row(sign, column) {
                    message.entries.extend_from_slice(&row[self.eliminated..]);
                    message.subtracted += sign as usize;
                }
            }
        }
        message
    }

    fn real_of(&self, column: usize) -> RealId {
        let mut end = 0;
        let mut reals = self.step.eliminated.iter().copied();
        let found = reals.find(|&real| {
            end += self.graph.dimension(real);
            column < end
        });
        found.unwrap_or(self.step.eliminated[0])
    }
}

/// Returns the number of real numbers of the vectors `reals`.
fn numbers(graph: &HybridGraph, reals: &[RealId]) -> usize {
    reals.iter().map(|&real| graph.dimension(real)).sum()
}

/// Returns the sign of the square of `row`: the squares of the first `added` rows are added, and the squares of later rows are subtracted.
fn sign(row: usize, added: usize) -> Sign {
    match row < added {
        true => Sign::Added,
        false => Sign::Subtracted,
    }
}

/// Returns the natural logarithms of all entries of `factor` in row-major order.
pub(crate) fn logs(graph: &FactorGraph, factor: &Factor) -> Vec<f64> {
    let cardinalities = factor.variables.iter().map(|&v| graph.cardinality(v));
    let all = Assignments::rows(cardinalities);
    let mut logs = vec![f64::NEG_INFINITY; all.count()];
    for_each_entry(graph, factor, |entry, values| {
        logs[all.number(values)] = log_stored(factor, entry);
    });
    logs
}

/// For each variable of `scope`, returns its stride in a row-major list of entries over `variables`; zero if `variables` does not contain the
/// variable.
pub(crate) fn strides(graph: &HybridGraph, scope: &[VarId], variables: &[VarId]) -> Vec<usize> {
    let stride = |v: &VarId| {
        let place = variables.iter().position(|other| other == v);
        place.map_or(0, |place| graph.finite.dense_size(&variables[place + 1..]))
    };
    scope.iter().map(stride).collect()
}
