//! Tests of probabilities across hundreds of orders of magnitude, against rational arithmetic and closed forms.

use figrs::prelude::*;
use figrs::stream;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rand::RngExt;

/// Relative tolerance, which allows for a few hundred rounding errors.
const ROUNDING: f64 = 1e-12;
/// Absolute tolerance, for numbers near the subnormal range, which have fewer digits.
const SMALLEST: f64 = 1e-300;

fn exact(number: f64) -> BigRational {
    BigRational::from_float(number).unwrap()
}

/// Returns the natural logarithm of a positive rational number.
fn ln(number: &BigRational) -> f64 {
    let dropped = |bits: u64| bits.saturating_sub(60);
    let (above, below) = (number.numer(), number.denom());
    let (more, less) = (dropped(above.bits()), dropped(below.bits()));
    let leading = |number: Option<f64>| number.unwrap().ln();
    let quotient = leading((above >> more).to_f64()) - leading((below >> less).to_f64());
    quotient + (more as f64 - less as f64) * std::f64::consts::LN_2
}

/// A network of variables with three values, each with up to two earlier variables as parents, and observations of some variables.
#[derive(Debug)]
struct Network {
    parents: Vec<Vec<usize>>,
    /// For each variable and each combination of its parents' values, the weights of the variable's values.
    rows: Vec<Vec<[f64; 3]>>,
    seen: Vec<(usize, u8)>,
}

impl Network {
    /// Creates a network with weights from `10^-range` to 1, many of which are near either end, so that nearly all values are nearly certain.
    fn random(part: u64, range: f64) -> Self {
        let mut rng = stream(20, part);
        let (mut parents, mut rows) = (Vec::new(), Vec::new());
        for variable in 0..6_usize {
            let mut mine: Vec<usize> = (0..variable).filter(|_| rng.random_bool(0.5)).collect();
            mine.truncate(2);
            let weight = |rng: &mut figrs::Stream| match rng.random_range(0..4) {
                0 => 1.0,
                1 => 10f64.powf(-range),
                2 => 0.0,
                _ => 10f64.powf(-range * rng.random::<f64>()),
            };
            let row = |rng: &mut figrs::Stream| {
                let row = [weight(rng), weight(rng), weight(rng)];
                if row == [0.0; 3] {
                    [1.0, 0.0, 1.0]
                } else {
                    row
                }
            };
            rows.push(
                (0..3usize.pow(mine.len() as u32))
                    .map(|_| row(&mut rng))
                    .collect(),
            );
            parents.push(mine);
        }
        let seen = [3, 5].map(|variable| (variable, rng.random_range(0..3)));
        Self {
            parents,
            rows,
            seen: seen.to_vec(),
        }
    }

    fn elements(&self) -> (Model, Vec<Element<u8>>) {
        let mut all: Vec<Element<u8>> = Vec::new();
        for (parents, rows) in self.parents.iter().zip(&self.rows) {
            let rows = rows.clone();
            let select = move |row: usize| Select::new(rows[row].into_iter().zip(0u8..));
            let element = match parents[..] {
                [] => select(0),
                [a] => all[a].flat_map(move |&a| select(usize::from(a))),
                _ => Chain::new((&all[parents[0]], &all[parents[1]]), move |(&a, &b)| {
                    select(usize::from(a) * 3 + usize::from(b))
                }),
            };
            all.push(element);
        }
        let seen = self.seen.iter();
        let model = seen.fold(Model::new(), |model, &(v, x)| model.observe(&all[v], x));
        (model, all)
    }

    /// Returns, for each variable and value, the joint probability of the value and the observations, in rational arithmetic.
    fn joint(&self) -> Vec<[BigRational; 3]> {
        let zero = BigRational::zero;
        let mut joint: Vec<_> = self.rows.iter().map(|_| [zero(), zero(), zero()]).collect();
        for world in 0..3usize.pow(self.rows.len() as u32) {
            let value = |variable: usize| world / 3usize.pow(variable as u32) % 3;
            if self.seen.iter().any(|&(v, x)| value(v) != usize::from(x)) {
                continue;
            }
            let mut p = BigRational::one();
            for (variable, (parents, rows)) in self.parents.iter().zip(&self.rows).enumerate() {
                let row = rows[parents
                    .iter()
                    .fold(0, |row, &parent| row * 3 + value(parent))];
                let total: BigRational = row.iter().map(|&w| exact(w)).sum();
                p = p * exact(row[value(variable)]) / total;
                if p.is_zero() {
                    break;
                }
            }
            for (variable, sums) in joint.iter_mut().enumerate() {
                sums[value(variable)] += &p;
            }
        }
        joint
    }
}

#[test]
fn exact_engines_agree_with_rational_arithmetic() {
    let mut possible = 0;
    for part in 0..9 {
        let network = Network::random(part, [3.0, 40.0, 300.0][part as usize % 3]);
        let (model, all) = network.elements();
        let joint = network.joint();
        let evidence: BigRational = joint[0].iter().sum();
        assert!(!evidence.is_negative());
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            JunctionTree::new(),
            Frontier::new()
        ] {
            let (name, answer) = (algorithm.name(), algorithm.run(&model, &all));
            if evidence.is_zero() {
                let error = answer.unwrap_err();
                assert!(
                    matches!(error, Error::ImpossibleEvidence { .. }),
                    "{name}: {error}"
                );
                continue;
            }
            possible += 1;
            let answer = answer.unwrap();
            let found = answer.log_evidence().unwrap().value;
            let expected = ln(&evidence);
            let off = (found - expected).abs();
            assert!(
                off <= ROUNDING * expected.abs().max(1.0),
                "{name} {network:?}: {found} {expected}"
            );
            for (variable, (element, sums)) in all.iter().zip(&joint).enumerate() {
                for (value, sum) in sums.iter().enumerate() {
                    let found = answer.probability(element, &(value as u8)).unwrap();
                    let expected = (sum / &evidence).to_f64().unwrap();
                    assert!(
                        (found - expected).abs() <= ROUNDING * expected + SMALLEST,
                        "{name} {network:?}: {variable} is {value}: {found:e} {expected:e}"
                    );
                }
            }
        }
    }
    assert!(possible > 24, "{possible}");
}

#[test]
fn two_hundred_thousand_tiny_weights() {
    // The tolerance allows for a hundred thousand roundings of half a unit in the last place, all in one direction.
    const SUM: f64 = 0.1e6 * f64::EPSILON;
    let many = Select::new((0..200_000u32).map(|i| (1e-300, i)));
    let even = many.map(|i| i % 2 == 0);
    let model = Model::new().observe(&even, true);
    let third = many.map(|i| i % 3 == 0);
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new()
    ] {
        let answer = algorithm.run(&model, &third).unwrap();
        let (found, evidence) = (answer.probability(&third, &true), answer.log_evidence());
        // The expected share is that of the multiples of six among the even numbers.
        let expected = 33_334.0 / 100_000.0;
        assert!(
            (found.unwrap() - expected).abs() < SUM,
            "{}",
            algorithm.name()
        );
        assert!((evidence.unwrap().value - 0.5f64.ln()).abs() < SUM);
    }
}

#[test]
fn soft_weights_of_any_size() {
    // The tolerance allows for a thousand roundings of half a unit in the last place of a hundred million.
    const SUM: f64 = 1e3 * 0.5 * 1e8 * f64::EPSILON;
    let coin = Flip::new(0.5);
    let model = (0..1000).fold(Model::new(), |model, _| {
        model.log_weigh(&coin, |&heads| if heads { -1e5 } else { -1e5 - 0.001 })
    });
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new()
    ] {
        let answer = algorithm.run(&model, &coin).unwrap();
        let (p, odds) = (answer.probability(&coin, &true).unwrap(), 1f64.exp());
        assert!((p - odds / (1.0 + odds)).abs() < SUM, "{p}");
        let expected = -1e8 + (0.5 * (1.0 + (-1f64).exp())).ln();
        assert!((answer.log_evidence().unwrap().value - expected).abs() < SUM);
    }
}

/// In a ring of nearly exact copies, the ends are observed to differ, so one of the copies must have failed, and each is equally likely.
#[test]
fn near_deterministic_rings() {
    for error in [1e-3, 1e-12, 1e-200] {
        const COPIES: usize = 12;
        let first = Flip::new(0.5);
        let mut ring = vec![first.clone()];
        for _ in 0..COPIES {
            let next = ring[ring.len() - 1]
                .flat_map(move |&last| Select::new([(1.0 - error, last), (error, !last)]));
            ring.push(next);
        }
        let same = first.equals(&ring[COPIES]);
        let model = Model::new().observe(&same, false).observe(&first, true);
        let failed = ring[COPIES / 2].clone();
        let tree = JunctionTree::new().compile(&model, &failed).unwrap();
        // The number of failures is odd, and half of the possible failures lie before the middle.
        let odd = |n: usize| -((-2.0 * error).ln_1p() * n as f64).exp_m1() / 2.0;
        let (half, all) = (odd(COPIES / 2), odd(COPIES));
        let p = tree.probability(&failed, &false).unwrap();
        assert!(
            (p - half * (1.0 - half) / all).abs() < 1e-12,
            "{error}: {p}"
        );
        let expected = all.ln() + 0.5f64.ln();
        assert!(
            (tree.log_evidence() - expected).abs() < 1e-12 * expected.abs(),
            "{error}"
        );
    }
}

/// The expected numbers come from a hand-written forward recursion that scales at each step.
#[test]
fn a_hidden_markov_model_of_thirty_thousand_steps() {
    let (stay, right) = (0.95, 0.8);
    let mut state = Flip::new(0.5);
    let mut model = Model::new();
    let (mut forward, mut log) = ([0.5, 0.5], 0.0);
    for step in 0..30_000_u32 {
        let seen = step.wrapping_mul(2_654_435_761) >> 31 == 1;
        if step > 0 {
            state = state.flat_map(move |&on| Flip::new(if on { stay } else { 1.0 - stay }));
            let [off, on] = forward;
            forward = [
                off * stay + on * (1.0 - stay),
                on * stay + off * (1.0 - stay),
            ];
        }
        let shown = state.flat_map(move |&on| Flip::new(if on { right } else { 1.0 - right }));
        model = model.observe(&shown, seen);
        let likelihood = if seen {
            [1.0 - right, right]
        } else {
            [right, 1.0 - right]
        };
        let weighed = [forward[0] * likelihood[0], forward[1] * likelihood[1]];
        let total = weighed[0] + weighed[1];
        log += total.ln();
        forward = weighed.map(|p| p / total);
    }
    for algorithm in algorithms![VariableElimination::new(), JunctionTree::new()] {
        let answer = algorithm.run(&model, &state).unwrap();
        let (found, p) = (
            answer.log_evidence().unwrap().value,
            answer.probability(&state, &true),
        );
        assert!((found - log).abs() < 1e-9 * log.abs(), "{found} {log}");
        assert!((p.unwrap() - forward[1]).abs() < 1e-9);
    }
}
