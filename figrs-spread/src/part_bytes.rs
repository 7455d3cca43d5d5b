//! The format of a part of a run in bytes: a signature, a checksum of the bytes after it, a header, and the results of the part.

use serde::{Deserialize, Serialize};

use super::part_identity::PartIdentity;

/// The first bytes of the file of each part, with the version of the format.
const SIGNATURE: &[u8] = b"figrs part 1\n";
const CHECKSUM_BYTES: usize = 4;
const LENGTH_BYTES: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartHeader {
    pub(crate) identity: PartIdentity,
    /// The number of the part; `None` if the file contains the request of a learning round.
    pub(crate) number: Option<u64>,
}

impl PartHeader {
    /// Returns the first property in which two headers differ: the name of the property, and its two values.
    pub(crate) fn difference(&self, other: &Self) -> Option<[String; 3]> {
        let number = || {
            let message =
                |number: Option<u64>| number.map_or("none".into(), |number| number.to_string());
            let [theirs, ours] = [self.number, other.number].map(message);
            (self.number != other.number).then(|| ["number".into(), theirs, ours])
        };
        self.identity.difference(&other.identity).or_else(number)
    }
}

pub(crate) fn write(header: &PartHeader, contributions: &[u8]) -> postcard::Result<Vec<u8>> {
    let header = postcard::to_stdvec(header)?;
    let mut rest = (header.len() as u32).to_le_bytes().to_vec();
    rest.extend(header);
    rest.extend(contributions);
    let checksum = crc32fast::hash(&rest).to_le_bytes();
    Ok([SIGNATURE, &checksum, &rest].concat())
}

/// The description of the problem if the bytes of a part have changed since they were written.
pub(crate) const DAMAGED: &str = "it is damaged, or not complete";

/// Parses the header and the results from the bytes of a part of a run; an error describes the problem.
pub(crate) fn read(bytes: &[u8]) -> Result<(PartHeader, &[u8]), &'static str> {
    let rest = bytes.strip_prefix(SIGNATURE);
    let rest = rest.ok_or("it does not begin with the header of a part")?;
    let (checksum, rest) = rest.split_at_checked(CHECKSUM_BYTES).ok_or(DAMAGED)?;
    if checksum != crc32fast::hash(rest).to_le_bytes() {
        return Err(DAMAGED);
    }
    let (length, rest) = rest.split_first_chunk::<LENGTH_BYTES>().ok_or(DAMAGED)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (header, contributions) = rest.split_at_checked(length).ok_or(DAMAGED)?;
    let header =
        postcard::from_bytes(header).map_err(|_| "its header belongs to another version")?;
    Ok((header, contributions))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> PartHeader {
        let identity = PartIdentity {
            version: "0.1.0".into(),
            run: "rain".into(),
            place: 0,
            parts: 4,
            units: 100,
            settings: "ImportanceSampling { seed: 1 }".into(),
            pilot: 7,
            round: None,
        };
        PartHeader {
            identity,
            number: Some(3),
        }
    }

    #[test]
    fn a_part_is_read_as_it_was_written() {
        let bytes = write(&header(), b"contributions").unwrap();
        let read = read(&bytes).unwrap();
        assert_eq!(read, (header(), &b"contributions"[..]));
    }

    #[test]
    fn each_changed_missing_or_added_byte_is_noticed() {
        let bytes = write(&header(), b"contributions").unwrap();
        for at in 0..bytes.len() {
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).is_err(), "changed at {at}");
        }
        assert!(read(&[&bytes[..], b"x"].concat()).is_err());
    }
}
