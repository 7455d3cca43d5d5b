//! Tests of decisions that know continuous values, against closed forms or quadrature.

use std::f64::consts::PI;

use figrs::prelude::*;
use figrs::{Decision, Replicate, SampledPlan, SampledPolicies};

/// Number of standard errors by which an estimate may deviate; two in a million normal numbers deviate more.
const ERRORS: f64 = 5.0;

fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// Returns the mean of a function of a normal number by the trapezoidal rule, whose error is far smaller than that of the draws.
fn mean(mean: f64, deviation: f64, function: impl Fn(f64) -> f64) -> f64 {
    let step = 0.05;
    let points = (-160..=160).map(|i| f64::from(i) * step);
    points
        .map(|x| step * density(x) * function(mean + deviation * x))
        .sum()
}

fn assert_near(plan: &SampledPlan, expected: f64) {
    let error = (plan.expected_utility() - expected).abs();
    assert!(
        error <= ERRORS * plan.standard_error(),
        "{plan}instead of {expected}"
    );
}

/// A state with mean 0 and variance 1, observed with noise of variance 1. Taking the offer pays the state plus `base`, and leaving it pays nothing.
struct Offer {
    state: Element<f64>,
    signal: Element<f64>,
    take: Element<bool>,
    gain: Element<f64>,
}

fn offer(base: f64) -> Offer {
    let state = Normal::new(0.0, Variance(1.0)).named("state");
    let signal = Normal::new(&state, Variance(1.0)).named("signal");
    let take = Decision::new(&signal, [true, false]).named("take");
    let gain = (&state, &take).map(move |(state, &take)| if take { state + base } else { 0.0 });
    Offer {
        state,
        signal,
        take,
        gain,
    }
}

/// Checks that the plan takes offers above a threshold, that its stated utility equals the utility of its choices by quadrature, and that this is
/// nearly the best one.
fn thresholds<S: Replicate + Clone>(
    sampler: &S,
    model: impl Fn(&Offer) -> Model,
    posterior: (f64, f64),
) {
    for base in [-0.4, 0.3] {
        let offer = offer(base);
        let by = SampledPolicies::by(sampler.clone()).neighbours(400);
        let plan = by.run(&model(&offer), [&offer.gain], &offer.take).unwrap();
        let policy = plan.policy(&offer.take).unwrap();
        let (centre, variance) = posterior;
        // The signal has mean `centre` and variance `variance + 1`; given the signal, the state has mean `centre + share * (signal - centre)`.
        let (deviation, share) = ((variance + 1.0).sqrt(), variance / (variance + 1.0));
        let given = |signal: f64| base + centre + share * (signal - centre);
        let value = mean(centre, deviation, |signal| {
            let takes = policy
                .choice(&Model::new().observe(&offer.signal, signal))
                .unwrap();
            if takes { given(signal) } else { 0.0 }
        });
        assert_near(&plan, value);
        // The closed form is the mean of the positive part of a normal number.
        let (m, s) = (base + centre, share * deviation);
        let best = mean(m, s, |x| x.max(0.0));
        assert!(
            value <= best + 1e-6 && best - value < 0.004,
            "{value} {best}"
        );
        let threshold = centre - (base + centre) / share;
        for (signal, expected) in [(threshold + 0.5, true), (threshold - 0.5, false)] {
            let seen = Model::new().observe(&offer.signal, signal);
            assert_eq!(policy.choice(&seen).unwrap(), expected, "{base} {signal}");
            let found = policy.utility_of(&seen, &true).unwrap();
            let error = (found.mean - given(signal)).abs();
            // The estimate differs from the exact utility by chance, and because neighbouring draws do not have exactly the same signal.
            assert!(
                error <= ERRORS * found.standard_error + 0.02,
                "{found} {}",
                given(signal)
            );
            assert_eq!(found.draws, 400);
        }
    }
}

#[test]
fn noisy_signals_have_thresholds() {
    let independent = ImportanceSampling::new(30_000).seed(5);
    thresholds(&independent, |_| Model::new(), (0.0, 1.0));
    let chains = MetropolisHastings::new(10_000).seed(5);
    thresholds(&chains, |_| Model::new(), (0.0, 1.0));
}

/// A second signal of the state is known from the beginning; the plan is found by weighted draws and by Markov chains.
#[test]
fn evidence_is_known_to_policies() {
    let evidence = |offer: &Offer| {
        let other = Normal::new(&offer.state, Variance(1.0));
        Model::new().observe(&other, 1.0)
    };
    let independent = ImportanceSampling::new(30_000).seed(6);
    thresholds(&independent, evidence, (0.5, 0.5));
    let chains = MetropolisHastings::new(10_000).seed(6);
    thresholds(&chains, evidence, (0.5, 0.5));
}

/// The first decision is whether to pay for a better signal, which is worth it below a certain price. The signal comes from a branch.
#[test]
fn better_signals_are_bought_below_their_worth() {
    // The mean of |E(state | signal)| is its standard deviation times the square root of 2 / pi.
    let worth = |noise: f64| (2.0 / PI / (1.0 + noise * noise)).sqrt();
    for (price, buys) in [(0.1, true), (0.6, false)] {
        let state = Normal::new(0.0, Variance(1.0));
        let buy = Decision::new((), [false, true]).named("buy");
        let signal = {
            let state = state.clone();
            buy.flat_map(move |&buy| Normal::new(&state, Variance(if buy { 0.25 } else { 9.0 })))
        };
        let bet = Decision::new(&signal, [-1.0, 1.0]).named("bet");
        let cost = buy.map(move |&buy| if buy { -price } else { 0.0 });
        let gain = (&state, &bet).map(|(state, bet)| state * bet);
        let by = SampledPolicies::by(ImportanceSampling::new(30_000).seed(1)).neighbours(300);
        let plan = by.run(&Model::new(), [&cost, &gain], (&buy, &bet)).unwrap();
        assert_eq!(
            plan.policy(&buy).unwrap().choice(&Model::new()).unwrap(),
            buys
        );
        let best = if buys { worth(0.5) - price } else { worth(3.0) };
        let lost = best - plan.expected_utility();
        assert!(
            lost.abs() <= ERRORS * plan.standard_error() + 0.01,
            "{plan}{best}"
        );
    }
}

/// A position is moved towards zero twice, by a step or not, and is changed by noise; the expected numbers come from dynamic programming.
#[test]
fn positions_are_controlled_in_two_stages() {
    const NOISE: f64 = 0.5;
    const MOVES: [f64; 3] = [-1.0, 0.0, 1.0];
    let start = Normal::new(0.0, Variance(4.0)).named("start");
    let first = Decision::new(&start, MOVES).named("first");
    let moved = |position: &Element<f64>, by: &Element<f64>| {
        let there = (position, by).map(|(position, by)| position + by);
        Normal::new(&there, StandardDeviation(NOISE))
    };
    let middle = moved(&start, &first).named("middle");
    let second = Decision::new(&middle, MOVES).named("second");
    let end = moved(&middle, &second);
    let costs = [&middle, &end].map(|position| position.map(|x| -x * x));
    let last = |x: f64| {
        let all = MOVES.map(|by| -(x + by).powi(2) - NOISE * NOISE);
        all.into_iter().fold(f64::NEG_INFINITY, f64::max)
    };
    let best = mean(0.0, 2.0, |x| {
        let all = MOVES.map(|by| mean(x + by, NOISE, |y| last(y) - y * y));
        all.into_iter().fold(f64::NEG_INFINITY, f64::max)
    });
    for limited in [false, true] {
        let by = SampledPolicies::by(ImportanceSampling::new(30_000).seed(2)).neighbours(60);
        // Of all known values, only the present position matters.
        let by = if limited { by.limited_memory() } else { by };
        let plan = by.run(&Model::new(), &costs, (&first, &second)).unwrap();
        let policy = plan.policy(&first).unwrap();
        for (x, by) in [(2.0, -1.0), (-2.0, 1.0), (0.0, 0.0)] {
            let seen = Model::new().observe(&start, x);
            assert_eq!(policy.choice(&seen).unwrap(), by);
        }
        let lost = best - plan.expected_utility();
        let most = if limited { 0.02 } else { 0.1 };
        let error = ERRORS * plan.standard_error();
        assert!(lost >= -error && lost <= error + most, "{plan}{best}");
    }
}

/// Information may have types of the user: some values are matched exactly, and for others the caller gives coordinates.
#[test]
fn distances_are_given_or_follow_from_numbers() {
    // A position on a circle, given as an angle: angles near 0 are near 2 pi.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Angle(u32);
    figrs::value!(Angle);
    let turn = ContinuousUniform::new(0.0, 1.0);
    let angle = turn.map(|turn| Angle((turn * 1e6) as u32)).named("angle");
    let weather = Select::new([(0.5, "wet"), (0.5, "dry")]).named("weather");
    let act = Decision::new((&angle, &weather), [true, false]);
    let worth = (&turn, &weather, &act).map(|(turn, &weather, &act)| {
        let height = (2.0 * PI * turn).cos() + if weather == "wet" { 0.5 } else { -0.5 };
        if act { height } else { 0.0 }
    });
    let by = SampledPolicies::by(ImportanceSampling::new(40_000).seed(4)).neighbours(200);
    let by = by.coordinates(&angle, |Angle(millionths)| {
        let angle = 2.0 * PI * f64::from(*millionths) / 1e6;
        vec![angle.cos(), angle.sin()]
    });
    let plan = by.run(&Model::new(), [&worth], &act).unwrap();
    let policy = plan.policy(&act).unwrap();
    for (turn, weather_is, expected) in [
        (0.0, "wet", true),
        (0.999, "dry", true),
        (0.3, "wet", true),
        (0.2, "dry", false),
        (0.5, "wet", false),
    ] {
        let seen = Model::new()
            .observe(&angle, Angle((turn * 1e6) as u32))
            .observe(&weather, weather_is);
        assert_eq!(
            policy.choice(&seen).unwrap(),
            expected,
            "{turn} {weather_is}"
        );
    }
    // The mean of the positive part of a cosine plus a shift, by quadrature.
    let positive = |shift: f64| {
        let points = (0..100_000).map(|i| (2.0 * PI * f64::from(i) / 1e5).cos() + shift);
        points.map(|x| x.max(0.0)).sum::<f64>() / 1e5
    };
    let best = f64::midpoint(positive(0.5), positive(-0.5));
    let lost = best - plan.expected_utility();
    assert!(
        lost.abs() <= ERRORS * plan.standard_error() + 0.002,
        "{plan}{best}"
    );
    // Lists of numbers are treated as points, and whole numbers with few repetitions by their distances.
    let list = turn.map(|turn| vec![(2.0 * PI * turn).cos(), (2.0 * PI * turn).sin()]);
    let number = turn.map(|turn| (turn * 1e6) as i64);
    let act = Decision::new((&list, &number), [true, false]);
    let worth = (&turn, &act).map(|(turn, &act)| if act { (2.0 * PI * turn).cos() } else { 0.0 });
    let by = SampledPolicies::by(ImportanceSampling::new(20_000).seed(4)).neighbours(100);
    let plan = by.run(&Model::new(), [&worth], &act).unwrap();
    let lost = positive(0.0) - plan.expected_utility();
    assert!(
        lost.abs() <= ERRORS * plan.standard_error() + 0.002,
        "{plan}"
    );
}
