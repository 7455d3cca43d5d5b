//! A test of the goodness of fit of random draws to a distribution.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Result of a chi-square test that compares numbers of draws with expected numbers; see [`goodness_of_fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoodnessOfFit {
    /// Pearson's statistic.
    pub statistic: f64,
    /// Number of degrees of freedom of the chi-square distribution.
    pub freedom: usize,
    /// The approximate p-value: if the draws have the expected distribution, the probability of a test statistic at least as large as this one.
    pub p_value: f64,
}

/// Smallest expected count that a class of values may have in the chi-square test.
const MIN_EXPECTED_COUNT: f64 = 5.0;

/// Makes Pearson's chi-square test of the distribution of independent draws. The list `counts` has, for each value, the number of its draws and the
/// expected number, which is the value's probability times the number of all draws. The list `counts` must include every value that is possible or
/// was drawn.
///
/// Values with expected counts below five are pooled into one class of the chi-square test. If the expected count of the pooled class is still below
/// five, the rarest remaining value joins the class. The result of the chi-square test is `None` if only one class is left, because a test with one
/// class decides nothing. If an impossible value was drawn, the p-value is zero.
///
/// ```
/// use figrs_models::variation::goodness_of_fit;
///
/// // A die, 600 times.
/// let fair = [92, 104, 113, 98, 101, 92].map(|count| (count, 100.0));
/// let fit = goodness_of_fit(&fair).expect("six classes");
/// assert_eq!(fit.freedom, 5);
/// assert!((fit.statistic - 3.18).abs() < 1e-12 && (fit.p_value - 0.6723).abs() < 1e-4);
/// assert!(goodness_of_fit(&[(3, 0.0), (597, 600.0)]).is_some_and(|fit| fit.p_value == 0.0));
/// ```
///
/// # References
///
/// The goodness-of-fit test is that of Pearson (1900); for classes with few draws see Cochran (1954), "Some methods for strengthening the common
/// chi-square tests".
pub fn goodness_of_fit(counts: &[(u64, f64)]) -> Option<GoodnessOfFit> {
    if counts
        .iter()
        .any(|&(count, expected)| count > 0 && expected <= 0.0)
    {
        return Some(GoodnessOfFit {
            statistic: f64::INFINITY,
            freedom: counts.len() - 1,
            p_value: 0.0,
        });
    }
    let mut classes: Vec<(u64, f64)> = Vec::new();
    let (mut few, mut expected_few) = (0, 0.0);
    for &(count, expected) in counts {
        if expected >= MIN_EXPECTED_COUNT {
            classes.push((count, expected));
        } else {
            few += count;
            expected_few += expected;
        }
    }
    let rarest = classes
        .iter_mut()
        .min_by(|one, other| one.1.total_cmp(&other.1));
    match rarest {
        Some(rarest) if expected_few < MIN_EXPECTED_COUNT => {
            rarest.0 += few;
            rarest.1 += expected_few;
        }
        _ => classes.push((few, expected_few)),
    }
    let freedom = classes.len() - 1;
    let law = ChiSquared::new(freedom as f64).ok()?;
    let term = |&(count, expected): &(u64, f64)| (count as f64 - expected).powi(2) / expected;
    let statistic = classes.iter().map(term).sum();
    Some(GoodnessOfFit {
        statistic,
        freedom,
        p_value: law.sf(statistic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_few_count_together() {
        // The expected counts 3 and 4 are pooled into a class of 7.
        let fit = goodness_of_fit(&[(10, 12.0), (5, 3.0), (6, 4.0), (9, 11.0)]).unwrap();
        let terms = 4.0 / 12.0 + 16.0 / 7.0 + 4.0 / 11.0;
        assert!((fit.statistic - terms).abs() < 1e-12);
        assert_eq!(fit.freedom, 2);
        // The expected counts 1 and 2 together are below five, so they are pooled with the class of 6.
        let fit = goodness_of_fit(&[(12, 11.0), (5, 6.0), (2, 1.0), (1, 2.0)]).unwrap();
        assert!((fit.statistic - (1.0 / 11.0 + 1.0 / 9.0)).abs() < 1e-12);
        assert_eq!(fit.freedom, 1);
        // In published tables the statistic 3.841 with one degree of freedom has a p-value of 5 %.
        let fit = goodness_of_fit(&[(100, 100.0), (100, 100.0)]).unwrap();
        assert_eq!((fit.statistic, fit.p_value), (0.0, 1.0));
    }

    #[test]
    fn one_class_says_nothing() {
        for counts in [
            &[][..],
            &[(7, 7.0)],
            &[(6, 5.0), (0, 1.0)],
            &[(2, 1.0), (0, 1.0)],
        ] {
            assert_eq!(goodness_of_fit(counts), None, "{counts:?}");
        }
        // An impossible value that was not drawn is no class.
        let fit = goodness_of_fit(&[(40, 50.0), (60, 50.0), (0, 0.0)]).unwrap();
        assert_eq!((fit.statistic, fit.freedom), (4.0, 1));
        assert!((fit.p_value - 0.045_500_264).abs() < 1e-8);
    }
}
