//! Weighted sums of utilities (`mau` nodes of XDSL).

use rustc_hash::FxHashMap;

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult, finite};
use super::super::mistakes;
use super::super::names::FullNames;
use super::super::order::parents_first;
use super::super::variable::unknown_among;
use super::read::XdslNode;

/// A node whose value is the weighted sum of its parents' utilities.
pub(super) struct AdditiveUtility {
    at: usize,
    name: String,
    /// For each utility in the sum, its offset in the text, its name and its weight.
    terms: Vec<(usize, String, f64)>,
}

impl AdditiveUtility {
    pub(super) fn new(node: &XdslNode<'_>, names: &FullNames) -> LexerResult<Self> {
        let weights = node.words.words().map(|(at, word)| finite(at, word));
        let weights = weights.collect::<LexerResult<Vec<f64>>>()?;
        let parents = node.parents.words().map(|parent| names.of(parent));
        let parents: Vec<(usize, &str)> = parents.collect();
        mistakes::check_entries(node.at, weights.len(), parents.len() as u128)?;
        let terms = parents.into_iter().zip(weights);
        let terms = terms.map(|((at, name), weight)| (at, name.to_owned(), weight));
        Ok(Self {
            at: node.at,
            name: node.name.clone(),
            terms: terms.collect(),
        })
    }
}

/// Multiplies each utility of an influence diagram by its weight in the weighted sums; the objective becomes an unweighted sum of utilities.
///
/// A utility that occurs in no weighted sum has the weight 1; a utility that occurs in several sums has the sum of its
/// weights.
pub(super) fn add_weights(draft: &mut NetworkDraft, sums: &[AdditiveUtility]) -> LexerResult<()> {
    // A weighted sum is processed before the utilities in the sum.
    let of_sums = sums.iter().map(|sum| sum.name.as_str());
    let of_utilities = draft.utilities.iter();
    let of_utilities = of_utilities.map(|(_, utility)| utility.name.as_str());
    let mut positions: FxHashMap<&str, usize> = FxHashMap::default();
    for (position, name) in of_sums.chain(of_utilities).enumerate() {
        if positions.insert(name, position).is_some() || draft.index.contains_key(name) {
            let at = sums.iter().find(|sum| sum.name == name).map_or(0, |s| s.at);
            return Err(LexerError::new(at, mistakes::repeated_variable(name)));
        }
    }
    let mut terms = vec![Vec::new(); sums.len() + draft.utilities.len()];
    for (sum, own) in sums.iter().zip(&mut terms) {
        for (at, name, _) in &sum.terms {
            let unknown = || LexerError::new(*at, unknown_among(positions.keys().copied(), name));
            own.push(*positions.get(name.as_str()).ok_or_else(unknown)?);
        }
    }
    let parents: Vec<&[usize]> = terms.iter().map(Vec::as_slice).collect();
    let order = parents_first(&parents).map_err(|cycle| {
        let AdditiveUtility { at, name, .. } = &sums[cycle[0]];
        LexerError::new(*at, mistakes::cycle(name))
    })?;
    let mut weights = vec![None; terms.len()];
    for &node in order.iter().rev() {
        let own: f64 = *weights[node].get_or_insert(1.0);
        let Some(sum) = sums.get(node) else { continue };
        for (&term, (_, _, weight)) in terms[node].iter().zip(&sum.terms) {
            *weights[term].get_or_insert(0.0) += own * weight;
        }
    }
    let weights = weights[sums.len()..]
        .iter()
        .map(|weight| weight.unwrap_or(1.0));
    for ((at, utility), weight) in draft.utilities.iter_mut().zip(weights) {
        for number in &mut utility.numbers {
            *number *= weight;
            if !number.is_finite() {
                return Err(LexerError::new(*at, mistakes::utility(*number)));
            }
        }
    }
    Ok(())
}
