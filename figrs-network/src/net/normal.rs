//! Reads the normal distributions of continuous nodes, whose means are linear in their continuous parents.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult};
use super::super::names::FullNames;
use super::super::{LinearNormal, RealDistribution, mistakes};
use super::block::{Name, Potential};
use super::formula::{Formula, Value, nested_formulas};
use figrs_reading::{Mistake, MistakeKind};

/// The remedy that the error about an unreadable normal distribution states.
const FORM: &str = "write `normal ( mean, variance )`";

/// Sets the distribution of the continuous node of `potential`. A continuous node has a normal distribution for each joint state of its discrete
/// parents, where the last parent varies fastest.
pub(super) fn define(
    draft: &mut NetworkDraft,
    names: &FullNames,
    potential: &Potential<'_>,
) -> LexerResult<()> {
    let (place, node) = names.of(potential.subject);
    let Some(normals) = &potential.normals else {
        let problem =
            format!("the potential of the continuous node `{node}` has no normal distributions");
        let mistake = Mistake::new(MistakeKind::Missing, problem, FORM);
        return Err(LexerError::new(place, mistake));
    };
    let is_real = |parent: &&Name<'_>| draft.is_real(names.of(**parent).1);
    let (real, finite): (Vec<&Name<'_>>, Vec<&Name<'_>>) =
        potential.parents.iter().partition(is_real);
    let finite_parents = draft.scope(finite.iter().map(|&&parent| names.of(parent)))?;
    if let Some(&decision) = finite_parents
        .iter()
        .find(|&&parent| draft.is_decision(parent))
    {
        let decision = draft.variables[decision].name();
        let problem = format!("the continuous node `{node}` depends on the decision `{decision}`");
        let remedy = "declare the decision as a discrete node with fixed probabilities";
        let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
        return Err(LexerError::new(place, mistake));
    }
    let mut parents: IndexMap<&str, usize, FxBuildHasher> = IndexMap::default();
    for &&(at, identifier) in &real {
        let (_, name) = names.of((at, identifier));
        let position = draft.reals.get_index_of(name);
        if parents.insert(identifier, position.unwrap_or(0)).is_some() {
            return Err(LexerError::new(at, mistakes::repeated_in_table(name)));
        }
    }
    let (text, at) = normals.text();
    let formulas = nested_formulas(text, at).map_err(|error| error.with_remedy(FORM))?;
    mistakes::check_entries(at, formulas.len(), draft.entries(&finite_parents))?;
    let reader = NormalReader {
        node,
        parents: &parents,
        finite: finite.iter().map(|(_, identifier)| *identifier).collect(),
    };
    let rows = formulas.iter().map(|formula| reader.normal(formula, at));
    let rows = rows.collect::<LexerResult<Vec<LinearNormal>>>()?;
    let distribution = RealDistribution {
        finite_parents,
        real_parents: parents.into_values().collect(),
        rows,
    };
    draft.define_real(place, node, distribution)
}

struct NormalReader<'n> {
    node: &'n str,
    /// The identifiers of the continuous parents of a continuous node, with their indices among the real variables.
    parents: &'n IndexMap<&'n str, usize, FxBuildHasher>,
    /// The identifiers of the discrete parents of a continuous node.
    finite: Vec<&'n str>,
}

/// A linear function: a constant, and the coefficients of real variables.
#[derive(Default)]
struct LinearForm {
    constant: f64,
    coefficients: IndexMap<usize, f64, FxBuildHasher>,
}

impl NormalReader<'_> {
    /// Reads the normal distribution `formula`; `list` is the offset of the list that contains `formula`.
    fn normal(&self, formula: &Formula, list: usize) -> LexerResult<LinearNormal> {
        let (at, mean, variance) = match formula {
            Formula::Function {
                at,
                name,
                arguments,
            } if name == "normal" => match &arguments[..] {
                [mean, variance] => (*at, mean, variance),
                others => {
                    let found = others.len();
                    let problem = format!(
                        "a normal distribution of `{}` has {found} arguments, but needs 2",
                        self.node
                    );
                    return Err(LexerError::new(
                        *at,
                        Mistake::new(MistakeKind::Count, problem, FORM),
                    ));
                }
            },
            other => {
                let problem = format!(
                    "a distribution of the continuous node `{}` is not normal",
                    self.node
                );
                let at = other.at().unwrap_or(list);
                return Err(LexerError::new(
                    at,
                    Mistake::new(MistakeKind::Unsupported, problem, FORM),
                ));
            }
        };
        let mut form = LinearForm::default();
        self.add(mean, 1.0, at, &mut form)?;
        let numbers = form.coefficients.values().copied();
        let found = numbers
            .chain([form.constant])
            .find(|number| !number.is_finite());
        if let Some(number) = found {
            let problem = format!("the mean of `{}` has the coefficient {number}", self.node);
            let mistake = Mistake::new(MistakeKind::Value, problem, "give it finite coefficients");
            return Err(LexerError::new(mean.at().unwrap_or(at), mistake));
        }
        form.coefficients
            .retain(|_, coefficient| *coefficient != 0.0);
        Ok(LinearNormal {
            constant: form.constant,
            terms: form.coefficients.into_iter().collect(),
            variance: self.variance(variance, at)?,
        })
    }

    /// Adds `factor` times `formula` to the linear function `form`; `normal` is the offset of the distribution that contains `formula`.
    fn add(
        &self,
        formula: &Formula,
        factor: f64,
        normal: usize,
        form: &mut LinearForm,
    ) -> LexerResult<()> {
        match formula {
            Formula::Node { at, name } => {
                let Some(&parent) = self.parents.get(name.as_str()) else {
                    return Err(LexerError::new(*at, self.no_parent(name)));
                };
                *form.coefficients.entry(parent).or_insert(0.0) += factor;
            }
            Formula::Function {
                at,
                name,
                arguments,
            } => match (name.as_str(), &arguments[..]) {
                ("+", [left, right]) => {
                    self.add(left, factor, normal, form)?;
                    self.add(right, factor, normal, form)?;
                }
                ("-", [left, right]) => {
                    self.add(left, factor, normal, form)?;
                    self.add(right, -factor, normal, form)?;
                }
                ("-", [only]) => self.add(only, -factor, normal, form)?,
                ("*", [left, right]) if right.node().is_none() => {
                    self.add(left, factor * self.number(right, normal)?, normal, form)?;
                }
                ("*", [left, right]) if left.node().is_none() => {
                    self.add(right, factor * self.number(left, normal)?, normal, form)?;
                }
                ("/", [left, right]) if right.node().is_none() => {
                    self.add(left, factor / self.number(right, normal)?, normal, form)?;
                }
                _ => {
                    if let Some((_, parent)) = formula.node() {
                        let problem =
                            format!("the mean of `{}` is not linear in `{parent}`", self.node);
                        let remedy = "write the mean as a sum of a number and of parents, each times a number";
                        let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
                        return Err(LexerError::new(*at, mistake));
                    }
                    form.constant += factor * self.number(formula, normal)?;
                }
            },
            Formula::Constant(_) => form.constant += factor * self.number(formula, normal)?,
        }
        Ok(())
    }

    fn number(&self, formula: &Formula, normal: usize) -> LexerResult<f64> {
        let value = formula.value(&|_| None);
        if let Value::Number(number) = value.map_err(|error| error.with_remedy(FORM))? {
            return Ok(number);
        }
        let problem = format!(
            "a distribution of `{}` has a value that is not a number",
            self.node
        );
        let mistake = Mistake::new(MistakeKind::Value, problem, FORM);
        Err(LexerError::new(formula.at().unwrap_or(normal), mistake))
    }

    fn variance(&self, formula: &Formula, normal: usize) -> LexerResult<f64> {
        let at = formula.at().unwrap_or(normal);
        if let Some((at, parent)) = formula.node() {
            let problem = format!("the variance of `{}` depends on `{parent}`", self.node);
            let remedy = "give it a number for each joint state of the discrete parents";
            return Err(LexerError::new(
                at,
                Mistake::new(MistakeKind::Unsupported, problem, remedy),
            ));
        }
        let variance = self.number(formula, normal)?;
        if variance > 0.0 && variance.is_finite() {
            return Ok(variance);
        }
        let problem = format!("`{}` has the variance {variance}", self.node);
        let remedy =
            "give it a positive number; the second number of a normal distribution is its variance";
        Err(LexerError::new(
            at,
            Mistake::new(MistakeKind::Value, problem, remedy),
        ))
    }

    /// Returns the error that a mean depends on the node `name`, which is not a continuous parent.
    fn no_parent(&self, name: &str) -> Mistake {
        let node = self.node;
        if self.finite.contains(&name) {
            let problem =
                format!("the mean of `{node}` is a function of the discrete node `{name}`");
            let remedy = "write a normal distribution for each state of the discrete parents";
            return Mistake::new(MistakeKind::Unsupported, problem, remedy);
        }
        let problem =
            format!("the mean of `{node}` depends on `{name}`, which is not a parent of it");
        Mistake::new(MistakeKind::Unknown, problem, "add it to the parents")
    }
}
