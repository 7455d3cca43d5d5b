//! Generates a module for each program in README and `docs/`, in which `println!` and `print!` write to a buffer.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[allow(dead_code, reason = "outputs are for the tests")]
#[path = "src/blocks.rs"]
mod blocks;

/// Macros that are inserted before a program, and the function after it that runs the program.
const BEFORE: &str = "
    #[allow(unused_macros)]
    macro_rules! println {
        () => { $crate::printed::write(format_args!(\"\\n\")) };
        ($($text:tt)*) => {{ $crate::printed::write(format_args!($($text)*)); $crate::printed::write(format_args!(\"\\n\")) }};
    }
    #[allow(unused_macros)]
    macro_rules! print {
        ($($text:tt)*) => { $crate::printed::write(format_args!($($text)*)) };
    }
";
const AFTER: &str = "
    pub(super) fn run() -> String { crate::printed::by(main) }
";

/// Returns README and the pages of `docs/` that have programs for users.
fn pages(root: &Path) -> Vec<PathBuf> {
    let folder = |path: &str| {
        let entries = std::fs::read_dir(root.join(path)).expect("the repository has the folder");
        let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("a name").path()).collect();
        pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
        pages.sort();
        pages
    };
    let mut pages = vec![root.join("README.md")];
    pages.extend(folder("docs"));
    pages.extend(folder("docs/tutorial"));
    pages
}

fn main() {
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo tells it");
    let root = Path::new(&here).join("../..");
    let (mut modules, mut list) = (String::new(), String::new());
    for page in pages(&root) {
        println!("cargo::rerun-if-changed={}", page.display());
        let place = page.display().to_string();
        let text = fs::read_to_string(&page).expect("the page is text");
        for block in blocks::programs(&text) {
            let name = format!("program_{}", modules.matches("\nmod program_").count());
            let code = block.code.lines().map(|line| {
                // Lines that begin with `# ` are hidden in the documentation.
                line.strip_prefix("# ")
                    .or(line.strip_prefix('#').filter(|rest| rest.is_empty()))
                    .unwrap_or(line)
            });
            let code = code.collect::<Vec<_>>().join("\n");
            let allowed = "#[allow(warnings, clippy::all, clippy::pedantic)]";
            let written = write!(
                modules,
                "\n{allowed}\nmod {name} {{{BEFORE}{code}{AFTER}}}\n"
            );
            written.expect("a string takes all");
            let entry = format!(
                "Program {{ page: {place:?}, code: {:?}, run: {name}::run }},\n",
                block.code
            );
            list.push_str(&entry);
        }
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("programs.rs");
    let all = format!("{modules}\nconst PROGRAMS: &[Program] = &[\n{list}];\n");
    fs::write(out, all).expect("cargo's folder can be written to");
}
