//! Which clauses have to do with each other.
//!
//! A clause of E or I is *plain* if it reads nothing but scalars of globals at constant addresses. The
//! globals of one plain clause are in one *group*, and the clause with them. All other clauses are in the
//! *first* group, with the globals that they name or that are elements of what they quantify over.
//!
//! A plain clause of another group depends on nothing but the scalars of that group's globals. So a step
//! that writes to none of them keeps it: an invariant, since it held before; an assumption, since E is
//! reflexive, which is asked.

use rustc_hash::FxHashMap;
use selvedge_ir::spec::{Binding, Formula};
use selvedge_ir::{Const, Expr, LayoutId, ObjectId, Program, Shape};

/// The group of all that is not plain.
pub(crate) const FIRST: usize = 0;

/// Clauses by their numbers, and the globals that they speak of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub environment: Vec<usize>,
    pub invariants: Vec<usize>,
    pub objects: Vec<ObjectId>,
}

pub(crate) struct Groups {
    pub all: Vec<Group>,
    of: FxHashMap<ObjectId, usize>,
}

impl Groups {
    pub fn of(program: &Program) -> Groups {
        let spec = &program.spec;
        let mut forest = Forest { parents: (0..=program.objects.len()).collect() };
        for clause in spec.environment.iter().chain(&spec.invariants) {
            forest.join(program, &clause.formula);
        }
        let mut groups = Groups { all: vec![Group::default()], of: FxHashMap::default() };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::from_iter([(FIRST, FIRST)]);
        let mut group_of = |groups: &mut Groups, formula: &Formula| {
            let objects = spoken_of(program, formula);
            let root = objects.first().map_or(FIRST, |object| forest.root(place(*object)));
            let number = *numbers.entry(root).or_insert(groups.all.len());
            if number == groups.all.len() {
                groups.all.push(Group::default());
            }
            for object in objects {
                if groups.of.insert(object, number).is_none() {
                    groups.all[number].objects.push(object);
                }
            }
            if is_plain(formula) { number } else { FIRST }
        };
        for (at, clause) in spec.environment.iter().enumerate() {
            let number = group_of(&mut groups, &clause.formula);
            groups.all[number].environment.push(at);
        }
        for (at, clause) in spec.invariants.iter().enumerate() {
            let number = group_of(&mut groups, &clause.formula);
            groups.all[number].invariants.push(at);
        }
        groups
    }

    /// The group of a global; none if no clause speaks of it.
    pub fn of_object(&self, object: ObjectId) -> Option<usize> {
        self.of.get(&object).copied()
    }
}

/// Whether a formula depends on scalars of globals at constant addresses only.
fn is_plain(formula: &Formula) -> bool {
    let bound = formula.variables.values().all(|variable| {
        matches!(
            variable.binding,
            Binding::Read { .. }
                | Binding::Main
                | Binding::Runs(_)
                | Binding::Forall(None)
                | Binding::Exists(None)
        )
    });
    bound && formula.reads().all(|(_, place, _)| place.direct().is_some())
}

/// The globals that a formula names, and those that are elements of what it quantifies over.
fn spoken_of(program: &Program, formula: &Formula) -> Vec<ObjectId> {
    let mut objects = Vec::new();
    formula.for_each_expr(&mut |expr| {
        expr.walk(&mut |part| {
            if let Expr::Const(Const::Object(object, _)) = part {
                objects.push(*object);
            }
        });
    });
    for variable in formula.variables.values() {
        if let Binding::Forall(Some(layout)) | Binding::Exists(Some(layout)) = variable.binding {
            let elements = program.objects.iter();
            let elements = elements.filter(|(_, object)| holds(program, object.layout, layout));
            objects.extend(elements.map(|(id, _)| id));
        }
    }
    objects
}

/// Whether a layout is one or several elements of another.
fn holds(program: &Program, layout: LayoutId, element: LayoutId) -> bool {
    layout == element
        || match program.layouts[layout].shape {
            Shape::Array { element: inner, .. } => holds(program, inner, element),
            _ => false,
        }
}

/// The place of an object in the forest, behind the first group's.
fn place(object: ObjectId) -> usize {
    1 + object.as_u32() as usize
}

struct Forest {
    parents: Vec<usize>,
}

impl Forest {
    fn join(&mut self, program: &Program, formula: &Formula) {
        let objects = spoken_of(program, formula);
        let first = match is_plain(formula) {
            true => objects.first().map_or(FIRST, |object| place(*object)),
            false => FIRST,
        };
        objects.into_iter().for_each(|object| self.unite(first, place(object)));
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// The smaller number becomes the root, so that the first group stays the first.
    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::PrimaryMap;
    use selvedge_ir::spec::{Clause, Variable, When};
    use selvedge_ir::{Int, LocalId, Place, Span, Type, text};

    use super::*;

    const INT: Type = Type::Int(Int::I32);

    fn object(program: &Program, name: &str) -> ObjectId {
        let found = program.objects.iter().find(|(_, object)| object.name == name);
        found.expect("declared").0
    }

    /// A clause that reads these globals; further away than at their address, if it is not plain.
    fn clause(program: &Program, names: &[&str], plain: bool) -> Clause {
        let mut variables: PrimaryMap<LocalId, Variable> = PrimaryMap::new();
        for name in names {
            let mut place = Place::object(object(program, name), 0, INT);
            if !plain {
                let unknown = Expr::Local(LocalId::from_u32(0));
                place.addr = Expr::binary(selvedge_ir::BinaryOp::PtrAdd, place.addr, unknown);
            }
            let binding = Binding::Read { place, when: When::Before };
            variables.push(Variable { name: (*name).to_owned(), ty: INT, binding });
        }
        let formula = Formula { variables, body: Expr::TRUE };
        Clause { formula, text: names.join(" "), span: Span::NONE }
    }

    #[test]
    fn clauses_about_other_globals_are_apart() {
        let source = "shared a: i32; shared b: i32; shared c: i32; shared d: i32; shared e: i32;
                      procedure main() { skip; } thread main;";
        let mut program = text::parse("groups", source).expect("a program");
        let spec = [
            clause(&program, &["a", "b"], true),
            clause(&program, &["c"], true),
            clause(&program, &["d"], true),
            clause(&program, &["d"], false),
        ];
        program.spec.environment = spec[..3].to_vec();
        program.spec.invariants = vec![spec[3].clone(), spec[1].clone()];
        let groups = Groups::of(&program);
        let of = |name: &str| groups.of_object(object(&program, name));
        assert_eq!(of("a"), of("b"));
        assert_ne!(of("a"), of("c"));
        assert_eq!((of("d"), of("e")), (Some(FIRST), None));
        let first = &groups.all[FIRST];
        assert_eq!((&first.environment[..], &first.invariants[..]), (&[2][..], &[0][..]));
        let c = &groups.all[of("c").expect("a group")];
        assert_eq!((&c.environment[..], &c.invariants[..]), (&[1][..], &[1][..]));
    }
}
