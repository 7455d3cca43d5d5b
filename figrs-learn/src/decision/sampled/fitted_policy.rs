//! Regression of utilities on the values that are known at a decision, separately for each option. The estimate for an option is the mean utility of
//! the draws with equal known values, or of the draws with the nearest known values.

use std::any::Any;
use std::sync::Arc;

use figrs_core::internals::ChoosePolicy;
use figrs_core::{AnyElement, Datum, Fault};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::known_space::{GivenCoordinates, KnownPlace, KnownSpace};
use super::neighbour_tree::NeighbourTree;
use super::utility_estimate::{UtilityEstimate, WeightedUtility};
use super::weighted_draws::WeightedDraws;
use crate::decision::problem::AskedDecision;
use figrs_answer::error::Error;

/// The policy of a decision, estimated from draws in which the decision was made at random.
#[derive(Debug)]
pub(super) struct FittedPolicy {
    pub(super) decision: AskedDecision,
    pub(super) space: KnownSpace,
    /// The draws of each option, grouped into classes: the draws of a class agree in all known values that must match exactly. The classes of draws
    /// are in the order in which their first draws occur.
    classes: IndexMap<Vec<u32>, Vec<OptionDraws>, FxBuildHasher>,
    best_on_average: usize,
    /// The known values in the rows of the policy's printed table.
    examples: Vec<Vec<Datum>>,
    settings: RegressionSettings,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RegressionSettings {
    /// Number of nearest draws whose mean utility is the estimate for an option.
    pub(super) neighbours: usize,
    /// Ratio of the variance of a mean of draws to that of a mean of independent draws. The ratio exceeds one for the draws of a Markov chain,
    /// because these draws depend on each other.
    pub(super) inflation: f64,
}

/// The draws of one class (with equal values of the exactly matched variables) in which the decision took one option.
#[derive(Clone, Debug, Default)]
struct OptionDraws {
    draws: Vec<WeightedUtility>,
    /// For each draw, its known values (those compared by distance) as coordinates of a point. The coordinates are moved into the search tree for
    /// nearest points when the tree is built.
    points: Vec<f64>,
    /// The search tree for nearest points; `None` if all known values are matched exactly.
    tree: Option<NeighbourTree>,
    /// The mean utility of all draws of the class in which the decision took the option.
    mean: Option<UtilityEstimate>,
}

pub(super) struct FittedRow {
    pub(super) known: Vec<Datum>,
    pub(super) option: usize,
    pub(super) utility: UtilityEstimate,
}

impl FittedPolicy {
    pub(super) fn new(
        decision: AskedDecision,
        known: &[AnyElement],
        (draws, utilities): (&WeightedDraws<'_>, &[f64]),
        settings: RegressionSettings,
        given: &[GivenCoordinates],
    ) -> Result<Self, Error> {
        let element = &decision.element;
        let space = KnownSpace::new((element, known), draws, settings.neighbours, given)?;
        let options = decision.options.len();
        let dimensions = space.dimensions();
        let chosen = draws.target(element)?;
        let chosen_options: Vec<Option<usize>> = (0..chosen.support.len())
            .map(|value| decision.options.index_of(chosen.support.any(value)))
            .collect();
        let known = known.iter().map(|known| draws.target(known));
        let known = known.collect::<Result<Vec<_>, Error>>()?;
        let mut classes = IndexMap::<Vec<u32>, Vec<OptionDraws>, FxBuildHasher>::default();
        let mut all = vec![OptionDraws::default(); options];
        for (&(draw, weight), &utility) in draws.weights.iter().zip(utilities) {
            let Some(option) = chosen_options[chosen.indices[draw] as usize] else {
                continue;
            };
            let values = known
                .iter()
                .map(|known| known.support.any(known.indices[draw] as usize));
            let values: Vec<&dyn Any> = values.collect();
            let place = space.place(&values);
            let KnownPlace { class, point } = place.map_err(|(of, fault)| of.fault(fault))?;
            let class = classes.entry(class.unwrap_or_default());
            let class = class.or_insert_with(|| vec![OptionDraws::default(); options]);
            let drawn = WeightedUtility { weight, utility };
            class[option].draws.push(drawn);
            class[option].points.extend(point);
            all[option].draws.push(drawn);
        }
        let inflation = settings.inflation;
        for class in classes.values_mut().flatten() {
            class.mean = UtilityEstimate::of(class.draws.iter().copied(), inflation);
            let points = std::mem::take(&mut class.points);
            class.tree = (dimensions > 0).then(|| NeighbourTree::new(&points, dimensions));
        }
        let mut means = Vec::with_capacity(options);
        for (option, drawn) in all.iter().enumerate() {
            let mean = UtilityEstimate::of(drawn.draws.iter().copied(), inflation);
            means.push(Some(mean.ok_or_else(|| Error::OptionNotDrawn {
                decision: element.label(),
                option: format!("{:?}", decision.options.datum(option)),
            })?));
        }
        let examples = if dimensions == 0 {
            space.classes(classes.keys())
        } else {
            space.spread(&known, draws)
        };
        let best_on_average = best(&means).map_or(0, |(option, _)| option);
        Ok(Self {
            decision,
            space,
            classes,
            best_on_average,
            examples,
            settings,
        })
    }

    /// Returns the estimated utility of each option for the known values `place`; `None` for an option that occurs in no draw of the same class.
    pub(super) fn utilities(&self, place: &KnownPlace) -> Vec<Option<UtilityEstimate>> {
        let class = place
            .class
            .as_ref()
            .and_then(|class| self.classes.get(class));
        let options = class.map_or(&[][..], Vec::as_slice).iter();
        options
            .map(|option| option.utility(&place.point, self.settings))
            .collect()
    }

    /// Returns the index of the option that the policy chooses for the known values `place`. If no draw has the known values that must match exactly,
    /// the policy chooses the option with the largest mean utility over all draws.
    pub(super) fn choice(&self, place: &KnownPlace) -> usize {
        let found = best(&self.utilities(place));
        found.map_or(self.best_on_average, |(option, _)| option)
    }

    /// Returns the rows of the policy's printed table. If all known values are matched exactly, the policy has a row for each combination of values;
    /// otherwise its rows have the known values of some of the draws.
    pub(super) fn rows(&self) -> Vec<FittedRow> {
        let examples = self.examples.iter();
        examples
            .filter_map(|known| self.row(known.clone()))
            .collect()
    }

    fn row(&self, known: Vec<Datum>) -> Option<FittedRow> {
        let values: Vec<&dyn Any> = known.iter().map(Datum::as_any).collect();
        let place = self.space.place(&values).ok()?;
        let (option, utility) = best(&self.utilities(&place))?;
        Some(FittedRow {
            known,
            option,
            utility,
        })
    }
}

/// Returns the index and the estimated utility of the best option; of several equally good options, the first.
fn best(utilities: &[Option<UtilityEstimate>]) -> Option<(usize, UtilityEstimate)> {
    let mut best: Option<(usize, UtilityEstimate)> = None;
    for (option, utility) in utilities.iter().enumerate() {
        if let Some(utility) = utility
            && best.is_none_or(|(_, best)| utility.mean > best.mean)
        {
            best = Some((option, *utility));
        }
    }
    best
}

impl OptionDraws {
    /// Returns the mean utility of the draws whose known values are nearest to `point`.
    fn utility(&self, point: &[f64], settings: RegressionSettings) -> Option<UtilityEstimate> {
        let Some(tree) = &self.tree else {
            return self.mean;
        };
        let mut nearest = tree.nearest(point, settings.neighbours);
        // The sum is computed in the order of the draws, not in the order in which the search found them; rounding errors are then reproducible.
        nearest.sort_unstable();
        let nearest = nearest.iter().map(|&number| self.draws[number as usize]);
        UtilityEstimate::of(nearest, settings.inflation)
    }
}

pub(super) struct FittedChoice(pub(super) Arc<FittedPolicy>);

impl ChoosePolicy for FittedChoice {
    fn choose(&self, known: &[&dyn Any]) -> Result<usize, Fault> {
        let place = self.0.space.place(known);
        let place = place.map_err(|(of, fault)| match fault {
            Fault::Row(problem) => Fault::Row(format!("{}: {problem}", of.label())),
            fault => fault,
        })?;
        Ok(self.0.choice(&place))
    }
}
