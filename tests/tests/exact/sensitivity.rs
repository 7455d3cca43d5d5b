//! Sensitivity of answers to parameters, against differences and formulas.

mod families;
mod random_models;
mod refusals;
mod tornado;
