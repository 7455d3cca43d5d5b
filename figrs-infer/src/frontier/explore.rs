//! The states that can be reached, frontier after frontier.

use figrs_core::Support;
use figrs_core::weights::Weights;

use super::codes::Key;
use super::frontiers::Frontiers;
use super::halt::{Allowance, Halt};
use super::layer::Layer;
use super::linear::Linear;
use super::plan::{Planned, plan};
use super::renumber::{numbered_anew, widened};
use super::rules::Rules;
use super::shape::Shapes;
use super::transitions::too_large;

/// A step of the exploration: the transitions from the first states of a layer to the first ones of the next.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The number of the layer.
    pub(super) layer: usize,
    /// How many states it starts from.
    pub(super) sources: usize,
    /// How many states it leads to.
    pub(super) states: usize,
    /// The targets whose values its transitions report.
    pub(super) reports: Vec<usize>,
}

/// All that is known after an exploration.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) steps: Vec<Step>,
    layers: Vec<Layer>,
    pub(super) weights: Weights,
    /// The values of each type.
    pub(super) values: Vec<Support>,
    /// The type of each target's values.
    pub(super) types: Vec<usize>,
    /// Whether transitions stand for single worlds.
    pub(super) are_worlds: bool,
    /// How many steps are the same as earlier ones.
    pub(super) repeated: usize,
    /// The states of the largest frontier.
    pub(super) largest: usize,
    /// Bytes that the layers take.
    pub(super) bytes: u64,
}

impl Explored {
    /// The transitions of a step, after which those of others may come.
    pub(super) fn layer(&self, step: &Step) -> &Layer {
        &self.layers[step.layer]
    }
}

/// Explores all assignments that the elements of the model can have together.
pub(super) fn explore(linear: &Linear, allowance: Allowance<'_>) -> Result<Explored, Halt> {
    let mut rules = Rules::new(linear);
    let swept = sweep(&mut rules, Aim::Everything, allowance)?;
    let optional = linear
        .slots
        .iter()
        .any(|slot| slot.optional && slot.is_random());
    Ok(Explored {
        steps: swept.steps,
        layers: swept.layers,
        are_worlds: !rules.merged && !optional,
        types: linear
            .targets
            .iter()
            .map(|&place| rules.types[place])
            .collect(),
        weights: rules.weighing.finish(),
        values: rules.codes.finish(),
        repeated: swept.repeated,
        largest: swept.largest,
        bytes: swept.bytes,
    })
}

/// What to explore for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// All steps, to be kept.
    Everything,
    /// The first step at which a target can be true; transitions are not kept.
    FirstTrue,
}

/// What was met, frontier after frontier.
#[derive(Debug, Default)]
pub(super) struct Swept {
    steps: Vec<Step>,
    layers: Vec<Layer>,
    /// How many steps were made.
    met: u64,
    /// How many steps are the same as earlier ones.
    repeated: usize,
    /// The states of the largest frontier.
    pub(super) largest: usize,
    /// Bytes that the layers take, or would take if they were kept.
    pub(super) bytes: u64,
    /// The first target that can be true, if that is what was asked for.
    pub(super) first: Option<usize>,
    /// Whether some step was an earlier one, or left no state.
    pub(super) settled: bool,
}

/// Goes through the steps, with keys as narrow as can be.
pub(super) fn sweep(
    rules: &mut Rules<'_>,
    aim: Aim,
    allowance: Allowance<'_>,
) -> Result<Swept, Halt> {
    let plan = plan(rules.linear);
    let mut swept = sweep_in::<1>(rules, &plan, aim, allowance);
    let wider = [sweep_in::<2>, sweep_in::<4>, sweep_in::<16>, sweep_in::<64>];
    for sweep in wider {
        if !matches!(swept, Err(Halt::Wider)) {
            break;
        }
        // What is known of the step that was given up has numbers of that sweep.
        for place in 0..rules.linear.slots.len() {
            rules.forget(place);
        }
        swept = sweep(rules, &plan, aim, allowance);
    }
    swept
}

fn sweep_in<const W: usize>(
    rules: &mut Rules<'_>,
    plan: &[Planned],
    aim: Aim,
    allowance: Allowance<'_>,
) -> Result<Swept, Halt> {
    let mut frontiers = Frontiers::<W>::new(allowance.memory as usize);
    let mut shapes = Shapes::default();
    let mut next = plan.first().map(|planned| shapes.of(rules, planned));
    let mut at = frontiers.restart(vec![Key::EMPTY], next);
    let mut swept = Swept {
        largest: 1,
        ..Swept::default()
    };
    for (number, planned) in plan.iter().enumerate() {
        if allowance.run.stopped().is_some() {
            return Err(allowance.run.nothing_done().into());
        }
        let Some(shape) = next else { break };
        next = (plan.get(number + 1)).map(|planned| shapes.of(rules, planned));
        let led = loop {
            let kept = match aim {
                Aim::Everything => swept.bytes,
                Aim::FirstTrue => 0,
            };
            let step = (planned, (shape, next));
            if let Some(led) = frontiers.step(rules, step, at, (kept, allowance))? {
                break led;
            }
            // Some numbers have become too large for their bits.
            let states = widened(rules, planned, frontiers.states(at))?;
            at = frontiers.restart(states, Some(shape));
        };
        for place in planned.places.clone() {
            rules.forget(place);
        }
        let (from, to) = (at, led.to);
        let is_known = led.layer.is_some() && led.further.is_none();
        swept.repeated += usize::from(is_known);
        swept.settled |= is_known || to.states == 0;
        swept.largest = swept.largest.max(to.states);
        let further = led.further.as_ref();
        swept.bytes += further.map_or(0, |layer| layer.bytes() as u64);
        let reports = planned.targets.clone();
        swept.met += 1;
        if aim == Aim::FirstTrue {
            swept.first = further.and_then(|layer| rules.first_true(layer, &reports));
            if swept.first.is_some() {
                return Ok(swept);
            }
        }
        let layer = led.layer.unwrap_or(swept.layers.len());
        if led.layer.is_none() {
            frontiers.remember((shape, next), (from, to), layer);
        }
        if aim == Aim::Everything {
            match (swept.layers.get_mut(layer), led.further) {
                (Some(layer), Some(further)) => {
                    if !layer.append(&further) {
                        let bytes = (layer.bytes() + further.bytes()) as u64;
                        return Err(too_large(rules, planned, to.states, bytes, allowance));
                    }
                }
                (None, Some(further)) => swept.layers.push(further),
                (_, None) => {}
            }
            swept.steps.push(Step {
                layer,
                sources: from.states,
                states: to.states,
                reports,
            });
        }
        frontiers.leave(from, to);
        at = to;
        if let Some(numbered) = numbered_anew(rules, planned, frontiers.states(at))? {
            at = frontiers.restart(numbered, next);
        }
        allowance.run.report(swept.met);
    }
    for layer in &mut swept.layers {
        layer.shrink();
    }
    Ok(swept)
}
