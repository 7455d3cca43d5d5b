//! Determines the format of a network file by its extension or its contents, and calls the reader of this format.

use std::path::Path;

use super::draft::NetworkDraft;
use super::lexer::{LexerResult, unexpected};
use super::xml::XmlReader;
use figrs_reading::{Mistake, MistakeKind};

use super::{NetworkError, NetworkFormat, NetworkReader, bif, bifxml, cnf, net, uai, xdsl};

impl NetworkFormat {
    /// Returns the network format that belongs to the extension of `path`: `.bif`, `.bifxml` or `.xml`, `.cnf`, `.net`, `.uai`, `.xdsl`.
    ///
    /// **Errors.** [`NetworkError::File`] if no network format has the extension of the path.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        let path = path.as_ref();
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("bif") => Ok(Self::Bif),
            Some("bifxml" | "xml") => Ok(Self::Bifxml),
            Some("cnf") => Ok(Self::Cnf),
            Some("net") => Ok(Self::Net),
            Some("uai") => Ok(Self::Uai),
            Some("xdsl") => Ok(Self::Xdsl),
            _ => Err(unknown_extension(
                path,
                "use `.bif`, `.bifxml` or `.xml`, `.cnf`, `.net`, `.uai`, or `.xdsl`",
            )),
        }
    }

    /// Returns the format of the XML document `text`, determined by its first element; `None` if `text` is not an XML
    /// document.
    pub(super) fn of_document(text: &str) -> LexerResult<Option<Self>> {
        if !text.trim_start_matches(is_before_text).starts_with('<') {
            return Ok(None);
        }
        let (_, root) = XmlReader::open(text)?;
        match root.name() {
            "BIF" => Ok(Some(Self::Bifxml)),
            "smile" => Ok(Some(Self::Xdsl)),
            _ => Err(root.unexpected("<BIF> or <smile>")),
        }
    }

    pub(super) fn of_text(text: &str) -> LexerResult<Self> {
        if let Some(format) = Self::of_document(text)? {
            return Ok(format);
        }
        let start = text.trim_start_matches(is_before_text);
        let first = start.split(|c: char| !c.is_ascii_alphabetic()).next();
        match first.unwrap_or_default() {
            "network" | "variable" | "probability" => Ok(Self::Bif),
            "net" | "node" | "discrete" | "continuous" | "decision" | "utility" | "potential"
            | "class" => Ok(Self::Net),
            "c" | "p" => Ok(Self::Cnf),
            word if ["BAYES", "MARKOV"].contains(&&*word.to_ascii_uppercase()) => Ok(Self::Uai),
            _ if start.starts_with("//") || start.starts_with("/*") => Ok(Self::Bif),
            _ if start.starts_with('%') => Ok(Self::Net),
            // Notes may precede the first block, so a BIF text is recognised by any line that begins with
            // `probability`.
            _ if text.lines().any(|line| line.starts_with("probability")) => Ok(Self::Bif),
            _ => {
                let what = "a network in BIF, BIFXML, CNF, NET, UAI or XDSL format";
                Err(unexpected(text.len() - start.len(), start, what))
            }
        }
    }

    pub(super) fn draft(self, text: &str, reader: &NetworkReader) -> LexerResult<NetworkDraft> {
        match self {
            Self::Bif => bif::read(text, reader),
            Self::Bifxml => bifxml::read(text, reader),
            Self::Cnf => cnf::read(text),
            Self::Net => net::read(text, reader),
            Self::Uai => uai::read(text, reader),
            Self::Xdsl => xdsl::read(text, reader),
        }
    }
}

pub(super) fn unknown_extension(path: &Path, remedy: &str) -> NetworkError {
    let problem = "the extension of a file states its format";
    let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
    mistake.of(path.display().to_string()).into()
}

/// True for white space and for the byte order mark that some editors write at the start of a file.
fn is_before_text(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
