//! Boards that meet demands, among those that need not.

use crate::Failure;
use crate::board::{NoAnswer, Progress};

/// How many boards in a row may fail.
const TRIES: u64 = 1_000_000;

/// The first boards that meet a demand, and the share of those that did; their distribution is exactly that of the boards given the
/// demand.
pub(crate) fn kept<B>(
    count: usize,
    boards: impl Iterator<Item = Result<B, Failure>>,
    meets: impl Fn(&B) -> bool,
) -> Result<(Vec<B>, f64), Failure> {
    let progress = Progress::of("boards", Some(count as u64));
    let (mut kept, mut tried, mut in_vain) = (Vec::new(), 0u64, 0);
    for board in boards {
        let board = board?;
        tried += 1;
        in_vain += 1;
        if meets(&board) {
            kept.push(board);
            in_vain = 0;
        }
        if kept.len() == count {
            break;
        }
        if in_vain == TRIES {
            let told = format!(
                "none of {TRIES} boards in a row met the demands on ways: they are impossible or very rare; demand less"
            );
            return Err(Box::new(NoAnswer(told)));
        }
        progress.set(kept.len() as u64);
    }
    progress.finish();
    let share = kept.len() as f64 / tried.max(1) as f64;
    Ok((kept, share))
}
