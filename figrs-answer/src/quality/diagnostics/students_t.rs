//! Student's t for errors estimated from few independent numbers.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Quantile of the normal distribution at 97.5 %.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Degrees of freedom from which Student's t is treated as normal: its 97.5 % quantile is less than 0.3 % larger.
const MANY: f64 = 500.0;

fn students_t(degrees: f64) -> Option<StudentsT> {
    (degrees < MANY).then(|| StudentsT::new(0.0, 1.0, degrees.max(1.0)).ok())?
}

/// Ratio of the 97.5 % quantiles of Student's t and of the normal distribution: an error estimated from the spread of `degrees + 1` independent
/// numbers is multiplied by it, so that an interval of 1.96 errors holds the exact number with a probability of 95 %.
///
/// Fewer than one degree of freedom counts as one.
///
/// **References.** Student (1908), "The probable error of a mean".
///
/// ```
/// use figrs_infer::diagnostics::few_groups_factor;
/// assert!((few_groups_factor(15.0) - 2.1314 / 1.96).abs() < 1e-4);
/// assert_eq!(few_groups_factor(f64::INFINITY), 1.0);
/// ```
pub fn few_groups_factor(degrees: f64) -> f64 {
    students_t(degrees).map_or(1.0, |t| t.inverse_cdf(0.975) / NORMAL)
}

/// The standard normal score that is as unlikely as a deviation in standard errors that include [`few_groups_factor`].
#[doc(hidden)]
pub fn normal_score(deviation: f64, degrees: f64) -> f64 {
    let Some(t) = students_t(degrees).filter(|_| deviation.is_finite()) else {
        return deviation;
    };
    // By the lower tail, which keeps its digits.
    let tail = t.cdf(-deviation.abs() * few_groups_factor(degrees));
    let score = -Normal::standard().inverse_cdf(tail);
    if score.is_finite() { score } else { deviation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_and_scores_are_those_of_the_tables() {
        // 97.5 % quantiles: 12.706, 4.303, 2.131 and 2.023 with 1, 2, 15 and 39 degrees of freedom.
        for (degrees, quantile) in [
            (1.0, 12.7062),
            (2.0, 4.3027),
            (15.0, 2.1314),
            (39.0, 2.0227),
        ] {
            let factor = few_groups_factor(degrees);
            assert!(
                (factor * NORMAL / quantile - 1.0).abs() < 1e-4,
                "{degrees}: {factor}"
            );
            assert!((normal_score(NORMAL, degrees) - NORMAL).abs() < 1e-6);
        }
        assert_eq!(few_groups_factor(0.5), few_groups_factor(1.0));
        // A t of 4.0728 with 15 degrees of freedom is as unlikely as 3.2905.
        let deviation = 4.0728 / few_groups_factor(15.0);
        assert!((normal_score(deviation, 15.0) - 3.2905).abs() < 1e-3);
        assert_eq!(normal_score(4.0, 1e6), 4.0);
        assert_eq!(normal_score(f64::INFINITY, 15.0), f64::INFINITY);
    }
}
