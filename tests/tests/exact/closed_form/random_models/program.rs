//! Random programs of normal and finite elements, and their answers by dense algebra.

use std::ops::Range;

use figrs::prelude::*;
use figrs::{Covariance, MultivariateNormal, Table, weighted_sum};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand::rngs::SmallRng;

/// Maximum number of joint values of the finite elements of a model, without those that are made in branches.
const MOST_JOINT_VALUES: usize = 256;

/// A normal number: the constant, the coefficients of earlier elements, and the variance of the mean.
#[derive(Clone, Debug)]
pub struct Law {
    constant: f64,
    terms: Vec<(f64, usize)>,
    /// A number for each value of a finite element, as a term of the mean.
    known: Option<(usize, Vec<f64>)>,
    variance: f64,
}

/// Two numbers that are normal together: a normal list, moved by a matrix and an offset, is the mean of another one.
#[derive(Clone, Debug)]
pub struct Pair {
    mean: [f64; 2],
    matrix: [[f64; 2]; 2],
    offset: [f64; 2],
    /// The lower triangular factors of the two covariance matrices.
    factors: [[f64; 3]; 2],
}

/// One of the results of a Chain.
#[derive(Clone, Debug)]
pub enum Branch {
    Constant(f64),
    Earlier(usize),
    Normal(Law),
    /// A finite element that is made in the branch, by its number in the program, with a number for each of its values.
    Select(usize, Vec<f64>),
}

/// A real element of a random model.
#[derive(Clone, Debug)]
pub enum Real {
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
pub struct Finite {
    parent: Option<usize>,
    pub rows: Vec<Vec<f64>>,
    /// True if the element is made in a branch.
    pub is_hidden: bool,
}

/// Bounds of a linear function of some elements, and a number between them.
#[derive(Clone, Debug)]
pub struct Interval {
    pub terms: Vec<(f64, usize)>,
    pub low: f64,
    pub high: f64,
    /// The evidence puts the number between the bounds; whether it is above `cut` is asked.
    pub cut: f64,
}

/// A random program, which can be written as elements and solved by dense algebra.
#[derive(Debug)]
pub struct Program {
    pub finite: Vec<Finite>,
    pub reals: Vec<Real>,
    pub seen: Vec<(usize, f64)>,
    pub seen_finite: Option<(usize, usize)>,
    pub set: Option<(usize, f64)>,
    pub set_finite: Option<(usize, usize)>,
    pub interval: Option<Interval>,
}

/// The real elements for one joint value of the finite elements.
#[derive(Clone, Debug)]
pub struct Component {
    /// The values of the finite elements.
    pub values: Vec<usize>,
    /// The natural logarithm of the weight, with the evidence.
    pub log: f64,
    pub mean: DVector<f64>,
    pub covariance: DMatrix<f64>,
    /// The mean and the standard deviation of the number with an interval, before the interval is known.
    pub number: (f64, f64),
}

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
    pub fn random(rng: &mut SmallRng) -> Self {
        let mut finite: Vec<Finite> = Vec::new();
        let mut joint = 1;
        for i in 0..rng.random_range(0..=8_usize) {
            let parent = (i > 0 && rng.random_bool(0.5)).then(|| rng.random_range(0..i));
            let size = rng.random_range(2..=3);
            joint *= size;
            if joint > MOST_JOINT_VALUES {
                break;
            }
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
        let count = rng.random_range(1..=12_usize);
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
                        2 if finite.len() <= own => {
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
            interval: None,
        }
    }

    /// Adds an interval of a linear function of one or two elements.
    pub fn with_interval(mut self, rng: &mut SmallRng) -> Self {
        let count = rng.random_range(1..=2);
        let mut term = || {
            (
                rng.random_range(-2.0..2.0),
                rng.random_range(0..self.reals.len()),
            )
        };
        let terms = (0..count).map(|_| term()).collect();
        let low = rng.random_range(-3.0..2.0);
        let high = low + rng.random_range(0.1..3.0);
        self.interval = Some(Interval {
            terms,
            low: if rng.random_bool(0.3) {
                f64::NEG_INFINITY
            } else {
                low
            },
            high: if rng.random_bool(0.3) {
                f64::INFINITY
            } else {
                high
            },
            cut: low + 0.4 * (high - low),
        });
        self
    }

    pub fn elements(&self) -> (Vec<Element<usize>>, Vec<Element<f64>>) {
        let select = |row: &[f64]| Select::new(row.iter().enumerate().map(|(i, &p)| (p, i)));
        let mut finite: Vec<Element<usize>> = Vec::new();
        for Finite { parent, rows, .. } in &self.finite {
            let element = match parent {
                None => select(&rows[0]),
                Some(parent) if finite.len() % 2 == 0 => {
                    let shares = |row: &Vec<f64>| {
                        let total: f64 = row.iter().sum();
                        row.iter().map(move |x| x / total).collect::<Vec<f64>>()
                    };
                    let given = (0..rows.len()).collect::<Vec<usize>>();
                    let own: Vec<usize> = (0..rows[0].len()).collect();
                    let rows: Vec<f64> = rows.iter().flat_map(shares).collect();
                    Table::new([(&finite[*parent], given)], own, rows)
                }
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
    pub fn by_hand(&self) -> Option<Vec<Component>> {
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
            let seen: Vec<usize> = self.seen.iter().map(|(i, _)| *i).collect();
            let mut mean = means.clone();
            if !seen.is_empty() {
                // The observed elements are a triangular function of orthonormal noises, which the evidence determines.
                let within = noises.select_rows(&seen).transpose();
                let lengths: Vec<f64> = within.column_iter().map(|c| c.norm()).collect();
                let (basis, triangle) = within.qr().unpack();
                let own = triangle.diagonal();
                if own.len() < seen.len()
                    || own
                        .iter()
                        .zip(&lengths)
                        .any(|(x, all)| x.abs() < 1e-3 * all)
                {
                    return None;
                }
                let values = DVector::from_iterator(seen.len(), self.seen.iter().map(|(_, x)| *x));
                let apart = values - means.select_rows(&seen);
                let apart = triangle.transpose().solve_lower_triangular(&apart)?;
                let logs: f64 = own.iter().map(|x| x.abs().ln()).sum();
                let ln_tau = std::f64::consts::TAU.ln();
                log -= logs + 0.5 * (apart.norm_squared() + seen.len() as f64 * ln_tau);
                mean += &noises * &basis * apart;
                noises -= &noises * &basis * basis.transpose();
            }
            let mut component = Component {
                values,
                log,
                mean,
                covariance: &noises * noises.transpose(),
                number: (0.0, 0.0),
            };
            if let Some(interval) = &self.interval {
                component.restrict(interval)?;
            }
            all.push(component);
        }
        Some(all)
    }
}

/// The probability that a normal number is between two bounds.
pub fn mass((mean, deviation): (f64, f64), within: Range<f64>) -> f64 {
    if deviation == 0.0 {
        return f64::from(within.contains(&mean));
    }
    let above = |x: f64| libm::erfc((x - mean) / deviation / 2.0_f64.sqrt()) / 2.0;
    let below = |x: f64| libm::erfc((mean - x) / deviation / 2.0_f64.sqrt()) / 2.0;
    match within.start > mean {
        true => above(within.start) - above(within.end),
        false => below(within.end) - below(within.start),
    }
}

impl Component {
    /// Conditions the elements on an interval; returns `None` if the interval is improbable but possible.
    fn restrict(&mut self, interval: &Interval) -> Option<()> {
        let mut weights = DVector::zeros(self.mean.len());
        for &(w, i) in &interval.terms {
            weights[i] += w;
        }
        let across = &self.covariance * &weights;
        let (mean, variance) = (weights.dot(&self.mean), weights.dot(&across).max(0.0));
        // A number that is known up to rounding is known.
        let size = weights.amax().powi(2) * self.covariance.amax().max(1.0);
        let deviation = match variance < 1e-12 * size {
            true => 0.0,
            false => variance.sqrt(),
        };
        self.number = (mean, deviation);
        let share = mass(self.number, interval.low..interval.high);
        self.log += share.ln();
        if deviation == 0.0 {
            return Some(());
        }
        if share < 1e-4 || variance < 1e-6 * size {
            return None;
        }
        // Mean and variance in standard deviations, by tanh-sinh quadrature.
        let standard = |x: f64| ((x - mean) / deviation).clamp(-9.0, 9.0);
        let (low, high) = (standard(interval.low), standard(interval.high));
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in -140..=140 {
                let t = 0.025 * f64::from(i);
                let inner = std::f64::consts::FRAC_PI_2 * t.sinh();
                let z = f64::midpoint(low, high) + (high - low) / 2.0 * inner.tanh();
                let weight = t.cosh() / inner.cosh().powi(2) * (-z * z / 2.0).exp();
                sum += weight * value(z);
                total += weight;
            }
            sum / total
        };
        let shift = mean_of(&|z| z);
        let narrowed = mean_of(&|z| (z - shift).powi(2)) - 1.0;
        self.mean += &across * (shift / deviation);
        self.covariance += &across * across.transpose() * (narrowed / variance);
        Some(())
    }
}
