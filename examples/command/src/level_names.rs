//! Weights and styles of training levels by patterns of their names.

use figrs_models::mdmc::{Corpus, LevelError};
use glob::Pattern;

/// `PATTERN=TIMES`.
///
/// **Errors.** The form to write.
pub fn weight(text: &str) -> Result<(Pattern, u32), String> {
    let (pattern, times) = text
        .rsplit_once('=')
        .ok_or("write a pattern of names and a number, as \"*-1=3\"")?;
    let max = Corpus::MAX_WEIGHT;
    let times = times.parse().ok().filter(|times| (1..=max).contains(times));
    let times = times.ok_or_else(|| format!("a level counts 1 to {max} times"))?;
    let pattern = Pattern::new(pattern).map_err(|error| error.to_string())?;
    Ok((pattern, times))
}

/// `STYLE=PATTERN`.
///
/// **Errors.** The form to write.
pub fn style(text: &str) -> Result<(String, Pattern), String> {
    let (name, pattern) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("write a name and a pattern of names, as castle=\"*-4\"")?;
    let pattern = Pattern::new(pattern).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), pattern))
}

/// A corpus whose levels count in training as often as the last pattern says that matches their name.
///
/// **Errors.** Those of [`Corpus::weighted`].
pub fn weighted(corpus: Corpus, weights: &[(Pattern, u32)]) -> Result<Corpus, LevelError> {
    corpus.weighted(|name| {
        let mut weights = weights.iter().rev();
        let own = weights.find(|(pattern, _)| pattern.matches(name));
        own.map_or(1, |&(_, times)| times)
    })
}

/// A corpus whose levels have the style of the first pattern that matches their name, else "other"; as it is if there are no styles.
pub fn styled(corpus: Corpus, styles: &[(String, Pattern)]) -> Corpus {
    if styles.is_empty() {
        return corpus;
    }
    corpus.styled(|name| {
        let own = styles.iter().find(|(_, pattern)| pattern.matches(name));
        own.map_or("other", |(style, _)| style).to_owned()
    })
}
