//! Builds elements and models from descriptions.

use std::sync::Arc;

use figrs_core::{
    AnyElement, Apply, Binomial, Chain, Constant, Cpd, Dist, Element, Flip, If, Model, Operand,
    Param, Parents, Recursive, RichCpd, Select, Table, Uniform, any, fold, inject, none_of, one_of,
    tuple,
};

use super::description::{
    BooleanOp, Branch, Case, Chance, CompareOp, Definition, Description, FamilyName, Inputs, Ref,
    Shape,
};
use super::evidence::score;
use super::family::{Family, Scope, mix};
use super::target::Target;

/// A model built from a description.
#[derive(Debug)]
pub struct Built {
    /// The model with its evidence and interventions.
    pub model: Model,
    /// The targets of the description.
    pub targets: Vec<Target>,
    /// All elements outside branches.
    pub scope: Scope,
    /// For each parameter, the value that it gets later.
    pub later: Vec<f64>,
}

impl Built {
    /// Returns the targets without their types.
    pub fn erased(&self) -> Vec<AnyElement> {
        self.targets.iter().map(Target::erased).collect()
    }

    /// Returns all elements outside branches.
    pub fn elements(&self) -> Vec<Target> {
        let numbers = self.scope.numbers.iter().cloned().map(Target::Number);
        let booleans = self.scope.booleans.iter().cloned().map(Target::Boolean);
        let pairs = self.scope.pairs.iter().cloned().map(Target::Pair);
        numbers.chain(booleans).chain(pairs).collect()
    }

    /// Sets every parameter to its later value.
    pub fn change_params(&self) {
        for (param, &value) in self.scope.params.iter().zip(&self.later) {
            param.set(value);
        }
    }
}

/// Builds the elements, the evidence and the interventions of a description.
pub fn build(description: &Description) -> Built {
    let params = description
        .params
        .iter()
        .map(|&(now, _)| Param::new("p", now));
    let mut scope = Scope {
        params: params.collect(),
        ..Scope::default()
    };
    for definition in &description.definitions {
        scope.define(definition);
    }
    scope.name();
    let mut model = Model::new();
    for (i, piece) in description.evidence.iter().enumerate() {
        model = scope.state(model, piece, i);
    }
    for &(family, reference, value) in &description.interventions {
        model = match Target::new(&scope, family, reference) {
            Target::Number(e) => model.intervene(&e, Family::decode(u64::from(value))),
            Target::Boolean(e) => model.intervene(&e, Family::decode(u64::from(value))),
            Target::Pair(e) => model.intervene(&e, Family::decode(u64::from(value))),
        };
    }
    let target = |&(family, reference): &(FamilyName, Ref)| Target::new(&scope, family, reference);
    Built {
        model,
        targets: description.targets.iter().map(target).collect(),
        later: description.params.iter().map(|&(_, later)| later).collect(),
        scope,
    }
}

/// Builds the case of a clause; a macro is needed because the type of a case has no public name.
macro_rules! case {
    ($family:ty, $case:expr) => {{
        let decode = |codes: &[u8]| -> Vec<$family> {
            codes
                .iter()
                .map(|&code| Family::decode(u64::from(code)))
                .collect()
        };
        match $case {
            Case::OneOf(codes) => one_of(decode(codes)),
            Case::NoneOf(codes) => none_of(decode(codes)),
            Case::Any => any::<$family>(),
        }
    }};
}

fn codes<'a>(values: impl IntoIterator<Item = &'a u32>) -> Vec<u64> {
    values.into_iter().map(Family::code).collect()
}

impl Scope {
    /// Gives the elements names, so that messages about them differ.
    fn name(&self) {
        fn all<T: Family>(scope: &Scope, family: &str) {
            for (i, element) in T::list(scope).iter().enumerate() {
                let _ = element.clone().named(format!("{family} {i}"));
            }
        }
        all::<u32>(self, "number");
        all::<bool>(self, "boolean");
        all::<(bool, u32)>(self, "pair");
    }

    pub(super) fn numbers_at(&self, references: &[Ref]) -> Vec<Element<u32>> {
        references.iter().map(|&r| u32::pick(self, r)).collect()
    }

    fn chance(&self, chance: &Chance) -> Operand {
        const LEVELS: [f64; 4] = [0.25, 1.0, 0.0, 0.6];
        match chance {
            Chance::Constant(p) => (*p).into(),
            Chance::Param(i) if !self.params.is_empty() => {
                (&self.params[usize::from(*i) % self.params.len()]).into()
            }
            Chance::Param(_) => 0.5.into(),
            Chance::Element(r) => u32::pick(self, *r).map(|&n| LEVELS[n as usize]).into(),
        }
    }

    fn apply<T: Family>(
        &self,
        inputs: &Inputs,
        f: impl Fn(&[u64]) -> T + Send + Sync + 'static,
    ) -> Element<T> {
        let (n, b) = (
            |r: &Ref| u32::pick(self, *r),
            |r: &Ref| bool::pick(self, *r),
        );
        match inputs {
            Inputs::Number(r) => n(r).map(move |v| f(&[v.code()])),
            Inputs::Boolean(r) => b(r).map(move |v| f(&[v.code()])),
            Inputs::Pair(r) => <(bool, u32)>::pick(self, *r).map(move |v| f(&[v.code()])),
            Inputs::Two(x, y) => (n(x), n(y)).map(move |(x, y)| f(&[x.code(), y.code()])),
            Inputs::Mixed(x, y) => (b(x), n(y)).map(move |(x, y)| f(&[x.code(), y.code()])),
            Inputs::Tuple(x, y) => tuple((b(x), n(y))).map(move |(x, y)| f(&[x.code(), y.code()])),
            Inputs::Three(x, y, z) => Apply::new((n(x), b(y), n(z)), move |(x, y, z)| {
                f(&[x.code(), y.code(), z.code()])
            }),
            Inputs::List(all) => self.numbers_at(all).map(move |all| f(&codes(all))),
            Inputs::Inject(all) => inject(self.numbers_at(all)).map(move |all| f(&codes(all))),
        }
    }

    fn chain<T: Family>(
        &self,
        inputs: &Inputs,
        f: impl Fn(&[u64]) -> Element<T> + Send + Sync + 'static,
    ) -> Element<T> {
        let (n, b) = (
            |r: &Ref| u32::pick(self, *r),
            |r: &Ref| bool::pick(self, *r),
        );
        match inputs {
            Inputs::Number(r) => n(r).flat_map(move |v| f(&[v.code()])),
            Inputs::Boolean(r) => b(r).flat_map(move |v| f(&[v.code()])),
            Inputs::Pair(r) => <(bool, u32)>::pick(self, *r).flat_map(move |v| f(&[v.code()])),
            Inputs::Two(x, y) => (n(x), n(y)).flat_map(move |(x, y)| f(&[x.code(), y.code()])),
            Inputs::Mixed(x, y) => (b(x), n(y)).flat_map(move |(x, y)| f(&[x.code(), y.code()])),
            Inputs::Tuple(x, y) => {
                tuple((b(x), n(y))).flat_map(move |(x, y)| f(&[x.code(), y.code()]))
            }
            Inputs::Three(x, y, z) => Chain::new((n(x), b(y), n(z)), move |(x, y, z)| {
                f(&[x.code(), y.code(), z.code()])
            }),
            Inputs::List(all) => self.numbers_at(all).flat_map(move |all| f(&codes(all))),
            Inputs::Inject(all) => inject(self.numbers_at(all)).flat_map(move |all| f(&codes(all))),
        }
    }

    fn branch<T: Family>(&self, branch: &Branch) -> Element<T> {
        let mut scope = self.clone();
        for local in &branch.locals {
            scope.define(local);
        }
        T::pick(&scope, branch.result)
    }

    fn branches<T: Family>(&self, branches: &[Branch]) -> Vec<Element<T>> {
        branches.iter().map(|branch| self.branch(branch)).collect()
    }

    fn define(&mut self, definition: &Definition) {
        let (n, b) = (
            |r: &Ref| u32::pick(self, *r),
            |r: &Ref| bool::pick(self, *r),
        );
        match definition {
            Definition::Of(FamilyName::Number, shape) => self.add::<u32>(shape),
            Definition::Of(FamilyName::Boolean, shape) => self.add::<bool>(shape),
            Definition::Of(FamilyName::Pair, shape) => self.add::<(bool, u32)>(shape),
            Definition::Flip(p) => self.booleans.push(Flip::new(self.chance(p))),
            Definition::Binomial(trials, p) => {
                let element = Binomial::new(u32::from(trials % 4), self.chance(p));
                self.numbers.push(element);
            }
            Definition::Boolean(op, x, y) => {
                let (x, y) = (b(x), b(y));
                self.booleans.push(match op {
                    BooleanOp::And => x.and(&y),
                    BooleanOp::Or => x.or(&y),
                    BooleanOp::Not => x.not(),
                    BooleanOp::Xor => x.xor(&y),
                    BooleanOp::Implies => x.implies(&y),
                });
            }
            Definition::Compare(op, x, y) => {
                let (x, y) = (n(x), n(y));
                self.booleans.push(match op {
                    CompareOp::Equals => x.equals(&y),
                    CompareOp::Differs => x.differs(&y),
                    CompareOp::LessThan => x.less_than(&y),
                    CompareOp::AtMost => x.at_most(&y),
                    CompareOp::GreaterThan => x.greater_than(&y),
                    CompareOp::AtLeast => x.at_least(&y),
                });
            }
            Definition::Is(x, value) => {
                let pair = <(bool, u32)>::pick(self, *x);
                self.booleans
                    .push(pair.is(Family::decode(u64::from(*value))));
            }
            Definition::Tuple(x, y) => self.pairs.push(tuple((b(x), n(y)))),
            Definition::Second(x) => {
                let pair = <(bool, u32)>::pick(self, *x);
                self.numbers.push(pair.map(|&(_, n)| n));
            }
            Definition::Sum(x, y) => {
                let sum = n(x).plus(&n(y)).modulo(&Constant::new(4));
                self.numbers.push(sum);
            }
            Definition::Fold(all, code) => {
                let code = *code;
                let step = move |&s: &u32, &n: &u32| u32::decode(mix(code, &[s.code(), n.code()]));
                self.numbers.push(fold(self.numbers_at(all), 0, step));
            }
        }
    }

    fn add<T: Family>(&mut self, shape: &Shape) {
        let element = self.shape::<T>(shape);
        T::list_mut(self).push(element);
    }

    fn shape<T: Family>(&self, shape: &Shape) -> Element<T> {
        let decode = |&code: &u8| T::decode(u64::from(code));
        match shape {
            Shape::Constant(value) => Constant::new(decode(value)),
            Shape::Select((weight, value), others) => {
                let sure = (Operand::from(*weight), decode(value));
                let others = others.iter().map(|(w, v)| (self.chance(w), decode(v)));
                Select::new(std::iter::once(sure).chain(others))
            }
            Shape::Uniform(values) => Uniform::new(values.iter().map(decode)),
            Shape::Dist((weight, branch), others) => {
                let sure = (Operand::from(*weight), self.branch(branch));
                let others = others.iter().map(|(w, b)| (self.chance(w), self.branch(b)));
                Dist::new(std::iter::once(sure).chain(others))
            }
            Shape::Table(true, parents, columns, weights) => {
                self.table::<bool, T>(parents, *columns, weights)
            }
            Shape::Table(false, parents, columns, weights) => {
                self.table::<u32, T>(parents, *columns, weights)
            }
            Shape::Apply(inputs, code) => {
                let code = *code;
                self.apply(inputs, move |values| T::decode(mix(code, values)))
            }
            Shape::Chain(inputs, code, branches) => {
                let (scope, code, branches) = (self.clone(), *code, branches.clone());
                self.chain(inputs, move |values| {
                    scope.branch(&branches[mix(code, values) as usize % branches.len()])
                })
            }
            Shape::If(test, yes, no) => {
                let (yes, no) = (self.branch::<T>(yes), self.branch::<T>(no));
                If::new(&bool::pick(self, *test), yes, no)
            }
            Shape::CpdOne(x, rows, branches) => {
                let elements = self.branches::<T>(branches);
                let row = |(i, key): (usize, u32)| {
                    let at = usize::from(rows[i % rows.len()]);
                    (key, elements[at % elements.len()].clone())
                };
                let rows: Vec<_> = u32::all().into_iter().enumerate().map(row).collect();
                Cpd::new(u32::pick(self, *x), rows)
            }
            Shape::CpdTwo(x, y, rows, branches) => {
                let elements = self.branches::<T>(branches);
                let row = |(i, key): (usize, (bool, u32))| {
                    let at = usize::from(rows[i % rows.len()]);
                    (key, elements[at % elements.len()].clone())
                };
                let rows: Vec<_> = Family::all().into_iter().enumerate().map(row).collect();
                Cpd::new((bool::pick(self, *x), u32::pick(self, *y)), rows)
            }
            Shape::RichCpd(x, y, clauses, otherwise) => {
                let clause = |(x, y, b): &(Case, Case, Branch)| {
                    ((case!(bool, x), case!(u32, y)), self.branch(b))
                };
                let mut clauses: Vec<_> = clauses.iter().map(clause).collect();
                clauses.push(((any(), any()), self.branch::<T>(otherwise)));
                RichCpd::new((bool::pick(self, *x), u32::pick(self, *y)), clauses)
            }
            Shape::Recursion(counter, chance, stop, code) => {
                let recursion = Arc::new(Recursion {
                    scope: self.clone(),
                    chance: chance.clone(),
                    stop: stop.clone(),
                    code: *code,
                });
                u32::pick(self, *counter).flat_map(move |&n| recursion.step(n))
            }
            Shape::Calls(counter, chance, stop, code) => {
                self.calls(u32::pick(self, *counter), chance, stop, *code)
            }
            Shape::Score(x, statement) => score(&T::pick(self, *x), statement),
        }
    }

    fn calls<T: Family>(
        &self,
        counter: Element<u32>,
        chance: &Chance,
        stop: &Branch,
        code: u64,
    ) -> Element<T> {
        const DEEPEST: u32 = 2;
        let (captures, is_root, code) = (code % 2 == 1, code / 2 % 2 == 1, code / 4);
        let params = self.params.clone();
        let own = Scope {
            params,
            ..Self::default()
        };
        let scope = if captures { self.clone() } else { own };
        let (chance, stop) = (chance.clone(), stop.clone());
        let function = Recursive::new(move |call, &n: &u32| -> Element<T> {
            if n == 0 {
                return scope.branch(&stop);
            }
            let (scope, stop) = (scope.clone(), stop.clone());
            Flip::new(scope.chance(&chance)).flat_map(move |&heads| {
                if heads {
                    let both = (&call(n - 1), &call(n - 1));
                    both.map(move |(a, b)| T::decode(mix(code, &[a.code(), b.code()])))
                } else {
                    scope.branch(&stop)
                }
            })
        });
        if is_root {
            function.call(DEEPEST)
        } else {
            counter.flat_map(move |&n| function.call(n.min(DEEPEST)))
        }
    }

    fn table<P: Family, T: Family>(
        &self,
        parents: &[Ref],
        columns: u8,
        weights: &[f64],
    ) -> Element<T> {
        let parents: Vec<Element<P>> = parents.iter().map(|&r| P::pick(self, r)).collect();
        let all = T::all();
        let columns = usize::from(columns) % all.len() + 1;
        let rows = P::all().len().pow(parents.len() as u32);
        let mut cells: Vec<f64> = (0..rows * columns)
            .map(|i| weights[i % weights.len()])
            .collect();
        for (i, row) in cells.chunks_mut(columns).enumerate() {
            if row.iter().all(|&w| w == 0.0) {
                row[i % columns] = 1.0;
            }
        }
        let parents: Vec<_> = parents.iter().map(|p| (p, P::all())).collect();
        Table::new(parents, all[..columns].to_vec(), cells)
    }
}

struct Recursion {
    scope: Scope,
    chance: Chance,
    stop: Branch,
    code: u64,
}

impl Recursion {
    fn step<T: Family>(self: &Arc<Self>, n: u32) -> Element<T> {
        if n == 0 {
            return self.scope.branch(&self.stop);
        }
        let this = Arc::clone(self);
        let coin = Flip::new(self.scope.chance(&self.chance));
        let rest = coin.flat_map(move |&heads| {
            if heads {
                this.step(n - 1)
            } else {
                this.scope.branch(&this.stop)
            }
        });
        let code = self.code;
        if code == 0 {
            rest
        } else {
            rest.map(move |v: &T| T::decode(mix(code, &[v.code()])))
        }
    }
}
