//! Draws of a `Collapsed` sampler that share one elimination, against draws with an elimination each.
//! `PROPTEST_CASES` sets the number of random models, and `PROPTEST_RNG_SEED` their seed.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use figrs::prelude::*;
use figrs::{Algorithm, Answer, AnyElement, Collapsed, Covariance, Error, MultivariateNormal};
use figrs_core::Datum;
use figrs_tests::random_model::from_environment;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};

/// Number of joint values of the drawn elements that are weighed together.
const DRAWS: u64 = 40;

/// A sampler that compares the weights of joint values that are weighed together with those of the same values weighed one by one.
#[derive(Debug)]
struct Compared;

impl Algorithm for Compared {
    fn name(&self) -> &'static str {
        "Compared"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let joint = Element::<Vec<Datum>>::from_erased(&targets[targets.len() - 1]).unwrap();
        let sampler = ImportanceSampling::new(DRAWS).keep_draws();
        let drawn = sampler.run(&Model::new(), &joint)?;
        let values = drawn.draws()?.values(&joint)?;
        let all: Vec<&dyn std::any::Any> = values.iter().map(|value| value as _).collect();
        let is_on_joint = |(element, _): &&(AnyElement, _)| element.id() == joint.erased().id();
        let (element, evidence) = model.evidence().iter().find(is_on_joint).unwrap();
        let together = evidence.weights(element, &all)?;
        assert_eq!(together.len(), values.len());
        for (&value, (_, log)) in all.iter().zip(together) {
            let (_, alone) = evidence.weight(element, value)?;
            assert!(
                log == alone || (log - alone).abs() <= 1e-12 * alone.abs().max(1.0),
                "{log} together, {alone} alone: {model:?}"
            );
        }
        ImportanceSampling::new(DRAWS).answer(model, targets)
    }
}

/// A random model with drawn elements, normal elements, integrated finite elements, and a parameter with a conjugate prior.
struct RandomModel {
    model: Model,
    levels: Vec<Element<f64>>,
    /// A drawn variance, and a drawn number of which only nonlinear functions occur.
    spread: Element<f64>,
    angle: Element<f64>,
}

impl RandomModel {
    fn new(rng: &mut SmallRng) -> Self {
        let spread = ContinuousUniform::new(0.3, 2.0).named("spread");
        let angle = Normal::new(0.0, Variance(1.0)).named("angle");
        let mut this = Self {
            model: Model::new(),
            levels: vec![Normal::new(0.5, Variance(4.0))],
            spread,
            angle,
        };
        // Both elements are drawn in every model.
        let level = Normal::new(&this.levels[0], Variance(&this.spread));
        this.model = this.model.observe(&level, 0.3);
        let mean = this.angle.map(|x| x.sin()) + &this.levels[0];
        this.model = this.model.observe(&Normal::new(&mean, Variance(0.6)), 1.1);
        for _ in 0..rng.random_range(1..6) {
            let level = this.level(rng);
            if rng.random_bool(0.5) {
                let read = Normal::new(&level, Variance(rng.random_range(0.2..2.0)));
                let value = rng.random_range(-2.0..2.0);
                this.model = std::mem::take(&mut this.model).observe(&read, value);
            }
            this.levels.push(level);
        }
        if rng.random_bool(0.3) {
            let sum = &this.levels[0] * 0.5 + this.levels.last().unwrap();
            this.model = this.model.observe(&sum, 0.7);
        }
        if rng.random_bool(0.4) {
            this.add_share(rng);
        }
        // Evidence on functions of drawn elements, which are not drawn themselves.
        let (spread, angle) = (&this.spread, &this.angle);
        if rng.random_bool(0.3) {
            let is_small = angle.map(|&x| x < 1.0);
            this.model = std::mem::take(&mut this.model).observe(&is_small, true);
        }
        if rng.random_bool(0.3) {
            let product = (spread, angle).map(|(spread, angle)| spread * angle.cos());
            this.model = std::mem::take(&mut this.model).log_weigh(&product, |x| -x * x);
        }
        this
    }

    /// Returns a number that depends on an earlier one, on drawn elements, and perhaps on a finite element.
    fn level(&self, rng: &mut SmallRng) -> Element<f64> {
        let (spread, angle) = (&self.spread, &self.angle);
        let before = self.levels[rng.random_range(0..self.levels.len())].clone();
        let sign = angle.map(|&x| x > 0.0);
        match rng.random_range(0..10) {
            0 => Normal::new(&before, Variance(spread)),
            1 => Normal::new(&before + angle.map(|x| x.cos()), Variance(0.7)),
            2 => Normal::new(
                (spread, angle).map(|(spread, angle)| spread * angle.tanh()),
                Variance(spread),
            ),
            3 => sign.flat_map(|&up| {
                let (mean, variance) = if up { (1.0, 0.5) } else { (-1.0, 2.0) };
                Normal::new(mean, Variance(variance))
            }),
            4 => sign.flat_map(move |&up| if up { &before * 2.0 } else { before.clone() }),
            5 => {
                let kind = Flip::new(rng.random_range(0.1..0.9));
                let jump = kind.map(|&high| if high { 2.0 } else { -0.5 });
                Normal::new(&before * 0.5 + &jump, Variance(spread))
            }
            6 => {
                let share = angle.map(|x| 1.0 / (1.0 + (-x).exp()));
                let coin = Flip::new(&share);
                let read = before.clone();
                coin.flat_map(move |&up| Normal::new(&read, Variance(if up { 0.3 } else { 3.0 })))
            }
            7 => {
                let (spread, angle) = (spread.clone(), angle.clone());
                sign.flat_map(move |&up| {
                    let mean = (&spread, &angle).map(move |(s, a)| if up { s + a } else { s - a });
                    Normal::new(&mean, Variance(&spread))
                })
            }
            8 => {
                // The mean depends on a finite element and on a drawn one.
                let kind = Flip::new(0.3);
                let mean =
                    (&kind, angle).map(|(kind, angle)| if *kind { angle.sin() } else { 0.2 });
                Normal::new(&before + &mean, Variance(1.0))
            }
            _ => {
                let pair = MultivariateNormal::new([0.0, 1.0], Covariance::diagonal([1.0, 2.0]));
                Normal::new(pair.entry(0) + pair.entry(1) * 0.3, Variance(spread))
            }
        }
    }

    /// Adds an unknown share of successes, whose number of tries is a function of a drawn element.
    fn add_share(&mut self, rng: &mut impl Rng) {
        let share = Beta::new(2.0, 3.0);
        let tries = self.angle.map(|x| (9.0 + 3.0 * x.sin()).round() as u64);
        let model = std::mem::take(&mut self.model);
        let model = model.observe(&Binomial::new(&tries, &share), rng.random_range(0..10));
        self.model = model.observe(&Flip::new(&share), rng.random_bool(0.5));
    }
}

#[test]
fn draws_that_share_an_elimination_have_the_weights_of_draws_alone() {
    let cases = from_environment("PROPTEST_CASES").unwrap_or(40);
    let seed = from_environment("PROPTEST_RNG_SEED").unwrap_or(1);
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut answered = 0;
    for _ in 0..cases {
        let RandomModel {
            model,
            levels,
            spread,
            ..
        } = RandomModel::new(&mut rng);
        let last = levels.last().unwrap();
        match Collapsed(Compared).run(&model, (&levels[0], last, &spread)) {
            Ok(_) => answered += 1,
            // The observed sum may be impossible, or determined in some of the draws only.
            Err(Error::NoSampleMetEvidence { .. } | Error::NotClosedForm { .. }) => {}
            Err(error) => panic!("{error}: {model:?}"),
        }
    }
    assert!(answered > cases / 2, "{answered} of {cases}");
}

#[test]
fn draws_share_an_elimination() {
    let calls = Arc::new(AtomicUsize::new(0));
    let spread = ContinuousUniform::new(0.2, 3.0);
    let (kind, counted) = (Flip::new(0.4), Arc::clone(&calls));
    let level = kind.flat_map(move |&high| {
        counted.fetch_add(1, Ordering::Relaxed);
        Normal::new(if high { 3.0 } else { 0.0 }, Variance(1.0))
    });
    let model = [1.2, 2.9].iter().fold(Model::new(), |model, &reading| {
        model.observe(&Normal::new(&level, Variance(&spread)), reading)
    });
    let sampler = Collapsed(ImportanceSampling::new(1024));
    sampler.run(&model, (&level, &spread)).unwrap();
    // Sixteen blocks of draws with two calls each, the same for the draws of the level, and the calls that measure the size of an elimination.
    let calls = calls.load(Ordering::Relaxed);
    assert!(calls < 400, "{calls} calls");
}

#[test]
fn impossible_draws_have_the_weight_zero() {
    // For a negative angle, the observed level has a known value, which the observation contradicts.
    let angle = Normal::new(0.0, Variance(1.0));
    let spread = ContinuousUniform::new(0.5, 1.5);
    let hidden = Normal::new(0.0, Variance(&spread));
    let sine = angle.map(|x| x.sin());
    let sign = angle.map(|&x| x > 0.0);
    let read = hidden.clone();
    let level = sign.flat_map(move |&up| if up { &read + 0.0 } else { &read * 0.0 + 7.0 });
    let mean = &hidden + &sine;
    let model = Model::new()
        .observe(&Normal::new(&mean, Variance(1.0)), 0.4)
        .observe(&level, 0.5);
    let answer = Collapsed(Compared).run(&model, (&angle, &spread)).unwrap();
    let angles = answer.distribution(&angle).unwrap();
    assert!(angles.iter().all(|(&angle, p)| angle > 0.0 || p == 0.0));
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let mut rng = SmallRng::seed_from_u64(5);
    for _ in 0..3 {
        let RandomModel {
            model,
            levels,
            spread,
            ..
        } = RandomModel::new(&mut rng);
        let said = |threads: usize| {
            let threads = NonZero::new(threads).unwrap();
            let sampler = Collapsed(ImportanceSampling::new(256).seed(2).threads(threads));
            let answer = sampler.run(&model, (&levels[0], levels.last().unwrap(), &spread));
            let answer = answer.unwrap();
            let mut sampling = answer.sampling().unwrap().clone();
            sampling.elapsed = Duration::ZERO;
            format!("{:?}", answer.with_sampling(sampling))
        };
        let alone = said(1);
        assert!([2, 5].iter().all(|&threads| said(threads) == alone));
    }
}
