//! Fast path for proposals for a parameter of many random choices, which depend on the parameter directly or through `Chain` elements that pass on
//! its value.
//!
//! The choices that depend on a parameter are cached until these dependencies change, or until observations require another value of such a choice.
//! For a proposal of another value of a parameter, only the log-probabilities of the choices that depend on it are computed, together for all choices
//! of the same family of distributions.

use super::look_ahead_list::{LookAheadEnd, WeighedReaders};
use super::node::{NodeRole, TraceNode};
use super::readers::{NodeUse, ParameterReaders, RunReaders};
use super::register::ValueRegister;
use super::state::Trace;
use figrs_core::element::operations::FamilyOp;
use figrs_core::{Datum, Likelihood, Term};

impl<'a> RunReaders<'a> {
    /// Returns the family and the present values of a run of choices (successive choices with the same family of distributions).
    #[inline]
    fn values<'b>(
        &self,
        nodes: &'a [TraceNode],
        free: &'b mut Vec<f64>,
    ) -> Option<(&'a dyn FamilyOp, &'b [f64])>
    where
        'a: 'b,
    {
        let family = nodes[*self.choices.first()? as usize].family()?;
        if self.is_observed {
            return Some((family, self.observed));
        }
        free.clear();
        for &choice in self.choices {
            free.push(nodes[choice as usize].value.number()?);
        }
        Some((family, free))
    }
}

impl Trace {
    /// Clears the cached children of a node; if the node is a `Chain` that only passes on the value of another element, also clears the cached
    /// children of this element.
    pub(super) fn clear_parameter_readers(&mut self, number: u32) {
        let mut lost = Some(number);
        while let Some(number) = lost {
            let node = &mut self.nodes[number as usize];
            let result = node.inputs.get(node.parents.len()).map(|edge| edge.to);
            lost = result.filter(|_| node.reach.is_followed());
            node.clear_reader_caches();
        }
    }

    /// Finds the choices of which a node is the only parameter, unless they are cached. Returns `true` if nothing except choices with this only
    /// parameter depends on the node.
    #[inline]
    fn find_reach(&mut self, number: u32) -> bool {
        if let Some(are_all) = self.nodes[number as usize].reach.are_all() {
            return are_all;
        }
        let mut reach = std::mem::take(&mut self.nodes[number as usize].reach);
        reach.clear();
        let is_all = self.collect_parameter_readers(number, &mut reach);
        reach.complete(is_all);
        for &chain in reach.chains() {
            self.nodes[chain as usize].reach.set_followed();
        }
        self.nodes[number as usize].reach = reach;
        is_all
    }

    fn collect_parameter_readers(&self, number: u32, reach: &mut ParameterReaders) -> bool {
        let (mut next, mut reads) = (0, number);
        loop {
            for &NodeUse { by, input } in &self.nodes[reads as usize].uses {
                let node = &self.nodes[by as usize];
                let arity = node.parents.len();
                if node.stale {
                    return false;
                }
                if node.role == NodeRole::Family && arity == 1 {
                    let Some(value) = node.value.number() else {
                        return false;
                    };
                    let family = |choice: u32| self.nodes[choice as usize].family();
                    let same_family = |last: u32| {
                        let both = family(last).zip(family(by));
                        both.is_some_and(|(a, b)| a.is_same_as(b))
                    };
                    reach.push(by, value, node.demand.is_some(), same_family);
                } else if input as usize == arity && node.is_pass_through() {
                    reach.push_chain(by);
                } else {
                    return false;
                }
            }
            let Some(&chain) = reach.chains().get(next) else {
                return true;
            };
            (next, reads) = (next + 1, chain);
        }
    }

    /// Computes the log-probabilities of all random choices that depend on the parameter with the index `number`, for the parameter value
    /// `parameter`. Returns `None` if another value of the parameter has other effects than these log-probabilities.
    #[inline]
    pub(super) fn weigh_parameter_readers(
        &mut self,
        number: u32,
        parameter: f64,
    ) -> Option<Result<(), LookAheadEnd>> {
        if !self.find_reach(number) {
            return None;
        }
        let Self {
            nodes, look_ahead, ..
        } = self;
        let reach = &nodes[number as usize].reach;
        let WeighedReaders { values, logs } = &mut look_ahead.readers;
        logs.clear();
        let (mut prior, mut likelihood) = (0.0, 0.0);
        for run in reach.runs() {
            let (family, values) = run.values(nodes, values)?;
            let start = logs.len();
            family.log_probs_of_values(&[parameter], values, logs)?;
            let each = run.choices.iter().zip(&logs[start..]);
            let gain: f64 = each
                .map(|(&choice, log)| log - nodes[choice as usize].log)
                .sum();
            if run.is_observed {
                likelihood += gain;
            } else {
                prior += gain;
            }
        }
        let gain = prior + likelihood;
        // A density is infinite, or the difference of infinite log-densities is NaN.
        if gain.is_nan() || gain == f64::INFINITY {
            return None;
        }
        look_ahead.prior += prior;
        look_ahead.likelihood += likelihood;
        look_ahead.parameter = Some((number, parameter));
        // A density is too small, so that its logarithm is −∞.
        Some(if gain == f64::NEG_INFINITY {
            Err(LookAheadEnd::Impossible)
        } else {
            Ok(())
        })
    }

    /// Returns the likelihood of the values of all choices that depend on the parameter with the index `number`; the likelihood of observed choices
    /// is raised to `power`. Returns `None` if the likelihood of each choice must be computed on its own.
    pub(super) fn likelihood_of_readers(
        &mut self,
        number: u32,
        terms: &'static [Term],
        power: f64,
    ) -> Option<Likelihood> {
        let parameter = self.nodes[number as usize].value.number()?;
        if !self.find_reach(number) {
            return None;
        }
        let Self {
            nodes, look_ahead, ..
        } = self;
        let mut likelihood = Likelihood::new(terms);
        for run in nodes[number as usize].reach.runs() {
            let (family, values) = run.values(nodes, &mut look_ahead.readers.values)?;
            likelihood.set_power(if run.is_observed { power } else { 1.0 });
            family.likelihood_of_values(&[parameter], values, &mut likelihood)?;
        }
        Some(likelihood)
    }

    /// Sets the `Chain` elements that pass on the value of a parameter to the new value `parameter`, and the log-probabilities of choices to those
    /// that [`weigh_parameter_readers`](Self::weigh_parameter_readers) has computed.
    pub(super) fn apply_parameter(&mut self, number: u32, parameter: f64) {
        let value = ValueRegister::from(Some(&Datum::new(parameter)));
        let reach = std::mem::take(&mut self.nodes[number as usize].reach);
        debug_assert_eq!(reach.choices().len(), self.look_ahead.readers.logs.len());
        for &chain in reach.chains() {
            self.nodes[chain as usize].value.copy(&value);
        }
        for (&choice, &log) in reach.choices().iter().zip(&self.look_ahead.readers.logs) {
            self.nodes[choice as usize].log = log;
        }
        self.nodes[number as usize].reach = reach;
    }
}
