//! Options of the command line, and the checks whether the given options can be combined.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use figrs::Limits;
use figrs_command::{
    Bytes, Failure, bytes, check_distinct, check_report, check_writable, has_extension,
    is_standard_input, seconds, whole,
};
use figrs_network::{NetworkFormat, NetworkLearner};

use super::structure::StructureOptions;

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"JSON: one object; fields that do not apply are absent.
  {"marginals": {VAR: {STATE: p}}, "reals": {VAR: {"mean": x, "sd": x, "quantiles": {"0.025": x, "0.25": x, "0.5": x, "0.75": x, "0.975": x}}},
   "standard_errors": {VAR: {STATE: error}},
   "log_evidence": x, "log_evidence_standard_error": x, "count": "DIGITS",
   "mpe": WORLD, "map": WORLD, "worlds": [WORLD, ...], "samples": [{VAR: STATE}, ...],
   "bounds": {"log_evidence": [x, y], "mpe": [x, y]}, "algorithm": NAME, "exact": true or false, "tried": [TEXT, ...],
   "cost": {"slices", "width", "operations", "table_bytes"}, "stopped": "time" or "interrupt",
   "seconds": {"parse", "compile", "query"}}
  WORLD is {"log_probability": x, "assignment": {VAR: STATE}}.
    With the tasks mpe, k-best and sample, "log_probability" is that of the states of all variables together with the evidence.
    With the task map, "log_probability" is that of the shown states together with the evidence.
  "bounds" is present if no exact algorithm fits --memory and --time.
    Bounds of log_evidence replace "log_evidence" and "marginals", and the exit code is 1.
    Bounds of mpe are the log-probability of the world that was found, and an upper bound for all worlds.
    Bounds of mpe are absent if the world is proven to be the most probable one.
  "algorithm" is the algorithm that answered.
  "tried" lists the algorithms that exact tried, in order, each with its outcome.
  Without an answer the object is {"error": TEXT, "tried": [TEXT, ...]}: "error" is the message on standard error, and the exit code is 1.
  Variables and states have the order of the file.
  Logarithms are natural.
  Utilities have 14 significant digits; all other numbers have full precision.
  A number that JSON cannot express is a string: the log-evidence of impossible evidence is "-inf".

Task learn: {"log_likelihood": x, "log_likelihoods": [x, ...], "score": x or null, "iterations": n, "stopped": ...,
   "tables": {VAR: {"PARENT=STATE,PARENT=STATE": {STATE: p}}}}
  "log_likelihoods" has the log-likelihood of the starting tables, and that after each round: --iterations N gives N + 1 numbers.
  A search for a structure counts its tables without rounds: "iterations" is 0, and the only log-likelihood is that of the learned tables.
  "score" is a number after a search for a structure, and with --score.
  The key of a variable without parents is "".
  "missing": {"cells": n, "scores": [x, ...], "optimum": "local"} is present after a search on data with missing cells.
    "scores" has the score of the observed cells for the first network, and after each round that raised it.
    "score" is then the score of the expected counts, and "iterations" the number of rounds.
  "starts": [x, ...] has the log-likelihood of each start, if there are several.
  "alike": [VAR, ...] lists the hidden variables with states that had equal numbers at the start.
  "unreached": {VAR: ["PARENT=STATE", ...]} lists the table rows that no case reaches; learning in rounds keeps their first numbers.

Task score: {"score": x, "variables": {VAR: x}}
  "score" is the score of the structure, and "variables" has the term of each variable.

Task predict: {"rows": n, "impossible": n, "predicted": {STATE: n}, "log_likelihood": x, "scored": n, "accuracy": x, "log_loss": x, "file": OUT,
   "seconds": {"compile", "query"}}
  "impossible" is the number of rows to which the network gives the probability 0.
  "predicted" has the number of rows in which each state is the most probable one.
  "log_likelihood" is the sum, over all possible rows, of the log-probability of the cells given --evidence and --observe.
    The cell of the predicted variable is not among these cells.
  "scored" is the number of possible rows with a cell of the predicted variable; the other two are computed in these rows, if there are any:
    "accuracy" is the share of right predictions.
    "log_loss" is the mean of -ln P(state in the cell).
  The file has a line for each row, with these columns:
    "predicted" is the most probable state (the first one if there are several).
    "P(STATE)" is the probability of each state.
    "log_likelihood" is the log-probability of the row.
  In a row that is impossible, log_likelihood is -inf and the other cells are empty.

Task decide: {"expected_utility": x, "policies": {DECISION: [{"known": {VAR: STATE}, "choose": STATE, "utility": x}]}, "optimal": true}
  A policy has a row for each possible combination of states of the variables on which the choice depends.
  "unordered": [[DECISION, DECISION], ...] lists consecutive decisions that are ordered only by their places in the file.

Task convert: {"file": OUT, "format": NAME}

Task sample with --out: {"file": OUT, "rows": n, "cost", "seconds"}
  The samples are in the file.

Cost: of the junction tree, or of --algorithm slices.
  "width" is the number of variables in the largest clique (of one slice).
  "operations" is the predicted number of operations (of all slices).
  "table_bytes" is the size of all tables (of one slice); marginals need as much again.
  Task cost compiles nothing: its "table_bytes" is the predicted size of the messages.
  The algorithm exact begins with the predicted cost of the junction tree.

Seconds:
  "parse" is the time to read the files and to build the elements.
  "compile" is the time before the first multiplication; only junction-tree and the tasks k-best and sample compile separately.
  "query" is the rest of the time, without printing.

Structures:
  A score is a sum over the variables, in natural logarithms; larger is better.
  bic is L - k ln(N) / 2, with the log-likelihood L, k parameters and N cases.
  aic is L - k.
  bdeu and k2 are log-probabilities of the data under Dirichlet priors.
  Without --file the variables are the columns of the data, and their states are the different cells.
  These states are in ascending order if all are numbers, and otherwise in alphabetical order.
  Of changes that raise the score equally, additions come before deletions, and deletions before reversals.
  Next comes the change of the child with the fewest children, then of the first child, then of the first parent.
  A restart begins with the last child instead.
  Tables of more than 16777216 entries are not tried.

Ctrl-C and the end of --time end the command with the result so far.
A second Ctrl-C ends it at once.

Exit code:
  0: there is an answer.
  1: there is no answer, because the evidence is impossible, a budget is too small or the time is over.
  2: a file or an option is wrong."#;

/// Answers questions about a discrete network in BIF, BIFXML, NET, UAI or XDSL format, or a formula in DIMACS CNF: posteriors, the probability of
/// evidence, or worlds.
///
/// A network in NET may have continuous nodes, which are normal given the discrete nodes. For such a network, the tasks marginals and evidence are
/// exact: "reals" and the text have the mean, the standard deviation and quantiles of each continuous node, and the log-evidence is the logarithm of a
/// probability density.
///
/// Variables and states of a UAI file are named by their index, from 0; variables of a .cnf file by their numbers, and their states are false and
/// true. The line `c p weight LITERAL WEIGHT 0` gives the weight of a literal; other literals have the weight 1, and with a line `c t mc` all literals have the
/// weight 1. The same options give the same answers.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
pub(crate) struct Options {
    /// The network: a .bif, .bifxml (or .xml), .cnf, .net, .uai or .xdsl file, or - for standard input in any of these formats. XML is recognised
    /// with any extension. The task learn needs no network. FILE must stand before options that take several values, such as --observe.
    #[arg(value_name = "FILE", conflicts_with = "file")]
    pub(crate) network: Option<PathBuf>,
    /// The network, as a flag instead of FILE.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Divide each row of a table that does not sum to one by its sum, and report the row. Without this flag a row that does not sum to one is an
    /// error, except for rounding.
    #[arg(long)]
    pub(crate) normalise: bool,
    /// Unroll a dynamic network of a .xdsl file to this many time slices. A time slice has a variable for each repeated node, named by the node and
    /// `_0`, `_1` and so on.
    #[arg(long, value_name = "SLICES", value_parser = whole::<u32>(1..=100_000))]
    pub(crate) slices: Option<u32>,
    /// Evidence: a .json file with {VAR: STATE}, with {VAR: NUMBER} for a continuous node, or with {VAR: {STATE: WEIGHT}} for soft evidence (a weight for each state of VAR), or a
    /// .evid file of the UAI competitions. The probability of soft evidence is the expected weight.
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: Option<PathBuf>,
    /// Further evidence, in addition to --evidence.
    #[arg(long, value_name = "VAR=STATE|VAR=NUMBER", num_args = 1..)]
    pub(crate) observe: Vec<String>,
    /// The variables to report (default all). Marginals and cost are computed for the queried variables alone. Worlds (joint states) are computed for
    /// all variables, but only the queried states are shown. The task predict takes the one variable to predict.
    #[arg(long, value_name = "all|VAR", num_args = 1..)]
    pub(crate) query: Vec<String>,
    /// Task: a question about the network.
    #[arg(long, value_enum, default_value_t = Task::Marginals)]
    pub(crate) task: Task,
    /// Algorithm that answers the task (default exact; junction-tree for cost and decide).
    #[arg(long, value_enum)]
    pub(crate) algorithm: Option<Method>,
    /// Data for the tasks learn, score and predict: a .csv file whose first line names the variables, with one case on each line, or - for standard
    /// input. Missing values are empty cells, or NA or ? if these are not states. Cells are separated by semicolons or tabs if the first line has no
    /// comma.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) data: Option<PathBuf>,
    /// Output file: the learned or converted network (.bif, .bifxml or .xml, .net, .uai, .xdsl), or samples or predictions (.csv). An existing file
    /// is replaced when the output is complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) structures: StructureOptions,
    /// Initial values of the parameters in learning (default file).
    #[arg(long, value_enum)]
    pub(crate) start: Option<Start>,
    /// Number of starts of learning; the most likely result is taken, and later starts use random tables drawn with --seed. The default is 1, and 10
    /// if two states of an unobserved variable have equal numbers, which learning could never distinguish.
    #[arg(long, value_name = "STARTS", value_parser = whole::<u32>(1..=10_000))]
    pub(crate) starts: Option<u32>,
    /// Number added to the count of every state in learning, up to 1e15 (default 0).
    #[arg(long, value_name = "COUNT", value_parser = prior, allow_negative_numbers = true)]
    pub(crate) prior: Option<f64>,
    /// Exact number of iterations of learning; with --tolerance, the maximum number (default: at most 1000).
    #[arg(long, value_name = "ROUNDS", value_parser = whole::<u64>(0..=1_000_000))]
    pub(crate) iterations: Option<u64>,
    /// Learning ends when an iteration raises the log-likelihood by at most this number times its absolute value (default 1e-8; with 0, learning ends
    /// when the log-likelihood no longer rises).
    #[arg(long, value_name = "RATIO", value_parser = count, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Number of worlds for k-best (default 5) or sample (default 10), up to a million.
    #[arg(long, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) count: Option<u32>,
    /// Number of samples that importance-sampling draws (default 100000).
    #[arg(long, value_parser = whole::<u64>(1..))]
    pub(crate) samples: Option<u64>,
    /// Seed of the random numbers of sample, importance-sampling, --start random, --starts and searches for structures (default 0).
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Memory for all tables of exact algorithms, or for the cache of a search, such as 512MiB or 6GiB; a number without a unit is in bytes. If not
    /// given, the limit is the free memory of the machine. The network itself needs additional memory: about 2 KB for each variable, factor and
    /// clause, and 30 to 50 bytes for each number of its tables (up to 150 for mpe). If the evidence is impossible, finding the statements that
    /// contradict each other needs up to 40 MB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory: Option<Bytes>,
    /// Stop after this many seconds, or a second later, with the answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Compile and query this many times, and report median times in seconds (default 1).
    #[arg(long, value_name = "TIMES", value_parser = whole::<u32>(1..=100_000))]
    pub(crate) repeat: Option<u32>,
    /// Each decision knows only its parents in the file, not earlier values and decisions.
    #[arg(long)]
    pub(crate) limited_memory: bool,
    /// Also write the marginals to this file, as an HTML page with a picture of the network, the evidence, and the posteriors as a table and as bars.
    /// The page needs no other files.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Format of the answer: readable text, JSON with full precision, or a picture of the network without an answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// The posterior of each queried variable, and the log-evidence.
    Marginals,
    /// The logarithm of the probability of the evidence; for a Markov network, the logarithm of the sum over all worlds that meet the evidence.
    Evidence,
    /// The number of joint states of all variables that are possible given the evidence.
    Count,
    /// The most probable world.
    Mpe,
    /// The most probable joint states of the queried variables, summed over the other variables; if all variables are queried, the result is that of
    /// mpe.
    Map,
    /// The most probable worlds, best first.
    KBest,
    /// Independent worlds, drawn with exactly their posterior probabilities.
    Sample,
    /// The predicted cost of the marginals of the queried variables, without computing them.
    Cost,
    /// The tables that make --data most likely, by expectation-maximisation; with --structure, also the structure with the best score.
    Learn,
    /// The network in the format of the extension of --out; a .uai file has no names of variables and states.
    Convert,
    /// The policy of each decision of an influence diagram that maximises the expected sum of the utilities.
    Decide,
    /// The score of the structure on --data.
    Score,
    /// The posterior of the --query variable in each row of --data, given the other cells of the row.
    Predict,
}

/// Initial values of the parameters in learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Start {
    /// The numbers in the tables of the file.
    File,
    /// Equal probabilities of all states in each row of each table.
    Uniform,
    /// Random probabilities drawn with --seed.
    Random,
}

/// Parses a finite number that is not negative.
fn count(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) && number >= 0.0 => Ok(number),
        _ => Err("write a number, 0 or more".into()),
    }
}

/// Parses a prior count that is small enough not to hide the data.
fn prior(text: &str) -> Result<f64, String> {
    let found = count(text)?;
    if found > NetworkLearner::MOST_PRIOR {
        let most = NetworkLearner::MOST_PRIOR;
        return Err(format!(
            "write a number of at most {most:e}; a larger one would hide the data"
        ));
    }
    Ok(found)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Exact, for every task except cost and decide: the exact algorithm with the lowest predicted cost, and others if it fails; bounds if no
    /// algorithm fits --memory and --time.
    Exact,
    /// Exact, for every task.
    JunctionTree,
    /// Exact, for marginals, evidence and count; one elimination for each variable.
    VariableElimination,
    /// Exact, for mpe.
    MpeVariableElimination,
    /// Exact, for marginals, evidence and mpe within --memory: one elimination for each joint value of a few variables.
    Slices,
    /// Exact, for marginals, evidence, count, mpe, k-best and sample: a search with a cache, for networks with many zeros.
    Circuit,
    /// Branch and bound, for mpe: exact once proven; until then, or at the end of --time, the best world so far with an upper bound.
    BranchAndBound,
    /// Exact, for marginals, evidence and mpe: every world of a small network.
    Enumerate,
    /// Estimates of marginals and evidence with standard errors.
    ImportanceSampling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    /// A picture of the network, or of the learned network, with evidence and queried variables marked.
    Svg,
    /// A picture of any size in the DOT language of Graphviz.
    Dot,
}

impl Format {
    /// True for the formats that are pictures of the network.
    pub(crate) fn is_picture(self) -> bool {
        matches!(self, Self::Svg | Self::Dot)
    }
}

impl Method {
    pub(crate) fn can(self, task: Task) -> bool {
        match self {
            Self::JunctionTree => true,
            Self::Exact => !matches!(task, Task::Cost | Task::Decide | Task::Map | Task::Predict),
            Self::VariableElimination => {
                matches!(task, Task::Marginals | Task::Evidence | Task::Count)
            }
            Self::ImportanceSampling => matches!(task, Task::Marginals | Task::Evidence),
            Self::Slices => matches!(
                task,
                Task::Marginals | Task::Evidence | Task::Mpe | Task::Cost
            ),
            Self::Circuit => matches!(
                task,
                Task::Marginals
                    | Task::Evidence
                    | Task::Count
                    | Task::Mpe
                    | Task::KBest
                    | Task::Sample
            ),
            Self::MpeVariableElimination | Self::BranchAndBound => task == Task::Mpe,
            Self::Enumerate => matches!(task, Task::Marginals | Task::Evidence | Task::Mpe),
        }
    }
}

impl Options {
    /// Returns the options with FILE stored as `--file`.
    pub(crate) fn with_file(mut self) -> Self {
        self.file = self.file.or(self.network.take());
        self
    }

    /// Returns the algorithm that answers the task.
    pub(crate) fn method(&self) -> Method {
        self.algorithm.unwrap_or(if Method::Exact.can(self.task) {
            Method::Exact
        } else {
            Method::JunctionTree
        })
    }

    /// True if the command searches for a structure.
    pub(crate) fn searches(&self) -> bool {
        self.task == Task::Learn && self.structures.searches(self.file.is_some())
    }

    /// Returns an error for options without effect on the task, and for options that need another option which is missing.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let (method, task) = (self.method(), named(&self.task));
        if self.takes("--algorithm") && !method.can(self.task) {
            let able = Method::value_variants().iter();
            let able: Vec<String> = able.filter(|m| m.can(self.task)).map(named).collect();
            let (algorithm, able) = (named(&method), able.join(" or "));
            return Err(format!(
                "--algorithm {algorithm} does not support --task {task}; use {able}"
            )
            .into());
        }
        self.check_uses()?;
        if self.file.is_none() && self.task != Task::Learn {
            return Err(format!(
                "--task {task} needs a network: name its FILE before options that take several values, or give --file FILE"
            )
            .into());
        }
        if self.task == Task::Map && (self.query.is_empty() || self.query == ["all"]) {
            let message = "--task map needs --query VAR ...: the variables whose joint state is maximised; for all variables use --task mpe";
            return Err(message.into());
        }
        self.structures.check_file(self.file.is_some())?;
        let needs_data = matches!(self.task, Task::Learn | Task::Score | Task::Predict);
        if needs_data && self.data.is_none() {
            return Err(format!("--task {task} needs --data FILE.csv").into());
        }
        if self.task == Task::Predict && (self.query.is_empty() || self.query == ["all"]) {
            return Err(super::predict::needs_query());
        }
        let is_stream = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_standard_input);
        if is_stream(&self.file) && is_stream(&self.data) {
            return Err(
                "--file and --data are both -, but standard input can be read only once".into(),
            );
        }
        self.report.as_deref().map_or(Ok(()), check_report)?;
        check_distinct(&[
            ("--file", self.file.as_deref()),
            ("--evidence", self.evidence.as_deref()),
            ("--report", self.report.as_deref()),
        ])?;
        self.check_out()
    }

    /// Checks the extension of `--out`, and that the file can be written.
    fn check_out(&self) -> Result<(), Failure> {
        let Some(out) = &self.out else { return Ok(()) };
        let (is_known, known) = match self.task {
            Task::Learn | Task::Convert => {
                let known = ".bif, .bifxml, .net, .uai or .xdsl";
                (NetworkFormat::of(out).is_ok(), known)
            }
            Task::Sample | Task::Predict => (has_extension(out, "csv"), ".csv"),
            _ => return Ok(()),
        };
        if !is_known {
            let task = named(&self.task);
            return Err(format!("--out of --task {task} must end in {known}").into());
        }
        let files = [
            ("--file", self.file.as_deref()),
            ("--data", self.data.as_deref()),
        ];
        check_distinct(&[&files[..], &[("--out", Some(out))]].concat())?;
        check_writable(out)
    }
}

/// Returns the limits on the memory and the table entries of variable elimination.
pub(crate) fn limits(options: &Options) -> Limits {
    let limits = Limits::default();
    match options.memory {
        // A table may take all of the memory: eight bytes an entry.
        Some(Bytes(bytes)) => limits
            .memory(bytes)
            .table_entries(usize::try_from(bytes / 8).unwrap_or(usize::MAX)),
        None => limits,
    }
}

pub(crate) fn named(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
