//! The saved form of a compiled tree.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use figrs_answer::error::Error;
use figrs_factor::tree::ContractionTree;

/// The data of a [`CompiledTree`](crate::CompiledTree) that take long to compute: the elimination order, the steps and the lists of matching entries.
/// A saved tree can be serialised in any serde format. [`JunctionTree::restore`](crate::JunctionTree::restore) turns a saved tree into a compiled
/// tree, if the program builds the same model, targets and varying elements.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::{Compiled, JunctionTree, SavedTree};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let compiler = JunctionTree::new();
/// let text = serde_json::to_string(&compiler.compile(&model, &rain)?.save())?;
/// // Later, in a program that ships the text:
/// let saved: SavedTree = serde_json::from_str(&text)?;
/// let mut tree = compiler.restore(&model, &rain, &saved)?;
/// assert!((tree.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedTree {
    /// Version of the file format, which may change with the version of figrs.
    version: u32,
    pub(crate) sums: Option<Arc<ContractionTree>>,
    pub(crate) worlds: Option<Arc<ContractionTree>>,
    /// Checksums of the contraction trees for sums and for single worlds, which detect a damaged file.
    checksums: [Option<u64>; 2],
}

impl SavedTree {
    const VERSION: u32 = 2;

    pub(crate) fn new(
        sums: Option<Arc<ContractionTree>>,
        worlds: Option<Arc<ContractionTree>>,
    ) -> Self {
        Self {
            version: Self::VERSION,
            checksums: checksums([&sums, &worlds]),
            sums,
            worlds,
        }
    }

    /// Returns the saved tree with recomputed checksums, so that a test can damage the tree without being stopped by the checksums.
    #[doc(hidden)]
    #[must_use]
    pub fn resealed(self) -> Self {
        Self {
            checksums: checksums([&self.sums, &self.worlds]),
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let reason = if self.version != Self::VERSION {
            "it was saved by another version of this library"
        } else if self.checksums != checksums([&self.sums, &self.worlds]) {
            "it is damaged"
        } else {
            return Ok(());
        };
        Err(unfit(reason))
    }
}

pub(super) fn unfit(reason: &'static str) -> Error {
    Error::Saved {
        what: "tree",
        reason,
        remedy: "compile the model again with `JunctionTree::compile`, and save the result",
    }
}

fn checksums(trees: [&Option<Arc<ContractionTree>>; 2]) -> [Option<u64>; 2] {
    trees.map(|tree| tree.as_ref().map(|tree| tree.checksum()))
}
