//! Merging of the results of a `Chain` into one normal vector, if nothing but the `Chain` depends on its results.

use std::rc::Rc;

use figrs_core::{AnyElement, ElementId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::linear_element::{Conditional, Linear, union};
use crate::scan::{Form, NormalVector, Scan};

impl Scan<'_> {
    /// Merges the results of a `Chain` into one normal vector, if the results are normal elements on which no other element depends.
    ///
    /// After the merge, the `Chain` is a normal element whose mean and covariance depend on its parents.
    pub(crate) fn merge_private_results(&mut self) {
        if self.choices.is_empty() {
            return;
        }
        let readers = self.readers();
        let mut new_name: Vec<usize> = (0..self.vectors.len()).collect();
        for choice in std::mem::take(&mut self.choices) {
            let branches = Rc::clone(&self.branches[&choice.id()]);
            if let Some(vectors) = self.private_vectors(&branches.rows, &readers)
                && let Some(merged) = self.merged(&choice, &branches, &vectors)
            {
                let first = vectors[0];
                for &vector in &vectors {
                    new_name[vector] = first;
                    self.vectors[vector] = None;
                }
                self.vectors[first] = Some(merged);
            }
        }
        let renamed = |linear: &mut Linear| *linear = linear.renamed(|index| new_name[index]);
        let rename = |rows: &mut Rc<Conditional<Linear>>| {
            Rc::make_mut(rows).rows.iter_mut().for_each(renamed);
        };
        for form in self.forms.values_mut() {
            match form {
                Form::Real(rows) => rename(rows),
                Form::Function(function) => rename(&mut Rc::make_mut(function).argument),
                Form::Finite | Form::Parameter(_) | Form::Observed => {}
            }
        }
        for site in &mut self.sites {
            rename(&mut site.function.argument);
        }
        for vector in self.vectors.iter_mut().flatten() {
            vector
                .rule
                .rows
                .iter_mut()
                .for_each(|rule| renamed(&mut rule.mean));
        }
    }

    /// Returns the vectors of the results `branches` of a `Chain`, if nothing else depends on the results and they are not all the same element.
    fn private_vectors(
        &self,
        branches: &[AnyElement],
        readers: &FxHashMap<ElementId, usize>,
    ) -> Option<Vec<usize>> {
        let mut vectors = Vec::with_capacity(branches.len());
        for branch in branches {
            let Form::Real(rows) = self.form(branch) else {
                return None;
            };
            let [row] = &rows.rows[..] else { return None };
            let index = row.as_vector()?;
            let vector = self.vectors[index].as_ref()?;
            let is_own = vector.element.id() == branch.id();
            let is_private = is_own && readers.get(&branch.id()) == Some(&1);
            if !is_private {
                return None;
            }
            vectors.push(index);
        }
        let is_one = vectors.iter().all(|&vector| vector == vectors[0]);
        (!is_one).then_some(vectors)
    }

    /// Returns a normal vector with the distribution of the result that the `Chain` `choice` selects from `branches`; `vectors` has the index of each
    /// result's vector.
    fn merged(
        &self,
        choice: &AnyElement,
        branches: &Conditional<AnyElement>,
        vectors: &[usize],
    ) -> Option<NormalVector> {
        let vector = |&index: &usize| self.vectors[index].as_ref();
        let all: Vec<&NormalVector> = vectors.iter().filter_map(vector).collect();
        let rules = all.iter().map(|v| &v.rule.finite[..]);
        let scope = union(rules.chain([&branches.finite[..]]));
        let sizes = self.finite.sizes(&scope);
        let assignments = self.finite.assignments(choice, &scope).ok()?;
        let rows = assignments.iter().map(|values| {
            let index = branches.index(&scope, values, &sizes);
            all[index].rule.row(&scope, values, &sizes).clone()
        });
        Some(NormalVector {
            element: choice.clone(),
            dimension: all[0].dimension,
            rule: Conditional {
                rows: rows.collect(),
                finite: scope,
            },
        })
    }

    /// For each element, returns the number of elements, targets and statements of evidence that depend on it.
    pub(crate) fn readers(&self) -> FxHashMap<ElementId, usize> {
        let mut readers: FxHashMap<ElementId, usize> = FxHashMap::default();
        for root in &*self.roots {
            *readers.entry(root.id()).or_default() += 1;
        }
        let mut stack: Vec<&AnyElement> = self.roots.iter().collect();
        let mut seen: FxHashSet<ElementId> = FxHashSet::default();
        while let Some(element) = stack.pop() {
            if !self.forms.contains_key(&element.id()) || !seen.insert(element.id()) {
                continue;
            }
            let branches = self.branches.get(&element.id());
            let branches = branches.map_or(&[][..], |branches| &branches.rows);
            let mut read: FxHashSet<ElementId> = FxHashSet::default();
            for other in element.parents().iter().chain(branches) {
                if read.insert(other.id()) {
                    *readers.entry(other.id()).or_default() += 1;
                    stack.push(other);
                }
            }
        }
        readers
    }
}
