//! The stages of a jump: the arcs as one small automaton.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use indexmap::IndexSet;

use super::JUMP_ARCS;

/// Stage of a jump, a number below 64: the state of the automaton of arcs.
pub(super) type Stage = u8;

/// Not in a jump: standing or falling.
pub(super) const FREE: Stage = 0;
/// About to jump; no player is ever in this stage.
pub(super) const TAKE_OFF: Stage = 1;

/// One step of a jump.
#[derive(Clone, Copy, Debug)]
pub(super) struct JumpStep {
    pub(super) dx: i8,
    pub(super) dy: i8,
    pub(super) then: Stage,
}

/// Automaton of jumps: for each stage the steps that may come next.
///
/// A stage is the set of the possible remainders of the arcs, so that arcs share their stages where they begin alike or end
/// alike: 39 cells of five arcs and as many mirrored ones make 33 stages.
#[derive(Debug)]
pub(super) struct JumpAutomaton {
    steps: Vec<Vec<JumpStep>>,
    /// The stages that a step to the left leads to, the free one included.
    leftward: Vec<Stage>,
}

/// The steps of a jump that are still to come.
type ArcRemainder = Vec<(i8, i8)>;

impl JumpAutomaton {
    /// The stages of [`JUMP_ARCS`] and their mirror images.
    pub(super) fn published() -> &'static Self {
        static STAGES: LazyLock<JumpAutomaton> = LazyLock::new(|| JumpAutomaton::of(&JUMP_ARCS));
        &STAGES
    }

    fn of(arcs: &[&[(i8, i8)]]) -> Self {
        let mut whole: BTreeSet<ArcRemainder> = BTreeSet::new();
        for arc in arcs {
            let before = std::iter::once(&(0, 0)).chain(*arc);
            let steps = arc.iter().zip(before);
            let right: ArcRemainder = steps.map(|(to, at)| (to.0 - at.0, to.1 - at.1)).collect();
            whole.insert(right.iter().map(|&(dx, dy)| (-dx, dy)).collect());
            whole.insert(right);
        }
        let mut stages: IndexSet<BTreeSet<ArcRemainder>> = IndexSet::from([BTreeSet::new(), whole]);
        let mut steps = Vec::new();
        while let Some(stage) = stages.get_index(steps.len()) {
            let mut next: BTreeMap<(i8, i8), BTreeSet<ArcRemainder>> = BTreeMap::new();
            for rest in stage {
                if let Some((&first, rest)) = rest.split_first() {
                    let after = next.entry(first).or_default();
                    after.extend((!rest.is_empty()).then(|| rest.to_vec()));
                }
            }
            let next = next.into_iter().map(|((dx, dy), rest)| JumpStep {
                dx,
                dy,
                then: stages.insert_full(rest).0 as Stage,
            });
            steps.push(next.collect::<Vec<_>>());
        }
        let left = steps.iter().flatten().filter(|step| step.dx < 0);
        let leftward: BTreeSet<Stage> = left.map(|step| step.then).chain([FREE]).collect();
        Self {
            steps,
            leftward: leftward.into_iter().collect(),
        }
    }

    pub(super) fn steps(&self, stage: Stage) -> &[JumpStep] {
        &self.steps[usize::from(stage)]
    }

    pub(super) fn leftward(&self) -> &[Stage] {
        &self.leftward
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_spell_the_arcs_and_their_mirror_images_and_nothing_else() {
        let stages = JumpAutomaton::published();
        let mut spelt: BTreeSet<ArcRemainder> = BTreeSet::new();
        let mut open = vec![(TAKE_OFF, vec![(0, 0)])];
        while let Some((stage, cells)) = open.pop() {
            if stage == FREE {
                spelt.insert(cells[1..].to_vec());
            }
            for step in stages.steps(stage) {
                let &(x, y) = cells.last().unwrap();
                let mut longer = cells.clone();
                longer.push((x + step.dx, y + step.dy));
                open.push((step.then, longer));
            }
        }
        let mirrored =
            |arc: &[(i8, i8)]| arc.iter().map(|&(x, y)| (-x, y)).collect::<ArcRemainder>();
        let expected = JUMP_ARCS
            .iter()
            .flat_map(|arc| [arc.to_vec(), mirrored(arc)]);
        assert_eq!(spelt, expected.collect());
    }

    #[test]
    fn stages_fit_a_word_and_steps_stay_within_one_column() {
        let stages = JumpAutomaton::published();
        assert_eq!(stages.steps.len(), 33);
        let all = stages.steps.iter().flatten();
        assert!(all.clone().all(|step| (-1..=1).contains(&step.dx)));
    }
}
