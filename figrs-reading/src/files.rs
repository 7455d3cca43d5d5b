//! Reads files up to a limit on their size.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Maximum number of bytes of a file with rules, clues, tiles, evidence or a trained Markov chain.
pub const MOST_BYTES: u64 = 64 << 20;

/// Maximum number of bytes of a file with a network or evidence about a network. The limit on network files is large because networks of competitions
/// have tens of millions of bytes.
pub const MOST_NETWORK_BYTES: u64 = 256 << 20;

/// Reads the bytes of a file. A file with more than `most` bytes is refused before memory is allocated. If the size of the file is unknown, as for a
/// device, the file is refused after more than `most` bytes were read.
///
/// **Errors.** The errors of reading the file; [`ErrorKind::FileTooLarge`] if the file has too many bytes.
pub fn read_limited(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let message = file.metadata()?.len();
    if message > most {
        return Err(too_large(most));
    }
    read_to_limit(file, Vec::with_capacity(message as usize), most)
}

/// Reads the bytes of a stream, such as the standard input; a stream with more than `most` bytes is refused.
///
/// **Errors.** The errors of reading the stream; [`ErrorKind::FileTooLarge`] if the stream has too many bytes.
pub fn read_stream_limited(stream: impl Read, most: u64) -> Result<Vec<u8>> {
    read_to_limit(stream, Vec::new(), most)
}

fn read_to_limit(stream: impl Read, mut bytes: Vec<u8>, most: u64) -> Result<Vec<u8>> {
    stream.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

fn too_large(most: u64) -> Error {
    let message = match (most >> 20, most) {
        (0, bytes) => format!("{bytes} bytes"),
        (mebibytes, _) => format!("{mebibytes} MiB"),
    };
    let message = format!("it is longer than {message}, which is the maximum for such a file");
    Error::new(ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() -> Result<()> {
        let directory = std::env::temp_dir().join(format!("figrs-reading-{}", std::process::id()));
        std::fs::create_dir_all(&directory)?;
        let path = directory.join("five");
        std::fs::write(&path, "12345")?;
        assert_eq!(read_limited(&path, 5)?, b"12345");
        let error = read_limited(&path, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("longer than 4 bytes"), "{error}");
        assert_eq!(read_stream_limited(&b"12345"[..], 5)?, b"12345");
        let error = read_stream_limited(&b"12345"[..], 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        // A sparse file has a size, but takes no space on the disk.
        let holes = File::create(&path)?;
        holes.set_len(1 << 40)?;
        let error = read_limited(&path, MOST_BYTES).unwrap_err();
        assert!(error.to_string().contains("longer than 64 MiB"), "{error}");
        assert!(read_limited(directory.join("none"), 4).is_err());
        std::fs::remove_dir_all(directory)?;
        let endless = Path::new("/dev/zero");
        if endless.exists() {
            let error = read_limited(endless, 1000).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        }
        Ok(())
    }
}
