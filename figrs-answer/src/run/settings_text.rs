//! Text of the settings of an algorithm, which identifies runs with equal settings.

/// Formats settings as text, with the given fields at their defaults. The fields at their defaults, such as threads and
/// deadlines, do not affect results.
#[doc(hidden)]
#[macro_export]
macro_rules! settings_text {
    ($settings:expr, $($($field:ident).+),+) => {{
        let mut settings = $settings.clone();
        $(settings.$($field).+ = Default::default();)+
        format!("{settings:?}")
    }};
}
pub use settings_text;
