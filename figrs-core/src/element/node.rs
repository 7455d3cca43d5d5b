//! The shared nodes to which elements are handles.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use rand::Rng;

use super::distribution::{Space, Tails};
use super::drop_queue;
use super::footprint::{ALLOCATION, Footprint};
use super::function::{CallId, FunctionId};
use super::label::{Label, printable};
use super::learned_prior::LearnedPrior;
use super::likelihood::{Likelihood, Term};
use super::linear::{LinearFunction, LinearGaussian};
use super::param::Number;
use crate::counterfactual::branch_memory::BranchMemory;
use crate::error::{Fault, ModelError};
use crate::random::Stream;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;
use crate::value::support::{Support, SupportBuilder};
use figrs_factor::graph::Weights;

pub(crate) use super::family_values::{
    IidValues, MemberArgument, MemberFault, SufficientStatistics,
};
pub use super::finite_outcomes::{FiniteOutcomes, NotEnumerable};
pub use super::kind::Kind;

/// The log-probability of a distribution whose numbers were replaced; `None` if the distribution does not support this, an error message if
/// the new numbers are invalid.
pub type NumbersReplaced = Option<Result<f64, String>>;

/// An atomic element's distribution, without its type.
pub trait AtomicOp: Send + Sync {
    /// Checks the parameters; the error is a message.
    fn check(&self) -> Result<(), String>;
    /// The outcomes as a support with probabilities if there are finitely many, otherwise the reason why they cannot be
    /// listed.
    fn outcomes(&self) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault>;
    /// Log-probability or log-density; never NaN or positive infinity.
    fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault>;
    /// Draws a random value.
    fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault>;
    /// Draws `count` random values.
    fn sample_many(&self, count: usize, rng: &mut Stream) -> Result<Box<dyn AnyColumn>, Fault>;
    /// The sum of `log_prob` over the values of a column.
    fn log_prob_of_all(&self, values: &dyn AnyColumn) -> Result<f64, Fault>;
    /// Cumulative probabilities at a value, if the distribution has them.
    fn tails(&self, value: &dyn Any) -> Result<Option<Tails>, Fault>;
    /// The space of the values, if they are continuous.
    fn space(&self) -> Space;
    /// The numbers of the distribution, if some of them are parameters that may change.
    fn numbers(&self) -> &[Number] {
        &[]
    }
    /// Adds `log_prob` as a function only of the numbers whose positions are in the range `open`, if that function is a sum of terms.
    fn likelihood(
        &self,
        open: Range<usize>,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let _ = (open, value);
        likelihood.refuse();
        Ok(())
    }
    /// The derivative of `log_prob` with respect to one of the numbers; if the probability is zero, the derivative of the probability.
    /// `None` if the derivative is not known.
    fn log_prob_derivative(&self, number: usize, value: &dyn Any) -> Result<Option<f64>, Fault> {
        let _ = (number, value);
        Ok(None)
    }
    /// The value of `log_prob` if the numbers were replaced by the given numbers: `None` if the distribution does not support this, an
    /// error message if the numbers are invalid.
    fn log_prob_with(&self, numbers: &[f64], value: &dyn Any) -> Result<NumbersReplaced, Fault> {
        let _ = (numbers, value);
        Ok(None)
    }
    /// The prior, if the element is a learned parameter.
    fn prior(&self) -> Option<&LearnedPrior> {
        None
    }
    /// For a decision, the elements whose values are known when it is made; the outcomes of a decision are options without probabilities.
    fn known(&self) -> Option<&[AnyElement]> {
        None
    }
    /// The terms of likelihoods to which the distribution is conjugate.
    fn conjugate_terms(&self) -> &'static [Term];
    /// Draws a value from the product of the distribution and a likelihood with these terms, if the distribution defines such a
    /// draw.
    fn sample_conditional(
        &self,
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault>;
    /// The product of the distribution and a likelihood with [`conjugate_terms`](Self::conjugate_terms), as a distribution; `None` if it is not
    /// known.
    fn posterior(&self, likelihood: &Likelihood) -> Result<Option<Box<dyn AtomicOp>>, Fault> {
        let _ = likelihood;
        Ok(None)
    }
    /// The mean and the variance of each number of a value, if they are known.
    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        None
    }
    /// If this is the distribution of the precision or the variance of a normal number: the degrees of freedom and the squared scale of Student's
    /// t-distribution that the number then has, around its mean.
    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        None
    }
    /// The distribution as a normal distribution, if it is one.
    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        None
    }
    /// A short description of the distribution.
    fn describe(&self) -> String;
    /// Number of bytes that the distribution holds on the heap, besides its own size.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// The argument of a function whose value may be open.
#[derive(Clone, Copy, Debug)]
pub enum OpenArgument<'a> {
    /// This value.
    Known(&'a dyn Any),
    /// An unknown list of this many numbers; one for a single number.
    Open(usize),
}

/// A deterministic function of parent values, without its types.
pub trait ApplyOp: Send + Sync {
    /// Returns the value of the function for these arguments.
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault>;
    /// Returns the position in `values` of the function's value for these arguments; a new value is added.
    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault>;
    /// True if the function is known to be so cheap that memoisation would not save time.
    fn is_light(&self) -> bool {
        false
    }
    /// Returns the values of the function for columns of arguments, `count` values each.
    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault>;
    /// Identity of the function, if it is known.
    fn identity(&self) -> Option<FunctionId> {
        None
    }
    /// The function as a linear function of the open numbers, if it is one. An argument is a value, or open: then its value has this
    /// many numbers.
    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let _ = arguments;
        None
    }
    /// The number that is positive where the function is true, and negative where it is false, as a linear function of the open numbers, if the function is
    /// such a comparison; and the value of the function at zero.
    fn comparison(&self, arguments: &[OpenArgument<'_>]) -> Option<(LinearFunction, bool)> {
        let _ = arguments;
        None
    }
    /// The parent values that the result `value` implies (backward inference); the entry is `None` for each parent whose value is not
    /// implied.
    fn demand(&self, value: &Datum) -> Option<Vec<Option<Datum>>> {
        let _ = value;
        None
    }
}

/// A function from parent values to an element, without its types.
pub trait ChainOp: Send + Sync {
    /// Returns the element that the function returns for these arguments.
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault>;
    /// As [`call`](Self::call), but always builds a new element instead of one that a counterfactual has stored.
    fn call_anew(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.call(arguments)
    }
    /// Memory in which counterfactuals store results; members of families have no such memory.
    fn memory(&self) -> Option<&BranchMemory> {
        None
    }
    /// Identity of the function, if it is known.
    fn identity(&self) -> Option<FunctionId> {
        None
    }
    /// The family, if the function always returns a new atomic element of the family whose parameters are the arguments.
    fn family(&self) -> Option<&dyn FamilyOp> {
        None
    }
    /// Identity of the recursive call that the element stands for, if there is one; such an element has no parents.
    fn call_id(&self) -> Option<CallId> {
        None
    }
    /// Number of bytes that the function holds on the heap, besides its own size; bytes that captured values hold are unknown and
    /// not counted.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// An untyped family of distributions; arguments supply its open parameters.
pub trait FamilyOp: Send + Sync {
    /// Checks the parameters; the other methods are called only if the check succeeds.
    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String>;
    /// True if `log_prob` is a log-density.
    fn is_continuous(&self) -> bool;
    /// The outcomes as a support with probabilities if there are finitely many, otherwise the reason why they cannot be
    /// listed.
    fn outcomes(
        &self,
        arguments: &[&dyn Any],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault>;
    /// Log-probability or log-density; never NaN or positive infinity.
    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault>;
    /// Log-probability or log-density for arguments that are all numbers; `None` if `check` or `log_prob` would fail.
    fn log_prob_for_numbers(&self, arguments: &[f64], value: &dyn Any) -> Option<f64>;
    /// Appends the log-probabilities or log-densities of some values, for arguments that are all numbers; the appended numbers may be NaN
    /// or infinite. `None` if `check` would fail or the values have another type; some numbers may already have been appended.
    fn log_probs_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        logs: &mut Vec<f64>,
    ) -> Option<()> {
        let _ = (arguments, values, logs);
        None
    }
    /// An upper bound of `log_prob` of a value over all arguments, if such a bound is known.
    fn max_log_prob(&self, value: &dyn Any) -> Option<f64> {
        let _ = value;
        None
    }
    /// True if [`member`](Self::member) accepts parameters in place of values.
    fn takes_params(&self) -> bool {
        false
    }
    /// The member of the family for some arguments (each argument is a value or parameters), as an atomic element. `None` if the family has
    /// no such members.
    fn member(&self, arguments: &[MemberArgument<'_>]) -> Option<AnyElement> {
        let _ = arguments;
        None
    }
    /// Draws a random value of the member with these arguments.
    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault>;
    /// The space of the values, if they are continuous.
    fn space(&self) -> Space;
    /// Adds `log_prob` as a function only of the argument at this position, if that function is a sum of terms.
    fn likelihood(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault>;
    /// As [`likelihood`](Self::likelihood), for independent values.
    fn likelihood_of_all(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: &IidValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault>;
    /// As [`likelihood`](Self::likelihood), for some values and as a function of the first argument; `None` if `check` would fail or the
    /// values have another type.
    fn likelihood_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        likelihood: &mut Likelihood,
    ) -> Option<()> {
        let _ = (arguments, values, likelihood);
        None
    }
    /// The members as normal distributions whose mean is linear in the open numbers, if they are that. An argument is a value, or open: then
    /// its value has this many numbers. [`check`](Self::check) is not called before.
    fn linear_gaussian(
        &self,
        arguments: &[OpenArgument<'_>],
    ) -> Result<Option<LinearGaussian>, String> {
        let _ = arguments;
        Ok(None)
    }
    /// The terms of likelihoods to which members are conjugate.
    fn conjugate_terms(&self) -> &'static [Term];
    /// Draws a value from the product of the member and a likelihood with these terms, if the family defines such a
    /// draw.
    fn sample_conditional(
        &self,
        arguments: &[&dyn Any],
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault>;
    /// Draws a value for each row of columns of arguments, `count` values each.
    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault>;
    /// The log-probabilities or log-densities of a value for each row of columns of arguments, `count` values each.
    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault>;
    /// Sufficient statistics of the values of a column, if the family has them.
    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>>;
    /// The sum of `log_prob` over independent values.
    fn log_prob_of_all(&self, arguments: &[&dyn Any], values: &IidValues<'_>)
    -> Result<f64, Fault>;
    /// As [`log_prob_of_all`](Self::log_prob_of_all), for arguments that are all numbers; `None` if `check` or
    /// `log_prob` would fail.
    fn log_prob_of_all_for_numbers(&self, arguments: &[f64], values: &IidValues<'_>)
    -> Option<f64>;
    /// The sums of `log_prob` over independent values, for each row of columns of arguments, `count` values each.
    fn log_probs_of_all(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        values: &IidValues<'_>,
    ) -> Result<Vec<f64>, MemberFault>;
    /// Sufficient statistics that replace a value that is weighed many times, in `log_prob` and `log_prob_for_numbers`, if they
    /// are faster to weigh.
    fn summary(&self, value: &dyn Any) -> Option<SufficientStatistics> {
        let _ = value;
        None
    }
    /// The family itself, with its type.
    fn as_any(&self) -> &dyn Any;
    /// True if another family has the same members for the same arguments.
    fn is_same_as(&self, other: &dyn FamilyOp) -> bool {
        let _ = other;
        false
    }
    /// A hash that is equal for equal families.
    fn digest(&self) -> u64 {
        0
    }
    /// Returns the element whose value is a list of independent values distributed like `of`, a member of this family; also returns the
    /// given values as one list.
    fn list(&self, of: &AnyElement, values: &[&Datum]) -> Option<(AnyElement, Datum)> {
        let _ = (of, values);
        None
    }
}

/// An untyped conditional probability table over finite parents.
pub trait TableOp: Send + Sync {
    /// Checks the numbers; the error is a message.
    fn check(&self) -> Result<(), String>;
    /// The values of the element, in the order of the columns.
    fn values(&self) -> &Support;
    /// The states of each parent, in the order of the rows.
    fn states(&self) -> &[Support];
    /// The probabilities of all rows, without a common scale: the value of the last parent changes fastest, and the probabilities of one
    /// row are adjacent.
    fn weights(&self) -> &Weights;
    /// Number of bytes that the table holds on the heap, besides its own size.
    fn heap_bytes(&self) -> usize {
        self.weights().bytes()
    }
}

/// One element of a model: its kind, its label, and the type of its values.
struct Node {
    kind: Option<Kind>,
    name: OnceLock<String>,
    constructor: &'static str,
    location: &'static Location<'static>,
    values: fn() -> SupportBuilder,
    /// Approximate size of the node in bytes, without its name.
    bytes: usize,
}

impl Drop for Node {
    /// Drops the contents of the node without recursion: parents and captured elements are put in a queue.
    fn drop(&mut self) {
        let Some(kind) = self.kind.take() else { return };
        Footprint::dropped(self.bytes + self.name.get().map_or(0, String::capacity));
        drop_queue::release(kind);
    }
}

/// A handle to an element whose type of values is not known at compile time; cheap to clone.
#[derive(Clone)]
pub struct AnyElement(Arc<Node>);

impl AnyElement {
    pub(crate) fn new(
        constructor: &'static str,
        location: &'static Location<'static>,
        values: fn() -> SupportBuilder,
        kind: Kind,
    ) -> Self {
        let bytes = size_of::<Node>() + 2 * ALLOCATION + kind.heap_bytes();
        Footprint::made(bytes);
        Self(Arc::new(Node {
            bytes,
            kind: Some(kind),
            name: OnceLock::new(),
            constructor,
            location,
            values,
        }))
    }

    /// Another element of the same type, with the same constructor and source line.
    pub(crate) fn with_kind(&self, kind: Kind) -> Self {
        let Node {
            constructor,
            location,
            values,
            ..
        } = *self.0;
        Self::new(constructor, location, values, kind)
    }

    /// Kind of the node.
    #[allow(clippy::missing_panics_doc)]
    pub fn kind(&self) -> &Kind {
        self.0
            .kind
            .as_ref()
            .expect("only the drop of a node takes its kind")
    }

    /// Label of the element.
    pub fn label(&self) -> Label {
        Label::new(
            self.0.name.get().cloned(),
            self.0.constructor,
            self.0.location,
        )
    }

    /// The constructor, and the source line that called it.
    pub(crate) fn constructor_call(&self) -> (&'static str, &'static Location<'static>) {
        (self.0.constructor, self.0.location)
    }

    pub(crate) fn set_name(&self, name: String) {
        let escaped = match printable(&name) {
            Cow::Owned(escaped) => Some(escaped),
            Cow::Borrowed(_) => None,
        };
        let name = escaped.unwrap_or(name);
        let bytes = name.capacity();
        // A node keeps its first name, because all its handles share the node.
        if self.0.name.set(name).is_ok() {
            Footprint::named(bytes);
        }
    }

    /// An identity that is unique among the living elements.
    pub fn id(&self) -> ElementId {
        ElementId(Arc::as_ptr(&self.0).addr())
    }

    /// True if this is the only handle of the element: no other element and no evidence can then refer to it.
    pub fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// An empty list of values of this element's type.
    pub fn no_values(&self) -> SupportBuilder {
        (self.0.values)()
    }

    /// An empty column of values of this element's type.
    pub fn no_column(&self) -> Box<dyn AnyColumn> {
        self.no_values().column()
    }

    /// The elements whose values this element reads in every world that reaches it.
    pub fn parents(&self) -> &[AnyElement] {
        match self.kind() {
            Kind::Atomic(_) => &[],
            Kind::Apply(parents, _) | Kind::Chain(parents, _) | Kind::Table(parents, _) => parents,
            Kind::Score(parent, _) => std::slice::from_ref(parent),
        }
    }

    /// The model error that reports a failure of this element's function.
    pub fn fault(&self, fault: Fault) -> ModelError {
        ModelError::Function {
            element: self.label(),
            fault,
        }
    }

    /// For a decision, the elements whose values are known when the decision is made; `None` for other elements.
    pub fn known(&self) -> Option<&[AnyElement]> {
        match self.kind() {
            Kind::Atomic(op) => op.known(),
            Kind::Apply(..) | Kind::Chain(..) | Kind::Table(..) | Kind::Score(..) => None,
        }
    }

    /// The model error that reports invalid parameters of this element, or a decision for which no option is chosen.
    pub fn invalid(&self, problem: String) -> ModelError {
        if self.known().is_some() {
            return ModelError::Undecided {
                element: self.label(),
            };
        }
        ModelError::InvalidParameter {
            element: self.label(),
            problem,
        }
    }
}

impl fmt::Debug for AnyElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label())
    }
}

/// The identity of an element among the living elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(usize);
