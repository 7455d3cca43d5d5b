//! Tests that elimination agrees with enumeration, in every algebra, order and budget.

mod agreement;
mod inflated;
mod limits;
mod orders;
mod pruning;
mod scale;
