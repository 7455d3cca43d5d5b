//! Tests of the limits of the algorithms that are compared: time, interrupts and memory.

use super::*;

/// An algorithm that runs until the interrupt flag is set, or forever.
#[derive(Debug)]
struct Waits(Arc<AtomicBool>);

impl Algorithm for Waits {
    fn name(&self) -> &'static str {
        "Waits"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        while !self.0.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Enumerate::new().answer(model, targets)
    }
}

#[derive(Debug)]
struct Panics;

impl Algorithm for Panics {
    fn name(&self) -> &'static str {
        "Panics"
    }

    fn answer(&self, _: &Model, _: &[AnyElement]) -> Result<Answer, Error> {
        panic!("on purpose")
    }
}

#[test]
fn deadlines_interrupts_and_panics_end_an_algorithm() {
    let (model, rain) = wet_grass();
    let targets = [rain.erased().clone()];
    let flag = Arc::new(AtomicBool::new(false));
    let rules = RunLimits {
        deadline: Some(Duration::from_millis(30)),
        ..RunLimits::default()
    };
    let words = |rules: &RunLimits, algorithm: Arc<dyn Algorithm>| {
        rules.run(algorithm, &model, &targets).answer.unwrap_err()
    };
    assert_eq!(
        words(&rules, Arc::new(Waits(flag.clone()))),
        "no answer within 0.03 s"
    );
    flag.store(true, Ordering::Relaxed);
    // The flag is set before the run, during the run, and during the run of an algorithm that answers within the grace period.
    let interrupt = Arc::new(AtomicBool::new(true));
    let mut rules = RunLimits {
        interrupt: Some(interrupt.clone()),
        ..RunLimits::default()
    };
    assert!(words(&rules, Arc::new(Enumerate::new())).starts_with("not run"));
    interrupt.store(false, Ordering::Relaxed);
    let never = Arc::new(AtomicBool::new(false));
    let later = interrupt.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        later.store(true, Ordering::Relaxed);
    });
    assert!(words(&rules, Arc::new(Waits(never.clone()))).starts_with("interrupted"));
    setter.join().unwrap();
    never.store(true, Ordering::Relaxed);
    interrupt.store(false, Ordering::Relaxed);
    rules.grace = Duration::from_secs(60);
    let later = interrupt.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        later.store(true, Ordering::Relaxed);
    });
    assert!(
        rules
            .run(Arc::new(Waits(interrupt)), &model, &targets)
            .answer
            .is_ok()
    );
    setter.join().unwrap();

    assert_eq!(
        words(&RunLimits::default(), Arc::new(Panics)),
        "it panicked"
    );
}

#[test]
fn memory_is_measured_and_steps_are_told() {
    let (model, rain) = wet_grass();
    let calls = Arc::new(AtomicU64::new(0));
    let steps = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let (counted, words) = (calls.clone(), steps.clone());
    let comparison = Compare::new(&model, &rain)
        .algorithms(algorithms![Enumerate::new()])
        .curve([10], 2, |n, seed| ImportanceSampling::new(n).seed(seed))
        // The return values are 0, 1000, 2000 and so on: each run calls the function once to reset it, once before the algorithm
        // and once after the algorithm.
        .peak_memory(move || 1000 * counted.fetch_add(1, Ordering::Relaxed))
        .on_step(move |step| {
            words
                .borrow_mut()
                .push((step.name.clone(), step.done, step.total));
        })
        .run();
    assert_eq!(comparison.rows[0].memory, Some(1000));
    assert!(comparison.to_string().contains("1.0 kB"));
    let step = |name: &str, done| (name.to_owned(), done, 5);
    let expected = [
        step("exact answer", 0),
        step("Enumerate", 1),
        step("ImportanceSampling with 10", 2),
        step("ImportanceSampling with 10", 3),
        step("ImportanceSampling with 10", 4),
    ];
    assert_eq!(steps.borrow()[..], expected);
}
