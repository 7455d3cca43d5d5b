//! Models from textbooks and benchmarks whose answers are known exactly.
//!
//! Each model is written as a user would write it, together with questions about it. The exact numbers come from closed forms and full enumeration;
//! the tests compute them again with the exact engines.

mod burglary;
mod coin_grid;
mod diamond;
mod geometric;
mod grid_reliability;
mod hidden_markov;
mod ladder;
mod monty_hall;
mod qmr;
mod question;
mod random_walk;
mod rare_coins;
mod sprinkler;

pub use burglary::{burglary, burglary_network};
pub use coin_grid::{coin_grid, flipped_coin};
pub use diamond::diamond;
pub use geometric::{failures, geometric_counted, geometric_even};
pub use grid_reliability::grid_reliability;
pub use hidden_markov::hidden_markov;
pub use ladder::ladder;
pub use monty_hall::{monty_hall, monty_hall_switching};
pub use qmr::{qmr_large, qmr_small};
pub use question::{Best, Quantity, Question};
pub use random_walk::random_walk;
pub use rare_coins::{rare_coins, rare_coins_unobserved};
pub use sprinkler::{sprinkler, sprinkler_network};

/// Returns the questions about all reference models.
pub fn questions() -> Vec<Question> {
    vec![
        sprinkler(),
        burglary(),
        monty_hall(),
        monty_hall_switching(),
        coin_grid(),
        qmr_small(),
        qmr_large(),
        hidden_markov(50, "M06a_hmm50"),
        hidden_markov(500, "M06b_hmm500"),
        rare_coins(),
        rare_coins_unobserved(),
        geometric_even(),
        geometric_counted(),
        random_walk(),
        ladder(10, "M13a_ladder10"),
        ladder(100, "M13a_ladder100"),
        ladder(1000, "M13a_ladder1000"),
        ladder(5000, "M13a_ladder5000"),
        diamond(10, "M13b_diamond10"),
        diamond(100, "M13b_diamond100"),
        diamond(1000, "M13b_diamond1000"),
        diamond(5000, "M13b_diamond5000"),
        grid_reliability(3),
        grid_reliability(4),
        grid_reliability(5),
        grid_reliability(6),
        grid_reliability(7),
    ]
}
