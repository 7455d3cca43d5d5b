//! Cases: models that differ only in the values of some elements, answered together as one model.
//!
//! The index of the case among several cases is a finite element with a uniform distribution. Each element whose value differs from case to case is a
//! function of the index of the case. For several cases, a single analysis of the model and a single elimination then give the log-evidence of every
//! case.

use std::any::Any;
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::ApplyOp;
use figrs_core::{AnyElement, Datum, Element, ElementId, Model, Support, Uniform};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The values of some elements in each of several cases.
pub(crate) struct Cases {
    /// The finite element whose value is the index of the case among several cases.
    pub(crate) index: Element<usize>,
    count: usize,
    elements: Vec<AnyElement>,
    columns: FxHashMap<ElementId, CaseColumn>,
}

/// The value of an element in each case.
#[derive(Clone, Debug)]
pub(crate) struct CaseColumn {
    /// The distinct values of the element in all cases.
    pub(crate) values: Support,
    /// For each case, the index of the element's value among the distinct values.
    pub(crate) indices: Rc<[u32]>,
}

impl CaseColumn {
    /// Returns the values of the deterministic function `element` in all cases; `arguments` has the values of the function's parents, at least one.
    ///
    /// **Errors.** The error of the model's function if the function fails in a case.
    pub(crate) fn of_function(
        element: &AnyElement,
        op: &dyn ApplyOp,
        arguments: &[&Self],
    ) -> Result<Self, Error> {
        let mut values = element.no_values();
        let mut call = |arguments: &[&dyn Any]| -> Result<u32, Error> {
            let value = op.intern(arguments, &mut values);
            Ok(value.map_err(|fault| element.fault(fault))? as u32)
        };
        let indices: Rc<[u32]> = if let [only] = arguments {
            let of_value = (0..only.values.len()).map(|value| call(&[only.values.any(value)]));
            let of_value: Vec<u32> = of_value.collect::<Result<_, _>>()?;
            let indices = only.indices.iter();
            indices.map(|&index| of_value[index as usize]).collect()
        } else {
            let of_case = |case: usize| {
                let values = arguments.iter();
                let values = values.map(|c| c.values.any(c.indices[case] as usize));
                call(&values.collect::<SmallVec<[&dyn Any; 4]>>())
            };
            let cases = 0..arguments[0].indices.len();
            cases.map(of_case).collect::<Result<_, _>>()?
        };
        let values = values.build();
        Ok(Self { values, indices })
    }

    /// Creates an element of the same type as `element`, whose value in each case is the value of this column; the element `index` selects the case.
    pub(crate) fn element(&self, element: &AnyElement, index: &Element<usize>) -> AnyElement {
        element.by_index(&self.values, self.indices.to_vec(), index)
    }
}

impl Cases {
    /// Creates cases (models that differ in some values) from `rows`; there must be at least two. Each row of `rows` has the values of `elements` in
    /// one case.
    pub(crate) fn new(elements: &[AnyElement], rows: &[&Vec<Datum>]) -> Self {
        let mut columns = FxHashMap::default();
        for (place, element) in elements.iter().enumerate() {
            let mut values = element.no_values();
            let mut index = |row: &Vec<Datum>| values.insert(row[place].as_any());
            let indices = rows.iter().map(|row| index(row).unwrap_or_default() as u32);
            let indices = indices.collect();
            let values = values.build();
            columns.insert(element.id(), CaseColumn { values, indices });
        }
        Self {
            index: Uniform::new(0..rows.len()),
            count: rows.len(),
            elements: elements.to_vec(),
            columns,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ElementId> {
        self.elements.iter().map(AnyElement::id)
    }

    pub(crate) fn columns(&self) -> &FxHashMap<ElementId, CaseColumn> {
        &self.columns
    }

    /// Returns `model` with the elements, whose values differ between cases, as functions of the index of the case.
    pub(crate) fn model(&self, model: Model) -> Model {
        self.elements.iter().fold(model, |model, element| {
            let column = &self.columns[&element.id()];
            model.follow_any(element, column.element(element, &self.index))
        })
    }
}
