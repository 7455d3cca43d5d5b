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
    #[error("its function panicked: {0}; make it total, or exclude these values by evidence")]
    Panicked(String),
    /// The function returned an error with this message, for example an error of a query of another model.
    #[error("its function returned an error: {0}")]
    Failed(String),
    /// The result of a calculation does not fit into its type.
    #[error("{0}; use a wider type, or exclude these values by evidence")]
    Arithmetic(String),
    /// A user-defined distribution returned numbers that are not probabilities.
    #[error("its distribution {0}")]
    Distribution(String),
    /// A conditional table or a list of clauses has no row, or two rows, for some parent values.
    #[error("{0}")]
    Row(String),
    /// A Chain's function returned two different elements for the same parent values.
    #[error(
        "its function gave two different elements for the same values, {0}; it must depend on its arguments alone"
    )]
    Impure(String),
    /// A function returned different results for equal arguments. Only debug builds check for this error.
    #[error(
        "its function gave {results} for {arguments}, which are equal as values: let their equality compare all that functions read, or \
         give one representative of them{}",
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
        "more than {0} elements that Chains create are remembered for a counterfactual; allow more{call}, or draw fewer worlds",
        call = Call("Counterfactual::max_elements")
    )]
    TooManyBranches(usize),
    /// A path names a part of an element's value that some value of the element does not have.
    #[error("{0}; or exclude these values by evidence")]
    Part(Box<PartError>),
    /// The value of an element depends on itself, through members of a [`Process`](crate::Process) that depend on each other.
    #[error(
        "its value needs itself, because members of a process ask for each other in one world; let each member ask for earlier ones, or exclude \
         these values by evidence"
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
        "{element}: a decision has no probabilities, and nothing decides it here; set it in the model{}, or list it among \
         the decisions of MaximiseUtility",
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
    /// A weight in the evidence is negative or not a number.
    #[error(
        "{element}: the evidence{} weighs a value with {weight}; weights are finite and not negative",
        StatedAt(.location)
    )]
    InvalidWeight {
        /// The element with the weight.
        element: Label,
        /// The weight that is not allowed.
        weight: f64,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// The logarithm of a weight in the evidence is NaN, or so far from zero that a sum of such numbers would
    /// overflow.
    #[error(
        "{element}: the evidence{} weighs a value with exp({log}); logarithms are from -1e300 to 1e300, or \
         -inf for a weight of zero",
        StatedAt(.location)
    )]
    InvalidLogWeight {
        /// The element with the weight.
        element: Label,
        /// The logarithm that is not allowed.
        log: f64,
        /// The source line that states the evidence.
        location: &'static std::panic::Location<'static>,
    },
    /// A weight exceeds its stated maximum.
    #[error(
        "{element}: the evidence{} weighs {value} with {weight}, its maximum is {maximum}; \
         state a larger maximum, a finite one",
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
        "{element} is expanded to a depth of {depth} Chains only, and {problem}, so that there are no bounds; {remedy}"
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
        "{element}: {kind} values cannot be enumerated by an exact algorithm; \
         {remedy}, make it finite (discretised if it is continuous, truncated if it counts), use Exact with the feature `reals` if it is normal, or use a \
         sampling algorithm such as ImportanceSampling"
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
        "{element}: an observation decides its value through the branch of a Chain, and other elements read it, which \
         samplers that change one choice at a time cannot weigh; observe the element itself, or use ImportanceSampling"
    )]
    SharedObservation {
        /// The continuous element.
        element: Label,
    },
    /// The table of an element would be larger than the limit.
    #[error(
        "{element}: its table needs {needed} entries, the budget allows {limit}; \
         use fewer parents at once (a fold), smaller supports, or a larger budget"
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
        "{element}: Chains are nested {limit} deep here, which is the budget; the model may be infinite: \
         use LazyVariableElimination for bounds, ImportanceSampling for estimates, or a larger budget"
    )]
    TooDeep {
        /// The Chain that exceeds the depth limit.
        element: Label,
        /// Nesting depth that the limit allows.
        limit: usize,
    },
    /// A call of a recursive function depends on a call with the same argument.
    #[error(
        "{element}: its call with the argument {argument} needs a call with the same argument, and so never ends for an \
         exact algorithm; let the argument get smaller, or use LazyVariableElimination for bounds or \
         ImportanceSampling for estimates"
    )]
    CyclicCall {
        /// The recursive function.
        element: Label,
        /// The argument of the call.
        argument: String,
    },
    /// The model, or one of its worlds, has more elements than the limit allows.
    #[error(
        "{element}: more than {limit} elements were reached, which is the budget; the model may be infinite: \
         use LazyVariableElimination for bounds, ImportanceSampling for estimates, or a larger budget"
    )]
    TooManyElements {
        /// The element that exceeds the limit.
        element: Label,
        /// Number of elements that the limit allows.
        limit: usize,
    },
    /// The elements of the model, or of one of its worlds, take more memory than the limit allows.
    #[error(
        "{element}: the elements made and evaluated so far take {} of memory, and the budget is {}; the model may be infinite, or a \
         Chain have very many branches: use LazyVariableElimination for bounds, ImportanceSampling for estimates, or a larger \
         budget (`Limits::expansion_memory` of an exact algorithm, `max_bytes` of a sampler)",
        Bytes(*.needed), Bytes(*.limit)
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
    #[error("the run ended while {element} was expanded: allow more time")]
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
                | Self::InvalidLogWeight { .. }
                | Self::WeightAboveMaximum { .. }
        )
    }
}
