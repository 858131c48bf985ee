//! Specifications, from the comments that the lexer has set aside.
//!
//! A comment belongs to what follows it, or, where something stands before it on its line, to that.
//! Environment assumptions, invariants, specification variables and abstract threads belong to the
//! file. A comment that stands where nothing can be specified is an error.

use super::invariant::changes;
use super::{Declared, Parser, Result, Where};
use crate::ast::specification::{
    AFTER, AbstractThread, Action, Attached, Clause, Contract, EXISTS, FORALL, Ghost, GhostType,
    Protected, Specifications, State, Target, Transition,
};
use crate::ast::{BinaryOp, Block, BlockItem, Expr, ExprKind, Ident, Span, Statement};
use crate::ast::{StatementKind, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Aside, Punct, TokenKind};

impl<'a> Parser<'a> {
    /// Takes the comments that stand before the next token on lines of their own.
    pub(super) fn specifications_above(&mut self, place: Where) -> Attached {
        self.complain_of_strays();
        self.attached(place, false)
    }

    /// Takes those that stand behind the last token on its line.
    pub(super) fn specifications_beside(&mut self, place: Where) -> Attached {
        self.attached(place, true)
    }

    fn attached(&mut self, place: Where, beside: bool) -> Attached {
        let mut attached = Attached::default();
        while let Some(aside) = self.asides.front()
            && aside.at == self.at
            && aside.beside == beside
            && let Some(aside) = self.asides.pop_front()
        {
            attached.after_variable.clear();
            attached.after_map = false;
            self.in_comment(aside, |parser| parser.clauses(place, &mut attached));
        }
        attached
    }

    /// The updates of specification variables in the comments before a statement.
    pub(super) fn ghost_updates(&mut self) -> Vec<Expr> {
        let mut updates = Vec::new();
        while let Some(aside) = self.asides.front()
            && aside.at == self.at
            && !aside.beside
            && self.is_ghost(aside)
            && let Some(aside) = self.asides.pop_front()
        {
            self.in_comment(aside, |parser| {
                while !parser.at_end() {
                    if parser.ghost_update(&mut updates).is_err() {
                        while !parser.at_end() && !parser.eat(Punct::Semicolon) {
                            parser.bump();
                        }
                    }
                }
            });
        }
        updates
    }

    fn is_ghost(&self, aside: &Aside) -> bool {
        let first = aside.tokens.first().map(|token| token.kind);
        matches!(first, Some(TokenKind::Ident(symbol)) if &*self.name(symbol) == "ghost")
    }

    fn ghost_update(&mut self, updates: &mut Vec<Expr>) -> Result<()> {
        if !self.eat_word("ghost") {
            return Err(self.expected("`ghost`"));
        }
        let update = self.assignment()?;
        if !matches!(update.kind, ExprKind::Assign { .. }) {
            let text = "a ghost statement is an assignment to a specification variable";
            return Err(self.report(Diagnostic::error("annotation", text).at(update.span)));
        }
        self.semicolon("the clause")?;
        updates.push(update);
        Ok(())
    }

    /// Reports comments that were passed by.
    pub(super) fn complain_of_strays(&mut self) {
        while self.asides.front().is_some_and(|aside| aside.at < self.at)
            && let Some(aside) = self.asides.pop_front()
        {
            let text = "a specification cannot stand here";
            let help = "it stands before a function, a variable or a member, or behind one on its \
                        line; `env_assumption`, `global_invariant` and `abstract_thread` stand \
                        outside of functions";
            self.diagnostics.push(Diagnostic::error("annotation", text).at(aside.span).help(help));
            self.errors += 1;
        }
    }

    /// Parses the tokens of a comment instead of the program's.
    pub(super) fn in_comment<T>(&mut self, aside: Aside, part: impl FnOnce(&mut Self) -> T) -> T {
        let tokens = std::mem::replace(&mut self.tokens, aside.tokens);
        let at = std::mem::replace(&mut self.at, 0);
        let last = self.last_error.take();
        self.in_comment = Some(aside.spelled);
        let result = part(self);
        self.in_comment = None;
        self.tokens = tokens;
        self.at = at;
        self.last_error = last;
        result
    }

    /// All clauses of a comment. After a mistake the next clause is looked for.
    fn clauses(&mut self, place: Where, attached: &mut Attached) {
        while !self.at_end() {
            if self.clause(place, attached).is_err() {
                while !self.at_end() && !self.eat(Punct::Semicolon) {
                    self.bump();
                }
            }
        }
    }

    fn clause(&mut self, place: Where, attached: &mut Attached) -> Result<()> {
        let start = self.span();
        let word = self.word();
        match (word.as_str(), place) {
            ("unwritable_by_env_if", _) => {
                self.bump();
                let condition = self.formula(start)?;
                self.protected_if(condition, place, attached);
            }
            ("ghost", _) => {
                self.bump();
                self.ghost_clause(start, place, attached)?;
            }
            (_, Where::Record) => {
                let help = "of a member only `unwritable_by_env_if` can be said, and ghost members \
                            declared";
                return Err(self.expected_with_help("`unwritable_by_env_if` or `ghost`", help));
            }
            ("env_assumption", _) => {
                self.bump();
                let clause = self.formula(start)?;
                self.specifications.environment.push(clause);
            }
            ("global_invariant", _) => {
                self.bump();
                let clause = self.formula(start)?;
                self.specifications.invariants.push(clause);
            }
            ("abstract_thread", _) => {
                self.bump();
                let thread = self.abstract_thread(start)?;
                self.specifications.threads.push(thread);
            }
            _ => {
                self.contract_clause(&word, start, attached)?;
                attached.contract.get_or_insert(start);
            }
        }
        Ok(())
    }

    fn contract_clause(&mut self, word: &str, start: Span, attached: &mut Attached) -> Result<()> {
        match word {
            "requires" => {
                self.bump();
                attached.requires.push(self.formula(start)?);
            }
            "ensures" => {
                self.bump();
                attached.ensures.push(self.formula(start)?);
            }
            "modifies" => {
                self.bump();
                attached.modifies.extend(self.targets()?);
                self.semicolon("the clause")?;
            }
            "action" => attached.actions.push(self.action(start)?),
            _ => {
                let help = "the clauses are `requires`, `modifies`, `action:`, `ensures`, \
                            `env_assumption`, `global_invariant`, `unwritable_by_env_if`, `ghost`, \
                            `abstract_thread`";
                return Err(self.expected_with_help("a clause of a specification", help));
            }
        }
        Ok(())
    }

    fn action(&mut self, start: Span) -> Result<Action> {
        self.bump();
        self.expect(Punct::Colon)?;
        let mut modifies = Vec::new();
        if self.eat_word("also_modifies") {
            modifies = self.targets()?;
            self.semicolon("the clause")?;
        }
        let ensures = self.span();
        let ensures = match self.eat_word("ensures") {
            true => Some(self.formula(ensures)?),
            false => None,
        };
        if modifies.is_empty() && ensures.is_none() {
            return Err(self.expected("`also_modifies` or `ensures`"));
        }
        Ok(Action { modifies, ensures, span: self.since(start) })
    }

    /// `unwritable_by_env_if` belongs to the ghost before it in its comment, or to what the comment
    /// stands at.
    fn protected_if(&mut self, condition: Clause, place: Where, attached: &mut Attached) {
        let kept = match place {
            Where::Record => attached.members.last_mut(),
            _ => attached.maps.last_mut(),
        };
        if let (Some(ghost), true) = (kept, attached.after_map) {
            ghost.conditions.push(condition);
        } else if attached.after_variable.is_empty() {
            attached.conditions.push(condition);
        } else {
            let variables = attached.after_variable.iter().cloned();
            let protected =
                variables.map(|variable| Protected { variable, condition: condition.clone() });
            self.specifications.protected.extend(protected);
        }
    }

    /// A specification variable or member, behind the word `ghost`.
    fn ghost_clause(&mut self, start: Span, place: Where, attached: &mut Attached) -> Result<()> {
        let what = self.ghost()?;
        attached.after_variable.clear();
        attached.after_map = true;
        match (what, place) {
            (GhostType::Scalar(declaration), Where::File) => {
                let names =
                    declaration.declarators.iter().filter_map(|d| d.declarator.name.clone());
                attached.after_variable = names.collect();
                attached.after_map = false;
                self.specifications.ghosts.extend(attached.after_variable.iter().cloned());
                attached.ghosts.push(declaration);
            }
            (what, place) => {
                let ghost = Ghost { what, conditions: Vec::new(), span: self.since(start) };
                match place {
                    Where::Record => attached.members.push(ghost),
                    _ => attached.maps.push(ghost),
                }
            }
        }
        Ok(())
    }

    /// `\set<thread> readers;` or `\map<thread, T> m;`, behind `ghost`.
    fn ghost_map(&mut self, set: bool) -> Result<GhostType> {
        self.bump();
        self.expect(Punct::Less)?;
        if !self.eat_word("thread") {
            let help = "a set is `\\set<thread>`, a map `\\map<thread, T>`";
            return Err(self.expected_with_help("`thread`", help));
        }
        let value = match set {
            true => None,
            false => {
                self.expect(Punct::Comma)?;
                Some(self.type_name()?)
            }
        };
        self.expect(Punct::Greater)?;
        let mut names = vec![self.ident("the name of the variable")?.1];
        while self.eat(Punct::Comma) {
            names.push(self.ident("the name of the variable")?.1);
        }
        self.semicolon("the clause")?;
        Ok(GhostType::Map { value, names })
    }

    /// `int readers = 0;`, behind `ghost`.
    fn ghost(&mut self) -> Result<GhostType> {
        match self.word().as_str() {
            "\\set" => return self.ghost_map(true),
            "\\map" => return self.ghost_map(false),
            _ => {}
        }
        if !self.at_declaration() {
            let help = "a specification variable is declared like a variable: `ghost int n = 0;`";
            return Err(self.expected_with_help("a declaration", help));
        }
        match self.declaration()? {
            Declared::Declaration(declaration) => Ok(GhostType::Scalar(declaration)),
            Declared::Function(function) => {
                let text = "a function cannot be a specification variable";
                let span = function.declarator.name.map_or(self.span(), |name| name.span);
                Err(self.report(Diagnostic::error("annotation", text).at(span)))
            }
        }
    }

    fn abstract_thread(&mut self, start: Span) -> Result<AbstractThread> {
        let name = self.ident("the name of the abstract thread")?.1;
        if !self.eat_word("abstracts") {
            return Err(self.expected("`abstracts` and the function that the threads start in"));
        }
        let function = self.ident("the name of a function")?.1;
        let opening = self.expect(Punct::OpenBrace)?;
        let (mut states, mut transitions) = (Vec::new(), Vec::new());
        while !self.at_punct(Punct::CloseBrace) && !self.at_end() {
            match self.word() == "state" && !self.is_ahead(1, Punct::Arrow) {
                true => states.push(self.state()?),
                false => transitions.push(self.transition()?),
            }
        }
        self.close(Punct::CloseBrace, opening)?;
        self.eat(Punct::Semicolon);
        let span = self.since(start);
        Ok(AbstractThread { name, function, states, transitions, span })
    }

    /// `state W1 initial nostutter assert stopped == 0;`
    fn state(&mut self) -> Result<State> {
        self.bump();
        let name = self.ident("the name of a state")?.1;
        let mut state = State { name, initial: false, stutters: true, assertion: None };
        loop {
            let start = self.span();
            match self.word().as_str() {
                "initial" => state.initial = true,
                "nostutter" => state.stutters = false,
                "assert" => {
                    self.bump();
                    state.assertion = Some(self.formula(start)?);
                    return Ok(state);
                }
                _ => break,
            }
            self.bump();
        }
        self.semicolon("the state")?;
        Ok(state)
    }

    /// `W0 -> W1: x' == x + 1, modifies x;`
    fn transition(&mut self) -> Result<Transition> {
        let start = self.span();
        let from = self.ident("a state")?.1;
        self.expect(Punct::Arrow)?;
        let to = self.ident("a state")?.1;
        let (mut relation, mut modifies) = (None, Vec::new());
        if self.eat(Punct::Colon) {
            if self.word() != "modifies" {
                let from = self.span();
                let formula = self.implication()?;
                relation = Some(self.clause_of(formula, from));
                if !self.at_punct(Punct::Semicolon) {
                    self.expect(Punct::Comma)?;
                }
            }
            if self.eat_word("modifies") {
                modifies = self.targets()?;
            }
        }
        self.semicolon("the transition")?;
        Ok(Transition { from, to, relation, modifies, span: self.since(start) })
    }

    fn targets(&mut self) -> Result<Vec<Target>> {
        let mut targets = Vec::new();
        loop {
            let place = self.conditional()?;
            let text = self.on_one_line(place.span);
            targets.push(Target { place, text });
            if !self.eat(Punct::Comma) {
                return Ok(targets);
            }
        }
    }

    /// A formula up to its `;`.
    fn formula(&mut self, start: Span) -> Result<Clause> {
        let formula = self.implication()?;
        if let TokenKind::Punct(punct) = self.kind()
            && changes(punct)
        {
            let error = Diagnostic::error("annotation", "a formula changes a variable");
            let help = "equality is written `==`";
            return Err(self.report(error.at(self.span()).help(help)));
        }
        let clause = self.clause_of(formula, start);
        self.semicolon("the clause")?;
        Ok(clause)
    }

    fn clause_of(&self, formula: Expr, start: Span) -> Clause {
        let text = self.on_one_line(formula.span);
        let span = start.to(formula.span);
        Clause { formula, text, span }
    }

    fn on_one_line(&self, span: Span) -> Box<str> {
        let lines = self.spelling(span).lines();
        let lines = lines.map(|line| line.trim().trim_start_matches('@').trim());
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").into()
    }

    /// `a ==> b`, which groups to the right, and `a <==> b`.
    pub(super) fn implication(&mut self) -> Result<Expr> {
        let left = self.conditional()?;
        self.implied(left)
    }

    /// What may follow the left side of an implication.
    pub(super) fn implied(&mut self, left: Expr) -> Result<Expr> {
        match self.kind() {
            TokenKind::Punct(Punct::Implies) => {
                self.bump();
                let right = self.nested(Self::implication)?;
                let span = left.span.to(right.span);
                let (left, right) = (Box::new(negated(left)), Box::new(right));
                Ok(Expr { kind: ExprKind::Binary { op: BinaryOp::Or, left, right }, span })
            }
            TokenKind::Punct(Punct::Equivalent) => {
                self.bump();
                let right = self.nested(Self::conditional)?;
                let span = left.span.to(right.span);
                let (left, right) = (Box::new(negated(left)), Box::new(negated(right)));
                Ok(Expr { kind: ExprKind::Binary { op: BinaryOp::Eq, left, right }, span })
            }
            _ => Ok(left),
        }
    }

    /// `\forall T i; P`, behind its first word.
    pub(super) fn quantifier(&mut self, name: Ident) -> Result<Expr> {
        let start = name.span;
        if !self.at_declaration() {
            let help = "a quantifier is written `\\forall T i; P`";
            return Err(self.expected_with_help("the type of the variable", help));
        }
        let Declared::Declaration(declaration) = self.declaration()? else {
            return Err(self.expected("a variable"));
        };
        let body = self.nested(Self::implication)?;
        let span = self.since(start);
        let of = body.span;
        let body = Statement { kind: StatementKind::Expr(body), span: of };
        let items = vec![BlockItem::Declaration(declaration), BlockItem::Statement(body)];
        let block = Expr { kind: ExprKind::StatementExpr(Block { items, span }), span };
        Ok(call(name, block, span))
    }

    /// The operand with a prime.
    pub(super) fn primed(&mut self, operand: Expr) -> Expr {
        let prime = self.bump().span;
        let span = operand.span.to(prime);
        call(Ident { name: AFTER.into(), span: prime }, operand, span)
    }

    /// The next token as a word; empty if it is none.
    fn word(&self) -> String {
        match self.kind() {
            TokenKind::Ident(symbol) => self.name(symbol).to_string(),
            _ => String::new(),
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.bump();
        }
        found
    }

    fn is_ahead(&self, distance: usize, punct: Punct) -> bool {
        self.ahead(distance) == TokenKind::Punct(punct)
    }

    /// Whether a name begins a quantifier.
    pub(super) fn is_quantifier(name: &Ident) -> bool {
        matches!(&*name.name, FORALL | EXISTS)
    }

    /// Enters what is said of the names that a declaration declares.
    pub(super) fn attach(&mut self, attached: Attached, names: &[Ident], function: bool) {
        let Attached { conditions, requires, modifies, actions, ensures, contract, .. } = attached;
        if let Some(span) = contract {
            match (function, names) {
                (true, [name, ..]) => {
                    let function = name.clone();
                    let contract =
                        Contract { function, requires, modifies, actions, ensures, span };
                    self.specifications.contracts.push(contract);
                }
                _ => self.misplaced(span, "what a function requires and does", "a function"),
            }
        }
        for condition in conditions {
            match (function, names) {
                (false, [_, ..]) => {
                    let protected = names.iter().map(|name| Protected {
                        variable: name.clone(),
                        condition: condition.clone(),
                    });
                    self.specifications.protected.extend(protected);
                }
                _ => self.misplaced(condition.span, "`unwritable_by_env_if`", "a variable"),
            }
        }
    }

    pub(super) fn misplaced(&mut self, span: Span, what: &str, belongs: &str) {
        let text = format!("{what} must stand at the declaration of {belongs}");
        self.diagnostics.push(Diagnostic::error("annotation", text).at(span));
        self.errors += 1;
    }

    pub(super) fn take_specifications(&mut self) -> Specifications {
        // Where the program itself is wrong, what comments belong to is not known.
        if self.errors == 0 {
            self.at = self.tokens.len();
            self.complain_of_strays();
            self.at = self.tokens.len() - 1;
        }
        std::mem::take(&mut self.specifications)
    }
}

fn negated(operand: Expr) -> Expr {
    let span = operand.span;
    Expr { kind: ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) }, span }
}

fn call(name: Ident, argument: Expr, span: Span) -> Expr {
    let callee = Expr { span: name.span, kind: ExprKind::Ident(name) };
    Expr { kind: ExprKind::Call { callee: Box::new(callee), args: vec![argument] }, span }
}
