//! A set of levels as an HTML page.

use std::path::Path;

use figrs_design::{Playability, ReferenceCorpus};
use figrs_report::{GroupedBars, HtmlPage};

use figrs_command::{Failure, replace_text};

use crate::generator::{Made, Trained};
use crate::measured::{Column, Measured};
use crate::options::Options;
use crate::sets::writer;
use crate::stats::yardstick;

/// Maximum number of levels on the HTML page.
const SHOWN: usize = 12;

/// The contents of the HTML page, collected level by level.
pub(crate) struct SetReport<'a> {
    trained: &'a Trained,
    yardstick: ReferenceCorpus,
    corpus: Column,
    levels: Column,
    pictures: Vec<(String, Vec<u8>)>,
}

impl<'a> SetReport<'a> {
    pub(crate) fn new(options: &Options, trained: &'a Trained) -> Result<Self, Failure> {
        let yardstick = yardstick(options, trained)?;
        Ok(Self {
            trained,
            corpus: Column::of_corpus(trained, &yardstick),
            yardstick,
            levels: Column::new(options.methods[0].name()),
            pictures: Vec::new(),
        })
    }

    /// Adds a level to the HTML page, with the path of a player that is drawn in its picture.
    pub(crate) fn add(
        &mut self,
        index: u64,
        made: &Made,
        path: Option<&Playability>,
    ) -> Result<(), Failure> {
        let metrics = self.yardstick.measure(&made.level);
        let measured = Measured::new(made.level.width(), Some(made.unseen), metrics);
        self.levels.add(&measured);
        if self.pictures.len() < SHOWN {
            let mut png = Vec::new();
            let path = path.map_or(&[][..], Playability::path);
            let level = self.trained.upright(&made.level);
            writer(self.trained, &level).path(path).png(&mut png)?;
            let caption = format!("level {}, unseen states {}", index + 1, made.unseen);
            self.pictures.push((caption, png));
        }
        Ok(())
    }

    /// Writes the page.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut page = HtmlPage::new("Levels, by figrs");
        let settings = self.trained.settings().into_iter().map(|(name, value)| {
            let text = value.as_str().map(str::to_owned);
            (name, text.unwrap_or_else(|| value.to_string()))
        });
        let numbers = [
            ("seed", self.trained.seed.to_string()),
            ("levels", self.levels.levels.to_string()),
        ];
        page.settings(settings.chain(numbers));
        page.heading("Levels");
        let pictures = self.pictures.iter();
        page.gallery(pictures.map(|(caption, png)| (caption.as_str(), png.as_slice())));
        if self.levels.levels > SHOWN as u64 {
            let count = self.levels.levels;
            page.paragraph(&format!("The first {SHOWN} of {count} levels."));
        }
        page.heading("Measures");
        page.paragraph("Means with their standard errors; `--help` explains the measures.");
        let columns = [&self.corpus, &self.levels];
        let names = columns.map(Column::heading);
        page.table(&["measure", &names[0], &names[1]], Column::rows(&columns));
        page.heading("Difficulty");
        page.paragraph(
            "Sections of equal length from the start of the levels: enemies, plus half of the gaps, hazards and jumps, per column.",
        );
        let chart = columns.iter().zip(names).fold(
            GroupedBars::new("section", "difficulty"),
            |chart, (column, name)| chart.series(name, column.difficulty()),
        );
        page.svg(
            "mean difficulty of the training levels and of the drawn levels",
            chart.to_svg(),
        );
        replace_text(path, &page.to_string())
    }
}
