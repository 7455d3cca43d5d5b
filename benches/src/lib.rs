//! Benchmarks of figrs; see `benches/`.

mod clock;

pub use clock::Clock;
