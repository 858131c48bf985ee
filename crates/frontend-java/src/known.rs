//! Methods and fields of models that the lowering knows.

use selvedge_java_classes::{FieldRef, JavaType, MethodRef};

use crate::world::{OBJECT, STRING, THROWABLE, TID};

/// The thread that is inside of an object's monitor.
pub fn monitor_field() -> FieldRef {
    let ty = JavaType::Ref(TID.to_owned());
    FieldRef { class: OBJECT.to_owned(), name: "monitor".to_owned(), ty }
}

/// The number of the place where an exception was made.
pub fn site_field() -> FieldRef {
    FieldRef { class: THROWABLE.to_owned(), name: "site".to_owned(), ty: JavaType::Int }
}

/// What the thread of an object begins with, in models.
pub fn begin() -> MethodRef {
    MethodRef {
        class: "java/lang/Thread".to_owned(),
        name: "begin".to_owned(),
        descriptor: "()V".to_owned(),
    }
}

/// The call by which an operand of a concatenation becomes a string, where somebody else's code may
/// run.
pub fn to_string(operand: &JavaType) -> Option<MethodRef> {
    let class = operand.class().filter(|class| *class != STRING)?;
    let descriptor = "()Ljava/lang/String;".to_owned();
    Some(MethodRef { class: class.to_owned(), name: "toString".to_owned(), descriptor })
}
