//! The tests of figrs as a user sees it, which are in `tests/`, and the helpers of these tests.

pub mod asked;
pub mod browser;
pub mod captured_lists;
pub mod captured_shapes;
pub mod every_population;
pub mod every_step;
pub mod example;
pub mod fingerprint;
pub mod fuzz;
pub mod json;
pub mod learning_network;
pub mod oracle;
pub mod pages;
pub mod random_model;
pub mod reference_models;
pub mod samplers;
pub mod significance;
pub mod studio;
