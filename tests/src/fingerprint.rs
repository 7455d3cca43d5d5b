//! Short fingerprints of long outputs, for tests that fix the results of a seed.

/// Returns the 64-bit FNV-1a hash of a text.
pub fn fingerprint(text: &str) -> u64 {
    let absorb = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, absorb)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    /// The expected values are those of the reference implementation (Fowler, Noll, Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>).
    #[test]
    fn hashes_are_those_of_fnv() {
        assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
    }
}
