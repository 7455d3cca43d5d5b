//! Decisions of an influence diagram.

use std::io::{self, Write};
use std::path::Path;

use figrs::printable;
use figrs_command::{Failure, Progress, note, observations, stop};
use figrs_learn::{DecisionPlan, MaximiseUtility};
use figrs_network::{DiagramElements, State};
use serde_json::{Map, Value as Json, json};

use super::options::limits;
use super::{Format, Options, reading};
use figrs_command::as_json;

/// Solves the influence diagram, and prints the policy of each decision.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let given = options.clone();
    let solved = stop::attempt(move || solved(&given))?;
    let Solved {
        elements,
        plan,
        unordered,
    } = solved.ok_or_else(|| stop::nothing("a plan"))??;
    for [first, second] in &unordered {
        let (first, second) = (printable(first), printable(second));
        note(format!(
            "note: the file does not order the decisions `{first}` and `{second}`: `{first}` is made first, because it comes first in the file, and `{second}` \
             knows all that `{first}` knows; add an arc between them for another order, or use --limited-memory"
        ));
    }
    let mut out = io::BufWriter::new(figrs_command::standard_output());
    match options.format {
        Format::Json => writeln!(out, "{}", json(&elements, &plan, &unordered)?)?,
        _ => write!(out, "{plan}")?,
    }
    Ok(out.flush()?)
}

/// A solved influence diagram.
struct Solved {
    elements: DiagramElements,
    plan: DecisionPlan,
    /// Pairs of decisions, by name, whose order is given only by their order in the file.
    unordered: Vec<[String; 2]>,
}

fn solved(options: &Options) -> Result<Solved, Failure> {
    let file = options.file.as_deref().unwrap_or(Path::new(""));
    let diagram = reading::diagram(options)?;
    if diagram.utilities().is_empty() {
        let file = file.display();
        return Err(
            format!("{file} has no utilities, and decisions are compared by utilities").into(),
        );
    }
    let texts = ("--observe", &options.observe[..]);
    let observed = observations(&diagram, options.evidence.as_deref(), texts)?;
    let elements = diagram.elements();
    let _shown = Progress::waiting("deciding");
    let algorithm = MaximiseUtility::new().limits(limits(options));
    let algorithm = if options.limited_memory {
        algorithm.limited_memory()
    } else {
        algorithm
    };
    let model = elements.given(&observed);
    let plan = algorithm.run(&model, elements.utilities(), elements.decisions())?;
    // With limited memory, the order of the decisions has no effect.
    let unordered = if options.limited_memory {
        Vec::new()
    } else {
        diagram.unordered_decisions()
    };
    let name = |variable: usize| diagram.variables()[variable].name().to_owned();
    let is_open = |pair: &[usize; 2]| {
        let is_observed = |variable| {
            observed
                .observations()
                .iter()
                .any(|o| o.variable() == variable)
        };
        !pair.iter().any(|&variable| is_observed(variable))
    };
    let unordered = unordered.into_iter().filter(is_open);
    Ok(Solved {
        elements,
        plan,
        unordered: unordered.map(|pair| pair.map(name)).collect(),
    })
}

/// Rounds a utility to 14 significant digits, which removes the rounding errors of a sum.
fn rounded(utility: f64) -> f64 {
    format!("{utility:.13e}").parse().unwrap_or(utility)
}

fn json(
    elements: &DiagramElements,
    plan: &DecisionPlan,
    unordered: &[[String; 2]],
) -> Result<Json, figrs::Error> {
    let mut policies = Map::new();
    for decision in elements.decisions() {
        let policy = plan.policy(decision)?;
        let names = policy
            .known()
            .iter()
            .map(|known| known.label().short().to_owned());
        let names: Vec<String> = names.collect();
        let rows = policy.rows().iter().map(|row| {
            let states = row.known.iter().filter_map(|value| value.get::<State>());
            let known = names
                .iter()
                .cloned()
                .zip(states.map(|state| state.name().into()));
            json!({
                "known": Json::Object(known.collect()),
                "choose": row.choose.name(),
                "utility": as_json(rounded(row.utility)),
            })
        });
        policies.insert(decision.label().short().to_owned(), rows.collect());
    }
    let mut message = json!({
        "expected_utility": as_json(rounded(plan.expected_utility())),
        "policies": policies,
        "optimal": plan.is_optimal(),
    });
    if !unordered.is_empty() {
        message["unordered"] = json!(unordered);
    }
    Ok(message)
}
