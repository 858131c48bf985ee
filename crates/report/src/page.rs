//! What text is written on: its width and whether it has colours.

/// A terminal or a file to write to.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub width: usize,
    pub colour: bool,
}

/// The role of a text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Names of threads.
    Heading,
    /// Line numbers, rules.
    Faint,
    /// Values that changed.
    Value,
    /// What went wrong.
    Failure,
    /// What went well.
    Success,
}

impl Page {
    pub fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            _ if !self.colour || text.is_empty() => return text.to_string(),
            Tone::Plain => return text.to_string(),
            Tone::Heading => "1",
            Tone::Faint => "2",
            Tone::Value => "36",
            Tone::Failure => "1;31",
            Tone::Success => "1;32",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Breaks a text into lines of at most `width` characters, at blanks where there are any.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word = word;
        if !line.is_empty() && length(&line) + 1 + length(word) > width {
            lines.push(std::mem::take(&mut line));
        }
        while length(word) > width {
            let most = word.char_indices().nth(width).map_or(word.len(), |(at, _)| at);
            let cut = word[..most].rfind(['(', ',', '[']).map_or(most, |at| at + 1);
            lines.push(word[..cut].to_string());
            word = &word[cut..];
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// In characters; good enough for source text.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_blanks_and_cuts_long_words() {
        assert_eq!(wrap("int  x = 12;", 7), ["int x =", "12;"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("call(argument)", 10), ["call(", "argument)"]);
        assert_eq!(wrap("äöü", 2), ["äö", "ü"]);
    }

    #[test]
    fn colours_only_if_wanted() {
        let page = Page { width: 80, colour: false };
        assert_eq!(page.paint(Tone::Failure, "x"), "x");
        assert!(Page { colour: true, ..page }.paint(Tone::Failure, "x").contains("31m"));
    }
}
