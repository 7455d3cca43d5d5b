//! A decision problem: its decisions, utilities and known random variables as variables of a factor graph.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Fault, Limits, Model, ModelError, Support};
use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId, Weights};

use super::influence;
use figrs_answer::{Error, conflict};
use figrs_factor::eliminate::{
    DecisionRule, ExpectedUtilities, UtilityGraph, UtilityTable, expected_utilities,
};

/// As a fraction of the sum of the largest utilities: the largest difference between the expected utilities of two options that count as equally
/// good.
const TIE: f64 = 1e-12;

/// The question that a plan answers: the decisions, and the utilities whose expected sum is to be maximised.
#[derive(Clone, Debug)]
pub(super) struct DecisionQuestion {
    pub(super) model: Model,
    pub(super) utilities: Vec<AnyElement>,
    /// The decisions of the decision problem, in the order in which they are made.
    pub(super) decisions: Vec<AskedDecision>,
}

#[derive(Clone, Debug)]
pub(super) struct AskedDecision {
    pub(super) element: AnyElement,
    pub(super) known: Vec<AnyElement>,
    pub(super) options: Support,
}

/// A random variable of a decision problem, with its variable in the factor graph.
#[derive(Clone, Debug)]
pub(super) struct ProblemElement {
    pub(super) element: AnyElement,
    pub(super) variable: VarId,
    pub(super) support: Support,
}

#[derive(Clone, Debug)]
pub(super) struct ProblemDecision {
    pub(super) decision: ProblemElement,
    pub(super) known: Vec<ProblemElement>,
}

#[derive(Debug)]
pub(super) struct DecisionProblem {
    pub(super) expansion: Expansion,
    pub(super) graph: FactorGraph,
    pub(super) utilities: Vec<UtilityTable>,
    pub(super) decisions: Vec<ProblemDecision>,
    /// Largest difference between the expected utilities of two options that count as equally good.
    pub(super) tie: f64,
}

impl AskedDecision {
    pub(super) fn new(element: &AnyElement) -> Result<Self, Error> {
        let label = || element.label();
        let known = element
            .known()
            .ok_or_else(|| Error::not_a_decision(label()))?;
        let mut options = element.no_values();
        if let Kind::Atomic(op) = element.kind() {
            match op.outcomes() {
                Ok(Ok(outcomes)) => {
                    for option in 0..outcomes.support.len() {
                        options.insert(outcomes.support.any(option));
                    }
                }
                // A decision without options has no distribution; the check below returns an error for such a decision.
                Ok(Err(_)) | Err(Fault::Distribution(_)) => {}
                Err(fault) => return Err(element.fault(fault).into()),
            }
        }
        if options.is_empty() {
            return Err(ModelError::InvalidParameter {
                element: label(),
                problem: "the decision has no options; give it at least one".into(),
            }
            .into());
        }
        Ok(Self {
            element: element.clone(),
            known: known.to_vec(),
            options: options.build(),
        })
    }
}

/// Returns the decisions of `decisions`, without repetition.
///
/// **Errors.** [`Error::UnknownElement`] if an element is not a decision; [`ModelError::InvalidParameter`] if a decision has no options.
pub(super) fn asked_decisions(decisions: &[AnyElement]) -> Result<Vec<AskedDecision>, Error> {
    let mut asked: Vec<AskedDecision> = Vec::with_capacity(decisions.len());
    for decision in decisions {
        let mut others = asked.iter();
        if others.all(|other| other.element.id() != decision.id()) {
            asked.push(AskedDecision::new(decision)?);
        }
    }
    Ok(asked)
}

impl DecisionQuestion {
    /// Returns the random variables of the decision problem: the utilities, the decisions and all known variables.
    pub(super) fn roots(&self) -> Vec<AnyElement> {
        let chosen = self.decisions.iter().map(|asked| &asked.element);
        let known = self.decisions.iter().flat_map(|asked| &asked.known);
        let roots = self.utilities.iter().chain(chosen).chain(known);
        roots.cloned().collect()
    }

    pub(super) fn offered(&self) -> Vec<(AnyElement, Support)> {
        let decided = self.decisions.iter();
        let decided = decided.map(|asked| (asked.element.clone(), asked.options.clone()));
        decided.collect()
    }

    pub(super) fn problem(&self, limits: &Limits) -> Result<DecisionProblem, Error> {
        let (roots, offered) = (self.roots(), self.offered());
        let expansion = Expansion::deciding(&self.model, &roots, limits, &offered)?;
        if expansion.impossible().is_some() {
            return Err(self.impossible(limits));
        }
        influence::check(&expansion, self)?;
        conflict::check_failures(&expansion, limits)?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let part = |element: &AnyElement| -> Option<ProblemElement> {
            let position = expansion.position(element)?;
            Some(ProblemElement {
                element: element.clone(),
                variable: encoding.variable(position)?,
                support: expansion.elements()[position].support.clone(),
            })
        };
        let decisions = self.decisions.iter().filter_map(|asked| {
            let mut known: Vec<ProblemElement> = Vec::new();
            for element in asked.known.iter().filter_map(part) {
                if known.iter().all(|other| other.variable != element.variable) {
                    known.push(element);
                }
            }
            let decision = part(&asked.element)?;
            Some(ProblemDecision { decision, known })
        });
        let decisions = decisions.collect();
        let parts: Vec<ProblemElement> = self.utilities.iter().filter_map(part).collect();
        let mut utilities = Vec::with_capacity(parts.len());
        let mut size = 0.0;
        for part in &parts {
            let table = utility_table(part)?;
            size += table.utilities.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            utilities.push(table);
        }
        let mut encoding = encoding;
        Ok(DecisionProblem {
            graph: encoding.take_graph(),
            expansion,
            utilities,
            decisions,
            tie: TIE * size,
        })
    }

    pub(super) fn impossible(&self, limits: &Limits) -> Error {
        conflict::impossible(&self.model, &[], limits)
    }
}

/// Returns the utility `value`, or an error if `value` cannot be added to other utilities.
///
/// **Errors.** [`Error::InvalidUtility`] if `value` is NaN or too large.
pub(super) fn valid_utility(element: &AnyElement, value: f64) -> Result<f64, Error> {
    if value.abs() <= 1e300 {
        return Ok(value);
    }
    Err(Error::InvalidUtility {
        element: element.label(),
        value,
    })
}

fn utility_table(part: &ProblemElement) -> Result<UtilityTable, Error> {
    let values = 0..part.support.len();
    let utilities = values.map(|i| match part.support.get::<f64>(i) {
        Some(&utility) => valid_utility(&part.element, utility),
        None => valid_utility(&part.element, f64::NAN),
    });
    Ok(UtilityTable {
        variable: part.variable,
        utilities: utilities.collect::<Result<_, Error>>()?,
    })
}

impl DecisionProblem {
    /// Returns the factor graph with each decision rule as a factor. A decision without a rule chooses all options with equal weight.
    fn with_rules<'r>(&self, rules: impl IntoIterator<Item = &'r DecisionRule>) -> FactorGraph {
        let mut graph = self.graph.clone();
        for rule in rules {
            let own = [rule.decision];
            let factors = &mut graph.factors;
            let Some(place) = factors.iter().position(|f| f.variables == own) else {
                continue;
            };
            let index = rule.dense(&self.graph);
            graph.factors[place] = Factor {
                variables: rule.scope.iter().copied().chain(own).collect(),
                table: FactorTable::Function { index },
                normalised: true,
            };
        }
        graph
    }

    /// Returns the weight and the expected utility of each assignment of the variables `keep`, if the decisions follow `rules`.
    pub(super) fn expectations<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r DecisionRule>,
        keep: &[VarId],
        limits: &Limits,
    ) -> Result<ExpectedUtilities, Error> {
        let graph = self.with_rules(rules);
        let diagram = UtilityGraph {
            graph: &graph,
            utilities: &self.utilities,
        };
        Ok(expected_utilities(diagram, keep, limits)?)
    }

    /// Returns the expected utility if the decisions follow `rules`; `None` if the evidence is impossible.
    pub(super) fn expected_utility(
        &self,
        rules: &[DecisionRule],
        limits: &Limits,
    ) -> Result<Option<f64>, Error> {
        self.utility_given(rules, &[], limits)
    }

    /// Returns the expected utility given the values `values` of variables, if the decisions follow `rules`; `None` if these values are impossible.
    pub(super) fn utility_given<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r DecisionRule>,
        values: &[(VarId, u32)],
        limits: &Limits,
    ) -> Result<Option<f64>, Error> {
        let mut graph = self.with_rules(rules);
        for &(variable, value) in values {
            let mut weights = vec![0.0; graph.cardinality(variable)];
            weights[value as usize] = 1.0;
            graph.factors.push(Factor {
                variables: vec![variable],
                table: FactorTable::Dense(Weights::from_linear(weights)),
                normalised: false,
            });
        }
        let diagram = UtilityGraph {
            graph: &graph,
            utilities: &self.utilities,
        };
        let found = expected_utilities(diagram, &[], limits)?;
        let has_weight = found.weights.first().is_some_and(|&weight| weight > 0.0);
        Ok(found.means.first().copied().filter(|_| has_weight))
    }
}
