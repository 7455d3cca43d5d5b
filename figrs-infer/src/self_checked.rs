//! Self-checking algorithms: another computation checks each answer before the answer is returned.

use figrs_core::expand::Expansion;
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, ModelError};
use rustc_hash::FxHashSet;

use figrs_answer::{
    Algorithm, Answer, AnswerContent, ClosedForm, Error, Estimate, LogEvidence, TargetBounds,
    TargetMarginal, World,
};
use figrs_exact::{Compiled, Enumerate, JunctionTree, MarginalMap, VariableElimination};
use figrs_factor::algebra::log_sum;
use figrs_factor::bounds::Bounds;

/// Relative tolerance for rounding errors, in comparisons of two computations of the same number.
const ROUNDING: f64 = 1e-9;
/// Number of standard errors by which an estimate may differ from the number that it checks. With the tolerated number of standard errors, the
/// probability of a false alarm is 6e-7.
const STANDARD_ERRORS: f64 = 5.0;
/// Maximum number of worlds that [`Enumerate`] evaluates in a check.
const WORLDS: u64 = 100_000;
/// Maximum number of values of random variables that [`Enumerate`] evaluates in a check, in all worlds together.
const EVALUATIONS: u64 = 5_000_000;
/// Number of worlds on which a check evaluates the model, if there are too many worlds to enumerate. A check of a model with too many worlds draws
/// its worlds by a junction tree.
const MAX_CHECKED_WORLDS: usize = 8;
/// Maximum nesting depth of branches of the model (of `Chain` elements) in a check. If each branch has a random choice, a world with deeper nesting
/// exceeds the number of evaluations that a check allows.
const DEPTH: usize = 2500;

/// An algorithm whose answers are checked by another computation before they are returned.
///
/// | answer | check |
/// |---|---|
/// | exact marginals | each sums to one, and [`Enumerate`], which runs the model itself, finds the same numbers; answers of `Enumerate`, and models with more than 100 000 worlds, are compared with [`JunctionTree`] instead ([`VariableElimination`] for answers of `JunctionTree`), and eight worlds drawn from the tree have the same weight when the model itself is run on them |
/// | bounds | exact numbers, computed in the same way, lie between the bounds |
/// | one world | If the model is run with the values of the world, the weight is that of the answer. Whether another world weighs more is not checked. |
/// | approximations of `ExpectationPropagation` | weighted draws from the approximation ([`Algorithm::correction`], 10 000 draws) have the same log-evidence, the same probabilities and the same means of real numbers, up to five standard errors |
/// | samples and other approximations | a second run gives the same numbers |
///
/// **Guarantee.** The guarantee of the algorithm that is checked applies; in addition, a returned answer has passed its check. If no check of the
/// answer is possible, the result is an error instead of the answer. A check is impossible if the model has too many worlds to enumerate and is too
/// large for elimination, or if the model is infinite (its branches nest deeper than 2500). The check skips a drawn world if the model cannot be
/// evaluated on this world, because a density is observed or branches lead to too many worlds. If the evaluation of the model on a drawn world fails
/// for another reason, its error is returned. If the algorithm is approximate, the check only repeats the computation, which does not make the answer
/// exact.
///
/// **Complexity.** A self-checking run takes the time of the algorithm that is checked plus the time of the check.
///
/// **Errors.** [`Error::NotVerified`] if the answer fails its check; [`Error::NotChecked`] if no check is possible; the errors of the algorithm that
/// is checked. A sampler with a deadline cannot be checked, because a second run of the sampler gives other numbers.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{JunctionTree, Run, SelfChecked};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = SelfChecked::new(JunctionTree::new()).run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SelfChecked<A> {
    algorithm: A,
}

impl<A: Algorithm> SelfChecked<A> {
    /// Creates the algorithm that checks each answer of `algorithm`.
    pub fn new(algorithm: A) -> Self {
        Self { algorithm }
    }
}

impl<A: Algorithm> Algorithm for SelfChecked<A> {
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let mut answer = self.algorithm.answer(model, targets)?;
        let question = CheckedQuery { model, targets };
        match &answer.content {
            AnswerContent::Marginals(marginals, evidence) => {
                let is_exact = marginals.iter().all(is_exact) && evidence.is_none_or(is_certain);
                if is_exact {
                    same(&answer, &question.otherwise(answer.algorithm())?)?;
                } else if let Some(correction) = self.algorithm.correction() {
                    near(&answer, &correction.answer(model, targets)?)?;
                } else {
                    same(&answer, &self.algorithm.answer(model, targets)?)?;
                }
            }
            AnswerContent::Bounds(bounds, evidence) => {
                let exact = question.otherwise(answer.algorithm())?;
                between(bounds, *evidence, &exact)?;
            }
            AnswerContent::World(values, log, _) => {
                let values = values.values().cloned().collect();
                let (best, sum, _) = question.weight(values).map_err(unchecked)?;
                // Marginal MAP sums out all variables except the targets.
                let found = if MarginalMap::is_name(answer.algorithm()) {
                    sum
                } else {
                    best
                };
                require(|| "the log-probability of the world".into(), *log, found)?;
            }
        }
        answer.is_checked = true;
        Ok(answer)
    }
}

/// Returns the error that no algorithm can check the answer for the model, for the reason `error`.
fn unchecked(error: Error) -> Error {
    match error {
        Error::ImpossibleEvidence { .. } => error,
        other => Error::NotChecked {
            reason: Box::new(other),
        },
    }
}

/// True if the check may skip a drawn world on which the evaluation of the model failed with the error `error`. A drawn world may be skipped if an
/// element has no list of outcomes (a density is observed), or if random choices within branches of the model lead to too many worlds. Any other
/// error in the evaluation of a drawn world shows a fault, because the world was drawn with a positive probability.
fn cannot_be_run(error: &Error) -> bool {
    matches!(
        error,
        Error::Model(
            ModelError::NotFinite { .. }
                | ModelError::TooManyElements { .. }
                | ModelError::TooMuchMemory { .. }
        ) | Error::TooManyWorlds { .. }
    )
}

fn is_exact(target: &TargetMarginal) -> bool {
    matches!(target.estimate, Estimate::Exact)
}

fn is_certain(evidence: LogEvidence) -> bool {
    evidence.standard_error == 0.0
}

struct CheckedQuery<'a> {
    model: &'a Model,
    targets: &'a [AnyElement],
}

impl CheckedQuery<'_> {
    /// Computes the answer that checks an exact answer of the algorithm `algorithm`, by another algorithm.
    fn otherwise(&self, algorithm: &'static str) -> Result<Answer, Error> {
        // A model with deeper branches is probably infinite. The expansion detects this long before the limit on worlds is reached.
        let limits = Limits::default().depth(DEPTH);
        if let Err(error @ ModelError::TooDeep { .. }) =
            Expansion::new(self.model, self.targets, &limits)
        {
            return Err(unchecked(error.into()));
        }
        let run = Enumerate::new()
            .max_worlds(WORLDS)
            .max_evaluations(EVALUATIONS);
        if algorithm != run.name() {
            match run.answer(self.model, self.targets) {
                Err(error) if !matches!(error, Error::ImpossibleEvidence { .. }) => {}
                answered => return answered,
            }
        }
        let tree = JunctionTree::new().limits(limits);
        let tree = tree.compile(self.model, self.targets.to_vec());
        let tree = tree.map_err(unchecked)?;
        let worlds: Vec<World> = tree.samples(0)?.take(MAX_CHECKED_WORLDS).collect();
        for world in worlds {
            let (best, _, is_fixed) = match self.weight(world.elements().collect()) {
                Ok(found) => found,
                Err(error) if cannot_be_run(&error) => continue,
                Err(error) => return Err(error),
            };
            let claimed = world.log_probability();
            let what = || "the log-probability of a world that was drawn".into();
            // If random choices within branches are not fixed, the drawn world weighs at most as much as the best world with the same values outside
            // of branches.
            if is_fixed || claimed > best {
                require(what, claimed, best)?;
            }
        }
        let tree = tree.answer()?;
        if algorithm == tree.algorithm() {
            return VariableElimination::new().answer(self.model, self.targets);
        }
        Ok(tree)
    }

    /// Enumerates the worlds in which random choices have the values `values`. Returns the logarithm of the largest weight of the enumerated worlds,
    /// the logarithm of the sum of their weights, and true if `values` fixes all random choices.
    fn weight(&self, mut values: Vec<(AnyElement, Datum)>) -> Result<(f64, f64, bool), Error> {
        let lasting = self.lasting();
        let all = values.len();
        // A branch creates new elements in each evaluation; the values of these elements therefore cannot be fixed.
        values.retain(|(element, _)| lasting.contains(&element.id()));
        values.sort_by_key(|(element, _)| element.id());
        let is_fixed = values.len() == all;
        let mut fixed = self.model.clone();
        for (element, value) in values {
            fixed = fixed.observe_any(&element, value);
        }
        let (mut best, mut sum) = (f64::NEG_INFINITY, Vec::new());
        Enumerate::new().for_each_world(&fixed, &[], |_, weight| {
            best = best.max(weight.log);
            sum.push(weight.log);
        })?;
        Ok((best, log_sum(sum.iter().copied()), is_fixed))
    }

    /// Returns the elements outside of any branch of the model; these elements exist in every world.
    fn lasting(&self) -> FxHashSet<ElementId> {
        let stated = self.model.evidence().iter().map(|(element, _)| element);
        let mut open: Vec<&AnyElement> = stated.chain(self.targets).collect();
        let mut found = FxHashSet::default();
        while let Some(element) = open.pop() {
            if found.insert(element.id()) {
                open.extend(element.parents());
            }
        }
        found
    }
}

/// Returns an error unless two answers give the same values the same probabilities, up to rounding.
fn same(answer: &Answer, other: &Answer) -> Result<(), Error> {
    let (AnswerContent::Marginals(mine, evidence), AnswerContent::Marginals(theirs, expected)) =
        (&answer.content, &other.content)
    else {
        return Err(answer.missing_content_error("marginals twice", "report this with the model"));
    };
    if let (Some(evidence), Some(expected)) = (evidence, expected) {
        require(|| "the log-evidence".into(), evidence.value, expected.value)?;
    }
    for (mine, theirs) in mine.iter().zip(theirs) {
        let name = mine.element.label();
        for (a, b) in [(mine, theirs), (theirs, mine)] {
            for value in 0..a.support.len() {
                let there = b.support.index_of(a.support.any(value));
                let there = there.map_or(0.0, |place| b.probabilities[place]);
                let what = || format!("the probability of value {} of {name}", value + 1);
                require(what, a.probabilities[value], there)?;
            }
        }
        let sum = mine.probabilities.iter().sum();
        require(
            || format!("the sum of the probabilities of {name}"),
            sum,
            1.0,
        )?;
    }
    Ok(())
}

/// Returns an error unless an approximate answer agrees with weighted draws, up to [`STANDARD_ERRORS`] standard errors.
fn near(answer: &Answer, draws: &Answer) -> Result<(), Error> {
    let (AnswerContent::Marginals(_, evidence), AnswerContent::Marginals(theirs, estimated)) =
        (&answer.content, &draws.content)
    else {
        return Err(answer.missing_content_error("marginals twice", "report this with the model"));
    };
    if let (Some(evidence), Some(estimated)) = (evidence, estimated) {
        let error = estimated.standard_error;
        let what = || "the log-evidence".into();
        agree(what, evidence.value, (estimated.value, error))?;
    }
    for theirs in theirs {
        let name = theirs.element.label();
        let check = |what: &dyn Fn() -> String, claimed: f64, numbers: &[f64]| {
            let estimate = theirs.probabilities.iter().zip(numbers);
            let estimate: f64 = estimate.map(|(p, x)| p * x).sum();
            let error = theirs
                .estimate
                .standard_error(&theirs.probabilities, numbers);
            agree(what, claimed, (estimate, error))
        };
        let support = &theirs.support;
        if let Some(ClosedForm::Normal(mixture) | ClosedForm::Moments(mixture)) =
            answer.closed_form(&theirs.element)
        {
            for (place, mean) in mixture.means().into_iter().enumerate() {
                let number = |value: usize| {
                    let value = support.any(value);
                    let list = value.downcast_ref::<Vec<f64>>().map(|list| list[place]);
                    list.or_else(|| value.downcast_ref::<f64>().copied())
                };
                let numbers = (0..support.len()).map(|value| number(value).unwrap_or_default());
                let what = || format!("the mean of {name}");
                check(&what, mean, &numbers.collect::<Vec<f64>>())?;
            }
        } else if let AnswerContent::Marginals(mine, _) = &answer.content
            && let Some(mine) = mine.iter().find(|m| m.element.id() == theirs.element.id())
        {
            for value in 0..mine.support.len() {
                let place = support.index_of(mine.support.any(value));
                let is_value = |other: usize| f64::from(u8::from(Some(other) == place));
                let numbers: Vec<f64> = (0..support.len()).map(is_value).collect();
                let what = || format!("the probability of value {} of {name}", value + 1);
                check(&what, mine.probabilities[value], &numbers)?;
            }
        }
    }
    Ok(())
}

/// Returns an error unless a number agrees with an estimate, within [`STANDARD_ERRORS`] standard errors.
fn agree(
    what: impl FnOnce() -> String,
    claimed: f64,
    (estimate, error): (f64, f64),
) -> Result<(), Error> {
    let tolerance = STANDARD_ERRORS * error;
    if (claimed - estimate).abs() <= tolerance {
        return Ok(());
    }
    let what = || format!("{} (with weighted draws, up to {tolerance:.2e})", what());
    require(what, claimed, estimate)
}

/// Returns an error unless the exact numbers lie within the bounds of an answer.
fn between(targets: &[TargetBounds], evidence: Bounds, exact: &Answer) -> Result<(), Error> {
    let AnswerContent::Marginals(marginals, expected) = &exact.content else {
        return Err(exact.missing_content_error("marginals", "report this with the model"));
    };
    if let Some(expected) = expected {
        inside(|| "the log-evidence".into(), evidence, expected.value)?;
    }
    for (target, marginal) in targets.iter().zip(marginals) {
        let name = target.element.label();
        for (value, &p) in marginal.probabilities.iter().enumerate() {
            let place = target.support.index_of(marginal.support.any(value));
            let what = || format!("the probability of value {} of {name}", value + 1);
            inside(what, target.of(|i| Some(Some(i) == place)), p)?;
        }
    }
    Ok(())
}

/// Returns an error unless `found` lies within `bounds`, up to rounding.
fn inside(what: impl Fn() -> String, bounds: Bounds, found: f64) -> Result<(), Error> {
    let Bounds { lower, upper } = bounds;
    if found < lower {
        return require(|| format!("the lower bound of {}", what()), lower, found);
    }
    // If the upper bound is NaN, this comparison is false, and the result is an error.
    if found <= upper {
        return Ok(());
    }
    require(|| format!("the upper bound of {}", what()), upper, found)
}

/// Returns an error unless `claimed` and `found`, two computations of the same number, agree up to rounding.
fn require(what: impl FnOnce() -> String, claimed: f64, found: f64) -> Result<(), Error> {
    let is_near = || (claimed - found).abs() <= ROUNDING * found.abs().max(1.0);
    if claimed == found || (claimed.is_finite() && found.is_finite() && is_near()) {
        return Ok(());
    }
    Err(Error::NotVerified {
        what: what(),
        claimed,
        found,
    })
}
