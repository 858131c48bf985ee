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

    pub fn update(&mut self, states: u64, depth: u64) {
        let rate = (states as f64 / self.start.elapsed().as_secs_f64()) as u64;
        let states = counted(states, "state");
        self.tell(&format!("{states}, {}/s, depth {}", grouped(rate), grouped(depth)));
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

/// `1 state`, `1,234 states`.
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(counted(1, "state"), "1 state");
        assert_eq!(counted(1000, "state"), "1,000 states");
    }
}
