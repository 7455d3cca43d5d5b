//! The tests of figrs as a user meets it; see `tests/`.
