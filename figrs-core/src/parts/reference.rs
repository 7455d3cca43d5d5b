//! References of uncertain identity: elements whose values are objects.

use std::panic::Location;

use crate::element::parents::One;
use crate::element::{Element, chain_at};
use crate::value::Value;

impl<T: Value> Element<T> {
    /// Returns the element that `part` selects from the object that is the value of this reference.
    ///
    /// ```
    /// # use figrs_core::{Constant, Element, Select, Uniform, Value};
    /// #[derive(Clone, Debug, Value)]
    /// # #[value(crate = "figrs_core")]
    /// struct Car { engine: Element<&'static str> }
    ///
    /// let (old, new) = (Car { engine: Constant::new("diesel") }, Car { engine: Select::new([(0.5, "diesel"), (0.5, "electric")]) });
    /// let which = Uniform::new([old, new]);
    /// let engine = which.part(|car| &car.engine); // diesel with probability 3/4
    /// # drop(engine);
    /// ```
    ///
    /// The returned element has the value of the object's own element, not of a copy: if two references have the same object as their value, the part
    /// has the same value through each of them. Reading a part through a reference costs as much as a [`flat_map`](Self::flat_map): a table with a
    /// row for each object.
    #[track_caller]
    pub fn part<U: Value>(
        &self,
        part: impl Fn(&T) -> &Element<U> + Send + Sync + 'static,
    ) -> Element<U> {
        let parents = vec![self.erased().clone()];
        chain_at::<One<T>, U>("part", Location::caller(), parents, move |object| {
            part(object).clone()
        })
    }
}
