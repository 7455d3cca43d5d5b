//! From tables and an order of variables to the steps of a join.

use super::levels::{Domain, Kind, Shape, Slot};
use super::program::{Advance, Key, Level, Narrow, Program, Source, Step};

/// A register and its life, in turns: a slot's turn is its position plus one, turn zero is before the first slot.
struct Register {
    base: usize,
    /// The turns that change it, and by how much a value does.
    strides: Vec<(usize, usize)>,
    first: usize,
    last: usize,
    /// Whether it bounds a range of rows, which narrowing sets.
    is_range: bool,
}

impl Register {
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

    /// How an ordinary register changes in a turn, if it is alive then.
    fn advance(&self, register: usize, turn: usize) -> Option<Advance> {
        let stride = self.stride_at(turn);
        let lives = self.first <= turn && turn <= self.last && !(self.is_range && stride.is_some());
        lives.then(|| Advance {
            register,
            stride: stride.unwrap_or(0),
            start: (self.first == turn).then_some(self.base),
        })
    }
}

/// Compiles the join of tables of these shapes in this order.
pub(super) fn compile(
    domain: &Domain,
    shapes: &[Shape],
    slots: &[Slot],
    outputs: &[usize],
) -> Program {
    let mut compiler = Compiler::new(domain, shapes, slots);
    let key = compiler.key(outputs);
    let mut levels = vec![Level {
        source: Source::Root,
        carry: compiler.carry(0),
        steps: Vec::new(),
    }];
    compiler.finish(0, &mut levels[0].steps);
    for (i, slot) in slots.iter().enumerate() {
        let turn = i + 1;
        let narrow = std::mem::take(&mut compiler.narrows[turn]);
        match (slot.function, levels.last_mut()) {
            (Some(table), Some(level)) => level.steps.push(Step::Compute {
                table,
                register: table,
                narrow,
                advance: compiler.advance(turn),
            }),
            _ => levels.push(Level {
                source: if narrow.is_empty() {
                    Source::All(domain.cards[slot.variable])
                } else {
                    Source::Rows(narrow)
                },
                carry: compiler.carry(turn),
                steps: Vec::new(),
            }),
        }
        if let Some(level) = levels.last_mut() {
            compiler.finish(turn, &mut level.steps);
        }
    }
    Program {
        levels,
        key,
        registers: compiler.registers.len(),
    }
}

struct Compiler<'a> {
    domain: &'a Domain,
    /// The turn of each variable; pinned ones have theirs before the first.
    turns: Vec<usize>,
    registers: Vec<Register>,
    /// The sparse tables that mention the variable of each turn.
    narrows: Vec<Vec<Narrow>>,
    /// What is complete after each turn.
    finished: Vec<Vec<Step>>,
}

impl<'a> Compiler<'a> {
    fn new(domain: &'a Domain, shapes: &[Shape], slots: &[Slot]) -> Self {
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
        // The register of a table has the table's number; further ones come after.
        for shape in shapes {
            let register = match shape.kind {
                Kind::Dense => this.offset(&shape.columns),
                Kind::Function => this.offset(&shape.columns[..shape.columns.len() - 1]),
                Kind::Sparse => Register::range(&this.sparse_turns(&shape.columns)),
            };
            this.registers.push(register);
        }
        for (table, shape) in shapes.iter().enumerate() {
            match shape.kind {
                Kind::Dense => this.multiply(table),
                Kind::Sparse => this.narrow(table, &shape.columns),
                Kind::Function => this.check(table, &shape.columns, slots),
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
        self.finished[last].push(Step::Multiply {
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
            self.narrows[turn].push(Narrow {
                table,
                depth,
                is_last,
                low: table,
                high,
            });
        }
        self.multiply(table);
    }

    fn check(&mut self, table: usize, columns: &[usize], slots: &[Slot]) {
        let Some(&child) = columns.last() else { return };
        let turn = self.turns[child];
        if turn > 0 && slots[turn - 1].function == Some(table) {
            self.registers[table].last = turn;
            return;
        }
        let last = self.registers[table].last.max(turn);
        self.registers[table].last = last;
        let child = self.value(child, last);
        self.finished[last].push(Step::Check {
            table,
            register: table,
            child,
        });
    }

    fn key(&mut self, outputs: &[usize]) -> Key {
        let size = outputs
            .iter()
            .try_fold(1usize, |n, &v| n.checked_mul(self.domain.cards[v]));
        if size.is_none() {
            return Key::Values(outputs.iter().map(|&v| self.value(v, usize::MAX)).collect());
        }
        let mut register = self.offset(outputs);
        (register.first, register.last) = (0, usize::MAX);
        self.registers.push(register);
        Key::Number(self.registers.len() - 1)
    }

    /// What a level's variable does to the registers that are alive.
    fn carry(&self, turn: usize) -> Vec<Advance> {
        let all = self.registers.iter().enumerate();
        all.filter_map(|(i, r)| r.advance(i, turn)).collect()
    }

    /// What a computed variable does to the registers it changes.
    fn advance(&self, turn: usize) -> Vec<Advance> {
        let changed = self
            .registers
            .iter()
            .enumerate()
            .filter(|(_, r)| r.stride_at(turn).is_some());
        changed.filter_map(|(i, r)| r.advance(i, turn)).collect()
    }

    /// Moves the steps that are due after a turn.
    fn finish(&mut self, turn: usize, steps: &mut Vec<Step>) {
        steps.append(&mut self.finished[turn]);
    }
}
