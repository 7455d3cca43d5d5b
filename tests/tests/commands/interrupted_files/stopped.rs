//! Tests of commands that are ended by `--time`, Ctrl-C and SIGTERM.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use figrs_tests::example::{self, text};
use serde_json::Value as Json;

use super::{files, wait_for};

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/puzzle/river.kif");

/// A network without evidence, from which samples can be drawn without end.
const NETWORK: &str = "
network coins { }
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 2 ] { yes, no }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b | a ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
";

/// Commands that have results after a moment and never end by themselves, each with the key of the results in their JSON.
const ENDLESS: [(&str, &str, &str); 11] = [
    ("maze", "--size 6 --count 1000000 --min-walk 16", "/puzzles"),
    (
        "maze",
        "--size 4 --method exact --count 1000000",
        "/puzzles",
    ),
    (
        "island",
        "--size 6 --count 1000000 --method chain",
        "/puzzles",
    ),
    (
        "dungeon",
        "--size 4 --min-walk 12 --count 1000000 --method rejection",
        "/puzzles",
    ),
    (
        "chromatic_maze",
        "--size 2 --min-steps 2 --count 1000000",
        "/puzzles",
    ),
    (
        "chromatic_maze",
        "--size 6 --min-steps 3 --count 1000000 --method rejection",
        "/puzzles",
    ),
    (
        "yin_yang",
        "--size 4 --count 1000000 --make-puzzle",
        "/puzzles",
    ),
    (
        "network",
        "--file NETWORK --task sample --count 1000000",
        "/samples",
    ),
    (
        "network",
        "--file NETWORK --algorithm importance-sampling --samples 1000000000000",
        "/marginals",
    ),
    (
        "puzzle",
        "--rules RULES --task sample --count 1000000",
        "/samples",
    ),
    (
        "compare",
        "--model burglary --samples 1000000000 --algorithms importance-sampling,gibbs",
        "/rows",
    ),
];

/// Starts a command of the list.
fn start(program: &str, arguments: &str, network: &str, more: &str) -> Child {
    let arguments = format!("{arguments} --format json {more}");
    let arguments = arguments.split_whitespace().map(|word| match word {
        "NETWORK" => network,
        "RULES" => RULES,
        word => word,
    });
    example::start(program, &arguments.collect::<Vec<_>>())
}

/// Runs commands of the list, a few at a time, in a directory with the network, and applies a function to each.
fn each(commands: &[(&str, &str, &str)], ask: impl Fn(&str, &str, &str, &str) + Sync) {
    let directory = tempfile::tempdir().unwrap();
    let network = directory.path().join("coins.bif");
    fs::write(&network, NETWORK).unwrap();
    let network = network.to_str().unwrap();
    for commands in commands.chunks(4) {
        scope(|scope| {
            for (program, arguments, place) in commands {
                scope.spawn(|| ask(program, arguments, place, network));
            }
        });
    }
}

/// Checks that a command has ended successfully with some results, and that it states the reason for its end.
fn check(command: &str, output: &Output, place: &str, reason: &str) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{command}: {message}");
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], reason, "{command}: {message}");
    let things = found.pointer(place).unwrap();
    let number = things
        .as_array()
        .map_or_else(|| things.as_object().unwrap().len(), Vec::len);
    assert!(number > 0, "{command}");
}

#[test]
fn the_end_of_the_time_ends_commands_with_what_there_is() {
    each(&ENDLESS, |program, arguments, place, network| {
        let output = start(program, arguments, network, "--time 2").wait_with_output();
        let command = format!("{program} {arguments}");
        check(&command, &output.unwrap(), place, "time");
    });
}

#[test]
fn draws_that_met_nothing_by_the_end_of_the_time_are_not_called_impossible() {
    let arguments = ["--size", "14", "--count", "4", "--time", "2"];
    let output = example::run("yin_yang", &arguments);
    let message = text(&output.stderr);
    // On a fast machine the command may have found a board by this time.
    if output.status.code() != Some(0) {
        assert_eq!(output.status.code(), Some(1), "{message}");
        let error = message.lines().last().unwrap();
        assert!(error.contains("--time"), "{message}");
        assert!(!error.contains("impossible"), "{message}");
    }
}

#[test]
fn commands_that_have_nothing_by_the_end_of_the_time_say_so() {
    for (program, arguments) in [
        (
            "yin_yang",
            "--size 15 --task count --memory 2GiB --method exact",
        ),
        ("dungeon", "--size 12 --method rejection --min-walk 80"),
        ("maze", "--size 100 --min-walk 9000"),
        ("yin_yang", "--size 13 --make-puzzle"),
        ("mario_mdmc", "--method conditioned --width 3000 --playable"),
        (
            "mario_mdmc",
            "--method conditioned --width 3000 --playable --probability",
        ),
    ] {
        let began = Instant::now();
        let arguments = format!("{arguments} --time 0.3");
        let output = example::run(program, &arguments.split(' ').collect::<Vec<_>>());
        let message = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{program} {arguments}: {message}"
        );
        assert!(
            message.contains("--time ended before there was"),
            "{message}"
        );
        assert!(output.stdout.is_empty());
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{program} {arguments}"
        );
    }
}

/// A set in JSON is a list of levels, and the last level states that the set was ended early.
#[test]
fn the_last_level_says_that_its_set_was_ended() {
    for (levels, stopped) in [("100000000", Json::from("time")), ("3", Json::Null)] {
        let ask = [
            "--levels", levels, "--width", "20", "--format", "json", "--time", "5",
        ];
        let ask = if levels == "3" {
            &ask[..]
        } else {
            &[&ask[..7], &["1"]].concat()
        };
        let output = example::run("mario_mdmc", ask);
        assert!(output.status.success());
        let found: Json = serde_json::from_slice(&output.stdout).unwrap();
        let found = found.as_array().unwrap();
        let (last, others) = found.split_last().unwrap();
        assert_eq!(last["stopped"], stopped);
        assert!(others.iter().all(|level| level["stopped"].is_null()));
    }
}

/// Sends a signal to a process by a command.
#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("kill");
    let status = kill.args([name, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_commands_with_what_there_is() {
    // The list has one command of each program.
    let mut commands = ENDLESS.to_vec();
    commands.dedup_by_key(|(program, _, _)| *program);
    each(&commands, |program, arguments, place, network| {
        let child = start(program, arguments, network, "");
        sleep(Duration::from_millis(1500));
        signal(&child, "-INT");
        let command = format!("{program} {arguments}");
        check(
            &command,
            &child.wait_with_output().unwrap(),
            place,
            "interrupt",
        );
    });
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_set_with_the_levels_so_far() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("levels.json");
    let ask = [
        "--levels",
        "100000000",
        "--seed",
        "1",
        "--out",
        path.to_str().unwrap(),
    ];
    let child = example::start("mario_mdmc", &ask);
    wait_for(|| {
        files(directory.path(), ".tmp")
            .iter()
            .any(|(_, bytes)| !bytes.is_empty())
    });
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    let levels: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let count = levels.as_array().unwrap().len();
    assert!(
        count > 0 && message.contains(&format!("levels {count} of 100000000 (interrupted)")),
        "{message}"
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// SIGTERM is sent, and also Ctrl-C if a command was stopped already and takes time to end.
#[cfg(unix)]
#[test]
fn no_unfinished_file_is_left_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("levels.txt");
    fs::write(&path, "old\n").unwrap();
    let levels = ["--levels", "100000000", "--out", path.to_str().unwrap()];
    let slow = ["--method", "conditioned", "--width", "2000", "--playable"];
    let slow = [&levels[..], &slow].concat();
    for (ask, signals, code) in [
        (&levels[..], &["-TERM"][..], 143),
        (&slow, &["-INT", "-INT"], 130),
    ] {
        let child = example::start("mario_mdmc", ask);
        wait_for(|| !files(directory.path(), ".tmp").is_empty());
        for name in signals {
            signal(&child, name);
            sleep(Duration::from_millis(200));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        assert_eq!(fs::read(&path).unwrap(), b"old\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}

/// Returns what a program writes to a terminal, until the text is as wanted or the program ends; `None` if no command creates a terminal.
#[cfg(unix)]
fn shown(program: &str, arguments: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let binary = example::binary(program);
    let command = format!("{} {arguments}", binary.display());
    let mut script = Command::new("script");
    let script = script.args(["-qec", &command, "/dev/null"]);
    let mut child = match script.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            println!("skipped: there is no command `script` ({error})");
            return None;
        }
    };
    let mut display = child.stdout.take().unwrap();
    let (mut shown, mut part) = (Vec::new(), [0; 1 << 12]);
    while !is_wanted(&String::from_utf8_lossy(&shown)) {
        match display.read(&mut part).unwrap() {
            0 => break,
            bytes => shown.extend_from_slice(&part[..bytes]),
        }
    }
    // The terminal ends with the command that created it, and the program ends with its terminal.
    child.kill().unwrap();
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&shown).into_owned())
}

/// Returns the numbers before each occurrence of a word.
#[cfg(unix)]
fn numbers_before(word: &str, shown: &str) -> Vec<u64> {
    let mut parts: Vec<&str> = shown.split(word).collect();
    parts.pop();
    let number = |part: &&str| {
        let digits = part.rfind(|letter: char| !letter.is_ascii_digit());
        part[digits.map_or(0, |at| at + 1)..].parse().ok()
    };
    parts.iter().filter_map(number).collect()
}

/// Progress lines on a terminal grow: a number before a word or, without such a number, the time.
#[cfg(unix)]
#[test]
fn progress_grows_on_a_terminal() {
    let commands = [
        (
            "maze",
            "--size 12 --min-walk 142 --method wilson --time 10",
            Some(" tried"),
        ),
        ("island", "--size 60 --time 10", None),
        (
            "dungeon",
            "--size 12 --method rejection --min-walk 20 --time 10",
            None,
        ),
        ("yin_yang", "--size 12 --make-puzzle --time 10", None),
        (
            "network",
            "--file NETWORK --algorithm importance-sampling --samples 1000000000000 --time 10",
            Some(" of 1000000000000"),
        ),
        (
            "mario_mdmc",
            "--levels 100000 --method conditioned --playable --time 10 --out /dev/null",
            None,
        ),
    ];
    let directory = tempfile::tempdir().unwrap();
    let network = directory.path().join("coins.bif");
    fs::write(&network, NETWORK).unwrap();
    let check = |(program, arguments, word): (&str, &str, Option<&str>)| {
        let arguments = arguments.replace("NETWORK", network.to_str().unwrap());
        let grows = |shown: &str| {
            let times = (1..=10).filter(|time| shown.contains(&format!(", {time}s")));
            let is_more = |word| {
                let numbers = numbers_before(word, shown);
                numbers.first() < numbers.last()
            };
            times.count() >= 2 && word.is_none_or(is_more)
        };
        // On a busy machine the first progress line may come late.
        if let Some(shown) = shown(program, &arguments, grows) {
            assert!(grows(&shown), "{program}: {shown:?}");
        }
    };
    for commands in commands.chunks(3) {
        scope(|scope| {
            for command in commands {
                scope.spawn(|| check(*command));
            }
        });
    }
}
