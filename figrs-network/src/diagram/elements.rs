//! The elements (random variables of figrs) that represent an influence diagram.

use figrs_core::factor::Weights;
use figrs_core::{Constant, Decision, Element, Model, Parents, Table};

use super::super::{Observation, State, Variable};
use super::{InfluenceDiagram, UtilityNode};

/// The elements (random variables of figrs) that represent an influence diagram: one for each variable and one for each utility.
#[derive(Clone, Debug)]
pub struct DiagramElements {
    variables: Vec<Element<State>>,
    utilities: Vec<Element<f64>>,
    decisions: Vec<Element<State>>,
}

impl InfluenceDiagram {
    /// Creates the elements of the influence diagram, in the form that the algorithm [`MaximiseUtility`](figrs_learn::MaximiseUtility) takes.
    ///
    /// ```
    /// use figrs_learn::MaximiseUtility;
    /// use figrs_network::InfluenceDiagram;
    ///
    /// let diagram = InfluenceDiagram::from_xdsl(r#"<smile version="1.0" id="umbrella"><nodes>
    ///     <cpt id="weather"><state id="sun"/><state id="rain"/><probabilities>0.7 0.3</probabilities></cpt>
    ///     <decision id="umbrella"><state id="take"/><state id="leave"/><parents>weather</parents></decision>
    ///     <utility id="comfort"><parents>weather umbrella</parents><utilities>20 100 70 0</utilities></utility>
    /// </nodes></smile>"#)?;
    /// let elements = diagram.elements();
    /// let plan = MaximiseUtility::new();
    /// let plan = plan.run(&elements.model(&[]), elements.utilities(), elements.decisions())?;
    /// assert!((plan.expected_utility() - 91.0).abs() < 1e-12);
    /// let policy = plan.policy(&elements.decisions()[0])?;
    /// let choices: Vec<&str> = policy.rows().iter().map(|row| row.choose.name()).collect();
    /// assert_eq!(choices, ["leave", "take"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elements(&self) -> DiagramElements {
        let mut made: Vec<Option<Element<State>>> = vec![None; self.variables.len()];
        for &position in &self.order {
            let variable = &self.variables[position];
            let decision = self.decisions.iter().find(|d| d.variable == position);
            let element = match decision {
                Some(decision) => {
                    let known = decision.known.iter().filter_map(|&p| made[p].clone());
                    let known: Vec<Element<State>> = known.collect();
                    Decision::new(&known, variable.states.iter().cloned())
                }
                None => self.chance(position, &made),
            };
            made[position] = Some(element.named(&variable.name));
        }
        let decisions = self.decisions.iter();
        let decisions = decisions.filter_map(|decision| made[decision.variable].clone());
        let decisions = decisions.collect();
        let variables: Vec<Element<State>> = made.into_iter().flatten().collect();
        let utilities = self
            .utilities
            .iter()
            .map(|node| self.utility(node, &variables));
        DiagramElements {
            utilities: utilities.collect(),
            decisions,
            variables,
        }
    }

    fn chance(&self, position: usize, made: &[Option<Element<State>>]) -> Element<State> {
        let variable: &Variable = &self.variables[position];
        let mut tables = self.tables.iter();
        let table = tables.find(|table| table.variables.last() == Some(&position));
        // Every chance variable of a diagram that was read has a table, so the uniform table is never used.
        let uniform = || Weights::from_linear(vec![1.0; variable.states.len()]);
        let weights = table.map_or_else(uniform, |table| table.weights.clone());
        let parents = table.and_then(|table| table.variables.split_last());
        let parents = parents.map_or(&[][..], |(_, parents)| parents).iter();
        let parents = parents.filter_map(|&p| Some((made[p].as_ref()?, &self.variables[p].states)));
        Table::new(parents, &variable.states, weights)
    }

    fn utility(&self, node: &UtilityNode, variables: &[Element<State>]) -> Element<f64> {
        let numbers = node.numbers.clone();
        if node.variables.is_empty() {
            let number = numbers.first().copied().unwrap_or(0.0);
            return Constant::new(number).named(&node.name);
        }
        let parents = node.variables.iter().map(|&p| variables[p].clone());
        let parents: Vec<Element<State>> = parents.collect();
        let cards = node
            .variables
            .iter()
            .map(|&p| self.variables[p].states.len());
        let cards: Vec<usize> = cards.collect();
        let number = parents.map(move |states| {
            let digits = states.iter().zip(&cards);
            numbers[digits.fold(0, |number, (state, card)| number * card + state.index())]
        });
        number.named(&node.name)
    }
}

impl DiagramElements {
    /// Returns the elements of the diagram's chance variables and decisions, in the order of the variables.
    pub fn variables(&self) -> &[Element<State>] {
        &self.variables
    }

    /// Returns the elements of the diagram's utilities, in the order of the utilities.
    pub fn utilities(&self) -> &[Element<f64>] {
        &self.utilities
    }

    /// Returns the elements of the diagram's decisions, in the order in which the decisions are made.
    pub fn decisions(&self) -> &[Element<State>] {
        &self.decisions
    }

    /// Returns a model of the influence diagram with the observations `observations`. An observed decision is taken as already made: an intervention
    /// sets its value.
    pub fn model(&self, observations: &[Observation]) -> Model {
        observations.iter().fold(Model::new(), |model, observed| {
            let element = &self.variables[observed.variable];
            let state = observed.state.clone();
            let id = element.erased().id();
            if self.decisions.iter().any(|d| d.erased().id() == id) {
                model.intervene(element, state)
            } else {
                model.observe(element, state)
            }
        })
    }
}
