//! The assignments of the variables that decide about an element.

use super::encoding::{EncodingBuilder, Guard};
use crate::factor::{FactorGraph, VarId};

/// Runs through the assignments of some variables, row-major, each variable once even if it is listed twice.
pub(super) struct AssignmentOdometer {
    /// The distinct variables.
    pub(super) variables: Vec<VarId>,
    /// For each listed variable its index among the distinct ones.
    places: Vec<usize>,
    sizes: Vec<usize>,
    digits: Vec<usize>,
    guard: Option<Guard>,
}

/// Situation of an element under an assignment of guard and parents.
pub(super) enum Situation {
    /// It is reached, with this combination of parent values.
    Reached(usize),
    /// It is reached, and the value of a parent is unknown.
    Unknown,
    /// It is not reached.
    Absent,
    /// Impossible in any world.
    Never,
}

impl AssignmentOdometer {
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
            sizes: variables.iter().map(|&v| graph.cardinality(v)).collect(),
            digits: vec![0; variables.len()],
            guard: None,
            variables,
        }
    }

    /// The value of a listed variable.
    pub(super) fn digit(&self, listed: usize) -> usize {
        self.digits[self.places[listed]]
    }

    /// The values of the distinct variables.
    pub(super) fn digits(&self) -> &[usize] {
        &self.digits
    }

    /// Advances to the next assignment (an odometer); `false` after the last.
    pub(super) fn advance(&mut self) -> bool {
        for position in (0..self.digits.len()).rev() {
            self.digits[position] += 1;
            if self.digits[position] < self.sizes[position] {
                return true;
            }
            self.digits[position] = 0;
        }
        false
    }
}

impl EncodingBuilder<'_> {
    /// The scope of an element's parents, with a guard where no parent tells whether the element is reached.
    pub(super) fn scope(&mut self, position: usize, parents: &[usize]) -> AssignmentOdometer {
        let tells = |&p: &usize| self.may_be_absent(p) && self.reached_with(p, position);
        let told = parents.iter().any(tells);
        let guard = if told { None } else { self.guard(position) };
        let mut listed: Vec<VarId> = guard.iter().map(|guard| guard.variable).collect();
        listed.extend(parents.iter().map(|&parent| self.variable(parent)));
        let mut scope = AssignmentOdometer::new(&self.graph, &listed);
        scope.guard = guard;
        scope
    }

    /// Situation of the element under the present assignment of [`scope`](Self::scope).
    pub(super) fn situation(
        &self,
        position: usize,
        parents: &[usize],
        scope: &AssignmentOdometer,
    ) -> Situation {
        let first = match &scope.guard {
            Some(guard) if !guard.reached[scope.digit(0)] => return Situation::Absent,
            Some(_) => 1,
            None => 0,
        };
        let mut combination = 0;
        let (mut never, mut unknown) = (false, false);
        for (i, &parent) in parents.iter().enumerate() {
            let digit = scope.digit(first + i);
            let expanded = &self.expansion.elements()[parent];
            let values = expanded.support.len();
            if digit < values {
                combination = combination * values + digit;
            } else if digit < expanded.states() {
                unknown = true;
            } else if scope.guard.is_none() && self.reached_with(parent, position) {
                return Situation::Absent;
            } else {
                never = true;
            }
        }
        if never {
            Situation::Never
        } else if unknown {
            Situation::Unknown
        } else {
            Situation::Reached(combination)
        }
    }
}
