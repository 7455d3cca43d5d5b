//! A decision plan: a policy for each decision.

use std::fmt;
use std::sync::Arc;

use figrs_core::{Element, Model, Value};
use figrs_factor::graph::VarId;
use rustc_hash::FxHashSet;

use super::maximise_utility::{DecisionMemory, MaximiseUtility};
use super::policy::{DecisionPolicy, write_policy};
use super::problem::{DecisionProblem, DecisionQuestion, ProblemElement};
use super::solved_decision::{KnownValues, SolvedDecision};
use super::{limited_memory, no_forgetting};
use figrs_answer::{Error, guarded};
use figrs_factor::bounds::six_decimals;
use figrs_factor::eliminate::DecisionRule;

/// Policies that maximise the expected utility of some decisions, together with the maximal expected utility.
///
/// The policies and utilities of a plan hold for the values of parameters at the time when the plan was found. If a [`Param`](figrs_core::Param) has
/// changed, find a new plan before computing values of information or control, because these values are differences from the plan's expected utility.
/// The printed text of a plan is its expected utility and a table for each decision.
#[derive(Clone, Debug)]
pub struct DecisionPlan {
    pub(super) algorithm: MaximiseUtility,
    pub(super) question: DecisionQuestion,
    expected_utility: f64,
    is_optimal: bool,
    rounds: usize,
    problem: Arc<DecisionProblem>,
    /// For each decision, its rule as a table over the random variables on which the chosen option depends.
    rules: Vec<DecisionRule>,
    solved: Vec<SolvedDecision>,
}

struct FoundRules {
    rules: Vec<DecisionRule>,
    is_optimal: bool,
    rounds: usize,
}

/// Finds the best decision rules. The table of each rule has all variables on which the expected utilities of the decision's options depend.
fn find(
    question: &DecisionQuestion,
    problem: &DecisionProblem,
    algorithm: &MaximiseUtility,
) -> Result<FoundRules, Error> {
    let limits = &algorithm.limits;
    Ok(match algorithm.memory {
        DecisionMemory::NoForgetting => FoundRules {
            rules: no_forgetting::rules(problem, limits)?,
            is_optimal: true,
            rounds: 1,
        },
        DecisionMemory::Limited => {
            let updated = limited_memory::rules(question, problem, limits)?;
            FoundRules {
                rules: updated.rules,
                is_optimal: updated.is_proven,
                rounds: updated.rounds,
            }
        }
    })
}

pub(super) fn best_utility(
    question: &DecisionQuestion,
    algorithm: &MaximiseUtility,
) -> Result<f64, Error> {
    let problem = question.problem(&algorithm.limits)?;
    let found = find(question, &problem, algorithm)?;
    let utility = problem.expected_utility(&found.rules, &algorithm.limits)?;
    utility.ok_or_else(|| question.impossible(&algorithm.limits))
}

impl DecisionPlan {
    pub(super) fn new(
        question: DecisionQuestion,
        algorithm: &MaximiseUtility,
    ) -> Result<Self, Error> {
        let limits = &algorithm.limits;
        let problem = question.problem(limits)?;
        let found = find(&question, &problem, algorithm)?;
        let order = no_forgetting::known_order(&problem);
        let reduced: Vec<DecisionRule> = found
            .rules
            .iter()
            .map(|rule| rule.clone().reduced(&order))
            .collect();
        let utility = problem.expected_utility(&reduced, limits)?;
        let expected_utility = utility.ok_or_else(|| question.impossible(limits))?;
        let mut solved = Vec::with_capacity(reduced.len());
        for (number, rule) in found.rules.iter().enumerate() {
            let informed = informed(&problem, number, algorithm.memory);
            let known = (informed, order.as_slice());
            let decision = SolvedDecision::new(&problem, (number, rule), &reduced, known, limits)?;
            solved.push(decision);
        }
        Ok(Self {
            algorithm: algorithm.clone(),
            question,
            expected_utility,
            is_optimal: found.is_optimal,
            rounds: found.rounds,
            problem: Arc::new(problem),
            rules: reduced,
            solved,
        })
    }

    /// Returns the expected sum of the utilities under the plan, given the evidence of the model.
    pub fn expected_utility(&self) -> f64 {
        self.expected_utility
    }

    /// True if no other plan has a larger expected utility than this plan. With limited memory, the result is true only if the graph of the model
    /// proves that the plan is optimal.
    pub fn is_optimal(&self) -> bool {
        self.is_optimal
    }

    /// Returns the policy of the decision `decision`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if the plan has no policy for `decision`.
    pub fn policy<T: Value>(&self, decision: &Element<T>) -> Result<DecisionPolicy<T>, Error> {
        guarded(|| Ok(DecisionPolicy::new(self.solved(decision)?)))
    }

    /// Returns the expected sum of all utilities if the values in `known` are given, the decision chooses `choice`, and all other decisions follow
    /// the plan.
    ///
    /// The expectation averages over those known random variables for which `known` states no value. If the stated values are impossible under the
    /// plan, all options of earlier decisions count as equally likely.
    ///
    /// **Errors.** [`Error::UnknownElement`] if the plan has no such decision; [`Error::UnknownInformation`] if `known` states a random variable that
    /// is not known to the decision, if the values are impossible, or if `choice` is not an option.
    ///
    /// ```
    /// # use figrs_core::{Decision, Flip, If, Model, Parents};
    /// # use figrs_learn::MaximiseUtility;
    /// let rain = Flip::new(0.5);
    /// let forecast = If::new(&rain, Flip::new(0.9), Flip::new(0.1));
    /// let umbrella = Decision::new(&forecast, [true, false]);
    /// let comfort = (&rain, &umbrella).map(|(rain, umbrella)| if *umbrella { -1.0 } else if *rain { -10.0 } else { 0.0 });
    /// let plan = MaximiseUtility::new().run(&Model::new(), [&comfort], &umbrella)?;
    /// let rain_forecast = Model::new().observe(&forecast, true);
    /// assert!((plan.utility_of(&umbrella, &rain_forecast, &false)? - -9.0).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn utility_of<T: Value>(
        &self,
        decision: &Element<T>,
        known: &Model,
        choice: &T,
    ) -> Result<f64, Error> {
        guarded(|| {
            let number = self.number(decision)?;
            let problem = |problem: String| Error::UnknownInformation {
                decision: decision.label(),
                problem,
            };
            let asked = &self.solved[number];
            let options = &asked.decision.support;
            let option = options.index_of(choice);
            let option =
                option.ok_or_else(|| problem(format!("{choice:?} is not one of its options")))?;
            let mut stated = stated_values(asked, known)?;
            stated.push((asked.decision.variable, option as u32));
            // If the stated values have probability zero under the plan, they may still occur after other choices of earlier decisions.
            let first = self.rules.iter().enumerate();
            for from in [0, number] {
                let rules = first.clone().filter(|(i, _)| *i >= from && *i != number);
                let rules = rules.map(|(_, rule)| rule);
                let limits = &self.algorithm.limits;
                let utility = self.problem.utility_given(rules, &stated, limits)?;
                if let Some(utility) = utility {
                    return Ok(utility);
                }
            }
            Err(problem(
                "no world has these values; state possible ones".into(),
            ))
        })
    }

    fn solved<T: Value>(&self, decision: &Element<T>) -> Result<&SolvedDecision, Error> {
        Ok(&self.solved[self.number(decision)?])
    }

    fn number<T: Value>(&self, decision: &Element<T>) -> Result<usize, Error> {
        let id = decision.erased().id();
        let mut solved = self.solved.iter();
        let found = solved.position(|solved| solved.decision.element.id() == id);
        found.ok_or_else(|| Error::not_a_decision(decision.label()))
    }
}

/// Returns all random variables that are known when the decision with the index `number` is made.
fn informed(
    problem: &DecisionProblem,
    number: usize,
    memory: DecisionMemory,
) -> Vec<ProblemElement> {
    let decisions = &problem.decisions;
    if memory == DecisionMemory::Limited {
        return decisions[number].known.clone();
    }
    let mut seen = FxHashSet::default();
    let mut all: Vec<ProblemElement> = Vec::new();
    for (i, decided) in decisions[..=number].iter().enumerate() {
        let earlier = (i < number).then_some(&decided.decision);
        let known = decided.known.iter().chain(earlier);
        all.extend(known.filter(|known| seen.insert(known.variable)).cloned());
    }
    all
}

/// Returns the variables for which `known` states a value, with these values; the variables must be known to the decision `solved`.
fn stated_values(solved: &SolvedDecision, known: &Model) -> Result<Vec<(VarId, u32)>, Error> {
    let mut stated = Vec::with_capacity(known.evidence().len() + 1);
    for (element, evidence) in known.evidence() {
        let problem = |problem: String| Error::UnknownInformation {
            decision: solved.decision.element.label(),
            problem,
        };
        let mut informed = solved.informed.iter();
        let Some(it) = informed.find(|other| other.element.id() == element.id()) else {
            let text = format!("{} is not known when it is decided", element.label());
            return Err(problem(text));
        };
        let Some(value) = evidence.observed() else {
            let text = format!("{} is not stated by `observe`", element.label());
            return Err(problem(text));
        };
        let index = it.support.index_of(value.as_any());
        let index =
            index.ok_or_else(|| problem(format!("{} is never {value:?}", element.label())))?;
        stated.push((it.variable, index as u32));
    }
    Ok(stated)
}

/// Returns the values in `known` of the variables on which the expected utilities of the options of the decision `solved` depend.
pub(super) fn known_values(solved: &SolvedDecision, known: &Model) -> Result<KnownValues, Error> {
    let stated = stated_values(solved, known)?;
    let value = |known: &ProblemElement| {
        let mut stated = stated.iter();
        stated
            .find(|(v, _)| *v == known.variable)
            .map(|(_, value)| *value)
    };
    Ok(solved.scope.iter().map(value).collect())
}

impl fmt::Display for DecisionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected utility {:.6}",
            six_decimals(self.expected_utility)
        )?;
        if self.algorithm.memory == DecisionMemory::Limited {
            let proof = if self.is_optimal {
                "optimal"
            } else {
                "a local optimum"
            };
            let rounds = if self.rounds == 1 { "round" } else { "rounds" };
            write!(f, ", {proof}, in {} {rounds}", self.rounds)?;
        }
        writeln!(f)?;
        for solved in &self.solved {
            writeln!(f)?;
            write_policy(f, solved)?;
        }
        Ok(())
    }
}
