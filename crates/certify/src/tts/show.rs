//! Thread transition systems as text: what [`super::parse`] reads.

use std::fmt;

use super::{Initial, Local, Shared, State, System, Threads, Transition};

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// `0,1,1`.
impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        listed(f, self.iter())
    }
}

/// `2|0,1,1`; `2` without threads.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shared)?;
        if self.threads.is_empty() { Ok(()) } else { write!(f, "|{}", self.threads) }
    }
}

/// `0|1,1/0`.
impl fmt::Display for Initial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shared)?;
        if !self.bounded.is_empty() {
            write!(f, "|{}", self.bounded)?;
        }
        if !self.unbounded.is_empty() {
            f.write_str("/")?;
            listed(f, self.unbounded.iter().copied())?;
        }
        Ok(())
    }
}

fn listed(f: &mut fmt::Formatter<'_>, locals: impl Iterator<Item = Local>) -> fmt::Result {
    for (index, local) in locals.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(f, "{comma}{local}")?;
    }
    Ok(())
}

/// The transition's line. A system that was not read from a text may have transitions that the
/// format has no line for; they are shown in its manner.
impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Transition { from, to, takes, gives, passive, .. } = self;
        if takes.is_empty() && gives.is_empty() {
            match passive.moves() {
                [] => return write!(f, "{from} 0 ~> {to} 0"),
                [(source, targets)] if targets.len() == 1 => {
                    return write!(f, "{from} {source} ~> {to} {}", targets[0]);
                }
                _ => {}
            }
        }
        if gives.len() == takes.len() + 1 && gives.includes(takes) && passive.moves().is_empty() {
            return write!(f, "{from} {takes} +> {to} {}", gives.without(takes));
        }
        write!(f, "{from} {takes} -> {to} {gives}")?;
        for (source, targets) in passive.moves() {
            for target in targets {
                write!(f, " {source} ~> {target}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.shared, self.locals)?;
        self.transitions.iter().try_for_each(|transition| writeln!(f, "{transition}"))
    }
}
