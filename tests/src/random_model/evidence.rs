//! Converts pieces of evidence to statements of a model.

use figrs_core::{Element, Model, Score, inject, tuple};

use super::description::{Piece, Statement};
use super::family::{Family, Scope};
use super::target::Target;

fn looked_up(weights: &[f64], code: u64) -> f64 {
    weights[code as usize % weights.len()]
}

fn largest(weights: &[f64]) -> f64 {
    weights.iter().copied().fold(0.0, f64::max)
}

fn state<T: figrs_core::Value>(
    model: Model,
    element: &Element<T>,
    statement: &Statement,
    decode: impl Fn(u64) -> T,
    code: fn(&T) -> u64,
) -> Model {
    match statement.clone() {
        Statement::Observe(value) => model.observe(element, decode(u64::from(value))),
        Statement::Condition(mask) => {
            model.condition(element, move |v| mask >> (code(v) % 8) & 1 == 1)
        }
        Statement::Weigh(weights) => model.weigh(element, move |v| looked_up(&weights, code(v))),
        Statement::LogWeigh(logs) => model.log_weigh(element, move |v| looked_up(&logs, code(v))),
        Statement::WeighAtMost(weights) => {
            let weigh = |weights: Vec<f64>| move |v: &T| looked_up(&weights, code(v));
            model.weigh_at_most(element, largest(&weights), weigh(weights))
        }
    }
}

pub(super) fn score<T: Family>(element: &Element<T>, statement: &Statement) -> Element<T> {
    match statement.clone() {
        Statement::Observe(value) => Score::observe(element, T::decode(u64::from(value))),
        Statement::Condition(mask) => {
            Score::condition(element, move |v| mask >> (v.code() % 8) & 1 == 1)
        }
        Statement::Weigh(weights) => Score::weigh(element, move |v| looked_up(&weights, v.code())),
        Statement::LogWeigh(logs) => Score::log_weigh(element, move |v| looked_up(&logs, v.code())),
        Statement::WeighAtMost(weights) => {
            let weigh = |weights: Vec<f64>| move |v: &T| looked_up(&weights, v.code());
            Score::weigh_at_most(element, largest(&weights), weigh(weights))
        }
    }
}

impl Scope {
    pub(super) fn state(&self, model: Model, piece: &Piece, position: usize) -> Model {
        match piece {
            Piece::On(family, reference, statement) => match Target::new(self, *family, *reference)
            {
                Target::Number(e) => state(model, &e, statement, Family::decode, Family::code),
                Target::Boolean(e) => state(model, &e, statement, Family::decode, Family::code),
                Target::Pair(e) => state(model, &e, statement, Family::decode, Family::code),
            },
            Piece::Contingent(a, b, c, statement) => {
                let all = tuple((
                    u32::pick(self, *a),
                    bool::pick(self, *b),
                    u32::pick(self, *c),
                ));
                let all = all.named(format!("piece {position}"));
                let decode = |v: u64| {
                    (
                        Family::decode(v),
                        Family::decode(v / 4),
                        Family::decode(v / 8),
                    )
                };
                state(
                    model,
                    &all,
                    statement,
                    decode,
                    |(a, b, c): &(u32, bool, u32)| a.code() + b.code() + c.code(),
                )
            }
            Piece::Inject(references, values) => {
                let value = |i: usize| u32::decode(values[i % values.len()].into());
                let values = (0..references.len()).map(value).collect();
                let all = inject(self.numbers_at(references)).named(format!("piece {position}"));
                model.observe(&all, values)
            }
        }
    }
}
