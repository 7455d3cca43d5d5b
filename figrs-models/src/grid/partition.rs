//! Partition of the cells that were read last in each column of a grid into groups of connected cells.

/// The next cell of a grid that a [`Partition`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextCell {
    /// A cell that belongs to no group of connected cells.
    Outside,
    /// A cell that joins the group of the cell above, the group of the cell to the left, both groups, or neither.
    Inside {
        up: bool,
        left: bool,
        /// True if the group that the cell joins becomes a marked group by this cell.
        marked: bool,
    },
}

/// The partition into groups after one more cell has been read, and the effects of this cell on the groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExtendedPartition {
    pub(crate) partition: Partition,
    /// `true` if the cell joins two cells of the same group, and so closes a cycle.
    pub(crate) cycle: bool,
    /// `Some` if a group has no cell left among the cells read last in each column; states whether this group was marked.
    pub(crate) lost: Option<bool>,
}

/// The cell read last in each column of a grid (the frontier), divided into groups of connected cells.
///
/// Groups of connected cells are numbered from 1 in the order of their first columns, so that equal partitions are equal values. The group number 0
/// stands for cells that belong to no group. For each column, the number of the group takes four bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Partition {
    labels: u64,
    /// Bit set of the marked groups of connected cells; the first group has the lowest bit.
    marks: u16,
}
figrs_core::value!(Partition);

impl Partition {
    /// Returns the number that identifies the group of the cell read last in the column `column`; 0 if the cell belongs to no group.
    pub fn group(self, column: usize) -> u8 {
        (self.labels >> (4 * column) & 15) as u8
    }

    /// True if, in each column, the cell read last belongs to no group.
    pub fn is_empty(self) -> bool {
        self.labels == 0
    }

    /// Returns the number of groups of connected cells.
    pub fn groups(self) -> u32 {
        let (mut labels, mut most) = (self.labels, 0);
        while labels > 0 {
            most = most.max(labels & 15);
            labels >>= 4;
        }
        most as u32
    }

    /// Returns the number of groups of connected cells that are marked.
    pub fn marked(self) -> u32 {
        self.marks.count_ones()
    }

    /// Moves the groups of cells to the right by `by` columns; `None` if the groups then exceed `columns` columns (at most 16).
    pub(super) fn moved(self, by: usize, columns: usize) -> Option<Self> {
        let last = (0..columns).rev().find(|&column| self.group(column) > 0);
        match last {
            Some(last) if last + by >= columns => None,
            Some(_) => Some(Self {
                labels: self.labels << (4 * by),
                ..self
            }),
            None => Some(self),
        }
    }

    /// Removes the columns before the first group of cells, and returns the number of these columns.
    pub(super) fn without_first_columns(self) -> (Self, usize) {
        let empty = self.labels.trailing_zeros() as usize / 4 % 16;
        let labels = self.labels >> (4 * empty);
        (Self { labels, ..self }, empty)
    }

    pub(crate) fn extended(self, column: usize, member: NextCell) -> ExtendedPartition {
        const FRESH: usize = 16;
        let mut labels = [0; 16];
        for (column, label) in labels.iter_mut().enumerate() {
            *label = usize::from(self.group(column));
        }
        let mut marks = u32::from(self.marks) << 1;
        let above = labels[column];
        let mut cycle = false;
        labels[column] = match member {
            NextCell::Outside => 0,
            NextCell::Inside { up, left, marked } => {
                let up = if up { above } else { 0 };
                let left = if left { labels[column - 1] } else { 0 };
                let label = match (up, left) {
                    (0, 0) => FRESH,
                    (0, one) | (one, 0) => one,
                    (up, left) => {
                        cycle = up == left;
                        for label in labels.iter_mut().filter(|label| **label == left) {
                            *label = up;
                        }
                        marks |= (marks >> left & 1) << up;
                        up
                    }
                };
                marks |= u32::from(marked) << label;
                label
            }
        };
        let lost = (above > 0 && !labels.contains(&above)).then(|| marks >> above & 1 == 1);
        ExtendedPartition {
            partition: Self::canonical(&labels, marks),
            cycle,
            lost,
        }
    }

    /// Renumbers the groups of cells in the order of their first columns; `marks` has a bit for each old number of a group.
    fn canonical(labels: &[usize; 16], marks: u32) -> Self {
        let mut names = [0u64; 17];
        let (mut last, mut partition) = (0, Self::default());
        for (column, &label) in labels.iter().enumerate().filter(|(_, label)| **label > 0) {
            if names[label] == 0 {
                last += 1;
                names[label] = last;
                partition.marks |= ((marks >> label & 1) << (last - 1)) as u16;
            }
            partition.labels |= names[label] << (4 * column);
        }
        partition
    }
}
