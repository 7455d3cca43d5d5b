//! Untyped arguments and values of a family of distributions.

use std::any::Any;

use super::param::Param;
use crate::error::Fault;
use crate::value::support::AnyColumn;

/// An untyped argument of a family of distributions: the value of a parent, or the `Param`s that stand in place of the parent.
#[derive(Clone, Copy, Debug)]
pub enum MemberArgument<'a> {
    /// The value of a parent: a number, or a list of numbers.
    Value(&'a dyn Any),
    /// One [`Param`] for each number of the argument.
    Params(&'a [Param]),
}

/// Independent values of one member of a family.
#[derive(Clone, Copy, Debug)]
pub enum IidValues<'a> {
    /// A column of the independent values themselves.
    Values(&'a dyn AnyColumn),
    /// The sufficient statistics of the independent values.
    Statistics(&'a [f64]),
}

/// The sufficient statistics of observed values, as a value of type list.
#[derive(Clone, Debug)]
pub struct SufficientStatistics(pub(crate) Vec<f64>);

/// Failure of a function of a member of a family.
#[derive(Clone, Debug)]
pub enum MemberFault {
    /// The parameters of the member are invalid.
    Parameters(String),
    /// A function that the distribution of the member calls failed.
    Function(Fault),
}
