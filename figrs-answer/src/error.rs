//! Errors that inference returns.

mod classes;

use std::panic::Location;

use figrs_core::wording::{Call, StatedAt};
use figrs_core::{DescribedStatement, Label, ModelError, PartError};
use figrs_derive::ErrorDebug;
use thiserror::Error;

use crate::answer::choice::AlgorithmChoice;
pub use classes::guarded;
use classes::{enumerated, first_of, in_filter, known, not_maximised};
use figrs_factor::eliminate::EliminationError;

/// The reason why inference failed.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum Error {
    /// The model has a mistake, or is too large for the algorithm.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Variable elimination would exceed one of its limits.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
    /// A path such as `rooms[2].owner` leads to no element of an object, or data state no evidence about the object's elements.
    #[error(transparent)]
    Part(Box<PartError>),
    /// No algorithm of a portfolio can answer the query within the given memory and work.
    #[error(
        "no algorithm can answer within the given memory and work: {tried}; allow more{}, state more evidence, or ask for fewer targets",
        Call("within`, `work")
    )]
    NothingFits {
        /// The algorithms that were tried, with their results.
        tried: AlgorithmChoice,
        /// The error of the algorithm that was tried last.
        last: Box<Self>,
    },
    /// No world satisfies the evidence.
    #[error(
        "the evidence is impossible; {}: {}; remove {} of them",
        if .conflict.len() == 1 { "no world satisfies" } else { "these statements exclude each other" },
        first_of(.conflict),
        if *.is_minimal { "one" } else { "some" }
    )]
    ImpossibleEvidence {
        /// Statements of evidence that cannot hold at the same time.
        conflict: Vec<DescribedStatement>,
        /// True if removing any one of the conflicting statements makes the remaining statements possible. False if the search for a smaller conflict
        /// ended before the conflict was known to be minimal.
        is_minimal: bool,
    },
    /// No world that the algorithm tried satisfied the evidence, which may be impossible or merely rare.
    #[error(
        "{algorithm}: none of {tried} worlds that were tried met the evidence: it is impossible or very rare; {remedy}"
    )]
    NoSampleMetEvidence {
        /// The name of the algorithm.
        algorithm: &'static str,
        /// Number of worlds that the algorithm drew; for lazy bounds, number of intervals of each continuous element.
        tried: u64,
        /// A remedy for the error.
        remedy: &'static str,
    },
    /// The weights of soft evidence have no stated maximum, which the algorithm needs.
    #[error(
        "the weights of {element}{} have no stated maximum; state one with `weigh_at_most`, or use ImportanceSampling",
        StatedAt(.location)
    )]
    UnboundedWeight {
        /// The element for which the weights are stated.
        element: Label,
        /// The source line that states the weights.
        location: &'static Location<'static>,
    },
    /// The model has evidence, although the algorithm allows no evidence.
    #[error(
        "{algorithm} draws from the prior and accepts no evidence, but the model has evidence on {element}{}; use RejectionSampling \
         or ImportanceSampling",
        StatedAt(.location)
    )]
    EvidenceNotAllowed {
        /// The name of the algorithm.
        algorithm: &'static str,
        /// The element that has evidence.
        element: Label,
        /// The source line that states the evidence.
        location: &'static Location<'static>,
    },
    /// A run was ended by its deadline, by an interrupt or by its limit of work before the run had any result.
    #[error(
        "{algorithm} was stopped before it had a result; allow more time{}, or raise its limit of work{}",
        Call("deadline"),
        Call("work")
    )]
    NothingDone {
        /// The name of the algorithm.
        algorithm: &'static str,
    },
    /// Partial results of a sampling run cannot be merged, because their units of work (numbered groups of samples) are not consecutive.
    #[error(
        "the merged parts end before unit {end} of the run, but the next part begins with unit {begin}; merge the parts in the order of their \
        units, each part once"
    )]
    NotConsecutive {
        /// The index of the unit of work that should come next in the merged result.
        end: u64,
        /// The index of the first unit of work in the partial results to be merged.
        begin: u64,
    },
    /// A partial result that was read from outside belongs to another run, or is damaged.
    #[error(
        "unit {unit} of the part does not fit this run: {problem}; merge only parts that were computed with the same version, model, settings and \
        targets"
    )]
    UnfitPart {
        /// The index of the unit of work whose result does not belong to this run.
        unit: u64,
        /// The first problem that was found in the result.
        problem: String,
    },
    /// An answer was to be lengthened, or a run saved or loaded, for another model or other targets.
    #[error(
        "the run of {algorithm} belongs to another model or other targets; give the model and the targets of the run"
    )]
    OtherModel {
        /// The name of the algorithm.
        algorithm: &'static str,
    },
    /// Slices (subproblems) of a sum or maximum are missing, because the run was stopped or some slices were left out.
    #[error(
        "only {added} of {slices} slices have been computed, so the logarithm of the result is at least {lower_bound}; allow more time, or add \
        the missing parts"
    )]
    MissingSlices {
        /// Number of slices (subproblems of the sum or maximum) that have been computed.
        added: u64,
        /// Number of slices (subproblems) into which the whole sum or maximum is divided.
        slices: u64,
        /// The logarithm of the sum over the computed slices, or of the probability of the best world in them; this logarithm is a lower bound of the
        /// result for all slices.
        lower_bound: f64,
    },
    /// A search ended without finding any world, although a world may exist.
    #[error(
        "the search found no world within {work} steps; if a world exists, its log-probability is at most {upper_bound}: allow more steps{} or \
        larger tables{}",
        Call("MpeBranchAndBound::work"),
        Call("MpeBranchAndBound::bound_table")
    )]
    NoWorldFound {
        /// Number of search steps that were made.
        work: u64,
        /// An upper bound of the log-probabilities of all worlds.
        upper_bound: f64,
    },
    /// One iteration of message passing would take more work than the limit allows.
    #[error(
        "{algorithm}: one iteration of messages reads {needed} table entries, more than the limit of work, {limit}; raise the limit{}, or use \
        ImportanceSampling",
        Call("work")
    )]
    MessagesTooLarge {
        /// The name of the algorithm.
        algorithm: &'static str,
        /// Number of table entries that one iteration of message passing reads; an entry counts once for each variable of its factor.
        needed: u64,
        /// Number of table entries that the limit allows for one iteration.
        limit: u64,
    },
    /// The messages of belief propagation do not determine a possible world, although a possible world may exist.
    #[error(
        "the max-product messages determine no world after {iterations} iterations (the last iteration changed messages by up to {residual:.1e}); \
        use MpeVariableElimination, or MpeBranchAndBound if the model is too wide for elimination"
    )]
    NoWorldDecoded {
        /// Number of iterations of message passing that were made.
        iterations: u64,
        /// Largest change of a message in the last iteration.
        residual: f64,
    },
    /// The model has more worlds than the limit allows, or the worlds together have more elements to evaluate than the limit allows.
    #[error(
        "{}; use VariableElimination, use ImportanceSampling if the model is infinite, or raise the limit{}",
        enumerated(*.worlds, *.evaluations),
        Call(if .evaluations.is_none() { "max_worlds" } else { "max_evaluations" })
    )]
    TooManyWorlds {
        /// Number of worlds that were completely evaluated.
        worlds: u64,
        /// Number of evaluations of elements that the limit allows; `None` if the limit on the number of worlds was exceeded.
        evaluations: Option<u64>,
    },
    /// No two draws of a floating-point number are equal, so that the draws do not determine the probability of a single value.
    #[error(
        "no two draws of {element} are the same, so the probability of a single value cannot be estimated; ask for `mean`, \
         `expectation` or `probability_that`, or for quantiles of its `distribution`"
    )]
    NoRepeatedValue {
        /// The element of the query.
        element: Label,
    },
    /// The answer is of a kind (marginals, bounds or a world) that does not have the requested content.
    #[error("an answer of {algorithm} has no {asked}; {remedy}")]
    NotInAnswer {
        /// The name of the algorithm that computed the answer.
        algorithm: &'static str,
        /// The content that was requested.
        asked: &'static str,
        /// A remedy for the error, in words.
        remedy: &'static str,
    },
    /// A queried element is not a target, decision, varying element or learned parameter of the run, or not part of the world that the run found.
    #[error("{element} {problem}; {remedy}")]
    UnknownElement {
        /// The element.
        element: Label,
        /// The reason for the error, as the predicate of a sentence about the element, such as `was not a target of this run`.
        problem: &'static str,
        /// A remedy for the error, as an instruction such as `add it to the targets`.
        remedy: String,
    },
    /// No clique of the junction tree contains all elements of the query.
    #[error(
        "no clique of the junction tree contains all of {elements}; make their `tuple` a target"
    )]
    NoClique {
        /// The names of the elements of the query.
        elements: String,
    },
    /// A branch of a Chain depends on a Score (a weight factor) on which elements outside the branch depend too.
    #[error(
        "{element}: a branch of this Chain reaches a Score that other elements reach too, or that only some worlds reach; use JunctionTree"
    )]
    SharedScore {
        /// The Chain whose branch depends on the Score.
        element: Label,
    },
    /// The states of the frontiers (sets of elements that later steps need) take more memory than the limit allows.
    #[error(
        "the frontier before {element} has {states} states, and the computation up to it needs {bytes} bytes, more than the memory limit of \
        {limit}; state evidence earlier, order evidence and targets so that dependent elements are adjacent, or raise the limit{}",
        Call("memory")
    )]
    FrontierTooLarge {
        /// The element at which the limit was exceeded.
        element: Label,
        /// The number of joint values of the elements that later steps of the algorithm need after this element.
        states: usize,
        /// Number of bytes of memory that the computation up to this element needs.
        bytes: u64,
        /// Number of bytes of memory that the limit allows.
        limit: u64,
    },
    /// The frontier (the set of elements that later steps need) has more elements than can be represented.
    #[error(
        "the frontier after {element} has {elements} elements, more than Frontier supports; state the evidence row by row or step by step, or use \
        VariableElimination"
    )]
    FrontierTooWide {
        /// The element at which the frontier has the most elements.
        element: Label,
        /// Number of elements in the frontier (the set of elements that later steps need) at this element.
        elements: usize,
    },
    /// A saved junction tree, filter or result of learning (fit) belongs to another model, or to another version of figrs, or is damaged.
    #[error("the saved {what} cannot be used: {reason}; {remedy}")]
    Saved {
        /// The kind of the saved value: a junction tree, a filter, or a fit (the result of learning).
        what: &'static str,
        /// The reason why the saved value cannot be used.
        reason: &'static str,
        /// A remedy: how to obtain another saved value.
        remedy: &'static str,
    },
    /// No other computation can check the answer.
    #[error(
        "the answer was computed but cannot be checked: {reason}; run the algorithm without the check{} to get the answer",
        Call("SelfChecked")
    )]
    NotChecked {
        /// The reason why no other computation can compute the answer.
        reason: Box<Error>,
    },
    /// An answer failed the check by another computation.
    #[error(
        "{what} is {claimed} in the answer, but another computation gives {found}; do not use this answer, and report it with the model"
    )]
    NotVerified {
        /// Describes the number that was checked.
        what: String,
        /// The number that the answer contains.
        claimed: f64,
        /// The number that the checking computation found.
        found: f64,
    },
    /// The code of a value's type panicked.
    #[error(
        "inference ended with a panic: {message}; functions in settings, and the implementations of `Clone`, `Eq`, `Hash`, `Debug` and `Drop` for \
        types of values, must not panic for any value of the model"
    )]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// A row (case) of data cannot be used as evidence.
    #[error("row {row} of the cases, counted from 0: {problem}")]
    InvalidCase {
        /// The index of the row, counted from 0.
        row: usize,
        /// Description of the mistake, with a remedy.
        problem: String,
    },
    /// No element that the data cases need depends on a learned parameter.
    #[error(
        "there is nothing to learn: no element of the cases depends on a `Learned` parameter; pass a `Learned` as a parameter of an element"
    )]
    NothingToLearn,
    /// An element depends on a learned parameter in a form whose maximum likelihood has no closed form.
    #[error(
        "{parameter} cannot be learned by expectation-maximisation, because its prior is not conjugate to the way in which {element} depends on \
        it; pass it directly as a parameter of an element, or draw from its posterior with MetropolisHastings"
    )]
    NotLearnable {
        /// The parameter that cannot be learned.
        parameter: Label,
        /// The element whose distribution depends on the parameter.
        element: Label,
    },
    /// Parameters cannot be learned from the evidence on an element.
    #[error("parameters cannot be learned from the evidence on {element}: {reason}")]
    CannotLearnFrom {
        /// The element that has the evidence.
        element: Label,
        /// The reason why parameters cannot be learned from the evidence, with a remedy.
        reason: &'static str,
    },
    /// The likelihood of a parameter has no single maximum: it grows as the parameter goes to zero or to infinity, or several values of a coefficient
    /// maximise it.
    #[error("{}", not_maximised(.parameter, *.undetermined_cases))]
    NoMaximum {
        /// The parameter whose likelihood does not have a single maximum.
        parameter: Label,
        /// The expected number of data cases, if several values of a coefficient are best; `None` if the likelihood grows without end.
        undetermined_cases: Option<f64>,
    },
    /// Standard errors of learned parameters cannot be computed: the expected counts are not exact, or the parameters have too many free numbers.
    #[error("{reason}")]
    NoStandardErrors {
        /// The reason why standard errors cannot be computed, with a remedy.
        reason: String,
    },
    /// No element that the answer needs depends on the parameter of the query.
    #[error(
        "no element that this answer needs depends on the parameter {parameter}; pass it to an element as a number, or leave it out"
    )]
    UnknownParameter {
        /// The parameter with its value, as text.
        parameter: String,
    },
    /// The probabilities of an element depend on a parameter in a form that is unknown or has no derivative.
    #[error(
        "the derivative of the probabilities of {element} with respect to {parameter} is unknown, or does not exist at this value; compare the \
        answers for two values of the parameter, or implement `Family::log_prob_derivative`"
    )]
    UnknownDependence {
        /// The parameter with its value, as text.
        parameter: String,
        /// The element that depends on the parameter.
        element: Label,
    },
    /// The value of a parameter has changed since the answer was computed, or since the beginning of a run that is to be continued.
    #[error(
        "the parameter {parameter} has changed since the algorithm ran; run the algorithm again"
    )]
    ParameterChanged {
        /// The parameter whose value has changed.
        parameter: String,
    },
    /// The model has no answer when a parameter has a certain value.
    #[error("the model has no answer if {parameter} is {value}: {problem}; choose another range")]
    NoAnswerAt {
        /// The parameter for whose value the model has no answer.
        parameter: String,
        /// The value of the parameter.
        value: f64,
        /// The reason why the model has no answer.
        problem: String,
    },
    /// The function of a query returns infinity or NaN for some value.
    #[error(
        "{query} returned {number} for a value of its element; return a finite number for each value"
    )]
    NotFiniteQuery {
        /// The query as text.
        query: String,
        /// The number that the function returned.
        number: f64,
    },
    /// The targets of an answer do not determine the prediction of an element.
    #[error(
        "{element} depends on the evidence not only through the targets of this answer, so they do not predict it; add {missing} to the targets"
    )]
    NotPredictable {
        /// The element to be predicted.
        element: Label,
        /// The elements that must be added to the targets.
        missing: String,
    },
    /// A step of a filter of a time series failed.
    #[error(
        "step {step} of the filter failed: {}; the filter is still as it was before the step",
        in_filter(error)
    )]
    InStep {
        /// The index of the failed step, counted from 1; zero for the first state of the filter.
        step: u64,
        /// The error of the failed step.
        error: Box<Self>,
    },
    /// The distribution of a real element has no closed form.
    #[error("{element} has no closed form: {problem}; use ImportanceSampling, or discretise it")]
    NotClosedForm {
        /// The element that is not a linear function of normal elements.
        element: Label,
        /// The reason why the distribution of the element has no closed form, with a remedy.
        problem: String,
    },
    /// The posterior of a real number does not exist, because a likelihood of the number grows faster than the density of its prior decreases.
    #[error(
        "{element} has no posterior: the likelihood of \"{statement}\" grows so fast that its expected value is infinite; bound it, or let it grow \
         more slowly"
    )]
    ImproperPosterior {
        /// The real number.
        element: Label,
        /// The statement of evidence that has the likelihood.
        statement: String,
    },
    /// A decision influences evidence, or an element whose value is known when this decision or an earlier decision is made.
    #[error("{decision} influences {element}, which is {}", known(.known_to.as_deref()))]
    DecisionInfluencesKnown {
        /// The decision that influences the element.
        decision: Label,
        /// The element that is observed, or whose value is known when a decision is made; this element may be the decision itself.
        element: Label,
        /// The decision that is made when the element's value is known; `None` if the element is evidence.
        known_to: Option<Box<Label>>,
    },
    /// The utility cannot be added, because it is infinite, NaN or too large.
    #[error(
        "{element} has the utility {value}; utilities are numbers (`f64`) from -1e300 to 1e300"
    )]
    InvalidUtility {
        /// The element that has the utility.
        element: Label,
        /// The value of the utility.
        value: f64,
    },
    /// The values of an element that is known when a decision is made have no defined distance.
    #[error("{element}, which is known when {decision} is decided: {problem}")]
    NoDistance {
        /// The decision that is made when the element's value is known.
        decision: Box<Label>,
        /// The element whose value is known when the decision is made.
        element: Label,
        /// The reason why the distance of the values is undefined, with a remedy.
        problem: String,
    },
    /// No draw contains an option of a decision, whose utility is therefore unknown.
    #[error("no draw has the option {option} of {decision}; draw more")]
    OptionNotDrawn {
        /// The decision that has the option.
        decision: Label,
        /// The option that no draw contains.
        option: String,
    },
    /// A decision plan (a policy) was queried for a value that is not known, or not possible, when a decision is made.
    #[error("{decision}: {problem}")]
    UnknownInformation {
        /// The decision for which the plan was queried.
        decision: Label,
        /// Description of the mistake, with a remedy.
        problem: String,
    },
    /// A setting of an algorithm is invalid.
    #[error("{algorithm}: {setting} is {value}; {remedy}")]
    InvalidSetting {
        /// The name of the algorithm.
        algorithm: &'static str,
        /// The name of the setting.
        setting: &'static str,
        /// The invalid value of the setting.
        value: String,
        /// The values that the setting allows.
        remedy: &'static str,
    },
}
