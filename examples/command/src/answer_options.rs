//! Options for the format and the file of an answer as text, as JSON or as a picture.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use crate::destination::{check_writable, format_of};
use crate::failure::Failure;
use crate::writing::publish;

/// The flags `--format` and `--out`.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct AnswerOptions {
    /// Format of the answer (default: the format of the extension of --out, else text).
    #[arg(long, value_enum)]
    format: Option<AnswerFormat>,
    /// Write the answer to this file instead of the standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Readable text.
    Text,
    /// JSON with full precision.
    Json,
    /// A picture.
    Svg,
}

/// An answer that can be written as text, as JSON and as a picture.
pub trait WrittenAnswer {
    /// Writes the answer as text.
    ///
    /// **Errors.** `out` fails.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Returns the answer as JSON.
    fn json(&self) -> Json;

    /// Returns the answer as an SVG picture.
    ///
    /// **Errors.** The picture would be too large.
    fn svg(&self) -> Result<String, Failure>;
}

impl AnswerOptions {
    /// Returns the format of the answer: the format given by --format, else that of the extension of --out, else text.
    ///
    /// **Errors.** The extension of the file of --out is that of no format, or the file cannot be written.
    pub fn check(&self) -> Result<AnswerFormat, Failure> {
        let formats = [
            ("txt", AnswerFormat::Text),
            ("json", AnswerFormat::Json),
            ("svg", AnswerFormat::Svg),
        ];
        let format = format_of(self.format, self.out(), &formats)?;
        self.out().map_or(Ok(()), check_writable)?;
        Ok(format)
    }

    /// Returns the path of the file that --out names.
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// Writes an answer in a format to the file of --out or to the standard output.
    ///
    /// **Errors.** The picture would be too large, or the answer cannot be written.
    pub fn publish(
        &self,
        format: AnswerFormat,
        answer: &impl WrittenAnswer,
    ) -> Result<(), Failure> {
        let picture = match format {
            AnswerFormat::Svg => answer.svg()?,
            AnswerFormat::Text | AnswerFormat::Json => String::new(),
        };
        publish(self.out(), |out| match format {
            AnswerFormat::Text => answer.text(out),
            AnswerFormat::Json => writeln!(out, "{}", answer.json()),
            AnswerFormat::Svg => writeln!(out, "{picture}"),
        })
    }
}
