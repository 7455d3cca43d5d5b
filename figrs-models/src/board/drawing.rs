//! Chooses the method that draws boards, and draws boards by the chosen method.

use std::time::Instant;

use figrs_core::stream;
use figrs_infer::Error;

use super::chain::ChainLimits;
use super::conditional_sampler::{ConditionalSampler, UNPREDICTED_BYTES};
use super::rejection::RejectionTally;
use super::watch::Event;
use super::{
    BoardError, DrawnBoards, ExactBoards, Generator, Method, MethodChoice, OwnSampler, Reason,
    Report, chain, particles,
};

pub(super) struct BoardDrawing<'a, G: Generator> {
    pub(super) settings: &'a ConditionalSampler,
    pub(super) generator: &'a G,
    pub(super) boards: &'a DrawnBoards<G::Board>,
    pub(super) started: Instant,
}

impl<G: Generator> BoardDrawing<'_, G> {
    pub(super) fn draw(&self) -> Result<Report, BoardError> {
        let settings = self.settings;
        let own = self.generator.sampler();
        let own = own.filter(|own| settings.allows(Method::Own(own.name)));
        let Some(own) = own else {
            return self.draw_by_elements(None);
        };
        let drawn = self.independent(&own);
        let Err(BoardError::NoneMet { tried }) = drawn else {
            return drawn;
        };
        // Another method may draw boards that are too rare for the generator's own sampler, or prove that there are none.
        match self.draw_by_elements(Some(Reason::TooRare { tried })) {
            Err(BoardError::NoMethod) => drawn,
            Err(error) if error.is_without_elements() => drawn,
            found => found,
        }
    }

    /// Draws boards by the first method that succeeds, without the generator's own sampler; `reason` states why that sampler could not draw the
    /// boards.
    fn draw_by_elements(&self, reason: Option<Reason>) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let exact = settings.allows(Method::Exact);
        let relaxed = generator.relaxed();
        // Without a relaxed generator and without rules that are often met, rejection would only repeat the work of the exact method.
        let rejects = relaxed.is_some() || generator.is_often_met();
        let rejection = settings.allows(Method::Rejection)
            && (rejects || settings.only() == Some(Method::Rejection));
        let relaxed = relaxed.filter(|_| rejection);
        if !exact {
            return self.other(rejection, reason.unwrap_or(Reason::Asked));
        }
        let cheapest = relaxed.as_ref().unwrap_or(generator);
        let is_often_met = rejection && generator.is_often_met();
        let outcome = match &relaxed {
            _ if is_often_met && !is_quick(cheapest) => {
                let drawn = self.rejected(Reason::OftenMet);
                let goes_on = match &drawn {
                    Err(BoardError::NoneMet { .. }) => true,
                    Err(error) => error.is_without_elements(),
                    Ok(_) => false,
                };
                if !goes_on || !self.has_chains() {
                    return drawn;
                }
                drawn
            }
            Some(relaxed) => self.in_turn(relaxed),
            None => match self.by_quicker_chains()? {
                Some(drawn) => return Ok(drawn),
                None => settings
                    .exact(generator)
                    .and_then(|exact| self.exactly(&exact)),
            },
        };
        // If the method failed for one of the following reasons, the next method is tried; otherwise the outcome of the method is returned.
        let reason = match &outcome {
            Err(BoardError::TooLarge { .. }) => self.too_large(),
            Err(BoardError::NoneMet { tried }) => Reason::TooRare { tried: *tried },
            Err(error) if error.is_without_elements() => reason.unwrap_or(Reason::NoElements),
            _ => return outcome,
        };
        let rejection = is_often_met && relaxed.is_none();
        match self.other(rejection, reason) {
            Err(BoardError::NoMethod) => outcome,
            Err(error) if error.is_without_elements() => outcome,
            drawn => drawn,
        }
    }

    pub(super) fn too_large(&self) -> Reason {
        Reason::TooLarge {
            predicted: self.settings.excess(self.generator),
            limit: self.settings.memory,
        }
    }

    fn other(&self, rejection: bool, reason: Reason) -> Result<Report, BoardError> {
        let ruled = self.generator.ruled_cells();
        let chains = ruled.filter(|_| self.settings.allows(Method::Chain));
        let particles = self.settings.allows(Method::Particles);
        match chains {
            Some(ruled) if ruled.is_slow && particles => match self.by_particles(reason) {
                Err(
                    BoardError::TooLarge { .. }
                    | BoardError::NoElements { .. }
                    | BoardError::Grid(_),
                ) => self.by_chains(reason),
                Err(BoardError::Inference(Error::NoSampleMetEvidence { .. })) => {
                    self.by_chains(reason)
                }
                drawn => drawn,
            },
            Some(_) => self.by_chains(reason),
            None => {
                if rejection {
                    let drawn = self.rejected(reason);
                    if !matches!(drawn, Err(BoardError::TooLarge { .. }) if particles) {
                        return drawn;
                    }
                }
                if !particles {
                    return Err(BoardError::NoMethod);
                }
                self.by_particles(reason)
            }
        }
    }

    fn by_chains(&self, reason: Reason) -> Result<Report, BoardError> {
        Ok(self.by_chains_within(reason, u64::MAX)?.0)
    }

    /// Draws boards by Markov chains, each of which proposes at most `work` changes of cells. Returns the report on the drawn boards, and true if the
    /// Markov chains converged.
    fn by_chains_within(&self, reason: Reason, work: u64) -> Result<(Report, bool), BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let choice = self.begin(Method::Chain, reason);
        let compile = self.started.elapsed();
        let limits = ChainLimits {
            memory: settings.memory,
            seed: settings.seed,
            work,
        };
        let drawn = chain::draw(generator, limits, self.boards, &settings.watch)?;
        let report = Report {
            is_cut: drawn.is_cut,
            ..Report::new(choice, drawn.diagnostics, compile)
        };
        Ok((report, drawn.is_settled))
    }

    /// Draws a few boards, each by its own Markov chain, if this method is predicted to be several times as quick as the exact method. Returns `None`
    /// if the Markov chains are not predicted to be several times as quick as the exact method, or if they do not converge in time.
    fn by_quicker_chains(&self) -> Result<Option<Report>, BoardError> {
        /// Size in bytes of the states that the exact method explores in the time that a proposal of a Markov chain takes.
        const PROPOSAL: f64 = 12.0;
        /// Boards are drawn by the exact method unless its predicted time is more than `EXACT` times the predicted time of Markov chains.
        const EXACT: f64 = 20.0;
        let (generator, wanted) = (self.generator, self.boards.wanted());
        let is_few = (1..=chain::MOST_CHAINS).contains(&wanted);
        if !is_few || !self.settings.allows(Method::Chain) {
            return Ok(None);
        }
        let bytes = PROPOSAL * chain::least_work(generator.size(), wanted) as f64;
        let predicted = generator.predicted_bytes();
        let Some(predicted) = predicted.filter(|&predicted| predicted > EXACT * bytes) else {
            return Ok(None);
        };
        let ruled = generator.ruled_cells();
        if self.settings.excess(generator).is_some()
            || !ruled.is_some_and(|ruled| ruled.is_joined())
        {
            return Ok(None);
        }
        let work = (predicted / PROPOSAL) as u64 / wanted.max(2) as u64;
        match self.by_chains_within(Reason::Quicker { predicted }, work) {
            Ok((report, is_settled)) => Ok(Some(report).filter(|r| is_settled || r.is_cut)),
            Err(BoardError::NotFound { .. } | BoardError::TooLarge { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn by_particles(&self, reason: Reason) -> Result<Report, BoardError> {
        let sequence = self.generator.sequence()?;
        let choice = self.begin(Method::Particles, reason);
        let compile = self.started.elapsed();
        let drawn = particles::draw(self.generator, &sequence, self.settings, self.boards)?;
        Ok(Report::new(choice, drawn, compile))
    }

    fn has_chains(&self) -> bool {
        self.settings.allows(Method::Chain) && self.generator.ruled_cells().is_some()
    }

    fn independent(&self, own: &OwnSampler<'_, G::Board>) -> Result<Report, BoardError> {
        let OwnSampler { name, draw, tries } = own;
        let choice = self.begin(Method::Own(name), Reason::Direct);
        let compile = self.started.elapsed();
        let seed = self.settings.seed;
        let generator = self.generator;
        let mut all = (0..).map(|part| {
            let drawn = draw(&mut stream(seed, part))?;
            Ok(drawn.filter(|board| generator.meets(board)))
        });
        let rejection = self.rejection(tries.unwrap_or(u64::MAX));
        let mut diagnostics = rejection.complete(&mut all)?.diagnostics();
        if tries.is_none() {
            diagnostics.clear();
        }
        Ok(Report::new(choice, diagnostics, compile))
    }

    /// Draws boards by rejection: from the boards of the generator without the costliest demands or, if these cost too much and the rules are often
    /// met, from independent cells.
    fn rejected(&self, reason: Reason) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let relaxed = generator.relaxed();
        let choice = self.begin(Method::Rejection, reason);
        let rejection = self.rejection(u64::MAX);
        if generator.is_often_met() && !relaxed.as_ref().is_some_and(is_quick) {
            let elements = relaxed.as_ref().unwrap_or(generator).elements()?;
            let compile = self.started.elapsed();
            let drawn = rejection.complete_by_elements(generator, &elements, settings.seed)?;
            return Ok(Report::new(choice, drawn.diagnostics(), compile));
        }
        let relaxed = relaxed.as_ref().unwrap_or(generator);
        let Some(exact) = settings.within(relaxed, settings.memory)? else {
            return Err(settings.too_large(relaxed, true));
        };
        if !exact.is_possible() {
            return Err(settings.conflict(relaxed)?);
        }
        let compile = self.started.elapsed();
        let mut all = self.met(exact.samples(settings.seed)?);
        let drawn = rejection.complete(&mut all)?;
        Ok(Report::new(choice, drawn.diagnostics(), compile))
    }

    pub(super) fn exactly(&self, exact: &ExactBoards<&G>) -> Result<Report, BoardError> {
        let settings = self.settings;
        if !exact.is_possible() {
            return Err(settings.conflict(self.generator)?);
        }
        self.boards.begin(Method::Exact);
        self.complete_exactly(exact, settings.seed)
    }

    pub(super) fn complete_exactly(
        &self,
        exact: &ExactBoards<&G>,
        seed: u64,
    ) -> Result<Report, BoardError> {
        let (settings, boards) = (self.settings, self.boards);
        let compile = self.started.elapsed();
        let cost = exact.cost();
        for board in exact.samples(seed)? {
            if boards.are_complete() || settings.watch.is_interrupted() {
                break;
            }
            boards.push(board?);
            settings.watch.tell(Event::Drawn {
                boards: boards.len() as u64,
                wanted: boards.wanted() as u64,
                tried: None,
            });
        }
        let choice = MethodChoice {
            method: Method::Exact,
            reason: Reason::Fits { bytes: cost.bytes },
        };
        Ok(Report {
            cost: Some(cost),
            ..Report::new(choice, Vec::new(), compile)
        })
    }

    /// Returns each board of the relaxed generator (the one without the costliest demands) that meets all demands, and `None` for each other board.
    pub(super) fn met(
        &self,
        boards: impl Iterator<Item = Result<G::Board, BoardError>>,
    ) -> impl Iterator<Item = Result<Option<G::Board>, BoardError>> {
        boards.map(|board| board.map(|board| self.generator.meets(&board).then_some(board)))
    }

    /// Creates an empty tally of boards drawn by rejection; the drawing ends after `tries` failures in a row, or earlier if Markov chains can draw
    /// the boards.
    pub(super) fn rejection(&self, tries: u64) -> RejectionTally<'_, G::Board> {
        /// Number of cells of rejected boards after which Markov chains are tried instead of rejection. Drawing as many as `CELLS` cells takes up to
        /// a few seconds (a sampler of mazes visits each room several times).
        const CELLS: u64 = 1 << 22;
        let most = match self.has_chains() {
            true => CELLS / self.generator.size().cells() as u64,
            false => u64::MAX,
        };
        RejectionTally::new(self.boards, &self.settings.watch, most.min(tries))
    }

    pub(super) fn begin(&self, method: Method, reason: Reason) -> MethodChoice {
        self.boards.begin(method);
        self.settings.turn(method, reason)
    }
}

/// True if the exact method is predicted to explore few states for the boards, or if there is no prediction.
fn is_quick<G: Generator>(generator: &G) -> bool {
    let predicted = generator.predicted_bytes();
    predicted.is_none_or(|bytes: f64| bytes <= UNPREDICTED_BYTES as f64)
}
