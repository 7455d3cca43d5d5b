//! Opens HTML pages in a browser without a window.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Returns the program name of an installed browser that can run without a window, if there is one.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// Returns the elements of a page as a browser has rendered it, each picture with its displayed width as `data-width`. Returns `None` and prints the
/// reason if no browser is installed.
///
/// # Panics
///
/// Panics if the browser fails or writes to its console, or if a picture is missing.
pub fn opened(page: &Path) -> Option<String> {
    let Some(browser) = browser() else {
        println!("skipped: no chromium, chromium-browser, google-chrome or chrome is on the path");
        return None;
    };
    let profile = tempfile::tempdir().expect("there is room for a profile");
    // A script that the test adds reports the widths of the pictures.
    let message = "<script>onload = () => { for (const image of document.images) \
                image.dataset.width = image.naturalWidth; }</script></body>";
    let text = fs::read_to_string(page).expect("the page is text");
    let asked = profile.path().join("page.html");
    fs::write(&asked, text.replace("</body>", message)).expect("there is room for a page");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args([
            "--enable-logging=stderr",
            "--virtual-time-budget=5000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .env("XDG_RUNTIME_DIR", env::temp_dir())
        .arg(&asked)
        .output()
        .expect("the browser starts");
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    let logged = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{logged}");
    assert!(!logged.contains("CONSOLE"), "{logged}");
    let images = seen.matches("<img ").count();
    assert_eq!(seen.matches("data-width=").count(), images, "{seen}");
    assert!(
        !seen.contains("data-width=\"0\""),
        "a picture is missing: {seen}"
    );
    Some(seen)
}
