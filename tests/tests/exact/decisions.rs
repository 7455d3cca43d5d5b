//! Tests of decisions against enumeration of all policies and against published numbers, and tests of refusals.

mod brute_force;
mod published;
mod random_diagram;
mod random_diagrams;
mod refusals;
mod sampled_continuous;
mod sampled_diagrams;
mod sampled_refusals;
mod scale;
