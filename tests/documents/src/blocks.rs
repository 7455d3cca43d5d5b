//! Finds the programs in Markdown pages and the outputs shown below them.

/// A program of a Markdown page.
pub(crate) struct Block {
    /// The text of the program.
    pub(crate) code: String,
    /// The range of lines, counted from zero, of the output below the program, without its fences. If no output is shown, the empty range where the
    /// output would be.
    pub(crate) output: std::ops::Range<usize>,
    /// `true` if an output is shown below the program.
    pub(crate) is_shown: bool,
}

/// Returns the programs of a page that have a `main`.
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
