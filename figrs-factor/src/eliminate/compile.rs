//! Compiler of joins of tables: for a given variable order, the compiler makes a sequence of operations on registers.
//!
//! A register of a compiled join holds one number for each partial assignment of a batch. The number in a register is an offset in a dense table, the
//! first row or the end of a row range of a sparse table, or the value of a variable. When a variable is assigned a value, the product of the value
//! and a stride is added to each register that depends on the variable.

use super::prepare::{Domain, TableKind, TableShape};
use super::variable_order::VariableTurn;

/// The change of a register (a stored offset or row) of a join by the value of a newly assigned variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterAdvance {
    pub(super) register: usize,
    pub(super) stride: usize,
    /// The initial value of the register, if the register does not exist before this change by the value of a variable.
    pub(super) start: Option<usize>,
}

/// The reduction of the row range of a sparse table to the rows that contain the value of one variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeNarrowing {
    pub(super) table: usize,
    /// Number of variables of the sparse table that are assigned before the variable whose value reduces the row range.
    pub(super) depth: usize,
    /// `true` if the variable is the last variable of the sparse table; exactly one row then remains in the range.
    pub(super) is_last: bool,
    pub(super) low: usize,
    pub(super) high: usize,
}

/// Source of the candidate values of a variable in a join.
#[derive(Debug)]
pub(super) enum CandidateSource {
    /// There are no candidate values, because the operations precede the first variable of the join.
    Root,
    /// The candidates are all values of the variable; the enum's field is the number of values.
    All(usize),
    /// The candidates are the values that occur in the row ranges of all listed sparse tables.
    Rows(Vec<RangeNarrowing>),
}

/// Operation on each partial assignment of a batch.
#[derive(Debug)]
pub(super) enum RowOperation {
    /// Multiplies the product of each partial assignment by an entry of one table.
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
    /// Checks that the assigned value of a function's child equals the value of the function.
    Check {
        table: usize,
        register: usize,
        child: usize,
    },
}

/// One level of a backtracking join: a variable, the source of its candidate values, and the operations that follow the assignment of the variable.
#[derive(Debug)]
pub(super) struct JoinLevel {
    pub(super) source: CandidateSource,
    pub(super) carry: Vec<RegisterAdvance>,
    /// Changes of the registers of dense tables whose entries are multiplied at this level, because all variables of these tables have values.
    pub(super) multiply: Vec<RegisterAdvance>,
    /// `true` at the level of the last variable of the join; partial assignments with weight zero need not be removed at this level.
    pub(super) is_final: bool,
    pub(super) steps: Vec<RowOperation>,
}

/// The key of a partial assignment: its values of the result's variables, which select the entry of the result to which the product is added.
#[derive(Debug)]
pub(super) enum RowKey {
    /// The key of a partial assignment is the row-major index in the contained register.
    Number(usize),
    /// The key of a partial assignment is the list of the values in the contained registers.
    Values(Vec<usize>),
}

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
    /// For each variable, one plus its index in the variable order; zero for a variable with a fixed value.
    turns: Vec<usize>,
    registers: Vec<Register>,
    /// For each variable of the join, by its index in `turns`, the changes that narrow the row ranges of the sparse tables that contain the variable.
    narrows: Vec<Vec<RangeNarrowing>>,
    /// For each variable of the join, by its index in `turns`, the operations that are possible only after the assignment of the variable.
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
        // Register `i` belongs to table `i`; the other registers have higher numbers.
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

    /// Creates a register for the row-major offset of a table entry, which the values of the variables `columns` determine.
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

    /// Returns the changes of registers after a function table has computed the value of the variable with the index `turn` in the variable order.
    fn advance(&self, turn: usize) -> Vec<RegisterAdvance> {
        let changed = self
            .registers
            .iter()
            .enumerate()
            .filter(|(_, r)| r.stride_at(turn).is_some());
        changed.filter_map(|(i, r)| r.advance(i, turn)).collect()
    }
}

/// A register of a compiled join, and the period in which the register is used. The period of use is measured in turns: turn `i + 1` assigns the
/// variable at index `i` of the variable order, and turn zero precedes all variables.
struct Register {
    base: usize,
    /// The turns (assignments of variables) that change the register, each with the stride by which the value of the turn's variable is multiplied.
    strides: Vec<(usize, usize)>,
    first: usize,
    last: usize,
    /// `true` if the register holds the first row or the last row of a row range of a sparse table.
    is_range: bool,
}

impl Register {
    /// Creates a register with the initial value `base`; each turn of `strides` adds stride times value to the register, which is used until the last
    /// of these turns.
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

    /// Creates a register for one bound of a row range of a sparse table; the variable assignments in the turns `turns` narrow the range.
    fn range(turns: &[usize]) -> Self {
        let strides = turns.iter().map(|&turn| (turn, 0)).collect();
        Self {
            is_range: true,
            ..Self::new(0, strides)
        }
    }

    fn until(self, last: usize) -> Self {
        Self { last, ..self }
    }

    fn stride_at(&self, turn: usize) -> Option<usize> {
        self.strides.iter().find(|s| s.0 == turn).map(|s| s.1)
    }

    /// Returns the change in `turn` of this register, whose index is `register`; `None` if `turn` does not change the register by a stride.
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
