//! Parsing of arguments, with errors of one line.

use std::error::Error;
use std::num::ParseFloatError;
use std::time::Duration;
use std::{env, process, slice};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Parser};

use crate::numbers::whole_number;
use crate::{Flag, note};

/// Returns the parsed arguments; if they are wrong, the program prints one line about the mistake and ends with exit code 2.
pub fn parsed<P: Parser>() -> P {
    parsed_by(P::command())
}

/// Parses arguments as [`parsed`] does, but by `command`, which may have more options than the type `P` defines.
pub fn parsed_by<P: Parser>(command: Command) -> P {
    let mut command = prepared(command);
    let parsed = command.try_get_matches_from_mut(env::args_os());
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| end(&command, &error))
}

/// Parses arguments that a program passes instead of a command line, without the name of the command.
///
/// **Errors.** The arguments are wrong; the error is a single line that names a flag as the type [`Flag`] does.
pub fn parsed_from<P: Parser>(command: Command, arguments: &[String]) -> Result<P, String> {
    let mut command = prepared(command).no_binary_name(true);
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| mistake(&command, &error))
}

/// Returns a command for which a negative number is a wrong value of its flag, not another flag.
fn prepared(command: Command) -> Command {
    let negative = |command: Command| command.allow_negative_numbers(true);
    let mut command = negative(command).mut_subcommands(negative);
    command.build();
    command
}

/// Ends the program with the requested help, or with one line about the mistake.
fn end(command: &Command, error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    note(format!("error: {}; see --help", mistake(command, error)));
    process::exit(2)
}

/// Returns one line that describes the mistake in the arguments of a command.
fn mistake(command: &Command, error: &clap::Error) -> String {
    let data = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => slice::from_ref(text),
        Some(ContextValue::Strings(texts)) => &texts[..],
        _ => &[],
    };
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        _ => 0,
    };
    let named = |kind, joint| {
        let names = data(kind).iter().map(|name| argument(command, name));
        names.collect::<Vec<_>>().join(joint)
    };
    let subcommands = || {
        let names = command.get_subcommands().map(Command::get_name);
        let names: Vec<&str> = names.filter(|&name| name != "help").collect();
        names.join(", ")
    };
    let argument = named(ContextKind::InvalidArg, ", ");
    let value = data(ContextKind::InvalidValue).concat();
    let remedy = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = data(ContextKind::InvalidSubcommand).concat();
            return format!("{name}: write one of {}", subcommands());
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return format!("write one of {}", subcommands());
        }
        ErrorKind::UnknownArgument if !argument.starts_with('-') => {
            return format!("the argument {argument} has no meaning; leave it out");
        }
        ErrorKind::UnknownArgument => {
            let near = named(ContextKind::SuggestedArg, ", ");
            return if near.is_empty() {
                format!("there is no {argument}")
            } else {
                format!("there is no {argument}; perhaps {near}")
            };
        }
        ErrorKind::MissingRequiredArgument => return format!("{argument} is missing"),
        ErrorKind::ArgumentConflict => {
            let other = named(ContextKind::PriorArg, " and ");
            return if other == argument {
                format!("{argument}: give it once")
            } else {
                format!("leave out {argument}, or {other}")
            };
        }
        ErrorKind::ValueValidation => error.source().map_or_else(String::new, remedy),
        ErrorKind::InvalidValue => match data(ContextKind::ValidValue) {
            [] => "write a value".to_owned(),
            values => format!("write one of {}", values.join(", ")),
        },
        ErrorKind::WrongNumberOfValues => format!(
            "give {} values, not {}",
            number(ContextKind::ExpectedNumValues),
            number(ContextKind::ActualNumValues)
        ),
        ErrorKind::TooManyValues => "give no value".to_owned(),
        other => other.as_str().unwrap_or("it is wrong").to_owned(),
    };
    let space = if value.is_empty() { "" } else { " " };
    let message = format!("{argument}{space}{value}: {remedy}");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the words with which a message names an argument such as `--size <SIDE>`, or a group of arguments of which one is required.
fn argument(command: &Command, name: &str) -> String {
    let words = |one: &Arg| {
        let flag = one.get_long();
        flag.map_or_else(|| one.to_string(), |flag| Flag(flag).to_string())
    };
    let of_subcommands = || command.get_subcommands().flat_map(Command::get_arguments);
    let all = || command.get_arguments().chain(of_subcommands());
    if let Some(one) = all().find(|one| one.to_string() == name) {
        return words(one);
    }
    let groups = command.get_groups().map(|group| -> Vec<&Arg> {
        let is_member = |one: &&Arg| group.get_args().any(|member| member == one.get_id());
        all().filter(is_member).collect()
    });
    let joined = |group: &[&Arg]| {
        let members: Vec<String> = group.iter().map(ToString::to_string).collect();
        format!("<{}>", members.join("|"))
    };
    let mut groups = groups.filter(|group| joined(group) == name);
    let group = groups.next().map(|group| {
        let members: Vec<String> = group.into_iter().map(words).collect();
        format!("one of {}", members.join(", "))
    });
    group.unwrap_or_else(|| name.to_owned())
}

/// Returns advice for an argument's value that the parser of the argument rejects.
fn remedy(cause: &(dyn Error + 'static)) -> String {
    if let Some(error) = cause.downcast_ref() {
        return whole_number(Some(error)).to_owned();
    }
    if cause.is::<ParseFloatError>() {
        return "write a number".to_owned();
    }
    cause.to_string()
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
    fn mistakes_name_the_flag_and_the_remedy() {
        let whole = "write a whole number, 1 or more";
        let count = "write a whole number from 1 to 1000000";
        let time = "write a positive number of seconds up to 1000000000, such as 60 or 0.5";
        for (arguments, message) in [
            ("--samples=0", format!("--samples 0: {whole}")),
            ("--samples=-1", format!("--samples -1: {whole}")),
            ("--samples=x", format!("--samples x: {whole}")),
            ("--count=0", format!("--count 0: {count}")),
            ("--count=9999999", format!("--count 9999999: {count}")),
            (
                "--width=1e3",
                "--width 1e3: write a whole number".to_owned(),
            ),
            ("--width=", "--width: write a whole number".to_owned()),
            ("--width", "--width: write a value".to_owned()),
            (
                "--width=99999999999999999999",
                "--width 99999999999999999999: write a smaller whole number".to_owned(),
            ),
            ("--threads=0", format!("--threads 0: {whole}")),
            (
                "--smoothing=much",
                "--smoothing much: write a number".to_owned(),
            ),
            ("--time=0", format!("--time 0: {time}")),
            ("--time=nan", format!("--time nan: {time}")),
            ("--tim=3", "there is no --tim; perhaps --time".to_owned()),
            ("--fly", "there is no --fly".to_owned()),
            (
                "fly",
                "the argument fly has no meaning; leave it out".to_owned(),
            ),
            (
                "--order=up",
                "--order up: write one of min-fill, min-weight".to_owned(),
            ),
            (
                "--order",
                "--order: write one of min-fill, min-weight".to_owned(),
            ),
            ("--stats=yes", "--stats yes: give no value".to_owned()),
            ("--stats --stats", "--stats: give it once".to_owned()),
            (
                "--stats --time=3",
                "leave out --stats, or --time".to_owned(),
            ),
            ("--tall", "--width is missing".to_owned()),
        ] {
            let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
            let error = parsed_from::<Options>(Options::command(), &arguments).unwrap_err();
            assert_eq!(error, message);
        }
    }

    #[derive(Debug, Parser)]
    struct Tasks {
        #[command(subcommand)]
        _task: Task,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Task {
        Fit {
            #[arg(long)]
            _rows: usize,
        },
        Sum {
            #[arg(long, num_args = 2)]
            _ends: Vec<usize>,
        },
    }

    #[test]
    fn mistakes_in_subcommands_name_them() {
        for (arguments, message) in [
            (&[][..], "write one of fit, sum"),
            (&["fly"], "fly: write one of fit, sum"),
            (&["fit"], "--rows is missing"),
            (&["fit", "--rows", "-1"], "--rows -1: write a whole number"),
            (&["sum", "--ends", "1"], "--ends: give 2 values, not 1"),
        ] {
            let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
            let error = parsed_from::<Tasks>(Tasks::command(), &arguments).unwrap_err();
            assert_eq!(error, message);
        }
    }

    #[test]
    fn seconds_have_fractions() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }
}
