//! Samplers that draw only what has no closed form.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs::prelude::*;
use figrs::{Answer, AnyElement, Collapsed, Error, Quality, Stopped};
use figrs_answer::run::watch::Watch;

/// A level of unknown kind, with readings whose common variance is unknown and not conjugate: the model, the level, the kind, the variance.
fn readings() -> (Model, Element<f64>, Element<bool>, Element<f64>) {
    let kind = Flip::new(0.4).named("kind");
    let level = kind.flat_map(|&high| Normal::new(if high { 3.0 } else { 0.0 }, Variance(1.0)));
    let variance = ContinuousUniform::new(0.2, 3.0).named("variance");
    let model = READINGS.iter().fold(Model::new(), |model, &reading| {
        model.observe(&Normal::new(&level, Variance(&variance)), reading)
    });
    (model, level, kind, variance)
}

const READINGS: [f64; 4] = [1.2, 2.9, 0.8, 2.0];

/// The evidence, the mean of the level, the probability of the kind, and the mean of the variance: the midpoint rule for the variance, and closed forms for
/// the rest.
fn by_quadrature() -> [f64; 4] {
    const STEPS: usize = 2000;
    let mut sums = [0.0; 4];
    for step in 0..STEPS {
        let variance = 0.2 + 2.8 * (step as f64 + 0.5) / STEPS as f64;
        for (share, mean, is_high) in [(0.4, 3.0, 1.0), (0.6, 0.0, 0.0)] {
            // Readings one after another: the level is normal before and after each of them.
            let (mut m, mut v, mut density) = (mean, 1.0, share / STEPS as f64);
            for reading in READINGS {
                let total: f64 = v + variance;
                let apart: f64 = reading - m;
                density *= (-0.5 * apart * apart / total).exp()
                    / (2.0 * std::f64::consts::PI * total).sqrt();
                m += v / total * apart;
                v -= v * v / total;
            }
            let terms = [1.0, m, is_high, variance];
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += density * term;
            }
        }
    }
    [
        sums[0],
        sums[1] / sums[0],
        sums[2] / sums[0],
        sums[3] / sums[0],
    ]
}

#[test]
fn what_has_a_closed_form_is_integrated_out() {
    let (model, level, kind, variance) = readings();
    let [evidence, mean, share, mean_variance] = by_quadrature();
    let samplers: [Box<dyn Algorithm>; 2] = [
        Box::new(Collapsed(ImportanceSampling::new(1500).seed(1))),
        Box::new(Collapsed(MetropolisHastings::new(3000).seed(3))),
    ];
    for sampler in samplers {
        let answer = sampler.run(&model, (&level, &kind, &variance)).unwrap();
        let statistics = answer.sampling().unwrap();
        // The level and the four readings.
        assert_eq!(statistics.integrated_out, Some(5));
        // Each test is wrong with probability 6e-7.
        let within = |found: f64, exact: f64, error: f64| {
            let name = answer.algorithm();
            assert!(error > 0.0 && error < 0.1, "{name}: error {error}");
            assert!(
                (found - exact).abs() < 5.0 * error,
                "{name}: {found}, not {exact}"
            );
        };
        let of_level = answer.distribution(&level).unwrap();
        within(of_level.mean(), mean, of_level.standard_error_of(|&x| x));
        let of_variance = answer.distribution(&variance).unwrap();
        within(
            of_variance.mean(),
            mean_variance,
            of_variance.standard_error_of(|&x| x),
        );
        let error = answer.standard_error(&kind, &true).unwrap();
        within(answer.probability(&kind, &true).unwrap(), share, error);
        if let Some(found) = answer
            .log_evidence()
            .ok()
            .filter(|e| e.standard_error > 0.0)
        {
            within(found.value, evidence.ln(), found.standard_error);
        }
    }
}

#[test]
fn draws_are_worth_more() {
    let (model, level, ..) = readings();
    let worth = |answer: Answer| match answer.quality(&level).unwrap() {
        Quality::Sampled { effective_samples } => effective_samples,
        quality => panic!("{quality:?}"),
    };
    let alone = worth(ImportanceSampling::new(1000).run(&model, &level).unwrap());
    let collapsed = worth(
        Collapsed(ImportanceSampling::new(1000))
            .run(&model, &level)
            .unwrap(),
    );
    assert!(collapsed > 1.5 * alone, "{collapsed}, {alone} alone");
}

#[test]
fn models_with_a_closed_form_need_no_draws() {
    let level = Normal::new(0.0, Variance(1.0));
    let model = Model::new().observe(&Normal::new(&level, Variance(1.0)), 1.0);
    let answer = Collapsed(ImportanceSampling::new(10))
        .run(&model, &level)
        .unwrap();
    assert!((answer.mean(&level).unwrap() - 0.5).abs() < 1e-12);
    assert!(answer.diagnose().is_clean());
    // A finite model has nothing to integrate out: the sampler answers alone.
    let coin = Flip::new(0.3);
    let answer = Collapsed(ImportanceSampling::new(1000))
        .run(&Model::new(), &coin)
        .unwrap();
    let alone = ImportanceSampling::new(1000)
        .run(&Model::new(), &coin)
        .unwrap();
    let probability = |answer: &Answer| answer.probability(&coin, &true).unwrap();
    assert_eq!(probability(&answer), probability(&alone));
}

#[test]
fn an_unknown_variance_with_a_conjugate_prior_is_drawn() {
    // The variance of the readings is unknown, and that of the level is known: no closed form as a whole.
    let level = Normal::new(0.0, Variance(100.0));
    let noise = Gamma::new(2.0, Rate(1.0));
    let readings = [4.9, 5.3, 4.6];
    let model = readings.into_iter().fold(Model::new(), |model, reading| {
        model.observe(&Normal::new(&level, Variance(&noise)), reading)
    });
    assert!(Exact::new().run(&model, &level).is_err());
    let sampler = Collapsed(ImportanceSampling::new(2000).seed(5));
    let answer = sampler.run(&model, (&level, &noise)).unwrap();
    let (mut total, mut sums) = (0.0, [0.0; 2]);
    for step in 0..20_000 {
        let variance = 0.001 * (f64::from(step) + 0.5);
        let (mut m, mut v, mut density) = (0.0, 100.0, variance * (-variance).exp());
        for reading in readings {
            let (spread, apart): (f64, f64) = (v + variance, reading - m);
            density *= (-0.5 * apart * apart / spread).exp() / spread.sqrt();
            m += v / spread * apart;
            v -= v * v / spread;
        }
        total += density;
        sums = [sums[0] + density * m, sums[1] + density * variance];
    }
    for (element, sum) in [(&level, sums[0]), (&noise, sums[1])] {
        let marginal = answer.distribution(element).unwrap();
        let error = marginal.standard_error_of(|&x| x);
        assert!(error < 0.05 && (marginal.mean() - sum / total).abs() < 5.0 * error);
    }
}

#[test]
fn nonlinear_means_are_drawn_with_their_causes() {
    // The angle is drawn; the offset is integrated out.
    let angle = Normal::new(0.0, Variance(1.0)).named("angle");
    let offset = Normal::new(0.0, Variance(4.0)).named("offset");
    let mean = angle.map(|&angle| angle.sin()) + &offset;
    let model = Model::new().observe(&Normal::new(&mean, Variance(0.5)), 1.5);
    let answer = Collapsed(ImportanceSampling::new(2000))
        .run(&model, (&offset, &angle))
        .unwrap();
    let (mut total, mut sum) = (0.0, 0.0);
    for step in 0..4000 {
        let x = -6.0 + 0.003 * (f64::from(step) + 0.5);
        let apart = 1.5 - x.sin();
        let weight = (-0.5 * x * x - 0.5 * apart * apart / 4.5).exp();
        total += weight;
        sum += weight * apart * 4.0 / 4.5;
    }
    let of_offset = answer.distribution(&offset).unwrap();
    let error = of_offset.standard_error_of(|&x| x);
    assert!(error < 0.05 && (of_offset.mean() - sum / total).abs() < 5.0 * error);
}

/// The mean of the first number under a weight of two numbers, by the midpoint rule.
fn mean_of_first(log_weight: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut total, mut sum) = (0.0, 0.0);
    for i in 0..400 {
        for j in 0..400 {
            let [a, b] = [i, j].map(|k| -6.0 + 0.03 * (f64::from(k) + 0.5));
            let weight = log_weight(a, b).exp();
            total += weight;
            sum += weight * a;
        }
    }
    sum / total
}

/// The logarithm of a normal density, without the factor of 2 pi.
fn log_normal(x: f64, mean: f64, variance: f64) -> f64 {
    -0.5 * (x - mean).powi(2) / variance - 0.5 * variance.ln()
}

fn check_mean(model: &Model, element: &Element<f64>, exact: f64) {
    let sampler = Collapsed(ImportanceSampling::new(4000).seed(6));
    let answer = sampler.run(model, element).unwrap();
    let marginal = answer.distribution(element).unwrap();
    let (mean, error) = (marginal.mean(), marginal.standard_error_of(|&x| x));
    assert!(
        error < 0.05 && (mean - exact).abs() < 5.0 * error,
        "{mean}, not {exact}"
    );
}

#[test]
fn functions_of_chains_read_drawn_elements() {
    // The cause is drawn, because the sine of its effect is; the function of the `Chain` reads the cause, which no other element does.
    let cause = Normal::new(0.0, Variance(1.0));
    let effect = Normal::new(&cause, Variance(0.5));
    let sine = effect.map(|x| x.sin());
    let (kind, read) = (Flip::new(0.5), cause.clone());
    let seen = kind.flat_map(move |&wide| {
        let variance = if wide { 2.0 } else { 0.5 };
        Normal::new(&read, Variance(variance))
    });
    let model = Model::new()
        .observe(&Normal::new(&sine, Variance(0.1)), -0.6)
        .observe(&seen, 1.5);
    let exact = mean_of_first(|cause, effect| {
        let wide = log_normal(1.5, cause, 2.0).exp() + log_normal(1.5, cause, 0.5).exp();
        log_normal(cause, 0.0, 1.0)
            + log_normal(effect, cause, 0.5)
            + log_normal(-0.6, effect.sin(), 0.1)
            + wide.ln()
    });
    check_mean(&model, &cause, exact);
}

#[test]
fn drawn_chains_read_elements_that_are_then_drawn_too() {
    let kind = Flip::new(0.5);
    let level = Normal::new(0.0, Variance(1.0));
    let read = level.clone();
    let folded = kind.flat_map(move |&folded| {
        let sign = if folded { 1.0 } else { -1.0 };
        read.map(move |x| sign * x.sin())
    });
    let model = Model::new()
        .observe(&Normal::new(&folded, Variance(0.2)), 0.8)
        .observe(&Normal::new(&level, Variance(1.0)), 0.9);
    let exact = mean_of_first(|level, other| {
        let seen =
            log_normal(0.8, level.sin(), 0.2).exp() + log_normal(0.8, -level.sin(), 0.2).exp();
        log_normal(level, 0.0, 1.0)
            + log_normal(0.9, level, 1.0)
            + seen.ln()
            + log_normal(other, 0.0, 1.0)
    });
    check_mean(&model, &level, exact);
    // A coin that only functions read: nothing in the model shows whether another function reads it too.
    let hidden = Flip::new(0.5);
    let coin = kind.flat_map(move |_| hidden.clone()).named("coin");
    let moved = Normal::new(coin.map(|&c| f64::from(u8::from(c))), Variance(1.0));
    let model = Model::new().observe(&Normal::new(moved.map(|x| x.sin()), Variance(0.2)), 0.8);
    let sampler = Collapsed(ImportanceSampling::new(10));
    let error = sampler.run(&model, &coin).unwrap_err();
    assert!(
        error.to_string().contains("let the function create"),
        "{error}"
    );
}

#[test]
fn drawn_regimes_follow_each_other() {
    // A regime that stays, and numbers around its level, whose sines are read: regimes and numbers are drawn.
    const READINGS: [f64; 3] = [0.4, 0.7, -0.2];
    let mut regime = Flip::new(0.5);
    let mut model = Model::new();
    for reading in READINGS {
        regime = regime.flat_map(|&up| Flip::new(if up { 0.8 } else { 0.3 }));
        let level = regime.map(|&up| if up { 1.0 } else { -1.0 });
        let sine = Normal::new(&level, Variance(1.0)).map(|x| x.sin());
        model = model.observe(&Normal::new(&sine, Variance(0.5)), reading);
    }
    let sampler = Collapsed(ImportanceSampling::new(4000).seed(8));
    let answer = sampler.run(&model, &regime).unwrap();
    // The probability of a reading in a regime, by the midpoint rule.
    let density = |reading: f64, level: f64| -> f64 {
        let numbers = (0..2000).map(|k| level - 6.0 + 0.006 * (f64::from(k) + 0.5));
        let weights =
            numbers.map(|x| log_normal(x, level, 1.0) + log_normal(reading, x.sin(), 0.5));
        weights.map(f64::exp).sum()
    };
    let mut up = 0.5;
    for reading in READINGS {
        let ahead: f64 = 0.8 * up + 0.3 * (1.0 - up);
        let weights = [
            ahead * density(reading, 1.0),
            (1.0 - ahead) * density(reading, -1.0),
        ];
        up = weights[0] / (weights[0] + weights[1]);
    }
    let error = answer.standard_error(&regime, &true).unwrap();
    let found = answer.probability(&regime, &true).unwrap();
    assert!(
        error < 0.02 && (found - up).abs() < 5.0 * error,
        "{found}, not {up}"
    );
}

#[test]
fn wrong_parameters_of_drawn_values_are_errors() {
    let spread = ContinuousUniform::new(-1.0, 1.0);
    let level = Normal::new(0.0, Variance(&spread)).named("level");
    let model = Model::new().observe(&Normal::new(&level, Variance(1.0)), 0.4);
    for sampler in [
        Box::new(Collapsed(ImportanceSampling::new(100))) as Box<dyn Algorithm>,
        Box::new(Collapsed(MetropolisHastings::new(100))),
    ] {
        let error = sampler.run(&model, &level).unwrap_err();
        assert!(error.to_string().contains("must be positive"), "{error}");
    }
}

#[test]
fn refusals_name_the_remedy() {
    let (model, level, ..) = readings();
    let error = Collapsed(SequentialMonteCarlo::new(100))
        .run(&model, &level)
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::InvalidSetting {
                setting: "sampler",
                ..
            }
        ),
        "{error}"
    );
    let rate = Gamma::new(2.0, Rate(1.0)).named("rate");
    let other = ContinuousUniform::new(0.0, 1.0).named("other");
    let model = Model::new()
        .observe(&Poisson::new(&rate), 3)
        .observe(&Normal::new(&other, Variance(1.0)), 0.4);
    let error = Collapsed(ImportanceSampling::new(10))
        .run(&model, (&rate, &other))
        .unwrap_err();
    assert!(error.to_string().contains("does not draw"), "{error}");
}

#[test]
fn finite_elements_with_too_many_joint_values_are_drawn() {
    const COINS: usize = 17;
    let coins: Vec<Element<bool>> = (0..COINS).map(|_| Flip::new(0.3)).collect();
    // A walk that each head moves by one.
    let mut level = Normal::new(0.0, Variance(2.0 / 18.0));
    for coin in &coins {
        let step = coin.map(|&c| f64::from(u8::from(c)));
        level = Normal::new(&level + &step, Variance(2.0 / 18.0));
    }
    let model = Model::new().observe(&Normal::new(&level, Variance(1.0)), 7.0);
    let error = Exact::new().run(&model, &level).unwrap_err();
    assert!(error.to_string().contains("mixture of 131072"), "{error}");
    // The number of heads has a binomial distribution.
    let (mut total, mut sums) = (0.0, [0.0; 2]);
    let mut binomial = 0.7_f64.powi(COINS as i32);
    for heads in 0..=COINS {
        let h = heads as f64;
        let weight = binomial * (-(7.0 - h) * (7.0 - h) / 6.0).exp();
        total += weight;
        sums[0] += weight * h / COINS as f64;
        sums[1] += weight * (h + (7.0 - h) * 2.0 / 3.0);
        binomial *= 0.3 / 0.7 * (COINS - heads) as f64 / (h + 1.0);
    }
    let answer = Collapsed(ImportanceSampling::new(1000))
        .run(&model, (&coins[3], &level))
        .unwrap();
    let error = answer.standard_error(&coins[3], &true).unwrap();
    assert!((answer.probability(&coins[3], &true).unwrap() - sums[0] / total).abs() < 5.0 * error);
    let of_level = answer.distribution(&level).unwrap();
    let error = of_level.standard_error_of(|&x| x);
    assert!(error < 0.2 && (of_level.mean() - sums[1] / total).abs() < 5.0 * error);
}

/// A sampler whose interrupt is set when it has ended, before the targets that were integrated out are drawn.
#[derive(Debug)]
struct Interrupted<A>(A, Watch);

impl<A: Algorithm> Algorithm for Interrupted<A> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        self.0.answer(model, targets)
    }

    fn own_watch(&self) -> Option<&Watch> {
        Some(&self.1)
    }
}

#[test]
fn an_interrupt_ends_the_draws_of_the_rest() {
    let (model, level, kind, variance) = readings();
    let mut watch = Watch::default();
    watch.set_interrupt(Arc::new(AtomicBool::new(true)));
    let samplers: [(Box<dyn Algorithm>, usize); 2] = [
        (Box::new(ImportanceSampling::new(200)), 1),
        // Each of the four chains has a draw.
        (Box::new(MetropolisHastings::new(100)), 4),
    ];
    for (sampler, draws) in samplers {
        let answer = Collapsed(Interrupted(sampler, watch.clone()));
        let answer = answer.run(&model, (&level, &kind, &variance)).unwrap();
        assert_eq!(answer.sampling().unwrap().stopped, Stopped::Interrupted);
        let values = answer.distribution(&level).unwrap();
        assert!((1..=draws).contains(&values.len()), "{}", values.len());
        let values = [true, false].map(|value| answer.probability(&kind, &value).unwrap());
        let total: f64 = values.iter().sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        // The drawn variance keeps all draws.
        assert!(answer.distribution(&variance).unwrap().len() > 20);
    }
}
