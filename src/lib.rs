// If README and another text define the same link, the first definition is used. The definitions here lead to pages of this documentation.
#![doc = "[tutorial]: crate::tutorial\n\
    [statistician]: crate::tutorial::models_of_data\n\
    [level designer]: crate::tutorial::levels_by_example\n\
    [Choosing an algorithm]: crate::tutorial::choosing_an_algorithm\n\
    [chapter 5]: crate::tutorial::generating_content\n\
    [Figaro]: crate::coming_from::figaro\n\
    [ProbLog]: crate::coming_from::problog\n\
    [clingo]: crate::coming_from::clingo\n\
    [pgmpy]: crate::coming_from::pgmpy\n\
    [bnlearn]: crate::coming_from::bnlearn\n\
    [PyMC]: crate::coming_from::pymc\n\
    [RxInfer]: crate::coming_from::rxinfer\n\
    [glossary]: crate::glossary\n\
    [architecture]: crate::architecture\n"]
#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used)]

pub use figrs_core::{
    AnyColumn, AnyElement, Apply, Arguments, Arithmetic, AsElement, Atomic, Beta, Binomial, Bins,
    Bytes, Call, CallId, Cauchy, Chain, Clause, Concentration, Constant, ContinuousUniform,
    CountRange, Counterfactual, Covariance, Cpd, Datum, Decision, DegreesOfFreedom,
    DescribedStatement, Dirichlet, DiscreteUniform, Dist, Distinct, Distribution, Element,
    ElementId, ElementMember, Elements, Evidence, Exponential, Family, Fault, FilterState, Flip,
    FunctionId, Gamma, Geometric, HalfCauchy, HalfNormal, Hypergeometric, If, Iid, Inject, Integer,
    InvalidBytes, InverseGamma, Joint, KernelDensity, Label, Laplace, Learned, Likelihood,
    LinearFunction, LinearGaussian, Lkj, LogNormal, Many, Member, MemberError, Mixed, Model,
    ModelError, Multinomial, MultivariateNormal, Natural, NegativeBinomial, Neighbour,
    NextElements, Normal, Number, ObjectField, One, Operand, Outcomes, Param, Parents, Pareto,
    PartError, PartType, Parts, PlainData, Poisson, PortableState, Precision, Process, Rate,
    RateOrScale, Recursive, RichCpd, Scale, Score, Select, Space, Spread, StandardDeviation,
    StatementId, States, Stream, StudentT, Support, SupportBuilder, Table, Tails, Term,
    TruncatedNormal, TwinTargets, Uniform, Until, Value, ValueMember, ValueParts, ValuePattern,
    Variance, Vector, VonMises, Weibull, Wishart, WrongParameter, any, distinct, expand, factor,
    filter_state, fold, graph, inject, none_of, one_of, printable, rand, stream, tuple, value,
    weighted_sum,
};
#[cfg(feature = "design")]
pub use figrs_design as design;
#[cfg(feature = "gdl")]
pub use figrs_gdl as gdl;
pub use figrs_infer::{
    Algorithm, AlgorithmAttempt, AlgorithmChoice, Answer, AttemptOutcome, BeliefPropagation,
    Bounds, Circuit, ClosedForm, Compare, Comparison, ComparisonRow, ComparisonStep, Compiled,
    CompiledCircuit, CompiledExact, CompiledForm, CompiledFrontier, CompiledTree, Curve,
    CurvePoint, Deepening, DeepeningEnd, Diagnosis, Draws, EliminationStep, EliminationTree,
    Enumerate, Error, Estimand, Estimate, EvidenceError, Exact, ExactReference, FamilyMixture,
    Finding, FirstTrue, ForwardSampling, Frontier, Gibbs, GibbsKernel, GibbsSums,
    ImportanceSampling, Improvement, IndependentDraws, ItemSampler, JunctionTree, Latest,
    LazyVariableElimination, Limits, LogEvidence, Marginal, MarginalMap, Measure, MergeableSampler,
    MetropolisHastings, MetropolisSums, Move, MpeBeliefPropagation, MpeBranchAndBound, MpeExact,
    MpeSlices, MpeVariableElimination, NormalComponent, NormalMixture, Part, Partial,
    ParticleFilter, PopulationSums, PortablePart, PortablePartOf, PortableSums, PortableTargets,
    PortableUnit, Posterior, Predict, Predictive, Progress, Quality, Quantity, RejectionSampling,
    Replicate, Resampling, ResumableSampler, Run, RunState, RunStatistics, Running, SavedParticles,
    SavedRun, SavedTree, SelfChecked, Sequence, SequencePart, SequentialMonteCarlo,
    SimulatedAnnealing, SliceCost, SliceSums, SliceTotal, Slices, Stopped, Strategy,
    SubmodelQuality, SubmodelSolution, Sums, TargetBounds, TargetDraws, TargetMarginal,
    Trajectories, Turn, VariableElimination, Verdict, WorkBudget, World, WorldSums, algorithms,
    compare, diagnostics, eliminate, evidence_given, in_order, missing_in_batch, unseen_share,
};
#[cfg(feature = "learn")]
pub use figrs_learn::{
    CaseColumns, CaseCounter, CaseValues, Cases, CountPart, CountRequest, DecisionPlan,
    DecisionPolicy, ExpectationMaximization, ExpectedCounts, Fit, MaximiseUtility, PolicyRow,
    Query, SampledPlan, SampledPolicies, SampledPolicy, SampledPolicyRow, SavedFit, Sensitivity,
    StandardErrors, Tornado, TornadoRow, UtilityEstimate, independent,
};
pub use figrs_lower as lower;
#[cfg(feature = "models")]
pub use figrs_models as models;
#[cfg(feature = "network")]
pub use figrs_network as network;
#[cfg(feature = "reals")]
pub use figrs_reals::{
    Collapse, Collapsed, ExpectationPropagation, Filter, FilterLaw, SavedFilter, StateMarginals,
    WithReals,
};
#[cfg(feature = "reports")]
pub use figrs_report::{
    BandChart, BandPoint, ChainCharts, ChartError, ComparisonPage, Drawable, GroupedBars, HtmlPage,
    PosteriorChart, TornadoChart, WriteDraws, picture,
};
#[cfg(feature = "spread")]
pub use figrs_spread as spread;

// The texts of `docs/` are included as pages of the documentation and as tests; they contain no items. The programs of the tutorial need
// all features.
#[cfg(any(doc, doctest))]
#[doc = concat!("[decisions]: ", env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs/decisions\n")]
#[doc = "[Elements and algorithms of your own]: tutorial::your_own_element_and_algorithm\n\
    [glossary]: crate::glossary\n"]
#[doc = include_str!("../docs/architecture.md")]
pub mod architecture {}
#[cfg(any(doc, all(doctest, feature = "full")))]
pub mod coming_from;
#[cfg(any(doc, doctest))]
#[doc = "[architecture]: crate::architecture\n"]
#[doc = include_str!("../docs/glossary.md")]
pub mod glossary {}
#[cfg(any(doc, all(doctest, feature = "full")))]
pub mod tutorial;

/// Internal interfaces between the crates, tests and benchmarks of figrs. The internal interfaces are not meant for users: any version of figrs may
/// change them.
#[doc(hidden)]
pub mod internals {
    pub use figrs_core::internals::*;
    pub use figrs_infer::internals::*;
    pub use figrs_lower::internals::*;
}

/// Names that most programs with figrs use: `use figrs::prelude::*;`.
pub mod prelude {
    pub use figrs_core::{
        Apply, Beta, Binomial, Chain, Constant, ContinuousUniform, Cpd, Dist, Element, Exponential,
        Flip, Gamma, If, Inject, Model, Normal, Param, Parents, Poisson, Rate, Score, Select,
        StandardDeviation, Uniform, Value, Variance,
    };
    pub use figrs_infer::{
        Algorithm, Answer, Compiled, Enumerate, Error, Exact, ForwardSampling, Frontier, Gibbs,
        ImportanceSampling, JunctionTree, MetropolisHastings, MpeExact, MpeVariableElimination,
        RejectionSampling, Run, SequentialMonteCarlo, VariableElimination, algorithms,
    };
}
