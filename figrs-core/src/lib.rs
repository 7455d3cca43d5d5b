//! Elements, models and the listing of their possible values: the core of figrs.
//!
//! ```
//! use figrs_core::{Cpd, Flip, Model};
//!
//! let rain = Flip::new(0.2).named("rain");
//! let sprinkler = rain.flat_map(|&rain| Flip::new(if rain { 0.01 } else { 0.4 }));
//! let wet = Cpd::new((&rain, &sprinkler), [
//!     ((true, true), Flip::new(0.99)), ((true, false), Flip::new(0.8)),
//!     ((false, true), Flip::new(0.9)), ((false, false), Flip::new(0.0)),
//! ]);
//! let model = Model::new().observe(&wet, true); // ask it with figrs-infer
//! # drop(model);
//! ```
//!
//! | item | content |
//! |---|---|
//! | [`Element`] and its constructors | random values that build a lazy graph |
//! | [`Model`] | evidence and interventions, apart from the elements |
//! | [`Parents`] | tuples and lists of elements, with `map` and `flat_map` |
//! | [`Parts`] | elements in the fields of structs, found by paths |
//! | [`Distribution`] | the trait of user-defined atomic distributions |
//! | [`graph`] | the graph of a model, for traversal |
//! | [`expand`], [`factor`] | for exact algorithms: variables and factors |
//!
//! # Words
//!
//! A *world* is one run of the program. It assigns values to its *roots* (the targets of a query and all elements with evidence) and to the elements
//! on which the roots depend. A world does not contain the elements of `Chain` branches that are not taken. The *support* of an element is the list
//! of its possible values. If several values are equally good answers to a query, the answer is the one that is first in the support. A *structural*
//! zero is a zero probability that no change of a `Param` can make positive.
//!
//! # Limits
//!
//! Functions that a user gives to elements must be pure. Exact algorithms need elements with finite supports.

#![warn(clippy::unwrap_used)]

mod bytes;
mod collections;
mod counterfactual;
mod earlier_elements;
#[doc(hidden)]
pub mod element;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod filter_state;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod model;
mod parts;
#[doc(hidden)]
pub mod random;
mod similar_names;
#[doc(hidden)]
pub mod value;

pub mod expand;
pub mod graph;

pub use figrs_factor::{Limits, Until, wording};

pub use bytes::{Bytes, InvalidBytes};
pub use collections::{Elements, MemberError, Natural, Neighbour, Process};
pub use counterfactual::{Counterfactual, TwinTargets};
pub use element::apply::{CallId, FunctionId};
pub use element::distribution::{Distribution, Family, Outcomes, Space, Tails, WrongParameter};
pub use element::label::{Label, printable};
pub use element::likelihood::{Likelihood, Term};
pub use element::linear::{LinearFunction, LinearGaussian};
pub use element::linear_map::weighted_sum;
pub use element::node::{AnyElement, ElementId};
pub use element::param::{Number, Operand, Param};
pub use element::parents::{Arguments, AsElement, Many, Mixed, One, Parents};
pub use element::{
    Apply, Arithmetic, Atomic, Beta, Binomial, Bins, Call, Cauchy, Chain, Clause, Concentration,
    Constant, ContinuousUniform, CountRange, Covariance, Cpd, Decision, DegreesOfFreedom,
    Dirichlet, DiscreteUniform, Dist, Element, Exponential, Flip, Gamma, Geometric, HalfCauchy,
    HalfNormal, Hypergeometric, If, Iid, Inject, InverseGamma, Joint, KernelDensity, Laplace,
    Learned, Lkj, LogNormal, Multinomial, MultivariateNormal, NegativeBinomial, Normal, Pareto,
    Poisson, Precision, Rate, RateOrScale, Recursive, RichCpd, Scale, Score, Select, Spread,
    StandardDeviation, StudentT, Table, TruncatedNormal, Uniform, ValuePattern, Variance, VonMises,
    Weibull, Wishart, any, fold, inject, none_of, one_of, tuple,
};
pub use error::{Fault, ModelError};
pub use figrs_derive::{Parts, Value};
pub use filter_state::{FilterState, NextElements, PortableState};
#[doc(hidden)]
pub use model::ParameterValues;
pub use model::evidence::{Evidence, StatementId};
pub use model::{DescribedStatement, Model};
pub use parts::{
    Distinct, ElementMember, IndexedMember, Member, ObjectField, PartError, PartType, Parts,
    ValueMember, ValueParts, distinct,
};
pub use random::{Stream, stream};
pub use value::Value;
pub use value::datum::Datum;
pub use value::integer::Integer;
pub use value::plain_data::PlainData;
pub use value::states::States;
pub use value::support::{AnyColumn, Support, SupportBuilder};
pub use value::vector::Vector;

/// Factor graphs, the input of the exact algorithms.
pub mod factor {
    pub use figrs_factor::graph::{
        Factor, FactorGraph, FactorTable, TableForm, VarId, WeightSlice, Weights, WorldWeight,
    };
}

/// The crate `rand`, from which a user-defined [`Distribution`] draws random numbers.
pub use rand;

/// Interfaces between elements and algorithms, for the other crates of figrs. The interfaces in the module `internals` are not for users of figrs,
/// and may change with any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::counterfactual::branch_memory::BranchMemory;
    pub use crate::earlier_elements::{EarlierElements, is_random, random_ancestors};
    pub use crate::element::apply::{contained, unprinted};
    pub use crate::element::element_map::ElementMap;
    pub use crate::element::family_values::{
        IidValues, MemberArgument, MemberFault, SufficientStatistics,
    };
    pub use crate::element::joint_values::joint_values;
    pub use crate::element::learned_prior::{LearnedPrior, Mode};
    pub use crate::element::node::Kind;
    pub use crate::element::normal::standard_normal_tail;
    pub use crate::element::operations::{
        ApplyOp, AtomicOp, ChainOp, FamilyOp, FiniteOutcomes, NotEnumerable, NumbersReplaced,
        OpenArgument, TableOp,
    };
    pub use crate::element::policy::ChoosePolicy;
    pub use crate::element::step::{Choice, with_arguments};
    pub use crate::expand::calls::QueryKind;
    pub use crate::filter_state::inherit_names;
    pub use crate::similar_names::{did_you_mean, edit_distance, similar_names};
    pub use crate::value::from_data::variant;
    pub use figrs_factor::bounds::six_decimals;
}
