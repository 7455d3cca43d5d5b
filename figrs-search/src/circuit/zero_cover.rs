//! Clauses that exclude the zeros of a table; they come from an irredundant cover of the zeros by cubes (products of sets of values).

/// A cube (product of sets of values): the allowed values of some variables of a table, with variables and values given by indices.
pub(super) type Cube = Vec<(usize, Vec<u32>)>;

/// Returns cubes (products of sets of values) that cover the zeros of a dense table and no other entry.
///
/// **Complexity.** For Boolean variables, the time of the cover is the number of table entries to a power below 1.6; in practice, the time is nearly
/// linear.
///
/// **References.** Minato, *Fast generation of irredundant sum-of-products forms from binary decision diagrams*, SASIMI 1992.
pub(super) fn zero_cover(is_zero: &[bool], cards: &[u32]) -> Vec<Cube> {
    let mut cover = ZeroCover {
        cards,
        path: Vec::new(),
        cubes: Vec::new(),
    };
    cover.cover(is_zero, is_zero, 0);
    cover.cubes
}

struct ZeroCover<'a> {
    cards: &'a [u32],
    path: Cube,
    cubes: Vec<Cube>,
}

impl ZeroCover<'_> {
    /// Covers the entries `required` of a part of a table by cubes (products of sets of values) of entries in `allowed`, and returns the covered
    /// entries. The argument `at` is the index, in the scope of the table, of the first variable that is not fixed in the part of the table.
    ///
    /// The depth of the recursion is the number of variables of the dense table, which is logarithmic in the number of entries.
    fn cover(&mut self, required: &[bool], allowed: &[bool], at: usize) -> Vec<bool> {
        if !required.contains(&true) {
            return vec![false; required.len()];
        }
        if !allowed.contains(&false) {
            self.cubes.push(self.path.clone());
            return vec![true; required.len()];
        }
        let values = self.cards[at] as usize;
        let size = required.len() / values;
        let slice = |x: usize| x * size..(x + 1) * size;
        let in_all: Vec<bool> = (0..size)
            .map(|i| (0..values).all(|x| allowed[x * size + i]))
            .collect();
        let mut covered = vec![false; required.len()];
        let mut left: Vec<Vec<bool>> = Vec::with_capacity(values);
        for x in 0..values {
            let own = required[slice(x)].iter().zip(&in_all);
            left.push(own.map(|(&required, &all)| required && !all).collect());
        }
        for x in 0..values {
            let is_same =
                |y: &usize| left[*y] == left[x] && allowed[slice(*y)] == allowed[slice(x)];
            if (0..x).any(|y| is_same(&y)) {
                continue;
            }
            let group: Vec<usize> = (x..values).filter(is_same).collect();
            self.path
                .push((at, group.iter().map(|&y| y as u32).collect()));
            let found = self.cover(&left[x].clone(), &allowed[slice(x)], at + 1);
            self.path.pop();
            for y in group {
                covered[slice(y)].copy_from_slice(&found);
            }
        }
        let mut rest = vec![false; size];
        for (i, rest) in rest.iter_mut().enumerate() {
            *rest = (0..values).any(|x| required[x * size + i] && !covered[x * size + i]);
        }
        let found = self.cover(&rest, &in_all, at + 1);
        for x in 0..values {
            for (covered, found) in covered[slice(x)].iter_mut().zip(&found) {
                *covered |= found;
            }
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use figrs_factor::graph::Assignments;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn cubes_cover_the_zeros_alone() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for round in 0..400 {
            let cards: Vec<u32> = (0..rng.random_range(0..5))
                .map(|_| rng.random_range(1..4))
                .collect();
            let rows = Assignments::rows(cards.iter().map(|&c| c as usize));
            let share = f64::from(round % 10) / 9.0;
            let zeros: Vec<bool> = (0..rows.count()).map(|_| rng.random_bool(share)).collect();
            let cubes = zero_cover(&zeros, &cards);
            for (number, &zero) in zeros.iter().enumerate() {
                let row: Vec<u32> = rows.values(number).collect();
                let contains =
                    |cube: &Cube| cube.iter().all(|(at, allowed)| allowed.contains(&row[*at]));
                assert_eq!(cubes.iter().any(contains), zero);
            }
        }
    }

    #[test]
    fn a_clause_is_one_cube() {
        let mut zeros = vec![false; 32];
        zeros[13] = true;
        assert_eq!(zero_cover(&zeros, &[2; 5]).len(), 1);
    }
}
