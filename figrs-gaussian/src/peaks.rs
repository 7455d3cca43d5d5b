//! The search for narrow peaks of a likelihood of one real number.

use std::cell::RefCell;

use figrs_factor::Until;

/// Largest distance from the mean of the number, in standard deviations, at which peaks are searched.
const REACH: f64 = 8.0;

/// Factor by which the number of search points grows if the likelihood is the same at all points.
const GROWTH: usize = 16;

/// Number of evaluated points between two checks of the deadline.
const POINTS_PER_LOOK: usize = 4096;

/// Maximum number of peaks that are stored; if there are more, the highest ones are stored.
const MOST_PEAKS: usize = 64;

/// The peaks of a likelihood of one real number, which are searched once at many points.
#[derive(Debug)]
pub struct Peaks {
    points: usize,
    most: usize,
    log_maximum: f64,
    until: Until,
    /// Each peak of the likelihood, with the distance between the points of the search that found the peak.
    found: RefCell<Option<Vec<(f64, f64)>>>,
}

impl Peaks {
    /// Creates a search for peaks at `points` points, and at up to `most` points as long as all points have the same likelihood. A likelihood that is
    /// everywhere equal to `log_maximum`, its largest possible logarithm, needs no more points. The search for peaks ends early at the deadline or
    /// the interrupt of `until`.
    pub fn new((points, most): (usize, usize), log_maximum: f64, until: Until) -> Self {
        Self {
            points,
            most,
            log_maximum,
            until,
            found: RefCell::new(None),
        }
    }

    /// Returns the peaks of the log-likelihood `log`, each with the distance between the search points. The first call searches for the peaks around
    /// `mean`; later calls return the same peaks.
    ///
    /// **Guarantee.** A peak is found if it is higher than all numbers around it, wider than the distance between the search points, and within eight
    /// standard deviations of the mean.
    pub(crate) fn of(
        &self,
        log: &dyn Fn(f64) -> f64,
        (mean, deviation): (f64, f64),
    ) -> Vec<(f64, f64)> {
        let mut found = self.found.borrow_mut();
        let peaks = found.get_or_insert_with(|| {
            let mut points = self.points;
            loop {
                let (peaks, level) = surveyed(log, (mean, deviation), points, &self.until);
                let is_level = level.is_some_and(|level| level < self.log_maximum);
                if !peaks.is_empty() || !is_level || points >= self.most {
                    return peaks;
                }
                points = (points * GROWTH).min(self.most);
            }
        });
        peaks.clone()
    }
}

/// Returns the peaks of `log` among `points` points, each with the distance between the points, and the value of `log` if all points have the same
/// value.
fn surveyed(
    log: &dyn Fn(f64) -> f64,
    (mean, deviation): (f64, f64),
    points: usize,
    until: &Until,
) -> (Vec<(f64, f64)>, Option<f64>) {
    let spacing = 2.0 * REACH * deviation / points as f64;
    let number = |i: usize| mean - REACH * deviation + (i as f64 + 0.5) * spacing;
    let value = |i: usize| {
        let log = log(number(i));
        if log.is_nan() { f64::NEG_INFINITY } else { log }
    };
    let mut peaks: Vec<(f64, f64)> = Vec::new();
    let (mut before, mut own) = (f64::NEG_INFINITY, value(0));
    let mut level = Some(own);
    for i in 0..points {
        if i % POINTS_PER_LOOK == 0 && until.is_over() {
            level = None;
            break;
        }
        let after = match i + 1 < points {
            true => value(i + 1),
            false => f64::NEG_INFINITY,
        };
        if i + 1 < points && after != own {
            level = None;
        }
        let is_inner = i > 0 && i + 1 < points;
        if is_inner && own >= before && own >= after && (own > before || own > after) {
            peaks.push((number(i), own));
        }
        (before, own) = (own, after);
    }
    if peaks.len() > MOST_PEAKS {
        peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
        peaks.truncate(MOST_PEAKS);
    }
    let peaks = peaks.into_iter().map(|(number, _)| (number, spacing));
    (peaks.collect(), level)
}
