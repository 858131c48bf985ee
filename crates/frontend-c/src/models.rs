//! The library models: C text that ships inside the binary.
