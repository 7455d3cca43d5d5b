//! Writes the factor graph of any model as UAI text, and gives the names of its variables and values.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Limits, Model, Parents};
use figrs_factor::eliminate::EliminationError;
use figrs_factor::graph::{Factor, FactorGraph, Weights, for_each_entry, log_stored};
use figrs_infer::Error;
use figrs_infer::internals::{check_failures, expand, impossible, text};
use serde::{Deserialize, Serialize};

use super::write::{line, rows};

/// The factor graph of a model as UAI text, with the names of its variables and values.
///
/// The observations, conditions and weights of the model are written as factors. The product of all written factors, summed over all variables, is
/// the probability of the evidence, divided by the exponential of [`log_scale`](Self::log_scale). The product of all written factors, summed over all
/// variables except a target, is the unnormalised marginal of the target. Programs that read UAI files therefore compute from the written factors the
/// same answers as figrs.
///
/// serde serialises the names of the variables, as in
/// `{"log_scale": 0.0, "variables": [{"name": "rain", "values": ["true", "false"], "is_target": true}]}`, but not the UAI text.
///
/// ```
/// # use figrs_core::{Flip, If, Limits, Model};
/// # use figrs_infer::{Run, VariableElimination};
/// # use figrs_network::{ModelFactors, Network};
/// let rain = Flip::new(0.2).named("rain");
/// let grass = If::new(&rain, Flip::new(0.9), Flip::new(0.1));
/// let model = Model::new().observe(&grass, true);
/// let factors = ModelFactors::new(&model, &rain, &Limits::default())?;
/// let network = Network::from_uai(factors.text())?;
/// let rain = factors.variables().iter().position(|v| v.name.as_deref() == Some("rain"));
/// let rain = &network.elements()[rain.unwrap_or_default()];
/// // State 0 is the first value, `true`.
/// let answer = VariableElimination::new().run(&network.model(), rain)?;
/// assert!((answer.probability_that(rain, |state| state.index() == 0)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFactors {
    #[serde(skip)]
    text: String,
    log_scale: f64,
    variables: Vec<FactorVariable>,
}

/// A variable of the factor graph of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactorVariable {
    /// The name of the element, or the call that built the element if it has no name; several variables may have the same name. The name is `None` if
    /// the variable does not represent one element: for example, the variable that selects a result of a `Chain`.
    pub name: Option<String>,
    /// The text of each value of the variable; the value `absent` is for worlds in which the element is not evaluated. The list of value texts is
    /// empty if the variable has no name.
    pub values: Vec<String>,
    /// True if the variable represents a target.
    pub is_target: bool,
}

impl ModelFactors {
    /// Writes the factors of the part of a model on which the targets and the evidence depend.
    ///
    /// **Complexity.** UAI has only dense tables. The text may therefore be far longer than the sparse tables and functions of the model.
    ///
    /// **Errors.** The errors of [`VariableElimination`](figrs_infer::VariableElimination) before its elimination; a table error if the dense tables
    /// have more than [`Limits::element_entries`] entries in total; [`Error::InvalidSetting`] if a positive weight, divided by the largest weight of
    /// its factor, is too small for `f64`.
    pub fn new(model: &Model, targets: impl Parents, limits: &Limits) -> Result<Self, Error> {
        let targets = targets.elements();
        let expansion = expand(limits, model, &targets)?;
        if expansion.impossible().is_some() {
            return Err(impossible(model, &targets, limits));
        }
        check_failures(&expansion, limits)?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let graph = encoding.graph();
        let entries = |factor: &Factor| {
            let sizes = factor
                .variables
                .iter()
                .map(|&v| graph.cardinality(v) as f64);
            sizes.product::<f64>()
        };
        let needed: f64 = graph.factors.iter().map(entries).sum();
        if needed > limits.element_entries as f64 {
            let limit = limits.element_entries as usize;
            return Err(EliminationError::TableTooLarge { needed, limit }.into());
        }
        let variables = variables(&expansion, &encoding);
        let (text, log_scale) = written(graph)?;
        Ok(Self {
            text,
            log_scale,
            variables,
        })
    }

    /// Returns the UAI text, which describes a Markov network.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the natural logarithm of the number by which sums over the factors in the UAI text must be multiplied. The logarithm of the scale is
    /// zero unless weights of the model exceed the range of `f64`.
    pub fn log_scale(&self) -> f64 {
        self.log_scale
    }

    /// Returns the variables of the factor graph, in the order of the UAI text.
    pub fn variables(&self) -> &[FactorVariable] {
        &self.variables
    }
}

fn variables(expansion: &Expansion, encoding: &Encoding) -> Vec<FactorVariable> {
    let mut is_target = vec![false; expansion.elements().len()];
    for &position in expansion.targets() {
        is_target[position] = true;
    }
    let cardinalities = &encoding.graph().cardinalities;
    let unnamed = FactorVariable {
        name: None,
        values: Vec::new(),
        is_target: false,
    };
    let mut variables = vec![unnamed; cardinalities.len()];
    for (position, expanded) in expansion.elements().iter().enumerate() {
        let Some(v) = encoding.variable(position) else {
            continue;
        };
        let support = &expanded.support;
        let value = |i: usize| match i < support.len() {
            true => text(&support.datum(i)),
            false => "absent".to_owned(),
        };
        variables[v.index()] = FactorVariable {
            name: Some(name(&expanded.element)),
            values: (0..cardinalities[v.index()] as usize).map(value).collect(),
            is_target: is_target[position],
        };
    }
    variables
}

/// Returns the name of an element, or the call that built the element.
fn name(element: &AnyElement) -> String {
    let label = element.label();
    let name = label.name.clone();
    name.unwrap_or_else(|| label.to_string())
}

/// Returns the UAI text of a factor graph, and the natural logarithm of the scale factor that is not in the text.
fn written(graph: &FactorGraph) -> Result<(String, f64), Error> {
    let mut text = format!("MARKOV\n{}\n", graph.cardinalities.len());
    line(&mut text, graph.cardinalities.iter().map(|&n| n as usize));
    line(&mut text, std::iter::once(graph.factors.len()));
    for factor in &graph.factors {
        let scope = factor.variables.iter().map(|v| v.index());
        line(
            &mut text,
            std::iter::once(factor.variables.len()).chain(scope),
        );
    }
    let mut log_scale = 0.0;
    for (number, factor) in graph.factors.iter().enumerate() {
        let (numbers, scale) = dense_numbers(graph, factor, number)?;
        let columns = factor.variables.last().map_or(1, |&v| graph.cardinality(v));
        rows(&mut text, &numbers, columns);
        log_scale += scale;
    }
    Ok((text, log_scale))
}

/// Returns all entries of a factor as a dense table, divided by a scale factor, and the logarithm of the scale factor.
fn dense_numbers(
    graph: &FactorGraph,
    factor: &Factor,
    number: usize,
) -> Result<(Vec<f64>, f64), Error> {
    let mut numbers = vec![0.0; graph.dense_size(&factor.variables)];
    let weights = factor.table.weights();
    let is_plain = weights.is_none_or(Weights::is_plain);
    let logs = (0..factor.entries()).map(|entry| log_stored(factor, entry));
    let scale = match is_plain {
        true => 0.0,
        false => logs.fold(f64::NEG_INFINITY, f64::max),
    };
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let mut lost = None;
    for_each_entry(graph, factor, |entry, values| {
        let place = factor.variables.iter().zip(values);
        let place = place.fold(0, |at, (&v, &value)| {
            at * graph.cardinality(v) + value as usize
        });
        numbers[place] = match weights {
            Some(weights) if is_plain => weights.linear()[entry],
            _ => (log_stored(factor, entry) - scale).exp(),
        };
        if numbers[place] == 0.0 && log_stored(factor, entry) > f64::NEG_INFINITY {
            lost = Some(log_stored(factor, entry));
        }
    });
    match lost {
        None => Ok((numbers, scale)),
        Some(log) => Err(Error::invalid_setting(
            "ModelFactors",
            "model",
            format!("factor {number} with weights from exp({log}) to exp({scale})"),
            "use weights that differ by less than a factor of 1e300",
        )),
    }
}
