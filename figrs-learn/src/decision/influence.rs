//! Finds, for each random variable of a model, the decisions on which the variable depends.

use figrs_core::expand::{Content, Expansion};

use super::problem::DecisionQuestion;
use figrs_answer::error::Error;

/// A set of decisions, stored as a bit set of the decisions' indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DecisionSet(Vec<u64>);

impl DecisionSet {
    fn insert(&mut self, decision: usize) {
        let block = decision / 64;
        if self.0.len() <= block {
            self.0.resize(block + 1, 0);
        }
        self.0[block] |= 1 << (decision % 64);
    }

    fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (block, more) in self.0.iter_mut().zip(&other.0) {
            *block |= more;
        }
    }

    /// Returns the largest index of a decision in the set; `None` if the set is empty.
    fn last(&self) -> Option<usize> {
        let block = self.0.iter().rposition(|&block| block != 0)?;
        Some(block * 64 + 63 - self.0[block].leading_zeros() as usize)
    }
}

/// Returns an error if a decision influences the evidence, or an element whose value is known when this decision or an earlier decision is made.
///
/// A random variable depends on the decisions on which its parents or the results of its branches depend.
pub(super) fn check(expansion: &Expansion, question: &DecisionQuestion) -> Result<(), Error> {
    let influenced = influenced(expansion, question);
    let decision = |number: usize| question.decisions[number].element.label();
    for (piece, &position) in question.model.evidence().iter().zip(expansion.evidence()) {
        if let Some(number) = influenced[position].last() {
            return Err(Error::DecisionInfluencesKnown {
                decision: decision(number),
                element: piece.0.label(),
                known_to: None,
            });
        }
    }
    let reached = reached_by(expansion, &influenced);
    for (position, expanded) in expansion.elements().iter().enumerate() {
        let is_score = matches!(expanded.content, Content::Score(_));
        let last = influenced[position].last().or(reached[position].last());
        if let Some(number) = last.filter(|_| is_score) {
            return Err(Error::DecisionInfluencesKnown {
                decision: decision(number),
                element: expanded.element.label(),
                known_to: None,
            });
        }
    }
    for (number, asked) in question.decisions.iter().enumerate() {
        for known in &asked.known {
            let set = expansion.position(known).map(|at| &influenced[at]);
            let last = set.and_then(DecisionSet::last);
            if let Some(later) = last.filter(|&last| last >= number) {
                return Err(Error::DecisionInfluencesKnown {
                    decision: decision(later),
                    element: known.label(),
                    known_to: Some(Box::new(asked.element.label())),
                });
            }
        }
    }
    Ok(())
}

/// Returns, for each random variable of the model, the decisions on which the variable's value depends.
fn influenced(expansion: &Expansion, question: &DecisionQuestion) -> Vec<DecisionSet> {
    let mut sets: Vec<DecisionSet> = Vec::with_capacity(expansion.elements().len());
    let mut own = vec![None; expansion.elements().len()];
    for (number, asked) in question.decisions.iter().enumerate() {
        // A decision is left out if an intervention sets its value, because its option is then no longer chosen.
        let position = expansion.position(&asked.element);
        let is_open = |at: &usize| !matches!(expansion.elements()[*at].content, Content::Fixed);
        if let Some(position) = position.filter(is_open) {
            own[position] = Some(number);
        }
    }
    for (expanded, own) in expansion.elements().iter().zip(own) {
        let mut set = DecisionSet::default();
        for &read in expanded.parents.iter().chain(results(&expanded.content)) {
            set.extend(&sets[read]);
        }
        if let Some(number) = own {
            set.insert(number);
        }
        sets.push(set);
    }
    sets
}

/// Returns, for each random variable, the decisions whose options determine which branches are taken, and thereby whether the variable exists.
fn reached_by(expansion: &Expansion, influenced: &[DecisionSet]) -> Vec<DecisionSet> {
    let mut sets = vec![DecisionSet::default(); influenced.len()];
    for (position, expanded) in expansion.elements().iter().enumerate().rev() {
        let own = sets[position].clone();
        for &parent in &expanded.parents {
            sets[parent].extend(&own);
        }
        let mut chosen = own;
        for &parent in &expanded.parents {
            chosen.extend(&influenced[parent]);
        }
        for &result in results(&expanded.content) {
            sets[result].extend(&chosen);
        }
    }
    sets
}

fn results(content: &Content) -> &[usize] {
    match content {
        Content::Chain { results, .. } => results,
        _ => &[],
    }
}
