//! Parsing of arguments, with errors of one line.

use std::error::Error;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Command, Parser};

use crate::note;

/// Returns the parsed arguments; if they are wrong, the program prints one line about the mistake and ends with exit code 2.
pub fn parsed<P: Parser>() -> P {
    parsed_by(P::command())
}

/// Parses arguments as [`parsed`] does, but for a command with additions to the command of its type.
pub fn parsed_by<P: Parser>(command: Command) -> P {
    // A negative number is a wrong value of its flag, not another flag.
    let command = command.allow_negative_numbers(true);
    let parsed = command.clone().try_get_matches();
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| end(&error.format(&mut command.clone())))
}

/// Parses arguments that a program passes instead of a command line, without the name of the command.
///
/// **Errors.** The arguments are wrong; the error is one line.
pub fn parsed_from<P: Parser>(command: Command, arguments: &[String]) -> Result<P, String> {
    let command = command.allow_negative_numbers(true).no_binary_name(true);
    let parsed = command.clone().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let message = line(&error.format(&mut command.clone()));
        message
            .strip_prefix("error: ")
            .unwrap_or(&message)
            .to_owned()
    })
}

/// Ends the program with the requested help, or with one line about the mistake.
fn end(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    note(line(error));
    process::exit(2)
}

/// Returns the mistake in the arguments as one line.
fn line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    // The lines after these repeat the usage.
    let is_said =
        |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(is_said).collect();
    let mut line = lines.join(" ").replace(" tip:", "; tip:");
    if let Some(cause) = error
        .source()
        .filter(|_| error.kind() == ErrorKind::ValueValidation)
        && let Some(meant) = meant(cause)
    {
        line = line.replace(&cause.to_string(), &meant);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    format!("{}; see --help", words.join(" "))
}

/// Returns advice for an argument that is not a number or is out of its range.
fn meant(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = cause.downcast_ref::<ParseIntError>() {
        let message = match error.kind() {
            IntErrorKind::PosOverflow => "write a smaller whole number",
            IntErrorKind::Zero => "write a whole number, 1 or more",
            _ => "write a whole number",
        };
        return Some(message.into());
    }
    if cause.is::<ParseFloatError>() {
        return Some("write a number".into());
    }
    let text = cause.to_string();
    let (_, range) = text.split_once(" is not in ")?;
    let (least, most) = range.split_once("..")?;
    let (most, is_included) = match most.strip_prefix('=') {
        Some(most) => (most.parse::<i128>().ok()?, true),
        None => (most.parse::<i128>().ok()?, false),
    };
    let most = most - i128::from(!is_included);
    // The largest number of a type is not a bound that users need to know.
    if most >= i128::from(u32::MAX) - 1 {
        return Some(format!("write a whole number, {least} or more"));
    }
    Some(format!("write a whole number from {least} to {most}"))
}

/// Parses a finite number.
///
/// **Errors.** The text is not a finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| "write a finite number".to_owned())
}

/// Parses a finite number of at least zero.
///
/// **Errors.** The text is not a finite number of at least zero.
pub fn not_negative(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|&x| x >= 0.0);
    number.ok_or_else(|| "write a finite number, 0 or more".to_owned())
}

/// Parses a time in seconds, possibly with a fraction.
///
/// **Errors.** The text is not a time; the error shows the number to write.
pub fn seconds(text: &str) -> Result<Duration, String> {
    const MOST: f64 = 1e9;
    let seconds = text.trim().parse().ok();
    let seconds = seconds.filter(|&seconds: &f64| seconds > 0.0 && seconds <= MOST);
    let duration = seconds.map(Duration::from_secs_f64);
    duration.ok_or_else(|| {
        "write a positive number of seconds up to 1000000000, such as 60 or 0.5".into()
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;

    #[derive(Debug, Parser)]
    struct Options {
        #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
        samples: Option<u64>,
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        count: Option<u32>,
        #[arg(long)]
        width: Option<usize>,
        #[arg(long)]
        threads: Option<NonZero<usize>>,
        #[arg(long)]
        smoothing: Option<f64>,
        #[arg(long, value_parser = seconds)]
        time: Option<Duration>,
    }

    #[test]
    fn numbers_that_are_none_say_what_was_meant() {
        for (argument, message) in [
            (
                "--samples=0",
                "'--samples <SAMPLES>': write a whole number, 1 or more;",
            ),
            ("--samples=x", "write a whole number;"),
            ("--count=0", "write a whole number from 1 to 1000000;"),
            ("--count=9999999", "write a whole number from 1 to 1000000;"),
            ("--width=1e3", "write a whole number;"),
            ("--width=", "--width"),
            ("--threads=0", "write a whole number, 1 or more;"),
            (
                "--width=99999999999999999999",
                "write a smaller whole number;",
            ),
            ("--smoothing=much", "write a number;"),
            ("--time=0", "write a positive number of seconds"),
            ("--time=nan", "write a positive number of seconds"),
            ("--tim=3", "tip:"),
        ] {
            let error = Options::try_parse_from(["program", argument]).unwrap_err();
            let line = line(&error);
            assert!(line.contains(message), "{argument}: {line}");
            assert!(line.ends_with("; see --help") && line.lines().count() == 1);
            assert!(!line.contains("digit") && !line.contains("1844"), "{line}");
        }
    }

    #[test]
    fn seconds_have_fractions() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
