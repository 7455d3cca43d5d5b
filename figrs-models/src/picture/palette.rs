//! Palettes, which assign colours to characters.

/// A palette: a list of characters with their colours. The first character of a palette stands for transparent pixels, which leave the background
/// visible.
#[derive(Clone, Copy, Debug)]
pub struct Palette(pub &'static [(u8, [u8; 3])]);

impl Palette {
    /// Index that stands for transparent pixels, which are not drawn.
    pub const CLEAR: u8 = 0;

    /// Returns the red, green and blue values of the palette's colours, for a picture whose pixels are indices of colours.
    pub fn colours(&self) -> Vec<[u8; 3]> {
        self.0.iter().map(|&(_, colour)| colour).collect()
    }

    /// Returns the index of the colour of `character` in the palette; [`Self::CLEAR`] for a character without a colour.
    pub const fn index(&self, character: u8) -> u8 {
        let mut index = 0;
        while index < self.0.len() {
            if self.0[index].0 == character {
                return index as u8;
            }
            index += 1;
        }
        Self::CLEAR
    }
}

/// Returns `steps` colours, which change evenly from each colour of `stops` to the next.
pub fn gradient(stops: &[[u8; 3]], steps: usize) -> impl Iterator<Item = [u8; 3]> + use<'_> {
    let spans = stops.len() - 1;
    (0..steps).map(move |step| {
        let (at, whole) = (step * spans, steps.max(2) - 1);
        let span = (at / whole).min(spans - 1);
        let part = at - span * whole;
        std::array::from_fn(|channel| {
            let end = |stop: usize| usize::from(stops[stop][channel]);
            ((end(span) * (whole - part) + end(span + 1) * part) / whole) as u8
        })
    })
}
