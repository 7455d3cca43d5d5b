//! Finds policies of large expected utility by fitting them to draws of a sampler.

use std::any::Any;
use std::sync::Arc;

use figrs_core::internals::ChoosePolicy;
use figrs_core::{
    AnyElement, AsElement, Constant, DiscreteUniform, Element, Fault, Model, ModelError, Parents,
    Value,
};
use rustc_hash::FxHashSet;

use super::fitted_policy::{FittedChoice, FittedPolicy, RegressionSettings};
use super::influence_checks;
use super::known_space::GivenCoordinates;
use super::sampled_plan::SampledPlan;
use super::utility_estimate::{UtilityEstimate, WeightedUtility};
use super::weighted_draws::WeightedDraws;
use crate::decision::maximise_utility::DecisionMemory;
use crate::decision::problem::{DecisionQuestion, asked_decisions, valid_utility};
use figrs_answer::{Error, Replicate, guarded};

/// Finds policies by a sampler, for decisions that know continuous values. A fitted policy chooses the option with the largest mean utility, over the
/// draws with the nearest known values.
///
/// The caller lists the decisions in the order in which they are made. A decision knows the random variables with which it was built and, unless
/// memory is [limited](Self::limited_memory), all values that were known to earlier decisions and all options that earlier decisions chose. The
/// evidence of the model is known when the first decision is made. The last decision is fitted first (backward induction): in a run of the sampler,
/// this decision and the earlier decisions choose all options with the same probability, and later decisions follow their policies. The estimated
/// utility of an option is the weighted mean of the utilities of the nearest draws with this option. A final run, in which all decisions follow their
/// policies, estimates the expected utility.
///
/// Known values are matched exactly if several draws have the same value; the policy is then a table of mean utilities for each combination of known
/// values. Numbers and lists of numbers are compared by Euclidean distance if fewer than [`neighbours`](Self::neighbours) draws have the same value
/// on average; each coordinate is divided by its standard deviation among the draws. Values that are neither numbers nor lists of numbers are
/// compared by distance if [`coordinates`](Self::coordinates) defines their coordinates.
///
/// **Guarantee.** [`SampledPlan::expected_utility`] estimates the expected utility of the returned policies. The choice of policies does not bias the
/// estimated utility, because the policies were fitted to other draws; the error of the estimate is that of the sampler. The policies approach the
/// best policies if expected utilities are continuous in the known values, the number of neighbours grows, and the ratio of this number to the number
/// of draws tends to 0 (Stone 1977). For finitely many draws, no bound is known on the loss compared with the best plan. The utilities in the rows of
/// a policy tend to be too large, because each of these utilities is the largest of several estimates. With limited memory, a policy is fitted while
/// earlier decisions choose at random; the fitted policy may not be the best one if the earlier decisions follow their policies. The same seed gives
/// the same plan on any number of threads.
///
/// **Complexity.** The sampler runs once for each decision, and once more for the expected utility. With few coordinates of known values, a choice
/// takes time logarithmic in the number of draws and linear in the number of neighbours; with many coordinates, the time is linear in the number of
/// draws.
///
/// **Errors.** [`Error::NotInAnswer`] if the sampler retains no draws; [`Error::InvalidSetting`] if the number of neighbours is zero or exceeds the
/// number of draws that satisfy the evidence; [`Error::OptionNotDrawn`] if no draw takes an option; [`Error::NoDistance`] if values of a known
/// variable cannot be compared; [`Error::InvalidUtility`] if a utility is NaN or too large; [`Error::UnknownElement`] if a listed element is not a
/// decision; [`ModelError::Undecided`](figrs_core::ModelError::Undecided) if a decision is not listed; the errors of the sampler;
/// [`Error::DecisionInfluencesKnown`] if a decision influences the evidence or a variable that is known to the decision. In models without `Chain`
/// elements (except members of families of distributions) and in finite models of at most a hundred thousand elements, every influence of a decision
/// on the evidence or on known values is found. In models whose branches cannot all be examined, a forbidden influence of a decision is found if one
/// of ten thousand sampled worlds shows the influence (except for a `Score` that only some choices reach).
///
/// **References.** Charnes and Shenoy (2004), "Multistage Monte Carlo method for solving influence diagrams using local computation"; Stone (1977),
/// "Consistent nonparametric regression"; Longstaff and Schwartz (2001), "Valuing American options by simulation".
///
/// ```
/// # use figrs_core::{Decision, Model, Normal, Parents, Variance};
/// # use figrs_infer::ImportanceSampling;
/// # use figrs_learn::SampledPolicies;
/// // The state is positive or negative; a signal of it is seen before a bet on its sign.
/// let state = Normal::new(0.0, Variance(1.0));
/// let signal = Normal::new(&state, Variance(1.0));
/// let bet = Decision::new(&signal, [1.0, -1.0]);
/// let gain = (&state, &bet).map(|(state, bet)| state * bet);
/// let sampler = ImportanceSampling::new(20_000).seed(1);
/// let plan = SampledPolicies::by(sampler).neighbours(500).run(&Model::new(), [&gain], &bet)?;
/// // E |E[state | signal]| = 1 / sqrt(pi).
/// assert!((plan.expected_utility() - 0.564).abs() < 4.0 * plan.standard_error());
/// let seen = Model::new().observe(&signal, 1.5);
/// assert_eq!(plan.policy(&bet)?.choice(&seen)?, 1.0);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SampledPolicies<S> {
    sampler: S,
    neighbours: Option<usize>,
    coordinates: Vec<GivenCoordinates>,
    memory: DecisionMemory,
}

const NAME: &str = "SampledPolicies";

impl<S: Replicate> SampledPolicies<S> {
    /// Creates the algorithm with the sampler `sampler`, whose settings are the seed and the number of draws of each run.
    pub fn by(sampler: S) -> Self {
        Self {
            sampler,
            neighbours: None,
            coordinates: Vec::new(),
            memory: DecisionMemory::default(),
        }
    }

    /// Sets the number of nearest draws whose utilities are averaged for each option (default: the square root of the number of draws). The mean over
    /// more neighbours has less variance, but more bias, because these neighbours are farther away from the given known values.
    pub fn neighbours(mut self, neighbours: usize) -> Self {
        self.neighbours = Some(neighbours);
        self
    }

    /// Sets the function `coordinates` that returns the coordinates of a value of `element`; known values of `element` are then compared by Euclidean
    /// distance. The coordinates must be finite numbers, and all values of `element` must have the same number of coordinates.
    pub fn coordinates<T: Value>(
        mut self,
        element: &Element<T>,
        coordinates: impl Fn(&T) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        let function = move |value: &dyn Any| value.downcast_ref::<T>().map(&coordinates);
        let element = element.erased().clone();
        self.coordinates
            .retain(|given| given.element.id() != element.id());
        self.coordinates.push(GivenCoordinates {
            element,
            function: Arc::new(function),
        });
        self
    }

    /// Makes each decision know only the random variables that were given when the decision was created, and not what earlier decisions knew or
    /// chose.
    pub fn limited_memory(mut self) -> Self {
        self.memory = DecisionMemory::Limited;
        self
    }

    /// Finds policies for the decisions `decisions`, listed in the order in which they are made.
    ///
    /// **Errors.** The same errors as those of [`SampledPolicies`](Self).
    pub fn run<U: AsElement<Value = f64>>(
        &self,
        model: &Model,
        utilities: impl IntoIterator<Item = U>,
        decisions: impl Parents,
    ) -> Result<SampledPlan, Error> {
        let utilities = utilities.into_iter();
        let utilities: Vec<Element<f64>> = utilities
            .map(|utility| utility.as_element().clone())
            .collect();
        let decisions = decisions.elements();
        guarded(|| {
            let mut decisions = asked_decisions(&decisions)?;
            for asked in &mut decisions {
                let mut set = model.interventions().iter();
                if let Some((_, value)) = set.find(|(set, _)| set.id() == asked.element.id()) {
                    let mut options = asked.element.no_values();
                    options.insert(value.as_any());
                    asked.options = options.build();
                }
            }
            let erased = utilities.iter().map(|utility| utility.erased().clone());
            let question = DecisionQuestion {
                model: model.clone(),
                utilities: erased.collect(),
                decisions,
            };
            influence_checks::check(&question)?;
            let total = total(utilities);
            Induction {
                by: self,
                question,
                total,
            }
            .plan()
        })
    }
}

fn total(mut utilities: Vec<Element<f64>>) -> Element<f64> {
    match utilities.len() {
        0 => Constant::new(0.0),
        1 => utilities.swap_remove(0),
        _ => utilities.map(|utilities| utilities.iter().copied().sum()),
    }
}

struct Induction<'s, S> {
    by: &'s SampledPolicies<S>,
    question: DecisionQuestion,
    total: Element<f64>,
}

impl<S: Replicate> Induction<'_, S> {
    fn plan(self) -> Result<SampledPlan, Error> {
        let count = self.question.decisions.len();
        let mut policies: Vec<Arc<FittedPolicy>> = Vec::with_capacity(count);
        for number in (0..count).rev() {
            policies.push(Arc::new(self.fitted(number, &policies)?));
        }
        let expected = self.expected_utility(&policies)?;
        policies.reverse();
        Ok(SampledPlan::new(self.by.sampler.name(), expected, policies))
    }

    fn known(&self, number: usize) -> Vec<AnyElement> {
        let decisions = &self.question.decisions;
        if self.by.memory == DecisionMemory::Limited {
            return distinct(decisions[number].known.iter().cloned());
        }
        let all = decisions[..=number].iter().enumerate();
        distinct(all.flat_map(|(i, asked)| {
            let earlier = (i < number).then_some(&asked.element);
            asked.known.iter().chain(earlier).cloned()
        }))
    }

    /// Returns the model in which the last decisions follow the policies `policies`, and all other decisions choose at random. The list `policies`
    /// begins with the policy of the last decision and continues backwards.
    fn model(&self, policies: &[Arc<FittedPolicy>]) -> Model {
        let mut model = self.question.model.clone();
        let decisions = &self.question.decisions;
        let open = decisions.len() - policies.len();
        for asked in &decisions[..open] {
            model = model.follow_any(&asked.element, asked.at_random());
        }
        for policy in policies {
            let known = policy
                .space
                .elements
                .iter()
                .map(|known| known.element.clone());
            let choice = FittedChoice(policy.clone());
            let decision = &policy.decision;
            let chosen = decision
                .element
                .chosen(&decision.options, known.collect(), choice);
            model = model.follow_any(&decision.element, chosen);
        }
        model
    }

    /// Fits the policy of the decision with the index `number`. The list `policies` has the policies of all later decisions, from the last decision
    /// backwards.
    fn fitted(&self, number: usize, policies: &[Arc<FittedPolicy>]) -> Result<FittedPolicy, Error> {
        let asked = &self.question.decisions[number];
        let known = self.known(number);
        let targets = known.iter().chain([&asked.element, self.total.erased()]);
        let targets = distinct(targets.chain(&self.question.utilities).cloned());
        let sampler = self.by.sampler.replicate(number as u64 + 1);
        let answer = sampler.answer(&self.model(policies), &targets);
        let answer = answer.map_err(|error| self.known_itself(error))?;
        let draws = WeightedDraws::new(answer.draws()?);
        for utility in &self.question.utilities {
            draws.utilities(utility)?;
        }
        let utilities = draws.utilities(self.total.erased())?;
        let count = draws.weights.len();
        let default = (count as f64).sqrt().ceil() as usize;
        let neighbours = self.by.neighbours.unwrap_or(default);
        if neighbours == 0 || neighbours > count {
            let remedy = "use a number from 1 to the number of draws that meet the evidence";
            return Err(Error::invalid_setting(
                NAME,
                "neighbours",
                format!("{neighbours} of {count} draws"),
                remedy,
            ));
        }
        // The draws of a Markov chain are correlated. Variances are therefore multiplied by the squared ratio of two standard errors of the mean
        // utility: the error with correlation and the error without.
        let stated = answer
            .distribution(&self.total)?
            .standard_error_of(|utility| *utility);
        let weighted = draws.weights.iter().zip(&utilities);
        let weighted = weighted.map(|(&(_, weight), &utility)| WeightedUtility { weight, utility });
        let independent =
            UtilityEstimate::of(weighted, 1.0).map_or(0.0, |mean| mean.standard_error);
        let inflation = (stated / independent).powi(2);
        let settings = RegressionSettings {
            neighbours,
            inflation: if inflation.is_finite() {
                inflation.max(1.0)
            } else {
                1.0
            },
        };
        FittedPolicy::new(
            asked.clone(),
            &known,
            (&draws, &utilities),
            settings,
            &self.by.coordinates,
        )
    }

    /// Replaces the error that a decision has no policy yet by the error that the decision influences what is known when it is made.
    fn known_itself(&self, error: Error) -> Error {
        let mut asked = self.question.decisions.iter();
        match error {
            Error::Model(ModelError::Undecided { element })
                if asked.any(|asked| asked.element.label() == element) =>
            {
                Error::DecisionInfluencesKnown {
                    decision: element.clone(),
                    element: element.clone(),
                    known_to: Some(Box::new(element)),
                }
            }
            error => error,
        }
    }

    /// Estimates the expected utility of the policies `policies`, with its standard error, from draws to which no policy was fitted.
    fn expected_utility(&self, policies: &[Arc<FittedPolicy>]) -> Result<(f64, f64), Error> {
        let targets = [self.total.erased()]
            .into_iter()
            .chain(&self.question.utilities);
        let targets = distinct(targets.cloned());
        let sampler = self.by.sampler.replicate(0);
        let answer = sampler.answer(&self.model(policies), &targets);
        let answer = answer.map_err(|error| self.known_itself(error))?;
        let draws = WeightedDraws::new(answer.draws()?);
        for utility in targets.iter().rev() {
            draws.utilities(utility)?;
        }
        let total = answer.distribution(&self.total)?;
        let mean = valid_utility(self.total.erased(), total.mean())?;
        Ok((mean, total.standard_error_of(|utility| *utility)))
    }
}

fn distinct(elements: impl Iterator<Item = AnyElement>) -> Vec<AnyElement> {
    let mut seen = FxHashSet::default();
    elements
        .filter(|element| seen.insert(element.id()))
        .collect()
}

/// The function from the index of an option to the option.
struct NumberedOption;

impl ChoosePolicy for NumberedOption {
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault> {
        let number = known
            .first()
            .and_then(|number| number.downcast_ref::<i64>());
        let number = number.and_then(|&number| usize::try_from(number).ok());
        number.ok_or_else(|| Fault::Row("the number of an option is an integer".into()))
    }
}

impl crate::decision::problem::AskedDecision {
    pub(super) fn at_random(&self) -> AnyElement {
        let last = i64::try_from(self.options.len()).unwrap_or(i64::MAX) - 1;
        let number = DiscreteUniform::new(0, last);
        let number = vec![number.erased().clone()];
        self.element.chosen(&self.options, number, NumberedOption)
    }
}
