//! Traces of a search (records of its result): the sum of the weights, or a decision circuit.

use super::scaled_number::ScaledNumber;

/// Operations by which a search computes the value of its problem as a number or as a circuit.
///
/// Products are on a stack. The search opens a product, multiplies the product by factors, and closes the product to get its value.
pub(super) trait SearchTrace {
    /// The value of a component of the search: a number or a node of a circuit.
    type Value: Copy;

    fn open_product(&mut self);
    /// Multiplies the product under construction by the leaf of a variable's value.
    fn value(&mut self, variable: u32, value: u32);
    fn symbol(&mut self, symbol: u32);
    /// Multiplies the product under construction by the sum over the two values of a variable that occurs in no open clause or table.
    fn free(&mut self, variable: u32);
    fn multiply(&mut self, value: Self::Value);
    fn close_product(&mut self) -> Self::Value;
    fn drop_product(&mut self);
    fn sum(&mut self, first: Self::Value, second: Self::Value) -> Self::Value;
    fn bytes(&self) -> usize;
    /// Returns the length of the longest list with 32-bit indices in this trace.
    fn positions(&self) -> usize;
}

/// A trace (record of a search) that only computes the sum of the weights.
#[derive(Debug)]
pub(super) struct SumTrace {
    symbols: Vec<ScaledNumber>,
    stack: Vec<ScaledNumber>,
}

impl SumTrace {
    /// Creates a trace that computes a sum; `logs` has the natural logarithm of the weight of each symbol.
    pub(super) fn new(logs: impl IntoIterator<Item = f64>) -> Self {
        Self {
            symbols: logs.into_iter().map(ScaledNumber::from_log).collect(),
            stack: Vec::new(),
        }
    }

    fn times(&mut self, factor: ScaledNumber) {
        if let Some(top) = self.stack.last_mut() {
            *top = *top * factor;
        }
    }
}

impl SearchTrace for SumTrace {
    type Value = ScaledNumber;

    fn open_product(&mut self) {
        self.stack.push(ScaledNumber::ONE);
    }

    fn value(&mut self, _: u32, _: u32) {}

    fn symbol(&mut self, symbol: u32) {
        self.times(self.symbols[symbol as usize]);
    }

    fn free(&mut self, _: u32) {
        self.times(ScaledNumber::TWO);
    }

    fn multiply(&mut self, value: ScaledNumber) {
        self.times(value);
    }

    fn close_product(&mut self) -> ScaledNumber {
        self.stack.pop().unwrap_or(ScaledNumber::ZERO)
    }

    fn drop_product(&mut self) {
        self.stack.pop();
    }

    fn sum(&mut self, first: ScaledNumber, second: ScaledNumber) -> ScaledNumber {
        first + second
    }

    fn bytes(&self) -> usize {
        (self.symbols.len() + self.stack.len()) * size_of::<ScaledNumber>()
    }

    fn positions(&self) -> usize {
        0
    }
}
