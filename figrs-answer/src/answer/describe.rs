//! Text of answers: summaries of targets and worlds.

use std::any::Any;
use std::fmt;

use figrs_core::{Element, Label, Value};

use super::bounds::{Deepening, DeepeningEnd, TargetBounds};
use super::closed_form::ClosedForm;
use super::contents::{Answer, AnswerContent, TargetMarginal};
use super::estimate::{Estimate, MIN_TRUSTED_ESS, Quality};
use super::marginal::is_real;
use crate::error::Error;
use crate::quality::diagnosis::{ChainMeasures, NumberMeasures};

/// Maximum number of elements of a world in the text of an answer.
const SHOWN: usize = 20;

/// If a target has more than this number of drawn floating-point numbers, its summary states their mean instead of the probability of one number.
const MOST_LISTED: usize = 20;

/// The end of a warning in a summary.
const DOUBT: &str = ", see `diagnose`";

impl TargetMarginal {
    /// Returns the index of the value that a summary of the target mentions: `true` for a Boolean, otherwise the most likely value (the first of
    /// several). Returns `None` if the target cannot have the mentioned value.
    pub(crate) fn shown(&self) -> Option<usize> {
        if self.is_boolean() {
            return self.support.index_of(&true);
        }
        let mut best: Option<usize> = None;
        for (value, &p) in self.probabilities.iter().enumerate() {
            if best.is_none_or(|best| p > self.probabilities[best]) {
                best = Some(value);
            }
        }
        best
    }

    fn is_boolean(&self) -> bool {
        self.element.no_values().insert(&true as &dyn Any).is_some()
    }

    #[doc(hidden)]
    pub fn quality(&self) -> Quality {
        self.estimate
            .quality(&self.probabilities, || self.columns())
    }

    /// Returns the quality of the marginal; `chains` contains the convergence measures of the target's Markov chains, if they have already been
    /// computed.
    fn quality_knowing(&self, chains: Option<&ChainMeasures>) -> Quality {
        chains.map_or_else(
            || self.quality(),
            |chains| Quality::Sampled {
                effective_samples: chains.effective_samples,
            },
        )
    }

    /// Returns one line of text about the target: the probability of `true` or of the most likely value, with its quality. If the values are drawn
    /// floating-point numbers, and no value was drawn twice or there are more than [`MOST_LISTED`] values, the text has the mean and the standard deviation
    /// instead of a probability. Returns `None` if the target has no possible value.
    pub(crate) fn summary(&self) -> Option<String> {
        self.summary_knowing(self.chain_measures().as_ref())
    }

    fn summary_knowing(&self, chains: Option<&ChainMeasures>) -> Option<String> {
        // Draws of a continuous number are equal if they continue the same particle.
        let has_many = || {
            let is_sampled = matches!(self.quality_knowing(chains), Quality::Sampled { .. });
            self.support.len() > MOST_LISTED && is_real(self.support.any(0)) && is_sampled
        };
        if self.never_repeats() || has_many() {
            let parts = self
                .all_moments(chains)
                .into_iter()
                .map(|(component, moments)| {
                    if component.is_empty() {
                        moments
                    } else {
                        format!("{component}: {moments}")
                    }
                });
            return Some(parts.collect::<Vec<String>>().join("; "));
        }
        let shown = self.shown();
        let name = match shown {
            Some(index) => format!("{:?}", self.support.datum(index)),
            None if self.is_boolean() => "true".into(),
            None => return None,
        };
        let p = shown.map_or(0.0, |index| self.probabilities[index]);
        let known = self.quality_knowing(chains);
        let quality = match known {
            Quality::Sampled { effective_samples } => {
                let is_shown = |i| f64::from(u8::from(Some(i) == shown));
                let indicator: Vec<f64> = (0..self.probabilities.len()).map(is_shown).collect();
                let estimate = &self.estimate;
                let error = estimate.event_error_knowing(&self.probabilities, &indicator, known);
                let doubt = if effective_samples < MIN_TRUSTED_ESS {
                    format!(": too few effective samples to trust{DOUBT}")
                } else {
                    String::new()
                };
                let agree = self.probabilities.iter().filter(|p| **p > 0.0).count() < 2;
                let kind = match estimate.unseen().filter(|_| agree) {
                    Some(unseen) if unseen.is_finite() => "95 % bound, as all draws agree",
                    Some(_) => "all draws agree, and the error has no known bound",
                    None => "SE",
                };
                let counted = self.counted();
                format!("{p:.6} ± {error:.6} ({kind}; ESS {effective_samples:.0}{counted}){doubt}")
            }
            Quality::Approximate => {
                format!("{p:.6} approximately (no bound of the error is known)")
            }
            Quality::Exact | Quality::Bounds { .. } => format!("{p:.6} exact"),
        };
        Some(format!("P({name}) = {quality}"))
    }

    /// Returns a text that states how the effective sample size was computed; an empty text if it was computed from weights or from Markov chains.
    fn counted(&self) -> String {
        match &self.estimate {
            Estimate::Groups { groups, .. } => {
                format!(" by the spread of {} populations", groups.len())
            }
            _ => String::new(),
        }
    }

    /// Returns the lines of text about the target: one line for each of its numeric components, or a single line with a probability.
    fn lines(&self, chains: Option<&ChainMeasures>) -> Vec<String> {
        let name = name(&self.element.label());
        let moments = self.all_moments(chains);
        if moments.is_empty() {
            let summary = self.summary_knowing(chains);
            let summary = summary.unwrap_or_else(|| "no value".into());
            let judged = chains.iter().flat_map(|chains| &chains.judged);
            let worst = judged.map(|j| j.r_hat).fold(f64::NAN, f64::max);
            let r_hat = if worst.is_nan() {
                String::new()
            } else {
                format!(", R-hat {worst:.3}")
            };
            return vec![format!("{name}: {summary}{r_hat}")];
        }
        let lines = moments.into_iter();
        lines
            .map(|(component, moments)| format!("{name}{component}: {moments}"))
            .collect()
    }

    /// Returns the mean and the standard deviation of each component of a numeric target, as pairs of the component's index (if there are several
    /// components) and a text.
    fn all_moments(&self, chains: Option<&ChainMeasures>) -> Vec<(String, String)> {
        let columns = self.columns();
        if columns.is_empty() {
            return Vec::new();
        }
        let quality = self.quality_knowing(chains);
        let single = columns.iter().count() == 1;
        let of = |(i, numbers): (usize, &[f64])| {
            let component = if single {
                String::new()
            } else {
                format!("[{i}]")
            };
            let judged = chains.and_then(|chains| chains.judged.get(i));
            (component, self.moments(numbers, quality, judged))
        };
        columns.iter().enumerate().map(of).collect()
    }

    fn moments(
        &self,
        numbers: &[f64],
        quality: Quality,
        judged: Option<&NumberMeasures>,
    ) -> String {
        let expectation = |function: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.probabilities.iter().zip(numbers);
            // A value of probability zero is left out, because it may be infinite.
            terms
                .filter(|&(&p, _)| p > 0.0)
                .map(|(p, &x)| p * function(x))
                .sum()
        };
        let mean = expectation(&|x| x);
        let sd = expectation(&|x| (x - mean).powi(2)).sqrt();
        let moments = format!("mean {}, sd {}", short(mean), short(sd));
        let error = || short(self.estimate.standard_error(&self.probabilities, numbers));
        match (quality, judged) {
            (Quality::Sampled { .. }, Some(judged)) => format!(
                "{moments}, MCSE {}, ESS {:.0} (bulk) {:.0} (tail), R-hat {:.3}",
                error(),
                judged.bulk,
                judged.tail,
                judged.r_hat
            ),
            (Quality::Sampled { effective_samples }, None) => {
                let counted = self.counted();
                format!(
                    "{moments}, MCSE {}, ESS {effective_samples:.0}{counted}",
                    error()
                )
            }
            (Quality::Approximate, _) => format!("{moments} approximately"),
            (Quality::Exact | Quality::Bounds { .. }, _) => format!("{moments} exact"),
        }
    }
}

impl TargetBounds {
    /// Returns one line of text with the bounds of the probability of `true` or, for other types, of the value with the largest lower bound.
    pub(crate) fn summary(&self, deepening: Option<Deepening>) -> String {
        let is_boolean = self.element.no_values().insert(&true as &dyn Any).is_some();
        let shown = if is_boolean {
            self.support.index_of(&true)
        } else {
            self.likely()
        };
        let bounds = match shown {
            Some(i) if !self.cells.is_empty() => {
                let [lower, upper] = self.cells[i];
                let within = self.of(|v| Some(v == i));
                format!("P({} to {}) in {within}", short(lower), short(upper))
            }
            Some(i) => {
                let value = self.of(|v| Some(v == i));
                format!("P({:?}) in {value}", self.support.datum(i))
            }
            None if is_boolean => format!("P(true) in {}", self.of(|_| Some(false))),
            None => "no value is known yet".into(),
        };
        let depth = deepening.map(|deepening| match deepening.ended {
            DeepeningEnd::Budget => {
                format!(" at depth {}, where a limit was reached", deepening.depth)
            }
            DeepeningEnd::Stopped(_) => {
                format!(" at depth {}, where it was stopped", deepening.depth)
            }
            _ => format!(" at depth {}", deepening.depth),
        });
        let assumed = match deepening {
            Some(deepening) if deepening.assumes_monotone => {
                ", if functions are monotone between quantiles"
            }
            _ => "",
        };
        bounds + &depth.unwrap_or_default() + assumed
    }
}

/// Returns the name of an element, or its constructor and source line if it has no name.
fn name(label: &Label) -> String {
    label.name.clone().unwrap_or_else(|| label.to_string())
}

/// Formats `number` with four digits after the decimal point, or with four significant digits if it is very small or large.
fn short(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) || !size.is_finite() {
        // The sum `-0.0 + 0.0` is 0.0.
        format!("{:.4}", number + 0.0)
    } else {
        format!("{number:.3e}")
    }
}

fn closed_form(mixture: &ClosedForm, quality: &str) -> String {
    let number =
        |(mean, variance): &(f64, f64)| format!("{}, sd {}", short(*mean), short(variance.sqrt()));
    let numbers: Vec<String> = mixture.moments().iter().map(number).collect();
    format!("{}({}), {quality}", mixture.name(), numbers.join("; "))
}

impl Answer {
    fn quality_of_mixtures(&self) -> &'static str {
        if self.has_approximate_mixtures() {
            "approximate"
        } else {
            "exact"
        }
    }

    /// Returns a summary in one line: the probability of `true` or of the most likely value, and the quality of this probability. The quality in a
    /// summary is the word exact, the bounds, or the standard error (SE) with the effective sample size (ESS). A warning follows if the ESS is below
    /// ten, or if the Markov chains do not agree about the random choices of their worlds. If no two draws of a floating-point target are equal, or
    /// if the draws have more than twenty values, the summary has the mean and the standard deviation instead, with the standard error of the mean
    /// (MCSE).
    pub fn summary<T: Value>(&self, element: &Element<T>) -> Result<String, Error> {
        if let Some(mixture) = self.closed_form(element.erased()) {
            return Ok(closed_form(mixture, self.quality_of_mixtures()));
        }
        if let AnswerContent::World(_, log_probability, _) = &self.content {
            let value = self.most_likely_value(element)?;
            let quality = if self.is_proven()? {
                format!("most probable world (log-probability {log_probability:.4})")
            } else {
                let bound = self.upper_bound()?;
                let others = if bound.is_finite() {
                    format!("no world is above {bound:.4}")
                } else {
                    "no bound is known".into()
                };
                format!("best world found (log-probability {log_probability:.4}, {others})")
            };
            return Ok(format!("{value:?} in the {quality}"));
        }
        if let Some(target) = self.bounded(element)? {
            return Ok(target.summary(self.deepening));
        }
        let summary = self.target(element)?.summary();
        let summary = summary.ok_or_else(|| Error::not_in_world(element.label()))?;
        let choices = self.choices.as_ref();
        let is_doubtful = choices.is_some_and(|choices| choices.findings().next().is_some());
        Ok(match is_doubtful && !summary.contains(DOUBT) {
            true => format!("{summary}: the chains may not represent all worlds{DOUBT}"),
            false => summary,
        })
    }
}

impl fmt::Display for Answer {
    /// Prints a line for each target, and then a line with the findings of [`diagnose`](Self::diagnose). The line of a numeric target has
    /// its mean and standard deviation and, if they are known, the standard error of the mean (MCSE), effective sample size and R-hat. The
    /// line of any other target has the probability of its most likely value. If the answer is a world, at most twenty elements are
    /// printed, and named elements come first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chains = self.chain_measures();
        match &self.content {
            AnswerContent::Marginals(targets, _) => {
                for (target, chains) in targets.iter().zip(&chains) {
                    for line in target.lines(chains.as_ref()) {
                        writeln!(f, "{line}")?;
                    }
                }
                for (element, mixture) in &self.reals.mixtures {
                    writeln!(
                        f,
                        "{}: {}",
                        name(&element.label()),
                        closed_form(mixture, self.quality_of_mixtures())
                    )?;
                }
            }
            AnswerContent::Bounds(targets, _) => {
                for target in targets {
                    let bounds = target.summary(self.deepening);
                    writeln!(f, "{}: {bounds}", name(&target.element.label()))?;
                }
            }
            AnswerContent::World(values, log_probability, _) => {
                let line = |label: Label, value: String| {
                    let line = format!("{} = {value}", name(&label));
                    (label.name.is_none(), line)
                };
                let lines = values
                    .values()
                    .map(|(e, v)| line(e.label(), format!("{v:?}")));
                let mut lines: Vec<(bool, String)> = lines.collect();
                lines.sort();
                for (_, line) in lines.iter().take(SHOWN) {
                    writeln!(f, "{line}")?;
                }
                if lines.len() > SHOWN {
                    writeln!(f, "… {} elements in all", lines.len())?;
                }
                writeln!(f, "log-probability {}", short(*log_probability))?;
            }
        }
        let diagnosis = self.diagnose_knowing(&chains);
        match diagnosis.findings() {
            [] => write!(f, "{}: {diagnosis}", self.algorithm()),
            [only] => write!(f, "{}: {only}", self.algorithm()),
            [first, others @ ..] => write!(
                f,
                "{}: {first} (and {} more from `diagnose`)",
                self.algorithm(),
                others.len()
            ),
        }
    }
}
