//! The computation of the law of a filter's step (the distribution of the next state and the readings) from the elements of the step.

use std::borrow::Cow;
use std::ops::Range;

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Limits, Model};
use indexmap::IndexMap;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashMap;

use crate::approximation::PAIRS;
use crate::belief::{Belief, StepBelief};
use crate::belief_component::{BeliefComponent, FiniteValues};
use crate::closed_form::MAX_COMPONENTS;
use crate::compiled_step::{Affine, CompiledStep, Outcome};
use crate::finite_part::numbers_of;
use crate::linear_element::{Conditional, Linear, union};
use crate::made_elements::MadeElements;
use crate::scan::{Form, Scan};

impl Belief {
    /// Returns the same joint distribution with the numbers of its elements in the order `layout`. A finite element for which `layout` has a range of
    /// numbers becomes a list of known numbers. Returns `None` if an element has more or fewer numbers than `layout` provides.
    pub(crate) fn with_layout(&self, layout: &[Option<Range<usize>>]) -> Option<Cow<'_, Self>> {
        if self.numbers == layout {
            return Some(Cow::Borrowed(self));
        }
        if self.numbers.len() != layout.len() {
            return None;
        }
        let dimension = layout.iter().flatten().map(|range| range.end).max()?;
        let mut components = Vec::with_capacity(self.components.len());
        for component in &self.components {
            let mut finite = component.finite.iter();
            let mut rest = Vec::new();
            let mut mean = DVector::zeros(dimension);
            let mut places = Vec::new();
            for (own, new) in self.numbers.iter().zip(layout) {
                match (own, new) {
                    (Some(own), Some(new)) if own.len() == new.len() => {
                        places.extend(own.clone().zip(new.clone()));
                    }
                    (None, Some(new)) => {
                        let numbers = numbers_of(finite.next()?.as_any())?;
                        if numbers.len() != new.len() {
                            return None;
                        }
                        mean.rows_mut(new.start, new.len()).copy_from(&numbers);
                    }
                    (None, None) => rest.push(finite.next()?.clone()),
                    _ => return None,
                }
            }
            let mut covariance = DMatrix::zeros(dimension, dimension);
            for &(i, new_i) in &places {
                mean[new_i] = component.mean[i];
                for &(j, new_j) in &places {
                    covariance[(new_i, new_j)] = component.covariance[(i, j)];
                }
            }
            components.push(BeliefComponent {
                share: component.share,
                finite: rest,
                mean,
                covariance,
                factor: None,
            });
        }
        Some(Cow::Owned(Self {
            numbers: layout.to_vec(),
            components,
            log_evidence: self.log_evidence,
        }))
    }

    /// Returns a joint distribution of the same elements in which the joint values `states` of the finite elements have equal probabilities, and all
    /// real numbers are independent and standard normal.
    fn standard<'v>(&self, states: impl ExactSizeIterator<Item = &'v FiniteValues>) -> Self {
        let (dimension, count) = (self.dimension(), states.len());
        let components = states.map(|FiniteValues(finite)| BeliefComponent {
            share: 1.0 / count as f64,
            finite: finite.clone(),
            mean: DVector::zeros(dimension),
            covariance: DMatrix::identity(dimension, dimension),
            factor: None,
        });
        Self {
            numbers: self.numbers.clone(),
            components: components.collect(),
            log_evidence: 0.0,
        }
    }
}

/// For each outcome of a filter's step, its probability. An outcome is the index of the next state's joint value, the values of the readings, and the
/// index of the linear function.
type Shares = IndexMap<(usize, Vec<u32>, usize), f64>;

/// An element of a step.
struct StepElement {
    element: AnyElement,
    /// The index of the element among the scanned model's finite elements, if the element is finite.
    finite: Option<usize>,
    /// The range of the element's numbers in the concatenated vector, if the element is real.
    numbers: Option<Range<usize>>,
}

/// A filter's step that is compiled for more and more joint values of the present state's finite elements, until it contains all values that the
/// state can reach.
pub(crate) struct StepCompiler {
    pub(crate) step: CompiledStep,
    /// The indices of the linear functions of the step, by the bits of their numbers.
    functions: FxHashMap<Vec<u64>, usize>,
}

impl StepCompiler {
    /// Creates a step without outcomes; the present state's finite elements have the joint values of the components of `belief`.
    pub(crate) fn new(belief: &Belief) -> Self {
        let states = belief.components.iter();
        let states = states.map(|component| FiniteValues(component.finite.clone()));
        Self {
            step: CompiledStep {
                readings: Vec::new(),
                numbers: Vec::new(),
                states: states.collect(),
                outcomes: Vec::new(),
                affine: Vec::new(),
            },
            functions: FxHashMap::default(),
        }
    }

    /// Returns a distribution of the elements of `belief` in which all joint values whose outcomes have not been computed have the same probability;
    /// returns `None` if there are no such joint values.
    pub(crate) fn next(&self, belief: &Belief) -> Option<Belief> {
        let states = &self.step.states;
        let open = &states.as_slice()[self.step.outcomes.len()..];
        (!open.is_empty()).then(|| belief.standard(open.iter()))
    }

    /// Adds the outcomes of the step for all joint values that have none yet; these joint values are the components of the distribution of the
    /// elements `present`. The elements `next` of the next state and the elements `readings` depend on the elements `present`. The argument
    /// `components` is the maximum number of mixture components in the distribution of a state. Returns the random elements of the filter's step.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; the errors of the elements.
    pub(crate) fn add(
        &mut self,
        present: &MadeElements,
        (next, readings): (&[AnyElement], &[AnyElement]),
        (limits, components): (&Limits, usize),
    ) -> Result<Vec<AnyElement>, Error> {
        let model = Model::new();
        // The present state is the first target, so that its numbers are the first vector.
        let own = present.sources();
        let targets = [&own[..], readings, next].concat();
        let mut scan = Scan::new(&model, &targets, limits);
        scan.run()?;
        let component = scan.finite.place(&own[1]);
        let readings = step_elements(&mut scan, readings)?;
        let next = step_elements(&mut scan, next)?;
        scan.finite.find_supports()?;
        self.check_numbers(&readings, &next)?;
        let scan = &scan;
        let all = || readings.iter().chain(&next);
        let finite: Vec<usize> = all()
            .filter_map(|own| own.finite)
            .chain([component])
            .collect();
        let rules = scan.vectors.iter().flatten().map(|v| &v.rule.finite[..]);
        let reals = all().filter_map(|own| real_rows(scan, &own.element));
        let scope = union(
            rules
                .chain(reals.map(|rows| &rows.finite[..]))
                .chain([&finite[..]]),
        );
        let sizes = scan.finite.sizes(&scope);
        let elements = scope
            .iter()
            .map(|&place| scan.finite.elements[place].clone());
        let elements: Vec<AnyElement> = elements.collect();
        let most = components.saturating_mul(PAIRS).max(MAX_COMPONENTS);
        let joint = Belief::of_step(&model, (&elements, &[]), &|_| Ok(()), (limits, most));
        let StepBelief { belief: joint, mut random, .. } = joint.map_err(|error| match (error, all().next()) {
            (Error::NotClosedForm { .. }, Some(own)) => {
                let problem = "the finite elements of the state and of the readings have too many joint values for a law; use `advance`";
                Error::not_closed_form(&own.element, problem)
            }
            (error, _) => error,
        })?;
        let count = scan.finite.support(component).len();
        let scale = count as f64 * joint.log_evidence.exp();
        let mut outcomes = vec![Shares::new(); count];
        for found in &joint.components {
            let values = scope.iter().zip(&found.finite);
            let values = values.map(|(&place, value)| {
                let index = scan.finite.support(place).index_of(value.as_any());
                index.unwrap_or_default() as u32
            });
            let row = Row {
                scan,
                scope: &scope,
                values: values.collect(),
                sizes: &sizes,
            };
            let affine = row.affine(all().map(|own| &own.element));
            let functions = &mut self.step.affine;
            let affine = *self.functions.entry(affine.bits()).or_insert_with(|| {
                functions.push(affine);
                functions.len() - 1
            });
            let read = readings.iter().filter_map(|own| own.finite);
            let read = read.map(|place| row.value(place)).collect();
            let values = next.iter().filter_map(|own| own.finite);
            let values = values.map(|place| row.datum(place)).collect();
            let (to, _) = self.step.states.insert_full(FiniteValues(values));
            let support = scan.finite.support(component);
            let from = support.get::<usize>(row.value(component) as usize);
            let outcomes = &mut outcomes[from.copied().unwrap_or_default()];
            *outcomes.entry((to, read, affine)).or_default() += scale * found.share;
        }
        let read = |values: &[u32]| -> Vec<Datum> {
            let places = readings.iter().filter_map(|own| own.finite);
            let pairs = places.zip(values);
            let value = |(place, &value): (usize, &u32)| {
                let support = scan.finite.support(place);
                support.datum(value as usize)
            };
            pairs.map(value).collect()
        };
        self.step
            .outcomes
            .extend(outcomes.into_iter().map(|outcomes| {
                let outcomes = outcomes.into_iter();
                let outcome =
                    |((next, values, affine), share): ((usize, Vec<u32>, usize), f64)| Outcome {
                        share,
                        next,
                        read: read(&values),
                        affine,
                    };
                outcomes.map(outcome).collect::<Vec<_>>()
            }));
        if self.step.outcomes.len() == count {
            let readings = readings.into_iter().map(|own| (own.element, own.numbers));
            self.step.readings = readings.collect();
            self.step.numbers = next.into_iter().map(|own| own.numbers).collect();
        }
        let vectors = scan.vectors.iter().flatten();
        random.extend(vectors.map(|vector| vector.element.clone()));
        Ok(random)
    }

    /// Returns an error if an element of the next state or the readings is real for some joint values of the present state and finite for others.
    fn check_numbers(&self, readings: &[StepElement], next: &[StepElement]) -> Result<(), Error> {
        if self.step.outcomes.is_empty() {
            return Ok(());
        }
        let known = self.step.readings.iter().map(|(_, numbers)| numbers);
        let known = known.chain(&self.step.numbers);
        match readings
            .iter()
            .chain(next)
            .zip(known)
            .find(|(own, known)| own.numbers != **known)
        {
            Some((own, _)) => {
                let problem = "it is a normal number for some values of the state, and finite for others; use `advance`";
                Err(Error::not_closed_form(&own.element, problem))
            }
            None => Ok(()),
        }
    }
}

/// Classifies elements of a filter's step as finite or real.
fn step_elements(scan: &mut Scan<'_>, elements: &[AnyElement]) -> Result<Vec<StepElement>, Error> {
    let (mut found, mut end) = (Vec::with_capacity(elements.len()), 0);
    for element in elements {
        let (mut finite, mut numbers) = (None, None);
        match scan.form(element) {
            Form::Finite => finite = Some(scan.finite.place(element)),
            Form::Real(rows) => {
                let start = end;
                end += rows.rows[0].numbers();
                numbers = Some(start..end);
            }
            Form::Function(_) | Form::Parameter(_) | Form::Observed => {
                let problem = "a law needs finite elements and linear functions of normal elements; use `advance`";
                return Err(Error::not_closed_form(element, problem));
            }
        }
        found.push(StepElement {
            element: element.clone(),
            finite,
            numbers,
        });
    }
    Ok(found)
}

fn real_rows<'s>(scan: &'s Scan<'_>, element: &AnyElement) -> Option<&'s Conditional<Linear>> {
    match scan.form(element) {
        Form::Real(rows) => Some(rows),
        _ => None,
    }
}

/// An assignment (joint value) of the finite elements in a step of a filter.
struct Row<'s> {
    scan: &'s Scan<'s>,
    scope: &'s [usize],
    values: Vec<u32>,
    sizes: &'s [usize],
}

impl Row<'_> {
    /// Returns the index, in its support, of the assigned value of the finite element with the index `place`.
    fn value(&self, place: usize) -> u32 {
        self.values[self.scope.binary_search(&place).unwrap_or_default()]
    }

    fn datum(&self, place: usize) -> Datum {
        self.scan
            .finite
            .support(place)
            .datum(self.value(place) as usize)
    }

    /// Returns the concatenated numbers of the real elements of `elements` as a linear function of the present state's numbers and of independent
    /// standard normal numbers.
    fn affine<'e>(&self, elements: impl Iterator<Item = &'e AnyElement>) -> Affine {
        let all = &self.scan.vectors;
        let dimensions = all.iter().flatten().map(|vector| vector.dimension);
        let columns: usize = dimensions.sum();
        let mut start = 0;
        let columns_of = all.iter().map(|vector| {
            let first = start;
            start += vector.as_ref().map_or(0, |vector| vector.dimension);
            first..start
        });
        let columns_of: Vec<Range<usize>> = columns_of.collect();
        let mut vectors: Vec<Option<Affine>> = vec![None; all.len()];
        let mut open: Vec<usize> = (0..all.len()).filter(|&i| all[i].is_some()).collect();
        while !open.is_empty() {
            let before = open.len();
            open.retain(|&index| {
                let Some(vector) = &all[index] else {
                    return false;
                };
                let rule = vector.rule.row(self.scope, &self.values, self.sizes);
                if rule.mean.vectors().any(|other| vectors[other].is_none()) {
                    return true;
                }
                let mut value = Affine::of(&rule.mean, &vectors, columns);
                let own = columns_of[index].clone();
                let mut own = value.coefficients.columns_range_mut(own);
                own.copy_from(&rule.lower);
                vectors[index] = Some(value);
                false
            });
            // The rules of vectors have no cycles.
            debug_assert!(open.len() < before);
        }
        let reals = elements.filter_map(|element| real_rows(self.scan, element));
        let parts = reals.map(|rows| {
            Affine::of(
                rows.row(self.scope, &self.values, self.sizes),
                &vectors,
                columns,
            )
        });
        let parts: Vec<Affine> = parts.collect();
        let rows = parts.iter().flat_map(|part| part.coefficients.row_iter());
        let rows: Vec<_> = rows.collect();
        let offset = parts.iter().flat_map(|part| part.offset.iter().copied());
        Affine {
            offset: DVector::from_iterator(rows.len(), offset),
            coefficients: if rows.is_empty() {
                DMatrix::zeros(0, columns)
            } else {
                DMatrix::from_rows(&rows)
            },
        }
    }
}

impl Affine {
    /// Substitutes the linear functions `vectors` for the vectors of the linear function `linear`.
    fn of(linear: &Linear, vectors: &[Option<Self>], columns: usize) -> Self {
        let mut this = Self {
            offset: DVector::from_column_slice(linear.offset()),
            coefficients: DMatrix::zeros(linear.numbers(), columns),
        };
        for (index, coefficients) in linear.terms() {
            if let Some(vector) = &vectors[index] {
                this.offset += coefficients * &vector.offset;
                this.coefficients += coefficients * &vector.coefficients;
            }
        }
        this
    }

    fn bits(&self) -> Vec<u64> {
        let numbers = self.offset.iter().chain(&self.coefficients);
        numbers.map(|x| x.to_bits()).collect()
    }
}
