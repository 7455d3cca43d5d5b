//! Tests of files that are longer than the limit of commands, and of devices that never end.

use std::fs::{self, File};

use figrs_tests::example::{self, text};

/// Options that read a file: `FILE` with the extension that the reader asks for.
const READERS: [(&str, &str); 15] = [
    ("yin_yang", "--clues FILE"),
    ("island", "--clues FILE"),
    ("dungeon", "--clues FILE"),
    ("puzzle", "--rules FILE"),
    ("network", "--file FILE.uai"),
    ("network", "--file FILE.bif"),
    ("network", "--file coins.bif --evidence FILE.json"),
    ("network", "--file coins.bif --evidence FILE.evid"),
    ("mario_mdmc", "--model FILE"),
    ("mario_mdmc", "--corpus corpus"),
    ("mario_mdmc", "--method conditioned --pin FILE"),
    ("mario_mdmc", "--method conditioned --place FILE"),
    ("mario_mdmc", "--method conditioned --forbid FILE"),
    ("mario_mdmc", "--method conditioned --start FILE"),
    (
        "mario_mdmc",
        "--method conditioned --around FILE --free 0..1",
    ),
];

/// Both a sparse file of four gigabytes and, if it exists, the device of zeros are refused before memory is taken for them.
#[test]
fn files_without_end_are_refused_with_their_name() {
    let network = "network coins { }\nvariable a { type discrete [ 2 ] { yes, no }; }\n\
                   probability ( a ) { table 0.2, 0.8; }\n";
    for is_device in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir(path("corpus")).unwrap();
        for name in [
            "FILE",
            "FILE.uai",
            "FILE.bif",
            "FILE.json",
            "FILE.evid",
            "corpus/FILE.txt",
        ] {
            if !is_device {
                File::create(path(name)).unwrap().set_len(1 << 32).unwrap();
                continue;
            }
            #[cfg(unix)]
            std::os::unix::fs::symlink("/dev/zero", path(name)).unwrap();
        }
        if is_device && !path("FILE").exists() {
            println!("skipped: there is no /dev/zero");
            return;
        }
        fs::write(path("coins.bif"), network).unwrap();
        for (program, arguments) in READERS {
            // A corpus consists of regular files, so the device is not tried there.
            if is_device && arguments.contains("corpus") {
                continue;
            }
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let output = example::run_in(directory.path(), program, &arguments);
            let message = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{program} {arguments:?}: {message}"
            );
            assert!(
                message.contains("it is longer than ") && message.contains("FILE"),
                "{program} {arguments:?}: {message}"
            );
        }
    }
}
