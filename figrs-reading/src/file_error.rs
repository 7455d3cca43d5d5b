//! Errors in files: each error states the place, the problem and the remedy.

use std::fmt;
use std::path::Path;

use figrs_core::printable;
use figrs_derive::ErrorDebug;

/// The class of an error in a file. A program can choose its reaction by the class of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MistakeKind {
    /// The operating system does not let the file be read.
    Unreadable,
    /// The operating system does not let the file be written.
    Unwritable,
    /// The bytes are not text, or not text in the encoding that the file declares.
    Encoding,
    /// The text violates the syntax of its format.
    Syntax,
    /// The text is valid in its format, but uses a feature that figrs does not read or write.
    Unsupported,
    /// The text uses a name, an index or a symbol that is not declared.
    Unknown,
    /// The text contains the same statement twice.
    Repeated,
    /// The text lacks something that its format, or the task, requires.
    Missing,
    /// Two numbers of items differ that must be equal, such as the number of cells in a row and the number of columns of its table.
    Count,
    /// A value is outside of the range that is allowed.
    Value,
    /// Two statements of the text contradict each other.
    Contradiction,
    /// The contents of the file exceed a limit of the reader.
    TooLarge,
}

/// An error in a text or an argument: the problem and its remedy, without the place in the text.
#[derive(Clone, PartialEq, Eq, ErrorDebug)]
pub struct Mistake {
    /// The class of the error.
    pub kind: MistakeKind,
    /// The problem, as a statement that names the faulty item and the faulty number.
    pub problem: String,
    /// A change of the text or of the argument that removes the error, worded as a request. The remedy is empty if the text of the problem already
    /// states the remedy.
    pub remedy: String,
    /// Name of a setting or method of the reader with which the reader would accept the text, such as `normalise`. A program can print the name of
    /// its own option instead of the remedy that names the reader's setting.
    pub setting: Option<&'static str>,
}

impl Mistake {
    /// Creates an error from its class, its problem and its remedy. Control characters in the problem and the remedy, which may come from a file, are
    /// escaped.
    pub fn new(kind: MistakeKind, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        let text = |text: String| printable(&text).into_owned();
        Self {
            kind,
            problem: text(problem.into()),
            remedy: text(remedy.into()),
            setting: None,
        }
    }

    /// Adds the name of a setting or method of the reader with which the reader would accept the text.
    #[must_use]
    pub fn with_setting(self, setting: &'static str) -> Self {
        let setting = Some(setting);
        Self { setting, ..self }
    }

    /// Creates the error that a value is outside of the allowed range.
    pub fn value(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(MistakeKind::Value, problem, remedy)
    }

    /// Inserts `context` before the text of the problem.
    #[must_use]
    pub fn within(self, context: impl fmt::Display) -> Self {
        let problem = format!("{context}: {}", self.problem);
        Self { problem, ..self }
    }

    /// Returns the error of a file or text at `place`, which is a path or a description of the text.
    pub fn of(self, place: impl Into<String>) -> FileError {
        FileError {
            place: place.into(),
            position: None,
            mistake: Box::new(self),
        }
    }

    /// Returns the error at a line and a column of the text `place`; lines and columns are counted from 1.
    pub fn at(self, place: impl Into<String>, position: (usize, usize)) -> FileError {
        FileError {
            position: Some(position),
            ..self.of(place)
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistake {}

/// The error that a file or another text cannot be read or written: the place, the problem and the remedy.
#[derive(Clone, PartialEq, Eq, ErrorDebug)]
pub struct FileError {
    /// Path of the file that has the error, or a description of the text.
    pub place: String,
    /// The line and the column in characters, both counted from 1, if the position of the error is known.
    pub position: Option<(usize, usize)>,
    /// The problem and its remedy, in a box so that `Result` values with this error are small.
    pub mistake: Box<Mistake>,
}

impl FileError {
    /// Returns the error of a file that cannot be read, with the reason that the operating system gives.
    pub fn unreadable(path: impl AsRef<Path>, cause: &std::io::Error) -> Self {
        Self::of_system(MistakeKind::Unreadable, "read", path.as_ref(), cause)
    }

    /// Returns the error of a file that cannot be written, with the reason that the operating system gives.
    pub fn unwritable(path: impl AsRef<Path>, cause: &std::io::Error) -> Self {
        Self::of_system(MistakeKind::Unwritable, "written", path.as_ref(), cause)
    }

    fn of_system(kind: MistakeKind, verb: &str, path: &Path, cause: &std::io::Error) -> Self {
        let problem = format!("the file cannot be {verb}: {cause}");
        Mistake::new(kind, problem, "check the path and its permissions")
            .of(path.display().to_string())
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> MistakeKind {
        self.mistake.kind
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.mistake)
    }
}

impl std::error::Error for FileError {}
