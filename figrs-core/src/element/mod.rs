//! Elements: the random values of a model.
//!
//! All elements are nodes of five kinds (`atomic`, `apply`, `chain`, `table`, `score`).

pub mod alias;
mod apply;
pub(crate) mod arithmetic;
mod atomic;
mod bessel;
mod beta;
mod binomial;
mod boolean;
mod cauchy;
pub(crate) mod chain;
mod compare;
mod constant;
pub(crate) mod contained;
mod continuous_uniform;
mod convention;
mod copies;
mod covariance;
mod cpd;
mod decision;
mod dirichlet;
mod discrete_uniform;
mod discretise;
mod dist;
pub mod distribution;
mod element_value;
mod exponential;
mod family;
pub mod family_values;
mod finite_outcomes;
mod flip;
pub(crate) mod fold;
mod folded;
pub mod footprint;
pub mod function;
mod gamma;
mod geometric;
mod hypergeometric;
pub(crate) mod if_else;
mod iid;
mod inject;
mod inverse_gamma;
pub(crate) mod joint_values;
mod kernel_density;
mod kind;
pub(crate) mod label;
mod laplace;
mod learned;
pub(crate) mod learned_prior;
pub mod likelihood;
pub mod linear;
pub mod linear_map;
mod lkj;
mod log_normal;
mod logits;
mod moments;
mod multinomial;
mod multivariate_normal;
mod negative_binomial;
pub mod node;
pub(crate) mod normal;
mod open_family;
pub(crate) mod param;
pub(crate) mod parents;
mod pareto;
mod poisson;
pub(crate) mod policy;
mod recursive;
mod rich_cpd;
mod saddle_point;
mod score;
mod select;
pub mod step;
mod student_t;
mod table;
mod truncated_normal;
mod tuple;
mod uniform;
mod von_mises;
mod weibull;
mod wishart;

pub use apply::Apply;
pub use arithmetic::Arithmetic;
pub use atomic::Atomic;
pub use beta::Beta;
pub use binomial::Binomial;
pub use cauchy::Cauchy;
pub use chain::Chain;
pub use constant::Constant;
pub use continuous_uniform::ContinuousUniform;
pub use convention::{
    Concentration, DegreesOfFreedom, Precision, Rate, RateOrScale, Scale, StandardDeviation,
    Variance,
};
pub use covariance::Covariance;
pub use cpd::Cpd;
pub use decision::Decision;
pub use dirichlet::Dirichlet;
pub use discrete_uniform::DiscreteUniform;
pub use discretise::{Bins, CountRange};
pub(crate) use discretise::{quantile, tails};
pub use dist::Dist;
pub use exponential::Exponential;
pub use flip::Flip;
pub use fold::fold;
pub use folded::{HalfCauchy, HalfNormal};
pub use gamma::Gamma;
pub use geometric::Geometric;
pub use hypergeometric::Hypergeometric;
pub use if_else::If;
pub use iid::Iid;
pub use inject::{Inject, inject};
pub use inverse_gamma::InverseGamma;
pub use kernel_density::KernelDensity;
pub use laplace::Laplace;
pub use learned::Learned;
pub use lkj::Lkj;
pub use log_normal::LogNormal;
pub use multinomial::Multinomial;
pub use multivariate_normal::MultivariateNormal;
pub use negative_binomial::NegativeBinomial;
pub use normal::{Normal, Spread};
pub use pareto::Pareto;
pub use poisson::Poisson;
pub use recursive::{Call, Recursive};
pub use rich_cpd::{Clause, RichCpd, ValuePattern, any, none_of, one_of};
pub use score::Score;
pub use select::Select;
pub use student_t::StudentT;
pub use table::Table;
pub use truncated_normal::TruncatedNormal;
pub use tuple::{Joint, tuple};
pub use uniform::Uniform;
pub use von_mises::VonMises;
pub use weibull::Weibull;
pub use wishart::Wishart;

pub(crate) use apply::{apply_at, apply_shared_at};
pub(crate) use atomic::{atomic_at, listed};
pub(crate) use chain::{chain_at, chain_shared_at};
pub(crate) use family::{Parameter, family_at, family_of};
pub(crate) use iid::iid_at;
pub(crate) use inject::inject_at;

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use crate::element::label::Label;
use crate::element::node::{AnyElement, Kind};
use crate::value::Value;
use crate::value::support::SupportBuilder;

/// A random value of type `T`, as a node of a lazily built model.
///
/// Elements are immutable, shared and cheap to clone: a clone is the *same* random value. Building an element never fails and computes nothing. An
/// invalid parameter is an error when an algorithm uses the element; the error message has the name of the element, or the source line that built it.
/// Evidence about elements is stated in a [`Model`](crate::Model).
#[must_use]
pub struct Element<T> {
    node: AnyElement,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> Element<T> {
    pub(crate) fn from_kind(
        constructor: &'static str,
        location: &'static Location<'static>,
        kind: Kind,
    ) -> Self {
        Self {
            node: AnyElement::new(constructor, location, SupportBuilder::new::<T>, kind),
            values: PhantomData,
        }
    }

    /// Gives the element a name for messages and diagrams. An element keeps its first name; further calls of `named` do nothing.
    ///
    /// ```
    /// # use figrs_core::Flip;
    /// let rain = Flip::new(0.2).named("rain");
    /// assert_eq!(rain.label().name.as_deref(), Some("rain"));
    /// println!("{}", rain.label()); // `rain` (Flip at src/main.rs:3:12)
    /// ```
    pub fn named(self, name: impl Into<String>) -> Self {
        self.node.set_name(name.into());
        self
    }

    /// Returns the label of the element: name, constructor and source line.
    pub fn label(&self) -> Label {
        self.node.label()
    }

    /// Returns the element with its type; `None` if its values have another type.
    pub fn from_erased(element: &AnyElement) -> Option<Self> {
        let has_type = element.no_values().value_type() == std::any::TypeId::of::<T>();
        has_type.then(|| Self {
            node: element.clone(),
            values: PhantomData,
        })
    }

    /// Returns the untyped element, for algorithms.
    pub fn erased(&self) -> &AnyElement {
        &self.node
    }
}

impl<T> Clone for Element<T> {
    fn clone(&self) -> Self {
        Self {
            node: self.node.clone(),
            values: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Element<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}
