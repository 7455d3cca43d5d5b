//! Tests of the search and its circuit.
