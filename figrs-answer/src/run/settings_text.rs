//! Text of the settings of an algorithm; runs with equal settings have equal texts.

/// Formats settings as text, after the given fields are set to their defaults. These fields, such as threads and deadlines, do not affect results.
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
