//! Parsing of arguments, with errors of one line.

use std::error::Error;
use std::num::ParseFloatError;
use std::process;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Parser};

use crate::numbers::whole_number;
use crate::{Flag, note};

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
/// **Errors.** The arguments are wrong; the error is one line, and names a flag as [`Flag`] does.
pub fn parsed_from<P: Parser>(command: Command, arguments: &[String]) -> Result<P, String> {
    let mut command = command.allow_negative_numbers(true).no_binary_name(true);
    command.build();
    let parsed = command.clone().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| mistake_of_flag(&command, &error).unwrap_or_else(|| mistake(&error)))
}

/// Ends the program with the requested help, or with one line about the mistake.
fn end(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    note(format!("error: {}; see --help", mistake(error)));
    process::exit(2)
}

/// Returns the mistake in the arguments as one line.
fn mistake(error: &clap::Error) -> String {
    let message = wrong_value(error).unwrap_or_else(|| first_lines(error));
    let words: Vec<&str> = message.split_whitespace().collect();
    words.join(" ")
}

/// Returns a text in the data of an error.
fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// Returns the message about a wrong value of a flag, or about a value or a flag that is missing or superfluous; `None` for other mistakes.
fn mistake_of_flag(command: &Command, error: &clap::Error) -> Option<String> {
    let flag = |named: &str| {
        let mut flags = command.get_arguments();
        let flag = flags.find(|flag| flag.to_string() == named)?;
        flag.get_long().map(Flag)
    };
    let remedy = match (error.kind(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::MissingRequiredArgument, _) => {
            let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            return Some(format!("{} is missing", flag(missing.first()?)?));
        }
        (ErrorKind::ArgumentConflict, _) => {
            let other = flag(context(error, ContextKind::PriorArg)?)?;
            let flag = flag(context(error, ContextKind::InvalidArg)?)?;
            return Some(format!("{flag} and {other}: give one of them"));
        }
        (ErrorKind::ValueValidation, _) => remedy(error.source()?),
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(values))) if !values.is_empty() => {
            format!("write one of {}", values.join(", "))
        }
        (ErrorKind::InvalidValue, _) => "write a value".to_owned(),
        (ErrorKind::TooManyValues, _) => "write true or false".to_owned(),
        _ => return None,
    };
    let flag = flag(context(error, ContextKind::InvalidArg)?)?;
    let value = context(error, ContextKind::InvalidValue).unwrap_or_default();
    let space = if value.is_empty() { "" } else { " " };
    Some(format!("{flag}{space}{value}: {remedy}"))
}

/// Returns the message about a value that its parser rejects; `None` for other mistakes.
fn wrong_value(error: &clap::Error) -> Option<String> {
    let cause = error
        .source()
        .filter(|_| error.kind() == ErrorKind::ValueValidation)?;
    let value = context(error, ContextKind::InvalidValue)?;
    let argument = context(error, ContextKind::InvalidArg)?;
    let remedy = remedy(cause);
    Some(format!(
        "invalid value '{value}' for '{argument}': {remedy}"
    ))
}

/// Returns advice for a value that its parser rejects.
fn remedy(cause: &(dyn Error + 'static)) -> String {
    if let Some(error) = cause.downcast_ref() {
        return whole_number(Some(error)).to_owned();
    }
    if cause.is::<ParseFloatError>() {
        return "write a number".to_owned();
    }
    cause.to_string()
}

/// Returns the message of the parser without the lines that repeat the usage.
fn first_lines(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let is_said =
        |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(is_said).collect();
    let message = lines.join(" ").replace(" tip:", "; tip:");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    message.to_owned()
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

    use clap::CommandFactory;

    use super::*;
    use crate::numbers::whole;

    #[derive(Debug, Parser)]
    struct Options {
        #[arg(long, value_parser = whole::<u64>(1..))]
        samples: Option<u64>,
        #[arg(long, value_parser = whole::<u32>(1..=1_000_000))]
        count: Option<u32>,
        #[arg(long)]
        width: Option<usize>,
        #[arg(long)]
        threads: Option<NonZero<usize>>,
        #[arg(long)]
        smoothing: Option<f64>,
        #[arg(long, value_parser = seconds)]
        time: Option<Duration>,
        #[arg(long, value_parser = ["min-fill", "min-weight"])]
        order: Option<String>,
        #[arg(long, conflicts_with = "time")]
        stats: bool,
        #[arg(long, requires = "width")]
        tall: bool,
    }

    #[test]
    fn numbers_that_are_none_say_what_was_meant() {
        for (argument, message) in [
            (
                "--samples=0",
                "invalid value '0' for '--samples <SAMPLES>': write a whole number, 1 or more",
            ),
            ("--samples=x", "write a whole number, 1 or more"),
            ("--count=0", "write a whole number from 1 to 1000000"),
            ("--count=9999999", "write a whole number from 1 to 1000000"),
            ("--width=1e3", "write a whole number"),
            ("--width=", "--width"),
            ("--threads=0", "write a whole number, 1 or more"),
            (
                "--width=99999999999999999999",
                "write a smaller whole number",
            ),
            ("--smoothing=much", "write a number"),
            ("--time=0", "write a positive number of seconds"),
            ("--time=nan", "write a positive number of seconds"),
            ("--tim=3", "tip:"),
        ] {
            let error = Options::try_parse_from(["program", argument]).unwrap_err();
            let line = mistake(&error);
            assert!(line.contains(message), "{argument}: {line}");
            assert!(!line.starts_with("error") && line.lines().count() == 1);
            assert!(!line.contains("digit") && !line.contains("1844"), "{line}");
        }
    }

    #[test]
    fn passed_arguments_name_the_flag_and_the_remedy() {
        for (arguments, message) in [
            (
                "--samples=0",
                "--samples 0: write a whole number, 1 or more",
            ),
            (
                "--samples=-1",
                "--samples -1: write a whole number, 1 or more",
            ),
            (
                "--order=up",
                "--order up: write one of min-fill, min-weight",
            ),
            ("--order", "--order: write one of min-fill, min-weight"),
            ("--width", "--width: write a value"),
            ("--stats=yes", "--stats yes: write true or false"),
            ("--stats --time=3", "--stats and --time: give one of them"),
            ("--tall", "--width is missing"),
        ] {
            let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
            let error = parsed_from::<Options>(Options::command(), &arguments).unwrap_err();
            assert_eq!(error, message);
        }
    }

    #[test]
    fn seconds_have_fractions() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
