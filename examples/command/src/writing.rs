//! Atomic replacement of files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Failure;

/// Files that the program is writing. A thread holds the lock while it creates or moves a file, so that an exit at that time leaves no file behind.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are being written, and ends the program.
pub(crate) fn end(code: i32) -> ! {
    let unfinished = unfinished();
    for path in &*unfinished {
        // If a file cannot be removed, the error is ignored, because nothing else can be done.
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}

/// Returns a failure that names the output file, or the error of a broken pipe if the reader of the output has closed it.
pub fn in_file(path: &Path, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Box::new(error);
    }
    format!("cannot write {}: {error}", path.display()).into()
}

/// Returns the directory of a file, which must exist.
pub(crate) fn directory_of(path: &Path) -> Result<&Path, Failure> {
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

/// Writes a file beside `path`, which replaces `path` when it is complete; writes directly to anything that is not a regular file.
///
/// **Errors.** `write` fails, or the file cannot be written; the error names the file.
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

/// Writes a text to a file; an existing file is replaced when the text is complete.
///
/// **Errors.** The errors of [`replace`].
pub fn replace_text(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, |out| {
        let written = out.write_all(text.as_bytes());
        written.map_err(|error| in_file(path, error))
    })
}

/// A temporary file that is removed when the program ends, unless it was moved to its final path.
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

/// Writes an answer to standard output, or to a file that is replaced when the answer is complete.
///
/// **Errors.** The answer cannot be written; the error names the file.
pub fn publish(
    out: Option<&Path>,
    write: impl Fn(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let write = |out: &mut dyn io::Write| write(out).and_then(|()| out.flush());
    match out {
        Some(path) => replace(path, |out| write(out).map_err(|error| in_file(path, error)))?,
        None => write(&mut crate::standard_output())?,
    }
    Ok(())
}
