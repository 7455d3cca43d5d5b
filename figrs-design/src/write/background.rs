//! Paints sky, clouds and hills behind a level, with integer arithmetic only, so that pictures are the same on every machine.

use super::palette::PALETTE;
use figrs_models::picture::Canvas;

pub(super) fn paint(canvas: &mut Canvas) {
    let (width, height) = (canvas.width().cast_signed(), canvas.height().cast_signed());
    let bands = *b"0123456";
    for y in 0..height {
        let band = y * bands.len().cast_signed() / height;
        // Near the boundary of two colour bands, every other pixel has the colour of the next band.
        let into = y * bands.len().cast_signed() % height;
        for x in 0..width {
            let mixed = into * 4 > height * 3 && (x + y) % 2 == 0;
            let band = (band + isize::from(mixed)).min(bands.len().cast_signed() - 1);
            canvas.set(x, y, PALETTE.index(bands[band as usize]));
        }
    }
    scatter(width, 150, 1, |x, chance| {
        let y = height / 12 + chance % (height / 3).max(1);
        for (dx, dy, radius) in [(-14, 3, 8), (0, -1, 11), (13, 2, 9), (24, 5, 5)] {
            canvas.disc(x + dx, y + dy + 2, radius, PALETTE.index(b'C'));
        }
        for (dx, dy, radius) in [(-14, 2, 7), (0, -2, 10), (13, 1, 8)] {
            canvas.disc(x + dx, y + dy, radius, PALETTE.index(b'c'));
        }
    });
    for (every, least, salt, colour) in [(190, 62, 2, b'('), (130, 34, 3, b')')] {
        scatter(width, every, salt, |x, chance| {
            let radius = least + chance % least;
            canvas.disc(x, height + radius / 3, radius, PALETTE.index(colour));
        });
    }
}

/// Divides the width of a picture into stretches (ranges of pixel columns) of `every` pixels each. For each stretch of the picture, calls `at` with a
/// random position in the stretch, for example for a cloud.
fn scatter(width: isize, every: isize, salt: isize, mut at: impl FnMut(isize, isize)) {
    for stretch in -1..=width / every + 1 {
        let mut mixed = (stretch.wrapping_mul(1_000_003) + salt) as u64;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let part = |shift: u32| ((mixed >> shift) as usize & 0xffff).cast_signed();
        at(stretch * every + part(0) % every, part(48));
    }
}
