//! Draws of the elements that `Collapsed` integrates out, given the draws of the other elements.

use figrs_answer::answer::TargetMarginal;
use figrs_answer::answer::estimate::Estimate;
use figrs_answer::error::Error;
use figrs_core::{AnyElement, Datum, Limits, Model, Stream, SupportBuilder};
use figrs_factor::Until;
use figrs_gaussian::{ConditionalDraws, Elimination, HybridDraws};
use nalgebra::DVector;
use rand::seq::SliceRandom;

use crate::cases::Cases;
use crate::closed_form::{MAX_COMPONENTS, RealTarget, explained, impossible, real_targets};
use crate::drawn_part::DrawnPart;
use crate::finite_part::CASE;
use crate::hybrid_model::HybridModel;
use crate::hybrid_world::{HybridWorld, finite_targets};
use crate::scan::Scan;

pub(crate) struct DrawnRest {
    /// For each joint value of the drawn elements, the draws of the integrated targets; an empty list if the run ended before these draws.
    draws: Vec<Vec<Vec<Datum>>>,
    /// True if the integrated targets have no draws for some joint values of the drawn elements, because the run ended.
    pub(crate) is_cut: bool,
}

impl DrawnRest {
    /// Draws the integrated targets `own` for each joint value of the drawn elements, as many times as `counts` states for that joint value. When the
    /// run ends, the integrated targets get no draws for the joint values that were not visited yet.
    ///
    /// If the run can end early, joint values of the drawn elements from weighted samples are visited in random order, so that the joint values
    /// without draws are a random choice. Joint values of the drawn elements from Markov chains are visited in the order of the chains.
    pub(crate) fn new(
        part: &DrawnPart,
        (model, own): (&Model, &[AnyElement]),
        (joint, counts): (&TargetMarginal, &[usize]),
        random: &mut Stream,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut order: Vec<usize> = (0..joint.support.len()).collect();
        order.retain(|&value| counts[value] > 0 && !own.is_empty());
        // Number of joint values that get draws even if the time is over.
        let mut least = 1;
        if limits.until.deadline.is_some() || limits.until.interrupt.is_some() {
            if let Some(firsts) = first_places(joint) {
                order.sort_by_key(|&value| firsts[value]);
                least = order.partition_point(|&value| firsts[value] == 0);
            } else {
                order.shuffle(random);
            }
        }
        let mut this = Self {
            draws: vec![Vec::new(); joint.support.len()],
            is_cut: false,
        };
        let together = match order.len() {
            0 | 1 => 1,
            _ => part.cases_together(model),
        };
        let (mut done, none) = (0, Vec::new());
        while done < order.len() {
            if done >= least && limits.until.is_over() {
                this.is_cut = true;
                break;
            }
            let open = if done < least { least } else { order.len() };
            let places = &order[done..open.min(done + together)];
            done += places.len();
            let values = |&place: &usize| {
                let values = joint.support.any(place).downcast_ref();
                values.unwrap_or(&none)
            };
            let rows: Vec<&Vec<Datum>> = places.iter().map(values).collect();
            let counts: Vec<usize> = places.iter().map(|&place| counts[place]).collect();
            // The computation for this number of joint values is not interrupted.
            let whole = limits.until(&Until::default());
            let question = (part, model, own);
            let draws = draws_of_values(question, (&rows, &counts), random, &whole)?;
            for (&place, draws) in places.iter().zip(draws) {
                this.draws[place] = draws;
            }
        }
        if let (true, Estimate::Chains { indices, chains }) = (this.is_cut, &joint.estimate) {
            let mut used = vec![0; this.draws.len()];
            for &value in used_places(indices, *chains, &this.draws) {
                used[value as usize] += 1;
            }
            for (draws, used) in this.draws.iter_mut().zip(used) {
                draws.truncate(used);
            }
        }
        Ok(this)
    }

    /// Returns the marginal of a target that was integrated out. For one joint value of the drawn elements, the draws of the integrated target share
    /// the weight of the joint value equally.
    pub(crate) fn marginal(
        &self,
        target: &AnyElement,
        place: usize,
        joint: &TargetMarginal,
    ) -> TargetMarginal {
        let mut values: SupportBuilder = target.no_values();
        let mut index = |datum: &Datum| values.insert(datum.as_any()).unwrap_or_default() as u32;
        let of_value =
            |draws: &Vec<Vec<Datum>>| draws.iter().map(|draw| index(&draw[place])).collect();
        let indices: Vec<Vec<u32>> = self.draws.iter().map(of_value).collect();
        if let Estimate::Chains {
            indices: drawn,
            chains,
        } = &joint.estimate
        {
            let each = chain_draws(drawn, *chains, &indices);
            let mut probabilities = vec![0.0; values.len()];
            for &index in &each {
                probabilities[index as usize] += 1.0 / each.len() as f64;
            }
            return TargetMarginal {
                element: target.clone(),
                support: values.build(),
                probabilities,
                estimate: Estimate::Chains {
                    indices: each.into(),
                    chains: *chains,
                },
            };
        }
        let (own, unseen) = match &joint.estimate {
            Estimate::Weighted { squares, unseen } => (&squares[..], *unseen),
            _ => (&[][..], f64::INFINITY),
        };
        let drawn = joint.probabilities.iter().zip(&indices);
        let total: f64 = match self.is_cut {
            true => drawn
                .clone()
                .filter(|(_, own)| !own.is_empty())
                .map(|(p, _)| p)
                .sum(),
            false => 1.0,
        };
        let (mut probabilities, mut squares) = (vec![0.0; values.len()], vec![0.0; values.len()]);
        for (place, (&p, indices)) in drawn.enumerate() {
            let square = own.get(place).copied().unwrap_or_default();
            for &index in indices {
                probabilities[index as usize] += p / total / indices.len() as f64;
                squares[index as usize] += square / (total * total) / indices.len() as f64;
            }
        }
        TargetMarginal {
            element: target.clone(),
            support: values.build(),
            probabilities,
            estimate: Estimate::Weighted { squares, unseen },
        }
    }
}

/// For each value that the Markov chains visit, returns the first step at which a chain has this value; `None` if the samples are not from Markov
/// chains.
fn first_places(joint: &TargetMarginal) -> Option<Vec<usize>> {
    let Estimate::Chains { indices, chains } = &joint.estimate else {
        return None;
    };
    let length = (indices.len() / (*chains).max(1)).max(1);
    let mut firsts = vec![usize::MAX; joint.support.len()];
    for (place, &value) in indices.iter().enumerate() {
        let first = &mut firsts[value as usize];
        *first = (*first).min(place % length);
    }
    Some(firsts)
}

/// Returns the values of the Markov chains, one chain after another. All Markov chains are cut before the first step at which one of them has a value
/// for which the integrated targets were not drawn.
fn used_places<'a, T>(
    drawn: &'a [u32],
    chains: usize,
    draws: &'a [Vec<T>],
) -> impl Iterator<Item = &'a u32> {
    let length = (drawn.len() / chains.max(1)).max(1);
    let has_draws = |place: &usize| {
        let mut all = drawn.iter().skip(*place).step_by(length);
        all.all(|&value| !draws[value as usize].is_empty())
    };
    let end = (0..length).take_while(has_draws).count();
    drawn.chunks(length).flat_map(move |chain| &chain[..end])
}

/// Returns, for each step of the Markov chains, the index of a draw of the integrated elements; `indices` lists the draws for each value of the drawn
/// elements.
fn chain_draws(drawn: &[u32], chains: usize, indices: &[Vec<u32>]) -> Vec<u32> {
    let mut next = vec![0; indices.len()];
    let each = used_places(drawn, chains, indices).map(|&value| {
        let place = &mut next[value as usize];
        *place += 1;
        indices[value as usize][*place - 1]
    });
    each.collect()
}

/// Returns draws of the elements `own` for each of the joint values `rows` of the drawn elements, by one elimination if the joint values have a
/// common closed form. The argument `counts` has the number of draws for each joint value of the drawn elements.
fn draws_of_values(
    (part, model, own): (&DrawnPart, &Model, &[AnyElement]),
    (rows, counts): (&[&Vec<Datum>], &[usize]),
    random: &mut Stream,
    limits: &Limits,
) -> Result<Vec<Vec<Vec<Datum>>>, Error> {
    if rows.len() > 1 {
        let cases = Cases::new(&part.elements, rows);
        let rest = part.rest_of_cases(model, &cases);
        let draws = draws_of_rest((&rest, own), Some(&cases), counts, random, limits);
        if draws.is_ok() {
            return draws;
        }
    }
    let mut all = Vec::with_capacity(rows.len());
    for (values, count) in rows.iter().zip(counts) {
        let rest = part.rest(model, values);
        all.extend(draws_of_rest(
            (&rest, own),
            None,
            std::slice::from_ref(count),
            random,
            limits,
        )?);
    }
    Ok(all)
}

/// Draws from a model with a single case or with several cases.
enum RestDraws<'e> {
    Alone(Box<HybridDraws<'e>>),
    /// Draws given the variable that selects the case; the list has the index of the case for each value of the variable.
    OfCases(ConditionalDraws<'e>, &'e [u32]),
}

impl RestDraws<'_> {
    /// Draws a value of each finite variable and of each real vector; `None` if the case is impossible.
    fn draw(&mut self, case: usize, random: &mut Stream) -> Option<(Vec<u32>, Vec<DVector<f64>>)> {
        match self {
            Self::Alone(draws) => draws.draw(random),
            Self::OfCases(draws, cases) => {
                let value = cases.iter().position(|&other| other as usize == case)?;
                draws.draw(value as u32, random)
            }
        }
    }
}

/// Returns draws of some elements from their joint distribution in closed form, for each case of the model; `counts` has the number of draws for each
/// case. A model without `cases` is treated as one case.
fn draws_of_rest(
    (model, targets): (&Model, &[AnyElement]),
    cases: Option<&Cases>,
    counts: &[usize],
    random: &mut Stream,
    limits: &Limits,
) -> Result<Vec<Vec<Vec<Datum>>>, Error> {
    let mut scan = Scan::new(model, targets, limits);
    if let Some(cases) = cases {
        scan = scan.with_cases(cases);
    }
    scan.run()?;
    let mut hybrid = HybridModel::new(scan, model, targets, limits)?;
    let reals = real_targets(&mut hybrid, targets)?;
    if let Some(place) = reals
        .iter()
        .position(|real| real.as_ref().is_some_and(RealTarget::is_parameter))
    {
        let problem = "it is a parameter with a conjugate prior, which `Collapsed` integrates out and does not draw; ask for other targets, or use the sampler alone";
        return Err(Error::not_closed_form(&targets[place], problem));
    }
    let finite = finite_targets(&mut hybrid, targets, &reals);
    let explain = |error| explained(&hybrid, error);
    let elimination = Elimination::run(&hybrid.graph, MAX_COMPONENTS, &limits.until);
    let elimination = elimination.map_err(explain)?;
    let mut draws = if cases.is_none() {
        RestDraws::Alone(Box::new(
            HybridDraws::new(&elimination, limits).map_err(explain)?,
        ))
    } else {
        let (variable, values) = hybrid.finite_values(CASE);
        let variable = variable.ok_or_else(|| impossible(model))?;
        let draws = ConditionalDraws::new(&elimination, variable, limits);
        RestDraws::OfCases(draws.map_err(explain)?, values)
    };
    let mut all = Vec::with_capacity(counts.len());
    for (case, &count) in counts.iter().enumerate() {
        let mut own = Vec::with_capacity(count);
        for _ in 0..count {
            let drawn = draws.draw(case, random);
            let (values, vectors) = drawn.ok_or_else(|| impossible(model))?;
            let world = HybridWorld::new(&hybrid, values, vectors);
            own.push(world.target_values(targets, &reals, &finite));
        }
        all.push(own);
    }
    Ok(all)
}
