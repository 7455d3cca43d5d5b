//! Tests that fix the boards, levels and plans that one seed gives.
//!
//! If these numbers change, users notice the change, and the changelog must mention it.

use figrs_tests::example::{run, text};
use figrs_tests::fingerprint::fingerprint;

#[test]
fn boards_and_levels_of_a_seed_are_these() {
    let cases = [
        ("maze", "--size 6 --count 3", 1_544_233_254_925_764_702_u64),
        (
            "maze",
            "--size 4 --min-walk 8 --count 3",
            6_108_125_476_323_263_880,
        ),
        ("dungeon", "--size 5 --count 3", 15_085_878_845_478_727_830),
        (
            "dungeon",
            "--size 5 --min-walk 10 --max-walls 8 --count 3",
            7_107_011_268_987_933_143,
        ),
        ("island", "--size 6 --count 3", 5_255_463_317_364_279_491),
        ("yin_yang", "--size 6 --count 3", 16_192_389_233_418_107_666),
        (
            "yin_yang",
            "--size 6 --count 2 --method particles",
            5_249_732_211_474_046_703,
        ),
        (
            "chromatic_maze",
            "--size 3 --count 3",
            14_619_161_551_740_008_893,
        ),
        ("mario_mdmc", "", 13_615_908_278_296_670_284),
        (
            "mario_mdmc",
            "--levels 2 --width 40 --look-ahead 3",
            9_291_173_801_448_340_362,
        ),
        (
            "mario_mdmc",
            "--levels 2 --width 20 --method conditioned --playable",
            5_150_190_677_959_575_463,
        ),
        (
            "mario_mdmc",
            "--levels 2 --width 20 --row-splits 4 --method conditioned --max-gap 7",
            10_760_811_800_134_864_149,
        ),
        (
            "puzzle",
            "--rules RULES --task sample --count 3",
            8_806_859_496_639_120_716,
        ),
    ];
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/puzzle/river.kif");
    let found = cases.map(|(example, flags, _)| {
        let flags = flags.replace("RULES", rules);
        let print = |more: &[&str]| {
            let flags: Vec<&str> = flags
                .split_whitespace()
                .chain(more.iter().copied())
                .collect();
            let output = run(example, &flags);
            assert!(
                output.status.success(),
                "{example} {flags:?}: {}",
                text(&output.stderr)
            );
            let printed = text(&output.stdout);
            let untimed = printed.lines().filter(|line| !line.starts_with("seconds:"));
            fingerprint(&untimed.collect::<Vec<_>>().join("\n"))
        };
        if example != "mario_mdmc" {
            return print(&["--seed", "3"]);
        }
        let one = print(&["--seed", "3", "--threads", "1"]);
        assert_eq!(one, print(&["--seed", "3", "--threads", "3"]), "{flags}");
        one
    });
    let found: Vec<_> = cases
        .iter()
        .zip(found)
        .map(|(case, found)| (case.0, case.1, found))
        .collect();
    assert_eq!(found, cases);
}
