//! A line on the terminal's standard error that tells how far a search is.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::terminal;

/// Often enough to look alive, seldom enough to cost nothing.
const EVERY: Duration = Duration::from_millis(200);

/// Short searches should not flicker.
const FIRST: Duration = Duration::from_millis(500);

/// Shows nothing at all where standard error is not a terminal.
pub struct ProgressLine {
    shown: bool,
    terminal: bool,
    start: Instant,
    next: Duration,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        let terminal = io::stderr().is_terminal();
        ProgressLine { shown: false, terminal, start: Instant::now(), next: FIRST }
    }

    /// Shows a text that fits on a line.
    pub fn tell(&mut self, text: &str) {
        let elapsed = self.start.elapsed();
        if !self.terminal || elapsed < self.next {
            return;
        }
        self.next = elapsed + EVERY;
        self.shown = true;
        terminal::complain(&format!("\r{} s: {text}\x1b[K", elapsed.as_secs()));
    }
}

impl Drop for ProgressLine {
    /// Leaves a clean line, also when the search ends by a panic.
    fn drop(&mut self) {
        if self.shown {
            terminal::complain("\r\x1b[K");
        }
    }
}
