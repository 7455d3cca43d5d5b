use std::collections::HashMap;

use crate::boards::island::chain::*;

/// Every state that can be reached, with the states that each choice of a cell leads to.
fn moves(island: &Island) -> HashMap<Vec<bool>, Vec<Vec<bool>>> {
    let mut moves = HashMap::new();
    let mut left = vec![island.chain().unwrap()];
    while let Some(chain) = left.pop() {
        if moves.contains_key(&chain.land) {
            continue;
        }
        let mut next = Vec::new();
        for &cell in &chain.free {
            let mut chain = chain.clone();
            chain.step(cell);
            assert_eq!(chain.count, chain.land.iter().filter(|land| **land).count());
            next.push(chain.land.clone());
            left.push(chain);
        }
        moves.insert(chain.land, next);
    }
    moves
}

/// All choices of the chain, enumerated: it reaches every island, and each move is as likely as the move back, so that
/// the uniform distribution is stationary.
#[test]
fn every_island_is_reached_by_symmetric_moves() {
    // There are 161 islands of 5 by 5, by a frontier program of its own.
    for (rows, columns, land, islands) in [
        (5, 5, None, Some(161)),
        (5, 6, None, None),
        (5, 5, Some(3..=4), None),
        (5, 6, Some(6..=7), None),
        (6, 5, Some(0..=5), None),
        (5, 6, Some(9..=30), None),
    ] {
        let island = Island::new(Size::new(rows, columns).unwrap()).unwrap();
        let island = match land {
            Some(land) => island.land(land).unwrap(),
            None => island,
        };
        let moves = moves(&island);
        let elements = island.elements().unwrap();
        let tree = figrs_infer::JunctionTree::new()
            .compile(elements.model(), ())
            .unwrap();
        assert_eq!(tree.count().unwrap(), moves.len().into());
        assert!(islands.is_none_or(|islands| islands == moves.len()));
        for (from, next) in &moves {
            for to in next {
                let there = next.iter().filter(|&state| state == to).count();
                let back = moves[to].iter().filter(|&state| state == from).count();
                assert_eq!(there, back);
            }
        }
    }
}

/// On land with many holes, where the cells around do not decide.
#[test]
fn searches_agree_with_filling_from_one_side() {
    let island = Island::new(Size::new(30, 25).unwrap()).unwrap();
    let mut chain = island.chain_from(InitialIsland::Most).unwrap();
    let mut rng = figrs_core::stream(5, 0);
    let mut searched = [0, 0];
    for _ in 0..40 {
        chain.sweep(&mut rng);
        for cell in chain.free.clone() {
            if !chain.land[cell] {
                continue;
            }
            let mut seen = chain.land.iter().map(|land| !land).collect::<Vec<_>>();
            seen[cell] = true;
            let mut left: Vec<usize> = chain.land.iter().position(|&l| l).into_iter().collect();
            left.retain(|&first| first != cell);
            if left.is_empty() {
                continue;
            }
            while let Some(at) = left.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    left.extend(chain.beside(at));
                }
            }
            let connected = seen.into_iter().all(|seen| seen);
            assert_eq!(chain.stays_connected_without(cell), connected);
            searched[usize::from(connected)] += 1;
        }
    }
    assert!(searched.iter().all(|&n| n > 1000), "{searched:?}");
}
