//! Joins of tables, compiled to steps over registers for a given variable order.
//!
//! A register holds one number for each partial assignment of a batch. The number in a register is an offset in a dense table, the first
//! row or the end of a row range of a sparse table, or the value of a variable. When a variable is assigned a value, the product of the
//! value and a stride is added to the register.

use super::prepare::{Domain, TableKind, TableShape};
use super::variable_order::VariableTurn;

/// The change of a register when a variable is assigned a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterAdvance {
    pub(super) register: usize,
    pub(super) stride: usize,
    /// The initial value of the register, if this change creates the register.
    pub(super) start: Option<usize>,
}

/// A sparse table whose range of rows is narrowed to the rows with the value assigned to one variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeNarrowing {
    pub(super) table: usize,
    /// Number of variables of the sparse table that are assigned before this variable.
    pub(super) depth: usize,
    /// `true` if this variable is the last variable of a sparse table; exactly one row of the table then remains.
    pub(super) is_last: bool,
    pub(super) low: usize,
    pub(super) high: usize,
}

/// Source of the candidate values of a variable in a join.
#[derive(Debug)]
pub(super) enum CandidateSource {
    /// The level has no variable; its steps precede the first variable of the join.
    Root,
    /// The candidates are all values of the variable; the content is their number.
    All(usize),
    /// The candidates are the values that occur in the remaining rows of all of the listed sparse tables.
    Rows(Vec<RangeNarrowing>),
}

/// Operation on each partial assignment of a batch.
#[derive(Debug)]
pub(super) enum RowOperation {
    /// Multiplies the product of each partial assignment by an entry of a table.
    Multiply {
        table: usize,
        register: usize,
        is_final: bool,
    },
    /// Computes the child (last variable) of a function table from the values of the parents.
    Compute {
        table: usize,
        register: usize,
        narrow: Vec<RangeNarrowing>,
        advance: Vec<RegisterAdvance>,
    },
    /// Checks that the value of a function table equals the value that its child already has.
    Check {
        table: usize,
        register: usize,
        child: usize,
    },
}

/// One level of a join: a variable whose candidate values are tried in turn, and the steps after its assignment.
#[derive(Debug)]
pub(super) struct JoinLevel {
    pub(super) source: CandidateSource,
    pub(super) carry: Vec<RegisterAdvance>,
    /// Dense tables whose entries are multiplied at this level, because all their variables then have values.
    pub(super) multiply: Vec<RegisterAdvance>,
    /// `true` if this level has the last variable of the join; partial assignments with weight zero then need not be removed.
    pub(super) is_final: bool,
    pub(super) steps: Vec<RowOperation>,
}

/// The key of a partial assignment: the assignment of the result's variables to whose entry the product is added.
#[derive(Debug)]
pub(super) enum RowKey {
    /// The key is the row-major index in this register.
    Number(usize),
    /// The key is the list of the values in these registers.
    Values(Vec<usize>),
}

/// A join compiled to steps over registers, level by level.
#[derive(Debug)]
pub(super) struct JoinProgram {
    pub(super) levels: Vec<JoinLevel>,
    pub(super) key: RowKey,
    pub(super) registers: usize,
}

pub(super) fn compile(
    domain: &Domain,
    shapes: &[TableShape],
    slots: &[VariableTurn],
    outputs: &[usize],
) -> JoinProgram {
    let mut compiler = Compiler::new(domain, shapes, slots);
    let key = compiler.key(outputs);
    let mut levels = vec![compiler.level(0, CandidateSource::Root)];
    for (i, slot) in slots.iter().enumerate() {
        let turn = i + 1;
        let narrow = std::mem::take(&mut compiler.narrows[turn]);
        match (slot.function, levels.last_mut()) {
            (Some(table), Some(level)) => {
                let advance = compiler.advance(turn);
                level.steps.push(RowOperation::Compute {
                    table,
                    register: table,
                    narrow,
                    advance,
                });
                level.steps.append(&mut compiler.finished[turn]);
            }
            _ if narrow.is_empty() => {
                levels
                    .push(compiler.level(turn, CandidateSource::All(domain.cards[slot.variable])));
            }
            _ => levels.push(compiler.level(turn, CandidateSource::Rows(narrow))),
        }
    }
    JoinProgram {
        levels,
        key,
        registers: compiler.registers.len(),
    }
}

struct Compiler<'a> {
    domain: &'a Domain,
    /// For each variable, its index in the variable order; variables with a fixed value come before all others.
    turns: Vec<usize>,
    registers: Vec<Register>,
    /// For each turn (index in the variable order), the sparse tables that contain the variable assigned in that turn.
    narrows: Vec<Vec<RangeNarrowing>>,
    /// For each turn (assignment of one variable), the operations that become possible after it.
    finished: Vec<Vec<RowOperation>>,
}

impl<'a> Compiler<'a> {
    fn new(domain: &'a Domain, shapes: &[TableShape], slots: &[VariableTurn]) -> Self {
        let mut turns = vec![0; domain.variables.len()];
        for (i, slot) in slots.iter().enumerate() {
            turns[slot.variable] = i + 1;
        }
        let mut this = Self {
            domain,
            turns,
            registers: Vec::with_capacity(shapes.len() + 2),
            narrows: (0..=slots.len()).map(|_| Vec::new()).collect(),
            finished: (0..=slots.len()).map(|_| Vec::new()).collect(),
        };
        // Register `i` belongs to table `i`; further registers have higher numbers.
        for shape in shapes {
            let register = match shape.kind {
                TableKind::Dense => this.offset(&shape.columns),
                TableKind::Function => this.offset(&shape.columns[..shape.columns.len() - 1]),
                TableKind::Sparse => Register::range(&this.sparse_turns(&shape.columns)),
            };
            this.registers.push(register);
        }
        for (table, shape) in shapes.iter().enumerate() {
            match shape.kind {
                TableKind::Dense => this.multiply(table),
                TableKind::Sparse => this.narrow(table, &shape.columns),
                TableKind::Function => this.check(table, &shape.columns, slots),
            }
        }
        this
    }

    fn sparse_turns(&self, columns: &[usize]) -> Vec<usize> {
        let mut turns: Vec<usize> = columns
            .iter()
            .map(|&v| self.turns[v])
            .filter(|&t| t > 0)
            .collect();
        turns.sort_unstable();
        turns
    }

    /// Allocates a register for the row-major offset of the values of the variables `columns`.
    fn offset(&self, columns: &[usize]) -> Register {
        let (mut base, mut strides, mut stride) = (0, Vec::with_capacity(columns.len()), 1);
        for &v in columns.iter().rev() {
            match self.domain.pins[v] {
                Some(pin) => base += stride * pin as usize,
                None => strides.push((self.turns[v], stride)),
            }
            stride = stride.saturating_mul(self.domain.cards[v]);
        }
        Register::new(base, strides)
    }

    fn value(&mut self, v: usize, last: usize) -> usize {
        let register = match self.domain.pins[v] {
            Some(pin) => Register::new(pin as usize, Vec::new()),
            None => Register::new(0, vec![(self.turns[v], 1)]),
        };
        let register = register.until(last);
        self.registers.push(register);
        self.registers.len() - 1
    }

    fn multiply(&mut self, table: usize) {
        let last = self.registers[table].last;
        let is_final = last + 1 == self.finished.len();
        self.finished[last].push(RowOperation::Multiply {
            table,
            register: table,
            is_final,
        });
    }

    fn narrow(&mut self, table: usize, columns: &[usize]) {
        let turns = self.sparse_turns(columns);
        let high = self.registers.len();
        self.registers.push(Register::range(&turns));
        for (depth, &turn) in turns.iter().enumerate() {
            let is_last = depth + 1 == turns.len();
            self.narrows[turn].push(RangeNarrowing {
                table,
                depth,
                is_last,
                low: table,
                high,
            });
        }
        self.multiply(table);
    }

    fn check(&mut self, table: usize, columns: &[usize], slots: &[VariableTurn]) {
        let Some(&child) = columns.last() else { return };
        let turn = self.turns[child];
        if turn > 0 && slots[turn - 1].function == Some(table) {
            self.registers[table].last = turn;
            return;
        }
        let last = self.registers[table].last.max(turn);
        self.registers[table].last = last;
        let child = self.value(child, last);
        self.finished[last].push(RowOperation::Check {
            table,
            register: table,
            child,
        });
    }

    fn key(&mut self, outputs: &[usize]) -> RowKey {
        let size = outputs
            .iter()
            .try_fold(1usize, |n, &v| n.checked_mul(self.domain.cards[v]));
        if size.is_none() {
            return RowKey::Values(outputs.iter().map(|&v| self.value(v, usize::MAX)).collect());
        }
        let register = self.offset(outputs).until(usize::MAX);
        self.registers.push(register);
        RowKey::Number(self.registers.len() - 1)
    }

    fn level(&mut self, turn: usize, source: CandidateSource) -> JoinLevel {
        let is_final = turn + 1 == self.finished.len();
        let mut level = JoinLevel {
            source,
            carry: Vec::new(),
            multiply: Vec::new(),
            is_final,
            steps: Vec::new(),
        };
        for step in std::mem::take(&mut self.finished[turn]) {
            match step {
                RowOperation::Multiply { register, .. }
                    if turn > 0 && !self.registers[register].is_range =>
                {
                    level
                        .multiply
                        .extend(self.registers[register].advance(register, turn));
                    self.registers[register].last = turn - 1;
                }
                step => level.steps.push(step),
            }
        }
        let all = self.registers.iter().enumerate();
        level.carry = all.filter_map(|(i, r)| r.advance(i, turn)).collect();
        level
    }

    /// Returns the changes of all registers when a function table computes the variable of index `turn`.
    fn advance(&self, turn: usize) -> Vec<RegisterAdvance> {
        let changed = self
            .registers
            .iter()
            .enumerate()
            .filter(|(_, r)| r.stride_at(turn).is_some());
        changed.filter_map(|(i, r)| r.advance(i, turn)).collect()
    }
}

/// A register, and the turns of the variable order in which it is used. The variable at index `i` of the variable order is assigned in
/// turn `i + 1`; turn zero precedes all variables.
struct Register {
    base: usize,
    /// The turns that change the register, each with the stride of the change.
    strides: Vec<(usize, usize)>,
    first: usize,
    last: usize,
    /// `true` if the register is a bound of a range of rows of a sparse table.
    is_range: bool,
}

impl Register {
    /// Creates a register that starts at `base` and sums stride times value over the turns of `strides`; the register is used until the
    /// last of these turns.
    fn new(base: usize, strides: Vec<(usize, usize)>) -> Self {
        let turns = || strides.iter().map(|s| s.0);
        let (first, last) = (turns().min().unwrap_or(0), turns().max().unwrap_or(0));
        Self {
            base,
            strides,
            first,
            last,
            is_range: false,
        }
    }

    /// Creates a register for one bound of a range of rows of a sparse table; the range narrows in the turns `turns`.
    fn range(turns: &[usize]) -> Self {
        let strides = turns.iter().map(|&turn| (turn, 0)).collect();
        Self {
            is_range: true,
            ..Self::new(0, strides)
        }
    }

    /// Extends the use of the register to the turn `last` of the variable order.
    fn until(self, last: usize) -> Self {
        Self { last, ..self }
    }

    /// Returns the stride by which the value assigned in `turn` changes the register; `None` if that value does not change it.
    fn stride_at(&self, turn: usize) -> Option<usize> {
        self.strides.iter().find(|s| s.0 == turn).map(|s| s.1)
    }

    /// Returns the change of this register, which has the index `register`, in `turn`; `None` if the register does not change by a
    /// stride in that turn.
    fn advance(&self, register: usize, turn: usize) -> Option<RegisterAdvance> {
        let stride = self.stride_at(turn);
        let lives = self.first <= turn && turn <= self.last && !(self.is_range && stride.is_some());
        lives.then(|| RegisterAdvance {
            register,
            stride: stride.unwrap_or(0),
            start: (self.first == turn).then_some(self.base),
        })
    }
}
