//! The samplers, for the tests that are put to all of them: a new one joins with one row.

use figrs::AnyElement;
use figrs::prelude::*;

use crate::significance::Law;

/// What a sampler is given beside the model.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// How many worlds it may draw, or steps it may make.
    pub samples: u64,
    /// Where its random numbers come from.
    pub seed: u64,
    /// The states of a process in the order of time, where the model is one.
    pub sequence: &'a [AnyElement],
}

/// One sampler.
#[derive(Debug)]
pub struct Sampler {
    /// Its name.
    pub name: &'static str,
    /// Makes it.
    pub algorithm: fn(Effort) -> Box<dyn Algorithm>,
    /// How its estimates are distributed in units of their stated errors.
    pub law: Law,
    /// The questions and the cases of the conformance table that are not for it, and why.
    pub except: &'static [(&'static str, &'static str)],
}

impl Sampler {
    /// Why a question is not for it, if it is not.
    pub fn excuse(&self, question: &str) -> Option<&'static str> {
        let row = self.except.iter().find(|(name, _)| *name == question);
        row.map(|(_, why)| *why)
    }
}

const HEAVY: &str = "a few worlds that are rarely drawn have most of the weight, and samples without them understate the error";
const FIFTY: &str = "the product of fifty likelihoods or more leaves hardly one effective sample";

/// All of them.
pub const SAMPLERS: &[Sampler] = &[Sampler {
    name: "ImportanceSampling",
    algorithm: |effort| Box::new(ImportanceSampling::new(effort.samples).seed(effort.seed)),
    law: Law::Normal,
    except: &[
        ("M05b_qmr_large", HEAVY),
        ("M06a_hmm50", FIFTY),
        ("M06b_hmm500", FIFTY),
    ],
}];
