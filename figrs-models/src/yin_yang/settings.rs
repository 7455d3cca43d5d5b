//! Which boards.

use figrs_core::expand::Budget;

use super::Clues;
use crate::grid::Size;

/// Yin-Yang boards of one size that meet some clues; see the [module](super).
///
/// ```
/// use figrs_infer::JunctionTree;
/// use figrs_models::yin_yang::{Clues, YinYang};
///
/// let clues: Clues = "......\n.2....\n......\n......\n1.....\n......".parse()?;
/// let elements = YinYang::new(clues).elements()?;
/// let mut tree = JunctionTree::new().compile(elements.model(), elements.cells())?;
/// assert_eq!(tree.count()?.to_string(), "2726");
/// if let Some(world) = tree.samples(1)?.next() {
///     println!("{}", elements.board(&world)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct YinYang {
    pub(super) clues: Clues,
    pub(super) budget: Budget,
}

impl YinYang {
    /// Boards that meet these clues.
    pub fn new(clues: Clues) -> Self {
        let budget = Budget::default();
        Self { clues, budget }
    }

    /// All boards of a size.
    pub fn any(size: Size) -> Self {
        Self::new(Clues::none(size))
    }

    /// Limits the expansion of the element program when it is solved, such as the number of states after a cell
    /// (half of [`Budget::table_entries`]).
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// The clues.
    pub fn clues(&self) -> &Clues {
        &self.clues
    }
}
