//! What an expression must not do to be a formula, and where quantifiers stand in it.

use selvedge_c_syntax::Diagnostic;
use selvedge_c_syntax::ast::{BinaryOp, BlockItem, Expr, ExprKind, Span, StatementKind, UnaryOp};
use selvedge_c_syntax::specification::{AFTER, EXISTS, FORALL};

use super::States;
use crate::lowering::{Lowering, Polarities};

/// Words that stand for functions, with the number of their arguments.
const WORDS: [(&str, usize); 14] = [
    (AFTER, 1),
    (FORALL, 1),
    (EXISTS, 1),
    ("\\old", 1),
    ("\\holder", 1),
    ("\\runs", 1),
    ("\\length", 1),
    ("\\alive", 1),
    ("\\other", 1),
    ("\\count", 1),
    ("\\in", 2),
    ("\\add", 2),
    ("\\remove", 2),
    ("\\update", 3),
];

pub(super) const ALL_WORDS: &str = "the words are `\\tid`, `\\main`, `\\result`, `\\holder(m)`, \
    `\\runs(f)`, `\\old(x)`, `\\length(p)`, `\\alive(p)`, `\\forall`, `\\exists`, `\\empty`, \
    `\\count(s)`, `\\in(t, s)`, `\\add(s, t)`, `\\remove(s, t)`, `\\update(m, t, v)`";

/// The word that an expression calls, and its arguments.
pub(crate) fn word_called(expr: &Expr) -> Option<(&str, Span, &[Expr])> {
    let ExprKind::Call { callee, args } = &expr.kind else { return None };
    match &callee.kind {
        ExprKind::Ident(name) if name.name.starts_with('\\') => Some((&name.name, name.span, args)),
        _ => None,
    }
}

/// The expression of a quantifier's block.
pub(super) fn quantified(args: &[Expr]) -> Option<&Expr> {
    let [Expr { kind: ExprKind::StatementExpr(block), .. }] = args else { return None };
    match block.items.last()? {
        BlockItem::Statement(statement) => match &statement.kind {
            StatementKind::Expr(body) => Some(body),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a word stands somewhere in a formula.
pub(super) fn mentions(formula: &Expr, word: &str) -> bool {
    let mut found = false;
    walk(formula, &mut |e| found |= word_called(e).is_some_and(|(name, ..)| name == word));
    found
}

pub(crate) fn has_quantifier(formula: &Expr) -> bool {
    mentions(formula, FORALL) || mentions(formula, EXISTS)
}

/// Calls `f` on the expression and its parts.
pub(super) fn walk<'e>(expr: &'e Expr, f: &mut impl FnMut(&'e Expr)) {
    f(expr);
    for part in parts(expr) {
        walk(part, f);
    }
}

fn parts(expr: &Expr) -> Vec<&Expr> {
    if let Some((_, _, args)) = word_called(expr) {
        return quantified(args).map_or_else(|| args.iter().collect(), |body| vec![body]);
    }
    match &expr.kind {
        ExprKind::Index { array: a, index: b }
        | ExprKind::Binary { left: a, right: b, .. }
        | ExprKind::Assign { target: a, value: b, .. }
        | ExprKind::Comma { left: a, right: b } => vec![a, b],
        ExprKind::Call { callee, args } => std::iter::once(&**callee).chain(args).collect(),
        ExprKind::Member { object: a, .. }
        | ExprKind::Unary { operand: a, .. }
        | ExprKind::Cast { operand: a, .. } => vec![a],
        ExprKind::Conditional { condition, then, otherwise } => {
            let then = then.as_deref();
            [Some(&**condition), then, Some(&**otherwise)].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

impl Lowering<'_> {
    /// Reports what keeps the expression from being a formula.
    pub(super) fn check_formula(&mut self, formula: &Expr, states: States) -> Option<Polarities> {
        let mut wrong: Vec<Diagnostic> = Vec::new();
        let (mut old, mut prime) = (None, None);
        walk(formula, &mut |e| {
            if let Some(what) = effect(e) {
                let text = format!("a formula {what}");
                let help = "it must not change variables, call functions or contain statements";
                wrong.push(Diagnostic::error("annotation", text).at(e.span).help(help));
            }
            if let Some((word, span, args)) = word_called(e) {
                wrong.extend(wrong_word(word, span, args));
                match word {
                    AFTER => prime = prime.or(Some(e.span)),
                    "\\old" => old = old.or(Some(e.span)),
                    _ => {}
                }
            }
        });
        let beyond = match states {
            States::One => old.or(prime),
            States::Past => prime,
            States::Two => None,
        };
        match (states, beyond) {
            (_, Some(span)) => {
                let text = "this formula speaks of one state only";
                let help = "primes and `\\old` belong into `env_assumption`, `action`, `ensures` \
                            and the transitions of abstract threads; assertions of abstract threads \
                            may have `\\old`";
                wrong.push(Diagnostic::error("annotation", text).at(span).help(help));
            }
            (States::Two, _) if old.is_some() && prime.is_some() => {
                let text = "a formula is written with primes or with `\\old`, not with both";
                let help = "with primes, x is before the step and x' after it; with `\\old`, \
                            `\\old(x)` is before the step and x after it";
                let span = prime.unwrap_or(formula.span);
                wrong.push(Diagnostic::error("annotation", text).at(span).help(help));
            }
            _ => {}
        }
        let mut found = Polarities::new();
        polarities(formula, Some(true), &mut found, &mut wrong);
        let fine = wrong.is_empty();
        wrong.into_iter().for_each(|error| self.report(error));
        fine.then_some(found)
    }
}

fn effect(expr: &Expr) -> Option<&'static str> {
    match &expr.kind {
        ExprKind::Assign { .. } => Some("changes a variable"),
        ExprKind::Unary {
            op:
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement,
            ..
        } => Some("changes a variable"),
        ExprKind::Call { .. } if word_called(expr).is_none() => Some("calls a function"),
        ExprKind::StatementExpr(_) => Some("contains statements"),
        ExprKind::CompoundLiteral { .. } => Some("makes an object"),
        ExprKind::VaArg { .. } => Some("takes an argument"),
        _ => None,
    }
}

fn wrong_word(word: &str, span: Span, args: &[Expr]) -> Option<Diagnostic> {
    let text = match WORDS.iter().find(|(known, _)| *known == word) {
        None => format!("`{word}` is not a word of specifications"),
        Some(_) if word == "\\other" => {
            "`\\other` belongs into `predicate`; here other threads are `\\forall`".to_string()
        }
        Some((_, count)) if *count != args.len() => {
            let s = if *count == 1 { "" } else { "s" };
            format!("`{word}` takes {count} argument{s}, not {}", args.len())
        }
        Some(_) => return None,
    };
    Some(Diagnostic::error("annotation", text).at(span).help(ALL_WORDS))
}

/// Finds the quantifiers. One that stands where it is neither asserted nor denied has no prenex
/// form.
fn polarities(
    expr: &Expr,
    polarity: Option<bool>,
    found: &mut Polarities,
    wrong: &mut Vec<Diagnostic>,
) {
    if let Some((FORALL | EXISTS, span, args)) = word_called(expr) {
        match (polarity, quantified(args)) {
            (Some(positive), Some(body)) => {
                found.insert(args.as_ptr(), positive);
                polarities(body, polarity, found, wrong);
            }
            _ => {
                let text = "a quantifier cannot stand inside this expression";
                let help = "it may stand under `!`, `&&`, `||` and `==>` only";
                wrong.push(Diagnostic::error("annotation", text).at(span).help(help));
            }
        }
        return;
    }
    let inner = match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Not, .. } => polarity.map(|positive| !positive),
        ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => polarity,
        _ => None,
    };
    for part in parts(expr) {
        polarities(part, inner, found, wrong);
    }
}
