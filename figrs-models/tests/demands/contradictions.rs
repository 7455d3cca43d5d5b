//! Demands that exclude each other are named within two seconds, or said not to be proven.
