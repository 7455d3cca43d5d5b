//! The table of samplers for the tests that apply to all samplers; a new sampler joins by one row.

use figrs::AnyElement;
use figrs::prelude::*;

use crate::asked::Worlds;
use crate::reference_models::{Quantity, Question};
use crate::significance::Law;

/// The settings of a sampler's run, besides the model.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// Number of worlds that the sampler may draw, or number of steps that it may make.
    pub samples: u64,
    /// Seed of the random numbers of the sampler.
    pub seed: u64,
    /// The states of a process in the order of time, if the model is a process.
    pub sequence: &'a [AnyElement],
}

/// A sampler, with the models and questions to which it applies.
#[derive(Debug)]
pub struct Sampler {
    /// The name of the sampler.
    pub name: &'static str,
    /// Function that creates the sampler.
    pub algorithm: fn(Effort) -> Box<dyn Algorithm>,
    /// Distribution of the sampler's estimates around the truth, in units of their stated errors.
    pub law: Law,
    /// The largest set of worlds that the sampler can handle.
    pub copes_with: Worlds,
    /// `true` if the sampler accepts models with evidence.
    pub takes_evidence: bool,
    /// `true` if the sampler estimates the probability of the evidence; if `false`, its answers must say that they do not contain that probability.
    pub knows_evidence: bool,
    /// The questions and conformance cases to which the sampler does not apply, each with the reason.
    pub except: &'static [(&'static str, &'static str)],
}

impl Sampler {
    /// Returns the reason why the sampler does not apply to a question, if it does not.
    pub fn excuse(&self, question: &str) -> Option<&'static str> {
        let row = self.except.iter().find(|(name, _)| *name == question);
        row.map(|(_, why)| *why)
    }

    /// True if the sampler accepts the evidence of a model.
    pub fn takes(&self, model: &Model) -> bool {
        self.takes_evidence || model.evidence().is_empty()
    }

    /// True if the sampler can answer a question.
    pub fn is_able(&self, question: &Question) -> bool {
        self.takes(&question.model)
            && question.worlds <= self.copes_with
            && self.excuse(question.name).is_none()
    }

    /// Returns the numbers of a question that the sampler can estimate.
    pub fn quantities<'q>(&self, question: &'q Question) -> impl Iterator<Item = &'q Quantity> {
        let all = question.quantities.iter();
        all.filter(|quantity| self.knows_evidence || !quantity.is_about_evidence())
    }
}

const HEAVY: &str = "a few worlds that are rarely drawn have most of the weight, and samples without them understate the error";
const FIFTY: &str = "the product of fifty likelihoods or more leaves hardly one effective sample";

const UNBOUNDED: &str = "a weight has no stated maximum";
const NEVER: &str =
    "of as many tries as a test has time for none, or hardly one in a thousand, meets the evidence";
const THINNED: &str =
    "after hundreds of steps all particles of a population have the same first state";
const LOST: &str = "a later statement demands what an earlier one has made all but impossible: no particle of it is left";
const THOUSANDS: &str = "each step changes one of hundreds or thousands of choices: more steps than a test has time for";
const SLOW: &str = "evidence holds its causes fast: a chain takes thousands of steps from one explanation to another";
const CERTAIN: &str =
    "hardly a draw is not the same: chains that do not move cannot tell their error";
const APART: &str = "no change of a single choice leads from some of the worlds to the others";

/// Number of populations of a particle filter.
const POPULATIONS: u32 = 40;

/// The table of all samplers.
pub const SAMPLERS: &[Sampler] = &[
    Sampler {
        name: "ImportanceSampling",
        algorithm: |effort| Box::new(ImportanceSampling::new(effort.samples).seed(effort.seed)),
        law: Law::Normal,
        copes_with: Worlds::Continuous,
        takes_evidence: true,
        knows_evidence: true,
        except: &[
            ("M05b_qmr_large", HEAVY),
            ("M06a_hmm50", FIFTY),
            ("M06b_hmm500", FIFTY),
            ("M09_random_walk", FIFTY),
        ],
    },
    Sampler {
        name: "ForwardSampling",
        algorithm: |effort| Box::new(ForwardSampling::new(effort.samples).seed(effort.seed)),
        law: Law::Normal,
        copes_with: Worlds::Continuous,
        takes_evidence: false,
        knows_evidence: true,
        except: &[],
    },
    Sampler {
        name: "RejectionSampling",
        algorithm: |effort| Box::new(RejectionSampling::new(effort.samples).seed(effort.seed)),
        law: Law::Normal,
        copes_with: Worlds::Endless,
        takes_evidence: true,
        knows_evidence: true,
        except: &[
            ("constraint_dependent", UNBOUNDED),
            ("chain_result_constraint_not_parent", UNBOUNDED),
            ("smokers", UNBOUNDED),
            ("impossible_weights", UNBOUNDED),
            ("log_weights", UNBOUNDED),
            ("score_shared_by_two_branches_weighs_once", UNBOUNDED),
            ("tiny_but_possible", UNBOUNDED),
            ("tiny_but_possible_log", UNBOUNDED),
            ("weights_that_overflow", UNBOUNDED),
            ("weights_that_underflow", UNBOUNDED),
            ("weights_that_underflow_log", UNBOUNDED),
            ("weights_through_subnormals", UNBOUNDED),
            ("pixel_marginal", UNBOUNDED),
            ("wide_1200", NEVER),
            ("M05a_qmr_small", NEVER),
            ("M05b_qmr_large", NEVER),
            ("M06a_hmm50", NEVER),
            ("M06b_hmm500", NEVER),
            ("M07_rare_coins", NEVER),
        ],
    },
    Sampler {
        name: "SequentialMonteCarlo",
        algorithm: |effort| {
            let particles = (effort.samples / u64::from(POPULATIONS)).max(50) as usize;
            let filter = SequentialMonteCarlo::new(particles);
            Box::new(filter.populations(POPULATIONS.into()).seed(effort.seed))
        },
        law: Law::Groups(POPULATIONS),
        copes_with: Worlds::Continuous,
        takes_evidence: true,
        knows_evidence: true,
        except: &[
            ("tiny_but_possible", LOST),
            ("tiny_but_possible_log", LOST),
            ("M06b_hmm500", THINNED),
        ],
    },
    Sampler {
        name: "MetropolisHastings",
        algorithm: |effort| {
            Box::new(MetropolisHastings::new((effort.samples / 4).max(10_000)).seed(effort.seed))
        },
        law: Law::Normal,
        copes_with: Worlds::Continuous,
        takes_evidence: true,
        knows_evidence: false,
        except: &[
            ("wide_1200", THOUSANDS),
            ("M05b_qmr_large", SLOW),
            ("M06a_hmm50", SLOW),
            ("M06b_hmm500", THOUSANDS),
            ("M09_random_walk", SLOW),
            ("M13b_diamond10", CERTAIN),
            ("M13b_diamond100", CERTAIN),
            ("M13a_ladder1000", THOUSANDS),
            ("M13a_ladder5000", THOUSANDS),
            ("M13b_diamond1000", THOUSANDS),
            ("M13b_diamond5000", THOUSANDS),
            ("dbn_soccer", THOUSANDS),
            ("mh_two_conditions", APART),
            ("list_condition", APART),
        ],
    },
    Sampler {
        name: "Gibbs",
        // One sweep of Gibbs sampling counts as ten samples.
        algorithm: |effort| Box::new(Gibbs::new((effort.samples / 10).max(500)).seed(effort.seed)),
        law: Law::Normal,
        copes_with: Worlds::Many,
        takes_evidence: true,
        knows_evidence: false,
        except: &[
            ("M13a_ladder5000", THOUSANDS),
            ("M13b_diamond5000", THOUSANDS),
            ("dbn_soccer", THOUSANDS),
        ],
    },
];
