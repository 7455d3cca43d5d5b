//! `Chain`: a function from the values of elements to an element.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use super::apply::{FunctionId, check_purity, contained};
use super::node::{AnyElement, Kind, ParentList};
use super::operations::ChainOp;
use super::parents::{Arguments, Function, Parents};
use crate::counterfactual::branch_memory::BranchMemory;
use crate::element::Element;
use crate::error::Fault;
use crate::value::Value;
use crate::value::support::Support;

/// Builds the element that a function returns for the values of its parents.
#[derive(Debug)]
pub struct Chain;

impl Chain {
    /// Creates the element that `function` returns for the values of `parents`.
    ///
    /// The function must be pure: it may be called more than once for the same values, and debug builds compare the results. The function is called
    /// only for values that a query needs.
    #[track_caller]
    pub fn new<P, T, F>(parents: P, function: F) -> Element<T>
    where
        P: Parents,
        T: Value,
        F: for<'a> Fn(<P::Arguments as Arguments>::Refs<'a>) -> Element<T> + Send + Sync + 'static,
    {
        chain_at::<P::Arguments, T>("Chain", Location::caller(), parents.elements(), function)
    }
}

pub(crate) fn chain_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: impl Into<ParentList>,
    function: impl Function<A, Element<T>>,
) -> Element<T> {
    fallible_chain_at::<A, T>(constructor, location, parents, move |refs| {
        Ok(function(refs))
    })
}

pub(crate) fn chain_shared_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    function: &Arc<impl Function<A, Element<T>>>,
) -> Element<T> {
    let shared = Arc::clone(function);
    let op = ChainFunction::<A, _> {
        identity: Some(FunctionId::of_shared(function)),
        ..ChainFunction::new(move |refs: A::Refs<'_>| Ok(shared(refs)))
    };
    let kind = Kind::Chain(parents.into(), Box::new(op));
    Element::from_kind(constructor, location, kind)
}

/// Creates a `Chain` whose function may return an error for some values.
pub(crate) fn fallible_chain_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: impl Into<ParentList>,
    function: impl Function<A, Result<Element<T>, Fault>>,
) -> Element<T> {
    let op = ChainFunction::<A, _>::new(function);
    let kind = Kind::Chain(parents.into(), Box::new(op));
    Element::from_kind(constructor, location, kind)
}

/// Creates a `Chain` whose function may return an error. For exact algorithms, `for_tables` may replace the `Chain` by a single element, given the
/// possible values of the parents; see [`ChainOp::for_tables`].
pub(crate) fn chain_or_scan_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    function: impl Function<A, Result<Element<T>, Fault>>,
    for_tables: impl Fn(&[&Support]) -> Option<Element<T>> + Send + Sync + 'static,
) -> Element<T> {
    let op = ChainFunction::<A, _> {
        for_tables: Some(Box::new(move |supports| {
            Some(for_tables(supports)?.erased().clone())
        })),
        ..ChainFunction::new(function)
    };
    let kind = Kind::Chain(parents.into(), Box::new(op));
    Element::from_kind(constructor, location, kind)
}

/// A function that exact algorithms use in place of a `Chain`: maps the possible values of its parents to an element that replaces the `Chain`.
type ForTables = Box<dyn Fn(&[&Support]) -> Option<AnyElement> + Send + Sync>;

struct ChainFunction<A, F> {
    body: F,
    identity: Option<FunctionId>,
    arguments: PhantomData<fn(A)>,
    memory: BranchMemory,
    for_tables: Option<ForTables>,
}

impl<A, F: 'static> ChainFunction<A, F> {
    fn new(body: F) -> Self {
        Self {
            identity: FunctionId::of_code(&body),
            body,
            arguments: PhantomData,
            memory: BranchMemory::default(),
            for_tables: None,
        }
    }
}

impl<A, T, F> ChainOp for ChainFunction<A, F>
where
    A: Arguments,
    T: Value,
    F: for<'a> Fn(A::Refs<'a>) -> Result<Element<T>, Fault> + Send + Sync + 'static,
{
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.memory.result(arguments, || self.call_anew(arguments))
    }

    fn call_anew(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let call = || contained(|| (self.body)(A::refs(arguments)))?;
        let element = call()?.erased().clone();
        if cfg!(debug_assertions) {
            check_purity(&element, call()?.erased())?;
        }
        Ok(element)
    }

    fn for_tables(&self, supports: &[&Support]) -> Option<AnyElement> {
        // A counterfactual needs the stored result for each combination of the parents' values.
        let for_tables = self
            .for_tables
            .as_ref()
            .filter(|_| !self.memory.is_active());
        contained(|| for_tables?(supports)).ok().flatten()
    }

    fn memory(&self) -> Option<&BranchMemory> {
        Some(&self.memory)
    }

    fn identity(&self) -> Option<FunctionId> {
        self.identity.filter(|_| !self.memory.is_active())
    }
}
