//! Pictures of boards, which can be written as PNG files.
//!
//! Each kind of [`Board`](crate::grid::Board) has a method `picture`, which returns an [`Image`]; [`Image::sheet`] arranges several images on one
//! page.
//!
//! ```
//! use figrs_core::stream;
//! use figrs_models::grid::Size;
//! use figrs_models::maze::PerfectMaze;
//! use figrs_models::picture::Image;
//!
//! let mazes = PerfectMaze::new(Size::new(6, 9)?);
//! let mazes: Vec<_> = (0..4).map(|part| mazes.sample(&mut stream(7, part))).collect();
//! let pictures: Result<Vec<Image>, _> = mazes.iter().map(|maze| maze.picture(&maze.solution().unwrap_or_default())).collect();
//! let mut file = Vec::new();
//! Image::sheet(&pictures?)?.write_png(&mut file, &[("seed", "7")])?;
//! assert!(file.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canvas;
mod page;
mod palette;
mod png;
mod scale;

#[doc(hidden)]
pub use canvas::{Canvas, Rgba};
pub use page::Image;
#[doc(hidden)]
pub use palette::{Palette, gradient};
#[doc(hidden)]
pub use png::{encode, encode_colours, is_latin};
pub use scale::PictureScale;

#[cfg(test)]
mod tests;
