//! Calls: of one method, or of what the object's class has for it; lambdas and concatenations.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_ir::{Action, Callee, Expr, LocationId};
use selvedge_java_classes::{CallKind, Dynamic, Insn, JavaType, MethodRef};

use super::Method;
use super::exception::one_of;
use crate::known::to_string;
use crate::value::{Value, fit, local};
use crate::world::{Found, INTRINSICS, STRING, shown};

impl Method<'_, '_, '_> {
    pub(super) fn call(&mut self, kind: CallKind, call: &MethodRef) {
        let signature = call.signature();
        let mut args: Vec<Value> = signature.parameters.iter().map(|_| self.pop()).collect();
        args.reverse();
        if call.class == INTRINSICS {
            return self.intrinsic(&call.name, args);
        }
        if kind == CallKind::Static {
            self.initialize(&call.class);
        } else {
            let object = self.pop();
            let object = self.kept(object);
            self.not_null(&object);
            args.insert(0, object);
        }
        if self.body.at.is_none() {
            return;
        }
        match kind {
            CallKind::Virtual => self.dispatch(call, args),
            CallKind::Static | CallKind::Special => {
                let world = self.program.world;
                match world.resolve(&call.class, &call.name, &call.descriptor) {
                    Some(found) => {
                        let result = self.call_method(&found, &args);
                        self.push_result(result, signature.result.as_ref());
                    }
                    None => self.missing(call),
                }
            }
        }
    }

    fn missing(&mut self, call: &MethodRef) {
        let class = shown(&call.class);
        self.unsupported(&format!("{class}.{}, of which nothing is known", call.name));
    }

    fn push_result(&mut self, result: Option<Expr>, ty: Option<&JavaType>) {
        if let (Some(result), Some(ty)) = (result, ty) {
            self.push(Value::loaded(result, local(ty), ty));
        }
    }

    /// The methods that an object may have for a call, each with the numbers of its classes.
    fn candidates(&self, call: &MethodRef, object: &Value) -> Vec<(Found, BTreeSet<i32>)> {
        let mut by_method: BTreeMap<MethodRef, (Found, BTreeSet<i32>)> = BTreeMap::new();
        let targets = self.program.reach.targets(call).iter();
        let possible =
            targets.filter(|(class, _)| object.exact.as_ref().is_none_or(|exact| exact == class));
        for (class, found) in possible {
            let number = self.program.number(class);
            let entry = by_method.entry(found.reference());
            entry.or_insert_with(|| (found.clone(), BTreeSet::new())).1.insert(number);
        }
        by_method.into_values().collect()
    }

    fn dispatch(&mut self, call: &MethodRef, args: Vec<Value>) {
        let candidates = self.candidates(call, &args[0]);
        let ty = call.signature().result;
        match candidates.as_slice() {
            [] => {
                let class = shown(&call.class);
                let what = format!("{class}.{} of an object of no known class", call.name);
                self.unsupported(&what);
            }
            [(found, _)] => {
                let result = self.call_method(found, &args);
                self.push_result(result, ty.as_ref());
            }
            several => {
                let result = self.call_several(several, &args, ty.as_ref());
                self.push_result(result, ty.as_ref());
            }
        }
    }

    fn call_several(
        &mut self,
        candidates: &[(Found, BTreeSet<i32>)],
        args: &[Value],
        ty: Option<&JavaType>,
    ) -> Option<Expr> {
        let args: Vec<Value> = args.iter().map(|arg| self.kept(arg.clone())).collect();
        let number = self.class_number(&args[0].expr);
        let result = ty.map(|ty| self.body.temp(local(ty)));
        let mut end: Option<LocationId> = None;
        for (index, (found, numbers)) in candidates.iter().enumerate() {
            let last = index + 1 == candidates.len();
            let otherwise = match last {
                true => None,
                false => self.body.branch(one_of(&number, numbers.iter().copied())),
            };
            let value = self.call_method(found, &args);
            if let (Some(value), Some(result)) = (value, result) {
                self.body.assign(result, value);
            }
            if self.body.at.is_some() {
                let end = *end.get_or_insert_with(|| self.body.location());
                self.body.act_to(Action::Skip, end);
            }
            self.body.at = otherwise;
        }
        self.body.at = end;
        result.map(Expr::Local)
    }

    /// Calls exactly this method. What it gives is a local.
    pub(super) fn call_method(&mut self, found: &Found, args: &[Value]) -> Option<Expr> {
        let method = found.method();
        if method.code.is_none() {
            let class = shown(&found.class.name);
            let kind = if method.is_native { "native" } else { "abstract" };
            self.unsupported(&format!("the {kind} method {class}.{}", method.name));
            return None;
        }
        if does_nothing(found) {
            return None;
        }
        // All that a Thread's own `run` does is to run its Runnable. Else every program with both
        // would look recursive.
        if method.name == "run" && *found.class.name == *THREAD && self.is_in(found) {
            self.unsupported("a Thread that is the Runnable of a Thread");
            return None;
        }
        let this = (!method.is_static).then_some(selvedge_ir::Type::Ptr);
        let types = this.into_iter().chain(method.signature.parameters.iter().map(local));
        let given: Vec<Expr> =
            args.iter().zip(types).map(|(arg, ty)| fit(arg.expr.clone(), arg.ty, ty)).collect();
        let to = method.signature.result.as_ref().map(|ty| self.body.temp(local(ty)));
        let reference = found.reference();
        let callee = Callee::Direct(self.program.procedure(found, self.body.span));
        self.body.act(Action::Call { to, callee, args: given });
        if self.program.throws.may(&reference) {
            self.take_exception();
        }
        to.map(Expr::Local)
    }

    fn is_in(&self, found: &Found) -> bool {
        self.found.reference() == found.reference()
    }

    pub(super) fn dynamic(&mut self, dynamic: &Dynamic) {
        match dynamic {
            Dynamic::Lambda(lambda) => match self.program.reach.lambdas.get(lambda) {
                Some(Some(maker)) => self.call(CallKind::Static, &maker.clone()),
                _ => self.unsupported("a lambda whose types do not fit simply"),
            },
            Dynamic::Concat(operands) => self.concatenate(operands),
            Dynamic::Other { what, .. } => self.unsupported(what),
        }
    }

    /// A string of which nothing is known. Objects are asked for their strings.
    fn concatenate(&mut self, operands: &[JavaType]) {
        let mut values: Vec<Value> = operands.iter().map(|_| self.pop()).collect();
        values.reverse();
        for (value, ty) in values.into_iter().zip(operands) {
            let Some(call) = to_string(ty) else { continue };
            let value = self.kept(value);
            let test = selvedge_ir::BinaryOp::Ne;
            let null = match value.there {
                true => None,
                false => self.body.branch(crate::value::test(test, value.expr.clone(), Expr::NULL)),
            };
            self.dispatch(&call, vec![value]);
            self.stack.pop();
            self.rejoin(null);
        }
        if self.body.at.is_some() {
            let string = self.allocate(STRING);
            self.push(Value::object(string, STRING));
        }
    }
}

const THREAD: &str = "java/lang/Thread";

/// Constructors of nothing: `Object`'s, above all.
fn does_nothing(found: &Found) -> bool {
    let method = found.method();
    let empty = method
        .code
        .as_ref()
        .is_some_and(|code| matches!(code.insns.as_slice(), [Insn::Return(None)]));
    empty && !method.is_synchronized
}
