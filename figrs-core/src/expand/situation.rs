//! The variables on which an element depends, and the situation of the element (evaluated, unknown or absent) for each assignment of these variables.

use super::encoding::{EncodingBuilder, Guard};
use figrs_factor::graph::Assignments;
use figrs_factor::graph::{FactorGraph, VarId};

/// An assignment of a list of variables, which may contain a variable twice.
pub(super) struct ListedVariables {
    pub(super) variables: Vec<VarId>,
    /// For each entry of the list, the index of its variable among the distinct variables.
    places: Vec<usize>,
    assignments: Assignments,
    values: Vec<u32>,
    guard: Option<Guard>,
}

/// The situation of an element for an assignment of its parents and its guard, which shows whether a world evaluates the element.
pub(super) enum Situation {
    /// The element is evaluated, with the contained combination of parent values.
    Reached(usize),
    Unknown,
    Absent,
    /// No world has this assignment.
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

    /// Advances to the next assignment in row-major order; returns `false` after the last assignment.
    pub(super) fn advance(&mut self) -> bool {
        self.assignments.advance(&mut self.values).is_some()
    }
}

impl EncodingBuilder<'_> {
    /// Returns the variables of an element's parents, and its guard if the values of the parents do not show whether a world evaluates the element.
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

    /// Returns the situation of the element for the present assignment of its [`scope`](Self::scope).
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
        let mut combination = 0;
        let (mut never, mut unknown) = (false, false);
        for (i, &parent) in parents.iter().enumerate() {
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
