//! Source texts with annotations put into them. Everything else stays byte for byte.

use std::path::{Path, PathBuf};

use selvedge_infer::{Candidate, Site, Word};

use super::places::{Lines, Places};
use crate::status::Refusal;

/// A line is filled up to here with a comment behind a declaration.
const WIDTH: usize = 100;

/// One file of the program, as it is.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: PathBuf,
    /// Its name in places.
    pub name: String,
    lines: Vec<String>,
    /// Whether a line of one's own can stand before each line.
    open: Vec<bool>,
}

/// Where an annotation stands: before a line, or at the end of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub file: usize,
    /// From 1 on; one more than there are lines at the end.
    pub line: u32,
    pub beside: bool,
}

/// A comment at its spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub spot: Spot,
    /// The clauses, without comment marks.
    pub clauses: Vec<String>,
    /// The candidates that it states, by their positions.
    pub of: Vec<usize>,
}

impl Source {
    pub fn read(path: &Path) -> Result<Source, Refusal> {
        let text = crate::input::read_text(path)?;
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let open = open_lines(&lines);
        let name = path.display().to_string();
        Ok(Source { path: path.to_owned(), name, lines, open })
    }

    pub fn text(&self) -> String {
        self.lines.concat()
    }

    /// The line, without its end.
    fn line(&self, number: u32) -> &str {
        let line = (number as usize).checked_sub(1).and_then(|at| self.lines.get(at));
        line.map_or("", |line| line.trim_end_matches(['\r', '\n']))
    }

    fn is_open(&self, number: u32) -> bool {
        (number as usize).checked_sub(1).is_some_and(|at| self.open.get(at) != Some(&false))
    }

    fn ending(&self) -> &'static str {
        if self.lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
    }

    /// The text for a search: each comment with a place of its own, by the number of its candidate,
    /// and the lines of the program where they were.
    pub fn marked(&self, comments: &[(u32, usize, String)], marks: &str) -> String {
        let mut text = self.back_to(1);
        for number in 1..=self.lines.len() as u32 + 1 {
            let here = comments.iter().filter(|(line, ..)| *line == number);
            let mut any = false;
            for (_, position, clause) in here {
                any = true;
                text.push_str(&format!("#line {} \"{marks}\"\n/*@ {clause} */\n", position + 1));
            }
            if any {
                text.push_str(&self.back_to(number));
            }
            text.push_str(self.lines.get(number as usize - 1).map_or("", String::as_str));
            if number as usize == self.lines.len() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }

    fn back_to(&self, line: u32) -> String {
        let name = self.name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("#line {line} \"{name}\"\n")
    }

    /// The text to be kept.
    pub fn annotated(&self, comments: &[&Comment]) -> String {
        let mut text = String::new();
        for number in 1..=self.lines.len() as u32 + 1 {
            for comment in comments.iter().filter(|c| c.spot.line == number && !c.spot.beside) {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push_str(self.ending());
                }
                text.push_str(&self.above(number, &comment.clauses));
            }
            let beside = comments.iter().find(|c| c.spot.line == number && c.spot.beside);
            let Some(line) = self.lines.get(number as usize - 1) else { break };
            match beside {
                Some(comment) => {
                    let bare = self.line(number);
                    let end = &line[bare.len()..];
                    text.push_str(&format!("{bare} //@ {}{end}", comment.clauses.join(" ")));
                }
                None => text.push_str(line),
            }
        }
        text
    }

    /// A comment on lines of its own, as far to the right as what follows it.
    fn above(&self, number: u32, clauses: &[String]) -> String {
        let line = self.line(number);
        let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let end = self.ending();
        let each = clauses.iter().map(|clause| format!("{indent}//@ {clause}{end}"));
        each.collect()
    }
}

/// Whether each line begins outside of comments and is not the continuation of another.
fn open_lines(lines: &[String]) -> Vec<bool> {
    let (mut in_comment, mut continued) = (false, false);
    let mut open = Vec::new();
    for line in lines {
        open.push(!in_comment && !continued);
        let bare = line.trim_end_matches(['\r', '\n']);
        continued = bare.ends_with('\\');
        in_comment = after_line(bare, in_comment);
    }
    open.push(!in_comment && !continued);
    open
}

/// Whether a block comment is open behind a line.
fn after_line(line: &str, mut in_comment: bool) -> bool {
    let mut rest = line;
    let mut quote: Option<char> = None;
    while let Some(first) = rest.chars().next() {
        let step = match (in_comment, quote) {
            (true, _) if rest.starts_with("*/") => {
                in_comment = false;
                2
            }
            (true, _) => first.len_utf8(),
            (false, Some(_)) if first == '\\' => {
                1 + rest[1..].chars().next().map_or(0, char::len_utf8)
            }
            (false, Some(open)) => {
                quote = quote.filter(|_| first != open);
                first.len_utf8()
            }
            (false, None) if rest.starts_with("//") => return false,
            (false, None) if rest.starts_with("/*") => {
                in_comment = true;
                2
            }
            (false, None) => {
                quote = matches!(first, '"' | '\'').then_some(first);
                first.len_utf8()
            }
        };
        rest = &rest[step..];
    }
    in_comment
}

/// Why an annotation cannot be put where it belongs.
pub fn obstacle(places: &Places, sources: &[Source], candidate: &Candidate) -> String {
    let lines = match &candidate.site {
        Site::Variable(name) => places.variable(name),
        Site::Member(member) => places.member(member),
        Site::Function(name) => places.function(name),
        Site::File { .. } => None,
    };
    match lines {
        None => format!("{} is declared by a macro, or not in these files", candidate.site),
        Some(lines) if !sources.iter().any(|source| source.name == lines.file) => {
            format!(
                "{} is declared in {}, which is not among these files",
                candidate.site, lines.file
            )
        }
        Some(lines) => {
            let place = format!("{}:{}", lines.file, lines.first);
            format!(
                "{} is declared at {place}, where no comment about it can stand",
                candidate.site
            )
        }
    }
}

/// The candidate as it can be written: what a header or a macro declares is spoken of in the file.
pub fn settled(places: &Places, sources: &[Source], candidate: &Candidate) -> Candidate {
    match (&candidate.site, candidate.word) {
        (Site::Variable(name), Word::UnwritableByEnvIf)
            if spot(places, sources, candidate).is_none() =>
        {
            let text = format!("({}) ==> {name}' == {name}", candidate.text);
            let site = Site::File { near: vec![name.clone()] };
            Candidate { site, word: Word::EnvAssumption, text, why: candidate.why }
        }
        _ => candidate.clone(),
    }
}

/// Where a candidate goes.
pub fn spot(places: &Places, sources: &[Source], candidate: &Candidate) -> Option<Spot> {
    let above = |lines: &Lines, name: &str| {
        let file = sources.iter().position(|source| source.name == lines.file)?;
        let source = &sources[file];
        // What a macro declares has its name elsewhere.
        let named = (lines.first..=lines.last).any(|line| source.line(line).contains(name));
        let fits = named && source.is_open(lines.first);
        fits.then_some(Spot { file, line: lines.first, beside: false })
    };
    match &candidate.site {
        Site::Variable(name) => above(places.variable(name)?, name),
        Site::Member(member) => above(places.member(member)?, &member.name),
        Site::Function(name) => above(places.function(name)?, name),
        Site::File { near } => Some(behind(places, sources, near)),
    }
}

/// Behind the last of what is named, or before the first function.
fn behind(places: &Places, sources: &[Source], near: &[String]) -> Spot {
    let known = near.iter().filter_map(|name| places.named(name));
    let mut spots: Vec<Spot> = known
        .filter_map(|lines| {
            let file = sources.iter().position(|source| source.name == lines.file)?;
            Some(Spot { file, line: lines.last + 1, beside: false })
        })
        .collect();
    spots.sort_unstable();
    let functions = places.functions.iter().map(|(_, lines)| lines);
    let mut first = functions.filter(|lines| sources.first().is_some_and(|s| s.name == lines.file));
    let first =
        || Spot { file: 0, line: first.next().map_or(1, |lines| lines.first), beside: false };
    let mut spot = spots.pop().unwrap_or_else(first);
    let source = &sources[spot.file];
    while !source.is_open(spot.line) {
        spot.line += 1;
    }
    spot
}

/// The comments to be kept: what stands at the same place together, beside its line where it fits.
pub fn comments(places: &Places, sources: &[Source], kept: &[Candidate]) -> Vec<Comment> {
    let kept: Vec<Candidate> =
        kept.iter().map(|candidate| settled(places, sources, candidate)).collect();
    let kept = kept.as_slice();
    let mut found: Vec<Comment> = Vec::new();
    for (group, of) in groups(kept) {
        let Some(first) = of.first().map(|&position| &kept[position]) else { continue };
        let Some(spot) = spot(places, sources, first) else { continue };
        let known = found.iter_mut().find(|comment| comment.spot == spot);
        match known {
            Some(comment) => {
                if !comment.clauses.contains(&group) {
                    comment.clauses.push(group);
                }
                comment.of.extend(of);
            }
            None => found.push(Comment { spot, clauses: vec![group], of }),
        }
    }
    for comment in &mut found {
        beside(places, sources, kept, comment);
    }
    found.sort_by_key(|comment| comment.spot);
    found
}

/// A comment about one variable or member goes behind it, if there is room.
fn beside(places: &Places, sources: &[Source], kept: &[Candidate], comment: &mut Comment) {
    let about = comment.of.first().map(|&position| &kept[position].site);
    let lines = match about {
        Some(Site::Variable(name)) => places.variable(name),
        Some(Site::Member(member)) => places.member(member),
        _ => None,
    };
    let (Some(lines), [clause]) = (lines, comment.clauses.as_slice()) else { return };
    let source = &sources[comment.spot.file];
    let text = source.line(lines.last);
    let alone = places.ending(&lines.file, lines.last) == 1 && text.trim_end().ends_with(';');
    let plain = !text.contains("//") && !text.contains("/*") && text.trim_end() == text;
    let fits = text.chars().count() + clause.chars().count() + 5 <= WIDTH;
    if alone && plain && fits && source.is_open(lines.last + 1) {
        comment.spot = Spot { line: lines.last, beside: true, ..comment.spot };
    }
}

/// Clauses that say one thing together: conditions of one variable, what one function requires, and
/// bounds of one variable.
fn groups(kept: &[Candidate]) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(Word, &Site, Vec<usize>)> = Vec::new();
    for (position, candidate) in kept.iter().enumerate() {
        let joins = |group: &&mut (Word, &Site, Vec<usize>)| {
            let (word, site, of) = &**group;
            *word == candidate.word
                && **site == candidate.site
                && joins(*word, of.iter().map(|&at| kept[at].text.as_str()), &candidate.text)
        };
        match groups.iter_mut().find(joins) {
            Some((_, _, of)) => of.push(position),
            None => groups.push((candidate.word, &candidate.site, vec![position])),
        }
    }
    let text = |word: Word, of: &[usize]| {
        let sign = if word == Word::UnwritableByEnvIf { " || " } else { " && " };
        let parts: Vec<&str> = of.iter().map(|&position| kept[position].text.as_str()).collect();
        format!("{} {};", word.as_str(), parts.join(sign))
    };
    groups.iter().map(|(word, _, of)| (text(*word, of), of.clone())).collect()
}

fn joins<'a>(word: Word, mut known: impl Iterator<Item = &'a str>, text: &str) -> bool {
    let plain = |text: &str| !["==>", "||", "\\forall", "?"].iter().any(|sign| text.contains(sign));
    match word {
        Word::UnwritableByEnvIf => true,
        Word::Requires | Word::GlobalInvariant => plain(text) && known.all(plain),
        Word::EnvAssumption => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let open = open_lines(&lines);
        Source { path: PathBuf::from("a.c"), name: "a.c".to_owned(), lines, open }
    }

    fn comment(line: u32, beside: bool) -> Comment {
        let spot = Spot { file: 0, line, beside };
        Comment { spot, clauses: vec!["global_invariant x;".to_owned()], of: vec![0] }
    }

    #[test]
    fn no_line_of_its_own_inside_of_comments_and_continuations() {
        let text = "int a; /* one\n two */ int b;\nchar *s = \"/*\";\n#define M \\\n 1\nint c;";
        let open = source(text).open;
        assert_eq!(open, [true, false, true, true, false, true, true]);
    }

    #[test]
    fn the_text_around_stays_as_it_is() {
        let source = source("\tint x;\t \r\n  int y;\r\n");
        let (above, beside) = (comment(2, false), comment(2, true));
        let text = source.annotated(&[&above, &beside]);
        let expected =
            "\tint x;\t \r\n  //@ global_invariant x;\r\n  int y; //@ global_invariant x;\r\n";
        assert_eq!(text, expected);
        assert_eq!(source.annotated(&[]), source.text());
    }

    #[test]
    fn a_comment_behind_the_last_line_stands_on_a_line() {
        let text = source("int x;").annotated(&[&comment(2, false)]);
        assert_eq!(text, "int x;\n//@ global_invariant x;\n");
    }
}
