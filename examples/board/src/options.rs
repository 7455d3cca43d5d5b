//! The flags that all puzzles share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use figrs_command::{
    Bytes, Failure, Flag, check_distinct, check_report, check_writable, format_of, mebibytes,
    seconds, whole,
};
use figrs_models::grid::{Clues, GridError, Size, Symbol};

use crate::flags::{COUNT, SEED, STATS, TASK};
use crate::{ClueSource, read_clues};

/// The last section of the text that `--help` prints.
pub(crate) const DETAILS: &str = r#"JSON: one object; fields that do not apply are absent.
  {"system": "figrs", "puzzle": KIND, "n": side of a square board, "rows", "columns", "method", "seed",
   "puzzles": [BOARD, ...], "count": "decimal", "probability": p, "log_probability": x,
   "marginals": [[{VALUE: p}, ...], ...], "most_likely": BOARD, "solution": BOARD, "unique": true or false,
   "diagnostics": {...}, "stats": {...}, "cost": {"states", "bytes"}, "stopped": "time" or "interrupt",
   "seconds": {"compile", "sample"}}
  With the task most-likely, "probability" is that of the board among all allowed boards.
  With the task probability, "probability" is that of independent cells meeting all rules and demands.
  Logarithms are natural.
  A number that JSON cannot express is a string: the logarithm of zero is "-inf".

Diagnostics of the method chain:
  "r-hat" is above 1.05 if the chains may still differ; a note then says so.
  "effective boards" is the number of independent boards that are worth as much as the drawn boards; --stats states it too.
    Boards of one chain depend on each other, the more the nearer they are in the chain.
  "sweeps" is the number of sweeps: in each, a chain proposes as many changes as there are cells.
    A sweep of Yin-Yang also has at most 144 changes of the line between the colours.
  The chains end when no difference between them is seen, or after a fixed amount of work that takes some seconds.

Seconds:
  "compile" is the time before the first board.
  "sample" is the rest of the time, without printing.

Stats:
  The variation scores compare all pairs of the first 2000 boards, for square mazes, dungeons and chromatic mazes.
  The tests state p-values for the hypothesis that all boards have their exact distribution.
  The tests are about the values of single cells, the number of equal boards, and the lengths of paths.

Method auto:
  Mazes are drawn by wilson; all other tasks about mazes are answered by matrix-tree.
  Boards with demands on paths are drawn by rejection and by exact in turn, both from the same exact distribution.
    Each round has four times the work of the round before, until one of the methods has drawn all boards.
  Everything else is answered by exact if 16 MiB of states are enough, or if --memory is predicted to be enough.
    The prediction is made from smaller boards, and is mostly right within a factor of three.
  Otherwise boards are drawn by chain, after a note; chromatic mazes of up to 15 columns are drawn by rejection.
  If none of many boards of wilson or rejection in a row meets the demands, chain draws the boards, after a note.
  The JSON states the method that was used; for samples, the standard error states it too.

Ctrl-C and the end of --time end the command with the boards so far; the files are complete.
A second Ctrl-C ends it at once.

Exit code:
  0: there is an answer.
  1: the demands are impossible (count and probability still print zero), the budget is too small, or the command was
     stopped before it had a result.
  2: a file or an option is wrong."#;

// The group is skipped, because the programs that take these flags already have a group of this name.
/// The flags that all puzzles share.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// Task: a question about boards.
    #[arg(long, value_enum, default_value_t = Task::Sample)]
    pub task: Task,
    /// Size of boards; if not given, 8 by 8 (chromatic mazes 4 by 4).
    #[arg(long, value_name = "SIDE|ROWSxCOLUMNS")]
    pub(crate) size: Option<Size>,
    /// Number of boards that --task sample draws, up to a million; 1 if not given.
    #[arg(long, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) count: Option<u32>,
    /// Seed of the random numbers of --task sample; 0 if not given. The same seed gives the same boards.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Method that finds the answer.
    #[arg(long, default_value = "auto")]
    pub method: String,
    /// Memory for the states of --method exact, or for all particles, such as 512MiB or 6GiB; the messages of --method exact may take as much memory
    /// again. A number without a unit is in MiB; the default is 1GiB.
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    pub(crate) memory: Option<Bytes>,
    /// Stop after this many seconds, or a second later, with the answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Format of the answer: readable text, JSON with full precision, or a picture (needs --out); several boards become a page. If not given, the
    /// extension of --out decides (.txt, .clues, .json, .png); without such an extension the format is text.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the answer to this file; an existing file is replaced when the answer is complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Also write the answer to this file, as an HTML page with pictures of up to 24 boards. The page needs no other files.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Report the variation of the boards of --task sample, and tests of their distribution; in text format the report replaces the boards.
    #[arg(long)]
    pub stats: bool,
}

/// A question about boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Task {
    /// Draw boards with exactly their probabilities.
    Sample,
    /// Count the boards.
    Count,
    /// The probability that independently drawn cells meet all rules and demands.
    Probability,
    /// The probability of each value of each cell.
    Marginals,
    /// The most probable board.
    MostLikely,
    /// Find a board that meets the demands, and whether it is the only one.
    Solve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Png,
}

impl Options {
    /// Returns the size of boards that the option --size gives; without this option, a square with the default side.
    ///
    /// **Errors.** A grid cannot have the default side.
    pub fn size_or(&self, usual: usize) -> Result<Size, GridError> {
        self.size.map_or_else(|| Size::new(usual, usual), Ok)
    }

    /// Returns the given clues; without clues, a board without known cells of the size that [`size_or`](Self::size_or) returns.
    ///
    /// **Errors.** The clues have a mistake, or a grid cannot have the default side.
    pub fn clues_or_none<C: Symbol>(
        &self,
        given: Option<&ClueSource>,
        usual: usize,
    ) -> Result<Clues<C>, Failure> {
        match given {
            Some(source) => read_clues(source),
            None => Ok(Clues::none(self.size_or(usual)?)),
        }
    }

    /// Returns the number of boards, one if not given.
    pub fn count(&self) -> usize {
        self.count.unwrap_or(1) as usize
    }

    /// The seed, 0 if not given.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Returns the memory in bytes, one GiB if not given.
    pub fn memory(&self) -> Bytes {
        self.memory.unwrap_or(Bytes(1 << 30))
    }

    /// Returns the format given by --format, or else by the extension of --out.
    pub(crate) fn format(&self) -> Format {
        self.checked_format().unwrap_or(Format::Text)
    }

    /// Returns the format of the answer; an error if the extension of the file of --out is that of no format.
    fn checked_format(&self) -> Result<Format, Failure> {
        let formats = [
            ("txt", Format::Text),
            ("clues", Format::Text),
            ("json", Format::Json),
            ("png", Format::Png),
        ];
        format_of(self.format, self.out.as_deref(), &formats)
    }

    /// Rejects options that have no effect on the task.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.task != Task::Sample {
            for (given, option) in [
                (self.count.is_some(), COUNT),
                (self.seed.is_some(), SEED),
                (self.stats, STATS),
            ] {
                if given {
                    return Err(format!("{option} needs {TASK} sample").into());
                }
            }
        }
        self.checked_format()?;
        self.out.as_deref().map_or(Ok(()), check_writable)?;
        self.report.as_deref().map_or(Ok(()), check_report)?;
        check_distinct(&[
            ("--out", self.out.as_deref()),
            ("--report", self.report.as_deref()),
        ])?;
        if self.stats && self.count() < 2 {
            return Err(format!("{STATS} needs {COUNT} 2 or more").into());
        }
        if self.format() == Format::Png {
            if self.out.is_none() {
                return Err("--format png needs --out FILE".into());
            }
            if self.stats || !self.task.has_boards() {
                return Err(
                    "--format png needs --task sample, most-likely or solve, without --stats"
                        .into(),
                );
            }
        }
        Ok(())
    }

    /// Rejects an option about the display of boards if the task displays no boards.
    pub(crate) fn shows_boards(&self, option: Flag<'_>) -> Result<(), Failure> {
        let are_shown = !self.stats || self.format() == Format::Json || self.report.is_some();
        if self.task.has_boards() && are_shown {
            return Ok(());
        }
        Err(format!(
            "{option} needs boards that are shown: {TASK} sample, most-likely or solve, without {STATS} in text"
        )
        .into())
    }
}

impl Task {
    /// True if the answer contains boards.
    pub(crate) fn has_boards(self) -> bool {
        matches!(self, Self::Sample | Self::MostLikely | Self::Solve)
    }
}
