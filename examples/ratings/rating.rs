//! Skills of players from matches, by expectation propagation along each player's history.
//!
//! A skill is a normal variable that performs a random walk between matches. In a match each player's performance is the skill plus noise; the side
//! with the larger sum of performances wins if it leads by more than the draw margin. The result of a match is a likelihood of one number, the lead.
//! The distribution of the players' skills after a match is updated exactly and then approximated: the players are treated as independent.
//!
//! References: Herbrich, Minka and Graepel, "A Bayesian skill rating system", 2006; Dangauthier, Herbrich, Minka and Graepel, NIPS 2007 (histories).

use figrs_gaussian::{RealLikelihood, Tilted};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::matches::Match;

/// The passes through all matches end when no skill changes by more than this number of standard deviations.
const SETTLED: f64 = 1e-9;

/// The parameters of the distributions of skills, performances and results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Laws {
    /// Mean and standard deviation of the skill of a newcomer.
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    /// Standard deviation of the performance of a player in a match, given the skill of the player.
    pub(crate) performance: f64,
    /// Standard deviation by which a skill changes before each match, or in a day if matches have days.
    pub(crate) drift: f64,
    /// Probability of a draw between equal sides of one player each.
    pub(crate) draw_probability: f64,
}

/// A normal distribution of a player's skill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Skill {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// A Gaussian function in natural parameters; a precision of zero is the constant function.
#[derive(Clone, Copy, Debug, Default)]
struct Message {
    precision: f64,
    /// The product of the precision and the mean of the Gaussian function.
    shift: f64,
}

impl Skill {
    pub(crate) fn deviation(self) -> f64 {
        self.variance.sqrt()
    }

    fn widened(self, variance: f64) -> Self {
        Self {
            variance: self.variance + variance,
            ..self
        }
    }

    fn times(self, message: Message) -> Self {
        let precision = self.variance.recip() + message.precision;
        Self {
            mean: (self.mean / self.variance + message.shift) / precision,
            variance: precision.recip(),
        }
    }
}

impl Message {
    fn times(self, other: Self) -> Self {
        Self {
            precision: self.precision + other.precision,
            shift: self.shift + other.shift,
        }
    }

    /// Convolves the Gaussian function with Gaussian noise of the given variance.
    fn widened(self, variance: f64) -> Self {
        let wider = 1.0 + self.precision * variance;
        Self {
            precision: self.precision / wider,
            shift: self.shift / wider,
        }
    }
}

/// One player's participation in one match.
#[derive(Clone, Debug)]
pub(crate) struct Appearance {
    pub(crate) player: usize,
    /// The index of the match.
    pub(crate) at: usize,
    /// The index of the player's appearance in an earlier match, if there is one.
    before: Option<usize>,
    after: Option<usize>,
    /// Variance of the change of the player's skill since the player's earlier match, or since the start.
    drift: f64,
    /// The distribution of the player's skill before the match, given earlier matches.
    forward: Skill,
    /// The likelihood of the player's skill given the results of later matches.
    backward: Message,
    /// The likelihood of the player's skill given the result of this match.
    result: Message,
}

impl Appearance {
    /// Returns the distribution of the player's skill in the match, given all processed matches.
    pub(crate) fn skill(&self) -> Skill {
        self.forward.times(self.result).times(self.backward)
    }
}

/// The skills of all players in all matches.
#[derive(Debug)]
pub(crate) struct History<'m> {
    laws: Laws,
    matches: &'m [Match],
    /// The appearances of players in matches, one match after another.
    pub(crate) appearances: Vec<Appearance>,
    /// For each match, the index of its first player in `appearances`.
    starts: Vec<usize>,
    /// The index of the last appearance of each player.
    last: Vec<Option<usize>>,
    /// The natural logarithm of the probability of all results; each result is conditioned on the matches before it.
    pub(crate) log_evidence: f64,
}

/// Statistics of the passes through all matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settling {
    pub(crate) passes: u64,
    /// The largest change of a skill in the last pass, in standard deviations.
    pub(crate) moved: f64,
}

impl Settling {
    pub(crate) fn is_settled(self) -> bool {
        self.moved <= SETTLED
    }
}

impl<'m> History<'m> {
    /// Rates the players of all matches in one pass: each match updates the skills that follow from earlier matches.
    ///
    /// **Errors.** Returned for a match whose result has no finite log-probability, or after which a skill is not finite.
    pub(crate) fn new(laws: Laws, players: usize, matches: &'m [Match]) -> Result<Self, &'m Match> {
        let mut this = Self {
            laws,
            matches,
            appearances: Vec::new(),
            starts: Vec::with_capacity(matches.len() + 1),
            last: vec![None; players],
            log_evidence: 0.0,
        };
        for (at, game) in matches.iter().enumerate() {
            this.starts.push(this.appearances.len());
            for &player in game.winners.iter().chain(&game.losers) {
                let before = this.last[player].replace(this.appearances.len());
                let earlier = before.and_then(|i| matches[this.appearances[i].at].day);
                let time = match (game.day, earlier) {
                    (None, _) => 1.0,
                    (Some(day), Some(earlier)) => day - earlier,
                    (Some(_), None) => 0.0,
                };
                if let Some(before) = before {
                    this.appearances[before].after = Some(this.appearances.len());
                }
                this.appearances.push(Appearance {
                    player,
                    at,
                    before,
                    after: None,
                    drift: laws.drift * laws.drift * time,
                    forward: Skill {
                        mean: laws.mean,
                        variance: laws.deviation * laws.deviation,
                    },
                    backward: Message::default(),
                    result: Message::default(),
                });
            }
        }
        this.starts.push(this.appearances.len());
        for at in 0..matches.len() {
            this.look_back(at);
            this.log_evidence += this.update(at)?.1;
        }
        Ok(this)
    }

    /// Passes forwards and backwards through all matches until no skill changes, or for a number of passes.
    ///
    /// **Errors.** The same errors as [`new`](Self::new).
    pub(crate) fn settle(
        &mut self,
        most: u64,
        progress: &dyn Fn(u64) -> bool,
    ) -> Result<Settling, &'m Match> {
        let mut state = Settling {
            passes: 1,
            moved: f64::INFINITY,
        };
        while !state.is_settled() && state.passes < most && progress(state.passes) {
            state.moved = 0.0;
            for at in (0..self.matches.len()).rev() {
                self.look_ahead(at);
                state.moved = state.moved.max(self.update(at)?.0);
            }
            for at in 0..self.matches.len() {
                self.look_back(at);
                state.moved = state.moved.max(self.update(at)?.0);
            }
            state.passes += 1;
        }
        Ok(state)
    }

    /// Computes the distributions of skills before a match from the players' earlier matches.
    fn look_back(&mut self, at: usize) {
        for i in self.starts[at]..self.starts[at + 1] {
            let Appearance { before, drift, .. } = self.appearances[i];
            let earlier = match before {
                Some(before) => {
                    let Appearance {
                        forward, result, ..
                    } = self.appearances[before];
                    forward.times(result)
                }
                None => Skill {
                    mean: self.laws.mean,
                    variance: self.laws.deviation * self.laws.deviation,
                },
            };
            self.appearances[i].forward = earlier.widened(drift);
        }
    }

    /// Computes the likelihoods of the players' skills in a match given the results of later matches.
    fn look_ahead(&mut self, at: usize) {
        for i in self.starts[at]..self.starts[at + 1] {
            if let Some(after) = self.appearances[i].after {
                let Appearance {
                    backward,
                    result,
                    drift,
                    ..
                } = self.appearances[after];
                self.appearances[i].backward = backward.times(result).widened(drift);
            }
        }
    }

    /// Computes the likelihoods of the players' skills given the result of a match. The function returns the largest change of a skill, in standard
    /// deviations, and the natural logarithm of the probability of the match's result.
    ///
    /// **Errors.** The match is returned as the error if the change, the log-probability or a skill is not finite.
    fn update(&mut self, at: usize) -> Result<(f64, f64), &'m Match> {
        let game = &self.matches[at];
        let appearances = &mut self.appearances[self.starts[at]..self.starts[at + 1]];
        let noise = self.laws.performance * self.laws.performance;
        let sign = |side: usize| if side < game.winners.len() { 1.0 } else { -1.0 };
        let others: Vec<Skill> = appearances
            .iter()
            .map(|a| a.forward.times(a.backward))
            .collect();
        let signed = others.iter().enumerate();
        let lead: f64 = signed.map(|(side, skill)| sign(side) * skill.mean).sum();
        let variance = others
            .iter()
            .map(|skill| skill.variance + noise)
            .sum::<f64>();
        let margin = self.laws.margin(others.len());
        let likelihood = if game.is_draw {
            RealLikelihood::Between(-margin, margin)
        } else {
            RealLikelihood::Between(margin, f64::INFINITY)
        };
        if !(lead.is_finite() && variance.is_finite()) {
            return Err(game);
        }
        let Tilted {
            log_mass,
            mean,
            variance: narrowed,
        } = likelihood.tilted(lead, variance).ok_or(game)?;
        let mut moved: f64 = 0.0;
        for (side, (appearance, other)) in appearances.iter_mut().zip(others).enumerate() {
            let gain = sign(side) * other.variance / variance;
            let before = other.times(appearance.result);
            let after = Skill {
                mean: other.mean + gain * (mean - lead),
                variance: other.variance + gain * gain * (narrowed - variance),
            };
            let precision = gain * gain * (variance - narrowed) / (other.variance * after.variance);
            appearance.result = Message {
                precision,
                shift: (after.mean - other.mean) / after.variance + other.mean * precision,
            };
            let skill = other.times(appearance.result);
            let numbers = [skill.mean, skill.variance, skill.variance.recip(), log_mass];
            if !numbers.iter().all(|x| x.is_finite()) {
                return Err(game);
            }
            moved = moved.max((after.mean - before.mean).abs() / after.deviation());
            moved = moved.max((after.variance / before.variance - 1.0).abs());
        }
        Ok((moved, log_mass))
    }

    /// Returns the skill of a player after the player's last match.
    pub(crate) fn last_skill(&self, player: usize) -> Option<Skill> {
        Some(self.appearances[self.last[player]?].skill())
    }
}

impl Laws {
    /// Returns the lead in performance up to which a match of the given number of players is a draw.
    pub(crate) fn margin(&self, players: usize) -> f64 {
        let half = f64::midpoint(1.0, self.draw_probability);
        Normal::standard().inverse_cdf(half) * (players as f64).sqrt() * self.performance
    }
}
