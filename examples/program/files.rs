//! Files that are replaced only by whole ones.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::Failure;

/// A failure that names the file, but for a reader that has gone.
pub(crate) fn in_file(path: &Path, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Box::new(error);
    }
    format!("cannot write {}: {error}", path.display()).into()
}

/// Writes to a file beside `path` that takes its place when it is complete; straight to what is not a plain file.
pub(crate) fn replace<T>(
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
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(format!(
            "cannot write {}: there is no such directory",
            path.display()
        )
        .into());
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory).map_err(cannot)?;
    if let Some(present) = present {
        let permissions = present.permissions();
        file.as_file()
            .set_permissions(permissions)
            .map_err(cannot)?;
    }
    let mut out = BufWriter::new(file.as_file_mut());
    let result = write(&mut out)?;
    out.flush().map_err(cannot)?;
    drop(out);
    file.persist(path).map_err(|error| cannot(error.error))?;
    Ok(result)
}
