//! Decisions against enumeration of all policies, published numbers, and refusals.

mod brute_force;
mod published;
mod random_diagram;
mod random_diagrams;
mod refusals;
mod sampled_continuous;
mod sampled_diagrams;
mod sampled_refusals;
mod scale;
