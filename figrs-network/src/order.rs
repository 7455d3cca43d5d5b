//! Orders nodes such that parents come before their children.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns a topological order of nodes, in which parents come before their children: the next node is always the first one whose parents are all in
/// the order already. If the parent relation has a cycle, the error lists the nodes of the cycle, each followed by one of its parents.
pub(super) fn parents_first(parents: &[&[usize]]) -> Result<Vec<usize>, Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut missing: Vec<usize> = parents.iter().map(|own| own.len()).collect();
    for (child, own) in parents.iter().enumerate() {
        for &parent in *own {
            children[parent].push(child);
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    let roots = (0..parents.len()).filter(|&node| missing[node] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = roots.map(Reverse).collect();
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for &child in &children[node] {
            missing[child] -= 1;
            if missing[child] == 0 {
                ready.push(Reverse(child));
            }
        }
    }
    let Some(mut node) = missing.iter().position(|&missing| missing > 0) else {
        return Ok(order);
    };
    let above = |node: usize| {
        let parent = parents[node].iter().find(|&&parent| missing[parent] > 0);
        parent.map_or(node, |&parent| parent)
    };
    // Some ancestor of this node is on a cycle. If the number of steps to a parent equals the number of nodes, the present node is on the cycle.
    for _ in 0..parents.len() {
        node = above(node);
    }
    let mut cycle = vec![node];
    while above(cycle[cycle.len() - 1]) != node {
        cycle.push(above(cycle[cycle.len() - 1]));
    }
    Err(cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_stand_first() {
        let order = parents_first(&[&[2], &[0, 2], &[], &[]]);
        assert_eq!(order, Ok(vec![2, 0, 1, 3]));
        assert_eq!(parents_first(&[&[], &[0], &[]]), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn a_cycle_is_followed_upwards() {
        // Node 0 is a descendant of the cycle 1 <- 2 <- 3 <- 1, and node 4 is connected with the cycle only through node 0.
        let cycle = parents_first(&[&[4, 1], &[2], &[3], &[1], &[]]).unwrap_err();
        assert_eq!(cycle.len(), 3);
        let start = cycle.iter().position(|&node| node == 1).unwrap();
        let turned = [&cycle[start..], &cycle[..start]].concat();
        assert_eq!(turned, [1, 2, 3]);
        assert_eq!(parents_first(&[&[0]]), Err(vec![0]));
    }
}
