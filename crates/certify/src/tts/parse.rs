//! Reading thread transition systems, and the states that the command line names (docs/tts.md).
//!
//! The format is one of lines: first the numbers of shared and of local states, then a transition
//! on each line. All mistakes of a text are reported, each with its place.

use std::fmt;

use super::{Initial, Local, Passive, Shared, State, System, Threads, Transition};

/// Past so many mistakes the rest would only be noise.
const MOST_ERRORS: usize = 20;

/// What is wrong with a text; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

pub fn parse(text: &str) -> Result<System, Vec<ParseError>> {
    let mut lines = lines(text);
    let Some(first) = lines.next() else {
        return Err(vec![missing_numbers(text)]);
    };
    let mut system = header(first).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    for line in lines {
        match transition(line, &system) {
            Ok(transition) => system.transitions.push(transition),
            Err(error) => errors.push(error),
        }
        if errors.len() == MOST_ERRORS {
            break;
        }
    }
    if errors.is_empty() { Ok(system) } else { Err(errors) }
}

fn missing_numbers(text: &str) -> ParseError {
    let line = text.lines().count().max(1) as u32;
    let message = "the numbers of shared and of local states are missing".to_string();
    ParseError { line, column: 1, message }
}

/// The words of a line, with their columns.
struct Line<'a> {
    number: u32,
    words: Vec<(u32, &'a str)>,
    next: usize,
    /// Behind the last character that counts.
    end: u32,
}

/// Those that are not empty, without their comments.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let numbered = text.lines().enumerate().map(|(index, line)| {
        let content = line.split_once('#').map_or(line, |(before, _)| before);
        let end = content.trim_end().chars().count() as u32 + 1;
        Line { number: index as u32 + 1, words: words(content), next: 0, end }
    });
    numbered.filter(|line| !line.words.is_empty())
}

fn words(content: &str) -> Vec<(u32, &str)> {
    let mut found: Vec<(u32, &str)> = Vec::new();
    let mut start: Option<(usize, u32)> = None;
    let end = [(content.len(), ' ')];
    for (column, (at, c)) in content.char_indices().chain(end).enumerate() {
        match start {
            Some((from, from_column)) if c.is_whitespace() => {
                found.push((from_column, &content[from..at]));
                start = None;
            }
            None if !c.is_whitespace() => start = Some((at, column as u32 + 1)),
            _ => {}
        }
    }
    found
}

impl<'a> Line<'a> {
    fn error<T>(&self, column: u32, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.number, column, message: message.into() })
    }

    /// The next word; `wanted` says what it should be.
    fn word(&mut self, wanted: &str) -> Result<(u32, &'a str), ParseError> {
        let Some(&word) = self.words.get(self.next) else {
            return self.error(self.end, format!("{wanted} is missing"));
        };
        self.next += 1;
        Ok(word)
    }

    fn number(&mut self, wanted: &str) -> Result<(u32, u32), ParseError> {
        let (column, word) = self.word(wanted)?;
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse() {
            Ok(number) if digits => Ok((column, number)),
            Err(_) if digits => self.error(column, format!("`{word}` is too large")),
            _ => self.error(column, format!("{wanted} is expected, not `{word}`")),
        }
    }

    /// A number that is not 0.
    fn size(&mut self, wanted: &str) -> Result<u32, ParseError> {
        match self.number(wanted)? {
            (column, 0) => self.error(column, format!("{wanted} must not be 0")),
            (_, size) => Ok(size),
        }
    }

    /// A state's number below `limit`.
    fn state(&mut self, kind: &str, limit: u32) -> Result<u32, ParseError> {
        let (column, number) = self.number(&format!("a {kind} state"))?;
        if number < limit {
            return Ok(number);
        }
        let most = limit - 1;
        self.error(column, format!("there is no {kind} state {number}; the last one is {most}"))
    }

    fn at_end(&self) -> bool {
        self.next == self.words.len()
    }

    fn ends(&self, behind: &str) -> Result<(), ParseError> {
        match self.words.get(self.next) {
            Some((column, word)) => {
                self.error(*column, format!("`{word}` is too much behind {behind}"))
            }
            None => Ok(()),
        }
    }
}

fn header(mut line: Line) -> Result<System, ParseError> {
    let shared = line.size("the number of shared states")?;
    let locals = line.size("the number of local states")?;
    line.ends("the numbers of shared and of local states")?;
    Ok(System { shared, locals, transitions: Vec::new() })
}

fn transition(mut line: Line, system: &System) -> Result<Transition, ParseError> {
    let from = Shared(line.state("shared", system.shared)?);
    let before = Local(line.state("local", system.locals)?);
    let (column, arrow) = line.word("one of `->`, `+>`, `~>`")?;
    if !["->", "+>", "~>"].contains(&arrow) {
        return line.error(column, format!("one of `->`, `+>`, `~>` is expected, not `{arrow}`"));
    }
    let to = Shared(line.state("shared", system.shared)?);
    let after = Local(line.state("local", system.locals)?);
    let one = |local| Threads::from_iter([local]);
    let (takes, gives, passive) = match arrow {
        "->" => (one(before), one(after), passive(&mut line, system)?),
        "+>" => (one(before), Threads::from_iter([before, after]), Vec::new()),
        _ => (Threads::default(), Threads::default(), vec![(before, after)]),
    };
    line.ends(&format!("a transition with `{arrow}`"))?;
    let passive = Passive::new(passive);
    Ok(Transition { from, to, takes, gives, passive, line: line.number })
}

fn passive(line: &mut Line, system: &System) -> Result<Vec<(Local, Local)>, ParseError> {
    let mut pairs = Vec::new();
    while !line.at_end() {
        let from = Local(line.state("local", system.locals)?);
        let (column, arrow) = line.word("`~>`")?;
        if arrow != "~>" {
            return line.error(column, format!("`~>` is expected, not `{arrow}`"));
        }
        pairs.push((from, Local(line.state("local", system.locals)?)));
    }
    Ok(pairs)
}

/// `S|l1,l2`, or `S` alone.
pub fn parse_target(text: &str, system: &System) -> Result<State, String> {
    let (shared, threads) = match text.split_once('|') {
        Some((shared, threads)) => (shared, list(threads, system)?),
        None => (text, Vec::new()),
    };
    Ok(State { shared: shared_state(shared, system)?, threads: threads.into_iter().collect() })
}

/// `S|b1,b2/u1,u2`; either list may be missing.
pub fn parse_initial(text: &str, system: &System) -> Result<Initial, String> {
    let (text, mut unbounded) = match text.split_once('/') {
        Some((text, unbounded)) => (text, list(unbounded, system)?),
        None => (text, Vec::new()),
    };
    let State { shared, threads: bounded } = parse_target(text, system)?;
    unbounded.sort_unstable();
    unbounded.dedup();
    Ok(Initial { shared, bounded, unbounded })
}

fn list(text: &str, system: &System) -> Result<Vec<Local>, String> {
    let numbers = text.split(',').map(|word| state("local", word, system.locals));
    numbers.map(|number| number.map(Local)).collect()
}

fn shared_state(word: &str, system: &System) -> Result<Shared, String> {
    state("shared", word, system.shared).map(Shared)
}

fn state(kind: &str, word: &str, limit: u32) -> Result<u32, String> {
    let wrong = || format!("a {kind} state is expected, not `{word}`");
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u32 = word.parse().map_err(|_| wrong())?;
    let most = limit - 1;
    if number < limit {
        Ok(number)
    } else {
        Err(format!("there is no {kind} state {number}; the last one is {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a lock\n2 3  # shared, local\n\n0 0 -> 1 1 2 ~> 0 2 ~> 2\n\
                        1 1 +> 0 0\n1 2 ~> 0 0\n";

    #[test]
    fn reads_every_kind_of_transition() {
        let system = parse(TEXT).unwrap();
        assert_eq!((system.shared, system.locals), (2, 3));
        let [moves, spawns, broadcasts] = system.transitions.as_slice() else { panic!() };
        assert_eq!((moves.from, moves.to, moves.line), (Shared(0), Shared(1), 4));
        assert_eq!((&moves.takes, &moves.gives), (&[0].into(), &[1].into()));
        assert_eq!(moves.passive.moves(), [(Local(2), vec![Local(0), Local(2)])]);
        assert_eq!((&spawns.takes, &spawns.gives), (&[1].into(), &[1, 0].into()));
        assert!(broadcasts.takes.is_empty() && broadcasts.gives.is_empty());
        assert_eq!(broadcasts.passive.moves(), [(Local(2), vec![Local(0)])]);
    }

    #[test]
    fn what_is_shown_is_read_again() {
        let lines = |system: &System| {
            system.transitions.iter().map(|t| Transition { line: 0, ..t.clone() }).collect()
        };
        let system = parse(TEXT).unwrap();
        let again = parse(&system.to_string()).unwrap();
        let (before, after): (Vec<_>, Vec<_>) = (lines(&system), lines(&again));
        assert_eq!(before, after);
    }

    #[test]
    fn a_move_to_where_one_is_says_nothing() {
        let system = parse("1 2\n0 0 -> 0 1 1 ~> 1\n").unwrap();
        assert_eq!(system.transitions[0].passive, Passive::default());
    }

    #[track_caller]
    fn wrong(text: &str, place: (u32, u32), words: &str) {
        let errors = parse(text).unwrap_err();
        let first = &errors[0];
        assert_eq!((first.line, first.column), place, "{first}");
        assert!(first.message.contains(words), "{first}");
    }

    #[test]
    fn mistakes_have_their_place() {
        wrong("", (1, 1), "numbers of shared and of local states are missing");
        wrong("# nothing\n\n", (2, 1), "missing");
        wrong("2\n", (1, 2), "number of local states is missing");
        wrong("0 2\n", (1, 1), "must not be 0");
        wrong("2 2 2\n", (1, 5), "`2` is too much");
        wrong("2 -2\n", (1, 3), "not `-2`");
        wrong("2 99999999999\n", (1, 3), "too large");
        wrong("2 2\n0 0 => 1 1\n", (2, 5), "not `=>`");
        wrong("2 2\n0 0 -> 1\n", (2, 9), "a local state is missing");
        wrong("2 2\n0 0 -> 1  # 1\n", (2, 9), "a local state is missing");
        wrong("2 2\n  0 2 -> 1 1\n", (2, 5), "no local state 2; the last one is 1");
        wrong("2 2\n2 0 -> 1 1\n", (2, 1), "no shared state 2");
        wrong("2 2\n0 0 -> 1 1 0 -> 1\n", (2, 14), "`~>` is expected");
        wrong("2 2\n0 0 -> 1 1 0 ~>\n", (2, 16), "a local state is missing");
        wrong("2 2\n0 0 +> 1 1 0 ~> 1\n", (2, 12), "too much behind a transition with `+>`");
        wrong("2 2\n0 0 ~> 1 1 0 ~> 1\n", (2, 12), "too much");
        wrong("2 2\n0 é -> 1 1 q\n", (2, 3), "not `é`");
    }

    #[test]
    fn every_wrong_line_is_reported() {
        let errors = parse("2 2\n0 0\n0 0 -> 1 1\nx\n").unwrap_err();
        let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn states_of_the_command_line() {
        let system = parse("2 3\n").unwrap();
        let target = |text| parse_target(text, &system);
        assert_eq!(target("1|2,0,2").unwrap().to_string(), "1|0,2,2");
        assert_eq!(target("1").unwrap().to_string(), "1");
        for text in ["", "x", "2|0", "0|3", "0|", "0|1,,1", "0/1", "-1|0"] {
            assert!(target(text).is_err(), "{text}");
        }
        let initial = |text| parse_initial(text, &system).map(|initial| initial.to_string());
        assert_eq!(initial("0/0"), Ok(Initial::default().to_string()));
        assert_eq!(initial("1|2,1/0,0"), Ok("1|1,2/0".to_string()));
        assert_eq!(initial("1|2"), Ok("1|2".to_string()));
        assert_eq!(initial("1"), Ok("1".to_string()));
        for text in ["/0", "0/", "0/3", "0|/0", "0/1|1"] {
            assert!(initial(text).is_err(), "{text}");
        }
    }
}
