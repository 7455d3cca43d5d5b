//! Errors in a model.

use figrs_derive::ErrorDebug;
use figrs_factor::wording::{Call, StatedAt};
use thiserror::Error;

use crate::bytes::Bytes;
use crate::collections::MemberError;
use crate::element::label::Label;
use crate::parts::PartError;

/// Failure of a user's function.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum Fault {
    /// The function panicked with the contained message.
    #[error(
        "its function panicked: {0}; let it return a value for all arguments, or exclude these values by evidence"
    )]
    Panicked(String),
    /// The function returned an error with this message, for example an error of a query of another model.
    #[error("its function returned an error: {0}")]
    Failed(String),
    /// The result of a calculation does not fit into its type.
    #[error("{0}; use a wider type, or exclude these values by evidence")]
    Arithmetic(String),
    /// A linear function reads a list of another length than it needs.
    #[error("{0}; or exclude these values by evidence")]
    Shape(String),
    /// A user-defined distribution returned numbers that are not probabilities.
    #[error("its distribution {0}")]
    Distribution(String),
    /// A conditional table or a list of clauses has no row, or two rows, for some parent values.
    #[error("{0}")]
    Row(String),
    /// A Chain's function returned two different elements for the same parent values.
    #[error(
        "its function returned two different elements for the same arguments, {0}; it must depend on its arguments alone"
    )]
    Impure(String),
    /// A function returned different results for equal arguments. Only debug builds check for this error.
    #[error(
        "its function returned {results} for {arguments}, which are equal as values: let their equality compare everything that functions read, \
        or return one representative of equal values{}",
        Call("Value::canonical")
    )]
    UnequalResults {
        /// Description of the two results that differ.
        results: String,
        /// The arguments of the two calls whose results differ.
        arguments: String,
    },
    /// A counterfactual would have to store more elements than its limit allows.
    #[error(
        "the counterfactual would store more than {0} elements that Chains create; raise the limit{call}, or draw fewer worlds",
        call = Call("Counterfactual::max_elements")
    )]
    TooManyBranches(usize),
    /// A path names a part of an element's value that some value of the element does not have.
    #[error("{0}; or exclude these values by evidence")]
    Part(Box<PartError>),
    /// The value of an element depends on itself, through members of a [`Process`](crate::Process) that depend on each other.
    #[error(
        "its value depends on itself, because members of a process depend on each other in one world; let each member depend only on earlier \
         ones, or exclude these values by evidence"
    )]
    Cyclic,
    /// A collection or a process does not have a member that was asked for.
    #[error("{0}")]
    Member(Box<MemberError>),
}

impl Fault {
    /// Returns the fault for a parent value that a table does not list.
    pub fn no_state(parent: usize) -> Self {
        Self::Row(format!(
            "a value of parent {parent} is not among its states; add it"
        ))
    }
}

/// An error in a model, which an algorithm finds when it uses the model.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum ModelError {
    /// A parameter of an element is not allowed.
    #[error("{element}: {problem}")]
    InvalidParameter {
        /// The element whose parameter is not allowed.
        element: Label,
        /// The parameter, its value and the allowed values.
        problem: String,
    },
    /// A decision was reached, but neither the model nor the algorithm chooses an option for it.
    #[error(
        "{element}: a decision has no probabilities, and no option was chosen for it; set it in the model{}, or add it to the decisions of \
        MaximiseUtility",
        Call("Model::intervene")
    )]
    Undecided {
        /// The decision that was reached.
        element: Label,
    },
    /// A function of the model failed for some values.
    #[error("{element}: {fault}")]
    Function {
        /// The element whose function failed.
        element: Label,
        /// The failure of the function.
        fault: Fault,
    },
    /// A weight in the evidence is negative or not a number, or its logarithm is NaN, or so far from zero that a sum of such numbers would overflow.
    #[error("{element}: the evidence{} gives a value the weight {weight}; {remedy}", StatedAt(.location))]
    InvalidWeight {
        /// The element with the weight.
        element: Label,
        /// The weight that is not allowed, such as `-1`, or `exp(inf)` if its logarithm is stated.
        weight: String,
        /// The weights that are allowed.
        remedy: &'static str,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// A weight exceeds its stated maximum.
    #[error(
        "{element}: the evidence{} gives {value} the weight {weight}, above the stated maximum {maximum}; state a larger finite maximum",
        StatedAt(.location)
    )]
    WeightAboveMaximum {
        /// The element with the weight.
        element: Label,
        /// The value of the element.
        value: String,
        /// The weight of the value.
        weight: f64,
        /// The stated maximum of the weights.
        maximum: f64,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// The weights of worlds in unexpanded parts of the model have no upper bound.
    #[error(
        "{element} is expanded only to a depth of {depth} Chains, and {problem}, so there are no bounds; {remedy}"
    )]
    Unbounded {
        /// The element whose unknown value may have any weight, or whose weight may occur again in unexpanded parts of the model.
        element: Label,
        /// Number of nested Chains that were expanded before the error.
        depth: usize,
        /// The reason why the weights are unbounded.
        problem: String,
        /// The remedy, worded for the user.
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
        /// The kind of the support: `continuous` or `infinitely many discrete`.
        kind: &'static str,
        /// The first remedy in the message: an observation of the element, or an algorithm that does not enumerate observed elements.
        remedy: &'static str,
    },
    /// An observed value has a probability in some branches of a Chain and a density in others.
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
    /// A continuous element is observed through a branch of a Chain, while another element also depends on the continuous element.
    #[error(
        "{element}: an observation of a Chain determines its value, and other elements depend on it too, which samplers that change one choice at \
        a time cannot weigh; observe the element itself, or use ImportanceSampling"
    )]
    SharedObservation {
        /// The continuous element.
        element: Label,
    },
    /// The table of an element would be larger than the limit.
    #[error(
        "{element}: its table needs {needed} entries, more than the limit of {limit}; use fewer parents at once (a fold) or smaller supports, or \
        raise the limit{}",
        Call("Limits::element_entries")
    )]
    TableTooLarge {
        /// The element whose table is too large.
        element: Label,
        /// Number of entries that the table needs.
        needed: u128,
        /// Number of entries that the limit allows.
        limit: u64,
    },
    /// Chains are nested deeper than the limit.
    #[error(
        "{element}: Chains are nested deeper than the limit of {limit}; the model may be infinite: use LazyVariableElimination for bounds, use \
        ImportanceSampling for estimates, or raise the limit{}",
        Call("Limits::depth")
    )]
    TooDeep {
        /// The Chain that exceeds the depth limit.
        element: Label,
        /// Nesting depth that the limit allows.
        limit: usize,
    },
    /// A call of a recursive function depends on a call with the same argument.
    #[error(
        "{element}: its call with the argument {argument} depends on a call with the same argument, so an exact algorithm would never end; pass a \
         smaller argument to each call, or use LazyVariableElimination for bounds or ImportanceSampling for estimates"
    )]
    CyclicCall {
        /// The recursive function.
        element: Label,
        /// The argument of the call.
        argument: String,
    },
    /// The model, or one of its worlds, has more elements than the limit allows.
    #[error(
        "{element}: the model or one of its worlds has more elements than the limit of {limit}; the model may be infinite: use \
        LazyVariableElimination for bounds, use ImportanceSampling for estimates, or raise the limit{}",
        Call("Limits::elements` or `max_elements")
    )]
    TooManyElements {
        /// The element that exceeds the limit.
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
        /// Number of bytes needed so far.
        needed: u64,
        /// Number of bytes that the limit allows.
        limit: u64,
    },
    /// The deadline of the run passed, or the run was interrupted, during the expansion of the model.
    #[error("the run ended while {element} was expanded; allow more time")]
    Stopped {
        /// The element that was being expanded.
        element: Label,
    },
}

impl ModelError {
    /// True if the error occurs only in the worlds that evaluate the element; false if the whole model is invalid.
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
