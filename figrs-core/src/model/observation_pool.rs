//! Pooling: replaces the observations of values of one distribution by one observation of a list.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Model;
use super::evidence::Evidence;
use crate::element::node::{AnyElement, ElementId, FamilyOp, Kind};
use crate::value::datum::Datum;

/// Maximum number of distributions with the same parents and the same hash with which a distribution is compared.
const MAX_CANDIDATES: usize = 8;

/// The observations of values of one distribution, by the indices of their statements.
struct ObservationPool<'a> {
    family: &'a dyn FamilyOp,
    statements: Vec<usize>,
}

/// Returns the parents and the family of `element`, if `statement` is an observation and the element is a member of a family.
fn member<'a>(
    element: &'a AnyElement,
    statement: &'a Evidence,
) -> Option<(&'a [AnyElement], &'a dyn FamilyOp)> {
    let Kind::Chain(parents, op) = element.kind() else {
        return None;
    };
    statement.observed()?;
    Some((parents, op.family()?))
}

impl Model {
    /// Returns the model in which one observation of a list replaces all observations of values of the same distribution.
    ///
    /// The new statement takes the place of the first replaced observation.
    ///
    /// The replaced elements are set to their observed values, for the elements that depend on them. The result depends only on the model, and not on
    /// the number of threads.
    #[doc(hidden)]
    pub fn pooled(&self) -> Cow<'_, Self> {
        let set = self.interventions().iter().map(|(element, _)| element.id());
        let mut met: FxHashSet<ElementId> = set.collect();
        // Elements with an intervention or with several statements keep their statements.
        let stated = self.evidence().iter().map(|(element, _)| element.id());
        let apart: FxHashSet<ElementId> = stated.filter(|&id| !met.insert(id)).collect();
        let mut buckets = FxHashMap::<(Vec<ElementId>, u64), Vec<usize>>::default();
        let mut pools: Vec<ObservationPool<'_>> = Vec::new();
        for (at, (element, statement)) in self.evidence().iter().enumerate() {
            let Some((parents, family)) = member(element, statement) else {
                continue;
            };
            if apart.contains(&element.id()) {
                continue;
            }
            let parents = parents.iter().map(AnyElement::id).collect();
            let bucket = buckets.entry((parents, family.digest())).or_default();
            let mut recent = bucket.iter().rev().take(MAX_CANDIDATES);
            let known = recent.find(|&&pool| pools[pool].family.is_same_as(family));
            let pool = known.copied().unwrap_or_else(|| {
                bucket.push(pools.len());
                let statements = Vec::new();
                pools.push(ObservationPool { family, statements });
                pools.len() - 1
            });
            pools[pool].statements.push(at);
        }
        let mut lists = FxHashMap::<usize, (AnyElement, Datum)>::default();
        let mut others = vec![true; self.evidence().len()];
        for ObservationPool { family, statements } in
            pools.iter().filter(|pool| pool.statements.len() > 1)
        {
            let observed = |&at: &usize| self.evidence()[at].1.observed();
            let values: Option<Vec<&Datum>> = statements.iter().map(observed).collect();
            let first = &self.evidence()[statements[0]].0;
            if let Some(list) = values.and_then(|values| family.list(first, &values)) {
                for &at in statements {
                    others[at] = false;
                }
                lists.insert(statements[0], list);
            }
        }
        if lists.is_empty() {
            return Cow::Borrowed(self);
        }
        let listed = self
            .evidence()
            .iter()
            .zip(&others)
            .filter(|(_, other)| !**other);
        let listed = listed.filter_map(|((element, statement), _)| {
            Some((element.clone(), statement.observed()?.clone()))
        });
        let mut pooled = self.filtered(|_| false).with_set(listed);
        for (at, (element, statement)) in self.evidence().iter().enumerate() {
            if let Some((list, values)) = lists.remove(&at) {
                pooled = pooled.observe_any(&list, values);
            } else if others[at] {
                pooled = pooled.with_evidence(element.clone(), statement.clone());
            }
        }
        Cow::Owned(pooled)
    }
}

#[cfg(test)]
mod tests {
    use crate::element::{Flip, Select};
    use crate::{Dirichlet, Model};

    #[test]
    fn what_is_set_or_differs_stays_apart() {
        let shares = Dirichlet::new([1.0, 1.0, 2.0]);
        let draw = || Select::by(&shares, ['a', 'b', 'c']);
        let (held, set) = (draw(), draw());
        let model = Model::new()
            .observe(&draw(), 'a')
            .observe(&held, 'b')
            .observe(&draw(), 'c')
            .observe(&Select::by(&shares, ['a', 'b', 'd']), 'a')
            .observe(&draw(), 'a')
            .observe(&set, 'a')
            .observe(&Flip::new(0.5), true)
            .observe(&Flip::new(0.5), true)
            .condition(&draw(), |c| *c != 'a')
            .intervene(&set, 'b');
        let pooled = model.pooled();
        assert_eq!(pooled.evidence().len(), 6);
        let observed = pooled.evidence()[0].1.observed();
        assert_eq!(
            observed.and_then(|o| o.get()),
            Some(&vec!['a', 'b', 'c', 'a'])
        );
        // The elements that were observed are set to their values, for the elements that depend on them.
        assert_eq!(pooled.interventions().len(), 1 + 4);
    }
}
