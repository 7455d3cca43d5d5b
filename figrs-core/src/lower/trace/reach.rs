//! What the value of a node reaches where it is only passed on.
//!
//! The parameter of many observations is read by each of them, or by Chains whose result it is and that they read. Who they are is
//! noted, until who reads whom changes, and a proposal then needs no more than to weigh each of them.

use super::Trace;
use super::foresee::Ends;
use super::node::{Role, Use};
use super::register::Register;

/// What reads the value of a node, or of a Chain whose result it is, as the mean of a normal distribution.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Who reads whom when this was noted, as [`Trace::structure`] numbers it.
    structure: u64,
    /// Whether nothing else reads it.
    is_all: bool,
    /// The Chains.
    chains: Vec<u32>,
    /// The choices, and whether they are free.
    choices: Vec<(u32, bool)>,
}

impl Trace {
    /// Notes what the value of a node reaches, if that is not known; tells whether it is all that reads it.
    #[inline]
    fn find_reach(&mut self, number: u32) -> bool {
        let reach = &self.nodes[number as usize].reach;
        if reach.structure == self.structure {
            return reach.is_all;
        }
        let mut reach = std::mem::take(&mut self.nodes[number as usize].reach);
        reach.chains.clear();
        reach.choices.clear();
        reach.structure = self.structure;
        reach.is_all = self.follow(number, &mut reach);
        let is_all = reach.is_all;
        self.nodes[number as usize].reach = reach;
        is_all
    }

    fn follow(&self, number: u32, reach: &mut Reach) -> bool {
        let (mut next, mut reads) = (0, number);
        loop {
            for &Use { by, input } in &self.nodes[reads as usize].uses {
                let node = &self.nodes[by as usize];
                let arity = node.parents.len();
                let bell = node.bell.is_some() && arity == 1;
                let passes = node.role == Role::Chain
                    && input as usize == arity
                    && node.demand.is_none()
                    && !node.weighs;
                if node.stale || !(bell || passes) {
                    return false;
                }
                if bell {
                    reach.choices.push((by, node.demand.is_none()));
                } else {
                    reach.chains.push(by);
                }
            }
            let Some(&chain) = reach.chains.get(next) else {
                return true;
            };
            (next, reads) = (next + 1, chain);
        }
    }

    /// Weighs all that reads a number, if it is given this value; nothing if more than that must be done.
    #[inline]
    pub(super) fn weigh_reach(&mut self, number: u32, mean: f64) -> Option<Result<(), Ends>> {
        if !mean.is_finite() || !self.find_reach(number) {
            return None;
        }
        let (nodes, foresight) = (&self.nodes, &mut self.foresight);
        let before = foresight.weighed.len();
        let (mut prior, mut likelihood) = (0.0, 0.0);
        for &(choice, free) in &nodes[number as usize].reach.choices {
            let node = &nodes[choice as usize];
            let (Some(bell), Some(value)) = (node.bell, node.value.number()) else {
                foresight.weighed.truncate(before);
                return None;
            };
            let log = bell.log_prob(mean, value);
            let gain = log - node.log;
            if free {
                prior += gain;
            } else {
                likelihood += gain;
            }
            foresight.weighed.push((choice, log));
        }
        foresight.prior += prior;
        foresight.likelihood += likelihood;
        // A density that is too small for its logarithm.
        let vanishes = prior + likelihood == f64::NEG_INFINITY;
        foresight.reaching = Some(number);
        Some(if vanishes {
            Err(Ends::Impossible)
        } else {
            Ok(())
        })
    }

    /// Gives the Chains that a node reaches the value it is to have.
    pub(super) fn keep_reach(&mut self, number: u32) {
        let mut value = Register::default();
        value.copy(self.foreseen(number));
        for i in 0..self.nodes[number as usize].reach.chains.len() {
            let chain = self.nodes[number as usize].reach.chains[i];
            self.nodes[chain as usize].value.copy(&value);
        }
    }
}
