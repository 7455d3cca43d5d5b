//! The files of parts in a directory.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::SpreadError;
use super::part_bytes::{self, PartHeader};
use super::part_identity::PartIdentity;

/// The files of the parts of a run.
#[derive(Debug)]
pub(crate) struct PartFiles<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) identity: &'a PartIdentity,
}

impl PartFiles<'_> {
    fn file(&self, number: u64) -> PathBuf {
        let digits = (self.identity.parts - 1).to_string().len();
        let place = self.identity.place;
        self.directory
            .join(format!("run-{place}-part-{number:0digits$}.figrs"))
    }

    /// The contributions of a part; `None` if there is no such file.
    ///
    /// **Errors.** [`SpreadError::DamagedPart`], [`SpreadError::ForeignPart`], [`SpreadError::File`].
    pub(crate) fn read(&self, number: u64) -> Result<Option<Vec<u8>>, SpreadError> {
        let file = self.file(number);
        let mut bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SpreadError::of_file(file)(error)),
        };
        let (header, contributions) =
            part_bytes::read(&bytes).map_err(|problem| SpreadError::DamagedPart {
                file: file.clone(),
                part: number,
                problem: problem.into(),
            })?;
        if let Some([what, theirs, ours]) = header.identity.difference(self.identity) {
            return Err(SpreadError::ForeignPart {
                file,
                what,
                theirs,
                ours,
            });
        }
        if header.number != number {
            return Err(SpreadError::ForeignPart {
                file,
                what: "number".into(),
                theirs: header.number.to_string(),
                ours: number.to_string(),
            });
        }
        let start = bytes.len() - contributions.len();
        Ok(Some(bytes.split_off(start)))
    }

    /// True if the part is there and whole; false if it is not there, cut or changed.
    ///
    /// **Errors.** [`SpreadError::ForeignPart`], [`SpreadError::File`].
    pub(crate) fn has(&self, number: u64) -> Result<bool, SpreadError> {
        match self.read(number) {
            Ok(part) => Ok(part.is_some()),
            Err(SpreadError::DamagedPart { problem, .. }) if problem == part_bytes::DAMAGED => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// The part in the file is of this run, but not one that it can have.
    pub(crate) fn damaged(&self, number: u64, problem: String) -> SpreadError {
        SpreadError::DamagedPart {
            file: self.file(number),
            part: number,
            problem,
        }
    }

    /// Writes a part, whole or not at all.
    pub(crate) fn write(&self, number: u64, part: &[u8]) -> Result<(), SpreadError> {
        fs::create_dir_all(self.directory).map_err(SpreadError::of_file(self.directory))?;
        write_whole(&self.file(number), |out| out.write_all(part))
    }
}

/// The bytes of a part of a run.
pub(crate) fn part_of(
    identity: &PartIdentity,
    number: u64,
    contributions: &[u8],
) -> Result<Vec<u8>, SpreadError> {
    let header = PartHeader {
        identity: identity.clone(),
        number,
    };
    part_bytes::write(&header, contributions).map_err(|error| SpreadError::NotPortable {
        problem: error.to_string(),
    })
}

/// Writes a file whole or not at all: beside its place, to which it is moved at the end.
pub(crate) fn write_whole(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SpreadError> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let written = (|| {
        let mut builder = tempfile::Builder::new();
        // Others may read it, as any file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut beside = builder.tempfile_in(directory)?;
        let mut out = BufWriter::new(&mut beside);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        beside.as_file().sync_all()?;
        beside.persist(file).map_err(|error| error.error)?;
        Ok(())
    })();
    written.map_err(SpreadError::of_file(file))
}
