//! Network structures of Markov chains of tiles: the neighbours on which a tile depends. A list of network structures has a first structure, followed
//! by its fallbacks.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use figrs_reading::{Mistake, MistakeKind};

/// The position of a neighbour relative to its cell: `dx` columns to the right and `dy` rows down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset {
    /// Number of columns from the cell to its neighbour on the right; negative for a neighbour on the left.
    pub dx: i32,
    /// Number of rows down. Levels are drawn from the bottom up; the rows below a cell therefore get their tiles before the cell does.
    pub dy: i32,
}

impl Offset {
    /// The offset of the neighbour to the left of a cell.
    pub const LEFT: Offset = Offset { dx: -1, dy: 0 };
    /// The neighbour below.
    pub const BELOW: Offset = Offset { dx: 0, dy: 1 };
    /// The offset of the neighbour one row below and one column to the left.
    pub const LEFT_BELOW: Offset = Offset { dx: -1, dy: 1 };

    /// Returns the row and column of a cell's neighbour at the offset `self`, or `None` if the neighbour is outside the level.
    pub fn of_cell(
        self,
        row: usize,
        column: usize,
        height: usize,
        width: usize,
    ) -> Option<(usize, usize)> {
        let row = row.checked_add_signed(isize::try_from(self.dy).ok()?)?;
        let column = column.checked_add_signed(isize::try_from(self.dx).ok()?)?;
        (row < height && column < width).then_some((row, column))
    }

    fn decided(self) -> bool {
        self.dy > 0 || (self.dy == 0 && self.dx < 0)
    }
}

/// A network structure: the list of neighbours on whose tiles a cell's tile depends; the order of the neighbours matters.
///
/// The fallbacks of a network structure leave out neighbours from the end of its list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    offsets: Cow<'static, [Offset]>,
}

impl Structure {
    /// The network structure without neighbours: a tile's probability is its share of all tiles in training.
    pub const NS0: Structure = Structure {
        offsets: Cow::Borrowed(&[]),
    };
    /// The network structure whose only neighbour is the left one.
    pub const NS1: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT]),
    };
    /// The network structure with the left neighbour and the neighbour below.
    pub const NS2: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT, Offset::BELOW]),
    };
    /// The network structure with the left neighbour, the neighbour below, and the neighbour below the left one.
    pub const NS3: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT, Offset::BELOW, Offset::LEFT_BELOW]),
    };

    /// Maximum number of neighbours in a network structure.
    pub const MAX_OFFSETS: usize = 8;
    /// Maximum distance of a neighbour from its cell, in rows and in columns.
    pub const MAX_REACH: i32 = 16;

    const NAMED: [(&'static str, Structure); 4] = [
        ("ns0", Self::NS0),
        ("ns1", Self::NS1),
        ("ns2", Self::NS2),
        ("ns3", Self::NS3),
    ];

    /// Creates a network structure with neighbours at the given offsets; the most important neighbour comes first.
    ///
    /// **Errors.** An error if a neighbour is neither below the cell nor to the left in its row, is farther away than [`Structure::MAX_REACH`]
    /// or is repeated, or if there are more than [`Structure::MAX_OFFSETS`] neighbours.
    pub fn new(offsets: impl Into<Vec<Offset>>) -> Result<Self, Mistake> {
        let offsets: Vec<Offset> = offsets.into();
        if offsets.len() > Self::MAX_OFFSETS {
            let problem = format!("the structure has {} offsets", offsets.len());
            let remedy = format!("use at most {}", Self::MAX_OFFSETS);
            return Err(Mistake::new(MistakeKind::TooLarge, problem, remedy));
        }
        let reach = Self::MAX_REACH;
        for (index, &offset) in offsets.iter().enumerate() {
            let Offset { dx, dy } = offset;
            let wrong = |kind, problem: &str, remedy: &str| {
                Mistake::new(kind, format!("offset ({dx}, {dy}) {problem}"), remedy)
            };
            if !offset.decided() {
                return Err(wrong(
                    MistakeKind::Value,
                    "is not decided before its cell",
                    "use cells below, or to the left in the same row",
                ));
            }
            if dy > reach || !(-reach..=reach).contains(&dx) {
                let remedy = format!("stay within {reach} cells");
                return Err(wrong(MistakeKind::Value, "reaches too far", &remedy));
            }
            if offsets[..index].contains(&offset) {
                let remedy = "name each neighbour once";
                return Err(wrong(MistakeKind::Repeated, "is repeated", remedy));
            }
        }
        Ok(Self {
            offsets: Cow::Owned(offsets),
        })
    }

    /// Returns the offsets of the neighbours, in the order of the network structure.
    pub fn offsets(&self) -> &[Offset] {
        &self.offsets
    }

    /// Returns the neighbours of a cell, in the order of the network structure; `None` stands for the border.
    pub fn neighbours(
        &self,
        row: usize,
        column: usize,
        height: usize,
        width: usize,
    ) -> impl Iterator<Item = Option<(usize, usize)>> {
        self.offsets
            .iter()
            .map(move |offset| offset.of_cell(row, column, height, width))
    }

    /// Returns the network structure `self` and its fallbacks, each with one neighbour fewer than the one before, down to the structure without
    /// neighbours.
    pub fn fallbacks(&self) -> impl Iterator<Item = Structure> {
        (0..=self.offsets.len()).rev().map(|count| Self {
            offsets: Cow::Owned(self.offsets[..count].to_vec()),
        })
    }
}

/// Reads a network structure from the text `ns0`, `ns1`, `ns2` or `ns3`, or from offsets such as `(-1,0)(0,1)`.
impl FromStr for Structure {
    type Err = Mistake;

    fn from_str(name: &str) -> Result<Self, Mistake> {
        let found = Self::NAMED.into_iter().find(|&(known, _)| known == name);
        if let Some((_, structure)) = found {
            return Ok(structure);
        }
        let offset = |text: &str| {
            let (dx, dy) = text.strip_prefix('(')?.split_once(',')?;
            let (dx, dy) = (dx.parse().ok()?, dy.parse().ok()?);
            Some(Offset { dx, dy })
        };
        let listed = name.strip_suffix(')').map(|name| name.split(')'));
        let offsets: Option<Vec<Offset>> = listed.and_then(|all| all.map(offset).collect());
        Self::new(offsets.ok_or_else(|| unknown_structure(name))?)
    }
}

pub(super) fn unknown_structure(name: &str) -> Mistake {
    let problem = format!("unknown structure {name:?}");
    let remedy = "use ns0, ns1, ns2 or ns3, or offsets such as (-1,0)(0,1)";
    Mistake::new(MistakeKind::Unknown, problem, remedy)
}

/// Writes the network structures `ns0` to `ns3` by name, and any other structure as the offsets of its neighbours.
impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = Self::NAMED.into_iter().find(|(_, known)| known == self) {
            return f.write_str(name);
        }
        self.offsets
            .iter()
            .try_for_each(|Offset { dx, dy }| write!(f, "({dx},{dy})"))
    }
}

/// Network structures in the order in which they are tried: a first structure, and its fallbacks for configurations of tiles that never occurred in
/// training.
///
/// A fallback uses some of the neighbours of the first network structure, and the last fallback uses none. Because the last fallback needs no
/// neighbours, every cell can get a tile. A single [`Structure`] stands for the list of itself and its [`fallbacks`](Structure::fallbacks).
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
    /// Creates the list of the network structure `first` and its fallbacks, in the order in which they are tried.
    ///
    /// **Errors.** An error if a fallback has a neighbour that `first` lacks, if a network structure occurs twice, or if the last fallback has any
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
                    format!("structure {structure} occurs twice in the list"),
                    "name each once",
                ));
            }
            all.push(structure);
        }
        match all.last() {
            Some(last) if !last.offsets().is_empty() => Err(Mistake::new(
                MistakeKind::Missing,
                format!(
                    "the last fallback structure, {last}, has no tile for neighbours that never occurred in training"
                ),
                "end the list with ns0",
            )),
            _ => Ok(Self { all }),
        }
    }

    /// Returns the network structures in the order in which they are tried.
    pub fn as_slice(&self) -> &[Structure] {
        &self.all
    }

    /// Returns the first network structure.
    pub fn first(&self) -> &Structure {
        &self.all[0]
    }

    /// Returns, for each network structure, the places of its neighbours in the list of the first structure's neighbours.
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

/// Creates the list of a network structure and its fallbacks with fewer neighbours.
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

/// Reads a list of network structures separated by commas, or a single structure, which then has all structures with fewer of its neighbours (left
/// out from the end) as fallbacks.
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

/// Writes the list of network structures as text, which the implementation of [`FromStr`] reads.
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
    fn names_are_read_and_written() {
        for name in ["ns0", "ns1", "ns2", "ns3"] {
            assert_eq!(name.parse::<Structure>().unwrap().to_string(), name);
        }
        assert_eq!("ns4".parse::<Structure>(), Err(unknown_structure("ns4")));
        let other = Structure::new([Offset { dx: -2, dy: 0 }, Offset::BELOW]).unwrap();
        assert_eq!(other.to_string(), "(-2,0)(0,1)");
        assert_eq!("(-2,0)(0,1)".parse::<Structure>().unwrap(), other);
        let right = "(1,0)".parse::<Structure>().unwrap_err();
        assert!(right.problem.contains("(1, 0) is not decided"), "{right}");
    }

    #[test]
    fn fallbacks_are_ns3_ns2_ns1_ns0() {
        let names: Vec<_> = Structure::NS3
            .fallbacks()
            .map(|structure| structure.to_string())
            .collect();
        assert_eq!(names, ["ns3", "ns2", "ns1", "ns0"]);
    }

    #[test]
    fn neighbours_outside_the_level_are_the_border() {
        let corner: Vec<_> = Structure::NS3.neighbours(13, 0, 14, 5).collect();
        assert_eq!(corner, [None, None, None]);
        let inside: Vec<_> = Structure::NS3.neighbours(3, 4, 14, 5).collect();
        assert_eq!(inside, [Some((3, 3)), Some((4, 4)), Some((4, 3))]);
    }

    #[test]
    fn offsets_must_be_decided_near_few_and_distinct() {
        let new = |offsets: &[(i32, i32)]| {
            Structure::new(
                offsets
                    .iter()
                    .map(|&(dx, dy)| Offset { dx, dy })
                    .collect::<Vec<_>>(),
            )
        };
        for undecided in [(0, 0), (1, 0), (-1, -1), (i32::MIN, i32::MIN)] {
            let error = new(&[undecided]).unwrap_err();
            assert!(
                error.problem.ends_with("is not decided before its cell"),
                "{error}"
            );
        }
        for far in [(-17, 0), (i32::MIN, 0), (17, 1), (0, 17), (0, i32::MAX)] {
            let error = new(&[far]).unwrap_err();
            assert!(error.problem.ends_with("reaches too far"), "{error}");
        }
        let twice = new(&[(0, 1), (0, 1)]).unwrap_err();
        assert_eq!(twice.kind, MistakeKind::Repeated);
        let many = new(&[(0, 1); 9]).unwrap_err();
        assert_eq!(
            many.to_string(),
            "the structure has 9 offsets; use at most 8"
        );
        assert!(new(&[(1, 1), (-16, 0), (16, 16)]).is_ok());
    }

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
        assert_eq!(twice, "structure ns2 occurs twice in the list");
        let last = error("ns3,ns2");
        assert_eq!(last.kind, MistakeKind::Missing);
        assert!(
            last.problem
                .contains("the last fallback structure, ns2, has"),
            "{last}"
        );
        for text in ["", "ns3,", "ns3,ns4,ns0", "ns3,(0;1),ns0", "(0,1", "(0,1)x"] {
            assert_eq!(error(text).kind, MistakeKind::Unknown, "{text}");
        }
    }
}
