//! Tests of players' paths through areas, on every model: exact probabilities against all levels and a separate checker, draws, and files.

use std::collections::HashSet;
use std::sync::Arc;

use crate::samplers::{Levels, by_particles, exactly};
use figrs_design::{
    Area, Demand, DemandError, DemandFile, DemandedLevel, DemandedLevelError, JUMP_ARCS,
    MistakeKind, Movement, MovementRules, Obstacle, Playability, ProposedLevels, Route,
};
use figrs_infer::{Frontier, Run};
use figrs_models::board::ConditionalSampler;
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, CorpusReader, Level, LevelModel, LookAheadSampler, MarkovChain,
    RowSplits, Structure, Tile, TileSet, Travel,
};

use crate::models;

/// Rows and columns of an area: top, bottom, left and right, where bottom and right are excluded.
type Rectangle = [usize; 4];

fn through(areas: &[Rectangle]) -> Route {
    let area = |&[top, bottom, left, right]: &Rectangle| {
        Area::all().rows(top..bottom).columns(left..right)
    };
    Route::default().through(areas.iter().map(area))
}

/// True if a player passes some areas one after another and reaches the right edge, by a second implementation of the published rules.
fn passes(level: &Level, areas: &[Rectangle]) -> bool {
    let (x, y) = (2.min(level.width() - 1), 2.min(level.height() - 1));
    passes_from(&[(x.cast_signed(), y.cast_signed())], false, level, areas)
}

/// As [`passes`], with starts in all cells of the left edge that are not solid, and with a floor below the level.
fn passes_on_floor(level: &Level, areas: &[Rectangle]) -> bool {
    let rows = (0..level.height()).filter(|&row| !level.get(row, 0).unwrap().solid());
    let starts: Vec<(isize, isize)> = rows.map(|row| (0, row.cast_signed())).collect();
    passes_from(&starts, true, level, areas)
}

fn passes_from(
    starts: &[(isize, isize)],
    has_floor: bool,
    level: &Level,
    areas: &[Rectangle],
) -> bool {
    let (height, width) = (level.height().cast_signed(), level.width().cast_signed());
    let solid = |x: isize, y: isize| {
        let tile = level.get(y.cast_unsigned(), x.cast_unsigned());
        tile.is_some_and(Tile::solid)
    };
    // An area counts as passed as soon as the player enters it after the areas before it.
    let passed = |x: isize, y: isize, mut passed: usize| {
        let (x, y) = (x.cast_unsigned(), y.cast_unsigned());
        let is_in = |&[top, bottom, left, right]: &Rectangle| {
            (top..bottom).contains(&y) && (left..right).contains(&x)
        };
        while areas.get(passed).is_some_and(is_in) {
            passed += 1;
        }
        passed
    };
    let starts = starts.iter();
    let mut open: Vec<_> = starts
        .map(|&(x, y)| (x, y, None, passed(x, y, 0)))
        .collect();
    let mut known: HashSet<_> = open.iter().copied().collect();
    while let Some((x, y, jump, before)) = open.pop() {
        if x == width - 1 && before == areas.len() {
            return true;
        }
        if y == height - 1 && !has_floor {
            continue;
        }
        let mut next = Vec::new();
        let mut step = |arc: usize, index: usize, side: isize| {
            let Some(&(dx, dy)) = JUMP_ARCS[arc].get(index) else {
                return;
            };
            let from = index
                .checked_sub(1)
                .map_or((0, 0), |index| JUMP_ARCS[arc][index]);
            let x = x + side * isize::from(dx - from.0);
            let y = (y + isize::from(dy - from.1)).max(0);
            next.push((x, y, Some((arc, index, side))));
        };
        if let Some((arc, index, side)) = jump {
            step(arc, index + 1, side);
        }
        if solid(x, y + 1) || y == height - 1 {
            for arc in 0..JUMP_ARCS.len() {
                step(arc, 0, 1);
                step(arc, 0, -1);
            }
            next.extend([(x - 1, y, None), (x + 1, y, None)]);
        } else {
            for (dx, dy) in [(0, 1), (-1, 1), (1, 1), (-1, 2), (1, 2)] {
                next.push((x + dx, y + dy, None));
            }
        }
        for (x, y, jump) in next {
            let inside = (0..width).contains(&x) && y < height && !solid(x, y);
            let after = if inside { passed(x, y, before) } else { 0 };
            if inside && known.insert((x, y, jump, after)) {
                open.push((x, y, jump, after));
            }
        }
    }
    false
}

#[test]
fn ways_have_their_exact_probability_in_every_model() {
    let cases: [&[Rectangle]; 7] = [
        &[],
        &[[1, 2, 3, 4]],
        &[[0, 1, 4, 5]],
        &[[1, 2, 4, 5], [1, 2, 1, 2]],
        &[[0, 3, 0, 1], [0, 1, 3, 5]],
        &[[0, 2, 4, 5], [0, 2, 2, 3], [0, 1, 3, 4]],
        &[[2, 3, 2, 5]],
    ];
    let movement = Movement::from_toml("like = 'platformer'\nstart = 'left'\nbottom = 'floor'");
    let movement = movement.unwrap();
    let mut between = 0;
    for known in models::all(5) {
        // The weights of a random field do not sum to one, so the sum over all levels is divided out.
        let free = DemandedLevel::new(&known.model, &[]).unwrap();
        let free = Frontier::new().log_evidence(free.model()).unwrap();
        for areas in cases {
            let rules = movement
                .rules(known.model.tile_set(), Travel::Right)
                .unwrap();
            let route = Route::under(&rules).through(through(areas).areas().to_vec());
            let demand = Demand::Playable(route);
            let demanded = DemandedLevel::new(&known.model, &[demand]).unwrap();
            let p = Frontier::new().log_evidence(demanded.model()).unwrap();
            let p = (p - free).exp();
            let met = known.levels.iter();
            let met = met.filter(|(level, _)| passes_on_floor(level, areas));
            let expected: f64 = met.map(|(_, p)| p).sum();
            assert!(
                (p - expected).abs() < 1e-9,
                "{} {areas:?}: {p} {expected}",
                known.name
            );
            between += usize::from(p > 1e-6 && p < 1.0 - 1e-6);
        }
    }
    // Some of the demands are neither certain nor impossible.
    assert!(between > 5, "{between}");
}

#[test]
fn levels_that_are_drawn_have_the_way_by_every_method() {
    let corpus = Corpus::shipped();
    let splits = RowSplits::new(14, 14).unwrap();
    let chain = Arc::new(MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap());
    let elements = figrs_models::mdmc::LevelElements::new(Arc::clone(&chain), 60).unwrap();
    let areas: [Rectangle; 2] = [[0, 9, 20, 24], [0, 9, 40, 44]];
    let demands = [Demand::Seen, Demand::Playable(through(&areas))];
    let demanded = DemandedLevel::new(&elements, &demands).unwrap();
    let conditioned = by_particles(demanded.clone());
    let look_ahead = LookAheadSampler::new(chain, 3, 60).unwrap();
    let proposed = ProposedLevels::new(look_ahead, demanded).unwrap();
    let rejection = ConditionalSampler::new().numbered(&proposed).unwrap();
    for drawn in [conditioned.levels(3, 0..6), rejection.levels(3, 0..6)] {
        for generated in drawn.unwrap() {
            let level = generated.level();
            assert!(passes(level, &areas), "{level}");
            let verdict = Playability::along(level, &through(&areas));
            let path = verdict.path();
            let at = |[top, bottom, left, right]: Rectangle| {
                path.iter().position(|(row, column)| {
                    (top..bottom).contains(row) && (left..right).contains(column)
                })
            };
            assert!(verdict.playable() && at(areas[0]) < at(areas[1]), "{level}");
        }
    }
}

#[test]
fn the_area_that_is_not_passed_is_told_and_the_strict_engine_passes_areas_too() {
    let level: Level = "--------\n--------\n--------\n---SS---\n---SS---\n--------\nXXXXXXXX"
        .parse()
        .unwrap();
    let along = |areas: &[Rectangle]| Playability::along(&level, &through(areas)).obstacle();
    assert_eq!(along(&[[2, 3, 3, 5]]), None);
    // No player can enter the brick.
    let brick = along(&[[2, 3, 3, 5], [3, 4, 3, 4]]).unwrap();
    assert_eq!(brick, Obstacle::WayPoint { passed: 1 });
    assert_eq!(brick.to_string(), "no path through area 2 of the route");
    // No player gets away from the bottom row, although players reach its other cells.
    let rules = MovementRules::platformer();
    for (areas, expected) in [
        (&[[2, 3, 3, 5]][..], true),
        (&[[3, 4, 3, 4]], false),
        (&[[2, 3, 4, 5], [5, 6, 0, 1]], true),
    ] {
        let route = Route::under(rules).through(through(areas).areas().to_vec());
        assert_eq!(
            Playability::along(&level, &route.strict().unwrap()).playable(),
            expected
        );
        assert_eq!(passes(&level, areas), expected, "{areas:?}");
    }
}

/// The 4 by 4 tower of the tests of files; its areas are given in its upright position.
#[test]
fn towers_have_their_areas_as_they_stand() {
    let directory = tempfile::tempdir().unwrap();
    let tower = "----\n----\nTT--\n----\n--TT\n----\nTT--\n----\n####\n";
    let legend = "[tiles]\n'#' = ['solid']\n'-' = ['passable']\nT = ['solidtop']\n";
    std::fs::write(directory.path().join("tower.txt"), tower).unwrap();
    let tiles = TileSet::from_toml(legend).unwrap();
    let reader = CorpusReader::new([directory.path()]).travel(Travel::Up);
    let (corpus, _) = reader.tiles(tiles).read().unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 1).unwrap());
    let model = LevelModel::from(&ngrams.program(9).unwrap());
    let design =
        DemandFile::from_toml("[[demand]]\npass = [[5, 0], { rows = '1..3', columns = 1 }]\n");
    let design = design.unwrap();
    assert!(design.needs_movement());
    let demands = design.demands(&model).unwrap();
    let route = demands[0].route().unwrap();
    assert_eq!(route.rules().movement().name(), "climb");
    assert_eq!(
        route.areas(),
        [
            Area::all().rows(0..1).columns(3..4),
            Area::all().rows(1..2).columns(6..8)
        ]
    );
    let demanded = DemandedLevel::new(&model, &demands).unwrap();
    for generated in by_particles(demanded).levels(1, 0..4).unwrap() {
        let level = Travel::Up.upright(generated.level());
        let verdict = Playability::along(&level, route);
        let path = verdict.path();
        assert!(verdict.playable() && path.contains(&(5, 0)), "{level}");
        assert!(path.contains(&(1, 1)) || path.contains(&(2, 1)), "{level}");
    }
}

#[test]
fn mistakes_about_ways_are_told_with_their_line() {
    let corpus = Corpus::shipped();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let model = LevelModel::from(&ngrams.program(20).unwrap());
    let refused = |text: &str| {
        let design = DemandFile::from_toml(&format!("[[demand]]\n{text}\n")).unwrap();
        let scope = design.on(&model).training(&corpus);
        scope.demands().unwrap_err().to_string()
    };
    let many = format!("pass = [{}]", ["[1, 1]"; 17].join(", "));
    for (text, part) in [
        ("pass = []", "a list of cells or areas"),
        ("pass = 3", "a list of cells or areas"),
        ("pass = [[1, 2, 3]]", "a list of cells or areas"),
        (
            "pass = [{ row = 3 }]",
            "\"row\" does not belong to an area of pass; it takes rows, columns",
        ),
        ("pass = [[1, 20]]", "row 1, column 20 are not an area"),
        (
            "pass = [[1, 1]]\nprefer = 2",
            "\"prefer\" does not belong to pass",
        ),
        (&many, "17 areas one after another; give 1 to 16"),
        (
            "not = { pass = [[1, 1]] }",
            "cannot be chosen, negated or preferred",
        ),
        (
            "require = { level = 'x' }",
            "no training level matches \"x\"; name one of ",
        ),
        ("require = { level = 3 }", "the name of a training level"),
        ("require = { level = '[' }", "the name of a training level"),
        (
            "require = { columns = 3 }",
            "a part of a training level needs level",
        ),
        (
            "require = { level = '*', column = 3 }",
            "\"column\" does not belong to a part of a training level",
        ),
        (
            "require = { level = '01-*', columns = '9..4' }",
            "not an area",
        ),
        (
            "require = { level = '*' }",
            "training levels match \"*\": 01-",
        ),
    ] {
        let message = refused(text);
        assert!(
            message.starts_with("line ") && message.contains(part),
            "{text}: {message}"
        );
    }
    // The training levels are not given.
    let design = DemandFile::from_toml("[[demand]]\nrequire = { level = 'x' }").unwrap();
    let error = design.demands(&model).unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Unknown);
    assert!(error.to_string().contains("draw the tiles instead"));
    let way = Route::default().through(vec![Area::cell(0, 0); 17]);
    let error = DemandedLevel::new(&model, &[Demand::Playable(way)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a path cannot pass 17 areas one after another; give 1 to 16"
    );
    // The demand for a path has no automaton that could be negated.
    let not = Demand::Not(Box::new(Demand::playable()));
    let error = DemandedLevel::new(&model, &[not]).unwrap_err();
    assert!(matches!(error, DemandError::Invalid { .. }), "{error}");
    assert!(error.to_string().contains(" cannot be chosen, negated"));
}

#[test]
fn tiles_without_meanings_have_no_ways_and_rules_can_be_given() {
    let tiles = Arc::new(TileSet::unknown("#.".chars()));
    let level = Level::from_text("level", "....\n....\n....\n####", &tiles).unwrap();
    let corpus = Corpus::of_tiles(Arc::clone(&tiles), [("level".to_owned(), level)]).unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 1).unwrap());
    let model = LevelModel::from(&ngrams.program(6).unwrap());
    let design = DemandFile::from_toml("[[demand]]\nplayable = true").unwrap();
    let error = design.demands(&model).unwrap_err();
    assert_eq!(error.kind(), MistakeKind::Missing);
    assert!(
        error
            .to_string()
            .starts_with("line 1 (demand 1): a movement needs the meanings of the tiles "),
        "{error}"
    );
    let movement = Movement::from_toml("like = 'platformer'\nsolid = ['#']").unwrap();
    let rules = movement.rules(&tiles, Travel::Right).unwrap();
    let demands = design.on(&model).rules(&rules).demands().unwrap();
    let exact = DemandedLevel::new(&model, &demands).unwrap();
    assert!(exactly(exact).is_ok());
}

/// Parts of training levels serve as drawings for lines, for a start, and for the soft demand `like`.
#[test]
fn parts_of_training_levels_are_drawings() {
    let corpus = Corpus::shipped();
    let name = corpus.names()[0].clone();
    let training = corpus.levels()[0].clone();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let model = LevelModel::from(&ngrams.program(30).unwrap());
    let text = format!(
        "[[demand]]\nlines_like = {{ level = '{name}', columns = '..40' }}\ncolumns = '10..'\n
[[demand]]\nstart = {{ level = '{name}', columns = '..6' }}\n
[[demand]]\nlike = {{ level = '{name}', columns = '6..10', rows = '10..' }}\nat = [10, 6]\n"
    );
    let design = DemandFile::from_toml(&text).unwrap();
    let demands = design.on(&model).training(&corpus).demands().unwrap();
    let column = |level: &Level, column: usize| level.as_array().column(column).to_vec();
    let known: HashSet<Vec<Tile>> = (0..40).map(|at| column(&training, at)).collect();
    let demanded = DemandedLevel::new(&model, &demands).unwrap();
    for generated in by_particles(demanded).levels(2, 0..4).unwrap() {
        let level = generated.level();
        assert!((0..6).all(|at| column(level, at) == column(&training, at)));
        assert!((10..30).all(|at| known.contains(&column(level, at))));
    }
}

#[test]
fn a_way_that_no_level_can_have_is_named_with_what_stands_in_it() {
    let corpus = Corpus::shipped();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let model = LevelModel::from(&ngrams.program(40).unwrap());
    let design = DemandFile::from_toml(
        "[[demand]]\ncount = 'enemy'\nnumber = '..5'\n[[demand]]\nforbid = 'solid'\ncolumns = '8..38'\n[[demand]]\npass = [[9, 39]]\n",
    );
    let demands = design.unwrap().demands(&model).unwrap();
    let demanded = DemandedLevel::new(&model, &demands).unwrap();
    let error = by_particles(demanded).levels(1, 0..1).unwrap_err();
    let DemandedLevelError::Contradictory {
        demands,
        proven: true,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    // The error names the forbidden ground: n-grams have no such long run of columns without ground, and no player crosses one.
    assert!(
        demands.iter().any(|one| one.contains("columns 8 to 37")),
        "{error}"
    );
}
