//! Types as descriptors write them: `I`, `Ljava/lang/String;`, `[[J`, `(IJ)V`.

/// How a value stands on the operand stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Int,
    Long,
    Float,
    Double,
    Ref,
}

impl Kind {
    /// Whether it takes two slots.
    pub fn is_wide(self) -> bool {
        matches!(self, Kind::Long | Kind::Double)
    }
}

/// What an array has for elements, as far as instructions tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Ref,
}

/// The type of a field, a parameter or a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// The name of a class (`java/lang/String`), or the descriptor of an array (`[I`).
    Ref(String),
}

impl JavaType {
    /// Of a descriptor that is well-formed; others count as references to nothing known.
    pub fn of(descriptor: &str) -> JavaType {
        match descriptor.as_bytes().first() {
            Some(b'Z') => JavaType::Boolean,
            Some(b'B') => JavaType::Byte,
            Some(b'C') => JavaType::Char,
            Some(b'S') => JavaType::Short,
            Some(b'I') => JavaType::Int,
            Some(b'J') => JavaType::Long,
            Some(b'F') => JavaType::Float,
            Some(b'D') => JavaType::Double,
            Some(b'L') => JavaType::Ref(descriptor[1..].trim_end_matches(';').to_owned()),
            _ => JavaType::Ref(descriptor.to_owned()),
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            JavaType::Long => Kind::Long,
            JavaType::Float => Kind::Float,
            JavaType::Double => Kind::Double,
            JavaType::Ref(_) => Kind::Ref,
            _ => Kind::Int,
        }
    }

    /// The class, or the array's descriptor, of a reference.
    pub fn class(&self) -> Option<&str> {
        match self {
            JavaType::Ref(name) => Some(name),
            _ => None,
        }
    }

    pub fn element(&self) -> Element {
        match self {
            JavaType::Boolean => Element::Boolean,
            JavaType::Byte => Element::Byte,
            JavaType::Char => Element::Char,
            JavaType::Short => Element::Short,
            JavaType::Int => Element::Int,
            JavaType::Long => Element::Long,
            JavaType::Float => Element::Float,
            JavaType::Double => Element::Double,
            JavaType::Ref(_) => Element::Ref,
        }
    }
}

/// What a method takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    pub parameters: Vec<JavaType>,
    pub result: Option<JavaType>,
}

impl Signature {
    pub fn of(descriptor: &str) -> Signature {
        let (inside, result) =
            descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')).unwrap_or(("", "V"));
        let mut parameters = Vec::new();
        let mut rest = inside;
        while !rest.is_empty() {
            let (one, after) = rest.split_at(length(rest));
            parameters.push(JavaType::of(one));
            rest = after;
        }
        let result = (result != "V").then(|| JavaType::of(result));
        Signature { parameters, result }
    }
}

/// The length of the first descriptor.
fn length(descriptors: &str) -> usize {
    let dimensions = descriptors.bytes().take_while(|b| *b == b'[').count();
    let rest = &descriptors[dimensions..];
    let one = match rest.strip_prefix('L') {
        Some(_) => rest.find(';').map_or(rest.len(), |end| end + 1),
        None => rest.chars().next().map_or(0, char::len_utf8),
    };
    dimensions + one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_taken_apart() {
        let found = Signature::of("(I[[JLjava/lang/String;Z)[I");
        let reference = |name: &str| JavaType::Ref(name.to_owned());
        let parameters =
            [JavaType::Int, reference("[[J"), reference("java/lang/String"), JavaType::Boolean];
        assert_eq!(found.parameters, parameters);
        assert_eq!(found.result, Some(reference("[I")));
        assert_eq!(Signature::of("()V"), Signature { parameters: Vec::new(), result: None });
    }
}
