//! Distributions of targets for text and charts: labels and probabilities of classes (bins) of values.

use std::fmt;

use serde::Serialize;

use super::contents::{Answer, AnswerContent, TargetMarginal};
use super::marginal::write_bars;
use crate::answer::value_names::{distinct_names, text};

/// Maximum number of values that are listed separately, and number of intervals (bins) for a numeric target with more values.
const CLASSES: usize = 20;

/// The distribution of one target, as labelled classes of values.
///
/// The text of a posterior (`Display`) has a line with a bar for each class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Posterior {
    /// The name of the target, or its constructor and source line.
    pub target: String,
    /// The name of the algorithm that computed the answer.
    pub algorithm: String,
    /// The labels of the classes. If a target has at most twenty values, each value is a class; numbers are in ascending order. If a target has more
    /// than twenty values that are numbers, each class is an interval. If the values are not numbers and there are more than twenty, the twenty most
    /// likely values are classes, and all remaining values together are one class.
    pub classes: Vec<String>,
    /// The probability of each class.
    pub probabilities: Vec<f64>,
    /// For each class, the standard error of its probability: zero if the probability is exact, NaN if the error is unknown.
    pub standard_errors: Vec<f64>,
}

impl Answer {
    /// Returns the distributions of all targets, in the order of the targets.
    ///
    /// **Errors.** [`Error::NotInAnswer`](crate::Error::NotInAnswer) if the answer contains bounds or a world.
    ///
    /// ```
    /// # use figrs_core::{Model, Select};
    /// # use figrs_infer::{Run, VariableElimination};
    /// let die = Select::new([(0.5, 1), (0.25, 2), (0.25, 6)]).named("die");
    /// let answer = VariableElimination::new().run(&Model::new(), &die)?;
    /// print!("{}", answer.posteriors()?[0]);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn posteriors(&self) -> Result<Vec<Posterior>, crate::Error> {
        let AnswerContent::Marginals(targets, _) = &self.content else {
            return Err(self.missing_content_error(
                "distribution",
                "ask an algorithm that answers with marginals, such as VariableElimination",
            ));
        };
        let elements: Vec<_> = targets
            .iter()
            .map(|target| target.element.clone())
            .collect();
        let names = distinct_names(&elements, &[]);
        let named = names.into_iter().zip(targets);
        let posterior = |(name, target): (String, &TargetMarginal)| {
            let (mut probabilities, mut standard_errors) = (Vec::new(), Vec::new());
            let (classes, positions): (Vec<String>, Vec<Vec<usize>>) =
                target.classes().into_iter().unzip();
            for class in &positions {
                let mut indicator = vec![0.0; target.probabilities.len()];
                for &i in class {
                    indicator[i] = 1.0;
                }
                // The sum of an empty list of floating-point numbers is -0.0; a fold from 0.0 returns 0.0.
                let p = class
                    .iter()
                    .fold(0.0, |sum, &i| sum + target.probabilities[i]);
                probabilities.push(p);
                let columns = || target.columns();
                let estimate = &target.estimate;
                standard_errors.push(estimate.event_error(
                    &target.probabilities,
                    &indicator,
                    columns,
                ));
            }
            Posterior {
                target: name,
                algorithm: self.algorithm().to_owned(),
                classes,
                probabilities,
                standard_errors,
            }
        };
        Ok(named.map(posterior).collect())
    }
}

impl TargetMarginal {
    /// Returns the labels of the classes, each with the indices of the values in the class.
    fn classes(&self) -> Vec<(String, Vec<usize>)> {
        let mut order: Vec<usize> = (0..self.support.len()).collect();
        let single = |&i: &usize| (text(&self.support.datum(i)), vec![i]);
        let columns = self.columns();
        let mut columns = columns.iter();
        if let (Some(numbers), None) = (columns.next(), columns.next()) {
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            let ends = order.first().zip(order.last());
            let ends = ends.map(|(&first, &last)| (numbers[first], numbers[last]));
            if let Some((low, high)) = ends
                && order.len() > CLASSES
                && (high - low).is_finite()
            {
                return intervals(numbers, (low, high));
            }
        }
        if order.len() <= CLASSES {
            return order.iter().map(single).collect();
        }
        order.sort_by(|&a, &b| self.probabilities[b].total_cmp(&self.probabilities[a]));
        let rest = order.split_off(CLASSES);
        let mut classes: Vec<_> = order.iter().map(single).collect();
        classes.push((format!("{} others", rest.len()), rest));
        classes
    }
}

/// Divides the range from `low` to `high` into intervals of equal length. Returns the label of each interval, with the indices of the `numbers` that
/// lie in the interval.
fn intervals(numbers: &[f64], (low, high): (f64, f64)) -> Vec<(String, Vec<usize>)> {
    let step = (high - low) / CLASSES as f64;
    let end = |i: usize| low + step * i as f64;
    let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize + 2;
    let name = |i| format!("{:.digits$} to {:.digits$}", end(i), end(i + 1));
    let mut classes: Vec<_> = (0..CLASSES).map(|i| (name(i), Vec::new())).collect();
    for (position, x) in numbers.iter().enumerate() {
        let class = ((x - low) / step) as usize;
        classes[class.min(CLASSES - 1)].1.push(position);
    }
    classes
}

impl fmt::Display for Posterior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({})", self.target, self.algorithm)?;
        let bars = self.classes.iter().zip(self.probabilities.iter().copied());
        write_bars(f, &bars.collect::<Vec<_>>())
    }
}
