//! Learning of means, coefficients and variances of normal elements in closed form, against dense algebra.

use figrs::prelude::*;
use figrs::{
    Cases, Error, ExpectationMaximization, Fit, Learned, Precision, Rate, Scale, WithReals,
    weighted_sum,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A standard normal number (Box and Muller).
fn standard(rng: &mut StdRng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A coefficient with a prior that maximum likelihood does not use.
fn coefficient(name: &str) -> Element<f64> {
    Learned::normal(name, 0.1, StandardDeviation(1.0))
}

fn variance(name: &str) -> Element<f64> {
    Learned::inverse_gamma(name, 3.0, Scale(2.0))
}

/// The numbers that a fit learned.
fn values(fit: &Fit, parameters: &[&Element<f64>]) -> Vec<f64> {
    let value = |parameter: &&Element<f64>| fit.value(*parameter).unwrap();
    parameters.iter().map(value).collect()
}

/// Checks that no round lowers the log-likelihood, beyond rounding.
fn check_rises(fit: &Fit) {
    for pair in fit.log_likelihoods().windows(2) {
        assert!(pair[1] >= pair[0] - 1e-10 * pair[0].abs(), "{pair:?}");
    }
    assert!(fit.rounds() > 1);
}

/// The logarithm of the density of some numbers of a normal vector; `None` for the other ones.
fn log_density(mean: &[f64], covariance: &[Vec<f64>], row: &[Option<f64>]) -> f64 {
    let known: Vec<usize> = (0..row.len()).filter(|&i| row[i].is_some()).collect();
    let mut lower = vec![vec![0.0; known.len()]; known.len()];
    let mut log = 0.0;
    let mut solved: Vec<f64> = Vec::new();
    for (a, &i) in known.iter().enumerate() {
        for (b, &j) in known[..=a].iter().enumerate() {
            let sum: f64 = (0..b).map(|k| lower[a][k] * lower[b][k]).sum();
            let rest = covariance[i][j] - sum;
            lower[a][b] = if a == b {
                rest.sqrt()
            } else {
                rest / lower[b][b]
            };
        }
        let sum: f64 = (0..a).map(|k| lower[a][k] * solved[k]).sum();
        solved.push((row[i].unwrap() - mean[i] - sum) / lower[a][a]);
        log -= 0.5 * (std::f64::consts::TAU.ln() + solved[a] * solved[a]) + lower[a][a].ln();
    }
    log
}

/// Checks that a function has a maximum at a point: no derivative, and lower values nearby in the direction of each axis.
fn check_maximum(point: &[f64], function: impl Fn(&[f64]) -> f64) {
    let best = function(point);
    for i in 0..point.len() {
        let at = |step: f64| {
            let mut near = point.to_vec();
            near[i] += step;
            function(&near)
        };
        let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!(
            slope.abs() < 1e-3,
            "the slope of {i} at {point:?} is {slope}"
        );
        for step in [1e-2, -1e-2] {
            assert!(
                at(step) < best,
                "{i} at {point:?}: {} above {best}",
                at(step)
            );
        }
    }
}

#[test]
fn complete_regressions_are_ordinary_least_squares() {
    let mut rng = StdRng::seed_from_u64(1);
    let rows: Vec<(f64, f64, f64)> = (0..40)
        .map(|_| {
            let (x, z) = (1000.0 + standard(&mut rng), 2.0 * standard(&mut rng));
            (x, z, 3.0 - 0.5 * x + 2.0 * z + 0.7 * standard(&mut rng))
        })
        .collect();
    let (a, b, c) = (coefficient("a"), coefficient("b"), coefficient("c"));
    let noise = variance("noise");
    let (x, z) = (
        Normal::new(1000.0, Variance(1.0)),
        Normal::new(0.0, Variance(4.0)),
    );
    let mean = &(&a + &(&x * &b)) + &(&c * &(&z * 2.0));
    let y = Normal::new(&mean, Variance(&noise));
    let cases = Cases::new((&x, &z, &y)).rows(rows.clone());
    let fit = ExpectationMaximization::new(JunctionTree::new())
        .tolerance(0.0)
        .fit(&Model::new(), &cases)
        .unwrap();
    // Least squares of the centred numbers, by Cramer's rule.
    let n = rows.len() as f64;
    let mean_of = |of: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(of).sum::<f64>() / n;
    let means = [mean_of(&|r| r.0), mean_of(&|r| r.1), mean_of(&|r| r.2)];
    let product = |i: usize, j: usize| {
        let off = |r: &(f64, f64, f64), k: usize| [r.0, r.1, r.2][k] - means[k];
        rows.iter().map(|r| off(r, i) * off(r, j)).sum::<f64>()
    };
    let determinant = product(0, 0) * product(1, 1) - product(0, 1).powi(2);
    let slope_x = (product(0, 2) * product(1, 1) - product(1, 2) * product(0, 1)) / determinant;
    let slope_z = (product(1, 2) * product(0, 0) - product(0, 2) * product(0, 1)) / determinant;
    let intercept = means[2] - slope_x * means[0] - slope_z * means[1];
    let squares = rows
        .iter()
        .map(|r| (r.2 - intercept - slope_x * r.0 - slope_z * r.1).powi(2));
    let exact = [intercept, slope_x, slope_z / 2.0, squares.sum::<f64>() / n];
    let found = values(&fit, &[&a, &b, &c, &noise]);
    for (found, exact) in found.iter().zip(exact) {
        assert!(
            (found - exact).abs() < 1e-7 * (1.0 + exact.abs()),
            "{found}, exactly {exact}"
        );
    }
    // The standard error of a mean square is that of the observed information.
    let errors = fit.standard_errors().unwrap();
    let error = errors.of(&noise).unwrap()[0].unwrap();
    assert!(
        (error / (exact[3] * (2.0 / n).sqrt()) - 1.0).abs() < 1e-3,
        "{error}"
    );
    assert!(fit.rounds() <= 3, "{}", fit.rounds());
}

#[test]
fn missing_cells_are_integrated_out() {
    let mut rng = StdRng::seed_from_u64(2);
    let cell = |value: f64, rng: &mut StdRng| Some(value).filter(|_| rng.random_bool(0.7));
    let rows: Vec<(Option<f64>, Option<f64>, Option<f64>)> = (0..40)
        .map(|_| {
            let x = 1.0 + standard(&mut rng);
            let y = 2.0 - x + 0.5 * standard(&mut rng);
            let z = 0.5 * x + y + standard(&mut rng);
            (cell(x, &mut rng), cell(y, &mut rng), cell(z, &mut rng))
        })
        .collect();
    let names = ["m", "v", "a", "b", "w", "c", "d", "e", "u"];
    let made = |name: &&str| match *name {
        "v" | "w" => variance(name),
        "u" => Learned::gamma(*name, 2.0, Rate(1.0)),
        _ => coefficient(name),
    };
    let parameters: Vec<Element<f64>> = names.iter().map(made).collect();
    let [m, v, a, b, w, c, d, e, u] = &parameters[..] else {
        panic!()
    };
    let x = Normal::new(m, Variance(v));
    let y = Normal::new(&(a + &(b * &x)), Variance(w));
    let sum = weighted_sum([(1.0, c), (1.0, &(d * &x)), (-1.0, &(e * &y))]);
    let z = Normal::new(&sum, Precision(u));
    let cases = Cases::new((&x, &y, &z)).rows(rows.clone());
    let likelihood = |p: &[f64]| {
        let [m, v, a, b, w, c, d, e, u] = p[..] else {
            panic!()
        };
        let mean_y = a + b * m;
        let mean = [m, mean_y, c + d * m - e * mean_y];
        // Each number as a linear function of the three errors.
        let (x, y) = ([1.0, 0.0, 0.0], [b, 1.0, 0.0]);
        let z = [d * x[0] - e * y[0], -e, 1.0];
        let spreads = [v, w, 1.0 / u];
        let entry = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| p[k] * q[k] * spreads[k]).sum();
        let all = [x, y, z];
        let covariance: Vec<Vec<f64>> = all
            .iter()
            .map(|p| all.iter().map(|q| entry(*p, *q)).collect())
            .collect();
        let rows = rows
            .iter()
            .map(|r| log_density(&mean, &covariance, &[r.0, r.1, r.2]));
        rows.sum::<f64>()
    };
    let algorithm = WithReals::new(VariableElimination::new());
    let learner = ExpectationMaximization::new(algorithm).tolerance(1e-13);
    check_rises(
        &learner
            .clone()
            .exact_rounds(20)
            .fit(&Model::new(), &cases)
            .unwrap(),
    );
    let learner = learner.accelerated();
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    let found = values(&fit, &parameters.iter().collect::<Vec<_>>());
    let direct = likelihood(&found);
    let last = *fit.log_likelihoods().last().unwrap();
    assert!(
        (last - direct).abs() < 1e-9 * direct.abs(),
        "{last}, exactly {direct}"
    );
    check_maximum(&found, likelihood);
    // The number of threads changes nothing.
    let one = learner
        .threads(1.try_into().unwrap())
        .fit(&Model::new(), &cases)
        .unwrap();
    assert_eq!(values(&one, &parameters.iter().collect::<Vec<_>>()), found);
}

#[test]
fn each_finite_row_has_its_own_parameters() {
    let mut rng = StdRng::seed_from_u64(3);
    let rows: Vec<(Option<bool>, f64, f64)> = (0..50)
        .map(|i| {
            let is_second = rng.random_bool(0.4);
            let x = standard(&mut rng);
            let (mean, noise) = if is_second {
                (2.0 + x, 0.4)
            } else {
                (-1.0 - x, 0.8)
            };
            let label = Some(is_second).filter(|_| i % 5 == 0);
            (label, x, mean + noise * standard(&mut rng))
        })
        .collect();
    let share = Learned::beta("share", 2.0, 2.0);
    let is_second = Flip::new(&share);
    let x = Normal::new(0.0, Variance(1.0));
    let names = ["a0", "b0", "a1", "b1"];
    let lines: Vec<Element<f64>> = names.iter().map(|name| coefficient(name)).collect();
    let spreads = [variance("v0"), variance("v1")];
    let (own, slopes, noises) = (x.clone(), lines.clone(), spreads.clone());
    let y = is_second.flat_map(move |&is_second| {
        let at = usize::from(is_second);
        let mean = &slopes[2 * at] + &(&slopes[2 * at + 1] * &own);
        Normal::new(&mean, Variance(&noises[at]))
    });
    let cases = Cases::new((&is_second, &x, &y)).rows(rows.clone());
    let start = [(0, -0.5), (1, 0.0), (2, 1.5), (3, 0.5)];
    let learner = start.iter().fold(
        ExpectationMaximization::new(JunctionTree::new()).exact_rounds(20),
        |learner, &(at, value)| learner.start(&lines[at], value),
    );
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    check_rises(&fit);
    // The same rounds by hand: a regression for each class, weighted by the probabilities of the classes.
    let mut p = 0.5;
    let mut line = [[-0.5, 0.0], [1.5, 0.5]];
    let mut noise = [1.0, 1.0];
    for _ in 0..20 {
        let shares: Vec<f64> = rows
            .iter()
            .map(|(label, x, y)| {
                if let Some(label) = label {
                    return f64::from(u8::from(*label));
                }
                let density = |k: usize| {
                    let off = y - line[k][0] - line[k][1] * x;
                    (-0.5 * off * off / noise[k]).exp() / noise[k].sqrt()
                };
                let (first, second) = ((1.0 - p) * density(0), p * density(1));
                second / (first + second)
            })
            .collect();
        p = shares.iter().sum::<f64>() / rows.len() as f64;
        for k in 0..2 {
            let weights = shares.iter().map(|s| if k == 1 { *s } else { 1.0 - s });
            let weighted: Vec<(f64, f64, f64)> =
                weights.zip(&rows).map(|(w, r)| (w, r.1, r.2)).collect();
            let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
                weighted.iter().map(|(w, x, y)| w * of(*x, *y)).sum()
            };
            let (n, sx, sy) = (sum(&|_, _| 1.0), sum(&|x, _| x), sum(&|_, y| y));
            let slope = (n * sum(&|x, y| x * y) - sx * sy) / (n * sum(&|x, _| x * x) - sx * sx);
            line[k] = [(sy - slope * sx) / n, slope];
            noise[k] = sum(&|x, y| (y - line[k][0] - line[k][1] * x).powi(2)) / n;
        }
    }
    let mut exact = vec![line[0][0], line[0][1], line[1][0], line[1][1]];
    exact.extend([noise[0], noise[1], p]);
    let parameters = [
        &lines[0],
        &lines[1],
        &lines[2],
        &lines[3],
        &spreads[0],
        &spreads[1],
        &share,
    ];
    for (found, exact) in values(&fit, &parameters).iter().zip(exact) {
        assert!((found - exact).abs() < 1e-9, "{found}, exactly {exact}");
    }
}

#[test]
fn hidden_chains_share_their_parameters() {
    // A level that returns to zero, read with an error, is hidden.
    const STEPS: usize = 5;
    let mut rng = StdRng::seed_from_u64(4);
    let rows: Vec<Vec<Option<f64>>> = (0..30)
        .map(|_| {
            let mut level = standard(&mut rng);
            let readings = (0..STEPS).map(|_| {
                level = 0.9 * level + standard(&mut rng);
                Some(level + standard(&mut rng)).filter(|_| rng.random_bool(0.9))
            });
            readings.collect()
        })
        .collect();
    let (back, step, error) = (coefficient("back"), variance("step"), variance("error"));
    let mut level = Normal::new(0.0, Variance(1.0));
    let mut readings = Vec::new();
    for _ in 0..STEPS {
        level = Normal::new(&(&back * &level), Variance(&step));
        readings.push(Normal::new(&level, Variance(&error)));
    }
    let cases = Cases::new(&readings).rows(rows.clone());
    let learner = ExpectationMaximization::new(JunctionTree::new()).tolerance(1e-13);
    let fit = learner.accelerated().fit(&Model::new(), &cases).unwrap();
    let likelihood = |p: &[f64]| {
        let mut variances = Vec::new();
        let mut last = 1.0;
        for _ in 0..STEPS {
            last = p[0] * p[0] * last + p[1];
            variances.push(last);
        }
        let entry = |i: usize, j: usize| {
            let (early, late) = (i.min(j), i.max(j));
            let own = if i == j { p[2] } else { 0.0 };
            variances[early] * p[0].powi((late - early) as i32) + own
        };
        let covariance: Vec<Vec<f64>> = (0..STEPS)
            .map(|i| (0..STEPS).map(|j| entry(i, j)).collect())
            .collect();
        let rows = rows
            .iter()
            .map(|row| log_density(&[0.0; STEPS], &covariance, row));
        rows.sum::<f64>()
    };
    let found = values(&fit, &[&back, &step, &error]);
    let (last, direct) = (*fit.log_likelihoods().last().unwrap(), likelihood(&found));
    assert!(
        (last - direct).abs() < 1e-9 * direct.abs(),
        "{last}, exactly {direct}"
    );
    check_maximum(&found, likelihood);
}

#[test]
fn priors_are_used_by_map_estimates() {
    let level = Learned::normal("level", 1.0, StandardDeviation(2.0));
    let hidden = Normal::new(&level, Variance(1.0));
    let reading = Normal::new(&hidden, Variance(3.0));
    let cases = Cases::new(&reading).rows([2.0, 5.0, 4.0]);
    let learner = ExpectationMaximization::new(JunctionTree::new())
        .tolerance(0.0)
        .map_estimate();
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    // Readings have the variance 4 about the level.
    let exact = (1.0 / 4.0 + 11.0 / 4.0) / (1.0 / 4.0 + 3.0 / 4.0);
    assert!((fit.value(&level).unwrap() - exact).abs() < 1e-7);
}

#[test]
fn evidence_of_the_model_holds_in_each_row() {
    let (mean, rate) = (coefficient("mean"), Learned::beta("rate", 1.0, 1.0));
    let value = Normal::new(&mean, Variance(1.0));
    let noisy = Normal::new(&value, Variance(1.0));
    let throw = Flip::new(&rate);
    let learner = ExpectationMaximization::new(JunctionTree::new());
    let model = Model::new().observe(&value, 1.5);
    let cases = Cases::new(&throw).rows([true, true, false]);
    let fit = learner.fit(&model, &cases).unwrap();
    assert!((fit.value(&mean).unwrap() - 1.5).abs() < 1e-12);
    assert!((fit.value(&rate).unwrap() - 2.0 / 3.0).abs() < 1e-12);
    let log = 3.0 * -0.5 * std::f64::consts::TAU.ln() + (4.0_f64 / 27.0).ln();
    assert!((fit.log_likelihoods().last().unwrap() - log).abs() < 1e-12);
    let cases = Cases::new((&value, &noisy)).rows([(0.0, 1.0), (1.0, 2.0)]);
    let fit = learner.fit(&Model::new(), &cases).unwrap();
    assert!((fit.value(&mean).unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn further_cases_are_added_to_the_statistics() {
    let (mean, noise) = (coefficient("mean"), variance("noise"));
    let value = Normal::new(&mean, Variance(&noise));
    let reading = Normal::new(&value, Variance(1.0));
    let rows = [(1.0, 2.0), (3.0, 2.0), (4.0, 5.0), (2.0, 2.5)];
    let learner = ExpectationMaximization::new(JunctionTree::new());
    let all = learner.fit(&Model::new(), &Cases::new((&value, &reading)).rows(rows));
    let mut fit = learner
        .fit(
            &Model::new(),
            &Cases::new((&value, &reading)).rows(rows[..2].to_vec()),
        )
        .unwrap();
    fit.update(&Cases::new((&value, &reading)).rows(rows[2..].to_vec()))
        .unwrap();
    let exact = values(&all.unwrap(), &[&mean, &noise]);
    for (found, exact) in values(&fit, &[&mean, &noise]).iter().zip(exact) {
        assert!((found - exact).abs() < 1e-12, "{found}, exactly {exact}");
    }
}

#[test]
fn questions_without_an_answer_are_refused() {
    let learner = ExpectationMaximization::new(JunctionTree::new());
    let (a, b, c) = (coefficient("a"), coefficient("b"), coefficient("c"));
    let noise = variance("noise");
    let x = Normal::new(0.0, Variance(1.0));
    // Both terms are multiples of one number.
    let doubled = Normal::new(&(&(&a * &x) + &(&b * &(&x * 2.0))), Variance(&noise));
    let cases = Cases::new((&x, &doubled)).rows([(1.0, 2.0), (2.0, 3.0), (3.0, 5.0)]);
    let error = learner.fit(&Model::new(), &cases).unwrap_err();
    let Error::NoMaximum {
        parameter,
        undetermined_cases,
    } = &error
    else {
        panic!("{error}")
    };
    let found = (parameter.name.as_deref(), *undetermined_cases);
    assert_eq!(found, (Some("a"), Some(3.0)));
    assert!(error.to_string().contains("map_estimate"), "{error}");
    // Three coefficients and two cases.
    let square = Normal::new(0.0, Variance(1.0));
    let curve = &(&a + &(&b * &x)) + &(&c * &square);
    let y = Normal::new(&curve, Variance(&noise));
    let two = Cases::new((&x, &square, &y)).rows([(1.0, 1.0, 2.0), (2.0, 4.0, 3.0)]);
    let error = learner.fit(&Model::new(), &two).unwrap_err();
    assert!(
        matches!(error, Error::NoMaximum { undetermined_cases: Some(rows), .. } if rows == 2.0),
        "{error}"
    );
    // A line through two points has no residuals, so that the variance goes to zero.
    let line = Normal::new(&(&a + &(&b * &x)), Variance(&noise));
    let two = Cases::new((&x, &line)).rows([(1.0, 2.0), (2.0, 3.5)]);
    let error = learner.fit(&Model::new(), &two).unwrap_err();
    assert!(
        matches!(&error, Error::NoMaximum { parameter, undetermined_cases: None } if parameter.name.as_deref() == Some("noise")),
        "{error}"
    );
    // Products of parameters, other functions, standard deviations, and choices among parameters.
    let hidden = Normal::new(0.0, Variance(1.0));
    let seen = |mean: &Element<f64>| Normal::new(&(mean + &hidden), Variance(1.0));
    let deviation = Learned::gamma("deviation", 1.0, Rate(1.0));
    let (first, second) = (a.clone(), b.clone());
    let chosen =
        Flip::new(0.5).flat_map(move |&it| if it { first.clone() } else { second.clone() });
    for unread in [
        seen(&(&a * &b)),
        seen(&a.map(|a| a.exp())),
        Normal::new(&hidden, StandardDeviation(&deviation)),
        seen(&chosen),
    ] {
        let error = learner
            .fit(&Model::new(), &Cases::new(&unread).rows([1.0, 2.0]))
            .unwrap_err();
        assert!(matches!(error, Error::NotLearnable { .. }), "{error}");
    }
    let (own, slope) = (x.clone(), a.clone());
    let fresh = Flip::new(0.5).flat_map(move |_| {
        let inner = Normal::new(&own, Variance(1.0));
        Normal::new(&(&slope * &inner), Variance(1.0))
    });
    let error = learner
        .fit(&Model::new(), &Cases::new(&fresh).rows([1.0, 2.0]))
        .unwrap_err();
    assert!(
        matches!(&error, Error::NotClosedForm { problem, .. } if problem.contains("create them outside")),
        "{error}"
    );
}
