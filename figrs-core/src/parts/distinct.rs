//! Sets of objects: the distinct objects that are the values of several references.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::element::chain::fallible_chain_at;
use crate::element::fold::fold_at;
use crate::element::if_else::if_at;
use crate::element::parents::{AsElement, One};
use crate::element::{Constant, Element, apply_at, apply_shared_at, chain_at};
use crate::error::Fault;
use crate::value::{Value, canonical};

/// A set of objects, which has no order. Two objects in the set are equal if they are the same [`Value`].
///
/// Objects that contain elements are equal if they contain the same elements. The function [`distinct`] makes a set from references, and
/// [`fold_parts`](Element::fold_parts) computes a summary of one field of the objects in the set.
#[derive(Clone)]
pub struct Distinct<T>(Vec<T>);

impl<T: Value> Distinct<T> {
    /// Returns the number of objects in the set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the set contains no objects.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the set contains `object`.
    pub fn contains(&self, object: &T) -> bool {
        self.0.iter().any(|known| known.same(object))
    }

    /// Returns the set extended by the object `object`.
    fn with(&self, object: &T) -> Self {
        let mut set = self.clone();
        if !set.contains(object) {
            set.0.push(object.clone());
        }
        set
    }
}

impl<T: Value> FromIterator<T> for Distinct<T> {
    fn from_iter<I: IntoIterator<Item = T>>(objects: I) -> Self {
        let empty = Self(Vec::new());
        objects
            .into_iter()
            .fold(empty, |set, object| set.with(&object))
    }
}

impl<T: Value> Value for Distinct<T> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.0.iter().all(|object| other.contains(object))
    }
    fn feed<H: Hasher>(&self, hasher: &mut H) {
        let digest = |object: &T| {
            let mut own = FxHasher::default();
            object.feed(&mut own);
            own.finish()
        };
        // A sum does not depend on the order of its terms.
        let sum = self.0.iter().map(digest).fold(0, u64::wrapping_add);
        (self.len(), sum).hash(hasher);
    }
    fn canonical(&self) -> Option<Self> {
        let is_canonical = self.0.iter().all(|object| object.canonical().is_none());
        (!is_canonical).then(|| self.0.iter().cloned().map(canonical).collect())
    }
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}

impl<T: Value> fmt::Debug for Distinct<T> {
    /// Prints the objects of the set in the order of their texts, so that equal sets have equal texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut objects: Vec<String> = self.0.iter().map(|object| format!("{object:?}")).collect();
        objects.sort();
        write!(f, "{{{}}}", objects.join(", "))
    }
}

/// Returns the set of the distinct objects that are the values of `references`, a list or an iterator.
///
/// ```
/// # use figrs_core::{Element, Select, Uniform, Value, distinct};
/// #[derive(Clone, Debug, Value)]
/// # #[value(crate = "figrs_core")]
/// struct Source { strength: Element<u32> }
///
/// let sources: Vec<Source> = (0..3).map(|_| Source { strength: Uniform::new([1, 2]) }).collect();
/// let heard = [Uniform::new(sources.clone()), Uniform::new(sources)];
/// // If both references are one source, its strength counts once.
/// let strength = distinct(&heard).fold_parts(|source| &source.strength, 0, |sum, strength| sum + strength);
/// # drop(strength);
/// ```
///
/// **Cost.** `distinct` builds the set by a [`fold`](crate::fold) over the references, one reference after another. For `n` references to `k`
/// objects, the set has at most `k` choose 0 + ... + `k` choose `n` possible values (states), and each conditional table has at most `k` rows for
/// each state.
#[track_caller]
pub fn distinct<T: Value>(
    references: impl IntoIterator<Item: AsElement<Value = T>>,
) -> Element<Distinct<T>> {
    let step = Arc::new(|(set, object): (&Distinct<T>, &T)| set.with(object));
    fold_at(
        "distinct",
        Location::caller(),
        references,
        Distinct(Vec::new()),
        &step,
    )
}

impl<T: Value> Element<Vec<T>> {
    /// Returns the set of the distinct objects in a list, whose length may be uncertain.
    #[track_caller]
    pub fn distinct(&self) -> Element<Distinct<T>> {
        let parents = vec![self.erased().clone()];
        let set = |list: &Vec<T>| list.iter().cloned().collect();
        apply_at::<One<Vec<T>>, Distinct<T>>("distinct", Location::caller(), parents, set)
    }
}

impl<T: Value> Element<Distinct<T>> {
    /// Summarises the set (by a sum, a maximum or a count, for example): starting from `start`, the function `step` processes one field of each
    /// object.
    ///
    /// The objects of a set have no order, so the result of processing them with `step` must not depend on the order. A possible world evaluates only
    /// the fields of the objects that are in the set.
    ///
    /// **Cost.** The model contains one [`fold`](crate::fold) over the fields of the objects for each possible set. Exact algorithms may need a table
    /// over the sets and the fields of all objects; if all objects are known in advance, [`fold_parts_among`](Self::fold_parts_among) is cheaper.
    #[track_caller]
    pub fn fold_parts<U: Value, S: Value>(
        &self,
        part: impl Fn(&T) -> &Element<U> + Send + Sync + 'static,
        start: S,
        step: impl Fn(&S, &U) -> S + Send + Sync + 'static,
    ) -> Element<S> {
        let location = Location::caller();
        let parents = vec![self.erased().clone()];
        let step = Arc::new(move |(state, value): (&S, &U)| step(state, value));
        chain_at::<One<Distinct<T>>, S>("fold_parts", location, parents, move |set| {
            let parts = set.0.iter().map(&part);
            fold_at("fold_parts", location, parts, start.clone(), &step)
        })
    }

    /// Returns the same summary as [`fold_parts`](Self::fold_parts), for sets whose objects are all in the list `objects`.
    ///
    /// A set that contains an object outside the list is an error ([`Fault::Row`]), unless evidence excludes this set.
    ///
    /// **Cost.** The model has two conditional tables for each object: the first has two entries for each set; the second has twice the number of
    /// states of the summary times the number of values of the field. Exact algorithms may build tables over the states of the summary and the sets,
    /// but not over several fields at once.
    #[track_caller]
    pub fn fold_parts_among<U: Value, S: Value>(
        &self,
        objects: &[T],
        part: impl Fn(&T) -> &Element<U>,
        start: S,
        step: impl Fn(&S, &U) -> S + Send + Sync + 'static,
    ) -> Element<S> {
        let location = Location::caller();
        let set = vec![self.erased().clone()];
        let step = Arc::new(move |(state, value): (&S, &U)| step(state, value));
        let objects: Distinct<T> = objects.iter().cloned().collect();
        let listed = objects.clone();
        let begin = move |set: &Distinct<T>| match set
            .0
            .iter()
            .find(|object| !listed.contains(object))
        {
            None => Ok(Constant::new(start.clone())),
            Some(other) => {
                let problem = format!(
                    "{other:?} is not in the list of objects that the parts may be; add it to the list"
                );
                Err(Fault::Row(problem))
            }
        };
        let constructor = "fold_parts_among";
        let mut state =
            fallible_chain_at::<One<Distinct<T>>, S>(constructor, location, set.clone(), begin);
        for object in &objects.0 {
            let parents = vec![state.erased().clone(), part(object).erased().clone()];
            let next = apply_shared_at::<(S, U), S>(constructor, location, parents, &step);
            let object = object.clone();
            let has = move |set: &Distinct<T>| set.contains(&object);
            let has = apply_at::<One<Distinct<T>>, bool>(constructor, location, set.clone(), has);
            state = if_at(constructor, location, &has, next, state);
        }
        state
    }
}
