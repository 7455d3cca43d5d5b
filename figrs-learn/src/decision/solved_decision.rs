//! The solution of a decision: its decision rule and the expected utilities of its options.

use figrs_core::{Datum, Limits};
use figrs_factor::graph::{Assignments, VarId};
use rustc_hash::FxHashSet;

use super::problem::{DecisionProblem, ProblemElement};
use figrs_answer::error::Error;
use figrs_factor::eliminate::DecisionRule;

/// Returns the combinations of values of the random variables `scope[place]`, for `place` in `places`, that have a positive weight.
fn reached(scope: &[ProblemElement], places: &[usize], weights: &[f64]) -> FxHashSet<Vec<u32>> {
    let all = Assignments::rows(scope.iter().map(|known| known.support.len()));
    let mut values = vec![0; scope.len()];
    let mut found = FxHashSet::default();
    for &weight in weights {
        if weight > 0.0 {
            found.insert(places.iter().map(|&place| values[place]).collect());
        }
        all.advance(&mut values);
    }
    found
}

/// Returns, for each combination of known values, the largest weight among the options.
fn by_row(weights: &[f64], options: usize) -> Vec<f64> {
    let rows = weights.chunks(options);
    rows.map(|row| row.iter().copied().fold(0.0, f64::max))
        .collect()
}

impl ChoiceUtility {
    fn get(self) -> Option<f64> {
        self.planned.get().or_else(|| self.possible.get())
    }
}

#[derive(Clone, Debug)]
pub(super) struct SolvedDecision {
    pub(super) decision: ProblemElement,
    /// All random variables that are known when the decision is made.
    pub(super) informed: Vec<ProblemElement>,
    /// The scope of the decision: the random variables on which the expected utilities of its options depend.
    pub(super) scope: Vec<ProblemElement>,
    /// The random variables on which the chosen option depends, as indices into the decision's scope.
    pub(super) matters: Vec<usize>,
    /// The weight of each assignment of the decision's scope, if all decisions follow the plan.
    planned: Vec<f64>,
    /// The weight of each assignment of the decision's scope, if earlier decisions choose at random. If every assignment is possible under the plan, the
    /// list is equal to `planned`.
    possible: Vec<f64>,
    /// The expected utility of each option, for each assignment of the decision's scope.
    utilities: Vec<f64>,
    /// The decision rule for the case that earlier decisions follow the plan. The rule contains only the random variables on which the chosen option
    /// depends under the plan.
    pub(super) rule: DecisionRule,
    /// The decision rule for the case that earlier decisions need not follow the plan.
    after_any: DecisionRule,
    /// The random variables on which the rule `after_any` depends, as indices into the decision's scope.
    matters_after_any: Vec<usize>,
}

/// For each random variable in a decision's scope, its value; `None` for a value that is not known.
pub(super) type KnownValues = Vec<Option<u32>>;

#[derive(Clone, Copy, Default)]
struct WeightedMean {
    total: f64,
    mean: f64,
}

impl WeightedMean {
    fn add(&mut self, weight: f64, value: f64) {
        if weight > 0.0 {
            self.total += weight;
            self.mean += (weight / self.total) * (value - self.mean);
        }
    }

    fn get(self) -> Option<f64> {
        (self.total > 0.0).then_some(self.mean)
    }
}

/// The expected utility of one option of a decision. In the expected utility of an option, earlier decisions follow the plan if the known values are
/// possible under the plan; otherwise earlier decisions choose at random.
#[derive(Clone, Copy, Default)]
struct ChoiceUtility {
    planned: WeightedMean,
    possible: WeightedMean,
}

impl SolvedDecision {
    /// Computes the expected utilities of the options of the decision with the index `number`. The argument `rule` is the rule of the decision
    /// `number`, and `rules` are the rules of all decisions. The stored rule leaves out the variables on which the choice does not depend, beginning
    /// with the variables that are known earliest.
    pub(super) fn new(
        problem: &DecisionProblem,
        (number, rule): (usize, &DecisionRule),
        rules: &[DecisionRule],
        (informed, order): (Vec<ProblemElement>, &[VarId]),
        limits: &Limits,
    ) -> Result<Self, Error> {
        let decision = problem.decisions[number].decision.clone();
        let options = decision.support.len();
        let budget = limits.table_entries;
        let is_large = problem
            .graph
            .dense_size(&rule.scope)
            .saturating_mul(options)
            > budget;
        let rule = if is_large { &rules[number] } else { rule };
        let keep: Vec<VarId> = rule
            .scope
            .iter()
            .copied()
            .chain([decision.variable])
            .collect();
        let others = rules.iter().enumerate().filter(|(i, _)| *i != number);
        let under_plan = others.clone().map(|(_, rule)| rule);
        let found = problem.expectations(under_plan, &keep, limits)?;
        let (planned, mut utilities) = (by_row(&found.weights, options), found.means);
        let mut possible = planned.clone();
        if planned.contains(&0.0) {
            // Some combinations of known values are impossible under the plan, but may occur after other choices of earlier decisions.
            let later = others.filter(|(i, _)| *i > number).map(|(_, rule)| rule);
            let any = problem.expectations(later, &keep, limits)?;
            possible = by_row(&any.weights, options);
            for row in (0..planned.len()).filter(|&row| planned[row] == 0.0) {
                let row = row * options..(row + 1) * options;
                utilities[row.clone()].copy_from_slice(&any.means[row]);
            }
        }
        let all = Assignments::rows(rule.scope.iter().map(|&v| problem.graph.cardinality(v)));
        let rule_of_possible = rule.filtered(|row| possible[all.number(row)] > 0.0);
        let element = |v: &VarId| informed.iter().find(|known| known.variable == *v).cloned();
        let scope: Vec<ProblemElement> = rule.scope.iter().filter_map(element).collect();
        let after_any = rule_of_possible.reduced(order);
        let place = |v: &VarId| scope.iter().position(|known| known.variable == *v);
        let places = |rule: &DecisionRule| rule.scope.iter().filter_map(place).collect();
        let matters_after_any: Vec<usize> = places(&after_any);
        let reached = reached(&scope, &matters_after_any, &planned);
        let earlier = problem.decisions[..number].iter();
        let earlier: Vec<VarId> = earlier.map(|earlier| earlier.decision.variable).collect();
        let rule = after_any.clone();
        let rule = rule.reduced_where(&earlier, |row| reached.contains(row));
        Ok(Self {
            decision,
            matters: places(&rule),
            after_any,
            matters_after_any,
            planned,
            possible,
            utilities,
            rule,
            informed,
            scope,
        })
    }

    /// Returns the rows of the decision rule: known values, the chosen option and its expected utility.
    pub(super) fn rows(&self) -> Vec<(KnownValues, u32, f64)> {
        let matter = self.matters.iter();
        let key = Assignments::new(matter.map(|&place| (place, self.scope[place].support.len())));
        let mut choices = vec![None; key.count()];
        let mut values = vec![0; self.scope.len()];
        for (row, choice) in self.rule.iter() {
            for (&place, &value) in self.matters.iter().zip(row) {
                values[place] = value;
            }
            choices[key.number(&values)] = Some(choice);
        }
        let mut found = vec![ChoiceUtility::default(); key.count()];
        self.each_row(|row, values| {
            let number = key.number(values);
            if let Some(option) = choices[number] {
                self.add(&mut found[number], row, option);
            }
        });
        let row = |(number, choice): (usize, &Option<u32>)| {
            let mut known = vec![None; self.scope.len()];
            for (&place, value) in self.matters.iter().zip(key.values(number)) {
                known[place] = Some(value);
            }
            Some((known, (*choice)?, found[number].get()?))
        };
        choices.iter().enumerate().filter_map(row).collect()
    }

    /// Returns the expected utility of `option` given the known values `known`; `None` if these values are impossible.
    pub(super) fn utility(&self, known: &[Option<u32>], option: u32) -> Option<f64> {
        let mut found = ChoiceUtility::default();
        self.each_row(|row, values| {
            let mut given = known.iter().zip(values);
            if given.all(|(known, value)| known.is_none_or(|known| known == *value)) {
                self.add(&mut found, row, option);
            }
        });
        found.get()
    }

    fn add(&self, found: &mut ChoiceUtility, row: usize, option: u32) {
        let utility = self.utilities[row * self.decision.support.len() + option as usize];
        found.planned.add(self.planned[row], utility);
        found.possible.add(self.possible[row], utility);
    }

    /// Calls the function `see` with the index and the values of each assignment of the decision's scope.
    fn each_row(&self, mut see: impl FnMut(usize, &[u32])) {
        let all = Assignments::rows(self.scope.iter().map(|known| known.support.len()));
        let mut values = vec![0; self.scope.len()];
        for row in 0..all.count() {
            see(row, &values);
            all.advance(&mut values);
        }
    }

    /// Returns the option that the decision rule chooses given the known values `known`; `None` if these values do not determine the option, or are
    /// impossible.
    pub(super) fn choice(&self, known: &[Option<u32>]) -> Option<u32> {
        let choice = |rule: &DecisionRule, matters: &[usize]| {
            let values: Option<Vec<u32>> = matters.iter().map(|&place| known[place]).collect();
            let values = values?;
            let mut rows = rule.iter();
            rows.find(|(row, _)| *row == values)
                .map(|(_, choice)| choice)
        };
        let choice = choice(&self.after_any, &self.matters_after_any)
            .or_else(|| choice(&self.rule, &self.matters))?;
        self.utility(known, choice).map(|_| choice)
    }

    pub(super) fn option(&self, option: u32) -> Datum {
        self.decision.support.datum(option as usize)
    }
}
