//! Fast path of normal means: the readers of a value that Chains only pass on.
//!
//! The parameter of many observations is read by each of them, or by Chains whose result it is and that they read. These
//! readers are cached, until one of them is read by others than before or has another value demanded of it, and a proposal
//! then only weighs each of them.

use super::Trace;
use super::look_ahead::LookAheadEnd;
use super::node::NodeUse;
use super::register::ValueRegister;
use crate::element::Bell;
use crate::value::datum::Datum;

/// Transitive readers of a node as the mean of a normal distribution, directly or through Chains whose result it is.
#[derive(Debug, Default)]
pub(super) struct MeanReaders {
    is_known: bool,
    /// `true` if the readers of this Chain are in the cache of its result.
    is_followed: bool,
    /// `true` if nothing else reads it.
    is_all: bool,
    /// The Chains that pass it on.
    chains: Vec<u32>,
    /// The choices that observations decide.
    observed: Vec<ObservedChoice>,
    /// The other choices.
    free: Vec<u32>,
}

/// A choice whose value stays.
#[derive(Debug)]
struct ObservedChoice {
    number: u32,
    value: f64,
    bell: Bell,
}

impl MeanReaders {
    pub(super) fn lose(&mut self) {
        (self.is_known, self.is_followed) = (false, false);
    }
}

impl Trace {
    /// Clears the cached readers of a node, and of the nodes that it passes on.
    pub(super) fn lose_reach(&mut self, number: u32) {
        let mut lost = Some(number);
        while let Some(number) = lost {
            let node = &mut self.nodes[number as usize];
            let result = node.inputs.get(node.parents.len()).map(|edge| edge.to);
            lost = result.filter(|_| node.reach.is_followed);
            node.lose_readers();
        }
    }

    /// Collects the readers of a node, if they are not cached; returns whether they are all of its readers.
    #[inline]
    fn find_reach(&mut self, number: u32) -> bool {
        let reach = &self.nodes[number as usize].reach;
        if reach.is_known {
            return reach.is_all;
        }
        let mut reach = std::mem::take(&mut self.nodes[number as usize].reach);
        reach.chains.clear();
        reach.observed.clear();
        reach.free.clear();
        reach.is_known = true;
        reach.is_all = self.follow(number, &mut reach);
        let is_all = reach.is_all;
        for &chain in &reach.chains {
            self.nodes[chain as usize].reach.is_followed = true;
        }
        self.nodes[number as usize].reach = reach;
        is_all
    }

    fn follow(&self, number: u32, reach: &mut MeanReaders) -> bool {
        let (mut next, mut reads) = (0, number);
        loop {
            for &NodeUse { by, input } in &self.nodes[reads as usize].uses {
                let node = &self.nodes[by as usize];
                let arity = node.parents.len();
                if node.stale {
                    return false;
                }
                if let Some(bell) = node.bell.filter(|_| arity == 1) {
                    if node.demand.is_none() {
                        reach.free.push(by);
                    } else if let Some(value) = node.value.number() {
                        let number = by;
                        let observed = ObservedChoice {
                            number,
                            value,
                            bell,
                        };
                        reach.observed.push(observed);
                    } else {
                        return false;
                    }
                } else if input as usize == arity && node.only_passes_on() {
                    reach.chains.push(by);
                } else {
                    return false;
                }
            }
            let Some(&chain) = reach.chains.get(next) else {
                return true;
            };
            (next, reads) = (next + 1, chain);
        }
    }

    /// Weighs all readers of a number, if it is given this value; `None` if more than that must be done.
    #[inline]
    pub(super) fn weigh_reach(
        &mut self,
        number: u32,
        mean: f64,
    ) -> Option<Result<(), LookAheadEnd>> {
        if !mean.is_finite() || !self.find_reach(number) {
            return None;
        }
        let nodes = &self.nodes;
        let reach = &nodes[number as usize].reach;
        let (mut prior, mut likelihood) = (0.0, 0.0);
        for &choice in &reach.free {
            let node = &nodes[choice as usize];
            prior += node.bell?.log_prob(mean, node.value.number()?) - node.log;
        }
        for seen in &reach.observed {
            let log = seen.bell.log_prob(mean, seen.value);
            likelihood += log - nodes[seen.number as usize].log;
        }
        self.foresight.prior += prior;
        self.foresight.likelihood += likelihood;
        self.foresight.reaching = Some((number, mean));
        // A density that is too small for its logarithm.
        let vanishes = prior + likelihood == f64::NEG_INFINITY;
        Some(if vanishes {
            Err(LookAheadEnd::Impossible)
        } else {
            Ok(())
        })
    }

    /// Sets the Chains that a node reaches to its new number, and weighs the choices with it.
    pub(super) fn keep_reach(&mut self, number: u32, mean: f64) {
        let value = ValueRegister::from(Some(&Datum::new(mean)));
        let reach = std::mem::take(&mut self.nodes[number as usize].reach);
        for &chain in &reach.chains {
            self.nodes[chain as usize].value.copy(&value);
        }
        for seen in &reach.observed {
            self.nodes[seen.number as usize].log = seen.bell.log_prob(mean, seen.value);
        }
        for &choice in &reach.free {
            let node = &mut self.nodes[choice as usize];
            if let (Some(bell), Some(value)) = (node.bell, node.value.number()) {
                node.log = bell.log_prob(mean, value);
            }
        }
        self.nodes[number as usize].reach = reach;
    }
}
