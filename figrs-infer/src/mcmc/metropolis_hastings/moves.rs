//! Moves of one or several elements, which users compose of draws, sequences and weighted choices.

use std::fmt;
use std::sync::Arc;

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, Element, ElementId, Model, Value};
use figrs_lower::internals::Trace;
use rustc_hash::FxHashMap;

use super::decisions::StepDecisions;
use super::proposals::Proposals;
use figrs_answer::error::Error;

/// A move of Metropolis-Hastings or simulated annealing, added by [`with_move`](crate::MetropolisHastings::with_move): a proposal of new values for one or
/// several elements.
///
/// A move is a draw for one element, a sequence of moves, or a weighted choice of moves:
///
/// | move | proposal |
/// |---|---|
/// | [`Move::draw`] | draws a new value of an element from another element, whose parameters may be read from the world |
/// | [`then`](Self::then) | makes another move, which reads the new values |
/// | [`Move::choose`], [`Move::choose_by`] | makes one of several moves, with weights that may be read from the world |
///
/// **Values that a move reads.** A move of Metropolis-Hastings reads the values of elements (random variables) in the present world. A later move of
/// a sequence reads the new values of the elements (random variables) that earlier moves have changed; functions of such elements
/// ([`map`](Element::map)) are computed from the new values. All other elements, such as the results of `Chain` elements, keep the values that they
/// had before the first move of the sequence. If an element that a move reads does not exist in the world, or if an element to be changed is not a
/// free choice of the world, the step does not change the world.
///
/// **Guarantee.** A step with a user's move leaves the posterior exactly invariant. The acceptance probability sums over all ways in which the move
/// can change the elements from their old to their new values, and over all ways back; each way is weighted by the probabilities of the choices
/// between moves. A choice between moves may therefore contain a move that undoes another one.
///
/// **Complexity.** A step takes as long as a step of a [`block`](crate::MetropolisHastings::block) of the same elements, and in addition computes the
/// probability of every combination of choices between moves twice.
///
/// **Errors.** [`Error::InvalidSetting`] if an element moves twice in one step, or if more than 256 elements move; if a value is not drawn from an
/// atomic element or from a `Chain` whose results are atomic; if weights are negative or not finite, or if their number differs from the number of
/// moves; if a continuous element draws from a distribution without a density (the acceptance probability would need a Jacobian that the move does
/// not state), or if an element that is not continuous draws from a density.
///
/// **References.** Green (1995), "Reversible jump Markov chain Monte Carlo computation"; the proposal schemes of Figaro.
///
/// ```
/// # use figrs_core::{Model, Parents, Uniform};
/// # use figrs_infer::{MetropolisHastings, Move, Run};
/// // Two numbers whose product is observed: a step changes both, and keeps the product.
/// let (first, second) = (Uniform::new(1..=12), Uniform::new(1..=12));
/// let product = (&first, &second).map(|(a, b)| a * b);
/// let model = Model::new().observe(&product, 12);
/// let other = first.flat_map(|_| Uniform::new([1, 2, 3, 4, 6, 12]));
/// let matching = first.flat_map(|&a| Uniform::new([12 / a]));
/// let both = Move::draw(&first, &other).then(Move::draw(&second, &matching));
/// let answer = MetropolisHastings::new(4_000).with_move(both).run(&model, &first)?;
/// assert!((answer.probability(&first, &6)? - 1.0 / 6.0).abs() < 0.05);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Move(Arc<MoveKind>);

enum MoveKind {
    /// A new value of the first element, which is drawn from the second element.
    Draw(AnyElement, AnyElement),
    Sequence(Vec<Move>),
    Choice(Weights, Vec<Move>),
}

enum Weights {
    Fixed(Vec<f64>),
    /// An element whose values are lists of weights.
    Read(AnyElement),
}

impl fmt::Debug for Move {
    /// Serialises elements (random variables) as their labels, which are the same in all processes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            MoveKind::Draw(element, from) => write!(f, "{element:?} from {from:?}"),
            MoveKind::Sequence(moves) => f.debug_list().entries(moves).finish(),
            MoveKind::Choice(Weights::Fixed(weights), moves) => {
                write!(f, "{weights:?} of {moves:?}")
            }
            MoveKind::Choice(Weights::Read(weights), moves) => {
                write!(f, "{weights:?} of {moves:?}")
            }
        }
    }
}

fn invalid(value: String, remedy: &'static str) -> Error {
    Error::invalid_setting(super::NAME, "with_move", value, remedy)
}

impl Move {
    /// Draws a new value of `element` from `from`: an atomic element, whose parameters may be numbers or elements, or a `Chain` with atomic results,
    /// such as `(&element, &other).flat_map(|(x, y)| ...)`. If `from` is `element` itself, the new value is drawn from its prior.
    pub fn draw<T: Value>(element: &Element<T>, from: &Element<T>) -> Self {
        let (element, from) = (element.erased().clone(), from.erased().clone());
        Self(Arc::new(MoveKind::Draw(element, from)))
    }

    /// Makes the move `next` after the move `self`; `next` reads the new values of the elements that `self` has changed.
    pub fn then(self, next: Self) -> Self {
        let mut moves = match Arc::try_unwrap(self.0) {
            Ok(MoveKind::Sequence(moves)) => moves,
            Ok(kind) => vec![Self(Arc::new(kind))],
            Err(shared) => vec![Self(shared)],
        };
        moves.push(next);
        Self(Arc::new(MoveKind::Sequence(moves)))
    }

    /// Makes one of several moves, with probabilities in proportion to the given weights.
    pub fn choose(moves: impl IntoIterator<Item = (f64, Self)>) -> Self {
        let (weights, moves) = moves.into_iter().unzip();
        Self(Arc::new(MoveKind::Choice(Weights::Fixed(weights), moves)))
    }

    /// Makes one of several moves, with weights that are read from the world, as in `Move::choose_by(&x.map(|&x| vec![x, 1.0 - x]), [up, down])`. If
    /// all weights are zero, the step does not change the world.
    pub fn choose_by(weights: &Element<Vec<f64>>, moves: impl IntoIterator<Item = Self>) -> Self {
        let weights = Weights::Read(weights.erased().clone());
        Self(Arc::new(MoveKind::Choice(
            weights,
            moves.into_iter().collect(),
        )))
    }

    /// Returns an error if the move would change an element whose value is observed, because each such step would be rejected.
    pub(super) fn check(&self, model: &Model) -> Result<(), Error> {
        match &*self.0 {
            MoveKind::Draw(element, _) => {
                let mut evidence = model.evidence().iter();
                let is_observed = evidence.any(|(observed, evidence)| {
                    observed.id() == element.id() && evidence.observed().is_some()
                });
                let remedy = "leave this element out of the moves, because its value is observed";
                match is_observed {
                    true => Err(invalid(element.label().to_string(), remedy)),
                    false => Ok(()),
                }
            }
            MoveKind::Sequence(moves) | MoveKind::Choice(_, moves) => {
                moves.iter().try_for_each(|one| one.check(model))
            }
        }
    }

    /// Draws the new values of a move's elements into `moved`; returns `false` if an element that the move reads does not exist in the world.
    pub(super) fn draw_values<D: StepDecisions>(
        &self,
        trace: &Trace,
        moved: &mut Moved,
        decisions: &mut D,
    ) -> Result<bool, Error> {
        match &*self.0 {
            MoveKind::Draw(element, from) => {
                if moved.value(element).is_some() {
                    let remedy = "let each element move once in a step";
                    return Err(invalid(element.label().to_string(), remedy));
                }
                if moved.0.len() == MOST_MOVED {
                    let remedy = "move at most 256 elements in a step";
                    return Err(invalid(format!("{MOST_MOVED} and more"), remedy));
                }
                let Some(from) = moved.source(trace, from)? else {
                    return Ok(false);
                };
                let value = Proposals::draw(&from, decisions)?;
                moved.0.push((element.clone(), value));
                Ok(true)
            }
            MoveKind::Sequence(moves) => {
                for one in moves {
                    if !one.draw_values(trace, moved, decisions)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            MoveKind::Choice(weights, moves) => {
                let Some(shares) = moved.shares(trace, weights, moves.len())? else {
                    return Ok(false);
                };
                let mut left = 1.0;
                for (share, one) in shares.iter().zip(moves) {
                    if *share > 0.0 && decisions.bernoulli(share / left) {
                        return one.draw_values(trace, moved, decisions);
                    }
                    left -= share;
                }
                // This code is reached only because of rounding errors.
                let last = shares.iter().rposition(|&share| share > 0.0);
                last.map_or(Ok(false), |last| {
                    moves[last].draw_values(trace, moved, decisions)
                })
            }
        }
    }

    /// Returns the log-probability that the move gives the elements of `to` their values in `to`, and changes no other element of the world.
    pub(super) fn log_prob(&self, trace: &Trace, to: &Moved) -> Result<f64, Error> {
        let mut ways = Vec::new();
        add_ways(trace, &[self], to, &mut Moved::default(), 0.0, &mut ways)?;
        let largest = ways.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY || ways.len() == 1 {
            return Ok(largest);
        }
        let sum: f64 = ways.iter().map(|way| (way - largest).exp()).sum();
        Ok(largest + sum.ln())
    }
}

/// Finds each way in which the moves in `pending`, made one after another, give the elements of `to` their values, and adds the natural logarithm of
/// its probability to `ways`.
fn add_ways(
    trace: &Trace,
    pending: &[&Move],
    to: &Moved,
    moved: &mut Moved,
    log: f64,
    ways: &mut Vec<f64>,
) -> Result<(), Error> {
    let Some((first, rest)) = pending.split_first() else {
        if moved.0.len() == to.0.len() {
            ways.push(log);
        }
        return Ok(());
    };
    match &*first.0 {
        MoveKind::Draw(element, from) => {
            let (Some(value), None) = (to.value(element), moved.value(element)) else {
                return Ok(());
            };
            let Some(from) = moved.source(trace, from)? else {
                return Ok(());
            };
            let own = Proposals::log_prob(&from, value)?;
            if own == f64::NEG_INFINITY {
                return Ok(());
            }
            let has_density =
                |of: &AnyElement| !value.is_countable() && of.is_continuous().unwrap_or(false);
            if has_density(&from) != has_density(element) {
                let remedy = "draw a continuous element from a density, such as a `Normal` around its value, and other elements from listed values";
                return Err(invalid(
                    format!("{} from {}", element.label(), from.label()),
                    remedy,
                ));
            }
            moved.0.push((element.clone(), value.clone()));
            add_ways(trace, rest, to, moved, log + own, ways)?;
            moved.0.pop();
            Ok(())
        }
        MoveKind::Sequence(moves) => {
            let pending: Vec<&Move> = moves.iter().chain(rest.iter().copied()).collect();
            add_ways(trace, &pending, to, moved, log, ways)
        }
        MoveKind::Choice(weights, moves) => {
            let Some(shares) = moved.shares(trace, weights, moves.len())? else {
                return Ok(());
            };
            for (share, one) in shares.iter().zip(moves) {
                if *share > 0.0 {
                    let pending: Vec<&Move> =
                        [one].into_iter().chain(rest.iter().copied()).collect();
                    add_ways(trace, &pending, to, moved, log + share.ln(), ways)?;
                }
            }
            Ok(())
        }
    }
}

/// The elements that a move has changed so far in the present step, with their new values.
#[derive(Default)]
pub(super) struct Moved(pub(super) Vec<(AnyElement, Datum)>);

/// Values of functions of changed elements; `None` for a function of an element that does not exist in the world.
type Computed = FxHashMap<ElementId, Option<Datum>>;

/// Maximum number of elements that a step of a move changes.
const MOST_MOVED: usize = 256;
/// Maximum nesting depth of functions that a move evaluates.
const MOST_NESTED: usize = 256;

impl Moved {
    fn value(&self, element: &AnyElement) -> Option<&Datum> {
        let mut moved = self.0.iter();
        let found = moved.find(|(known, _)| known.id() == element.id());
        found.map(|(_, value)| value)
    }

    /// Returns the value of an element that a move reads; `None` if the element does not exist in the world.
    fn read(
        &self,
        trace: &Trace,
        element: &AnyElement,
        computed: &mut Computed,
        depth: usize,
    ) -> Result<Option<Datum>, Error> {
        if let Some(value) = self.value(element) {
            return Ok(Some(value.clone()));
        }
        let present = trace.value_of(element);
        let Kind::Apply(parents, op) = element.kind() else {
            return Ok(present);
        };
        if self.0.is_empty() && present.is_some() {
            return Ok(present);
        }
        if let Some(known) = computed.get(&element.id()) {
            return Ok(known.clone());
        }
        if depth == MOST_NESTED {
            let remedy = "read elements that are nearer to the choices";
            return Err(invalid(element.label().to_string(), remedy));
        }
        let parents = parents
            .iter()
            .map(|p| self.read(trace, p, computed, depth + 1));
        let parents: Option<Vec<Datum>> = parents.collect::<Result<_, Error>>()?;
        let value = match parents {
            Some(parents) => {
                let arguments: Vec<_> = parents.iter().map(Datum::as_any).collect();
                Some(op.call(&arguments).map_err(|fault| element.fault(fault))?)
            }
            None => None,
        };
        computed.insert(element.id(), value.clone());
        Ok(value)
    }

    /// Returns the atomic element from which a value is drawn; `None` if an element that `from` reads does not exist in the world.
    fn source(&self, trace: &Trace, from: &AnyElement) -> Result<Option<AnyElement>, Error> {
        let mut from = from.clone();
        let mut computed = Computed::default();
        for _ in 0..MOST_NESTED {
            let next = match from.kind() {
                Kind::Atomic(op) => {
                    op.check().map_err(|problem| from.invalid(problem))?;
                    return Ok(Some(from));
                }
                Kind::Chain(parents, op) => {
                    let read = |p| self.read(trace, p, &mut computed, 0);
                    let values: Option<Vec<Datum>> =
                        parents.iter().map(read).collect::<Result<_, Error>>()?;
                    let Some(values) = values else {
                        return Ok(None);
                    };
                    let arguments: Vec<_> = values.iter().map(Datum::as_any).collect();
                    op.call(&arguments).map_err(|fault| from.fault(fault))?
                }
                _ => break,
            };
            from = next;
        }
        let remedy = "draw from an atomic element, or from a Chain with atomic results";
        Err(invalid(from.label().to_string(), remedy))
    }

    /// Returns the probabilities of the moves among which a move chooses; `None` if all weights are zero, or if an element that the weights read does
    /// not exist in the world.
    fn shares(
        &self,
        trace: &Trace,
        weights: &Weights,
        count: usize,
    ) -> Result<Option<Vec<f64>>, Error> {
        let is_fixed = matches!(weights, Weights::Fixed(_));
        let mut weights = match weights {
            Weights::Fixed(weights) => weights.clone(),
            Weights::Read(element) => {
                let read = self.read(trace, element, &mut Computed::default(), 0)?;
                match read.as_ref().and_then(Datum::get::<Vec<f64>>) {
                    Some(weights) => weights.clone(),
                    None => return Ok(None),
                }
            }
        };
        if weights.len() != count || !weights.iter().all(|w| *w >= 0.0 && w.is_finite()) {
            let remedy = "give each move one weight, which is finite and not negative";
            return Err(invalid(format!("{weights:?} for {count} moves"), remedy));
        }
        let total: f64 = weights.iter().sum();
        if total == 0.0 && is_fixed {
            let remedy = "give at least one move a positive weight";
            return Err(invalid(format!("{weights:?} for {count} moves"), remedy));
        }
        for weight in &mut weights {
            *weight /= total;
        }
        Ok((total > 0.0).then_some(weights))
    }
}
