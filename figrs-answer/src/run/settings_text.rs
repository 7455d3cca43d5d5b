//! Text of the settings of an algorithm; runs with equal settings have equal texts.

/// Formats settings as text, in which the given fields have their default values. Fields that do not affect results,
/// such as threads and deadlines, are set to their defaults.
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
