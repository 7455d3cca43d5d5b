//! Tests of the progress of runs and of interrupts.

use super::*;

#[test]
fn an_interrupt_loses_no_board_that_is_drawn() {
    let (flag, kept) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let (stop, count) = (Arc::clone(&flag), Arc::clone(&kept));
    let sampler = ConditionalSampler::new()
        .interrupt(flag)
        .on_event(move |event| match *event {
            Event::Drawn { boards, .. } => count.store(boards, Ordering::Relaxed),
            // The exact method runs in the round after rejection has drawn the first boards.
            Event::Explored { .. } => {
                stop.store(count.load(Ordering::Relaxed) > 0, Ordering::Relaxed);
            }
            _ => {}
        });
    let sample = sampler.sample(&in_both_ways(), WIDE_DRAWS).unwrap();
    assert!(!sample.boards.is_empty());
    assert_eq!(sample.boards.len() as u64, kept.load(Ordering::Relaxed));
    assert_eq!(sample.report.choice.method, Method::Rejection);
}

#[test]
fn an_interrupt_before_the_first_board_is_an_error_of_any_method() {
    let flag = Arc::new(AtomicBool::new(true));
    let orchard = Orchard {
        own: Some(Own::Independent),
        chains: Some(Chains::Anywhere),
        is_relaxable: true,
        ..orchard()
    };
    let chance = Method::Own("chance");
    for method in [
        Method::Exact,
        Method::Rejection,
        Method::Particles,
        Method::Chain,
        chance,
    ] {
        let sampler = ConditionalSampler::new().among([method]);
        let error = sampler.interrupt(Arc::clone(&flag)).sample(&orchard, 5);
        let error = error.unwrap_err();
        assert!(
            matches!(error, BoardError::Inference(Error::NothingDone { .. })),
            "{method}: {error}"
        );
    }
}

#[test]
fn runs_are_watched_and_interrupted() {
    let flag = Arc::new(AtomicBool::new(false));
    let (seen, steps) = (
        Arc::new(Mutex::new(Vec::new())),
        Arc::new(AtomicU64::new(0)),
    );
    let (drawn, explored, stop) = (Arc::clone(&seen), Arc::clone(&steps), Arc::clone(&flag));
    let sampler = ConditionalSampler::new()
        .interrupt(Arc::clone(&flag))
        .on_event(move |event| match *event {
            Event::Explored { steps, .. } => explored.store(steps, Ordering::Relaxed),
            Event::Drawn { boards, .. } => {
                drawn.lock().unwrap().push(boards);
                stop.store(boards == 3, Ordering::Relaxed);
            }
            _ => {}
        });
    let sample = sampler.sample(&orchard(), 100).unwrap();
    assert_eq!(sample.boards.len(), 3);
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    let clue = |column| (Position { row: 0, column }, true);
    let crossed = Orchard {
        clues: vec![clue(0), clue(1)],
        ..orchard()
    };
    let error = sampler.conflict(&crossed).unwrap();
    assert!(
        matches!(
            error,
            BoardError::NoSolution {
                is_minimal: false,
                ..
            }
        ),
        "{error}"
    );
}
