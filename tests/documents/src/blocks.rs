//! Programs in Markdown, and the outputs shown below them.

/// A program of a page.
pub(crate) struct Block {
    /// Its text.
    pub(crate) code: String,
    /// The lines of the output below it without their fences, as a range of line numbers counted from zero; where it would stand if
    /// none is shown.
    pub(crate) output: std::ops::Range<usize>,
    /// `true` if an output is shown.
    pub(crate) is_shown: bool,
}

/// The programs of a page that have a `main`.
pub(crate) fn programs(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let close = |from: usize| (from..lines.len()).find(|&at| lines[at] == "```");
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if !lines[at].starts_with("```") {
            at += 1;
            continue;
        }
        let Some(end) = close(at + 1) else { break };
        let code = lines[at + 1..end].join("\n");
        if lines[at] == "```rust" && code.contains("fn main()") {
            let below = (end + 1..lines.len()).find(|&at| !lines[at].is_empty());
            let shown = below.filter(|&at| lines[at] == "```text");
            let output = shown.and_then(|open| Some(open + 1..close(open + 1)?));
            blocks.push(Block {
                code,
                is_shown: output.is_some(),
                output: output.unwrap_or(end + 1..end + 1),
            });
        }
        at = end + 1;
    }
    blocks
}
