//! Scores of families (a variable with its parents), where each family is scored only once.

use std::ops::ControlFlow;
use std::panic::resume_unwind;

use figrs_infer::in_order;
use rustc_hash::FxHashMap;

use super::NetworkScore;
use super::case_counts::{CaseCounts, Family};
use super::family_counts::{CountingMemory, FamilyBase};
use super::family_terms::ScoreTerms;

/// Maximum number of families (a variable with its parents) whose scores are stored.
const MOST_KEPT: usize = 1 << 21;
/// Minimum number of cells of data (rows times variables) for which several threads are used.
const WORTH_THREADS: usize = 1 << 18;
/// Number of families (variables with parents) whose scores a thread computes as one unit of work.
const BATCH: u64 = 4;

pub(super) struct FamilyScores<'d> {
    rows: &'d dyn CaseCounts,
    terms: ScoreTerms,
    /// For each variable, the scores of its possible families, indexed by the parents in ascending order.
    known: Vec<FxHashMap<Box<[u32]>, f64>>,
    memory: CountingMemory,
    threads: usize,
}

impl<'d> FamilyScores<'d> {
    pub(super) fn new(rows: &'d dyn CaseCounts, score: NetworkScore, threads: usize) -> Self {
        let variables = 0..rows.width() as u32;
        let most_states = variables.map(|v| rows.states(v)).max().unwrap_or(0);
        Self {
            rows,
            terms: ScoreTerms::new(score, rows.total(), most_states),
            known: vec![FxHashMap::default(); rows.width()],
            memory: CountingMemory::default(),
            threads,
        }
    }

    pub(super) fn rows(&self) -> &'d dyn CaseCounts {
        self.rows
    }

    /// Returns the score of `child` with the parents `parents`, which must be in ascending order.
    pub(super) fn family(&mut self, child: u32, parents: &[u32]) -> f64 {
        if let Some(&score) = self.known[child as usize].get(parents) {
            return score;
        }
        let base = self.rows.base(child, parents);
        let mut memory = std::mem::take(&mut self.memory);
        let score = self.counted(Family::new(child, parents), base.as_ref(), &mut memory);
        self.memory = memory;
        self.keep(child, parents.into(), score);
        score
    }

    /// Returns for each candidate the score of `child` after the candidate is added to `parents`, or removed from `parents` if it is one of them.
    /// Returns `None` if the work was interrupted.
    pub(super) fn toggled(
        &mut self,
        child: u32,
        parents: &[u32],
        candidates: &[u32],
        is_interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<f64>> {
        let families: Vec<Box<[u32]>> = candidates
            .iter()
            .map(|&candidate| toggled(parents, candidate).into())
            .collect();
        let known = &self.known[child as usize];
        let unknown = (0..candidates.len()).filter(|&i| !known.contains_key(&families[i]));
        let unknown: Vec<usize> = unknown.collect();
        let base = (!unknown.is_empty()).then(|| self.rows.base(child, parents));
        let base = base.flatten();
        let is_large = unknown.len() * self.rows.distinct() >= WORTH_THREADS;
        let mut computed = Vec::with_capacity(unknown.len());
        let ran = in_order(
            if is_large { self.threads } else { 1 },
            (0..unknown.len() as u64, BATCH),
            || Ok(CountingMemory::default()),
            |memory, unit| {
                if is_interrupted() {
                    return Ok(None);
                }
                let (candidate, family) = (
                    candidates[unknown[unit as usize]],
                    &families[unknown[unit as usize]],
                );
                let score = if family.len() > parents.len() {
                    let family = Family {
                        more: Some(candidate),
                        ..Family::new(child, parents)
                    };
                    self.counted(family, base.as_ref(), memory)
                } else {
                    let base = self.rows.base(child, family);
                    self.counted(Family::new(child, family), base.as_ref(), memory)
                };
                Ok(Some(score))
            },
            |score| match score {
                Some(score) => {
                    computed.push(score);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            },
        );
        // The units of work return no errors, so an error is a panic.
        if let Err(panic) = ran {
            resume_unwind(Box::new(panic.to_string()));
        }
        if computed.len() < unknown.len() {
            return None;
        }
        let known = &self.known[child as usize];
        let mut scores: Vec<f64> = families
            .iter()
            .map(|family| known.get(family).copied().unwrap_or(0.0))
            .collect();
        for (&i, &score) in unknown.iter().zip(&computed) {
            scores[i] = score;
            self.keep(child, families[i].clone(), score);
        }
        Some(scores)
    }

    /// Computes the score of `family`, a variable with its parents, by counting the rows of data.
    fn counted(
        &self,
        family: Family<'_>,
        base: Option<&FamilyBase>,
        memory: &mut CountingMemory,
    ) -> f64 {
        let configurations = family.all_parents();
        let configurations = configurations.map(|p| self.rows.states(p) as f64).product();
        let states = self.rows.states(family.child);
        let terms = self.terms.family(states, configurations);
        self.rows.sum_of_terms(family, base, memory, &terms)
    }

    /// Stores the score `score` of `child`; if too many scores of `child` are stored, the earlier ones are dropped.
    fn keep(&mut self, child: u32, parents: Box<[u32]>, score: f64) {
        let most = MOST_KEPT / self.known.len().max(1);
        let known = &mut self.known[child as usize];
        if known.len() >= most {
            known.clear();
        }
        known.insert(parents, score);
    }
}

/// Returns the sorted `list` after `item` is added, or removed if `list` contains `item`.
fn toggled(list: &[u32], item: u32) -> Vec<u32> {
    let mut list = list.to_vec();
    match list.binary_search(&item) {
        Ok(place) => drop(list.remove(place)),
        Err(place) => list.insert(place, item),
    }
    list
}
