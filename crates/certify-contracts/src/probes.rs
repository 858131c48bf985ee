//! What formulas read, as loads of the program.
//!
//! Memory is a map for each type, so a formula that reads a place at another type than the program would
//! see nothing of what the program writes there. The analysis of where pointers lead tells at which types
//! places are accessed; it gets the program with the loads of all formulas added to it. They stand beside
//! edges of the program, which keep their numbers, and the analysis takes no notice of the order.

use rustc_hash::FxHashSet;
use selvedge_ir::spec::{Binding, Contract, Formula, GhostAction};
use selvedge_ir::{
    Action, BinaryOp, Const, EdgeId, Expr, LayoutId, LocalId, LocationId, Mode, Place, ProcId,
    Program, Shape, Span, Type,
};

/// A program with loads, and where these are.
pub(crate) struct Probed {
    pub program: Program,
    pub loads: Vec<(ProcId, EdgeId, Place, Span)>,
    /// The places of annotations in bodies that read memory of which the program does not say where it
    /// is.
    pub lost: Vec<Span>,
    /// Members of all objects that are loaded already.
    members: FxHashSet<(LayoutId, i64, Type)>,
}

/// Where a load is put.
#[derive(Clone, Copy)]
struct At {
    procedure: ProcId,
    location: LocationId,
    span: Span,
}

impl Probed {
    pub fn of(program: &Program) -> Probed {
        let mut probed = Probed {
            program: program.clone(),
            loads: Vec::new(),
            lost: Vec::new(),
            members: FxHashSet::default(),
        };
        for (procedure, body) in &program.procedures {
            for (id, edge) in body.edges() {
                if let Action::Ghost(ghost) = &edge.action {
                    let at = At { procedure, location: id.from, span: edge.span };
                    probed.annotation(ghost, at);
                }
            }
        }
        for contract in &program.spec.contracts {
            probed.contract(program, contract);
        }
        let first = program.threads.first().map(|thread| thread.procedure);
        if let Some(procedure) = first.or_else(|| program.procedures.keys().next()) {
            let location = program.procedures[procedure].entry;
            for clause in program.spec.environment.iter().chain(&program.spec.invariants) {
                probed.formula(&clause.formula, &[], At { procedure, location, span: clause.span });
            }
        }
        probed
    }

    fn annotation(&mut self, action: &GhostAction, at: At) {
        for formula in action.formulas() {
            if !self.formula(formula, &[], at) {
                self.lost.push(at.span);
            }
        }
    }

    fn contract(&mut self, program: &Program, contract: &Contract) {
        let body = &program.procedures[contract.procedure];
        let actions = contract.actions.iter().flat_map(|action| &action.ensures);
        for clause in contract.requires.iter().chain(&contract.ensures).chain(actions) {
            let (procedure, location) = (contract.procedure, body.entry);
            self.formula(
                &clause.formula,
                &body.params,
                At { procedure, location, span: clause.span },
            );
        }
    }

    /// Adds the loads of a formula; whether that is all that it reads.
    fn formula(&mut self, formula: &Formula, params: &[LocalId], at: At) -> bool {
        let mut all = true;
        let mut values: Vec<Option<Expr>> = Vec::new();
        for variable in formula.variables.values() {
            let value = match &variable.binding {
                Binding::Value(value) => Some(value.clone()),
                Binding::Parameter(number) => {
                    params.get(*number as usize).map(|&param| Expr::Local(param))
                }
                Binding::Read { place, .. } => {
                    let known = substituted(&place.addr, &values);
                    let element = formula.element_at(&place.addr);
                    match (known, element) {
                        (Some(addr), _) => Some(self.load(addr, place.ty, at)),
                        (None, Some((_, layout, offset))) => {
                            self.elements(layout, offset, place.ty, at.span);
                            None
                        }
                        (None, None) => {
                            all = false;
                            None
                        }
                    }
                }
                _ => None,
            };
            // Any number may be an index; where a pointer leads has to be known.
            let any = (variable.ty != Type::Ptr).then(|| self.any(variable.ty, at));
            values.push(value.or(any));
        }
        all
    }

    fn any(&mut self, ty: Type, at: At) -> Expr {
        Expr::Local(self.program.procedures[at.procedure].add_local("probe", ty, false))
    }

    fn load(&mut self, addr: Expr, ty: Type, at: At) -> Expr {
        let place = Place::new(addr, ty);
        let body = &mut self.program.procedures[at.procedure];
        let to = body.add_local("probe", ty, false);
        let edges = &body.locations[at.location].edges;
        let index = edges.len() as u32;
        let target = edges.first().map_or(body.exit, |edge| edge.target);
        let action = Action::Load { to, from: place.clone(), mode: Mode::Plain };
        body.add_edge(at.location, action, target, at.span);
        let edge = EdgeId { from: at.location, index };
        self.loads.push((at.procedure, edge, place, at.span));
        Expr::Local(to)
    }

    /// A member of all objects of a layout: of the globals, and of what is allocated.
    fn elements(&mut self, layout: LayoutId, offset: i64, ty: Type, span: Span) {
        if !self.members.insert((layout, offset, ty)) {
            return;
        }
        let mut found = Vec::new();
        let Some(procedure) = self.program.procedures.keys().next() else { return };
        let location = self.program.procedures[procedure].entry;
        for (id, object) in &self.program.objects {
            if is_made_of(&self.program, object.layout, layout) {
                let addr = Expr::Const(Const::Object(id, offset));
                found.push((addr, At { procedure, location, span }));
            }
        }
        let bytes = Expr::int(offset.into(), self.program.model.diff_type());
        for (procedure, body) in &self.program.procedures {
            for (id, edge) in body.edges() {
                if let Action::Alloc { to, layout: made, .. } = &edge.action
                    && is_made_of(&self.program, *made, layout)
                {
                    let addr = Expr::binary(BinaryOp::PtrAdd, Expr::Local(*to), bytes.clone());
                    found.push((addr, At { procedure, location: id.from, span }));
                }
            }
        }
        for (addr, at) in found {
            self.load(addr, ty, at);
        }
    }
}

/// The expression with values in the place of a formula's variables; none if one has no value.
fn substituted(expr: &Expr, values: &[Option<Expr>]) -> Option<Expr> {
    let mut all = true;
    let expr = expr.clone().map(&mut |part| match part {
        Expr::Local(local) => match values.get(local.as_u32() as usize) {
            Some(Some(value)) => value.clone(),
            _ => {
                all = false;
                Expr::Local(local)
            }
        },
        other => other,
    });
    all.then_some(expr)
}

/// Whether a layout is one or several elements of another.
fn is_made_of(program: &Program, layout: LayoutId, element: LayoutId) -> bool {
    layout == element
        || match program.layouts[layout].shape {
            Shape::Array { element: inner, .. } => is_made_of(program, inner, element),
            _ => false,
        }
}
