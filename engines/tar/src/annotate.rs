//! The proof as annotations: what each thread assumes of the others, in the syntax of comments.
//!
//! An assumption begins with the thread that makes it (`\runs(f)`, `\tid == \main`), since the
//! assumptions of a specification are those of every thread. It speaks of what threads share: the
//! thread's own locals are taken out of it. What has no name in C is told to people only.

use std::fmt::Write;

use selvedge_ir::Type;
use selvedge_smt::{Op, Term};

use super::Place;
use super::bdd::{Bdd, FALSE};
use super::literal::Slot;
use super::model::Model;
use super::predicates::PredicateId;
use super::reach::Reach;
use selvedge_system::{At, End, TemplateId, What};

/// More alternatives than this say nothing to people.
const MANY: usize = 8;

/// When the others leave a shared variable alone, by thread.
#[derive(Clone, Debug)]
pub struct Assumed {
    pub template: TemplateId,
    /// A position among the shared variables.
    pub variable: usize,
    /// Alternatives, each a conjunction of predicates and negated ones.
    pub when: Vec<Vec<(Term, bool)>>,
}

/// What a proof says, for people.
#[derive(Clone, Debug)]
pub struct Assumptions {
    assumed: Vec<Assumed>,
    /// What is never true, each a conjunction of predicates and negated ones.
    never: Vec<Vec<(Term, bool)>>,
}

impl Assumptions {
    pub fn of(reach: &mut Reach) -> Assumptions {
        Assumptions { assumed: Assumed::all(reach), never: never(reach) }
    }

    /// Whether all threads that start in the same procedure assume it: `\runs` does not tell them
    /// apart.
    fn shared_by_twins(&self, model: &Model, assumed: &Assumed) -> bool {
        let procedure = model.template(assumed.template).procedure;
        let twins = model.ids().filter(|&id| model.template(id).procedure == procedure);
        let as_text = |of: &Assumed| -> Vec<String> {
            let show = Show { model, template: of.template };
            of.when.iter().map(|cube| show.cube(cube)).collect()
        };
        let text = as_text(assumed);
        twins.into_iter().all(|id| {
            let of = self.assumed.iter().filter(|a| a.template == id);
            of.into_iter().any(|a| a.variable == assumed.variable && as_text(a) == text)
        })
    }
}

/// The procedure's name in that of a template: `worker` in `worker#2`.
fn name_of(template: &str) -> &str {
    template.split('#').next().unwrap_or(template)
}

/// What no reached state satisfies, in words of the program. It is read off the states of threads
/// that run from the beginning and never end, so it is true in all states.
fn never(reach: &mut Reach) -> Vec<Vec<(Term, bool)>> {
    let lasting = reach.space.model.ids().find(|&id| {
        let template = reach.space.model.template(id);
        template.initial && template.steps.iter().all(|step| step.end != End::To(At::Ended))
    });
    let Some(template) = lasting else { return Vec::new() };
    let (reached, _) = seen(reach, template, FALSE);
    let space = &mut *reach.space;
    let own: Vec<u32> = space
        .predicates
        .ids()
        .filter(|&p| space.predicates.get(p).owner.is_some())
        .map(|p| space.variable(p, Slot::Now))
        .collect();
    let own = space.diagrams.variables(own);
    let reached = space.diagrams.exists(reached, own);
    let consistent = space.states[template.0 as usize];
    let consistent = space.diagrams.exists(consistent, own);
    let excluded = space.diagrams.not(reached);
    let telling = space.diagrams.and(excluded, consistent);
    // Where few are left out, so many cubes say nothing to people.
    let cubes = space.diagrams.cubes(telling, excluded, MANY).unwrap_or_default();
    cubes.iter().map(|cube| literals(reach, cube)).collect()
}

fn literals(reach: &Reach, cube: &[(u32, bool)]) -> Vec<(Term, bool)> {
    let space = &reach.space;
    let term = |v: u32| space.predicates.get(space.predicate_of(v)).term;
    cube.iter().map(|&(v, positive)| (term(v), positive)).collect()
}

impl Assumed {
    /// From the final assumptions: a variable stays as it is where no step that changes it can
    /// happen.
    pub fn all(reach: &mut Reach) -> Vec<Assumed> {
        let mut found = Vec::new();
        for template in reach.space.model.ids() {
            for variable in 0..reach.space.model.shared.len() {
                let shared = &reach.space.model.shared[variable];
                if shared.ghost.is_some() || !matches!(shared.what, Some(What::Cell { .. })) {
                    continue;
                }
                let changed = changed(reach, template, shared.term);
                let (reached, possible) = seen(reach, template, changed);
                let diagrams = &mut reach.space.diagrams;
                let same = diagrams.minus(reached, possible);
                let allowed = diagrams.not(possible);
                let cubes = diagrams.cubes(same, allowed, MANY).unwrap_or_default();
                if !cubes.is_empty() {
                    let when = cubes.iter().map(|cube| literals(reach, cube)).collect();
                    found.push(Assumed { template, variable, when });
                }
            }
        }
        found
    }
}

/// Where some step of another thread may change the variable, as the observer sees it.
fn changed(reach: &mut Reach, observer: TemplateId, variable: Term) -> Bdd {
    let mut all = FALSE;
    for id in reach.space.transitions.environment[observer.0 as usize].clone() {
        let transition = reach.space.transitions.get(id);
        if !transition.next.contains_key(&variable) {
            continue;
        }
        let (Some(mover), Some(from)) = (transition.mover, transition.mover_from) else { continue };
        let region = reach.region((mover, from));
        let region = reach.space.as_mover(mover, region);
        let relation = reach.space.relation(id).relation;
        let predicates: Vec<_> = reach.space.predicates.ids().collect();
        let gone: Vec<u32> = predicates
            .iter()
            .flat_map(|&p| [Slot::Next, Slot::Mover].map(|slot| reach.space.variable(p, slot)))
            .collect();
        let gone = reach.space.diagrams.variables(gone);
        let done = reach.space.diagrams.and_exists(region, relation, gone);
        all = reach.space.diagrams.or(all, done);
    }
    all
}

/// Where the thread can be at all, and where a change can happen while it is there, in words of the
/// program: for some values of ghost variables and the ends of threads.
fn seen(reach: &mut Reach, observer: TemplateId, changed: Bdd) -> (Bdd, Bdd) {
    let mut reached = FALSE;
    let regions: Vec<(Place, Bdd)> = reach.regions.iter().map(|(p, r)| (*p, *r)).collect();
    for (_, region) in regions.into_iter().filter(|((template, _), _)| *template == observer) {
        reached = reach.space.diagrams.or(reached, region);
    }
    let space = &mut *reach.space;
    let foreign: Vec<Term> = space
        .model
        .shared
        .iter()
        .filter(|s| !matches!(s.what, Some(What::Cell { .. })))
        .map(|s| s.term)
        .chain(space.model.counts.iter().map(|count| count.inside))
        .collect();
    let mentions = |p: &PredicateId| {
        let predicate = space.predicates.get(*p);
        predicate.owner.is_some() || predicate.variables.iter().any(|v| foreign.contains(v))
    };
    let gone: Vec<u32> =
        space.predicates.ids().filter(mentions).map(|p| space.variable(p, Slot::Now)).collect();
    let gone = space.diagrams.variables(gone);
    let possible = space.diagrams.and_exists(changed, reached, gone);
    (space.diagrams.exists(reached, gone), possible)
}

/// A clause of a specification, or what cannot be one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    word: &'static str,
    text: String,
    /// Whether it can be written in C.
    written: bool,
}

impl Said {
    fn line(&self) -> String {
        let Said { word, text, written } = self;
        match written {
            true => format!("/*@ {word} {text}; */"),
            false => format!("{word} {text} (not to be written as an annotation)"),
        }
    }
}

/// All assumptions as text, thread by thread, and what is true in all states.
pub fn text(model: &Model, assumptions: &Assumptions) -> String {
    let mut out = String::new();
    for said in assumptions.never.iter().map(|cube| invariant(model, cube)) {
        let _ = writeln!(out, "{}", said.line());
    }
    for id in model.ids() {
        let template = model.template(id);
        let number = if template.pool { " (any number)" } else { "" };
        let _ = writeln!(out, "thread {}{number} assumes of the others:", template.name);
        for assumed in assumptions.assumed.iter().filter(|assumed| assumed.template == id) {
            let _ = writeln!(out, "  {}", assumption(model, assumptions, assumed).line());
        }
    }
    out
}

/// What can be written in C, as clauses.
pub fn clauses(model: &Model, assumptions: &Assumptions) -> Vec<String> {
    let invariants = assumptions.never.iter().map(|cube| invariant(model, cube));
    let assumed = assumptions.assumed.iter();
    let assumed = assumed.map(|assumed| assumption(model, assumptions, assumed));
    let written = invariants.chain(assumed).filter(|said| said.written);
    let mut found: Vec<String> = Vec::new();
    for said in written {
        let clause = format!("{} {};", said.word, said.text);
        if !found.contains(&clause) {
            found.push(clause);
        }
    }
    found
}

fn invariant(model: &Model, cube: &[(Term, bool)]) -> Said {
    let show = Show { model, template: TemplateId(0) };
    let written = cube.iter().all(|(term, _)| show.in_c(*term));
    Said { word: "global_invariant", text: denied(model, cube), written }
}

/// That a variable stays as it is, by the thread that assumes it.
fn assumption(model: &Model, all: &Assumptions, assumed: &Assumed) -> Said {
    let show = Show { model, template: assumed.template };
    let variable = model.shared[assumed.variable].term;
    let name = show.variable(variable);
    let same = format!("{name}' == {name}");
    let when: Vec<String> = assumed.when.iter().map(|cube| show.cube(cube)).collect();
    let template = model.template(assumed.template);
    let initial = model.ids().filter(|&id| model.template(id).initial).count();
    let whose = match template.initial && !template.pool && initial == 1 {
        true => "\\tid == \\main".to_owned(),
        false => format!("\\runs({})", name_of(&template.name)),
    };
    let condition = match when.join(" || ") {
        always if always == "1" => whose,
        one if when.len() == 1 => format!("{whose} && {one}"),
        several => format!("{whose} && ({several})"),
    };
    let mut terms = assumed.when.iter().flatten().map(|(term, _)| *term);
    let written = show.in_c(variable)
        && terms.all(|term| show.in_c(term))
        && all.shared_by_twins(model, assumed);
    Said { word: "env_assumption", text: format!("{condition} ==> {same}"), written }
}

/// That a conjunction is not true: all but the last imply that the last is not.
fn denied(model: &Model, cube: &[(Term, bool)]) -> String {
    let show = Show { model, template: TemplateId(0) };
    match cube.split_last() {
        None => "0".into(),
        Some((&(term, positive), rest)) => {
            let last = show.cube(&[(term, !positive)]);
            match rest {
                [] => last,
                _ => format!("{} ==> {last}", show.cube(rest)),
            }
        }
    }
}

/// Terms as C expressions, as a thread of the template would write them.
pub struct Show<'a> {
    pub model: &'a Model,
    pub template: TemplateId,
}

impl Show<'_> {
    fn cube(&self, cube: &[(Term, bool)]) -> String {
        if cube.is_empty() {
            return "1".into();
        }
        let parts: Vec<String> = cube
            .iter()
            .map(|&(term, positive)| if positive { self.term(term) } else { self.negated(term) })
            .collect();
        parts.join(" && ")
    }

    fn negated(&self, term: Term) -> String {
        let args = self.model.terms.args(term);
        match self.model.terms.op(term) {
            Op::Eq => self.equal(term, "!="),
            Op::Le => format!("{} > {}", self.term(args[0]), self.term(args[1])),
            Op::Var(_) => format!("!{}", self.term(term)),
            _ => format!("!({})", self.term(term)),
        }
    }

    /// Two sides, a constant on the right.
    fn equal(&self, term: Term, sign: &str) -> String {
        let args = self.model.terms.args(term);
        let constant = matches!(self.model.terms.op(args[0]), Op::Const(_));
        let (left, right) = if constant { (args[1], args[0]) } else { (args[0], args[1]) };
        format!("{} {sign} {}", self.operand(left, term), self.operand(right, term))
    }

    pub fn term(&self, term: Term) -> String {
        let terms = &self.model.terms;
        let args = terms.args(term);
        let infix = |op: &str| {
            let parts: Vec<String> = args.iter().map(|&arg| self.operand(arg, term)).collect();
            parts.join(&format!(" {op} "))
        };
        match terms.op(term) {
            Op::Var(_) => self.variable(term),
            Op::Const(value) => match value.as_bool() {
                Some(known) => u8::from(known).to_string(),
                None => {
                    value.as_int().map_or_else(|| terms.show(term).to_string(), |n| n.to_string())
                }
            },
            Op::Not => self.negated(args[0]),
            Op::And => infix("&&"),
            Op::Or => infix("||"),
            Op::Eq => self.equal(term, "=="),
            Op::Le => infix("<="),
            Op::Lt => infix("<"),
            Op::Add => infix("+"),
            Op::Mul => infix("*"),
            Op::Mod => infix("%"),
            Op::Ite => {
                let [a, b, c] = [0, 1, 2].map(|i| self.operand(args[i], term));
                format!("({a} ? {b} : {c})")
            }
            _ => terms.show(term).to_string(),
        }
    }

    /// An operand, in brackets where it has parts itself; a thread's number as itself.
    fn operand(&self, term: Term, whole: Term) -> String {
        let own = self.model.template(self.template).tid;
        let about_threads = self.model.terms.args(whole).iter().any(|&arg| self.is_thread(arg));
        if term == own && about_threads {
            return "\\tid".into();
        }
        match self.model.terms.op(term) {
            Op::Var(_) | Op::Const(_) | Op::Select => self.term(term),
            _ => format!("({})", self.term(term)),
        }
    }

    /// Whether the text of a term is an expression of C over what threads share.
    fn in_c(&self, term: Term) -> bool {
        let terms = &self.model.terms;
        let args = terms.args(term);
        let fits = match terms.op(term) {
            Op::Var(_) => {
                let shared = self.model.shared.iter().any(|s| {
                    s.term == term && s.ghost.is_none() && matches!(s.what, Some(What::Cell { .. }))
                });
                term == self.model.template(self.template).tid
                    || shared && is_path(&self.variable(term))
            }
            Op::Const(value) => value.as_bool().is_some() || value.as_int().is_some(),
            Op::Eq => args.iter().all(|&arg| self.is_comparable(arg, term)),
            Op::Not | Op::And | Op::Or | Op::Le | Op::Lt | Op::Add | Op::Mul | Op::Ite => true,
            _ => false,
        };
        fits && args.iter().all(|&arg| self.in_c(arg))
    }

    /// A thread compares with the executing thread and with none; other numbers of threads have no
    /// name.
    fn is_comparable(&self, term: Term, whole: Term) -> bool {
        let about_threads = self.model.terms.args(whole).iter().any(|&arg| self.is_thread(arg));
        let own = self.model.template(self.template).tid;
        match self.model.terms.op(term) {
            Op::Const(value) if about_threads => {
                term == own || value.as_int().is_some_and(|number| number.to_string() == "0")
            }
            _ => true,
        }
    }

    fn is_thread(&self, variable: Term) -> bool {
        let is = |what: &What| matches!(what, What::Cell { ty: Type::Thread, .. } | What::Token);
        self.model.shared.iter().any(|s| s.term == variable && s.what.as_ref().is_some_and(is))
    }

    fn variable(&self, variable: Term) -> String {
        let terms = &self.model.terms;
        let name = terms.name(variable).unwrap_or("?").to_owned();
        let template = self.model.template(self.template);
        if variable == template.tid {
            return "\\tid".into();
        }
        if self.is_thread(variable) {
            return match name.strip_suffix(".holder") {
                Some(mutex) => format!("\\holder({mutex})"),
                None => name,
            };
        }
        match name.strip_prefix(&format!("{}!", template.name)) {
            Some(local) => local.to_owned(),
            None => name,
        }
    }
}

/// Whether a name is a variable of C, a member or an element of one: `a.b[2].c`.
fn is_path(name: &str) -> bool {
    let name = name.strip_prefix("\\holder(").and_then(|n| n.strip_suffix(')')).unwrap_or(name);
    let is_word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split('.').all(|part| {
        let mut pieces = part.split('[');
        let indexed = |piece: &str| {
            let index = piece.strip_suffix(']');
            index.is_some_and(|i| !i.is_empty() && i.chars().all(|c| c.is_ascii_digit()))
        };
        pieces.next().is_some_and(is_word) && pieces.all(indexed)
    })
}
