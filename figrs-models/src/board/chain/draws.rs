//! Draws boards by several Markov chains, which run until their diagnostics show no difference between the chains.

use figrs_reading::Mistake;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use figrs_core::Value;
use figrs_infer::diagnostics::{bulk_ess, r_hat};
use figrs_infer::in_order;

use super::RuledCells;
use super::tempered::TemperedChain;
use crate::board::watch::{BoardWatch, Event};
use crate::board::{BoardError, DrawnBoards, Generator, Method};
use crate::grid::{Position, Size};

/// Minimum number of stored boards of each Markov chain for the diagnostics: the R-hat of 128 independent boards is below 1.05.
const FEWEST: usize = 128;
/// Largest R-hat at which Markov chains count as converged.
const MOST_R_HAT: f64 = 1.05;
/// Effective sample size that all Markov chains together must reach: a share of the number of boards in the diagnostics, but no more than an upper
/// limit.
const EFFECTIVE: (f64, f64) = (0.25, 400.0);
/// Maximum number of changes per cell of the board that a Markov chain may propose: first until it finds a board that follows all rules, then from
/// that board on.
const WORK: (u64, u64) = (1 << 18, 1 << 20);
/// Maximum number of changes that a Markov chain may propose for a board of any size: first until it finds a board that follows all rules (up to half
/// a minute on one core), then from that board on.
const MOST_WORK: (u64, u64) = (1 << 28, 1 << 26);
/// Maximum number of different cell values that the diagnostics track, each by the number of cells with this value and the mean position of these
/// cells.
const MOST_VALUES: usize = 8;

/// Maximum number of Markov chains; if fewer boards are to be drawn, there are as many chains as boards, but at least two.
pub(in crate::board) const MOST_CHAINS: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(in crate::board) struct ChainLimits {
    pub(in crate::board) memory: u64,
    pub(in crate::board) seed: u64,
    /// Maximum number of changes that each Markov chain may propose until it finds a board that follows all rules, and again from that board on.
    pub(in crate::board) work: u64,
}

#[derive(Debug)]
pub(in crate::board) struct ChainDraw {
    pub(in crate::board) diagnostics: Vec<(&'static str, f64)>,
    pub(in crate::board) is_cut: bool,
    /// True if the Markov chains count as converged (by R-hat) and their effective sample size is large enough.
    pub(in crate::board) is_settled: bool,
}

/// Returns the least number of changes that all Markov chains together propose, if the number of boards to draw does not exceed the number of chains.
pub(in crate::board) fn least_work(size: Size, wanted: usize) -> u64 {
    (2 * FEWEST * chains_for(wanted) * size.cells()) as u64
}

fn chains_for(wanted: usize) -> usize {
    wanted.clamp(2, MOST_CHAINS)
}

/// A Markov chain with its stored boards; the chain makes a few sweeps over the cells between two stored boards.
struct KeptChain<C> {
    chain: TemperedChain<C>,
    boards: Vec<Vec<C>>,
    /// For each stored board, the numbers (such as the number of cells with a value) by which the diagnostics compare Markov chains.
    measures: Vec<Vec<f64>>,
}

impl<C: Value> KeptChain<C> {
    fn keep(&mut self, size: Size, palette: &[C]) {
        let cells = self.chain.cells();
        let mut measures = moments(size, cells, palette);
        measures.extend(self.chain.measures());
        self.measures.push(measures);
        self.boards.push(cells.to_vec());
    }
}

/// Draws random boards by Markov chains.
///
/// Each Markov chain first searches for a board that follows all rules. After its first valid board, a Markov chain stores a board after every sweep.
/// A Markov chain that has stored twice as many boards as the diagnostics use drops every second board, and doubles the number of sweeps between
/// stored boards. Sampling ends when the diagnostics show that the later halves of all Markov chains agree, or when the work limit is reached.
pub(in crate::board) fn draw<G: Generator>(
    generator: &G,
    limits: ChainLimits,
    boards: &DrawnBoards<G::Board>,
    watch: &BoardWatch,
) -> Result<ChainDraw, BoardError> {
    let size = generator.size();
    let Some(mut ruled) = generator.ruled_cells() else {
        return Err(BoardError::NoMethod);
    };
    let clues = excluding_none(&mut ruled, size)?;
    let ChainLimits { memory, seed, work } = limits;
    let number = chains_for(boards.wanted());
    let wanted = boards.wanted().div_ceil(number);
    let half = wanted.max(FEWEST);
    // Each Markov chain returns only the later half of its stored boards, to which the diagnostics apply.
    let fewest = 2 * wanted.max(4);
    let bytes = size.cells() as f64 * size_of::<G::Cell>() as f64 * (2 * half * number) as f64;
    if bytes > memory as f64 {
        return Err(BoardError::TooLarge {
            method: Method::Chain,
            predicted: Some(bytes),
            limit: memory,
            is_relaxed: false,
        });
    }
    let most_work = |each: u64, most: u64| (each * size.cells() as u64).min(most).min(work);
    let (to_first, to_end) = (
        most_work(WORK.0, MOST_WORK.0),
        most_work(WORK.1, MOST_WORK.1),
    );
    let palette = palette(&ruled);
    let swept = AtomicU64::new(0);
    let goes_on = || {
        let sweeps = swept.fetch_add(1, Ordering::Relaxed) + 1;
        watch.tell(Event::Swept { sweeps });
        !watch.is_interrupted()
    };
    let is_wanted = || !watch.is_interrupted();
    let make = || generator.ruled_cells();
    let chains = (0..number as u64).map(|number| TemperedChain::new(&make, seed, number));
    let chains = chains.map(|chain| {
        let chain = chain.ok_or_else(no_start)?;
        let (boards, measures) = (Vec::new(), Vec::new());
        Ok(Mutex::new(KeptChain {
            chain,
            boards,
            measures,
        }))
    });
    let mut chains = chains.collect::<Result<Vec<_>, BoardError>>()?;

    each(&chains, |kept| {
        let is_fixed = kept.chain.is_fixed();
        while !is_fixed && !kept.chain.is_found() && kept.chain.work < to_first && goes_on() {
            kept.chain.sweep(&is_wanted);
        }
        kept.chain.work = 0;
    });
    let search = swept.load(Ordering::Relaxed);
    let is_fixed = chains.iter_mut().all(|chain| of(chain).chain.is_fixed());
    let nearest = chains.iter_mut().map(|chain| of(chain).chain.violation());
    let nearest = nearest.min().unwrap_or(u32::MAX);
    chains.retain_mut(|chain| of(chain).chain.is_found());
    if chains.is_empty() {
        let sweeps = search;
        return match () {
            () if is_fixed => Err(excluded(size, clues)),
            () if watch.is_interrupted() => Ok(ChainDraw {
                diagnostics: Vec::new(),
                is_cut: true,
                is_settled: false,
            }),
            () => Err(BoardError::NotFound { sweeps, nearest }),
        };
    }

    let fewest_effective = EFFECTIVE.1.min(EFFECTIVE.0 * (half * chains.len()) as f64);
    let mut between = 1;
    let (diagnostics, is_settled, kept) = loop {
        each(&chains, |kept| {
            let goes_to = |kept: &KeptChain<_>| match kept.chain.work < to_end {
                true => 2 * half,
                false => fewest,
            };
            while kept.boards.len() < goes_to(kept) {
                for _ in 0..between {
                    if !goes_on() {
                        return;
                    }
                    kept.chain.sweep(&is_wanted);
                }
                kept.keep(size, &palette);
            }
        });
        let work = chains.iter_mut().map(|chain| of(chain).chain.work).max();
        let is_over = work.is_none_or(|work| work >= to_end);
        if watch.is_interrupted() {
            keep_what_there_is(&mut chains, size, &palette);
        }
        let fewest = chains.iter_mut().map(|chain| of(chain).boards.len()).min();
        let later = fewest.map_or(0..0, |fewest| fewest / 2..fewest);
        if watch.is_interrupted() {
            // The sampler returns boards before it computes the diagnostics, because the diagnostics of many boards take long.
            spread(generator, &mut chains, later.clone(), boards)?;
            let kept = later.len();
            break (worst(&mut chains, later), false, kept);
        }
        let diagnostics = worst(&mut chains, later.clone());
        let is_enough = diagnostics.0 <= MOST_R_HAT && diagnostics.1 >= fewest_effective;
        if is_enough || is_over {
            let kept = later.len();
            spread(generator, &mut chains, later, boards)?;
            break (diagnostics, is_enough, kept);
        }
        leave_out_every_second(&mut chains);
        between *= 2;
    };
    let time = (kept * chains.len()) as f64 / diagnostics.1;
    let effective = effective_boards(time, (kept, chains.len()), boards.len());
    let diagnostics = vec![
        ("r-hat", diagnostics.0),
        ("effective boards", effective),
        ("chains", chains.len() as f64),
        ("sweeps to a first board", search as f64),
        ("sweeps between boards", f64::from(between)),
    ];
    Ok(ChainDraw {
        diagnostics,
        is_cut: watch.is_interrupted(),
        is_settled,
    })
}

/// Returns the positions of a puzzle's clues, unless a single rule is known to exclude all boards.
///
/// **Errors.** [`BoardError::NoSolution`] if a rule excludes all boards.
fn excluding_none<C: Value>(
    ruled: &mut RuledCells<C>,
    size: Size,
) -> Result<Vec<Position>, BoardError> {
    let clues = std::mem::take(&mut ruled.clues);
    if ruled.may_be_kept() {
        return Ok(clues);
    }
    ruled.open(&clues);
    let to_blame = if ruled.may_be_kept() {
        clues
    } else {
        Vec::new()
    };
    Err(excluded(size, to_blame))
}

/// Returns the error that the clues `clues` exclude all boards or, if there are no clues, that the rules and bounds exclude them. The error does not
/// state which clues of the puzzle contradict each other, nor whether a board without clues is possible.
fn excluded(size: Size, clues: Vec<Position>) -> BoardError {
    BoardError::NoSolution {
        size,
        is_minimal: clues.is_empty(),
        clues,
    }
}

/// Stores the present board of each interrupted Markov chain that has not stored a board yet. Drops the Markov chains that have stored less than half
/// as many boards as the chain with the most boards.
fn keep_what_there_is<C: Value>(chains: &mut Vec<Mutex<KeptChain<C>>>, size: Size, palette: &[C]) {
    for chain in &mut *chains {
        let kept = of(chain);
        if kept.boards.is_empty() {
            kept.keep(size, palette);
        }
    }
    let most = chains.iter_mut().map(|chain| of(chain).boards.len()).max();
    let most = most.unwrap_or(0).max(1);
    chains.retain_mut(|chain| 2 * of(chain).boards.len() >= most);
}

fn leave_out_every_second<C: Value>(chains: &mut [Mutex<KeptChain<C>>]) {
    for chain in chains {
        let kept = of(chain);
        let mut number = 0;
        kept.boards.retain(|_| is_second(&mut number));
        number = 0;
        kept.measures.retain(|_| is_second(&mut number));
    }
}

fn is_second(number: &mut usize) -> bool {
    *number += 1;
    number.is_multiple_of(2)
}

/// Adds stored boards of the Markov chains to the collection `boards`; the chains take turns. The added boards of a Markov chain are equally spaced
/// among its stored boards, and include its last board.
fn spread<G: Generator>(
    generator: &G,
    chains: &mut [Mutex<KeptChain<G::Cell>>],
    later: std::ops::Range<usize>,
    boards: &DrawnBoards<G::Board>,
) -> Result<(), BoardError> {
    let wanted = boards.wanted().div_ceil(chains.len()).min(later.len());
    for number in 1..=wanted {
        let place = later.start + number * later.len() / wanted - 1;
        for chain in &mut *chains {
            if boards.len() < boards.wanted() {
                let cells = of(chain).boards[place].clone();
                boards.push(generator.board(cells)?);
            }
        }
    }
    Ok(())
}

/// Returns the effective number of boards: how many independent boards carry the same information as `drawn` boards of `chains` Markov chains. Each
/// Markov chain stored `kept` boards with an autocorrelation time of `time` stored boards; the result is NaN if `time` is unknown.
///
/// Boards of different Markov chains count as independent; boards of one chain are treated as an autoregression of first order.
fn effective_boards(time: f64, (kept, chains): (usize, usize), drawn: usize) -> f64 {
    let each = drawn.div_ceil(chains.max(1)).clamp(1, kept.max(1));
    let apart = kept as f64 / each as f64;
    if time.is_nan() {
        return f64::NAN;
    }
    let time = time.max(1.0);
    let correlation = ((time - 1.0) / (time + 1.0)).powf(apart);
    let pairs =
        (1..each).map(|lag| (1.0 - lag as f64 / each as f64) * correlation.powi(lag as i32));
    drawn as f64 / (1.0 + 2.0 * pairs.sum::<f64>())
}

/// Returns the largest R-hat and the smallest effective sample size over all numbers by which the diagnostics describe stored boards.
fn worst<C>(chains: &mut [Mutex<KeptChain<C>>], later: std::ops::Range<usize>) -> (f64, f64) {
    if later.len() < 4 {
        return (f64::NAN, f64::NAN);
    }
    let kept: Vec<&KeptChain<C>> = chains.iter_mut().map(|chain| &*of(chain)).collect();
    let numbers = kept.first().and_then(|kept| kept.measures.first());
    let (mut apart, mut effective) = (1.0f64, (kept.len() * later.len()) as f64);
    for number in 0..numbers.map_or(0, Vec::len) {
        let series = |kept: &&KeptChain<C>| -> Vec<f64> {
            let measures = kept.measures[later.clone()].iter();
            measures
                .map(|measures| measures.get(number).copied().unwrap_or(0.0))
                .collect()
        };
        let series: Vec<Vec<f64>> = kept.iter().map(series).collect();
        let first = series.first().and_then(|one| one.first()).copied();
        if series.iter().flatten().all(|&value| Some(value) == first) {
            // A constant measure has no diagnostics.
            continue;
        }
        let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        let (one, other) = (r_hat(&series), bulk_ess(&series));
        if one.is_nan() || other.is_nan() {
            return (f64::NAN, f64::NAN);
        }
        apart = apart.max(one);
        effective = effective.min(other);
    }
    (apart, effective)
}

/// Returns the values that cells may have, of all cells that may change.
fn palette<C: Value>(ruled: &RuledCells<C>) -> Vec<C> {
    let mut values: Vec<C> = Vec::new();
    for kind in ruled.kinds.iter().filter(|kind| kind.values.len() > 1) {
        for value in &kind.values {
            if values.len() < MOST_VALUES && !values.iter().any(|known| known.same(value)) {
                values.push(value.clone());
            }
        }
    }
    values
}

/// Returns, for each cell value in `palette`, the number of cells with this value, and the mean row and column of these cells.
fn moments<C: Value>(size: Size, cells: &[C], palette: &[C]) -> Vec<f64> {
    let mut moments = vec![0.0; 3 * palette.len()];
    for (at, cell) in size.positions().zip(cells) {
        if let Some(value) = palette.iter().position(|value| value.same(cell)) {
            moments[3 * value] += 1.0;
            moments[3 * value + 1] += at.row as f64;
            moments[3 * value + 2] += at.column as f64;
        }
    }
    for value in moments.chunks_mut(3) {
        let number = value[0].max(1.0);
        value[1] /= number;
        value[2] /= number;
    }
    moments
}

/// Runs the function `work` on each Markov chain, on as many threads as there are cores; each chain has its own random numbers.
fn each<C: Value>(chains: &[Mutex<KeptChain<C>>], work: impl Fn(&mut KeptChain<C>) + Sync) {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let ran = in_order(
        threads.min(chains.len()),
        (0..chains.len() as u64, 1),
        || Ok(()),
        |(), number| {
            let chain = &chains[number as usize];
            work(&mut chain.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(())
        },
        |()| ControlFlow::Continue(()),
    );
    // `work` returns no errors; an error here is a panic of `work`.
    if let Err(panic) = ran {
        std::panic::resume_unwind(Box::new(panic.to_string()));
    }
}

fn of<C>(chain: &mut Mutex<KeptChain<C>>) -> &mut KeptChain<C> {
    chain.get_mut().unwrap_or_else(PoisonError::into_inner)
}

fn no_start() -> BoardError {
    let mistake = Mistake::value(
        "the first board of a Markov chain has forbidden values in some cells, or a rule forbids the board",
        "start from another board (`RuledCells::start`)",
    );
    BoardError::Grid(mistake.into())
}

#[cfg(test)]
mod tests {
    use super::effective_boards;

    #[test]
    fn boards_of_one_chain_count_less_the_nearer_they_are() {
        let effective = |drawn| effective_boards(9.0, (128, 4), drawn);
        // Each board is from a different chain.
        assert_eq!(effective(4), 4.0);
        // Boards that are many times the autocorrelation time apart are nearly independent.
        assert!((effective(8) - 8.0).abs() < 1e-4 && effective(40) > 35.0);
        let all = effective(512);
        assert!((all - 512.0 / 9.0).abs() < 4.0, "{all}");
        assert!(
            effective(300) < 70.0 && effective(300) > 50.0,
            "{}",
            effective(300)
        );
        // If the boards are not correlated, all boards count as effective.
        assert_eq!(effective_boards(1.0, (128, 4), 512), 512.0);
        assert!(effective_boards(f64::NAN, (2, 2), 4).is_nan());
    }
}
