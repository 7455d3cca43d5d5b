//! Files of the web page, which are part of the program.

use hyper::body::Bytes;

/// Paths of the files of the web page, with their media types and texts.
const FILES: [(&str, &str, &str); 14] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("../page/index.html"),
    ),
    ("/style.css", CSS, include_str!("../page/style.css")),
    ("/main.js", SCRIPT, include_str!("../page/main.js")),
    ("/api.js", SCRIPT, include_str!("../page/api.js")),
    ("/dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("/grid.js", SCRIPT, include_str!("../page/grid.js")),
    ("/history.js", SCRIPT, include_str!("../page/history.js")),
    ("/files.js", SCRIPT, include_str!("../page/files.js")),
    ("/designer.js", SCRIPT, include_str!("../page/designer.js")),
    ("/kinds.js", SCRIPT, include_str!("../page/kinds.js")),
    ("/level.js", SCRIPT, include_str!("../page/level.js")),
    ("/board.js", SCRIPT, include_str!("../page/board.js")),
    ("/network.js", SCRIPT, include_str!("../page/network.js")),
    ("/tour.js", SCRIPT, include_str!("../page/tour.js")),
];

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Returns the media type and the bytes of the file of the page at the given path, if there is such a file.
pub(crate) fn find(path: &str) -> Option<(&'static str, Bytes)> {
    let file = FILES.iter().find(|(name, _, _)| *name == path);
    file.map(|(_, kind, text)| (*kind, Bytes::from_static(text.as_bytes())))
}
