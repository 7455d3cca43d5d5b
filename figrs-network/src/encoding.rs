//! Decodes files in the character encodings that the files declare.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::lexer::LexerError;
use figrs_reading::{Mistake, MistakeKind};

/// Maximum number of bytes at the start of a file in which an XML declaration is searched for.
const DECLARATION: usize = 256;

const DECLARE_UTF_8: &str = "save it as UTF-8, and declare this encoding";

/// Decodes `bytes`, the contents of a file, to text; if a byte is invalid, returns an error with the text that comes before this byte.
///
/// A byte order mark of UTF-16 at the start of a file determines its encoding. Without a byte order mark, the encoding of an XML document is
/// determined by its declaration, and all other files are UTF-8.
pub(super) fn decoded(bytes: Vec<u8>) -> Result<String, (String, LexerError)> {
    let at_start = |problem| (String::new(), LexerError::new(0, problem));
    let encoding = encoding(&bytes).map_err(at_start)?;
    if encoding == UTF_8 {
        return String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let good = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            (good, LexerError::new(valid, undecodable(UTF_8)))
        });
    }
    let (text, has_mistakes) = encoding.decode_with_bom_removal(&bytes);
    if !has_mistakes {
        return Ok(text.into_owned());
    }
    // The decoder replaces invalid bytes by this character.
    let at = text.find('\u{fffd}').unwrap_or(0);
    let mistake = LexerError::new(at, undecodable(encoding));
    Err((text[..at].to_owned(), mistake))
}

/// Returns the error that some bytes do not represent a character in the file's encoding.
pub(super) fn undecodable(encoding: &'static Encoding) -> Mistake {
    if encoding == UTF_8 {
        return Mistake::new(MistakeKind::Encoding, "not UTF-8", "save the file as UTF-8");
    }
    let problem = format!(
        "a character here does not belong to {}, the encoding that the file declares",
        encoding.name()
    );
    Mistake::new(MistakeKind::Encoding, problem, DECLARE_UTF_8)
}

/// Returns the encoding of the file with the contents `bytes`, determined by its byte order mark or its XML declaration.
fn encoding(bytes: &[u8]) -> Result<&'static Encoding, Mistake> {
    match *bytes {
        [0xff, 0xfe, ..] | [b'<', 0, b'?' | b'B' | b's' | b'!', 0, ..] => return Ok(UTF_16LE),
        [0xfe, 0xff, ..] | [0, b'<', 0, b'?' | b'B' | b's' | b'!', ..] => return Ok(UTF_16BE),
        _ => {}
    }
    let Some(label) = declared(bytes) else {
        return Ok(UTF_8);
    };
    let found = Encoding::for_label_no_replacement(label.as_bytes());
    // The declaration was read as one byte for each letter, so the file is not UTF-16: a program saved the file in another encoding, but did not
    // change the declaration.
    let is_two_bytes = |encoding: &Encoding| encoding == UTF_16LE || encoding == UTF_16BE;
    match found {
        Some(encoding) if !is_two_bytes(encoding) => Ok(encoding),
        _ if bytes.is_ascii() => Ok(UTF_8),
        _ => {
            let problem = format!(
                "the file declares the encoding `{label}`, which is unknown or is not the encoding of the file"
            );
            Err(Mistake::new(MistakeKind::Encoding, problem, DECLARE_UTF_8))
        }
    }
}

/// Returns the encoding that the XML document `bytes` declares; `None` if the document does not declare an encoding.
fn declared(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes[..bytes.len().min(DECLARATION)].trim_ascii_start();
    let declaration = start.strip_prefix(b"<?xml")?;
    let end = declaration.windows(2).position(|pair| pair == b"?>")?;
    let declaration = String::from_utf8_lossy(&declaration[..end]);
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (label, _) = rest[1..].split_once(quote)?;
    Some(label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn texts_are_read_in_the_encoding_that_they_mark_or_declare() {
        let document =
            |label| format!("<?xml version='1.0' encoding = \"{label}\"?>\n<BIF>Größe €");
        let wide = document("UTF-16");
        for bytes in [
            utf_16(&wide, u16::to_le_bytes),
            utf_16(&wide, u16::to_be_bytes),
            utf_16(&format!("\u{feff}{wide}"), u16::to_be_bytes),
        ] {
            assert_eq!(decoded(bytes).unwrap(), wide);
        }
        for (label, letters) in [
            ("ISO-8859-1", &b"Gr\xf6\xdfe \x80"[..]),
            ("windows-1252", b"Gr\xf6\xdfe \x80"),
            ("ISO-8859-15", b"Gr\xf6\xdfe \xa4"),
            ("utf-8", "Größe €".as_bytes()),
        ] {
            let text = document(label);
            let (before, _) = text.split_once('G').unwrap();
            assert_eq!(
                decoded([before.as_bytes(), letters].concat()).unwrap(),
                text
            );
        }
        // A byte order mark of UTF-16 determines the encoding of files that are not XML, too.
        let marked = utf_16("\u{feff}network größe", u16::to_le_bytes);
        assert_eq!(decoded(marked).unwrap(), "network größe");
    }

    #[test]
    fn other_bytes_are_errors_that_name_the_encoding_and_the_remedy() {
        let decoded = |bytes: &[u8]| {
            let (text, mistake) = decoded(bytes.to_vec()).unwrap_err();
            mistake.within(&text, "file").to_string()
        };
        for (bytes, expected) in [
            (
                &b"network\n  \xb5"[..],
                "file:2:3: not UTF-8; save the file as UTF-8",
            ),
            (
                b"<?xml version='1.0' encoding='klingon'?><BIF>\xff",
                "file:1:1: the file declares the encoding `klingon`, which is unknown or is not the encoding of the file; save it as UTF-8, and declare this encoding",
            ),
            (
                b"<?xml version='1.0' encoding='utf-16'?><BIF>\xc3\xb6",
                "file:1:1: the file declares the encoding `utf-16`, which is unknown",
            ),
            (
                b"<?xml version='1.0' encoding='shift_jis'?><BIF>\xff",
                "file:1:48: a character here does not belong to Shift_JIS, the encoding that the file declares; save it as UTF-8",
            ),
        ] {
            let found = decoded(bytes);
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
