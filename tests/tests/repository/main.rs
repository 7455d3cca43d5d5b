//! Pages, links, licences and words of the repository.

mod documentation;
mod licences;
mod words;
