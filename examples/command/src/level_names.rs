//! Weights and styles of training levels, given by patterns of level names.

use figrs_models::mdmc::Corpus;
use glob::Pattern;

use crate::Failure;

/// Parses `PATTERN=TIMES`: a pattern of level names, and the weight of each level that matches (the number of times that the level counts).
///
/// **Errors.** The text has another form; the error shows the form to write.
pub fn weight(text: &str) -> Result<(Pattern, u32), String> {
    let (pattern, times) = text
        .rsplit_once('=')
        .ok_or("write a pattern of level names and a number, such as \"*-1=3\"")?;
    let max = Corpus::MAX_WEIGHT;
    let times = times.parse().ok().filter(|times| (1..=max).contains(times));
    let times = times.ok_or_else(|| format!("write a number of times from 1 to {max}"))?;
    let pattern = Pattern::new(pattern).map_err(|error| error.to_string())?;
    Ok((pattern, times))
}

/// Parses `STYLE=PATTERN`: a style, and a pattern of the names of the levels that have this style.
///
/// **Errors.** The text has another form; the error shows the form to write.
pub fn style(text: &str) -> Result<(String, Pattern), String> {
    let (name, pattern) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("write the name of a style and a pattern of level names, such as castle=\"*-4\"")?;
    let pattern = Pattern::new(pattern).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), pattern))
}

/// Returns a corpus in which the last pattern that matches a level's name gives the weight of the level.
///
/// **Errors.** [`Corpus::weighted`] fails, or a pattern matches no name.
pub fn weighted(corpus: Corpus, weights: &[(Pattern, u32)]) -> Result<Corpus, Failure> {
    check_matches(&corpus, weights.iter().map(|(pattern, _)| pattern))?;
    let weighted = corpus.weighted(|name| {
        let mut weights = weights.iter().rev();
        let own = weights.find(|(pattern, _)| pattern.matches(name));
        own.map_or(1, |&(_, times)| times)
    });
    Ok(weighted?)
}

/// Returns a corpus in which each level has the style of the first pattern that matches its name, or "other"; without styles, the corpus is
/// unchanged.
///
/// **Errors.** A pattern matches no name.
pub fn styled(corpus: Corpus, styles: &[(String, Pattern)]) -> Result<Corpus, Failure> {
    if styles.is_empty() {
        return Ok(corpus);
    }
    check_matches(&corpus, styles.iter().map(|(_, pattern)| pattern))?;
    Ok(corpus.styled(|name| {
        let own = styles.iter().find(|(_, pattern)| pattern.matches(name));
        own.map_or("other", |(style, _)| style).to_owned()
    }))
}

/// Maximum number of level names that an error lists.
const TOLD_NAMES: usize = 5;

/// Returns an error for the first pattern that matches no level name; the error lists the first level names.
pub(crate) fn check_matches<'a>(
    corpus: &Corpus,
    mut patterns: impl Iterator<Item = &'a Pattern>,
) -> Result<(), Failure> {
    let names = corpus.names();
    let Some(idle) = patterns.find(|pattern| !names.iter().any(|name| pattern.matches(name)))
    else {
        return Ok(());
    };
    let message = names.iter().take(TOLD_NAMES).map(String::as_str);
    let message = message.collect::<Vec<_>>().join(", ");
    let more = if names.len() > TOLD_NAMES { ", .." } else { "" };
    Err(
        format!("no level has a name that matches \"{idle}\"; the names are {message}{more}")
            .into(),
    )
}
