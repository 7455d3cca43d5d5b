//! Maps whose keys are the identities of elements.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::node::ElementId;

/// A hash map from elements to values.
///
/// The identity of an element is its address, and elements that are created one after another have addresses near each other. The map stores elements
/// with neighbouring addresses near each other, so that the processor's cache has most entries if elements are visited in the order of their
/// creation.
pub type ElementMap<T> = HashMap<ElementId, T, BuildHasherDefault<ElementHasher>>;

/// Base-2 logarithm of the alignment of the addresses of elements.
const ALIGNMENT: u32 = 4;

/// Base-2 logarithm of the number of aligned addresses in one block of memory. The hash function scatters blocks of memory over the hash map.
const BLOCK: u32 = 11;

/// An odd number for multiplicative hashing: 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hasher of [`ElementMap`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ElementHasher(u64);

impl Hasher for ElementHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(usize::from(byte) << ALIGNMENT);
        }
    }

    #[inline]
    fn write_usize(&mut self, address: usize) {
        let place = self.0.wrapping_add(address as u64) >> ALIGNMENT;
        let block = (place >> BLOCK).wrapping_mul(GOLDEN).rotate_left(32);
        // The map uses the lowest bits as the place of an entry, and the seven highest bits to tell entries at near places apart.
        self.0 = block.wrapping_add(place) ^ (place << 57);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, BuildHasherDefault};

    use super::ElementHasher;

    /// The hash function must give addresses at regular distances different places in a hash table, and neighbouring addresses places near each
    /// other.
    #[test]
    fn regular_addresses_get_different_places() {
        let hash =
            |address: usize| BuildHasherDefault::<ElementHasher>::default().hash_one(address);
        for stride in [48, 64, 144, 1456, 4096, 1 << 16, 3 << 20] {
            let count = 1 << 16;
            let places =
                (0..count).map(|i| hash(0x7f00_0000_0000 + i * stride) % (2 * count as u64));
            let distinct: HashSet<u64> = places.collect();
            assert!(distinct.len() > count / 2, "{stride}: {}", distinct.len());
        }
        let apart = |i: &usize| hash(160 * (i + 1)).wrapping_sub(hash(160 * i)) & 0xffff;
        let near = (0..100).filter(|i| apart(i) == 10);
        assert!(near.count() > 90);
    }
}
