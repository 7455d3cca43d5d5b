//! The controls of the web page; messages name the fields of requests by these controls.

/// Flags of commands, each with the control of the web page that sets it.
const CONTROLS: [(&str, &str); 34] = [
    ("width", "“Columns”"),
    ("height", "“Rows”"),
    ("max-gap", "“Widest gap in the ground”"),
    ("pin", "“Paint only what training levels have there”"),
    ("playable", "“A player gets through”"),
    ("strict", "“Checked again by stricter rules”"),
    ("movement", "“A player moves by”"),
    ("trained", "“Model”"),
    ("structure", "“A tile depends on”"),
    ("smoothing", "“Added to each count”"),
    ("row-splits", "“Bands of rows, each with a table”"),
    ("order", "“Columns of an n-gram”"),
    ("section", "“Columns of a section”"),
    ("kinds", "“Kinds of sections”"),
    ("style", "“Styles”"),
    ("style-change", "“A style changes with probability”"),
    ("only", "“Levels named”"),
    ("weight", "“Weights”"),
    ("particles", "“Particles of a level”"),
    ("memory", "“Exact answers”"),
    ("weights", "“Passages”"),
    ("reachable", "“Gem, altar and exit”"),
    ("min-walk", "“Steps of the path”, from"),
    ("max-walk", "“Steps of the path”, to"),
    ("min-steps", "“Steps of the path”, from"),
    ("t-max", "“Steps of the path”, to"),
    ("min-walls", "“Walls”, from"),
    ("max-walls", "“Walls”, to"),
    ("min-land", "“Cells of land”, from"),
    ("max-land", "“Cells of land”, to"),
    ("min-bays", "“Bays”, from"),
    ("max-bays", "“Bays”, to"),
    ("min-black", "“Black cells”, from"),
    ("max-black", "“Black cells”, to"),
];

/// Returns the words of the control that sets a flag, if the web page has such a control.
pub(crate) fn control(flag: &str) -> Option<&'static str> {
    let known = CONTROLS.iter().find(|(own, _)| *own == flag);
    known.map(|(_, control)| *control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets;

    /// Flags whose control sets a field of the page with a name that shares no word with the flag.
    const FIELDS: [(&str, &str); 3] = [
        ("height", "rows"),
        ("pin", "forced"),
        ("row-splits", "bands"),
    ];

    #[test]
    fn the_page_has_each_control_on_the_line_of_its_field() {
        let read = |path| assets::find(path).map(|(_, text)| text.to_vec());
        let files = ["/level.js", "/board.js", "/kinds.js"];
        let page: Vec<u8> = files.into_iter().filter_map(read).flatten().collect();
        let page = String::from_utf8(page).unwrap();
        for (flag, control) in CONTROLS {
            let (label, _) = control.trim_start_matches('“').split_once('”').unwrap();
            let label = format!("\"{label}\"");
            let field = FIELDS.iter().find(|(own, _)| *own == flag);
            let field = field.map_or(flag, |(_, field)| *field);
            let sets_field = |line: &str| {
                let rest = line.replace(&label, "").to_lowercase();
                line.contains(&label) && field.split('-').any(|word| rest.contains(word))
            };
            assert!(page.lines().any(sets_field), "{flag}: {label}");
        }
    }
}
