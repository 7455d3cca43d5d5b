//! Options for structures and scores, and the search for a structure.

use std::path::Path;

use clap::{Args, ValueEnum};
use figrs::printable;
use figrs_command::{Failure, Progress, is_standard_input, read_standard_input, stop, whole};
use figrs_network::{
    Network, NetworkData, NetworkScore, StructureLearner, StructureLearningError, StructureSearch,
};

use super::learn::Learned;
use super::option_uses::OptionUse;
use super::options::named;
use super::picture::check_size;
use super::{Options, Task};

#[derive(Clone, Debug, Args)]
pub(crate) struct StructureOptions {
    /// Structure of the learned network (default given with --file, otherwise hill-climb). If the data have missing cells, the searches are rounds of
    /// structural EM.
    #[arg(long, value_enum)]
    structure: Option<Structure>,
    /// Score of structures (default bic; k2 has its own score).
    #[arg(long, value_enum)]
    score: Option<Score>,
    /// Weight of the prior of bdeu, as a number of cases from 1e-100 to 1e100 (default 1).
    #[arg(long, value_name = "CASES", allow_negative_numbers = true)]
    equivalent_sample_size: Option<f64>,
    /// Maximum number of parents of a variable in the search.
    #[arg(long, value_name = "PARENTS")]
    max_parents: Option<usize>,
    /// An arc that the structure must have; the option may be given several times.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    require: Vec<String>,
    /// An arc that the structure must not have; the option may be given several times.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    forbid: Vec<String>,
    /// Order of the variables for k2 (default: the order of the network or of the columns). Variables that are not named follow in the
    /// default order.
    #[arg(long, value_name = "VAR", num_args = 1..)]
    order: Vec<String>,
    /// Number of restarts of hill-climb and tabu, from the best structures with random changes (default 30).
    #[arg(long, value_parser = whole::<u64>(0..=1_000_000))]
    restarts: Option<u64>,
    /// Number of steps for which tabu does not change the same arc again, and number of steps without a better structure after which tabu ends
    /// (default 10, or the number of variables).
    #[arg(long, value_name = "CHANGES", value_parser = whole::<u32>(1..=1_000_000))]
    tabu_length: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Structure {
    /// Repeated change of the one arc that raises the score most, from the arcs of --file or from no arcs.
    HillClimb,
    /// Hill climbing that continues at a maximum, with a list of recent changes that must not be undone.
    Tabu,
    /// Greedy choice of parents from the variables earlier in --order.
    K2,
    /// The structure of --file: only its tables are learned.
    Given,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Score {
    /// Bayesian information criterion.
    Bic,
    /// Akaike's information criterion.
    Aic,
    /// Bayesian Dirichlet score with --equivalent-sample-size.
    Bdeu,
    /// Bayesian Dirichlet score with uniform priors of rows.
    K2,
    /// The logarithm of the likelihood.
    LogLikelihood,
}

impl StructureOptions {
    fn structure(&self, has_file: bool) -> Structure {
        let default = if has_file {
            Structure::Given
        } else {
            Structure::HillClimb
        };
        self.structure.unwrap_or(default)
    }

    /// True if the command searches for the structure of a network; `has_file` states whether a network file is given.
    pub(crate) fn searches(&self, has_file: bool) -> bool {
        self.structure(has_file) != Structure::Given
    }

    /// True if the search for a structure draws random numbers; `has_file` states whether a network file is given.
    pub(crate) fn draws(&self, has_file: bool) -> bool {
        let structure = self.structure(has_file);
        matches!(structure, Structure::HillClimb | Structure::Tabu) && self.restarts != Some(0)
    }

    /// Returns the tasks and conditions of the options about structures; `has_file` states whether a network file is given.
    pub(crate) fn uses(&self, has_file: bool) -> Vec<OptionUse> {
        const SEARCH: &str = "a search for a structure: another --structure than given";
        let structure = self.structure(has_file);
        let searches = structure != Structure::Given;
        let learns = || OptionUse::new([Task::Learn]);
        let scores = OptionUse::new([Task::Learn, Task::Score]);
        let searching = || learns().needing(searches, SEARCH);
        let climbs = matches!(structure, Structure::HillClimb | Structure::Tabu);
        vec![
            learns().of("--structure", self.structure.is_some()),
            scores.of("--score", self.score.is_some()),
            OptionUse::new([Task::Learn, Task::Score])
                .needing(self.score == Some(Score::Bdeu), "--score bdeu")
                .of(
                    "--equivalent-sample-size",
                    self.equivalent_sample_size.is_some(),
                ),
            searching().of("--max-parents", self.max_parents.is_some()),
            searching().of("--require", !self.require.is_empty()),
            searching().of("--forbid", !self.forbid.is_empty()),
            learns()
                .needing(structure == Structure::K2, "--structure k2")
                .of("--order", !self.order.is_empty()),
            learns()
                .needing(climbs, "--structure hill-climb or tabu")
                .of("--restarts", self.restarts.is_some()),
            learns()
                .needing(structure == Structure::Tabu, "--structure tabu")
                .of("--tabu-length", self.tabu_length.is_some()),
        ]
    }

    /// **Errors.** The option `--structure given` is used, but no file contains a structure.
    pub(crate) fn check_file(&self, has_file: bool) -> Result<(), Failure> {
        if self.structure == Some(Structure::Given) && !has_file {
            return Err("--structure given needs --file, which has the structure".into());
        }
        Ok(())
    }

    /// **Errors.** An arc or the order names an unknown variable, or an arc leads from a variable to itself.
    fn check_names(&self, network: &Network) -> Result<(), Failure> {
        for (flag, names) in [("--require", &self.require), ("--forbid", &self.forbid)] {
            for arc in names.chunks_exact(2) {
                let shown = format!("{flag} {} {}", printable(&arc[0]), printable(&arc[1]));
                for name in arc {
                    let position = network.position(name);
                    position.map_err(|error| format!("{shown}: {error}"))?;
                }
                if arc[0] == arc[1] {
                    return Err(format!("{shown}: an arc must connect two variables").into());
                }
            }
        }
        for name in &self.order {
            let position = network.position(name);
            position.map_err(|error| format!("--order {}: {error}", printable(name)))?;
        }
        Ok(())
    }

    /// Returns the requested score of network structures.
    pub(crate) fn score(&self) -> Option<NetworkScore> {
        self.score.map(|score| match score {
            Score::Bic => NetworkScore::Bic,
            Score::Aic => NetworkScore::Aic,
            Score::Bdeu => NetworkScore::Bdeu {
                equivalent_sample_size: self.equivalent_sample_size.unwrap_or(1.0),
            },
            Score::K2 => NetworkScore::K2,
            Score::LogLikelihood => NetworkScore::LogLikelihood,
        })
    }

    /// The name of the score.
    pub(crate) fn score_name(&self) -> String {
        let of_k2 = self.structure == Some(Structure::K2);
        let default = if of_k2 { Score::K2 } else { Score::Bic };
        named(&self.score.unwrap_or(default))
    }

    fn learner(&self, options: &Options) -> StructureLearner {
        let structure = self.structure(options.file.is_some());
        let (search, default) = match structure {
            Structure::Tabu => (StructureSearch::Tabu, NetworkScore::Bic),
            Structure::K2 => (StructureSearch::K2, NetworkScore::K2),
            Structure::HillClimb | Structure::Given => {
                (StructureSearch::HillClimbing, NetworkScore::Bic)
            }
        };
        let progress = Progress::of("changes of arcs", None);
        let mut learner = StructureLearner::new(self.score().unwrap_or(default))
            .search(search)
            .order(&self.order)
            .seed(options.seed.unwrap_or(0))
            .prior(options.prior.unwrap_or(0.0))
            .interrupt(stop::flag())
            .on_progress(move |run| progress.set(run.done));
        for arc in self.require.chunks_exact(2) {
            learner = learner.require(&arc[0], &arc[1]);
        }
        for arc in self.forbid.chunks_exact(2) {
            learner = learner.forbid(&arc[0], &arc[1]);
        }
        if let Some(restarts) = self.restarts {
            learner = learner.restarts(restarts);
        }
        if let Some(most) = self.max_parents {
            learner = learner.max_parents(most);
        }
        if let Some(length) = self.tabu_length {
            learner = learner.tabu_length(length as usize);
        }
        learner
    }
}

/// Reads the data, and the network for the data, which comes from --file or from the columns of the data.
///
/// **Errors.** A file cannot be read or has a mistake, or the data has no rows.
pub(crate) fn read(options: &Options, path: &Path) -> Result<(Network, NetworkData), Failure> {
    let (network, data) = read_any(options, path)?;
    if data.is_empty() {
        let problem = "the file has no rows below the names of the columns; give --data with rows";
        return Err(format!("{}: {problem}", shown(path)).into());
    }
    check_size(&network, options.format)?;
    Ok((network, data))
}

fn read_any(options: &Options, path: &Path) -> Result<(Network, NetworkData), Failure> {
    if options.file.is_none() {
        return Ok(if is_standard_input(path) {
            Network::from_data_csv(&read_standard_input()?)?
        } else {
            Network::from_data(path)?
        });
    }
    let network = super::reading::chances(options)?;
    let data = if is_standard_input(path) {
        network.data_from_csv(&read_standard_input()?)?
    } else {
        network.read_data(path)?
    };
    Ok((network, data))
}

/// Learns the structure and the probability tables of a network.
pub(crate) fn learned(options: &Options, path: &Path) -> Result<Learned, Failure> {
    let (network, data) = read(options, path)?;
    options.structures.check_names(&network)?;
    let learner = options.structures.learner(options);
    let learned = learner.learn(&network, &data);
    let learned = learned.map_err(|error| failure(error, path))?;
    Ok(Learned {
        unreached: learned.network.unreached_rows(&data),
        starts: Vec::new(),
        alike: Vec::new(),
        network: learned.network,
        log_likelihoods: vec![learned.log_likelihood],
        rounds: learned.missing.as_ref().map_or(0, |missing| missing.rounds),
        missing: learned.missing,
        ended: learned.ended,
        score: Some(learned.score.total),
        changes: Some(learned.steps),
    })
}

/// Returns the name of a data file for messages.
pub(crate) fn shown(path: &Path) -> String {
    if is_standard_input(path) {
        return "standard input".into();
    }
    path.display().to_string()
}

/// Converts an error to a failure in terms of the files and the flags.
pub(crate) fn failure(error: StructureLearningError, path: &Path) -> Failure {
    use StructureLearningError::{Rules, Setting, TooLarge, Unfit};
    let place = |line: Option<usize>| match line {
        Some(line) => format!("{}:{line}", shown(path)),
        None => shown(path),
    };
    match error {
        Unfit { line, variable: Some(_), problem, .. } => {
            let remedy = match line {
                Some(_) => {
                    "fill the cell or remove the line; --task learn without --score of a given structure supports missing cells"
                }
                None => {
                    "add the column, or learn only the tables by --file and --structure given, without --score"
                }
            };
            format!("{}: {problem}; {remedy}", place(line))
        }
        Setting { setting, value, remedy } => format!("{} {value:?}: {remedy}", flags(&[setting])),
        Rules { settings, problem, remedy } => format!("{}: {problem}; {remedy}", flags(settings)),
        TooLarge { line, problem, remedy, settings, .. } => {
            let flags = match settings {
                [] => String::new(),
                settings => format!(" ({})", flags(settings)),
            };
            format!("{}: {problem}; {remedy}{flags}", place(line))
        }
        error => return error.into(),
    }
    .into()
}

/// Returns the flags that have the names of settings, such as "--require and --max-parents".
fn flags(settings: &[&str]) -> String {
    let flags = settings
        .iter()
        .map(|name| format!("--{}", name.replace('_', "-")));
    flags.collect::<Vec<_>>().join(" and ")
}
