//! Elements whose distribution is a member of a [`Family`].

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use rand::Rng;

use crate::column::AnyColumn;
use crate::datum::Datum;
use crate::distribution::{Distribution, Family, Outcomes, Tails, WrongParameter};
use crate::element::{Element, atomic_at};
use crate::error::Fault;
use crate::node::{AnyElement, ChainOp, FamilyOp, Kind, MemberFault, contained};
use crate::param::{Number, Operand};
use crate::random::Stream;
use crate::value::Value;

/// The member of a family with these parameters, one each: atomic where all are numbers, else a Chain on the elements among
/// them.
pub(crate) fn family_at<T: Value, F: Family<T>>(
    constructor: &'static str,
    location: &'static Location<'static>,
    family: F,
    parameters: Vec<Operand>,
) -> Element<T> {
    let family = Arc::new(family);
    let mut parents: Vec<AnyElement> = Vec::new();
    let sources: Vec<Source> = parameters
        .into_iter()
        .map(|parameter| match parameter {
            Operand::Number(number) => Source::Number(number),
            Operand::Element(element) => {
                parents.push(element.erased().clone());
                Source::Parent(parents.len() - 1)
            }
        })
        .collect();
    let op = Open {
        constructor,
        location,
        family,
        sources,
        values: PhantomData,
    };
    if parents.is_empty() {
        return op.member(&[]);
    }
    Element::from_kind(constructor, location, Kind::Chain(parents, Box::new(op)))
}

/// One member of a family.
#[derive(Debug)]
struct Member<F> {
    family: Arc<F>,
    parameters: Vec<Number>,
}

impl<F> Member<F> {
    fn numbers<R>(&self, read: impl FnOnce(&F, &[f64]) -> R) -> R {
        let numbers: Parameters = self.parameters.iter().map(Number::get).collect();
        read(&self.family, numbers.as_slice())
    }
}

impl<T: Value, F: Family<T>> Distribution<T> for Member<F> {
    fn check(&self) -> Result<(), String> {
        self.numbers(F::check)
            .map_err(|wrong| message(family_name(&*self.family, &wrong), &self.parameters, &wrong))
    }

    fn outcomes(&self) -> Outcomes<T> {
        self.family.outcomes(&self.parameters)
    }

    fn log_prob(&self, value: &T) -> f64 {
        self.numbers(|family, numbers| family.log_prob(numbers, value))
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        self.numbers(|family, numbers| family.sample(numbers, rng))
    }

    fn sample_many(&self, count: usize, rng: &mut Stream) -> Vec<T> {
        self.numbers(|family, numbers| {
            let draw = |_| family.sample(numbers, rng);
            (0..count).map(draw).collect()
        })
    }

    fn tails(&self, value: &T) -> Option<Tails> {
        self.numbers(|family, numbers| family.tails(numbers, value))
    }

    fn describe(&self) -> String {
        let shown: Vec<String> = self.parameters.iter().map(|p| format!("{p:?}")).collect();
        format!("{:?}({})", self.family, shown.join(", "))
    }
}

fn family_name<T: Value>(family: &impl Family<T>, wrong: &WrongParameter) -> &'static str {
    let names = family.parameters();
    names.get(wrong.index).copied().unwrap_or("parameter")
}

fn message(name: &str, parameters: &[Number], wrong: &WrongParameter) -> String {
    match parameters.get(wrong.index) {
        Some(number) => format!("{name} {number:?} {}", wrong.problem),
        None => format!("{name} {}", wrong.problem),
    }
}

/// The parameters of a family, on the stack as long as they are few.
struct Parameters {
    few: [f64; Self::FEW],
    many: Vec<f64>,
    len: usize,
}

impl Parameters {
    const FEW: usize = 4;

    fn as_slice(&self) -> &[f64] {
        if self.len <= Self::FEW {
            &self.few[..self.len]
        } else {
            &self.many
        }
    }
}

impl FromIterator<f64> for Parameters {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut all = Self {
            few: [0.0; Self::FEW],
            many: Vec::new(),
            len: 0,
        };
        for number in numbers {
            if all.len < Self::FEW {
                all.few[all.len] = number;
            } else {
                if all.len == Self::FEW {
                    all.many.extend_from_slice(&all.few);
                }
                all.many.push(number);
            }
            all.len += 1;
        }
        all
    }
}

/// Where a parameter comes from.
#[derive(Clone, Debug)]
enum Source {
    Number(Number),
    /// The value of the parent at this position.
    Parent(usize),
}

/// A family some of whose parameters are elements.
struct Open<T, F> {
    constructor: &'static str,
    location: &'static Location<'static>,
    family: Arc<F>,
    sources: Vec<Source>,
    values: PhantomData<fn() -> T>,
}

fn real(value: &dyn Any) -> f64 {
    value.downcast_ref().copied().unwrap_or(f64::NAN)
}

impl<T: Value, F: Family<T>> Open<T, F> {
    fn member(&self, arguments: &[&dyn Any]) -> Element<T> {
        let parameters = self.sources.iter().map(|source| match source {
            Source::Number(number) => number.clone(),
            Source::Parent(parent) => Number::Constant(real(arguments[*parent])),
        });
        let member = Member {
            family: self.family.clone(),
            parameters: parameters.collect(),
        };
        atomic_at(self.constructor, self.location, member)
    }

    fn numbers<R>(&self, arguments: &[&dyn Any], read: impl FnOnce(&[f64]) -> R) -> R {
        let numbers: Parameters = self
            .sources
            .iter()
            .map(|source| match source {
                Source::Number(number) => number.get(),
                Source::Parent(parent) => real(arguments[*parent]),
            })
            .collect();
        read(numbers.as_slice())
    }

    /// A log-probability that is a number or `-inf`.
    fn finite(&self, value: &T, log: f64) -> Result<f64, Fault> {
        if log < f64::INFINITY {
            Ok(log)
        } else {
            Err(Fault::Distribution(format!(
                "gives {value:?} the log-probability {log}; it must be a number or -inf"
            )))
        }
    }

    /// What is wrong with these parameters.
    fn wrong(&self, numbers: &[f64], wrong: &WrongParameter) -> String {
        let numbers: Vec<Number> = numbers.iter().map(|&x| Number::Constant(x)).collect();
        message(family_name(&*self.family, wrong), &numbers, wrong)
    }

    /// Checks the parameters of each row and hands them on.
    fn for_rows(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        mut each: impl FnMut(&[f64]) -> Result<(), Fault>,
    ) -> Result<(), MemberFault> {
        let columns: Vec<&[f64]> = arguments
            .iter()
            .map(|column| {
                column
                    .as_any()
                    .downcast_ref::<Vec<f64>>()
                    .map_or(&[][..], |column| column)
            })
            .collect();
        let mut numbers: Vec<f64> = self
            .sources
            .iter()
            .map(|source| match source {
                Source::Number(number) => number.get(),
                Source::Parent(_) => f64::NAN,
            })
            .collect();
        let open: Vec<(usize, &[f64])> = self
            .sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| match source {
                Source::Number(_) => None,
                Source::Parent(parent) => Some((i, columns[*parent])),
            })
            .collect();
        let rows = || {
            for row in 0..count {
                for (i, column) in &open {
                    numbers[*i] = column[row];
                }
                if let Err(wrong) = self.family.check(&numbers) {
                    return Err(MemberFault::Parameters(self.wrong(&numbers, &wrong)));
                }
                each(&numbers).map_err(MemberFault::Function)?;
            }
            Ok(())
        };
        contained(rows).map_err(MemberFault::Function)?
    }
}

impl<T: Value, F: Family<T>> ChainOp for Open<T, F> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        Ok(self.member(arguments).erased().clone())
    }

    fn family(&self) -> Option<&dyn FamilyOp> {
        Some(self)
    }
}

impl<T: Value, F: Family<T>> FamilyOp for Open<T, F> {
    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String> {
        let checked = contained(|| self.numbers(arguments, |numbers| self.family.check(numbers)));
        match checked {
            Err(fault) => Err(fault.to_string()),
            Ok(Ok(())) => Ok(()),
            Ok(Err(wrong)) => Err(self.numbers(arguments, |numbers| self.wrong(numbers, &wrong))),
        }
    }

    fn is_continuous(&self) -> bool {
        let numbers: Vec<Number> = self
            .sources
            .iter()
            .map(|source| match source {
                Source::Number(number) => number.clone(),
                Source::Parent(_) => Number::Constant(f64::NAN),
            })
            .collect();
        matches!(
            contained(|| self.family.outcomes(&numbers)),
            Ok(Outcomes::Continuous)
        )
    }

    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault> {
        let Some(typed) = value.downcast_ref::<T>() else {
            return Ok(f64::NEG_INFINITY);
        };
        let log =
            contained(|| self.numbers(arguments, |numbers| self.family.log_prob(numbers, typed)))?;
        if log < f64::INFINITY {
            Ok(log)
        } else {
            Err(Fault::Distribution(format!(
                "gives {typed:?} the log-probability {log}; it must be a number or -inf"
            )))
        }
    }

    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault> {
        contained(|| self.numbers(arguments, |numbers| self.family.sample(numbers, rng)))
            .map(Datum::new)
    }

    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault> {
        let mut values = Vec::with_capacity(count);
        self.for_rows(arguments, count, |numbers| {
            values.push(self.family.sample(numbers, rng));
            Ok(())
        })?;
        Ok(Box::new(values))
    }

    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault> {
        let Some(value) = value.downcast_ref::<T>() else {
            return Ok(vec![f64::NEG_INFINITY; count]);
        };
        let mut logs = Vec::with_capacity(count);
        self.for_rows(arguments, count, |numbers| {
            logs.push(self.finite(value, self.family.log_prob(numbers, value))?);
            Ok(())
        })?;
        Ok(logs)
    }
}
