//! Random models of normal and finite elements, against a dense normal distribution for each joint value of the finite elements.

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Covariance, Error, MultivariateNormal, weighted_sum};
use nalgebra::{DMatrix, DVector};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use statrs::distribution::ContinuousCDF;

/// A normal number: the constant, the coefficients of earlier elements, and the variance of the mean.
#[derive(Clone, Debug)]
struct Law {
    constant: f64,
    terms: Vec<(f64, usize)>,
    /// A number for each value of a finite element, as a term of the mean.
    known: Option<(usize, Vec<f64>)>,
    variance: f64,
}

/// Two numbers that are normal together: a normal list, moved by a matrix and an offset, is the mean of another one.
#[derive(Clone, Debug)]
struct Pair {
    mean: [f64; 2],
    matrix: [[f64; 2]; 2],
    offset: [f64; 2],
    /// The lower triangular factors of the two covariance matrices.
    factors: [[f64; 3]; 2],
}

/// One of the results of a Chain.
#[derive(Clone, Debug)]
enum Branch {
    Constant(f64),
    Earlier(usize),
    Normal(Law),
    /// A finite element that is made in the branch, by its number in the program, with a number for each of its values.
    Select(usize, Vec<f64>),
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
    /// The entries of a list; the second one follows the first one.
    First(Pair),
    Second,
    /// Results of several kinds, for each value of a finite element.
    Mixed(usize, Vec<Branch>),
}

/// The distribution of a finite element, for each value of an earlier finite element if there is one.
#[derive(Clone, Debug)]
struct Finite {
    parent: Option<usize>,
    rows: Vec<Vec<f64>>,
    /// True if the element is made in a branch.
    is_hidden: bool,
}

#[derive(Debug)]
struct Program {
    finite: Vec<Finite>,
    reals: Vec<Real>,
    seen: Vec<(usize, f64)>,
    seen_finite: Option<(usize, usize)>,
    set: Option<(usize, f64)>,
    set_finite: Option<(usize, usize)>,
}

/// The values of the finite elements, the logarithm of their weight with the evidence, and the mean and the covariance of the real elements.
type Component = (Vec<usize>, f64, DVector<f64>, DMatrix<f64>);

fn law(rng: &mut SmallRng, before: usize, finite: &[Finite]) -> Law {
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
        known: (!finite.is_empty() && rng.random_bool(0.2)).then(|| {
            let i = rng.random_range(0..finite.len());
            let size = finite[i].rows[0].len();
            (i, (0..size).map(|_| rng.random_range(-2.0..2.0)).collect())
        }),
        variance: rng.random_range(0.2..3.0),
    }
}

fn random_pair(rng: &mut SmallRng) -> Pair {
    let mut two = || [rng.random_range(-2.0..2.0), rng.random_range(-2.0..2.0)];
    let (mean, matrix, offset) = (two(), [two(), two()], two());
    let mut factor = || {
        let (a, b) = (rng.random_range(0.5..1.5), rng.random_range(0.5..1.5));
        [a, rng.random_range(-1.0..1.0), b]
    };
    Pair {
        mean,
        matrix,
        offset,
        factors: [factor(), factor()],
    }
}

/// The mean of a law, as an element.
fn mean_of(law: &Law, before: &[Element<f64>], finite: &[Element<usize>]) -> Element<f64> {
    let known = law.known.clone();
    let known = known.map(|(i, numbers)| finite[i].map(move |&value| numbers[value]));
    let terms = law.terms.iter().map(|&(w, i)| (w, &before[i]));
    let all = terms.chain(known.iter().map(|known| (1.0, known)));
    weighted_sum(all) + &Constant::new(law.constant)
}

fn normal(law: &Law, before: &[Element<f64>], finite: &[Element<usize>]) -> Element<f64> {
    match law.terms.is_empty() && law.known.is_none() {
        true => Normal::new(law.constant, Variance(law.variance)),
        false => Normal::new(mean_of(law, before, finite), Variance(law.variance)),
    }
}

impl Law {
    /// The number that the law adds to its terms.
    fn offset(&self, values: &[usize]) -> f64 {
        let known = self.known.as_ref();
        self.constant + known.map_or(0.0, |(i, numbers)| numbers[values[*i]])
    }

    /// An earlier element.
    fn earlier(i: usize) -> Self {
        Self {
            terms: vec![(1.0, i)],
            ..Self::constant(0.0)
        }
    }

    fn constant(constant: f64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
            known: None,
            variance: 0.0,
        }
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
            finite.push(Finite {
                parent,
                rows,
                is_hidden: false,
            });
        }
        let mut reals: Vec<Real> = Vec::new();
        let count = rng.random_range(1..=6_usize);
        let own = finite.len();
        while reals.len() < count {
            let i = reals.len();
            let seen = finite.clone();
            let law = |rng: &mut SmallRng, before| law(rng, before, &seen[..own]);
            let switch = rng.random_range(0..own.max(1));
            let values = seen[..own].get(switch).map_or(0, |f| f.rows[0].len());
            reals.push(match rng.random_range(0..8) {
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
                5 if i + 1 < count => Real::First(random_pair(rng)),
                6 if values > 0 => {
                    let mut branch = |_| match rng.random_range(0..4) {
                        0 => Branch::Constant(rng.random_range(-2.0..2.0)),
                        1 if i > 0 => Branch::Earlier(rng.random_range(0..i)),
                        2 if finite.len() < 4 => {
                            let rows = vec![vec![rng.random_range(0.1..1.0), 0.5]];
                            finite.push(Finite {
                                parent: None,
                                rows,
                                is_hidden: true,
                            });
                            let numbers = vec![rng.random_range(-2.0..2.0), 3.0];
                            Branch::Select(finite.len() - 1, numbers)
                        }
                        _ => Branch::Normal(law(rng, i)),
                    };
                    Real::Mixed(switch, (0..values).map(&mut branch).collect())
                }
                _ => Real::Normal(law(rng, i)),
            });
            if matches!(reals.last(), Some(Real::First(_))) {
                reals.push(Real::Second);
            }
        }
        let mut seen = Vec::new();
        for i in 0..reals.len() {
            if rng.random_bool(0.3) {
                seen.push((i, rng.random_range(-3.0..3.0)));
            }
        }
        let some_finite = own > 0 && rng.random_bool(0.3);
        let seen_finite = some_finite.then(|| (rng.random_range(0..own), 0));
        let some_set = own > 0 && rng.random_bool(0.1);
        let set_finite = some_set.then(|| (rng.random_range(0..own), 1));
        let set_finite = set_finite.filter(|(i, _)| seen_finite.is_none_or(|(j, _)| j != *i));
        let set = rng.random_bool(0.15).then(|| {
            (
                rng.random_range(0..reals.len()),
                rng.random_range(-1.0..1.0),
            )
        });
        let set = set.filter(|(i, _)| seen.iter().all(|(j, _)| j != i));
        Self {
            finite,
            reals,
            seen,
            seen_finite,
            set,
            set_finite,
        }
    }

    fn elements(&self) -> (Vec<Element<usize>>, Vec<Element<f64>>) {
        let select = |row: &[f64]| Select::new(row.iter().enumerate().map(|(i, &p)| (p, i)));
        let mut finite: Vec<Element<usize>> = Vec::new();
        for Finite { parent, rows, .. } in &self.finite {
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
        let mut second = None;
        for real in &self.reals {
            let before = reals.clone();
            let finite = finite.clone();
            let element = match real.clone() {
                Real::Normal(law) => normal(&law, &before, &finite),
                Real::Sum(law) => {
                    // By operators, in place of a weighted sum.
                    let known = Law {
                        terms: Vec::new(),
                        ..law.clone()
                    };
                    let known = mean_of(&known, &[], &finite);
                    let parts = law.terms.iter().map(|&(w, i)| &before[i] / (1.0 / w));
                    let sum = parts.reduce(|sum, part| sum - part * -1.0);
                    match sum {
                        Some(sum) => known + sum - 0.0,
                        None => &before[0] * 1.0,
                    }
                }
                Real::Branches(switch, laws) => {
                    let switch = finite[switch].clone();
                    switch.flat_map(move |&i| normal(&laws[i], &before, &finite))
                }
                Real::Choice(switch, chosen) => {
                    if let [first, second] = chosen[..] {
                        let is_first = finite[switch].map(|&i| i == 0);
                        If::new(&is_first, &before[first], &before[second])
                    } else {
                        let rows = chosen.iter().enumerate();
                        Cpd::new(&finite[switch], rows.map(|(i, &j)| (i, before[j].clone())))
                    }
                }
                Real::Spread(switch, law, spreads) => {
                    let spread = finite[switch].map(move |&i| spreads[i]);
                    if law.terms.is_empty() && law.known.is_none() {
                        Normal::new(law.constant, Variance(&spread))
                    } else {
                        let sum = mean_of(&law, &before, &finite);
                        Normal::new(&sum, Variance(&spread))
                    }
                }
                Real::First(pair) => {
                    let covariance = |[a, b, c]: [f64; 3]| {
                        Covariance::rows([[a * a, a * b], [a * b, b * b + c * c]])
                    };
                    let list = MultivariateNormal::new(pair.mean, covariance(pair.factors[0]));
                    let mean = list.affine(pair.matrix, pair.offset);
                    let moved = MultivariateNormal::new(&mean, covariance(pair.factors[1]));
                    second = Some(moved.entry(1));
                    moved.entry(0)
                }
                Real::Second => second
                    .take()
                    .expect("the second entry follows the first one"),
                Real::Mixed(switch, branches) => {
                    let switch = finite[switch].clone();
                    let hidden: Vec<Vec<f64>> =
                        self.finite.iter().map(|f| f.rows[0].clone()).collect();
                    switch.flat_map(move |&i| match &branches[i] {
                        Branch::Constant(number) => Constant::new(*number),
                        Branch::Earlier(j) => before[*j].clone(),
                        Branch::Normal(law) => normal(law, &before, &finite),
                        Branch::Select(j, numbers) => {
                            let row = hidden[*j].iter().zip(numbers);
                            Select::new(row.map(|(&p, &number)| (p, number)))
                        }
                    })
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
            for (i, Finite { parent, rows, .. }) in self.finite.iter().enumerate() {
                if let Some((set, value)) = self.set_finite
                    && set == i
                {
                    log += if values[i] == value {
                        0.0
                    } else {
                        f64::NEG_INFINITY
                    };
                    continue;
                }
                let row = &rows[parent.map_or(0, |parent| values[parent])];
                log += (row[values[i]] / row.iter().sum::<f64>()).ln();
            }
            if self
                .seen_finite
                .is_some_and(|(i, value)| values[i] != value)
            {
                continue;
            }
            if log == f64::NEG_INFINITY {
                continue;
            }
            let n = self.reals.len();
            // Each element is a linear function of independent noises, four for each element.
            let (mut means, mut noises) = (DVector::zeros(n), DMatrix::zeros(n, 4 * n));
            for (i, real) in self.reals.iter().enumerate() {
                if let Some((set, value)) = self.set
                    && set == i
                {
                    means[i] = value;
                    continue;
                }
                let entry = match (real, i.checked_sub(1).map(|before| &self.reals[before])) {
                    (Real::First(pair), _) => Some((0, i, pair)),
                    (Real::Second, Some(Real::First(pair))) => Some((1, i - 1, pair)),
                    _ => None,
                };
                if let Some((entry, first, pair)) = entry {
                    let row = pair.matrix[entry];
                    let ([a, b, c], [d, e, f]) = (pair.factors[0], pair.factors[1]);
                    means[i] = pair.offset[entry] + row[0] * pair.mean[0] + row[1] * pair.mean[1];
                    let own = if entry == 0 { [d, 0.0] } else { [e, f] };
                    let all = [row[0] * a + row[1] * b, row[1] * c, own[0], own[1]];
                    for (j, noise) in all.into_iter().enumerate() {
                        noises[(i, 4 * first + j)] = noise;
                    }
                    continue;
                }
                let (law, noise) = match real {
                    Real::Normal(law) => (law.clone(), law.variance),
                    Real::Sum(law) if law.terms.is_empty() => (Law::earlier(0), 0.0),
                    Real::Sum(law) => (law.clone(), 0.0),
                    Real::Branches(switch, laws) => {
                        let law = &laws[values[*switch]];
                        (law.clone(), law.variance)
                    }
                    Real::Choice(switch, chosen) => (Law::earlier(chosen[values[*switch]]), 0.0),
                    Real::Spread(switch, law, spreads) => (law.clone(), spreads[values[*switch]]),
                    Real::Mixed(switch, branches) => match &branches[values[*switch]] {
                        Branch::Constant(number) => (Law::constant(*number), 0.0),
                        Branch::Earlier(j) => (Law::earlier(*j), 0.0),
                        Branch::Normal(law) => (law.clone(), law.variance),
                        Branch::Select(j, numbers) => (Law::constant(numbers[values[*j]]), 0.0),
                    },
                    Real::First(_) | Real::Second => continue,
                };
                means[i] = law.offset(&values);
                for (w, j) in law.terms {
                    means[i] += w * means[j];
                    let row = noises.row(j) * w;
                    let mut own = noises.row_mut(i);
                    own += row;
                }
                noises[(i, 4 * i)] = noise.sqrt();
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
        if let Some((i, value)) = program.set_finite {
            model = model.intervene(&finite[i], value);
        }
        let mut targets: Vec<AnyElement> = reals.iter().map(|e| e.erased().clone()).collect();
        let is_own = |i: &usize| !program.finite[*i].is_hidden;
        let own: Vec<usize> = (0..finite.len()).filter(is_own).collect();
        targets.extend(own.iter().map(|&i| finite[i].erased().clone()));
        let algorithms: [&dyn Algorithm; 3] = [
            &Exact::new(),
            &VariableElimination::new(),
            &JunctionTree::new(),
        ];
        let algorithm = algorithms[case % 3];
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
        for &i in &own {
            let element = &finite[i];
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
            for x in [mean - 0.7, mean + 0.4] {
                let below = |w: &Component| {
                    let deviation = w.3[(i, i)].max(0.0).sqrt();
                    // A number that is known up to rounding has no density.
                    match deviation > 1e-6 {
                        true => statrs::distribution::Normal::new(w.2[i], deviation)
                            .map_or(f64::NAN, |n| n.cdf(x)),
                        false => f64::from(w.2[i] <= x),
                    }
                };
                let exact: f64 = all.iter().map(|w| share(w.1) * below(w)).sum();
                let found = match answer.mixture(element) {
                    Ok(mixture) => mixture.cdf(x),
                    Err(_) => answer.probability_that(element, |&y| y <= x).unwrap(),
                };
                check(&name, found, exact);
            }
        }
    }
    assert!(
        answered > 300 && refused * 5 < answered,
        "{answered} answered, {refused} refused"
    );
}
