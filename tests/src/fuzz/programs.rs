//! Random element programs of finite elements, with parameters that may be anything.

use figrs::{Answer, Error};

use super::agreement::ask_all;
use super::bytes::Bytes;
use crate::random_model::{
    BooleanOp, Branch, Case, Chance, CompareOp, Definition, Description, FamilyName, Inputs, Piece,
    Ref, Shape, Statement, build,
};

/// Maximum depth of nested branches.
const DEPTH: u8 = 2;

/// Runs every algorithm on a random program.
///
/// # Panics
///
/// Panics if the answers of two exact algorithms differ, or if an algorithm gives numbers that are no probabilities.
pub fn program(data: &[u8]) {
    let built = build(&Bytes::new(data).description());
    let numbers = |answer: &Answer| -> Result<Vec<f64>, Error> {
        let all = built
            .targets
            .iter()
            .map(|target| target.probabilities(answer));
        Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
    };
    ask_all(&built.model, &built.erased(), numbers);
    built.change_params();
    ask_all(&built.model, &built.erased(), numbers);
}

impl Bytes<'_> {
    fn description(&mut self) -> Description {
        Description {
            params: self.list(0, |b| (b.number(), b.number())),
            definitions: (0..=self.below(10))
                .map(|_| self.definition(DEPTH))
                .collect(),
            evidence: self.list(0, Self::piece),
            interventions: match self.below(4) {
                0 => self.list(1, |b| (b.family(), b.byte(), b.byte())),
                _ => Vec::new(),
            },
            targets: self.list(1, |b| (b.family(), b.byte())),
        }
    }

    fn family(&mut self) -> FamilyName {
        match self.below(3) {
            0 => FamilyName::Boolean,
            1 => FamilyName::Number,
            _ => FamilyName::Pair,
        }
    }

    fn chance(&mut self) -> Chance {
        match self.below(4) {
            0 | 1 => Chance::Constant(self.number()),
            2 => Chance::Param(self.byte()),
            _ => Chance::Element(self.byte()),
        }
    }

    fn references(&mut self) -> Vec<Ref> {
        self.list(0, Self::byte)
    }

    fn numbers(&mut self) -> Vec<f64> {
        self.list(1, Self::number)
    }

    fn statement(&mut self) -> Statement {
        match self.below(5) {
            0 => Statement::Observe(self.byte()),
            1 => Statement::Condition(self.byte()),
            2 => Statement::Weigh(self.numbers()),
            3 => Statement::LogWeigh(self.numbers()),
            _ => Statement::WeighAtMost(self.numbers()),
        }
    }

    fn piece(&mut self) -> Piece {
        match self.below(6) {
            0 => Piece::Contingent(self.byte(), self.byte(), self.byte(), self.statement()),
            1 => Piece::Inject(self.references(), self.list(1, Self::byte)),
            _ => Piece::On(self.family(), self.byte(), self.statement()),
        }
    }

    fn inputs(&mut self) -> Inputs {
        match self.below(9) {
            0 => Inputs::Number(self.byte()),
            1 => Inputs::Boolean(self.byte()),
            2 => Inputs::Pair(self.byte()),
            3 => Inputs::Two(self.byte(), self.byte()),
            4 => Inputs::Mixed(self.byte(), self.byte()),
            5 => Inputs::Tuple(self.byte(), self.byte()),
            6 => Inputs::Three(self.byte(), self.byte(), self.byte()),
            7 => Inputs::List(self.references()),
            _ => Inputs::Inject(self.references()),
        }
    }

    fn branch(&mut self, depth: u8) -> Branch {
        let locals = match depth {
            0 => Vec::new(),
            _ => (0..self.below(3))
                .map(|_| self.definition(depth - 1))
                .collect(),
        };
        Branch {
            locals,
            result: self.byte(),
        }
    }

    fn branches(&mut self, depth: u8) -> Vec<Branch> {
        self.list(1, |b| b.branch(depth))
    }

    fn case(&mut self) -> Case {
        match self.below(3) {
            0 => Case::OneOf(self.references()),
            1 => Case::NoneOf(self.references()),
            _ => Case::Any,
        }
    }

    fn shape(&mut self, depth: u8) -> Shape {
        match self.below(13) {
            0 => Shape::Constant(self.byte()),
            1 => {
                let first = (self.number(), self.byte());
                Shape::Select(first, self.list(0, |b| (b.chance(), b.byte())))
            }
            2 => Shape::Uniform(self.references()),
            3 => {
                let first = (self.number(), self.branch(depth));
                Shape::Dist(first, self.list(0, |b| (b.chance(), b.branch(depth))))
            }
            4 => {
                let mut parents = self.references();
                parents.truncate(2);
                Shape::Table(self.below(2) == 0, parents, self.byte(), self.numbers())
            }
            5 => Shape::Apply(self.inputs(), self.byte().into()),
            6 => Shape::Chain(self.inputs(), self.byte().into(), self.branches(depth)),
            7 => Shape::If(self.byte(), self.branch(depth), self.branch(depth)),
            8 => Shape::CpdOne(self.byte(), self.list(1, Self::byte), self.branches(depth)),
            9 => Shape::CpdTwo(
                self.byte(),
                self.byte(),
                self.list(1, Self::byte),
                self.branches(depth),
            ),
            10 => {
                let clauses = |b: &mut Self| (b.case(), b.case(), b.branch(depth));
                Shape::RichCpd(
                    self.byte(),
                    self.byte(),
                    self.list(0, clauses),
                    self.branch(depth),
                )
            }
            11 => Shape::Recursion(
                self.byte(),
                self.chance(),
                self.branch(depth),
                self.byte().into(),
            ),
            _ => Shape::Score(self.byte(), self.statement()),
        }
    }

    fn definition(&mut self, depth: u8) -> Definition {
        match self.below(12) {
            0 => Definition::Flip(self.chance()),
            1 => Definition::Binomial(self.byte(), self.chance()),
            2 => {
                let op = match self.below(5) {
                    0 => BooleanOp::And,
                    1 => BooleanOp::Or,
                    2 => BooleanOp::Not,
                    3 => BooleanOp::Xor,
                    _ => BooleanOp::Implies,
                };
                Definition::Boolean(op, self.byte(), self.byte())
            }
            3 => {
                let op = match self.below(6) {
                    0 => CompareOp::Equals,
                    1 => CompareOp::Differs,
                    2 => CompareOp::LessThan,
                    3 => CompareOp::AtMost,
                    4 => CompareOp::GreaterThan,
                    _ => CompareOp::AtLeast,
                };
                Definition::Compare(op, self.byte(), self.byte())
            }
            4 => Definition::Is(self.byte(), self.byte()),
            5 => Definition::Tuple(self.byte(), self.byte()),
            6 => Definition::Second(self.byte()),
            7 => Definition::Sum(self.byte(), self.byte()),
            8 => Definition::Fold(self.references(), self.byte().into()),
            _ => Definition::Of(self.family(), self.shape(depth)),
        }
    }
}
