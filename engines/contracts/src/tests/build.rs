//! A few words for building formulas.

use cranelift_entity::PrimaryMap;
use selvedge_ir::spec::{
    AbstractAction, Binding, Clause, Contract, Formula, Target, Variable, When,
};
use selvedge_ir::{
    BinaryOp, Const, Expr, Int, LayoutId, LocalId, Place, ProcId, Program, Span, Type,
};

pub struct Build<'p> {
    program: &'p Program,
    variables: PrimaryMap<LocalId, Variable>,
}

impl<'p> Build<'p> {
    pub fn new(program: &'p Program) -> Build<'p> {
        Build { program, variables: PrimaryMap::new() }
    }

    pub fn bind(&mut self, ty: Type, binding: Binding) -> Expr {
        let name = format!("v{}", self.variables.len());
        Expr::Local(self.variables.push(Variable { name, ty, binding }))
    }

    /// A global, before or after the step.
    pub fn global(&mut self, name: &str, ty: Type, when: When) -> Expr {
        let object = self.program.object_named(name).unwrap();
        self.bind(ty, Binding::Read { place: Place::object(object, 0, ty), when })
    }

    pub fn int(&mut self, name: &str, when: When) -> Expr {
        self.global(name, Type::Int(Int::I32), when)
    }

    pub fn holder(&mut self, name: &str, when: When) -> Expr {
        self.global(name, Type::Thread, when)
    }

    pub fn each(&mut self, layout: &str) -> Expr {
        let layout = layout_named(self.program, layout);
        self.bind(Type::Ptr, Binding::Forall(Some(layout)))
    }

    pub fn member(&mut self, pointer: &Expr, offset: i64, ty: Type, when: When) -> Expr {
        let place = Place::new(at(pointer, offset), ty);
        self.bind(ty, Binding::Read { place, when })
    }

    pub fn clause(self, body: Expr, text: &str) -> Clause {
        let formula = Formula { variables: self.variables, body };
        Clause { formula, text: text.to_owned(), span: Span::NONE }
    }

    pub fn target(self, address: Expr, ty: Type, text: &str) -> Target {
        let address = Formula { variables: self.variables, body: address };
        Target { address, ty, ghost: None, text: text.to_owned(), span: Span::NONE }
    }
}

pub fn at(pointer: &Expr, offset: i64) -> Expr {
    match offset {
        0 => pointer.clone(),
        _ => Expr::binary(BinaryOp::PtrAdd, pointer.clone(), Expr::int(offset.into(), Int::I64)),
    }
}

pub fn layout_named(program: &Program, name: &str) -> LayoutId {
    program.layouts.iter().find(|(_, layout)| layout.name == name).unwrap().0
}

pub fn eq(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Eq, a, b)
}

pub fn le(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Le, a, b)
}

pub fn and(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::And, a, b)
}

pub fn or(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Or, a, b)
}

pub fn implies(a: Expr, b: Expr) -> Expr {
    or(a.not(), b)
}

pub fn number(value: i128) -> Expr {
    Expr::int(value, Int::I32)
}

pub fn nobody() -> Expr {
    Expr::Const(Const::NoThread)
}

/// `holder(m) == tid ==> x' == x`.
pub fn guarded_by(program: &Program, lock: &str, x: &str, ty: Type) -> Clause {
    let mut b = Build::new(program);
    let holder = b.holder(lock, When::Before);
    let (old, new) = (b.global(x, ty, When::Before), b.global(x, ty, When::After));
    b.clause(implies(eq(holder, Expr::Tid), eq(new, old)), &format!("{x} is guarded by {lock}"))
}

pub fn global_target(program: &Program, name: &str, ty: Type) -> Target {
    let object = program.object_named(name).unwrap();
    Build::new(program).target(Expr::object(object), ty, name)
}

pub fn contract(procedure: ProcId) -> Contract {
    Contract {
        procedure,
        requires: Vec::new(),
        modifies: Vec::new(),
        actions: Vec::new(),
        ensures: Vec::new(),
        span: Span::NONE,
    }
}

pub fn action(modifies: Vec<Target>, ensures: Vec<Clause>) -> AbstractAction {
    AbstractAction { modifies, ensures, span: Span::NONE }
}
