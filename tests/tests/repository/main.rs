//! Tests of the pages, links, licences and words of the repository.

mod documentation;
mod features;
mod figaro;
mod licences;
mod movement_keys;
mod words;
