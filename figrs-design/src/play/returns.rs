//! Returns of a player from later columns into the columns read so far, each with the crossings into the next column that become possible after it.

use super::exploration::Crossings;

/// A way in which a player can return from the right into the last column read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReturnWay {
    /// Index of the place (the row and the number of passed areas) at which the player enters the column.
    pub(super) place: u32,
    /// Index of the arrival, which is the way in which the player enters the column.
    pub(super) arrival: u16,
    pub(super) wins: bool,
}

/// The possible returns of a player into the last column, in ascending order; each is stored with the additional ways to enter the next column after
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Returns {
    ways: Vec<ReturnWay>,
    /// For each return, the additional arrivals (ways to enter the next column) as a bit set; all bit sets have the same number of machine words. The
    /// additional arrivals of all returns are in a single list, because allocating a separate list for each return took most of the time.
    crossings: Crossings,
}

impl ReturnWay {
    fn key(self) -> (u32, u16) {
        (self.place, self.arrival)
    }
}

impl Returns {
    fn words(&self) -> usize {
        self.crossings.len() / self.ways.len().max(1)
    }

    fn crossings_of(&self, index: usize) -> &[u64] {
        let words = self.words();
        &self.crossings[index * words..(index + 1) * words]
    }

    /// Returns the additional ways to enter the next column after a return to `place` by `arrival`; `None` if the return leads neither to such ways
    /// nor to a goal.
    pub(super) fn find(&self, place: u32, arrival: u16) -> Option<(&ReturnWay, &[u64])> {
        let found = self
            .ways
            .binary_search_by_key(&(place, arrival), |way| way.key());
        let index = found.ok()?;
        Some((&self.ways[index], self.crossings_of(index)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&ReturnWay, &[u64])> {
        let ways = self.ways.iter().enumerate();
        ways.map(|(index, way)| (way, self.crossings_of(index)))
    }

    pub(super) fn push(&mut self, way: ReturnWay, crossings: impl Iterator<Item = u64>) {
        self.ways.push(way);
        self.crossings.extend(crossings);
    }

    pub(super) fn sorted(self) -> Self {
        let mut order: Vec<usize> = (0..self.ways.len()).collect();
        order.sort_unstable_by_key(|&index| self.ways[index].key());
        let mut crossings = Vec::with_capacity(self.crossings.len());
        for &index in &order {
            crossings.extend_from_slice(self.crossings_of(index));
        }
        Self {
            ways: order.into_iter().map(|index| self.ways[index]).collect(),
            crossings,
        }
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&ReturnWay) -> bool) {
        let mut kept = Self::default();
        for (way, crossings) in self.iter().filter(|(way, _)| is_kept(way)) {
            kept.push(*way, crossings.iter().copied());
        }
        *self = kept;
    }

    pub(super) fn for_each_crossings(&mut self, change: impl Fn(&mut [u64])) {
        let words = self.words().max(1);
        self.crossings.chunks_mut(words).for_each(change);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&self.ways[..]) + size_of_val(&self.crossings[..])
    }
}
