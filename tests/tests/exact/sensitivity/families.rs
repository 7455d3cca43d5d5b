//! Tests of derivatives of densities and probabilities by the parameters of each family, against finite differences.

use figrs::prelude::*;
use figrs::{
    Cauchy, Concentration, Covariance, DegreesOfFreedom, Dirichlet, Geometric, HalfCauchy,
    HalfNormal, Iid, InverseGamma, KernelDensity, Laplace, Lkj, LogNormal, Multinomial,
    NegativeBinomial, Pareto, Precision, Query, Scale, Sensitivity, StudentT, TruncatedNormal,
    Vector, VonMises, Weibull, Wishart,
};

/// Compares the derivative of a model's log-evidence by a parameter with the limit of finite differences.
fn check(name: &str, model: &Model, parameter: &Param) {
    let log_evidence = || {
        JunctionTree::new()
            .run(model, ())
            .unwrap()
            .log_evidence()
            .unwrap()
            .value
    };
    let answer = JunctionTree::new().run(model, ()).unwrap();
    let found = answer.derivative(&Query::log_evidence(), parameter);
    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
    let now = parameter.get();
    let difference = |step: f64| {
        parameter.set(now + step);
        let above = log_evidence();
        parameter.set(now - step);
        let below = log_evidence();
        parameter.set(now);
        (above - below) / (2.0 * step)
    };
    let step = 1e-3 * now.abs().max(0.1);
    let (wide, narrow) = (difference(step), difference(step / 2.0));
    let expected = narrow + (narrow - wide) / 3.0;
    assert!(
        (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
        "{name}, {parameter:?}: {found}, by differences {expected}"
    );
    assert!(expected != 0.0, "{name}: nothing is compared");
}

/// Observes an element that is made of a pair of parameters by a family, and a list of such elements.
fn observed<T: Value>(name: &str, of: impl Fn(&[Param]) -> Element<T>, at: &[f64], value: T) {
    let parameters: Vec<Param> = at.iter().map(|&x| Param::new("θ", x)).collect();
    let element = of(&parameters);
    let list = Iid::new(&element, 2);
    let twice = vec![value.clone(), value.clone()];
    let one = Model::new().observe(&element, value);
    let two = Model::new().observe(&list, twice);
    for parameter in &parameters {
        check(name, &one, parameter);
        check(name, &two, parameter);
    }
}

#[test]
fn derivatives_by_parameters_of_densities() {
    observed(
        "Normal",
        |p| Normal::new(&p[0], Variance(&p[1])),
        &[0.4, 2.0],
        1.3,
    );
    observed(
        "Normal",
        |p| Normal::new(&p[0], StandardDeviation(&p[1])),
        &[0.4, 2.0],
        1.3,
    );
    observed(
        "Normal",
        |p| Normal::new(&p[0], Precision(&p[1])),
        &[0.4, 2.0],
        1.3,
    );
    observed(
        "Gamma",
        |p| Gamma::new(&p[0], Rate(&p[1])),
        &[2.5, 0.7],
        1.9,
    );
    observed(
        "Gamma",
        |p| Gamma::new(&p[0], Scale(&p[1])),
        &[2.5, 0.7],
        1.9,
    );
    observed(
        "InverseGamma",
        |p| InverseGamma::new(&p[0], Scale(&p[1])),
        &[2.5, 0.7],
        1.9,
    );
    observed("Beta", |p| Beta::new(&p[0], &p[1]), &[2.5, 0.7], 0.3);
    observed(
        "Laplace",
        |p| Laplace::new(&p[0], Scale(&p[1])),
        &[0.4, 1.7],
        1.3,
    );
    observed(
        "Exponential",
        |p| Exponential::new(Rate(&p[0])),
        &[0.7],
        1.3,
    );
    observed(
        "Exponential",
        |p| Exponential::new(Scale(&p[0])),
        &[0.7],
        1.3,
    );
    observed(
        "ContinuousUniform",
        |p| ContinuousUniform::new(&p[0], &p[1]),
        &[0.4, 2.0],
        1.3,
    );
    observed(
        "Cauchy",
        |p| Cauchy::new(&p[0], Scale(&p[1])),
        &[0.4, 1.7],
        1.3,
    );
    observed("HalfCauchy", |p| HalfCauchy::new(Scale(&p[0])), &[1.7], 1.3);
    observed(
        "HalfNormal",
        |p| HalfNormal::new(Variance(&p[0])),
        &[1.7],
        1.9,
    );
    observed(
        "LogNormal",
        |p| LogNormal::new(&p[0], Precision(&p[1])),
        &[0.4, 2.0],
        1.3,
    );
    observed(
        "Weibull",
        |p| Weibull::new(&p[0], Scale(&p[1])),
        &[1.4, 2.0],
        1.3,
    );
    let truncated = |p: &[Param]| TruncatedNormal::new(&p[0], Variance(&p[1]), &p[2], &p[3]);
    observed("TruncatedNormal", truncated, &[0.4, 2.0, -0.5, 1.9], 1.3);
    let tail = |p: &[Param]| TruncatedNormal::new(&p[0], Precision(&p[1]), &p[2], f64::INFINITY);
    observed("TruncatedNormal", tail, &[0.4, 2.0, 1.5], 1.6);
    let student = |p: &[Param]| StudentT::new(&p[0], Scale(&p[1]), DegreesOfFreedom(&p[2]));
    observed("StudentT", student, &[0.4, 1.7, 3.5], 1.3);
    let dirichlet = |p: &[Param]| Dirichlet::new(Vector::from(vec![&p[0], &p[1], &p[2]]));
    observed(
        "Dirichlet",
        dirichlet,
        &[0.5, 1.5, 2.0],
        vec![0.2, 0.5, 0.3],
    );
}

#[test]
fn derivatives_by_parameters_of_angles_mixtures_and_matrices() {
    let pareto = |p: &[Param]| Pareto::new(&p[0], Scale(&p[1]));
    observed("Pareto", pareto, &[1.7, 2.0], 3.0);
    let angle = |p: &[Param]| VonMises::new(&p[0], Concentration(&p[1]));
    observed("VonMises", angle, &[0.4, 1.7], 1.3);
    let kernels = |p: &[Param]| KernelDensity::new([-1.0, 0.5, 2.0], StandardDeviation(&p[0]));
    observed("KernelDensity", kernels, &[0.4], 0.9);
    let covariance = Covariance::rows([[2.0, 0.5], [0.5, 1.0]]);
    let scatter = |p: &[Param]| Wishart::new(DegreesOfFreedom(&p[0]), covariance.clone());
    observed("Wishart", scatter, &[3.5], vec![3.0, -0.5, 1.5]);
    let correlations = |p: &[Param]| Lkj::new(3, Concentration(&p[0]));
    observed("Lkj", correlations, &[1.5], vec![0.3, -0.2, 0.6]);
}

#[test]
fn derivatives_by_parameters_of_counts() {
    observed("Flip", |p| Flip::new(&p[0]), &[0.3], false);
    observed("Binomial", |p| Binomial::new(5, &p[0]), &[0.3], 2);
    observed("Poisson", |p| Poisson::new(&p[0]), &[1.7], 3);
    let failures = |p: &[Param]| NegativeBinomial::failures(&p[0], &p[1]);
    observed("NegativeBinomial", failures, &[1.7, 0.3], 3);
    let counts = |p: &[Param]| NegativeBinomial::with_mean(&p[0], &p[1]);
    observed("NegativeBinomial", counts, &[1.7, 0.8], 3);
    observed("Geometric", |p| Geometric::failures(&p[0]), &[0.3], 3);
    let select = |p: &[Param]| Select::new([(&p[0], 'a'), (&p[1], 'b'), (&p[2], 'a')]);
    observed("Select", select, &[0.3, 0.5, 0.4], 'a');
    let three = |p: &[Param]| Vector::from(vec![&p[0], &p[1], &p[2]]);
    let logits = |p: &[Param]| Select::by_logits(three(p), ['a', 'b', 'a']);
    observed("Select", logits, &[0.3, -0.5, 1.4], 'a');
    let counts = |p: &[Param]| Multinomial::new(4, three(p));
    observed("Multinomial", counts, &[0.3, 0.5, 0.4], vec![1, 2, 1]);
}

/// Densities in branches are observed, and several of them read the same parameter.
#[test]
fn densities_in_branches_count_where_they_are_taken() {
    let (mean, rate) = (Param::new("mean", 0.5), Param::new("rate", 0.3));
    let broken = Flip::new(&rate);
    let (near, far) = (mean.clone(), mean.clone());
    let measured = broken.flat_map(move |&broken| {
        if broken {
            Normal::new(&near, Variance(9.0))
        } else {
            Normal::new(&far, Variance(1.0))
        }
    });
    let model = Model::new().observe(&measured, 1.7);
    check("branches", &model, &mean);
    check("branches", &model, &rate);
    // The expected value follows by Bayes' rule: with densities a and b the posterior is r a / (r a + (1 - r) b).
    let answer = VariableElimination::new().run(&model, &broken).unwrap();
    let density = |variance: f64| (-0.5 * 1.2f64.powi(2) / variance).exp() / variance.sqrt();
    let (a, b, r) = (density(9.0), density(1.0), 0.3);
    let expected = a * b / (r * a + (1.0 - r) * b).powi(2);
    let query = Query::probability(&broken, true);
    let found = answer.derivative(&query, &rate).unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// If a probability is zero, the derivative is that of the probability and not of its logarithm.
#[test]
fn derivatives_where_probabilities_are_zero() {
    let rate = Param::new("rate", 0.0);
    let faults: Vec<_> = (0..3).map(|_| Flip::new(&rate)).collect();
    let any = faults
        .iter()
        .skip(1)
        .fold(faults[0].clone(), |any, fault| any.or(fault));
    let answer = JunctionTree::new().run(&Model::new(), &any).unwrap();
    let query = Query::probability(&any, true);
    // The derivative of 1 - (1 - p)³ at 0 is 3.
    assert!((answer.derivative(&query, &rate).unwrap() - 3.0).abs() < 1e-12);
    rate.set(1.0);
    let answer = JunctionTree::new().run(&Model::new(), &any).unwrap();
    assert!(answer.derivative(&query, &rate).unwrap().abs() < 1e-12);
    let trials = Binomial::new(4, &rate);
    let answer = JunctionTree::new().run(&Model::new(), &trials).unwrap();
    let slope = answer.derivative(&Query::mean(&trials), &rate).unwrap();
    assert!((slope - 4.0).abs() < 1e-12, "{slope}");
    // Two equal values have weight zero, and another value has all the probability.
    let [a, b, c] = [0.0, 0.0, 2.0].map(|w| Param::new("weight", w));
    let letter = Select::new([(&a, 'x'), (&b, 'x'), (&c, 'y')]);
    let answer = JunctionTree::new().run(&Model::new(), &letter).unwrap();
    let query = Query::probability(&letter, 'x');
    let slopes = [&a, &b, &c].map(|w| answer.derivative(&query, w).unwrap());
    for (slope, expected) in slopes.iter().zip([0.5, 0.5, 0.0]) {
        assert!((slope - expected).abs() < 1e-12, "{slopes:?}");
    }
}
