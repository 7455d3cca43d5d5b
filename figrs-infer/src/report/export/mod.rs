//! Draws as files for other programs.

mod arviz_json;
mod csv;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;

use figrs_core::{AnyElement, Datum};

use crate::answer::draws::Draws;

impl Draws {
    /// Checks that positions and numbers of draws fit together; the fields are public.
    fn check(&self) -> io::Result<()> {
        let draws = self.chains.checked_mul(self.length);
        for target in &self.targets {
            let values = target.support.len();
            if Some(target.indices.len()) != draws
                || target.indices.iter().any(|&i| i as usize >= values)
            {
                return Err(self.misfit(&target.element.label().to_string(), target.indices.len()));
            }
        }
        match &self.log_weights {
            Some(logs) if Some(logs.len()) != draws => Err(self.misfit("the weights", logs.len())),
            _ => Ok(()),
        }
    }

    fn misfit(&self, what: &str, found: usize) -> io::Error {
        let message = format!(
            "{found} draws of {what} do not fit {} chains of {} draws, or have values that are not in the support; \
             give each target `chains * length` positions",
            self.chains, self.length
        );
        io::Error::new(io::ErrorKind::InvalidInput, message)
    }

    /// The names of the targets, different from each other and from the reserved names.
    fn names(&self, reserved: &[&str]) -> Vec<String> {
        let elements = self.targets.iter().map(|target| target.element.clone());
        distinct_names(&elements.collect::<Vec<_>>(), reserved)
    }
}

/// The names of elements, or their constructors and source lines; different from each other and from the reserved names.
pub(crate) fn distinct_names(elements: &[AnyElement], reserved: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for element in elements {
        let label = element.label();
        let plain = label.name.clone().unwrap_or_else(|| label.to_string());
        let mut name = plain.clone();
        let mut count = 1;
        while names.contains(&name) || reserved.contains(&name.as_str()) {
            count += 1;
            name = format!("{plain} ({count})");
        }
        names.push(name);
    }
    names
}

/// A value as text: characters and strings as they are, others as `Debug` shows them.
pub(crate) fn text(value: &Datum) -> String {
    if let Some(text) = value.get::<String>() {
        return text.clone();
    }
    if let Some(text) = value.get::<&str>() {
        return (*text).into();
    }
    if let Some(text) = value.get::<Cow<'static, str>>() {
        return text.to_string();
    }
    match value.get::<char>() {
        Some(letter) => letter.to_string(),
        None => format!("{value:?}"),
    }
}
