//! Errors of inference.

mod classes;

use std::panic::Location;

use figrs_core::{Label, ModelError};
use figrs_derive::ErrorDebug;
use thiserror::Error;

use crate::answer::choice::AlgorithmChoice;
use figrs_factor::eliminate::EliminationError;

/// Reason that there is no answer.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum Error {
    /// The model has a mistake, or is too large for the algorithm.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The elimination would need more than its budget.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
    /// No algorithm of a portfolio fits the given memory and work.
    #[error(
        "no algorithm fits the memory and the work given: {tried}; allow more (`within`, `work`), state more evidence, or ask for fewer targets"
    )]
    NothingFits {
        /// The algorithms that were tried.
        tried: AlgorithmChoice,
        /// The last refusal.
        last: Box<Self>,
    },
    /// No world meets the evidence.
    #[error(
        "the evidence is impossible; {}: {}; take {} of them back",
        if .conflict.len() == 1 { "no world has" } else { "these statements exclude each other" },
        first_of(.conflict),
        if *.is_minimal { "one" } else { "some" }
    )]
    ImpossibleEvidence {
        /// Pieces of evidence that cannot hold together.
        conflict: Vec<String>,
        /// True if the other pieces can hold whenever any one is removed; if not, a bounded search for fewer pieces ended before this was known.
        is_minimal: bool,
    },
    /// No sample met the evidence, which may be impossible or only rare.
    #[error(
        "{algorithm}: none of {tried} worlds drawn met the evidence: it is impossible or very rare; {remedy}"
    )]
    NoSampleMetEvidence {
        /// The algorithm.
        algorithm: &'static str,
        /// Number of worlds drawn.
        tried: u64,
        /// The remedy.
        remedy: &'static str,
    },
    /// A weight without a stated maximum, where one is necessary.
    #[error(
        "the weights of {element} stated at {location} have no maximum; state it with `weigh_at_most`, or use ImportanceSampling"
    )]
    UnboundedWeight {
        /// The element.
        element: Label,
        /// The source line that states the weights.
        location: &'static Location<'static>,
    },
    /// Evidence in a model for an algorithm that allows none.
    #[error(
        "{algorithm} draws from the prior, and the model has evidence on {element}, stated at {location}; use RejectionSampling \
         or ImportanceSampling"
    )]
    EvidenceNotAllowed {
        /// The algorithm.
        algorithm: &'static str,
        /// The element.
        element: Label,
        /// The source line that states the evidence.
        location: &'static Location<'static>,
    },
    /// A run ended by its deadline, an interrupt or its budget of work before there was any result.
    #[error(
        "{algorithm} was stopped before it had anything to answer with; allow more time (`deadline`), or more work where it is limited (`work`)"
    )]
    NothingDone {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// Partial sums that are not consecutive.
    #[error(
        "the sums end before unit {end} of the run, and those to merge begin with unit {begin}; merge parts in the order of their \
         units, and each once"
    )]
    NotConsecutive {
        /// The number of the unit that comes next.
        end: u64,
        /// The first unit of the sums to merge.
        begin: u64,
    },
    /// A part of a run that was read but does not belong to this run, or is damaged.
    #[error(
        "unit {unit} of the part does not fit this run: {problem}; merge parts of the same version, model, settings and targets"
    )]
    UnfitPart {
        /// The number of the unit.
        unit: u64,
        /// The first problem found.
        problem: String,
    },
    /// Slices are missing: the run was stopped, or parts of it were left out.
    #[error(
        "{added} of {slices} slices are done: the logarithm of the sum or maximum of all is at least {lower_bound}; allow more time, or add \
         the other parts"
    )]
    MissingSlices {
        /// Number of slices that are done.
        added: u64,
        /// Number of slices of the whole.
        slices: u64,
        /// The logarithm of the sum of these slices, or of their best world: a lower bound of that of all slices.
        lower_bound: f64,
    },
    /// A search ended without any world, which does not mean that there is none.
    #[error(
        "no world was found within {work} steps of search; if there is one, its log-probability is at most \
         {upper_bound}: allow more steps (`MpeBranchAndBound::work`) or larger tables (`MpeBranchAndBound::bound_table`)"
    )]
    NoWorldFound {
        /// Steps made.
        work: u64,
        /// Upper bound of the log-probability of all worlds.
        upper_bound: f64,
    },
    /// One iteration of messages is more work than the budget allows.
    #[error(
        "{algorithm}: one iteration of messages reads {needed} entries of tables, more than the budget of {limit}; \
         allow more (`work`), or use ImportanceSampling"
    )]
    MessagesTooLarge {
        /// The algorithm.
        algorithm: &'static str,
        /// Entries, once for each variable of their factor.
        needed: u64,
        /// Entries allowed.
        limit: u64,
    },
    /// The messages of belief propagation determine no world, which does not mean that there is none.
    #[error(
        "after {iterations} iterations, the last of which changed messages by {residual:.1e}, max-product messages agree \
         on no world; use MpeVariableElimination, or MpeBranchAndBound for models that are too wide for it"
    )]
    NoWorldDecoded {
        /// Iterations made.
        iterations: u64,
        /// Largest change of a message in the last iteration.
        residual: f64,
    },
    /// More worlds than the budget allows.
    #[error(
        "more than {limit} worlds, which is the budget; \
         use VariableElimination, for an infinite model ImportanceSampling, or a larger budget (`max_worlds`)"
    )]
    TooManyWorlds {
        /// Worlds allowed.
        limit: u64,
    },
    /// The worlds together have more elements than the budget allows to evaluate.
    #[error(
        "{worlds} worlds took {limit} evaluations of elements, which is the budget; use VariableElimination, for an \
         infinite model ImportanceSampling, or a larger budget (`max_evaluations`)"
    )]
    TooManyEvaluations {
        /// Evaluations allowed.
        limit: u64,
        /// Worlds that were finished.
        worlds: u64,
    },
    /// The element was not a target of the run.
    #[error("{element} was not a target of this run; add it to the targets")]
    NotATarget {
        /// The element.
        element: Label,
    },
    /// No two draws of a floating-point number are equal, so that they do not determine the probability of a single value.
    #[error(
        "no two draws of {element} are the same, and they do not tell how likely a single value is; ask for `mean`, \
         `expectation` or `probability_that`, or for quantiles of its `distribution`"
    )]
    NoRepeatedValue {
        /// The element.
        element: Label,
    },
    /// The element is not part of the world that was found.
    #[error(
        "{element} is not part of this world: no branch that was taken reaches it; add it to the targets"
    )]
    NotInWorld {
        /// The element.
        element: Label,
    },
    /// This kind of answer does not hold the requested content.
    #[error("an answer of {algorithm} has no {asked}; {remedy}")]
    NotInAnswer {
        /// The algorithm.
        algorithm: &'static str,
        /// The requested content.
        asked: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// The element was not declared varying when the model was compiled.
    #[error("{element} was not compiled as varying; declare it with `{algorithm}::varying`")]
    NotVarying {
        /// The element.
        element: Label,
        /// The algorithm that compiled the model.
        algorithm: &'static str,
    },
    /// No clique of the tree holds all these elements.
    #[error(
        "no clique of the junction tree holds {elements}, each once; make their `tuple` a target"
    )]
    NoClique {
        /// The elements.
        elements: String,
    },
    /// A branch of a Chain reaches a Score that other elements reach as well.
    #[error(
        "{element}: a branch reaches a Score that is not its own, or that not all worlds reach; use JunctionTree"
    )]
    SharedScore {
        /// The Chain.
        element: Label,
    },
    /// The frontiers take more memory than the budget.
    #[error(
        "the frontier before {element} has {states} states, and {bytes} bytes are needed by then, more than the budget of \
         {limit}; state evidence earlier, order evidence and targets so that neighbours stand together, or allow more (`memory`)"
    )]
    FrontierTooLarge {
        /// The element at which the budget was exceeded.
        element: Label,
        /// Number of joint values of the elements that are still needed there.
        states: usize,
        /// Number of bytes needed by then.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// More elements are on the frontier than a state of it can hold.
    #[error(
        "{elements} elements are still needed after {element}, more than the states of Frontier hold; state evidence in the order of a \
         scan, or use VariableElimination"
    )]
    FrontierTooWide {
        /// The element at which most elements are needed.
        element: Label,
        /// Number of elements.
        elements: usize,
    },
    /// A saved tree belongs to another model, other zeros, or another version.
    #[error(
        "the saved tree does not fit: {reason}; compile the model anew with `JunctionTree::compile` and save that"
    )]
    SavedTree {
        /// The part that does not fit.
        reason: &'static str,
    },
    /// No other computation can check an answer.
    #[error(
        "there is an answer, and no way to check it: {reason}; take `SelfChecked` away to have it"
    )]
    NotChecked {
        /// Reason that no other algorithm can answer.
        reason: Box<Error>,
    },
    /// An answer did not pass its check.
    #[error(
        "{what} is {claimed} in the answer, and {found} when it is found otherwise; do not use this answer, and report it with the model"
    )]
    NotVerified {
        /// The number checked, in words.
        what: String,
        /// The number in the answer.
        claimed: f64,
        /// The number that the check found.
        found: f64,
    },
    /// The code of a value's type panicked.
    #[error(
        "inference ended by a panic: {message}; `Clone`, `Eq`, `Hash`, `Debug` and `Drop` of the types of values must not panic for \
         any value of the model"
    )]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// A row of data that cannot be evidence.
    #[error("row {row} of the cases, counted from 0: {problem}")]
    InvalidCase {
        /// The number of the row, from 0.
        row: usize,
        /// The mistake and its remedy.
        problem: String,
    },
    /// No element that the cases need reads a learned parameter.
    #[error(
        "nothing is to be learned: no element of the cases depends on a `Learned` parameter; give one as the number or list that an element          takes"
    )]
    NothingToLearn,
    /// An element reads a learned parameter in a way that has no closed maximum.
    #[error(
        "{parameter} cannot be learned by expectation-maximisation, because {element} reads it in a way that its prior is not conjugate to;          give it directly, as the number or list that an element takes, or draw from its posterior with MetropolisHastings"
    )]
    NotLearnable {
        /// The parameter.
        parameter: Label,
        /// The element that reads the parameter.
        element: Label,
    },
    /// Evidence from which learning is not possible.
    #[error("cannot learn from what is stated of {element}: {reason}")]
    CannotLearnFrom {
        /// The element.
        element: Label,
        /// Reason, with the remedy.
        reason: &'static str,
    },
    /// The likelihood of a parameter has no maximum.
    #[error(
        "the likelihood of {parameter} has no maximum: it grows as the parameter goes to zero or without end; learn with `map_estimate` and a prior \
         that keeps it away from there"
    )]
    NoMaximum {
        /// The parameter.
        parameter: Label,
    },
    /// The element is not a parameter that was learned.
    #[error(
        "{element} was not learned; give a `Learned` parameter that some element of the cases depends on"
    )]
    NotLearned {
        /// The element.
        element: Label,
    },
    /// Standard errors need exact expected counts.
    #[error(
        "standard errors are differences of exact expected counts, which the algorithm of the expectation step does not give; learn with `JunctionTree`"
    )]
    InexactCounts,
    /// There are too many numbers for their information matrix.
    #[error(
        "standard errors of {numbers} free numbers take a matrix of their square; they are computed of at most {most}: learn fewer parameters, with the \
         others fixed at their values by interventions"
    )]
    TooManyNumbers {
        /// The number of free numbers of all parameters.
        numbers: usize,
        /// The largest number for which standard errors are computed.
        most: usize,
    },
    /// No element that an answer needs depends on a parameter.
    #[error(
        "no element that this answer needs takes the parameter {parameter}; give it to an element as a number, or leave it out"
    )]
    UnknownParameter {
        /// The parameter with its value.
        parameter: String,
    },
    /// An element depends on a parameter in a way that is not known, or that has no derivative.
    #[error(
        "the derivative of the probabilities of {element} by {parameter} is not known, or there is none at this value; compare the answers for two values of it, or give the family `Family::log_prob_derivative`"
    )]
    UnknownDependence {
        /// The parameter with its value.
        parameter: String,
        /// The element.
        element: Label,
    },
    /// A parameter has another value than when the answer was found.
    #[error(
        "the parameter {parameter} has changed since this answer was found; run the algorithm again"
    )]
    ParameterChanged {
        /// The parameter.
        parameter: String,
    },
    /// There is no answer for this value of a parameter.
    #[error("there is no answer if {parameter} is {value}: {problem}; choose another range")]
    NoAnswerAt {
        /// The parameter.
        parameter: String,
        /// The value.
        value: f64,
        /// Reason.
        problem: String,
    },
    /// A query maps a value to a number that is infinite or NaN.
    #[error(
        "{query} has the number {number} for a value; give a finite number for each value of the element"
    )]
    NotFiniteQuery {
        /// The query.
        query: String,
        /// The number.
        number: f64,
    },
    /// A prediction that the targets of an answer do not determine.
    #[error(
        "{element} depends on the evidence in other ways than through the targets of this answer, so that they do not predict it; add {missing} \
         to the targets"
    )]
    NotPredictable {
        /// The element to be predicted.
        element: Label,
        /// The elements to add to the targets.
        missing: String,
    },
    /// The element is not one of the requested decisions.
    #[error(
        "{element} is not decided here; list a `Decision` among the decisions that are asked for"
    )]
    NotADecision {
        /// The element.
        element: Label,
    },
    /// Evidence depends on a decision, so that it cannot be known independently of the decision.
    #[error(
        "{decision} influences {element}, which is evidence, and evidence is known whatever is decided; let a later decision know it instead, or \
         set the decision in the model (`Model::intervene`)"
    )]
    DecisionInfluencesEvidence {
        /// The decision.
        decision: Label,
        /// The element that carries the evidence; the decision itself if that is observed.
        element: Label,
    },
    /// A decision influences an element that is known when the decision is made, or before.
    #[error(
        "{decision} influences {element}, which is known when {known_to} is decided; list decisions in the order in which they are made, and let \
         none know what follows from it"
    )]
    DecisionInfluencesKnown {
        /// The decision.
        decision: Label,
        /// The element that is known.
        element: Label,
        /// The decision that is made knowing the element.
        known_to: Box<Label>,
    },
    /// A utility is not a number that can be added.
    #[error(
        "{element} has the utility {value}; utilities are numbers (`f64`) from -1e300 to 1e300"
    )]
    InvalidUtility {
        /// The element.
        element: Label,
        /// The value.
        value: f64,
    },
    /// Values that are known when a decision is made have no distance from each other.
    #[error("{element}, which is known when {decision} is decided: {problem}")]
    NoDistance {
        /// The decision.
        decision: Box<Label>,
        /// The element that is known.
        element: Label,
        /// The reason and the remedy.
        problem: String,
    },
    /// No draw has an option of a decision, so that its utility is unknown.
    #[error("no draw has the option {option} of {decision}; draw more")]
    OptionNotDrawn {
        /// The decision.
        decision: Label,
        /// The option.
        option: String,
    },
    /// A plan was queried for a value that is not known, or not possible, when a decision is made.
    #[error("{decision}: {problem}")]
    UnknownInformation {
        /// The decision.
        decision: Label,
        /// The mistake and its remedy.
        problem: String,
    },
    /// A setting of an algorithm is invalid.
    #[error("{algorithm}: {setting} is {value}; {remedy}")]
    InvalidSetting {
        /// The algorithm.
        algorithm: &'static str,
        /// The setting.
        setting: &'static str,
        /// The value of the setting.
        value: String,
        /// The values allowed.
        remedy: &'static str,
    },
}

/// Statements in one text; if there are many, the first statements and the number of the remaining ones.
fn first_of(statements: &[String]) -> String {
    const MAX_LISTED: usize = 10;
    let printed = statements[..MAX_LISTED.min(statements.len())].join("; ");
    match statements.len().saturating_sub(MAX_LISTED) {
        0 => printed,
        others => format!("{printed}; and {others} more"),
    }
}

impl Error {
    /// The error of a unit that was read.
    #[doc(hidden)]
    pub fn unfit_part(unit: u64, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::UnfitPart { unit, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_statements_the_first_are_told() {
        let conflict = |n: usize| Error::ImpossibleEvidence {
            conflict: (0..n).map(|i| format!("s{i}")).collect(),
            is_minimal: true,
        };
        let ten = "these statements exclude each other: s0; s1; s2; s3; s4; s5; s6; s7; s8; s9";
        assert_eq!(
            conflict(10).to_string(),
            format!("the evidence is impossible; {ten}; take one of them back")
        );
        assert_eq!(
            conflict(12).to_string(),
            format!("the evidence is impossible; {ten}; and 2 more; take one of them back")
        );
    }
}
