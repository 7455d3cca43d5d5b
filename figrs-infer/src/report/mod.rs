//! Comparisons of algorithms, charts, pages and files of draws.

#[cfg(feature = "charts")]
pub(crate) mod charts;
pub(crate) mod compare;
pub(crate) mod export;
#[cfg(feature = "charts")]
pub(crate) mod html_page;
