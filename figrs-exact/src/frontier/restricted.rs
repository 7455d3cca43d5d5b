//! Worlds with given values of targets, found by one forward sweep over the states that agree with them.

use super::explore::Exploration;

/// True if some world has these values, each a target's position and the number of its value. `None` is a value that the target never has.
///
/// **Complexity.** Linear in the transitions from the states that agree with the values.
pub(super) fn is_possible(explored: &Exploration, known: &[(usize, Option<u32>)]) -> bool {
    let mut wanted: Vec<Option<u32>> = vec![None; explored.types.len()];
    for &(target, value) in known {
        match (value, wanted[target]) {
            (None, _) => return false,
            (Some(value), Some(other)) if value != other => return false,
            (Some(value), _) => wanted[target] = Some(value),
        }
    }
    let (mut states, mut next) = (vec![0usize], Vec::new());
    // For each state the last step that reached it.
    let mut reached = vec![usize::MAX; explored.largest.max(1)];
    for (number, step) in explored.steps.iter().enumerate() {
        let layer = explored.layer(step);
        if reached.len() < step.states {
            reached.resize(step.states, usize::MAX);
        }
        let reports = layer.reports.iter().zip(&step.reports);
        let reports = reports.filter_map(|(report, &target)| Some((report, wanted[target]?)));
        let reports: Vec<_> = reports.collect();
        next.clear();
        for &state in &states {
            for transition in layer.from(state) {
                let target = layer.targets[transition] as usize;
                let weight = explored.weights.log(layer.weights.get(transition) as usize);
                let is_new = reached[target] != number && weight > f64::NEG_INFINITY;
                if is_new
                    && reports
                        .iter()
                        .all(|(report, code)| report.get(transition) == *code)
                {
                    reached[target] = number;
                    next.push(target);
                }
            }
        }
        std::mem::swap(&mut states, &mut next);
    }
    !states.is_empty()
}
