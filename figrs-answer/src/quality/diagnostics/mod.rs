//! Quality measures of draws: effective sample sizes, R-hat, Monte Carlo standard errors, and measures of weights.
//!
//! All quality measures are functions of plain numbers, and can therefore be applied to draws of other programs.
//! [`Answer::diagnose`](crate::Answer::diagnose) applies the quality measures to an answer. Each chain is a slice of draws. If the slices have
//! different lengths, each slice is cut to the length of the shortest one. For a quality measure, every Markov chain is split into halves. Because
//! each chain is split, a chain that drifts is recognised by a difference between its own halves. If the number of draws of a chain is odd, the
//! middle draw is left out. A quality measure is NaN if a chain has fewer than four draws, if a number is not finite, or if all draws are equal.
//!
//! ```
//! use figrs_infer::diagnostics::{bulk_ess, mcse_mean, r_hat};
//! let chains = [[0.1, -0.4, 0.9, 0.3, -1.2, 0.6], [0.8, -0.7, 0.2, -0.1, 0.5, -0.9]];
//! let chains: Vec<&[f64]> = chains.iter().map(|chain| &chain[..]).collect();
//! assert!(bulk_ess(&chains) > 1.0 && mcse_mean(&chains) > 0.0 && r_hat(&chains) < 2.0);
//! ```
//!
//! | measure | file |
//! |---|---|
//! | [`mean_ess`], [`bulk_ess`], [`tail_ess`], [`quantile_ess`], [`mcse_mean`], [`mcse_sd`], [`mcse_quantile`] | `effective_samples.rs` |
//! | [`r_hat`], [`split_r_hat`], [`bulk_r_hat`], [`folded_r_hat`] | `r_hat.rs` |
//! | [`weight_ess`], [`largest_share`], [`pareto_k`] | `weights.rs` |
//! | [`few_groups_factor`] | `students_t.rs` |
//! | the test behind findings about all random choices of a world | `agreement.rs` |
//! | the same measures for values and indices | `counted_chains.rs` |
//!
//! **References.** Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and localization: an improved R-hat for
//! assessing convergence of MCMC", Bayesian Analysis 16(2); Geyer (1992), "Practical Markov chain Monte Carlo", Statistical Science 7(4); Vehtari,
//! Simpson, Gelman, Yao and Gabry (2024), "Pareto smoothed importance sampling", JMLR 25.

mod agreement;
mod counted_chains;
mod effective_samples;
mod r_hat;
mod split_chains;
mod students_t;
mod weights;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use agreement::{BATCHES, BatchedNumber, chance_of_agreement};
pub(crate) use counted_chains::measure;
pub(crate) use effective_samples::quantile_range;
pub use effective_samples::{
    bulk_ess, mcse_mean, mcse_quantile, mcse_sd, mean_ess, quantile_ess, tail_ess,
};
pub use r_hat::{bulk_r_hat, folded_r_hat, mean_ranks, r_hat, split_r_hat};
pub use students_t::few_groups_factor;
#[doc(hidden)]
pub use students_t::normal_score;
#[doc(hidden)]
pub use weights::{MAX_TAIL_SIZE, WeightTail, keep_largest};
pub use weights::{largest_share, pareto_k, weight_ess};
