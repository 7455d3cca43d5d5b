//! Runs the fuzzer's corpora as regression tests, on any compiler: see `docs/robustness.md`.

use std::fs;
use std::panic::catch_unwind;

use figrs_tests::fuzz::TARGETS;
use figrs_tests::pages::root;

#[test]
fn every_input_is_survived() {
    let mut wrong = Vec::new();
    for (name, target) in TARGETS {
        let folder = root().join("fuzz/corpus").join(name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let mut count = 0;
        for file in files {
            let path = file.unwrap().path();
            let data = fs::read(&path).unwrap();
            if catch_unwind(|| target(&data)).is_err() {
                wrong.push(path.display().to_string());
            }
            count += 1;
        }
        assert!(count > 9, "{name} has only {count} inputs");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
