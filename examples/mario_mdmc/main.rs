//! Super Mario levels from models trained on example levels.
//!
//! `cargo run --release --example mario_mdmc -- --help`

mod demand_flags;
mod demanded;
mod format;
mod generator;
mod measured;
mod method;
mod moving;
mod options;
mod ordered;
mod probability;
mod resumed;
mod set_report;
mod sets;
mod stats;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use figrs_command::level_model::TrainedModel;
use figrs_command::{
    Failure, check_distinct, check_report, note, parsed, read_text, replace_text, stop,
};
use figrs_models::mdmc::{Corpus, CorpusNote, CorpusReader, MarkovChain, read_legend};

use generator::Trained;
use method::Method;
use moving::MOVING;
use options::Options;

fn main() -> ExitCode {
    figrs_command::run(
        |_| None,
        || {
            let mut options: Options = parsed();
            options.choose_method();
            run(Arc::new(options))
        },
    )
}

fn run(options: Arc<Options>) -> Result<(), Failure> {
    check(&options)?;
    stop::listen(options.time)?;
    let given = Arc::clone(&options);
    let read = stop::attempt(move || trained_chain(&given))?;
    let (corpus, chain) = read.ok_or_else(|| stop::nothing("a trained model"))??;
    if let Some(path) = &options.save_model {
        replace_text(path, &chain.to_json())?;
    }
    let seed = options.seed.unwrap_or_else(fresh_seed);
    if options.probability {
        let (given, levels) = (Arc::clone(&options), corpus.clone());
        let model = move || generator::level_model(&given, &levels, &Arc::new(chain));
        let model = stop::attempt(model)?.ok_or_else(|| stop::nothing("a trained model"))??;
        return probability::write(&options, &corpus, &model, seed);
    }
    let started = Instant::now();
    let given = Arc::clone(&options);
    let trained = stop::attempt(move || Trained::new(given, corpus, chain, seed))?;
    let trained = Arc::new(trained.ok_or_else(|| stop::nothing("a level"))??);
    if options.stats.is_some() {
        stats::write(&options, &trained)?;
        note(format!(
            "seed {seed}, {:.3} s",
            started.elapsed().as_secs_f64()
        ));
        return Ok(());
    }
    let totals = sets::write(&options, &trained)?;
    note(format!(
        "method {}: {}",
        trained.method(),
        trained.guarantee()
    ));
    if let Some(quality) = trained.quality() {
        note(quality);
    }
    if let Some(route) = trained.routes.first() {
        note(format!("movement {}", route.rules().movement()));
    }
    note(format!(
        "seed {seed}, levels {} of {} by {}{}: unseen states {}, fallbacks {}{}, {:.3} s",
        totals.levels(options.question.levels),
        trained.size().0,
        trained.size().1,
        totals.kept(),
        totals.unseen,
        totals.fallbacks,
        totals.paths(&options),
        started.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Returns an error if several options together are not allowed.
fn check(options: &Options) -> Result<(), Failure> {
    if let Some((option, method)) = options.without_method() {
        return Err(format!("{option} needs --method {}", method.name()).into());
    }
    let any = |is: fn(Method) -> bool| options.methods.iter().any(|&method| is(method));
    let is_saved = options.save_model.is_some();
    let is_measured = options.stats.is_some() || is_saved;
    let structures = options.any_model(TrainedModel::has_structures);
    let structured = "look-ahead, elements, conditioned, exact, columns or hierarchical";
    let without_effect = [
        (
            options.question.structure.is_some() && !is_measured && !structures,
            ("--structure", structured),
        ),
        (
            options.question.smoothing.is_some() && !is_saved && !structures,
            ("--smoothing", structured),
        ),
        (
            options.question.row_splits.is_some()
                && !is_measured
                && !options.any_model(TrainedModel::has_bands),
            ("--row-splits", "other than n-grams"),
        ),
        (
            options.look_ahead.is_some() && !any(Method::looks_ahead),
            ("--look-ahead", "look-ahead, elements or columns"),
        ),
    ];
    if let Some((_, (option, methods))) = without_effect.iter().find(|(without, _)| *without) {
        return Err(format!("{option} needs --method {methods}").into());
    }
    if options.stats.is_none() && !options.probability && options.methods.len() > 1 {
        return Err("more than one --method needs --stats or --probability".into());
    }
    options.question.check_styles()?;
    if options.question.travel.is_some() && options.corpus.is_empty() {
        return Err("--travel needs --corpus".into());
    }
    options.checked_format()?;
    if options.stats.is_some() && options.format().needs_file() {
        return Err("--stats needs --format text or json".into());
    }
    if options.format().needs_file() && options.out.is_none() {
        return Err(format!("--format {} needs --out FILE", options.format().name()).into());
    }
    if options.sections.is_some() && options.stats.is_none() && options.report.is_none() {
        return Err("--sections needs --stats or --report".into());
    }
    let shown = options.format().has_pictures() || options.report.is_some();
    if options.tile_sheet.is_some() && !shown {
        return Err("--tile-sheet needs --format png, tmx or tiled-json, or --report".into());
    }
    if options.resume && (!options.format().needs_file() || options.question.levels < 2) {
        return Err(
            "--resume needs --levels of two or more, and --format png, tmx, tiled-json or ldtk-csv"
                .into(),
        );
    }
    check_distinct(&[
        ("--model", options.model.as_deref()),
        ("--save-model", options.save_model.as_deref()),
        ("--out", options.out.as_deref()),
        ("--report", options.report.as_deref()),
    ])?;
    // Files of demands are checked when they are read.
    let asks_files = !options.demands.demands.is_empty();
    if options.movement.is_some() && !options.heeds_movement() && !asks_files {
        return Err(format!("--movement needs {MOVING}").into());
    }
    if options.question.show_path && !options.format().shows_path() {
        return Err("--show-path needs --format text, json, png, tmx or tiled-json".into());
    }
    if let Some(path) = &options.report {
        check_report(path)?;
    }
    let heeding = |method: &Method| method.heeds_demands();
    let meeting = |method: &Method| method.heeds_demands() || method.draws_again();
    if options.demands.any() && !options.methods.iter().any(meeting) {
        let own = options.methods.iter().find(|method| method.has_own_model());
        return Err(match own {
            Some(own) => format!(
                "demands need --method conditioned or exact, with --trained {} for levels of that model",
                own.name()
            ),
            None => "demands need --method conditioned, exact, look-ahead or elements".to_owned(),
        }
        .into());
    }
    if options.names_model_in_vain() {
        return Err("--trained needs --method conditioned or exact".into());
    }
    if options.probability && !options.methods.iter().all(heeding) {
        return Err("--probability needs --method conditioned or exact".into());
    }
    if options.probability && (options.format().needs_file() || options.out.is_some()) {
        return Err("--probability needs --format text or json, and no --out".into());
    }
    let own = |&&method: &&Method| options.model_of(method) != TrainedModel::Chain;
    let other = options.methods.iter().find(own);
    match other.filter(|_| options.model.is_some()) {
        Some(method) if method.heeds_demands() => {
            Err("--trained needs training levels, not --model".into())
        }
        Some(method) => Err(format!(
            "--method {} needs training levels, not --model",
            method.name()
        )
        .into()),
        None => Ok(()),
    }
}

/// Returns the training levels, and the Markov chain that is trained on them or read from a file.
fn trained_chain(options: &Options) -> Result<(Corpus, MarkovChain), Failure> {
    let corpus = match &options.corpus[..] {
        [] => options.question.shipped()?,
        _ => read_corpus(options)?,
    };
    let corpus = options.question.weighted(corpus)?;
    let chain = chain(options, &corpus)?;
    options.set_length_of_around(&chain);
    options.question.check_size(&chain)?;
    Ok((corpus, chain))
}

fn read_corpus(options: &Options) -> Result<Corpus, Failure> {
    let mut reader = options.question.reader(CorpusReader::new(&options.corpus));
    if let Some(path) = &options.tiles {
        reader = reader.tiles(read_legend(path)?);
    }
    for pattern in &options.question.only {
        reader = reader.only(pattern);
    }
    if let Some(layer) = &options.layer {
        reader = reader.layer(layer);
    }
    if let Some(rooms) = options.rooms {
        reader = reader.rooms(rooms);
    }
    let (corpus, notes) = reader.read()?;
    for message in notes {
        let remedy = match message {
            CorpusNote::Padded { .. } => {
                " (--rows cuts higher levels instead; --only selects levels)"
            }
            CorpusNote::DrawnWays { .. } => {
                " (--only reads only those levels; --tiles FILE with a meaning of that tile keeps them)"
            }
            CorpusNote::UnknownTiles { .. } => " (--tiles FILE defines their meanings)",
            CorpusNote::Layer { .. } => " (--layer chooses another)",
            CorpusNote::NumberedTiles { .. } => {
                " (--tiles FILE names them: `'#' = { meaning = ['solid'], picture = 0 }` is the tile 0)"
            }
            _ => "",
        };
        note(format!("note: {message}{remedy}"));
    }
    options.set_usual_length(&corpus);
    Ok(corpus)
}

fn chain(options: &Options, corpus: &Corpus) -> Result<MarkovChain, Failure> {
    let Some(path) = &options.model else {
        return options.question.chain(corpus);
    };
    let chain = MarkovChain::from_json(&read_text(path)?);
    chain.map_err(|error| format!("{}: {error} (--save-model)", path.display()).into())
}

fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_micros() as u64)
}
