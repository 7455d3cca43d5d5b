//! Standard output without control characters from files and flags.

use std::fmt::Write as _;
use std::io::{self, StdoutLock, Write};

use figrs_core::printable;

/// A writer that replaces characters which control a terminal or hide other characters by escapes such as `\u001b`, which are valid in JSON. The
/// writer keeps line breaks and bytes that are not text.
#[derive(Debug)]
pub struct Printed<W> {
    out: W,
    /// The first bytes of a character whose remaining bytes have not been written yet.
    begun: Vec<u8>,
}

/// Returns the standard output for text and JSON.
pub fn standard_output() -> Printed<StdoutLock<'static>> {
    Printed::new(io::stdout().lock())
}

/// Returns a text of several lines in which each line has been converted by [`printable`].
pub(crate) fn printable_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

impl<W: Write> Printed<W> {
    /// Creates a writer that passes its text on to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            begun: Vec::new(),
        }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        let mut escaped = String::new();
        for symbol in text.chars() {
            let is_kept = symbol == '\n' || symbol == '\t' || {
                let mut bytes = [0; 4];
                let one = &*symbol.encode_utf8(&mut bytes);
                printable(one) == one
            };
            if is_kept {
                escaped.push(symbol);
            } else {
                // A text accepts everything that is written to it.
                let _ = write!(escaped, "\\u{:04x}", u32::from(symbol));
            }
        }
        self.out.write_all(escaped.as_bytes())
    }
}

impl<W: Write> Write for Printed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |&byte: &u8| (b' '..0x7f).contains(&byte) || byte == b'\n';
        if self.begun.is_empty() && bytes.iter().all(is_plain) {
            return self.out.write(bytes);
        }
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (text, error) = match std::str::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => {
                    let text = std::str::from_utf8(&rest[..error.valid_up_to()]);
                    (text.unwrap_or_default(), Some(error.error_len()))
                }
            };
            self.put(text)?;
            rest = &rest[text.len()..];
            match error {
                None => {}
                Some(None) => {
                    self.begun = rest.to_vec();
                    break;
                }
                Some(Some(wrong)) => {
                    self.out.write_all(&rest[..wrong])?;
                    rest = &rest[wrong..];
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_commands_a_terminal() {
        let text = "plain ä 雨\n\u{1b}[31m\u{9b}2J\u{202e}\u{7f}\r\0 end\n";
        let escaped = "plain ä 雨\n\\u001b[31m\\u009b2J\\u202e\\u007f\\u000d\\u0000 end\n";
        // The result is the same however the bytes are divided.
        for step in [1, 2, 3, 7, 100] {
            let mut printed = Printed::new(Vec::new());
            for piece in text.as_bytes().chunks(step) {
                printed.write_all(piece).unwrap();
            }
            assert_eq!(String::from_utf8(printed.out).unwrap(), escaped, "{step}");
        }
        let json = serde_json::json!({"\u{9b}": "\u{1b}\u{2028}\n"});
        let mut printed = Printed::new(Vec::new());
        serde_json::to_writer(&mut printed, &json).unwrap();
        assert!(printed.out.is_ascii());
        let read: serde_json::Value = serde_json::from_slice(&printed.out).unwrap();
        assert_eq!(read, json);
        let mut printed = Printed::new(Vec::new());
        printed.write_all(b"\xff\xfea\x1b").unwrap();
        assert_eq!(printed.out, b"\xff\xfea\\u001b");
        assert_eq!(printable_lines("a\u{1b}\nb"), "a\\u{1b}\nb");
    }
}
