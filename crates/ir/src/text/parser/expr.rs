//! Expressions, by precedence climbing. Comparisons bind less tightly than all arithmetic, so
//! `x & 1 == 0` asks whether the lowest bit is zero.

use super::{DEPTH_LIMIT, Parsed, Parser};
use crate::text::ast::{Expr, ExprOf, Path, Step};
use crate::text::lexer::{At, Token};
use crate::text::names::{float_function_named, float_operator_named, type_named};
use crate::{BinaryOp, Type, UnaryOp};

enum Infix {
    Operator(BinaryOp),
    And,
    Or,
}

impl Parser<'_> {
    pub fn made(kind: ExprOf, at: At, depth: u32) -> Expr {
        Expr { kind, at, depth }
    }

    pub fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Parser::conditional_expr)
    }

    fn conditional_expr(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let then = self.expr()?;
        self.expect(":")?;
        let otherwise = self.expr()?;
        let at = condition.at;
        let depth = condition.depth.max(then.depth).max(otherwise.depth);
        let kind = ExprOf::Ite(Box::new(condition), Box::new(then), Box::new(otherwise));
        self.deeper(kind, at, depth)
    }

    /// One level above operands of the given depth.
    fn deeper(&mut self, kind: ExprOf, at: At, depth: u32) -> Parsed<Expr> {
        if depth >= DEPTH_LIMIT {
            return self.fail(at.error("nested too deeply"));
        }
        Ok(Parser::made(kind, at, depth + 1))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((infix, precedence)) = self.infix()
            && precedence >= least
        {
            let at = self.at();
            self.advance();
            let right = self.binary(precedence + 1)?;
            let depth = left.depth.max(right.depth);
            let (l, r) = (Box::new(left), Box::new(right));
            let kind = match infix {
                Infix::Operator(op) => ExprOf::Binary(op, l, r),
                Infix::And => ExprOf::And(l, r),
                Infix::Or => ExprOf::Or(l, r),
            };
            left = self.deeper(kind, at, depth)?;
            if precedence == COMPARISON && matches!(self.infix(), Some((_, COMPARISON))) {
                let error = self.at().error("comparisons do not chain");
                return self.fail(error.help("put parentheses around one of them"));
            }
        }
        Ok(left)
    }

    fn infix(&self) -> Option<(Infix, u8)> {
        use BinaryOp::*;
        let Token::Symbol(symbol) = self.token() else { return None };
        let (op, precedence) = match *symbol {
            "||" => return Some((Infix::Or, 1)),
            "&&" => return Some((Infix::And, 2)),
            "==" => (Eq, COMPARISON),
            "!=" => (Ne, COMPARISON),
            "<" => (Lt, COMPARISON),
            "<=" => (Le, COMPARISON),
            ">" => (Gt, COMPARISON),
            ">=" => (Ge, COMPARISON),
            "|" => (Or, 4),
            "^" => (Xor, 5),
            "&" => (And, 6),
            "<<" => (Shl, 7),
            ">>" => (Shr, 7),
            "+" => (Add, 8),
            "-" => (Sub, 8),
            "*" => (Mul, 9),
            "/" => (Div, 9),
            "%" => (Rem, 9),
            _ => return None,
        };
        Some((Infix::Operator(op), precedence))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let at = self.at();
        if self.is("-")
            && let Token::Number(value, ty) = *self.ahead(1)
        {
            self.advance();
            self.advance();
            return Ok(Parser::made(ExprOf::Number(-i128::from(value), ty), at, 1));
        }
        let op = match self.token() {
            Token::Symbol("!") => UnaryOp::Not,
            Token::Symbol("-") => UnaryOp::Neg,
            Token::Symbol("~") => UnaryOp::BitNot,
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.nested(Parser::unary)?;
        let depth = operand.depth;
        self.deeper(ExprOf::Unary(op, Box::new(operand)), at, depth)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.at();
        match self.token().clone() {
            Token::Number(value, ty) => {
                self.advance();
                Ok(Parser::made(ExprOf::Number(i128::from(value), ty), at, 1))
            }
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("&") => {
                self.advance();
                let kind = self.address()?;
                Ok(Parser::made(kind, at, 1))
            }
            Token::Symbol("*") => {
                self.advance();
                let (addr, ty) = self.dereference()?;
                let depth = addr.depth;
                self.deeper(ExprOf::Deref(Box::new(addr), ty), at, depth)
            }
            Token::Word(word) => self.word(&word, at),
            Token::Quoted(_) | Token::Symbol("::") => self.variable(),
            _ => self.expected("an expression"),
        }
    }

    fn variable(&mut self) -> Parsed<Expr> {
        let at = self.at();
        let path = self.path("an expression")?;
        let depth = depth_of(&path.steps);
        self.deeper(ExprOf::Path(path), at, depth)
    }

    fn word(&mut self, word: &str, at: At) -> Parsed<Expr> {
        let constant = match word {
            "true" => ExprOf::Bool(true),
            "false" => ExprOf::Bool(false),
            "null" => ExprOf::Null,
            "none" => ExprOf::None,
            "tid" => ExprOf::Tid,
            _ if self.is_ahead(1, "(") => return self.function(word, at),
            _ => return self.variable(),
        };
        self.advance();
        Ok(Parser::made(constant, at, 1))
    }

    /// What is written like a call: conversions, overflow tests, floating point, sizes.
    fn function(&mut self, word: &str, at: At) -> Parsed<Expr> {
        self.advance();
        self.expect("(")?;
        let (kind, depth) = match word {
            "sizeof" => (ExprOf::SizeOf(self.layout_ref()?), 1),
            "offsetof" => {
                let layout = self.layout_ref()?;
                self.expect(",")?;
                let mut steps = Vec::new();
                if self.is_name(0) {
                    steps.push(Step::Field(self.name("a field")?));
                }
                steps.extend(self.steps()?);
                let depth = depth_of(&steps);
                (ExprOf::OffsetOf(layout, steps), depth)
            }
            "add_overflows" => self.pair(BinaryOp::AddOverflows)?,
            "sub_overflows" => self.pair(BinaryOp::SubOverflows)?,
            "mul_overflows" => self.pair(BinaryOp::MulOverflows)?,
            _ if let Some(op) = float_operator_named(word) => self.pair(op)?,
            _ if let Some(op) = float_function_named(word) => {
                let operand = self.expr()?;
                let depth = operand.depth;
                (ExprOf::Unary(op, Box::new(operand)), depth)
            }
            _ => {
                let Some(ty) = type_named(word) else {
                    let error = at.error(format!("`{word}` is not a function of expressions"));
                    return self.fail(error.help(
                        "a call is an action of its own: `x := call f(..)`; a conversion is \
                         written `i64(e)`",
                    ));
                };
                let operand = self.expr()?;
                let depth = operand.depth;
                (ExprOf::Cast(ty, Box::new(operand)), depth)
            }
        };
        self.expect(")")?;
        self.deeper(kind, at, depth)
    }

    /// Two operands.
    fn pair(&mut self, op: BinaryOp) -> Parsed<(ExprOf, u32)> {
        let left = self.expr()?;
        self.expect(",")?;
        let right = self.expr()?;
        let depth = left.depth.max(right.depth);
        Ok((ExprOf::Binary(op, Box::new(left), Box::new(right)), depth))
    }

    /// What stands behind `&`.
    fn address(&mut self) -> Parsed<ExprOf> {
        if self.accept_word("proc") {
            return Ok(ExprOf::ProcAddress(self.name("a procedure")?));
        }
        if !self.accept("(") {
            return Ok(ExprOf::Address(self.path("a variable or procedure")?));
        }
        let path = self.path("a variable")?;
        let negative = self.is("-");
        if !self.accept("+") && !self.accept("-") {
            return self.expected("`+` or `-` and a number of bytes");
        }
        let bytes = i128::from(self.number("a number of bytes")?);
        let Ok(offset) = i64::try_from(if negative { -bytes } else { bytes }) else {
            let error = self.at().error("this offset does not fit 64 bits");
            return self.fail(error);
        };
        self.expect(")")?;
        Ok(ExprOf::AddressPlus(path, offset))
    }

    /// What stands behind `*`: an address, and the type of what is there.
    pub fn dereference(&mut self) -> Parsed<(Expr, Type)> {
        let addr = self.nested(Parser::unary)?;
        if !self.accept(":") {
            let found = self.token().describe();
            let error = self.at().error(format!("expected `:` and a type, found {found}"));
            return self.fail(error.help("what a pointer points to is written `*(p): i32`"));
        }
        Ok((addr, self.ty()?))
    }

    pub fn path(&mut self, what: &str) -> Parsed<Path> {
        let global = self.accept("::");
        let name = self.name(what)?;
        Ok(Path { name, global, steps: self.steps()? })
    }

    pub fn steps(&mut self) -> Parsed<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.accept(".") {
                steps.push(Step::Field(self.name("a field")?));
            } else if self.accept("[") {
                steps.push(Step::Index(self.expr()?));
                self.expect("]")?;
            } else {
                return Ok(steps);
            }
        }
    }
}

const COMPARISON: u8 = 3;

fn depth_of(steps: &[Step]) -> u32 {
    let depths = steps.iter().map(|step| match step {
        Step::Field(_) => 1,
        Step::Index(index) => index.depth,
    });
    depths.max().unwrap_or(1)
}
