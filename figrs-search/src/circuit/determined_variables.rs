//! Variables that are functions of other variables and that no other factor mentions.

use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId};
use rustc_hash::FxHashMap;

/// The variables that a search leaves out, since functions of others determine them: each solution of the others extends to one of all variables.
///
/// Such a variable is mentioned by its function, and at most by one table of weights of its own values, which become weights of the
/// function's arguments. A function that is left out and is defined everywhere does not mention its arguments either.
#[derive(Clone, Debug, Default)]
pub(super) struct DeterminedVariables {
    /// The factors of the functions, in the order in which the variables were left out: a later variable may be an argument of earlier functions.
    functions: Vec<usize>,
    /// The factor of the weights of a function's values, by the factor of the function.
    weights: FxHashMap<usize, usize>,
    /// For each factor, `true` if it is not read by itself: weights of a function's values, and functions that exclude nothing.
    is_skipped: Vec<bool>,
    /// For each variable, `true` if it is left out.
    is_determined: Vec<bool>,
}

/// The arguments of a function, its value, and its table.
fn function(factor: &Factor) -> Option<(&[VarId], VarId, &[u32])> {
    let FactorTable::Function { index } = &factor.table else {
        return None;
    };
    let (&value, arguments) = factor.variables.split_last()?;
    Some((arguments, value, index))
}

impl DeterminedVariables {
    /// The determined variables of a graph, without those that are kept.
    pub(super) fn of(graph: &FactorGraph, is_kept: &[bool]) -> Self {
        let mut mentioning = vec![Vec::new(); graph.cardinalities.len()];
        let mut defining = vec![None; graph.cardinalities.len()];
        let mut open = Vec::new();
        for (number, factor) in graph.factors.iter().enumerate() {
            for v in &factor.variables {
                mentioning[v.index()].push(number);
            }
            if let Some((_, value, _)) = function(factor) {
                defining[value.index()] = Some(number);
                open.push(number);
            }
        }
        // Numbers of mentions by factors that exclude something. Lists are read only where few are left, so that a variable of many functions is fast.
        let mut mentions: Vec<usize> = mentioning.iter().map(Vec::len).collect();
        let mut found = Self {
            is_skipped: vec![false; graph.factors.len()],
            is_determined: vec![false; graph.cardinalities.len()],
            ..Self::default()
        };
        let mut excludes_nothing = vec![false; graph.factors.len()];
        while let Some(number) = open.pop() {
            let Some((arguments, value, index)) = function(&graph.factors[number]) else {
                continue;
            };
            if mentions[value.index()] > 2 || found.contains(value.0) || is_kept[value.index()] {
                continue;
            }
            let others = mentioning[value.index()].iter().copied();
            let others = others.filter(|&n| n != number && !excludes_nothing[n]);
            let others: Vec<usize> = others.collect();
            let is_weights = |&n: &usize| {
                let factor = &graph.factors[n];
                factor.variables.len() == 1 && matches!(factor.table, FactorTable::Dense(_))
            };
            if others.len() > 1 || !others.iter().all(is_weights) {
                continue;
            }
            found.is_determined[value.index()] = true;
            found.functions.push(number);
            if let [weights] = *others {
                found.weights.insert(number, weights);
                found.is_skipped[weights] = true;
            } else if !index.contains(&FactorTable::NO_VALUE) {
                found.is_skipped[number] = true;
                excludes_nothing[number] = true;
                for v in arguments {
                    mentions[v.index()] -= 1;
                    if mentions[v.index()] <= 2 {
                        open.extend(defining[v.index()]);
                    }
                }
            }
        }
        found
    }

    /// Number of values of each variable in the search; variables that are left out have one.
    pub(super) fn cardinalities(&self, graph: &FactorGraph) -> Vec<u32> {
        let all = graph.cardinalities.iter().zip(&self.is_determined);
        all.map(|(&n, &is_determined)| if is_determined { 1 } else { n })
            .collect()
    }

    /// True if a variable is left out.
    pub(super) fn contains(&self, variable: u32) -> bool {
        self.is_determined[variable as usize]
    }

    /// True if a factor is not read by itself: it weighs the values of a function, or excludes nothing.
    pub(super) fn is_skipped(&self, factor: usize) -> bool {
        self.is_skipped[factor]
    }

    /// Number of variables that are left out.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.functions.len()
    }

    /// The factor of the weights of a function's values.
    pub(super) fn weights_of(&self, factor: usize) -> Option<usize> {
        self.weights.get(&factor).copied()
    }

    /// Completes an assignment of the other variables.
    pub(super) fn complete(&self, graph: &FactorGraph, values: &mut [u32]) {
        for &number in self.functions.iter().rev() {
            if let Some((arguments, value, index)) = function(&graph.factors[number]) {
                let place = arguments.iter().fold(0, |place, &v| {
                    place * graph.cardinality(v) + values[v.index()] as usize
                });
                values[value.index()] = index[place];
            }
        }
    }
}
