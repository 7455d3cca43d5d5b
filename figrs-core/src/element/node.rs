//! Elements, and the nodes of the model graph to which they point: the kinds of nodes, and their dropping without deep recursion.

use std::any::Any;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock, Weak};

use smallvec::SmallVec;

use super::footprint::{ALLOCATION, Footprint};
use super::label::{Label, printable};
use super::operations::{ApplyOp, AtomicOp, ChainOp, FamilyOp, TableOp};
use crate::error::{Fault, ModelError};
use crate::model::evidence::Evidence;
use crate::value::Value;
use crate::value::support::{AnyColumn, SupportBuilder};

/// A random value of type `T`, as a node of a lazily built model.
///
/// Elements, the random values of a model, are immutable, shared and cheap to clone: a clone is the *same* random value. Building an element never
/// fails and computes nothing. An invalid parameter is reported only when an algorithm uses the element; the error message contains the name of the
/// element, or the source line that built it. Evidence about elements is stated in a [`Model`](crate::Model).
#[must_use]
pub struct Element<T> {
    node: AnyElement,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> Element<T> {
    pub(crate) fn from_kind(
        constructor: &'static str,
        location: &'static Location<'static>,
        kind: Kind,
    ) -> Self {
        Self {
            node: AnyElement::new(constructor, location, SupportBuilder::new::<T>, kind),
            values: PhantomData,
        }
    }

    /// Gives the element a name for messages and diagrams. An element keeps its first name; further calls of `named` do nothing.
    ///
    /// ```
    /// # use figrs_core::Flip;
    /// let rain = Flip::new(0.2).named("rain");
    /// assert_eq!(rain.label().name.as_deref(), Some("rain"));
    /// println!("{}", rain.label()); // `rain` (Flip at src/main.rs:3:12)
    /// ```
    pub fn named(self, name: impl Into<String>) -> Self {
        self.node.set_name(name.into());
        self
    }

    /// Returns the label of the element: name, constructor and source line.
    pub fn label(&self) -> Label {
        self.node.label()
    }

    /// Returns the element as an untyped element.
    #[doc(hidden)]
    pub fn into_erased(self) -> AnyElement {
        self.node
    }

    /// Returns the element with its type; `None` if the values of the element have another type.
    pub fn from_erased(element: &AnyElement) -> Option<Self> {
        let has_type = element.no_values().value_type() == std::any::TypeId::of::<T>();
        has_type.then(|| Self {
            node: element.clone(),
            values: PhantomData,
        })
    }

    /// Returns the untyped element, which algorithms use.
    pub fn erased(&self) -> &AnyElement {
        &self.node
    }
}

impl<T> Clone for Element<T> {
    fn clone(&self) -> Self {
        Self {
            node: self.node.clone(),
            values: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Element<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// A node of the model graph with its reference counts takes 120 bytes: glibc keeps the memory of freed nodes up to this size for the next nodes.
struct Node {
    kind: Option<Kind>,
    name: OnceLock<Box<Name>>,
    constructor: &'static str,
    location: &'static Location<'static>,
    values: fn() -> SupportBuilder,
    bytes: usize,
}

struct Name(String);

impl Drop for Node {
    fn drop(&mut self) {
        let Some(kind) = self.kind.take() else { return };
        Footprint::dropped(self.bytes + self.name.get().map_or(0, |name| name.0.capacity()));
        release(kind);
    }
}

/// An untyped element: a pointer, cheap to clone, to an element whose value type is not known at compile time.
#[derive(Clone)]
pub struct AnyElement(Arc<Node>);

impl AnyElement {
    pub(crate) fn new(
        constructor: &'static str,
        location: &'static Location<'static>,
        values: fn() -> SupportBuilder,
        kind: Kind,
    ) -> Self {
        let bytes = size_of::<Node>() + 2 * ALLOCATION + kind.heap_bytes();
        Footprint::made(bytes);
        Self(Arc::new(Node {
            bytes,
            kind: Some(kind),
            name: OnceLock::new(),
            constructor,
            location,
            values,
        }))
    }

    /// Creates another element with the value type, the constructor and the source line of `self`.
    pub(crate) fn with_kind(&self, kind: Kind) -> Self {
        let Node {
            constructor,
            location,
            values,
            ..
        } = *self.0;
        Self::new(constructor, location, values, kind)
    }

    /// Returns the kind of the node, such as a function (`Apply`) or a conditional probability table.
    #[allow(clippy::missing_panics_doc)]
    #[inline]
    pub fn kind(&self) -> &Kind {
        self.0
            .kind
            .as_ref()
            .expect("only the drop of a node takes its kind")
    }

    /// Returns the label of the element.
    pub fn label(&self) -> Label {
        Label::new(
            self.0.name.get().map(|name| name.0.clone()),
            self.0.constructor,
            self.0.location,
        )
    }

    /// Returns the constructor of the element, and the source line that called it.
    pub(crate) fn constructor_call(&self) -> (&'static str, &'static Location<'static>) {
        (self.0.constructor, self.0.location)
    }

    pub(crate) fn set_name(&self, name: String) {
        let escaped = match printable(&name) {
            Cow::Owned(escaped) => Some(escaped),
            Cow::Borrowed(_) => None,
        };
        let name = escaped.unwrap_or(name);
        let bytes = name.capacity();
        // An element keeps its first name, because all its clones share the node.
        if self.0.name.set(Box::new(Name(name))).is_ok() {
            Footprint::named(bytes);
        }
    }

    /// Gives the element the name of `other`, if `other` has a name and the element has none.
    pub(crate) fn with_name_of(self, other: &Self) -> Self {
        if let Some(name) = other.0.name.get() {
            self.set_name(name.0.clone());
        }
        self
    }

    /// Gives the element the label of `other`: its constructor, its source line, and its name, if the element has no name. The constructor and the
    /// source line are replaced only if the handle `self` is the only reference to the element.
    #[doc(hidden)]
    #[must_use]
    pub fn labelled_like(self, other: &Self) -> Self {
        let own = match Arc::try_unwrap(self.0) {
            Ok(mut node) => Self(Arc::new(Node {
                bytes: node.bytes,
                kind: node.kind.take(),
                name: std::mem::take(&mut node.name),
                constructor: other.0.constructor,
                location: other.0.location,
                values: node.values,
            })),
            Err(shared) => Self(shared),
        };
        own.with_name_of(other)
    }

    /// Returns an identity that is unique among the living elements.
    #[inline]
    pub fn id(&self) -> ElementId {
        ElementId(Arc::as_ptr(&self.0).addr())
    }

    /// True if no other element, no evidence and no clone refers to this element. An element that a [`Process`](crate::Process) remembers as one of
    /// its members counts as shared, because the process may return the member again.
    #[inline]
    pub fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && Arc::weak_count(&self.0) == 0
    }

    pub(crate) fn downgrade(&self) -> WeakElement {
        WeakElement(Arc::downgrade(&self.0))
    }

    /// Creates an empty list of values of this element's type.
    pub fn no_values(&self) -> SupportBuilder {
        (self.0.values)()
    }

    /// Creates an empty column (a typed list) for values of this element's type.
    pub fn no_column(&self) -> Box<dyn AnyColumn> {
        self.no_values().column()
    }

    /// Returns the parents of this element: every possible world that evaluates this element needs their values.
    #[inline]
    pub fn parents(&self) -> &[AnyElement] {
        match self.kind() {
            Kind::Atomic(_) => &[],
            Kind::Apply(parents, _) | Kind::Chain(parents, _) | Kind::Table(parents, _) => parents,
            Kind::Score(parent, _) => std::slice::from_ref(parent),
        }
    }

    /// Returns the model error for a failure of the function that the user gave to this element.
    pub fn fault(&self, fault: Fault) -> ModelError {
        ModelError::Function {
            element: self.label(),
            fault,
        }
    }

    /// For a decision, returns the elements whose values are known when the decision is made; for other elements, returns `None`.
    pub fn known(&self) -> Option<&[AnyElement]> {
        match self.kind() {
            Kind::Atomic(op) => op.known(),
            Kind::Apply(..) | Kind::Chain(..) | Kind::Table(..) | Kind::Score(..) => None,
        }
    }

    /// Returns the model error for invalid parameters of this element, or for a decision for which no option is chosen.
    pub fn invalid(&self, problem: String) -> ModelError {
        if self.known().is_some() {
            return ModelError::Undecided {
                element: self.label(),
            };
        }
        ModelError::InvalidParameter {
            element: self.label(),
            problem,
        }
    }
}

impl fmt::Debug for AnyElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label())
    }
}

#[derive(Clone)]
pub(crate) struct WeakElement(Weak<Node>);

impl WeakElement {
    pub(crate) fn upgrade(&self) -> Option<AnyElement> {
        self.0.upgrade().map(AnyElement)
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// The identity of an element, which is unique among the living elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(usize);

/// The parents of a node, stored without a heap allocation if there are one or two.
pub type ParentList = SmallVec<[AnyElement; 2]>;

/// The kinds of nodes of a model graph. Every constructor of elements builds a node of one of the five kinds.
pub enum Kind {
    /// A random value without parents, with its own distribution.
    Atomic(Box<dyn AtomicOp>),
    /// A deterministic function of the values of the parents.
    Apply(ParentList, Arc<dyn ApplyOp>),
    /// A function from the values of the parents to an element; the value of this element becomes the value of the node.
    Chain(ParentList, Box<dyn ChainOp>),
    /// A conditional probability table over parents with finitely many values.
    Table(ParentList, Arc<dyn TableOp>),
    /// The value of another element, with evidence that applies in the possible worlds that evaluate this node.
    Score(AnyElement, Box<Evidence>),
}

impl Kind {
    /// Returns the family of distributions of which the element is a member; `None` if the element is not a member of a family.
    #[inline]
    pub fn family(&self) -> Option<&dyn FamilyOp> {
        match self {
            Self::Chain(_, op) => op.family(),
            Self::Atomic(_) | Self::Apply(..) | Self::Table(..) | Self::Score(..) => None,
        }
    }

    /// Returns the distribution of an element without parents; `None` for other elements.
    #[inline]
    pub fn atomic(&self) -> Option<&dyn AtomicOp> {
        match self {
            Self::Atomic(op) => Some(&**op),
            Self::Apply(..) | Self::Chain(..) | Self::Table(..) | Self::Score(..) => None,
        }
    }

    /// Returns the approximate number of bytes that the node of an element holds on the heap, without the size of the node itself.
    pub(super) fn heap_bytes(&self) -> usize {
        let (parents, op) = match self {
            Self::Atomic(op) => (0, size_of_val(&**op) + op.heap_bytes()),
            Self::Apply(parents, op) => (heap_bytes(parents), size_of_val(&**op)),
            Self::Chain(parents, op) => (heap_bytes(parents), size_of_val(&**op) + op.heap_bytes()),
            Self::Table(parents, op) => (heap_bytes(parents), size_of_val(&**op) + op.heap_bytes()),
            Self::Score(_, evidence) => (0, size_of_val(&**evidence)),
        };
        parents + op + ALLOCATION
    }
}

fn heap_bytes(parents: &ParentList) -> usize {
    match parents.spilled() {
        true => parents.capacity() * size_of::<AnyElement>() + ALLOCATION,
        false => 0,
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomic(op) => write!(f, "Atomic({})", op.describe()),
            Self::Apply(parents, _) => write!(f, "Apply({parents:?})"),
            Self::Chain(parents, _) => write!(f, "Chain({parents:?})"),
            Self::Table(parents, _) => write!(f, "Table({parents:?})"),
            Self::Score(parent, evidence) => write!(f, "Score({parent:?} {evidence:?})"),
        }
    }
}

/// Maximum capacity that the queue of node contents to be dropped keeps for the next drop.
const KEPT_ENTRIES: usize = 256;

/// Maximum depth of the recursion that drops the contents of nodes.
const MAX_DEPTH: u32 = 32;

/// A queue of the contents of dropped nodes that must still be dropped.
struct DropQueue {
    kinds: Vec<Kind>,
    /// The first panic that the drop of a node's contents has caused.
    panicked: Option<Box<dyn Any + Send>>,
}

thread_local! {
    /// Number of nodes whose contents are being dropped.
    static DROPS: Cell<u32> = const { Cell::new(0) };
    static DROP_QUEUE: RefCell<DropQueue> = const {
        RefCell::new(DropQueue {
            kinds: Vec::new(),
            panicked: None,
        })
    };
}

/// Drops the contents of a node. Recursion of limited depth drops the parents and the captured elements of the node; deeper contents are put in a
/// queue.
pub(super) fn release(kind: Kind) {
    let depth = DROPS.get();
    if depth >= MAX_DEPTH {
        // A thread that is ending has no `DROP_QUEUE` any more; the contents of the node are then dropped here.
        let _ = DROP_QUEUE.try_with(|queue| queue.borrow_mut().kinds.push(kind));
        return;
    }
    // If a drop panics, the other contents must still be dropped, and later drops must find the queue as it was.
    let dropped = |kind| {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(kind))) {
            let _ = DROP_QUEUE.try_with(|queue| {
                queue.borrow_mut().panicked.get_or_insert(payload);
            });
        }
    };
    DROPS.set(depth + 1);
    dropped(kind);
    if depth > 0 {
        DROPS.set(depth);
        return;
    }
    let next = || DROP_QUEUE.try_with(|queue| queue.borrow_mut().kinds.pop());
    while let Ok(Some(next)) = next() {
        dropped(next);
    }
    DROPS.set(0);
    let panicked = DROP_QUEUE.try_with(|queue| {
        let mut queue = queue.borrow_mut();
        queue.kinds.shrink_to(KEPT_ENTRIES);
        queue.panicked.take()
    });
    if let Ok(Some(payload)) = panicked
        && !std::thread::panicking()
    {
        resume_unwind(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Constant;

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a value panics when it is dropped");
        }
    }

    #[test]
    fn panics_of_drops_keep_no_nodes() {
        let start = Footprint::now();
        for depth in [1, 10, 100] {
            let mut element = Constant::new(0);
            for _ in 0..depth {
                let bomb = Bomb;
                element = element.map(move |x| {
                    let _captured = &bomb;
                    x + 1
                });
            }
            assert!(catch_unwind(AssertUnwindSafe(|| drop(element))).is_err());
            assert_eq!(start.since(), Footprint::default());
        }
    }
}
