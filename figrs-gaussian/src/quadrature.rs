//! Moments of a density on the real line, by adaptive quadrature.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

/// Abscissae of the Gauss-Kronrod rule with 15 points, for one half of [-1, 1]. Every second abscissa, starting with the second, also belongs to the
/// Gauss rule with seven points. Source of the abscissae: Piessens et al., *QUADPACK*, 1983.
const ABSCISSAE: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD_WEIGHTS: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_83,
];
const GAUSS_WEIGHTS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_64,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

const MAX_HALVINGS: usize = 2000;

/// Tolerance of the quadrature: the largest estimated error, relative to the integral.
const TOLERANCE: f64 = 1e-13;

/// The integral of a density, of the density times `x - centre`, and of the density times `(x - centre)²`.
pub(crate) type Moments = Vector3<f64>;

struct Interval {
    low: f64,
    high: f64,
    moments: Moments,
    error: f64,
}

impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error)
    }
}

/// Integrates a density between the first and the last point of an ascending list of points. The intervals with the largest estimated errors of the
/// integral are halved.
///
/// **Guarantee.** The estimated error of each moment, in units of `scale`, is at most 1e-13 of the integral, unless 2 000 halvings do not suffice.
/// The halving of intervals also works if the density has a jump.
pub(crate) fn integrate(
    density: impl Fn(f64) -> f64,
    points: &[f64],
    (centre, scale): (f64, f64),
) -> Moments {
    let rule = |low: f64, high: f64| {
        let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0);
        let (mut kronrod, mut gauss) = (Moments::zeros(), Moments::zeros());
        for (i, (&x, &weight)) in ABSCISSAE.iter().zip(&KRONROD_WEIGHTS).enumerate() {
            let sides: &[f64] = if x == 0.0 { &[0.0] } else { &[-x, x] };
            for side in sides {
                let place = middle + half * side;
                let apart = (place - centre) / scale;
                let terms = Moments::new(1.0, apart, apart * apart) * (half * density(place));
                kronrod += weight * terms;
                if i % 2 == 1 {
                    gauss += GAUSS_WEIGHTS[i / 2] * terms;
                }
            }
        }
        Interval {
            low,
            high,
            moments: kronrod,
            error: (kronrod - gauss).amax(),
        }
    };
    let pairs = points.windows(2).filter(|pair| pair[0] < pair[1]);
    let mut intervals: BinaryHeap<Interval> = pairs.map(|pair| rule(pair[0], pair[1])).collect();
    let sum = |intervals: &BinaryHeap<Interval>| {
        let parts = intervals.iter().map(|i| (i.moments, i.error));
        parts.fold((Moments::zeros(), 0.0), |sum, part| {
            (sum.0 + part.0, sum.1 + part.1)
        })
    };
    let (mut total, mut error) = sum(&intervals);
    for halvings in 1..=MAX_HALVINGS {
        if error <= TOLERANCE * total[0] {
            break;
        }
        let Some(worst) = intervals.pop() else { break };
        let middle = f64::midpoint(worst.low, worst.high);
        error -= worst.error;
        if middle <= worst.low || middle >= worst.high {
            // An interval between two neighbouring `f64` numbers cannot be halved; its error is ignored.
            intervals.push(Interval {
                error: 0.0,
                ..worst
            });
            continue;
        }
        total -= worst.moments;
        for half in [rule(worst.low, middle), rule(middle, worst.high)] {
            total += half.moments;
            error += half.error;
            intervals.push(half);
        }
        if halvings % 64 == 0 {
            (total, error) = sum(&intervals);
        }
    }
    let (total, _) = sum(&intervals);
    Moments::new(total[0], total[1] * scale, total[2] * scale * scale)
}
