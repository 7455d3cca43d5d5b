//! Tests of the answers of all algorithms: conformance, errors, laziness, threads.

mod arithmetic;
mod canonical_values;
mod concurrent_queries;
mod conformance;
mod counterfactuals;
mod errors;
mod failing_functions;
mod graph;
mod laziness;
mod partial_sums;
mod portable_parts;
mod predictions;
mod reference_models;
mod regressions;
mod self_checked;
mod threads;
