//! Lists of network structures: the first structure and its fallbacks.

use std::{fmt, str::FromStr};

use super::structure::unknown_structure;
use crate::mdmc::Structure;
use figrs_reading::{Mistake, MistakeKind};

/// Network structures in the order in which they are tried: the first one, and its fallbacks for configurations that never occurred in training.
///
/// A fallback uses some of the neighbours of the first structure, and the last fallback uses none. Every cell can therefore get a tile. A single
/// [`Structure`] stands for the list of itself and its [`fallbacks`](Structure::fallbacks).
///
/// ```
/// use figrs_models::mdmc::{Structure, Structures};
///
/// let list: Structures = "ns3,ns1,ns0".parse()?;
/// assert_eq!(list.as_slice(), [Structure::NS3, Structure::NS1, Structure::NS0]);
/// assert_eq!("ns3".parse::<Structures>()?, Structures::from(&Structure::NS3));
/// assert!("ns1,ns3,ns0".parse::<Structures>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structures {
    all: Vec<Structure>,
}

impl Structures {
    /// Creates the list of `first` and its fallbacks, in the order in which they are tried.
    ///
    /// **Errors.** An error if a fallback has a neighbour that `first` lacks, or has a neighbour twice, or if the last fallback has any
    /// neighbour.
    pub fn new(
        first: Structure,
        fallbacks: impl IntoIterator<Item = Structure>,
    ) -> Result<Self, Mistake> {
        let mut all = vec![first];
        for structure in fallbacks {
            let offsets = structure.offsets();
            if !offsets
                .iter()
                .all(|offset| all[0].offsets().contains(offset))
            {
                let first = &all[0];
                return Err(Mistake::new(
                    MistakeKind::Contradiction,
                    format!("structure {structure} sees a neighbour that {first} does not"),
                    "fall back on structures that see some of its neighbours",
                ));
            }
            if all.contains(&structure) {
                return Err(Mistake::new(
                    MistakeKind::Repeated,
                    format!("structure {structure} stands twice in the list"),
                    "name each once",
                ));
            }
            all.push(structure);
        }
        match all.last() {
            Some(last) if !last.offsets().is_empty() => Err(Mistake::new(
                MistakeKind::Missing,
                format!(
                    "the last structure to fall back on, {last}, has no tile where its neighbours are new"
                ),
                "end the list with ns0",
            )),
            _ => Ok(Self { all }),
        }
    }

    /// Returns the structures in the order in which they are tried.
    pub fn as_slice(&self) -> &[Structure] {
        &self.all
    }

    /// Returns the first network structure.
    pub fn first(&self) -> &Structure {
        &self.all[0]
    }

    /// Returns, for each network structure, the indices of its neighbours among the neighbours of the first structure.
    pub(in crate::mdmc) fn places(&self) -> Vec<Vec<usize>> {
        let first = self.first().offsets();
        let places = |structure: &Structure| {
            let offsets = structure.offsets().iter();
            let place = |offset| first.iter().position(|other| other == offset);
            offsets.filter_map(place).collect()
        };
        self.all.iter().map(places).collect()
    }
}

/// Creates the list of a structure and its simpler fallbacks.
impl From<&Structure> for Structures {
    fn from(structure: &Structure) -> Self {
        Self {
            all: structure.fallbacks().collect(),
        }
    }
}

impl From<&Structures> for Structures {
    fn from(structures: &Structures) -> Self {
        structures.clone()
    }
}

/// Reads a list of structures separated by commas, or a single structure, which then has all simpler structures as fallbacks.
impl FromStr for Structures {
    type Err = Mistake;

    fn from_str(text: &str) -> Result<Self, Mistake> {
        // Commas between parentheses belong to offsets.
        let mut inside = false;
        let parts = text.split(|symbol| {
            inside = (inside || symbol == '(') && symbol != ')';
            symbol == ',' && !inside
        });
        let structures: Vec<Structure> = parts.map(str::parse).collect::<Result<_, _>>()?;
        match &structures[..] {
            [one] => Ok(one.into()),
            [first, fallbacks @ ..] => Self::new(first.clone(), fallbacks.iter().cloned()),
            [] => Err(unknown_structure(text)),
        }
    }
}

/// Writes the list as text, which the implementation of [`FromStr`] reads.
impl fmt::Display for Structures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == self.first().into() {
            return self.first().fmt(f);
        }
        for (place, structure) in self.all.iter().enumerate() {
            write!(f, "{}{structure}", if place > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for text in [
            "ns3",
            "ns0",
            "ns3,ns2,ns0",
            "ns3,(0,1),(-1,1),ns0",
            "(-2,0)(0,1),(0,1),ns0",
        ] {
            let list: Structures = text.parse().unwrap();
            assert_eq!(list.to_string(), text);
        }
        let all: Structures = "ns2,ns1,ns0".parse().unwrap();
        assert_eq!(all.to_string(), "ns2");
        let places = "ns3,(0,1),(-1,1)(-1,0),ns0".parse::<Structures>().unwrap();
        assert_eq!(
            places.places(),
            [vec![0, 1, 2], vec![1], vec![2, 0], vec![]]
        );
    }

    #[test]
    fn lists_that_cannot_be_fallen_back_on_are_errors() {
        let error = |text: &str| text.parse::<Structures>().unwrap_err();
        let fallback = error("ns1,ns2,ns0").problem;
        assert_eq!(fallback, "structure ns2 sees a neighbour that ns1 does not");
        let twice = error("ns3,ns2,ns2,ns0").problem;
        assert_eq!(twice, "structure ns2 stands twice in the list");
        let last = error("ns3,ns2");
        assert_eq!(last.kind, MistakeKind::Missing);
        assert!(last.problem.contains("fall back on, ns2, has"), "{last}");
        for text in ["", "ns3,", "ns3,ns4,ns0", "ns3,(0;1),ns0", "(0,1", "(0,1)x"] {
            assert_eq!(error(text).kind, MistakeKind::Unknown, "{text}");
        }
    }
}
