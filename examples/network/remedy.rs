//! Advice for errors, which names flags that apply to the task.

use figrs::eliminate::EliminationError;
use figrs_command::{Bytes, Failure, NoAnswer, stop};

use super::option_uses::any_of;
use super::options::{Method, Options, Task, named};

/// Returns advice if a limit is too small, no sample met the evidence, or a decision influences an observed variable.
pub(crate) fn of(error: &figrs::Error, options: &Options) -> Option<String> {
    use EliminationError::{TableTooLarge, TooManyOperations, TooMuchMemory};
    Some(match error {
        figrs::Error::Model(figrs::ModelError::TooMuchMemory { needed, limit, .. }) => {
            let (needed, limit) = (Bytes(*needed), Bytes(*limit));
            let less = less(options, &["allow more by --memory"]);
            format!(
                "the tables of the network need at least {needed}, but the memory for them is {limit}; {less}"
            )
        }
        figrs::Error::Elimination(TooMuchMemory { needed, limit })
            if options.method() == Method::Slices =>
        {
            let (needed, limit) = (size(*needed), Bytes(*limit));
            let less = less(options, &["allow more by --memory"]);
            format!("a slice needs at least {needed}, but the memory for it is {limit}; {less}")
        }
        figrs::Error::NothingFits { .. } => {
            let memory = options.memory;
            let within = memory.map_or_else(
                || "the free memory of the machine".to_owned(),
                |memory| format!("--memory {memory}"),
            );
            let (work, ways) = match options.time {
                Some(_) => ("", &["allow more by --memory"][..]),
                None => (
                    " and about an hour of work",
                    &["allow more by --memory", "allow more time by --time"][..],
                ),
            };
            let less = less(options, ways);
            format!("no algorithm fits {within}{work}; {less}")
        }
        figrs::Error::MissingSlices {
            added,
            slices,
            lower_bound,
        } => format!(
            "{added} of {slices} slices are done, and the logarithm of the result is at least {lower_bound}; allow more --time or --memory"
        ),
        figrs::Error::Elimination(TooMuchMemory { needed, limit }) => {
            // Some algorithms give only a part of the memory to tables; the message states the memory of the option.
            let (needed, limit) = (size(*needed), options.memory.unwrap_or(Bytes(*limit)));
            let less = less(options, &["allow more by --memory"]);
            format!("the tables need at least {needed}, more than --memory {limit}; {less}")
        }
        figrs::Error::Elimination(TableTooLarge { needed, .. }) => format!(
            "a table would have about {} entries ({}), more than --memory allows; {}",
            amount(*needed),
            size(8.0 * needed),
            less(options, &["allow more by --memory"])
        ),
        figrs::Error::Elimination(TooManyOperations { needed, .. }) => format!(
            "the tables need about {} operations, which would take too long; {}",
            amount(*needed),
            less(options, &[])
        ),
        figrs::Error::TooManyWorlds {
            worlds,
            evaluations: None,
        } => {
            format!("there are more than {worlds} worlds; use --algorithm exact")
        }
        figrs::Error::TooManyWorlds { worlds, .. } => {
            format!("the enumeration of {worlds} worlds would take too long; use --algorithm exact")
        }
        figrs::Error::DecisionInfluencesKnown {
            decision,
            element,
            known_to: None,
        } => {
            let (decision, element) = (decision.short(), element.short());
            format!(
                "the decision `{decision}` influences the observed `{element}`, but evidence must not depend on decisions; observe `{decision}` too, \
                 or remove `{element}` from the evidence"
            )
        }
        figrs::Error::NoSampleMetEvidence { tried, .. } => format!(
            "none of {tried} samples met the evidence: it is impossible or very rare; draw more --samples, or use --algorithm exact"
        ),
        _ => return None,
    })
}

/// Returns the failure of a command that was stopped before there was an answer.
pub(crate) fn of_stop(options: &Options) -> Failure {
    let message = stop::nothing("an answer");
    if stop::reason() != Some(stop::Reason::Time) {
        return message;
    }
    let others = [
        Method::Exact,
        Method::BranchAndBound,
        Method::ImportanceSampling,
    ];
    let able = others
        .iter()
        .filter(|&&method| method != options.method() && method.can(options.task));
    let ways: Vec<String> = able
        .map(|method| format!("--algorithm {}", named(method)))
        .collect();
    if ways.is_empty() {
        return message;
    }
    NoAnswer(format!("{message}, or use {}", any_of(&ways))).into()
}

/// Returns the advice `others` together with further advice that makes tables smaller or avoids them.
fn less(options: &Options, others: &[&'static str]) -> String {
    let mut ways = others.to_vec();
    if options.method() != Method::Exact && Method::Exact.can(options.task) {
        ways.push("use --algorithm exact");
    }
    if options.task == Task::Marginals || options.task == Task::Cost {
        ways.push("query fewer variables by --query");
    }
    if options.takes("--observe") {
        ways.push("observe more by --observe");
    }
    if Method::ImportanceSampling.can(options.task) {
        ways.push("use --algorithm importance-sampling");
    }
    if options.takes("--limited-memory") && !options.limited_memory {
        ways.push("use --limited-memory");
    }
    if options.task == Task::Learn {
        ways.push("remove parents from the network in --file");
    }
    any_of(&ways)
}

/// Returns an amount of memory in words, even if it is huge.
fn size(bytes: f64) -> String {
    if bytes < (1_u64 << 60) as f64 {
        Bytes(bytes as u64).to_string()
    } else {
        format!("{bytes:.1e} bytes")
    }
}

/// Returns a number in digits, or as a power of ten if it has many digits.
fn amount(number: f64) -> String {
    if number < 1e6 {
        format!("{number:.0}")
    } else {
        format!("{number:.3e}")
    }
}
