//! Compiler from tables and a variable order to the steps of a join.

use super::domain::{Domain, TableKind, TableShape};
use super::program::{
    CandidateSource, JoinLevel, JoinProgram, RangeNarrowing, RegisterAdvance, RowKey, RowOperation,
};
use super::registers::Register;
use super::variable_order::VariableTurn;

/// Compiles the join of tables of these shapes in the given variable order.
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
    /// The turn of each variable; pinned variables come before the first turn.
    turns: Vec<usize>,
    registers: Vec<Register>,
    /// The sparse tables that mention the variable of each turn.
    narrows: Vec<Vec<RangeNarrowing>>,
    /// Steps that become possible after each turn.
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
        // The register of a table has the table's number; further registers come after.
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

    /// The row-major offset of some variables.
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

    /// The level of a variable whose values are tried in turn.
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

    /// Advances of registers by a computed variable.
    fn advance(&self, turn: usize) -> Vec<RegisterAdvance> {
        let changed = self
            .registers
            .iter()
            .enumerate()
            .filter(|(_, r)| r.stride_at(turn).is_some());
        changed.filter_map(|(i, r)| r.advance(i, turn)).collect()
    }
}
