//! Conformance cases of a printer and the causes of its failure to print.

use figrs::prelude::*;
use figrs::{RichCpd, any, one_of};

use crate::conformance::asked::probability;
use crate::conformance::case::Expected::Number;

type Name = &'static str;

struct Printer {
    power: Element<bool>,
    toner_low: Element<bool>,
    state: Element<Name>,
    software: Element<Name>,
    quick: Element<bool>,
    summary: Element<Name>,
}

fn printer() -> Printer {
    let power = Flip::new(0.95);
    let toner = Select::new([(0.7, "high"), (0.2, "low"), (0.1, "out")]);
    let toner_low = If::new(
        &power,
        Cpd::new(
            &toner,
            [
                ("high", Flip::new(0.2)),
                ("low", Flip::new(0.6)),
                ("out", Flip::new(0.99)),
            ],
        ),
        Constant::new(false),
    );
    let paper = Select::new([(0.6, "smooth"), (0.2, "uneven"), (0.2, "jammed")]);
    let _paper_jam = If::new(
        &power,
        Cpd::new(
            &paper,
            [
                ("smooth", Flip::new(0.1)),
                ("uneven", Flip::new(0.3)),
                ("jammed", Flip::new(0.99)),
            ],
        ),
        Constant::new(false),
    );
    let state = (&power, &toner, &paper).map(|(&power, &toner, &paper)| match (toner, paper) {
        _ if !power => "out",
        ("high", "smooth") => "good",
        ("out", _) | (_, "out") => "out",
        _ => "poor",
    });
    let software = Select::new([(0.8, "correct"), (0.15, "glitchy"), (0.05, "crashed")]);
    let network = Select::new([(0.7, "up"), (0.2, "intermittent"), (0.1, "down")]);
    let command = Flip::new(0.65);
    let pages = RichCpd::new(
        (&command, &network, &software, &state),
        [
            (
                (any(), any(), any(), one_of(["out"])),
                Constant::new("zero"),
            ),
            (
                (any(), any(), one_of(["crashed"]), any()),
                Constant::new("zero"),
            ),
            (
                (any(), one_of(["down"]), any(), any()),
                Constant::new("zero"),
            ),
            (
                (one_of([false]), any(), any(), any()),
                Select::new([(0.3, "zero"), (0.6, "some"), (0.1, "all")]),
            ),
            (
                (one_of([true]), any(), any(), any()),
                Select::new([(0.01, "zero"), (0.01, "some"), (0.98, "all")]),
            ),
        ],
    );
    let quick = (&network, &software).flat_map(|(&network, &software)| match (network, software) {
        ("down", _) | (_, "crashed") => Constant::new(false),
        ("intermittent", _) | (_, "glitchy") => Flip::new(0.5),
        _ => Flip::new(0.9),
    });
    let quality = Cpd::new(
        &state,
        [
            ("good", Flip::new(0.95)),
            ("poor", Flip::new(0.3)),
            ("out", Constant::new(false)),
        ],
    );
    let summary = (&pages, &quick, &quality).map(|(&pages, &quick, &quality)| match pages {
        "zero" => "none",
        "all" if quick && quality => "excellent",
        _ => "poor",
    });
    Printer {
        power,
        toner_low,
        state,
        software,
        quick,
        summary,
    }
}

cases! {
    printer_none: Number(0.857_340_252_378_646_1), Few, || {
        let p = printer();
        probability(Model::new().observe(&p.summary, "none"), &p.power, true)
    };

    printer_toner_ind: Number(0.233_983_286_908_078), Few, || {
        let p = printer();
        probability(Model::new().observe(&p.toner_low, true), &p.state, "good")
    };

    printer_slow: Number(0.619_799_139_167_862_3), Few, || {
        let p = printer();
        probability(Model::new().observe(&p.quick, false), &p.software, "correct")
    };
}
