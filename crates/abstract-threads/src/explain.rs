//! Why a step of a thread has no match: what each abstract state that was a candidate says about it.

use selvedge_ir::spec::{AbstractThread, Clause, Transition, When};
use selvedge_ir::{BinaryOp, Const, Expr, LocalId, Type};
use selvedge_passes::fold::fold;

use crate::pieces::split;
use crate::subject::Subject;
use crate::threads_as_numbers::{number, numbered};

/// A step that nothing matches, with the values that it was found for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// The abstract states that the thread could be in, by number.
    pub candidates: Vec<usize>,
    /// By cell of the vocabulary.
    pub before: Vec<Option<Const>>,
    pub after: Vec<Option<Const>>,
    /// The executing thread's number.
    pub own: Option<Const>,
}

/// An abstract state that the thread could be in, and why none of its steps match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub state: String,
    pub reasons: Vec<String>,
}

impl Subject {
    /// Why the step does not match a step of an abstract thread.
    pub fn explain(&self, thread: &AbstractThread, step: &Unmatched) -> Vec<Candidate> {
        let candidate = |&state: &usize| {
            let idles = thread.states[state].idles;
            let mut reasons = vec![self.idling(idles, step)];
            let from_here = thread.transitions.iter().filter(|t| t.from as usize == state);
            reasons.extend(from_here.map(|transition| {
                let to = &thread.states[transition.to as usize].name;
                format!("-> {to}: {}", self.mismatch(transition, step))
            }));
            Candidate { state: thread.states[state].name.clone(), reasons }
        };
        step.candidates.iter().map(candidate).collect()
    }

    fn changed(&self, step: &Unmatched) -> Vec<usize> {
        let cells = 0..self.vocabulary.cells.len();
        cells.filter(|&cell| step.before.get(cell) != step.after.get(cell)).collect()
    }

    fn names(&self, cells: &[usize]) -> String {
        let names = cells.iter().map(|&cell| format!("`{}`", self.vocabulary.cells[cell].shown()));
        names.collect::<Vec<_>>().join(", ")
    }

    fn idling(&self, idles: bool, step: &Unmatched) -> String {
        match (idles, self.changed(step).as_slice()) {
            (false, _) => "to stay is not allowed here (nostutter)".to_owned(),
            (true, []) => "to stay matches".to_owned(),
            (true, [one]) => format!("to stay: {} changes", self.names(&[*one])),
            (true, changed) => format!("to stay: {} change", self.names(changed)),
        }
    }

    fn mismatch(&self, transition: &Transition, step: &Unmatched) -> String {
        let modified = self.vocabulary.modified(&transition.modifies);
        let outside = |cell: &usize| !modified.contains(cell);
        let outside: Vec<usize> = self.changed(step).into_iter().filter(outside).collect();
        if !outside.is_empty() {
            return format!("{} changes and is not in `modifies`", self.names(&outside));
        }
        let mut failing = Vec::new();
        for clause in &transition.relation {
            self.failing(clause, step, &mut failing);
        }
        match failing.is_empty() {
            true => "its relation cannot be told to hold".to_owned(),
            false => format!("{} does not hold", failing.join(", ")),
        }
    }

    /// The conjuncts of a clause that do not hold of the step.
    fn failing(&self, clause: &Clause, step: &Unmatched, failing: &mut Vec<String>) {
        let is_thread = |local: LocalId| clause.formula.variables[local].ty == Type::Thread;
        let own = LocalId::from_u32(u32::MAX - 1);
        let mut conjuncts = Vec::new();
        split(clause.formula.body.clone(), &mut conjuncts);
        let all = conjuncts.len();
        for conjunct in conjuncts {
            let value = number(&conjunct, &is_thread, own).map(&mut |part| match part {
                Expr::Local(local) => self.value(clause, local, own, step).unwrap_or(part),
                other => other,
            });
            if fold(value) == Expr::FALSE {
                let text =
                    if all == 1 { clause.text.clone() } else { self.text(clause, &conjunct) };
                failing.push(format!("`{text}`"));
            }
        }
    }

    fn value(
        &self,
        clause: &Clause,
        local: LocalId,
        own: LocalId,
        step: &Unmatched,
    ) -> Option<Expr> {
        if local == own {
            return step.own.map(Expr::Const);
        }
        let (_, place, when) = clause.formula.reads().find(|(id, _, _)| *id == local)?;
        let cell = self.vocabulary.cell_at(place);
        let values = if when == When::Before { &step.before } else { &step.after };
        values.get(cell).copied().flatten().map(Expr::Const)
    }

    /// A part of a formula in C's notation.
    fn text(&self, clause: &Clause, part: &Expr) -> String {
        let below = |e: &Expr| match e {
            Expr::Binary(..) | Expr::Ite(..) => format!("({})", self.text(clause, e)),
            _ => self.text(clause, e),
        };
        match part {
            Expr::Const(Const::Bool(value)) => value.to_string(),
            Expr::Const(Const::Int(bits, int)) => int.value(*bits).to_string(),
            Expr::Const(Const::Null | Const::NoThread) => "0".to_owned(),
            Expr::Const(_) => "&...".to_owned(),
            Expr::Tid => "\\tid".to_owned(),
            Expr::Local(local) => match clause.formula.reads().find(|(id, _, _)| id == local) {
                Some((_, place, when)) => {
                    let name = &self.vocabulary.cells[self.vocabulary.cell_at(place)].name;
                    let prime = if when == When::After { "'" } else { "" };
                    format!("{name}{prime}")
                }
                None => clause.formula.variables[*local].name.clone(),
            },
            Expr::Cast(_, operand) => below(operand),
            Expr::Unary(op, operand) => format!("{}{}", sign(*op), below(operand)),
            Expr::Binary(op, left, right) => {
                format!("{} {} {}", below(left), symbol(*op), below(right))
            }
            Expr::Ite(test, then, or) => {
                format!("{} ? {} : {}", below(test), below(then), below(or))
            }
        }
    }

    /// A value of a cell, as a trace shows it.
    pub fn read_value(&self, cell: usize, text: &str) -> Option<Const> {
        read_value(numbered(self.vocabulary.cells[cell].ty), text)
    }
}

/// A value as a trace shows it.
pub fn read_value(ty: Type, text: &str) -> Option<Const> {
    match ty {
        Type::Bool => text.parse().ok().map(Const::Bool),
        Type::Int(int) => text.parse::<i128>().ok().map(|value| Const::int(value, int)),
        Type::Ptr | Type::Thread => None,
    }
}

fn sign(op: selvedge_ir::UnaryOp) -> &'static str {
    use selvedge_ir::UnaryOp::*;
    match op {
        Not => "!",
        Neg => "-",
        BitNot => "~",
        Float(..) => "float ",
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add | PtrAdd => "+",
        Sub | PtrSub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        And => "&&",
        Or => "||",
        Xor => "^",
        Shl => "<<",
        Shr => ">>",
        Eq => "==",
        Ne => "!=",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        AddOverflows | SubOverflows | MulOverflows => "overflows",
        Float(..) => "float",
    }
}
