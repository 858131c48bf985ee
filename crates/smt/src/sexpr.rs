//! S-expressions, the surface of SMT-LIB text. They stand in one table, so that neither reading
//! nor dropping them needs a deep stack.

use std::ops::Range;

/// An s-expression of one [`Sexprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sexpr(u32);

#[derive(Debug)]
enum Node {
    /// Where its characters stand, without the bars of a quoted symbol.
    Atom(Range<usize>),
    List(Vec<Sexpr>),
}

#[derive(Debug)]
pub(crate) struct Sexprs<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// The outermost ones.
    pub roots: Vec<Sexpr>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum View<'s> {
    Atom(&'s str),
    List(&'s [Sexpr]),
}

impl<'a> Sexprs<'a> {
    pub fn parse(text: &'a str) -> Result<Sexprs<'a>, String> {
        let mut all = Sexprs { text, nodes: Vec::new(), roots: Vec::new() };
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let node = match bytes[at] {
                b'(' => {
                    open.push(Vec::new());
                    at += 1;
                    continue;
                }
                b')' => {
                    let list = open.pop().filter(|_| !open.is_empty());
                    at += 1;
                    Node::List(list.ok_or("a closing parenthesis too many")?)
                }
                b';' => {
                    at = text[at..].find('\n').map_or(bytes.len(), |end| at + end);
                    continue;
                }
                b'|' | b'"' => {
                    let end = text[at + 1..].find(bytes[at] as char).ok_or("an open quote")?;
                    let inside = at + 1..at + 1 + end;
                    at = inside.end + 1;
                    Node::Atom(inside)
                }
                byte if byte.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                _ => {
                    let end = |c: char| c.is_ascii_whitespace() || "();|\"".contains(c);
                    let length = text[at..].find(end).unwrap_or(bytes.len() - at);
                    at += length;
                    Node::Atom(at - length..at)
                }
            };
            all.nodes.push(node);
            let id = Sexpr(all.nodes.len() as u32 - 1);
            open.last_mut().ok_or("a closing parenthesis too many")?.push(id);
        }
        match (open.pop(), open.is_empty()) {
            (Some(roots), true) => all.roots = roots,
            _ => return Err("an open parenthesis".into()),
        }
        Ok(all)
    }

    pub fn view(&self, sexpr: Sexpr) -> View<'_> {
        match &self.nodes[sexpr.0 as usize] {
            Node::Atom(range) => View::Atom(&self.text[range.clone()]),
            Node::List(items) => View::List(items),
        }
    }

    pub fn atom(&self, sexpr: Sexpr) -> Option<&str> {
        match self.view(sexpr) {
            View::Atom(atom) => Some(atom),
            View::List(_) => None,
        }
    }

    pub fn list(&self, sexpr: Sexpr) -> Option<&[Sexpr]> {
        match self.view(sexpr) {
            View::Atom(_) => None,
            View::List(items) => Some(items),
        }
    }

    /// The text again, cut short, for messages.
    pub fn excerpt(&self, sexpr: Sexpr) -> String {
        let mut out = String::new();
        let mut open = vec![Some(sexpr)];
        while let Some(next) = open.pop() {
            if out.len() > 80 {
                return out + "...";
            }
            match next.map(|next| self.view(next)) {
                None => out.push_str(") "),
                Some(View::Atom(atom)) => {
                    out.push_str(atom);
                    out.push(' ');
                }
                Some(View::List(items)) => {
                    out.push('(');
                    open.push(None);
                    open.extend(items.iter().rev().map(|&item| Some(item)));
                }
            }
        }
        out.replace(" )", ")").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_atoms_quotes_and_comments() {
        let all = Sexprs::parse("(a |b c| (d)) ; x (\n e").unwrap();
        assert_eq!(all.roots.len(), 2);
        let items = all.list(all.roots[0]).unwrap();
        assert_eq!(all.atom(items[1]), Some("b c"));
        assert_eq!(all.excerpt(items[2]), "(d)");
        assert_eq!(all.atom(all.roots[1]), Some("e"));
    }

    #[test]
    fn unbalanced_text_is_an_error() {
        assert!(Sexprs::parse("(a").is_err());
        assert!(Sexprs::parse("a)").is_err());
        assert!(Sexprs::parse("|a").is_err());
    }

    #[test]
    fn deep_text() {
        let depth = 300_000;
        let text = "(".repeat(depth) + &")".repeat(depth);
        assert_eq!(Sexprs::parse(&text).unwrap().roots.len(), 1);
    }
}
