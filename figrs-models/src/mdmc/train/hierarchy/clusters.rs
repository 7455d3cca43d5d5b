//! k-medoids clustering of lists of tiles, which are sections of levels.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

use crate::mdmc::Tile;

/// The medoids of a clustering: the most central example of each cluster.
#[derive(Clone, Debug)]
pub(super) struct Medoids {
    medoids: Vec<Vec<Tile>>,
}

/// Maximum number of rounds of the clustering; in each round, examples are assigned to clusters anew.
const ROUNDS: usize = 50;

/// Returns the Hamming distance of two lists of tiles: the number of positions at which their tiles differ.
fn distance(a: &[Tile], b: &[Tile]) -> u64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as u64
}

impl Medoids {
    /// Finds at most `kinds` medoids (central examples of clusters) of weighted examples, which are all equally long. The initial medoids are drawn
    /// with probabilities proportional to squared distances (k-means++). After the choice of initial medoids, each example joins the nearest medoid,
    /// and each cluster chooses its most central example as its medoid, until nothing changes.
    pub(super) fn find<'a, R: Rng>(
        examples: impl Iterator<Item = (&'a Vec<Tile>, u64)>,
        kinds: usize,
        rng: &mut R,
    ) -> Self {
        let mut counted: BTreeMap<&Vec<Tile>, u64> = BTreeMap::new();
        for (example, times) in examples {
            *counted.entry(example).or_default() += times;
        }
        let examples: Vec<(&Vec<Tile>, u64)> = counted.into_iter().collect();
        let mut clusters = Self {
            medoids: Vec::new(),
        };
        while clusters.medoids.len() < kinds {
            let weight = |&(example, count): &(&Vec<Tile>, u64)| {
                let medoids = clusters.medoids.iter();
                let nearest = medoids.map(|medoid| distance(medoid, example)).min();
                count * nearest.map_or(1, |nearest| nearest * nearest)
            };
            let weights: Vec<u64> = examples.iter().map(weight).collect();
            let Some(chosen) = drawn(&weights, rng) else {
                break;
            };
            clusters.medoids.push(examples[chosen].0.clone());
        }
        for _ in 0..ROUNDS {
            let mut groups = vec![Vec::new(); clusters.medoids.len()];
            for &example in &examples {
                groups[clusters.nearest(example.0)].push(example);
            }
            let next: Vec<Vec<Tile>> = groups.iter().filter_map(|group| central(group)).collect();
            if next == clusters.medoids {
                break;
            }
            clusters.medoids = next;
        }
        clusters
    }

    pub(super) fn nearest(&self, example: &[Tile]) -> usize {
        let medoids = self.medoids.iter().enumerate();
        let nearest = medoids.min_by_key(|(_, medoid)| distance(medoid, example));
        nearest.map_or(0, |(place, _)| place)
    }

    pub(super) fn medoids(&self) -> &[Vec<Tile>] {
        &self.medoids
    }

    pub(super) fn into_medoids(self) -> Vec<Vec<Tile>> {
        self.medoids
    }
}

fn drawn<R: Rng>(weights: &[u64], rng: &mut R) -> Option<usize> {
    let total = weights.iter().sum::<u64>();
    let mut rest = (total > 0).then(|| rng.random_range(0..total))?;
    weights.iter().position(|&weight| {
        let here = rest < weight;
        rest = rest.saturating_sub(weight);
        here
    })
}

/// Returns the medoid of a cluster: the example with the smallest sum of distances to the other examples, or the first of several such examples.
fn central(group: &[(&Vec<Tile>, u64)]) -> Option<Vec<Tile>> {
    let sum = |one: &[Tile]| -> u64 {
        let distances = group
            .iter()
            .map(|(other, count)| count * distance(one, other));
        distances.sum()
    };
    let central = group.iter().min_by_key(|(one, _)| sum(one));
    central.map(|&(one, _)| one.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::stream;

    fn once(examples: &[Vec<Tile>]) -> impl Iterator<Item = (&Vec<Tile>, u64)> {
        examples.iter().map(|example| (example, 1))
    }

    fn examples(texts: &[&str]) -> Vec<Vec<Tile>> {
        let tiles = |text: &&str| text.chars().filter_map(Tile::platformer).collect();
        texts.iter().map(tiles).collect()
    }

    #[test]
    fn clear_groups_are_found_with_their_most_central_examples() {
        let texts = [
            "XXXX", "XXXS", "XXSX", "----", "---o", "--o-", "EEEE", "EEEE",
        ];
        let examples = examples(&texts);
        for seed in 0..20 {
            let clusters = Medoids::find(once(&examples), 3, &mut stream(seed, 0));
            let mut medoids = clusters.medoids().to_vec();
            medoids.sort();
            let mut expected = super::tests::examples(&["XXXX", "----", "EEEE"]);
            expected.sort();
            assert_eq!(medoids, expected, "{seed}");
            let kind = |i: usize| clusters.nearest(&examples[i]);
            assert!(kind(0) == kind(2) && kind(3) == kind(5) && kind(0) != kind(3));
        }
    }

    #[test]
    fn there_are_no_more_kinds_than_distinct_examples() {
        let examples = examples(&["X", "X", "-"]);
        let clusters = Medoids::find(once(&examples), 5, &mut stream(1, 0));
        assert_eq!(clusters.medoids().len(), 2);
    }
}
