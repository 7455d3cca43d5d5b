//! A question about levels: the training levels, the model that is trained on them, and the levels to draw.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use figrs_models::mdmc::{
    Corpus, CorpusReader, LevelModel, MarkovChain, RowSplits, Structure, Structures, Travel,
};
use glob::Pattern;

use crate::level_model::{ModelSettings, SectionKinds, TrainedModel};
use crate::level_names::{check_matches, style, styled, weight, weighted};
use crate::{Bytes, Failure, Flag, mebibytes, whole};

/// A question about levels, as flags of a command or as fields of a request.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct LevelQuestion {
    /// Train only on the levels whose name (without .txt) or path below --corpus matches this pattern with `*`, `?` and `[..]`. The option may be
    /// given several times.
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,
    /// Number of times that each level whose name matches the pattern counts in training, such as "*-1=3". The option may be given several times; the
    /// last matching pattern decides.
    #[arg(long, value_name = "PATTERN=TIMES", value_parser = weight)]
    pub weight: Vec<(Pattern, u32)>,
    /// Style of the training levels whose names match a pattern, such as castle="*-4". Each style has its own Markov chain, and a drawn level changes
    /// its style only at seams, one after every --section columns. Levels without a style have the style "other". The option may be given several
    /// times; the first matching pattern decides. Styles replace the --kinds of the hierarchical model, from which the methods conditioned and exact
    /// then draw; the method hierarchical draws from it without demands.
    #[arg(long, value_name = "STYLE=PATTERN", value_parser = style, conflicts_with = "kinds")]
    pub style: Vec<(String, Pattern)>,
    /// Probability that the style changes at a seam; 0.2 if not given.
    #[arg(long, value_name = "PROBABILITY")]
    pub style_change: Option<f64>,
    /// Direction in which the player moves through a level. If not given, the direction is up if all training levels have one width and are at least
    /// twice as high as wide, and otherwise to the right.
    #[arg(long, value_enum)]
    pub travel: Option<Direction>,
    /// Keep only this many rows of the training levels, counted from the bottom, and fill up lower levels. For levels in which the player climbs,
    /// this is the number of columns, counted from the left.
    #[arg(long)]
    pub rows: Option<usize>,
    /// Number of columns of each level, from 1 to a million (65 536 for methods other than look-ahead and columns). If not given, the width is that
    /// of the levels of --corpus if all have one width, and otherwise 120. Levels in which the player climbs are as wide as the training levels.
    #[arg(long, value_name = "COLUMNS")]
    pub width: Option<usize>,
    /// Number of rows of each level in which the player climbs, with the limits of --width; other levels are as high as the training levels.
    #[arg(long, value_name = "ROWS")]
    pub height: Option<usize>,
    /// Neighbours that a tile depends on: ns0 none, ns1 left, ns2 left and below, ns3 left, below and left-below (the default), or offsets in columns
    /// to the right and rows down, such as "(-1,0)(0,1)". A list such as ns3,ns1,ns0 adds simpler structures as fallbacks, each with some of the
    /// neighbours of the first structure; the last structure has no neighbours. The option applies to the methods look-ahead, elements, conditioned,
    /// exact, columns and hierarchical.
    #[arg(long, visible_alias = "structures", value_name = "STRUCTURE[,...]")]
    pub structure: Option<Structures>,
    /// Add this number to the count of every tile of a band of rows for each combination of neighbours that occurred in training, so that other tiles
    /// of the band become possible there; 0 if not given. The option applies to the methods of --structure.
    #[arg(long, value_name = "COUNT")]
    pub smoothing: Option<f64>,
    /// Number of bands of rows, each with its own trained table; at most the number of rows, which is the default.
    #[arg(long, value_name = "BANDS")]
    pub row_splits: Option<usize>,
    /// Trained model that the methods conditioned and exact draw from; chain if not given. The methods n-grams, hierarchical and field draw from the
    /// models of the same names without demands.
    #[arg(long, value_enum)]
    pub trained: Option<TrainedModel>,
    /// Number of adjacent columns in an n-gram, from 1 to 6; 3 if not given.
    #[arg(long, value_name = "COLUMNS")]
    pub order: Option<usize>,
    /// Number of columns in a section of the hierarchical model, from 1 to 64; 4 if not given.
    #[arg(long, value_name = "COLUMNS")]
    pub section: Option<usize>,
    /// Number of kinds of sections in the hierarchical model, from 1 to 64; 8 if not given.
    #[arg(long)]
    pub kinds: Option<usize>,
    /// Number of particles of each level for the method conditioned; 20 if not given. If all particles of a level fail, the method uses more
    /// particles, up to 100000.
    #[arg(long, value_parser = whole::<u32>(1..=100_000))]
    pub particles: Option<u32>,
    /// Memory for the states of the method exact, such as 512MiB or 6GiB; the messages of the method may take as much memory again. A number without
    /// a unit is in MiB; the default is 1GiB.
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    pub memory: Option<Bytes>,
    /// Number of levels to draw.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(1..))]
    pub levels: u64,
    /// Show a shortest path of a player to the goal of --movement (the right edge of a platformer), or a path that leads as far as possible: as `*`
    /// in text, as a list of rows and columns in JSON, and as a line in pictures and maps.
    #[arg(long)]
    pub show_path: bool,
    /// Check each level by stricter rules, and draw it again until it is playable: enemies and hazards block, and the player cannot pass between two
    /// solid tiles that touch at a corner.
    #[arg(long)]
    pub strict: bool,
}

/// A direction in which levels are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From the bottom up.
    Up,
}

impl From<Direction> for Travel {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Right => Self::Right,
            Direction::Up => Self::Up,
        }
    }
}

/// True if one of `patterns` matches the name of a level, or if there are no patterns.
fn is_chosen(patterns: &[Pattern], name: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name))
}

impl LevelQuestion {
    /// Returns the patterns of level names that select the training levels.
    fn patterns(&self) -> Result<Vec<Pattern>, Failure> {
        let patterns = self.only.iter().map(|pattern| {
            let wrong = |error| format!("{} {pattern}: {error}", Flag("only")).into();
            Pattern::new(pattern).map_err(wrong)
        });
        patterns.collect()
    }

    /// Returns a function that is true for the names of the levels that are used for training.
    ///
    /// **Errors.** A pattern of --only is invalid.
    pub fn chosen(&self) -> Result<impl Fn(&str) -> bool, Failure> {
        let patterns = self.patterns()?;
        Ok(move |name: &str| is_chosen(&patterns, name))
    }

    /// Returns the levels that figrs ships, as training levels.
    ///
    /// **Errors.** A pattern of --only is invalid or matches no name, or the levels have fewer rows than `rows`.
    pub fn shipped(&self) -> Result<Corpus, Failure> {
        let corpus = Corpus::shipped();
        let patterns = self.patterns()?;
        check_matches(&corpus, patterns.iter())
            .map_err(|error| format!("{}: {error}", Flag("only")))?;
        let named = corpus.names().iter().zip(corpus.levels());
        let named = named.filter(|(name, _)| is_chosen(&patterns, name));
        let corpus = Corpus::new(named.map(|(name, level)| (name.clone(), level.clone())))?;
        Ok(match self.rows {
            Some(rows) => corpus.bottom_rows(rows)?,
            None => corpus,
        })
    }

    /// Sets the direction of play and the number of rows with which `reader` reads training levels.
    pub fn reader(&self, mut reader: CorpusReader) -> CorpusReader {
        if let Some(travel) = self.travel {
            reader = reader.travel(travel.into());
        }
        if let Some(rows) = self.rows {
            reader = reader.rows(rows);
        }
        reader
    }

    /// Returns training levels with their weights and styles.
    ///
    /// **Errors.** A pattern matches no name.
    pub fn weighted(&self, corpus: Corpus) -> Result<Corpus, Failure> {
        styled(weighted(corpus, &self.weight)?, &self.style)
    }

    /// Returns the Markov chain that is trained on a corpus.
    ///
    /// **Errors.** Training fails; the error names the wrong setting.
    pub fn chain(&self, corpus: &Corpus) -> Result<MarkovChain, Failure> {
        let bands = self.row_splits.unwrap_or(corpus.height());
        let splits = RowSplits::new(bands, corpus.height())?;
        let structures = self.structure.as_ref();
        let structures = structures.map_or_else(|| (&Structure::NS3).into(), Structures::clone);
        let chain = MarkovChain::train(corpus, structures, splits)?;
        Ok(chain.smoothed(self.smoothing.unwrap_or(0.0))?)
    }

    /// Returns the kind of the trained model: the kind that --trained names; without this option, hierarchical if there are styles, and otherwise the
    /// Markov chain.
    pub fn trained(&self) -> TrainedModel {
        let usual = if self.style.is_empty() {
            TrainedModel::Chain
        } else {
            TrainedModel::Hierarchical
        };
        self.trained.unwrap_or(usual)
    }

    /// Returns the settings of the trained models other than the Markov chain.
    pub fn model_settings(&self) -> ModelSettings {
        let change = self.style_change.unwrap_or(SectionKinds::CHANGE);
        let change = (!self.style.is_empty()).then_some(change);
        ModelSettings::given(self.order, self.section, self.kinds, change)
    }

    /// Returns the trained model of levels with `width` columns in the direction of play.
    ///
    /// **Errors.** Training fails; the error names the wrong setting.
    pub fn model(
        &self,
        corpus: &Corpus,
        chain: &Arc<MarkovChain>,
        width: usize,
    ) -> Result<LevelModel, Failure> {
        let settings = self.model_settings();
        settings.model(self.trained(), corpus, chain, width)
    }

    /// Returns the length of a level in the direction of play, if the question gives this length.
    pub fn length(&self, travel: Travel) -> Option<usize> {
        match travel {
            Travel::Right => self.width,
            Travel::Up => self.height,
        }
    }

    /// Returns an error if the question gives a probability for a change of style, but no styles.
    pub fn check_styles(&self) -> Result<(), Failure> {
        if self.style_change.is_some() && self.style.is_empty() {
            return Err(format!("{} needs {}", Flag("style-change"), Flag("style")).into());
        }
        Ok(())
    }

    /// Returns an error if the question gives another size across the direction of play than the training levels, which determine this size.
    pub fn check_size(&self, chain: &MarkovChain) -> Result<(), Failure> {
        let across = chain.height();
        let (width, height, rows) = (Flag("width"), Flag("height"), Flag("rows"));
        let (given, flag, length, travel, what) = match chain.travel() {
            Travel::Right => (self.height, height, width, "to the right", "rows"),
            Travel::Up => (self.width, width, height, "upwards", "columns"),
        };
        match given.filter(|&given| given != across) {
            Some(given) => Err(format!(
                "{flag} {given}: levels {travel} have the {across} {what} of the training levels; leave it out, reduce this number by {rows}, or set \
                 the length by {length}"
            )
            .into()),
            None => Ok(()),
        }
    }

    /// Returns the number of particles with which one level is drawn.
    pub fn particles(&self) -> usize {
        self.particles.unwrap_or(20) as usize
    }

    /// Returns the memory for the states of the method exact.
    pub fn memory(&self) -> Bytes {
        self.memory.unwrap_or(Bytes(1 << 30))
    }
}
