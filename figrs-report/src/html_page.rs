//! Self-contained HTML pages.

use std::fmt::{self, Display};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use quick_xml::escape::escape;

/// Maximum width, in pixels, of pictures that may shrink to any size with the page.
const WIDE: f64 = 1100.0;
/// The style sheet of a page: text in one column, pictures next to each other if there is room, in the light or dark colours of the
/// reader's system.
const STYLE: &str = include_str!("html_page.css");

/// A self-contained HTML page with embedded pictures: the page has no scripts and needs no other files. The HTML page is also well-formed XML.
///
/// The HTML page shows its parts in the order in which they were added. The trait [`Display`] writes the HTML page.
///
/// ```
/// use figrs_report::HtmlPage;
///
/// let mut page = HtmlPage::new("Two boards");
/// page.settings([("seed", "7")]).heading("Shares").table(&["board", "walls"], [["1", "0.4"], ["2", "0.5"]]);
/// assert!(page.to_string().starts_with("<!DOCTYPE html>"));
/// ```
#[derive(Clone, Debug)]
pub struct HtmlPage {
    title: String,
    body: Vec<String>,
}

impl HtmlPage {
    /// Creates an HTML page that contains only a title.
    pub fn new(title: &str) -> Self {
        Self {
            title: clean(title),
            body: Vec::new(),
        }
    }

    /// Adds a list of names with their values to the page. If the list is empty, nothing is added to the page.
    pub fn settings(
        &mut self,
        settings: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
    ) -> &mut Self {
        let setting = |(name, value): (_, _)| {
            let (name, value) = (in_words(&cleaned(name)), cleaned(value));
            format!("<div><dt>{name}</dt><dd>{value}</dd></div>")
        };
        let settings: String = settings.into_iter().map(setting).collect();
        if !settings.is_empty() {
            self.heading("Settings");
            self.body.push(format!("<dl>{settings}</dl>\n"));
        }
        self
    }

    /// Adds the heading `text` to the page.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.body.push(format!("<h2>{}</h2>\n", clean(text)));
        self
    }

    /// Adds a paragraph with the text `text` to the page.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        self.body.push(format!("<p>{}</p>\n", clean(text)));
        self
    }

    /// Adds a list of texts. If the list is empty, nothing is added to the page.
    pub fn list(&mut self, items: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Self {
        let item = |item| format!("<li>{}</li>\n", cleaned(item));
        let items: String = items.into_iter().map(item).collect();
        if !items.is_empty() {
            self.body.push(format!("<ul>\n{items}</ul>\n"));
        }
        self
    }

    /// Adds a table with a row of headings to the page. In the table, the first column is aligned to the left, and so is the last column if there are
    /// more than two columns; the other columns are aligned to the right.
    pub fn table<R: IntoIterator<Item = impl AsRef<str>>>(
        &mut self,
        headings: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) -> &mut Self {
        self.marked_table(headings, rows.into_iter().map(|row| (row, false)))
    }

    /// Adds a table as [`HtmlPage::table`] does; for each row, a truth value states whether the row is highlighted.
    pub fn marked_table<R: IntoIterator<Item = impl AsRef<str>>>(
        &mut self,
        headings: &[&str],
        rows: impl IntoIterator<Item = (R, bool)>,
    ) -> &mut Self {
        let heading = |heading: &&str| format!("<th>{}</th>", clean(heading));
        let headings: String = headings.iter().map(heading).collect();
        let row = |(cells, is_marked): (R, bool)| {
            let cell = |cell| format!("<td>{}</td>", cleaned(cell));
            let cells: String = cells.into_iter().map(cell).collect();
            let class = if is_marked { " class=\"marked\"" } else { "" };
            format!("<tr{class}>{cells}</tr>\n")
        };
        let rows: String = rows.into_iter().map(row).collect();
        self.body.push(format!(
            "<div class=\"table\"><table><thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
        ));
        self
    }

    /// Adds an SVG picture with its caption to the page. If the picture could not be drawn, the error is added to the page instead.
    pub fn svg<E: Display>(&mut self, caption: &str, svg: Result<String, E>) -> &mut Self {
        match svg {
            Ok(svg) => self.figure(&svg, caption),
            Err(error) => self.paragraph(&format!("{caption}: {error}")),
        }
    }

    /// Adds several pictures next to each other to the page. Each picture is given as a caption and the bytes of a PNG file.
    pub fn gallery<'a>(
        &mut self,
        pictures: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> &mut Self {
        self.body.push("<div class=\"gallery\">\n".into());
        for (caption, png) in pictures {
            let (data, text) = (BASE64_STANDARD.encode(png), clean(caption));
            self.figure(
                &format!("<img alt=\"{text}\" src=\"data:image/png;base64,{data}\"/>"),
                caption,
            );
        }
        self.body.push("</div>\n".into());
        self
    }

    /// Adds a chart that contains its own title to the page. If the chart could not be drawn, `name` and the error are added to the page instead.
    pub(crate) fn chart<E: Display>(&mut self, name: &str, svg: Result<String, E>) -> &mut Self {
        match svg {
            Ok(svg) => {
                let (svg, name) = (fitted(&svg), clean(name));
                self.body
                    .push(format!("<figure aria-label=\"{name}\">\n{svg}</figure>\n"));
                self
            }
            Err(error) => self.paragraph(&format!("{name}: {error}")),
        }
    }

    fn figure(&mut self, picture: &str, caption: &str) -> &mut Self {
        let (picture, caption) = (fitted(picture), clean(caption));
        self.body.push(format!(
            "<figure>\n{picture}<figcaption>{caption}</figcaption></figure>\n"
        ));
        self
    }
}

impl Display for HtmlPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, body) = (&self.title, self.body.concat());
        write!(
            f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><meta name=\"color-scheme\" content=\"light dark\"/>\
             <title>{title}</title>\
             <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n{body}</body></html>\n"
        )
    }
}

/// Returns a heading made from the name of a setting: `min_walk` becomes `Min walk`.
fn in_words(name: &str) -> String {
    let name = name.replace('_', " ");
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name,
    }
}

/// Returns an SVG picture that shrinks with the HTML page. A very wide picture shrinks at most to half of its width, so that it stays readable; the
/// page can then be scrolled sideways.
fn fitted(svg: &str) -> String {
    let width = svg.strip_prefix("<svg").and_then(|rest| {
        rest.split('>')
            .next()?
            .split(" width=\"")
            .nth(1)?
            .split('"')
            .next()
    });
    match width.and_then(|width| width.parse::<f64>().ok()) {
        Some(width) if width > WIDE => {
            let least = width / 2.0;
            svg.replacen("<svg", &format!("<svg style=\"min-width:{least:.0}px\""), 1)
        }
        _ => svg.to_owned(),
    }
}

/// Returns `text` escaped for XML, without characters that XML does not allow.
fn clean(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{fffe}' | '\u{ffff}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    };
    escape(text.chars().map(plain).collect::<String>()).into_owned()
}

fn cleaned(text: impl AsRef<str>) -> String {
    clean(text.as_ref())
}
