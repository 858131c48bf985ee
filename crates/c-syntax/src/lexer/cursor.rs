//! Characters of a text, with spliced lines (`\` before a line break) skipped.

/// A place in a text. Reading sees the text as if spliced lines were joined; positions are those
/// of the text itself.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Just after the last character read; differs from `at` where a splice follows it.
    end: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        let mut cursor = Cursor { text, at: 0, end: 0 };
        cursor.skip_splices();
        cursor
    }

    /// A part of the same text.
    pub fn within(&self, start: u32, end: u32) -> Cursor<'a> {
        let mut cursor =
            Cursor { text: &self.text[..end as usize], at: start as usize, end: start as usize };
        cursor.skip_splices();
        cursor
    }

    /// The byte offset of the next character.
    pub fn at(&self) -> u32 {
        self.at as u32
    }

    /// The byte offset just after the last character read.
    pub fn end(&self) -> u32 {
        self.end as u32
    }

    /// The text read since an earlier offset, splices included.
    pub fn since(&self, start: u32) -> &'a str {
        &self.text[start as usize..self.end.max(start as usize)]
    }

    /// The text between two offsets.
    pub fn between(&self, start: u32, end: u32) -> &'a str {
        &self.text[start as usize..end as usize]
    }

    pub fn peek(&self) -> Option<char> {
        let byte = *self.text.as_bytes().get(self.at)?;
        if byte < 0x80 { Some(byte as char) } else { self.text[self.at..].chars().next() }
    }

    /// The character after the next one.
    pub fn peek_second(&self) -> Option<char> {
        let mut ahead = *self;
        ahead.next();
        ahead.peek()
    }

    pub fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.end = self.at;
        self.skip_splices();
        Some(c)
    }

    pub fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.next();
        }
        found
    }

    pub fn eat_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.next();
        }
    }

    fn skip_splices(&mut self) {
        while let Some(length) = splice(&self.text.as_bytes()[self.at..]) {
            self.at += length;
        }
    }
}

/// The length of a splice at the start of the text.
fn splice(text: &[u8]) -> Option<usize> {
    match text {
        [b'\\', b'\n', ..] => Some(2),
        [b'\\', b'\r', b'\n', ..] => Some(3),
        _ => None,
    }
}

/// A piece of text with its splices taken out.
pub(super) fn without_splices(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains("\\\n") || text.contains("\\\r\n") {
        text.replace("\\\r\n", "").replace("\\\n", "").into()
    } else {
        text.into()
    }
}
