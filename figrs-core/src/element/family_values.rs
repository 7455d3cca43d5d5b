//! Untyped arguments and values of a family of distributions.

use std::any::Any;

use super::param::Param;
use crate::error::Fault;
use crate::value::support::AnyColumn;

/// An untyped argument of a family of distributions: the value of a parent, or the `Param`s that stand in place of the parent.
#[derive(Clone, Copy, Debug)]
pub enum MemberArgument<'a> {
    /// The argument is the value of a parent: a number, or a list of numbers.
    Value(&'a dyn Any),
    /// The argument consists of `Param`s, one for each of its numbers.
    Params(&'a [Param]),
}

/// Independent values of one member of a family.
#[derive(Clone, Copy, Debug)]
pub enum IidValues<'a> {
    /// The independent values themselves, in a typed list.
    Values(&'a dyn AnyColumn),
    /// The sufficient statistics of the independent values.
    Statistics(&'a [f64]),
}

/// The sufficient statistics of observed values, passed in place of the observed list itself.
#[derive(Clone, Debug)]
pub struct SufficientStatistics(pub(crate) Vec<f64>);

/// Failure of a function of one member of a family of distributions.
#[derive(Clone, Debug)]
pub enum MemberFault {
    /// The parameters of the member of the family are invalid.
    Parameters(String),
    /// A function failed while the distribution of this member of the family was evaluated.
    Function(Fault),
}
