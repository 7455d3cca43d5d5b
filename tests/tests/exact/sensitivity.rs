//! Tests of the sensitivity of answers to parameters, against finite differences and formulas.

mod families;
mod random_models;
mod refusals;
mod tornado;
