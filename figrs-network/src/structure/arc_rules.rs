//! Rules for network structures: required and forbidden arcs, and the maximum number of parents.

use rustc_hash::FxHashSet;

use super::super::variable::position_of;
use super::super::{Network, Variable};
use super::StructureLearningError;
use super::dag::{ArcChange, Dag};

pub(super) const MOST_ENTRIES: usize = 1 << 24;

/// Maximum total number of entries in the tables of a learned network.
pub(super) const MOST_ENTRIES_IN_ALL: usize = 1 << 26;

/// Arcs, each given by the names of its parent and its child.
type ArcNames = [(String, String)];

/// The rules that a learned network structure must obey: required arcs, forbidden arcs, and the maximum number of parents.
pub(super) struct ArcRules {
    required: FxHashSet<(u32, u32)>,
    forbidden: FxHashSet<(u32, u32)>,
    most_parents: usize,
    /// Number of states of each variable of the network.
    states: Vec<usize>,
    /// The graph that contains only the required arcs.
    least: Dag,
}

impl ArcRules {
    /// Creates the rules for the structures of a network, with arcs given by names.
    ///
    /// **Errors.** An error if the name of a variable is unknown, or if no structure can obey the rules.
    pub(super) fn new(
        network: &Network,
        (required, forbidden): (&ArcNames, &ArcNames),
        most_parents: usize,
    ) -> Result<Self, StructureLearningError> {
        let variables = network.variables();
        let name = |position: u32| variables[position as usize].name();
        let mut rules = Self {
            required: FxHashSet::default(),
            forbidden: arcs(network, forbidden)?.into_iter().collect(),
            most_parents,
            states: variables.iter().map(|v| v.states().len()).collect(),
            least: Dag::empty(variables.len()),
        };
        for (from, to) in arcs(network, required)? {
            if rules.forbidden.contains(&(from, to)) {
                return Err(StructureLearningError::rules(
                    &["require", "forbid"],
                    &format!(
                        "the arc from `{}` to `{}` is both required and forbidden",
                        name(from),
                        name(to)
                    ),
                    "keep one of the two",
                ));
            }
            if !rules.required.insert((from, to)) {
                continue;
            }
            if !rules.least.allows(ArcChange::Add(from, to)) {
                let cycle = cycle(&rules.least, from, to);
                let cycle: Vec<&str> = cycle.into_iter().map(name).collect();
                return Err(StructureLearningError::rules(
                    &["require"],
                    &format!("the required arcs form a cycle, {}", cycle.join(" -> ")),
                    "leave one of them out",
                ));
            }
            rules.least.change(ArcChange::Add(from, to));
        }
        rules.check_parents(variables)?;
        Ok(rules)
    }

    /// **Errors.** An error if a variable has too many required parents, or if the table of the variable and its required parents is too large.
    fn check_parents(&self, variables: &[Variable]) -> Result<(), StructureLearningError> {
        for (parents, variable) in self.least.all_parents().iter().zip(variables) {
            if parents.len() > self.most_parents {
                let problem = format!(
                    "`{}` has {} required parents, more than the {} allowed",
                    variable.name(),
                    parents.len(),
                    self.most_parents
                );
                let remedy = "allow more parents, or require fewer";
                let settings = &["max_parents", "require"];
                return Err(StructureLearningError::rules(settings, &problem, remedy));
            }
            let sizes = parents.iter().map(|&p| self.states[p as usize]);
            let entries = sizes.fold(variable.states().len() as u128, |entries, n| {
                entries.saturating_mul(n as u128)
            });
            if entries > MOST_ENTRIES as u128 {
                let problem = format!(
                    "the table of `{}` and its required parents would have {entries} entries, more than {MOST_ENTRIES}",
                    variable.name()
                );
                let (remedy, settings) = ("require fewer arcs", &["require"]);
                return Err(StructureLearningError::too_large(
                    &problem, remedy, settings,
                ));
            }
        }
        Ok(())
    }

    /// **Errors.** An error if the tables of a structure have too many entries in total.
    pub(super) fn check_entries(&self, dag: &Dag) -> Result<(), StructureLearningError> {
        let entries = (0..).zip(dag.all_parents()).map(|(child, parents)| {
            let sizes = parents.iter().chain([&child]);
            sizes.fold(1_u128, |entries, &v: &u32| {
                entries.saturating_mul(self.states[v as usize] as u128)
            })
        });
        let entries: u128 = entries.sum();
        if entries > MOST_ENTRIES_IN_ALL as u128 {
            return Err(StructureLearningError::too_large(
                &format!(
                    "the tables of the structure would have {entries} entries together, more than {MOST_ENTRIES_IN_ALL}"
                ),
                "allow fewer parents, require fewer arcs, or take a score with a penalty, such as BIC",
                &["max_parents", "require", "score"],
            ));
        }
        Ok(())
    }

    pub(super) fn least(&self) -> &Dag {
        &self.least
    }

    /// Returns the graph of the required arcs. The arcs of the structure `parents` are added to the required arcs, child by child, as far as the
    /// rules allow.
    pub(super) fn start(&self, parents: &[Vec<u32>]) -> Dag {
        let mut dag = self.least.clone();
        for (child, parents) in (0..).zip(parents) {
            for &parent in parents {
                let change = ArcChange::Add(parent, child);
                if self.allows_parent(&dag, parent, child) && dag.allows(change) {
                    dag.change(change);
                }
            }
        }
        dag
    }

    pub(super) fn requires(&self, from: u32, to: u32) -> bool {
        self.required.contains(&(from, to))
    }

    /// True if `change`, which adds, deletes or reverses an arc, obeys the rules. The rules do not exclude changes that close a cycle.
    pub(super) fn allow(&self, dag: &Dag, change: ArcChange) -> bool {
        match change {
            ArcChange::Add(from, to) => self.allows_parent(dag, from, to),
            ArcChange::Delete(from, to) => !self.requires(from, to),
            ArcChange::Reverse(from, to) => {
                !self.requires(from, to) && self.allows_parent(dag, to, from)
            }
        }
    }

    pub(super) fn allows_parent(&self, dag: &Dag, from: u32, to: u32) -> bool {
        let parents = dag.parents(to);
        let members = parents.iter().chain([&from, &to]);
        let entries = members.fold(1_usize, |entries, &v| {
            entries.saturating_mul(self.states[v as usize])
        });
        from != to
            && parents.len() < self.most_parents
            && !self.forbidden.contains(&(from, to))
            && entries <= MOST_ENTRIES
    }
}

fn arcs(network: &Network, names: &ArcNames) -> Result<Vec<(u32, u32)>, StructureLearningError> {
    let arcs = names.iter().map(|(from, to)| {
        if from == to {
            position(network, from)?;
            let problem = format!("an arc from `{from}` to itself is a cycle");
            let settings = &["require", "forbid"];
            return Err(StructureLearningError::rules(
                settings,
                &problem,
                "name two variables",
            ));
        }
        Ok((position(network, from)?, position(network, to)?))
    });
    arcs.collect()
}

/// Returns the index of the variable named `name`.
///
/// **Errors.** [`StructureLearningError::Unknown`] if `network` has no such variable.
pub(super) fn position(network: &Network, name: &str) -> Result<u32, StructureLearningError> {
    Ok(position_of(&network.index, &network.variables, name)? as u32)
}

/// Returns the cycle that a new arc from `from` to `to` would close, as the existing path from `to` back to `from`.
fn cycle(dag: &Dag, from: u32, to: u32) -> Vec<u32> {
    let mut path = vec![from];
    let mut at = from;
    // From the present variable, moves to one of its parents that is the child of the arc or a descendant of that
    // child.
    while at != to {
        let mut parents = dag.parents(at).iter().copied();
        let above = parents.find(|&parent| parent == to || dag.reaches(to, parent));
        at = above.unwrap_or(to);
        path.push(at);
    }
    path.push(from);
    path.reverse();
    path
}
