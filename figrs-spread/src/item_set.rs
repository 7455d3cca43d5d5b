//! Sets of items, such as levels or boards, in numbered files.

use std::fs;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::thread;

use figrs_infer::{ItemSampler, in_order, missing_in_batch};

use super::error::SpreadError;
use super::part_files::write_whole;
use super::part_identity::{PartIdentity, hash};

/// Name of the file that identifies the set of files in its directory.
const MARK: &str = ".set.figrs";

#[derive(Debug)]
pub(crate) struct ItemSet<'a, S: ?Sized> {
    pub(crate) sampler: &'a S,
    pub(crate) seed: u64,
    /// The range of the numbers of all files in the set.
    pub(crate) numbers: Range<u64>,
    pub(crate) directory: &'a Path,
}

impl<S: ItemSampler + ?Sized> ItemSet<'_, S> {
    /// Returns the identity of the run that draws the set of items; `run` is the identity of the program's run.
    pub(crate) fn identity(&self, run: PartIdentity) -> PartIdentity {
        PartIdentity {
            units: self.numbers.end.saturating_sub(self.numbers.start),
            settings: format!("{}, numbers: {:?}", self.settings(), self.numbers),
            pilot: self.pilot(),
            ..run
        }
    }

    /// Returns, as text, the settings that determine the names and the contents of the set's files.
    fn settings(&self) -> String {
        let (seed, extension, digits) = (self.seed, self.sampler.extension(), self.digits());
        format!("seed: {seed}, extension: {extension}, digits of a number: {digits}")
    }

    /// Returns a hash of the first item that the sampler draws, or of the error if the item cannot be drawn.
    fn pilot(&self) -> u64 {
        let mut bytes = Vec::new();
        match self.sampler.items(self.seed, 0..1) {
            Ok(items) => items.iter().for_each(|item| {
                if let Err(error) = self.sampler.write(item, &mut bytes) {
                    bytes.extend(error.to_string().into_bytes());
                }
            }),
            Err(error) => bytes.extend(error.to_string().into_bytes()),
        }
        hash(&bytes)
    }

    /// Returns the range of the file numbers that one part of the run draws.
    pub(crate) fn share(&self, identity: &PartIdentity, part: u64) -> Range<u64> {
        let share = identity.share(part);
        self.numbers.start + share.start..self.numbers.start + share.end
    }

    fn digits(&self) -> usize {
        self.numbers.end.saturating_sub(1).to_string().len()
    }

    fn file(&self, number: u64) -> PathBuf {
        let (digits, extension) = (self.digits(), self.sampler.extension());
        self.directory
            .join(format!("{number:0digits$}.{extension}"))
    }

    /// Writes the file that identifies the set of items into the directory, unless the file exists.
    ///
    /// **Errors.** [`SpreadError::Foreign`] if the directory contains another set; [`SpreadError::DamagedPart`] if the identifying file is damaged;
    /// [`SpreadError::File`] if it cannot be read or written.
    pub(crate) fn begin(&self, identity: &PartIdentity) -> Result<(), SpreadError> {
        // The number of parts and the size of the set may change, and are therefore not compared.
        let identity = PartIdentity {
            parts: 1,
            units: 0,
            settings: self.settings(),
            ..identity.clone()
        };
        let mark = self.directory.join(MARK);
        match identity.read(&mark, None) {
            Err(SpreadError::Foreign {
                what, theirs, ours, ..
            }) => Err(SpreadError::Foreign {
                path: self.directory.to_owned(),
                is_set: true,
                what,
                theirs,
                ours,
            }),
            Err(SpreadError::File { file, source, .. }) => Err(SpreadError::of_file(file)(source)),
            Err(error) => Err(error),
            Ok(Some(_)) => Ok(()),
            Ok(None) => {
                let created = fs::create_dir_all(self.directory);
                created.map_err(SpreadError::of_file(self.directory))?;
                let bytes = identity.bytes(None, &[])?;
                let written = write_whole(&mark, |out| out.write_all(&bytes));
                written.map_err(SpreadError::of_file(mark))
            }
        }
    }

    /// Draws those items with the numbers `numbers` whose files do not exist. The result is the number of item files that were written.
    ///
    /// **Errors.** [`SpreadError::Item`] if an item cannot be drawn; [`SpreadError::File`] if a file cannot be written.
    pub(crate) fn fill(&self, numbers: &Range<u64>) -> Result<u64, SpreadError> {
        let batch = self.sampler.batch().max(1);
        let places = numbers.start / batch..numbers.end.div_ceil(batch);
        let unit = |(): &mut (), place: u64| {
            let is_there = |number| self.file(number).exists();
            let missing = missing_in_batch((place, batch), numbers, is_there);
            let items = if missing.is_empty() {
                Ok(Vec::new())
            } else {
                self.sampler.items(self.seed, missing.clone())
            };
            Ok((missing, items))
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut all = Ok(0);
        let ran = in_order(
            threads,
            (places, 1),
            || Ok(()),
            unit,
            |(missing, items)| {
                let written = match items {
                    Ok(items) if items.len() as u64 != missing.end - missing.start => {
                        let (first, last) = (missing.start, missing.end.saturating_sub(1));
                        Err(SpreadError::Item {
                            number: first,
                            source: format!(
                                "the sampler drew {} items for the numbers {first} to {last}: it must draw one item for each number, in this order",
                                items.len()
                            )
                            .into(),
                        })
                    }
                    Ok(items) => self.write(missing, &items),
                    Err(source) => Err(SpreadError::Item {
                        number: missing.start,
                        source: Box::new(source),
                    }),
                };
                match (written, &mut all) {
                    (Ok(written), Ok(all)) => {
                        *all += written;
                        ControlFlow::Continue(())
                    }
                    (written, _) => {
                        all = written;
                        ControlFlow::Break(())
                    }
                }
            },
        );
        ran?;
        all
    }

    /// Writes the items with the numbers `numbers` to files; files that exist are not written again. The result is the number of item files that were
    /// written.
    fn write(&self, numbers: Range<u64>, items: &[S::Item]) -> Result<u64, SpreadError> {
        let mut count = 0;
        for (number, item) in numbers.zip(items) {
            let file = self.file(number);
            if !file.exists() {
                let written = write_whole(&file, |out| self.sampler.write(item, out));
                written.map_err(SpreadError::of_file(file))?;
                count += 1;
            }
        }
        Ok(count)
    }
}
