//! Conformance cases for samplers: models with continuous elements, and with countable elements that are a single atomic element.

use figrs::prelude::*;
use figrs::{Covariance, Dirichlet, Geometric, InverseGamma, MultivariateNormal, Scale};

use crate::conformance::asked::{expectation, probability, probability_that};
use crate::conformance::case::Expected::Number;

/// Returns a sample of one of two normal distributions, chosen by a coin.
fn either(coin: &Element<bool>, heads: f64, tails: f64) -> Element<f64> {
    let normal = |mean| Normal::new(mean, Variance(1.0));
    If::new(coin, normal(heads), normal(tails))
}

cases! {
    uniform_interval: Number(0.25), Continuous, || {
        let u = ContinuousUniform::new(0.2, 1.0);
        probability_that(Model::new(), &u, |u| (0.3..0.5).contains(u))
    };

    uniform_condition: Number(0.5), Continuous, || {
        let u = ContinuousUniform::new(0.2, 1.0);
        let model = Model::new().condition(&u, |u| (0.25..0.65).contains(u));
        probability_that(model, &u, |u| (0.3..0.5).contains(u))
    };

    uniform_flip_constraint: Number(2.0 / 3.0), Continuous, || {
        let u = ContinuousUniform::new(0.0, 1.0);
        probability(Model::new().weigh(&u, |&u| u), &Flip::new(&u), true)
    };

    beta_20: Number(2.0 / 3.0), Continuous, || {
        let u = Beta::new(2.0, 5.0);
        let observe = |model: Model, i| model.observe(&Flip::new(&u), i < 16);
        expectation((0..20).fold(Model::new(), observe), &u, |&u| u)
    };

    beta_binomial_2000: Number(0.798_206_278_026_905_8), Continuous, || {
        let u = Beta::new(2.0, 5.0);
        expectation(Model::new().observe(&Binomial::new(2000, &u), 1600), &u, |&u| u)
    };

    normal_mixture_class: Number(0.136_190_471_422_188_18), Continuous, || {
        let z = Flip::new(0.3);
        probability(Model::new().observe(&either(&z, 0.0, 2.0), 1.5), &z, true)
    };

    beta_flip_normal_refine: Number(0.380_627_614_660_050_24), Continuous, || {
        let b = Beta::new(2.0, 3.0);
        let e = either(&Flip::new(&b), 0.0, 1.0);
        expectation(Model::new().condition(&e, |&e| e > 0.0), &b, |&b| b)
    };

    beta_recursive_mod3: Number(0.190_179_667_623_701_48), Continuous, || {
        let p = Beta::new(1.0, 5.0);
        let m = Geometric::failures(&p).map(|k| k % 3);
        expectation(Model::new().observe(&m, 0), &p, |&p| p)
    };

    exponential_tail: Number(0.367_879_441_171_442_33), Continuous, || {
        probability_that(Model::new(), &Exponential::new(Rate(0.5)), |&x| x > 2.0)
    };

    bayes_spam: Number(0.261_607_893_116_265_64), Continuous, || {
        const WORDS: usize = 5;
        let p = Beta::new(2.0, 3.0);
        let shares = || -> Vec<_> { (0..WORDS).map(|_| Beta::new(2.0, 2.0)).collect() };
        let (in_spam, in_normal) = (shares(), shares());
        // Neither the mails of the training nor the new mail contain any of the words.
        let mail = |model: Model, spam: &Element<bool>| {
            in_spam.iter().zip(&in_normal).fold(model, |model, (s, n)| {
                model.observe(&If::new(spam, Flip::new(s), Flip::new(n)), false)
            })
        };
        let train = |model: Model, is_spam: bool| {
            let spam = Flip::new(&p);
            mail(model, &spam).observe(&spam, is_spam)
        };
        let trained = [true, false, false].into_iter().fold(Model::new(), train);
        let new = Flip::new(&p);
        probability(mail(trained, &new), &new, true)
    };

    poisson_pmf: Number(0.213_763_017_249_736_45), Continuous, || {
        probability(Model::new(), &Poisson::new(2.5), 3)
    };

    geometric_pmf: Number(0.081), Continuous, || {
        probability(Model::new(), &Geometric::trials(0.1), 3)
    };

    /// If one branch has a density and the other has a point mass, the point mass dominates.
    point_mass_beside_a_density: Number(1.0), Continuous, || {
        let z = Flip::new(0.01);
        let x = If::new(&z, Constant::new(0.5), Normal::new(0.5, Variance(1e-6)));
        probability(Model::new().observe(&x, 0.5), &z, true)
    };

    /// This is the same case, but the density is that of a family.
    point_mass_beside_a_family: Number(1.0), Continuous, || {
        let (z, mean) = (Flip::new(0.01), Normal::new(0.5, Variance(1.0)));
        let x = If::new(&z, Constant::new(0.5), Normal::new(&mean, Variance(1e-6)));
        probability(Model::new().observe(&x, 0.5), &z, true)
    };

    /// With a prior Normal(0, 1), variance 0.5 and observations 2 and 1, the mean is (2 / 0.5 + 1 / 0.5) / (1 + 4).
    normal_normal: Number(1.2), Continuous, || {
        let mean = Normal::new(0.0, Variance(1.0));
        let measured = || Normal::new(&mean, StandardDeviation(0.5_f64.sqrt()));
        let model = Model::new().observe(&measured(), 2.0).observe(&measured(), 1.0);
        expectation(model, &mean, |&m| m)
    };

    /// The variance of the same posterior is 1 / 5.
    normal_normal_square: Number(1.2 * 1.2 + 0.2), Continuous, || {
        let mean = Normal::new(0.0, Variance(1.0));
        let measured = || Normal::new(&mean, Variance(0.5));
        let model = Model::new().observe(&measured(), 2.0).observe(&measured(), 1.0);
        expectation(model, &mean, |&m| m * m)
    };

    /// The prior is Gamma(3, rate 2) and the counts are 2 and 4, so the posterior is Gamma(9, rate 4).
    gamma_poisson: Number(2.25), Continuous, || {
        let rate = Gamma::new(3.0, Rate(2.0));
        let model = Model::new().observe(&Poisson::new(&rate), 2).observe(&Poisson::new(&rate), 4);
        expectation(model, &rate, |&r| r)
    };

    /// The prior of the variance is InverseGamma(4, 3) and one deviation is 2, so the posterior is InverseGamma(4.5, 3 + 4 / 2) with mean 5 / 3.5.
    inverse_gamma_variance: Number(5.0 / 3.5), Continuous, || {
        let variance = InverseGamma::new(4.0, Scale(3.0));
        let measured = Normal::new(0.0, Variance(&variance));
        expectation(Model::new().observe(&measured, 2.0), &variance, |&v| v)
    };

    /// The prior of the rate is Gamma(2, rate 1) and the waiting times are 0.5 and 1.5, so the posterior is Gamma(4, rate 3).
    gamma_exponential: Number(4.0 / 3.0), Continuous, || {
        let rate = Gamma::new(2.0, Scale(1.0));
        let wait = || Exponential::new(Rate(&rate));
        expectation(Model::new().observe(&wait(), 0.5).observe(&wait(), 1.5), &rate, |&r| r)
    };

    /// With concentrations 2, 1, 1 and counts 3, 0, 1 the next value is green with probability 2 / 8.
    dirichlet_categorical: Number(0.25), Continuous, || {
        let mix = Dirichlet::new([2.0, 1.0, 1.0]);
        let colour = || Select::by(&mix, ["red", "blue", "green"]);
        let seen = ["red", "red", "green", "red"].into_iter();
        let model = seen.fold(Model::new(), |model, c| model.observe(&colour(), c));
        probability(model, &colour(), "green")
    };

    /// One step of a walk in the plane: the prior and the measurement both have variance 1, so the mean is 1 / 2 of the measurement.
    walk_in_the_plane: Number(0.75), Continuous, || {
        let unit = || Covariance::diagonal([1.0, 1.0]);
        let place = MultivariateNormal::new([0.0, 0.0], unit());
        let seen = MultivariateNormal::new(&place, unit());
        expectation(Model::new().observe(&seen, vec![0.0, 1.5]), &place, |place| place[1])
    };

    /// The number of trials is random: if Poisson(3) events are each kept with probability 0.4, the number of kept events is Poisson(1.2).
    thinned_poisson: Number(0.361_433_054_294_642_56), Continuous, || {
        let kept = Binomial::new(Poisson::new(3.0), 0.4);
        probability(Model::new(), &kept, 1)
    };
}
