//! Draws in the JSON format of ArviZ.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use figrs_infer::internals::{NumericColumns, NumericValue, numbers, text};
use figrs_infer::{Draws, TargetDraws};

use super::{check, names};

pub(super) fn write(draws: &Draws, writer: impl Write) -> io::Result<()> {
    check(draws)?;
    let mut out = BufWriter::new(writer);
    let names = names(draws, &[]);
    let variables: Vec<VariableFragments> =
        draws.targets.iter().map(VariableFragments::new).collect();
    write!(out, "{{\"posterior\":{{")?;
    for (i, (target, variable)) in draws.targets.iter().zip(&variables).enumerate() {
        let comma = if i > 0 { "," } else { "" };
        write!(out, "{comma}{}:", string(&names[i]))?;
        let fragment = |at: usize| variable.fragments[target.indices[at] as usize].as_str();
        write_nested(draws, &mut out, fragment)?;
    }
    write!(out, "}},")?;
    if let Some(logs) = &draws.log_weights {
        let numbers: Vec<String> = logs.iter().map(|&log| number(log)).collect();
        write!(out, "\"sample_stats\":{{\"log_weight\":")?;
        write_nested(draws, &mut out, |at| numbers[at].as_str())?;
        write!(out, "}},")?;
    }
    write!(
        out,
        "\"attrs\":{{\"inference_library\":\"figrs\",\"inference_library_version\":{}",
        string(env!("CARGO_PKG_VERSION"))
    )?;
    for (name, variable) in names.iter().zip(&variables) {
        if !variable.levels.is_empty() {
            let levels: Vec<String> = variable.levels.iter().map(|l| string(l)).collect();
            let key = string(&format!("levels_of_{name}"));
            write!(out, ",{key}:[{}]", levels.join(","))?;
        }
    }
    write!(out, "}}}}")?;
    out.flush()
}

/// Writes nested JSON lists: a list of chains, each of which is a list of draws.
fn write_nested<'a>(
    draws: &Draws,
    out: &mut impl Write,
    fragment: impl Fn(usize) -> &'a str,
) -> io::Result<()> {
    write!(out, "[")?;
    for chain in 0..draws.chains {
        write!(out, "{}", if chain > 0 { ",[" } else { "[" })?;
        for draw in 0..draws.length {
            let comma = if draw > 0 { "," } else { "" };
            write!(out, "{comma}{}", fragment(chain * draws.length + draw))?;
        }
        write!(out, "]")?;
    }
    write!(out, "]")
}

/// For each distinct value of a target, its JSON text.
struct VariableFragments {
    fragments: Vec<String>,
    /// The distinct values as texts, if each draw is written as the index of its value; otherwise empty.
    levels: Vec<String>,
}

impl VariableFragments {
    fn new(target: &TargetDraws) -> Self {
        let support = &target.support;
        let positions = 0..support.len();
        let columns = NumericColumns::new(positions.clone().map(|i| support.any(i)));
        let fragment = |i: usize| match numbers(support.any(i)) {
            Some(NumericValue::List(list)) => {
                let items: Vec<String> = list.iter().map(|&x| number(x)).collect();
                format!("[{}]", items.join(","))
            }
            // Integers are written with all their digits.
            Some(NumericValue::One(x))
                if support.get::<f64>(i).is_some() || support.get::<f32>(i).is_some() =>
            {
                number(x)
            }
            _ => text(&support.datum(i)),
        };
        let truth = |i| {
            support
                .get::<bool>(i)
                .map(|&truth| u8::from(truth).to_string())
        };
        let truths: Option<Vec<String>> = positions.clone().map(truth).collect();
        let (fragments, levels) = match truths {
            Some(truths) => (truths, Vec::new()),
            None if !columns.is_empty() => (positions.map(fragment).collect(), Vec::new()),
            None => (
                positions.clone().map(|i| i.to_string()).collect(),
                positions.map(|i| text(&support.datum(i))).collect(),
            ),
        };
        Self { fragments, levels }
    }
}

/// Returns a number in the notation of Python's `json`.
fn number(x: f64) -> String {
    if x.is_nan() {
        "NaN".into()
    } else if x.is_infinite() {
        if x > 0.0 { "Infinity" } else { "-Infinity" }.into()
    } else {
        format!("{x:?}")
    }
}

fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
