//! Queries to a Bayesian or Markov network in a file.
//!
//! `cargo run --release --example network -- --help`

mod convert;
mod decide;
mod learn;
mod question;
mod report;
mod score;
mod structure;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use figrs::eliminate::EliminationError;
use figrs::models::network::{Network, NetworkFormat, NormalisedRow};
use figrs_command::{
    Bytes, Failure, bytes, check_distinct, check_writable, has_extension, is_standard_input, note,
    observations, parsed, queried, read_network, replace, seconds, stop,
};

use question::{Findings, Question};
use report::Report;
use structure::StructureOptions;

/// The end of the long help.
const DETAILS: &str = r#"JSON: one object, without the fields that do not apply.
  {"marginals": {VAR: {STATE: p}}, "standard_errors": {VAR: {STATE: error}},
   "log_evidence": x, "log_evidence_standard_error": x,
   "mpe": WORLD, "worlds": [WORLD, ...], "samples": [{VAR: STATE}, ...],
   "cost": {"width", "operations", "table_bytes"}, "stopped": "time" or "interrupt",
   "seconds": {"parse", "compile", "query"}}
  Task learn: {"log_likelihood": x, "log_likelihoods": [x, ...], "score": x or null, "iterations": n, "stopped": ...,
   "tables": {VAR: {"PARENT=STATE,PARENT=STATE": {STATE: p}}}}: the log-likelihood before the first round and after each; of a learned
   structure, with uniform tables and with the learned ones. The key of a variable without parents is "". There is a score where a structure
   was searched for, and where --score asks for it.
  Task score: {"score": x, "variables": {VAR: x}}: the score of the structure and the term of each variable.
  Task decide: {"expected_utility": x, "policies": {DECISION: [{"known": {VAR: STATE}, "choose": STATE, "utility": x}]}, "optimal": true}: a row
   for each combination of states, of the variables that the choice depends on, that is possible.
  WORLD is {"log_probability": x, "assignment": {VAR: STATE}}.
  Variables and states stand in the order of the file. Logarithms are natural. Numbers are written to the
  last bit; what JSON cannot write as a number is a string: the log-evidence of impossible evidence is "-inf".

Cost: of the junction tree; the variables of its largest clique, the predicted operations, and the bytes of
  all its tables (marginals take as much again). Task cost compiles nothing: its bytes are those predicted of messages.

Seconds: parse reads the files and builds the elements; compile is all before the first number is multiplied;
  query is the rest, without printing. Only the junction tree compiles apart.

Structures: scores are sums over the variables, in natural logarithms, the larger the better: with the log-likelihood L of N cases and k
  parameters, bic is L - k ln(N) / 2 and aic L - k; bdeu and k2 are logarithms of the probability of the data under Dirichlet priors. Without
  --file the variables are the columns, and their states the different cells: ascending if all are numbers, else by their letters. Of changes
  that raise the score equally, additions are made before deletions and these before reversals; then the first child and the first parent. Tables
  of more than 16777216 entries are not tried.

Ctrl-C and the end of --time end a command with the samples so far, the second Ctrl-C at once.

Exit code: 0 if there is an answer; 1 if there is none, because the evidence is impossible, a budget too small or the time over;
  2 if files or options are wrong."#;

/// Asks a discrete network in BIF, BIFXML, NET, UAI or XDSL format for posteriors, the probability of evidence, or worlds.
///
/// Variables and states of a UAI file are named by their index, from 0. The same options give the same answers.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
struct Options {
    /// The network: a .bif, .bifxml (or .xml), .net, .uai or .xdsl file; XML is recognised under any extension, and - is standard input
    /// in any of the formats. Task learn can do without it.
    #[arg(long, value_name = "FILE", required_unless_present = "data")]
    file: Option<PathBuf>,
    /// Evidence: a .json file with {VAR: STATE}, or a .evid file of the UAI competitions.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// More evidence.
    #[arg(long, value_name = "VAR=STATE", num_args = 1..)]
    observe: Vec<String>,
    /// The variables to report, or all. Marginals and cost are only computed for these; worlds are always of all variables.
    #[arg(long, value_name = "all|VAR", num_args = 1.., default_value = "all")]
    query: Vec<String>,
    /// Task: a question about the network.
    #[arg(long, value_enum, default_value_t = Task::Marginals)]
    task: Task,
    /// Algorithm that answers it.
    #[arg(long, value_enum, default_value_t = Method::JunctionTree)]
    algorithm: Method,
    /// Data of tasks learn and score: a .csv file whose first line names variables, a line a case, empty cells for missing values; - is
    /// standard input.
    #[arg(long, value_name = "FILE.csv")]
    data: Option<PathBuf>,
    /// File of the learned or converted network, .bif, .bifxml (or .xml), .net, .uai or .xdsl, or of samples, .csv; replaced when everything
    /// is there.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    structures: StructureOptions,
    /// Numbers that learning starts from (default file).
    #[arg(long, value_enum)]
    start: Option<Start>,
    /// Count added to that of every state in learning (default 0).
    #[arg(long, value_name = "COUNT", value_parser = count, allow_negative_numbers = true)]
    prior: Option<f64>,
    /// Make exactly so many rounds of learning; with --tolerance, at most so many (default: at most 1000).
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    iterations: Option<u64>,
    /// End learning once a round raises the log-likelihood by no more than this share of it (default 1e-8).
    #[arg(long, value_name = "SHARE", value_parser = count, allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Number of worlds for k-best (default 5) or sample (default 10), up to a million.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: Option<u32>,
    /// Number of samples that importance-sampling draws (default 100000).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    samples: Option<u64>,
    /// Seed of the random numbers of sample, importance-sampling, --start random and searches for structures (default 0).
    #[arg(long)]
    seed: Option<u64>,
    /// Memory for the tables of exact algorithms other than enumerate together, as 512MiB or 6GiB; a number alone is of bytes;
    /// what the machine has to spare if not given.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<Bytes>,
    /// End after this many seconds, or a second later, with the answer so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Compile and query this many times, and report the medians of the seconds.
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,
    /// Let each decision know only its parents in the file, not what was known and decided before.
    #[arg(long)]
    limited_memory: bool,
    /// Text to read, or JSON with full precision.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Task {
    /// The posterior of each queried variable, and the log-evidence.
    Marginals,
    /// The logarithm of the probability of the evidence; of a Markov network, of the sum over all worlds that
    /// meet it.
    Evidence,
    /// The most probable world.
    Mpe,
    /// The most probable worlds, best first.
    KBest,
    /// Independent worlds, drawn with exactly their posterior probabilities.
    Sample,
    /// The predicted cost of the marginals of the queried variables, without computing them.
    Cost,
    /// The tables that make --data most likely, by expectation-maximisation; and the structure with the best score, if --structure asks for it.
    Learn,
    /// The network in the format of the extension of --out; .uai has no names of variables and states.
    Convert,
    /// The policy of each decision of an influence diagram that makes the expected sum of its utilities largest.
    Decide,
    /// The score of the structure on --data.
    Score,
}

/// Numbers that learning starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Start {
    /// Those of the file.
    File,
    /// All states of a row equally likely.
    Uniform,
    /// Drawn with --seed.
    Random,
}

/// A finite number that is not negative.
fn count(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) && number >= 0.0 => Ok(number),
        _ => Err("give a number that is not negative".into()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Exact, every task.
    JunctionTree,
    /// Exact, marginals and evidence; one elimination for each variable.
    VariableElimination,
    /// Exact, mpe.
    MpeVariableElimination,
    /// Exact, marginals, evidence and mpe, world by world: small networks only.
    Enumerate,
    /// Estimates of marginals and evidence with standard errors.
    ImportanceSampling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Method {
    fn can(self, task: Task) -> bool {
        match self {
            Self::JunctionTree => true,
            Self::VariableElimination | Self::ImportanceSampling => {
                matches!(task, Task::Marginals | Task::Evidence)
            }
            Self::MpeVariableElimination => task == Task::Mpe,
            Self::Enumerate => matches!(task, Task::Marginals | Task::Evidence | Task::Mpe),
        }
    }
}

impl Options {
    /// Refuses options without effect.
    fn check(&self) -> Result<(), Failure> {
        if !self.algorithm.can(self.task) {
            let able = Method::value_variants().iter();
            let able: Vec<String> = able.filter(|m| m.can(self.task)).map(named).collect();
            let (algorithm, task) = (named(&self.algorithm), named(&self.task));
            let able = able.join(" or ");
            return Err(format!("{algorithm} cannot do --task {task}; use {able}").into());
        }
        let sampling = self.algorithm == Method::ImportanceSampling;
        let several = matches!(self.task, Task::KBest | Task::Sample);
        self.check_learning()?;
        self.check_deciding()?;
        if self.count.is_some() && !several {
            return Err("--count needs --task k-best or sample".into());
        }
        if self.samples.is_some() && !sampling {
            return Err("--samples needs --algorithm importance-sampling".into());
        }
        let draws = sampling
            || self.task == Task::Sample
            || self.start == Some(Start::Random)
            || self.task == Task::Learn && self.structures.draws(self.file.is_some());
        if self.seed.is_some() && !draws {
            return Err(
                "--seed needs --task sample, --start random, --structure hill-climb or tabu, or --algorithm importance-sampling"
                    .into(),
            );
        }
        if self.memory.is_some() && (sampling || self.algorithm == Method::Enumerate) {
            return Err("--memory needs junction-tree or an algorithm by elimination".into());
        }
        if self.task == Task::Evidence && self.query != ["all"] {
            return Err("--query has no effect on --task evidence; leave it out".into());
        }
        Ok(())
    }

    /// Refuses options of decisions where nothing is decided, and others where something is.
    fn check_deciding(&self) -> Result<(), Failure> {
        let decides = self.task == Task::Decide;
        if self.limited_memory && !decides {
            return Err("--limited-memory needs --task decide".into());
        }
        let others = [
            ("--query", self.query != ["all"]),
            ("--repeat", self.repeat != 1),
        ];
        match others.iter().find(|(_, given)| *given && decides) {
            Some((flag, _)) => {
                Err(format!("{flag} has no effect on --task decide; leave it out").into())
            }
            None => Ok(()),
        }
    }

    /// Refuses options of learning where nothing is learned, and others where something is.
    fn check_learning(&self) -> Result<(), Failure> {
        let learns = self.task == Task::Learn;
        let has_file = self.file.is_some();
        let searches = learns && self.structures.searches(has_file);
        let reads_data = learns || self.task == Task::Score;
        let task = named(&self.task);
        if !has_file && !learns {
            return Err(format!("--task {task} needs --file").into());
        }
        let of_learning = [
            ("--start", self.start.is_some()),
            ("--prior", self.prior.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--tolerance", self.tolerance.is_some()),
        ];
        if let Some((flag, _)) = of_learning.iter().find(|(_, given)| *given && !learns) {
            return Err(format!("{flag} needs --task learn").into());
        }
        if self.data.is_some() && !reads_data {
            return Err("--data needs --task learn or score".into());
        }
        self.structures.check(self.task, has_file)?;
        let of_rounds = [
            ("--start", self.start.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--tolerance", self.tolerance.is_some()),
            ("--memory", self.memory.is_some()),
        ];
        if let Some((flag, _)) = of_rounds.iter().find(|(_, given)| *given && searches) {
            return Err(format!(
                "{flag} has no effect on a search for a structure, whose tables are counted without rounds; leave it out, or learn the tables \
                 alone by --file and --structure given"
            )
            .into());
        }
        if reads_data || self.task == Task::Convert {
            let others = [
                ("--evidence", self.evidence.is_some()),
                ("--observe", !self.observe.is_empty()),
                ("--query", self.query != ["all"]),
                ("--repeat", self.repeat != 1),
                ("--memory", self.memory.is_some() && !learns),
            ];
            if let Some((flag, _)) = others.iter().find(|(_, given)| *given) {
                return Err(format!("{flag} has no effect on --task {task}; leave it out").into());
            }
        }
        if reads_data && self.data.is_none() {
            return Err(format!("--task {task} needs --data FILE.csv").into());
        }
        let is_stream = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_standard_input);
        if is_stream(&self.file) && is_stream(&self.data) {
            return Err("--file and --data are both -, and standard input is read once".into());
        }
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
            Task::Sample => (has_extension(out, "csv"), ".csv"),
            _ => return Err("--out needs --task convert, learn or sample".into()),
        };
        if !is_known {
            let task = named(&self.task);
            return Err(format!("--out of --task {task} is a {known} file").into());
        }
        let files = [
            ("--file", self.file.as_deref()),
            ("--data", self.data.as_deref()),
        ];
        check_distinct(&[&files[..], &[("--out", Some(out))]].concat())?;
        check_writable(out)
    }
}

fn named(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

fn main() -> ExitCode {
    figrs_command::run(remedy, || run(&parsed()))
}

/// Remedy on the command line if a budget is too small or no sample met the evidence.
fn remedy(error: &figrs::Error) -> Option<String> {
    use EliminationError::{TableTooLarge, TooManyOperations, TooMuchMemory};
    let few = "query fewer variables, observe more, or use --algorithm importance-sampling";
    Some(match error {
        figrs::Error::Elimination(TooMuchMemory { needed, limit }) => format!(
            "the tables would take {} or more, over --memory {}; allow more, {few}",
            Bytes(*needed as u64),
            Bytes(*limit)
        ),
        figrs::Error::Elimination(TableTooLarge { needed, .. }) => format!(
            "a table would have about {needed:.3e} entries ({}), more than --memory allows; allow more, {few}",
            Bytes((8.0 * needed) as u64)
        ),
        figrs::Error::Elimination(TooManyOperations { needed, .. }) => {
            format!(
                "the tables would take about {needed:.3e} operations, and that is too long; {few}"
            )
        }
        figrs::Error::TooManyWorlds { limit } => {
            format!("there are more than {limit} worlds; use --algorithm junction-tree")
        }
        figrs::Error::TooManyEvaluations { worlds, .. } => {
            format!("{worlds} worlds took too long; use --algorithm junction-tree")
        }
        figrs::Error::DecisionInfluencesEvidence { decision, element } => {
            let (decision, element) = (decision.short(), element.short());
            format!(
                "`{decision}` influences `{element}`, and what is observed has to be known whatever is decided; observe `{decision}` as well, \
                 which is then not decided, or take `{element}` out of the evidence"
            )
        }
        figrs::Error::NoSampleMetEvidence { tried, .. } => format!(
            "none of {tried} samples met the evidence: it is impossible or very rare; draw more --samples, or use --algorithm \
             junction-tree"
        ),
        _ => return None,
    })
}

fn run(options: &Options) -> Result<(), Failure> {
    options.check()?;
    stop::listen(options.time)?;
    match options.task {
        Task::Learn => return learn::run(options),
        Task::Convert => return convert::run(options),
        Task::Decide => return decide::run(options),
        Task::Score => return score::run(options),
        _ => {}
    }
    let started = Instant::now();
    let given = options.clone();
    let read = stop::attempt(move || read(given))?;
    let question = Arc::new(read.ok_or_else(|| stop::nothing("a network"))??);
    let network = &question.network;
    let parse = started.elapsed();
    note_normalised(network);
    let (mut compiles, mut queries) = (Vec::new(), Vec::new());
    let mut found: Option<Findings> = None;
    for _ in 0..options.repeat {
        if found.is_some() && stop::is_set() {
            break;
        }
        let asked = Arc::clone(&question);
        let answer = stop::attempt(move || asked.answer())?;
        match answer.transpose()? {
            Some(answer) => found = Some(answer),
            None => break,
        }
        compiles.extend(found.as_ref().and_then(|found| found.compile));
        queries.extend(found.as_ref().and_then(|found| found.query));
    }
    let Some(findings) = found.or_else(|| question.so_far()) else {
        return Err(stop::nothing("an answer"));
    };
    let seconds = [
        ("parse", Some(parse)),
        ("compile", median(compiles)),
        ("query", median(queries)),
    ];
    let seconds = seconds.into_iter();
    let seconds: Vec<(&str, f64)> = seconds
        .filter_map(|(name, time)| Some((name, time?.as_secs_f64())))
        .collect();
    if let Some(reason) = findings.stopped {
        note(format!(
            "note: {}; this is what there was by then",
            reason.told()
        ));
    }
    if let (Some(out), Some(samples)) = (&options.out, &findings.samples) {
        return replace(out, |file| {
            Ok(report::write_samples(file, &question, samples)?)
        });
    }
    let report = Report {
        question: &question,
        findings: &findings,
        seconds: &seconds,
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match options.format {
        Format::Text => report.text(&mut out)?,
        Format::Json => writeln!(out, "{}", report.json())?,
    }
    Ok(out.flush()?)
}

/// Tells of rows whose sums were not one.
fn note_normalised(network: &Network) {
    note_rows(network.normalised(), |row| network.row_name(row));
}

/// As [`note_normalised`], of rows that have names.
fn note_rows(rows: &[NormalisedRow], name: impl Fn(&NormalisedRow) -> String) {
    if let Some(first) = rows.first() {
        note(format!(
            "note: rows whose sums were off by rounding were divided by them: {}, the first on line {}, {}",
            rows.len(),
            first.line,
            name(first)
        ));
    }
}

/// Reads the network and builds the question about it.
fn read(options: Options) -> Result<Question, Failure> {
    let network = read_network(options.file.as_deref().unwrap_or(Path::new("")))?;
    let observations = observations(&network, options.evidence.as_deref(), &options.observe)?;
    Ok(Question {
        model: network.observing(&observations),
        queried: queried(&network, &options.query)?,
        network,
        options,
        samples: Mutex::default(),
    })
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    let upper = *times.get(times.len() / 2)?;
    let lower = times[(times.len() - 1) / 2];
    Some((lower + upper) / 2)
}
