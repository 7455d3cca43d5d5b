//! Queries of models, and their answers: the code that all inference algorithms share.
//!
//! | item | folder |
//! |---|---|
//! | [`Algorithm`], [`Run`]: the interface of algorithms | `algorithm.rs` |
//! | [`Answer`], [`Marginal`], [`Estimate`], [`Draws`], [`World`] | `answer/` |
//! | [`Error`] | `error.rs` |
//! | impossible evidence, and minimal conflicts of its statements | `conflict/` |
//! | expansions within limits, and the solution of shared recursive calls | `expansion.rs` |
//! | setters that several algorithms have | `setters.rs` |
//! | [`Diagnosis`], and the measures of [`diagnostics`] | `quality/` |
//! | [`Progress`], deadlines, threads, parts of runs: [`MergeableSampler`], [`Partial`] | `run/` |

#![warn(clippy::unwrap_used)]

#[doc(hidden)]
pub mod algorithm;
#[doc(hidden)]
pub mod answer;
#[doc(hidden)]
pub mod conflict;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod expansion;
#[doc(hidden)]
pub mod quality;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod setters;

#[doc(hidden)]
pub use {
    answer::AnswerContent,
    error::guarded,
    expansion::expand,
    run::listener::Listener,
    run::partial::Absorption,
    run::time_share::TimeShare,
    run::unit_run::SharedQuestion,
    run::watch::{RunMonitor, Watch},
};

pub use algorithm::{Algorithm, Run};
pub use answer::bounds::{Deepening, DeepeningEnd, TargetBounds};
pub use answer::choice::{
    AlgorithmAttempt, AlgorithmChoice, AttemptOutcome, SubmodelQuality, SubmodelSolution,
};
pub use answer::closed_form::ClosedForm;
pub use answer::draws::{Draws, TargetDraws};
pub use answer::estimate::{Estimate, Quality, unseen_share};
pub use answer::family_mixture::FamilyMixture;
pub use answer::marginal::Marginal;
pub use answer::normal_mixture::{NormalComponent, NormalMixture};
pub use answer::posterior::Posterior;
pub use answer::world::World;
pub use answer::{Answer, LogEvidence, RunStatistics, TargetMarginal};
pub use error::Error;
pub use quality::diagnosis::{Diagnosis, Finding, Measure, Part, Quantity};
pub use quality::diagnostics;
pub use run::item_sampler::{ItemSampler, missing_in_batch};
pub use run::mergeable_sampler::{MergeableSampler, PortablePartOf};
pub use run::partial::{Partial, Sums};
pub use run::portable_part::{PortablePart, PortableSums, PortableUnit};
pub use run::portable_targets::PortableTargets;
pub use run::replicate::Replicate;
pub use run::run_state::{Latest, RunState, Turn};
pub use run::running::Running;
pub use run::unit_run::{ResumableSampler, SavedRun};
pub use run::watch::Progress;
pub use run::work_queue::in_order;
