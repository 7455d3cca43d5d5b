//! Exact answers about random boards: by formulas of the board generator, or by the exact method, which explores the states of a board read cell by
//! cell.

use std::fmt;

use figrs_core::Value;
use figrs_infer::{Compiled, Error};
use num_bigint::BigUint;

use super::watch::{BoardWatch, Event};
use super::{BoardError, ConditionalSampler, Cost, ExactBoards, Generator, Method};

/// The distribution of the value of a cell of a board.
pub type CellDistribution<C> = Vec<(C, f64)>;

/// Exact answers about random boards of any size, computed by formulas of the board generator.
///
/// **Errors.** The errors of the board generator's formulas; the error of [`AnswerProgress::step`] if the computation is interrupted.
pub trait OwnAnswers<C, B> {
    /// Returns the name of the method that the formulas use.
    fn name(&self) -> &'static str;

    /// Returns the number of boards that follow the rules and meet all demands of the user.
    fn count(&self, progress: &AnswerProgress<'_>) -> Result<BigUint, BoardError>;

    /// Returns the logarithm of the probability that a board of independently drawn cells follows the rules and meets all demands of the user.
    fn log_probability(&self) -> Result<f64, BoardError>;

    /// Returns the marginal distribution of the value of each cell, in scan order (row by row). The computation of the marginal distributions may use
    /// `memory` bytes.
    fn marginals(
        &self,
        memory: u64,
        progress: &AnswerProgress<'_>,
    ) -> Result<Vec<CellDistribution<C>>, BoardError>;

    /// Returns the most probable board, and the logarithm of its probability among all boards that follow the rules and meet all demands of the user.
    fn most_probable(&self) -> Result<(B, f64), BoardError>;
}

/// Reports the progress of a computation of [`OwnAnswers`], which can be interrupted.
#[derive(Debug)]
pub struct AnswerProgress<'a> {
    watch: &'a BoardWatch,
    algorithm: &'static str,
}

impl AnswerProgress<'_> {
    /// Reports that `steps` of `total` steps of the computation are done.
    ///
    /// **Errors.** [`Error::NothingDone`] in [`BoardError::Inference`] if the computation is interrupted.
    pub fn step(&self, steps: u64, total: u64) -> Result<(), BoardError> {
        self.watch.tell(Event::Computed { steps, total });
        if self.watch.is_interrupted() {
            let algorithm = self.algorithm;
            return Err(Error::NothingDone { algorithm }.into());
        }
        Ok(())
    }
}

/// Exact answers to questions about the random boards of a generator.
///
/// **Guarantee.** Numbers of boards are exact; all other results are exact up to rounding.
pub struct BoardAnswers<'g, G: Generator> {
    source: Source<'g, G>,
    memory: u64,
    watch: BoardWatch,
}

enum Source<'g, G: Generator> {
    Own(Box<dyn OwnAnswers<G::Cell, G::Board> + 'g>),
    Exact(Box<ExactBoards<&'g G>>),
}

impl<G: Generator> fmt::Debug for BoardAnswers<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoardAnswers").field(&self.method()).finish()
    }
}

impl ConditionalSampler {
    /// Returns exact answers about random boards: by the generator's own formulas if it has any, else by the [`exact`](Self::exact) method.
    ///
    /// **Errors.** The errors of [`exact`](Self::exact); [`BoardError::NoMethod`] if neither the generator's formulas nor the exact method are
    /// allowed.
    pub fn answers<'g, G: Generator>(
        &self,
        generator: &'g G,
    ) -> Result<BoardAnswers<'g, G>, BoardError> {
        let own = generator.answers();
        let own = own.filter(|own| self.allows(Method::Own(own.name())));
        let source = match own {
            Some(own) => Source::Own(own),
            None if self.allows(Method::Exact) => Source::Exact(Box::new(self.exact(generator)?)),
            None => return Err(BoardError::NoMethod),
        };
        Ok(BoardAnswers {
            source,
            memory: self.memory,
            watch: self.watch.clone(),
        })
    }
}

impl<G: Generator> BoardAnswers<'_, G> {
    /// Returns the method that computes the answers about boards.
    pub fn method(&self) -> Method {
        match &self.source {
            Source::Own(own) => Method::Own(own.name()),
            Source::Exact(_) => Method::Exact,
        }
    }

    /// Returns the number and the size of the states that the exact method explores; `None` if the generator's own formulas give the answers.
    pub fn cost(&self) -> Option<Cost> {
        match &self.source {
            Source::Own(_) => None,
            Source::Exact(exact) => Some(exact.cost()),
        }
    }

    /// True if at least one board follows the rules and meets all demands of the user.
    pub fn is_possible(&self) -> bool {
        match &self.source {
            Source::Own(_) => true,
            Source::Exact(exact) => exact.is_possible(),
        }
    }

    fn progress(&self) -> AnswerProgress<'_> {
        AnswerProgress {
            watch: &self.watch,
            algorithm: self.method().name(),
        }
    }

    /// Returns the number of boards that follow the rules and meet all demands of the user.
    ///
    /// **Errors.** [`BoardError::Inference`] if the computation is interrupted, or if the exact method cannot compute the number of boards.
    pub fn count(&self) -> Result<BigUint, BoardError> {
        match &self.source {
            Source::Own(own) => own.count(&self.progress()),
            Source::Exact(exact) => Ok(exact.compiled().count()?),
        }
    }

    /// Returns the logarithm of the probability that a board of independently drawn cells follows the rules and meets all demands of the user.
    ///
    /// **Errors.** The errors of the board generator's own formulas.
    pub fn log_probability(&self) -> Result<f64, BoardError> {
        match &self.source {
            Source::Own(own) => own.log_probability(),
            Source::Exact(exact) => Ok(exact.log_probability()),
        }
    }

    /// Returns the marginal distribution of the value of each cell, in scan order (row by row).
    ///
    /// **Errors.** The errors of [`ExactBoards::marginals`]; [`BoardError::TooLarge`] if the formulas of the board generator need more memory than
    /// allowed.
    pub fn marginals(&self) -> Result<Vec<CellDistribution<G::Cell>>, BoardError> {
        match &self.source {
            Source::Own(own) => own.marginals(self.memory, &self.progress()),
            Source::Exact(exact) => {
                let pairs = exact.marginals()?.into_iter().map(|marginal| {
                    let pairs = marginal.iter();
                    pairs.map(|(value, p)| (value.clone(), p)).collect()
                });
                Ok(pairs.collect())
            }
        }
    }

    /// Returns the most probable board, and the logarithm of its probability among all possible boards.
    ///
    /// **Errors.** The errors of the method [`marginals`](Self::marginals).
    pub fn most_probable(&self) -> Result<(G::Board, f64), BoardError> {
        match &self.source {
            Source::Own(own) => own.most_probable(),
            Source::Exact(exact) => exact.most_probable(),
        }
    }
}

pub(crate) fn positive<C: Value>(pairs: impl Iterator<Item = (C, f64)>) -> CellDistribution<C> {
    pairs.filter(|(_, p)| *p > 0.0).collect()
}
