//! Tests of runs in numbered parts on a Dask cluster of local workers, if Dask is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use figrs_tests::example::{binary, run, text};

/// Returns a Python that has Dask; without one, prints that the test is skipped and returns `None`.
fn python() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or("python3".into());
    let has_dask = Command::new(&python)
        .args(["-c", "import dask.distributed"])
        .output();
    if has_dask.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    eprintln!("skipped: {python} has no dask.distributed (set PYTHON to one that has)");
    None
}

/// Starts the driver with its own options and the command of a program.
fn driver(python: &str, options: &[&str], program: &Path, arguments: &[&str]) -> Child {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spread/figrs_dask.py");
    Command::new(python)
        .arg(driver)
        .args(options)
        .arg("--")
        .arg(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the processes of this machine whose command lines contain all of these arguments.
fn processes(arguments: &[&str]) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let matching = entries.filter(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let all: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        arguments
            .iter()
            .all(|argument| all.contains(&argument.as_bytes()))
    });
    matching
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .collect()
}

#[test]
fn a_dask_cluster_goes_on_when_a_worker_is_killed() {
    let Some(python) = python() else { return };
    let files = tempfile::tempdir().unwrap();
    let out = files.path().join("parts");
    let out = out.to_str().unwrap();
    let seed = std::process::id().to_string();
    let own = [
        "--samples",
        "20000000",
        "--threads",
        "1",
        "--format",
        "json",
    ];
    let own = [&own[..], &["--seed", &seed]].concat();
    let options = ["--parts", "12", "--out", out];
    let driver = driver(&python, &options, &binary("spread"), &own);
    // The first worker that computes parts is killed as soon as a part exists.
    let first = Path::new(out).join("run-0-part-00.figrs");
    let mut killed = false;
    for _ in 0..1000 {
        let serving = processes(&["--serve", &seed]);
        if let (true, Some(process)) = (first.exists(), serving.first()) {
            killed = Command::new("kill")
                .args(["-9", process])
                .status()
                .is_ok_and(|status| status.success());
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = driver.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(killed, "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), text(&run("spread", &own).stdout));
}

#[test]
fn a_fit_is_driven_round_by_round() {
    let Some(python) = python() else { return };
    let files = tempfile::tempdir().unwrap();
    let out = files.path().join("parts");
    let options = ["--fit", "--parts", "3", "--out", out.to_str().unwrap()];
    let fit = ["fit", "--rows", "300", "--rounds", "2"];
    let driver = driver(&python, &options, &binary("spread_tasks"), &fit);
    let output = driver.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let whole = run("spread_tasks", &fit);
    assert_eq!(text(&output.stdout), text(&whole.stdout));
    assert!(text(&output.stdout).contains("share of the ill"));
}

/// Creates a program that notes each requested part and does not compute it.
fn failing_program(directory: &Path, answer: &str) -> PathBuf {
    let program = directory.join("program");
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *--merge*) exec sleep 100;; esac\nread request\necho \"$request\" >> {}\n{answer}\n",
        directory.join("asked").display()
    );
    fs::write(&program, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    program
}

#[test]
fn a_part_that_fails_three_times_and_an_error_of_the_model_end_the_run() {
    let Some(python) = python() else { return };
    // The answer has the length of the text, a byte that marks an error, and the text.
    let error = r"printf '\014\000\000\000\000\000\000\000\001part 0: none'";
    for (answer, tries, message) in [
        ("exit 3", 3, "part 0: the program ended"),
        (error, 1, "part 0: none"),
    ] {
        let files = tempfile::tempdir().unwrap();
        let program = failing_program(files.path(), answer);
        let out = files.path().join("parts");
        let options = ["--parts", "1", "--out", out.to_str().unwrap()];
        let driver = driver(&python, &options, &program, &[]);
        let output = driver.wait_with_output().unwrap();
        let stderr = text(&output.stderr);
        assert!(!output.status.success(), "{stderr}");
        assert!(stderr.contains(&format!("error: {message}")), "{stderr}");
        let asked = fs::read_to_string(files.path().join("asked")).unwrap();
        assert_eq!(asked.lines().count(), tries, "{stderr}");
    }
}
