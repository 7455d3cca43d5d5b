//! Progress and notes of a running sampler, on the terminal.

use std::mem::{Discriminant, discriminant};
use std::sync::{Mutex, PoisonError};

use figrs_command::{Progress, note};
use figrs_models::board::{Event, Method, Reason};

/// Shows the progress of a sampler's work, one line at a time.
#[derive(Default)]
pub(super) struct ProgressLines(Mutex<Option<(Discriminant<Event>, Progress)>>);

impl ProgressLines {
    /// Shows an event of a sampler; `too_large` is the message for an exact method that does not fit into memory.
    pub(super) fn show(&self, event: &Event, too_large: &str) {
        let (what, done, total) = match *event {
            Event::Turned(choice) => {
                let method = choice.method;
                if let Reason::TooRare { tried } = choice.reason {
                    note(format!(
                        "note: none of {tried} independently drawn boards met the demands; --method {method} is used instead"
                    ));
                }
                if let Reason::Quicker { predicted } = choice.reason {
                    note(format!(
                        "note: --method {method} is faster for this number of boards, but only approximate; --method exact would explore {:.0} MiB of states",
                        predicted / f64::from(1 << 20)
                    ));
                }
                let is_turn = matches!(choice.reason, Reason::TooLarge { .. } | Reason::NoElements);
                if is_turn && choice.method != Method::Exact {
                    note(format!(
                        "note: {too_large}; --method {method} is used instead"
                    ));
                }
                return;
            }
            Event::Explored { steps, .. } => ("compiling, step", steps, None),
            Event::Drawn { boards, wanted, .. } => ("boards", boards, Some(wanted)),
            Event::Swept { sweeps } => ("sweeps of the chains", sweeps, None),
            Event::Filtered { particles, .. } => {
                ("particles at the end of the board", particles, None)
            }
            Event::Computed { steps, total } => ("computing, step", steps, Some(total)),
            Event::TriedClues { tried, total } => {
                ("clues tested for the contradiction:", tried, Some(total))
            }
            _ => return,
        };
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = discriminant(event);
        if line.as_ref().is_none_or(|(shown, _)| *shown != kind) {
            *line = Some((kind, Progress::of(what, total)));
        }
        let Some((_, progress)) = &*line else { return };
        progress.set(done);
        match *event {
            Event::Drawn {
                tried: Some(tried), ..
            } => progress.tell(|| format!(", {tried} tried")),
            Event::Filtered {
                total: Some(total), ..
            } => progress.set_total(total),
            _ => {}
        }
    }
}
