//! Hill climbing in the space of structures, with a tabu list and restarts.

use std::collections::VecDeque;

use figrs_core::rand::{Rng, RngExt};
use figrs_core::stream;

use super::arc_rules::ArcRules;
use super::climber::{ChildPreference, Climber};
use super::dag::{ArcChange, Dag};

#[derive(Clone, Copy, Debug)]
pub(super) struct HillClimbing {
    /// Number of arc changes for which a changed arc is tabu; a climb ends after the same number of arc changes without a better structure. If the
    /// tabu length is `None`, a climb makes only arc changes that raise the score.
    pub(super) tabu_length: Option<usize>,
    pub(super) restarts: u64,
    pub(super) seed: u64,
}

/// A function that a structure search calls after each change, and a function that returns true to interrupt the search.
pub(super) struct SearchObserver<'o> {
    pub(super) is_interrupted: &'o (dyn Fn() -> bool + Sync),
    pub(super) report: &'o dyn Fn(u64),
}

pub(super) struct FoundStructure {
    pub(super) dag: Dag,
    pub(super) steps: u64,
    pub(super) is_interrupted: bool,
}

/// The structure with the best score in several climbs so far.
#[derive(Clone)]
struct BestStructure {
    dag: Dag,
    total: f64,
}

impl BestStructure {
    /// Replaces the best structure by the structure of `climber` if the structure of `climber` has a better score.
    fn offer(&mut self, climber: &Climber<'_, '_>) {
        if climber.total() > self.total + climber.resolution() {
            (self.dag, self.total) = (climber.dag().clone(), climber.total());
        }
    }
}

impl HillClimbing {
    /// Climbs by changes of arcs from a structure to a local optimum of the score. The first restart climbs from the same structure, but prefers
    /// another change among changes of equal gain, and so finds a second local optimum. Each later restart begins at the best structure found so far
    /// from the first or from the second local optimum, in turn, after random covered arcs (which keep the equivalence class) are reversed. Every
    /// second restart after the first one also changes random arcs.
    pub(super) fn run(
        self,
        climber: &mut Climber<'_, '_>,
        observer: &SearchObserver<'_>,
    ) -> FoundStructure {
        let start = BestStructure {
            dag: climber.dag().clone(),
            total: climber.total(),
        };
        let mut tops = vec![start.clone()];
        let mut steps = 0;
        let mut ended = self.climb(climber, observer, &mut tops[0], &mut steps);
        for restart in 1..=self.restarts {
            if ended.is_none() {
                break;
            }
            let mut random = stream(self.seed, restart);
            let again = if restart == 1 {
                climber.prefer(ChildPreference::Last);
                tops.push(start.clone());
                start.dag.clone()
            } else {
                let mut dag = tops[restart as usize % 2].dag.clone();
                if restart / 2 % 2 == 0 {
                    dag = disturbed(&dag, climber.rules(), &mut random);
                }
                equivalent(&dag, climber.rules(), &mut random)
            };
            let top = &mut tops[restart as usize % 2];
            ended = climber
                .go_to(again, observer.is_interrupted)
                .and_then(|()| self.climb(climber, observer, top, &mut steps));
            if restart == 1 {
                climber.prefer(ChildPreference::FewestChildren);
            }
        }
        // If both optima have the same score, the first one is returned.
        let best = tops.into_iter().fold(
            start,
            |best, top| {
                if top.total > best.total { top } else { best }
            },
        );
        FoundStructure {
            dag: best.dag,
            steps,
            is_interrupted: ended.is_none(),
        }
    }

    /// Makes the best arc change repeatedly; returns `None` if the work was interrupted.
    fn climb(
        self,
        climber: &mut Climber<'_, '_>,
        observer: &SearchObserver<'_>,
        best: &mut BestStructure,
        steps: &mut u64,
    ) -> Option<()> {
        let length = self.tabu_length.unwrap_or(0);
        let mut tabu: VecDeque<(u32, u32)> = VecDeque::new();
        // The best score of this climb. The best score of one climb may be below the best score of all climbs, because a restart begins at a
        // disturbed structure.
        let mut peak = climber.total();
        let mut since_peak = 0;
        best.offer(climber);
        loop {
            if (observer.is_interrupted)() {
                return None;
            }
            let total = climber.total();
            let peaks = peak + climber.resolution();
            let change = climber.best_change(|change, gain| {
                let (from, to) = change.ends();
                let is_tabu = tabu.contains(&(from, to)) || tabu.contains(&(to, from));
                !is_tabu || total + gain > peaks
            });
            let Some((change, gain)) = change else {
                return Some(());
            };
            if gain <= climber.resolution() && length == 0 {
                return Some(());
            }
            let made = climber.make(change, observer.is_interrupted);
            *steps += 1;
            (observer.report)(*steps);
            best.offer(climber);
            made?;
            if climber.total() > peaks {
                peak = climber.total();
                since_peak = 0;
            } else {
                since_peak += 1;
                if since_peak >= length {
                    return Some(());
                }
            }
            tabu.push_back(change.ends());
            if tabu.len() > length {
                tabu.pop_front();
            }
        }
    }
}

/// Returns `structure` after random additions, deletions or reversals of arcs; the number of random changes is one plus an eighth of the number of
/// variables.
fn disturbed(structure: &Dag, rules: &ArcRules, random: &mut impl Rng) -> Dag {
    /// Maximum number of random draws of an arc for each random change. Fifty random draws of an arc suffice for a change, because most pairs of
    /// variables allow one.
    const DRAWS: usize = 50;
    let mut dag = structure.clone();
    let variables = dag.len() as u32;
    if variables < 2 {
        return dag;
    }
    let mut left = 1 + variables as usize / 8;
    for _ in 0..left * DRAWS {
        let arcs = dag.arcs();
        let change = if !arcs.is_empty() && random.random_bool(0.5) {
            let (from, to) = arcs[random.random_range(0..arcs.len())];
            if random.random_bool(0.5) {
                ArcChange::Delete(from, to)
            } else {
                ArcChange::Reverse(from, to)
            }
        } else {
            let (from, to) = (
                random.random_range(0..variables),
                random.random_range(0..variables),
            );
            ArcChange::Add(from, to)
        };
        if rules.allow(&dag, change) && dag.allows(change) {
            dag.change(change);
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    dag
}

/// Returns a random structure of the same equivalence class as `structure` by reversing covered arcs (arcs whose two ends have the same other
/// parents), which changes no conditional independence.
fn equivalent(structure: &Dag, rules: &ArcRules, random: &mut impl Rng) -> Dag {
    /// Number of random draws for each arc; about half of the drawn arcs are covered and can be reversed.
    const DRAWS: usize = 4;
    let mut dag = structure.clone();
    let mut arcs = dag.arcs();
    for _ in 0..DRAWS * arcs.len() {
        let place = random.random_range(0..arcs.len());
        let (from, to) = arcs[place];
        let change = ArcChange::Reverse(from, to);
        if dag.is_covered(from, to) && rules.allow(&dag, change) {
            dag.change(change);
            arcs[place] = (to, from);
        }
    }
    dag
}
