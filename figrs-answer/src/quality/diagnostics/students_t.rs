//! Student's t distribution, for errors that are estimated from few independent numbers.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The 97.5 % quantile of the standard normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Minimum number of degrees of freedom at which Student's t is treated as normal; the 97.5 % quantile of Student's t is then less than 0.3 % larger
/// than the normal quantile.
const MANY: f64 = 500.0;

fn students_t(degrees: f64) -> Option<StudentsT> {
    (degrees < MANY).then(|| StudentsT::new(0.0, 1.0, degrees.max(1.0)).ok())?
}

/// Returns the ratio of the 97.5 % quantiles of Student's t and of the normal distribution. A standard error estimated from the variance of
/// `degrees + 1` independent numbers is enlarged by the ratio of the 97.5 % quantiles of Student's t and of the normal distribution. The interval of
/// 1.96 enlarged standard errors on each side of the estimate contains the exact number with a probability of 95 %.
///
/// Degrees of freedom below one count as one.
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

/// Returns the standard normal score whose tail probability is equal to that of `deviation` in Student's t distribution. `deviation` is an error
/// divided by its standard error (including [`few_groups_factor`]).
#[doc(hidden)]
pub fn normal_score(deviation: f64, degrees: f64) -> f64 {
    let Some(t) = students_t(degrees).filter(|_| deviation.is_finite()) else {
        return deviation;
    };
    // The lower tail is used, because a small lower tail probability has a small relative error.
    let tail = t.cdf(-deviation.abs() * few_groups_factor(degrees));
    let score = -Normal::standard().inverse_cdf(tail);
    if score.is_finite() { score } else { deviation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_and_scores_are_those_of_the_tables() {
        // The 97.5 % quantiles for 1, 2, 15 and 39 degrees of freedom are 12.706, 4.303, 2.131 and 2.023.
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
        // With 15 degrees of freedom, a t of 4.0728 has the same tail probability as a normal score of 3.2905.
        let deviation = 4.0728 / few_groups_factor(15.0);
        assert!((normal_score(deviation, 15.0) - 3.2905).abs() < 1e-3);
        assert_eq!(normal_score(4.0, 1e6), 4.0);
        assert_eq!(normal_score(f64::INFINITY, 15.0), f64::INFINITY);
    }
}
