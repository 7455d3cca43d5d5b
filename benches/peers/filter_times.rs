//! Times filters on two programs of Figaro's examples and prints times and results as one JSON object.
//!
//! `filter_times SECONDS`. The valves fail open or closed and stay so (2 000 steps, exact). The restaurant has a list of seated guests and a queue (12 steps,
//! 16 times 10 000 particles).

use std::error::Error;

use figrs::prelude::*;
use figrs::{Filter, ParticleFilter, filter_state, inject};
use figrs_benches::Clock;
use serde_json::json;

/// For each valve, the probabilities to fail open and to fail closed in a step.
const RATES: [(f64, f64); 3] = [(0.002, 0.001), (0.003, 0.002), (0.004, 0.003)];
const STEPS: i32 = 2000;
const PARTICLES: u64 = 160_000;

/// The numbers of guests that are seen to arrive, if the door is watched.
const SEEN: [Option<u64>; 12] = [
    None,
    Some(1),
    None,
    None,
    Some(2),
    None,
    Some(0),
    Some(3),
    None,
    None,
    None,
    Some(1),
];

struct Valves {
    states: Vec<Element<u8>>,
}
filter_state!(Valves { states });

fn next_valves(valves: &Valves) -> Valves {
    let valves = valves.states.iter().zip(RATES);
    let states = valves.map(|(state, (open, closed))| {
        state.flat_map(move |&state| match state {
            0 => Select::new([(1.0 - open - closed, 0), (open, 1), (closed, 2)]),
            stuck => Select::new([(1.0, stuck)]),
        })
    });
    Valves {
        states: states.collect(),
    }
}

/// The largest difference from the closed form, over all steps and valves. The filter follows a compiled law, or builds the elements of each step.
fn valves(is_compiled: bool) -> Result<f64, Box<dyn Error>> {
    let first = Valves {
        states: vec![Constant::new(0); 3],
    };
    let mut filter = Filter::exact(&first)?;
    let law = filter.law(next_valves, |_| Vec::<Element<bool>>::new())?;
    let mut apart: f64 = 0.0;
    for t in 1..=STEPS {
        if is_compiled {
            filter.follow(&law, |_| Model::new())?;
        } else {
            filter.advance(next_valves, |_| Model::new())?;
        }
        for (valve, (open, closed)) in RATES.into_iter().enumerate() {
            let exact = (1.0 - (1.0 - open - closed).powi(t)) * open / (open + closed);
            let found = filter.probability(|v| &v.states[valve], &1)?;
            apart = apart.max((found - exact).abs());
        }
    }
    Ok(apart)
}

/// The minutes that each guest has been seated, and the number of guests in the queue.
type Restaurant = (Vec<i32>, i64);

/// The mean numbers of seated guests and of guests in the queue after the last step.
fn restaurant() -> Result<[f64; 2], Box<dyn Error>> {
    struct State {
        room: Element<Restaurant>,
        arriving: Element<u64>,
    }
    filter_state!(State { room, arriving });
    let first = State {
        room: Constant::new((vec![0, 5, 15, 15, 25, 30, 40, 60, 65, 75], 3)),
        arriving: Constant::new(0),
    };
    let mut filter = ParticleFilter::new(&first, PARTICLES)?;
    for seen in SEEN {
        let step = |state: &State| {
            let arriving = Poisson::new(2.0);
            let staying = state.room.flat_map(|(seated, _)| {
                let minutes = seated.iter().map(|&minutes| {
                    let gone = Flip::new((f64::from(minutes) / 80.0).min(1.0));
                    gone.map(move |&gone| if gone { -1 } else { minutes + 5 })
                });
                inject(minutes)
            });
            let room = (&state.room, &staying, &arriving).map(|((_, queue), staying, arriving)| {
                let staying: Vec<i32> = staying.iter().copied().filter(|t| *t >= 0).collect();
                let total = *arriving as i64 + queue;
                let seated = total.min(10 - (staying.len() as i64).min(10));
                let mut all = vec![0; seated as usize];
                all.extend(staying);
                (all, total - seated)
            });
            State { room, arriving }
        };
        filter.advance(step, |state| match seen {
            Some(count) => Model::new().observe(&state.arriving, count),
            None => Model::new(),
        })?;
    }
    let room = filter.answer().distribution(&filter.state().room)?;
    Ok([
        room.expectation(|(seated, _)| seated.len() as f64),
        room.expectation(|(_, queue)| *queue as f64),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).ok_or("give SECONDS")?.parse()?;
    let clock = Clock::new();
    let (of_valves, apart) = clock.repeat(seconds, || valves(false))?;
    let (compiled, compiled_apart) = clock.repeat(seconds, || valves(true))?;
    let (of_restaurant, means) = clock.repeat(seconds, restaurant)?;
    println!(
        "{}",
        json!({
            "clock": clock.name(),
            "valves": {"times": of_valves, "steps": STEPS, "largest_error": apart},
            "compiled_valves": {"times": compiled, "steps": STEPS, "largest_error": compiled_apart},
            "restaurant": {"times": of_restaurant, "particles": PARTICLES, "seated": means[0], "queue": means[1]},
        })
    );
    Ok(())
}
