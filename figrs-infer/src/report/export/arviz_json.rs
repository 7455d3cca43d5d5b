//! Draws in the JSON layout of ArviZ.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use crate::answer::draws::{Draws, TargetDraws};
use crate::answer::numeric::{NumericColumns, NumericValue, numbers};

use super::text;

impl Draws {
    /// Writes the draws as ArviZ's JSON of inference data, which its `from_json` reads (in versions from 1.0 its `from_dict` takes
    /// the parsed groups, all keys but `attrs`).
    ///
    /// The group `posterior` has a variable a target, named as in [`write_csv`](Self::write_csv), as nested lists over chains and
    /// draws, and over components if the values are lists of numbers of the same length. Numbers are written as they are, truth
    /// values as 0 and 1 (ArviZ cannot subtract truth values), and any other value as its position in the list
    /// `levels_of_NAME` among the `attrs`. The group `sample_stats` has `log_weight` where draws are weighted: ArviZ itself takes
    /// all draws for equally likely, so resample such draws first. `attrs` also names this library and its version.
    /// Numbers that are not finite are written `NaN`, `Infinity` and `-Infinity`, as Python reads and writes them, which
    /// strict JSON does not know.
    ///
    /// **Errors.** Those of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the numbers of draws do not fit
    /// together.
    pub fn write_arviz_json(&self, writer: impl Write) -> io::Result<()> {
        self.check()?;
        let mut out = BufWriter::new(writer);
        let names = self.names(&[]);
        let variables: Vec<VariableFragments> =
            self.targets.iter().map(VariableFragments::new).collect();
        write!(out, "{{\"posterior\":{{")?;
        for (i, (target, variable)) in self.targets.iter().zip(&variables).enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{}:", string(&names[i]))?;
            let fragment = |at: usize| variable.fragments[target.indices[at] as usize].as_str();
            self.write_nested(&mut out, fragment)?;
        }
        write!(out, "}},")?;
        if let Some(logs) = &self.log_weights {
            let numbers: Vec<String> = logs.iter().map(|&log| number(log)).collect();
            write!(out, "\"sample_stats\":{{\"log_weight\":")?;
            self.write_nested(&mut out, |at| numbers[at].as_str())?;
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

    /// Writes a list of chains, each a list of draws.
    fn write_nested<'a>(
        &self,
        out: &mut impl Write,
        fragment: impl Fn(usize) -> &'a str,
    ) -> io::Result<()> {
        write!(out, "[")?;
        for chain in 0..self.chains {
            write!(out, "{}", if chain > 0 { ",[" } else { "[" })?;
            for draw in 0..self.length {
                let comma = if draw > 0 { "," } else { "" };
                write!(out, "{comma}{}", fragment(chain * self.length + draw))?;
            }
            write!(out, "]")?;
        }
        write!(out, "]")
    }
}

/// JSON fragments of the values of a target.
struct VariableFragments {
    fragments: Vec<String>,
    /// The values that the positions stand for, if the values are written as positions.
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
            // Integers keep all their digits.
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

/// A number as Python's `json` writes it.
fn number(x: f64) -> String {
    if x.is_nan() {
        "NaN".into()
    } else if x.is_infinite() {
        if x > 0.0 { "Infinity" } else { "-Infinity" }.into()
    } else {
        format!("{x:?}")
    }
}

/// A JSON string.
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
