//! Tasks of the evaluation of a root.

use super::block::Block;
use super::branch::Branch;
use super::column::{ColumnSlot, StoredColumn};
use super::rare_branches::RowEvaluations;
use super::selection::Selection;
use figrs_core::element::node::AnyElement;
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;

/// Source of the values of a group of rows.
#[derive(Clone, Copy)]
pub(super) enum ColumnSource {
    Slot(ColumnSlot),
    /// The number of a column that was drawn for a group alone.
    Unshared(usize),
}

/// Next task of the execution. A demand is the value that a slot must have if the rows are to keep a positive weight.
pub(super) enum EvaluationTask {
    Enter(ColumnSlot, Selection, Option<Datum>),
    Finish(ColumnSlot, Selection, Option<Datum>),
    Unshared {
        number: usize,
        element: AnyElement,
        branch: Branch,
        /// The Chain that the branch belongs to.
        of: ColumnSlot,
        rows: Selection,
        demand: Option<Datum>,
    },
    Singles(Box<RowEvaluations>),
    Join(ColumnSlot, Selection, Vec<(ColumnSource, Selection)>),
}

/// A root that is being evaluated.
pub(super) struct RootEvaluation<'b> {
    pub(super) block: &'b mut Block,
    pub(super) rng: &'b mut Stream,
    pub(super) tasks: Vec<EvaluationTask>,
    /// Columns of branches that are not elements of the program.
    pub(super) alone: Vec<Option<StoredColumn>>,
}
