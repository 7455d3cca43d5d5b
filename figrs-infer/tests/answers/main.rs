//! Tests of answers of algorithms: the findings of their diagnosis, and their posteriors as charts show them.

mod findings;
mod posterior;
