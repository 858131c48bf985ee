//! Abstract threads as annotations: the text that the specification parser reads back.
//!
//! Formulas are printed from what they mean, not from the words that they were written in: every
//! conversion is written out, so that the text has the same meaning wherever it stands in the file.

use selvedge_ir::spec::{AbstractState, AbstractThread, Clause, Formula, Target, Transition, When};
use selvedge_ir::{BinaryOp, Const, Expr, Int, LocalId, Place, Program, Type, UnaryOp};

use crate::locks::HOLDER;

/// The annotation of an abstract thread; an error where a formula has no text.
///
/// ```
/// use selvedge_abstract_threads::{annotation, build};
/// use selvedge_ir::{BinaryOp, Expr, Int, spec::When, text};
///
/// let source = "shared g: i32; procedure f() { g := 1; } thread f;";
/// let program = text::parse("f.plato", source).unwrap();
/// let g = program.object_named("g").unwrap();
/// let one = build::clause(&program, "", &[(g, When::After)], |g| {
///     Expr::binary(BinaryOp::Eq, g[0].clone(), Expr::int(1, Int::I32))
/// });
/// let step = build::step(0, 0, vec![one.unwrap()], vec![build::target(&program, g).unwrap()]);
/// let states = vec![build::state("S", true, Vec::new())];
/// let f = program.procedure_named("f").unwrap();
/// let thread = build::thread("F", f, states, vec![step]);
/// let text = "/*@ abstract_thread F abstracts f {\n      state S initial;\n      \
///     S -> S: g' == 1, modifies g;\n    } */\n";
/// assert_eq!(annotation(&program, &thread).unwrap(), text);
/// ```
pub fn annotation(program: &Program, thread: &AbstractThread) -> Result<String, String> {
    let procedure = &program.procedures[thread.procedure].name;
    let mut out = format!("/*@ abstract_thread {} abstracts {procedure} {{\n", thread.name);
    for state in &thread.states {
        out.push_str(&state_text(program, state)?);
    }
    for step in &thread.transitions {
        out.push_str(&step_text(program, thread, step)?);
    }
    out.push_str("    } */\n");
    Ok(out)
}

fn state_text(program: &Program, state: &AbstractState) -> Result<String, String> {
    let initial = if state.initial { " initial" } else { "" };
    let idles = if state.idles { "" } else { " nostutter" };
    let name = &state.name;
    let asserts = conjunction(program, &state.asserts, true)?;
    let asserts = asserts.map_or(String::new(), |text| format!(" assert {text}"));
    Ok(format!("      state {name}{initial}{idles}{asserts};\n"))
}

fn step_text(
    program: &Program,
    thread: &AbstractThread,
    step: &Transition,
) -> Result<String, String> {
    let name = |state: u32| thread.states.get(state as usize).map_or("?", |state| &state.name);
    let relation = conjunction(program, &step.relation, false)?;
    let mut targets: Vec<String> = Vec::new();
    for target in &step.modifies {
        let text = target_text(program, target)?;
        if !targets.contains(&text) {
            targets.push(text);
        }
    }
    let modifies = (!targets.is_empty()).then(|| format!("modifies {}", targets.join(", ")));
    // A step that says nothing still has to have a formula.
    let relation = match (&relation, &modifies) {
        (None, None) => Some("1 == 1".to_owned()),
        _ => relation,
    };
    let said: Vec<String> = [relation, modifies].into_iter().flatten().collect();
    Ok(format!("      {} -> {}: {};\n", name(step.from), name(step.to), said.join(", ")))
}

/// None where there is nothing to say.
fn conjunction(
    program: &Program,
    clauses: &[Clause],
    asserted: bool,
) -> Result<Option<String>, String> {
    let mut texts = Vec::new();
    for clause in clauses.iter().filter(|clause| clause.formula.body != Expr::TRUE) {
        let printer = Printer { program, formula: &clause.formula, asserted };
        texts.push((printer.expr(&clause.formula.body)?, binds_weakly(&clause.formula.body)));
    }
    let alone = texts.len() == 1;
    let text = |(text, weak): (String, bool)| {
        if weak && !alone { format!("({text})") } else { text }
    };
    let texts: Vec<String> = texts.into_iter().map(text).collect();
    Ok((!texts.is_empty()).then(|| texts.join(" && ")))
}

fn binds_weakly(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(BinaryOp::Or | BinaryOp::Xor, ..) | Expr::Ite(..))
}

fn target_text(program: &Program, target: &Target) -> Result<String, String> {
    let Some(place) = target.direct() else {
        return Err(format!("`{}` is not at a fixed place", target.text));
    };
    // What holds a mutex is written as the mutex.
    let name = place_name(program, &place)?;
    Ok(name.strip_suffix(HOLDER).unwrap_or(&name).to_owned())
}

/// A variable, or a part of one, as C has it.
pub fn place_name(program: &Program, place: &Place) -> Result<String, String> {
    let Some((object, offset)) = place.direct() else {
        return Err("what a pointer leads to has no name".to_owned());
    };
    let data = &program.objects[object];
    let found = u64::try_from(offset).ok().and_then(|at| program.scalar_at(data.layout, at));
    match found {
        Some((ty, path)) if ty == place.ty => Ok(format!("{}{path}", data.name)),
        _ => Err(format!("a part of `{}` has no name", data.name)),
    }
}

struct Printer<'a> {
    program: &'a Program,
    formula: &'a Formula,
    /// Whether it stands in a state, where the past is `\old`.
    asserted: bool,
}

impl Printer<'_> {
    fn expr(&self, expr: &Expr) -> Result<String, String> {
        Ok(match expr {
            Expr::Const(value) => constant(*value)?,
            Expr::Tid => "\\tid".to_owned(),
            Expr::Local(local) => self.read(*local)?,
            Expr::Cast(Type::Bool, operand) => format!("{} != 0", self.below(operand)?),
            Expr::Cast(Type::Thread, operand) => self.expr(operand)?,
            Expr::Cast(Type::Int(int), operand) => {
                format!("({}) {}", c_type(*int), self.below(operand)?)
            }
            Expr::Cast(Type::Ptr, _) => return Err("a pointer has no text".to_owned()),
            Expr::Unary(UnaryOp::Not, operand) => self.negation(operand)?,
            Expr::Unary(op, operand) => format!("{}{}", sign(*op)?, self.below(operand)?),
            Expr::Binary(op, left, right) => self.binary(*op, left, right)?,
            Expr::Ite(test, then, or) => {
                let parts = [self.below(test)?, self.below(then)?, self.below(or)?];
                format!("{} ? {} : {}", parts[0], parts[1], parts[2])
            }
        })
    }

    fn negation(&self, operand: &Expr) -> Result<String, String> {
        use BinaryOp::*;
        match operand {
            Expr::Cast(Type::Bool, number) => Ok(format!("{} == 0", self.below(number)?)),
            Expr::Binary(Eq | Ne | Lt | Le | Gt | Ge, ..) => self.expr(&operand.clone().not()),
            _ => Ok(format!("!{}", self.below(operand)?)),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<String, String> {
        let condition = is_condition(left, self.formula) && is_condition(right, self.formula);
        let symbol = symbol(op, condition)?;
        // Chains of one connective, and comparisons below connectives, need no parentheses.
        let part = |part: &Expr| match part {
            Expr::Binary(inner, ..) if is_connective(op) && (*inner == op || inner.is_test()) => {
                self.expr(part)
            }
            Expr::Binary(inner, ..) if op.is_test() && is_arithmetic(*inner) => self.expr(part),
            _ => self.below(part),
        };
        Ok(format!("{} {symbol} {}", part(left)?, part(right)?))
    }

    fn below(&self, expr: &Expr) -> Result<String, String> {
        let text = self.expr(expr)?;
        let simple = match expr {
            Expr::Const(value) => !text.starts_with('-') || matches!(value, Const::Bool(_)),
            Expr::Local(_) | Expr::Tid => true,
            _ => false,
        };
        Ok(if simple { text } else { format!("({text})") })
    }

    fn read(&self, local: LocalId) -> Result<String, String> {
        let Some((_, place, when)) = self.formula.reads().find(|(id, ..)| *id == local) else {
            let name = &self.formula.variables[local].name;
            return Err(format!("`{name}` is no variable at a fixed place"));
        };
        let name = place_name(self.program, place)?;
        let name = match name.strip_suffix(HOLDER) {
            Some(mutex) if place.ty == Type::Thread => format!("\\holder({mutex})"),
            _ => name,
        };
        Ok(match (self.asserted, self.formula.has_two_states(), when) {
            (true, true, When::Before) => format!("\\old({name})"),
            (false, _, When::After) => format!("{name}'"),
            _ => name,
        })
    }
}

/// Whether C takes it for a truth value rather than a number: our conditions have a type of their own.
fn is_condition(expr: &Expr, formula: &Formula) -> bool {
    match expr {
        Expr::Const(value) => matches!(value, Const::Bool(_)),
        Expr::Local(local) => formula.variables[*local].ty == Type::Bool,
        Expr::Unary(UnaryOp::Not, _) | Expr::Cast(Type::Bool, _) => true,
        Expr::Binary(op, left, _) => {
            op.is_test() || is_connective(*op) && is_condition(left, formula)
        }
        Expr::Ite(_, then, _) => is_condition(then, formula),
        _ => false,
    }
}

fn is_connective(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or)
}

fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
}

fn constant(value: Const) -> Result<String, String> {
    Ok(match value {
        Const::Bool(value) => u8::from(value).to_string(),
        Const::NoThread => "0".to_owned(),
        Const::Int(bits, int) => number(int.value(bits), int),
        _ => return Err("a pointer has no text".to_owned()),
    })
}

/// A constant of this type. The least number of a type has no literal of its own.
fn number(value: i128, int: Int) -> String {
    let suffix = match (int.width, int.signed) {
        (32, false) => "u",
        (64, true) => "l",
        (64, false) => "ul",
        _ => "",
    };
    let least = int.signed && value == -(1i128 << (int.width - 1));
    let literal = match least {
        true => format!("(-{}{suffix} - 1)", -(value + 1)),
        false => format!("{value}{suffix}"),
    };
    match int.width {
        32 | 64 => literal,
        _ => format!("({}) {literal}", c_type(int)),
    }
}

fn c_type(int: Int) -> &'static str {
    match (int.width, int.signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (_, true) => "__int128",
        (_, false) => "unsigned __int128",
    }
}

fn sign(op: UnaryOp) -> Result<&'static str, String> {
    match op {
        UnaryOp::Not => Ok("!"),
        UnaryOp::Neg => Ok("-"),
        UnaryOp::BitNot => Ok("~"),
        UnaryOp::Float(..) => Err("a floating-point number has no text".to_owned()),
    }
}

fn symbol(op: BinaryOp, condition: bool) -> Result<&'static str, String> {
    use BinaryOp::*;
    Ok(match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        And if condition => "&&",
        Or if condition => "||",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        Shr => ">>",
        Eq => "==",
        Ne => "!=",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        PtrAdd | PtrSub => return Err("a pointer has no text".to_owned()),
        AddOverflows | SubOverflows | MulOverflows | Float(..) => {
            return Err("an operation of the machine has no text".to_owned());
        }
    })
}
