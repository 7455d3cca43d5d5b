//! The functions that users give to elements: their identity, the elements that a call builds, and the checks that a function does not panic and is
//! pure.
//!
//! A function may capture elements that no traversal of the model can find. Therefore each thread counts its elements when they are created and when
//! they are dropped. The difference between the readings of the counter before and after a call is the size of the elements that the call created and
//! did not drop.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};
use std::{env, thread};

use super::node::{AnyElement, Kind};
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::Support;

/// The identity of a function that was given to an element or to evidence. If two functions have equal identities, results that were computed for one
/// of them hold for the other. A function without an identity may still be the same as another function.
///
/// A closure that captures nothing always has an identity. A function that is shared through [`Parents::map_shared`](crate::Parents::map_shared) or a
/// similar method has an identity while an element holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId {
    code: TypeId,
    captured: usize,
}

impl FunctionId {
    /// Returns the identity of a function of type `F`; `None` if the function captures something.
    pub(crate) fn of_code<F: 'static>(_: &F) -> Option<Self> {
        (size_of::<F>() == 0).then(|| Self {
            code: TypeId::of::<F>(),
            captured: 0,
        })
    }

    pub(crate) fn of_shared<F: 'static>(function: &Arc<F>) -> Self {
        Self {
            code: TypeId::of::<F>(),
            captured: if size_of::<F>() == 0 {
                0
            } else {
                Arc::as_ptr(function).addr()
            },
        }
    }
}

/// The identity of a call of a [`Recursive`](crate::Recursive) function: equal calls have the same distribution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// The function that is called.
    pub function: FunctionId,
    /// The argument of the call.
    pub argument: Datum,
}

/// Calls `function`, which a user wrote, and converts a panic into a [`Fault`].
#[inline]
pub fn contained<R>(function: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(function)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let mut message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    if let Some(place) = PLACE.take() {
        message = format!("{message} ({place})");
    }
    Fault::Panicked(message)
}

thread_local! {
    /// Number of calls of [`unprinted`] that are in progress on this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
    /// File, line and column of the last panic on this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Ends a call of [`unprinted`] when it is dropped, even if the call panics.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// Calls `function`, and converts a panic into an error that names the source line. The panic hook prints the panic only if `RUST_BACKTRACE` is set.
pub fn unprinted<R>(function: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    let install = || {
        let is_traced = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if CALLS.get() == 0 || is_traced {
                print(panic);
            }
            PLACE.set(panic.location().map(ToString::to_string));
        }));
    };
    // Setting the panic hook during a panic would abort the program.
    if !thread::panicking() {
        HOOK.call_once(install);
    }
    CALLS.set(CALLS.get() + 1);
    let _end = End;
    function()
}

/// Maximum number of elements that the comparison of two results visits.
const MAX_COMPARED_ELEMENTS: usize = 64;

fn differ(a: &AnyElement, b: &AnyElement) -> Option<String> {
    let (left, right) = (a.label(), b.label());
    let shape = !left.is_same_call(&right) || a.parents().len() != b.parents().len();
    if shape {
        return Some(format!("{left} and {right}"));
    }
    if let (Kind::Atomic(x), Kind::Atomic(y)) = (a.kind(), b.kind()) {
        let (x, y) = (x.describe(), y.describe());
        if x != y {
            return Some(format!("{x} and {y}"));
        }
    }
    None
}

/// Returns an error if two results of one function for the same arguments differ. Only distributions, constants and other data of the elements are
/// compared, not functions.
pub(crate) fn check_purity(first: &AnyElement, second: &AnyElement) -> Result<(), Fault> {
    match impurity(first, second) {
        Some(difference) => Err(Fault::Impure(difference)),
        None => Ok(()),
    }
}

/// Returns a description of a difference between two results of one function, or `None` if no difference is found.
pub(crate) fn impurity(first: &AnyElement, second: &AnyElement) -> Option<String> {
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut compared = 0;
    while let Some((a, b)) = pairs.pop() {
        compared += 1;
        if a.id() == b.id() || compared > MAX_COMPARED_ELEMENTS {
            continue;
        }
        if let Some(difference) = differ(&a, &b) {
            return Some(difference);
        }
        pairs.extend(a.parents().iter().cloned().zip(b.parents().iter().cloned()));
    }
    None
}

/// In debug builds, checks that a function has the same result if an argument is replaced by an equal value that prints differently. The function
/// `compare` calls the function for given arguments, and describes the difference between the results.
pub(crate) fn check_equal_arguments(
    supports: &[&Support],
    arguments: &[&dyn Any],
    mut compare: impl FnMut(&[&dyn Any]) -> Result<Option<String>, Fault>,
) -> Result<(), Fault> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    for (at, support) in supports.iter().enumerate() {
        let Some(equal) = support.look_alike(arguments[at]) else {
            continue;
        };
        let mut replaced = arguments.to_vec();
        replaced[at] = equal;
        if let Some(results) = compare(&replaced)? {
            let printed = |value: &dyn Any| support.printed(value);
            let arguments = format!("{} and {}", printed(arguments[at]), printed(equal));
            return Err(Fault::UnequalResults { results, arguments });
        }
    }
    Ok(())
}

/// Overhead of an allocation, beyond the requested bytes: 8 to 16 bytes on 64-bit systems.
pub const ALLOCATION: usize = 16;

/// A reading of the number of nodes and bytes that a thread has created and not dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub nodes: i64,
    pub bytes: i64,
}

thread_local! {
    static ALIVE: Cell<Footprint> = const { Cell::new(Footprint { nodes: 0, bytes: 0 }) };
}

impl Footprint {
    /// Returns the present reading of the counter of this thread.
    #[inline]
    pub fn now() -> Self {
        ALIVE.with(Cell::get)
    }

    /// Returns the number of nodes and bytes created since this reading, minus the number dropped.
    #[must_use]
    #[inline]
    pub fn since(self) -> Self {
        let now = Self::now();
        Self {
            nodes: now.nodes - self.nodes,
            bytes: now.bytes - self.bytes,
        }
    }

    /// Returns the number of bytes created since this reading, minus the bytes dropped.
    #[inline]
    pub fn bytes_since(self) -> u64 {
        self.since().bytes.max(0).unsigned_abs()
    }

    /// Returns the result of `call`, and the footprint of the elements that it created and that still exist.
    #[inline]
    pub fn measured<R>(call: impl FnOnce() -> R) -> (R, Self) {
        let before = Self::now();
        let result = call();
        (result, before.since())
    }

    #[inline]
    fn count(nodes: i64, bytes: i64) {
        // The counter of a thread that is ending does not exist any more.
        let _ = ALIVE.try_with(|alive| {
            let before = alive.get();
            alive.set(Self {
                nodes: before.nodes + nodes,
                bytes: before.bytes + bytes,
            });
        });
    }

    pub(crate) fn made(bytes: usize) {
        Self::count(1, bytes.cast_signed() as i64);
    }

    pub(crate) fn named(bytes: usize) {
        Self::count(0, bytes.cast_signed() as i64);
    }

    pub(crate) fn dropped(bytes: usize) {
        Self::count(-1, -(bytes.cast_signed() as i64));
    }
}

pub(crate) fn readable(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let (mut number, mut unit) = (bytes as f64, 0);
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(number.fract() != 0.0);
    format!("{number:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Constant, Element, Flip, Uniform};
    use crate::value::Value;

    fn bytes<T: Value>(element: impl FnOnce() -> Element<T>) -> (Footprint, Element<T>) {
        let before = Footprint::now();
        let element = element();
        (before.since(), element)
    }

    #[test]
    fn bytes_are_readable() {
        let words = [0, 1023, 1 << 20, 3 << 29, 5 << 40].map(readable);
        assert_eq!(
            words,
            ["0 bytes", "1023 bytes", "1 MiB", "1.5 GiB", "5 TiB"]
        );
    }

    #[test]
    fn captured_elements_and_values_count_until_they_are_dropped() {
        let start = Footprint::now();
        let (small, coin) = bytes(|| Flip::new(0.5));
        assert_eq!(small.nodes, 1);
        let (wide, uniform) = bytes(|| Uniform::new(0..1000_u64));
        assert!(wide.bytes > small.bytes + 8000);
        let (text, constant) = bytes(|| Constant::new("x".repeat(10_000)));
        assert!(text.bytes > small.bytes + 9000);
        let (chain, chained) = bytes(|| {
            let captured = Uniform::new(0..1000_u64);
            coin.flat_map(move |_| captured.clone())
        });
        assert_eq!(chain.nodes, 2);
        assert!(chain.bytes > wide.bytes);
        drop((coin, chained, uniform, constant));
        assert_eq!(start.since(), Footprint::default());
    }
}
