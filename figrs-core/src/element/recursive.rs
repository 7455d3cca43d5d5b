//! `Recursive`: a function from a value to an element that may call itself.

use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::apply::{CallId, FunctionId, check_purity, contained};
use super::node::{AnyElement, Kind, ParentList};
use super::operations::ChainOp;
use crate::counterfactual::branch_memory::BranchMemory;
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::{Value, canonical};

/// A recursive function in the form that its own body receives: a function from an argument to the element that a call returns.
pub type Call<A, T> = Arc<dyn Fn(A) -> Element<T> + Send + Sync>;

type RecursiveBody<A, T> = Arc<dyn Fn(Call<A, T>, &A) -> Element<T> + Send + Sync>;

/// A recursive function from a value to an element. Calls of a `Recursive` function with the same argument have the same distribution.
///
/// Each call of a `Recursive` function returns a new random value, even if the function is called twice with the same argument. The element that a
/// call of a `Recursive` function returns stores the function and the argument. Exact algorithms can therefore compute the distribution of all calls
/// of a `Recursive` function with the same argument only once (memoisation). For an ordinary recursive Rust function, exact algorithms compute each
/// call separately. The body of a `Recursive` function is evaluated for a call only when the value of the call is needed. Because of lazy evaluation,
/// the recursion of a `Recursive` function may be deep or endless.
///
/// Exact algorithms *share* a recursive call: all calls with the same argument are replaced by random elements with the computed distribution. A
/// recursive call is *unfolded*, that is, treated like any other `Chain`, if its body evaluates an element with evidence, a target of the query, a
/// [`Score`](crate::Score) or an element that is not finite. A recursive call is also unfolded if its body evaluates a function that fails for some
/// values, or a random element that was created outside the body. In the most probable world, the weight of a shared recursive call is the
/// probability of the most probable choices that give its value; the elements within the call are not listed. The algorithm
/// `LazyVariableElimination`, which computes bounds, shares all recursive calls with the same argument that it expands to the same depth. Samplers
/// and `Enumerate` unfold all recursive calls, and so do algorithms that count, draw or list the worlds of a compiled tree.
///
/// **Errors.** [`ModelError::CyclicCall`](crate::ModelError::CyclicCall) from an exact algorithm if a recursive call needs a call with the same
/// argument; [`ModelError::TooDeep`](crate::ModelError::TooDeep) if the recursion always reaches new arguments.
///
/// ```
/// use figrs_core::{Constant, Element, Flip, Recursive};
///
/// // How many leaves has a random tree of at most this depth? Up to 20.
/// let leaves = Recursive::new(|call, &depth: &u32| -> Element<u32> {
///     if depth == 0 {
///         return Constant::new(1);
///     }
///     Flip::new(0.5).flat_map(move |&stop| {
///         if stop {
///             Constant::new(1)
///         } else {
///             call(depth - 1).plus(&call(depth - 1)).map(|n| (*n).min(20))
///         }
///     })
/// });
/// let tree = leaves.call(1000);
/// # drop(tree);
/// ```
pub struct Recursive<A, T> {
    body: RecursiveBody<A, T>,
    function: FunctionId,
    location: &'static Location<'static>,
}

impl<A: Value, T: Value> Recursive<A, T> {
    /// Creates the recursive function with the body `body`, which receives the function itself and the argument.
    ///
    /// The body of a `Recursive` function must be pure, like the function of a [`Chain`](crate::Chain).
    #[track_caller]
    pub fn new<F>(body: F) -> Self
    where
        F: Fn(Call<A, T>, &A) -> Element<T> + Send + Sync + 'static,
    {
        let body = Arc::new(body);
        Self {
            function: FunctionId::of_shared(&body),
            body,
            location: Location::caller(),
        }
    }

    /// Creates the element of a call of the recursive function with the argument `argument`; each call is a new random value.
    #[track_caller]
    pub fn call(&self, argument: A) -> Element<T> {
        self.called(argument, Location::caller())
    }

    fn called(&self, argument: A, location: &'static Location<'static>) -> Element<T> {
        let function = self.clone();
        let op = CallOp {
            function,
            argument: canonical(argument),
            memory: BranchMemory::default(),
        };
        let kind = Kind::Chain(ParentList::new(), Box::new(op));
        Element::from_kind("Recursive", location, kind)
    }
}

impl<A, T> Clone for Recursive<A, T> {
    fn clone(&self) -> Self {
        Self {
            body: Arc::clone(&self.body),
            function: self.function,
            location: self.location,
        }
    }
}

impl<A, T> fmt::Debug for Recursive<A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recursive at {}", self.location)
    }
}

struct CallOp<A, T> {
    function: Recursive<A, T>,
    argument: A,
    memory: BranchMemory,
}

impl<A: Value, T: Value> ChainOp for CallOp<A, T> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.memory.result(arguments, || self.call_anew(arguments))
    }

    fn memory(&self) -> Option<&BranchMemory> {
        Some(&self.memory)
    }

    fn call_anew(&self, _arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let function = self.function.clone();
        let within: Call<A, T> =
            Arc::new(move |argument| function.called(argument, function.location));
        let body = || contained(|| (self.function.body)(Arc::clone(&within), &self.argument));
        let element = body()?.erased().clone();
        if cfg!(debug_assertions) {
            check_purity(&element, body()?.erased())?;
        }
        Ok(element)
    }

    fn call_id(&self) -> Option<CallId> {
        // If a counterfactual stores the results of this call, another call with the same argument has other results.
        (!self.memory.is_active()).then(|| CallId {
            function: self.function.function,
            argument: Datum::new(self.argument.clone()),
        })
    }
}
