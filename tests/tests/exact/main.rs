//! Tests of exact engines and message passing: random models, large models, compiled forms.

mod belief_propagation;
mod best_first;
mod closed_form;
mod collections;
mod compiled_circuit;
mod compiled_tree;
mod deadlines;
mod decisions;
mod exact_properties;
mod frontier;
mod independence;
mod large_supports;
mod lazy_bounds;
mod lazy_ranges;
mod learning;
mod numerics;
mod parts;
mod portfolio;
mod refined_bins;
mod saved_trees;
mod sensitivity;
mod slices;
mod slices_of_programs;
mod walls;
