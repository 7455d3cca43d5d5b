//! Answers to queries about normal and finite elements, in closed form.

use std::rc::Rc;
use std::sync::Arc;

use figrs_answer::answer::estimate::Estimate;

use figrs_answer::answer::family_mixture::{FamilyMixture, MixtureMember};
use figrs_answer::answer::{Answer, LogEvidence, TargetMarginal};
use figrs_answer::error::Error;
use figrs_answer::{ClosedForm, NormalComponent, NormalMixture};
use figrs_core::internals::{AtomicOp, Kind};
use figrs_core::{
    AnyElement, DegreesOfFreedom, Evidence, Limits, Model, ModelError, Scale, StudentT,
};
use figrs_gaussian::{Component, Elimination, GaussianError, HybridPosterior, RealId};
use indexmap::IndexMap;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashSet;

use crate::collapse::Collapse;
use crate::conjugate::is_prior;
use crate::hybrid_model::{HybridModel, Mention};
use crate::linear_element::{Conditional, Linear};
use crate::scan::{Accepted, Scan, is_float};

/// Maximum number of components of a target's distribution, which is a mixture of normal distributions.
pub(crate) const MAX_COMPONENTS: usize = 1 << 16;

/// Answers a query in closed form if the error `refused` states that an element is continuous, or calls evidence impossible that is possible up to
/// rounding errors. Otherwise returns `refused`.
///
/// **Guarantee.** The answer in closed form is exact, because the real elements that the query needs are linear functions of normal elements, given
/// the finite elements. If comparisons restrict one real number to an interval, the log-evidence, the probabilities of finite elements, and all means
/// and variances are exact; the restricted number is a mixture of truncated normal distributions. With [`Collapse::Moments`], the answer is an
/// approximation if components of mixtures were merged.
///
/// An observation that other observations imply has the conditional probability one; an observation that contradicts other observations has the
/// probability zero. The observed value and the value implied by other observations are equal if they differ by at most 1e-14 times the sum of the
/// magnitudes of all terms from which they were computed (45 times the rounding error of one operation).
///
/// **Complexity.** The cost of an answer in closed form is that of an elimination of the real elements, followed by an elimination of the finite
/// elements. The table of an elimination step has an entry for each joint value of all finite elements on which the step depends.
///
/// **References.** Lauritzen, *Propagation of probabilities, means, and variances in mixed graphical association models*, JASA 1992.
///
/// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; [`Error::ImpossibleEvidence`] if no world satisfies the evidence; the
/// errors of the model.
pub fn in_closed_form(
    algorithm: &'static str,
    (model, targets): (&Model, &[AnyElement]),
    (limits, collapse): (&Limits, Collapse),
    refused: Error,
) -> Result<Answer, Error> {
    if matches!(refused, Error::ImpossibleEvidence { .. }) {
        let answer = despite_rounding(algorithm, (model, targets), (limits, collapse));
        return answer.ok_or(refused);
    }
    if !matches!(refused, Error::Model(ModelError::NotFinite { .. })) {
        return Err(refused);
    }
    let mut scan = Scan::new(model, targets, limits).accepting(Accepted::Comparisons);
    match scan.run() {
        // Queries without normal elements and parameters have no closed form.
        Err(error @ Error::NotClosedForm { .. })
            if scan.vectors.is_empty() && scan.parameters.is_empty() =>
        {
            return Err(first_cause(&scan, refused, error));
        }
        found => found?,
    }
    answer_of_scan(algorithm, scan, (model, targets), (limits, collapse))
}

/// Answers a query in closed form if the evidence is possible up to the rounding errors of observed linear functions of real elements; an algorithm
/// that compares values without tolerance calls such evidence impossible.
pub fn despite_rounding(
    algorithm: &'static str,
    (model, targets): (&Model, &[AnyElement]),
    (limits, collapse): (&Limits, Collapse),
) -> Option<Answer> {
    let is_computed = |(element, evidence): &(AnyElement, Evidence)| {
        let is_function = is_float(element) && matches!(element.kind(), Kind::Apply(..));
        is_function && evidence.observed().is_some()
    };
    if !model.evidence().iter().any(is_computed) {
        return None;
    }
    let mut scan = Scan::new(model, targets, limits).accepting(Accepted::Comparisons);
    scan.run().ok()?;
    if scan.vectors.is_empty() {
        return None;
    }
    answer_of_scan(algorithm, scan, (model, targets), (limits, collapse)).ok()
}

/// Returns `error`, the error of the closed form, if `refused`, the error of an algorithm for finite elements, blames a normal element or a
/// parameter, which the closed form accepts; otherwise returns `refused`.
pub(crate) fn first_cause(scan: &Scan<'_>, refused: Error, error: Error) -> Error {
    let Error::Model(ModelError::NotFinite { element, .. }) = &refused else {
        return refused;
    };
    let (mut stack, mut seen) = (scan.roots.to_vec(), FxHashSet::default());
    while let Some(other) = stack.pop() {
        if !seen.insert(other.id()) {
            continue;
        }
        let is_accepted = match other.kind() {
            Kind::Atomic(op) => op.linear_gaussian().is_some() || is_prior(&other),
            _ => false,
        };
        if is_accepted && other.label() == *element {
            return error;
        }
        stack.extend(other.parents().iter().cloned());
    }
    refused
}

/// Answers a query in closed form, without merging components of mixtures.
///
/// **Errors.** The same errors as [`in_closed_form`].
pub(crate) fn closed_form_answer(
    algorithm: &'static str,
    (model, targets): (&Model, &[AnyElement]),
    limits: &Limits,
) -> Result<Answer, Error> {
    let mut scan = Scan::new(model, targets, limits);
    scan.run()?;
    answer_of_scan(algorithm, scan, (model, targets), (limits, Collapse::Never))
}

fn answer_of_scan(
    algorithm: &'static str,
    mut scan: Scan<'_>,
    (model, targets): (&Model, &[AnyElement]),
    (limits, collapse): (&Limits, Collapse),
) -> Result<Answer, Error> {
    scan.integrate_common_scale()?;
    let mut hybrid = HybridModel::new(scan, model, targets, limits)?;
    let reals = real_targets(&mut hybrid, targets)?;
    // The exact moments of a number that comparisons restrict need all components; components are therefore not merged.
    let collapse = match hybrid.has_interval() {
        true => Collapse::Never,
        false => collapse,
    };
    hybrid.restrict(limits)?;
    hybrid.forget_forms();
    marginals(
        algorithm,
        &mut hybrid,
        (model, targets, &reals),
        (limits, collapse),
        Estimate::Exact,
    )
}

/// A real target of a query: a linear function of random vectors, or a parameter with a conjugate prior.
pub(crate) struct RealTarget {
    mention: Mention,
    /// The target as a linear function of random numbers; the function uses no numbers if the target is a parameter.
    pub(crate) rows: Rc<Conditional<Linear>>,
    /// The index of the parameter, if the target is a parameter with a conjugate prior.
    parameter: Option<usize>,
    /// The target as a linear function of the number that comparisons restrict to an interval.
    pub(crate) in_restricted_number: Option<Conditional<(f64, f64)>>,
}

impl RealTarget {
    pub(crate) fn is_parameter(&self) -> bool {
        self.parameter.is_some()
    }

    /// True if the target depends on the random vectors of `factor` through a sequence of factors.
    pub(crate) fn is_connected(&self, posterior: &HybridPosterior<'_>, factor: usize) -> bool {
        self.mention.is_connected(posterior, factor)
    }
}

/// For each target, returns its linear function of random vectors if the target is real, and `None` if it is finite. The function also adds factors
/// that contain all random vectors of a target, so that the joint distribution of these vectors can be read from the elimination.
pub(crate) fn real_targets(
    hybrid: &mut HybridModel<'_>,
    targets: &[AnyElement],
) -> Result<Vec<Option<RealTarget>>, Error> {
    let mut reals = Vec::with_capacity(targets.len());
    for target in targets {
        let parameter = hybrid.parameter(target)?;
        let rows = hybrid.real_target(target)?;
        let is_list = rows.as_ref().is_some_and(|rows| rows.rows[0].numbers() > 1);
        if is_list && hybrid.scale_posterior().is_some() {
            let problem =
                "it is a list of numbers with an unknown common precision; ask for each `entry`";
            return Err(Error::not_closed_form(target, problem));
        }
        reals.push(match rows {
            Some(rows) => Some(RealTarget {
                in_restricted_number: hybrid.in_restricted_number(target, &rows)?,
                mention: hybrid.mention(&rows),
                rows,
                parameter,
            }),
            None => None,
        });
    }
    Ok(reals)
}

/// Returns the marginals of the targets of a query, and the log-evidence. The marginals have the given kind of estimate `estimate`, or are
/// approximate if components of mixtures are merged.
pub(crate) fn marginals(
    algorithm: &'static str,
    hybrid: &mut HybridModel<'_>,
    (model, targets, reals): (&Model, &[AnyElement], &[Option<RealTarget>]),
    (limits, collapse): (&Limits, Collapse),
    mut estimate: Estimate,
) -> Result<Answer, Error> {
    let explain = |error| explained(hybrid, error);
    let until = &limits.until;
    let elimination = match collapse {
        Collapse::Never => Elimination::run(&hybrid.graph, MAX_COMPONENTS, until),
        Collapse::Moments => Elimination::merging(&hybrid.graph, MAX_COMPONENTS, until),
    };
    let elimination = elimination.map_err(explain)?;
    if !elimination.is_exact() {
        estimate = Estimate::Approximate;
    }
    let posterior = HybridPosterior::new(&elimination, limits).map_err(explain)?;
    if posterior.log_total() == f64::NEG_INFINITY {
        return Err(impossible(model));
    }
    let mut mixtures = Vec::with_capacity(reals.iter().flatten().count());
    for (target, real) in targets.iter().zip(reals) {
        if let Some(real) = real {
            let mixture = closed_form(hybrid, &posterior, real).map_err(explain)?;
            mixtures.push((target.clone(), mixture));
        }
    }
    let log_evidence = LogEvidence {
        value: posterior.log_total(),
        standard_error: match estimate {
            Estimate::Exact => 0.0,
            _ => f64::NAN,
        },
    };
    let shares: Vec<Vec<f64>> = (0..hybrid.graph.finite.cardinalities.len() as u32)
        .map(|v| posterior.shares(figrs_factor::graph::VarId(v)).to_vec())
        .collect();
    let finite = targets.iter().zip(reals).filter(|(_, real)| real.is_none());
    let mut marginals = Vec::new();
    for (target, _) in finite {
        let (variable, support) = hybrid.finite_target(target);
        marginals.push(TargetMarginal {
            element: target.clone(),
            probabilities: variable.map_or(vec![1.0], |v| shares[v.index()].clone()),
            support,
            estimate: estimate.clone(),
        });
    }
    Ok(Answer::marginals(algorithm, marginals, log_evidence).with_mixtures(mixtures, estimate))
}

fn closed_form(
    hybrid: &HybridModel<'_>,
    posterior: &HybridPosterior<'_>,
    target: &RealTarget,
) -> Result<ClosedForm, GaussianError> {
    let RealTarget {
        mention,
        rows,
        parameter,
        ..
    } = target;
    let vectors = &mention.vectors[..];
    let joint = mention.joint(posterior, MAX_COMPONENTS)?;
    if let Some(parameter) = *parameter {
        // Components with the same distribution of the parameter are added up.
        let mut shares: IndexMap<String, (f64, Arc<dyn AtomicOp>)> = IndexMap::new();
        for (values, component) in &joint.components {
            let found = hybrid.parameter_posterior(parameter, &joint.scope, values);
            if let Some(distribution) = found {
                let entry = shares.entry(distribution.describe());
                entry.or_insert((0.0, Arc::clone(distribution))).0 += component.share;
            }
        }
        let members = shares.into_values();
        let members = members.map(|(share, op)| (share, MixtureMember::Distribution(op)));
        return Ok(ClosedForm::Family(FamilyMixture::new(members.collect())));
    }
    let scope = joint.scope;
    let components = joint.components.into_iter().map(|(values, component)| {
        let row = hybrid.row(rows, &scope, &values);
        transformed(hybrid, row, vectors, component)
    });
    let components: Vec<NormalComponent> = components.collect();
    if let (Some(posterior), [only]) = (hybrid.scale_posterior(), &components[..])
        && let Some((freedom, _)) = posterior.student_t_of_spread()
        && only.covariance[0] > 0.0
    {
        // The covariances of the graph are those for a typical value of the parameter, which gives normal numbers the scale of the t-distribution.
        let scale = Scale(only.covariance[0].sqrt());
        let student = StudentT::new(only.mean[0], scale, DegreesOfFreedom(freedom));
        let member = MixtureMember::Of(student.erased().clone());
        return Ok(ClosedForm::Family(FamilyMixture::new(vec![(1.0, member)])));
    }
    let mixture = NormalMixture::new(components);
    let restricted = hybrid.restricted_target(posterior, target, &mixture)?;
    Ok(restricted.unwrap_or(ClosedForm::Normal(mixture)))
}

/// Returns the distribution of the linear function `row` of the random vectors `vectors`, for one component of their mixture.
fn transformed(
    hybrid: &HybridModel<'_>,
    row: &Linear,
    vectors: &[(usize, RealId)],
    component: Component,
) -> NormalComponent {
    if vectors.len() == 1 && row.as_vector().is_some() {
        return normal_component(component.share, component.mean, component.covariance);
    }
    let (mean, covariance) = moments(hybrid, row, vectors, &component);
    normal_component(component.share, mean, covariance.transpose())
}

/// Returns a mixture component with the given mean and covariance matrix; the columns of `covariance` become the rows of the component's matrix.
fn normal_component(
    share: f64,
    mean: DVector<f64>,
    mut covariance: DMatrix<f64>,
) -> NormalComponent {
    for i in 0..mean.len() {
        // Because of rounding, the computed variance of a known number may be negative.
        covariance[(i, i)] = covariance[(i, i)].max(0.0);
    }
    NormalComponent {
        share,
        mean: mean.data.into(),
        covariance: covariance.data.into(),
    }
}

/// Returns the mean and the covariance of the linear function `row` of the concatenated random vectors `vectors`.
pub(crate) fn moments(
    hybrid: &HybridModel<'_>,
    row: &Linear,
    vectors: &[(usize, RealId)],
    component: &Component,
) -> (DVector<f64>, DMatrix<f64>) {
    let coefficients = coefficients(hybrid, row, vectors);
    let mut mean = DVector::from_column_slice(row.offset());
    mean.gemv(1.0, &coefficients, &component.mean, 1.0);
    let covariance = &coefficients * &component.covariance * coefficients.transpose();
    (mean, covariance)
}

/// Returns the coefficient matrix of the linear function `row` of the concatenated random vectors `vectors`.
pub(crate) fn coefficients(
    hybrid: &HybridModel<'_>,
    row: &Linear,
    vectors: &[(usize, RealId)],
) -> DMatrix<f64> {
    let widths = vectors
        .iter()
        .map(|&(_, real)| hybrid.graph.dimension(real));
    let mut coefficients = DMatrix::zeros(row.numbers(), widths.sum());
    let mut start = 0;
    for &(index, real) in vectors {
        let width = hybrid.graph.dimension(real);
        if let Some(own) = row.coefficients(index) {
            coefficients.columns_mut(start, width).copy_from(&own);
        }
        start += width;
    }
    coefficients
}

pub(crate) fn impossible(model: &Model) -> Error {
    Error::ImpossibleEvidence {
        conflict: (0..model.evidence().len())
            .map(|i| model.describe(i))
            .collect(),
        is_minimal: false,
    }
}

/// Converts an error of a variable elimination to an error that names an element of the model.
pub(crate) fn explained(hybrid: &HybridModel<'_>, error: GaussianError) -> Error {
    let about = |real: RealId, problem: String| match hybrid.element(real) {
        Some(element) => Error::not_closed_form(element, problem),
        None => Error::Elimination(figrs_factor::eliminate::EliminationError::Impossible),
    };
    match error {
        GaussianError::Elimination(error) => error.into(),
        GaussianError::Improper(real) => about(
            real,
            "its precision is too small compared with the precisions of the elements that depend on it"
                .to_owned(),
        ),
        GaussianError::TooManyComponents {
            real,
            components,
            limit,
            ..
        } => about(
            real,
            format!(
                "its distribution is a mixture of {components} normal distributions, more than {limit}; `collapse(Collapse::Moments)` merges components \
                 (an approximation, like `Filter::moments`), and `Collapsed(MetropolisHastings::new(10_000))` draws the finite \
                 elements"
            ),
        ),
        _ => match hybrid.scan().roots.first() {
            Some(root) => {
                let problem = "the density of the evidence is infinite or not a number; observe values at which densities are finite";
                Error::not_closed_form(root, problem)
            }
            None => Error::Elimination(figrs_factor::eliminate::EliminationError::Impossible),
        },
    }
}
