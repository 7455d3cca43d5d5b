//! Options of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use figrs_command::{Bytes, Failure, check_writable, format_of, mebibytes, seconds, whole};
use figrs_gdl::{GroundingLimits, Length, Policy};

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"Plans: a plan is a sequence of legal actions from the start to a state in which the puzzle ends with its goal met.
  The puzzle does not end before the last action.
  Without --steps and --at-most, the plans are the shortest ones.

JSON: one object; fields that do not apply are absent.
  --task solve        {"plan": [ACTION, ...], "length": n, "plans": "DIGITS"}
  --task count        {"count": "DIGITS"}
  --task probability  {"probability": p, "log_probability": x}, of the goal
  --task marginals    {"marginals": [{ACTION: p, ...}, ...]}, for each step; "(ended)" is not an action
  --task most-likely  {"plan": [...], "length": n, "log_probability": x}, of plan and goal together
  --task sample       {"samples": [{"plan": [...], "length": n}, ...], "distinct": m}; m is the number of different plans
  If a search found the plan, "plans" is absent, and "shortest": true or false and "at_least": n are present.
    "at_least" is the smallest number of steps that is not excluded.
  "length" is the length of the plans if all have the same.
  "standard_error" is that of an estimated "log_probability".
  "stats" is present with --stats:
    {"facts", "actions", "ground_rules", "largest_frontier", "bytes", "steps", "repeated_steps", "searched_states"}
  "stopped": "time" or "interrupt" is present if there are fewer samples than --count.
    It is also present if the plan of a search is not yet proven to be the shortest.
  "seconds": {"compile", "sample"} is always present.
  Logarithms are natural; the logarithm of zero is the string "-inf".

Pictures: there is no --format png, because puzzles of any kind have no common picture.

Ctrl-C and the end of --time end the command with the samples so far; the files are complete.
A second Ctrl-C ends it at once.

Exit code:
  0: there is an answer.
  1: there is no plan (count and probability still print zero), a budget is too small, or the time is over.
  2: the rules or an option are wrong."#;

/// Solves a puzzle written in the Game Description Language (KIF): a shortest plan, the number of plans, or random plans.
///
/// The rules may use role (one), init, legal, does, next, terminal, goal, true, distinct, or, and, not; comments go from `;` to the end of the line;
/// upper and lower case are the same. The same seed gives the same plans.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
pub(crate) struct Options {
    /// File with the rules of the puzzle.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// Task: a question about plans.
    #[arg(long, value_enum, default_value_t = Task::Solve)]
    pub(crate) task: Task,
    /// Plans of exactly this many steps.
    #[arg(long, conflicts_with = "at_most", value_parser = steps())]
    pub(crate) steps: Option<u32>,
    /// Plans of this many steps or fewer.
    #[arg(long, value_name = "STEPS", value_parser = steps())]
    pub(crate) at_most: Option<u32>,
    /// Maximum number of steps in the search for the shortest plans (default 1000).
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["steps", "at_most"], value_parser = steps())]
    pub(crate) max_steps: Option<u32>,
    /// Smallest value of `goal` that counts as solved.
    #[arg(long, default_value_t = 100, value_parser = whole::<u8>(0..=100))]
    pub(crate) goal: u8,
    /// Distribution of actions, which determines the probabilities of plans (default blind).
    #[arg(long, value_enum)]
    pub(crate) policy: Option<Draw>,
    /// Method that finds the answer.
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub(crate) method: Method,
    /// Work of the exact method in the first round of --method auto, and of the search for a shorter plan, in units of about a second on a machine of
    /// 2025 (default 5). Work is counted in steps, so that it is the same on every machine. In each round of --method auto the search for one plan
    /// does twice the work of the exact method, and each round has 8 times the work of the round before.
    #[arg(long, value_parser = whole::<u32>(1..=100_000))]
    pub(crate) effort: Option<u32>,
    /// Number of particles for --method particles (default 10000).
    #[arg(long, value_parser = whole::<u32>(1..=10_000_000))]
    pub(crate) particles: Option<u32>,
    /// Number of plans that --task sample draws (default 10).
    #[arg(long, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) count: Option<u32>,
    /// Seed of the random numbers (default 0).
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Memory for the states and the transitions between them, such as 512MiB or 6GiB; messages may take as much memory again. A number without a
    /// unit is in MiB; the default is 1GiB. The option does not apply to --method particles.
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    pub(crate) memory: Option<Bytes>,
    /// Factor that multiplies the limits on grounded rules: a million facts, two million rules, 200 million examined facts (default 1).
    #[arg(long, value_name = "TIMES", value_parser = whole::<u32>(1..=100))]
    grounding: Option<u32>,
    /// Stop after this many seconds, or a second later, with the answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Report the size of the puzzle, and the number of states.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Format of the answer: readable text, or JSON. If not given, the extension of --out decides (.txt, .json); without such an extension
    /// the format is text.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the answer to this file instead of the standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn steps() -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    whole::<u32>(0..=100_000)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// A plan, and the number of plans that have the same length.
    Solve,
    /// The number of plans.
    Count,
    /// The probability that actions drawn by the policy form a plan.
    Probability,
    /// The probability of each action at each step of a plan.
    Marginals,
    /// The most probable plan; the first one if several have this probability.
    MostLikely,
    /// Independently drawn plans.
    Sample,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Exact. For --task solve, the exact method and a search for one plan alternate in rounds of growing work, until one has an answer or both need
    /// more --memory.
    Auto,
    /// Exact. A breadth-first search through the states finds the length of a shortest plan.
    Frontier,
    /// Exact. Elimination in the tropical semiring over all --max-steps steps finds the length of a shortest plan.
    Tropical,
    /// One plan, for --task solve: a best-first search, guided by relaxed plans and the value of the goal, and then a search for a shorter plan. The
    /// answer states if no plan is shorter.
    Search,
    /// Approximate inference with little memory: particles that meet the evidence step by step. The method applies to --task probability and sample,
    /// with --steps or --at-most.
    Particles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Draw {
    /// Actions are drawn uniformly from all actions, legal or not: all plans are equally likely.
    Blind,
    /// Actions are drawn uniformly from the legal actions: the probability of a plan is the probability that a player who knows only the rules finds
    /// it by chance.
    Legal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Options {
    /// Rejects options that have no effect.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            check_writable(path)?;
        }
        let particles = self.method == Method::Particles;
        if particles && !matches!(self.task, Task::Probability | Task::Sample) {
            return Err("--method particles needs --task probability or sample".into());
        }
        if particles && self.length().is_none() {
            return Err("--method particles needs --steps or --at-most".into());
        }
        if self.method == Method::Search && self.task != Task::Solve {
            return Err("--method search needs --task solve".into());
        }
        if self.method == Method::Search && self.steps.is_some() {
            return Err(
                "--method search finds plans of any length; give --at-most instead of --steps"
                    .into(),
            );
        }
        if self.effort.is_some() && !self.searches() {
            return Err(
                "--effort needs --task solve, --method auto or search, and no --steps".into(),
            );
        }
        if self.method == Method::Tropical && self.length().is_some() {
            return Err(
                "--method tropical finds the length; leave out --steps and --at-most".into(),
            );
        }
        if self.particles.is_some() && !particles {
            return Err("--particles needs --method particles".into());
        }
        if self.memory.is_some() && particles {
            return Err("--memory has no effect on --method particles; leave it out".into());
        }
        if self.count.is_some() && self.task != Task::Sample {
            return Err("--count needs --task sample".into());
        }
        if self.seed.is_some() && self.task != Task::Sample && !particles {
            return Err("--seed needs --task sample or --method particles".into());
        }
        if self.policy.is_some() && matches!(self.task, Task::Solve | Task::Count) {
            return Err("--policy has no effect on --task solve and count; leave it out".into());
        }
        self.checked_format().map(drop)
    }

    /// Returns the format given by --format, or else by the extension of --out.
    pub(crate) fn format(&self) -> Format {
        self.checked_format().unwrap_or(Format::Text)
    }

    /// Returns the format; an error if the extension of --out is that of no format.
    fn checked_format(&self) -> Result<Format, Failure> {
        let formats = [("txt", Format::Text), ("json", Format::Json)];
        format_of(self.format, self.out.as_deref(), &formats)
    }

    /// The requested length.
    pub(crate) fn length(&self) -> Option<Length> {
        let exactly = self.steps.map(|steps| Length::Exactly(steps as usize));
        exactly.or(self.at_most.map(|steps| Length::AtMost(steps as usize)))
    }

    /// True if a single plan counts as the answer when there are too many plans for exact inference.
    pub(crate) fn searches(&self) -> bool {
        let may_search = matches!(self.method, Method::Auto | Method::Search);
        may_search && self.task == Task::Solve && self.steps.is_none()
    }

    /// Returns the maximum number of game rules to examine for an exact answer, or for a shorter plan after a search has found one.
    pub(crate) fn work(&self) -> u64 {
        // Approximate number of rules that are examined in a second.
        u64::from(self.effort.unwrap_or(5)) * 100_000_000
    }

    /// Returns the limits on grounded rules: rules whose variables are replaced by values.
    pub(crate) fn grounding(&self) -> GroundingLimits {
        GroundingLimits::times(self.grounding.unwrap_or(1) as usize)
    }

    pub(crate) fn max_steps(&self) -> usize {
        self.max_steps.map_or(1000, |steps| steps as usize)
    }

    pub(crate) fn policy(&self) -> Policy {
        match self.policy {
            Some(Draw::Legal) => Policy::Legal,
            Some(Draw::Blind) | None => Policy::Blind,
        }
    }

    pub(crate) fn memory(&self) -> Bytes {
        self.memory.unwrap_or(Bytes(1 << 30))
    }
}
