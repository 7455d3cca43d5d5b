//! Finds the random variables that read learned parameters (readers), in a model of real numbers.

mod normal_readers;

use figrs_core::expand::{Expansion, LearnedParameters};
use figrs_core::internals::{ChainOp, FamilyOp, Kind, MemberArgument};
use figrs_core::{AnyElement, Datum, ElementId, Limits, Model, Support};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::normal_sums::NormalReader;
use figrs_answer::error::Error;

/// Maximum number of steps of the walk through the random variables of a model. A variable in a branch takes one step for each condition under which
/// the branch is reached.
const MAX_STEPS: usize = 1 << 18;

/// The condition under which a branch of the model is taken: values of the parents of `Chain` elements.
type Condition = Vec<(AnyElement, Datum)>;

/// The random variables of a model that read learned parameters: variables with finitely many values, and normal variables.
#[derive(Debug)]
pub(super) struct Readers {
    pub(super) learned: LearnedParameters,
    pub(super) finite: Vec<FiniteReader>,
    pub(super) normal: Vec<(NormalReader, ReaderGroup)>,
}

/// A random variable with finitely many values that reads learned parameters.
#[derive(Debug)]
pub(super) struct FiniteReader {
    /// The member of a family of distributions whose numbers are the learned parameters.
    pub(super) member: AnyElement,
    pub(super) values: Vec<Datum>,
    pub(super) group: ReaderGroup,
}

/// The random variables whose joint distribution gives the expected statistics of a variable that reads learned parameters (the reader).
#[derive(Clone, Debug)]
pub(super) struct ReaderGroup {
    /// The variables of a reader's joint distribution: first those on which the conditions depend, then the variable that has the reader's value,
    /// then the real variables in the reader's mean.
    pub(super) elements: Vec<AnyElement>,
    /// The index in `elements` of the variable that has the reader's value.
    pub(super) value: usize,
    /// The conditions under which a world contains the reader (the variable that reads parameters); one of them must hold. Each condition is a list
    /// of pairs of a variable's index and a value. If there are no conditions, every world contains the variable that reads the parameters.
    pub(super) conditions: Vec<Vec<(usize, Datum)>>,
}

#[derive(Debug)]
struct Reached {
    element: AnyElement,
    /// The random variable that has the value of this variable: the variable itself, or the `Chain` whose result it is.
    value: AnyElement,
    /// The conditions under which a world contains the random variable; empty if every world contains it.
    conditions: Vec<Condition>,
}

impl Readers {
    /// Finds the readers (variables that read learned parameters) among the variables on which `roots` depend; `centre` returns a number near the
    /// values of a real variable.
    ///
    /// **Errors.** [`Error::NotLearnable`] if a variable reads a parameter in another form; [`Error::NotClosedForm`] if a real variable has no closed
    /// form; the errors of the enumeration of values.
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

struct Walk<'m> {
    /// The model without its evidence.
    model: Model,
    limits: &'m Limits,
    learned: LearnedParameters,
    reached: IndexMap<ElementId, Reached, FxBuildHasher>,
    /// For each deterministic function, true if its value depends on a learned parameter through deterministic functions alone.
    depends: FxHashMap<ElementId, bool>,
    /// For each `Chain`, the possible results, each with the values of the `Chain`'s parents for which the result is taken.
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
                return Err(Error::not_closed_form(&element, problem));
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

    /// Records that the worlds with `condition` contain `element`; returns `false` if the pair has already been recorded.
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
            // If other elements also read a result of a `Chain`, the result has a value of its own.
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

    /// Returns the variables that `element` reads, each with the additional condition under which it is read. The returned option is `Some` if the
    /// read variable has the value of `element`, as the result of a `Chain` has.
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

    /// Returns the index of `element` among the learned parameters; `None` if `element` is not a learned parameter.
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

    /// True if `element` is a learned parameter, or a deterministic function that depends on one.
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
            return Err(Error::not_closed_form(element, problem));
        }
        let parents = element.parents();
        let supports = self.supports(parents)?;
        let count = supports
            .iter()
            .map(Support::len)
            .try_fold(1, usize::checked_mul);
        let Some(count) = count.filter(|&count| count <= MAX_STEPS) else {
            let problem = format!("its parents have more than {MAX_STEPS} joint values");
            return Err(Error::not_closed_form(element, problem));
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
                let problem = "its function creates elements on which its results depend; create them outside of the function, so that all \
                results depend on the same ones";
                return Err(Error::not_closed_form(element, problem));
            }
            branches.push((condition, result));
        }
        self.branches.insert(element.id(), branches.clone());
        Ok(branches)
    }

    /// Returns the description of the variable `found`, which has finitely many values and reads only learned parameters.
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
}

/// True if `first` and `second`, two results of the same function, read the same variables, apart from functions that are created anew with each
/// result.
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
