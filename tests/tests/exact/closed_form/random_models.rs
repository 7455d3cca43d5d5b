//! Random models of normal and finite elements, against a dense normal distribution for each joint value of the finite elements.

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Error, weighted_sum};
use nalgebra::{DMatrix, DVector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// A normal number: the constant, the coefficients of earlier elements, and the variance of the mean.
#[derive(Clone, Debug)]
struct Law {
    constant: f64,
    terms: Vec<(f64, usize)>,
    variance: f64,
}

/// A real element of a random model.
#[derive(Clone, Debug)]
enum Real {
    Normal(Law),
    /// A linear function of earlier elements.
    Sum(Law),
    /// A normal element that is made in a branch, for each value of a finite element.
    Branches(usize, Vec<Law>),
    /// One of the earlier elements, for each value of a finite element.
    Choice(usize, Vec<usize>),
    /// A normal element whose variance is a finite element: one for each value.
    Spread(usize, Law, Vec<f64>),
}

/// The distribution of a finite element, for each value of an earlier finite element if there is one.
#[derive(Clone, Debug)]
struct Finite {
    parent: Option<usize>,
    rows: Vec<Vec<f64>>,
}

#[derive(Debug)]
struct Program {
    finite: Vec<Finite>,
    reals: Vec<Real>,
    seen: Vec<(usize, f64)>,
    seen_finite: Option<(usize, usize)>,
    set: Option<(usize, f64)>,
}

/// The values of the finite elements, the logarithm of their weight with the evidence, and the mean and the covariance of the real elements.
type Component = (Vec<usize>, f64, DVector<f64>, DMatrix<f64>);

fn law(rng: &mut SmallRng, before: usize) -> Law {
    let mut terms = Vec::new();
    for i in 0..before {
        if rng.random_bool(0.4) {
            terms.push((rng.random_range(-2.0..2.0), i));
        }
    }
    if rng.random_bool(0.1) && !terms.is_empty() {
        terms.push(terms[0]);
    }
    Law {
        constant: rng.random_range(-2.0..2.0),
        terms,
        variance: rng.random_range(0.2..3.0),
    }
}

impl Program {
    fn random(rng: &mut SmallRng) -> Self {
        let mut finite: Vec<Finite> = Vec::new();
        for i in 0..rng.random_range(0..=3_usize) {
            let parent = (i > 0 && rng.random_bool(0.5)).then(|| rng.random_range(0..i));
            let size = rng.random_range(2..=3);
            let count = parent.map_or(1, |parent| finite[parent].rows[0].len());
            let row = |rng: &mut SmallRng| (0..size).map(|_| rng.random_range(0.1..1.0)).collect();
            let rows: Vec<Vec<f64>> = (0..count).map(|_| row(rng)).collect();
            finite.push(Finite { parent, rows });
        }
        let mut reals: Vec<Real> = Vec::new();
        for i in 0..rng.random_range(1..=6_usize) {
            let switch = rng.random_range(0..finite.len().max(1));
            let values = finite.get(switch).map_or(0, |f| f.rows[0].len());
            reals.push(match rng.random_range(0..6) {
                0 if i > 0 => Real::Sum(law(rng, i)),
                1 | 2 if values > 0 => {
                    Real::Branches(switch, (0..values).map(|_| law(rng, i)).collect())
                }
                3 if values > 0 && i > 0 => Real::Choice(
                    switch,
                    (0..values).map(|_| rng.random_range(0..i)).collect(),
                ),
                4 if values > 0 => {
                    let spreads = (0..values).map(|_| rng.random_range(0.2..3.0)).collect();
                    Real::Spread(switch, law(rng, i), spreads)
                }
                _ => Real::Normal(law(rng, i)),
            });
        }
        let mut seen = Vec::new();
        for i in 0..reals.len() {
            if rng.random_bool(0.3) {
                seen.push((i, rng.random_range(-3.0..3.0)));
            }
        }
        let some_finite = !finite.is_empty() && rng.random_bool(0.3);
        let seen_finite = some_finite.then(|| (rng.random_range(0..finite.len()), 0));
        let set = rng
            .random_bool(0.1)
            .then(|| (0, rng.random_range(-1.0..1.0)));
        let set = set.filter(|(i, _)| seen.iter().all(|(j, _)| j != i));
        Self {
            finite,
            reals,
            seen,
            seen_finite,
            set,
        }
    }

    fn elements(&self) -> (Vec<Element<usize>>, Vec<Element<f64>>) {
        let select = |row: &[f64]| Select::new(row.iter().enumerate().map(|(i, &p)| (p, i)));
        let mut finite: Vec<Element<usize>> = Vec::new();
        for Finite { parent, rows } in &self.finite {
            let element = match parent {
                None => select(&rows[0]),
                Some(parent) => {
                    let rows = rows.clone();
                    finite[*parent].flat_map(move |&i| select(&rows[i]))
                }
            };
            finite.push(element);
        }
        let mut reals: Vec<Element<f64>> = Vec::new();
        for real in &self.reals {
            let before = reals.clone();
            let mean = |law: &Law, before: &[Element<f64>]| {
                weighted_sum(law.terms.iter().map(|&(w, i)| (w, &before[i]))) + law.constant
            };
            let normal = move |law: &Law, before: &[Element<f64>]| match law.terms.is_empty() {
                true => Normal::new(law.constant, Variance(law.variance)),
                false => Normal::new(mean(law, before), Variance(law.variance)),
            };
            let element = match real.clone() {
                Real::Normal(law) => normal(&law, &before),
                Real::Sum(law) => {
                    // By operators, in place of a weighted sum.
                    let parts = law.terms.iter().map(|&(w, i)| &before[i] * w);
                    let sum = parts.reduce(|sum, part| sum + part);
                    match sum {
                        Some(sum) => law.constant + sum - 0.0,
                        None => &before[0] * 1.0,
                    }
                }
                Real::Branches(switch, laws) => {
                    finite[switch].flat_map(move |&i| normal(&laws[i], &before))
                }
                Real::Choice(switch, chosen) => {
                    finite[switch].flat_map(move |&i| before[chosen[i]].clone())
                }
                Real::Spread(switch, law, spreads) => {
                    let spread = finite[switch].map(move |&i| spreads[i]);
                    let sum = mean(&law, &before);
                    match law.terms.is_empty() {
                        true => Normal::new(law.constant, Variance(&spread)),
                        false => Normal::new(&sum, Variance(&spread)),
                    }
                }
            };
            reals.push(element);
        }
        (finite, reals)
    }

    /// The log-weight, the mean and the covariance of all real elements, for each joint value of the finite elements; `None` if the observed elements
    /// depend on each other.
    fn by_hand(&self) -> Option<Vec<Component>> {
        let sizes: Vec<usize> = self.finite.iter().map(|f| f.rows[0].len()).collect();
        let count: usize = sizes.iter().product();
        let mut all = Vec::new();
        for index in 0..count {
            let mut values = vec![0; sizes.len()];
            let mut rest = index;
            for (value, size) in values.iter_mut().zip(&sizes).rev() {
                *value = rest % size;
                rest /= size;
            }
            let mut log: f64 = 0.0;
            for (i, Finite { parent, rows }) in self.finite.iter().enumerate() {
                let row = &rows[parent.map_or(0, |parent| values[parent])];
                log += (row[values[i]] / row.iter().sum::<f64>()).ln();
            }
            if self
                .seen_finite
                .is_some_and(|(i, value)| values[i] != value)
            {
                continue;
            }
            let n = self.reals.len();
            // Each element is a linear function of independent noises, one for each element.
            let (mut means, mut noises) = (DVector::zeros(n), DMatrix::zeros(n, n));
            for (i, real) in self.reals.iter().enumerate() {
                if let Some((set, value)) = self.set
                    && set == i
                {
                    means[i] = value;
                    continue;
                }
                let (law, noise) = match real {
                    Real::Normal(law) => (law.clone(), law.variance),
                    Real::Sum(law) if law.terms.is_empty() => (
                        Law {
                            constant: 0.0,
                            terms: vec![(1.0, 0)],
                            variance: 0.0,
                        },
                        0.0,
                    ),
                    Real::Sum(law) => (law.clone(), 0.0),
                    Real::Branches(switch, laws) => {
                        let law = &laws[values[*switch]];
                        (law.clone(), law.variance)
                    }
                    Real::Choice(switch, chosen) => {
                        let terms = vec![(1.0, chosen[values[*switch]])];
                        (
                            Law {
                                constant: 0.0,
                                terms,
                                variance: 0.0,
                            },
                            0.0,
                        )
                    }
                    Real::Spread(switch, law, spreads) => (law.clone(), spreads[values[*switch]]),
                };
                means[i] = law.constant;
                for (w, j) in law.terms {
                    means[i] += w * means[j];
                    let row = noises.row(j) * w;
                    let mut own = noises.row_mut(i);
                    own += row;
                }
                noises[(i, i)] = noise.sqrt();
            }
            let covariance = &noises * noises.transpose();
            let seen: Vec<usize> = self.seen.iter().map(|(i, _)| *i).collect();
            let (mut mean, mut rest) = (means.clone(), covariance.clone());
            if !seen.is_empty() {
                let within = covariance.select_rows(&seen).select_columns(&seen);
                if within.clone().symmetric_eigenvalues().min() < 1e-4 {
                    return None;
                }
                let factor = within.cholesky()?;
                let values = DVector::from_iterator(seen.len(), self.seen.iter().map(|(_, x)| *x));
                let apart = values - means.select_rows(&seen);
                let logs: f64 = factor.l().diagonal().iter().map(|x| x.ln()).sum();
                let ln_tau = std::f64::consts::TAU.ln();
                log -= logs + 0.5 * (apart.dot(&factor.solve(&apart)) + seen.len() as f64 * ln_tau);
                let across = covariance.select_columns(&seen);
                mean += &across * factor.solve(&apart);
                rest -= &across * factor.solve(&across.transpose());
            }
            all.push((values, log, mean, rest));
        }
        Some(all)
    }
}

fn check(name: &str, found: f64, exact: f64) {
    let apart = (found - exact).abs();
    assert!(
        apart <= 1e-8 * exact.abs().max(1.0),
        "{name}: {found}, exactly {exact}"
    );
}

#[test]
fn random_models_agree_with_dense_normal_distributions() {
    let mut rng = SmallRng::seed_from_u64(7);
    let (mut answered, mut refused) = (0, 0);
    for case in 0..600 {
        let program = Program::random(&mut rng);
        let Some(all) = program.by_hand() else {
            continue;
        };
        let (finite, reals) = program.elements();
        let mut model = Model::new();
        for (i, value) in &program.seen {
            model = model.observe(&reals[*i], *value);
        }
        if let Some((i, value)) = program.seen_finite {
            model = model.observe(&finite[i], value);
        }
        if let Some((i, value)) = program.set {
            model = model.intervene(&reals[i], value);
        }
        let mut targets: Vec<AnyElement> = reals.iter().map(|e| e.erased().clone()).collect();
        targets.extend(finite.iter().map(|e| e.erased().clone()));
        let algorithms: [&dyn Algorithm; 2] = [&Exact::new(), &VariableElimination::new()];
        let algorithm = algorithms[case % 2];
        let answer = match algorithm.answer(&model, &targets) {
            Ok(answer) => answer,
            Err(Error::NotClosedForm { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("case {case}: {error}\n{program:?}"),
        };
        answered += 1;
        let name = format!("case {case}: {program:?}");
        let largest = all.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = all.iter().map(|w| (w.1 - largest).exp()).sum();
        check(
            &name,
            answer.log_evidence().unwrap().value,
            largest + total.ln(),
        );
        let share = |log: f64| (log - largest).exp() / total;
        for (i, element) in finite.iter().enumerate() {
            for value in 0..program.finite[i].rows[0].len() {
                let own = all.iter().filter(|w| w.0[i] == value);
                let exact: f64 = own.map(|w| share(w.1)).sum();
                check(&name, answer.probability(element, &value).unwrap(), exact);
            }
        }
        for (i, element) in reals.iter().enumerate() {
            let mean: f64 = all.iter().map(|w| share(w.1) * w.2[i]).sum();
            let square = |w: &Component| share(w.1) * (w.3[(i, i)] + (w.2[i] - mean).powi(2));
            let variance: f64 = all.iter().map(square).sum();
            // An observed element, or one that is set, is a number for some algorithms and a mixture for others.
            check(&name, answer.mean(element).unwrap(), mean);
            check(&name, answer.variance(element).unwrap(), variance);
        }
    }
    assert!(
        answered > 300 && refused * 5 < answered,
        "{answered} answered, {refused} refused"
    );
}
