//! Steering: demands on levels as evidence on their elements, and samplers of the levels that meet them.

mod conditioned;
mod conflict;
mod demand;
pub(crate) mod demand_error;
mod error;
mod exact;
mod mask;
mod parts;
mod reachability_memo;
mod sampler;
mod statements;
mod steered;

pub use conditioned::ConditionedSampler;
pub use demand::Demand;
pub use error::SteeringError;
pub use exact::ExactSampler;
pub use mask::Mask;
pub use sampler::LevelSampler;
pub use steered::SteeredLevel;

#[cfg(test)]
mod tests;
