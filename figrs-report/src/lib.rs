//! Reports: pictures of models and elimination trees, charts, HTML pages, and files of draws.
//!
//! | item | type |
//! |---|---|
//! | graphs of models and elimination trees as DOT and SVG | [`Drawable`] |
//! | a distribution as bars | [`PosteriorChart`] |
//! | a one-way sensitivity analysis as bars | [`TornadoChart`] |
//! | series of numbers as bars side by side | [`GroupedBars`] |
//! | traces and ranks of chains | [`ChainCharts`] |
//! | means with bands of two standard deviations, over time | [`BandChart`] |
//! | a comparison of algorithms as a page, its curves as a chart | [`ComparisonPage`] |
//! | draws as CSV and for `ArviZ` | [`WriteDraws`] |
//! | user-defined pages | [`HtmlPage`] |

mod charts;
mod comparison_page;
mod export;
mod html_page;
pub mod picture;

pub use charts::{
    BandChart, BandPoint, ChainCharts, ChartError, GroupedBars, PosteriorChart, TornadoChart,
};
pub use comparison_page::ComparisonPage;
pub use export::WriteDraws;
pub use html_page::HtmlPage;
pub use picture::Drawable;
