// If README and another text name the same link, the first definition counts: here that of a page of this documentation.
#![doc = "[tutorial]: crate::tutorial\n\
    [Figaro]: crate::coming_from::figaro\n\
    [ProbLog]: crate::coming_from::problog\n\
    [clingo]: crate::coming_from::clingo\n\
    [architecture]: crate::architecture\n"]
#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

pub use figrs_core::*;
pub use figrs_infer::*;
pub use figrs_models as models;

// Texts of `docs/`, as pages of the documentation and as tests; there is nothing in them to use.
#[cfg(any(doc, doctest))]
#[doc = concat!("[decisions]: ", env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs/decisions\n")]
#[doc = "[Elements and algorithms of your own]: tutorial::your_own_element_and_algorithm\n"]
#[doc = include_str!("../docs/architecture.md")]
pub mod architecture {}
#[cfg(any(doc, doctest))]
pub mod coming_from;
#[cfg(any(doc, doctest))]
pub mod tutorial;

/// Names that most programs use: `use figrs::prelude::*;`.
pub mod prelude {
    pub use figrs_core::{
        Apply, Atomic, Beta, Binomial, Bins, Chain, Constant, ContinuousUniform, Covariance, Cpd,
        DegreesOfFreedom, Dirichlet, DiscreteUniform, Dist, Distribution, Element, Exponential,
        Flip, Gamma, Geometric, Hypergeometric, If, Iid, Inject, InverseGamma, Laplace, Model,
        MultivariateNormal, Normal, Outcomes, Param, Parents, Poisson, Rate, Recursive, RichCpd,
        Scale, Score, Select, StandardDeviation, StudentT, Table, Uniform, Value, Variance, any,
        fold, inject, none_of, one_of, tuple, value,
    };
    pub use figrs_infer::{
        Algorithm, Answer, BeliefPropagation, Bounds, Compiled, CompiledTree, Enumerate, Error,
        ForwardSampling, Frontier, Gibbs, ImportanceSampling, JunctionTree,
        LazyVariableElimination, Marginal, MarginalMap, MetropolisHastings, MpeBeliefPropagation,
        MpeBranchAndBound, MpeVariableElimination, Quality, RejectionSampling, Resampling, Run,
        SelfChecked, SequentialMonteCarlo, SimulatedAnnealing, VariableElimination, World,
        algorithms,
    };
}
