//! Minimal conflicts: subsets of contradictory statements that become possible when any one statement is removed. The search for minimal conflicts
//! makes trial runs, which test whether the statements of a subset can all be true; a trial run may remain undecided.

/// Result of a trial run, which tests whether some statements can all be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The statements can all be true.
    Possible,
    /// The statements cannot all be true.
    Impossible,
    /// The work, time or memory for the trial run did not suffice to decide whether the statements can all be true.
    Unknown,
}

impl Trial {
    /// Creates the result of a trial run that decided whether the statements can all be true.
    pub fn decided(is_possible: bool) -> Self {
        if is_possible {
            Self::Possible
        } else {
            Self::Impossible
        }
    }
}

/// A conflict: statements that cannot all be true, in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Indices of the conflicting statements.
    pub members: Vec<usize>,
    /// True if trial runs proved, for each conflicting statement, that the other conflicting statements can all be true.
    pub is_minimal: bool,
}

/// Returns a subset of the contradictory `statements` that is itself contradictory.
///
/// In its first pass, the search tries to remove groups of `at_once` neighbouring statements; a group is removed only if the remaining statements are
/// still contradictory. In the search for a minimal conflict, the groups of statements of each later pass are half as large, down to single
/// statements. `trial` tests the statements that remain, and returns `None` to end the search early.
///
/// **Guarantee.** If the given statements are impossible, the trial runs prove that the returned subset is impossible. The subset is minimal (none of
/// its proper subsets is impossible) if the search was not ended early, and if all trial runs of the subset without one of its statements were
/// decided.
///
/// **Complexity.** If `at_once` is 1, the search takes one trial run for each statement. If `at_once` is half of the `n` statements, the search takes
/// about `k log n` trial runs for a conflict of `k` statements, as `QuickXplain` does.
///
/// **References.** Junker, "`QuickXplain`: Preferred Explanations and Relaxations for Over-Constrained Problems", AAAI 2004.
pub fn minimal_conflict(
    statements: Vec<usize>,
    at_once: usize,
    mut trial: impl FnMut(&[usize]) -> Option<Trial>,
) -> Core {
    let mut members = statements;
    let mut is_minimal = true;
    let mut chunk = at_once;
    while chunk > 0 {
        let mut start = 0;
        while start < members.len() {
            let end = (start + chunk).min(members.len());
            let rest = [&members[..start], &members[end..]].concat();
            match trial(&rest) {
                None => {
                    let is_minimal = false;
                    return Core {
                        members,
                        is_minimal,
                    };
                }
                Some(Trial::Impossible) => members = rest,
                Some(decided) => {
                    is_minimal &= chunk > 1 || decided == Trial::Possible;
                    start += chunk;
                }
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    Core {
        members,
        is_minimal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_are_not_needed_are_left_out() {
        for needed in [&[][..], &[1], &[9], &[2, 7], &[1, 2, 4, 7, 9]] {
            for at_once in 1..=5 {
                let core = minimal_conflict(vec![1, 2, 4, 7, 9], at_once, |set| {
                    let is_impossible = needed.iter().all(|one| set.contains(one));
                    Some(Trial::decided(!is_impossible))
                });
                let (members, is_minimal) = (needed.to_vec(), true);
                let expected = Core {
                    members,
                    is_minimal,
                };
                assert_eq!(core, expected, "{at_once} at once");
            }
        }
    }

    #[test]
    fn sets_are_not_called_minimal_where_a_trial_remains_open_or_the_search_ends() {
        for is_ended in [false, true] {
            let mut left = 3;
            let core = minimal_conflict(vec![9, 7, 4, 2, 1], 1, |set| {
                if left == 0 {
                    return (!is_ended).then_some(Trial::Unknown);
                }
                left -= 1;
                let is_impossible = set.contains(&2) && set.contains(&7);
                Some(Trial::decided(!is_impossible))
            });
            let (members, is_minimal) = (vec![7, 2, 1], false);
            let expected = Core {
                members,
                is_minimal,
            };
            assert_eq!(core, expected);
        }
    }

    #[test]
    fn a_small_conflict_takes_few_trials() {
        let mut trials = 0;
        let core = minimal_conflict((0..1000).collect(), 500, |set| {
            trials += 1;
            Some(Trial::decided(!(set.contains(&123) && set.contains(&456))))
        });
        assert_eq!(core.members, [123, 456]);
        assert!(trials <= 60, "{trials} trials");
    }
}
