//! What `invokedynamic` is for: its bootstrap method and that one's arguments tell.

use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::constant_pool::{
    BootstrapArgument, InvokeDynamic, MemberKind, MethodHandle, ReferenceKind,
};

use crate::{Dynamic, Handle, HandleKind, JavaType, Lambda, MethodRef, Signature};

const METAFACTORY: &str = "java/lang/invoke/LambdaMetafactory";
const CONCATENATION: &str = "java/lang/invoke/StringConcatFactory";

/// The bootstrap methods of a class.
pub(crate) struct Bootstrap(Vec<Entry>);

struct Entry {
    class: String,
    name: String,
    /// The method type as seen from outside, the method, and the type with generics replaced.
    lambda: Option<(String, Handle, String)>,
}

impl Bootstrap {
    pub(crate) fn of(attributes: &[AttributeInfo<'_>]) -> Bootstrap {
        let entries = attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::BootstrapMethods(entries) => Some(entries),
            _ => None,
        });
        let entries = entries.into_iter().flatten().map(|entry| Entry {
            class: entry.method.class_name.to_string(),
            name: entry.method.member_ref.name.to_string(),
            lambda: lambda(&entry.arguments),
        });
        Bootstrap(entries.collect())
    }

    pub(crate) fn resolve(&self, call: &InvokeDynamic<'_>) -> Dynamic {
        let signature = Signature::of(&call.name_and_type.descriptor);
        let Some(entry) = self.0.get(usize::from(call.attr_index)) else {
            return Dynamic::Other { what: "invokedynamic".to_owned(), signature };
        };
        let interface = signature.result.as_ref().and_then(JavaType::class);
        match (entry.class.as_str(), entry.name.as_str(), &entry.lambda, interface) {
            (
                METAFACTORY,
                "metafactory",
                Some((descriptor, body, instantiated)),
                Some(interface),
            ) => Dynamic::Lambda(Lambda {
                interface: interface.to_owned(),
                method: call.name_and_type.name.to_string(),
                descriptor: descriptor.clone(),
                instantiated: instantiated.clone(),
                captured: signature.parameters.clone(),
                body: body.clone(),
            }),
            (CONCATENATION, _, _, _) => Dynamic::Concat(signature.parameters),
            (class, name, _, _) => {
                Dynamic::Other { what: format!("invokedynamic by {class}.{name}"), signature }
            }
        }
    }
}

fn lambda(arguments: &[BootstrapArgument<'_>]) -> Option<(String, Handle, String)> {
    match arguments {
        [
            BootstrapArgument::MethodType(descriptor),
            BootstrapArgument::MethodHandle(body),
            BootstrapArgument::MethodType(instantiated),
        ] => Some((descriptor.to_string(), handle(body)?, instantiated.to_string())),
        _ => None,
    }
}

fn handle(handle: &MethodHandle<'_>) -> Option<Handle> {
    let kind = match handle.kind {
        ReferenceKind::InvokeStatic => HandleKind::Static,
        ReferenceKind::InvokeSpecial => HandleKind::Special,
        ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface => HandleKind::Virtual,
        ReferenceKind::NewInvokeSpecial => HandleKind::New,
        _ => return None,
    };
    if matches!(handle.member_kind, MemberKind::Field) {
        return None;
    }
    Some(Handle {
        kind,
        method: MethodRef {
            class: handle.class_name.to_string(),
            name: handle.member_ref.name.to_string(),
            descriptor: handle.member_ref.descriptor.to_string(),
        },
    })
}
