//! Reads the elements of XML documents, with their offsets in the text.
//!
//! XML entities that a document declares are an error, because entities could expand to a large text; document type definitions are skipped. The XML
//! reader does not recurse: unknown elements are skipped by counting their nesting depth.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::{EscapeError, resolve_predefined_entity};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use rustc_hash::FxHashSet;

use super::lexer::{LexerError, LexerResult, unexpected};
use figrs_reading::{Mistake, MistakeKind};

/// Reads the children of an XML element one after another.
pub(super) struct XmlReader<'t> {
    text: &'t str,
    /// Number of bytes of the byte order mark before the text, or 0.
    before: usize,
    reader: Reader<&'t [u8]>,
}

pub(super) struct XmlElement<'t> {
    /// Offset of the element's start tag in the text of the document.
    pub(super) at: usize,
    start: BytesStart<'t>,
}

impl XmlElement<'_> {
    /// Returns the name of the element without its namespace prefix.
    pub(super) fn name(&self) -> &str {
        // The name is valid UTF-8, because it is a part of valid UTF-8 text between ASCII characters.
        std::str::from_utf8(self.start.local_name().into_inner()).unwrap_or_default()
    }

    /// Returns the value of the attribute named `name`; `None` if the element does not have this attribute.
    pub(super) fn attribute(&self, name: &str) -> LexerResult<Option<String>> {
        let mut found = None;
        // Repeated names are detected here, because the XML parser's own check takes time quadratic in their number.
        let mut seen = FxHashSet::default();
        for attribute in self.start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| malformed(self.at, &error))?;
            if !seen.insert(attribute.key) {
                let key = String::from_utf8_lossy(attribute.key.as_ref());
                let reason = format!("the attribute `{key}` occurs a second time");
                return Err(malformed(self.at, &reason));
            }
            if attribute.key.as_ref() == name.as_bytes() {
                found = Some(attribute);
            }
        }
        let Some(found) = found else { return Ok(None) };
        let value = std::str::from_utf8(&found.value).unwrap_or_default();
        // White space in the value that is not escaped becomes a space.
        let value = value.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
        match quick_xml::escape::unescape(&value) {
            Ok(value) => Ok(Some(value.into_owned())),
            Err(EscapeError::UnrecognizedEntity(_, entity)) => {
                Err(unknown_entity(self.at, &entity))
            }
            Err(error) => Err(malformed(self.at, &error)),
        }
    }

    /// Returns the value of the required attribute named `name`, without leading and trailing white space.
    pub(super) fn required(&self, name: &str, expected: &'static str) -> LexerResult<String> {
        match self.attribute(name)? {
            Some(value) => Ok(value.trim_ascii().to_owned()),
            None => Err(unexpected(self.at, &format!("<{}>", self.name()), expected)),
        }
    }

    /// Returns an error which says that the document should have `expected` instead of this element.
    pub(super) fn unexpected(&self, expected: &'static str) -> LexerError {
        unexpected(self.at, &format!("<{}>", self.name()), expected)
    }
}

impl<'t> XmlReader<'t> {
    /// Opens an XML document; returns its first element and a reader of that element's children.
    pub(super) fn open(text: &'t str) -> LexerResult<(Self, XmlElement<'t>)> {
        let document = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader::from_str(document);
        reader.config_mut().expand_empty_elements = true;
        let mut reader = Self {
            text,
            before: text.len() - document.len(),
            reader,
        };
        loop {
            let (at, event) = reader.event()?;
            match event {
                Event::Start(start) => return Ok((reader, XmlElement { at, start })),
                Event::Decl(declaration) => check_version(at, &declaration)?,
                Event::Comment(_) | Event::PI(_) | Event::DocType(_) => {}
                Event::Text(text) if is_blank(&text) => {}
                _ => return Err(unexpected(at, &text[at..], "an XML element")),
            }
        }
    }

    /// Returns the next child of the open element; `None` at the end of that element.
    pub(super) fn child(&mut self) -> LexerResult<Option<XmlElement<'t>>> {
        loop {
            let (at, event) = self.event()?;
            match event {
                Event::Start(start) => return Ok(Some(XmlElement { at, start })),
                Event::End(_) => return Ok(None),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Text(text) if is_blank(&text) => {}
                Event::Eof => return Err(self.ends_early(at)),
                _ => return Err(unexpected(at, &self.text[at..], "an element")),
            }
        }
    }

    /// Reads the text of the open element up to its end tag.
    pub(super) fn content(&mut self) -> LexerResult<XmlText<'t>> {
        let mut content = XmlText::default();
        loop {
            let (at, event) = self.event()?;
            match event {
                Event::End(_) => return Ok(content),
                Event::Text(part) => content.push(at, self.slice(at, part.len()), true),
                Event::CData(part) => {
                    let at = at + "<![CDATA[".len();
                    content.push(at, self.slice(at, part.len()), true);
                }
                Event::GeneralRef(reference) => {
                    let character = resolved(at, &reference)?;
                    content.push(at, character, false);
                }
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return Err(self.ends_early(at)),
                _ => return Err(unexpected(at, &self.text[at..], "text without elements")),
            }
        }
    }

    /// Skips the rest of the open element, including its children.
    pub(super) fn skip(&mut self) -> LexerResult<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.event()? {
                (_, Event::Start(_)) => depth += 1,
                (_, Event::End(_)) => depth -= 1,
                (at, Event::Eof) => return Err(self.ends_early(at)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns an error if the XML document contains anything but comments after its first element.
    pub(super) fn end(&mut self) -> LexerResult<()> {
        loop {
            let (at, event) = self.event()?;
            match event {
                Event::Eof => return Ok(()),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Text(text) if is_blank(&text) => {}
                _ => return Err(unexpected(at, &self.text[at..], "the end of the file")),
            }
        }
    }

    /// Returns the next event of the XML parser (such as a start tag), with its offset in the text.
    fn event(&mut self) -> LexerResult<(usize, Event<'t>)> {
        let at = self.before + self.reader.buffer_position() as usize;
        match self.reader.read_event() {
            Ok(event) => Ok((at, event)),
            Err(error) => {
                let at = self.before + self.reader.error_position() as usize;
                Err(malformed(self.floor(at), &error))
            }
        }
    }

    /// Returns the offset of the start of the character that contains the byte at the offset `at`.
    fn floor(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at)
            .rev()
            .find(|&at| self.text.is_char_boundary(at))
            .unwrap_or(0)
    }

    fn slice(&self, at: usize, length: usize) -> &'t str {
        self.text.get(at..at + length).unwrap_or_default()
    }

    fn ends_early(&self, at: usize) -> LexerError {
        unexpected(at, &self.text[at..], "the end of an element")
    }
}

/// Rejects versions of XML that do not exist. The declared encoding of an XML document is not checked, because the text was decoded in this encoding.
fn check_version(at: usize, declaration: &BytesDecl<'_>) -> LexerResult<()> {
    let version = declaration.version();
    let version = version.map_err(|error| malformed(at, &error))?;
    if matches!(&*version, b"1.0" | b"1.1") {
        return Ok(());
    }
    let version = String::from_utf8_lossy(&version);
    let problem = format!(
        "the file declares the version `{version}` of XML, but only the versions 1.0 and 1.1 exist"
    );
    let mistake = Mistake::new(MistakeKind::Unsupported, problem, "declare 1.0");
    Err(LexerError::new(at, mistake))
}

/// Returns the error of an XML document that is not well-formed.
fn malformed(at: usize, reason: &dyn std::fmt::Display) -> LexerError {
    let problem = format!("not well-formed XML: {reason}");
    LexerError::new(at, Mistake::new(MistakeKind::Syntax, problem, ""))
}

/// Returns the error that a document uses `entity`, which is not one of XML's predefined entities.
fn unknown_entity(at: usize, entity: &str) -> LexerError {
    let problem = format!(
        "the entity `&{entity};` is not predefined in XML, and other entities are not expanded"
    );
    let remedy = "write its text in its place";
    LexerError::new(at, Mistake::new(MistakeKind::Unsupported, problem, remedy))
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// Returns the character that an XML reference such as `&lt;` or `&#60;` represents.
fn resolved(at: usize, reference: &BytesRef<'_>) -> LexerResult<Cow<'static, str>> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => return Ok(character.to_string().into()),
        Ok(None) => {}
        Err(error) => return Err(malformed(at, &error)),
    }
    let entity = String::from_utf8_lossy(reference).into_owned();
    match resolve_predefined_entity(&entity) {
        Some(text) => Ok(text.into()),
        None => Err(unknown_entity(at, &entity)),
    }
}

/// The text of an XML element, with the offsets of its pieces in the document.
#[derive(Default)]
pub(super) struct XmlText<'t> {
    text: Cow<'t, str>,
    pieces: Vec<Piece>,
}

struct Piece {
    /// Offset of the piece of text in the text of the XML element.
    start: usize,
    /// Offset of the piece of text in the text of the XML document.
    at: usize,
    /// True if the piece of text stands in the document as it is; false if the document writes it as a reference such as `&lt;`.
    is_literal: bool,
}

impl<'t> XmlText<'t> {
    fn push(&mut self, at: usize, piece: impl Into<Cow<'t, str>>, is_literal: bool) {
        let start = self.text.len();
        self.pieces.push(Piece {
            start,
            at,
            is_literal,
        });
        if start == 0 {
            self.text = piece.into();
        } else {
            self.text.to_mut().push_str(&piece.into());
        }
    }

    /// Returns the offset in the XML document that corresponds to the offset `place` in the text of the element.
    fn offset(&self, place: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.start <= place);
        match after.checked_sub(1).map(|last| &self.pieces[last]) {
            Some(piece) if piece.is_literal => piece.at + place - piece.start,
            Some(piece) => piece.at,
            None => 0,
        }
    }

    /// Returns the words of the text (separated by white space), with their offsets in the document.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let is_word = |c: char| !c.is_ascii_whitespace();
            let start = place + self.text[place..].find(is_word)?;
            let length = self.text[start..].find(|c: char| c.is_ascii_whitespace());
            place = length.map_or(self.text.len(), |length| start + length);
            Some((self.offset(start), &self.text[start..place]))
        })
    }

    /// Returns the text of the element as a name, without leading and trailing white space; white space that the document writes as a reference is
    /// kept.
    pub(super) fn name(&self) -> String {
        let mut name = String::with_capacity(self.text.len());
        // Range of bytes that must not be trimmed, because these bytes come from references.
        let (mut first, mut last) = (None, 0);
        let ends = self.pieces.iter().skip(1).map(|piece| piece.start);
        let ends = ends.chain([self.text.len()]);
        for (piece, end) in self.pieces.iter().zip(ends) {
            let part = &self.text[piece.start..end];
            if piece.is_literal {
                name.push_str(&part.replace("\r\n", "\n").replace('\r', "\n"));
            } else {
                first.get_or_insert(name.len());
                name.push_str(part);
                last = name.len();
            }
        }
        let blank = |text: &str| text.len() - text.trim_ascii_start().len();
        let start = blank(&name).min(first.unwrap_or(usize::MAX));
        let end = name.trim_ascii_end().len().max(last);
        name[start..end.max(start)].to_owned()
    }
}
