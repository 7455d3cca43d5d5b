//! The burglary alarm network.

use figrs::prelude::*;

use super::Question;

/// Returns the network of a burglary, an earthquake and two neighbours who call (Pearl 1988), given both calls, with the burglary, the earthquake and
/// the alarm.
pub fn burglary_network() -> (Model, [Element<bool>; 3]) {
    let burglary = Flip::new(0.001);
    let earthquake = Flip::new(0.002);
    let alarm = Cpd::new(
        (&burglary, &earthquake),
        [
            ((true, true), Flip::new(0.95)),
            ((true, false), Flip::new(0.94)),
            ((false, true), Flip::new(0.29)),
            ((false, false), Flip::new(0.001)),
        ],
    );
    let john = alarm.flat_map(|&rings| Flip::new(if rings { 0.90 } else { 0.05 }));
    let mary = alarm.flat_map(|&rings| Flip::new(if rings { 0.70 } else { 0.01 }));
    let model = Model::new().observe(&john, true).observe(&mary, true);
    (model, [burglary, earthquake, alarm])
}

/// Asks about the alarm network. The effective sample size of `n` weighted samples is 0.00435 `n`.
pub fn burglary() -> Question {
    let (model, [burglary, earthquake, alarm]) = burglary_network();
    let world = (burglary.clone(), earthquake.clone(), alarm.clone());
    Question::new("M02_burglary", model)
        .evidence("P(j,m)", 0.002_084_100_239)
        .probability("P(burglary|j,m)", &burglary, true, 0.284_171_835_364_392_94)
        .probability(
            "P(earthquake|j,m)",
            &earthquake,
            true,
            0.176_066_838_405_079_22,
        )
        .probability("P(alarm|j,m)", &alarm, true, 0.760_692_038_863_107_7)
        .most_probable(
            (&burglary, &earthquake, &alarm),
            0.000_628_111_26_f64.ln(),
            move |answer| {
                let (burglary, earthquake, alarm) = &world;
                Ok(!answer.most_likely_value(burglary)?
                    && !answer.most_likely_value(earthquake)?
                    && answer.most_likely_value(alarm)?)
            },
        )
        .samples(200_000)
}
