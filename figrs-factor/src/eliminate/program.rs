//! A join compiled to steps over registers.
//!
//! A register is a number for each row of a batch: the offset of a partial assignment in a dense table, the first or last
//! row of a range of a sparse one, a value. Assigning a variable adds a stride times its value.

/// Change of a register by a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterAdvance {
    pub(super) register: usize,
    pub(super) stride: usize,
    /// The initial value, if the register starts here.
    pub(super) start: Option<usize>,
}

/// A sparse table whose range of rows narrows to the rows with a variable's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeNarrowing {
    pub(super) table: usize,
    /// Number of variables of the table that were assigned before.
    pub(super) depth: usize,
    /// `true` if this is the last variable of the table, so that one row is left.
    pub(super) is_last: bool,
    pub(super) low: usize,
    pub(super) high: usize,
}

/// Source of the values of a level's variable.
#[derive(Debug)]
pub(super) enum CandidateSource {
    /// No variable: the steps before the first.
    Root,
    /// All values of a variable with this number of values.
    All(usize),
    /// The values that the rows of these sparse tables share.
    Rows(Vec<RangeNarrowing>),
}

/// Operation on each row of a batch.
#[derive(Debug)]
pub(super) enum RowOperation {
    /// Multiplies the product by the entry of a table.
    Multiply {
        table: usize,
        register: usize,
        is_final: bool,
    },
    /// Computes the value of a function's child.
    Compute {
        table: usize,
        register: usize,
        narrow: Vec<RangeNarrowing>,
        advance: Vec<RegisterAdvance>,
    },
    /// Checks that a function agrees with the value that its child already has.
    Check {
        table: usize,
        register: usize,
        child: usize,
    },
}

/// One variable whose values are tried in turn, and the steps after it.
#[derive(Debug)]
pub(super) struct JoinLevel {
    pub(super) source: CandidateSource,
    pub(super) carry: Vec<RegisterAdvance>,
    /// Dense tables that this variable completes: they are multiplied at once, and their registers end here.
    pub(super) multiply: Vec<RegisterAdvance>,
    /// `true` if zeros need not be removed, because no variable follows.
    pub(super) is_final: bool,
    pub(super) steps: Vec<RowOperation>,
}

/// Key of a row in the result.
#[derive(Debug)]
pub(super) enum RowKey {
    /// By the row-major number in this register.
    Number(usize),
    /// By the values in these registers.
    Values(Vec<usize>),
}

/// The compiled join.
#[derive(Debug)]
pub(super) struct JoinProgram {
    pub(super) levels: Vec<JoinLevel>,
    pub(super) key: RowKey,
    pub(super) registers: usize,
}
