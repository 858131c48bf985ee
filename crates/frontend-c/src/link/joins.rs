//! Whether a thread may be joined or detached twice, by the syntax alone.
//!
//! It is certain that this does not happen where each call that ends the use of an identifier names
//! a variable of its own, or an element of an array by the counter of the one loop around it; where
//! that call runs once for each time that the variable gets its value from a call (`f(&t, ...)`);
//! and where nobody assigns to the variable otherwise. All else counts as possible.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_c_syntax::ast::{
    BlockItem, Expr, ExprKind, ForInit, FunctionDef, Initializer, Span, Statement, StatementKind,
    UnaryOp,
};

use super::calls::{Call, calls, params};
use crate::visit;

/// A call after which the identifier must not be used.
struct Site<'a> {
    function: &'a FunctionDef,
    call: &'a Expr,
    thread: Named<'a>,
}

impl Site<'_> {
    fn indexed(&self) -> Option<&Rc<str>> {
        (!self.thread.indices.is_empty()).then_some(self.thread.root)
    }

    /// The variable, with its function where it is local, and the path to its part unless the
    /// parts of the variable are told apart by other variables.
    fn place(&self, indexed: &HashSet<&Rc<str>>) -> (Option<*const FunctionDef>, &str, &str) {
        let Named { root, path, .. } = &self.thread;
        let local = is_local(self.function, root);
        let owner = local.then_some(std::ptr::from_ref(self.function));
        (owner, root, if indexed.contains(root) { "" } else { path })
    }
}

/// An identifier's place: a variable, the names of its members and constant indices as text, and
/// the variables that index it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Named<'a> {
    pub(super) root: &'a Rc<str>,
    pub(super) path: String,
    pub(super) indices: Vec<&'a Rc<str>>,
}

pub(super) fn may_repeat(functions: &[&FunctionDef], ends: &dyn Fn(&str) -> bool) -> bool {
    let mut sites = Vec::new();
    let mut called = 0;
    for function in functions {
        for call in calls(&function.body).iter().filter(|call| ends(call.name)) {
            called += 1;
            sites.extend(named_thread(call).map(|thread| Site {
                function,
                call: call.expr,
                thread,
            }));
        }
    }
    let indexed: HashSet<&Rc<str>> = sites.iter().filter_map(Site::indexed).collect();
    let places: HashSet<_> = sites.iter().map(|site| site.place(&indexed)).collect();
    let program = Program::of(functions);
    // Who has the address of such a function can call it at any time.
    called < mentions_of(functions, ends)
        || sites.len() < called
        || places.len() < called
        || !sites
            .iter()
            .all(|site| program.runs_once(site) && !program.assigned(&site.thread, called == 1))
}

fn mentions(functions: &[&FunctionDef]) -> HashMap<Rc<str>, usize> {
    let mut counts = HashMap::new();
    for function in functions {
        visit::expressions(&function.body, &mut |e| {
            if let ExprKind::Ident(name) = &e.kind {
                *counts.entry(name.name.clone()).or_default() += 1;
            }
        });
    }
    counts
}

pub(super) fn mentions_of(functions: &[&FunctionDef], ends: &dyn Fn(&str) -> bool) -> usize {
    mentions(functions).iter().filter(|(name, _)| ends(name)).map(|(_, count)| count).sum()
}

fn named_thread<'a>(call: &Call<'a>) -> Option<Named<'a>> {
    named(call.args.first()?)
}

pub(super) fn named(place: &Expr) -> Option<Named<'_>> {
    match &place.kind {
        ExprKind::Ident(name) => {
            Some(Named { root: &name.name, path: String::new(), indices: Vec::new() })
        }
        ExprKind::Member { object, arrow: false, name } => {
            let mut named = named(object)?;
            named.path += &format!(".{}", name.name);
            Some(named)
        }
        ExprKind::Index { array, index } => {
            let mut named = named(array)?;
            match &index.kind {
                ExprKind::Integer(number) => named.path += &format!("[{}]", number.value),
                ExprKind::Ident(name) => {
                    named.path += "[]";
                    named.indices.push(&name.name);
                }
                _ => return None,
            }
            Some(named)
        }
        _ => None,
    }
}

/// The user's functions, and how often they mention each name.
pub(super) struct Program<'p, 'a> {
    functions: &'p [&'a FunctionDef],
    mentions: HashMap<Rc<str>, usize>,
}

impl<'p, 'a> Program<'p, 'a> {
    pub(super) fn of(functions: &'p [&'a FunctionDef]) -> Program<'p, 'a> {
        Program { functions, mentions: mentions(functions) }
    }

    /// Whether the call runs at most once for each value of the identifier.
    fn runs_once(&self, site: &Site<'a>) -> bool {
        let loops = loops_around(site.function, site.call);
        // What is created in a loop's body is new each time.
        let renewed = loops.iter().position(|l| gives_value(l, site.thread.root));
        let counted: Vec<&Statement> = loops[..renewed.unwrap_or(loops.len())].to_vec();
        let elements = match (&counted[..], &site.thread.indices[..]) {
            ([], []) => true,
            ([one], [index]) => counts(one, index),
            _ => false,
        };
        let function = site.function;
        elements
            && (renewed.is_some() || is_local(function, site.thread.root) || self.once(function))
    }

    /// Whether the program calls the function once.
    pub(super) fn once(&self, function: &FunctionDef) -> bool {
        let Some(name) = &function.declarator.name else { return false };
        let count = self.mentions.get(&name.name).copied().unwrap_or(0);
        if &*name.name == "main" {
            return count == 0;
        }
        let caller = self.functions.iter().find_map(|caller| {
            let call = calls(&caller.body).into_iter().find(|call| *call.name == name.name)?;
            Some((caller, call.expr))
        });
        count == 1
            && caller.is_some_and(|(caller, call)| {
                !std::ptr::eq(*caller, function)
                    && loops_around(caller, call).is_empty()
                    && caller.declarator.name.as_ref().is_some_and(|name| &*name.name == "main")
            })
    }

    /// Whether the variable gets a value other than from a call that has its address. A pointer to
    /// the identifiers may get its own value from a call, once, and so may an identifier that is the
    /// only one with such a site.
    fn assigned(&self, thread: &Named<'_>, alone: bool) -> bool {
        let (mut found, mut allocated) = (false, 0);
        let mut note = |whole: bool, value: &Expr| match whole && (alone || !thread.path.is_empty())
        {
            true if is_call(value) => allocated += 1,
            _ => found = true,
        };
        for function in self.functions {
            if params(function).iter().any(|param| param.name == *thread.root) {
                return true;
            }
            visit::expressions(&function.body, &mut |e| {
                if let ExprKind::Assign { target, value, .. } = &e.kind
                    && named_root(target).is_some_and(|root| root == thread.root)
                {
                    note(matches!(target.kind, ExprKind::Ident(_)), value);
                }
            });
            visit::declarations(&function.body, &mut |declaration| {
                for item in &declaration.declarators {
                    let named = item.declarator.name.as_ref();
                    if named.is_none_or(|name| name.name != *thread.root) {
                        continue;
                    }
                    match &item.init {
                        Some(Initializer::Expr(value)) => note(true, value),
                        Some(list) => visit::expressions_of_initializer(list, &mut |value| {
                            if matches!(value.kind, ExprKind::Ident(_)) {
                                note(false, value);
                            }
                        }),
                        None => {}
                    }
                }
            });
        }
        found || allocated > 1
    }
}

fn is_call(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Call { .. } => true,
        ExprKind::Cast { operand, .. } => is_call(operand),
        _ => false,
    }
}

/// The variable of an assigned place; of a member only where the whole could be meant, too.
fn named_root(place: &Expr) -> Option<&Rc<str>> {
    match &place.kind {
        ExprKind::Ident(name) => Some(&name.name),
        ExprKind::Index { array, .. } => named_root(array),
        _ => None,
    }
}

/// The loops around an expression, the innermost first; a jump back is one, too.
pub(super) fn loops_around<'a>(function: &'a FunctionDef, inner: &'a Expr) -> Vec<&'a Statement> {
    let (mut loops, mut labels, mut jumps) = (Vec::new(), Vec::new(), Vec::new());
    for item in &function.body.items {
        visit::statements_of_item(item, &mut |statement| match &statement.kind {
            StatementKind::While { .. }
            | StatementKind::DoWhile { .. }
            | StatementKind::For { .. }
                if contains(statement, inner) =>
            {
                loops.push(statement);
            }
            StatementKind::Label { name, .. } => labels.push((statement, Some(&name.name))),
            StatementKind::Goto(name) => jumps.push((statement.span, Some(&name.name))),
            StatementKind::GotoComputed(_) => jumps.push((statement.span, None)),
            _ => {}
        });
    }
    loops.reverse();
    let at = inner.span.start;
    loops.extend(labels.into_iter().filter_map(|(label, name)| {
        let back = |(jump, to): &(Span, Option<&Rc<str>>)| {
            (to.is_none() || *to == name) && label.span.start <= at && at <= jump.start
        };
        jumps.iter().any(back).then_some(label)
    }));
    loops
}

fn contains(statement: &Statement, inner: &Expr) -> bool {
    let mut found = false;
    visit::expressions_of_statement(statement, &mut |e| found |= std::ptr::eq(e, inner));
    found
}

/// Whether the loop's body passes the variable's address to a call on its first level, where
/// nothing decides whether it runs.
fn gives_value(statement: &Statement, root: &Rc<str>) -> bool {
    let body = match &statement.kind {
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::For { body, .. } => body,
        _ => return false,
    };
    let StatementKind::Block(block) = &body.kind else { return false };
    block.items.iter().any(|item| {
        let BlockItem::Statement(Statement { kind: StatementKind::Expr(expr), .. }) = item else {
            return false;
        };
        matches!(&expr.kind, ExprKind::Call { args, .. }
            if args.first().is_some_and(|arg| is_address_of(arg, root)))
    })
}

fn is_address_of(arg: &Expr, root: &Rc<str>) -> bool {
    matches!(&arg.kind, ExprKind::Unary { op: UnaryOp::AddressOf, operand }
        if named(operand).is_some_and(|place| place.root == root))
}

/// Whether the loop is `for (...; ...; i++)` and changes i nowhere else.
pub(super) fn counts(statement: &Statement, index: &Rc<str>) -> bool {
    let StatementKind::For { init, step: Some(step), body, .. } = &statement.kind else {
        return false;
    };
    let fresh = match init {
        ForInit::None => false,
        ForInit::Expr(_) | ForInit::Declaration(_) => true,
    };
    let mut changed = false;
    visit::expressions_of_statement(body, &mut |e| {
        changed |= match &e.kind {
            ExprKind::Assign { target, .. } => is_name(target, index),
            ExprKind::Unary { op, operand } => {
                (changes(*op) || *op == UnaryOp::AddressOf) && is_name(operand, index)
            }
            _ => false,
        };
    });
    let ExprKind::Unary { op, operand } = &step.kind else { return false };
    fresh && !changed && changes(*op) && is_name(operand, index)
}

fn is_name(expr: &Expr, name: &Rc<str>) -> bool {
    matches!(&expr.kind, ExprKind::Ident(ident) if ident.name == *name)
}

fn changes(op: UnaryOp) -> bool {
    matches!(
        op,
        UnaryOp::PreIncrement
            | UnaryOp::PreDecrement
            | UnaryOp::PostIncrement
            | UnaryOp::PostDecrement
    )
}

pub(super) fn is_local(function: &FunctionDef, name: &Rc<str>) -> bool {
    let mut found = false;
    visit::declarations(&function.body, &mut |declaration| {
        let fixed = declaration.specifiers.storage.is_some();
        let mut names = declaration.declarators.iter().filter_map(|d| d.declarator.name.as_ref());
        found |= !fixed && names.any(|n| n.name == *name);
    });
    found
}
