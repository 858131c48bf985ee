//! Lambdas as classes: what `invokedynamic` asks for is a class with a field for each captured value,
//! a method that calls the lambda's body, and a static method `make` that gives an object. They are
//! written as bytecode, so that nothing else needs to know of lambdas.

use selvedge_java_classes::{
    CallKind, Class, Code, Field, FieldRef, HandleKind, Insn, JavaType, Kind, Lambda, Method,
    MethodRef, Signature, StackOp,
};

use crate::world::OBJECT;

/// The method of such a class that makes an object.
pub const MAKE: &str = "make";

/// The class for a lambda, under a name; none if its types do not fit in a way that is understood.
pub fn class_for(lambda: &Lambda, name: String) -> Option<Class> {
    let fields = lambda.captured.iter().enumerate().map(|(index, ty)| Field {
        name: format!("captured{index}"),
        ty: ty.clone(),
        is_static: false,
        is_volatile: false,
        is_final: true,
        constant: None,
    });
    let fields: Vec<Field> = fields.collect();
    Some(Class {
        methods: vec![make(lambda, &name, &fields), call(lambda, &name, &fields)?],
        name,
        super_class: Some(OBJECT.to_owned()),
        interfaces: vec![lambda.interface.clone()],
        is_interface: false,
        is_abstract: false,
        source: None,
        fields,
    })
}

/// What `make` takes and gives.
pub fn maker(lambda: &Lambda, name: &str) -> MethodRef {
    let taken: String = lambda.captured.iter().map(descriptor).collect();
    MethodRef {
        class: name.to_owned(),
        name: MAKE.to_owned(),
        descriptor: format!("({taken})L{name};"),
    }
}

fn descriptor(ty: &JavaType) -> String {
    match ty {
        JavaType::Boolean => "Z".to_owned(),
        JavaType::Byte => "B".to_owned(),
        JavaType::Char => "C".to_owned(),
        JavaType::Short => "S".to_owned(),
        JavaType::Int => "I".to_owned(),
        JavaType::Long => "J".to_owned(),
        JavaType::Float => "F".to_owned(),
        JavaType::Double => "D".to_owned(),
        JavaType::Ref(array) if array.starts_with('[') => array.clone(),
        JavaType::Ref(class) => format!("L{class};"),
    }
}

fn method(reference: MethodRef, is_static: bool, insns: Vec<Insn>) -> Method {
    let lines = vec![0; insns.len()];
    Method {
        signature: reference.signature(),
        name: reference.name,
        descriptor: reference.descriptor,
        is_static,
        is_private: false,
        is_synchronized: false,
        is_native: false,
        is_abstract: false,
        code: Some(Code { insns, lines, ..Code::default() }),
    }
}

fn slots(ty: &JavaType) -> u16 {
    if ty.kind().is_wide() { 2 } else { 1 }
}

fn make(lambda: &Lambda, name: &str, fields: &[Field]) -> Method {
    let mut insns = vec![Insn::New(name.to_owned())];
    let mut slot = 0;
    for field in fields {
        insns.push(Insn::Stack(StackOp::Dup));
        insns.push(Insn::Load(field.ty.kind(), slot));
        insns.push(Insn::PutField(reference(name, field)));
        slot += slots(&field.ty);
    }
    insns.push(Insn::Return(Some(Kind::Ref)));
    method(maker(lambda, name), true, insns)
}

fn reference(class: &str, field: &Field) -> FieldRef {
    FieldRef { class: class.to_owned(), name: field.name.clone(), ty: field.ty.clone() }
}

/// The interface's method: captured values and arguments go to the body.
fn call(lambda: &Lambda, name: &str, fields: &[Field]) -> Option<Method> {
    let mut insns = Vec::new();
    let body = lambda.body.method.signature();
    let mut wanted: Vec<JavaType> = body.parameters.clone();
    match lambda.body.kind {
        HandleKind::Special | HandleKind::Virtual => {
            wanted.insert(0, JavaType::Ref(lambda.body.method.class.clone()));
        }
        HandleKind::New => {
            insns.push(Insn::New(lambda.body.method.class.clone()));
            insns.push(Insn::Stack(StackOp::Dup));
        }
        HandleKind::Static => {}
    }
    let erased = Signature::of(&lambda.descriptor);
    let instantiated = Signature::of(&lambda.instantiated);
    if fields.len() + erased.parameters.len() != wanted.len() {
        return None;
    }
    for (field, wanted) in fields.iter().zip(&wanted) {
        insns.push(Insn::Load(Kind::Ref, 0));
        insns.push(Insn::GetField(reference(name, field)));
        adapt(&field.ty, wanted, &mut insns)?;
    }
    let mut slot = 1;
    let given = erased.parameters.iter().zip(&instantiated.parameters);
    for ((erased, instantiated), wanted) in given.zip(&wanted[fields.len()..]) {
        insns.push(Insn::Load(erased.kind(), slot));
        slot += slots(erased);
        adapt(erased, instantiated, &mut insns)?;
        adapt(instantiated, wanted, &mut insns)?;
    }
    let kind = match lambda.body.kind {
        HandleKind::Static => CallKind::Static,
        HandleKind::Virtual => CallKind::Virtual,
        HandleKind::Special | HandleKind::New => CallKind::Special,
    };
    insns.push(Insn::Call(kind, lambda.body.method.clone()));
    let result = match lambda.body.kind {
        HandleKind::New => Some(JavaType::Ref(lambda.body.method.class.clone())),
        _ => body.result,
    };
    match (result, erased.result) {
        (None, None) => insns.push(Insn::Return(None)),
        (Some(result), None) => {
            let pop = if result.kind().is_wide() { StackOp::Pop2 } else { StackOp::Pop };
            insns.extend([Insn::Stack(pop), Insn::Return(None)]);
        }
        (Some(result), Some(wanted)) => {
            let through = instantiated.result.as_ref().unwrap_or(&wanted);
            adapt(&result, through, &mut insns)?;
            adapt(through, &wanted, &mut insns)?;
            insns.push(Insn::Return(Some(wanted.kind())));
        }
        (None, Some(_)) => return None,
    }
    let named = MethodRef {
        class: name.to_owned(),
        name: lambda.method.clone(),
        descriptor: lambda.descriptor.clone(),
    };
    Some(method(named, false, insns))
}

/// Boxes, unboxes, widens or casts what is on the stack.
fn adapt(from: &JavaType, to: &JavaType, insns: &mut Vec<Insn>) -> Option<()> {
    match (from, to) {
        _ if from == to => {}
        (JavaType::Ref(_), JavaType::Ref(class)) => {
            if class != OBJECT {
                insns.push(Insn::CheckCast(to.clone()));
            }
        }
        (JavaType::Ref(_), _) => {
            let (class, getter) = boxed(to)?;
            insns.push(Insn::CheckCast(JavaType::Ref(class.to_owned())));
            insns.push(Insn::Call(
                CallKind::Virtual,
                MethodRef {
                    class: class.to_owned(),
                    name: getter.to_owned(),
                    descriptor: format!("(){}", descriptor(to)),
                },
            ));
        }
        (_, JavaType::Ref(_)) => {
            let (class, _) = boxed(from)?;
            insns.push(Insn::Call(
                CallKind::Static,
                MethodRef {
                    class: class.to_owned(),
                    name: "valueOf".to_owned(),
                    descriptor: format!("({})L{class};", descriptor(from)),
                },
            ));
        }
        _ if from.kind() == to.kind() => {}
        _ => insns.push(Insn::Convert(from.kind(), to.kind())),
    }
    Some(())
}

fn boxed(ty: &JavaType) -> Option<(&'static str, &'static str)> {
    Some(match ty {
        JavaType::Boolean => ("java/lang/Boolean", "booleanValue"),
        JavaType::Byte => ("java/lang/Byte", "byteValue"),
        JavaType::Char => ("java/lang/Character", "charValue"),
        JavaType::Short => ("java/lang/Short", "shortValue"),
        JavaType::Int => ("java/lang/Integer", "intValue"),
        JavaType::Long => ("java/lang/Long", "longValue"),
        JavaType::Float => ("java/lang/Float", "floatValue"),
        JavaType::Double => ("java/lang/Double", "doubleValue"),
        JavaType::Ref(_) => return None,
    })
}
