#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

pub use figrs_core::*;
pub use figrs_infer::*;
pub use figrs_models as models;

/// What most programs use: `use figrs::prelude::*;`.
pub mod prelude {
    pub use figrs_core::{
        Apply, Atomic, Beta, Binomial, Bins, Chain, Constant, ContinuousUniform, Covariance, Cpd,
        DegreesOfFreedom, Dirichlet, DiscreteUniform, Dist, Distribution, Element, Exponential,
        Flip, Gamma, Geometric, Hypergeometric, If, Inject, InverseGamma, Laplace, Model,
        MultivariateNormal, Normal, Outcomes, Param, Parents, Poisson, Rate, RichCpd, Scale, Score,
        Select, StandardDeviation, StudentT, Table, Uniform, Value, Variance, any, fold, inject,
        none_of, one_of, tuple, value,
    };
    pub use figrs_infer::{
        Algorithm, Answer, BeliefPropagation, Bounds, CompiledTree, Enumerate, Error,
        ForwardSampling, Frontier, Gibbs, ImportanceSampling, JunctionTree,
        LazyVariableElimination, Marginal, MarginalMap, MetropolisHastings, MpeBeliefPropagation,
        MpeBranchAndBound, MpeVariableElimination, Quality, RejectionSampling, Resampling, Run,
        SequentialMonteCarlo, SimulatedAnnealing, VariableElimination, World, algorithms,
    };
}
