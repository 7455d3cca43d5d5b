//! The rest of a model, in which tables replace its sub-models.

use figrs_answer::{Algorithm, Answer, AnswerContent, Error, Estimate, SubmodelQuality, conflict};
use figrs_core::expand::Expansion;
use figrs_core::{AnyElement, Datum, ElementId, Model, Support};
use figrs_factor::bounds::Improvement;
use rustc_hash::FxHashMap;

use super::{Division, Strategy, is_refusal};
use crate::bounded_sums::bounded_sums;
use crate::mpe::best_world;
use crate::variable_elimination::marginals;

impl Strategy {
    /// Solves the rest of a model, with tables in place of its sub-models.
    pub(super) fn rest(
        &self,
        model: &Model,
        targets: &[AnyElement],
        rest: &Expansion,
        division: &Division,
    ) -> Result<Answer, Error> {
        let is_approximate = division.has(SubmodelQuality::Approximate);
        if rest.is_complete() || rest.impossible().is_some() {
            let mut answer = match marginals(self.name(), model, targets, rest, &self.limits) {
                // A sampler may have missed the values that satisfy the evidence.
                Err(Error::ImpossibleEvidence { .. }) if is_approximate => {
                    return Err(self.nothing_done());
                }
                outcome => outcome?,
            };
            // The answer has no compiled form: derivatives with respect to parameters would need the sub-models, which it does not contain.
            answer.answered = None;
            if let (AnswerContent::Marginals(found, log_evidence), true) =
                (&mut answer.content, is_approximate)
            {
                *log_evidence = None;
                for target in found {
                    target.estimate = Estimate::Approximate;
                }
            }
            return Ok(answer);
        }
        if is_approximate {
            return Err(self.nothing_done());
        }
        match bounded_sums(rest, &self.limits, &mut 0.0)? {
            Some((bounds, log_evidence)) => {
                Ok(Answer::bounded_marginals(self.name(), bounds, log_evidence))
            }
            None => Err(conflict::impossible(model, targets, &self.limits)),
        }
    }

    /// Finds the most probable world of a model: the most probable world of the rest, extended by the most probable worlds of the sub-models.
    pub(super) fn rest_of_world(
        &self,
        model: &Model,
        targets: &[AnyElement],
        rest: &Expansion,
        nesting: usize,
        division: &mut Division,
    ) -> Result<Answer, Error> {
        let impossible = || conflict::impossible(model, targets, &self.limits);
        let (values, log_probability) = best_world(rest, &self.limits, impossible)?;
        let values = values.into_iter().map(|(e, value)| (e.id(), (e, value)));
        let mut world: FxHashMap<ElementId, (AnyElement, Datum)> = values.collect();
        for (table, worlds) in division.solved.iter().zip(&division.worlds) {
            let interface = table.outer.iter().map(|(read, support)| (read, support));
            let mut interface = interface.chain([(&table.root, &table.support)]);
            let place = interface.try_fold(0, |place, (element, support): (_, &Support)| {
                let (_, value) = world.get(&element.id())?;
                Some(place * support.len() + support.index_of(value.as_any())?)
            });
            // If a world does not evaluate the root, it evaluates no element of the sub-model.
            if let Some(answer) = place.and_then(|place| worlds.answers[place].as_ref())
                && let AnswerContent::World(values, ..) = &answer.content
            {
                for (id, value) in values {
                    world.entry(*id).or_insert_with(|| value.clone());
                }
            }
        }
        let is_proven =
            !division.has(SubmodelQuality::Bounds) && !division.has(SubmodelQuality::Approximate);
        let mut improvements = Vec::new();
        if !is_proven {
            let mut upper_bound = f64::INFINITY;
            let uppers = division.worlds.iter().map(|worlds| worlds.upper.clone());
            if let Some(uppers) = uppers.collect::<Option<Vec<_>>>() {
                for (table, upper) in division.solved.iter_mut().zip(uppers) {
                    table.weights = upper;
                }
                let bounded = self.expand(model, targets, nesting, division);
                let best = bounded.and_then(|all| best_world(&all, &self.limits, impossible));
                match best {
                    Ok((_, log)) => upper_bound = log,
                    // The world that was found is an answer without this bound.
                    Err(error) if is_refusal(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            improvements.push(Improvement {
                work: 0,
                log_probability,
                upper_bound,
            });
        }
        let values = world.into_values();
        Ok(Answer::searched_world(
            self.name(),
            values,
            log_probability,
            improvements,
        ))
    }
}
