//! Pages, links and licences of the repository.

mod documentation;
mod licences;
