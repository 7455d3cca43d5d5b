//! Building elements the way users write them.
use figrs_core::*;

#[test]
fn api_examples_compile() {
    let burglary = Flip::new(0.001).named("burglary");
    let earthquake = Flip::new(0.002).named("earthquake");
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
    let _model = Model::new().observe(&john, true);
    fn geometric(p: f64) -> Element<u32> {
        Flip::new(p).flat_map(move |&stop| {
            if stop {
                Constant::new(0)
            } else {
                geometric(p).map(|n| n + 1)
            }
        })
    }
    let _n = geometric(0.3);
    let _t: Element<u32> = (&burglary, &earthquake, &alarm).flat_map(|(&b, e, a)| {
        if b && *e || *a {
            Constant::new(1)
        } else {
            Uniform::new(0..3)
        }
    });
    let _m = (&burglary, earthquake.clone()).map(|(b, e)| *b && *e);
    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
    let _k = coins.map(|v| v.iter().filter(|b| ***b).count());
    let _ = Select::new([(&Param::new("w", 0.3), 1), (&Param::new("v", 0.3), 2)]);
    let _ = Dist::new([(0.2, Constant::new(true)), (0.8, Flip::new(0.3))]);
    let _ = If::new(&burglary, Uniform::new(1..=10), Constant::new(0));
    let _ = If::new(&burglary, &alarm, &john);
    let _ = Cpd::new(&burglary, [(true, Flip::new(0.3)), (false, Flip::new(0.2))]);
    let _ = tuple((&alarm, &_n));
    let _ = RichCpd::new(
        &burglary,
        [(one_of([true]), Flip::new(0.3)), (any(), Flip::new(0.2))],
    );
}

#[test]
fn a_million_elements_drop_in_a_small_stack() {
    let run = || {
        let mut x = Flip::new(0.5);
        for _ in 0..1_000_000 {
            x = x.map(|b| !b);
        }
        let mut y = Flip::new(0.5);
        for _ in 0..1_000_000 {
            let z = y.clone();
            y = Flip::new(0.5).flat_map(move |_| z.clone());
        }
    };
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}
