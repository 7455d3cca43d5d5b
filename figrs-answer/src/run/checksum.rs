//! Checksums of data that serde serialises, which detect damage of saved runs and fits.

use std::hash::Hasher;

use figrs_factor::fnv::Fnv;
use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// Returns a checksum of the data that postcard writes for `value`. For numbers with different bits, such as 0 and -0, postcard writes different
/// data.
///
/// **Errors.** A message, if the implementation of `Serialize` returns an error, or if a list or map does not know its length.
pub fn checksum(value: &(impl Serialize + ?Sized)) -> Result<u64, String> {
    let sum = postcard::serialize_with_flavor(value, Hash(Fnv::default()));
    sum.map_err(|error| error.to_string())
}

/// A hash function to which postcard writes data, as if it were a file.
struct Hash(Fnv);

impl Flavor for Hash {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.write_u8(byte);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u64> {
        Ok(self.0.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn all_bits_of_numbers_count() {
        let nan = f64::from_bits(f64::NAN.to_bits() | 1);
        let mut sums = [0.0, -0.0, f64::NAN, -f64::NAN, nan].map(|x| checksum(&x).expect("a sum"));
        sums.sort_unstable();
        assert!(sums.windows(2).all(|pair| pair[0] != pair[1]));
        assert_ne!(checksum(&("a", "bc")), checksum(&("ab", "c")));
    }

    #[test]
    fn values_that_cannot_be_serialised_are_errors() {
        let cell = RefCell::new(1);
        let locked = cell.borrow_mut();
        assert!(checksum(&cell).is_err());
        drop(locked);
        assert!(checksum(&cell).is_ok());
    }
}
