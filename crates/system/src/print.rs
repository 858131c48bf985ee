//! A system as text, for people.

use std::fmt::{self, Display, Write};

use rustc_hash::FxHashMap;
use selvedge_ir::{Program, Span};
use selvedge_smt::{Op, Term, Terms};

use super::{At, Bad, End, Step, System, Template, Variable};

/// Larger terms are printed as SMT-LIB text, which shares parts.
const LARGE: u64 = 400;

impl System {
    /// The whole system. The program is the prepared one, for the lines of its source.
    pub fn listing(&self, program: &Program) -> String {
        let mut out = String::new();
        let _ = Listing { system: self, program, out: &mut out }.all();
        out
    }
}

struct Listing<'a> {
    system: &'a System,
    program: &'a Program,
    out: &'a mut String,
}

impl<'a> Listing<'a> {
    fn all(&mut self) -> fmt::Result {
        let system = self.system;
        for variable in &system.shared {
            let sort = system.terms.show_sort(system.terms.sort(variable.term));
            writeln!(self.out, "shared {}: {sort}", variable.name)?;
        }
        writeln!(self.out, "initially {}", self.term(system.initial))?;
        system.templates.iter().try_for_each(|template| self.template(template))
    }

    fn term(&self, term: Term) -> Infix<'a> {
        let system: &'a System = self.system;
        Infix { terms: &system.terms, term }
    }

    fn line(&self, span: Span) -> String {
        if span.is_none() { String::new() } else { format!(" [line {}]", span.line) }
    }

    fn template(&mut self, template: &Template) -> fmt::Result {
        let kind = if template.pool { "threads" } else { "thread" };
        let begin = if template.initial { ", from the beginning" } else { "" };
        writeln!(
            self.out,
            "\n{kind} {} (number {}{begin})",
            template.name,
            self.term(template.tid)
        )?;
        for variable in &template.locals {
            let sort = self.system.terms.show_sort(self.system.terms.sort(variable.term));
            writeln!(self.out, "  local {}: {sort}", variable.name)?;
        }
        if template.initial {
            for &(at, value) in &template.begin {
                let name = &template.locals[at as usize].name;
                writeln!(self.out, "  begins with {name} = {}", self.term(value))?;
            }
        }
        for (index, location) in template.locations.iter().enumerate() {
            let live: Vec<&str> =
                location.live.iter().map(|&i| template.locals[i as usize].name.as_str()).collect();
            let atomic = if location.atomic { " atomic" } else { "" };
            writeln!(
                self.out,
                "  {}{}:{atomic} {}",
                location.location,
                self.line(location.span),
                live.join(", ")
            )?;
            let at = At::Cut(index as u32);
            for step in template.steps.iter().filter(|step| step.from == at) {
                self.step(template, step)?;
            }
            for access in template.accesses.iter().filter(|access| access.at == at) {
                let what = if access.write { "write" } else { "read" };
                let mode = if access.atomic { " atomic" } else { "" };
                let region = &self.program.regions[access.region].name;
                let address: Vec<String> =
                    access.address.terms().iter().map(|t| self.term(*t).to_string()).collect();
                writeln!(
                    self.out,
                    "    next:{mode} {what} of {region} at {}{} if {}",
                    address.join("+"),
                    self.line(access.span),
                    self.term(access.guard)
                )?;
            }
        }
        Ok(())
    }

    fn step(&mut self, template: &Template, step: &Step) -> fmt::Result {
        let line = self.line(step.span);
        match &step.end {
            End::To(At::Cut(to)) => {
                let to = template.locations[*to as usize].location;
                write!(self.out, "    to {to}{line}")?;
            }
            End::To(_) => write!(self.out, "    ends{line}")?,
            End::Bad(bad) => write!(self.out, "    BAD {bad}{line}")?,
        }
        writeln!(self.out, " if {}", self.term(step.guard))?;
        self.updates(&self.system.shared, &step.shared)?;
        self.updates(&template.locals, &step.locals)?;
        for spawn in &step.spawns {
            let started = &self.system.templates[spawn.template.index()];
            let mut args = Vec::new();
            for &(at, value) in &spawn.args {
                let name = &started.locals[at as usize].name;
                args.push(format!("{name} = {}", self.term(value)));
            }
            let (name, tid) = (&started.name, self.term(spawn.tid).to_string());
            writeln!(self.out, "      starts {name} {tid} ({})", args.join(", "))?;
        }
        for join in &step.joins {
            let thread = self.term(join.thread).to_string();
            writeln!(self.out, "      after {thread} has ended, if {}", self.term(join.when))?;
        }
        Ok(())
    }

    fn updates(&mut self, variables: &[Variable], updates: &[(u32, Term)]) -> fmt::Result {
        for &(at, value) in updates {
            let name = &variables[at as usize].name;
            writeln!(self.out, "      {name} := {}", self.term(value))?;
        }
        Ok(())
    }
}

impl Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bad::Wrong { property, message, .. } => write!(f, "{property}: {message}"),
            Bad::Undefined { what, .. } => write!(f, "undefined: {what}"),
            Bad::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Bad::Wrap { .. } => f.write_str("wraps around"),
        }
    }
}

/// A term with operators between operands.
pub struct Infix<'a> {
    pub terms: &'a Terms,
    pub term: Term,
}

impl Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if tree_size(self.terms, self.term) > LARGE {
            return self.terms.show(self.term).fmt(f);
        }
        self.write(f, self.term, false)
    }
}

impl Infix<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>, term: Term, inner: bool) -> fmt::Result {
        let args = self.terms.args(term);
        let infix = match self.terms.op(term) {
            Op::Not => return self.negation(f, args[0], inner),
            Op::Ite => return self.choice(f, args),
            Op::Select => return self.indexed(f, args),
            Op::And => " and ",
            Op::Or => " or ",
            Op::Eq => " = ",
            Op::Add | Op::BvAdd => " + ",
            Op::Mul | Op::BvMul => "*",
            Op::Le => " <= ",
            Op::Lt => " < ",
            Op::Div => " div ",
            Op::Mod => " mod ",
            Op::BvSub => " - ",
            Op::Var(_) => return f.write_str(self.terms.name(term).unwrap_or_default()),
            Op::Const(selvedge_smt::Value::Int(value)) => return value.fmt(f),
            _ => return self.terms.show(term).fmt(f),
        };
        self.joined(f, infix, args, inner)
    }

    fn joined(
        &self,
        f: &mut fmt::Formatter<'_>,
        infix: &str,
        args: &[Term],
        inner: bool,
    ) -> fmt::Result {
        if inner {
            f.write_char('(')?;
        }
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                f.write_str(infix)?;
            }
            self.write(f, arg, true)?;
        }
        if inner {
            f.write_char(')')?;
        }
        Ok(())
    }

    fn negation(&self, f: &mut fmt::Formatter<'_>, of: Term, inner: bool) -> fmt::Result {
        let args = self.terms.args(of);
        match self.terms.op(of) {
            Op::Eq => self.joined(f, " != ", args, inner),
            Op::Le => self.joined(f, " > ", args, inner),
            Op::Lt => self.joined(f, " >= ", args, inner),
            _ => {
                f.write_str("not ")?;
                self.write(f, of, true)
            }
        }
    }

    fn choice(&self, f: &mut fmt::Formatter<'_>, args: &[Term]) -> fmt::Result {
        f.write_char('(')?;
        self.write(f, args[0], true)?;
        f.write_str(" ? ")?;
        self.write(f, args[1], true)?;
        f.write_str(" : ")?;
        self.write(f, args[2], true)?;
        f.write_char(')')
    }

    fn indexed(&self, f: &mut fmt::Formatter<'_>, args: &[Term]) -> fmt::Result {
        self.write(f, args[0], true)?;
        f.write_char('[')?;
        self.write(f, args[1], false)?;
        f.write_char(']')
    }
}

/// The size with shared parts counted as often as they occur.
fn tree_size(terms: &Terms, root: Term) -> u64 {
    let mut sizes: FxHashMap<Term, u64> = FxHashMap::default();
    terms.walk(&[root], |term| {
        let parts = terms.args(term).iter().map(|arg| sizes[arg]);
        let size = parts.fold(1, u64::saturating_add);
        sizes.insert(term, size);
    });
    sizes[&root]
}
