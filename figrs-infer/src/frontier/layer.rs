//! One step of a frontier: a random choice, and what follows from it.

/// Small numbers in as little space as the largest of them needs.
#[derive(Debug)]
pub(super) enum Numbers {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl Numbers {
    #[inline]
    pub(super) fn push(&mut self, number: u32) {
        match self {
            Self::Bytes(numbers) => {
                if let Ok(number) = u8::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Halves(numbers.iter().copied().map(u16::from).collect());
                self.push(number);
            }
            Self::Halves(numbers) => {
                if let Ok(number) = u16::try_from(number) {
                    return numbers.push(number);
                }
                *self = Self::Words(numbers.iter().copied().map(u32::from).collect());
                self.push(number);
            }
            Self::Words(numbers) => numbers.push(number),
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u32 {
        match self {
            Self::Bytes(numbers) => u32::from(numbers[at]),
            Self::Halves(numbers) => u32::from(numbers[at]),
            Self::Words(numbers) => numbers[at],
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => numbers.len(),
            Self::Words(numbers) => numbers.len(),
        }
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        (0..self.len()).any(|at| self.get(at) == number)
    }

    fn append(&mut self, others: &Self) {
        for at in 0..others.len() {
            self.push(others.get(at));
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Halves(numbers) => 2 * numbers.len(),
            Self::Words(numbers) => 4 * numbers.len(),
        }
    }

    fn shrink(&mut self) {
        match self {
            Self::Bytes(numbers) => numbers.shrink_to_fit(),
            Self::Halves(numbers) => numbers.shrink_to_fit(),
            Self::Words(numbers) => numbers.shrink_to_fit(),
        }
    }
}

/// The transitions from the states of one frontier to those of the next.
#[derive(Debug)]
pub(super) struct Layer {
    /// Where the transitions from each state start, and where the last ones end.
    starts: Vec<u32>,
    /// The state that each transition leads to.
    pub(super) targets: Vec<u32>,
    /// The number of the weight of each transition.
    pub(super) weights: Numbers,
    /// For each value that is reported its number, by transition.
    pub(super) reports: Vec<Numbers>,
}

impl Layer {
    /// No transitions yet, with room for the numbers of some values.
    pub(super) fn new(reported: usize) -> Self {
        Self {
            starts: vec![0],
            targets: Vec::new(),
            weights: Numbers::default(),
            reports: (0..reported).map(|_| Numbers::default()).collect(),
        }
    }

    /// The transitions from a state.
    #[inline]
    pub(super) fn from(&self, state: usize) -> std::ops::Range<usize> {
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    /// Ends the transitions of a state: those pushed from now on start from the next.
    #[inline]
    pub(super) fn end_state(&mut self) {
        self.starts.push(self.targets.len() as u32);
    }

    /// Adds transitions from further states.
    pub(super) fn append(&mut self, further: &Self) {
        let before = self.targets.len() as u32;
        self.starts
            .extend(further.starts[1..].iter().map(|&start| before + start));
        self.targets.extend_from_slice(&further.targets);
        self.weights.append(&further.weights);
        for (report, further) in self.reports.iter_mut().zip(&further.reports) {
            report.append(further);
        }
    }

    pub(super) fn shrink(&mut self) {
        self.starts.shrink_to_fit();
        self.targets.shrink_to_fit();
        self.weights.shrink();
        self.reports.iter_mut().for_each(Numbers::shrink);
    }

    pub(super) fn bytes(&self) -> usize {
        let reports: usize = self.reports.iter().map(Numbers::bytes).sum();
        4 * (self.starts.len() + self.targets.len()) + self.weights.bytes() + reports
    }
}
