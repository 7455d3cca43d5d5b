//! Choice of the method that draws boards, and drawing by it.

use std::time::Instant;

use figrs_core::stream;

use super::conditional_sampler::{ConditionalSampler, UNPREDICTED_BYTES};
use super::rejection::RejectionTally;
use super::watch::Event;
use super::{
    BoardError, Chains, DrawnBoards, ExactBoards, Generator, Method, MethodChoice, OwnSampler,
    Reason, Report, particles,
};

/// A drawing under way.
pub(super) struct BoardDrawing<'a, G: Generator> {
    pub(super) settings: &'a ConditionalSampler,
    pub(super) generator: &'a G,
    pub(super) boards: &'a DrawnBoards<G::Board>,
    pub(super) started: Instant,
}

impl<G: Generator> BoardDrawing<'_, G> {
    /// Draws by the first method that can; see [`ConditionalSampler`].
    pub(super) fn draw(&self) -> Result<Report, BoardError> {
        let settings = self.settings;
        let own = self.generator.sampler();
        let own = own.filter(|own| settings.allows(Method::Own(own.name())));
        if let Some(OwnSampler::Independent {
            name,
            draw,
            rejects,
        }) = &own
        {
            let drawn = self.independent(name, draw, *rejects);
            if !matches!(drawn, Err(BoardError::NoneMet { .. })) {
                return drawn;
            }
            // Another method may draw boards that are too rare for it, or find that there are none.
            return match self.draw_by_elements(None) {
                found @ (Ok(_) | Err(BoardError::NoSolution { .. })) => found,
                Err(_) => drawn,
            };
        }
        self.draw_by_elements(own.as_ref())
    }

    /// Draws by the first method that can, but for a sampler of independent boards.
    fn draw_by_elements(
        &self,
        own: Option<&OwnSampler<'_, G::Board>>,
    ) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let exact = settings.allows(Method::Exact);
        let relaxed = generator.relaxed();
        // Without both it would be the exact method by another name.
        let rejects = relaxed.is_some() || generator.is_often_met();
        let rejection = settings.allows(Method::Rejection)
            && (rejects || settings.only() == Some(Method::Rejection));
        let relaxed = relaxed.filter(|_| rejection);
        if !exact {
            return self.other(own, rejection, Reason::Asked);
        }
        if rejection && generator.is_often_met() {
            let cheapest = relaxed.as_ref().unwrap_or(generator);
            if !is_quick(cheapest) {
                return self.rejected(Reason::OftenMet);
            }
        }
        let told = match &relaxed {
            Some(relaxed) => self.in_turn(relaxed),
            None => settings
                .exact(generator)
                .and_then(|exact| self.exactly(&exact)),
        };
        // The next method, if there is one, or the error.
        let reason = match &told {
            Err(BoardError::TooLarge { .. }) => self.too_large(),
            Err(error) if error.is_without_elements() => Reason::NoElements,
            _ => return told,
        };
        let rejection = rejection && relaxed.is_none() && generator.is_often_met();
        match self.other(own, rejection, reason) {
            Err(BoardError::NoMethod) => told,
            // Particles need the program too.
            Err(error) if error.is_without_elements() => told,
            drawn => drawn,
        }
    }

    /// The states of the exact method do not fit into memory.
    pub(super) fn too_large(&self) -> Reason {
        Reason::TooLarge {
            predicted: self.settings.excess(self.generator),
            limit: self.settings.memory,
        }
    }

    /// Draws by another method than the exact one.
    fn other(
        &self,
        own: Option<&OwnSampler<'_, G::Board>>,
        rejection: bool,
        reason: Reason,
    ) -> Result<Report, BoardError> {
        let settings = self.settings;
        if let Some(OwnSampler::Chains { name, draw }) = own {
            let choice = self.begin(Method::Own(name), reason);
            let compile = self.started.elapsed();
            let drawn = draw(&Chains {
                wanted: self.boards.wanted(),
                seed: settings.seed,
                watch: &settings.watch,
            })?;
            for board in drawn.boards {
                self.boards.push(board);
            }
            return Ok(Report::new(choice, drawn.diagnostics, compile));
        }
        let particles = settings.allows(Method::Particles);
        if rejection {
            let drawn = self.rejected(reason);
            if !matches!(drawn, Err(BoardError::TooLarge { .. }) if particles) {
                return drawn;
            }
        }
        if !particles {
            return Err(BoardError::NoMethod);
        }
        let elements = self.generator.elements()?;
        let choice = self.begin(Method::Particles, reason);
        let compile = self.started.elapsed();
        let budget = (settings.memory, settings.seed);
        let (generator, boards) = (self.generator, self.boards);
        let drawn = particles::draw(generator, &elements, budget, boards, &settings.watch)?;
        Ok(Report::new(choice, drawn, compile))
    }

    /// Draws by a sampler of independent boards.
    fn independent(
        &self,
        name: &'static str,
        draw: impl Fn(&mut figrs_core::Stream) -> G::Board,
        rejects: bool,
    ) -> Result<Report, BoardError> {
        let choice = self.begin(Method::Own(name), Reason::Direct);
        let compile = self.started.elapsed();
        let seed = self.settings.seed;
        let mut all = (0..).map(|part| Ok(draw(&mut stream(seed, part))));
        let rejection = RejectionTally::new(self.boards, &self.settings.watch);
        let meets = |board: &G::Board| self.generator.meets(board);
        let mut diagnostics = rejection.complete(&mut all, meets)?.diagnostics();
        if !rejects {
            diagnostics.clear();
        }
        Ok(Report::new(choice, diagnostics, compile))
    }

    /// Draws by rejection: of boards without the demands that cost most, or where those cost too much and the rules are often met, of
    /// independent cells.
    fn rejected(&self, reason: Reason) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let relaxed = generator.relaxed();
        let choice = self.begin(Method::Rejection, reason);
        let rejection = RejectionTally::new(self.boards, &settings.watch);
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
        let mut all = exact.samples(settings.seed)?;
        let drawn = rejection.complete(&mut all, |board| generator.meets(board))?;
        Ok(Report::new(choice, drawn.diagnostics(), compile))
    }

    /// Draws by the exact method.
    pub(super) fn exactly(&self, exact: &ExactBoards<'_, G>) -> Result<Report, BoardError> {
        let settings = self.settings;
        if !exact.is_possible() {
            return Err(settings.conflict(self.generator)?);
        }
        self.boards.begin(Method::Exact);
        self.complete_exactly(exact, settings.seed)
    }

    /// Draws the boards that are still wanted by the exact method.
    pub(super) fn complete_exactly(
        &self,
        exact: &ExactBoards<'_, G>,
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

    /// Turns to a method.
    pub(super) fn begin(&self, method: Method, reason: Reason) -> MethodChoice {
        self.boards.begin(method);
        self.settings.turn(method, reason)
    }
}

/// True if the exact method is predicted to explore few states, or nothing is predicted.
fn is_quick<G: Generator>(generator: &G) -> bool {
    let predicted = generator.predicted_bytes();
    predicted.is_none_or(|bytes: f64| bytes <= UNPREDICTED_BYTES as f64)
}
