//! Elimination of the real numbers of a graph, from the leaves to the roots.

use figrs_factor::eliminate::error::check_interrupt;
use figrs_factor::graph::{Assignments, Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_factor::until::Until;
use nalgebra::DVector;

use crate::error::GaussianError;
use crate::front::Front;
use crate::hybrid_graph::{HybridGraph, RealId};
use crate::plan::{Input, Step, plan};
use crate::square_root_form::LN_2_PI;

/// The conditional distribution of the vectors that an elimination step eliminates, given the vectors of its message. The rows of the matrix
/// are linear equations `triangle (R, S) = target` in the eliminated numbers R and the numbers S of the message, each with an independent
/// error of variance one. The rows of the matrix are stored in row-major order, with the target in the last column. The list of numbers is
/// empty if the finite assignment is impossible.
pub(crate) type Conditional = Box<[f64]>;

/// A hybrid factor graph whose real vectors are integrated out.
///
/// The factor graph [`finite`](Self::finite) gives the finite variables the same distribution as the whole graph.
///
/// **Guarantee.** Exact up to rounding. Rounding errors grow with the square root of the condition number of the precision matrix.
///
/// **Complexity.** For each step, the time is the number of assignments of its finite variables, times the number of rows of its factors,
/// times the square of the number of its real numbers.
#[derive(Debug)]
pub struct Elimination<'g> {
    pub(crate) graph: &'g HybridGraph,
    pub(crate) steps: Vec<Step>,
    /// For each elimination step, its conditional distributions, one for each assignment of the step's finite variables.
    pub(crate) conditionals: Vec<Vec<Conditional>>,
    finite: FactorGraph,
}

/// The message of an elimination step for one assignment of its finite variables: a matrix of coefficients, with a target for each row.
#[derive(Debug, Default)]
struct Message {
    rows: Vec<f64>,
    log_scale: f64,
}

impl<'g> Elimination<'g> {
    /// Eliminates all vectors. A step of the elimination may have at most `limit` assignments of finite variables.
    ///
    /// **Errors.** [`GaussianError::Improper`]; [`GaussianError::TooManyComponents`]; [`GaussianError::InfiniteTotal`]; [`GaussianError::Elimination`] if the deadline
    /// passes.
    pub fn run(graph: &'g HybridGraph, limit: usize, until: &Until) -> Result<Self, GaussianError> {
        Self::by_steps(graph, plan(graph, until)?, limit, until)
    }

    /// Maximises over all vectors instead of integrating them out: each assignment of the finite variables has the largest weight of its completions
    /// in [`finite`](Self::finite).
    ///
    /// **Errors.** As [`run`](Self::run).
    pub(crate) fn maximise(
        graph: &'g HybridGraph,
        limit: usize,
        until: &Until,
    ) -> Result<Self, GaussianError> {
        Self::new(graph, plan(graph, until)?, limit, until, false)
    }

    /// Eliminates all vectors by a plan that was made for another graph, whose factors have the same scopes.
    ///
    /// **Errors.** As [`run`](Self::run).
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
        for step in &steps {
            let components = graph.finite.dense_size(&step.finite);
            if components > limit {
                return Err(GaussianError::TooManyComponents {
                    real: step.eliminated[0],
                    components: components as f64,
                    limit,
                });
            }
        }
        let mut finite = graph.finite.clone();
        let mut messages: Vec<Vec<Message>> = Vec::with_capacity(steps.len());
        let mut conditionals = Vec::with_capacity(steps.len());
        let mut front = Front::default();
        for step in &steps {
            check_interrupt(until)?;
            let run = StepRun {
                integrates,
                ..StepRun::new(graph, &steps, step)
            };
            let (conditional, message) = run.run(&mut front, &messages)?;
            for input in &step.inputs {
                if let &Input::Message(used) = input {
                    messages[used] = Vec::new();
                }
            }
            conditionals.push(conditional);
            if step.separator.is_empty() {
                let is_wrong = |m: &Message| m.log_scale.is_nan() || m.log_scale == f64::INFINITY;
                if message.iter().any(is_wrong) {
                    return Err(GaussianError::InfiniteTotal);
                }
                finite.factors.push(finite_factor(step, &message));
                messages.push(Vec::new());
            } else {
                messages.push(message);
            }
        }
        Ok(Self {
            graph,
            steps,
            conditionals,
            finite,
        })
    }

    /// Returns the values of all vectors for an assignment of the finite variables; each number deviates from its conditional mean by a standard
    /// normal number that `noise` returns, in units of its conditional standard deviation.
    pub(crate) fn reals(
        &self,
        finite: &[u32],
        mut noise: impl FnMut() -> f64,
    ) -> Vec<DVector<f64>> {
        let graph = self.graph;
        let dimensions = graph.dimensions.iter();
        let mut reals: Vec<DVector<f64>> = dimensions.map(|&n| DVector::zeros(n)).collect();
        let mut values: Vec<f64> = Vec::new();
        for (step, conditionals) in self.steps.iter().zip(&self.conditionals).rev() {
            let place = step.finite.iter().fold(0, |place, &v| {
                place * graph.finite.cardinality(v) + finite[v.index()] as usize
            });
            let own = step.eliminated.iter().map(|&real| graph.dimension(real));
            values.clear();
            values.resize(own.sum(), 0.0);
            for real in &step.separator {
                values.extend(reals[real.index()].iter());
            }
            let rows = conditionals[place].chunks_exact(values.len() + 1);
            for (i, row) in rows.enumerate().rev() {
                let known = row[i + 1..values.len()].iter().zip(&values[i + 1..]);
                let sum: f64 = known.map(|(coefficient, x)| coefficient * x).sum();
                values[i] = (row[values.len()] + noise() - sum) / row[i];
            }
            let mut rest = &values[..];
            for &real in &step.eliminated {
                let (own, others) = rest.split_at(graph.dimension(real));
                reals[real.index()].copy_from_slice(own);
                rest = others;
            }
        }
        reals
    }

    /// The factor graph of the finite variables, in which the integrals of the real numbers are factors.
    pub fn finite(&self) -> &FactorGraph {
        &self.finite
    }
}

/// The factor of a message that has no vectors.
fn finite_factor(step: &Step, message: &[Message]) -> Factor {
    let logs = message.iter().map(|message| message.log_scale).collect();
    Factor {
        variables: step.finite.clone(),
        table: FactorTable::Dense(Weights::from_logs(logs)),
        normalised: false,
    }
}

/// The columns and the finite assignments of one elimination step.
struct StepRun<'a> {
    graph: &'a HybridGraph,
    step: &'a Step,
    /// Number of real numbers that the step eliminates, and number of real numbers of its message.
    eliminated: usize,
    separator: usize,
    inputs: Vec<StepInput>,
    /// True if the step integrates over its vectors, and false if it maximises over them.
    integrates: bool,
}

/// A factor or a message that an elimination step multiplies, with its positions in the step.
struct StepInput {
    input: Input,
    /// For each real number of the factor or message, its column in the step.
    columns: Vec<u32>,
    /// For each finite variable of the step, its stride in the input's list of Gaussian functions.
    strides: Vec<usize>,
}

impl<'a> StepRun<'a> {
    fn new(graph: &'a HybridGraph, steps: &[Step], step: &'a Step) -> Self {
        let numbers = |reals: &[RealId]| reals.iter().map(|&r| graph.dimension(r)).sum::<usize>();
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
            let (reals, finite) = match input {
                Input::Factor(i) => (&graph.factors[i].reals, &graph.factors[i].finite),
                Input::Message(i) => (&steps[i].separator, &steps[i].finite),
            };
            StepInput {
                input,
                columns: columns(reals),
                strides: strides(graph, &step.finite, finite),
            }
        });
        Self {
            graph,
            step,
            eliminated: numbers(&step.eliminated),
            separator: numbers(&step.separator),
            inputs: inputs.collect(),
            integrates: true,
        }
    }

    /// Returns the conditional distributions and the messages of the step, one for each assignment of the finite variables.
    fn run(
        &self,
        front: &mut Front,
        messages: &[Vec<Message>],
    ) -> Result<(Vec<Conditional>, Vec<Message>), GaussianError> {
        let finite = &self.graph.finite;
        let cardinalities = self.step.finite.iter().map(|&v| finite.cardinality(v));
        let assignments = Assignments::rows(cardinalities);
        let mut values = vec![0; self.step.finite.len()];
        let mut conditionals = Vec::with_capacity(assignments.count());
        let mut made = Vec::with_capacity(assignments.count());
        loop {
            self.fill(front, messages, &values);
            if front.log_scale == f64::NEG_INFINITY {
                conditionals.push(Conditional::default());
                made.push(Message {
                    rows: Vec::new(),
                    log_scale: f64::NEG_INFINITY,
                });
            } else {
                front.triangulate();
                conditionals.push(self.conditional(front)?);
                made.push(self.message(front));
            }
            if assignments.advance(&mut values).is_none() {
                return Ok((conditionals, made));
            }
        }
    }

    /// Multiplies the Gaussian functions of the step's factors and messages for an assignment of the finite variables.
    fn fill(&self, front: &mut Front, messages: &[Vec<Message>], values: &[u32]) {
        front.begin(self.eliminated + self.separator);
        let numbers = self.eliminated + self.separator;
        for StepInput {
            input,
            columns,
            strides,
        } in &self.inputs
        {
            let places = strides.iter().zip(values);
            let place: usize = places.map(|(stride, &value)| stride * value as usize).sum();
            match *input {
                Input::Factor(i) => {
                    let form = &self.graph.factors[i].forms[place];
                    front.log_scale += form.log_scale;
                    for (row, &target) in form.target.iter().enumerate() {
                        front.add_row(|all| {
                            for (&column, &x) in columns.iter().zip(&form.factor.row(row)) {
                                all[column as usize] = x;
                            }
                            all[numbers] = target;
                        });
                    }
                }
                Input::Message(i) => {
                    let message = &messages[i][place];
                    front.log_scale += message.log_scale;
                    for row in message.rows.chunks_exact(columns.len() + 1) {
                        front.add_row(|all| {
                            for (&column, &x) in columns.iter().zip(row) {
                                all[column as usize] = x;
                            }
                            all[numbers] = row[columns.len()];
                        });
                    }
                }
            }
        }
    }

    /// Returns the conditional distribution that a triangular matrix of linear equations states; if the step integrates, its normalising constant is
    /// added to the constant term.
    fn conditional(&self, front: &mut Front) -> Result<Conditional, GaussianError> {
        let width = self.eliminated + self.separator + 1;
        let mut triangle = Vec::with_capacity(self.eliminated * width);
        let mut log_scale = 0.5 * self.eliminated as f64 * LN_2_PI;
        for column in 0..self.eliminated {
            let row = front.row(column);
            let row = row.ok_or_else(|| GaussianError::Improper(self.real_of(column)))?;
            log_scale -= row[column].abs().ln();
            triangle.extend_from_slice(row);
        }
        if self.integrates {
            front.log_scale += log_scale;
        }
        Ok(triangle.into())
    }

    fn message(&self, front: &Front) -> Message {
        let mut rows = Vec::with_capacity(self.separator * (self.separator + 1));
        for column in self.eliminated..self.eliminated + self.separator {
            if let Some(row) = front.row(column) {
                rows.extend_from_slice(&row[self.eliminated..]);
            }
        }
        Message {
            rows,
            log_scale: front.log_scale,
        }
    }

    /// The eliminated vector to which a column of the matrix belongs.
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

/// For each variable of `scope`, the stride in a row-major list of entries over `variables`; zero if the variable is not among them.
pub(crate) fn strides(graph: &HybridGraph, scope: &[VarId], variables: &[VarId]) -> Vec<usize> {
    let stride = |v: &VarId| {
        let place = variables.iter().position(|other| other == v);
        place.map_or(0, |place| graph.finite.dense_size(&variables[place + 1..]))
    };
    scope.iter().map(stride).collect()
}
