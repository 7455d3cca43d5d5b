//! The tasks of the command on which each option has an effect.

use clap::ValueEnum;
use figrs_command::Failure;

use super::options::{Format, Method, Options, Start, Task, named};

/// The tasks on which an option has an effect, and further conditions of the effect.
#[derive(Debug)]
pub(crate) struct OptionUse {
    flag: &'static str,
    is_given: bool,
    tasks: Vec<Task>,
    /// A further condition of the option's effect: whether the condition is met, and the name of the condition.
    also: Option<(bool, String)>,
}

impl OptionUse {
    /// Creates the description of an option that has an effect on the given tasks only.
    pub(crate) fn new(tasks: impl Into<Vec<Task>>) -> Self {
        Self {
            flag: "",
            is_given: false,
            tasks: tasks.into(),
            also: None,
        }
    }

    /// Adds a condition without which the option has no effect.
    pub(crate) fn needing(mut self, is_met: bool, need: impl Into<String>) -> Self {
        self.also = Some((is_met, need.into()));
        self
    }

    /// Sets the name of the flag, and whether the flag is given.
    pub(crate) fn of(mut self, flag: &'static str, is_given: bool) -> Self {
        (self.flag, self.is_given) = (flag, is_given);
        self
    }

    /// Returns the condition that is not met and without which the option has no effect on a task; `None` if the option has an effect.
    fn need(&self, task: Task) -> Option<String> {
        if !self.tasks.contains(&task) {
            let names: Vec<String> = self.tasks.iter().map(named).collect();
            return Some(format!("--task {}", any_of(&names)));
        }
        let (_, need) = self.also.as_ref().filter(|(is_met, _)| !is_met)?;
        Some(need.clone())
    }
}

/// Returns a list of alternatives as text, with "or" before the last one.
pub(crate) fn any_of(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => names.concat(),
    }
}

impl Options {
    /// Returns the tasks and conditions of all options except --file, --task, --time and --format, which apply to every task.
    fn uses(&self) -> Vec<OptionUse> {
        use Task::{
            Convert, Cost, Count, Decide, Evidence, KBest, Learn, Map, Marginals, Mpe, Predict,
            Sample, Score,
        };
        const ROUNDS: &str = "--file and --structure given, since a search for a structure counts its tables instead of learning them in rounds";
        const ASKED: [Task; 7] = [Marginals, Evidence, Count, Mpe, KBest, Sample, Cost];
        let samples = self.method() == Method::ImportanceSampling;
        let has_file = self.file.is_some();
        let in_rounds = || OptionUse::new([Learn]).needing(!self.searches(), ROUNDS);
        let draws = samples
            || self.task == Sample
            || self.task == Learn
                && if self.searches() {
                    self.structures.draws(has_file)
                } else {
                    self.start == Some(Start::Random) || self.starts.is_some()
                };
        let is_shown = self.out.is_none() || self.format == Format::Json;
        let (has_tables, tables) = self.tables();
        let mut uses = vec![
            OptionUse::new(ASKED).of("--algorithm", self.algorithm.is_some()),
            OptionUse::new([&ASKED[..], &[Decide, Map, Predict]].concat())
                .of("--evidence", self.evidence.is_some()),
            OptionUse::new([&ASKED[..], &[Decide, Map, Predict]].concat())
                .of("--observe", !self.observe.is_empty()),
            OptionUse::new([Marginals, Mpe, Map, KBest, Sample, Cost, Predict])
                .of("--query", !self.query.is_empty()),
            OptionUse::new([Learn, Score, Predict]).of("--data", self.data.is_some()),
            OptionUse::new([Convert, Learn, Predict, Sample]).of("--out", self.out.is_some()),
            in_rounds().of("--start", self.start.is_some()),
            in_rounds().of("--starts", self.starts.is_some()),
            OptionUse::new([Learn]).of("--prior", self.prior.is_some()),
            in_rounds().of("--iterations", self.iterations.is_some()),
            in_rounds().of("--tolerance", self.tolerance.is_some()),
            OptionUse::new([KBest, Sample]).of("--count", self.count.is_some()),
            OptionUse::new([Marginals, Evidence])
                .needing(samples, "--algorithm importance-sampling")
                .of("--samples", self.samples.is_some()),
            OptionUse::new([Marginals, Evidence, Sample, Learn])
                .needing(
                    draws,
                    "--task sample, --start random, --starts, --structure hill-climb or tabu with --restarts, or --algorithm importance-sampling",
                )
                .of("--seed", self.seed.is_some()),
            OptionUse::new([&ASKED[..], &[Learn, Decide, Map, Predict]].concat())
                .needing(has_tables, tables)
                .of("--memory", self.memory.is_some()),
            OptionUse::new([&ASKED[..], &[Map]].concat())
                .needing(is_shown, "--format json, or no --out")
                .of("--repeat", self.repeat.is_some()),
            OptionUse::new([Decide]).of("--limited-memory", self.limited_memory),
            OptionUse::new([Marginals])
                .needing(!self.format.is_picture(), "--format text or json")
                .of("--report", self.report.is_some()),
            OptionUse::new([Marginals, Learn])
                .of("--format svg or dot", self.format.is_picture()),
            OptionUse::new(Task::value_variants())
                .needing(has_file, "--file")
                .of("--normalise", self.normalise),
            OptionUse::new(Task::value_variants())
                .needing(has_file, "--file")
                .of("--slices", self.slices.is_some()),
        ];
        uses.extend(self.structures.uses(has_file));
        uses
    }

    /// Returns whether the algorithm of the command limits its memory, and the options that select an algorithm with a memory limit.
    fn tables(&self) -> (bool, String) {
        if self.task == Task::Learn {
            let need = "--file and --structure given";
            return (!self.searches(), need.to_owned());
        }
        let takes_memory = |method: Method| match method {
            Method::Enumerate | Method::ImportanceSampling => false,
            _ if self.task == Task::Cost => method == Method::Slices,
            _ => method.can(self.task),
        };
        let methods = Method::value_variants().iter();
        let able: Vec<String> = methods
            .filter(|&&method| takes_memory(method))
            .map(|method| format!("--algorithm {}", named(method)))
            .collect();
        (takes_memory(self.method()), any_of(&able))
    }

    /// **Errors.** An option is given that has no effect on the task.
    pub(crate) fn check_uses(&self) -> Result<(), Failure> {
        for option in self.uses().iter().filter(|option| option.is_given) {
            if let Some(need) = option.need(self.task) {
                let (flag, task) = (option.flag, named(&self.task));
                return Err(format!(
                    "{flag} has no effect on this --task {task}: it needs {need}; leave it out"
                )
                .into());
            }
        }
        Ok(())
    }

    /// True if an option has an effect on the task.
    pub(crate) fn takes(&self, flag: &str) -> bool {
        let uses = self.uses();
        let mut own = uses.iter().filter(|option| option.flag == flag);
        own.any(|option| option.need(self.task).is_none())
    }
}
