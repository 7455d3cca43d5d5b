//! Joint distributions of a few elements, computed from a clique of a compiled junction tree.

use figrs_core::{Arguments, Joint, Parents};
use figrs_factor::graph::Assignments;

use super::compiled_tree::CompiledTree;
use figrs_answer::{Error, Estimate, Marginal};
use figrs_factor::eliminate::EliminationError;

impl CompiledTree {
    /// Returns the joint distribution of a few targets, or elements whose evidence may change, as a distribution of tuples; one clique must contain
    /// all elements of the tuple. If no clique of the junction tree contains all elements of the joint distribution, make their
    /// [`tuple`](figrs_core::tuple) a target.
    ///
    /// **Errors.** [`Error::NoClique`] if no clique of the tree contains all elements, or an element is repeated; an error if the table of all tuples
    /// exceeds a limit.
    pub fn joint<P>(&self, elements: P) -> Result<Marginal<<P::Arguments as Joint>::Tuple>, Error>
    where
        P: Parents,
        P::Arguments: Joint,
    {
        let elements = elements.elements();
        let mut positions = Vec::with_capacity(elements.len());
        for element in &elements {
            positions.push(self.problem.root(&self.expansion, element)?);
        }
        self.require_possible()?;
        let support = |&position: &usize| self.expansion.elements()[position].support.len() as f64;
        let size: f64 = positions.iter().map(support).product();
        let limit = self.problem.limits.table_entries;
        if size > limit as f64 {
            let needed = size;
            return Err(EliminationError::TableTooLarge { needed, limit }.into());
        }
        self.problem
            .limits
            .check_memory(3.0 * size * size_of::<f64>() as f64)?;
        let mut distinct = positions.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let found = match &self.sums {
            Some(part) if distinct.len() == positions.len() => part.joint(&positions),
            _ => None,
        };
        let probabilities = found.ok_or_else(|| {
            let labels: Vec<String> = elements.iter().map(|e| e.label().to_string()).collect();
            Error::NoClique {
                elements: labels.join(", "),
            }
        })?;
        let supports: Vec<_> = positions
            .iter()
            .map(|&position| &self.expansion.elements()[position].support)
            .collect();
        let all = Assignments::rows(supports.iter().map(|support| support.len()));
        let mut assignment = vec![0; supports.len()];
        let mut values = Vec::with_capacity(probabilities.len());
        for _ in &probabilities {
            let row: Vec<_> = supports
                .iter()
                .zip(&assignment)
                .map(|(s, &x)| s.any(x as usize))
                .collect();
            values.push(P::Arguments::join(P::Arguments::refs(&row)));
            all.advance(&mut assignment);
        }
        Ok(Marginal::new(values, probabilities, Estimate::Exact))
    }
}
