//! Paths: the names of fields, the numbers of items and the keys of maps that lead from an object to one of its parts.

use std::borrow::Cow;

use super::error::PartError;

#[derive(Debug)]
pub(super) struct Path {
    text: String,
    /// The steps of the path, each with the position in the text of the path at which it ends.
    steps: Vec<(Step, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(String),
    Item(usize),
    Key(String),
}

impl Step {
    /// Returns the name of the field in the step of a path, or the text in its brackets, where a number needs no quotation marks.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Item(index) => index.to_string().into(),
            Self::Field(name) | Self::Key(name) => name.into(),
        }
    }
}

impl Path {
    /// Parses the text of a path; the empty path leads to the object itself.
    pub(super) fn parse(text: &str) -> Result<Self, PartError> {
        let wrong = |problem: &str| PartError::Syntax {
            path: text.into(),
            problem: problem.into(),
        };
        let mut steps = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            if let Some(key) = rest.strip_prefix("[\"") {
                let (key, length) =
                    quoted(key).ok_or_else(|| wrong("has a `[\"` without a `\"]`"))?;
                at += length + 2;
                steps.push((Step::Key(key), at));
                continue;
            }
            if let Some(item) = rest.strip_prefix('[') {
                let (number, _) = item
                    .split_once(']')
                    .ok_or_else(|| wrong("has a `[` without a `]`"))?;
                let index = number
                    .parse()
                    .ok()
                    .filter(|_| number.bytes().all(|b| b.is_ascii_digit()));
                let index = index
                    .ok_or_else(|| wrong("has brackets around a text that is not a number"))?;
                at += number.len() + 2;
                steps.push((Step::Item(index), at));
                continue;
            }
            // A point precedes each field except the first.
            let field = match rest.strip_prefix('.') {
                Some(field) if at > 0 => field,
                None if at == 0 => rest,
                _ => {
                    return Err(wrong(
                        "has no point before a field, or a point at its start",
                    ));
                }
            };
            let length = field.find(['.', '[', ']']).unwrap_or(field.len());
            if length == 0 {
                return Err(wrong("has an empty name"));
            }
            at = text.len() - field.len() + length;
            steps.push((Step::Field(field[..length].into()), at));
        }
        Ok(Self {
            text: text.into(),
            steps,
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn step(&self, at: usize) -> Option<&Step> {
        self.steps.get(at).map(|(step, _)| step)
    }

    pub(super) fn start(&self, steps: usize) -> &str {
        let end = steps.checked_sub(1).map_or(0, |last| self.steps[last].1);
        &self.text[..end]
    }
}

/// Parses a quoted key at the start of a text, up to the first `"]`, and returns the key and the length of the parsed text.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut key = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return text[at + 1..].starts_with(']').then_some((key, at + 2)),
            '\\' => key.push(letters.next()?.1),
            letter => key.push(letter),
        }
    }
    None
}

/// Returns the path of the object with the key `key` in a map at the path `start`.
pub(super) fn keyed(start: &str, key: &str) -> String {
    let key = key.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{start}[\"{key}\"]")
}

/// Returns the path that consists of the path `start`, followed by the path `rest`.
pub(super) fn joined(start: &str, rest: &str) -> String {
    if start.is_empty() || rest.is_empty() || rest.starts_with('[') {
        format!("{start}{rest}")
    } else {
        format!("{start}.{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_names_and_numbers() {
        let path = Path::parse("rooms[2].owner.0[10][0]").unwrap();
        let field = |name: &str| Step::Field(name.into());
        let steps: Vec<Step> = (0..path.len())
            .filter_map(|at| path.step(at).cloned())
            .collect();
        let expected = [
            field("rooms"),
            Step::Item(2),
            field("owner"),
            field("0"),
            Step::Item(10),
            Step::Item(0),
        ];
        assert_eq!(steps, expected);
        let starts: Vec<&str> = (0..=3).map(|steps| path.start(steps)).collect();
        assert_eq!(starts, ["", "rooms", "rooms[2]", "rooms[2].owner"]);
        assert_eq!(path.start(path.len()), path.text());
        assert_eq!(Path::parse("").unwrap().len(), 0);
        assert_eq!(Path::parse("[1].é").unwrap().len(), 2);
        let key = r#"a "b" \ [c].é"#;
        let path = Path::parse(&(keyed("rooms", key) + ".size")).unwrap();
        assert_eq!(path.step(1), Some(&Step::Key(key.into())));
        assert_eq!(
            (path.start(2), path.len()),
            (keyed("rooms", key).as_str(), 3)
        );
    }

    #[test]
    fn wrong_paths_are_errors() {
        for text in [
            ".a",
            "a.",
            "a..b",
            "a[",
            "a[]",
            "a[-1]",
            "a[+1]",
            "a[x]",
            "a]",
            "a[1]b",
            "[1].",
            "a.[1]",
            "a[99999999999999999999999]",
            "[é]",
            "[\"é\"",
            "a[\"b]",
            "a[\"b\"c]",
            "a[\"b\\",
            ".",
        ] {
            let error = Path::parse(text).unwrap_err();
            assert!(matches!(error, PartError::Syntax { .. }), "{text}: {error}");
        }
    }
}
