//! Finds minimal sets of demands that exclude each other, and the first column at which they do, by trials that may remain undecided.

use std::ops::RangeInclusive;

/// Result of trying to meet some demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    Possible,
    Impossible,
    /// Work, time or memory did not suffice to decide.
    Unknown,
}

/// A subset of demands that exclude each other, and whether the conflict is known to need each of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Core {
    pub(super) members: Vec<usize>,
    pub(super) is_minimal: bool,
}

/// Returns a subset of `set` that is also impossible: demands are left out one after another, the last ones first, while the rest stays
/// impossible. There are as many trials as demands in `set`. The subset is minimal (none of its subsets is impossible, though a smaller set may be)
/// unless a trial that matters remained undecided.
pub(super) fn minimal(set: &[usize], mut trial: impl FnMut(&[usize]) -> Trial) -> Core {
    let mut members = set.to_vec();
    let mut is_minimal = true;
    for &other in set.iter().rev() {
        let rest: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&one| one != other)
            .collect();
        match trial(&rest) {
            Trial::Impossible => members = rest,
            Trial::Possible => {}
            Trial::Unknown => is_minimal = false,
        }
    }
    Core {
        members,
        is_minimal,
    }
}

/// Returns the first column up to which the demands are impossible, if they are impossible up to the last column; a range of columns if a trial
/// remained undecided.
///
/// `trial` takes the last column to look at. The search doubles and then halves the number of columns, so that trials take a few times the work of the
/// columns up to the first impossible one, however many follow.
pub(super) fn first_column(
    width: usize,
    mut trial: impl FnMut(usize) -> Trial,
) -> RangeInclusive<usize> {
    // It is possible below `low`, and impossible at `high`.
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

/// Returns all sets of `number` of the given numbers, in lexicographic order.
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
    use super::{Core, Trial, combinations, first_column, minimal};

    fn impossible_if(is_impossible: bool) -> Trial {
        if is_impossible {
            Trial::Impossible
        } else {
            Trial::Possible
        }
    }

    #[test]
    fn members_that_are_not_needed_are_left_out() {
        let with = |needed: &'static [usize]| {
            minimal(&[1, 2, 4, 7, 9], |set| {
                impossible_if(needed.iter().all(|one| set.contains(one)))
            })
        };
        for needed in [&[][..], &[1], &[9], &[2, 7], &[1, 2, 4, 7, 9]] {
            let members = needed.to_vec();
            let is_minimal = true;
            assert_eq!(
                with(needed),
                Core {
                    members,
                    is_minimal
                }
            );
        }
    }

    #[test]
    fn sets_are_not_called_minimal_where_a_trial_remains_open() {
        let mut left = 3;
        let core = minimal(&[1, 2, 4, 7, 9], |set| {
            if left == 0 {
                return Trial::Unknown;
            }
            left -= 1;
            impossible_if(set.contains(&2) && set.contains(&7))
        });
        let members = vec![1, 2, 7];
        let is_minimal = false;
        assert_eq!(
            core,
            Core {
                members,
                is_minimal
            }
        );
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
                    impossible_if(last >= first)
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
                last => impossible_if(last >= 300),
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
