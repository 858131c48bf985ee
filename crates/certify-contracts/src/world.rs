//! What all paths share: the terms, and what never changes during an execution.
//!
//! Which procedure a thread was started in, how large an object is and which site made it are maps that
//! no step changes: numbers are not used twice, so they say what will be, too.

use selvedge_ir::{Expr, LocalId, ObjectId, Procedure, Type};
use selvedge_smt::translate::{
    Arithmetic, Objects, Scope, Sym, Translated, Translator, Types, Wrap,
};
use selvedge_smt::{Sort, Term, Terms};

use crate::ask::Asker;
use crate::assumed::Assumed;
use crate::memory::Memory;
use crate::near::Near;
use crate::path::Path;
use crate::subject::Subject;

pub(crate) struct World<'a> {
    pub subject: &'a Subject,
    pub terms: Terms,
    pub types: Types,
    pub objects: Objects,
    pub asker: Asker,
    pub near: Near,
    /// What is assumed.
    pub assumed: Assumed<'a>,
    later: Option<Memory>,
    /// Whether there is another way to show what is asked: then little is spent on it.
    pub hopeful: bool,
    /// The thread that runs the procedure, and the first of the program.
    pub tid: Term,
    pub main: Term,
    pub started: Term,
    pub sizes: Term,
    pub sites: Term,
    /// How many threads each set has.
    pub counts: Term,
}

impl<'a> World<'a> {
    pub fn new(subject: &'a Subject, asker: Asker, assumed: Assumed<'a>) -> World<'a> {
        let program = &subject.program;
        let arithmetic = Arithmetic::Integers(Wrap::Modular);
        let types = Types { arithmetic, model: program.model };
        let mut terms = Terms::new();
        let numbers = terms.array_sort(Sort::Int, Sort::Int);
        let set = terms.array_sort(Sort::Int, Sort::Bool);
        let counts = terms.array_sort(set, Sort::Int);
        let (tid, main) = (terms.var("tid", Sort::Int), terms.var("main", Sort::Int));
        World {
            tid,
            main,
            near: Near::new(&[tid, main]),
            later: None,
            hopeful: false,
            started: terms.var("started", numbers),
            sizes: terms.var("sizes", numbers),
            sites: terms.var("sites", numbers),
            counts: terms.var("counts", counts),
            objects: Objects::new(program),
            subject,
            terms,
            types,
            asker,
            assumed,
        }
    }

    /// Any memory: which objects several threads know may change on the way. Nothing is ever known of it.
    pub fn later(&mut self) -> Memory {
        if let Some(known) = &self.later {
            return known.clone();
        }
        let memory = self.any_memory("later");
        self.later.insert(memory).clone()
    }

    pub fn first_free(&mut self) -> Term {
        self.terms.int(self.objects.first_free())
    }

    /// A new value of a type.
    pub fn value(&mut self, path: &mut Path, name: &str, ty: Type) -> Sym {
        let sorts = self.types.sorts(ty);
        let parts: Vec<Term> = sorts.iter().map(|&sort| self.terms.fresh(name, sort)).collect();
        let value = Sym::from_terms(&parts);
        self.in_range(path, value, ty);
        value
    }

    pub fn in_range(&mut self, path: &mut Path, value: Sym, ty: Type) {
        let fact = self.types.in_range(&mut self.terms, value, ty);
        self.fact(path, fact);
    }

    /// What holds on a path, once.
    pub fn fact(&mut self, path: &mut Path, fact: Term) {
        if fact != self.terms.bool(true) && path.known.insert(fact) {
            path.facts.push(fact);
            self.near.add(&self.terms, fact);
        }
    }

    pub fn translate(
        &mut self,
        path: &mut Path,
        procedure: &Procedure,
        expr: &Expr,
        values: &dyn Fn(LocalId) -> Sym,
        tid: Term,
    ) -> Translated {
        let mut scope = Values { values, tid };
        let program = &self.subject.program;
        let arithmetic = self.types.arithmetic;
        let mut translator = Translator::new(&mut self.terms, program, procedure, arithmetic);
        let translated = translator.translate(expr, &mut scope);
        for &(value, ty) in &translated.unknowns {
            self.in_range(path, value, ty);
        }
        translated
    }
}

struct Values<'v> {
    values: &'v dyn Fn(LocalId) -> Sym,
    tid: Term,
}

impl Scope for Values<'_> {
    fn local(&mut self, local: LocalId) -> Sym {
        (self.values)(local)
    }

    fn thread(&mut self) -> Term {
        self.tid
    }

    fn own_object(&mut self, _: ObjectId) -> Term {
        panic!("invariant: programs that mention such variables are refused")
    }
}
