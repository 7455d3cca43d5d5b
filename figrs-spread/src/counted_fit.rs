//! Learning of a model's parameters from cases by several processes, each of which computes parts of the expected counts in each round.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use figrs_core::Model;
use figrs_infer::Error;
use figrs_learn::{
    CaseColumns, CaseCounter, Cases, CountPart, CountRequest, ExpectationMaximization,
    ExpectedCounts, Fit,
};

use super::error::SpreadError;
use super::part_bytes;
use super::part_files::{AbsentPart, PartFiles};
use super::part_identity::{PartIdentity, Round, graph_text, hash};

#[derive(Debug)]
pub(crate) struct CountedFit<'a, E, C> {
    pub(crate) learner: &'a ExpectationMaximization<E>,
    pub(crate) model: &'a Model,
    pub(crate) cases: &'a Cases<C>,
}

/// The identity of a fit. The identity of a learning run is the same in all rounds of learning.
#[derive(Debug)]
pub(crate) struct FitIdentity(PartIdentity);

/// The reason why the parts of a learning round, which several processes compute, cannot be merged.
enum Unmerged {
    /// The learning round is new: no process has computed any of its parts.
    New(u64),
    Failed(SpreadError),
}

impl FitIdentity {
    /// Returns a request for expected counts as bytes, and the identity of the parts (results of single processes) that answer the request.
    fn round(&self, request: &CountRequest) -> Result<(PartIdentity, Vec<u8>), SpreadError> {
        let bytes = postcard::to_stdvec(request).map_err(SpreadError::not_portable)?;
        let identity = PartIdentity {
            units: request.units(),
            round: Some(Round {
                number: request.number(),
                parameters: hash(&bytes),
            }),
            ..self.0.clone()
        };
        Ok((identity, bytes))
    }

    /// Parses a request for expected counts from the bytes of the request file. The result is the request for expected counts, and the identity of
    /// the parts that answer the request.
    ///
    /// **Errors.** [`SpreadError::DamagedPart`] or [`SpreadError::Foreign`] if the file is not a request of this run.
    pub(crate) fn read(
        &self,
        bytes: Vec<u8>,
        file: &Path,
    ) -> Result<(PartIdentity, CountRequest), SpreadError> {
        let damaged = |problem: String| SpreadError::DamagedPart {
            file: file.to_owned(),
            part: None,
            problem,
        };
        let (_, request) = part_bytes::read(&bytes).map_err(|problem| damaged(problem.into()))?;
        let request: CountRequest =
            postcard::from_bytes(request).map_err(|error| damaged(error.to_string()))?;
        let (identity, _) = self.round(&request)?;
        identity.contributions(bytes, file, None)?;
        Ok((identity, request))
    }

    /// Returns the request for expected counts in the last learning round with a request file in the directory; `None` if no such file exists.
    fn latest(
        &self,
        directory: &Path,
    ) -> Result<Option<(PartIdentity, CountRequest)>, SpreadError> {
        let mut latest = None;
        for number in 0.. {
            let identity = PartIdentity {
                round: Some(Round {
                    number,
                    parameters: 0,
                }),
                ..self.0.clone()
            };
            let file = PartFiles::new(directory, identity).request_file();
            if !file.exists() {
                break;
            }
            latest = Some(file);
        }
        let Some(file) = latest else {
            return Ok(None);
        };
        let bytes = std::fs::read(&file).map_err(SpreadError::of_part(&file))?;
        self.read(bytes, &file).map(Some)
    }

    fn parts(
        &self,
        request: &CountRequest,
        (directory, absent): (&Path, AbsentPart),
    ) -> Result<Vec<CountPart>, Unmerged> {
        let (identity, bytes) = self.round(request).map_err(Unmerged::Failed)?;
        let files = PartFiles::new(directory, identity);
        let is_new = files.write_request(&bytes).map_err(Unmerged::Failed)?;
        let mut parts = Vec::new();
        let taken = files.take_all(absent, |number, contributions| {
            let part: CountPart = postcard::from_bytes(contributions)
                .map_err(|error| files.damaged(number, error))?;
            if part.units() != files.identity.share(number) || part.request() != request.number() {
                return Err(files.damaged(number, "its units are not those of this part"));
            }
            parts.push(part);
            Ok(ControlFlow::Continue(()))
        });
        match taken {
            Ok(_) => Ok(parts),
            Err(SpreadError::MissingParts { missing, parts, .. })
                if is_new && missing.len() as u64 == parts =>
            {
                Err(Unmerged::New(request.number()))
            }
            Err(error) => Err(Unmerged::Failed(error)),
        }
    }
}

impl<E: ExpectedCounts, C: CaseColumns> CountedFit<'_, E, C> {
    /// Returns the identity of this parameter learning; `run` is the identity of the program's run.
    pub(crate) fn identity(&self, run: PartIdentity) -> FitIdentity {
        let mut bytes = graph_text(self.model, &self.cases.elements()).into_bytes();
        bytes.extend(self.cases.row_bytes());
        FitIdentity(PartIdentity {
            settings: self.learner.counting_settings(),
            pilot: hash(&bytes),
            ..run
        })
    }

    pub(crate) fn counter(&self) -> Result<CaseCounter, SpreadError> {
        Ok(self.learner.case_counter(self.model, self.cases)?)
    }

    /// Computes a part of the expected counts for the last learning round whose request file is in the directory, or for the first round if no such
    /// file exists. A part of a run that already exists is not computed again.
    pub(crate) fn do_part(
        &self,
        identity: &FitIdentity,
        directory: &Path,
        number: u64,
    ) -> Result<(), SpreadError> {
        let latest = identity.latest(directory)?;
        if let Some((identity, _)) = &latest
            && PartFiles::new(directory, identity.clone()).has(number)?
        {
            return Ok(());
        }
        let mut counter = self.counter()?;
        let (identity, request) = if let Some(round) = latest {
            round
        } else {
            let request = self.learner.first_request(&counter)?;
            (identity.round(&request)?.0, request)
        };
        let files = PartFiles::new(directory, identity);
        if files.has(number)? {
            return Ok(());
        }
        let contributions = count(&mut counter, &request, &files.identity, number)?;
        files.write(number, &contributions)
    }

    /// Returns the learned parameters, computed from the parts in the directory. The result is `None` if the parts of the next learning round are not
    /// computed yet.
    pub(crate) fn merge(
        &self,
        identity: &FitIdentity,
        (directory, absent): (&Path, AbsentPart),
    ) -> Result<Option<Fit>, SpreadError> {
        // A learning round needs all its parts, so that missing parts cannot be left out.
        let absent = match absent {
            AbsentPart::Awaited => absent,
            AbsentPart::Refused | AbsentPart::LeftOut => AbsentPart::Refused,
        };
        let unmerged = Mutex::new(None);
        let fit = self.learner.fit_by(self.model, self.cases, |request| {
            identity.parts(request, (directory, absent)).map_err(|why| {
                *unmerged.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                // The returned error only ends the fit; the actual reason is stored, and reported in place of this error.
                Error::NothingToLearn
            })
        });
        match unmerged
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            None => Ok(Some(fit?)),
            Some(Unmerged::Failed(error)) => Err(error),
            Some(Unmerged::New(round)) => {
                eprintln!(
                    "the next round of the fit is {round}: compute its parts, and merge again"
                );
                Ok(None)
            }
        }
    }
}

pub(crate) fn count(
    counter: &mut CaseCounter,
    request: &CountRequest,
    identity: &PartIdentity,
    number: u64,
) -> Result<Vec<u8>, SpreadError> {
    let part = counter.part(request, identity.share(number));
    let part = part.map_err(SpreadError::in_part(number))?;
    postcard::to_stdvec(&part).map_err(SpreadError::not_portable)
}
