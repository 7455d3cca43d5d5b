//! Draws islands as pictures.

use figrs_reading::Mistake;
use std::collections::VecDeque;

use super::Terrain;
use crate::grid::Board;
use crate::picture::{Image, PictureScale, gradient};

const SIDE: usize = 12;
/// Number of different colours of water in the picture, from deep to shallow.
const WATER: usize = 8;
const LAND: usize = 8;
const DEEP_TO_SHALLOW: [[u8; 3]; 3] = [[24, 62, 118], [42, 120, 176], [126, 206, 214]];
const BEACH_TO_HEIGHTS: [[u8; 3]; 4] = [
    [240, 222, 164],
    [150, 190, 92],
    [74, 142, 72],
    [122, 112, 92],
];

impl Board<Terrain> {
    /// The scale, in pixels, of pictures of islands.
    pub const SCALE: PictureScale = PictureScale {
        cell: SIDE,
        borders: 0,
    };

    /// Draws a picture with 12 by 12 pixels for each cell: water is darker further from land, and land is drawn as beach, grass, wood or rock by its
    /// distance from water. Coasts are smoothed in the picture; a cell and its neighbours are connected in the picture if they are connected on the
    /// board.
    ///
    /// **Errors.** An error if the picture of the island has too many pixels.
    pub fn picture(&self) -> Result<Image, Mistake> {
        let (rows, columns) = (self.size().rows(), self.size().columns());
        let mut canvas = Self::SCALE.canvas(self.size(), 0)?;
        let heights = self.heights();
        let height = |row: usize, column: usize| {
            heights[row.min(rows - 1) * columns + column.min(columns - 1)]
        };
        // Between the centres of four adjacent cells, heights are interpolated linearly along rows and columns.
        let between = |pixel: usize| {
            let from_middle = (pixel + SIDE).saturating_sub(SIDE / 2);
            let cell = (from_middle / SIDE).saturating_sub(1);
            let part = if from_middle < SIDE {
                0
            } else {
                from_middle % SIDE
            };
            (cell, part.cast_signed())
        };
        let side = SIDE.cast_signed();
        for y in 0..rows * SIDE {
            let (row, down) = between(y);
            for x in 0..columns * SIDE {
                let (column, right) = between(x);
                let along =
                    |row| height(row, column) * (side - right) + height(row, column + 1) * right;
                let level = along(row) * (side - down) + along(row + 1) * down;
                canvas.set(x.cast_signed(), y.cast_signed(), band(level));
            }
        }
        let shades = gradient(&DEEP_TO_SHALLOW, WATER).chain(gradient(&BEACH_TO_HEIGHTS, LAND));
        Ok(Image::new(canvas, shades.collect()))
    }

    /// Returns the height of each cell in the picture of an island: twice the distance from the nearest cell of the other terrain, minus one;
    /// negative for water.
    fn heights(&self) -> Vec<isize> {
        let (cells, columns) = (self.cells(), self.size().columns());
        let beside = |cell: usize| {
            let column = cell % columns;
            let beside = [
                cell.checked_sub(columns),
                (column > 0).then(|| cell - 1),
                (column + 1 < columns).then(|| cell + 1),
                (cell + columns < cells.len()).then(|| cell + columns),
            ];
            beside.into_iter().flatten()
        };
        let at_coast = |&cell: &usize| beside(cell).any(|other| cells[other] != cells[cell]);
        let mut queue: VecDeque<usize> = (0..cells.len()).filter(at_coast).collect();
        let mut distances = vec![0; cells.len()];
        for &cell in &queue {
            distances[cell] = 1;
        }
        while let Some(cell) = queue.pop_front() {
            for next in beside(cell) {
                if distances[next] == 0 {
                    distances[next] = distances[cell] + 1;
                    queue.push_back(next);
                }
            }
        }
        let signed = |(distance, cell): (isize, &Terrain)| match cell {
            Terrain::Land => 2 * distance - 1,
            Terrain::Water => 1 - 2 * distance,
        };
        distances.into_iter().zip(cells).map(signed).collect()
    }
}

/// Returns the colour, as an index of the palette, for the height `level` of the terrain. The unit of the height `level` is half a cell divided by
/// the squared number of pixels of a cell's side.
fn band(level: isize) -> u8 {
    let half = (SIDE * SIDE).cast_signed();
    let bands = 2 * level.abs() / half;
    if level < 0 {
        (WATER - 1 - (bands as usize).min(WATER - 1)) as u8
    } else {
        (WATER + (bands as usize).min(LAND - 1)) as u8
    }
}
