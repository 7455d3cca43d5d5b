//! Atomic replacement of files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Failure;

/// Files that are being written. It is held while one is made or put into its place, so that none is left behind at an end in between.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are being written, and ends the program.
pub(crate) fn end(code: i32) -> ! {
    let unfinished = unfinished();
    for path in &*unfinished {
        // A file that cannot be removed can only be left.
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}

/// A failure that names the file, but for a reader that has gone.
pub fn in_file(path: &Path, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Box::new(error);
    }
    format!("cannot write {}: {error}", path.display()).into()
}

/// Writes to a file beside `path` that takes its place when it is complete; straight to what is not a plain file.
///
/// **Errors.** Those of `write`, and those of the file, which they name.
pub fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let cannot = |error: io::Error| in_file(path, error);
    // A link stays a link: what it points to is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let present = fs::metadata(path).ok();
    if present.as_ref().is_some_and(|present| !present.is_file()) {
        let file = fs::File::options().write(true).open(path);
        return write(&mut file.map_err(cannot)?);
    }
    let directory = directory_of(path)?;
    let mut file = Unfinished::within(directory).map_err(cannot)?;
    if let Some(present) = present {
        let permissions = present.permissions();
        let written = file.file.as_file();
        written.set_permissions(permissions).map_err(cannot)?;
    }
    let mut out = BufWriter::new(file.file.as_file_mut());
    let result = write(&mut out)?;
    out.flush().map_err(cannot)?;
    drop(out);
    file.put(path).map_err(cannot)?;
    Ok(result)
}

/// Checks that a file can be written, before the work is done.
///
/// **Errors.** Those of the file, which they name.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    // As it is written: a plain file is replaced by one that is made beside it.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let opened = if path.exists() && !path.is_file() {
        fs::File::options().write(true).open(path)
    } else {
        tempfile::tempfile_in(directory_of(path)?)
    };
    // Its text would name the file beside it.
    let plain = |error: io::Error| io::Error::from(error.kind());
    opened
        .map(drop)
        .map_err(|error| in_file(path, plain(error)))
}

/// Checks that flags name different files, since one would replace the other.
///
/// **Errors.** Two flags that name one file.
pub fn check_distinct(files: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let named = files
        .iter()
        .filter_map(|(flag, path)| Some((flag, (*path)?)));
    let named: Vec<_> = named
        .map(|(flag, path)| (flag, fs::canonicalize(path).unwrap_or_else(|_| path.into())))
        .collect();
    for (i, (flag, path)) in named.iter().enumerate() {
        // A stream may take several.
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

/// Checks that a file of --report can be written, and is named as a page.
///
/// **Errors.** Another extension than .html or .htm; those of the file, which they name.
pub fn check_report(path: &Path) -> Result<(), Failure> {
    let is_page = has_extension(path, "html") || has_extension(path, "htm");
    if path.extension().is_some() && !is_page {
        return Err(format!("--report writes HTML: name {} .html", path.display()).into());
    }
    check_writable(path)
}

/// The directory of a file, which must be there.
fn directory_of(path: &Path) -> Result<&Path, Failure> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if directory.is_dir() {
        return Ok(directory);
    }
    Err(format!(
        "cannot write {}: there is no such directory",
        path.display()
    )
    .into())
}

/// True if the extension of a file is this one.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    let own = path.extension();
    own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// The format of an answer: the one asked for, else that which the extension of its file names, else the first one.
///
/// **Errors.** An extension that names none of them, where none was asked for.
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
        format!(
            "--out {out}: the extension names no format; write one of {known}, or give --format"
        )
        .into()
    })
}

/// Writes a text to a file, which is replaced when all of it is there.
///
/// **Errors.** Those of [`replace`].
pub fn replace_text(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, |out| {
        let written = out.write_all(text.as_bytes());
        written.map_err(|error| in_file(path, error))
    })
}

/// A file that is removed unless it is put into its place, however the program ends.
struct Unfinished {
    file: tempfile::NamedTempFile,
}

impl Unfinished {
    fn within(directory: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(directory)?;
        unfinished.push(file.path().to_owned());
        Ok(Self { file })
    }

    fn put(self, path: &Path) -> io::Result<()> {
        let mut unfinished = unfinished();
        let name = self.file.path().to_owned();
        let put = self.file.persist(path);
        unfinished.retain(|other| *other != name);
        put.map(drop).map_err(|error| error.error)
    }
}
