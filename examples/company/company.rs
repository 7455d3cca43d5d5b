//! The model: people, projects whose leaders are uncertain, and markets that change from quarter to quarter.

use figrs::prelude::*;
use figrs::{Elements, Parts, Process, distinct};

/// Number of people, number of projects, and number of quarters whose markets belong to the company.
const PEOPLE: usize = 3;
const PROJECTS: usize = 3;
const QUARTERS: u32 = 4;

/// A person, whose skill nobody knows exactly.
#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
pub(crate) struct Person {
    pub(crate) skill: Element<&'static str>,
    /// The bonus for leading projects, paid once however many projects the person leads.
    pub(crate) bonus: Element<i64>,
}

#[derive(Parts)]
pub(crate) struct Project {
    /// The leader: a reference, because it is uncertain who leads the project.
    pub(crate) leader: Element<Person>,
    pub(crate) late: Element<bool>,
    /// The quarter in which the project is delivered; a late project is delivered one quarter after its plan.
    pub(crate) quarter: Element<u32>,
    pub(crate) price: Element<i64>,
}

#[derive(Parts)]
pub(crate) struct Company {
    pub(crate) people: Vec<Person>,
    pub(crate) projects: Vec<Project>,
    /// The markets of the first quarters.
    pub(crate) markets: Vec<Element<&'static str>>,
    pub(crate) profit: Element<i64>,
}

impl Person {
    fn new() -> Self {
        let skill = Select::new([(0.6, "junior"), (0.4, "senior")]);
        let bonus = skill.map(|skill| if *skill == "senior" { 3 } else { 1 });
        Self { skill, bonus }
    }
}

impl Project {
    fn new(planned: u32, people: &[Person], market: &Process<u32, &'static str>) -> Self {
        let leader = Uniform::new(people.to_vec());
        let skill = leader.part(|person| &person.skill);
        let late = Cpd::new(
            &skill,
            [("junior", Flip::new(0.5)), ("senior", Flip::new(0.1))],
        );
        let quarter = late.map(move |late| planned + u32::from(*late));
        // The quarter is uncertain, so that the price reads one of two members of the process.
        let price = market.at_element(&quarter);
        let price = price.map(|market| if *market == "good" { 10 } else { 4 });
        Self {
            leader,
            late,
            quarter,
            price,
        }
    }
}

impl Company {
    /// Builds a company. In this company, the project with the index `i` is planned for the quarter `i`.
    pub(crate) fn new() -> Self {
        let market = Process::recursive(|market: &Process<u32, &'static str>, quarter| {
            let change = |stay| Select::new([(stay, "good"), (1.0 - stay, "poor")]);
            match quarter.checked_sub(1) {
                None => change(0.5),
                Some(before) => Cpd::new(
                    &market.at(&before),
                    [("good", change(0.8)), ("poor", change(0.3))],
                ),
            }
        });
        let people: Vec<Person> = (0..PEOPLE).map(|_| Person::new()).collect();
        let projects: Vec<Project> = (0..PROJECTS as u32)
            .map(|planned| Project::new(planned, &people, &market))
            .collect();
        let leaders = projects.iter().map(|project| &project.leader);
        let bonuses = distinct(leaders).fold_parts_among(
            &people,
            |person| &person.bonus,
            0,
            |sum, bonus| sum + bonus,
        );
        let income = Elements::new(projects.iter().map(|project| &project.price));
        let profit = &income.sum() - &bonuses;
        Self {
            markets: (0..QUARTERS).map(|quarter| market.at(&quarter)).collect(),
            people,
            projects,
            profit,
        }
    }
}
