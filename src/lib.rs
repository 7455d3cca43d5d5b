#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

pub use figrs_core::*;
pub use figrs_infer::*;
pub use figrs_models as models;

/// What most programs use: `use figrs::prelude::*;`.
pub mod prelude {
    pub use figrs_core::{
        Apply, Atomic, Binomial, Chain, Constant, Cpd, Dist, Distribution, Element, Flip,
        Hypergeometric, If, Inject, Model, Outcomes, Param, Parents, RichCpd, Score, Select, Table,
        Uniform, Value, any, fold, inject, none_of, one_of, tuple, value,
    };
    pub use figrs_infer::{
        Algorithm, Answer, Bounds, CompiledTree, Enumerate, Error, ImportanceSampling,
        JunctionTree, LazyVariableElimination, Marginal, MarginalMap, MetropolisHastings,
        MpeBranchAndBound, MpeVariableElimination, Quality, Run, SimulatedAnnealing,
        VariableElimination, World, algorithms,
    };
}
