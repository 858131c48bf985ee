//! Bodies of procedures: graphs of locations, or structured statements.

use super::{Failed, Parsed, Parser};
use crate::text::ast::{
    Body, Callee, EdgeOf, Effect, Expr, GhostActionOf, LocalOf, LocationOf, Place, PlaceOf, Simple,
    Statement, Value,
};
use crate::text::lexer::Token;
use crate::{Check, CheckKind, Fence, Grain, Mode, Property, Storage};

const MODIFIERS: [&str; 4] = ["entry", "exit", "atomic", "joined"];

impl Parser<'_> {
    pub fn body(&mut self) -> Parsed<Body> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while self.is_local() {
            match self.local() {
                Ok(local) => statements.push(local),
                Err(Failed) => self.skip_statement(),
            }
        }
        if self.is_label() {
            return self.graph(statements);
        }
        statements.extend(self.statements()?);
        Ok(Body::Structured(statements))
    }

    fn graph(&mut self, declarations: Vec<Statement>) -> Parsed<Body> {
        let mut locals: Vec<LocalOf> = Vec::new();
        for declaration in declarations {
            if let Statement::Local(local, init, at) = declaration {
                if init.is_some() {
                    self.errors.push(
                        at.error("a local has no initial value where the body is a graph")
                            .help("assign it on the first edge"),
                    );
                }
                locals.push(local);
            }
        }
        let mut locations = Vec::new();
        while !self.accept("}") {
            if *self.token() == Token::End || !self.is_label() {
                return self.expected("a label (`L1:`) or `}`");
            }
            locations.push(self.location()?);
        }
        Ok(Body::Graph { locals, locations })
    }

    /// Modifiers, a name and a colon.
    fn is_label(&self) -> bool {
        let mut n = 0;
        while let Token::Word(word) = self.ahead(n)
            && MODIFIERS.contains(&word.as_str())
            && matches!(self.ahead(n + 1), Token::Word(_) | Token::Quoted(_))
        {
            n += 1;
        }
        self.is_name(n) && self.is_ahead(n + 1, ":")
    }

    fn location(&mut self) -> Parsed<LocationOf> {
        let (mut entry, mut exit, mut grain) = (false, false, Grain::Yield);
        while !self.is_ahead(1, ":") {
            if self.accept_word("entry") {
                entry = true;
            } else if self.accept_word("exit") {
                exit = true;
            } else if self.accept_word("atomic") {
                grain = Grain::Atomic;
            } else {
                self.expect_word("joined")?;
                grain = Grain::Joined;
            }
        }
        let label = self.name("a label")?;
        self.expect(":")?;
        let mut edges = Vec::new();
        while !self.is("}") && *self.token() != Token::End && !self.is_label() {
            match self.edge() {
                Ok(edge) => edges.push(edge),
                Err(Failed) => self.skip_statement(),
            }
        }
        Ok(LocationOf { label, grain, entry, exit, edges })
    }

    fn edge(&mut self) -> Parsed<EdgeOf> {
        let at = self.at();
        let action = self.simple()?;
        if !self.accept("->") {
            let found = self.token().describe();
            let error = self.at().error(format!("expected `->` and a label, found {found}"));
            return self.fail(error.help("an edge reads `action -> L2;`"));
        }
        let target = self.name("the label of the edge's target")?;
        let span = self.span();
        self.expect(";")?;
        Ok(EdgeOf { action, at, target, span })
    }

    /// Statements up to a closing brace, which is consumed.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while !self.accept("}") {
            if *self.token() == Token::End {
                return self.expected("`}`");
            }
            match self.nested(Parser::statement) {
                Ok(statement) => statements.push(statement),
                Err(Failed) => self.skip_statement(),
            }
        }
        Ok(statements)
    }

    /// To behind the next `;`, or to the brace that closes the block.
    fn skip_statement(&mut self) {
        let mut braces = 0;
        loop {
            match self.token() {
                Token::End => return,
                Token::Symbol("{") => braces += 1,
                Token::Symbol("}") if braces == 0 => return,
                Token::Symbol("}") => {
                    braces -= 1;
                    if braces == 0 {
                        return self.advance();
                    }
                }
                Token::Symbol(";") if braces == 0 => return self.advance(),
                _ => {}
            }
            self.advance();
        }
    }

    fn is_local(&self) -> bool {
        (self.is_word("local") || self.is_word("temp")) && self.is_name(1) && self.is_ahead(2, ":")
    }

    fn local(&mut self) -> Parsed<Statement> {
        let at = self.at();
        let named = self.is_word("local");
        self.advance();
        let name = self.name("the name of a local")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let init = if self.accept("=") || self.accept(":=") { Some(self.expr()?) } else { None };
        self.expect(";")?;
        Ok(Statement::Local(LocalOf { name, ty, named }, init, at))
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        self.statements()
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let condition = self.expr()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.is_local() {
            return self.local();
        }
        let at = self.at();
        if self.is_word("if") && self.is_ahead(1, "(") {
            return self.conditional();
        }
        if self.is_word("while") && self.is_ahead(1, "(") {
            self.advance();
            let condition = self.condition()?;
            return Ok(Statement::While(condition, self.block()?, at));
        }
        if self.is_word("atomic") && self.is_ahead(1, "{") {
            self.advance();
            return Ok(Statement::Atomic(self.block()?));
        }
        if self.is_word("choose") && self.is_ahead(1, "{") {
            self.advance();
            let mut branches = vec![self.block()?];
            while self.accept_word("or") {
                branches.push(self.block()?);
            }
            return Ok(Statement::Choose(branches, at));
        }
        if self.is_keyword() && self.accept_word("return") {
            let value = if self.is(";") { None } else { Some(self.expr()?) };
            self.expect(";")?;
            return Ok(Statement::Return(value, at));
        }
        let action = self.simple()?;
        let span = self.span();
        if self.is("->") {
            let error = self.at().error("an edge in a body that began without a label");
            return self.fail(error.help("put a label (`L0:`) before the first edge"));
        }
        self.expect(";")?;
        Ok(Statement::Simple(action, at, span))
    }

    fn conditional(&mut self) -> Parsed<Statement> {
        let at = self.at();
        self.expect_word("if")?;
        let condition = self.condition()?;
        let then = self.block()?;
        let mut otherwise = Vec::new();
        if self.accept_word("else") {
            if self.is_word("if") {
                otherwise.push(self.nested(Parser::conditional)?);
            } else {
                otherwise = self.block()?;
            }
        }
        Ok(Statement::If(condition, then, otherwise, at))
    }

    /// A word at the start of an action that is not the name of what is assigned.
    fn is_keyword(&self) -> bool {
        matches!(self.token(), Token::Word(_))
            && ![":=", "=", ".", "["].iter().any(|s| self.is_ahead(1, s))
    }

    fn simple(&mut self) -> Parsed<Simple> {
        if !self.is_keyword() {
            return self.set(None);
        }
        let Token::Word(word) = self.token().clone() else { return self.expected("an action") };
        let at = self.at();
        if ["alloc", "spawn", "call", "join"].contains(&word.as_str()) {
            return Ok(Simple::Bare(self.effect()?));
        }
        self.advance();
        match word.as_str() {
            "skip" => Ok(Simple::Skip),
            "assume" => Ok(Simple::Assume(self.expr()?)),
            "wait" => Ok(Simple::Wait(self.expr()?)),
            "assert" => self.assertion(Property::Assert),
            "check" => {
                let property = self.property()?;
                self.assertion(property)
            }
            "havoc" => Ok(Simple::Havoc(self.place()?)),
            "store" => {
                let mode = self.mode()?;
                self.set(Some(mode))
            }
            "lock" => Ok(Simple::Lock(self.place()?)),
            "unlock" => Ok(Simple::Unlock(self.place()?)),
            "free" => {
                let storage = self.storage();
                Ok(Simple::Free { addr: self.expr()?, storage })
            }
            "end_thread" => {
                let ends =
                    self.is(";") || self.is("->") || matches!(self.token(), Token::Place(..));
                Ok(Simple::EndThread(if ends { None } else { Some(self.expr()?) }))
            }
            "fence" => Ok(Simple::Fence(self.fence()?)),
            "halt" => Ok(Simple::Halt),
            "ghost_update" => Ok(Simple::Ghost(Box::new(self.ghost_update()?))),
            "ghost_assert" => Ok(Simple::Ghost(Box::new(GhostActionOf::Assert(self.claim()?)))),
            "ghost_invariant" => {
                Ok(Simple::Ghost(Box::new(GhostActionOf::Invariant(self.claim()?))))
            }
            "unsupported" => Ok(Simple::Unsupported(self.quoted("what is not supported")?)),
            _ => {
                let error = at.error(format!("`{word}` does not start an action"));
                self.fail(error.help(
                    "an assignment reads `x := e`; others start with skip, assume, wait, assert, \
                     check, havoc, load, store, lock, unlock, alloc, free, spawn, join, call, \
                     end_thread, fence, halt",
                ))
            }
        }
    }

    fn property(&mut self) -> Parsed<Property> {
        let found = match self.token() {
            Token::Word(word) => Property::from_name(word),
            _ => None,
        };
        let Some(property) = found else {
            return self.expected("a property: assert, race, memory, overflow or deadlock");
        };
        self.advance();
        Ok(property)
    }

    fn assertion(&mut self, property: Property) -> Parsed<Simple> {
        let start = self.at().offset;
        let cond = self.expr()?;
        let written = start..self.at().offset;
        let kind = match self.check_kind()? {
            Some(kind) => kind,
            None => {
                let words: Vec<_> = self.text[written].split_whitespace().collect();
                CheckKind::Condition(words.join(" "))
            }
        };
        Ok(Simple::Assert { cond, check: Check { property, kind } })
    }

    /// What stands behind the condition, if anything does.
    fn check_kind(&mut self) -> Parsed<Option<CheckKind>> {
        if let Token::Quoted(_) = self.token() {
            return Ok(Some(CheckKind::Label(self.quoted("a label")?)));
        }
        let kind = if self.accept_word("unnamed") {
            CheckKind::Unnamed
        } else if self.accept_word("condition") {
            CheckKind::Condition(self.quoted("a condition")?)
        } else if self.accept_word("error_call") {
            CheckKind::ErrorCall(self.quoted("the name of a function")?)
        } else if self.accept_word("signed_overflow") {
            CheckKind::SignedOverflow(self.quoted("an expression")?)
        } else if self.accept_word("shift_count") {
            CheckKind::ShiftCount(self.quoted("an expression")?)
        } else if self.accept_word("undefined") {
            CheckKind::Undefined(self.quoted("what is undefined")?)
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    fn mode(&mut self) -> Parsed<Mode> {
        if !self.accept_word("atomic") {
            return Ok(Mode::Plain);
        }
        if !self.accept("(") {
            return Ok(Mode::Atomic);
        }
        let words =
            [("relaxed", Mode::Relaxed), ("acquire", Mode::Acquire), ("release", Mode::Release)];
        let mode = self.one_of(&words, "an order: relaxed, acquire or release")?;
        self.expect(")")?;
        Ok(mode)
    }

    fn fence(&mut self) -> Parsed<Fence> {
        let words = [
            ("acquire", Fence::Acquire),
            ("release", Fence::Release),
            ("acq_rel", Fence::AcquireRelease),
            ("seq_cst", Fence::Sequential),
        ];
        self.one_of(&words, "an order: acquire, release, acq_rel or seq_cst")
    }

    fn one_of<T: Copy>(&mut self, words: &[(&str, T)], what: &str) -> Parsed<T> {
        match words.iter().find(|(word, _)| self.accept_word(word)) {
            Some((_, meaning)) => Ok(*meaning),
            None => self.expected(what),
        }
    }

    fn storage(&mut self) -> Storage {
        if self.accept_word("stack") {
            return Storage::Stack;
        }
        self.accept_word("heap");
        Storage::Heap
    }

    fn set(&mut self, how: Option<Mode>) -> Parsed<Simple> {
        let to = self.place()?;
        if !self.accept(":=") {
            let found = self.token().describe();
            let error = self.at().error(format!("expected `:=`, found {found}"));
            let error = if self.is("=") { error.help("assignment is written `:=`") } else { error };
            return self.fail(error);
        }
        let value = if self.accept_word("load") {
            let mode = self.mode()?;
            Value::Load(self.place()?, mode)
        } else if ["alloc", "spawn", "call", "join"].iter().any(|w| self.is_word(w)) {
            Value::Effect(self.effect()?)
        } else {
            Value::Expr(self.expr()?)
        };
        Ok(Simple::Set { to, value, how })
    }

    fn effect(&mut self) -> Parsed<Effect> {
        if self.accept_word("alloc") {
            let storage = self.storage();
            let layout = self.layout_ref()?;
            let size = if self.accept_word("size") { Some(self.expr()?) } else { None };
            return Ok(Effect::Alloc { storage, layout, size, zeroed: self.accept_word("zeroed") });
        }
        if self.accept_word("join") {
            return Ok(Effect::Join(self.expr()?));
        }
        let spawns = self.accept_word("spawn");
        if !spawns {
            self.expect_word("call")?;
        }
        let callee = if self.accept("*") {
            Callee::Indirect(self.condition()?)
        } else {
            Callee::Direct(self.name("a procedure")?)
        };
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.accept(")") {
            args.push(self.expr()?);
            if !self.accept(",") && !self.is(")") {
                return self.expected("`,` or `)`");
            }
        }
        Ok(if spawns { Effect::Spawn(callee, args) } else { Effect::Call(callee, args) })
    }

    pub(super) fn place(&mut self) -> Parsed<Place> {
        let at = self.at();
        let what = if self.accept("*") {
            let (addr, ty) = self.dereference()?;
            PlaceOf::Deref(Box::new(addr), ty)
        } else {
            PlaceOf::Path(self.path("a variable")?)
        };
        let region = if self.accept_word("in") { Some(self.name("a region")?) } else { None };
        Ok(Place { what, region, at })
    }
}
