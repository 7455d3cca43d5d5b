//! The published jump arcs for platformer games.

/// The list contains the five jump arcs of the Video Game Level Corpus (`pathfinding_SMB.json`). A jump arc lists the cells that a jump passes after
/// its first cell, each as a number of columns ahead of the first cell and a number of rows below the first cell (negative for rows above).
pub const JUMP_ARCS: [&[(i8, i8)]; 5] = [
    &[(0, -1), (0, -2), (1, -3), (1, -4), (0, -4)],
    &[(0, -1), (0, -2), (0, -3), (0, -4), (1, -4)],
    &[(1, -1), (1, -2), (1, -3), (1, -4), (2, -4)],
    &[
        (1, -1),
        (1, -2),
        (2, -2),
        (2, -3),
        (3, -3),
        (3, -4),
        (4, -4),
        (5, -3),
        (6, -3),
        (7, -3),
        (8, -2),
        (8, -1),
    ],
    &[
        (1, -1),
        (1, -2),
        (2, -2),
        (2, -3),
        (3, -3),
        (3, -4),
        (4, -4),
        (5, -4),
        (6, -3),
        (7, -3),
        (8, -2),
        (8, -1),
    ],
];
