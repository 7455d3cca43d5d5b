//! Predicts one variable from other variables, case by case.

use figrs_core::{Element, Model};
use figrs_infer::{Compiled, CompiledTree, Error, JunctionTree};

use super::{Network, State};

/// Predicts a variable of a Bayesian network from its other variables, case by case, by a junction tree that is compiled once.
///
/// **Guarantee.** Predictions are exact up to rounding. A prediction depends only on the case that is predicted, not on earlier cases.
///
/// **Complexity.** The network is compiled to a junction tree once. For each case, a pass visits the parts of the junction tree in which observed
/// states differ from the previous case.
///
/// **Errors.** `new` returns the errors of [`JunctionTree`].
///
/// **References.** The references of [`JunctionTree`] apply.
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
    states: usize,
    observed: Vec<ObservedVariable>,
    /// Log-probability of the model's evidence alone, without the observed states of a case.
    log_evidence: f64,
}

/// A variable that is observed in cases, and its observed state in the current case.
#[derive(Clone, Debug)]
struct ObservedVariable {
    position: usize,
    element: Element<State>,
    present: Option<State>,
}

/// The prediction of a variable for one case.
#[derive(Clone, Debug, PartialEq)]
pub struct CasePrediction {
    probabilities: Vec<f64>,
    log_likelihood: f64,
}

impl CasePredictor {
    /// Creates a predictor of the variable `predicted` from the variables `observed`, under the evidence of `model`, a model of `network`; variables
    /// are given by their indices.
    ///
    /// **Errors.** An error if the compilation to a junction tree fails or the evidence of `model` is impossible.
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
        // This query returns an error if the evidence of the model is impossible.
        tree.distribution(&element)?;
        Ok(Self {
            log_evidence: tree.log_evidence(),
            tree,
            predicted: element,
            states: network.variables()[predicted].states().len(),
            observed,
        })
    }

    /// Predicts the variable for `case`, which gives the states of all variables of the network in order, with `None` for a missing state. The states
    /// of the predicted variable and of variables that are not in `observed` are ignored.
    ///
    /// **Errors.** An error if the junction tree fails, for example because of an interrupt. An impossible case is not an error: the log-likelihood
    /// of its prediction is `-inf`.
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
    /// Returns the posterior probabilities of the predicted variable's states, in order; the list is empty if the case is
    /// impossible.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Returns the natural logarithm of the probability of the case's observed states, given the evidence of the model; `-inf` if the case is
    /// impossible.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Returns the index of the most probable state, the first one among equally probable states; `None` if the case is impossible.
    pub fn most_probable(&self) -> Option<usize> {
        let numbered = self.probabilities.iter().copied().enumerate();
        let best = numbered.reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(state, _)| state)
    }
}

#[cfg(test)]
mod tests;
