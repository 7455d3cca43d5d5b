//! Amounts of memory in options, such as `512MiB`.

use figrs_core::{Bytes, InvalidBytes};

/// Parses an amount of memory; a number without a unit is in bytes.
///
/// **Errors.** The text is not an amount of memory; the error shows the form to write.
pub fn bytes(text: &str) -> Result<Bytes, String> {
    amount(text, 1, "bytes")
}

/// Parses an amount of memory; a number without a unit is in MiB.
///
/// **Errors.** The text is not an amount of memory; the error shows the form to write.
pub fn mebibytes(text: &str) -> Result<Bytes, String> {
    amount(text, 1 << 20, "MiB")
}

fn amount(text: &str, plain: u64, called: &str) -> Result<Bytes, String> {
    let amount = Bytes::parse(text, plain).ok();
    let amount = amount.filter(|amount| *amount > Bytes(0));
    amount.ok_or_else(|| format!("{InvalidBytes}; a number without a unit is in {called}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_has_the_unit_that_the_advice_names() {
        assert_eq!(
            (bytes("64"), mebibytes("64")),
            (Ok(Bytes(64)), Ok(Bytes(64 << 20)))
        );
        for (message, unit) in [
            (bytes("x"), "in bytes"),
            (bytes("0"), "in bytes"),
            (mebibytes("x"), "in MiB"),
        ] {
            let message = message.unwrap_err();
            assert!(
                message.contains("512MiB") && message.ends_with(unit),
                "{message}"
            );
        }
    }
}
