//! Random programs of normal and finite elements.

use figrs::prelude::*;
use figrs::{Covariance, MultivariateNormal, Table, weighted_sum};
use rand::RngExt;
use rand::rngs::SmallRng;

/// Maximum number of joint values of the finite elements of a model, without those that are made in branches.
const MOST_JOINT_VALUES: usize = 256;

/// A normal number: the constant, the coefficients of earlier elements, and the variance of the mean.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub(super) constant: f64,
    pub(super) terms: Vec<(f64, usize)>,
    /// A number for each value of a finite element, as a term of the mean.
    pub(super) known: Option<(usize, Vec<f64>)>,
    pub(super) variance: f64,
}

/// Two numbers that are normal together: a normal list, moved by a matrix and an offset, is the mean of another one.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) mean: [f64; 2],
    pub(super) matrix: [[f64; 2]; 2],
    pub(super) offset: [f64; 2],
    /// The lower triangular factors of the two covariance matrices.
    pub(super) factors: [[f64; 3]; 2],
}

/// One of the results of a `Chain`.
#[derive(Clone, Debug)]
pub(super) enum Branch {
    Constant(f64),
    Earlier(usize),
    Normal(Law),
    /// A finite element that is made in the branch, by its number in the program, with a number for each of its values.
    Select(usize, Vec<f64>),
}

/// A real element of a random model.
#[derive(Clone, Debug)]
pub(super) enum Real {
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
pub(super) struct Finite {
    pub(super) parent: Option<usize>,
    pub(super) rows: Vec<Vec<f64>>,
    /// True if the element is made in a branch.
    pub(super) is_hidden: bool,
}

/// Bounds of a linear function of some elements, and a number between them.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) terms: Vec<(f64, usize)>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The evidence puts the number between the bounds; whether it is above `cut` is asked.
    pub(super) cut: f64,
}

/// A random program, which can be written as elements and solved by dense algebra.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) finite: Vec<Finite>,
    pub(super) reals: Vec<Real>,
    pub(super) seen: Vec<(usize, f64)>,
    pub(super) seen_finite: Option<(usize, usize)>,
    pub(super) set: Option<(usize, f64)>,
    pub(super) set_finite: Option<(usize, usize)>,
    pub(super) interval: Option<Interval>,
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
    pub(super) fn offset(&self, values: &[usize]) -> f64 {
        let known = self.known.as_ref();
        self.constant + known.map_or(0.0, |(i, numbers)| numbers[values[*i]])
    }

    /// An earlier element.
    pub(super) fn earlier(i: usize) -> Self {
        Self {
            terms: vec![(1.0, i)],
            ..Self::constant(0.0)
        }
    }

    pub(super) fn constant(constant: f64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
            known: None,
            variance: 0.0,
        }
    }
}

impl Program {
    pub(super) fn random(rng: &mut SmallRng) -> Self {
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
    pub(super) fn with_interval(mut self, rng: &mut SmallRng) -> Self {
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

    pub(super) fn elements(&self) -> (Vec<Element<usize>>, Vec<Element<f64>>) {
        let select = |row: &[f64]| Select::new(row.iter().enumerate().map(|(i, &p)| (p, i)));
        let mut finite: Vec<Element<usize>> = Vec::new();
        for Finite { parent, rows, .. } in &self.finite {
            let element = match parent {
                None => select(&rows[0]),
                Some(parent) if finite.len().is_multiple_of(2) => {
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
}
