//! The exact engine without the demands that are too much for it.

use std::time::Instant;

use crate::Failure;
use crate::board::{Drawn, Engine, NoAnswer, Options, Puzzle, too_large};
use crate::rejection::kept;

/// Draws from a puzzle without a demand, and keeps the boards that meet it.
pub(crate) fn by_rejection<P: Puzzle>(
    relaxed: &P,
    options: &Options,
    meets: impl Fn(&P::Board) -> bool,
) -> Result<Drawn<P::Board>, Failure> {
    let (needed, memory) = (relaxed.predicted_bytes(), options.memory());
    if needed > memory as f64 {
        let what = "without demands on ways --method exact would still need";
        let told = too_large(what, needed, memory);
        let told = format!("{told}; allow more, or use a smaller board");
        return Err(Box::new(NoAnswer(told)));
    }
    let started = Instant::now();
    let engine = Engine::compile(&relaxed.program()?, relaxed.side(), memory)?;
    let compile = started.elapsed().as_secs_f64();
    let boards = engine.samples(options.seed())?;
    let boards = boards.map(|cells| Ok(relaxed.board(cells?)?));
    let (boards, share) = kept(options.count(), boards, meets)?;
    Ok(Drawn {
        boards,
        compile,
        diagnostics: vec![("acceptance", share)],
    })
}
