//! Macros in specifications.
//!
//! The preprocessor does not look into comments. It is asked to leave the definitions of macros in
//! its output; here they are applied to the tokens of specifications, as they are in force where the
//! comment stands. `#` and `##` have no use in a formula, and macros with them are left alone.

use std::rc::Rc;

use super::aside::Macro;
use super::name::is_name_char;
use super::scan::Scanner;
use super::{Punct, Symbol, Token, TokenKind};
use crate::ast::Span;

/// How deep macros may stand in each other.
const MAX_DEPTH: usize = 64;
/// How many tokens a comment may become.
const MAX_TOKENS: usize = 100_000;

impl Scanner<'_> {
    /// `#define`, from behind that word to the end of the line.
    pub(super) fn define(&mut self, start: u32, end: u32) {
        let line = self.cursor.within(start, end);
        let outside = std::mem::replace(&mut self.cursor, line);
        let first_of_line = self.first_of_line;
        let (tokens, complaints) = (self.lexed.tokens.len(), self.lexed.diagnostics.len());
        self.first_of_line = false;
        self.cursor.eat_while(char::is_whitespace);
        let from = self.cursor.at();
        self.cursor.eat_while(is_name_char);
        let name: Rc<str> = self.cursor.since(from).into();
        let like_function = self.cursor.peek() == Some('(');
        self.defining = true;
        while self.token() {}
        self.defining = false;
        let mut body = self.lexed.tokens.split_off(tokens);
        body.pop();
        let fine = self.lexed.diagnostics.len() == complaints;
        self.lexed.diagnostics.truncate(complaints);
        self.cursor = outside;
        self.first_of_line = first_of_line;
        let made = if like_function {
            with_parameters(body)
        } else {
            Some(Macro { parameters: None, body })
        };
        let strange = |m: &Macro| {
            let signs = [Punct::Hash, Punct::HashHash].map(TokenKind::Punct);
            m.body.iter().any(|token| signs.contains(&token.kind))
        };
        match made {
            Some(made) if fine && !strange(&made) => self.macros.insert(name, made),
            _ => self.macros.remove(&name),
        };
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.macros.remove(name.trim());
    }

    /// The tokens of a comment with macros replaced. What comes from a macro stands where the macro
    /// is used; the second list says where each token is spelled.
    pub(super) fn expanded(&self, tokens: &[Token]) -> (Vec<Token>, Vec<Span>) {
        let (mut placed, mut spelled) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let mut out = Vec::new();
            let length = self.expand_one(&tokens[at..], &mut Vec::new(), &mut out);
            let end = tokens[at + length - 1].span;
            at += length;
            let alone = length == 1 && out.len() == 1 && out[0] == *first;
            for token in out {
                spelled.push(token.span);
                let span = if alone { token.span } else { first.span.to(end) };
                placed.push(Token { span, ..token });
            }
        }
        (placed, spelled)
    }

    fn expand(&self, tokens: &[Token], within: &mut Vec<Rc<str>>, out: &mut Vec<Token>) {
        let mut at = 0;
        while at < tokens.len() {
            at += self.expand_one(&tokens[at..], within, out);
        }
    }

    /// Puts down what the first token becomes; returns how many tokens were taken.
    fn expand_one(
        &self,
        tokens: &[Token],
        within: &mut Vec<Rc<str>>,
        out: &mut Vec<Token>,
    ) -> usize {
        let token = tokens[0];
        let found = self.macro_of(&token, within);
        let room = within.len() < MAX_DEPTH && out.len() < MAX_TOKENS;
        let Some((name, found)) = found.filter(|_| room) else {
            out.push(token);
            return 1;
        };
        let (body, length) = match &found.parameters {
            None => (found.body.clone(), 0),
            Some(parameters) => match arguments(&tokens[1..]) {
                Some((arguments, length)) if arguments.len() == parameters.len().max(1) => {
                    (substituted(&found.body, parameters, &arguments), length)
                }
                _ => {
                    out.push(token);
                    return 1;
                }
            },
        };
        within.push(name);
        self.expand(&body, within, out);
        within.pop();
        1 + length
    }

    fn macro_of(&self, token: &Token, within: &[Rc<str>]) -> Option<(Rc<str>, &Macro)> {
        let TokenKind::Ident(Symbol(number)) = token.kind else { return None };
        let name = &self.lexed.names[number as usize];
        let found = self.macros.get(name).filter(|_| !within.contains(name))?;
        Some((name.clone(), found))
    }
}

/// `(a, b) body`
fn with_parameters(tokens: Vec<Token>) -> Option<Macro> {
    let close = tokens.iter().position(|t| t.kind == TokenKind::Punct(Punct::CloseParen))?;
    let mut parameters = Vec::new();
    for token in &tokens[1..close] {
        match token.kind {
            TokenKind::Ident(symbol) => parameters.push(symbol),
            TokenKind::Punct(Punct::Comma) => {}
            _ => return None,
        }
    }
    let body = tokens[close + 1..].to_vec();
    Some(Macro { parameters: Some(parameters), body })
}

/// The arguments in parentheses at the start, and how many tokens they take.
fn arguments(tokens: &[Token]) -> Option<(Vec<Vec<Token>>, usize)> {
    if tokens.first()?.kind != TokenKind::Punct(Punct::OpenParen) {
        return None;
    }
    let mut found = vec![Vec::new()];
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punct(Punct::OpenParen) => depth += 1,
            TokenKind::Punct(Punct::CloseParen) => depth -= 1,
            TokenKind::Punct(Punct::Comma) if depth == 1 => {
                found.push(Vec::new());
                continue;
            }
            _ => {}
        }
        match depth {
            0 => return Some((found, index + 1)),
            1 if index == 0 => {}
            _ => found.last_mut()?.push(*token),
        }
    }
    None
}

fn substituted(body: &[Token], parameters: &[Symbol], arguments: &[Vec<Token>]) -> Vec<Token> {
    let mut out = Vec::new();
    for token in body {
        let parameter = match token.kind {
            TokenKind::Ident(symbol) => parameters.iter().position(|p| *p == symbol),
            _ => None,
        };
        match parameter {
            Some(number) => out.extend_from_slice(&arguments[number]),
            None => out.push(*token),
        }
    }
    out
}
