//! Conversions that C makes between arithmetic types, and when two types are the same to it.

use super::{BitField, FloatTag, IntKind, Kind, Len, Ty, Types};

impl Types {
    /// Whether an object of the type must not be written once it has its value.
    pub fn is_constant(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Array(element, _) => ty.constant || self.is_constant(*element),
            _ => ty.constant,
        }
    }

    /// Whether an object of the type has a part that becomes a pointer where it is mentioned.
    pub fn has_array(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Array(..) => true,
            Kind::Record(id) => self.record(*id).fields.iter().any(|f| self.has_array(f.ty)),
            _ => false,
        }
    }

    /// Integer promotion (C11 6.3.1.1): small types become `int`.
    pub fn promoted(&mut self, ty: Ty) -> Ty {
        match self.kind(ty) {
            Kind::Bool => self.int_type(),
            _ => match self.int_kind(ty) {
                Some(kind) if kind.rank() < IntKind::Int.rank() => self.int_type(),
                Some(kind) => self.int(kind),
                None => ty.unqualified(),
            },
        }
    }

    /// The type of a bit-field in an expression, after promotion: `int` where that holds all its
    /// values, an integer of its width where it is wider than `int` (as gcc has it).
    pub fn of_bits(&mut self, bits: &BitField, ty: Ty) -> Ty {
        let BitField { width, signed, .. } = *bits;
        match width {
            _ if matches!(self.kind(ty), Kind::Bool) => ty.unqualified(),
            ..32 => self.int_type(),
            32 if signed => self.int_type(),
            32 => self.int(IntKind::UInt),
            _ if u64::from(width) == 8 * self.size(ty) => ty.unqualified(),
            _ => self.int(IntKind::Bits { width: width as u8, signed }),
        }
    }

    /// What an argument without a declared parameter is converted to.
    pub fn argument_promoted(&mut self, ty: Ty) -> Ty {
        match self.kind(ty) {
            Kind::Float(FloatTag::Float) => self.make(Kind::Float(FloatTag::Double)),
            _ => self.promoted(ty),
        }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8).
    pub fn usual(&mut self, a: Ty, b: Ty) -> Ty {
        if self.is_float(a) || self.is_float(b) {
            return self.usual_float(a, b);
        }
        let (a, b) = (self.promoted(a), self.promoted(b));
        let (Some(ka), Some(kb)) = (self.int_kind(a), self.int_kind(b)) else {
            return if self.is_integer(a) { b } else { a };
        };
        let kind = self.usual_int(ka, kb);
        self.int(kind)
    }

    fn usual_int(&self, a: IntKind, b: IntKind) -> IntKind {
        let (wide, narrow) = (self.int_bits(a), self.int_bits(b));
        let bits = [a, b].iter().any(|kind| matches!(kind, IntKind::Bits { .. }));
        if bits && wide != narrow {
            // As gcc has it: the width decides, as rank does elsewhere.
            return if wide > narrow { a } else { b };
        }
        if a.is_signed() == b.is_signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        let wider = self.int_bits(signed) > self.int_bits(unsigned);
        match () {
            _ if unsigned.rank() >= signed.rank() => unsigned,
            _ if wider => signed,
            _ => signed.to_unsigned(),
        }
    }

    fn int_bits(&self, kind: IntKind) -> u32 {
        match kind {
            IntKind::Int128 | IntKind::UInt128 => 128,
            _ => u32::from(self.int_of(kind).width),
        }
    }

    fn usual_float(&mut self, a: Ty, b: Ty) -> Ty {
        let tag = |types: &Types, ty| match types.kind(ty) {
            Kind::Float(tag) | Kind::Complex(tag) => Some(*tag),
            _ => None,
        };
        let complex = [a, b].into_iter().any(|ty| matches!(self.kind(ty), Kind::Complex(_)));
        let order = |tag: FloatTag| match tag {
            FloatTag::Half => 0,
            FloatTag::Float => 1,
            FloatTag::Double => 2,
            FloatTag::LongDouble => 3,
            FloatTag::Float128 => 4,
            FloatTag::Decimal => 5,
        };
        let tags = [tag(self, a), tag(self, b)];
        let widest = tags.into_iter().flatten().max_by_key(|t| order(*t));
        let widest = widest.unwrap_or(FloatTag::Double);
        self.make(if complex { Kind::Complex(widest) } else { Kind::Float(widest) })
    }

    /// Whether two declarations of one name may have these types. Records of two units are the
    /// same where their tags and sizes are.
    pub fn compatible(&self, a: Ty, b: Ty) -> bool {
        if a.id == b.id {
            return true;
        }
        match (self.kind(a), self.kind(b)) {
            (Kind::Error, _) | (_, Kind::Error) => true,
            (Kind::Enum(_), Kind::Int(_)) | (Kind::Int(_), Kind::Enum(_)) => {
                self.int_kind(a) == self.int_kind(b)
            }
            (Kind::Enum(x), Kind::Enum(y)) => {
                self.enums[x.0 as usize].tag == self.enums[y.0 as usize].tag
            }
            (Kind::Pointer(x), Kind::Pointer(y)) => self.compatible(*x, *y),
            (Kind::Array(x, n), Kind::Array(y, m)) => {
                let same_len = match (n, m) {
                    (Len::Fixed(n), Len::Fixed(m)) => n == m,
                    _ => true,
                };
                same_len && self.compatible(*x, *y)
            }
            (Kind::Function(f), Kind::Function(g)) => {
                let params = !f.prototype
                    || !g.prototype
                    || (f.params.len() == g.params.len()
                        && f.variadic == g.variadic
                        && f.params.iter().zip(&g.params).all(|(p, q)| self.compatible(*p, *q)));
                params && self.compatible(f.ret, g.ret)
            }
            (Kind::Record(x), Kind::Record(y)) => {
                let (x, y) = (self.record(*x), self.record(*y));
                x.tag == y.tag
                    && x.union == y.union
                    && (!x.complete || !y.complete || x.size == y.size)
            }
            _ => false,
        }
    }

    /// As `__builtin_types_compatible_p` and `_Generic` compare: exact, top qualifiers ignored.
    pub fn same(&self, a: Ty, b: Ty) -> bool {
        a.id == b.id
            || match (self.kind(a), self.kind(b)) {
                (Kind::Array(x, n), Kind::Array(y, m)) => {
                    (n == m || *n == Len::Unknown || *m == Len::Unknown) && self.same(*x, *y)
                }
                (Kind::Function(_), Kind::Function(_)) => self.compatible(a, b),
                _ => false,
            }
    }

    /// The type of a name that is declared with both: sizes and parameters where either knows.
    pub fn composite(&mut self, a: Ty, b: Ty) -> Ty {
        match (self.kind(a).clone(), self.kind(b).clone()) {
            (Kind::Array(_, Len::Unknown), Kind::Array(_, Len::Fixed(_))) => b,
            (Kind::Function(f), Kind::Function(g)) if !f.prototype && g.prototype => b,
            _ => a,
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_ir::DataModel;

    use super::*;

    #[test]
    fn usual_conversions() {
        use IntKind::*;
        let cases = [
            (DataModel::Lp64, Char, Short, Int),
            (DataModel::Lp64, Int, UInt, UInt),
            (DataModel::Lp64, UInt, Long, Long),
            (DataModel::Ilp32, UInt, Long, ULong),
            (DataModel::Ilp32, ULong, LongLong, LongLong),
            (DataModel::Lp64, ULong, LongLong, ULongLong),
        ];
        for (model, a, b, wanted) in cases {
            let mut types = Types::new(model);
            let (a, b, wanted) = (types.int(a), types.int(b), types.int(wanted));
            assert_eq!(types.usual(a, b), wanted);
            assert_eq!(types.usual(b, a), wanted);
        }
    }

    #[test]
    fn a_known_length_completes_an_unknown_one() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int_type();
        let (open, closed) = (types.array(int, Len::Unknown), types.array(int, Len::Fixed(3)));
        assert!(types.compatible(open, closed));
        assert_eq!(types.composite(open, closed), closed);
    }
}
