//! Tests of paths to parts of objects, of evidence stated by paths, and of the errors.

mod endless;
mod references;

use figrs_derive::{Parts, Value};

use super::*;
use crate::Datum;
use crate::element::{Constant, Flip, Normal, Select, Uniform, Variance};
use crate::model::Model;
use crate::value::plain_data::PlainData;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[value(crate = "crate")]
enum Fuel {
    Petrol,
    Electric,
}

#[derive(Clone, Debug, Parts, Value)]
#[parts(crate = "crate")]
#[value(crate = "crate", parts)]
struct Person {
    name: String,
    age: Element<u8>,
    boss: Option<Box<Person>>,
}

#[derive(Parts)]
#[parts(crate = "crate")]
struct Sensor<T> {
    reading: Element<T>,
    last: Option<Element<T>>,
}

#[derive(Parts)]
#[parts(crate = "crate")]
enum Cargo {
    Nothing,
    Boxes { count: Element<usize> },
    Weighed(Element<f64>, f64),
}

#[derive(Parts)]
#[parts(crate = "crate")]
struct Car {
    #[parts(value)]
    fuel: Fuel,
    power: Element<&'static str>,
    tank: Element<Fuel>,
    sensors: [Sensor<bool>; 2],
    owner: Element<Person>,
    driver: Person,
    cargo: Vec<Cargo>,
    #[parts(skip)]
    price: fn() -> f64,
    note: Element<Option<i32>>,
    r#type: Element<(u8, Vec<char>)>,
    opaque: Element<Opaque>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Opaque(u8);
crate::value!(Opaque);

fn person(name: &str) -> Person {
    Person {
        name: name.into(),
        age: Uniform::new(20..=60),
        boss: None,
    }
}

fn car() -> Car {
    let sensor = |last| Sensor {
        reading: Flip::new(0.5),
        last,
    };
    let driver = Person {
        boss: Some(Box::new(person("Bo"))),
        ..person("Ada")
    };
    Car {
        fuel: Fuel::Electric,
        power: Select::new([(0.5, "high"), (0.5, "low")]),
        tank: Uniform::new([Fuel::Petrol, Fuel::Electric]),
        sensors: [sensor(None), sensor(Some(Flip::new(0.5)))],
        owner: Uniform::new([person("Cy"), driver.clone()]),
        driver,
        cargo: vec![
            Cargo::Nothing,
            Cargo::Boxes {
                count: Uniform::new(0..9),
            },
            Cargo::Weighed(Normal::new(0.0, Variance(1.0)), 2.5),
        ],
        price: || 1.0,
        note: Constant::new(None),
        r#type: Constant::new((1, vec!['a'])),
        opaque: Constant::new(Opaque(0)),
    }
}

#[track_caller]
fn message<T: Value>(car: &Car, path: &str) -> String {
    car.find::<T>(path).unwrap_err().to_string()
}

#[test]
fn paths_list_the_elements_in_the_order_of_the_fields() {
    let car = car();
    let paths: Vec<String> = car
        .paths()
        .unwrap()
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    let expected = [
        "power",
        "tank",
        "sensors[0].reading",
        "sensors[1].reading",
        "sensors[1].last",
        "owner",
        "driver.age",
        "driver.boss.age",
        "cargo[1].count",
        "cargo[2].0",
        "note",
        "type",
        "opaque",
    ];
    assert_eq!(paths, expected);
    assert!((car.price)() > 0.0);
}

#[test]
fn every_listed_path_finds_its_element() {
    let car = car();
    let same = |found: &AnyElement, element: &AnyElement| assert_eq!(found.id(), element.id());
    same(
        car.find::<&str>("power").unwrap().erased(),
        car.power.erased(),
    );
    same(
        car.find::<bool>("sensors[1].last").unwrap().erased(),
        car.sensors[1].last.as_ref().unwrap().erased(),
    );
    same(
        car.find::<Person>("owner").unwrap().erased(),
        car.owner.erased(),
    );
    same(
        car.find::<u8>("driver.boss.age").unwrap().erased(),
        car.driver.boss.as_ref().unwrap().age.erased(),
    );
    for (path, element) in car.paths().unwrap() {
        // With a wrong type the error proves that the path leads to an element.
        let found = car.find::<i128>(&path);
        assert!(
            matches!(found, Err(PartError::WrongType { .. })),
            "{path} {element:?}"
        );
    }
}

#[test]
fn names_are_paths_unless_an_element_has_a_name() {
    let mut car = car();
    car.power = car.power.named("P");
    let targets = car.name_parts("car").unwrap();
    let names: Vec<String> = targets
        .iter()
        .filter_map(|element| element.label().name)
        .collect();
    assert_eq!(names.len(), targets.len());
    assert_eq!(names[..3], ["P", "car.tank", "car.sensors[0].reading"]);
    let list = vec![Flip::new(0.5)];
    assert_eq!(
        list.name_parts("").unwrap()[0].label().name.as_deref(),
        Some("[0]")
    );
}

#[test]
fn wrong_paths_name_the_object_and_the_remedy() {
    let car = car();
    let cases = [
        (
            "",
            "the object is an object of type `Car`; an element is asked for: name one of its 10 fields, such as `fuel`, `power`, `tank`, `sensors`, `owner`, `driver`",
        ),
        (
            "pwer",
            "`pwer`: the object is of type `Car`, which has no field `pwer`; did you mean `power`, `owner`?",
        ),
        (
            "sensors[1].lst",
            "`sensors[1].lst`: `sensors[1]` is of type `Sensor`, which has no field `lst`; did you mean `last`, `reading`?",
        ),
        (
            "sensors[2].last",
            "`sensors[2].last`: `sensors` has 2 items, numbered from 0, and none has the number 2; give a smaller number",
        ),
        (
            "sensors.last",
            "`sensors.last`: `sensors` is a list of 2 items; give the number of an item, as in `[0]`",
        ),
        (
            "driver[0]",
            "`driver[0]`: `driver` is an object of type `Person`; name one of its fields: `name`, `age`, `boss`",
        ),
        (
            "sensors[0].last",
            "`sensors[0].last` does not exist, because it is an option that is `None`; leave the path out, or give the object this part",
        ),
        (
            "driver.boss.boss.age",
            "`driver.boss.boss.age`: `driver.boss.boss` does not exist, because it is an option that is `None`; leave the path out, or give the object this part",
        ),
        (
            "power.high",
            "`power.high`: `power` is an element with values of type `&str`; end the path there, or, if `&str` has parts, derive `Value` for it with `#[value(parts)]`",
        ),
        (
            "driver.name",
            "`driver.name` is the value \"Ada\", which is not random; read it in Rust, since only elements have distributions and evidence",
        ),
        (
            "driver.name.x",
            "`driver.name.x`: `driver.name` is the value \"Ada\", which is not random; leave out the last name of the path",
        ),
        (
            "cargo[0].count",
            "`cargo[0].count`: `cargo[0]` is of type `Cargo::Nothing`, which has no field `count`; no existing name is similar",
        ),
        (
            "cargo[0]",
            "`cargo[0]` is an object of type `Cargo::Nothing`; an element is asked for: it has no fields",
        ),
        (
            "power",
            "`power` is an element with values of type `&str`, not `i32`; ask for an `Element<&str>`",
        ),
        (
            "owner",
            "`owner` is an element with values of type `Person`, not `i32`; ask for an `Element<Person>`",
        ),
        (
            "a..b",
            "the path `a..b` has an empty name; a path has names, numbers and keys, as in `rooms[2].owner.age` and `rooms[\"hall\"].owner`",
        ),
    ];
    for (path, expected) in cases {
        assert_eq!(message::<i32>(&car, path), expected);
    }
    assert!(message::<i32>(&car, "a\n").starts_with("`a\\n`: "));
}

fn observations(model: &Model) -> Vec<(AnyElement, Datum)> {
    let evidence = model.evidence().iter();
    evidence
        .filter_map(|(element, evidence)| Some((element.clone(), evidence.observed()?.clone())))
        .collect()
}

fn json(text: &str) -> PlainData {
    serde_json::from_str(text).unwrap()
}

#[test]
fn an_object_is_observed_at_once() {
    let car = car();
    let data = json(
        r#"{"fuel": "Electric", "power": "high", "tank": "Petrol", "driver": {"name": "Ada", "age": 33, "boss.age": 50},
            "sensors": [null, {"last": true}], "sensors[0].reading": false, "cargo": {"[1].count": 3, "[2]": {"0": 1, "1": 2.5}},
            "note": null, "type": [7, ["x", "y"]], "opaque": null}"#,
    );
    let model = Model::new().observe_data(&car, &data).unwrap();
    let observed = observations(&model);
    let by_hand = Model::new()
        .observe(&car.power, "high")
        .observe(&car.tank, Fuel::Petrol)
        .observe(&car.driver.age, 33)
        .observe(&car.driver.boss.as_ref().unwrap().age, 50)
        .observe(car.sensors[1].last.as_ref().unwrap(), true)
        .observe(&car.sensors[0].reading, false)
        .observe(&car.find("cargo[1].count").unwrap(), 3_usize)
        .observe(&car.find("cargo[2].0").unwrap(), 1.0)
        .observe(&car.note, None)
        .observe(&car.r#type, (7, vec!['x', 'y']));
    let expected = observations(&by_hand);
    assert_eq!(observed.len(), expected.len());
    for ((element, value), (other, expected)) in observed.iter().zip(&expected) {
        assert_eq!((element.id(), value), (other.id(), expected));
    }
    let line = model.evidence()[0].1.location();
    assert!(line.file().ends_with("parts/tests.rs"), "{line}");
}

#[test]
fn evidence_by_path_is_checked() {
    let car = car();
    let refused = |path: &str, data: PlainData| {
        let error = Model::new()
            .observe_path(&car, path, data)
            .map(|_| ())
            .unwrap_err();
        error.to_string()
    };
    let cases = [
        (
            "driver.age",
            300.into(),
            "`driver.age` is an element with values of type `u8` and takes a whole number from 0 to 255, not 300",
        ),
        (
            "driver.age",
            1.5.into(),
            "`driver.age` is an element with values of type `u8` and takes a whole number from 0 to 255, not 1.5",
        ),
        (
            "tank",
            "petrol".into(),
            "`tank` is an element with values of type `Fuel` and takes one of the texts \"Petrol\", \"Electric\", not \"petrol\"",
        ),
        (
            "sensors[0].reading",
            1.into(),
            "`sensors[0].reading` is an element with values of type `bool` and takes true or false, not 1",
        ),
        (
            "cargo[2].0",
            "x".into(),
            "`cargo[2].0` is an element with values of type `f64` and takes a number, not \"x\"",
        ),
        (
            "note",
            true.into(),
            "`note` is an element with values of type `Option<i32>` and takes null, or a whole number from -2147483648 to 2147483647, not true",
        ),
        (
            "type",
            vec![1].into(),
            "`type` is an element with values of type `(u8, Vec<char>)` and takes a list of length 2, not a list of length 1",
        ),
        (
            "type",
            json(r#"[1, ["ab"]]"#),
            "`type` is an element with values of type `(u8, Vec<char>)` and takes a list in which each item is a text of one character, not a list of length 2",
        ),
        (
            "opaque",
            0.into(),
            "`opaque` is an element with values of type `Opaque` and takes a value that only Rust code can state, with `Model::observe`, not 0",
        ),
        (
            "driver",
            3.into(),
            "`driver` is an object of type `Person` and takes an object with fields, not 3",
        ),
        (
            "sensors",
            true.into(),
            "`sensors` is a list of 2 items and takes a list, not true",
        ),
        (
            "sensors",
            vec![true].into(),
            "`sensors` has 2 items, but the data state 1; state `null` for items about which nothing is known",
        ),
        (
            "driver.name",
            "Bo".into(),
            "`driver.name` is not random: it is \"Ada\", but the data state \"Bo\"; leave it out, or state the same value",
        ),
        (
            "fuel",
            1.into(),
            "`fuel` is not random: it is Electric, but the data state 1; leave it out, or state the same value",
        ),
        (
            "sensors[0].last",
            true.into(),
            "`sensors[0].last` does not exist, because it is an option that is `None`; leave the path out, or give the object this part",
        ),
        (
            "",
            json(r#"{"driver": {"boss": {"aje": 1}}}"#),
            "`driver.boss.aje`: `driver.boss` is of type `Person`, which has no field `aje`; did you mean `age`, `name`, `boss`?",
        ),
        (
            "",
            json(r#"{"driver": {".age": 1}}"#),
            "the path `.age` has no point before a field, or a point at its start; a path has names, numbers and keys, as in `rooms[2].owner.age` and `rooms[\"hall\"].owner`",
        ),
    ];
    for (path, data, expected) in cases {
        assert_eq!(refused(path, data), expected);
    }
}

#[test]
fn data_are_plain_and_limited() {
    let repeated = serde_json::from_str::<PlainData>(r#"{"a": 1, "a": 2}"#).unwrap_err();
    assert!(
        repeated
            .to_string()
            .starts_with("the field \"a\" is stated twice; state it once")
    );
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(serde_json::from_str::<PlainData>(&nested(100)).is_ok());
    assert!(serde_json::from_str::<PlainData>(&nested(200)).is_err());
    let read = json(r#"[null, true, -1, 18446744073709551615, 0.5, "x"]"#);
    let expected = PlainData::List(vec![
        PlainData::Null,
        true.into(),
        (-1).into(),
        u64::MAX.into(),
        0.5.into(),
        "x".into(),
    ]);
    assert_eq!(read, expected);
}

#[test]
fn static_texts_are_stored_once_and_limited() {
    let read = |text: &str| <&'static str>::from_data(&text.into());
    let (first, second) = (read("a new text").unwrap(), read("a new text").unwrap());
    assert_eq!((first, first.as_ptr()), ("a new text", second.as_ptr()));
    let large = "x".repeat(1 << 20);
    assert!(read(&large).is_err());
    assert_eq!(String::from_data(&large.as_str().into()), Ok(large));
    assert_eq!(read("a new text").unwrap().as_ptr(), first.as_ptr());
}

#[test]
fn sets_of_objects_have_no_order() {
    let people: Vec<Person> = ["Ada", "Bo", "Cy"].map(person).into();
    let set = |order: &[usize]| {
        order
            .iter()
            .map(|&i| people[i].clone())
            .collect::<Distinct<Person>>()
    };
    let digest = |set: &Distinct<Person>| Datum::new(set.clone()).digest();
    let (one, other) = (set(&[0, 1, 1, 2, 0]), set(&[2, 1, 0]));
    assert!(one.same(&other) && digest(&one) == digest(&other));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    assert_eq!((one.len(), set(&[]).is_empty()), (3, true));
    for different in [&[0, 1][..], &[0], &[]] {
        assert!(!one.same(&set(different)));
    }
    // Objects with equal values are different objects if their elements are.
    assert!(!set(&[0]).contains(&person("Ada")) && set(&[0]).contains(&people[0].clone()));
}
