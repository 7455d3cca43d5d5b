//! Reachability: the conditions under which a possible world evaluates an element, and the variables on which these conditions depend.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::encoding::{EncodingBuilder, Guard};
use super::expansion::{Content, ExpandedElement};
use figrs_factor::graph::{Assignments, FactorGraph, VarId};

/// The condition under which a possible world evaluates an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReachCondition {
    Always,
    /// A world evaluates the element if at least one of the listed `Chain` elements makes the choice listed with it. Each pair in the list contains
    /// the index of a `Chain` in the expansion, and the index of one of its choices. A function that reads its last parent only in some worlds is
    /// treated like a `Chain` whose choice 0 means that the function reads this parent.
    When(Rc<BTreeSet<(usize, usize)>>),
}

/// The conditions under which worlds evaluate the elements, and the list of elements that occur only as rows of a `Chain`'s conditional table.
#[derive(Debug)]
pub(super) struct ReachConditions {
    /// For each element, the condition under which worlds evaluate it; `None` if the targets and the evidence do not depend on the element.
    pub(super) reach: Vec<Option<ReachCondition>>,
    /// For each element without parents that is used by only one `Chain`, the index of that `Chain` in the expansion.
    pub(super) row_of: Vec<Option<usize>>,
}

/// Number of uses of an element by other elements: none, one use by a `Chain`, or more.
#[derive(Clone, Copy)]
enum Mention {
    Nothing,
    Chain(usize),
    More,
}

enum ReachConditionBuilder {
    Nothing,
    Always,
    When(BTreeSet<(usize, usize)>),
}

impl ReachConditionBuilder {
    fn add(&mut self, reach: &ReachCondition) {
        match (&mut *self, reach) {
            (Self::Always, _) => {}
            (_, ReachCondition::Always) => *self = Self::Always,
            (Self::Nothing, ReachCondition::When(set)) => *self = Self::When((**set).clone()),
            (Self::When(all), ReachCondition::When(set)) => all.extend(set.iter().copied()),
        }
    }

    fn add_choice(&mut self, choice: (usize, usize)) {
        match self {
            Self::Always => {}
            Self::When(all) => {
                all.insert(choice);
            }
            Self::Nothing => *self = Self::When(BTreeSet::from([choice])),
        }
    }
}

impl ReachConditions {
    /// Computes the conditions under which worlds evaluate the elements, starting from the roots and going to the elements on which they depend.
    pub(super) fn new(elements: &[ExpandedElement], roots: &[usize]) -> Self {
        let count = elements.len();
        let mut gathered: Vec<ReachConditionBuilder> =
            (0..count).map(|_| ReachConditionBuilder::Nothing).collect();
        let mut mentions = vec![Mention::Nothing; count];
        for &root in roots {
            gathered[root] = ReachConditionBuilder::Always;
            mentions[root] = Mention::More;
        }
        let mut reach: Vec<Option<ReachCondition>> = vec![None; count];
        for position in (0..count).rev() {
            let found = std::mem::replace(&mut gathered[position], ReachConditionBuilder::Nothing);
            let own = match found {
                ReachConditionBuilder::Nothing => continue,
                ReachConditionBuilder::Always => ReachCondition::Always,
                ReachConditionBuilder::When(set) => simplify(set, elements, &reach),
            };
            let element = &elements[position];
            let read = element.read_parents();
            for &parent in read {
                gathered[parent].add(&own);
                mentions[parent] = Mention::More;
            }
            for &parent in &element.parents[read.len()..] {
                gathered[parent].add_choice((position, 0));
                mentions[parent] = Mention::More;
            }
            if let Content::Chain { results, .. } = &element.content {
                for (choice, &result) in results.iter().enumerate() {
                    if results.len() == 1 && element.always_has_value(elements) {
                        gathered[result].add(&own);
                    } else {
                        gathered[result].add_choice((position, choice));
                    }
                    mentions[result] = match mentions[result] {
                        Mention::Nothing => Mention::Chain(position),
                        _ => Mention::More,
                    };
                }
            }
            reach[position] = Some(own);
        }
        let row = |(position, mention): (usize, &Mention)| match mention {
            Mention::Chain(chain) if elements[position].is_row() => Some(*chain),
            _ => None,
        };
        let row_of = mentions.iter().enumerate().map(row).collect();
        Self { reach, row_of }
    }
}

impl ExpandedElement {
    /// True if the element can be a row of a `Chain`'s conditional table.
    fn is_row(&self) -> bool {
        match self.content {
            Content::Atomic(_) | Content::NotEnumerable(_) | Content::Fixed => true,
            // The parents of an unexplored `Chain` belong to every world that evaluates the `Chain`; a row of a table has no parents.
            Content::Unexplored => self.parents.is_empty(),
            _ => false,
        }
    }
}

/// If `set` contains all choices of a `Chain`, replaces these choices by the condition under which worlds evaluate the `Chain` itself.
fn simplify(
    mut set: BTreeSet<(usize, usize)>,
    elements: &[ExpandedElement],
    reach: &[Option<ReachCondition>],
) -> ReachCondition {
    loop {
        let complete = set.iter().map(|&(chain, _)| chain).find(|&chain| {
            let Content::Chain { results, .. } = &elements[chain].content else {
                return false;
            };
            // A `Chain` whose function may fail, or whose parents may be unknown, does not always make a choice.
            elements[chain].always_has_value(elements)
                && (0..results.len()).all(|choice| set.contains(&(chain, choice)))
        });
        let Some(chain) = complete else {
            return ReachCondition::When(Rc::new(set));
        };
        match &reach[chain] {
            Some(ReachCondition::When(own)) => {
                set.retain(|&(c, _)| c != chain);
                set.extend(own.iter().copied());
            }
            _ => return ReachCondition::Always,
        }
    }
}

/// An assignment of values to a list of variables in which the same variable may occur twice.
pub(super) struct ListedVariables {
    pub(super) variables: Vec<VarId>,
    /// For each entry of the list of variables, the index of its variable among the distinct variables.
    places: Vec<usize>,
    assignments: Assignments,
    values: Vec<u32>,
    guard: Option<Guard>,
}

/// The situation of an element in a world, for an assignment of its parents and of the guard variable, which shows whether the world evaluates the
/// element.
pub(super) enum Situation {
    /// The element is evaluated, for the combination of parent values with this index.
    Reached(usize),
    Unknown,
    Absent,
    /// No possible world has this assignment of the parents.
    Never,
}

impl ListedVariables {
    pub(super) fn new(graph: &FactorGraph, listed: &[VarId]) -> Self {
        let mut variables: Vec<VarId> = Vec::with_capacity(listed.len());
        let mut places = Vec::with_capacity(listed.len());
        for &variable in listed {
            let known = variables.iter().position(|&v| v == variable);
            places.push(known.unwrap_or(variables.len()));
            if known.is_none() {
                variables.push(variable);
            }
        }
        Self {
            places,
            assignments: Assignments::rows(variables.iter().map(|&v| graph.cardinality(v))),
            values: vec![0; variables.len()],
            guard: None,
            variables,
        }
    }

    pub(super) fn value(&self, listed: usize) -> usize {
        self.values[self.places[listed]] as usize
    }

    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// Advances to the next assignment of the variables in row-major order; returns `false` after the last assignment.
    pub(super) fn advance(&mut self) -> bool {
        self.assignments.advance(&mut self.values).is_some()
    }
}

impl EncodingBuilder<'_> {
    /// Returns the variables of an element's parents, and a guard variable if the values of the parents do not show whether a world evaluates the
    /// element.
    pub(super) fn scope(&mut self, position: usize, parents: &[usize]) -> ListedVariables {
        let tells = |&p: &usize| self.may_be_absent(p) && self.reached_with(p, position);
        let message = parents.iter().any(tells);
        let guard = if message { None } else { self.guard(position) };
        let mut listed: Vec<VarId> = guard.iter().map(|guard| guard.variable).collect();
        listed.extend(parents.iter().map(|&parent| self.variable(parent)));
        let mut scope = ListedVariables::new(&self.graph, &listed);
        scope.guard = guard;
        scope
    }

    /// Returns how the element is evaluated for the present assignment of the variables in its [`scope`](Self::scope).
    pub(super) fn situation(
        &self,
        position: usize,
        parents: &[usize],
        scope: &ListedVariables,
    ) -> Situation {
        let first = match &scope.guard {
            Some(guard) if !guard.reached[scope.value(0)] => return Situation::Absent,
            Some(_) => 1,
            None => 0,
        };
        let expanded = &self.expansion.elements()[position];
        let skips_last = &expanded.skips_last;
        let read = if skips_last.is_empty() {
            parents.len()
        } else {
            expanded.read_parents().len()
        };
        let mut combination = 0;
        let (mut never, mut unknown) = (false, false);
        for (i, &parent) in parents.iter().enumerate() {
            if i >= read && (unknown || skips_last.get(combination) == Some(&true)) {
                // The function does not read its last parent here. Its value is therefore the same for all values of the last parent.
                combination *= self.expansion.elements()[parent].support.len();
                continue;
            }
            let value = scope.value(first + i);
            let expanded = &self.expansion.elements()[parent];
            let values = expanded.support.len();
            if value < values {
                combination = combination * values + value;
            } else if value < expanded.states() {
                unknown = true;
            } else if scope.guard.is_none() && self.reached_with(parent, position) {
                return Situation::Absent;
            } else {
                never = true;
            }
        }
        if never {
            Situation::Never
        } else if unknown
            || self.expansion.elements()[position]
                .content
                .is_unknown_at(combination)
        {
            Situation::Unknown
        } else {
            Situation::Reached(combination)
        }
    }
}
