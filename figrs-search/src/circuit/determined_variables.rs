//! Determined variables: variables that are functions of other variables and occur in no other factor of several variables.

use figrs_factor::graph::{Factor, FactorGraph, FactorTable, VarId};
use rustc_hash::FxHashMap;

/// The variables that a search omits because they are functions of other variables: each assignment of the other variables extends to exactly one
/// assignment of all variables.
///
/// A determined variable occurs only in the function that determines it and in at most one table, which has weights of its values. The weights of a
/// determined variable's values become weights of the arguments of its function. A function without weights that excludes no argument values is also
/// omitted, and is not counted as an occurrence of its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct DeterminedVariables {
    /// The functions of the determined variables, as indices of factors, in the order in which the determined variables were found. A determined
    /// variable that was found later may be an argument of an earlier function.
    functions: Vec<usize>,
    /// For each function that determines a variable, the factor with the weights of the variable's values.
    weights: FxHashMap<usize, usize>,
    /// For each factor, `true` if the search does not read it: the factor has the weights of a determined variable's values, or is a function that
    /// excludes no argument values.
    is_skipped: Vec<bool>,
    is_determined: Vec<bool>,
}

/// Returns the arguments, the last variable and the table of values of the factor `factor` if it is a deterministic function; otherwise `None`.
fn function(factor: &Factor) -> Option<(&[VarId], VarId, &[u32])> {
    let FactorTable::Function { index } = &factor.table else {
        return None;
    };
    let (&value, arguments) = factor.variables.split_last()?;
    Some((arguments, value, index))
}

impl DeterminedVariables {
    /// Finds the determined variables of a graph; variables that are marked in `is_kept` are never determined.
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
        // For each variable, the number of factors that contain it and exclude some assignments. Only variables with few occurrences read their list
        // of factors; a variable of many functions therefore takes little time.
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

    /// Returns the number of values that each variable has in the search; the number is 1 for an omitted variable.
    pub(super) fn cardinalities(&self, graph: &FactorGraph) -> Vec<u32> {
        let all = graph.cardinalities.iter().zip(&self.is_determined);
        all.map(|(&n, &is_determined)| if is_determined { 1 } else { n })
            .collect()
    }

    pub(super) fn contains(&self, variable: u32) -> bool {
        self.is_determined[variable as usize]
    }

    pub(super) fn is_skipped(&self, factor: usize) -> bool {
        self.is_skipped[factor]
    }

    /// Returns the number of determined variables that the search omits.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.functions.len()
    }

    /// Returns the factor with the weights of the values that the function `factor` returns; `None` if there is no such factor.
    pub(super) fn weights_of(&self, factor: usize) -> Option<usize> {
        self.weights.get(&factor).copied()
    }

    /// Extends the assignment `values` to the determined variables by evaluating their functions.
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
