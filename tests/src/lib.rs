//! The tests of figrs as a user meets it; see `tests/`.

pub mod random_model;
