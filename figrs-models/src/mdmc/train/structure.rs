//! Network structures: the neighbours on which a tile depends.

use std::{borrow::Cow, fmt, str::FromStr};

use figrs_reading::{Mistake, MistakeKind};

/// A neighbour relative to its cell: `dx` columns to the right and `dy` rows down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset {
    /// Number of columns to the right; negative to the left.
    pub dx: i32,
    /// Number of rows down. Levels are drawn from the bottom up; the rows below a cell are therefore drawn before the cell.
    pub dy: i32,
}

impl Offset {
    /// The neighbour to the left.
    pub const LEFT: Offset = Offset { dx: -1, dy: 0 };
    /// The neighbour below.
    pub const BELOW: Offset = Offset { dx: 0, dy: 1 };
    /// The neighbour below the left neighbour.
    pub const LEFT_BELOW: Offset = Offset { dx: -1, dy: 1 };

    /// Returns the row and column of a cell's neighbour at this offset, or `None` if the neighbour is outside the level.
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

/// A network structure: the ordered neighbours whose tiles form a cell's configuration.
///
/// The simpler structures that are used as fallbacks leave out neighbours from the end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    offsets: Cow<'static, [Offset]>,
}

impl Structure {
    /// The network structure without neighbours: a tile's probability is its share of all tiles.
    pub const NS0: Structure = Structure {
        offsets: Cow::Borrowed(&[]),
    };
    /// The network structure of the left neighbour.
    pub const NS1: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT]),
    };
    /// The network structure of the left neighbour and the neighbour below.
    pub const NS2: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT, Offset::BELOW]),
    };
    /// The network structure of the left neighbour, the neighbour below, and the neighbour below the left one.
    pub const NS3: Structure = Structure {
        offsets: Cow::Borrowed(&[Offset::LEFT, Offset::BELOW, Offset::LEFT_BELOW]),
    };

    /// Maximum number of offsets in a structure.
    pub const MAX_OFFSETS: usize = 8;
    /// Maximum distance of a neighbour from its cell, in rows and in columns.
    pub const MAX_REACH: i32 = 16;

    const NAMED: [(&'static str, Structure); 4] = [
        ("ns0", Self::NS0),
        ("ns1", Self::NS1),
        ("ns2", Self::NS2),
        ("ns3", Self::NS3),
    ];

    /// Creates a structure of the given offsets, the most important first.
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

    /// Returns the offsets, in order.
    pub fn offsets(&self) -> &[Offset] {
        &self.offsets
    }

    /// Returns the neighbours of a cell, in the order of the structure; `None` stands for the border.
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

    /// Returns this structure and its simpler fallbacks, down to the structure without neighbours.
    pub fn fallbacks(&self) -> impl Iterator<Item = Structure> {
        (0..=self.offsets.len()).rev().map(|count| Self {
            offsets: Cow::Owned(self.offsets[..count].to_vec()),
        })
    }
}

/// Reads `ns0`, `ns1`, `ns2` or `ns3`, or offsets as `(-1,0)(0,1)`.
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
    let remedy = "use ns0, ns1, ns2 or ns3, or offsets as (-1,0)(0,1)";
    Mistake::new(MistakeKind::Unknown, problem, remedy)
}

/// Writes `ns0` to `ns3` by name and any other structure as its offsets.
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
}
