//! One step of a frontier: a random choice, and what follows from it.

/// Small numbers in as little space as they need.
#[derive(Debug)]
pub(super) enum Numbers {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl Numbers {
    pub(super) fn new(numbers: Vec<u32>) -> Self {
        if numbers.iter().all(|&n| n < 256) {
            Self::Bytes(numbers.into_iter().map(|n| n as u8).collect())
        } else {
            Self::Words(numbers)
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u32 {
        match self {
            Self::Bytes(numbers) => u32::from(numbers[at]),
            Self::Words(numbers) => numbers[at],
        }
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        match self {
            Self::Bytes(numbers) => numbers.iter().any(|&n| u32::from(n) == number),
            Self::Words(numbers) => numbers.contains(&number),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Words(numbers) => 4 * numbers.len(),
        }
    }
}

/// The transitions between the states of two neighbouring frontiers.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// Where the transitions from each state start, and where the last ones end.
    pub(super) starts: Vec<u32>,
    /// The state that each transition leads to.
    pub(super) targets: Vec<u32>,
    /// The number of the weight of each transition.
    pub(super) weights: Vec<u32>,
    /// For each value that is reported its number, by transition.
    pub(super) reports: Vec<Numbers>,
    /// How many states transitions lead to.
    pub(super) states: usize,
}

impl Layer {
    /// How many states transitions start from.
    pub(super) fn sources(&self) -> usize {
        self.starts.len() - 1
    }

    /// The transitions from a state.
    #[inline]
    pub(super) fn from(&self, state: usize) -> std::ops::Range<usize> {
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    pub(super) fn bytes(&self) -> usize {
        let reports: usize = self.reports.iter().map(Numbers::bytes).sum();
        4 * (self.starts.len() + self.targets.len() + self.weights.len()) + reports
    }
}
