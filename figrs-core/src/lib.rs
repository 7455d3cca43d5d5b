//! figrs-core

mod datum;
mod distribution;
mod element;
mod error;
mod evidence;
pub mod expand;
pub mod factor;
pub mod graph;
mod label;
pub mod lower;
mod model;
pub mod node;
mod param;
mod parents;
mod purity;
mod random;
mod support;
mod value;
pub mod weights;

pub use datum::Datum;
pub use distribution::{Distribution, Outcomes};
pub use element::*;
pub use error::{Fault, ModelError};
pub use evidence::Evidence;
pub use label::Label;
pub use model::Model;
pub use node::{AnyElement, ElementId};
pub use param::{Number, Operand, Param};
pub use parents::{Arguments, AsElement, Parents};
pub use random::stream;
pub use support::{Support, SupportBuilder};
pub use value::Value;
