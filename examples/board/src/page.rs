//! The answer as an HTML page.

use figrs_command::Failure;
use figrs_report::HtmlPage;

use super::puzzle::Puzzle;
use super::report::Report;

/// Maximum number of boards whose pictures are on the HTML page.
const SHOWN: usize = 24;

impl<P: Puzzle> Report<'_, P> {
    /// Returns an HTML page with the settings, the answer, and pictures of boards.
    pub(crate) fn html(&self) -> Result<String, Failure> {
        let mut page = HtmlPage::new(&format!("{}, by figrs", P::KIND));
        page.settings(self.settings());
        self.found(&mut page);
        self.gallery(&mut page)?;
        self.stats(&mut page);
        self.marginals(&mut page);
        Ok(page.to_string())
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let (found, size) = (self.findings, self.puzzle.size());
        let mut settings = vec![
            ("size", format!("{} by {}", size.rows(), size.columns())),
            ("method", found.method.to_owned()),
        ];
        let demands = self.puzzle.demands();
        if !demands.is_empty() {
            settings.push(("demands", demands));
        }
        if !found.boards.is_empty() {
            settings.push(("seed", self.options.seed().to_string()));
            settings.push(("boards", found.boards.len().to_string()));
        }
        settings
    }

    fn found(&self, page: &mut HtmlPage) {
        let found = self.findings;
        let mut rows = vec![
            ["seconds to compile", &format!("{:.3}", found.compile)].map(str::to_owned),
            ["seconds to answer", &format!("{:.3}", found.sample)].map(str::to_owned),
        ];
        let mut tell = |name: &str, value: String| rows.push([name.to_owned(), value]);
        if let Some(cost) = &found.cost {
            tell("states", cost.states.to_string());
            tell("bytes", cost.bytes.to_string());
        }
        if let Some(count) = &found.count {
            tell("boards that are allowed", count.clone());
        }
        if let Some((_, is_unique)) = &found.solution {
            tell("the only one", is_unique.to_string());
        }
        if let Some(log) = found.log_probability {
            tell("probability", format!("{:.6e}", log.exp()));
            tell("log-probability", format!("{log:.6}"));
        }
        for (name, value) in &found.diagnostics {
            tell(name, format!("{value:.4}"));
        }
        if let Some(reason) = self.stopped {
            tell("ended early", reason.message().to_owned());
        }
        page.heading("Found").table(&["what", "value"], rows);
    }

    fn gallery(&self, page: &mut HtmlPage) -> Result<(), Failure> {
        let mut pictures = Vec::new();
        for (number, board) in self.boards().enumerate().take(SHOWN) {
            let mut png = Vec::new();
            let picture = self.puzzle.picture(board)?;
            picture.write_png(&mut png, &[])?;
            pictures.push((format!("board {}", number + 1), png));
        }
        if pictures.is_empty() {
            return Ok(());
        }
        page.heading("Boards");
        page.gallery(
            pictures
                .iter()
                .map(|(name, png)| (name.as_str(), png.as_slice())),
        );
        let count = self.boards().count();
        if count > SHOWN {
            page.paragraph(&format!("The first {SHOWN} of {count} boards."));
        }
        Ok(())
    }

    fn stats(&self, page: &mut HtmlPage) {
        let Some(stats) = self.stats else {
            return;
        };
        if !stats.scores.is_empty() {
            let rows = stats.scores.iter().map(|score| {
                let [mean, median, min, max] = [score.mean, score.median, score.min, score.max]
                    .map(|value| format!("{value:.4}"));
                let pairs = score.pairs.to_string();
                [score.reading.to_owned(), mean, median, min, max, pairs]
            });
            let headings = ["reading", "mean", "median", "least", "largest", "pairs"];
            page.heading("Variation").table(&headings, rows);
        }
        if !stats.tests.is_empty() {
            let rows = stats.tests.iter().map(|test| {
                let (p, statistic) = (test.p_value, test.statistic);
                let numbers = [format!("{p:.4}"), format!("{statistic:.3}")];
                let [p, statistic] = numbers;
                [test.name.to_owned(), p, statistic, test.about.clone()]
            });
            let headings = ["test", "p-value", "statistic", "about"];
            page.heading("Tests of the distribution")
                .table(&headings, rows);
        }
    }

    fn marginals(&self, page: &mut HtmlPage) {
        let Some(marginals) = &self.findings.marginals else {
            return;
        };
        for (name, rows) in self.shares(marginals) {
            let columns: Vec<String> = (1..=rows[0].len()).map(|n| n.to_string()).collect();
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            page.heading(&format!("Probability of {name}"))
                .table(&columns, rows);
        }
    }
}
