//! Benchmarks of figrs; see `benches/`.
