//! Finds policies of the largest expected utility.

use figrs_core::{AnyElement, AsElement, Limits, Model, Parents};

use super::plan::DecisionPlan;
use super::problem::{DecisionQuestion, asked_decisions};
use figrs_answer::{Error, guarded, setters};

/// Finds, for each [`Decision`](figrs_core::Decision) and each combination of values known to it, the option that maximises the expected sum of the
/// given utilities.
///
/// The caller lists the decisions in the order in which they are made. A decision knows the random variables with which it was built and, unless
/// memory is [limited](Self::limited_memory), all values that were known to earlier decisions and all options that earlier decisions chose. The
/// evidence of the model is known from the beginning, and all expectations are conditional on the evidence.
///
/// **Guarantee.** Without limited memory the plan is exact up to rounding. With limited memory, no change of a single policy improves the plan;
/// [`DecisionPlan::is_optimal`] is true if the graph of the model proves that no other plan is better. Options whose expected utilities differ by
/// less than `1e-12` times the sum of the largest utilities count as equally good, and the first of these options is chosen.
///
/// Elimination sums out the random variables that no decision knows, then maximises over the last decision, then sums out the variables that only
/// this decision knows, and so on. The time is exponential in the width of the best elimination order that keeps the decisions in their order; this
/// width may be far larger than that of the best order for sums alone. Utility tables are added into one table only if one decision influences
/// several tables. With limited memory, each update of a policy takes one summation, whose time is exponential in the number of known random
/// variables and in the width of the elimination order.
///
/// **Errors.** [`Error::UnknownElement`] if a listed element is not a decision; [`Error::DecisionInfluencesKnown`] if a decision may influence the
/// evidence, or an element that is known to the decision (judged by the structure of the model, not by its probabilities); [`Error::InvalidUtility`] if a utility is NaN or too large;
/// [`ModelError::Undecided`](figrs_core::ModelError::Undecided) if a decision is not listed; the errors of
/// [`VariableElimination`](figrs_infer::VariableElimination).
///
/// **References.** Jensen, Jensen and Dittmer (1994), "From influence diagrams to junction trees"; Dechter (2000), "A new perspective on algorithms
/// for optimizing policies under uncertainty"; Lauritzen and Nilsson (2001), "Representing and solving decision problems with limited information".
///
/// ```
/// # use figrs_core::{Decision, Flip, If, Model, Parents};
/// # use figrs_learn::MaximiseUtility;
/// let rain = Flip::new(0.3).named("rain");
/// let forecast = If::new(&rain, Flip::new(0.8), Flip::new(0.1)).named("forecast");
/// let umbrella = Decision::new(&forecast, [true, false]).named("umbrella");
/// let comfort = (&rain, &umbrella).map(|(rain, umbrella)| match (rain, umbrella) {
///     (_, true) => -1.0,
///     (true, false) => -10.0,
///     (false, false) => 0.0,
/// });
/// let plan = MaximiseUtility::new().run(&Model::new(), [&comfort], &umbrella)?;
/// assert!((plan.expected_utility() - -0.91).abs() < 1e-12);
/// let choices: Vec<bool> = plan.policy(&umbrella)?.rows().iter().map(|row| row.choose).collect();
/// assert_eq!(choices, [true, false]);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MaximiseUtility {
    pub(super) limits: Limits,
    pub(super) memory: DecisionMemory,
}

/// The extent to which a decision knows earlier observations and choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DecisionMemory {
    /// Each decision knows all earlier observations and all options that earlier decisions chose.
    #[default]
    NoForgetting,
    /// Each decision knows only the random variables with which it was built.
    Limited,
}

impl MaximiseUtility {
    /// Creates the algorithm with the default budgets and without limited memory.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    /// Makes each decision know only the random variables that were given when the decision was created, and not what earlier decisions knew or
    /// chose. With limited memory, the model is a limited-memory influence diagram, which is solved by single policy updating.
    pub fn limited_memory(mut self) -> Self {
        self.memory = DecisionMemory::Limited;
        self
    }

    /// Finds policies for the decisions `decisions`, listed in the order in which they are made.
    ///
    /// **Errors.** The same errors as those of [`MaximiseUtility`](Self).
    pub fn run<U: AsElement<Value = f64>>(
        &self,
        model: &Model,
        utilities: impl IntoIterator<Item = U>,
        decisions: impl Parents,
    ) -> Result<DecisionPlan, Error> {
        let utilities = utilities.into_iter();
        let utilities = utilities.map(|utility| utility.as_element().erased().clone());
        self.run_any(model, utilities.collect(), &decisions.elements())
    }

    /// Finds policies as [`run`](Self::run) does, but takes utilities of any type: a utility whose value is not a number is an error.
    pub fn run_any(
        &self,
        model: &Model,
        utilities: Vec<AnyElement>,
        decisions: &[AnyElement],
    ) -> Result<DecisionPlan, Error> {
        guarded(|| {
            let question = DecisionQuestion {
                model: model.clone(),
                utilities,
                decisions: asked_decisions(decisions)?,
            };
            DecisionPlan::new(question, self)
        })
    }
}
