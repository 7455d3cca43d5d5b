//! The files in a directory that contain the parts of a run.

use std::cell::Cell;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::error::SpreadError;
use super::part_bytes::{self, PartHeader};
use super::part_identity::PartIdentity;

/// Time between two checks whether a missing part exists.
const POLL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct PartFiles<'a> {
    directory: &'a Path,
    pub(crate) identity: PartIdentity,
    /// True after the process has printed that it waits for a part.
    is_told: Cell<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AbsentPart {
    Refused,
    LeftOut,
    Awaited,
}

impl<'a> PartFiles<'a> {
    pub(crate) fn new(directory: &'a Path, identity: PartIdentity) -> Self {
        Self {
            directory,
            identity,
            is_told: Cell::new(false),
        }
    }

    fn file(&self, number: u64) -> PathBuf {
        let digits = (self.identity.parts - 1).to_string().len();
        let name = format!("{}-part-{number:0digits$}.figrs", self.identity.name());
        self.directory.join(name)
    }

    pub(crate) fn request_file(&self) -> PathBuf {
        let name = format!("{}.figrs", self.identity.name());
        self.directory.join(name)
    }

    /// Returns the results of a part of the run; `None` if the file of the part does not exist.
    fn read(&self, number: u64) -> Result<Option<Vec<u8>>, SpreadError> {
        self.identity.read(&self.file(number), Some(number))
    }

    /// Returns the results of a part of the run, read from its file. With [`AbsentPart::Awaited`], the function waits until the file of a missing
    /// part exists.
    fn awaited(&self, number: u64, absent: AbsentPart) -> Result<Option<Vec<u8>>, SpreadError> {
        loop {
            let found = self.read(number)?;
            if found.is_some() || absent != AbsentPart::Awaited {
                return Ok(found);
            }
            if !self.is_told.replace(true) {
                let file = self.file(number).display().to_string();
                eprintln!("waiting for {}", figrs_core::printable(&file));
            }
            thread::sleep(POLL);
        }
    }

    /// Passes the results of the parts to `take`, in the order of the part numbers, until `take` returns `ControlFlow::Break`. The function returns
    /// the numbers of the parts that were left out because they are missing or damaged.
    ///
    /// **Errors.** [`SpreadError::MissingParts`] and [`SpreadError::DamagedPart`], unless missing and damaged parts are left out;
    /// [`SpreadError::Foreign`], [`SpreadError::File`]; the errors of `take`.
    pub(crate) fn take_all(
        &self,
        absent: AbsentPart,
        mut take: impl FnMut(u64, &[u8]) -> Result<ControlFlow<()>, SpreadError>,
    ) -> Result<Vec<u64>, SpreadError> {
        let mut missing = Vec::new();
        for number in 0..self.identity.parts {
            let taken = self.awaited(number, absent).and_then(|part| match part {
                Some(part) if missing.is_empty() || absent == AbsentPart::LeftOut => {
                    take(number, &part).map(Some)
                }
                Some(_) => Ok(Some(ControlFlow::Continue(()))),
                None => Ok(None),
            });
            match taken {
                Ok(Some(ControlFlow::Continue(()))) => {}
                Ok(Some(ControlFlow::Break(()))) => break,
                Ok(None) => missing.push(number),
                Err(error @ SpreadError::DamagedPart { .. }) if absent == AbsentPart::LeftOut => {
                    let message = error.to_string();
                    eprintln!("left out: {}", figrs_core::printable(&message));
                    missing.push(number);
                }
                Err(error) => return Err(error),
            }
        }
        let is_some_there = (missing.len() as u64) < self.identity.parts;
        if missing.is_empty() || absent == AbsentPart::LeftOut && is_some_there {
            return Ok(missing);
        }
        Err(SpreadError::MissingParts {
            missing,
            parts: self.identity.parts,
            round: self.identity.round.map(|round| round.number),
            directory: self.directory.to_owned(),
        })
    }

    /// True if the file of the part exists and is complete; false if it is missing, truncated or changed.
    ///
    /// **Errors.** [`SpreadError::Foreign`] if the file belongs to another run; [`SpreadError::File`] if it cannot be read.
    pub(crate) fn has(&self, number: u64) -> Result<bool, SpreadError> {
        match self.read(number) {
            Ok(part) => Ok(part.is_some()),
            Err(SpreadError::DamagedPart { problem, .. }) if problem == part_bytes::DAMAGED => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the error for a part whose file belongs to this run but has invalid contents.
    pub(crate) fn damaged(&self, number: u64, problem: impl ToString) -> SpreadError {
        SpreadError::DamagedPart {
            file: self.file(number),
            part: Some(number),
            problem: problem.to_string(),
        }
    }

    /// Writes the file of a part, completely or not at all, unless another process has written it in the meantime.
    ///
    /// **Errors.** [`SpreadError::Foreign`] if a process of another run has written the file.
    pub(crate) fn write(&self, number: u64, contributions: &[u8]) -> Result<(), SpreadError> {
        if self.has(number)? {
            return Ok(());
        }
        self.write_to(&self.file(number), Some(number), contributions)
    }

    /// Writes the request of a learning round to a file, unless the file exists. The function returns `false` if the request file already exists.
    pub(crate) fn write_request(&self, request: &[u8]) -> Result<bool, SpreadError> {
        let file = self.request_file();
        let is_new = self.identity.read(&file, None)?.is_none();
        if is_new {
            self.write_to(&file, None, request)?;
        }
        Ok(is_new)
    }

    fn write_to(
        &self,
        file: &Path,
        number: Option<u64>,
        contributions: &[u8],
    ) -> Result<(), SpreadError> {
        let bytes = self.identity.bytes(number, contributions)?;
        let created = fs::create_dir_all(self.directory);
        created.map_err(SpreadError::of_part(self.directory))?;
        let written = write_whole(file, |out| out.write_all(&bytes));
        written.map_err(SpreadError::of_part(file))
    }
}

impl PartIdentity {
    /// Returns the common beginning of the names of the run's files.
    fn name(&self) -> String {
        let place = self.place;
        match &self.round {
            Some(round) => format!("run-{place}-round-{}", round.number),
            None => format!("run-{place}"),
        }
    }

    /// Returns the range of the run's units of work (such as groups of samples or cases) that one part computes.
    pub(crate) fn share(&self, part: u64) -> Range<u64> {
        let bound =
            |part: u64| (u128::from(self.units) * u128::from(part) / u128::from(self.parts)) as u64;
        bound(part)..bound(part + 1)
    }

    /// Returns a part of the run as bytes or, if `number` is `None`, the request of the run's learning round.
    ///
    /// **Errors.** [`SpreadError::NotPortable`] if values cannot be converted to bytes.
    pub(crate) fn bytes(
        &self,
        number: Option<u64>,
        contributions: &[u8],
    ) -> Result<Vec<u8>, SpreadError> {
        let header = PartHeader {
            identity: self.clone(),
            number,
        };
        part_bytes::write(&header, contributions).map_err(SpreadError::not_portable)
    }

    /// Returns the results in the file of a part of the run; `None` if the file does not exist.
    ///
    /// **Errors.** [`SpreadError::DamagedPart`] if the file is damaged; [`SpreadError::Foreign`] if it belongs to another run; [`SpreadError::File`]
    /// if it cannot be read.
    pub(crate) fn read(
        &self,
        file: &Path,
        number: Option<u64>,
    ) -> Result<Option<Vec<u8>>, SpreadError> {
        match fs::read(file) {
            Ok(bytes) => self.contributions(bytes, file, number).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SpreadError::of_part(file)(error)),
        }
    }

    /// Returns the results in the bytes of a part of the run; `file` is the file from which the bytes were read.
    ///
    /// **Errors.** [`SpreadError::DamagedPart`] if the bytes are damaged; [`SpreadError::Foreign`] if they belong to another run.
    pub(crate) fn contributions(
        &self,
        mut bytes: Vec<u8>,
        file: &Path,
        number: Option<u64>,
    ) -> Result<Vec<u8>, SpreadError> {
        let read = part_bytes::read(&bytes);
        let (header, contributions) = read.map_err(|problem| SpreadError::DamagedPart {
            file: file.to_owned(),
            part: number,
            problem: problem.into(),
        })?;
        let own = PartHeader {
            identity: self.clone(),
            number,
        };
        if let Some([what, theirs, ours]) = header.difference(&own) {
            return Err(SpreadError::Foreign {
                path: file.to_owned(),
                is_set: false,
                what,
                theirs,
                ours,
            });
        }
        let start = bytes.len() - contributions.len();
        Ok(bytes.split_off(start))
    }
}

/// Writes a file completely or not at all: writes to a temporary file, and renames the temporary file at the end.
pub(crate) fn write_whole(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let mut builder = tempfile::Builder::new();
    // The permissions of the file are those of an ordinary file, so that other users may read it.
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
}
