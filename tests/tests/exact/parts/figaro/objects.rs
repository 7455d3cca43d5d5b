//! Programs of objects: types and values that are uncertain, relations between objects, and lists without end.

use figrs::prelude::*;
use figrs::{Elements, LazyVariableElimination, Parts, Process, RichCpd, any, one_of, tuple};

use super::{check, exact};

/// `Hierarchy`: a vehicle whose kind is uncertain.
mod vehicles {
    use super::*;

    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Vehicle {
        kind: &'static str,
        size: Element<&'static str>,
        speed: Element<u32>,
        capacity: Element<u32>,
    }

    fn vehicle(kind: &'static str, size: Element<&'static str>, speed: &[u32]) -> Vehicle {
        let capacities = [
            ("small", Constant::new(0)),
            ("medium", Constant::new(100)),
            ("big", Uniform::new([1000, 2000])),
            ("huge", Constant::new(5000)),
        ];
        Vehicle {
            kind,
            capacity: Cpd::new(&size, capacities),
            size,
            speed: Uniform::new(speed.to_vec()),
        }
    }

    #[test]
    fn a_vehicle_of_medium_size_is_a_pickup_or_a_truck() {
        let size = Select::new([(0.25, "medium"), (0.75, "big")]);
        let trucks = Select::new([
            (
                0.1,
                vehicle("twenty-wheeler", Constant::new("huge"), &[50, 60, 70]),
            ),
            (0.3, vehicle("pickup", Constant::new("medium"), &[70, 80])),
            (0.6, vehicle("truck", size, &[50, 60, 70])),
        ]);
        let car = vehicle("car", Constant::new("small"), &[70, 80]);
        let mine = Dist::new([(0.6, Constant::new(car)), (0.4, trucks)]);

        let medium = Model::new().observe_path(&mine, "size", "medium").unwrap();
        let kind = mine.find::<&str>("kind").unwrap();
        let capacity = mine.part(|vehicle| &vehicle.capacity);
        for algorithm in exact() {
            let answer = algorithm.run(&medium, (&kind, &capacity)).unwrap();
            check(
                "pickup",
                answer.probability(&kind, &"pickup").unwrap(),
                2.0 / 3.0,
            );
            check(
                "truck",
                answer.probability(&kind, &"truck").unwrap(),
                1.0 / 3.0,
            );
            check("capacity", answer.mean(&capacity).unwrap(), 100.0);
        }
        // The kind of a vehicle is evidence on its identity.
        let truck = Model::new().observe_path(&mine, "kind", "truck").unwrap();
        let speed = mine.part(|vehicle| &vehicle.speed);
        let answer = VariableElimination::new().run(&truck, &speed).unwrap();
        check("speed", answer.mean(&speed).unwrap(), 60.0);
    }
}

/// `MutableMovie`: actors and movies with several relations, and exactly one award.
#[test]
fn one_appearance_gets_the_award() {
    const APPEARANCES: [(usize, usize); 4] = [(0, 0), (1, 1), (2, 1), (2, 2)];
    let skillful = [(); 3].map(|()| Flip::new(0.1));
    let quality = [0, 1, 2].map(|movie| {
        let cast = APPEARANCES
            .iter()
            .filter(|appearance| appearance.1 == movie);
        let cast = Elements::new(cast.map(|&(actor, _)| &skillful[actor]));
        let good = Select::new([(0.2, "low"), (0.3, "medium"), (0.5, "high")]);
        let other = Select::new([(0.5, "low"), (0.3, "medium"), (0.2, "high")]);
        If::new(&cast.exists(|skillful| *skillful), good, other)
    });
    let famous = [0, 1, 2].map(|actor| {
        let films = APPEARANCES
            .iter()
            .filter(|appearance| appearance.0 == actor);
        let films = Elements::new(films.map(|&(_, movie)| &quality[movie]));
        let good = films.count(|quality| *quality == "high");
        Flip::new(good.map(|&good| if good >= 2 { 0.8 } else { 0.1 }))
    });
    let awards = APPEARANCES.map(|(actor, movie)| {
        let share =
            (&quality[movie], &famous[actor]).map(|(&quality, &famous)| match (quality, famous) {
                ("low", false) => 0.001,
                ("low", true) | ("medium", false) => 0.01,
                ("high", true) => 0.2,
                _ => 0.05,
            });
        Flip::new(share)
    });
    let model = Model::new()
        .observe(&skillful[2], true)
        .observe(&quality[1], "high")
        .observe(&Elements::new(&awards).count(|award| *award), 1);
    for algorithm in exact() {
        let answer = algorithm.run(&model, &awards).unwrap();
        for (award, expected) in awards.iter().zip(AWARDS) {
            check("award", answer.probability(award, &true).unwrap(), expected);
        }
    }
}

/// The posterior probabilities of the awards, from a sum over all worlds outside figrs.
const AWARDS: [f64; 4] = [
    0.067_191_202_118_710_28,
    0.228_380_200_512_850_85,
    0.408_856_830_417_415_83,
    0.295_571_766_951_026_05,
];

/// `PrinterProblemTypeUncertainty`: a printer of uncertain type.
mod printers {
    use super::*;

    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Printer {
        is_laser: bool,
        power_on: Element<bool>,
        state: Element<&'static str>,
    }

    fn paper() -> Element<&'static str> {
        Select::new([(0.6, "smooth"), (0.2, "uneven"), (0.2, "jammed")])
    }

    fn laser() -> Printer {
        let power_on = Flip::new(0.95);
        let toner = Select::new([(0.7, "high"), (0.2, "low"), (0.1, "out")]);
        let state = (&power_on, &toner, &paper()).map(|state| match state {
            (true, &"high", &"smooth") => "good",
            (false, ..) | (_, &"out", _) => "out",
            _ => "poor",
        });
        Printer {
            is_laser: true,
            power_on,
            state,
        }
    }

    fn inkjet() -> Printer {
        let power_on = Flip::new(0.95);
        let (empty, clogged) = (Flip::new(0.1), Flip::new(0.001));
        let state = (&power_on, &empty, &clogged, &paper()).map(|state| match state {
            (true, false, false, &"smooth") => "good",
            (true, false, false, &"uneven") => "poor",
            _ => "out",
        });
        Printer {
            is_laser: false,
            power_on,
            state,
        }
    }

    #[test]
    fn the_type_of_a_printer_that_prints_nothing() {
        let printer = Select::new([(0.3, laser()), (0.7, inkjet())]);
        let state = printer.part(|printer| &printer.state);
        let software = Select::new([(0.8, "correct"), (0.15, "glitchy"), (0.05, "crashed")]);
        let network = Select::new([(0.7, "up"), (0.2, "intermittent"), (0.1, "down")]);
        let none = || Constant::new("zero");
        let pages = RichCpd::new(
            (&Flip::new(0.65), &network, &software, &state),
            [
                ((any(), any(), any(), one_of(["out"])), none()),
                ((any(), any(), one_of(["crashed"]), any()), none()),
                ((any(), one_of(["down"]), any(), any()), none()),
                (
                    (one_of([false]), any(), any(), any()),
                    Select::new([(0.3, "zero"), (0.6, "some"), (0.1, "all")]),
                ),
                (
                    (any(), any(), any(), any()),
                    Select::new([(0.01, "zero"), (0.01, "some"), (0.98, "all")]),
                ),
            ],
        );
        let quickly = (&network, &software).flat_map(|state| match state {
            (&"down", _) | (_, &"crashed") => Constant::new(false),
            (&"intermittent", _) | (_, &"glitchy") => Flip::new(0.5),
            _ => Flip::new(0.9),
        });
        let good = [
            ("good", Flip::new(0.95)),
            ("poor", Flip::new(0.3)),
            ("out", Constant::new(false)),
        ];
        let good = Cpd::new(&state, good);
        let summary = (&pages, &quickly, &good).map(|result| match result {
            (&"zero", ..) => "none",
            (&"all", true, true) => "excellent",
            _ => "poor",
        });
        let model = Model::new().observe(&summary, "none");
        let power_on = printer.find::<bool>("power_on").unwrap();
        let is_laser = printer.find::<bool>("is_laser").unwrap();
        for algorithm in exact() {
            let answer = algorithm.run(&model, (&power_on, &is_laser)).unwrap();
            check(
                "power",
                answer.probability(&power_on, &true).unwrap(),
                0.886_821_550_210_717_6,
            );
            check(
                "laser",
                answer.probability(&is_laser, &true).unwrap(),
                0.238_003_610_008_5,
            );
        }
    }
}

/// `SocialMediaTopicObjects`: topics are objects, and the connection of two persons is one random variable, wherever it is used.
mod posts {
    use super::*;

    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Topic {
        hot: Element<bool>,
    }

    /// Figaro's answers: Amy likes politics, the second and the third post are about sports, and Brian is Amy's family.
    const SHARES: [[f64; 4]; 2] = [
        [
            0.965_669_701_176_280_3,
            0.241_900_449_370_098_27,
            0.069_581_461_744_691_42,
            0.379_173_584_975_133_4,
        ],
        [
            0.960_917_809_304_906_1,
            0.372_939_684_552_587_8,
            0.090_055_512_403_899_47,
            0.336_708_409_289_054_43,
        ],
    ];

    #[test]
    fn comments_tell_the_interests_of_friends() {
        let [sports, politics] = [(); 2].map(|()| Topic {
            hot: Flip::new(0.1),
        });
        let topic = || Uniform::new([sports.clone(), politics.clone()]);
        let interests = [(); 3].map(|()| topic());
        let post = |person: usize| {
            (
                person,
                If::new(&Flip::new(0.9), &interests[person], topic()),
            )
        };
        let posts = [post(0), post(1), post(0)];
        let connections = Process::new(|_: &(usize, usize)| {
            Uniform::new(["acquaintance", "close friend", "family"])
        });
        let mut model = Model::new().observe(&posts[0].1, politics.clone());
        for (post, commenter) in [(0, 1), (0, 2), (1, 0), (2, 2)] {
            let (poster, topic) = &posts[post];
            let fits = topic
                .equals(&interests[commenter])
                .or(&topic.part(|topic| &topic.hot));
            let pair = tuple((&fits, &connections.at(&(*poster, commenter))));
            model = model.weigh(&pair, |&(fits, connection)| match connection {
                _ if fits => 1.0,
                "family" => 0.8,
                "close friend" => 0.5,
                _ => 0.1,
            });
        }
        let family = connections.at(&(1, 0));
        let hot = model.clone().observe_path(&sports, "hot", true).unwrap();
        let [first, second, third] = [&interests[0], &posts[1].1, &posts[2].1];
        for (model, [amy, post_2, post_3, related]) in [model, hot].iter().zip(SHARES) {
            for algorithm in algorithms![
                VariableElimination::new(),
                JunctionTree::new(),
                Exact::new()
            ] {
                let answer = algorithm
                    .run(model, (first, second, third, &family))
                    .unwrap();
                check("amy", answer.probability(first, &politics).unwrap(), amy);
                check(
                    "post 2",
                    answer.probability(second, &sports).unwrap(),
                    post_2,
                );
                check(
                    "post 3",
                    answer.probability(third, &sports).unwrap(),
                    post_3,
                );
                check(
                    "family",
                    answer.probability(&family, &"family").unwrap(),
                    related,
                );
            }
        }
    }
}

/// `LazyList`: a list without end, whose rest is a part of its value.
mod letters {
    use super::*;

    #[derive(Clone, Debug, Value)]
    enum Letters {
        Empty,
        Cons(Element<char>, Element<Letters>),
    }

    fn letters() -> Element<Letters> {
        Flip::new(0.5).map(|&empty| match empty {
            true => Letters::Empty,
            false => Letters::Cons(Select::new([(0.6, 'a'), (0.4, 'b')]), letters()),
        })
    }

    fn contains(letter: char, list: &Element<Letters>) -> Element<bool> {
        list.flat_map(move |list| match list {
            Letters::Empty => Constant::new(false),
            Letters::Cons(head, tail) => If::new(
                &head.is(letter),
                Constant::new(true),
                contains(letter, tail),
            ),
        })
    }

    #[test]
    fn bounds_close_in_on_a_list_without_end() {
        let list = letters();
        let (a, b) = (contains('a', &list), contains('b', &list));
        let model = Model::new().observe(&a, true);
        let mut last = 1.0;
        for depth in [4, 8, 12] {
            let answer = LazyVariableElimination::to_depth(depth)
                .run(&model, &b)
                .unwrap();
            let bounds = answer.bounds(&b, &true).unwrap();
            assert!(
                bounds.contains(3.0 / 7.0) && bounds.width() < 0.8 * last,
                "{bounds}"
            );
            last = bounds.width();
        }
    }
}

/// A random variable whose value has a container: `ContainerElement`.
#[test]
fn a_team_of_uncertain_identity_has_its_own_members() {
    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Team {
        points: Vec<Element<u32>>,
    }

    let team = |size: u32| Team {
        points: (0..size).map(|_| Uniform::new([1, 2])).collect(),
    };
    let [small, large] = [team(1), team(3)];
    let winner = Uniform::new([small, large.clone()]);
    let total = winner.flat_map(|team: &Team| Elements::new(&team.points).sum());
    let seen = Model::new().observe_path(&winner, "points[0]", 1).unwrap();
    for algorithm in exact() {
        let answer = algorithm.run(&Model::new(), &total).unwrap();
        check(
            "four",
            answer.probability(&total, &4).unwrap(),
            0.5 * 3.0 / 8.0,
        );
        let answer = algorithm.run(&seen, &total).unwrap();
        check("one", answer.probability(&total, &1).unwrap(), 0.5);
        check("four", answer.probability(&total, &4).unwrap(), 0.25);
    }
    // Points of the large team are known: the small team had one point with half the probability.
    let model = seen.observe_path(&large, "points", vec![1, 1, 2]).unwrap();
    let answer = VariableElimination::new().run(&model, &total).unwrap();
    check("four", answer.probability(&total, &4).unwrap(), 2.0 / 3.0);
}
