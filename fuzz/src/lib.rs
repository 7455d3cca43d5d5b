//! Code shared by all fuzz targets.

/// Lets panics pass that figrs catches: the fuzzer's own hook ends the program at any panic. One that nobody catches ends it
/// all the same. `FUZZ_LOUD=1` prints their messages, to look at a single input.
pub fn quiet() {
    let is_loud = std::env::var_os("FUZZ_LOUD").is_some();
    std::panic::set_hook(Box::new(move |panic| {
        if is_loud {
            eprintln!("{panic}");
        }
    }));
}
