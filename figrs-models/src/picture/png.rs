//! Pictures in PNG.

use std::io::{self, Write};

use ::png::{BitDepth, ColorType, Encoder, EncodingError};

use super::Canvas;

/// True if a text can stand in an uncompressed text chunk.
pub(crate) fn is_latin(text: &str) -> bool {
    text.chars().all(|c| ('\u{20}'..='\u{ff}').contains(&c))
}

/// Writes a canvas in some colours; those up to the length of `transparency` are as opaque as it says, from 0 to 255.
pub(crate) fn encode(
    out: impl Write,
    canvas: &Canvas,
    colours: &[[u8; 3]],
    notes: &[(impl AsRef<str>, impl AsRef<str>)],
    transparency: &[u8],
) -> io::Result<()> {
    let io = |error: EncodingError| match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    };
    let mut encoder = Encoder::new(out, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(colours.as_flattened().to_vec());
    if !transparency.is_empty() {
        encoder.set_trns(transparency.to_vec());
    }
    for (name, value) in notes {
        let (name, value) = (name.as_ref().to_owned(), value.as_ref().to_owned());
        let added = if is_latin(&value) {
            encoder.add_text_chunk(name, value)
        } else {
            encoder.add_itxt_chunk(name, value)
        };
        added.map_err(io)?;
    }
    let mut writer = encoder.write_header().map_err(io)?;
    writer.write_image_data(canvas.pixels()).map_err(io)?;
    writer.finish().map_err(io)
}
