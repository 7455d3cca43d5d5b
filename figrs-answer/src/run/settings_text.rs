//! Settings of algorithms as text.

/// The text of settings, with some fields at their defaults: those that decide no result, such as threads and deadlines.
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
