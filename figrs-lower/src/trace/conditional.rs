//! Exact draws of a choice from its full conditional distribution, for choices whose prior is conjugate to the distributions of all their children.

use std::any::Any;

use super::node::NodeRole;
use super::readers::{NodeUse, Readers};
use super::state::{Site, Trace};
use crate::Chooser;
use figrs_core::element::node::Kind;
use figrs_core::element::operations::FamilyOp;
use figrs_core::{Datum, Likelihood, ModelError, Term};

impl Trace {
    /// Draws a value of the random choice `site` from its conditional distribution given all other choices of the world.
    ///
    /// The conditional density of a choice is proportional to its prior times the likelihood of the choices that depend on it; the likelihood of
    /// observed choices is raised to `power`. Returns `None` if the distribution family of the choice does not
    /// [define](figrs_core::Family::sample_conditional) draws from the conditional distribution.
    ///
    /// The present value of the choice has no influence on the decision between a draw and `None`.
    ///
    /// **Errors.** The same errors as those of [`draw`](Self::draw).
    pub fn draw_conditional(
        &mut self,
        site: Site,
        power: f64,
        chooser: &mut dyn Chooser,
    ) -> Result<Option<Datum>, ModelError> {
        let node = &self.nodes[site.number()];
        if node.weighs {
            return Ok(None);
        }
        let terms = match node.element.kind() {
            Kind::Atomic(op) => op.conjugate_terms(),
            Kind::Chain(_, op) => op.family().map_or(&[][..], FamilyOp::conjugate_terms),
            Kind::Apply(..) | Kind::Table(..) | Kind::Score(..) => &[],
        };
        if terms.is_empty() {
            return Ok(None);
        }
        let likelihood = self
            .likelihood_of_readers(site.0, terms, power)
            .or_else(|| {
                let mut readers = std::mem::take(&mut self.readers);
                let found = self.find_readers(site.0, &mut readers);
                let gathered = found.and_then(|()| self.gather(&readers, terms, power));
                self.readers = readers;
                gathered.ok()
            });
        let Some(likelihood) = likelihood.filter(|all| !all.is_refused()) else {
            return Ok(None);
        };
        let drawn = self.with_choice(site.0, |element, choice| {
            chooser.choose_conditional(element, choice, &likelihood)
        })?;
        Ok(drawn.flatten())
    }

    /// Collects the random choices that depend on a node, directly or through `Chain` elements that pass on the value of the node. The error is the
    /// index of a child that is not a random choice or such a `Chain`, or that depends on the node through several parents.
    pub(super) fn find_readers(&mut self, number: u32, readers: &mut Readers) -> Result<(), u32> {
        readers.chains.clear();
        readers.choices.clear();
        self.begin_epoch();
        let (mut next, mut reads) = (0, number);
        loop {
            self.nodes[reads as usize].touched = self.epoch;
            for &reader in &self.nodes[reads as usize].uses {
                let node = &self.nodes[reader.by as usize];
                if node.stale {
                    return Err(reader.by);
                }
                if node.role == NodeRole::Family {
                    readers.choices.push(reader);
                } else if reader.input as usize == node.parents.len() && node.is_pass_through() {
                    readers.chains.push(reader.by);
                } else {
                    return Err(reader.by);
                }
            }
            let Some(&chain) = readers.chains.get(next) else {
                break;
            };
            (next, reads) = (next + 1, chain);
        }
        let reads_twice = |reader: &&NodeUse| {
            let parents = self.nodes[reader.by as usize].parents.iter();
            let reached = |parent: &&u32| self.nodes[**parent as usize].touched == self.epoch;
            parents.filter(reached).count() != 1
        };
        match readers.choices.iter().find(reads_twice) {
            Some(reader) => Err(reader.by),
            None => Ok(()),
        }
    }

    /// Returns the likelihood of the values of the random choices `readers` as a function of the node's value. The error is the index of a random
    /// choice whose log-likelihood is not a linear combination of `terms`.
    pub(super) fn gather(
        &self,
        readers: &Readers,
        terms: &'static [Term],
        power: f64,
    ) -> Result<Likelihood, u32> {
        let mut likelihood = Likelihood::new(terms);
        for &NodeUse { by, input } in &readers.choices {
            let node = &self.nodes[by as usize];
            let Some(family) = node.family() else {
                return Err(by);
            };
            let is_evidence = node.demand.is_some();
            likelihood.set_power(if is_evidence { power } else { 1.0 });
            let add = |value: &dyn Any, likelihood: &mut Likelihood| {
                let added = self.arguments(by, Self::present, |arguments| {
                    family.likelihood(arguments, input as usize, value, likelihood)
                });
                if !matches!(added, Some(Ok(()))) {
                    likelihood.refuse();
                }
            };
            if let Some(summary) = node.summary_of(&node.value) {
                let mut with = likelihood.clone();
                add(summary, &mut with);
                if !with.is_refused() {
                    likelihood = with;
                    continue;
                }
            }
            let plain = node.value.plain();
            match node.value.any(&plain) {
                Some(value) => add(value, &mut likelihood),
                None => likelihood.refuse(),
            }
            if likelihood.is_refused() {
                return Err(by);
            }
        }
        Ok(likelihood)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::element::{Flip, If, Normal, Variance};
    use figrs_core::random::stream;
    use figrs_core::{Element, Model};

    /// Returns a test model with two means as random variables. Each observation is from one of two distribution families and depends on one of the
    /// means; one choice without observation also depends on each mean.
    fn means() -> (Model, [Element<f64>; 2]) {
        let means = [1.0, -2.0].map(|mean| Normal::new(mean, Variance(2.0)));
        let mut model = Model::new();
        for (i, x) in [0.3, -1.0, 2.0, -3.0].into_iter().enumerate() {
            let mean = If::new(&Flip::new(0.4), &means[0], &means[1]);
            let variance = Variance(if i < 2 { 1.0 } else { 0.25 });
            model = model.observe(&Normal::new(&mean, variance), x);
        }
        let free = means
            .each_ref()
            .map(|mean| Normal::new(mean, Variance(1.0)));
        (model, free)
    }

    #[test]
    fn runs_of_readers_have_the_likelihood_of_all_of_them() {
        let terms = &[Term::Linear, Term::Square];
        let (model, free) = means();
        let targets = free.each_ref().map(|free| free.erased().clone());
        let mut trace = Trace::new(&model, &targets, 1000).unwrap();
        let mut random = stream(5, 0);
        while !trace.restart(&mut random).unwrap() {}
        let mut compared = 0;
        for step in 0..400 {
            let site = trace.choice(step % trace.choices());
            if let Some(runs) = trace.likelihood_of_readers(site.0, terms, 0.5) {
                let mut readers = Readers::default();
                trace.find_readers(site.0, &mut readers).unwrap();
                let each = trace.gather(&readers, terms, 0.5).unwrap();
                assert!(!runs.is_refused());
                for &term in terms {
                    let (a, b) = (runs.get(term), each.get(term));
                    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a}, not {b}");
                }
                compared += usize::from(readers.choices.len() > 1);
            }
            let value = trace.draw(site, &mut random).unwrap().unwrap();
            if trace.propose(site, &value, &mut random).unwrap() {
                trace.keep();
            } else {
                trace.undo();
            }
        }
        assert!(compared > 40, "{compared}");
    }
}
