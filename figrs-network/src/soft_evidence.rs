//! Evidence about a network: observed variables, and likelihoods of the states of variables that are not observed.

use figrs_core::{Element, Model};

use super::{DiagramElements, Network, Observation, RealObservation, State};

/// Evidence about a network or an influence diagram: observations, and likelihoods of the states of unobserved variables (soft evidence).
///
/// ```
/// # use figrs_infer::{Run, VariableElimination};
/// # use figrs_network::Network;
/// # let network = Network::from_bif("network n { } variable rain { type discrete [ 2 ] { yes, no }; }
/// #     probability ( rain ) { table 0.2, 0.8; }")?;
/// let evidence = network.evidence_from_json(r#"{"rain": {"yes": 0.6, "no": 0.3}}"#)?;
/// let rain = network.element("rain")?;
/// let answer = VariableElimination::new().run(&network.given(&evidence), rain)?;
/// let rained = answer.probability_that(rain, |state| state.name() == "yes")?;
/// assert!((rained - 0.12 / 0.36).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkEvidence {
    pub(super) observations: Vec<Observation>,
    pub(super) likelihoods: Vec<StateLikelihoods>,
    pub(super) real_observations: Vec<RealObservation>,
}

/// Likelihoods of the states of a variable (soft evidence): weights that multiply the probabilities of the worlds with each state.
///
/// Posteriors depend only on the ratios of the likelihood weights; the probability of the evidence is the expected weight.
#[derive(Clone, Debug, PartialEq)]
pub struct StateLikelihoods {
    pub(super) variable: usize,
    pub(super) weights: Vec<f64>,
}

impl StateLikelihoods {
    /// Returns the index in the network of the variable that has the likelihoods.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Returns the likelihood weight of each state of the variable, in the order of the states.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

impl NetworkEvidence {
    /// Returns the observed states of variables, in the order in which the observations were added.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Returns the likelihoods (soft evidence), in the order in which they were added.
    pub fn likelihoods(&self) -> &[StateLikelihoods] {
        &self.likelihoods
    }

    /// Returns the observations of real variables, in the order in which the observations were added. Only evidence about a
    /// [`MixedNetwork`](super::MixedNetwork) has observations of real variables.
    pub fn real_observations(&self) -> &[RealObservation] {
        &self.real_observations
    }

    /// Adds `observation` to the observations of real variables in the evidence.
    pub fn observe_real(&mut self, observation: RealObservation) {
        self.real_observations.push(observation);
    }

    /// Adds `observation` to the observations of finite variables in the evidence.
    pub fn observe(&mut self, observation: Observation) {
        self.observations.push(observation);
    }

    /// Returns the indices of all finite variables for which there is evidence.
    pub fn variables(&self) -> impl Iterator<Item = usize> {
        let observed = self.observations.iter().map(Observation::variable);
        observed.chain(self.likelihoods.iter().map(StateLikelihoods::variable))
    }

    fn weighing(&self, model: Model, elements: &[Element<State>]) -> Model {
        self.likelihoods.iter().fold(model, |model, likelihoods| {
            let weights = likelihoods.weights.clone();
            let weight = move |state: &State| weights[state.index()];
            model.weigh(&elements[likelihoods.variable], weight)
        })
    }
}

impl From<Vec<Observation>> for NetworkEvidence {
    fn from(observations: Vec<Observation>) -> Self {
        Self {
            observations,
            ..Self::default()
        }
    }
}

impl Network {
    /// Returns the model of the network with the evidence `evidence`.
    pub fn given(&self, evidence: &NetworkEvidence) -> Model {
        evidence.weighing(self.observing(&evidence.observations), &self.elements)
    }
}

impl DiagramElements {
    /// Returns the model of the diagram with `evidence`: the model that [`model`](Self::model) builds from the observations, with the likelihoods
    /// (soft evidence) added. Algorithms for influence diagrams reject a likelihood of a decision, because a likelihood does not state the chosen
    /// option.
    pub fn given(&self, evidence: &NetworkEvidence) -> Model {
        evidence.weighing(self.model(&evidence.observations), self.variables())
    }
}
