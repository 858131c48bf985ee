//! C types: interned kinds, qualifiers, sizes.
//!
//! A [`Ty`] is a kind with its qualifiers; kinds are interned, so that types compare by number.
//! Records and enums are tables of their own: a `struct` is the same type only as itself.

mod compatible;
mod describe;
mod record;

use std::collections::HashMap;
use std::rc::Rc;

use selvedge_c_syntax::ast::FloatKind;
use selvedge_ir::{DataModel, Float, Int, LocalId, Type};

pub(crate) use record::{BitField, Field, FieldSpec, Layouter, Record, RecordId, Rules};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EnumId(u32);

/// A qualified type. `align` is the alignment an attribute asks for, as a power of two plus one;
/// zero where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ty {
    pub id: TypeId,
    pub constant: bool,
    pub volatile: bool,
    pub atomic: bool,
    /// A number in memory whose bytes stand in the other order than the machine's.
    pub reversed: bool,
    pub(crate) align: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// What a bit-field of this width is in arithmetic, if it is wider than `int` and narrower than
    /// its type. No object has such a type.
    Bits {
        width: u8,
        signed: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Len {
    Fixed(u64),
    /// `[]`, to be completed by an initialiser or another declaration; a flexible member.
    Unknown,
    /// The number of elements is in a local of the procedure that declares the array.
    Runtime(LocalId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Of what was in error; fits everything, so that one mistake is reported once.
    Error,
    Void,
    Bool,
    Int(IntKind),
    Float(FloatTag),
    Complex(FloatTag),
    /// `__selvedge_thread`
    Thread,
    Enum(EnumId),
    Pointer(Ty),
    Array(Ty, Len),
    Function(Rc<FnType>),
    Record(RecordId),
    Vector(Ty, u64),
    /// A set or map of threads, in specifications.
    ThreadMap(Ty),
}

/// `FloatKind`, as a part of a map's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatTag {
    Half,
    Float,
    Double,
    LongDouble,
    Float128,
    Decimal,
}

impl From<FloatKind> for FloatTag {
    fn from(kind: FloatKind) -> FloatTag {
        match kind {
            FloatKind::Half => FloatTag::Half,
            FloatKind::Float => FloatTag::Float,
            FloatKind::Double => FloatTag::Double,
            FloatKind::LongDouble => FloatTag::LongDouble,
            FloatKind::Float128 => FloatTag::Float128,
            FloatKind::Decimal => FloatTag::Decimal,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FnType {
    pub ret: Ty,
    pub params: Vec<Ty>,
    pub variadic: bool,
    /// False for `()` and old-style definitions: the parameters are not known to callers.
    pub prototype: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub tag: Option<Rc<str>>,
    /// None until the enumerators are known.
    pub underlying: Option<IntKind>,
}

#[derive(Debug)]
pub(crate) struct Types {
    pub model: DataModel,
    kinds: Vec<Kind>,
    ids: HashMap<Kind, TypeId>,
    pub records: Vec<Record>,
    pub enums: Vec<Enum>,
}

impl Types {
    pub fn new(model: DataModel) -> Types {
        Types {
            model,
            kinds: Vec::new(),
            ids: HashMap::new(),
            records: Vec::new(),
            enums: Vec::new(),
        }
    }

    pub fn make(&mut self, kind: Kind) -> Ty {
        let next = TypeId(self.kinds.len() as u32);
        let kinds = &mut self.kinds;
        let id = *self.ids.entry(kind).or_insert_with_key(|kind| {
            kinds.push(kind.clone());
            next
        });
        Ty { id, constant: false, volatile: false, atomic: false, reversed: false, align: 0 }
    }

    pub fn kind(&self, ty: Ty) -> &Kind {
        &self.kinds[ty.id.0 as usize]
    }

    pub fn error(&mut self) -> Ty {
        self.make(Kind::Error)
    }

    pub fn void(&mut self) -> Ty {
        self.make(Kind::Void)
    }

    pub fn boolean(&mut self) -> Ty {
        self.make(Kind::Bool)
    }

    pub fn int(&mut self, kind: IntKind) -> Ty {
        self.make(Kind::Int(kind))
    }

    pub fn int_type(&mut self) -> Ty {
        self.int(IntKind::Int)
    }

    pub fn size_type(&mut self) -> Ty {
        self.int(match self.model {
            DataModel::Lp64 => IntKind::ULong,
            DataModel::Ilp32 => IntKind::UInt,
        })
    }

    pub fn diff_type(&mut self) -> Ty {
        self.int(match self.model {
            DataModel::Lp64 => IntKind::Long,
            DataModel::Ilp32 => IntKind::Int,
        })
    }

    pub fn pointer(&mut self, to: Ty) -> Ty {
        self.make(Kind::Pointer(to))
    }

    pub fn void_pointer(&mut self) -> Ty {
        let void = self.void();
        self.pointer(void)
    }

    pub fn array(&mut self, element: Ty, len: Len) -> Ty {
        self.make(Kind::Array(element, len))
    }

    pub fn function(&mut self, function: FnType) -> Ty {
        self.make(Kind::Function(Rc::new(function)))
    }

    pub fn new_enum(&mut self, tag: Option<Rc<str>>) -> (EnumId, Ty) {
        let id = EnumId(self.enums.len() as u32);
        self.enums.push(Enum { tag, underlying: None });
        (id, self.make(Kind::Enum(id)))
    }

    pub fn enumeration(&mut self, id: EnumId) -> &mut Enum {
        &mut self.enums[id.0 as usize]
    }

    pub fn new_record(&mut self, tag: Option<Rc<str>>, union: bool) -> (RecordId, Ty) {
        let id = RecordId(self.records.len() as u32);
        self.records.push(Record::incomplete(tag, union));
        (id, self.make(Kind::Record(id)))
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn as_record(&self, ty: Ty) -> Option<(RecordId, &Record)> {
        match self.kind(ty) {
            Kind::Record(id) => Some((*id, self.record(*id))),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.kind(ty) {
            Kind::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    pub fn as_function(&self, ty: Ty) -> Option<Rc<FnType>> {
        match self.kind(ty) {
            Kind::Function(function) => Some(function.clone()),
            _ => None,
        }
    }

    pub fn int_of(&self, kind: IntKind) -> Int {
        let long = self.model.pointer_bytes() as u8 * 8;
        match kind {
            IntKind::Char | IntKind::SChar => Int::I8,
            IntKind::UChar => Int::U8,
            IntKind::Short => Int::I16,
            IntKind::UShort => Int::U16,
            IntKind::Int => Int::I32,
            IntKind::UInt => Int::U32,
            IntKind::Long => Int { width: long, signed: true },
            IntKind::ULong => Int { width: long, signed: false },
            IntKind::LongLong | IntKind::Int128 => Int::I64,
            IntKind::ULongLong | IntKind::UInt128 => Int::U64,
            IntKind::Bits { width, signed } => Int { width, signed },
        }
    }

    /// The integer kind of an integer or enumerated type.
    pub fn int_kind(&self, ty: Ty) -> Option<IntKind> {
        match self.kind(ty) {
            Kind::Int(kind) => Some(*kind),
            Kind::Enum(id) => Some(self.enums[id.0 as usize].underlying.unwrap_or(IntKind::UInt)),
            _ => None,
        }
    }

    /// The Plato type of a value of this type; none for aggregates, `void`, and what Plato has no
    /// values for. `float` and `double` travel as their bits.
    pub fn scalar(&self, ty: Ty) -> Option<Type> {
        match self.kind(ty) {
            Kind::Bool => Some(Type::Bool),
            Kind::Int(IntKind::Int128 | IntKind::UInt128) => None,
            Kind::Int(_) | Kind::Enum(_) => self.int_kind(ty).map(|k| Type::Int(self.int_of(k))),
            Kind::Float(FloatTag::Float) => Some(Type::Int(Int::U32)),
            Kind::Float(FloatTag::Double) => Some(Type::Int(Int::U64)),
            Kind::Pointer(_) | Kind::Function(_) => Some(Type::Ptr),
            Kind::Thread => Some(Type::Thread),
            _ => None,
        }
    }

    /// The format of a floating-point type whose values can be computed with.
    pub fn float_format(&self, ty: Ty) -> Option<Float> {
        match self.kind(ty) {
            Kind::Float(FloatTag::Float) => Some(Float::F32),
            Kind::Float(FloatTag::Double) => Some(Float::F64),
            _ => None,
        }
    }

    pub fn is_error(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Error)
    }

    pub fn is_void(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Void)
    }

    pub fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Bool | Kind::Int(_) | Kind::Enum(_))
    }

    pub fn is_float(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Float(_) | Kind::Complex(_))
    }

    pub fn is_arithmetic(&self, ty: Ty) -> bool {
        self.is_integer(ty) || self.is_float(ty)
    }

    pub fn is_pointer(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Pointer(_))
    }

    pub fn is_function(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Function(_))
    }

    /// Kept in memory and copied part by part: structs, unions, arrays, and values that Plato has
    /// no type for.
    pub fn is_aggregate(&self, ty: Ty) -> bool {
        !self.is_void(ty) && !self.is_error(ty) && self.scalar(ty).is_none()
    }

    pub fn is_complete(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Void | Kind::Function(_) | Kind::Array(_, Len::Unknown) => false,
            Kind::Array(element, _) => self.is_complete(*element),
            Kind::Record(id) => self.record(*id).complete,
            _ => true,
        }
    }

    /// Whether the size is known only when the program runs.
    pub fn is_runtime_sized(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Array(element, len) => {
                matches!(len, Len::Runtime(_)) || self.is_runtime_sized(*element)
            }
            _ => false,
        }
    }

    /// Bytes; incomplete types have none (GNU: `void` and functions have one).
    pub fn size(&self, ty: Ty) -> u64 {
        match self.kind(ty) {
            Kind::Error | Kind::Void | Kind::Function(_) | Kind::Bool | Kind::ThreadMap(_) => 1,
            Kind::Int(IntKind::Int128 | IntKind::UInt128) => 16,
            Kind::Int(_) | Kind::Enum(_) => {
                self.int_kind(ty).map_or(4, |kind| self.int_of(kind).size())
            }
            Kind::Float(tag) => self.float_size(*tag),
            Kind::Complex(tag) => 2 * self.float_size(*tag),
            Kind::Thread | Kind::Pointer(_) => self.model.pointer_bytes(),
            Kind::Array(element, Len::Fixed(count)) => self.size(*element).saturating_mul(*count),
            Kind::Array(..) => 0,
            Kind::Record(id) => self.record(*id).size,
            Kind::Vector(_, bytes) => *bytes,
        }
    }

    fn float_size(&self, tag: FloatTag) -> u64 {
        match (tag, self.model) {
            (FloatTag::Half, _) => 2,
            (FloatTag::Float, _) => 4,
            (FloatTag::Double | FloatTag::Decimal, _) => 8,
            (FloatTag::LongDouble, DataModel::Ilp32) => 12,
            (FloatTag::LongDouble | FloatTag::Float128, _) => 16,
        }
    }

    /// The alignment of an object of this type, as gcc's `__alignof__` tells it.
    pub fn align(&self, ty: Ty) -> u64 {
        if ty.align > 0 {
            return 1 << (ty.align - 1);
        }
        match self.kind(ty) {
            Kind::Array(element, _) => self.align(*element),
            Kind::Record(id) => self.record(*id).align,
            Kind::Complex(tag) => self.float_align(*tag),
            Kind::Float(tag) => self.float_align(*tag),
            _ => self.size(ty).max(1),
        }
    }

    fn float_align(&self, tag: FloatTag) -> u64 {
        match (tag, self.model) {
            (FloatTag::LongDouble, DataModel::Ilp32) => 4,
            _ => self.float_size(tag),
        }
    }

    /// The alignment of a member of this type: the i386 ABI aligns eight-byte scalars to four
    /// inside records.
    pub fn member_align(&self, ty: Ty) -> u64 {
        if ty.align > 0 {
            return self.align(ty);
        }
        let narrow = self.model == DataModel::Ilp32 && !ty.atomic;
        match self.kind(ty) {
            Kind::Array(element, _) => self.member_align(*element),
            Kind::Int(_) | Kind::Enum(_) if narrow => self.align(ty).min(4),
            Kind::Float(FloatTag::Double) | Kind::Complex(FloatTag::Double) if narrow => 4,
            _ => self.align(ty),
        }
    }

    /// The type of a member with the other byte order: of numbers and arrays of them, not of
    /// pointers, nor of records, which have an order of their own.
    pub fn in_reverse(&mut self, ty: Ty) -> Ty {
        match *self.kind(ty) {
            Kind::Array(element, len) => {
                let element = self.in_reverse(element);
                self.array(element, len).qualified_like(ty)
            }
            Kind::Int(_) | Kind::Enum(_) | Kind::Float(_) | Kind::Complex(_) | Kind::Bool => {
                Ty { reversed: true, ..ty }
            }
            _ => ty,
        }
    }
}

impl Ty {
    /// Without qualifiers: the type of a value.
    pub fn unqualified(self) -> Ty {
        Ty { constant: false, volatile: false, atomic: false, reversed: false, ..self }
    }

    pub fn with_align(self, bytes: u64) -> Ty {
        match bytes.is_power_of_two() {
            true => Ty { align: bytes.trailing_zeros() as u8 + 1, ..self },
            false => self,
        }
    }

    /// The same type with the qualifiers of `other` added.
    pub fn qualified_like(self, other: Ty) -> Ty {
        Ty {
            constant: self.constant || other.constant,
            volatile: self.volatile || other.volatile,
            atomic: self.atomic || other.atomic,
            ..self
        }
    }
}

impl IntKind {
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        match self {
            Bits { signed, .. } => signed,
            _ => matches!(self, Char | SChar | Short | Int | Long | LongLong | Int128),
        }
    }

    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Bits { .. } => 4,
            Long | ULong => 5,
            LongLong | ULongLong => 6,
            Int128 | UInt128 => 7,
        }
    }

    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SChar | UChar => UChar,
            Short | UShort => UShort,
            Int | UInt => UInt,
            Long | ULong => ULong,
            LongLong | ULongLong => ULongLong,
            Int128 | UInt128 => UInt128,
            Bits { width, .. } => Bits { width, signed: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_kinds_are_one_type() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int_type();
        assert_eq!(types.pointer(int), types.pointer(int));
        assert_ne!(types.pointer(int), int);
    }

    #[test]
    fn sizes_follow_the_data_model() {
        for (model, long, pointer, size) in
            [(DataModel::Lp64, 8, 8, 24), (DataModel::Ilp32, 4, 4, 12)]
        {
            let mut types = Types::new(model);
            let ty = types.int(IntKind::ULong);
            assert_eq!(types.size(ty), long);
            let ptr = types.void_pointer();
            assert_eq!(types.size(ptr), pointer);
            let array = types.array(ptr, Len::Fixed(3));
            assert_eq!(types.size(array), size);
        }
    }

    #[test]
    fn eight_byte_members_align_to_four_on_i386() {
        let mut types = Types::new(DataModel::Ilp32);
        let ty = types.int(IntKind::LongLong);
        assert_eq!((types.align(ty), types.member_align(ty)), (8, 4));
    }
}
