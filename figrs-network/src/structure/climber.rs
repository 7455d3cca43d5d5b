//! A network structure in a search, with the gain in the score by each possible change of an arc. The gains of possible arc changes are updated after
//! each change.

use super::arc_rules::ArcRules;
use super::dag::{ArcChange, Dag};
use super::family_scores::FamilyScores;

/// A network structure with the score of each variable and, for each possible change of an arc, the gain in the total score.
///
/// The value `gains[child][parent]` is the score of the child after the parent is added (or removed if present), minus its present score. The gain of
/// an arc change that the rules exclude is minus infinity.
pub(super) struct Climber<'c, 'd> {
    families: &'c mut FamilyScores<'d>,
    rules: &'c ArcRules,
    dag: Dag,
    scores: Vec<f64>,
    gains: Vec<Vec<f64>>,
    preference: ChildPreference,
    /// Largest difference at which two scores are treated as equal, because the difference may be a rounding error.
    resolution: f64,
}

/// The variable that is preferred as the child when several arc changes have equal gain. Equal gains are frequent, because adding an arc and adding
/// its reverse often have the same gain.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChildPreference {
    /// Among arc changes of equal gain, the change whose child has the fewest children is preferred, and then the first variable as the child.
    FewestChildren,
    /// Among arc changes of equal gain, the change with the last variable as its child is preferred.
    Last,
}

/// Returns the largest difference between scores that may be a rounding error for `total` cases; terms of scores are as large as `N ln N`.
pub(super) fn resolution(total: u64) -> f64 {
    let total = total.max(2) as f64;
    1e-12 + 1e-13 * total * total.ln()
}

impl<'c, 'd> Climber<'c, 'd> {
    /// Creates a climber (a hill-climbing search) that starts at the structure `start`; `None` if the work was interrupted.
    pub(super) fn new(
        families: &'c mut FamilyScores<'d>,
        rules: &'c ArcRules,
        start: Dag,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let variables = start.len();
        let resolution = resolution(families.rows().total());
        let mut climber = Self {
            families,
            rules,
            scores: vec![0.0; variables],
            gains: vec![vec![f64::NEG_INFINITY; variables]; variables],
            preference: ChildPreference::FewestChildren,
            dag: start,
            resolution,
        };
        for child in 0..variables as u32 {
            climber.refresh(child, is_interrupted)?;
        }
        Some(climber)
    }

    pub(super) fn dag(&self) -> &Dag {
        &self.dag
    }

    pub(super) fn rules(&self) -> &'c ArcRules {
        self.rules
    }

    pub(super) fn prefer(&mut self, preference: ChildPreference) {
        self.preference = preference;
    }

    /// Returns the variables in the order in which they are preferred as children.
    fn children(&self) -> Vec<u32> {
        let mut children: Vec<u32> = (0..self.dag.len() as u32).collect();
        match self.preference {
            ChildPreference::FewestChildren => {
                let mut counts = vec![0; children.len()];
                for &parent in self.dag.all_parents().iter().flatten() {
                    counts[parent as usize] += 1;
                }
                // The sort is stable, so that variables with the same number of children keep their order.
                children.sort_by_key(|&child| counts[child as usize]);
            }
            ChildPreference::Last => children.reverse(),
        }
        children
    }

    pub(super) fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    pub(super) fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Recomputes the gains of arc changes whose child is `child`, after the parents of `child` changed; `None` if the work was interrupted.
    fn refresh(&mut self, child: u32, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<()> {
        let own = self.families.family(child, self.dag.parents(child));
        self.scores[child as usize] = own;
        let may_change = |&parent: &u32| {
            if self.dag.has(parent, child) {
                !self.rules.requires(parent, child)
            } else {
                self.rules.allows_parent(&self.dag, parent, child)
            }
        };
        let candidates: Vec<u32> = (0..self.dag.len() as u32).filter(may_change).collect();
        let parents = self.dag.parents(child);
        let scores = self
            .families
            .toggled(child, parents, &candidates, is_interrupted)?;
        let gains = &mut self.gains[child as usize];
        gains.fill(f64::NEG_INFINITY);
        for (&candidate, score) in candidates.iter().zip(scores) {
            gains[candidate as usize] = score - own;
        }
        Some(())
    }

    /// Returns the gain in the score by `change`; the gain is minus infinity if the rules exclude the change. An arc change that closes a cycle has a
    /// gain as well.
    pub(super) fn gain(&self, change: ArcChange) -> f64 {
        let gain = |from: u32, to: u32| self.gains[to as usize][from as usize];
        match change {
            ArcChange::Add(from, to) | ArcChange::Delete(from, to) => gain(from, to),
            ArcChange::Reverse(from, to) => gain(from, to) + gain(to, from),
        }
    }

    /// Returns the arc change with the largest gain among the allowed changes that `is_eligible` accepts. Among changes of equal gain, additions of
    /// arcs are preferred to deletions, and deletions to reversals.
    pub(super) fn best_change(
        &self,
        mut is_eligible: impl FnMut(ArcChange, f64) -> bool,
    ) -> Option<(ArcChange, f64)> {
        let children = self.children();
        let mut best: Option<(ArcChange, f64)> = None;
        for kind in [ArcChange::Add, ArcChange::Delete, ArcChange::Reverse] {
            for &to in &children {
                for from in 0..self.dag.len() as u32 {
                    let change = kind(from, to);
                    let gain = self.gain(change);
                    let least = best.map_or(f64::NEG_INFINITY, |(_, gain)| gain + self.resolution);
                    if gain > least && is_eligible(change, gain) && self.dag.allows(change) {
                        best = Some((change, gain));
                    }
                }
            }
        }
        best
    }

    /// Makes the arc change `change` in the structure. If the work is interrupted, the result is `None`: the structure has changed, but the gains of
    /// further changes are not updated.
    pub(super) fn make(
        &mut self,
        change: ArcChange,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Option<()> {
        let mut dag = self.dag.clone();
        dag.change(change);
        self.go_to(dag, is_interrupted)
    }

    /// Replaces the structure by `dag`. If the work is interrupted, the result is `None`: the structure is replaced, but the gains of arc changes are
    /// not updated.
    pub(super) fn go_to(
        &mut self,
        dag: Dag,
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Option<()> {
        let before = std::mem::replace(&mut self.dag, dag);
        let children = 0..before.len() as u32;
        let changed = children.filter(|&v| before.parents(v) != self.dag.parents(v));
        let changed: Vec<u32> = changed.collect();
        for &child in &changed {
            // The scores are updated first, and therefore belong to the new structure even if an interrupt leaves the gains outdated.
            self.scores[child as usize] = self.families.family(child, self.dag.parents(child));
        }
        for child in changed {
            self.refresh(child, is_interrupted)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::rand::RngExt;
    use figrs_core::stream;

    use super::super::super::Network;
    use super::super::NetworkScore;
    use super::super::row_counts::RowCounts;
    use super::*;

    /// Returns the score of the structure `dag`, recomputed from the data instead of updated by gains.
    fn rescored(rows: &RowCounts, score: NetworkScore, dag: &Dag) -> f64 {
        let mut families = FamilyScores::new(rows, score, 1);
        let children = 0..dag.len() as u32;
        children.map(|v| families.family(v, dag.parents(v))).sum()
    }

    #[test]
    fn gains_are_differences_of_scores_and_steps_never_lower_them() {
        let mut random = stream(1, 0);
        let mut text = String::from("a,b,c,d,e,f\n");
        for _ in 0..200 {
            let first = random.random_range(0..4);
            let mut cell = || ((first + random.random_range(0..3)) >> 1) % 3;
            let cells: Vec<String> = (0..6).map(|_| cell().to_string()).collect();
            text += &(cells.join(",") + "\n");
        }
        let (network, data) = Network::from_data_csv(&text).unwrap();
        let rows = RowCounts::new(&network, &data).unwrap();
        let rules = ArcRules::new(&network, (&[], &[]), usize::MAX).unwrap();
        let never = || false;
        for score in [
            NetworkScore::Bic,
            NetworkScore::K2,
            NetworkScore::Bdeu {
                equivalent_sample_size: 3.0,
            },
        ] {
            let mut families = FamilyScores::new(&rows, score, 1);
            let start = Dag::empty(6);
            let mut climber = Climber::new(&mut families, &rules, start, &never).unwrap();
            let mut steps = 0;
            loop {
                let now = rescored(&rows, score, climber.dag());
                assert!((climber.total() - now).abs() < 1e-9);
                let mut best = f64::NEG_INFINITY;
                for to in 0..6 {
                    for from in 0..6 {
                        for kind in [ArcChange::Add, ArcChange::Delete, ArcChange::Reverse] {
                            let change = kind(from, to);
                            if !climber.dag().allows(change) {
                                continue;
                            }
                            let mut dag = climber.dag().clone();
                            dag.change(change);
                            let gain = rescored(&rows, score, &dag) - now;
                            assert!((climber.gain(change) - gain).abs() < 1e-9, "{change:?}");
                            best = best.max(gain);
                        }
                    }
                }
                let (change, gain) = climber.best_change(|_, _| true).unwrap();
                assert!((gain - best).abs() < 1e-9);
                if gain <= climber.resolution() {
                    break;
                }
                climber.make(change, &never).unwrap();
                steps += 1;
            }
            assert!(steps > 3, "{steps}");
        }
    }
}
