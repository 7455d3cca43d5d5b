//! Shapes: identity of steps apart from the states that they start from.

use rustc_hash::FxHashMap;

use super::plan::Planned;
use super::rules::Rules;

/// Maximum number of shapes that are cached.
const REMEMBERED: usize = 1 << 12;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Content {
    before: Vec<usize>,
    classes: Vec<usize>,
    reads: Vec<Vec<u32>>,
    after: Vec<u32>,
    reported: Vec<u32>,
}

/// A step's shape: steps of one shape do the same from the same states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    number: usize,
    /// `true` if another step may have it.
    pub(super) is_shared: bool,
}

/// The shapes met so far.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    known: FxHashMap<Content, usize>,
    next: usize,
}

impl Shapes {
    /// The shape of a step.
    pub(super) fn of(&mut self, rules: &Rules, planned: &Planned) -> Shape {
        let classes = planned.places.iter().map(|&p| rules.classes.of[p]);
        let classes: Vec<usize> = classes.collect();
        let is_shared = classes.iter().all(|&class| rules.classes.shared[class]);
        let new = self.next;
        let number = if is_shared {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            let content = Content {
                before: planned.before.iter().map(|&p| rules.types[p]).collect(),
                classes,
                reads: planned.reads.clone(),
                after: planned.after.clone(),
                reported: planned.reported.clone(),
            };
            *self.known.entry(content).or_insert(new)
        } else {
            new
        };
        self.next += usize::from(number == new);
        Shape { number, is_shared }
    }
}
