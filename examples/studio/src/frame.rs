//! Messages between the server and its worker, over the pipes of the worker.

use std::io::{self, Read, Write};

/// Maximum number of bytes of a message from the worker; a larger number shows that the pipe does not contain a message.
const MOST: u64 = 1 << 32;

/// A message between the server and its worker: the number of a request, a kind or status, and a text.
#[derive(Debug)]
pub(crate) struct Frame<B> {
    pub(crate) number: u64,
    pub(crate) kind: u16,
    pub(crate) text: B,
}

impl<B: AsRef<[u8]>> Frame<B> {
    pub(crate) fn write(&self, pipe: &mut impl Write) -> io::Result<()> {
        let text = self.text.as_ref();
        pipe.write_all(&self.number.to_le_bytes())?;
        pipe.write_all(&self.kind.to_le_bytes())?;
        pipe.write_all(&(text.len() as u64).to_le_bytes())?;
        pipe.write_all(text)?;
        pipe.flush()
    }
}

impl Frame<Vec<u8>> {
    /// Reads the next message from the pipe; at the end of the pipe, returns an error.
    pub(crate) fn read(pipe: &mut impl Read) -> io::Result<Self> {
        let (mut number, mut kind, mut length) = ([0; 8], [0; 2], [0; 8]);
        pipe.read_exact(&mut number)?;
        pipe.read_exact(&mut kind)?;
        pipe.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut text = Vec::new();
        pipe.take(length).read_to_end(&mut text)?;
        if (text.len() as u64) < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self {
            number: u64::from_le_bytes(number),
            kind: u16::from_le_bytes(kind),
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let mut pipe = Vec::new();
        for (number, kind, text) in [(7, 200, "{}"), (u64::MAX, 3, "")] {
            let frame = Frame { number, kind, text };
            frame.write(&mut pipe).unwrap();
        }
        let mut rest = &pipe[..];
        let first = Frame::read(&mut rest).unwrap();
        assert_eq!((first.number, first.kind), (7, 200));
        assert_eq!(first.text, b"{}");
        let second = Frame::read(&mut rest).unwrap();
        assert_eq!((second.number, second.kind), (u64::MAX, 3));
        assert!(Frame::read(&mut rest).is_err());
        assert!(Frame::read(&mut &pipe[..17]).is_err());
    }
}
