//! Numbered levels as items of a set, written as texts in the format of the training levels.

use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::Range;

use figrs_core::stream;
use figrs_infer::ItemSampler;

use crate::mdmc::{ElementSampler, GeneratedLevel, LookAheadSampler};

impl ItemSampler for LookAheadSampler {
    type Item = GeneratedLevel;
    type Error = Infallible;

    fn items(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, Infallible> {
        let level = |number| self.sample(&mut stream(seed, number));
        Ok(numbers.map(level).collect())
    }

    fn write(&self, generated: &GeneratedLevel, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{generated}")
    }
}

impl ItemSampler for ElementSampler {
    type Item = GeneratedLevel;
    type Error = figrs_infer::Error;

    fn items(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, figrs_infer::Error> {
        numbers
            .map(|number| self.sample(&mut stream(seed, number)))
            .collect()
    }

    fn write(&self, generated: &GeneratedLevel, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{generated}")
    }
}
