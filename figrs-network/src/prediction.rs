//! Predictions of one variable from the others, case by case.

use figrs_core::{Element, Model};
use figrs_infer::{CompiledTree, Error, JunctionTree};

use super::{Network, State};

/// Predictions of a variable from other variables, case by case, by a junction tree that is compiled once.
///
/// **Guarantee.** Exact up to rounding. A prediction depends on its case alone, not on those before.
///
/// **Complexity.** A compilation; then for each case a pass over the parts of the tree that the changes from the case before reach.
///
/// **Errors.** Those of [`JunctionTree`], when it is made.
///
/// **References.** Those of [`JunctionTree`].
///
/// ```
/// # use figrs_infer::JunctionTree;
/// # use figrs_network::{CasePredictor, Network};
/// # let network = Network::from_bif("network n { } variable rain { type discrete [ 2 ] { yes, no }; }
/// #     variable grass { type discrete [ 2 ] { wet, dry }; }
/// #     probability ( rain ) { table 0.2, 0.8; }
/// #     probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }")?;
/// let (rain, grass) = (network.position("rain")?, network.position("grass")?);
/// let data = network.data_from_csv("grass\nwet\ndry\n")?;
/// let mut predictor = CasePredictor::new(&network, &network.model(), rain, &[grass], &JunctionTree::new())?;
/// let predicted = predictor.predict(data.row(0))?;
/// assert!((predicted.probabilities()[0] - 0.18 / 0.34).abs() < 1e-12);
/// assert!((predicted.log_likelihood() - 0.34_f64.ln()).abs() < 1e-12);
/// assert_eq!(predicted.most_probable(), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CasePredictor {
    tree: CompiledTree,
    predicted: Element<State>,
    /// The number of its states.
    states: usize,
    /// The variables that cases may observe.
    observed: Vec<ObservedVariable>,
    /// The log-probability of the evidence of the model alone.
    log_evidence: f64,
}

/// A variable that cases may observe, with its state in the present case.
#[derive(Clone, Debug)]
struct ObservedVariable {
    position: usize,
    element: Element<State>,
    present: Option<State>,
}

/// Prediction for one case.
#[derive(Clone, Debug, PartialEq)]
pub struct CasePrediction {
    probabilities: Vec<f64>,
    log_likelihood: f64,
}

impl CasePredictor {
    /// A predictor of the variable at a position from those at others, given the evidence of a model of the network.
    ///
    /// **Errors.** Those of compilation; evidence of the model that is impossible.
    pub fn new(
        network: &Network,
        model: &Model,
        predicted: usize,
        observed: &[usize],
        algorithm: &JunctionTree,
    ) -> Result<Self, Error> {
        let observed = observed.iter().filter(|&&position| position != predicted);
        let observed = observed.map(|&position| ObservedVariable {
            position,
            element: network.elements()[position].clone(),
            present: None,
        });
        let observed: Vec<ObservedVariable> = observed.collect();
        let elements = observed.iter().map(|observed| observed.element.clone());
        let elements: Vec<Element<State>> = elements.collect();
        let element = network.elements()[predicted].clone();
        let tree = algorithm
            .clone()
            .varying(&elements)
            .compile(model, &element)?;
        // An error if the evidence of the model is impossible.
        tree.distribution(&element)?;
        Ok(Self {
            log_evidence: tree.log_evidence(),
            tree,
            predicted: element,
            states: network.variables()[predicted].states().len(),
            observed,
        })
    }

    /// Predicts for a case: the states of all variables of the network in order, `None` where they are missing. The states of the predicted
    /// variable and of variables that are not observed are ignored.
    ///
    /// **Errors.** Those of the tree, such as an interrupt. An impossible case is not an error: its log-likelihood is `-inf`.
    pub fn predict<'s>(
        &mut self,
        case: impl IntoIterator<Item = Option<&'s State>>,
    ) -> Result<CasePrediction, Error> {
        let case: Vec<Option<&State>> = case.into_iter().collect();
        for observed in &mut self.observed {
            let state = case.get(observed.position).copied().flatten();
            if state == observed.present.as_ref() {
                continue;
            }
            match state {
                Some(state) => self.tree.set(&observed.element, state.clone())?,
                None => self.tree.clear(&observed.element)?,
            }
            observed.present = state.cloned();
        }
        let log_evidence = self.tree.log_evidence();
        let mut probabilities = Vec::new();
        if log_evidence > f64::NEG_INFINITY {
            probabilities = vec![0.0; self.states];
            for (state, p) in &self.tree.distribution(&self.predicted)? {
                probabilities[state.index()] = p;
            }
        }
        Ok(CasePrediction {
            probabilities,
            log_likelihood: log_evidence - self.log_evidence,
        })
    }
}

impl CasePrediction {
    /// The posterior probabilities of the states of the predicted variable, in order; empty if the case is impossible.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The natural logarithm of the probability of the observed states of the case, given the evidence of the model; `-inf` if they are impossible.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The position of the most probable state, the first of several; `None` if the case is impossible.
    pub fn most_probable(&self) -> Option<usize> {
        let numbered = self.probabilities.iter().copied().enumerate();
        let best = numbered.reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(state, _)| state)
    }
}

#[cfg(test)]
mod tests;
