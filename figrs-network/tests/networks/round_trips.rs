//! Tests that random networks are unchanged when they are written and read again, and tests of randomly damaged texts.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::fmt::Write as _;

use figrs_network::{Network, NetworkError, NetworkFormat, State, Variable};
use proptest::prelude::*;

/// The variables of a network, each given by its name, its states, its parents among earlier variables, and the numbers
/// of its table.
type Description = Vec<(String, Vec<String>, Vec<usize>, Vec<f64>)>;

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_<>=.+/*-]{1,6}|[a-z ,;{}()|/*ü]{0,6}"
}

fn names(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::hash_set(name(), count).prop_map(|names| {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        names
    })
}

fn description() -> impl Strategy<Value = Description> {
    let variables = names(1..=5).prop_flat_map(|names| {
        let variables: Vec<_> = names
            .into_iter()
            .enumerate()
            .map(|(i, name)| {
                let parents = prop::sample::subsequence((0..i).collect::<Vec<_>>(), 0..=i.min(3));
                (Just(name), self::names(1..=4), parents.prop_shuffle())
            })
            .collect();
        variables
    });
    let cells = prop::collection::vec(
        prop_oneof![4 => 0.0..1.0f64, 1 => Just(0.0), 1 => Just(1e-12)],
        16,
    );
    (variables, cells).prop_map(|(variables, cells)| {
        let sizes: Vec<usize> = variables
            .iter()
            .map(|(_, states, _)| states.len())
            .collect();
        let mut next = cells.into_iter().cycle();
        let filled = |(name, states, parents): (String, Vec<String>, Vec<usize>)| {
            let rows: usize = parents.iter().map(|&p| sizes[p]).product();
            let mut numbers = Vec::new();
            for _ in 0..rows {
                let mut row: Vec<f64> = next.by_ref().take(states.len()).collect();
                row[0] += f64::from(u8::from(row.iter().sum::<f64>() == 0.0));
                let sum: f64 = row.iter().sum();
                numbers.extend(row.iter().map(|w| w / sum));
            }
            (name, states, parents, numbers)
        };
        variables.into_iter().map(filled).collect()
    })
}

/// Returns the network as BIF text, in which the first parent varies fastest and numbers have `digits` decimals.
fn bif(description: &Description, digits: usize) -> String {
    let mut text = String::from("network test {\n}\n");
    for (name, states, ..) in description {
        let list: Vec<String> = states.iter().map(|s| format!("\"{s}\"")).collect();
        let (count, list) = (states.len(), list.join(", "));
        writeln!(
            text,
            "variable \"{name}\" {{ type discrete [ {count} ] {{ {list} }}; }}"
        )
        .unwrap();
    }
    for (name, states, parents, numbers) in description.iter().rev() {
        write!(text, "probability ( \"{name}\"").unwrap();
        for &parent in parents {
            write!(text, " | \"{}\"", description[parent].0).unwrap();
        }
        text.push_str(" ) {\n");
        let sizes: Vec<usize> = parents.iter().map(|&p| description[p].1.len()).collect();
        for row in 0..sizes.iter().product() {
            let (mut rest, mut cell, mut list) = (row, 0, Vec::new());
            for (&parent, &size) in parents.iter().zip(&sizes) {
                list.push(format!("\"{}\"", description[parent].1[rest % size]));
                cell = cell * size + rest % size;
                rest /= size;
            }
            let numbers = &numbers[cell * states.len()..][..states.len()];
            let numbers: Vec<String> = numbers.iter().map(|p| format!("{p:.digits$}")).collect();
            let (list, numbers) = (list.join(", "), numbers.join(", "));
            writeln!(text, "  ({list}) {numbers};").unwrap();
        }
        text.push_str("}\n");
    }
    text
}

/// Returns the network as a BIFXML document, in which the variables are in the given order and every character of a
/// name is escaped.
fn bifxml(description: &Description, order: &[usize]) -> String {
    let escaped = |name: &String| -> String {
        let references = name.chars().map(|c| format!("&#{};", u32::from(c)));
        references.collect::<Vec<_>>().concat()
    };
    let mut text = String::from("<BIF><NETWORK><NAME></NAME>");
    for &variable in order {
        let (name, states, parents, numbers) = &description[variable];
        write!(text, "<VARIABLE><NAME>{}</NAME>", escaped(name)).unwrap();
        for state in states {
            write!(text, "<OUTCOME>{}</OUTCOME>", escaped(state)).unwrap();
        }
        write!(text, "</VARIABLE><DEFINITION><FOR>{}</FOR>", escaped(name)).unwrap();
        for &parent in parents {
            write!(text, "<GIVEN>{}</GIVEN>", escaped(&description[parent].0)).unwrap();
        }
        write!(text, "<TABLE>{numbers:?}</TABLE></DEFINITION>").unwrap();
    }
    text.push_str("</NETWORK></BIF>");
    text.replace(['[', ']', ','], " ")
}

/// The formats that can represent names.
const NAMED: [NetworkFormat; 4] = [
    NetworkFormat::Bif,
    NetworkFormat::Bifxml,
    NetworkFormat::Net,
    NetworkFormat::Xdsl,
];

/// Returns the tables of a network, sorted by child.
fn sorted(network: &Network) -> Vec<(Vec<usize>, Vec<u64>)> {
    let mut tables = bits(network);
    tables.sort_by_key(|(variables, _)| variables.last().copied());
    tables
}

/// Checks that two networks are equal except for the order of their tables.
fn same(a: &Network, b: &Network) -> Result<(), TestCaseError> {
    prop_assert_eq!(sorted(a), sorted(b));
    prop_assert_eq!(a.name(), b.name());
    prop_assert!(b.normalised().is_empty());
    for (a, b) in a.variables().iter().zip(b.variables()) {
        prop_assert_eq!(a.name(), b.name());
        prop_assert!(a.states().iter().eq(b.states().iter()));
    }
    Ok(())
}

fn bits(network: &Network) -> Vec<(Vec<usize>, Vec<u64>)> {
    let tables = network.tables().iter();
    let bits = |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect();
    tables
        .map(|t| (t.variables().to_vec(), bits(t.numbers())))
        .collect()
}

proptest! {
    #[test]
    fn what_is_written_reads_back_to_the_last_bit(description in description(), digits in 5..18usize) {
        let network = Network::from_bif(&bif(&description, digits)).unwrap();
        for ((name, states, parents, numbers), variable) in description.iter().zip(network.variables()) {
            prop_assert_eq!(variable.name(), name);
            prop_assert!(variable.states().iter().map(State::name).eq(states));
            let own = network.position(name).unwrap();
            let table = network.tables().iter().find(|t| t.variables().last() == Some(&own)).unwrap();
            prop_assert_eq!(&table.variables()[..parents.len()], &parents[..]);
            for (found, p) in table.numbers().iter().zip(numbers) {
                prop_assert!((found - p).abs() < 1e-4, "{found}, not {p}");
            }
        }
        let again = Network::from_bif(&network.to_bif().unwrap()).unwrap();
        prop_assert_eq!(bits(&again), bits(&network));
        prop_assert!(again.normalised().is_empty());
        for (a, b) in again.variables().iter().zip(network.variables()) {
            prop_assert_eq!(a.name(), b.name());
            prop_assert!(a.states().iter().eq(b.states().iter()));
        }
        let uai = Network::from_uai(&network.to_uai()).unwrap();
        prop_assert_eq!(bits(&uai), bits(&network));
        let again = Network::from_bif(&uai.to_bif().unwrap()).unwrap();
        prop_assert_eq!(bits(&again), bits(&network));
    }

    #[test]
    fn every_format_keeps_names_and_numbers(
        mut description in description(),
        wild in prop::collection::vec("[\\PC\\t\\n\\r \"<&>-]{0,5}", 8),
        order in Just((0..5usize).collect::<Vec<_>>()).prop_shuffle(),
        net_name in "[ -~ü]{0,6}",
    ) {
        // The names contain arbitrary characters, and are distinct.
        for (i, (name, word)) in description.iter_mut().map(|d| &mut d.0).zip(&wild).enumerate() {
            *name = format!("{word}{}", i / 2);
            if i % 2 == 1 {
                name.insert(0, ' ');
            }
        }
        let names: HashSet<&String> = description.iter().map(|d| &d.0).collect();
        prop_assume!(names.len() == description.len());
        for ((_, states, ..), word) in description.iter_mut().zip(&wild[5..]) {
            states[0] = format!("{word}\u{1f600}");
        }
        let order: Vec<usize> = order.into_iter().filter(|&v| v < description.len()).collect();
        let text = bifxml(&description, &order).replacen("<NAME></NAME>", &format!("<NAME>{}</NAME>", net_name.trim().replace(['<', '&'], "")), 1);
        let network = Network::from_text(&text, "test").unwrap();
        for (&of, variable) in order.iter().zip(network.variables()) {
            prop_assert_eq!(variable.name(), &description[of].0);
            prop_assert!(variable.states().iter().map(State::name).eq(&description[of].1));
        }
        for format in NAMED {
            let written = match network.to_text(format) {
                Ok(written) => written,
                Err(NetworkError::NotWritable { .. }) => {
                    prop_assert!(matches!(format, NetworkFormat::Bif | NetworkFormat::Net));
                    let states = network.variables().iter().flat_map(|v| v.states().iter());
                    let names = network.variables().iter().map(Variable::name);
                    let mut names = names.chain(states.map(State::name)).chain([network.name()]);
                    prop_assert!(names.any(|name| name.contains(['"', '\n'])));
                    continue;
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let again = Network::from_text(&written, "again").unwrap();
            same(&network, &again)?;
            // The network is converted from each format to each other format.
            for other in NAMED {
                if let Ok(written) = again.to_text(other) {
                    same(&network, &Network::from_text(&written, "again").unwrap())?;
                }
            }
            let uai = Network::from_text(&again.to_uai(), "UAI").unwrap();
            prop_assert_eq!(sorted(&uai), sorted(&network));
            let written = uai.to_text(format).unwrap();
            same(&uai, &Network::from_text(&written, "again").unwrap())?;
        }
    }

    #[test]
    fn damage_is_an_error_within_the_text(
        description in description(),
        format in prop::sample::select([&NAMED[..], &[NetworkFormat::Uai]].concat()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), "[ -~\n]{0,3}|99999999999", 0..6usize), 1..4),
    ) {
        let network = Network::from_bif(&bif(&description, 6)).unwrap();
        let mut text = network.to_text(format).unwrap();
        for (at, inserted, removed) in damage {
            let places: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
            let first = at.index(places.len());
            let last = (first + removed).min(places.len() - 1);
            text.replace_range(places[first]..places[last], &inserted);
        }
        let read = match format {
            NetworkFormat::Bif => Network::from_bif(&text),
            NetworkFormat::Bifxml => Network::from_bifxml(&text),
            NetworkFormat::Net => Network::from_net(&text),
            NetworkFormat::Uai => Network::from_uai(&text),
            _ => Network::from_xdsl(&text),
        };
        match read {
            Ok(network) => match network.to_text(format) {
                Ok(written) => {
                    let again = Network::from_text(&written, "again").unwrap();
                    prop_assert_eq!(sorted(&again), sorted(&network));
                }
                Err(NetworkError::NotWritable { .. }) => {}
                Err(error) => prop_assert!(false, "{error}"),
            },
            Err(NetworkError::File(error)) => {
                let (line, column) = error.position.unwrap();
                let lines: Vec<&str> = text.split('\n').collect();
                prop_assert!((1..=lines.len()).contains(&line));
                prop_assert!((1..=lines[line - 1].chars().count() + 1).contains(&column));
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
