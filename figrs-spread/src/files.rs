//! Sets of numbered files.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use figrs_core::{Stream, stream};
use figrs_infer::in_order;

use super::error::SpreadError;
use super::part_files::write_whole;

/// A set of numbered files, each drawn from a stream of random numbers of its own.
#[derive(Debug)]
pub(crate) struct FileSet<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) extension: &'a str,
    pub(crate) seed: u64,
    /// The numbers of all files of the set.
    pub(crate) numbers: Range<u64>,
}

impl FileSet<'_> {
    fn file(&self, number: u64) -> PathBuf {
        let digits = self.numbers.end.saturating_sub(1).to_string().len();
        self.directory
            .join(format!("{number:0digits$}.{}", self.extension))
    }

    /// Draws those of some files that are not there yet, on so many threads.
    pub(crate) fn fill<T, E>(
        &self,
        numbers: Range<u64>,
        threads: usize,
        draw: impl Fn(&mut Stream) -> Result<T, E> + Sync,
        write: impl Fn(&T, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SpreadError>
    where
        T: Send,
        E: Error + Send + Sync + 'static,
    {
        fs::create_dir_all(self.directory).map_err(SpreadError::of_file(self.directory))?;
        let missing: Vec<u64> = numbers
            .filter(|&number| !self.file(number).exists())
            .collect();
        let unit = |(): &mut (), at: u64| {
            let number = missing[at as usize];
            Ok((number, draw(&mut stream(self.seed, number))))
        };
        let mut failed = None;
        let units = (0..missing.len() as u64, 1);
        let ran = in_order(
            threads,
            units,
            || Ok(()),
            unit,
            |(number, drawn)| {
                let written = match drawn {
                    Ok(drawn) => write_whole(&self.file(number), |out| write(&drawn, out)),
                    Err(error) => Err(SpreadError::Item {
                        number,
                        source: Box::new(error),
                    }),
                };
                match written {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        ran?;
        failed.map_or(Ok(()), Err)
    }
}
