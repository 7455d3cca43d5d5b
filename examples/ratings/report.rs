//! Ratings as a table, as JSON and as a picture.

use std::collections::HashMap;
use std::io::{self, Write};

use figrs_command::{Failure, WrittenAnswer, as_json};
use figrs_report::{BandChart, BandPoint};
use serde_json::{Map, Value as Json, json};

use crate::matches::Matches;
use crate::rating::{History, Settling, Skill};

/// Ratings of players, and the options that decide how the ratings are printed.
pub(crate) struct Report<'a> {
    pub(crate) matches: &'a Matches,
    pub(crate) history: &'a History<'a>,
    pub(crate) settling: Option<Settling>,
    /// Number of players in tables and pictures.
    pub(crate) top: usize,
}

impl Report<'_> {
    /// Returns the players' indices and skills, from the best player down.
    fn ranked(&self) -> Vec<(usize, Skill)> {
        let players = 0..self.matches.players.len();
        let mut ranked: Vec<(usize, Skill)> = players
            .filter_map(|player| Some((player, self.history.last_skill(player)?)))
            .collect();
        ranked.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
        ranked
    }

    /// Returns the number of matches of each player.
    fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.matches.players.len()];
        for appearance in &self.history.appearances {
            counts[appearance.player] += 1;
        }
        counts
    }
}

/// Returns a number with the name of the things that it counts, in the singular or the plural.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

impl WrittenAnswer for Report<'_> {
    fn json(&self) -> Json {
        let counts = self.counts();
        let player = |(player, skill): (usize, Skill)| {
            let rating =
                json!({"mean": skill.mean, "sd": skill.deviation(), "matches": counts[player]});
            (self.matches.players[player].clone(), rating)
        };
        let players: Map<String, Json> = self.ranked().into_iter().map(player).collect();
        let mut object = Map::new();
        object.insert("players".into(), Json::Object(players));
        object.insert("matches".into(), json!(self.matches.games.len()));
        object.insert("log_evidence".into(), as_json(self.history.log_evidence));
        if let Some(settling) = self.settling {
            object.insert("passes".into(), json!(settling.passes));
            object.insert("settled".into(), json!(settling.is_settled()));
        }
        Json::Object(object)
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (ranked, counts) = (self.ranked(), self.counts());
        let names = ranked
            .iter()
            .take(self.top)
            .map(|(player, _)| self.matches.players[*player].chars().count());
        let width = names.max().unwrap_or(0).max("player".len());
        writeln!(
            out,
            "rank  {:<width$}      mean        sd  matches",
            "player"
        )?;
        for (rank, (player, skill)) in ranked.iter().enumerate().take(self.top) {
            writeln!(
                out,
                "{:>4}  {:<width$}  {:>8.4}  {:>8.4}  {:>7}",
                rank + 1,
                self.matches.players[*player],
                skill.mean,
                skill.deviation(),
                counts[*player]
            )?;
        }
        if ranked.len() > self.top {
            let more = counted(ranked.len() - self.top, "more player", "more players");
            writeln!(out, "and {more}")?;
        }
        let games = counted(self.matches.games.len(), "match", "matches");
        match self.settling {
            Some(settling) => writeln!(
                out,
                "{games} in {}; skills changed by up to {:.1e} standard deviations in the last pass",
                counted(settling.passes as usize, "pass", "passes"),
                settling.moved
            ),
            None => writeln!(
                out,
                "{games} in one pass; log-probability of the results {:.4}",
                self.history.log_evidence
            ),
        }
    }

    fn svg(&self) -> Result<String, Failure> {
        let mut points: HashMap<usize, Vec<BandPoint>> = HashMap::new();
        for appearance in &self.history.appearances {
            let skill = appearance.skill();
            let day = self.matches.games[appearance.at].day;
            points
                .entry(appearance.player)
                .or_default()
                .push(BandPoint {
                    time: day.unwrap_or(appearance.at as f64 + 1.0),
                    mean: skill.mean,
                    deviation: skill.deviation(),
                });
        }
        let has_days = self.matches.games.iter().any(|game| game.day.is_some());
        let mut chart = BandChart::new(if has_days { "day" } else { "match" }, "skill");
        for (player, _) in self.ranked().into_iter().take(self.top) {
            let own = points.remove(&player).unwrap_or_default();
            chart = chart.band(&self.matches.players[player], own);
        }
        Ok(chart.to_svg()?)
    }
}
