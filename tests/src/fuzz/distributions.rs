//! Random element programs of distributions over numbers, with parameters that may be anything.

use figrs::prelude::*;
use figrs::{
    AnyElement, Bins, Cauchy, Concentration, Covariance, DegreesOfFreedom, Dirichlet,
    DiscreteUniform, Geometric, HalfCauchy, HalfNormal, Hypergeometric, InverseGamma,
    KernelDensity, Laplace, Lkj, LogNormal, Multinomial, MultivariateNormal, NegativeBinomial,
    Operand, Pareto, Scale, StudentT, Table, TruncatedNormal, VonMises, Weibull, Wishart,
};

use super::agreement::ask_all;
use super::bytes::Bytes;

/// The elements that the program has so far.
#[derive(Default)]
struct Scope {
    reals: Vec<Element<f64>>,
    counts: Vec<Element<u64>>,
    lists: Vec<Element<Vec<f64>>>,
}

/// Runs every algorithm on a random program of distributions.
///
/// # Panics
///
/// Panics if the answers of two exact algorithms differ, or if an algorithm gives numbers that are no probabilities.
pub fn distributions(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut scope = Scope::default();
    for _ in 0..=bytes.below(6) {
        scope.define(&mut bytes);
    }
    let mut model = Model::new();
    for _ in 0..bytes.below(4) {
        model = scope.state(model, &mut bytes);
    }
    let (real, count) = (scope.real(&mut bytes), scope.count(&mut bytes));
    let targets: Vec<AnyElement> = match bytes.below(3) {
        0 => vec![real.erased().clone()],
        1 => vec![count.erased().clone()],
        _ => vec![real.erased().clone(), count.erased().clone()],
    };
    let asks = |element: &AnyElement| targets.iter().any(|target| target.id() == element.id());
    let (asks_real, asks_count) = (asks(real.erased()), asks(count.erased()));
    ask_all(&model, &targets, |answer| {
        let mut numbers = Vec::new();
        if asks_real {
            let marginal = answer.distribution(&real)?;
            for x in [0.0, 0.5, 2.0] {
                numbers.push(marginal.probability_that(|&value| value <= x));
            }
        }
        if asks_count {
            let marginal = answer.distribution(&count)?;
            numbers.push(marginal.probability(&1));
            numbers.push(marginal.probability_that(|&n| n > 2));
        }
        Ok(numbers)
    });
}

impl Bytes<'_> {
    /// Returns a number of items, which is small in most cases.
    fn size(&mut self) -> u64 {
        const SIZES: [u64; 8] = [3, 0, 1, 2, 7, 1 << 25, u32::MAX as u64, u64::MAX];
        SIZES[usize::from(self.below(8))]
    }
}

impl Scope {
    fn real(&self, bytes: &mut Bytes) -> Element<f64> {
        match self.reals.len() {
            0 => Constant::new(bytes.number()),
            n => self.reals[usize::from(bytes.byte()) % n].clone(),
        }
    }

    fn count(&self, bytes: &mut Bytes) -> Element<u64> {
        match self.counts.len() {
            0 => Constant::new(bytes.size()),
            n => self.counts[usize::from(bytes.byte()) % n].clone(),
        }
    }

    fn list(&self, bytes: &mut Bytes) -> Element<Vec<f64>> {
        match self.lists.len() {
            0 => Constant::new(bytes.list(0, Bytes::number)),
            n => self.lists[usize::from(bytes.byte()) % n].clone(),
        }
    }

    fn operand(&self, bytes: &mut Bytes) -> Operand {
        match bytes.below(4) {
            0 | 1 => bytes.number().into(),
            2 => (&Param::new("p", bytes.number())).into(),
            _ => self.real(bytes).into(),
        }
    }

    fn define(&mut self, bytes: &mut Bytes) {
        match bytes.below(4) {
            0 => {
                let element = self.counting(bytes);
                self.counts.push(element);
            }
            1 => {
                let element = self.listing(bytes);
                self.lists.push(element);
            }
            _ => {
                let element = self.measuring(bytes);
                self.reals.push(element);
            }
        }
    }

    fn counting(&self, bytes: &mut Bytes) -> Element<u64> {
        let any = |bytes: &mut Bytes| self.operand(bytes);
        match bytes.below(11) {
            0 => Poisson::new(any(bytes)),
            1 => Geometric::failures(any(bytes)),
            2 => Geometric::trials(any(bytes)),
            3 => Binomial::new(bytes.size(), any(bytes)).map(|&n| n.into()),
            4 => Binomial::new(self.count(bytes), any(bytes)).map(|&n| n.into()),
            5 => {
                let [population, marked, draws] = [(); 3].map(|()| bytes.size() as u32);
                Hypergeometric::new(population, marked, draws).map(|&n| n.into())
            }
            6 => {
                let lower = bytes.size().cast_signed();
                DiscreteUniform::new(lower, self.count(bytes)).map(|&n| n as u64)
            }
            7 => {
                let (min, max) = (bytes.size(), bytes.size());
                match bytes.below(4) {
                    0 => self.count(bytes).truncated(min..=max),
                    1 => self.count(bytes).truncated(max),
                    2 => Multinomial::new(min, bytes.list(0, |b| self.operand(b)))
                        .map(|counts| counts.first().copied().unwrap_or_default().into()),
                    _ => NegativeBinomial::failures(any(bytes), any(bytes)),
                }
            }
            8 => Flip::new(any(bytes)).map(|&heads| heads.into()),
            9 => self.count(bytes).plus(&self.count(bytes)),
            _ => {
                let count = self.count(bytes);
                let other = self.count(bytes);
                count.flat_map(move |&n| {
                    if n % 2 == 0 {
                        other.clone()
                    } else {
                        Poisson::new(n as f64)
                    }
                })
            }
        }
    }

    fn listing(&self, bytes: &mut Bytes) -> Element<Vec<f64>> {
        match bytes.below(6) {
            4 => {
                let numbers = bytes.list(0, Bytes::number);
                Wishart::new(
                    DegreesOfFreedom(self.operand(bytes)),
                    Covariance::lower_triangle(numbers),
                )
            }
            5 => Lkj::new(bytes.size() as usize, Concentration(self.operand(bytes))),
            0 => Dirichlet::new(bytes.list(0, |b| self.operand(b))),
            1 => Dirichlet::new(self.list(bytes)),
            2 => {
                let covariance = Covariance::diagonal(bytes.list(0, Bytes::number));
                MultivariateNormal::new(self.list(bytes), covariance)
            }
            _ => {
                let rows = bytes.list(0, |b| b.list(0, Bytes::number));
                MultivariateNormal::new(bytes.list(0, |b| self.operand(b)), Covariance::rows(rows))
            }
        }
    }

    fn measuring(&self, bytes: &mut Bytes) -> Element<f64> {
        let any = |bytes: &mut Bytes| self.operand(bytes);
        match bytes.below(20) {
            0 => Normal::new(any(bytes), Variance(any(bytes))),
            1 => Normal::new(any(bytes), StandardDeviation(any(bytes))),
            2 => Gamma::new(any(bytes), Rate(any(bytes))),
            3 => Gamma::new(any(bytes), Scale(any(bytes))),
            4 => InverseGamma::new(any(bytes), Scale(any(bytes))),
            5 => Exponential::new(Rate(any(bytes))),
            6 => match bytes.below(10) {
                7 => Pareto::new(any(bytes), Scale(any(bytes))),
                8 => VonMises::new(any(bytes), Concentration(any(bytes))),
                9 => {
                    let sample = bytes.list(0, Bytes::number);
                    KernelDensity::new(sample, StandardDeviation(any(bytes)))
                }
                0 => Cauchy::new(any(bytes), Scale(any(bytes))),
                1 => HalfCauchy::new(Scale(any(bytes))),
                2 => HalfNormal::new(Variance(any(bytes))),
                3 => LogNormal::new(any(bytes), Variance(any(bytes))),
                4 => Weibull::new(any(bytes), Scale(any(bytes))),
                5 => {
                    let deviation = StandardDeviation(any(bytes));
                    TruncatedNormal::new(any(bytes), deviation, any(bytes), any(bytes))
                }
                _ => Laplace::new(any(bytes), Scale(any(bytes))),
            },
            7 => StudentT::new(any(bytes), Scale(any(bytes)), DegreesOfFreedom(any(bytes))),
            8 => Beta::new(any(bytes), any(bytes)),
            9 => ContinuousUniform::new(any(bytes), any(bytes)),
            10 if bytes.below(2) == 0 => Select::new(bytes.list(0, |b| (any(b), b.number()))),
            10 => {
                let values = bytes.list(0, Bytes::number);
                Select::by_logits(bytes.list(0, |b| any(b)), values)
            }
            11 => Uniform::new(bytes.list(0, Bytes::number)),
            12 => {
                let (lower, upper) = (bytes.number(), bytes.number());
                let count = bytes.size() as usize;
                let bins = match bytes.below(3) {
                    0 => Bins::quantiles(count),
                    1 => Bins::equal_width(lower, upper, count),
                    _ => Bins::equal_width_clipped(lower, upper, count),
                };
                self.real(bytes).discretised(bins)
            }
            13 => self
                .list(bytes)
                .map(|list| list.first().copied().unwrap_or(f64::NAN)),
            14 => self.count(bytes).map(|&n| n as f64),
            15 => {
                let (a, b) = (self.real(bytes), self.real(bytes));
                match bytes.below(4) {
                    0 => a.plus(&b),
                    1 => a.minus(&b),
                    2 => a.times(&b),
                    _ => a.divided_by(&b),
                }
            }
            16 => {
                let (yes, no) = (self.real(bytes), self.real(bytes));
                If::new(&Flip::new(any(bytes)), yes, no)
            }
            17 => {
                let other = self.real(bytes);
                self.real(bytes).flat_map(move |&x| {
                    if x < 0.5 {
                        other.clone()
                    } else {
                        Normal::new(x, StandardDeviation(1.0))
                    }
                })
            }
            18 => {
                let values = bytes.list(1, Bytes::number);
                let parent = self.real(bytes);
                let weights = bytes.list(0, Bytes::number);
                Table::new([(&parent, values.clone())], values, weights)
            }
            _ => Dist::new(bytes.list(0, |b| (any(b), self.real(b)))),
        }
    }

    fn state(&self, model: Model, bytes: &mut Bytes) -> Model {
        let number = bytes.number();
        match bytes.below(8) {
            0 => model.observe(&self.real(bytes), number),
            1 => model.observe(&self.count(bytes), bytes.size()),
            2 => model.observe(&self.list(bytes), bytes.list(0, Bytes::number)),
            3 => model.condition(&self.real(bytes), move |&x| x <= number),
            4 => model.weigh(
                &self.real(bytes),
                move |&x| if x < 0.5 { number } else { 1.0 },
            ),
            5 => model.log_weigh(
                &self.count(bytes),
                move |&n| if n < 2 { number } else { 0.0 },
            ),
            6 => model.weigh_at_most(&self.real(bytes), 1.0, move |&x| x * number),
            _ => model.intervene(&self.real(bytes), number),
        }
    }
}
