//! A company as a model of objects: people and projects with parts, references whose identity is uncertain, and a process of markets.
//!
//! `cargo run --release --example company`

mod company;

use std::cmp::Ordering;
use std::fmt::{Display, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use figrs::graph::ModelGraph;
use figrs::prelude::*;
use figrs::{Parts, PlainData};
use figrs_command::{
    AnswerFormat, AnswerOptions, Failure, as_json, is_standard_input, parsed, publish,
    read_standard_input, read_text,
};
use figrs_report::Drawable;
use serde_json::{Map, Value as Json, json};

use company::{Company, Person};

/// The evidence if no file is given: two projects are late, and the market of the second quarter is good.
const EVIDENCE: &str = r#"{"projects": [{"late": true}, {"late": true}, null], "markets": [null, "good", null, null]}"#;

/// The last section of the text that `--help` prints.
const DETAILS: &str = r#"Model: three people lead three projects.
  Each person is "junior" or "senior".
  The projects are planned for the quarters 0, 1 and 2; the leader of each project is uncertain.
  Projects of juniors are late more often; a late project is delivered one quarter later.
  The market of a quarter is "good" or "poor", and depends on the market of the quarter before.
  A project is sold at the market of the quarter of its delivery.
  Each person who leads projects gets one bonus.

Evidence: JSON by the names of the parts, such as {"people": [null, {"skill": "senior"}, null], "profit": 20}.
  null stands for an unknown part.
  Evidence on a leader, such as {"projects": [{"leader": {"skill": "senior"}}, null, null]}, applies to whoever leads the project.

Text: a line for each part.

JSON: {"log_evidence": x, "marginals": {PATH: {VALUE: probability}}}
  All numbers are exact up to rounding.

Pictures: --format svg draws the model; observed random variables are marked.

Exit code:
  0: there is an answer.
  1: the evidence is impossible.
  2: the file or an option is wrong."#;

/// Answers what is known about the people, projects and profit of a small company.
#[derive(Clone, Debug, Parser)]
#[command(version, after_long_help = DETAILS)]
struct Options {
    /// The evidence as a JSON file; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    answer: AnswerOptions,
}

fn main() -> ExitCode {
    figrs_command::run(|_| None, || run(&parsed()))
}

fn run(options: &Options) -> Result<(), Failure> {
    let format = options.answer.check()?;
    let text = match options.evidence.as_deref() {
        None => EVIDENCE.into(),
        Some(file) if is_standard_input(file) => read_standard_input()?,
        Some(file) => read_text(file)?,
    };
    let seen: PlainData = serde_json::from_str(&text)
        .map_err(|error| format!("the evidence is not JSON: {error}"))?;

    let company = Company::new();
    let parts = company.name_parts("")?;
    let model = Model::new().observe_data(&company, &seen)?;
    let answer = match format {
        AnswerFormat::Svg => ModelGraph::new(&model, &parts).to_svg()?,
        AnswerFormat::Text => answered(&company, &model)?.text(),
        AnswerFormat::Json => {
            let Answered {
                marginals,
                log_evidence,
            } = answered(&company, &model)?;
            json!({"log_evidence": as_json(log_evidence), "marginals": marginals}).to_string()
        }
    };
    publish(options.answer.out(), |out| {
        writeln!(out, "{}", answer.trim_end())
    })
}

/// The probabilities of the values of each part of an object, by the path of the part, and the log-evidence.
struct Answered {
    marginals: Map<String, Json>,
    log_evidence: f64,
}

fn answered(company: &Company, model: &Model) -> Result<Answered, Failure> {
    // The answer names a leader by its place in the list of people.
    let leaders: Vec<Element<usize>> = company
        .projects
        .iter()
        .zip(0..)
        .map(|(project, number)| {
            let people = company.people.clone();
            let place = move |leader: &Person| people.iter().position(|person| person.same(leader));
            let place = project
                .leader
                .map(move |leader| place(leader).unwrap_or_default());
            place.named(format!("projects[{number}].leader"))
        })
        .collect();
    let mut targets = company.name_parts("")?;
    targets.extend(leaders.elements());
    let answer = Exact::new().run(model, &targets)?;
    let mut answered = Answered {
        marginals: Map::new(),
        log_evidence: answer.log_evidence()?.value,
    };
    for person in &company.people {
        answered.add(&answer, &person.skill)?;
        answered.add(&answer, &person.bonus)?;
    }
    for (project, leader) in company.projects.iter().zip(&leaders) {
        answered.add(&answer, leader)?;
        answered.add(&answer, &project.late)?;
        answered.add(&answer, &project.quarter)?;
        answered.add(&answer, &project.price)?;
    }
    for market in &company.markets {
        answered.add(&answer, market)?;
    }
    answered.add(&answer, &company.profit)?;
    Ok(answered)
}

impl Answered {
    /// Adds the possible values of a part of an object, in ascending order.
    fn add<T: Value + Display + PartialOrd>(
        &mut self,
        answer: &Answer,
        part: &Element<T>,
    ) -> Result<(), Failure> {
        let distribution = answer.distribution(part)?;
        let mut shares: Vec<(&T, f64)> = distribution.iter().filter(|(_, p)| *p > 0.0).collect();
        shares.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let shares = shares
            .into_iter()
            .map(|(value, share)| (value.to_string(), as_json(share)));
        let path = part.label().short().to_string();
        self.marginals.insert(path, Json::Object(shares.collect()));
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (path, shares) in &self.marginals {
            let _ = write!(text, "{path:22}");
            for (value, share) in shares.as_object().into_iter().flatten() {
                let _ = write!(text, "  {value} {:.4}", share.as_f64().unwrap_or(f64::NAN));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "log-evidence {:.6}, exact", self.log_evidence);
        text
    }
}
