//! Answers of algorithms: what diagnosis finds in them, what charts show of them.

mod findings;
mod posterior;
