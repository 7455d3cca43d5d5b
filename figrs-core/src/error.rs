//! Errors in a model.

use figrs_derive::ErrorDebug;
use figrs_factor::wording::{Call, StatedAt};
use thiserror::Error;

use crate::bytes::Bytes;
use crate::collections::MemberError;
use crate::element::label::Label;
use crate::parts::PartError;

/// Failure of a function that a user gave to the model.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum Fault {
    /// The user's function panicked; the text is the panic message.
    #[error(
        "its function panicked: {0}; let it return a value for all arguments, or exclude these values by evidence"
    )]
    Panicked(String),
    /// The user's function returned an error with this message, for example an error of a query of another model.
    #[error("its function returned an error: {0}")]
    Failed(String),
    /// The result of a calculation does not fit into its number type.
    #[error("{0}; use a wider type, or exclude these values by evidence")]
    Arithmetic(String),
    /// A linear function received a list of another length than it needs.
    #[error("{0}; or exclude these values by evidence")]
    Shape(String),
    /// A user-defined distribution returned numbers that are not probabilities.
    #[error("its distribution {0}")]
    Distribution(String),
    /// A conditional probability table or a list of clauses has no row for some parent values, or two rows for the same parent values.
    #[error("{0}")]
    Row(String),
    /// The function of a Chain returned two different elements for the same parent values.
    #[error(
        "its function returned two different elements for the same arguments, {0}; it must depend on its arguments alone"
    )]
    Impure(String),
    /// A function returned different results for equal arguments. Only debug builds check whether a function returns different results for equal
    /// arguments.
    #[error(
        "its function returned {results} for {arguments}, which are equal as values: let their equality compare everything that functions read, \
        or return one representative of equal values{}",
        Call("Value::canonical")
    )]
    UnequalResults {
        /// Description of the two different results of the function for equal arguments.
        results: String,
        /// The arguments of the two calls for which the function returned different results.
        arguments: String,
    },
    /// A counterfactual query would have to store more elements than its limit allows.
    #[error(
        "the counterfactual would store more than {0} elements that Chains create; raise the limit{call}, or draw fewer worlds",
        call = Call("Counterfactual::max_elements")
    )]
    TooManyBranches(usize),
    /// A path names a part of an element's value, such as a field or a list entry, that some value of the element does not have.
    #[error("{0}; or exclude these values by evidence")]
    Part(Box<PartError>),
    /// The value of an element depends on itself, through members of a [`Process`](crate::Process) that depend on each other.
    #[error(
        "its value depends on itself, because members of a process depend on each other in one world; let each member depend only on earlier \
         ones, or exclude these values by evidence"
    )]
    Cyclic,
    /// A query asked for a member that a collection or a process does not have.
    #[error("{0}")]
    Member(Box<MemberError>),
}

impl Fault {
    /// Returns the error for a parent value that a table does not list.
    pub fn no_state(parent: usize) -> Self {
        Self::Row(format!(
            "a value of parent {parent} is not among its states; add it"
        ))
    }
}

/// An error in a model, which an algorithm finds when it runs on the model.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum ModelError {
    /// A parameter of an element is not allowed.
    #[error("{element}: {problem}")]
    InvalidParameter {
        /// The element whose parameter is not allowed.
        element: Label,
        /// A text that names the parameter, its value and the allowed values.
        problem: String,
    },
    /// The algorithm reached a decision, but neither the model nor the algorithm chooses an option for this decision.
    #[error(
        "{element}: a decision has no probabilities, and no option was chosen for it; set it in the model{}, or add it to the decisions of \
        MaximiseUtility",
        Call("Model::intervene")
    )]
    Undecided {
        /// The decision for which no option was chosen.
        element: Label,
    },
    /// A function of the model failed for some values.
    #[error("{element}: {fault}")]
    Function {
        /// The element whose function failed.
        element: Label,
        /// The failure of the user's function.
        fault: Fault,
    },
    /// Evidence gives a weight that is negative or not a number, or whose logarithm is NaN or so far from zero that a sum of such logarithms would
    /// overflow.
    #[error("{element}: the evidence{} gives a value the weight {weight}; {remedy}", StatedAt(.location))]
    InvalidWeight {
        /// The element whose value has the weight.
        element: Label,
        /// The weight that is not allowed, such as `-1`, or `exp(inf)` if the evidence gives its logarithm.
        weight: String,
        /// A text that describes the weights that are allowed.
        remedy: &'static str,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// Soft evidence gives a value a weight that exceeds the stated maximum of the weights.
    #[error(
        "{element}: the evidence{} gives {value} the weight {weight}, above the stated maximum {maximum}; state a larger finite maximum",
        StatedAt(.location)
    )]
    WeightAboveMaximum {
        /// The element whose value has the weight.
        element: Label,
        /// The value of the element with this weight.
        value: String,
        /// The weight of the value.
        weight: f64,
        /// The stated maximum of the weights that the evidence gives.
        maximum: f64,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// A part of the model that was not expanded (the values of its elements are not listed) may contain worlds whose weights have no upper bound.
    #[error(
        "{element} is expanded only to a depth of {depth} Chains, and {problem}, so there are no bounds; {remedy}"
    )]
    Unbounded {
        /// The element that causes the unbounded weights: its unknown value may have any weight, or its weight may occur again in the parts of the
        /// model that were not expanded.
        element: Label,
        /// Number of nested Chains whose functions had been called when the error was found.
        depth: usize,
        /// The reason why the weights of worlds are unbounded.
        problem: String,
        /// The remedy that the error message suggests to the user.
        remedy: &'static str,
    },
    /// An exact algorithm reached an element with infinitely many values, or with too many values to list them.
    #[error(
        "{element}: {kind} values cannot be enumerated by an exact algorithm; {remedy}, make it finite (discretise it if it is continuous, \
         truncate it if it is a count), use Exact with the feature `reals` if the model has a closed form, or use a sampling algorithm \
         such as ImportanceSampling"
    )]
    NotFinite {
        /// The element whose values cannot be enumerated.
        element: Label,
        /// The kind of the element's support: `continuous` or `infinitely many discrete`.
        kind: &'static str,
        /// The first remedy that the error message suggests: an observation of the element, or an algorithm that does not enumerate observed
        /// elements.
        remedy: &'static str,
    },
    /// An observed value has a probability in some branches of a Chain (elements that its function returns) and a density in others.
    #[error(
        "{element}: the observed value {value} has a probability in some branches and a density in others, which \
         exact algorithms do not compare; use ImportanceSampling, where the probability dominates"
    )]
    MixedObservation {
        /// The Chain whose branches give the observed value a probability or a density.
        element: Label,
        /// The observed value.
        value: String,
    },
    /// The value of a Chain is observed; the branch that the Chain takes is a continuous element, on which another element also depends.
    #[error(
        "{element}: an observation of a Chain determines its value, and other elements depend on it too, which samplers that change one choice at \
        a time cannot weigh; observe the element itself, or use ImportanceSampling"
    )]
    SharedObservation {
        /// The continuous element.
        element: Label,
    },
    /// The conditional probability table of an element would have more entries than the limit allows.
    #[error(
        "{element}: its table needs {needed} entries, more than the limit of {limit}; use fewer parents at once (a fold) or smaller supports, or \
        raise the limit{}",
        Call("Limits::element_entries")
    )]
    TableTooLarge {
        /// The element whose conditional probability table is too large.
        element: Label,
        /// Number of entries that the conditional probability table needs.
        needed: u128,
        /// Number of entries of a table that the limit allows.
        limit: u64,
    },
    /// Chains are nested more deeply than the limit allows.
    #[error(
        "{element}: Chains are nested deeper than the limit of {limit}; the model may be infinite: use LazyVariableElimination for bounds, use \
        ImportanceSampling for estimates, or raise the limit{}",
        Call("Limits::depth")
    )]
    TooDeep {
        /// The Chain whose nesting exceeds the depth limit.
        element: Label,
        /// Nesting depth of Chains that the limit allows.
        limit: usize,
    },
    /// A call of a recursive function depends on another call with the same argument.
    #[error(
        "{element}: its call with the argument {argument} depends on a call with the same argument, so an exact algorithm would never end; pass a \
         smaller argument to each call, or use LazyVariableElimination for bounds or ImportanceSampling for estimates"
    )]
    CyclicCall {
        /// The recursive function.
        element: Label,
        /// The argument of the recursive call.
        argument: String,
    },
    /// The model, or one of its worlds, has more elements than the limit allows.
    #[error(
        "{element}: the model or one of its worlds has more elements than the limit of {limit}; the model may be infinite: use \
        LazyVariableElimination for bounds, use ImportanceSampling for estimates, or raise the limit{}",
        Call("Limits::elements` or `max_elements")
    )]
    TooManyElements {
        /// The element at which the limit was exceeded.
        element: Label,
        /// Number of elements that the limit allows.
        limit: usize,
    },
    /// The elements of the model, or of one of its worlds, take more memory than the limit allows.
    #[error(
        "{element}: the elements created and evaluated so far take {} of memory, more than the limit of {}; the model may be infinite, or a Chain \
        may have very many branches: use LazyVariableElimination for bounds, use ImportanceSampling for estimates, or raise the limit{}",
        Bytes(*.needed), Bytes(*.limit), Call("Limits::expansion_memory` or `max_bytes")
    )]
    TooMuchMemory {
        /// The element that exceeds the memory limit.
        element: Label,
        /// Number of bytes that the elements have needed so far.
        needed: u64,
        /// Number of bytes of elements that the limit allows.
        limit: u64,
    },
    /// The deadline of an inference run passed, or the run was interrupted, while the possible values of the model's elements were being listed.
    #[error("the run ended while {element} was expanded; allow more time")]
    Stopped {
        /// The element whose possible values were being listed.
        element: Label,
    },
}

impl ModelError {
    /// True if the error concerns only the worlds that evaluate the element named in the error; false if the whole model is invalid.
    pub(crate) fn is_local(&self) -> bool {
        matches!(
            self,
            Self::InvalidParameter { .. }
                | Self::Undecided { .. }
                | Self::Function { .. }
                | Self::InvalidWeight { .. }
                | Self::WeightAboveMaximum { .. }
        )
    }
}
