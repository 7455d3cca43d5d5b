//! Writes pictures as PNG.

use std::io::{self, Write};

use ::png::{BitDepth, ColorType, Encoder, EncodingError};

use super::{Canvas, Rgba};

/// True if the text can be stored in an uncompressed text chunk of a PNG file.
pub fn is_latin(text: &str) -> bool {
    text.chars().all(|c| ('\u{20}'..='\u{ff}').contains(&c))
}

/// Writes a canvas whose pixels are indices of colours as PNG with a palette; `transparency` has the opacity of the first colours of the palette,
/// from 0 to 255.
pub fn encode(
    out: impl Write,
    canvas: &Canvas,
    colours: &[[u8; 3]],
    notes: &[(impl AsRef<str>, impl AsRef<str>)],
    transparency: &[u8],
) -> io::Result<()> {
    let mut encoder = encoder_of(out, canvas, ColorType::Indexed);
    encoder.set_palette(colours.as_flattened().to_vec());
    if !transparency.is_empty() {
        encoder.set_trns(transparency.to_vec());
    }
    finish(encoder, canvas.pixels(), notes)
}

/// Writes a canvas whose pixels are colours as PNG.
pub fn encode_colours(
    out: impl Write,
    canvas: &Canvas<Rgba>,
    notes: &[(impl AsRef<str>, impl AsRef<str>)],
) -> io::Result<()> {
    let encoder = encoder_of(out, canvas, ColorType::Rgba);
    finish(encoder, canvas.pixels().as_flattened(), notes)
}

fn encoder_of<'a, W: Write, P: Copy>(
    out: W,
    canvas: &Canvas<P>,
    colours: ColorType,
) -> Encoder<'a, W> {
    let mut encoder = Encoder::new(out, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(colours);
    encoder.set_depth(BitDepth::Eight);
    encoder
}

fn finish<W: Write>(
    mut encoder: Encoder<'_, W>,
    pixels: &[u8],
    notes: &[(impl AsRef<str>, impl AsRef<str>)],
) -> io::Result<()> {
    let io = |error: EncodingError| match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    };
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
    writer.write_image_data(pixels).map_err(io)?;
    writer.finish().map_err(io)
}
