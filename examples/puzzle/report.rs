//! Answers as text and as JSON.

use std::collections::HashSet;
use std::io::{self, Write};

use figrs_command::as_json;
use figrs_gdl::Puzzle;
use serde_json::{Map, Value as Json, json};

use crate::question::Findings;

/// An answer to a question about a puzzle, and the options that decide how the answer is printed.
pub(crate) struct Report<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) findings: &'a Findings,
    /// `true` if the report contains the size of the puzzle and the number of states.
    pub(crate) stats: bool,
}

impl Report<'_> {
    pub(crate) fn json(&self) -> Json {
        let found = self.findings;
        let mut object = Map::new();
        let mut put = |name: &str, value: Json| object.insert(name.into(), value);
        if let Some(plan) = &found.plan {
            put("plan", json!(plan));
            put("length", json!(plan.len()));
        } else if let Some(length) = found.length {
            put("length", json!(length));
        }
        if let (Some(at_least), Some(plan)) = (found.at_least, &found.plan) {
            put("shortest", json!(plan.len() <= at_least));
            put("at_least", json!(at_least));
        }
        if let Some(plans) = &found.plans {
            put("plans", json!(plans));
        }
        if let Some(count) = &found.count {
            put("count", json!(count));
        }
        if let Some((log, error)) = found.log_probability {
            if found.plan.is_none() {
                put("probability", json!(log.exp()));
            }
            put("log_probability", as_json(log));
            if error > 0.0 {
                put("standard_error", as_json(error));
            }
        }
        if let Some(marginals) = &found.marginals {
            let step = |step: &Vec<(String, f64)>| {
                let each = step.iter().map(|(name, p)| (name.clone(), json!(p)));
                Json::Object(each.collect())
            };
            put("marginals", marginals.iter().map(step).collect());
        }
        if let Some(samples) = &found.samples {
            let plan = |plan: &Vec<String>| json!({"plan": plan, "length": plan.len()});
            let distinct: HashSet<_> = samples.iter().collect();
            put("distinct", json!(distinct.len()));
            put("samples", samples.iter().map(plan).collect());
        }
        if self.stats {
            put("stats", self.stats());
        }
        if let Some(reason) = found.stopped {
            put("stopped", json!(reason.name()));
        }
        let seconds = json!({
            "compile": found.compile.as_secs_f64(),
            "sample": found.sample.as_secs_f64(),
        });
        put("seconds", seconds);
        Json::Object(object)
    }

    fn stats(&self) -> Json {
        let puzzle = self.puzzle;
        let mut stats = json!({
            "facts": puzzle.possible_facts(),
            "actions": puzzle.actions(),
            "ground_rules": puzzle.ground_rules(),
        });
        if let Some(explored) = &self.findings.explored {
            stats["largest_frontier"] = json!(explored.largest_frontier);
            stats["bytes"] = json!(explored.bytes);
            stats["steps"] = json!(explored.steps.0);
            stats["repeated_steps"] = json!(explored.steps.1);
        }
        if let Some(searched) = self.findings.searched {
            stats["searched_states"] = json!(searched);
        }
        stats
    }

    pub(crate) fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let found = self.findings;
        if let Some(plan) = &found.plan {
            write!(
                out,
                "{} step{}",
                plan.len(),
                if plan.len() == 1 { "" } else { "s" }
            )?;
            match found.at_least {
                Some(at_least) if plan.len() <= at_least => writeln!(out, ", proven shortest")?,
                Some(at_least) => writeln!(
                    out,
                    ", not proven shortest; no plan has fewer than {at_least} steps"
                )?,
                None => writeln!(out)?,
            }
            for (step, action) in (1..).zip(plan) {
                writeln!(out, "{step:4}  {action}")?;
            }
        }
        if let Some(plans) = &found.plans {
            writeln!(out, "plans: {plans}")?;
        }
        if let Some(count) = &found.count {
            writeln!(out, "count: {count}")?;
        }
        if let Some((log, error)) = found.log_probability {
            write!(out, "probability {:.6e} (log {log:.6}", log.exp())?;
            if error > 0.0 {
                write!(out, " ± {error:.6}")?;
            }
            writeln!(out, ")")?;
        }
        for (step, marginal) in (1..).zip(found.marginals.iter().flatten()) {
            writeln!(out, "step {step}")?;
            for (action, p) in marginal {
                writeln!(out, "  {p:8.6}  {action}")?;
            }
        }
        for plan in found.samples.iter().flatten() {
            writeln!(out, "{}", plan.join(" "))?;
        }
        if self.stats
            && let Json::Object(stats) = self.stats()
        {
            let each = stats
                .iter()
                .map(|(name, number)| format!("{name} {number}"));
            let each: Vec<String> = each.collect();
            writeln!(out, "stats: {}", each.join(", "))?;
        }
        let (compile, sample) = (found.compile.as_secs_f64(), found.sample.as_secs_f64());
        writeln!(out, "seconds: compile {compile:.6}, sample {sample:.6}")
    }
}
