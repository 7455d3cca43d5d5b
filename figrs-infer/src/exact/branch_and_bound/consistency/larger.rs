//! Functions of more than three variables: they take part when three of them are open, and exclude values before.

use super::super::cost_table::CostTable;
use super::super::network::function::Arity;
use super::super::network::state::INACTIVE;
use super::super::network::{Conflict, Network};

/// Number of entries up to which a function of more than three open variables is looked at whole.
const LOOK: usize = 1 << 12;

/// Largest number of open variables for which a function is replaced by a smaller one, and the largest size of that one.
const FEW: usize = 3;
const REPLACED: usize = 1 << 18;

impl Network {
    /// Replaces a function of few open variables by one of these, and looks in others for values that they exclude.
    pub(super) fn revise_larger(&mut self, f: usize) -> Result<(), Conflict> {
        let Arity::Larger(place) = self.functions[f].arity else {
            return Ok(());
        };
        if !self.is_active(f) {
            return Ok(());
        }
        self.cause = f as u32;
        let scope = self.larger[place as usize].scope().to_vec();
        let mut row: Vec<u32> = scope
            .iter()
            .map(|&v| self.value(v as usize, 0) as u32)
            .collect();
        let mut open = Vec::new();
        let (mut size, mut entries) = (1usize, 1usize);
        for (i, &v) in scope.iter().enumerate() {
            let live = self.live_count(v as usize);
            if live > 1 {
                open.push(i);
                entries = entries.saturating_mul(live);
                size = size.saturating_mul(self.sizes[v as usize] as usize);
            }
        }
        if open.len() < 2 || open.len() <= FEW && size <= REPLACED {
            self.work += size as u64;
            return self.replace_larger(f, place as usize, &mut row, &open);
        }
        if entries > LOOK {
            return Ok(());
        }
        self.work += entries as u64;
        self.exclude_by_larger(place as usize, &mut row, &open)
    }

    /// The function with the other variables given takes the place of a larger one.
    fn replace_larger(
        &mut self,
        f: usize,
        place: usize,
        row: &mut [u32],
        open: &[usize],
    ) -> Result<(), Conflict> {
        self.active.set(f, INACTIVE);
        let function = &self.larger[place];
        let scope: Vec<u32> = open.iter().map(|&i| function.scope()[i]).collect();
        let sizes: Vec<u32> = scope.iter().map(|&v| self.sizes[v as usize]).collect();
        let mut cells = Vec::new();
        let mut digits = vec![0; open.len()];
        loop {
            for (&i, &digit) in open.iter().zip(&digits) {
                row[i] = digit;
            }
            cells.push(function.at(row));
            if !advance(&mut digits, &sizes) {
                break;
            }
        }
        match *scope.as_slice() {
            [] if cells[0] >= self.gap() => return Err(Conflict),
            [] => self.lower += cells[0],
            [v] => {
                let v = v as usize;
                for i in (0..self.live_count(v)).rev() {
                    let a = self.value(v, i);
                    if cells[a] + self.unary(v, a) >= self.gap() {
                        self.remove(v, a)?;
                    } else if cells[a] > 0 {
                        self.raise(v, a, cells[a]);
                    }
                }
            }
            _ => {
                let table = CostTable { scope, cells };
                self.add_table(&table.renamed(&self.sizes, |v| v));
            }
        }
        Ok(())
    }

    /// Removes the values whose every entry is too dear.
    fn exclude_by_larger(
        &mut self,
        place: usize,
        row: &mut [u32],
        open: &[usize],
    ) -> Result<(), Conflict> {
        let function = &self.larger[place];
        let scope: Vec<usize> = open.iter().map(|&i| function.scope()[i] as usize).collect();
        let counts: Vec<u32> = scope.iter().map(|&v| self.live_count(v) as u32).collect();
        let mut least: Vec<Vec<i64>> = counts.iter().map(|&n| vec![i64::MAX; n as usize]).collect();
        let mut digits = vec![0; open.len()];
        loop {
            for ((&i, &v), &digit) in open.iter().zip(&scope).zip(&digits) {
                row[i] = self.value(v, digit as usize) as u32;
            }
            let cost = function.at(row);
            for (least, &digit) in least.iter_mut().zip(&digits) {
                let least = &mut least[digit as usize];
                *least = cost.min(*least);
            }
            if !advance(&mut digits, &counts) {
                break;
            }
        }
        for (least, &v) in least.iter().zip(&scope) {
            // The places of a domain stay as they are below one that is removed.
            for (i, &cost) in least.iter().enumerate().rev() {
                let a = self.value(v, i);
                if cost + self.unary(v, a) >= self.gap() {
                    self.remove(v, a)?;
                }
            }
        }
        Ok(())
    }
}

/// The next digits, the last changing fastest; false after the last.
fn advance(digits: &mut [u32], sizes: &[u32]) -> bool {
    for (digit, &size) in digits.iter_mut().zip(sizes).rev() {
        *digit += 1;
        if *digit < size {
            return true;
        }
        *digit = 0;
    }
    false
}
