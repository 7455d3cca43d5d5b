//! Fuzzes the parsers of option values of the example programs.

use figrs::models::grid::Size;
use figrs::models::mdmc::Structures;
use figrs::network::Network;
use figrs_command::{observations, queried, ranges};

use super::text;

/// Parses the value of each option that has a format of its own; for the options of networks, each line is a value.
///
/// # Panics
///
/// Panics if a value outside its range is accepted.
pub fn option_values(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(size) = text.parse::<Size>() {
        assert!(size.rows() > 0 && size.columns() > 0);
    }
    if let Ok(columns) = ranges::columns(text) {
        assert!(columns.start < columns.end);
    }
    let _ = ranges::count(text);
    if let Ok((_, shares)) = ranges::density(text) {
        assert!(0.0 <= shares.start && shares.start <= shares.end && shares.end <= 1.0);
    }
    if let Ok(structures) = text.parse::<Structures>() {
        let again = structures.to_string().parse();
        assert_eq!(again.ok(), Some(structures));
    }
    let network = Network::from_bif(include_str!("evidence.bif")).expect("a network");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let _ = queried(&network, &lines);
    if let Ok(observations) = observations(&network, None, ("--observe", &lines)) {
        assert_eq!(observations.observations().len(), lines.len());
    }
}
