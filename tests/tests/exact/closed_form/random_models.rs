//! Random models of normal and finite elements, against a dense normal distribution for each joint value of the finite elements.
