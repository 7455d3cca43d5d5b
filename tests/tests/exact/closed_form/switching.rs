//! Random systems that switch among linear laws.

use figrs::prelude::*;
use figrs::{filter_state, stream};
use rand::RngExt;

/// A body with one of three modes, and two numbers of which the mode decides the motion.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) mode: Element<usize>,
    pub(super) place: Element<f64>,
    pub(super) speed: Element<f64>,
}

filter_state!(Body { mode: Element<usize>, place: Element<f64>, speed: Element<f64> });

/// The numbers of a random law.
#[derive(Clone)]
pub(super) struct Law {
    rows: Vec<[f64; 3]>,
    turn: Vec<f64>,
    noise: Vec<f64>,
    resets: bool,
}

impl Law {
    pub(super) fn random(seed: u64) -> Self {
        let mut random = stream(seed, 0);
        let mut unit = || random.random::<f64>();
        Self {
            rows: (0..3)
                .map(|_| [unit() + 0.1, unit() + 0.1, unit() + 0.1])
                .collect(),
            turn: (0..3).map(|_| 2.0 * unit() - 1.0).collect(),
            noise: (0..3).map(|_| unit() + 0.05).collect(),
            resets: seed.is_multiple_of(3),
        }
    }

    pub(super) fn without_resets(seed: u64) -> Self {
        Self {
            resets: false,
            ..Self::random(seed)
        }
    }

    pub(super) fn first() -> Body {
        let speed = Normal::new(0.3, Variance(1.0));
        Body {
            mode: Select::new([(0.5, 0), (0.3, 1), (0.2, 2)]),
            // The numbers of the first state are linearly dependent.
            place: &speed * 2.0,
            speed,
        }
    }

    pub(super) fn step(&self, body: &Body) -> Body {
        let law = self.clone();
        let mode = body.mode.flat_map(move |&mode| {
            let shares = law.rows[mode].into_iter().enumerate();
            Select::new(shares.map(|(i, share)| (share, i)))
        });
        let (law, old) = (self.clone(), body.speed.clone());
        let speed = mode.flat_map(move |&mode| {
            if law.resets && mode == 0 {
                return Normal::new(0.0, Variance(1.0));
            }
            Normal::new(&old * law.turn[mode], Variance(law.noise[mode]))
        });
        Body {
            mode,
            place: &body.place + &speed,
            speed,
        }
    }

    pub(super) fn seen(body: &Body, reading: f64) -> Model {
        Model::new().observe(&Normal::new(&body.place, Variance(0.5)), reading)
    }

    /// Evidence about the present state beside the reading of its step.
    pub(super) fn also_seen(body: &Body) -> Model {
        let signal = body.mode.flat_map(|&mode| Flip::new([0.2, 0.9, 0.5][mode]));
        Model::new()
            .observe(&signal, true)
            .observe(&Normal::new(&body.speed, Variance(2.0)), 0.4)
    }
}
