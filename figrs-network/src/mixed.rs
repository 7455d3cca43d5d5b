//! Networks of finite and real variables.

use std::path::Path;

use figrs_core::{Element, Model, Normal, Parents, Variance, weighted_sum};
use rustc_hash::FxHashMap;

use super::evidence::ObservedVariables;
use super::variable::unknown_among;
use super::{
    Network, NetworkError, NetworkEvidence, NetworkFormat, RealObservation, State, Unknown,
    Variable, net,
};
use figrs_reading::{Mistake, MistakeKind};

/// A network of finite and real variables from a file (a conditional linear Gaussian network). Given the states of its finite parents, a real
/// variable is normal with a mean that is linear in its real parents. In a mixed network, finite variables have only finite parents, and form a
/// [`Network`].
///
/// The elements of a mixed network can be queried by algorithms that take real numbers: exactly by `WithReals` of figrs-reals or with the feature
/// `reals` of figrs, and approximately by samplers.
///
/// ```
/// use figrs_infer::{Run, VariableElimination};
/// use figrs_network::MixedNetwork;
/// use figrs_reals::WithReals;
///
/// let network = MixedNetwork::from_net("net { }
///     node waste { states = (metal burnable); } potential (waste) { data = (0.3 0.7); }
///     continuous node emission { } continuous node meter { }
///     potential (emission | waste) { data = ( normal (2, 0.5) normal (-1, 1) ); }
///     potential (meter | emission) { data = ( normal (0.1 + emission, 0.1) ); }")?;
/// let evidence = network.evidence_from_json(r#"{"meter": 0.5}"#)?;
/// let (waste, emission) = (network.finite().element("waste")?, &network.real_elements()[0]);
/// let answer = WithReals::new(VariableElimination::new()).run(&network.given(&evidence), (waste, emission))?;
/// let metal = answer.probability_that(waste, |state| state.name() == "metal")?;
/// assert!((metal - 0.143483).abs() < 1e-6);
/// assert!((answer.mean(emission)? - 0.3293).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **References.** S. L. Lauritzen, "Propagation of probabilities, means, and variances in mixed graphical association models", JASA 87, 1992.
#[derive(Clone, Debug)]
pub struct MixedNetwork {
    finite: Network,
    reals: Vec<RealVariable>,
    elements: Vec<Element<f64>>,
    index: FxHashMap<String, usize>,
}

/// A real variable of a mixed network, with its distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct RealVariable {
    pub(super) name: String,
    pub(super) distribution: RealDistribution,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RealDistribution {
    pub(super) finite_parents: Vec<usize>,
    pub(super) real_parents: Vec<usize>,
    /// A normal distribution of the real variable for each joint state of its finite parents, where the last parent varies fastest.
    pub(super) rows: Vec<LinearNormal>,
}

/// A normal distribution whose mean is a linear function of real variables.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearNormal {
    pub(super) constant: f64,
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) variance: f64,
}

impl LinearNormal {
    /// Returns the constant term of the normal distribution's mean.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// Returns the terms of the linear mean without its constant term, each as the index of a real variable of the network and the coefficient of
    /// that variable, which is not zero.
    pub fn terms(&self) -> &[(usize, f64)] {
        &self.terms
    }

    /// Returns the variance of the normal distribution, which is positive.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// Creates an element with this normal distribution; `real` returns the element of the real variable with a given index.
    fn element<'e>(&self, real: impl Fn(usize) -> Option<&'e Element<f64>>) -> Element<f64> {
        let terms = self.terms.iter();
        let terms: Vec<(f64, &Element<f64>)> = terms
            .filter_map(|&(variable, coefficient)| Some((coefficient, real(variable)?)))
            .collect();
        if terms.is_empty() {
            return Normal::new(self.constant, Variance(self.variance));
        }
        let mean = &weighted_sum(terms) + self.constant;
        Normal::new(&mean, Variance(self.variance))
    }
}

impl RealVariable {
    /// Returns the name of the real variable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the indices of the finite parents in the [finite network](MixedNetwork::finite).
    pub fn finite_parents(&self) -> &[usize] {
        &self.distribution.finite_parents
    }

    /// Returns the real parents of the variable, as indices in the list of [real variables](MixedNetwork::reals).
    pub fn real_parents(&self) -> &[usize] {
        &self.distribution.real_parents
    }

    /// Returns the distribution for each joint state of the finite parents, where the last parent varies fastest.
    pub fn rows(&self) -> &[LinearNormal] {
        &self.distribution.rows
    }
}

impl MixedNetwork {
    /// Creates a network of finite and real variables, and its elements; `order` lists the real variables with parents first.
    pub(super) fn new(finite: Network, reals: Vec<RealVariable>, order: &[usize]) -> Self {
        let mut elements: Vec<Option<Element<f64>>> = vec![None; reals.len()];
        for &position in order {
            let real = &reals[position];
            let rows = real.rows().iter();
            let rows = rows.map(|row| row.element(|parent| elements[parent].as_ref()));
            let rows: Vec<Element<f64>> = rows.collect();
            let element = match (real.finite_parents(), &rows[..]) {
                ([], [only]) => only.clone(),
                (parents, _) => chosen(&finite, parents, rows),
            };
            elements[position] = Some(element.named(&real.name));
        }
        let names = reals.iter().map(|real| real.name.clone());
        Self {
            index: names.zip(0..).collect(),
            elements: elements.into_iter().flatten().collect(),
            finite,
            reals,
        }
    }

    /// Returns the network of the finite variables.
    pub fn finite(&self) -> &Network {
        &self.finite
    }

    /// Returns the network of the finite variables, and drops the real variables.
    pub fn into_finite(self) -> Network {
        self.finite
    }

    /// Returns the real variables, in the order of the file.
    pub fn reals(&self) -> &[RealVariable] {
        &self.reals
    }

    /// Returns the elements of the real variables, in the order of the variables.
    pub fn real_elements(&self) -> &[Element<f64>] {
        &self.elements
    }

    /// Returns the index of the real variable named `name`; `None` if there is no such variable.
    pub fn real_position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Reads a file of evidence as [`Network::read_evidence`] does. In a JSON file of evidence, the value of a real variable is a number.
    ///
    /// **Errors.** The errors of [`Network::read_evidence`]; an error if the value of a real variable is not a finite number.
    pub fn read_evidence(&self, path: impl AsRef<Path>) -> Result<NetworkEvidence, NetworkError> {
        ObservedVariables::read_evidence(self, path.as_ref())
    }

    /// Reads evidence from a JSON text as [`Network::evidence_from_json`] does; the value of a real variable is a number, as in `{"waste": "metal",
    /// "meter": 0.5}`.
    ///
    /// **Errors.** [`NetworkError::File`] with line and column if the text has a mistake or a name that is not in the network.
    pub fn evidence_from_json(&self, text: &str) -> Result<NetworkEvidence, NetworkError> {
        super::evidence::of_json(self, text, "JSON")
    }

    /// Returns the model of the network with the evidence `evidence`.
    pub fn given(&self, evidence: &NetworkEvidence) -> Model {
        let model = self.finite.given(evidence);
        evidence.real_observations.iter().fold(model, |model, it| {
            model.observe(&self.elements[it.variable], it.value)
        })
    }

    /// Returns the text of the network in the format `format`, as [`Network::to_text`] does.
    ///
    /// **Errors.** The errors of [`Network::to_text`]; [`NetworkError::NotWritable`] if the network has real variables and the format is not NET.
    pub fn to_text(&self, format: NetworkFormat) -> Result<String, NetworkError> {
        match (self.reals.first(), format) {
            (None, _) => self.finite.to_text(format),
            (Some(_), NetworkFormat::Net) => net::write(&self.finite, &self.reals),
            (Some(real), _) => Err(NetworkError::NotWritable {
                format,
                problem: format!(
                    "the real variable `{}` cannot be written as {format}",
                    real.name
                ),
                remedy: "write the network as NET",
            }),
        }
    }
}

/// Creates an element whose distribution, for each joint state of its finite parents, is the one that `rows` lists for that joint state.
fn chosen(finite: &Network, parents: &[usize], rows: Vec<Element<f64>>) -> Element<f64> {
    let sizes = parents
        .iter()
        .map(|&parent| finite.variables[parent].states.len());
    let sizes: Vec<usize> = sizes.collect();
    let parents = parents
        .iter()
        .map(|&parent| finite.elements[parent].clone());
    let parents: Vec<Element<State>> = parents.collect();
    parents.flat_map(move |states: Vec<&State>| {
        let digits = states.iter().zip(&sizes);
        rows[digits.fold(0, |row, (state, size)| row * size + state.index())].clone()
    })
}

impl ObservedVariables for MixedNetwork {
    fn variables(&self) -> &[Variable] {
        &self.finite.variables
    }

    fn position(&self, variable: &str) -> Result<usize, Unknown> {
        let position = self.finite.index.get(variable).copied();
        position.ok_or_else(|| {
            let finite = self.finite.variables.iter().map(Variable::name);
            unknown_among(
                finite.chain(self.reals.iter().map(RealVariable::name)),
                variable,
            )
        })
    }

    fn real_observation(
        &self,
        variable: &str,
        value: &str,
    ) -> Option<Result<RealObservation, Mistake>> {
        let position = self.real_position(variable)?;
        let number = value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite());
        let observed = number.map(|value| RealObservation {
            variable: position,
            value,
        });
        Some(observed.ok_or_else(|| {
            let problem = format!(
                "the real variable `{variable}` has the value `{value}`, which is not a finite number"
            );
            let remedy = "give it a number, such as 1.5";
            Mistake::new(MistakeKind::Value, problem, remedy)
        }))
    }
}
