//! Joint moves of a parameter and of continuous random choices (offsets), such that deterministic functions of both do not change.
//!
//! In a hierarchy `effect = mean + spread * offset` the data determine the effects. If there are many data, neither the mean nor the spread can
//! change alone, because all offsets would have to change in the same step. A joint move proposes another value *x'* of the mean by a random walk
//! and, for each effect *i*, the offset *z'* for which `f_i(x', z'_i) = f_i(x, z_i)`. The effect is an affine function *f* of the offset *z*:
//! `f = a + b z`, where *a* and *b* depend on the mean *x*. The new offset of an effect is `z' = (a + b z − a') / b'`, and the density of the
//! proposal is the density of the reverse proposal times `Π |b_i / b'_i|`. A joint move has the same result as a step in the centred form of the
//! hierarchy, whose choices are the effects themselves.
//!
//! The functions that compute deterministic numbers are closures of the user's model, whose formulas are unknown to the sampler. The coefficients `a`
//! and `b` of the affine function are computed from calls of the user's function at 0 and 1. A joint move is proposed only if the function agrees
//! with the line through its values at 0 and 1, both at *z* before the move and at *z'* after the move. Joint moves are reversible for any function:
//! near almost every point where *f* agrees with the line, *f* is affine.
//!
//! **References.** Yu and Meng (2011), "To center or not to center: that is not the question: an ancillarity-sufficiency interweaving strategy (ASIS)
//! for boosting MCMC efficiency"; Liu and Sabatti (2000), "Generalised Gibbs sampler and multigrid Monte Carlo for Bayesian computation".

use std::any::Any;
use std::sync::Arc;

use figrs_core::internals::{ApplyOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId, Model};
use figrs_lower::internals::{Site, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::acceptance::{AcceptanceTerms, StepOutcome, accept_or_reject};
use super::decisions::{StepDecisions, probability};
use super::kernel::Kernel;
use super::proposals::Proposals;
use figrs_answer::error::Error;

/// Maximum number of function calls for computing all deterministic numbers of a model once.
const MAX_CALLS: usize = 20_000;
/// Relative tolerance for rounding errors in the test that a function agrees with a line.
const ROUNDING: f64 = 1e-9;
/// Number of draws from the prior of a parameter that determine the initial scale of the parameter's random walk.
const PRIOR_DRAWS: usize = 8;

/// A deterministic number: functions of the model compute it from random choices (the leaves).
#[derive(Clone, Debug)]
struct Image {
    /// The random choices from which the deterministic number is computed.
    leaves: Vec<AnyElement>,
    /// The functions that compute the deterministic number, with their arguments, in the order in which they are called. The last function of the
    /// list returns the deterministic number.
    calls: Vec<(AnyElement, Vec<Argument>)>,
}

#[derive(Clone, Copy, Debug)]
enum Argument {
    Leaf(usize),
    Call(usize),
}

/// The deterministic numbers of a model on which random choices or evidence depend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    images: Arc<[Image]>,
    /// Random choices that are read by elements other than the functions of an [`Image`] (the computation of a deterministic number).
    read_directly: Arc<FxHashSet<ElementId>>,
}

/// A joint move of a parameter and of the offsets that change with it.
#[derive(Debug)]
struct ImageMove {
    parameter: Site,
    /// For each offset, the deterministic numbers that depend on both the parameter of the move and the offset.
    offsets: Vec<(Site, Vec<PlacedImage>)>,
    log_scale: f64,
    adapted: u32,
    /// `true` if some proposal of the joint move kept all deterministic numbers unchanged.
    was_possible: bool,
}

/// An [`Image`] (deterministic number) in a world: the indices of its random choices in the world, and the positions of the parameter and of the
/// offset among these choices.
#[derive(Debug)]
struct PlacedImage {
    image: usize,
    sites: Vec<Site>,
    parameter: usize,
    offset: usize,
}

/// The joint moves of a Markov chain; `moves` is `None` until the moves have been searched for.
#[derive(Debug, Default)]
pub(super) struct ImageMoves {
    images: Images,
    moves: Option<Vec<ImageMove>>,
}

impl Images {
    /// Returns the deterministic numbers on which the evidence of `model` depends. The list of deterministic numbers is empty if their computation
    /// takes more than `MAX_CALLS` function calls.
    pub(crate) fn of(model: &Model) -> Self {
        let mut met: FxHashSet<ElementId> = FxHashSet::default();
        let (mut images, mut calls) = (Vec::new(), 0);
        let mut read_directly = FxHashSet::default();
        let mut open: Vec<AnyElement> = Vec::new();
        for (element, _) in model.evidence() {
            open.push(element.clone());
        }
        // The loop visits the elements that are not functions, from the evidence to the parents of each element. Each function is visited together
        // with the elements that read it.
        let mut readers = open.clone();
        while let Some(element) = readers.pop() {
            if !met.insert(element.id()) {
                continue;
            }
            if let Kind::Apply(..) = element.kind() {
                let image = Image::of(&element);
                calls += image.calls.len();
                if calls > MAX_CALLS {
                    return Self::default();
                }
                for leaf in &image.leaves {
                    readers.push(leaf.clone());
                }
                images.push(image);
                continue;
            }
            for parent in element.parents() {
                if !matches!(parent.kind(), Kind::Apply(..)) {
                    read_directly.insert(parent.id());
                }
                readers.push(parent.clone());
            }
        }
        images.retain(|image: &Image| image.leaves.len() > 1);
        Self {
            images: images.into(),
            read_directly: Arc::new(read_directly),
        }
    }

    /// Returns the joint moves of all parameters on which several deterministic numbers with different offsets depend. The offset of a deterministic
    /// number is the continuous random choice on which the fewest other deterministic numbers depend. An offset must affect fewer deterministic
    /// numbers than its parameter does, and no other elements may read the offset.
    fn moves(&self, trace: &mut Trace, proposals: &Proposals) -> Vec<ImageMove> {
        let mut count: FxHashMap<ElementId, usize> = FxHashMap::default();
        for leaf in self.images.iter().flat_map(|image| &image.leaves) {
            *count.entry(leaf.id()).or_default() += 1;
        }
        let mut moves: Vec<ImageMove> = Vec::new();
        for (number, image) in self.images.iter().enumerate() {
            let sites: Option<Vec<Site>> = image.leaves.iter().map(|e| trace.site(e)).collect();
            let Some(sites) = sites else { continue };
            let mut is_number = |site: Site| {
                trace.is_in_every_world(site)
                    && trace.number(site).is_some()
                    && trace.is_continuous(site)
                    && !proposals.is_custom(trace.element(site))
            };
            let numbers: Vec<bool> = sites.iter().map(|&site| is_number(site)).collect();
            let numbers = || (0..sites.len()).filter(|&at| numbers[at]);
            let readers = |at: usize| count[&image.leaves[at].id()];
            let is_hidden = |at: &usize| !self.read_directly.contains(&image.leaves[*at].id());
            let fewest = numbers().filter(is_hidden).min_by_key(|&at| readers(at));
            let Some(offset) = fewest else { continue };
            for parameter in numbers().filter(|&at| readers(at) > readers(offset)) {
                let known = moves.iter().position(|m| m.parameter == sites[parameter]);
                let at = known.unwrap_or_else(|| {
                    moves.push(ImageMove {
                        parameter: sites[parameter],
                        offsets: Vec::new(),
                        log_scale: f64::NAN,
                        adapted: 0,
                        was_possible: false,
                    });
                    moves.len() - 1
                });
                let placed = PlacedImage {
                    image: number,
                    sites: sites.clone(),
                    parameter,
                    offset,
                };
                let offsets = &mut moves[at].offsets;
                // Numbers with the same offset are mostly adjacent in the list.
                match offsets
                    .iter_mut()
                    .rev()
                    .find(|(site, _)| *site == sites[offset])
                {
                    Some((_, images)) => images.push(placed),
                    None => offsets.push((sites[offset], vec![placed])),
                }
            }
        }
        moves.retain(|chosen| {
            let mut images = chosen.offsets.iter().flat_map(|(_, images)| images);
            chosen.offsets.len() > 1 && !images.any(|placed| chosen.moves_two(placed))
        });
        moves
    }
}

impl Image {
    /// Returns the deterministic number that `element` computes, if `element` is a function.
    fn of(element: &AnyElement) -> Self {
        let mut leaves: Vec<AnyElement> = Vec::new();
        let mut calls: Vec<(AnyElement, Vec<Argument>)> = Vec::new();
        let mut known: FxHashMap<ElementId, Argument> = FxHashMap::default();
        let mut open = vec![(element.clone(), false)];
        while let Some((element, is_ready)) = open.pop() {
            if known.contains_key(&element.id()) {
                continue;
            }
            let Kind::Apply(parents, _) = element.kind() else {
                known.insert(element.id(), Argument::Leaf(leaves.len()));
                leaves.push(element);
                continue;
            };
            if is_ready {
                let arguments = parents.iter().filter_map(|p| known.get(&p.id()).copied());
                let arguments = arguments.collect();
                known.insert(element.id(), Argument::Call(calls.len()));
                calls.push((element, arguments));
            } else {
                let parents: Vec<AnyElement> = parents.to_vec();
                open.push((element, true));
                open.extend(parents.into_iter().map(|parent| (parent, false)));
            }
        }
        Self { leaves, calls }
    }

    /// Returns the deterministic number for the values `leaves` of the random choices; `None` if the number is not finite, or if a function fails.
    fn number(&self, leaves: &[Datum]) -> Option<f64> {
        let mut results: Vec<Datum> = Vec::with_capacity(self.calls.len());
        for (element, arguments) in &self.calls {
            let arguments = arguments.iter().map(|argument| match argument {
                Argument::Leaf(at) => leaves[*at].as_any(),
                Argument::Call(at) => results[*at].as_any(),
            });
            let arguments: Vec<&dyn Any> = arguments.collect();
            let op: &dyn ApplyOp = match element.kind() {
                Kind::Apply(_, op) => &**op,
                _ => return None,
            };
            let result = op.call(&arguments).ok()?;
            results.push(result);
        }
        let number = *results.last()?.get::<f64>()?;
        number.is_finite().then_some(number)
    }

    /// Returns the intercept and the slope of the deterministic number as an affine function of the random choice with the index `place`.
    fn line(&self, leaves: &mut [Datum], place: usize) -> Option<(f64, f64)> {
        let before = std::mem::replace(&mut leaves[place], Datum::new(0.0_f64));
        let intercept = self.number(leaves);
        leaves[place] = Datum::new(1.0_f64);
        let at_one = self.number(leaves);
        leaves[place] = before;
        let intercept = intercept?;
        let slope = at_one? - intercept;
        (slope != 0.0 && slope.is_finite()).then_some((intercept, slope))
    }
}

/// True if `a` and `b` differ only by rounding, relative to `magnitude`.
fn is_near(a: f64, b: f64, magnitude: f64) -> bool {
    (a - b).abs() <= ROUNDING * magnitude
}

impl PlacedImage {
    fn leaves(&self, trace: &Trace) -> Option<Vec<Datum>> {
        self.sites.iter().map(|&site| trace.value(site)).collect()
    }

    /// Returns the value of the offset that keeps the deterministic number unchanged when the parameter gets the value `parameter`, and the logarithm
    /// of `|b / b'|` (the ratio of the slopes before and after the move).
    fn solve(&self, image: &Image, trace: &Trace, parameter: &Datum) -> Option<(f64, f64)> {
        let mut leaves = self.leaves(trace)?;
        let z = *leaves[self.offset].get::<f64>()?;
        let number = image.number(&leaves)?;
        let (a, b) = image.line(&mut leaves, self.offset)?;
        if !is_near(a + b * z, number, a.abs() + (b * z).abs()) {
            return None;
        }
        leaves[self.parameter] = parameter.clone();
        let (there, slope) = image.line(&mut leaves, self.offset)?;
        let moved = (number - there) / slope;
        leaves[self.offset] = Datum::new(moved);
        let again = image.number(&leaves)?;
        let magnitude = there.abs() + (slope * moved).abs();
        (moved.is_finite() && is_near(again, number, magnitude))
            .then(|| (moved, (b / slope).abs().ln()))
    }

    /// True if the deterministic number stays unchanged when the parameter and the offset get the values `parameter` and `offset`.
    fn stays(&self, image: &Image, trace: &Trace, parameter: &Datum, offset: f64) -> bool {
        let same = || {
            let mut leaves = self.leaves(trace)?;
            let number = image.number(&leaves)?;
            leaves[self.parameter] = parameter.clone();
            leaves[self.offset] = Datum::new(offset);
            let again = image.number(&leaves)?;
            Some(is_near(again, number, number.abs().max(1.0)))
        };
        same().unwrap_or(false)
    }
}

impl ImageMove {
    /// True if the deterministic number `placed` depends on two of the offsets that this joint move changes. If two offsets of one deterministic
    /// number changed, the joint move would not be reversible.
    fn moves_two(&self, placed: &PlacedImage) -> bool {
        let own = placed.sites[placed.offset];
        let mut others = placed.sites.iter().filter(|&&site| site != own);
        others.any(|site| self.offsets.iter().any(|(offset, _)| offset == site))
    }

    /// Returns the new values of the parameter and of the offsets, which keep all deterministic numbers unchanged, and the logarithm of `Π |b / b'|`,
    /// the product of the ratios of slopes.
    fn solve(
        &self,
        images: &[Image],
        trace: &Trace,
        parameter: &Datum,
    ) -> Option<(Vec<(Site, Datum)>, f64)> {
        let mut values = vec![(self.parameter, parameter.clone())];
        let mut volume = 0.0;
        for (site, placed) in &self.offsets {
            let sites = placed.iter().flat_map(|placed| &placed.sites);
            if !sites.into_iter().all(|&site| trace.is_choice(site)) {
                return None;
            }
            let (first, others) = placed.split_first()?;
            let (offset, log) = first.solve(&images[first.image], trace, parameter)?;
            let mut others = others.iter();
            if !others.all(|one| one.stays(&images[one.image], trace, parameter, offset)) {
                return None;
            }
            values.push((*site, Datum::new(offset)));
            volume += log;
        }
        volume.is_finite().then_some((values, volume))
    }
}

impl ImageMoves {
    pub(super) fn new(images: Images) -> Self {
        Self {
            images,
            moves: None,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.moves.as_ref().map_or(0, Vec::len)
    }

    /// Drops the joint moves whose proposals all changed some deterministic number.
    pub(super) fn drop_impossible(&mut self) {
        if let Some(moves) = &mut self.moves {
            moves.retain(|chosen| chosen.was_possible);
        }
    }

    /// Searches for the joint moves of parameters and offsets at the first call; later calls do nothing.
    pub(super) fn choose(&mut self, trace: &mut Trace, proposals: &Proposals) {
        if self.moves.is_none() {
            self.moves = Some(self.images.moves(trace, proposals));
        }
    }
}

impl Kernel {
    /// Proposes a new value of a parameter, and the values of its offsets that keep all deterministic numbers unchanged.
    pub(super) fn propose_image_move<D: StepDecisions>(
        &mut self,
        trace: &mut Trace,
        pick: usize,
        decisions: &mut D,
        log_acceptance: impl FnOnce(&AcceptanceTerms) -> f64,
    ) -> Result<StepOutcome, Error> {
        let images = &self.image_moves.images.images;
        let moves = self.image_moves.moves.as_mut();
        let Some(chosen) = moves.and_then(|moves| moves.get_mut(pick)) else {
            return Ok(StepOutcome::REJECTED);
        };
        let site = chosen.parameter;
        let Some(present) = trace.number(site) else {
            return Ok(StepOutcome::REJECTED);
        };
        if chosen.log_scale.is_nan() {
            if !self.adapting {
                return Ok(StepOutcome::REJECTED);
            }
            chosen.log_scale = log_spread(trace, site, decisions)?;
        }
        let parameter = Datum::new(present + chosen.log_scale.exp() * decisions.normal());
        let solved = chosen.solve(images, trace, &parameter);
        chosen.was_possible |= solved.is_some();
        let Some((values, volume)) = solved else {
            self.adapt_image_move(pick, 0.0);
            return Ok(StepOutcome::REJECTED);
        };
        if !trace.propose_together(&values, decisions)? {
            trace.undo();
            self.adapt_image_move(pick, 0.0);
            return Ok(StepOutcome::REJECTED);
        }
        let terms = self.terms(trace, 0.0, volume);
        let (gain, log) = (terms.log_target(), log_acceptance(&terms));
        self.adapt_image_move(pick, probability(log));
        Ok(accept_or_reject(trace, decisions, gain, log))
    }

    /// During adaptation, adapts the scale of the joint move with the index `pick` to the acceptance probability `accepted` of a step.
    fn adapt_image_move(&mut self, pick: usize, accepted: f64) {
        let moves = self.image_moves.moves.as_mut().filter(|_| self.adapting);
        if let Some(chosen) = moves.and_then(|moves| moves.get_mut(pick)) {
            chosen.adapted += 1;
            chosen.log_scale += (accepted - AIM) / f64::from(chosen.adapted).powf(0.6);
        }
    }
}

/// Target acceptance rate of a random walk, which is optimal in one dimension.
const AIM: f64 = 0.44;

/// Returns the logarithm of the mean distance between draws from a random choice's prior; zero if all draws are equal.
fn log_spread(
    trace: &mut Trace,
    site: Site,
    decisions: &mut impl StepDecisions,
) -> Result<f64, Error> {
    let mut sum = 0.0;
    for _ in 0..PRIOR_DRAWS {
        let mut real = || -> Result<f64, Error> {
            let value = trace.draw(site, decisions)?;
            Ok(value.and_then(|v| v.get().copied()).unwrap_or(f64::NAN))
        };
        sum += (real()? - real()?).abs() / PRIOR_DRAWS as f64;
    }
    Ok(if sum > 0.0 && sum.is_finite() {
        sum.ln()
    } else {
        0.0
    })
}
