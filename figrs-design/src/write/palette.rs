//! The palette: the colours of the drawn tiles and of the background.

use figrs_models::picture::Palette;

/// The characters that stand for pixels in the pictures of tiles, with their colours.
pub(super) const PALETTE: Palette = Palette(&[
    // A transparent pixel, which leaves the background visible.
    (b'.', [0, 0, 0]),
    (b'k', [34, 26, 38]),
    (b'w', [255, 250, 232]),
    // The colours of earth and grass.
    (b'd', [168, 104, 62]),
    (b'D', [128, 72, 46]),
    (b'l', [200, 140, 88]),
    (b'g', [88, 176, 62]),
    (b'G', [52, 126, 54]),
    (b'L', [154, 220, 92]),
    // The colours of bricks.
    (b'b', [206, 98, 62]),
    (b'B', [150, 58, 46]),
    (b'h', [240, 148, 100]),
    (b'm', [92, 40, 40]),
    // The colours of gold.
    (b'y', [250, 190, 48]),
    (b'Y', [212, 134, 24]),
    (b'z', [255, 232, 130]),
    (b'x', [140, 78, 20]),
    // The colours of a block that is used up.
    (b'q', [164, 132, 106]),
    (b'Q', [120, 92, 76]),
    (b'u', [198, 170, 140]),
    // The colours of pipes.
    (b'p', [46, 168, 92]),
    (b'P', [24, 116, 70]),
    (b'i', [140, 232, 150]),
    (b'o', [10, 66, 46]),
    // The colours of a creature.
    (b'v', [150, 84, 196]),
    (b'V', [102, 50, 146]),
    (b'n', [204, 148, 236]),
    (b'f', [240, 170, 60]),
    // The colours of steel.
    (b's', [82, 90, 108]),
    (b'S', [50, 54, 70]),
    (b'a', [142, 152, 172]),
    (b'r', [220, 68, 66]),
    // The colours of the sky from the top, of clouds, and of hills far and near.
    (b'0', [92, 148, 232]),
    (b'1', [104, 160, 236]),
    (b'2', [118, 172, 240]),
    (b'3', [134, 184, 244]),
    (b'4', [152, 196, 246]),
    (b'5', [172, 210, 248]),
    (b'6', [194, 224, 250]),
    (b'c', [246, 250, 255]),
    (b'C', [216, 232, 250]),
    (b'(', [150, 196, 214]),
    (b')', [124, 190, 156]),
    // The colour of a player's path.
    (b'!', [255, 72, 120]),
]);
