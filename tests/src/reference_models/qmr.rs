//! Noisy-or networks of diseases and findings, as in QMR.

use figrs::inject;
use figrs::prelude::*;

use super::Question;
use crate::asked::Worlds;

/// A network of diseases and findings, in which each finding is a noisy-or of its diseases with a leak of 0.01.
struct Network {
    diseases: Vec<Element<bool>>,
    findings: Vec<Element<bool>>,
}

fn network(diseases: usize, findings: usize) -> Network {
    let prior = |d: usize| 0.01 * (d % 8 + 1) as f64;
    let diseases: Vec<_> = (0..diseases).map(|d| Flip::new(prior(d))).collect();
    let finding = |f: usize| {
        let (causes, weights): (Vec<_>, Vec<_>) = diseases
            .iter()
            .enumerate()
            .filter(|(d, _)| (3 * d + 5 * f) % 7 < 3)
            .map(|(d, disease)| (disease.clone(), 0.2 + 0.1 * ((d + 2 * f) % 7) as f64))
            .unzip();
        inject(&causes).flat_map(move |ill| {
            let spared = ill.iter().zip(&weights).filter(|(ill, _)| **ill);
            Flip::new(1.0 - 0.99 * spared.map(|(_, weight)| 1.0 - weight).product::<f64>())
        })
    };
    let findings = (0..findings).map(finding).collect();
    Network { diseases, findings }
}

/// Creates the queries to a network: all diseases, one finding that was not observed, and the most probable set of diseases.
fn question(
    reference: &'static str,
    network: &Network,
    [positive, negative]: [&[usize]; 2],
    marginals: &[f64],
) -> Question {
    let mut model = Model::new();
    for &f in positive {
        model = model.observe(&network.findings[f], true);
    }
    for &f in negative {
        model = model.observe(&network.findings[f], false);
    }
    let mut question = Question::new(reference, model);
    for (d, (disease, &p)) in network.diseases.iter().zip(marginals).enumerate() {
        question = question.probability(&format!("P(d{d}|e)"), disease, true, p);
    }
    question
}

/// Checks that the world has these diseases and no others.
fn only(
    ill: &'static [usize],
    diseases: Vec<Element<bool>>,
) -> impl Fn(&Answer) -> Result<bool, Error> {
    move |answer| {
        let mut right = true;
        for (d, disease) in diseases.iter().enumerate() {
            right &= answer.most_likely_value(disease)? == ill.contains(&d);
        }
        Ok(right)
    }
}

/// A network of eight diseases and ten findings, of which four are observed as present and two as absent.
pub fn qmr_small() -> Question {
    let network = network(8, 10);
    let marginals = [
        0.065_690_807_326_907_88,
        0.006_085_192_697_768_761,
        0.374_407_570_521_785_1,
        0.037_304_447_367_645_67,
        0.225_973_168_419_908_05,
        0.552_638_485_162_566_5,
        0.346_642_249_994_099_3,
        0.457_178_044_571_365_74,
    ];
    question(
        "M05a_qmr_small",
        &network,
        [&[0, 2, 3, 7], &[1, 4]],
        &marginals,
    )
    .evidence("P(e)", 0.000_484_106_805_200_677_8)
    .probability(
        "P(f5=1|e)",
        &network.findings[5],
        true,
        0.193_238_951_662_852_88,
    )
    .most_probable(
        &network.diseases,
        7.652_492_924_014_553e-5_f64.ln(),
        only(&[2, 5], network.diseases.clone()),
    )
}

/// A network of twenty diseases and forty findings, of which ten are observed as present and eight as absent.
pub fn qmr_large() -> Question {
    let network = network(20, 40);
    let marginals = [
        0.004_182_182_386_843_257_5,
        0.012_350_000_906_131_225,
        0.139_192_212_473_850_8,
        0.009_967_855_311_343_159,
        0.113_315_511_171_450_88,
        0.377_092_413_492_854_33,
        0.478_155_754_917_652_66,
        0.035_588_179_827_950_85,
        0.006_117_593_182_668_529,
        0.092_803_397_583_467_95,
        0.007_400_408_961_730_278,
        0.091_712_002_120_945_64,
        0.310_996_537_049_882_6,
        0.413_280_495_612_801_8,
        0.030_859_139_779_029_775,
        0.052_346_725_886_402_21,
        0.046_403_196_492_155_956,
        0.004_884_290_105_018_093,
        0.069_574_507_672_178_57,
        0.246_252_642_233_711_07,
    ];
    let seen: [&[usize]; 2] = [
        &[0, 2, 3, 7, 11, 12, 19, 23, 30, 31],
        &[1, 4, 8, 14, 20, 25, 33, 38],
    ];
    question("M05b_qmr_large", &network, seen, &marginals)
        .evidence("P(e)", 8.087_506_473_270_746e-8)
        .probability(
            "P(f5=1|e)",
            &network.findings[5],
            true,
            0.432_806_478_963_309_87,
        )
        .most_probable(
            &network.diseases,
            8.267_056_242_864_658e-9_f64.ln(),
            only(&[5, 6], network.diseases.clone()),
        )
        .worlds(Worlds::Many)
        .samples(30_000)
}
