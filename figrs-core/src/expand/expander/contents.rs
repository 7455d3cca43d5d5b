//! The values and the conditional tables of elements, given the possible values of their parents.

use super::super::expansion::{Cell, Content, ExpandedElement, FunctionFailures, Listing};
use super::super::rows;
use super::cells::{self, quantile_cells};
use super::{BranchResults, Expander, ExpansionStage, Frame};
use crate::element::Bins;
use crate::element::node::{AnyElement, Kind};
use crate::element::operations::{AtomicOp, NotEnumerable};
use crate::error::ModelError;
use crate::model::evidence::Evidence;
use crate::value::datum::Datum;
use crate::value::support::Support;
use figrs_factor::graph::Weights;

impl Expander<'_> {
    /// Adds an element whose value is set by an intervention, which is its only value.
    pub(super) fn fix(
        &mut self,
        element: AnyElement,
        depth: usize,
        value: &Datum,
    ) -> Result<(), ModelError> {
        let mut values = element.no_values();
        values.insert(value.as_any());
        let parents = Vec::new();
        self.finish(
            element,
            depth,
            parents,
            values.build(),
            Content::Fixed,
            None,
        )
    }

    /// Adds a `Chain` that is nested too deeply: its function is not called. The parents of a `Chain` that is nested too deeply are still expanded,
    /// because they belong to the possible world and may have evidence.
    pub(super) fn add_unexplored(
        &mut self,
        element: AnyElement,
        depth: usize,
    ) -> Result<(), ModelError> {
        self.expansion.cut = self.expansion.cut.map(|(limit, _)| (limit, true));
        let parents = self.parents(&element)?;
        let none = element.no_values().build();
        self.finish(element, depth, parents, none, Content::Unexplored, None)
    }

    /// Adds a decision whose value is chosen by a policy. The element that chooses the value of the decision must have been added before.
    pub(super) fn follow(
        &mut self,
        element: AnyElement,
        depth: usize,
        policy: &AnyElement,
    ) -> Result<(), ModelError> {
        if let Some((_, error)) = self.failed.get(&policy.id()) {
            return Err(error.clone());
        }
        let Some(&position) = self.expansion.positions.get(&policy.id()) else {
            let stage = ExpansionStage::Parents;
            self.check_budget(&element)?;
            self.stack.push(Frame {
                element,
                depth,
                stage,
            });
            self.push(policy, depth);
            return Ok(());
        };
        let chosen = &self.expansion.elements[position];
        chosen.require_finite()?;
        self.require_points(&[position])?;
        let chosen = &self.expansion.elements[position];
        let support = chosen.support.clone();
        let same = Content::Apply((0..support.len() as u32).collect());
        self.finish(element, depth, vec![position], support, same, None)
    }

    /// Adds an element that is not a `Chain`.
    pub(super) fn value(&mut self, element: AnyElement, depth: usize) -> Result<(), ModelError> {
        let lost = self.lost_parent(&element);
        let parents = match &lost {
            Some((read, _)) => read
                .iter()
                .map(|p| self.position(p))
                .collect::<Result<_, _>>()?,
            None => self.parents(&element)?,
        };
        let observed = self.observed(&element);
        let supports = self.supports(&parents);
        let room = |bytes: u64| self.check_bytes(&element, bytes);
        let within = (self.limits, &room as _);
        let (support, content, failures) = match element.kind() {
            Kind::Atomic(op) => {
                if let Some(corners) = self.enclosed.remove(&element.id()) {
                    let (support, content) = self.enclose(&element, &corners)?;
                    self.expansion.listing.raise(Listing::Ranged, true);
                    return self.finish(element, depth, parents, support, content, None);
                }
                let refined = self.refined(&**op);
                let (source, bins) = refined.map_or((&**op, None), |(op, bins)| (op, Some(bins)));
                let range = self.range(&element, bins);
                let (mut support, mut content, failures) =
                    rows::atomic(&element, &**op, observed.as_ref(), range)?;
                let is_divided = bins.is_some()
                    || matches!(content, Content::NotEnumerable(NotEnumerable::Continuous));
                if let (true, Some(range)) = (is_divided, range)
                    && let Some((values, cells, masses)) =
                        quantile_cells(&[source], bins, range, element.no_values())
                            .map_err(|problem| element.invalid(problem))?
                {
                    (support, content) = (values, Content::Atomic(Weights::from_linear(masses)));
                    self.set_cells(cells);
                }
                let is_ranged =
                    matches!(&content, Content::Atomic(weights) if weights.len() > support.len());
                self.expansion.listing.raise(Listing::Ranged, is_ranged);
                let content = self.with_origins(&element, &support, content);
                (support, content, failures)
            }
            Kind::Apply(_, op) if self.interval_parent(&parents).is_some() => {
                self.apply_to_cells(&element, &**op, &parents)?
            }
            Kind::Apply(_, op) => {
                let lost = lost.map(|(_, error)| error);
                let (table, skips_last) =
                    rows::apply(&element, &**op, (&parents, &supports), lost, within)?;
                self.skips_last = skips_last;
                table
            }
            Kind::Table(_, op) => {
                self.require_points(&parents)?;
                rows::table(&element, &**op, &supports, within)?
            }
            Kind::Score(_, evidence) => {
                self.require_points(&parents)?;
                rows::score(&element, evidence, supports[0], &self.limits.until)?
            }
            Kind::Chain(..) => unreachable!("Chains are expanded in two stages"),
        };
        self.finish(element, depth, parents, support, content, failures)
    }

    /// If a function reads its last parent only in some worlds, and this parent has no value in any world, returns all other parents of the function,
    /// and the error of the last parent.
    fn lost_parent<'e>(&self, element: &'e AnyElement) -> Option<(&'e [AnyElement], ModelError)> {
        let Kind::Apply(parents, op) = element.kind() else {
            return None;
        };
        let (last, read) = parents.split_last().filter(|_| op.may_skip_last())?;
        let (_, error) = self.failed.get(&last.id())?;
        Some((read, error.clone()))
    }

    /// Returns the number of values to list if an element has infinitely many values, or is discretised with `bins` that are refined; `None` if the
    /// values are not listed.
    pub(super) fn range(&self, element: &AnyElement, bins: Option<&Bins>) -> Option<usize> {
        let is_listed = bins.is_some() || !self.unlisted.contains_key(&element.id());
        (self.limits.range).filter(|_| self.limit.is_some() && is_listed)
    }

    /// Returns the continuous distribution and the bins from which a discretised distribution was made, if the expansion refines the bins.
    pub(super) fn refined<'o>(&self, op: &'o dyn AtomicOp) -> Option<(&'o dyn AtomicOp, &'o Bins)> {
        let is_refined = self.limits.refines_bins && self.limit.is_some();
        op.divided().filter(|_| is_refined)
    }

    /// Adds a `Chain`; its values are the values of all its branches (the elements that its function returned).
    pub(super) fn choice(
        &mut self,
        element: AnyElement,
        depth: usize,
        branches: BranchResults,
    ) -> Result<(), ModelError> {
        self.memory.account.release(branches.bytes());
        let parents = self.parents(&element)?;
        let observed = self.observed(&element);
        let mut values = element.no_values();
        let mut results = Vec::with_capacity(branches.results.len());
        let mut renumbered = Vec::with_capacity(branches.results.len());
        let mut error = branches.error;
        let mut cells: Vec<Cell> = Vec::new();
        for result in &branches.results {
            if let Some((_, failure)) = self.failed.get(&result.id()) {
                error.get_or_insert_with(|| failure.clone());
                renumbered.push(Content::NO_CHOICE);
                continue;
            }
            let position = self.expansion.positions[&result.id()];
            let expanded = &self.expansion.elements[position];
            if let (Content::NotEnumerable(_), Some(value)) = (&expanded.content, &observed) {
                let place = values.insert(value.as_any());
                if let (Some(place), Some(&x)) = (place, value.get::<f64>()) {
                    cells::extend(&mut cells, place, Cell::of_number(x));
                }
            } else {
                expanded.require_finite()?;
                let own = self.expansion.cells.get(&position);
                for i in 0..expanded.support.len() {
                    let place = values.insert(expanded.support.any(i));
                    let point = expanded.support.get::<f64>(i).map(|&x| Cell::of_number(x));
                    if let (Some(place), Some(cell)) = (place, own.map(|own| own[i]).or(point)) {
                        cells::extend(&mut cells, place, cell);
                    }
                }
                self.check_bytes(&element, values.bytes() as u64)?;
            }
            renumbered.push(results.len() as u32);
            results.push(position);
        }
        self.set_cells(cells);
        if let Some(value) = &observed {
            self.require_one_measure(&element, &results, value)?;
        }
        let mut choice = branches.choice;
        let is_result = |c: &&mut u32| ![Content::NO_CHOICE, Content::UNKNOWN].contains(*c);
        for chosen in choice.iter_mut().filter(is_result) {
            *chosen = renumbered[*chosen as usize];
        }
        let failed = choice.iter().map(|&c| c == Content::NO_CHOICE);
        let failures = error.map(|error| FunctionFailures {
            error,
            failed: failed.collect(),
        });
        let content = Content::Chain { choice, results };
        self.finish(element, depth, parents, values.build(), content, failures)
    }

    fn any_unknown(&self, positions: &[usize]) -> bool {
        let elements = &self.expansion.elements;
        positions.iter().any(|&position| elements[position].unknown)
    }

    fn is_unknown(&self, parents: &[usize], support: &Support, content: &Content) -> bool {
        let results = match content {
            Content::Chain { results, .. } => results.as_slice(),
            _ => &[],
        };
        let has_weight = |weights: &Weights| weights.len() > support.len();
        matches!(content, Content::Unexplored)
            || content.has_unknown()
            || matches!(content, Content::Atomic(weights) if has_weight(weights))
            || self.any_unknown(parents)
            || self.any_unknown(results)
    }

    fn max_log_weight(&self, element: &AnyElement, content: &Content) -> f64 {
        let endless = |&r: &usize| {
            matches!(
                self.expansion.elements[r].content,
                Content::NotEnumerable(_)
            )
        };
        let own = match (element.kind(), content) {
            (Kind::Score(_, evidence), _) => evidence.log_maximum(),
            (_, Content::Chain { results, .. }) if results.iter().any(endless) => None,
            _ => Some(0.0),
        };
        let stated = self.statements.stated(element).map(Evidence::log_maximum);
        let factors = stated.chain([own]);
        let logs = factors.map(|log| log.unwrap_or(f64::INFINITY));
        // The product is zero if one factor is zero, even if another factor is infinite.
        let zero = |log: f64| log == f64::NEG_INFINITY;
        logs.reduce(|a, b| {
            if zero(a) {
                a
            } else if zero(b) {
                b
            } else {
                a + b
            }
        })
        .unwrap_or(0.0)
    }

    /// Returns an error if an observed value has a probability in one branch of a `Chain` and a density in another branch.
    fn require_one_measure(
        &self,
        element: &AnyElement,
        results: &[usize],
        value: &Datum,
    ) -> Result<(), ModelError> {
        let expanded = |r: usize| &self.expansion.elements[r];
        let density = |&r: &usize| {
            matches!(
                expanded(r).content,
                Content::NotEnumerable(NotEnumerable::Continuous)
            )
        };
        let mass = |r: &usize| {
            let cells = self.expansion.cells.get(r).map_or(&[][..], |cells| cells);
            let mut bins = cells.iter().filter_map(|cell| cell.bin);
            expanded(*r).support.index_of(value.as_any()).is_some()
                || bins.any(|bin| value.same_as(&bin))
        };
        if results.iter().any(density) && results.iter().any(mass) {
            return Err(ModelError::MixedObservation {
                element: element.label(),
                value: format!("{value:?}"),
            });
        }
        Ok(())
    }

    /// Returns the most recent support (list of values) of the same type if it equals `support`, and otherwise `support`. Sharing lists of values
    /// between elements saves memory, because large models have few different lists.
    fn deduplicated(&mut self, support: Support) -> Support {
        let last = self.supports.entry(support.value_type());
        let mut is_new = false;
        let last = last.or_insert_with(|| {
            is_new = true;
            support.clone()
        });
        if *last != support {
            is_new = true;
            *last = support;
        }
        if is_new {
            self.memory.account.add(last.bytes() as u64);
        }
        last.clone()
    }

    /// Applies the evidence to an element, and adds the element to the expanded model.
    pub(in crate::expand) fn finish(
        &mut self,
        element: AnyElement,
        depth: usize,
        parents: Vec<usize>,
        support: Support,
        content: Content,
        failures: Option<FunctionFailures>,
    ) -> Result<(), ModelError> {
        if let Some(FunctionFailures { error, failed }) = &failures
            && failed.iter().all(|&failed| failed)
            && !self.any_unknown(&parents)
        {
            return Err(error.clone());
        }
        let (unknown, max_log_weight) = if self.limit.is_some() || !self.replaced.is_empty() {
            let unknown = self.is_unknown(&parents, &support, &content);
            (unknown, self.max_log_weight(&element, &content))
        } else {
            (false, 0.0)
        };
        let parametric = self.parametric_here(&content);
        let mut expanded = ExpandedElement {
            unknown,
            max_log_weight,
            depth,
            element,
            parents,
            support: self.deduplicated(support),
            content,
            weights: None,
            restricted: false,
            parametric,
            failures: failures.map(Box::new),
            skips_last: std::mem::take(&mut self.skips_last),
        };
        let position = self.expansion.elements.len();
        let cells = self.cells.take();
        self.expansion
            .listing
            .raise(Listing::Ranged, cells.is_some());
        let evidence = self.statements.evidence(&expanded.element);
        if let Some(cells) = cells {
            // Evidence is decided at some points of each cell, except the observation of a bin.
            let is_assumed = evidence.iter().any(|piece| piece.observed().is_none());
            self.expansion
                .listing
                .raise(Listing::OfMonotone, is_assumed);
            let (cells, upper) =
                rows::restrict_cells(&mut expanded, cells, &evidence, &self.limits.until)?;
            self.expansion.cells.insert(position, cells.into());
            self.expansion
                .upper_weights
                .extend(upper.map(|upper| (position, upper)));
        } else if !evidence.is_empty() && !matches!(expanded.content, Content::NotEnumerable(_)) {
            rows::restrict(&mut expanded, &evidence, &self.limits.until)?;
        }
        self.memory.account.add(expanded.bytes());
        self.check_bytes(&expanded.element, 0)?;
        if expanded.states() == 0 && !matches!(expanded.content, Content::NotEnumerable(_)) {
            self.expansion.impossible = Some(position);
        }
        self.expansion
            .positions
            .insert(expanded.element.id(), position);
        self.expansion.elements.push(expanded);
        Ok(())
    }
}
