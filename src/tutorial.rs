// The first definition of a link counts: here it leads to a page of this documentation, in the texts to a file.
#![doc = "[A first model]: a_first_model\n\
    [Evidence]: evidence\n\
    [Chains and laziness]: chains_and_laziness\n\
    [Choosing an algorithm]: choosing_an_algorithm\n\
    [Generating content]: generating_content\n\
    [Elements and algorithms of your own]: your_own_element_and_algorithm\n\
    [Models of data]: models_of_data\n\
    [Levels by example]: levels_by_example\n\
    [Learning]: learning\n\
    [Decisions]: decisions\n\
    [Asking more]: asking_more\n\
    [Designing levels]: designing_levels\n\
    [Real numbers in closed form]: real_numbers\n\
    [Figaro]: crate::coming_from::figaro\n\
    [ProbLog]: crate::coming_from::problog\n\
    [clingo]: crate::coming_from::clingo\n\
    [pgmpy]: crate::coming_from::pgmpy\n\
    [bnlearn]: crate::coming_from::bnlearn\n\
    [PyMC]: crate::coming_from::pymc\n\
    [RxInfer]: crate::coming_from::rxinfer\n\
    [glossary]: crate::glossary\n\
    [architecture]: crate::architecture\n"]
#![doc = include_str!("../docs/tutorial/README.md")]

#[doc = "[Evidence]: evidence\n[Choosing an algorithm]: choosing_an_algorithm\n"]
#[doc = include_str!("../docs/tutorial/1-a-first-model.md")]
pub mod a_first_model {}

#[doc = "[A first model]: a_first_model\n[Chains and laziness]: chains_and_laziness\n"]
#[doc = include_str!("../docs/tutorial/2-evidence.md")]
pub mod evidence {}

#[doc = "[Evidence]: evidence\n[Choosing an algorithm]: choosing_an_algorithm\n"]
#[doc = include_str!("../docs/tutorial/3-chains-and-laziness.md")]
pub mod chains_and_laziness {}

#[doc = "[Chains and laziness]: chains_and_laziness\n\
    [Generating content]: generating_content\n"]
#[doc = include_str!("../docs/tutorial/4-choosing-an-algorithm.md")]
pub mod choosing_an_algorithm {}

#[doc = "[Choosing an algorithm]: choosing_an_algorithm\n\
    [Designing levels]: designing_levels\n\
    [Levels by example]: levels_by_example\n\
    [Elements and algorithms of your own]: your_own_element_and_algorithm\n"]
#[doc = include_str!("../docs/tutorial/5-generating-content.md")]
pub mod generating_content {}

#[doc = "[Generating content]: generating_content\n\
    [Models of data]: models_of_data\n"]
#[doc = include_str!("../docs/tutorial/6-your-own-element-and-algorithm.md")]
pub mod your_own_element_and_algorithm {}

#[doc = "[A first model]: a_first_model\n\
    [Choosing an algorithm]: choosing_an_algorithm\n\
    [Elements and algorithms of your own]: your_own_element_and_algorithm\n\
    [Levels by example]: levels_by_example\n"]
#[doc = include_str!("../docs/tutorial/7-models-of-data.md")]
pub mod models_of_data {}

#[doc = "[A first model]: a_first_model\n\
    [Models of data]: models_of_data\n\
    [Designing levels]: designing_levels\n\
    [Tutorial]: crate::tutorial\n"]
#[doc = include_str!("../docs/tutorial/8-levels-by-example.md")]
pub mod levels_by_example {}

#[doc = "[A first model]: a_first_model\n[Real numbers]: real_numbers\n"]
#[doc = include_str!("../docs/tutorial/9-learning.md")]
pub mod learning {}

#[doc = "[A first model]: a_first_model\n"]
#[doc = include_str!("../docs/tutorial/10-decisions.md")]
pub mod decisions {}

#[doc = "[A first model]: a_first_model\n[Evidence]: evidence\n"]
#[doc = include_str!("../docs/tutorial/11-asking-more.md")]
pub mod asking_more {}

#[doc = "[Levels by example]: levels_by_example\n[Tutorial]: crate::tutorial\n"]
#[doc = include_str!("../docs/tutorial/12-designing-levels.md")]
pub mod designing_levels {}

#[doc = "[A first model]: a_first_model\n[Evidence]: evidence\n[Learning]: learning\n"]
#[doc = include_str!("../docs/tutorial/13-real-numbers.md")]
pub mod real_numbers {}
