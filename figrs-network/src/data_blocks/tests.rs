use std::io::Read;

use super::super::problem_of::problem_of;
use super::super::{Network, NetworkError};
use figrs_reading::MistakeKind;

fn network() -> Network {
    Network::from_bif(
        "network n { }
        variable rain { type discrete [ 2 ] { yes, no }; }
        variable grass { type discrete [ 2 ] { wet, \"d,r\" }; }
        probability ( rain ) { table 0.2, 0.8; }
        probability ( grass ) { table 0.5, 0.5; }",
    )
    .unwrap()
}

/// Returns all rows of data in `stream` as text, each with the number of its line.
fn rows(network: &Network, stream: impl Read) -> Result<Vec<(usize, String)>, NetworkError> {
    let mut all = Vec::new();
    for block in network.data_blocks(stream, "CSV")? {
        let block = block?;
        let row = |i| {
            let cells: Vec<_> = block.row(i).collect();
            (block.line(i), format!("{cells:?}"))
        };
        all.extend((0..block.len()).map(row));
    }
    Ok(all)
}

#[test]
fn blocks_hold_the_rows_of_the_whole_with_their_lines() {
    let network = network();
    for end in ["\n", "\r\n", "\n\n"] {
        let mut text = format!("grass;rain{end}");
        // The rows have different lengths, so that blocks end at all positions within a row.
        for number in 0..12_000 {
            let row = ["wet;yes", "\"d,r\";no", ";NA", "\"d,r\";"][number * number % 7 % 4];
            text.push_str(row);
            text.push_str(end);
        }
        let whole = network.data_from_csv(&text).unwrap();
        let row = |i| {
            (
                whole.line(i),
                format!("{:?}", whole.row(i).collect::<Vec<_>>()),
            )
        };
        let expected: Vec<(usize, String)> = (0..whole.len()).map(row).collect();
        assert!(
            rows(&network, text.as_bytes()).unwrap() == expected,
            "{end:?}"
        );
        // The last line has no line end, and the next text has another encoding.
        assert!(rows(&network, text.trim_end().as_bytes()).unwrap() == expected);
        let mut bytes = vec![0xff, 0xfe];
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        assert!(rows(&network, &bytes[..]).unwrap() == expected);
    }
    assert_eq!(rows(&network, &b""[..]).unwrap(), []);
    assert_eq!(rows(&network, &b"rain"[..]).unwrap(), []);
    let data = network.data_blocks(&b"grass,rain\n"[..], "CSV").unwrap();
    assert_eq!(data.columns(), [1, 0]);
}

#[test]
fn mistakes_have_their_place_in_any_block() {
    let network = network();
    for above in [0, 12_000] {
        let lines = "wet,yes\n".repeat(above);
        for (row, column, words) in [
            ("wet,nope", 5, "`rain` has no state `nope`"),
            ("wet", 1, "cells in this row: 1, columns: 2"),
            ("wet,\"yes", 5, "the quote that begins here does not end"),
            ("w\u{1}t,yes", 2, "cannot occur in comma-separated values"),
        ] {
            let text = format!("grass,rain\n{lines}{row}");
            let (line, at, problem) = problem_of(rows(&network, text.as_bytes()));
            assert_eq!((line, at), (above + 2, column), "{row}: {problem}");
            assert!(problem.to_string().contains(words), "{row}: {problem}");
        }
        let mut bytes = format!("grass,rain\n{lines}").into_bytes();
        bytes.push(0xff);
        let (line, _, problem) = problem_of(rows(&network, &bytes[..]));
        assert_eq!((line, problem.kind), (above + 2, MistakeKind::Encoding));
    }
    let (line, column, _) = problem_of(rows(&network, &b"grass,rian\n"[..]));
    assert_eq!((line, column), (1, 7));
}
