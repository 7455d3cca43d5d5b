//! Finds the elements that read learned parameters (readers), in a model of real numbers.

use figrs_core::expand::{Expansion, LearnedParameters};
use figrs_core::internals::{
    ApplyOp, ChainOp, FamilyOp, Kind, LearnedPrior, MemberArgument, OpenArgument,
};
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, Support};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::normal_sums::{MeanTerm, NormalReader, Spread};
use figrs_answer::error::Error;

/// Maximum number of steps of the walk through the elements. An element in a branch counts once for each condition under which it is reached.
const MAX_STEPS: usize = 1 << 18;

/// The condition under which a branch is taken: values of the parents of Chains.
type Condition = Vec<(AnyElement, Datum)>;

/// The elements of a model that read learned parameters: elements with finitely many values, and normal elements.
#[derive(Debug)]
pub(super) struct Readers {
    pub(super) learned: LearnedParameters,
    pub(super) finite: Vec<FiniteReader>,
    pub(super) normal: Vec<(NormalReader, ReaderGroup)>,
}

/// An element with finitely many values that reads learned parameters.
#[derive(Debug)]
pub(super) struct FiniteReader {
    /// The member of a family of distributions whose numbers are the parameters.
    pub(super) member: AnyElement,
    pub(super) values: Vec<Datum>,
    pub(super) group: ReaderGroup,
}

/// The elements whose joint distribution gives the expected statistics of an element that reads learned parameters (the reader).
#[derive(Clone, Debug)]
pub(super) struct ReaderGroup {
    /// The elements on which the conditions depend, then the element that has the reader's value, then the real elements in the reader's mean.
    pub(super) elements: Vec<AnyElement>,
    /// The index in `elements` of the element that has the reader's value.
    pub(super) value: usize,
    /// The conditions under which a world contains the reader; one of them must hold. A condition is a list of element indices and values. If there
    /// are no conditions, every world contains the reader.
    pub(super) conditions: Vec<Vec<(usize, Datum)>>,
}

#[derive(Debug)]
struct Reached {
    element: AnyElement,
    /// The element that has the value of this element: the element itself, or the Chain whose result it is.
    value: AnyElement,
    /// The conditions under which a world contains the element; empty if every world contains it.
    conditions: Vec<Condition>,
}

impl Readers {
    /// Finds the readers among the elements on which `roots` depend; `centre` returns a number near the values of a real element.
    ///
    /// **Errors.** [`Error::NotLearnable`] if an element reads a parameter in another form; [`Error::NotClosedForm`] if a real element has no closed
    /// form; the errors of expansions.
    pub(super) fn find(
        model: &Model,
        roots: &[AnyElement],
        limits: &Limits,
        centre: impl Fn(&AnyElement) -> f64,
    ) -> Result<Self, Error> {
        let mut walk = Walk {
            model: model.filtered(|_| false),
            limits,
            learned: LearnedParameters::default(),
            reached: IndexMap::default(),
            depends: FxHashMap::default(),
            branches: FxHashMap::default(),
        };
        walk.run(roots)?;
        let reached = std::mem::take(&mut walk.reached);
        let (mut finite, mut normal) = (Vec::new(), Vec::new());
        for found in reached.values() {
            let Some(family) = found.element.kind().family() else {
                continue;
            };
            if !walk.reads(&found.element)? {
                continue;
            }
            if family.is_continuous() {
                let (terms, spread, reals) = walk.normal(&found.element, family)?;
                let group = ReaderGroup::new(found, reals.into_iter());
                let reader = NormalReader {
                    mean: terms,
                    spread,
                    centres: group.elements[group.value..].iter().map(&centre).collect(),
                };
                normal.push((reader, group));
            } else {
                finite.push(walk.finite(found, family)?);
            }
        }
        Ok(Self {
            learned: walk.learned,
            finite,
            normal,
        })
    }
}

impl ReaderGroup {
    fn new(found: &Reached, reals: impl Iterator<Item = AnyElement>) -> Self {
        let mut elements: IndexMap<ElementId, AnyElement, FxBuildHasher> = IndexMap::default();
        let conditions = found.conditions.iter().map(|condition| {
            let parts = condition.iter().map(|(element, value)| {
                let entry = elements.entry(element.id());
                let place = entry.index();
                entry.or_insert_with(|| element.clone());
                (place, value.clone())
            });
            parts.collect()
        });
        let conditions = conditions.collect();
        let mut elements: Vec<AnyElement> = elements.into_values().collect();
        let value = elements.len();
        elements.push(found.value.clone());
        elements.extend(reals);
        Self {
            elements,
            value,
            conditions,
        }
    }
}

/// A mean as a polynomial: the coefficient of the product of a parameter and a real element. In each key, the parameter or the real element may be
/// missing.
type Polynomial = IndexMap<(Option<usize>, Option<usize>), f64, FxBuildHasher>;

struct Walk<'m> {
    /// The model without its evidence.
    model: Model,
    limits: &'m Limits,
    learned: LearnedParameters,
    reached: IndexMap<ElementId, Reached, FxBuildHasher>,
    /// For each deterministic function, whether its value depends on a learned parameter through functions alone.
    depends: FxHashMap<ElementId, bool>,
    /// For each Chain, its results, each with the values of the Chain's parents for which the result is taken.
    branches: FxHashMap<ElementId, Vec<(Condition, AnyElement)>>,
}

impl Walk<'_> {
    fn run(&mut self, roots: &[AnyElement]) -> Result<(), Error> {
        let always = |element: &AnyElement| (element.clone(), element.clone(), Condition::new());
        let mut stack: Vec<(AnyElement, AnyElement, Condition)> =
            roots.iter().rev().map(always).collect();
        let mut steps = 0;
        while let Some((element, value, condition)) = stack.pop() {
            if self.is_set(&element) || !self.reach(&element, &value, &condition) {
                continue;
            }
            steps += 1;
            if steps > MAX_STEPS {
                let problem = format!("its branches need more than {MAX_STEPS} conditions");
                return Err(not_closed(&element, problem));
            }
            for (next, value, further) in self.next(&element)?.into_iter().rev() {
                let value = value.map_or_else(|| next.clone(), |()| self.value_of(&element));
                let condition = condition.iter().cloned().chain(further).collect();
                stack.push((next, value, condition));
            }
        }
        Ok(())
    }

    fn value_of(&self, element: &AnyElement) -> AnyElement {
        self.reached[&element.id()].value.clone()
    }

    fn is_set(&self, element: &AnyElement) -> bool {
        let mut set = self.model.interventions().iter();
        set.any(|(other, _)| other.id() == element.id())
    }

    /// Records that the worlds with `condition` contain `element`; returns `false` if this has already been recorded.
    fn reach(&mut self, element: &AnyElement, value: &AnyElement, condition: &Condition) -> bool {
        let is_always = condition.is_empty();
        let Some(reached) = self.reached.get_mut(&element.id()) else {
            let conditions = [condition.clone()].into_iter().filter(|_| !is_always);
            let reached = Reached {
                element: element.clone(),
                value: value.clone(),
                conditions: conditions.collect(),
            };
            self.reached.insert(element.id(), reached);
            return true;
        };
        if reached.value.id() != value.id() {
            // If other elements also read a result of a Chain, the result has a value of its own.
            reached.value = element.clone();
        }
        if reached.conditions.is_empty() {
            return false;
        }
        if is_always {
            reached.conditions.clear();
            return true;
        }
        let is_same = |known: &Condition| {
            known.len() == condition.len()
                && known
                    .iter()
                    .zip(condition)
                    .all(|((a, x), (b, y))| a.id() == b.id() && x.same_as(y.as_any()))
        };
        if reached.conditions.iter().any(is_same) {
            return false;
        }
        reached.conditions.push(condition.clone());
        true
    }

    /// Returns the elements that `element` reads, each with the additional condition under which it is read. The option is `Some` if the read element
    /// has the value of `element`, as a result of a Chain has.
    #[allow(clippy::type_complexity)]
    fn next(
        &mut self,
        element: &AnyElement,
    ) -> Result<Vec<(AnyElement, Option<()>, Condition)>, Error> {
        let read = |next: AnyElement| (next, None, Condition::new());
        let parents = element.parents();
        if let Kind::Chain(_, op) = element.kind()
            && let Some(family) = op.family()
        {
            let mut all = Vec::new();
            for parent in parents {
                if self.parameter(parent)?.is_some() {
                    continue;
                }
                if !self.depends_on_learned(parent)? {
                    all.push(read(parent.clone()));
                } else if family.is_continuous() {
                    let mut reals = IndexMap::default();
                    self.polynomial(element, parent, &mut reals)?;
                    all.extend(reals.into_values().map(read));
                } else {
                    return Err(self.not_learnable(parent, element));
                }
            }
            return Ok(all);
        }
        for parent in parents {
            if self.depends_on_learned(parent)? {
                return Err(self.not_learnable(parent, element));
            }
        }
        let mut all: Vec<_> = parents.iter().cloned().map(read).collect();
        if let Kind::Chain(_, op) = element.kind() {
            for (condition, result) in self.branches(element, &**op)? {
                if self.depends_on_learned(&result)? {
                    return Err(self.not_learnable(&result, element));
                }
                all.push((result, Some(()), condition));
            }
        }
        Ok(all)
    }

    /// Returns the index of the learned parameter `element`; `None` if `element` is not a parameter.
    fn parameter(&mut self, element: &AnyElement) -> Result<Option<usize>, Error> {
        if self.is_set(element) {
            return Ok(None);
        }
        self.learned.of(element)?;
        Ok(self.learned.get(element).map(|(at, _)| at))
    }

    /// True if `element`, a member of a family of distributions, reads learned parameters.
    fn reads(&mut self, element: &AnyElement) -> Result<bool, Error> {
        for parent in element.parents() {
            if self.depends_on_learned(parent)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if `element` is a parameter, or a deterministic function that depends on a parameter.
    fn depends_on_learned(&mut self, element: &AnyElement) -> Result<bool, Error> {
        let mut stack = vec![element.clone()];
        while let Some(top) = stack.last().cloned() {
            if self.depends.contains_key(&top.id()) {
                stack.pop();
                continue;
            }
            let is_parameter = self.parameter(&top)?.is_some();
            let is_function = matches!(top.kind(), Kind::Apply(..)) && !self.is_set(&top);
            let parents = if is_function { top.parents() } else { &[] };
            let is_known = |parent: &&AnyElement| self.depends.contains_key(&parent.id());
            let unknown = parents.iter().filter(|parent| !is_known(parent));
            let unknown: Vec<AnyElement> = unknown.cloned().collect();
            if unknown.is_empty() {
                let depends = is_parameter || parents.iter().any(|p| self.depends[&p.id()]);
                self.depends.insert(top.id(), depends);
                stack.pop();
            } else {
                stack.extend(unknown.into_iter().rev());
            }
        }
        Ok(self.depends[&element.id()])
    }

    /// Returns the error that `element` reads a parameter, through the function `read`, in a form that cannot be learned.
    fn not_learnable(&self, read: &AnyElement, element: &AnyElement) -> Error {
        let mut stack = vec![read.clone()];
        let mut parameter = read.label();
        while let Some(next) = stack.pop() {
            if self.learned.get(&next).is_some() {
                parameter = next.label();
                break;
            }
            let parents = next.parents().iter();
            let depends = |p: &&AnyElement| self.depends.get(&p.id()) == Some(&true);
            stack.extend(parents.filter(depends).cloned());
        }
        Error::NotLearnable {
            parameter,
            element: element.label(),
        }
    }

    fn supports(&mut self, elements: &[AnyElement]) -> Result<Vec<Support>, Error> {
        let learned = &mut self.learned;
        let expansion = Expansion::learning(&self.model, elements, self.limits, learned, &[])?;
        let targets = expansion.targets().iter();
        Ok(targets
            .map(|&target| expansion.elements()[target].support.clone())
            .collect())
    }

    fn branches(
        &mut self,
        element: &AnyElement,
        op: &dyn ChainOp,
    ) -> Result<Vec<(Condition, AnyElement)>, Error> {
        if let Some(known) = self.branches.get(&element.id()) {
            return Ok(known.clone());
        }
        if op.call_id().is_some() {
            let problem = "it is recursive, and learning in closed form lists all branches";
            return Err(not_closed(element, problem.to_owned()));
        }
        let parents = element.parents();
        let supports = self.supports(parents)?;
        let count = supports
            .iter()
            .map(Support::len)
            .try_fold(1, usize::checked_mul);
        let Some(count) = count.filter(|&count| count <= MAX_STEPS) else {
            let problem = format!("its parents have more than {MAX_STEPS} joint values");
            return Err(not_closed(element, problem));
        };
        let mut branches = Vec::with_capacity(count);
        for mut number in 0..count {
            let mut condition = Condition::new();
            for (parent, support) in parents.iter().zip(&supports) {
                condition.push((parent.clone(), support.datum(number % support.len())));
                number /= support.len();
            }
            let arguments: Vec<_> = condition.iter().map(|(_, value)| value.as_any()).collect();
            let call = || op.call(&arguments).map_err(|fault| element.fault(fault));
            let (result, again) = (call()?, call()?);
            if !reads_the_same(&result, &again) {
                let problem = "its function builds elements that the results read; build these outside of the function, so that all results read the same ones";
                return Err(not_closed(element, problem.to_owned()));
            }
            branches.push((condition, result));
        }
        self.branches.insert(element.id(), branches.clone());
        Ok(branches)
    }

    /// Returns the reader for the element `found`, which has finitely many values and reads only learned parameters.
    fn finite(&mut self, found: &Reached, family: &dyn FamilyOp) -> Result<FiniteReader, Error> {
        let element = &found.element;
        for parent in element.parents() {
            if self.parameter(parent)?.is_none() {
                let others = element.parents().iter();
                let depending = others
                    .clone()
                    .find(|p| self.depends.get(&p.id()) == Some(&true));
                return Err(self.not_learnable(depending.unwrap_or(parent), element));
            }
        }
        let values = self.supports(std::slice::from_ref(element))?.swap_remove(0);
        let parents = element.parents().iter();
        let arguments = parents.filter_map(|parent| {
            let (_, learned) = self.learned.get(parent)?;
            Some(MemberArgument::Params(&learned.params))
        });
        let member = family.member(&arguments.collect::<Vec<_>>());
        let member = member.ok_or_else(|| self.not_learnable(&element.parents()[0], element))?;
        Ok(FiniteReader {
            member,
            values: (0..values.len()).map(|i| values.datum(i)).collect(),
            group: ReaderGroup::new(found, std::iter::empty()),
        })
    }

    fn normal(
        &mut self,
        element: &AnyElement,
        family: &dyn FamilyOp,
    ) -> Result<(Vec<MeanTerm>, Spread, Vec<AnyElement>), Error> {
        let parents = element.parents();
        let mut spread = None;
        for (i, parent) in parents.iter().enumerate() {
            if let Some(at) = self.parameter(parent)?
                && !matches!(self.learned.at(at).prior(), LearnedPrior::Normal { .. })
                && spread.replace((i, at)).is_some()
            {
                return Err(self.not_learnable(parent, element));
            }
        }
        let law = |value: f64| {
            let argument = |i: usize| match spread {
                Some((place, _)) if place == i => OpenArgument::Known(&value),
                _ => OpenArgument::Open(1),
            };
            let arguments: Vec<OpenArgument<'_>> = (0..parents.len()).map(argument).collect();
            let law = family.linear_gaussian(&arguments);
            law.map_err(|problem| Error::from(element.invalid(problem)))
        };
        let (Some(one), Some(two)) = (law(1.0)?, law(2.0)?) else {
            let reading = parents
                .iter()
                .find(|p| self.depends.get(&p.id()) == Some(&true));
            return Err(self.not_learnable(reading.unwrap_or(element), element));
        };
        let variances = [one.covariance[0][0], two.covariance[0][0]];
        let spread = match spread {
            None => Spread::Variance(variances[0]),
            Some((place, at)) => match (self.learned.at(at).prior(), variances) {
                (LearnedPrior::InverseGamma { .. }, [1.0, 2.0]) if one.mean == two.mean => {
                    Spread::LearnedVariance(at)
                }
                (LearnedPrior::Gamma { .. }, [1.0, 0.5]) if one.mean == two.mean => {
                    Spread::LearnedPrecision(at)
                }
                _ => return Err(self.not_learnable(&parents[place], element)),
            },
        };
        let mut reals = IndexMap::default();
        let mut mean = Polynomial::default();
        *mean.entry((None, None)).or_insert(0.0) += one.mean.offset[0];
        let open = parents.iter().enumerate().filter(|(i, _)| match spread {
            Spread::Variance(_) => true,
            Spread::LearnedVariance(at) | Spread::LearnedPrecision(at) => {
                self.learned.get(&parents[*i]).map(|(own, _)| own) != Some(at)
            }
        });
        let open: Vec<AnyElement> = open.map(|(_, parent)| parent.clone()).collect();
        for (parent, column) in open.iter().zip(&one.mean.columns) {
            for (term, coefficient) in self.polynomial(element, parent, &mut reals)? {
                *mean.entry(term).or_insert(0.0) += column[0] * coefficient;
            }
        }
        let terms = mean
            .into_iter()
            .filter(|(_, coefficient)| *coefficient != 0.0);
        let terms = terms.map(|((parameter, real), coefficient)| MeanTerm {
            coefficient,
            parameter,
            real,
        });
        Ok((terms.collect(), spread, reals.into_values().collect()))
    }

    /// Returns `function`, which `element` reads, as a polynomial of parameters and real elements. New real elements are added to `reals`.
    fn polynomial(
        &mut self,
        element: &AnyElement,
        function: &AnyElement,
        reals: &mut IndexMap<ElementId, AnyElement, FxBuildHasher>,
    ) -> Result<Polynomial, Error> {
        let mut known: FxHashMap<ElementId, Polynomial> = FxHashMap::default();
        let mut stack = vec![function.clone()];
        while let Some(top) = stack.last().cloned() {
            if known.contains_key(&top.id()) {
                stack.pop();
                continue;
            }
            let found = if let Some(parameter) = self.parameter(&top)? {
                Polynomial::from_iter([((Some(parameter), None), 1.0)])
            } else if !self.depends_on_learned(&top)? {
                let entry = reals.entry(top.id());
                let place = entry.index();
                entry.or_insert_with(|| top.clone());
                Polynomial::from_iter([((None, Some(place)), 1.0)])
            } else {
                let parents = top.parents();
                let is_unknown = |parent: &&AnyElement| !known.contains_key(&parent.id());
                let unknown: Vec<AnyElement> = parents.iter().filter(is_unknown).cloned().collect();
                if !unknown.is_empty() {
                    stack.extend(unknown.into_iter().rev());
                    continue;
                }
                let Kind::Apply(_, op) = top.kind() else {
                    return Err(self.not_learnable(&top, element));
                };
                let parts: Vec<&Polynomial> = parents.iter().map(|p| &known[&p.id()]).collect();
                combined(&**op, &parts).ok_or_else(|| self.not_learnable(&top, element))?
            };
            known.insert(top.id(), found);
            stack.pop();
        }
        Ok(known.remove(&function.id()).unwrap_or_default())
    }
}

/// Returns the function `op` of the polynomials `parts` as a polynomial; `None` unless `op` is linear or a product, and the result has no product of
/// two parameters or of two real elements.
fn combined(op: &dyn ApplyOp, parts: &[&Polynomial]) -> Option<Polynomial> {
    let open: Vec<OpenArgument<'_>> = parts.iter().map(|_| OpenArgument::Open(1)).collect();
    let mut all = Polynomial::default();
    if let Some(function) = op.linear(&open) {
        let [offset] = function.offset[..] else {
            return None;
        };
        if offset != 0.0 {
            *all.entry((None, None)).or_insert(0.0) += offset;
        }
        for (part, column) in parts.iter().zip(&function.columns) {
            for (&term, coefficient) in *part {
                *all.entry(term).or_insert(0.0) += column[0] * coefficient;
            }
        }
        return Some(all);
    }
    let [left, right] = parts else {
        return None;
    };
    // A function of two numbers is their product if it is `c y` for each value `c` of the first number.
    for c in [1.0, 2.0, -3.0] {
        let function = op.linear(&[OpenArgument::Known(&c), OpenArgument::Open(1)])?;
        if function.offset != [0.0] || function.columns != [vec![c]] {
            return None;
        }
    }
    let product = |a: Option<usize>, b: Option<usize>| match (a, b) {
        (Some(_), Some(_)) => None,
        (one, other) => Some(one.or(other)),
    };
    for (&(p, x), a) in *left {
        for (&(q, y), b) in *right {
            *all.entry((product(p, q)?, product(x, y)?)).or_insert(0.0) += a * b;
        }
    }
    Some(all)
}

/// True if `first` and `second`, two results of the same function, read the same elements, apart from functions that the function itself builds.
fn reads_the_same(first: &AnyElement, second: &AnyElement) -> bool {
    if first.id() == second.id() {
        return true;
    }
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut is_result = true;
    while let Some((a, b)) = pairs.pop() {
        if a.id() == b.id() {
            continue;
        }
        let is_function = matches!((a.kind(), b.kind()), (Kind::Apply(..), Kind::Apply(..)));
        let (own, others) = (a.parents(), b.parents());
        if !(is_result || is_function) || own.len() != others.len() {
            return false;
        }
        is_result = false;
        pairs.extend(own.iter().cloned().zip(others.iter().cloned()));
    }
    true
}

fn not_closed(element: &AnyElement, problem: String) -> Error {
    Error::NotClosedForm {
        element: element.label(),
        problem,
    }
}
