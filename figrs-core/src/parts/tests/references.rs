//! Tests of paths through maps, and through references of uncertain identity.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;

use super::*;

#[derive(Clone, Debug, Parts, Value)]
#[parts(crate = "crate")]
#[value(crate = "crate", parts)]
enum Animal {
    Dog {
        name: String,
        home: Element<Kennel>,
    },
    Cat {
        name: String,
        home: Element<bool>,
        lives: Element<u8>,
        toys: Vec<Element<bool>>,
        bowls: BTreeMap<&'static str, Element<f64>>,
    },
}

#[derive(Clone, Debug, Parts, Value)]
#[parts(crate = "crate")]
#[value(crate = "crate", parts)]
struct Kennel {
    size: Element<u32>,
}

#[derive(Parts)]
#[parts(crate = "crate")]
struct Yard {
    pet: Element<Animal>,
    doors: HashMap<String, Element<bool>>,
    floors: BTreeMap<i8, Kennel>,
    owners: IndexMap<char, Vec<Person>>,
}

fn yard() -> Yard {
    let kennel = || Kennel {
        size: Uniform::new([1, 2]),
    };
    let dog = Animal::Dog {
        name: "Rex".into(),
        home: Uniform::new([kennel(), kennel()]),
    };
    let cat = Animal::Cat {
        name: "Tom".into(),
        home: Flip::new(0.5),
        lives: Uniform::new(0..=9),
        toys: vec![Flip::new(0.5)],
        bowls: BTreeMap::from([("blue", Normal::new(0.0, Variance(1.0)))]),
    };
    let door = |name: &str| (name.into(), Flip::new(0.5));
    Yard {
        pet: Uniform::new([dog, cat]),
        doors: HashMap::from(["west", "the \"old\" one", "a.b[0]", "east\\"].map(door)),
        floors: BTreeMap::from([(-1, kennel()), (2, kennel())]),
        owners: IndexMap::from([('z', vec![person("Zoe")]), ('a', vec![])]),
    }
}

#[test]
fn keys_of_maps_are_steps_of_paths() {
    let yard = yard();
    let listed = yard.paths().unwrap();
    let paths: Vec<&str> = listed.iter().map(|(path, _)| path.as_str()).collect();
    let expected = [
        "pet",
        r#"doors["a.b[0]"]"#,
        r#"doors["east\\"]"#,
        r#"doors["the \"old\" one"]"#,
        r#"doors["west"]"#,
        r#"floors["-1"].size"#,
        r#"floors["2"].size"#,
        r#"owners["z"][0].age"#,
    ];
    assert_eq!(paths, expected);
    for (path, element) in &listed[1..5] {
        let found = yard.find::<bool>(path).unwrap();
        assert_eq!(found.erased().id(), element.id(), "{path}");
    }
    // A number needs no quotation marks.
    let found = yard.find::<u32>("floors[2].size").unwrap();
    assert_eq!(found.erased().id(), yard.floors[&2].size.erased().id());

    // The keys of data are no paths.
    let seen = json(
        r#"{"doors": {"a.b[0]": true, "west": false}, "floors": {"-1": {"size": 2}}, "floors[2].size": 1}"#,
    );
    let observed = observations(&Model::new().observe_data(&yard, &seen).unwrap());
    let ids: Vec<_> = observed.iter().map(|(element, _)| element.id()).collect();
    let expected = [
        yard.doors["a.b[0]"].erased().id(),
        yard.doors["west"].erased().id(),
        yard.floors[&-1].size.erased().id(),
        yard.floors[&2].size.erased().id(),
    ];
    assert_eq!(ids, expected);
}

#[test]
fn parts_of_uncertain_objects_are_observed_by_path() {
    let yard = yard();
    let values = |data: &str| -> Vec<Datum> {
        let model = Model::new().observe_data(&yard, &json(data)).unwrap();
        let observed = observations(&model).into_iter();
        observed.map(|(_, value)| value).collect()
    };
    for (data, expected) in [
        (r#"{"pet": {"lives": 7}}"#, Datum::new(7_u8)),
        (r#"{"pet.lives": 7}"#, Datum::new(7_u8)),
        (r#"{"pet": {"name": "Tom"}}"#, Datum::new("Tom".to_owned())),
        (r#"{"pet": {"toys[0]": true}}"#, Datum::new(true)),
        (r#"{"pet": {"toys": {"[0]": true}}}"#, Datum::new(true)),
        (r#"{"pet": {"bowls": {"blue": 1}}}"#, Datum::new(1.0)),
        (r#"{"pet": {"home": {"size": 2}}}"#, Datum::new(2_u32)),
        // The variants of an enum have fields of several types.
        (r#"{"pet.home.size": 2}"#, Datum::new(2_u32)),
        (r#"{"pet": {"home": false}}"#, Datum::new(false)),
    ] {
        assert_eq!(values(data), [expected], "{data}");
    }
    assert!(
        values(r#"{"pet": {"lives": null, "home": null, "toys": null}, "doors": null}"#).is_empty()
    );
}

#[test]
fn mistakes_in_maps_and_uncertain_objects_are_found_without_a_world() {
    let yard = yard();
    let cases = [
        (
            r#"doors["wst"]"#,
            "true",
            r#"`doors["wst"]`: `doors` has no key "wst"; did you mean `west`, `east\`, `a.b[0]`, `the "old" one`?"#,
        ),
        (
            "floors[7].size",
            "1",
            r#"`floors[7].size`: `floors` has no key "7"; did you mean `2`, `-1`?"#,
        ),
        (
            "floors",
            r#"{"x": {}}"#,
            r#"`floors["x"]`: `floors` has no key "x"; did you mean `2`, `-1`?"#,
        ),
        (
            "doors.west",
            "true",
            r#"`doors.west`: `doors` is a map with 4 keys; give a key, as in `["name"]`"#,
        ),
        (
            "doors",
            "[]",
            "`doors` is a map with 4 keys and takes an object whose names are keys, not a list of length 0",
        ),
        (
            r#"doors["west"#,
            "true",
            r#"the path `doors["west` has a `["` without a `"]`; a path has names, numbers and keys, as in `rooms[2].owner.age` and `rooms["hall"].owner`"#,
        ),
        (
            "pet.live",
            "1",
            "`pet.live`: `pet` is of type `Animal`, which has no field `live`; did you mean `lives`?",
        ),
        (
            "pet.lives",
            "300",
            "`pet.lives` is an element with values of type `u8` and takes a whole number from 0 to 255, not 300",
        ),
        (
            "pet.name",
            "1",
            "`pet.name` is a value of type `String` and takes a text, not 1",
        ),
        (
            "pet.name.x",
            "1",
            "`pet.name.x`: `pet.name` is a value of type `String`; end the path there",
        ),
        (
            "pet.home.x",
            "1",
            "`pet.home.x`: `pet.home` is of type `Kennel`, which has no field `x`; did you mean `size`?",
        ),
        (
            "pet.home",
            "3",
            "`pet.home` is an element with values of type `Kennel` and takes an object with fields, not 3",
        ),
        (
            "pet.toys",
            "[true]",
            "`pet.toys` is a list and takes an object whose names are paths, such as `[0]`, not a list of length 1",
        ),
        (
            "pet.toys.x",
            "1",
            "`pet.toys.x`: `pet.toys` is a list; give the number of an item, as in `[0]`",
        ),
        (
            "pet.bowls",
            "1",
            "`pet.bowls` is a map and takes an object whose names are keys, not 1",
        ),
        (
            "pet.bowls.x",
            "1",
            r#"`pet.bowls.x`: `pet.bowls` is a map; give a key, as in `["name"]`"#,
        ),
        (
            "pet[0]",
            "1",
            "`pet[0]`: `pet` is an object of type `Animal`; name one of its fields",
        ),
        (
            "pet",
            "3",
            "`pet` is an object of type `Animal` and takes an object with fields, not 3",
        ),
        (
            "pet",
            r#"{".lives": 1}"#,
            "the path `.lives` has no point before a field, or a point at its start; a path has names, numbers and keys, as in `rooms[2].owner.age` and `rooms[\"hall\"].owner`",
        ),
    ];
    for (path, data, expected) in cases {
        let refused = Model::new().observe_path(&yard, path, json(data));
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
    let wrong = |path: &str| yard.find::<i32>(path).unwrap_err().to_string();
    let expected =
        "`pet.lives` is an element with values of type `u8`, not `i32`; ask for an `Element<u8>`";
    assert_eq!(wrong("pet.lives"), expected);
    assert_eq!(
        wrong("pet.toys"),
        "`pet.toys` is a list; an element is asked for"
    );
    let (home, name) = (
        yard.find::<bool>("pet.home"),
        yard.find::<String>("pet.name"),
    );
    assert!(home.is_ok() && name.is_ok());
}
