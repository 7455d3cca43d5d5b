//! Finds minimal sets of contradictory demands (requirements on a level), and the first column at which these demands contradict each other. Trial
//! runs test whether any level meets some of the demands; a trial run may remain undecided.

use std::ops::RangeInclusive;

use figrs_infer::minimal_conflict::minimal_conflict;
pub(super) use figrs_infer::minimal_conflict::{Core, Trial};

/// Returns a minimal contradictory subset of the contradictory demands `set`: leaves out one demand after another, beginning with the last ones. The
/// indices in `set` are in ascending order, and so are the indices that `trial` receives.
pub(super) fn minimal(set: &[usize], mut trial: impl FnMut(&[usize]) -> Trial) -> Core {
    let reversed = |set: &[usize]| set.iter().rev().copied().collect::<Vec<_>>();
    let core = minimal_conflict(reversed(set), 1, |rest| Some(trial(&reversed(rest))));
    Core {
        members: reversed(&core.members),
        ..core
    }
}

/// Returns the first column up to which no level can meet the demands; no level may meet the demands in all columns together. If a trial run remains
/// undecided, returns a range of columns that contains the first column at which levels can no longer meet the demands.
///
/// The function `trial` receives the index of the last column to examine. The search for the first contradictory column doubles the number of columns
/// until a trial run finds that no level meets the demands, and then bisects. Because of the doubling, the work of the search is only a few times
/// that of a trial run up to the returned column.
pub(super) fn first_column(
    width: usize,
    mut trial: impl FnMut(usize) -> Trial,
) -> RangeInclusive<usize> {
    // Some level meets the demands up to any column below `low`, and no level meets them up to the column `high`.
    let (mut low, mut high) = (0, width.saturating_sub(1));
    let mut is_doubled = true;
    while low < high {
        let middle = low.midpoint(high);
        let tried = if is_doubled {
            (2 * low).min(middle)
        } else {
            middle
        };
        match trial(tried) {
            Trial::Impossible => (high, is_doubled) = (tried, false),
            Trial::Possible => low = tried + 1,
            Trial::Unknown => break,
        }
    }
    low..=high
}

pub(super) fn combinations(
    of: &[usize],
    number: usize,
) -> Box<dyn Iterator<Item = Vec<usize>> + '_> {
    if number == 0 {
        return Box::new(std::iter::once(Vec::new()));
    }
    let firsts = of.iter().enumerate();
    Box::new(firsts.flat_map(move |(place, &first)| {
        let rest = combinations(&of[place + 1..], number - 1);
        rest.map(move |rest| [vec![first], rest].concat())
    }))
}

#[cfg(test)]
mod tests {
    use super::{Trial, combinations, first_column, minimal};

    #[test]
    fn the_last_demands_are_left_out_first() {
        let core = minimal(&[1, 2, 4, 7], |set| {
            assert!(set.is_sorted());
            Trial::decided(
                ![[1, 4], [2, 7]]
                    .iter()
                    .any(|pair| pair.iter().all(|one| set.contains(one))),
            )
        });
        assert_eq!((core.members, core.is_minimal), (vec![1, 4], true));
    }

    #[test]
    fn the_first_column_is_found_by_trials_of_few_columns() {
        for width in [1, 2, 3, 17, 20_000] {
            for first in [0, 1, 2, 5, 16, 199, 19_999] {
                if first >= width {
                    continue;
                }
                let mut work = 0;
                let found = first_column(width, |last| {
                    work += last + 1;
                    Trial::decided(last < first)
                });
                assert_eq!(found, first..=first, "of {width}");
                let doubled = usize::BITS - first.leading_zeros() + 2;
                assert!(work <= 2 * (first + 2) * doubled as usize, "{work}");
            }
        }
    }

    #[test]
    fn columns_are_a_range_where_a_trial_remains_open() {
        let found = |most: usize| {
            first_column(1000, |last| match last {
                last if last > most => Trial::Unknown,
                last => Trial::decided(last < 300),
            })
        };
        assert_eq!(found(999), 300..=300);
        let some = found(400);
        assert!(some.contains(&300) && *some.end() == 999, "{some:?}");
        assert_eq!(found(0), 1..=999);
    }

    #[test]
    fn combinations_are_all_sets_of_a_size() {
        let sets: Vec<Vec<usize>> = combinations(&[3, 5, 7, 9], 2).collect();
        let expected = [[3, 5], [3, 7], [3, 9], [5, 7], [5, 9], [7, 9]];
        assert_eq!(sets, expected);
        assert_eq!(combinations(&[3, 5, 7, 9], 3).count(), 4);
        assert_eq!(combinations(&[3], 2).count(), 0);
    }
}
