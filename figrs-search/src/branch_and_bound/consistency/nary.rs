//! Transfers of costs from functions of more than three variables, and replacement of such functions when at most three of their variables are
//! undecided.

use figrs_factor::graph::Assignments;

use super::super::cost_table::{CostTable, FORBIDDEN};
use super::super::network::state::INACTIVE;
use super::super::network::{Conflict, Network};

/// A function of more than three undecided variables is projected only if it has at most this number of entries.
const LOOK: usize = 1 << 10;

/// Maximum number of undecided variables of a cost function that is replaced by a smaller function, and maximum number of entries of the smaller
/// function.
const FEW: usize = 3;
const REPLACED: usize = 1 << 18;

impl Network {
    /// Replaces the cost function with the index `place` by a function of its undecided variables, if there are few undecided variables. If many
    /// variables of the cost function are undecided, projects the function on each of them (moves costs to their values).
    pub(super) fn project_or_replace_nary(&mut self, place: usize) -> Result<(), Conflict> {
        let f = self.nary[place].function as usize;
        if !self.is_active(f) {
            return Ok(());
        }
        self.cause = f as u32;
        let scope = self.nary[place].scope().to_vec();
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
            self.looks += size as u64;
            return self.replace_nary(f, place, &mut row, &open);
        }
        if entries > LOOK {
            return Ok(());
        }
        for &own in &open {
            self.looks += entries as u64;
            self.project_nary(place, &mut row, &open, own)?;
        }
        Ok(())
    }

    /// Replaces a cost function of more than three variables by a function of its undecided variables, given the values of its decided variables.
    fn replace_nary(
        &mut self,
        f: usize,
        place: usize,
        row: &mut [u32],
        open: &[usize],
    ) -> Result<(), Conflict> {
        self.active.set(f, INACTIVE);
        let own = self.nary[place].scope();
        let scope: Vec<u32> = open.iter().map(|&i| own[i]).collect();
        let all = Assignments::rows(scope.iter().map(|&v| self.sizes[v as usize] as usize));
        let mut cells = Vec::new();
        let mut digits = vec![0; open.len()];
        loop {
            for (&i, &digit) in open.iter().zip(&digits) {
                row[i] = digit;
            }
            cells.push(self.nary_cost(place, row).min(FORBIDDEN));
            if all.advance(&mut digits).is_none() {
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

    /// For a function of more than three variables, moves the minimum cost of each value of the variable `own` to the unary cost of this
    /// value.
    fn project_nary(
        &mut self,
        place: usize,
        row: &mut [u32],
        open: &[usize],
        own: usize,
    ) -> Result<(), Conflict> {
        let all = self.nary[place].scope();
        let v = all[own] as usize;
        let others: Vec<usize> = open.iter().copied().filter(|&i| i != own).collect();
        let scope: Vec<usize> = others.iter().map(|&i| all[i] as usize).collect();
        let rows_of_others = Assignments::rows(scope.iter().map(|&u| self.live_count(u)));
        let mut digits = vec![0; others.len()];
        for i in (0..self.live_count(v)).rev() {
            let a = self.value(v, i);
            row[own] = a as u32;
            let mut least = i64::MAX;
            loop {
                for ((&i, &u), &digit) in others.iter().zip(&scope).zip(&digits) {
                    row[i] = self.value(u, digit as usize) as u32;
                }
                least = least.min(self.nary_cost(place, row));
                if rows_of_others.advance(&mut digits).is_none() {
                    break;
                }
            }
            if least + self.unary(v, a) >= self.gap() {
                self.remove(v, a)?;
            } else if least > 0 {
                let shift = self.nary[place].shifts[own] as usize + a;
                let before = self.costs.get(shift);
                self.costs.set(shift, before + least);
                self.raise(v, a, least);
            }
        }
        Ok(())
    }
}
