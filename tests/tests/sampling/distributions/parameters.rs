//! Tests of wrong parameters: the error names the element, the parameter, its value, and the allowed values.

use figrs::prelude::*;
use figrs::{
    Cauchy, Concentration, Covariance, DegreesOfFreedom, Dirichlet, DiscreteUniform, Geometric,
    HalfCauchy, HalfNormal, Hypergeometric, InverseGamma, KernelDensity, Laplace, Lkj, LogNormal,
    Multinomial, MultivariateNormal, NegativeBinomial, Pareto, Precision, Scale, StudentT,
    TruncatedNormal, VonMises, Weibull, Wishart,
};

#[track_caller]
fn says<T: Value>(element: Element<T>, parts: &[&str]) {
    let sampled = ImportanceSampling::new(10).run(&Model::new(), &element);
    let message = sampled.unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
}

/// The same wrong parameter is given by an element.
fn wrong() -> Element<f64> {
    Select::new([(1.0, -1.0)])
}

const NOT_NUMBERS: [(f64, &str); 3] = [
    (f64::NAN, "NaN"),
    (f64::INFINITY, "inf"),
    (f64::NEG_INFINITY, "-inf"),
];

#[test]
fn locations_are_finite() {
    for (x, shown) in NOT_NUMBERS {
        says(
            Normal::new(x, Variance(1.0)),
            &["Normal at", "mean", shown, "finite"],
        );
        says(
            Laplace::new(x, Scale(1.0)),
            &["Laplace at", "location", shown, "finite"],
        );
        says(
            Cauchy::new(x, Scale(1.0)),
            &["Cauchy at", "location", shown, "finite"],
        );
        says(
            LogNormal::new(x, Variance(1.0)),
            &["LogNormal at", "mean", shown, "finite"],
        );
        says(
            TruncatedNormal::new(x, Variance(1.0), 0.0, 1.0),
            &["TruncatedNormal at", "mean", shown, "finite"],
        );
        says(
            VonMises::new(x, Concentration(1.0)),
            &["VonMises at", "mean direction", shown, "finite"],
        );
        says(
            KernelDensity::new([0.0, x], StandardDeviation(1.0)),
            &["KernelDensity at", "point 1", shown, "finite"],
        );
        let student = StudentT::new(x, Scale(1.0), DegreesOfFreedom(3.0));
        says(student, &["StudentT at", "location", shown, "finite"]);
        says(
            ContinuousUniform::new(x, 1.0),
            &["ContinuousUniform at", "lower bound", shown, "finite"],
        );
        says(
            ContinuousUniform::new(0.0, x),
            &["ContinuousUniform at", "upper bound", shown, "finite"],
        );
        let list = MultivariateNormal::new([0.0, x], Covariance::diagonal([1.0, 1.0]));
        says(list, &["MultivariateNormal at", "mean", shown, "finite"]);
    }
}

#[test]
fn scales_and_shapes_are_positive() {
    for (x, shown) in NOT_NUMBERS
        .into_iter()
        .chain([(0.0, "0.0"), (-2.0, "-2.0")])
    {
        let positive = |element: Element<f64>, name: &str, parameter: &str| {
            says(
                element,
                &[
                    &format!("{name} at"),
                    parameter,
                    shown,
                    "positive and finite",
                ],
            );
        };
        positive(Normal::new(0.0, Variance(x)), "Normal", "variance");
        positive(
            Normal::new(0.0, StandardDeviation(x)),
            "Normal",
            "standard deviation",
        );
        positive(Exponential::new(Rate(x)), "Exponential", "rate");
        positive(Exponential::new(Scale(x)), "Exponential", "scale");
        positive(Gamma::new(x, Rate(1.0)), "Gamma", "shape");
        positive(Gamma::new(1.0, Rate(x)), "Gamma", "rate");
        positive(Gamma::new(1.0, Scale(x)), "Gamma", "scale");
        positive(InverseGamma::new(x, Scale(1.0)), "InverseGamma", "shape");
        positive(InverseGamma::new(1.0, Scale(x)), "InverseGamma", "scale");
        positive(Beta::new(x, 1.0), "Beta", "shape a");
        positive(Beta::new(1.0, x), "Beta", "shape b");
        positive(Laplace::new(0.0, Scale(x)), "Laplace", "scale");
        positive(Cauchy::new(0.0, Scale(x)), "Cauchy", "scale");
        positive(HalfCauchy::new(Scale(x)), "HalfCauchy", "scale");
        positive(HalfNormal::new(Variance(x)), "HalfNormal", "variance");
        positive(LogNormal::new(0.0, Precision(x)), "LogNormal", "precision");
        positive(Weibull::new(x, Scale(1.0)), "Weibull", "shape");
        positive(Weibull::new(1.0, Scale(x)), "Weibull", "scale");
        positive(Pareto::new(x, Scale(1.0)), "Pareto", "shape");
        positive(Pareto::new(1.0, Scale(x)), "Pareto", "scale");
        let angle = VonMises::new(0.0, Concentration(x));
        positive(angle, "VonMises", "concentration");
        let kernels = KernelDensity::new([0.0], Variance(x));
        positive(kernels, "KernelDensity", "variance");
        says(
            Lkj::new(3, Concentration(x)),
            &[
                "Lkj at",
                "concentration",
                shown,
                "positive and at most 1e15",
            ],
        );
        says(
            Wishart::new(DegreesOfFreedom(x), Covariance::diagonal([1.0, 1.0])),
            &[
                "Wishart at",
                "degrees of freedom",
                shown,
                "finite and above 1",
            ],
        );
        let truncated = TruncatedNormal::new(0.0, StandardDeviation(x), 0.0, 1.0);
        positive(truncated, "TruncatedNormal", "standard deviation");
        let most = "positive and at most 1e15";
        says(
            NegativeBinomial::failures(x, 0.5),
            &["NegativeBinomial at", "successes", shown, most],
        );
        says(
            NegativeBinomial::with_mean(2.0, x),
            &["NegativeBinomial at", "dispersion", shown, most],
        );
        let student = |scale, freedom| StudentT::new(0.0, Scale(scale), DegreesOfFreedom(freedom));
        positive(student(x, 1.0), "StudentT", "scale");
        positive(student(1.0, x), "StudentT", "degrees of freedom");
        says(
            Dirichlet::new([1.0, x]),
            &["Dirichlet at", "concentration", shown, "positive"],
        );
        says(
            Poisson::new(x),
            &["Poisson at", "rate", shown, "positive and at most 1e9"],
        );
        says(
            Geometric::failures(x),
            &["Geometric at", "probability", shown, "is outside"],
        );
    }
}

#[test]
fn parameters_fit_together() {
    says(
        ContinuousUniform::new(2.0, 2.0),
        &["upper bound 2.0", "above the lower bound 2.0"],
    );
    says(
        DiscreteUniform::new(2, 1),
        &["upper bound 1.0", "not be below the lower bound 2.0"],
    );
    says(
        DiscreteUniform::new(0, 1_u64 << 40),
        &["at most 16777216 values"],
    );
    says(DiscreteUniform::new(i64::MIN, 0), &["lower bound", "2^53"]);
    says(
        Uniform::new(0..0),
        &[
            "Uniform at",
            "there are no values to choose from; give at least one",
        ],
    );
    says(
        Select::by([1.0, 2.0], ["a"]),
        &["Select at", "there are 2 weights for 1 values"],
    );
    says(Beta::new(1e308, 1e308), &["shape b", "too large"]);
    says(Poisson::new(1e12), &["rate", "at most 1e9"]);
    says(
        TruncatedNormal::new(0.0, Variance(1.0), 2.0, 2.0),
        &["upper bound 2.0", "above the lower bound 2.0"],
    );
    says(
        TruncatedNormal::new(0.0, StandardDeviation(1e-200), 1.0, 2.0),
        &["lower bound 1.0", "standard deviations from the mean"],
    );
    says(
        TruncatedNormal::new(0.0, Variance(1.0), f64::NAN, 1.0),
        &["lower bound NaN", "must be a number or -inf"],
    );
    says(
        TruncatedNormal::new(0.0, Variance(1.0), 0.0, f64::NAN),
        &["upper bound NaN", "above the lower bound 0.0"],
    );
    says(
        Hypergeometric::new(5, 6, 2),
        &["6 marked items", "must not exceed the population of 5"],
    );
    says(
        NegativeBinomial::failures(1e6, 1e-6),
        &["probability", "gives the mean", "at most 1e9"],
    );
    says(
        NegativeBinomial::failures(1.0, 1.5),
        &["probability 1.5", "outside (0, 1]"],
    );
    says(
        Geometric::trials(1e-20),
        &["probability 1e-20", "[1e-17, 1]"],
    );
    says(Geometric::trials(1.5), &["probability 1.5"]);
    says(
        Binomial::new(-1, 0.5),
        &["number of trials -1.0", "from zero"],
    );
    says(
        Binomial::new(1_u64 << 30, 0.5),
        &["number of trials", "at most 16777216"],
    );
    says(Binomial::new(2, 1.5), &["probability 1.5", "[0, 1]"]);
    says(Dirichlet::new([1.0]), &["has 1 numbers", "at least two"]);
    says(Dirichlet::new([1e308, 1e308]), &["finite sum"]);
    says(Select::by([1.0, 2.0], ['a']), &["2 weights for 1 values"]);
    says(
        Select::by([0.0, 0.0], ['a', 'b']),
        &["one of the 2 weights must be positive"],
    );
    says(
        Select::by([-1.0, 0.0], ['a', 'b']),
        &["weight -1.0 of 'a'", "not negative"],
    );
}

#[test]
fn parameters_of_lists_and_categories_fit_together() {
    says(
        Select::by_logits([1.0, 2.0], ['a']),
        &["Select at", "2 logits for 1 values"],
    );
    says(
        Select::by_logits([1.0, f64::NAN], ['a', 'b']),
        &["logit NaN of 'b'", "below infinity"],
    );
    says(
        Select::by_logits([f64::NEG_INFINITY; 2], ['a', 'b']),
        &["one of the 2 logits must be finite"],
    );
    says(
        Select::by_logits([0.0; 0], [0; 0]),
        &["no values to choose from"],
    );
    says(
        Multinomial::new(-1, [1.0, 2.0]),
        &["Multinomial at", "number of trials -1.0", "from zero"],
    );
    says(
        Multinomial::new(1_u64 << 30, [1.0, 2.0]),
        &["number of trials", "to 16777216"],
    );
    says(
        Multinomial::new(2, [1.0, -2.0]),
        &["weight -2.0 of category 1", "not negative"],
    );
    for weights in [vec![], vec![0.0, 0.0]] {
        let shown = format!("{} weights", weights.len());
        says(
            Multinomial::new(2, weights),
            &[&shown, "at least one positive"],
        );
    }
    says(
        KernelDensity::new([], StandardDeviation(1.0)),
        &["sample is empty", "at least one point"],
    );
    for numbers in [0, 1, 2000, usize::MAX] {
        says(
            Lkj::new(numbers, Concentration(1.0)),
            &[&format!("of {numbers} numbers"), "from 2 to 1000"],
        );
    }
}

#[test]
fn covariances_are_positive_definite() {
    let with = |covariance| MultivariateNormal::new([0.0, 0.0], covariance);
    says(
        with(Covariance::rows([[1.0, 2.0], [2.0, 1.0]])),
        &["not positive definite", "number 1"],
    );
    says(
        with(Covariance::diagonal([1.0, 0.0])),
        &["not positive definite"],
    );
    says(
        with(Covariance::rows([[1.0, 0.5], [0.4, 1.0]])),
        &["0.5", "0.4", "symmetric"],
    );
    says(
        with(Covariance::diagonal([1.0, f64::NAN])),
        &["NaN", "finite"],
    );
    says(with(Covariance::diagonal([1.0])), &["2 numbers", "1 rows"]);
    says(
        with(Covariance::rows([vec![1.0, 0.0], vec![0.0]])),
        &["1 numbers in row 1"],
    );
    let scatter = |covariance| Wishart::new(DegreesOfFreedom(4.0), covariance);
    says(
        scatter(Covariance::rows([[1.0, 2.0], [2.0, 1.0]])),
        &["Wishart at", "not positive definite", "number 1"],
    );
    says(
        scatter(Covariance::diagonal([])),
        &["Wishart at", "has no rows"],
    );
    says(with(Covariance::lower_triangle([1.0, 2.0])), &["2 rows"]);
    for correlations in [vec![], vec![0.5, 0.5]] {
        says(
            with(Covariance::of_correlations([1.0, 1.0], correlations)),
            &["2 rows", "in row 1"],
        );
    }
}

#[test]
fn elements_as_parameters_are_checked_where_they_are_drawn() {
    says(
        Normal::new(0.0, Variance(&wrong())),
        &["Normal at", "variance -1.0", "positive"],
    );
    says(Gamma::new(wrong(), Rate(1.0)), &["Gamma at", "shape -1.0"]);
    says(Beta::new(1.0, wrong()), &["Beta at", "shape b -1.0"]);
    says(Poisson::new(wrong()), &["Poisson at", "rate -1.0"]);
    let list = Select::new([(1.0, vec![1.0, -1.0])]);
    says(
        Dirichlet::new(&list),
        &["Dirichlet at", "concentration -1.0"],
    );
    says(
        Select::by(&list, ['a', 'b']),
        &["Select at", "weight -1.0 of 'b'"],
    );
}
