//! The factor graph of a model's normal and finite elements.

mod common_scale;
mod interval_factor;
mod observations;
mod rule_factors;
mod site_factors;
mod targets;

use figrs_answer::conflict;
use figrs_answer::error::Error;
use figrs_answer::expansion::{expand, expand_for_best_world};
use figrs_core::expand::{Content, Encoding, Expansion};
use figrs_core::internals::{ElementMap, QueryKind};
use figrs_core::{AnyElement, Limits, Model, Support};
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId, Weights};
use figrs_gaussian::{HybridGraph, RealId};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::conjugate::ParameterPosterior;
use crate::linear_element::{Conditional, Linear};
use crate::scan::{Form, Scan};
use interval_factor::IntervalFactor;
use site_factors::SiteFactor;
pub(crate) use targets::{Mention, NumbersOfElement};

/// The hybrid factor graph of a model: its variables are finite variables and real vectors.
pub(crate) struct HybridModel<'m> {
    scan: Scan<'m>,
    pub(crate) graph: HybridGraph,
    pub(crate) expansion: Expansion,
    /// For each finite element, its index in the `Expansion` (the list of elements with their possible values); `None` for a function of the case
    /// that is no target.
    positions: Vec<Option<usize>>,
    /// For each finite element with an index in the `Expansion`, a variable that determines the element's value; and for each value of the variable,
    /// the index of the element's value in its support. A finite element with one possible value needs no variable in the factor graph.
    variables: Vec<(Option<VarId>, Vec<u32>)>,
    /// For each finite element, the variable of the factor graph whose values are those of the element; `None` if there is no such variable.
    target_variables: Vec<Option<VarId>>,
    /// For each real vector that evidence determines, the vector as a function of other vectors.
    known: Vec<Option<Box<Conditional<Linear>>>>,
    /// For each real vector, the vectors that are functions of it because of the evidence.
    functions_of: FxHashMap<usize, Vec<usize>>,
    /// For each real vector, its identifier in the hybrid factor graph. The normal vectors of the model come first, followed by vectors that
    /// represent the numbers that an observation leaves undetermined.
    reals: Vec<Option<RealId>>,
    /// For each real vector, its dimension; zero for a vector that was merged with another vector.
    dimensions: Vec<usize>,
    /// The model's element that each normal vector represents; `None` for a vector that was merged with another vector.
    elements: Vec<Option<AnyElement>>,
    pub(crate) sites: Vec<SiteFactor>,
    /// The comparisons of one real number, if comparisons are the only accepted likelihoods that are not Gaussian.
    interval: Option<IntervalFactor>,
    /// For each parameter with a conjugate prior, its posterior given the finite elements.
    posteriors: Vec<Conditional<ParameterPosterior>>,
}

impl<'m> HybridModel<'m> {
    /// Builds the factor graph of the normal and finite elements of `model`.
    ///
    /// **Errors.** The errors of classifying the model's elements and of listing the possible values of its finite elements; [`Error::NotClosedForm`]
    /// if a statement of evidence on a real element is not an observation.
    pub(crate) fn new(
        scan: Scan<'m>,
        model: &Model,
        targets: &[AnyElement],
        limits: &Limits,
    ) -> Result<Self, Error> {
        Ok(Self::asked(QueryKind::Sums, scan, (model, targets), limits)?.0)
    }

    /// Builds the hybrid factor graph of `model`, for sums or for the most probable world, and the encoding of the finite elements as variables.
    ///
    /// **Errors.** The same errors as [`new`](Self::new).
    pub(crate) fn asked(
        asked: QueryKind,
        mut scan: Scan<'m>,
        (model, targets): (&Model, &[AnyElement]),
        limits: &Limits,
    ) -> Result<(Self, Encoding), Error> {
        if let (Some(&(_, parameter, _)), None) = (scan.scales.first(), scan.common_scale) {
            let parameter = &scan.parameters[parameter];
            let problem = "it is an unknown precision or variance of normal elements, which `MpeExact`, filters and ExpectationPropagation do not support";
            return Err(Error::not_closed_form(&parameter.element, problem));
        }
        let is_finite = |target: &&AnyElement| {
            let form = scan.form(target);
            matches!(form, Form::Finite | Form::Observed)
        };
        let finite_targets: Vec<&AnyElement> = targets.iter().filter(is_finite).collect();
        let finite_targets = finite_targets.iter();
        let target_places: Vec<usize> = finite_targets.map(|t| scan.finite.place(t)).collect();
        scan.finite.find_supports()?;
        // Functions of the case need no variables of their own.
        let is_needed =
            |&place: &usize| !scan.finite.is_column(place) || target_places.contains(&place);
        let places: Vec<usize> = (0..scan.finite.elements.len()).filter(is_needed).collect();
        let finite = places
            .iter()
            .map(|&place| scan.finite.elements[place].clone());
        let finite: Vec<AnyElement> = finite.collect();
        let is_finite = |i: usize| matches!(scan.form(&model.evidence()[i].0), Form::Finite);
        let finite_model = scan.finite.with_free_elements(model.filtered(is_finite));
        let expansion = match asked {
            QueryKind::Sums => expand(limits, &finite_model, &finite)?,
            QueryKind::BestWorld => expand_for_best_world(limits, &finite_model, &finite)?,
        };
        if expansion.impossible().is_some() {
            return Err(conflict::impossible(&finite_model, &finite, limits));
        }
        conflict::check_failures(&expansion, limits)?;
        let mut encoding = match asked {
            QueryKind::Sums => Encoding::for_sums(&expansion, expansion.targets())?,
            QueryKind::BestWorld => Encoding::for_worlds(&expansion)?,
        };
        let count = scan.finite.elements.len();
        let mut positions = vec![None; count];
        let mut variables = vec![(None, vec![0]); count];
        let mut target_variables = vec![None; count];
        for (&place, &position) in places.iter().zip(expansion.targets()) {
            let support = &expansion.elements()[position].support;
            let values = values_in(scan.finite.support(place), support);
            let (base, own) = base_of(&expansion, &encoding, position);
            let values = own.map_or(values.clone(), |own| {
                own.iter().map(|&value| values[value as usize]).collect()
            });
            positions[place] = Some(position);
            variables[place] = (encoding.variable(base), values);
            target_variables[place] = encoding.variable(position);
        }
        let mut this = Self {
            positions,
            variables,
            target_variables,
            graph: HybridGraph {
                finite: encoding.take_graph(),
                ..HybridGraph::default()
            },
            known: vec![None; scan.vectors.len()],
            functions_of: FxHashMap::default(),
            reals: vec![None; scan.vectors.len()],
            dimensions: scan
                .vectors
                .iter()
                .map(|vector| vector.as_ref().map_or(0, |v| v.dimension))
                .collect(),
            elements: Vec::with_capacity(scan.vectors.len()),
            sites: Vec::new(),
            interval: None,
            posteriors: Vec::new(),
            expansion,
            scan,
        };
        this.observe_evidence(model)?;
        for index in 0..this.known.len() {
            if this.known[index].is_none() && this.dimensions[index] > 0 {
                this.reals[index] = Some(this.graph.add_real(this.dimensions[index]));
            }
        }
        let vectors = std::mem::take(&mut this.scan.vectors);
        this.graph.factors.reserve(vectors.len());
        let precision = this.common_precision(&vectors, limits)?;
        for (index, vector) in vectors.into_iter().enumerate() {
            if let Some(vector) = &vector {
                let rule = this.rule_factor(index, vector)?;
                this.add_rule(rule.with_precision(precision));
            }
            this.elements.push(vector.map(|vector| vector.element));
        }
        for parameter in &this.scan.parameters {
            this.posteriors
                .push(parameter.posteriors(&this.scan.finite)?);
        }
        for index in 0..this.posteriors.len() {
            let (posterior, parameter) = (&this.posteriors[index], &this.scan.parameters[index]);
            let log = |row: &ParameterPosterior| match asked {
                QueryKind::Sums => Some(row.log_total),
                QueryKind::BestWorld => row.log_max(&parameter.element),
            };
            let logs: Option<Vec<f64>> = posterior.rows.iter().map(log).collect();
            let logs = logs.ok_or_else(|| {
                let problem = "its density has no maximum; ask `Exact` for its distribution";
                Error::not_closed_form(&parameter.element, problem)
            })?;
            if !parameter.is_chosen && logs.iter().any(|&log| log != 0.0) {
                let scope = posterior.finite.clone();
                this.add_finite(&scope, |place| logs[place]);
            }
        }
        let sites = std::mem::take(&mut this.scan.sites);
        if this.scan.accepts_all() {
            this.add_sites(sites)?;
        } else {
            this.add_comparisons(sites)?;
        }
        Ok((this, encoding))
    }

    /// For each of the real vectors `reals`, returns its first column and its number of columns in a matrix whose columns belong to these vectors.
    fn columns(&self, reals: &[usize]) -> SmallVec<[(usize, usize); 4]> {
        let mut start = 0;
        let column = |&index: &usize| {
            let width = self.reals[index].map_or(0, |real| self.graph.dimension(real));
            start += width;
            (start - width, width)
        };
        reals.iter().map(column).collect()
    }

    /// Adds a factor of the finite elements `scope` to the factor graph; `log_weight` returns the log-weight of the joint value with a given index.
    fn add_finite(&mut self, scope: &[usize], log_weight: impl Fn(usize) -> f64) {
        let (variables, places) = self.entries(scope);
        let logs = places.iter().map(|&place| log_weight(place)).collect();
        self.graph.finite.factors.push(Factor {
            variables,
            table: FactorTable::Dense(Weights::from_logs(logs)),
            normalised: false,
        });
    }

    /// Returns the variables that represent the finite elements `scope`, without duplicates; and for each assignment of the variables, the index of
    /// the elements' joint value in row-major order.
    fn entries(&self, scope: &[usize]) -> (Vec<VarId>, SmallVec<[usize; 1]>) {
        if scope.is_empty() {
            return (Vec::new(), smallvec![0]);
        }
        let mut variables: Vec<VarId> = Vec::new();
        variables.extend(scope.iter().filter_map(|&place| self.variables[place].0));
        variables.sort_unstable();
        variables.dedup();
        let cardinalities = variables.iter().map(|&v| self.graph.finite.cardinality(v));
        let assignments = Assignments::rows(cardinalities);
        let sizes = self.scan.finite.sizes(scope);
        let mut values = vec![0; variables.len()];
        let mut places = SmallVec::with_capacity(assignments.count());
        loop {
            let index = scope.iter().zip(&sizes).fold(0, |index, (&place, size)| {
                index * size + self.value(place, &variables, &values) as usize
            });
            places.push(index);
            if assignments.advance(&mut values).is_none() {
                return (variables, places);
            }
        }
    }

    /// Returns the index in its support of the value that the finite element `place` has in the assignment `values` of `variables`.
    pub(crate) fn value(&self, place: usize, variables: &[VarId], values: &[u32]) -> u32 {
        let value_of = |place: usize| {
            let (variable, in_scan) = &self.variables[place];
            let value = variable.and_then(|v| variables.binary_search(&v).ok());
            in_scan[value.map_or(0, |at| values[at] as usize)]
        };
        self.scan.finite.value(place, value_of)
    }

    /// Returns the variable that determines the value of the finite element with the index `place`; and for each value of the variable, the index of
    /// the element's value in its support. The variable is `None` if the finite element has only one possible value.
    pub(crate) fn finite_values(&self, place: usize) -> (Option<VarId>, &[u32]) {
        let (variable, values) = &self.variables[place];
        (*variable, values)
    }

    /// Returns the total size of the factor graph: the number of its Gaussian functions, of the entries of its finite factors, and of the
    /// combinations of parent values of the finite elements.
    pub(crate) fn size(&self) -> usize {
        let forms = self.graph.factors.iter().map(|factor| factor.forms.len());
        let entries = self.graph.finite.factors.iter().map(Factor::entries);
        let combinations = self.expansion.elements().iter().map(|element| {
            let parents = element.parents.iter();
            let sizes = parents.map(|&parent| self.expansion.elements()[parent].support.len());
            sizes.product::<usize>()
        });
        forms.sum::<usize>() + entries.sum::<usize>() + combinations.sum::<usize>()
    }

    /// Frees the classifications of the elements, which are no longer needed once the factors and the linear functions of the targets have been
    /// built.
    pub(crate) fn forget_forms(&mut self) {
        self.scan.forms = ElementMap::default();
        self.known = Vec::new();
    }

    pub(crate) fn scan(&self) -> &Scan<'m> {
        &self.scan
    }

    /// Returns the identifier of the real vector `index` in the factor graph; `None` if evidence determines the vector.
    pub(crate) fn real(&self, index: usize) -> Option<RealId> {
        self.reals[index]
    }

    pub(crate) fn element(&self, real: RealId) -> Option<&AnyElement> {
        let index = self.reals.iter().position(|&other| other == Some(real))?;
        self.elements.get(index)?.as_ref()
    }
}

/// Follows deterministic functions of a single argument from the element with the index `position` back to the first argument. Returns the first
/// argument of the chain of functions, and for each of its values the value of the element `position`. The values are `None` if the element
/// `position` is not a function and is itself the first argument.
fn base_of(
    expansion: &Expansion,
    encoding: &Encoding,
    position: usize,
) -> (usize, Option<Vec<u32>>) {
    let (mut base, mut values) = (position, None);
    loop {
        let element = &expansion.elements()[base];
        let ([parent], Content::Apply(index)) = (&element.parents[..], &element.content) else {
            return (base, values);
        };
        let known = &expansion.elements()[*parent];
        let is_whole = index.len() == known.support.len()
            && index
                .iter()
                .all(|&value| (value as usize) < element.support.len())
            && !known.unknown;
        if !is_whole || encoding.variable(*parent).is_none() {
            return (base, values);
        }
        values = Some(match values {
            None => index.clone(),
            Some(of_base) => index.iter().map(|&value| of_base[value as usize]).collect(),
        });
        base = *parent;
    }
}

/// For each value of `support`, returns its index among the values of the support `all`.
fn values_in(all: &Support, support: &Support) -> Vec<u32> {
    let position = |value| all.index_of(support.any(value)).unwrap_or_default() as u32;
    (0..support.len()).map(position).collect()
}
