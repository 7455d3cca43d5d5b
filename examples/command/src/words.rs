//! Messages of errors for users of a command.

use std::error::Error;

use figrs_design::{DemandError, SteeringError};
use figrs_gdl::GdlError;
use figrs_infer::Error as Inference;
use figrs_models::mdmc::SamplingError;

use crate::failure::inference;
use crate::stop;

/// An error in the words that all commands share, if it is one of those.
pub(crate) fn message(failure: &(dyn Error + 'static)) -> Option<String> {
    if let Some(Inference::NothingDone { .. }) = inference(failure) {
        return Some(stop::nothing("an answer").to_string());
    }
    if let (Some(Inference::NoSampleMetEvidence { tried, .. }), Some(reason)) =
        (inference(failure), stop::reason())
    {
        return Some(format!(
            "{}: none of {tried} draws by then met what is asked for; allow more time, or ask for less",
            reason.message()
        ));
    }
    if let Some(error @ SteeringError::Contradictory { proven: false, .. }) = failure.downcast_ref()
    {
        let message = error.to_string();
        return Some(
            message.replace("allow more particles", "give more --particles")
                .replace(
                    "ask for the exact law",
                    "use --method exact, or draw from another model by --trained, of which n-grams keep whole columns",
                ),
        );
    }
    let instead = match failure.downcast_ref() {
        Some(error @ SteeringError::NotMet { .. }) => Some(error.to_string()),
        _ => match failure.downcast_ref() {
            Some(error @ DemandError::NotRejected { .. }) => Some(error.to_string()),
            _ => None,
        },
    };
    if let Some(message) = instead {
        return Some(message.replace("condition the model instead", "use --method conditioned"));
    }
    let sampling = match failure.downcast_ref() {
        Some(SteeringError::Sampling(error)) => Some(error),
        _ => failure.downcast_ref(),
    };
    match sampling {
        Some(SamplingError::Width { max: 0, .. }) => {
            return Some(
                "the training levels are too tall for any width; give shorter ones".into(),
            );
        }
        Some(SamplingError::Width { width, max }) => {
            return Some(format!("--width {width}: write 1 to {max}"));
        }
        Some(SamplingError::LookAhead { depth, max }) => {
            return Some(format!("--look-ahead {depth}: write 0 to {max}"));
        }
        _ => {}
    }
    let Some(GdlError::TooLarge {
        place,
        relation,
        what,
        limit,
    }) = failure.downcast_ref()
    else {
        return None;
    };
    Some(format!(
        "{place}: the rules have more than {limit} {what} when their variables are filled in, the last of them in a rule of `{relation}`; bind its variables by \
         smaller relations, or allow more (--grounding)"
    ))
}

/// A text without source locations and names of the library, which are meaningless to users of a command: `` `rain` (Select at src/rain.rs:3:5);
/// allow more (`memory`) `` becomes `` `rain`; allow more ``.
pub fn without_places(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(without_places_in).collect();
    lines.join("\n")
}

fn without_places_in(line: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let rest = if let Some(rest) = after_place(word) {
            kept.pop_if(|last| last == "at");
            // A constructor, or the word for a statement, is in parentheses with its place.
            let aside = rest.strip_prefix(')');
            let aside = aside.filter(|_| kept.pop_if(|last| last.starts_with('(')).is_some());
            kept.pop_if(|last| last == "stated");
            if let Some(last) = kept.last_mut() {
                last.truncate(last.trim_end_matches(',').len());
            }
            aside.unwrap_or(rest)
        } else if let Some(rest) = after_name(word) {
            rest
        } else {
            kept.push(word.to_owned());
            continue;
        };
        match kept.last_mut() {
            Some(last) => last.push_str(rest),
            None => kept.push(rest.to_owned()),
        }
    }
    kept.join(" ")
}

/// The rest of a word after a place such as `src/rain.rs:3:5` at its start.
fn after_place(word: &str) -> Option<&str> {
    let (_, numbers) = word.split_once(".rs:")?;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let line = digits(numbers);
    let column = numbers[line..].strip_prefix(':')?;
    (line > 0).then(|| &column[digits(column)..])
}

/// The rest of a word such as `` (`memory`), `` after a name of the library at its start.
fn after_name(word: &str) -> Option<&str> {
    let (name, rest) = word.strip_prefix("(`")?.split_once("`)")?;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
    name.chars().all(is_of_name).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_sources_are_left_out() {
        for (text, message) in [
            (
                "`rain` (Select at src/rain.rs:3:5) has 2 values",
                "`rain` has 2 values",
            ),
            ("before Chain at a/b.rs:10:20 has", "before Chain has"),
            (
                "`rain` (Table at a.rs:1:2) = yes (stated at a/b.rs:1:2); and",
                "`rain` = yes; and",
            ),
            (
                "evidence on `rain`, stated at /a/b.rs:1:2, of",
                "evidence on `rain`, of",
            ),
            (
                "allow more (`memory`), or less (`Frontier::memory`)",
                "allow more, or less",
            ),
            (
                "see main.rs, line 3 (`it is`)",
                "see main.rs, line 3 (`it is`)",
            ),
            ("two\nlines at x.rs:1:1", "two\nlines"),
            ("x.rs:1:1: wrong", ": wrong"),
        ] {
            assert_eq!(without_places(text), message);
        }
    }
}
