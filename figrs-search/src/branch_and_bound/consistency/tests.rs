//! Tests that transfers of costs between functions keep the cost of every assignment, and that lower bounds never exceed the best cost.

use rand::RngExt;

use super::super::cost_table::{CostTables, FORBIDDEN};
use super::super::network::function::Arity;
use super::super::network::state::ELIMINATED;
use super::super::network::{Decision, Network};
use super::super::search::{BestFirst, SearchState};
use super::random_tables::{assignments, random_tables};
use figrs_random_graphs::generator;

/// An upper bound that is larger than the sum of all finite costs of a test case.
const UPPER: i64 = 1 << 40;

/// Returns the cost of the assignment `values` by the cost functions of a network. The cost functions of eliminated variables are not counted. The
/// cost is therefore that of the assignment extended by the best values of the eliminated variables.
fn cost_in_network(network: &Network, values: &[u32]) -> i64 {
    let mut cost = network.lower;
    for (v, &value) in values.iter().enumerate() {
        if !network.eliminated.contains(&(v as u32)) {
            cost += network.unary(v, value as usize);
        }
    }
    for f in (0..network.functions.len()).filter(|&f| network.is_active(f)) {
        let function = network.functions[f];
        let at = |i: usize| values[function.scope[i] as usize] as usize;
        cost += match function.arity {
            Arity::Binary => network.pair_cost(&network.side(f, 0), at(0), at(1)),
            Arity::Ternary => network.triple_cost(&network.ternary_side(f, 0), at(0), at(1), at(2)),
            Arity::Nary(place) => {
                let nary = &network.nary[place as usize];
                let row: Vec<u32> = nary.scope().iter().map(|&v| values[v as usize]).collect();
                network.nary_cost(place as usize, &row)
            }
        };
    }
    cost
}

/// Checks a network of cost functions after propagation against all assignments that agree with the decisions made so far.
fn check(network: &Network, tables: &CostTables, agrees: impl Fn(&[u32]) -> bool, case: &str) {
    let mut best = i64::MAX;
    for values in assignments(&tables.sizes)
        .iter()
        .filter(|values| agrees(values))
    {
        let cost = tables.cost(values);
        best = best.min(cost);
        let alive = (0..values.len()).all(|v| network.is_live(v, values[v] as usize));
        if cost < network.upper && network.eliminated.is_empty() {
            assert!(alive, "{case}: {values:?} of cost {cost} was removed");
            assert_eq!(cost_in_network(network, values), cost, "{case}: {values:?}");
        }
    }
    assert!(
        network.lower <= best,
        "{case}: a bound of {} above {best}",
        network.lower
    );
    for v in 0..tables.sizes.len() {
        let least = network
            .domain(v)
            .iter()
            .map(|&a| network.unary(v, a as usize))
            .min();
        assert_eq!(
            least,
            Some(0),
            "{case}: variable {v} is not node consistent"
        );
    }
    for f in 0..network.functions.len() {
        let function = network.functions[f];
        assert!(
            network.active.get(f) < ELIMINATED || !network.eliminated.is_empty(),
            "{case}"
        );
        if network.is_active(f) && function.arity == Arity::Binary {
            for (side, own) in [0, 1]
                .map(|side| network.side(f, side))
                .into_iter()
                .enumerate()
            {
                for &a in network.domain(own.own) {
                    let costs = network.domain(own.other).iter().map(|&b| {
                        let cost = network.pair_cost(&own, a as usize, b as usize);
                        assert!(cost >= 0, "{case}: a cost of {cost}");
                        cost + if side == 0 {
                            network.unary(own.other, b as usize)
                        } else {
                            0
                        }
                    });
                    assert_eq!(costs.min(), Some(0), "{case}: function {f} on side {side}");
                }
            }
        }
    }
}

/// Returns a network of cost functions in which no variable is eliminated and no dominated value is removed.
fn plain(tables: &CostTables) -> Network {
    let mut network = Network::new(tables, UPPER, 1);
    network.is_simplifying = false;
    network
}

#[test]
fn propagation_keeps_the_cost_of_every_assignment() {
    let (mut consistent, mut raised) = (0, 0);
    for seed in 0..4000 {
        let tables = random_tables(seed, 2 + seed as usize % 4);
        let case = format!("seed {seed}");
        let mut network = plain(&tables);
        if network.propagate().is_err() {
            let all = assignments(&tables.sizes);
            let best = all.iter().map(|values| tables.cost(values)).min();
            assert!(best >= Some(UPPER), "{case}: {best:?}");
            continue;
        }
        check(&network, &tables, |_| true, &case);
        consistent += 1;
        raised += usize::from(network.lower > 0);
        // The following lines take decisions and undo them.
        let before = (
            network.lower,
            network.costs.values.clone(),
            network.live.values.clone(),
        );
        let mut rng = generator(seed + 1_000_000);
        let v = rng.random_range(0..tables.sizes.len());
        let value = network.domain(v)[rng.random_range(0..network.live_count(v))];
        let decision = [
            Decision::Assign(v as u32, value),
            Decision::Remove(v as u32, value),
            Decision::Keep {
                variable: v as u32,
                from: 0,
                to: value,
            },
        ][rng.random_range(0..3)];
        let agrees = |values: &[u32]| match decision {
            Decision::Assign(..) => values[v] == value,
            Decision::Remove(..) => values[v] != value,
            Decision::Keep { to, .. } => values[v] < to,
        };
        network.push_level();
        let result = network.decide(decision).and_then(|()| network.propagate());
        if result.is_ok() {
            check(&network, &tables, agrees, &case);
        } else {
            let all = assignments(&tables.sizes);
            let agreeing = all.iter().filter(|values| agrees(values));
            let best = agreeing.map(|values| tables.cost(values)).min();
            assert!(best.is_none_or(|best| best >= UPPER), "{case}: {best:?}");
        }
        network.pop_level();
        let after = (
            network.lower,
            network.costs.values.clone(),
            network.live.values.clone(),
        );
        assert_eq!(before, after, "{case}");
    }
    assert!(consistent > 1500 && raised > 1000, "{consistent} {raised}");
}

#[test]
fn simplifications_keep_the_best_cost() {
    let mut simplified = 0;
    for seed in 0..4000 {
        let tables = random_tables(seed, 2 + seed as usize % 4);
        let case = format!("seed {seed}");
        let best = assignments(&tables.sizes)
            .iter()
            .map(|values| tables.cost(values))
            .min();
        let mut network = Network::new(&tables, UPPER, 1);
        if network.propagate().is_err() {
            assert!(best >= Some(UPPER), "{case}: {best:?}");
            continue;
        }
        assert!(Some(network.lower) <= best, "{case}");
        simplified += usize::from(!network.eliminated.is_empty());
        if network.open().is_empty() {
            let found = network.complete_assignment();
            assert_eq!(Some(tables.cost(&found)), best, "{case}: {found:?}");
            assert_eq!(Some(network.lower), best, "{case}");
        }
    }
    assert!(simplified > 1000, "{simplified}");
}

/// Tests that the bounds of a search enclose the best cost whenever the search pauses, even if no memory is allowed for open nodes. Tests that the
/// search returns the best cost at its end.
#[test]
fn searches_find_the_best_cost() {
    let mut pauses = 0;
    for seed in 0..4000 {
        let tables = random_tables(seed + 50_000, 2 + seed as usize % 4);
        let all = assignments(&tables.sizes);
        let best = all
            .iter()
            .map(|values| tables.cost(values))
            .min()
            .unwrap_or(FORBIDDEN);
        let worthwhile = [1, 50, 1 << 20][seed as usize / 2 % 3];
        let mut network = Network::new(&tables, UPPER, worthwhile);
        if seed % 2 == 0 {
            network.is_simplifying = false;
        }
        // The search first has to complete a propagation that had paused.
        if seed % 7 == 0 {
            network.pause_at = seed % 11;
        }
        if network.propagate().is_err() {
            assert!(best >= UPPER, "seed {seed}: {best}");
            continue;
        }
        let slack = i64::from(seed % 3 == 0);
        let mut search = BestFirst::new(network, slack, if seed % 5 == 0 { 0 } else { 1 << 20 });
        loop {
            let state = search.advance(1 + seed % 7);
            assert!(
                search.lower() <= best.min(UPPER),
                "seed {seed}: {} above {best}",
                search.lower()
            );
            if let Some(found) = &search.best {
                let cost = tables.cost(found);
                assert!(
                    cost >= best && cost - slack == search.network.upper,
                    "seed {seed}: {cost}, not {best}"
                );
            }
            pauses += usize::from(state == SearchState::Paused);
            if state == SearchState::Finished {
                break;
            }
        }
        match &search.best {
            Some(found) => assert!(
                tables.cost(found) <= best + slack,
                "seed {seed}: {found:?}, not {best}"
            ),
            None => assert!(best >= UPPER, "seed {seed}: {best}"),
        }
    }
    assert!(pauses > 2000, "{pauses}");
}

/// Tests that sweeps of reweighting at a search node keep the cost of every assignment, raise lower bounds that propagation does not raise, and are
/// undone together with their search level.
#[test]
fn sweeps_at_a_node_keep_the_cost_of_every_assignment() {
    let (mut consistent, mut raised) = (0, 0);
    for seed in 0..4000 {
        let tables = random_tables(seed + 130_000, 2 + seed as usize % 4);
        let case = format!("seed {seed}");
        let mut network = plain(&tables);
        if network.propagate().is_err() {
            continue;
        }
        let mut rng = generator(seed + 2_000_000);
        let v = rng.random_range(0..tables.sizes.len());
        let value = network.domain(v)[rng.random_range(0..network.live_count(v))];
        let before = (network.costs.values.clone(), network.live.values.clone());
        network.push_level();
        let result = network.decide(Decision::Assign(v as u32, value));
        let result = result.and_then(|()| network.propagate());
        let bound = network.lower;
        // Some sweeps end early, as they do in a search that pauses.
        if seed % 5 == 0 {
            network.pause_at = network.work() + seed % 7;
        }
        let result = result.and_then(|()| network.reweigh(1 + seed as usize % 20));
        network.pause_at = u64::MAX;
        let result = result.and_then(|()| network.propagate());
        if result.is_ok() {
            check(&network, &tables, |values| values[v] == value, &case);
            consistent += 1;
            raised += usize::from(network.lower > bound);
        } else {
            let all = assignments(&tables.sizes);
            let agreeing = all.iter().filter(|values| values[v] == value);
            let best = agreeing.map(|values| tables.cost(values)).min();
            assert!(best.is_none_or(|best| best >= UPPER), "{case}: {best:?}");
        }
        network.pop_level();
        let after = (network.costs.values.clone(), network.live.values.clone());
        assert_eq!(before, after, "{case}");
    }
    assert!(consistent > 1500 && raised > 20, "{consistent} {raised}");
}
