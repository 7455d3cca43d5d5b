//! Fast path for Metropolis-Hastings proposals of truth values that only select a branch, such as the component of a mixture.
//!
//! In a mixture of two components, the truth value that selects the component of an observation has only one child, a `Chain`, whose result is the
//! parameter of the component. If a proposal changes the truth value that selects a mixture component, no list of new values is made: the likelihoods
//! of the children of the `Chain` are computed at once.

use super::look_ahead_list::{FlipProposal, LookAheadEnd};
use super::readers::{BooleanBranch, NodeUse};
use super::register::ValueRegister;
use super::state::Trace;
use figrs_core::value::datum::Datum;

impl Trace {
    /// Returns the `Chain` whose result the truth value of the random choice `site` selects, and caches this `Chain`.
    #[inline]
    fn find_boolean_branch(&mut self, site: u32) -> BooleanBranch {
        if let Some(fork) = self.nodes[site as usize].boolean_branch {
            return fork;
        }
        let fork = self.selected(site).unwrap_or(BooleanBranch::Absent);
        self.nodes[site as usize].boolean_branch = Some(fork);
        fork
    }

    fn selected(&self, site: u32) -> Option<BooleanBranch> {
        let &[NodeUse { by, input: 0 }] = &self.nodes[site as usize].uses[..] else {
            return None;
        };
        let chain = &self.nodes[by as usize];
        let selects = chain.parents.len() == 1 && chain.is_pass_through() && !chain.stale;
        let result = |truth| {
            let key = |key: &ValueRegister| key.truth() == Some(truth);
            let known = chain.keys.iter().position(key);
            known.map(|known| chain.branches[known])
        };
        selects.then(|| BooleanBranch::Chain(by, [false, true].map(result)))
    }

    /// Computes all changes of log-probabilities that follow if a Boolean random choice takes the other truth value. Returns `None` if the truth
    /// value has other effects than to select the result of one `Chain` whose children can be weighed together.
    #[inline]
    pub(super) fn look_ahead_boolean(
        &mut self,
        site: u32,
        value: &Datum,
    ) -> Option<Result<(), LookAheadEnd>> {
        let &truth = value.get::<bool>()?;
        let BooleanBranch::Chain(chain, results) = self.find_boolean_branch(site) else {
            return None;
        };
        let result = results[usize::from(truth)]?;
        let node = &self.nodes[site as usize];
        let log = node.log_probs[usize::from(truth)];
        let selected = &self.nodes[result as usize];
        let height = self.nodes[chain as usize].height;
        // A log-probability that has not been computed is NaN.
        if !log.is_finite() || node.weighs || selected.stale || selected.height >= height {
            return None;
        }
        let parameter = selected.value.number()?;
        let (present, _) = self.may_switch(chain, result)?;
        if present == result {
            return None;
        }
        let gain = log - node.log;
        let weighed = self.weigh_parameter_readers(chain, parameter)?;
        self.look_ahead.prior += gain;
        self.look_ahead.flip = Some(FlipProposal {
            site,
            truth,
            log,
            chain,
            result,
        });
        Some(weighed)
    }

    /// Applies the proposal of the other truth value, except for the children of the `Chain` whose result the truth value selects.
    pub(super) fn apply_flip(&mut self, flip: FlipProposal) {
        let node = &mut self.nodes[flip.site as usize];
        node.value.set(&Datum::new(flip.truth));
        node.log = flip.log;
        self.switch_result(flip.chain, flip.result);
        self.undo.operations.clear();
        let mut value = ValueRegister::default();
        value.copy(&self.nodes[flip.result as usize].value);
        self.nodes[flip.chain as usize].value.copy(&value);
    }
}
