//! Scan of a model, which classifies the model's elements and represents its real elements as linear functions of normal vectors.

use std::any::TypeId;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::{ApplyOp, ElementMap, Kind, NotEnumerable, OpenArgument};
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Limits, LinearFunction, Model};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::cases::Cases;
use crate::conjugate::{Multiple, Parameter, ScaledQuantity, is_prior};
use crate::finite_part::FinitePart;
use crate::linear_element::{Conditional, Linear, composed, union};
use crate::normal_rule::{Rule, check_numbers, lower_triangle};
use crate::site::{RealFunction, Site, Weighed};
use crate::site_scan::function_of_number;

/// The classification of an element of a model that is answered in closed form.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The element depends on no normal element.
    Finite,
    /// The element is a linear function of normal vectors, for each assignment of some finite elements.
    Real(Rc<Conditional<Linear>>),
    /// The element is a nonlinear function of one real number, such as a comparison.
    Function(Rc<RealFunction>),
    /// The element is a parameter with a conjugate prior, or a multiple of a parameter.
    Parameter(Multiple),
    /// The element is observed, and its distribution given one real number is not normal.
    Observed,
}

impl Form {
    /// True if the element depends on a normal element or on a parameter with a conjugate prior, and is not observed.
    pub(crate) fn is_real(&self) -> bool {
        !matches!(self, Self::Finite | Self::Observed)
    }

    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, Self::Finite | Self::Real(_))
    }
}

/// The likelihoods of real numbers that the scan of a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// Only Gaussian functions, which are the likelihoods of observed normal elements, are accepted.
    Gaussian,
    /// Gaussian functions and comparisons of real elements are accepted.
    Comparisons,
    All,
}

/// A normal element, with its conditional distribution given the normal vectors before it.
#[derive(Debug)]
pub(crate) struct NormalVector {
    pub(crate) element: AnyElement,
    pub(crate) dimension: usize,
    pub(crate) rule: Conditional<Rule>,
}

/// The scan of a model: it classifies all elements on which the targets and the evidence depend.
pub(crate) struct Scan<'m> {
    pub(crate) set: FxHashSet<ElementId>,
    pub(crate) roots: Rc<[AnyElement]>,
    pub(crate) finite: FinitePart<'m>,
    pub(crate) forms: ElementMap<Form>,
    /// The normal elements of the model; `None` for an element that was merged into another one.
    pub(crate) vectors: Vec<Option<NormalVector>>,
    /// For each `Chain` with real values, its results for each assignment of the finite elements on which its parents depend.
    pub(crate) branches: FxHashMap<ElementId, Rc<Conditional<AnyElement>>>,
    /// The `Chain` elements with real values, in the order in which they were classified.
    pub(crate) choices: Vec<AnyElement>,
    /// True after all finite parents of real elements together have received an index and a list of values.
    pub(crate) are_parents_numbered: bool,
    /// The likelihoods of the model that are not Gaussian.
    pub(crate) sites: Vec<Site>,
    pub(crate) accepted: Accepted,
    pub(crate) parameters: Vec<Parameter>,
    /// The normal vectors whose precisions or variances are multiples of a parameter, each with the index of the parameter.
    pub(crate) scales: Vec<(usize, usize, ScaledQuantity)>,
    /// The parameter over which the factor graph integrates, because it scales the precisions or the variances of all normal vectors.
    pub(crate) common_scale: Option<(usize, ScaledQuantity)>,
    pub(crate) evidence: &'m [(AnyElement, Evidence)],
    /// The element that could not be classified, if the scan of the model failed.
    pub(crate) refused: Option<AnyElement>,
    pub(crate) observed: ElementMap<&'m Datum>,
}

enum Parent<'f> {
    Real(&'f Conditional<Linear>),
    /// The finite element with the index `place`, whose value is determined by that of the element with the index `base`.
    Finite {
        place: usize,
        base: usize,
    },
    /// A multiple of a parameter with a conjugate prior; the contained number is the value that is assumed for the multiple.
    Parameter(f64),
}

/// The classification of an element, or the other elements that must be classified first.
pub(crate) enum Attempt {
    Done(Form),
    Needs(Elements),
}

pub(crate) type Elements = SmallVec<[AnyElement; 2]>;

/// The classification of each parent of an element.
type Forms = SmallVec<[Form; 2]>;

impl<'m> Scan<'m> {
    /// Creates the scan of a model's targets and of its elements with evidence.
    pub(crate) fn new(model: &'m Model, targets: &[AnyElement], limits: &'m Limits) -> Self {
        let evidence = model.evidence().iter().map(|(element, _)| element);
        Self {
            roots: targets.iter().chain(evidence).cloned().collect(),
            set: model.interventions().iter().map(|(e, _)| e.id()).collect(),
            finite: FinitePart::new(model, limits),
            forms: ElementMap::default(),
            vectors: Vec::new(),
            branches: FxHashMap::default(),
            choices: Vec::new(),
            are_parents_numbered: false,
            sites: Vec::new(),
            accepted: Accepted::Gaussian,
            parameters: Vec::new(),
            scales: Vec::new(),
            common_scale: None,
            evidence: model.evidence(),
            refused: None,
            observed: first_observed(model),
        }
    }

    /// Makes the elements of `cases`, whose values differ between cases, functions of the case. The cases must be set before the scan of the model
    /// runs.
    pub(crate) fn with_cases(mut self, cases: &Cases) -> Self {
        self.set.extend(cases.ids());
        self.finite = self.finite.with_cases(cases);
        self
    }

    /// Makes the scan of the model accept likelihoods of the kind `accepted`.
    pub(crate) fn accepting(self, accepted: Accepted) -> Self {
        Self { accepted, ..self }
    }

    /// True if the scan of the model accepts all likelihoods of real numbers.
    pub(crate) fn accepts_all(&self) -> bool {
        self.accepted == Accepted::All
    }

    /// Classifies all elements on which the targets and the evidence depend.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if an element has no closed form; the errors of the model.
    pub(crate) fn run(&mut self) -> Result<(), Error> {
        // Most roots depend on elements of their own.
        self.forms.reserve(2 * self.roots.len());
        self.vectors.reserve(self.roots.len());
        let (roots, mut stack) = (Rc::clone(&self.roots), Vec::new());
        for root in &*roots {
            self.resolve(root, &mut stack)?;
        }
        self.merge_private_results();
        self.check_chosen_parameters()?;
        self.add_statements()
    }

    /// Returns the classification of a target or of an element with evidence, or of an element on which one of them depends.
    pub(crate) fn form(&self, element: &AnyElement) -> &Form {
        &self.forms[&element.id()]
    }

    /// Classifies `root` and the elements on which it depends, that is, finds the closed form of each; `stack` must be empty.
    fn resolve(&mut self, root: &AnyElement, stack: &mut Vec<AnyElement>) -> Result<(), Error> {
        stack.push(root.clone());
        while let Some(element) = stack.pop() {
            if self.forms.contains_key(&element.id()) {
                continue;
            }
            let attempt = self.attempt(&element);
            if attempt.is_err() {
                self.refused = Some(element.clone());
            }
            match attempt? {
                Attempt::Needs(others) => {
                    stack.push(element);
                    stack.extend(others);
                }
                Attempt::Done(form) => {
                    self.forms.insert(element.id(), form);
                }
            }
        }
        Ok(())
    }

    /// Returns the elements of `elements` that have not been classified yet.
    pub(crate) fn unknown(&self, elements: &[AnyElement]) -> Elements {
        let is_unknown = |element: &&AnyElement| !self.forms.contains_key(&element.id());
        elements.iter().filter(is_unknown).cloned().collect()
    }

    pub(crate) fn is_set(&self, element: &AnyElement) -> bool {
        self.set.contains(&element.id())
    }

    pub(crate) fn is_real(&self, element: &AnyElement) -> bool {
        self.form(element).is_real()
    }

    fn attempt(&mut self, element: &AnyElement) -> Result<Attempt, Error> {
        if self.set.contains(&element.id()) {
            return Ok(Attempt::Done(Form::Finite));
        }
        let parents = element.parents();
        let (mut forms, mut unknown) = (Forms::new(), Elements::new());
        for parent in parents {
            match self.forms.get(&parent.id()) {
                Some(form) => forms.push(form.clone()),
                None => unknown.push(parent.clone()),
            }
        }
        if !unknown.is_empty() {
            return Ok(Attempt::Needs(unknown));
        }
        let real_parent = forms.iter().position(Form::is_real).map(|i| &parents[i]);
        let reads_parameter = forms.iter().any(|form| matches!(form, Form::Parameter(_)));
        match element.kind() {
            Kind::Atomic(op) => {
                op.check().map_err(|problem| element.invalid(problem))?;
                let outcomes = op.outcomes().map_err(|fault| element.fault(fault))?;
                if !matches!(outcomes, Err(NotEnumerable::Continuous)) {
                    return Ok(Attempt::Done(Form::Finite));
                }
                let Some(law) = op.linear_gaussian() else {
                    if !is_prior(element) {
                        return Err(not_normal(element));
                    }
                    let prior = Conditional::always(element.clone());
                    return Ok(Attempt::Done(self.add_parameter(element, prior)));
                };
                let mean = composed(&law.mean, &[]);
                let rule = Rule {
                    lower: lower_triangle(element, mean.numbers(), &law.covariance)?,
                    mean,
                };
                Ok(Attempt::Done(
                    self.add_vector(element, Conditional::always(rule)),
                ))
            }
            Kind::Table(..) => match real_parent {
                Some(parent) => Err(finite_child(element, parent)),
                None => Ok(Attempt::Done(Form::Finite)),
            },
            Kind::Score(..) => match real_parent {
                Some(parent) => Err(Error::not_closed_form(
                    element,
                    format!("it weighs the values of {}", parent.label()),
                )),
                None => Ok(Attempt::Done(Form::Finite)),
            },
            Kind::Apply(_, op) => match real_parent {
                None => {
                    self.finite.add_function(element, parents, &**op)?;
                    Ok(Attempt::Done(Form::Finite))
                }
                Some(_) => self.function(element, &forms, &**op),
            },
            Kind::Chain(_, op) => match (op.family(), real_parent) {
                (Some(family), Some(_)) if reads_parameter => {
                    if family.is_continuous()
                        && let Some(form) = self.scaled_member(element, &forms, family)?
                    {
                        return Ok(Attempt::Done(form));
                    }
                    Ok(Attempt::Done(self.reader(element, family)?))
                }
                (Some(family), _) if family.is_continuous() => {
                    self.normal_member(element, &forms, family)
                }
                (_, Some(_)) if self.accepts_all() => self.dependent(element),
                (Some(_), Some(parent)) => Err(finite_child(element, parent)),
                (Some(_), None) => Ok(Attempt::Done(Form::Finite)),
                (None, Some(parent)) => Err(Error::not_closed_form(
                    element,
                    format!(
                        "its function takes the real values of {}, which ExpectationPropagation may approximate",
                        parent.label()
                    ),
                )),
                (None, None) => self.choice(element, &**op),
            },
        }
    }

    /// Classifies a deterministic function of real elements as linear or nonlinear.
    fn function(
        &mut self,
        element: &AnyElement,
        forms: &[Form],
        op: &dyn ApplyOp,
    ) -> Result<Attempt, Error> {
        let are_linear = forms.iter().all(Form::is_linear);
        if are_linear {
            let rows = self.rows(element, forms, 1.0, |arguments| {
                let checked = op.check_open(arguments);
                checked.map_err(|fault| Error::from(element.fault(fault)))?;
                Ok(op.linear(arguments).map(|f| (f, ())))
            })?;
            if let Some(rows) = rows {
                let rows = rows.map(|(linear, ())| linear);
                check_numbers(element, rows.rows.iter())?;
                return Ok(Attempt::Done(Form::Real(Rc::new(rows))));
            }
        }
        if let &[Form::Parameter(multiple)] = forms
            && let Some(function) = op.linear(&[OpenArgument::Open(1)])
            && let ([0.0], &[slope]) = (function.offset(), function.coefficients())
        {
            let factor = multiple.factor * slope;
            return Ok(Attempt::Done(Form::Parameter(Multiple {
                factor,
                ..multiple
            })));
        }
        if are_linear {
            let rows = self.rows(
                element,
                forms,
                1.0,
                |arguments| Ok(op.comparison(arguments)),
            )?;
            if let Some(rows) = rows {
                if self.accepted == Accepted::Gaussian {
                    let problem = "it compares real numbers; comparisons are accepted by Exact, VariableElimination, JunctionTree and ExpectationPropagation";
                    return Err(Error::not_closed_form(element, problem));
                }
                let at_zero = rows.rows[0].1;
                let rows = rows.map(|(difference, _)| difference);
                check_numbers(element, rows.rows.iter())?;
                let function = RealFunction {
                    base: element.clone(),
                    argument: Rc::new(rows),
                    others: Vec::new(),
                    path: Vec::new(),
                    scope: Vec::new(),
                };
                if let Some(value) = self.observed(element) {
                    let is_true = value.get::<bool>() == Some(&true);
                    let weighed = Weighed::ObservedSign(is_true, at_zero);
                    return Ok(Attempt::Done(
                        self.observed_site(element, function, weighed),
                    ));
                }
                let mut values = element.no_values();
                values.insert(&false);
                values.insert(&true);
                return Ok(self.child(element, function, values, |place| {
                    Weighed::Sign(place, at_zero)
                }));
            }
        }
        if !self.accepts_all() {
            let problem = "its function is not known to be linear; write it with `+`, `-`, and `*` and `/` by numbers, on elements of `f64`, a list by `inject`, and a \
                           comparison by `greater_than` and the like, or use ExpectationPropagation";
            return Err(Error::not_closed_form(element, problem));
        }
        if is_float(element) {
            let function = self.number_of_parents(element)?;
            return function_of_number(element, function);
        }
        self.dependent(element)
    }

    /// Computes a value, such as a linear function, for each assignment of the finite elements on which the parents of an element depend; `forms` has
    /// the classifications of the parents. If a parent of the element is a multiple of a parameter with a conjugate prior, the parameter is assumed
    /// to have the value `parameter`.
    pub(crate) fn rows<T>(
        &mut self,
        element: &AnyElement,
        forms: &[Form],
        parameter: f64,
        mut build: impl FnMut(&[OpenArgument<'_>]) -> Result<Option<(LinearFunction, T)>, Error>,
    ) -> Result<Option<Conditional<(Linear, T)>>, Error> {
        if !forms.iter().all(Form::is_real) {
            self.supported_parents(element)?;
        }
        let pairs = element.parents().iter().zip(forms);
        let parents = pairs.map(|(parent, form)| match form {
            Form::Real(rows) => Parent::Real(rows),
            Form::Parameter(multiple) => Parent::Parameter(multiple.factor * parameter),
            Form::Finite | Form::Function(_) | Form::Observed => {
                let place = self.finite.place(parent);
                let base = self.finite.base(place);
                Parent::Finite { place, base }
            }
        });
        let parents: SmallVec<[Parent<'_>; 2]> = parents.collect();
        let scope = union(parents.iter().map(|parent| match parent {
            Parent::Real(rows) => &rows.finite[..],
            Parent::Finite { base, .. } => std::slice::from_ref(base),
            Parent::Parameter(_) => &[],
        }));
        let sizes = self.finite.sizes(&scope);
        let assignments = self.finite.assignments(element, &scope)?;
        let mut rows = SmallVec::with_capacity(assignments.len());
        for values in assignments {
            let mut arguments: SmallVec<[OpenArgument<'_>; 2]> = SmallVec::new();
            let mut open: SmallVec<[&Linear; 2]> = SmallVec::new();
            for parent in &parents {
                arguments.push(match parent {
                    Parent::Real(rows) => {
                        let row = rows.row(&scope, &values, &sizes);
                        open.push(row);
                        OpenArgument::Open(row.numbers())
                    }
                    Parent::Parameter(value) => OpenArgument::Known(value),
                    Parent::Finite { place, .. } => {
                        let value = self.finite.value_in(*place, &scope, &values);
                        OpenArgument::Known(self.finite.support(*place).any(value as usize))
                    }
                });
            }
            let Some((function, other)) = build(&arguments)? else {
                return Ok(None);
            };
            rows.push((composed(&function, &open), other));
        }
        Ok(Some(Conditional {
            finite: scope,
            rows,
        }))
    }
}

/// Returns the first observed value of each observed element.
fn first_observed(model: &Model) -> ElementMap<&Datum> {
    let mut first = ElementMap::default();
    first.reserve(model.evidence().len());
    for (element, evidence) in model.evidence() {
        if let Some(value) = evidence.observed() {
            first.entry(element.id()).or_insert(value);
        }
    }
    first
}

/// True if the values of `element` have the type `f64` or are lists of `f64`.
pub(crate) fn is_float(element: &AnyElement) -> bool {
    let values = element.no_values().value_type();
    values == TypeId::of::<f64>() || values == TypeId::of::<Vec<f64>>()
}

pub(crate) fn not_normal(element: &AnyElement) -> Error {
    let problem = "its distribution is not normal with a mean that is linear in real elements and a covariance that depends on finite elements alone";
    Error::not_closed_form(element, problem)
}

fn finite_child(element: &AnyElement, parent: &AnyElement) -> Error {
    Error::not_closed_form(
        element,
        format!(
            "it depends on the real values of {}, which ExpectationPropagation may approximate",
            parent.label()
        ),
    )
}
