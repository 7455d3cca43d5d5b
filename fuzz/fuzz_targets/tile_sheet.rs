#![no_main]

libfuzzer_sys::fuzz_target!(init: figrs_fuzz::quiet(), |data: &[u8]| figrs_tests::fuzz::tile_sheet(data));
