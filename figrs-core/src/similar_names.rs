//! Suggestions of similar names, for messages about unknown names.

use crate::element::label::printable;

/// Returns the end of a message about an unknown name: a question that lists the similar names `near`, or a statement that no existing name is
/// similar.
pub fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() {
        "no existing name is similar".into()
    } else {
        format!("did you mean `{}`?", printable(&near.join("`, `")))
    }
}

/// Returns the names most similar to `asked`, or all names if there are only a few.
pub fn similar_names<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    const FEW: usize = 6;
    const SHOWN: usize = 3;
    let mut ranked: Vec<(usize, &str)> = names
        .map(|name| (edit_distance(asked, name), name))
        .collect();
    // The sort is stable, so that equally similar names keep their order.
    ranked.sort_by_key(|&(distance, _)| distance);
    if ranked.len() > FEW {
        let most = (asked.chars().count() / 2).max(2);
        ranked.retain(|&(distance, _)| distance <= most);
        ranked.truncate(SHOWN);
    }
    ranked.into_iter().map(|(_, name)| name.into()).collect()
}

/// Returns the edit distance between `a` and `b`: the number of letters to change, insert or delete. The edit distance ignores case, and compares
/// only the first letters of long names.
pub fn edit_distance(a: &str, b: &str) -> usize {
    const LETTERS: usize = 48;
    let letters = |text: &str| -> Vec<char> {
        let letters = text.chars().flat_map(char::to_lowercase);
        letters.take(LETTERS).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_letters() {
        assert_eq!(edit_distance("kitten", "Sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", "ABC"), 0);
    }

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let names = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray"];
        assert_eq!(similar_names("smoker", names.into_iter()), ["smoke"]);
        assert_eq!(similar_names("Xray", names.into_iter())[0], "xray");
        assert!(similar_names("temperature", names.into_iter()).is_empty());
        assert_eq!(
            similar_names("on", ["yes", "no"].into_iter()),
            ["no", "yes"]
        );
    }
}
