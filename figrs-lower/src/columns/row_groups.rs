//! Groups of the worlds (rows) of a block.

use std::borrow::Cow;

use super::selection::{Selection, for_each_row};

/// Groups of worlds, in the order of their first worlds.
#[derive(Debug)]
pub(super) enum RowGroups {
    /// Each group is stored as a mask of its worlds.
    Masks(Vec<Vec<u64>>),
    /// Each world has the index of its group.
    Rows(Vec<u32>),
}

impl RowGroups {
    pub(super) fn numbers(&self, rows: &Selection) -> Cow<'_, [u32]> {
        match self {
            Self::Rows(numbers) => Cow::Borrowed(numbers),
            Self::Masks(masks) => {
                let mut by_row = vec![0; rows.width()];
                for (group, mask) in masks.iter().enumerate() {
                    for_each_row(mask, |row| by_row[row] = group as u32);
                }
                rows.rows()
                    .iter()
                    .map(|&row| by_row[row as usize])
                    .collect()
            }
        }
    }

    pub(super) fn sizes(&self, count: usize) -> Vec<usize> {
        match self {
            Self::Masks(masks) => {
                let ones = |mask: &Vec<u64>| mask.iter().map(|word| word.count_ones()).sum::<u32>();
                masks.iter().map(|mask| ones(mask) as usize).collect()
            }
            Self::Rows(numbers) => {
                let mut sizes = vec![0; count];
                for &group in numbers {
                    sizes[group as usize] += 1;
                }
                sizes
            }
        }
    }

    /// Returns the worlds of each group; `None` for the groups that are marked in `few`. The second result lists the worlds of the marked groups in
    /// ascending order, each with its group.
    pub(super) fn split_rare(
        &self,
        rows: &Selection,
        few: &[bool],
    ) -> (Vec<Option<Selection>>, Vec<(u32, u32)>) {
        let mut rest = Vec::new();
        let many = match self {
            Self::Masks(masks) => {
                let selected = masks
                    .iter()
                    .zip(few)
                    .enumerate()
                    .map(|(group, (mask, few))| {
                        if *few {
                            for_each_row(mask, |row| rest.push((row as u32, group as u32)));
                            return None;
                        }
                        Some(Selection::from_mask(mask.clone(), rows.width()))
                    });
                selected.collect()
            }
            Self::Rows(numbers) => {
                let mut lists = vec![Vec::new(); few.len()];
                for (&row, &group) in rows.rows().iter().zip(numbers) {
                    if few[group as usize] {
                        rest.push((row, group));
                    } else {
                        lists[group as usize].push(row);
                    }
                }
                let lists = lists.into_iter().zip(few);
                let selection = |list| Selection::from_rows(list, rows.width());
                lists
                    .map(|(list, few)| (!few).then(|| selection(list)))
                    .collect()
            }
        };
        rest.sort_unstable();
        (many, rest)
    }

    pub(super) fn selections(&self, rows: &Selection, count: usize) -> Vec<Selection> {
        if let (Self::Rows(_), 1) = (self, count) {
            return vec![rows.clone()];
        }
        let (all, _) = self.split_rare(rows, &vec![false; count]);
        all.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_parted_alike_by_masks_and_by_rows() {
        let width = 130;
        let rows = Selection::from_rows(
            (0..width as u32).filter(|row| row % 5 != 1).collect(),
            width,
        );
        let group = |row: u32| {
            if row < 3 {
                2
            } else {
                u32::from(row.is_multiple_of(7))
            }
        };
        let numbers: Vec<u32> = rows.rows().iter().map(|&row| group(row)).collect();
        let masks = (0..3).map(|of| {
            let all = rows.rows().iter().filter(|&&row| group(row) == of);
            Selection::from_rows(all.copied().collect(), width)
                .mask()
                .to_vec()
        });
        let both = [RowGroups::Masks(masks.collect()), RowGroups::Rows(numbers)];
        let sizes = both.each_ref().map(|groups| groups.sizes(3));
        assert_eq!(sizes[0], sizes[1]);
        assert_eq!(sizes[0].iter().sum::<usize>(), rows.len());
        for few in [[false, true, true], [false; 3], [true; 3]] {
            let [(many, rest), (others, other_rest)] =
                both.each_ref().map(|g| g.split_rare(&rows, &few));
            let lists = |all: &[Option<Selection>]| -> Vec<Option<Vec<u32>>> {
                all.iter()
                    .map(|one| one.as_ref().map(|one| one.rows().to_vec()))
                    .collect()
            };
            assert_eq!((lists(&many), &rest), (lists(&others), &other_rest));
            assert!(rest.is_sorted() && rest.iter().all(|&(row, of)| group(row) == of));
            let parted = many.iter().flatten().map(Selection::len).sum::<usize>() + rest.len();
            assert_eq!(parted, rows.len());
        }
    }
}
