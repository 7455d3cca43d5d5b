use super::*;
use crate::boards::island::Terrain;
use crate::grid::{Board, Size};
use figrs_reading::{Mistake, MistakeKind};

fn plain(width: usize, height: usize, colour: u8) -> Image {
    Image::new(
        Canvas::new(width, height, colour),
        vec![[1, 2, 3], [4, 5, 6]],
    )
}

#[test]
fn pages_put_pictures_side_by_side() {
    let page = Image::sheet(&[plain(5, 3, 1), plain(2, 2, 1), plain(4, 4, 1)]).unwrap();
    // Two columns of five pixels and two rows of four, with margins of twelve.
    assert_eq!((page.width(), page.height()), (46, 44));
    for (x, y, colour) in [
        (12, 12, [4, 5, 6]),
        (16, 14, [4, 5, 6]),
        (17, 14, [1, 2, 3]),
        (30, 13, [4, 5, 6]),
        (31, 13, [1, 2, 3]),
        (15, 31, [4, 5, 6]),
        (0, 0, [1, 2, 3]),
    ] {
        assert_eq!(page.pixel(x, y), Some(colour), "{x}, {y}");
    }
    assert_eq!(page.pixel(46, 0), None);
}

#[test]
fn pages_that_cannot_be_are_refused() {
    assert_eq!(
        Image::sheet(&[]),
        Err(Mistake::new(
            MistakeKind::Missing,
            "a page without pictures",
            "give at least one"
        ))
    );
    let mut other = plain(1, 1, 0);
    other = Image::new(Canvas::new(other.width(), 1, 0), vec![[9, 9, 9]]);
    assert_eq!(
        Image::sheet(&[plain(1, 1, 0), other]),
        Err(Mistake::new(
            MistakeKind::Contradiction,
            "picture 2 has other colours than the first one",
            "put boards of one kind on a page"
        ))
    );
    let large = Board::of(
        Size::new(1000, 1000).unwrap(),
        vec![Terrain::Water; 1_000_000],
    );
    let side = 12 * 1000;
    assert_eq!(large.picture(), Err(page::too_large(side, side)));
}

#[test]
fn the_size_of_a_page_is_known_before_its_boards() {
    let scale = Board::<Terrain>::SCALE;
    for (rows, columns, boards) in [(3, 3, 1), (3, 5, 2), (4, 3, 5), (7, 3, 12)] {
        let size = Size::new(rows, columns).unwrap();
        let board = Board::of(size, vec![Terrain::Water; size.cells()]);
        let picture = board.picture().unwrap();
        assert_eq!((picture.width(), picture.height()), scale.pixels(size));
        let page = Image::sheet(&vec![picture; boards]).unwrap();
        let pixels = Image::sheet_pixels(boards, scale.pixels(size));
        assert_eq!((page.width(), page.height()), pixels);
    }
    let size = Size::new(100, 100).unwrap();
    // A picture of 1200 by 1200 pixels: 6 by 6 of them are 53 million pixels, 7 by 6 are 62, 7 by 7 are 72.
    assert_eq!(scale.check(size, 42), Ok(()));
    let (width, height) = (12 + 7 * 1212, 12 + 7 * 1212);
    let too_large = page::too_large(width, height);
    assert_eq!(scale.check(size, 43), Err(too_large));
}

#[test]
fn png_files_hold_the_pixels_and_the_notes() {
    let mut picture = plain(3, 2, 0);
    let mut canvas = Canvas::new(3, 2, 0);
    canvas.set(2, 1, 1);
    canvas.set(-1, 7, 1);
    picture = Image::new(canvas, vec![picture.pixel(0, 0).unwrap(), [4, 5, 6]]);
    let mut file = Vec::new();
    let notes = [("seed", "7"), ("name", "Jalapeño ☃")];
    picture.write_png(&mut file, &notes).unwrap();
    let mut decoder = ::png::Decoder::new(std::io::Cursor::new(&file));
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(&pixels[..3], [1, 2, 3]);
    assert_eq!(&pixels[15..], [4, 5, 6]);
    let info = reader.info();
    assert_eq!(info.uncompressed_latin1_text[0].text, "7");
    assert_eq!(info.utf8_text[0].get_text().unwrap(), "Jalapeño ☃");
}

#[test]
fn gradients_go_from_the_first_colour_to_the_last() {
    let stops = [[0, 0, 0], [100, 50, 10], [200, 0, 0]];
    let colours: Vec<[u8; 3]> = gradient(&stops, 5).collect();
    assert_eq!(
        colours,
        [
            [0, 0, 0],
            [50, 25, 5],
            [100, 50, 10],
            [150, 25, 5],
            [200, 0, 0]
        ]
    );
    assert_eq!(gradient(&stops, 1).collect::<Vec<_>>(), [[0, 0, 0]]);
}
