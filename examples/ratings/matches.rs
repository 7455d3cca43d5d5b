//! Matches, read from a file.

use std::path::Path;

use figrs_command::{Failure, column_of_cell, is_standard_input, read_standard_input, read_text};
use figrs_reading::{FileError, Mistake};

/// A match between two sides.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    /// The indices of the players on the winning side, or on the first side of a draw.
    pub(crate) winners: Vec<usize>,
    /// The indices of the players on the losing side, or on the second side of a draw.
    pub(crate) losers: Vec<usize>,
    pub(crate) is_draw: bool,
    /// The day of the match, if the file has days.
    pub(crate) day: Option<f64>,
    /// The line of the match in the file, from 1.
    line: usize,
}

/// The matches of a file in the order of their days, and the names of all players in the order in which they appear.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) players: Vec<String>,
    pub(crate) games: Vec<Match>,
    /// Name of the file of matches in error messages.
    place: String,
}

/// The columns of a file of matches.
struct Columns {
    winner: usize,
    loser: usize,
    draw: Option<usize>,
    day: Option<usize>,
}

impl Columns {
    fn new(header: &csv::StringRecord, place: &str) -> Result<Self, FileError> {
        let find = |name: &str| header.iter().position(|cell| cell.trim() == name);
        let known = ["winner", "loser", "draw", "day"];
        let other = header.iter().find(|cell| !known.contains(&cell.trim()));
        let named: Vec<&str> = header.iter().collect();
        let needed = |name: &str| {
            find(name).ok_or_else(|| {
                let problem = format!(
                    "the first line, `{}`, has no column `{name}`",
                    named.join(",")
                );
                Mistake::value(
                    problem,
                    "begin the file with `winner,loser`, and with `draw` and `day` if there are such columns",
                )
                .at(place, (1, 1))
            })
        };
        let columns = Self {
            winner: needed("winner")?,
            loser: needed("loser")?,
            draw: find("draw"),
            day: find("day"),
        };
        if let Some(other) = other {
            let problem = format!("`{other}` is not a column of a file of matches");
            return Err(
                Mistake::value(problem, "the columns are winner, loser, draw, day")
                    .at(place, (1, 1)),
            );
        }
        Ok(columns)
    }
}

impl Matches {
    /// Reads a file with the columns `winner`, `loser`, `draw` and `day`; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = if is_standard_input(path) {
            read_standard_input()?
        } else {
            read_text(path)?
        };
        Ok(Self::parse(&text, &path.display().to_string())?)
    }

    fn parse(text: &str, place: &str) -> Result<Self, FileError> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(text.as_bytes());
        let broken = |error: &csv::Error| {
            let line = error.position().map_or(1, csv::Position::line) as usize;
            Mistake::value(error.to_string(), "write one match on each line").at(place, (line, 1))
        };
        let header = reader.headers().map_err(|error| broken(&error))?.clone();
        let columns = Columns::new(&header, place)?;
        let mut all = Self {
            place: place.to_owned(),
            ..Self::default()
        };
        let mut numbers = std::collections::HashMap::new();
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let line = record.position().map_or(1, csv::Position::line) as usize;
            let wrong = |cell: usize, problem: String, remedy: &str| {
                let start = record.position().map_or(0, csv::Position::byte) as usize;
                let text = text[start..].trim_start_matches(['\r', '\n']);
                Mistake::value(problem, remedy).at(place, (line, column_of_cell(text, cell)))
            };
            if record.len() != header.len() {
                let problem = format!(
                    "the line has {} cells, but the first line has {}",
                    record.len(),
                    header.len()
                );
                return Err(wrong(0, problem, "write a cell for each column"));
            }
            let mut side = |column: usize| {
                let names = record[column].split('+').map(str::trim);
                names
                    .map(|name| {
                        if name.is_empty() {
                            let problem = format!("a player of `{}` has no name", &record[column]);
                            return Err(wrong(column, problem, "write a team as `anna+ben`"));
                        }
                        let next = all.players.len();
                        let number = *numbers.entry(name.to_owned()).or_insert(next);
                        if number == next {
                            all.players.push(name.to_owned());
                        }
                        Ok(number)
                    })
                    .collect::<Result<Vec<usize>, FileError>>()
            };
            let (winners, losers) = (side(columns.winner)?, side(columns.loser)?);
            let mut players: Vec<usize> = winners.iter().chain(&losers).copied().collect();
            players.sort_unstable();
            if let Some(twice) = players.windows(2).find(|pair| pair[0] == pair[1]) {
                let problem = format!("`{}` plays twice in one match", all.players[twice[0]]);
                return Err(wrong(0, problem, "name each player once"));
            }
            let is_draw = match columns.draw {
                None => false,
                Some(column) => match record[column].trim().to_lowercase().as_str() {
                    "" | "0" | "false" | "no" => false,
                    "1" | "true" | "yes" => true,
                    other => {
                        let problem =
                            format!("`{other}` in the column `draw` is not a truth value");
                        let remedy = "write true, yes or 1 for a draw, and false, no, 0 or nothing for a victory";
                        return Err(wrong(column, problem, remedy));
                    }
                },
            };
            let day = match columns.day {
                None => None,
                Some(column) => {
                    let day: Option<f64> = record[column].trim().parse().ok();
                    Some(day.filter(|day| day.is_finite()).ok_or_else(|| {
                        let problem =
                            format!("`{}` in the column `day` is not a number", &record[column]);
                        wrong(
                            column,
                            problem,
                            "write the number of days since any fixed day",
                        )
                    })?)
                }
            };
            all.games.push(Match {
                winners,
                losers,
                is_draw,
                day,
                line,
            });
        }
        all.games
            .sort_by(|a, b| a.day.unwrap_or(0.0).total_cmp(&b.day.unwrap_or(0.0)));
        Ok(all)
    }

    /// Returns the error for a match for which no ratings can be computed.
    pub(crate) fn unrated(&self, game: &Match, problem: &str, remedy: &str) -> FileError {
        Mistake::value(problem, remedy).at(&self.place, (game.line, 1))
    }
}
