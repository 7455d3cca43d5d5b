//! Output files of commands: checks before the work, and formats by the file's extension.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::writing::{directory_of, in_file};

/// Returns an error if a file cannot be written, before the work begins.
///
/// **Errors.** The file cannot be written; the error contains the path of the file.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    // The check makes a temporary file beside the file, because a plain file is written by replacing it with such a file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let opened = if path.exists() && !path.is_file() {
        fs::File::options().write(true).open(path)
    } else {
        tempfile::tempfile_in(directory_of(path)?)
    };
    // Only the kind of the error is kept, because its text would name the temporary file.
    let plain = |error: io::Error| io::Error::from(error.kind());
    opened
        .map(drop)
        .map_err(|error| in_file(path, plain(error)))
}

/// Returns an error if two flags name the same file, because one output would replace the other.
///
/// **Errors.** Two flags name one file.
pub fn check_distinct(files: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let named = files
        .iter()
        .filter_map(|(flag, path)| Some((flag, whole((*path)?))));
    let named: Vec<_> = named.collect();
    for (i, (flag, path)) in named.iter().enumerate() {
        // A stream may take several outputs.
        let is_plain = !path.exists() || path.is_file();
        if let Some((other, _)) = named[..i]
            .iter()
            .find(|(_, other)| is_plain && other == path)
        {
            return Err(format!("{other} and {flag} name the same file").into());
        }
    }
    Ok(())
}

/// Returns the absolute path without links, as far as the path exists.
fn whole(path: &Path) -> PathBuf {
    let of_parent = || {
        Some(
            fs::canonicalize(directory_of(path).ok()?)
                .ok()?
                .join(path.file_name()?),
        )
    };
    let whole = fs::canonicalize(path).ok().or_else(of_parent);
    whole.unwrap_or_else(|| path.into())
}

/// Checks that the file of --report can be written and has the extension of an HTML page.
///
/// **Errors.** The extension is not .html or .htm, or the file cannot be written; the error names the file.
pub fn check_report(path: &Path) -> Result<(), Failure> {
    let is_page = has_extension(path, "html") || has_extension(path, "htm");
    if path.extension().is_some() && !is_page {
        return Err(format!(
            "--report writes HTML: the file name {} must end in .html",
            path.display()
        )
        .into());
    }
    check_writable(path)
}

/// True if a file has a given extension.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    let own = path.extension();
    own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// Returns the format of an answer: the requested format, else the format of the file's extension, else the first format.
///
/// **Errors.** No format is requested, and the extension of the file is that of no format.
pub fn format_of<F: Copy>(
    asked: Option<F>,
    out: Option<&Path>,
    formats: &[(&str, F)],
) -> Result<F, Failure> {
    if let Some(format) = asked {
        return Ok(format);
    }
    let Some(out) = out.filter(|out| out.extension().is_some()) else {
        return Ok(formats[0].1);
    };
    let named = formats.iter().find(|(name, _)| has_extension(out, name));
    named.map(|(_, format)| *format).ok_or_else(|| {
        let known = formats.iter().map(|(name, _)| format!(".{name}"));
        let known = known.collect::<Vec<_>>().join(", ");
        let out = out.display();
        format!("--out {out}: no format has this extension; use one of {known}, or give --format")
            .into()
    })
}
