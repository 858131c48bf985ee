//! Structs and unions: where members stand, as gcc's x86 ABIs put them.
//!
//! Bit-fields that stand next to each other are one memory location (C11 3.14), so they share
//! *pieces*: plain integers in memory that cover the run of bit-fields and nothing else. An access
//! to a bit-field reads the pieces, masks and shifts, and writes them back.

use std::rc::Rc;

use selvedge_ir::Int;

use super::{Ty, Types};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RecordId(pub u32);

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub tag: Option<Rc<str>>,
    pub union: bool,
    pub complete: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// Defined by a library model: brace initialisers of the user's headers do not fit its fields.
    pub model: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// None for an anonymous struct or union.
    pub name: Option<Rc<str>>,
    pub ty: Ty,
    pub offset: u64,
    pub bits: Option<BitField>,
    /// In a library model: the function that chooses the member's value. It gets what a brace
    /// initialiser of the user's headers has other than zero.
    pub chosen_by: Option<Rc<str>>,
}

/// `width` bits, the lowest at bit `shift` of the first piece (pieces follow each other in memory,
/// little endian).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitField {
    pub pieces: Vec<Piece>,
    pub shift: u32,
    pub width: u32,
    pub signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// From the start of the record.
    pub offset: u64,
    pub int: Int,
}

impl Record {
    pub fn incomplete(tag: Option<Rc<str>>, union: bool) -> Record {
        Record { tag, union, complete: false, fields: Vec::new(), size: 0, align: 1, model: false }
    }

    pub fn name(&self) -> String {
        let word = if self.union { "union" } else { "struct" };
        match &self.tag {
            Some(tag) => format!("{word} {tag}"),
            None => word.to_owned(),
        }
    }
}

/// A member as declared.
pub(crate) struct FieldSpec {
    pub name: Option<Rc<str>>,
    pub ty: Ty,
    /// The width of a bit-field; a width of zero closes the run.
    pub bits: Option<u32>,
    pub packed: bool,
    /// What an attribute on the member asks for.
    pub align: Option<u64>,
    pub chosen_by: Option<Rc<str>>,
}

/// Places one member after another.
pub(crate) struct Layouter<'t> {
    types: &'t Types,
    union: bool,
    packed: bool,
    /// The next free bit.
    at: u64,
    size_bits: u64,
    align: u64,
    fields: Vec<Field>,
    /// Fields of the run of bit-fields that is open, with their first bit.
    run: Vec<(usize, u64, u32)>,
}

impl<'t> Layouter<'t> {
    pub fn new(types: &'t Types, union: bool, packed: bool) -> Layouter<'t> {
        Layouter {
            types,
            union,
            packed,
            at: 0,
            size_bits: 0,
            align: 1,
            fields: Vec::new(),
            run: Vec::new(),
        }
    }

    pub fn add(&mut self, field: FieldSpec) {
        if self.union {
            self.at = 0;
        }
        match field.bits {
            Some(width) => self.add_bits(field, width),
            None => self.add_plain(field),
        }
        self.size_bits = self.size_bits.max(self.at);
        if self.union {
            self.close_run(u64::MAX);
        }
    }

    fn add_plain(&mut self, field: FieldSpec) {
        let natural = match self.packed || field.packed {
            true => field.ty.align_attribute().unwrap_or(1),
            false => self.types.member_align(field.ty),
        };
        let align = natural.max(field.align.unwrap_or(1));
        self.align = self.align.max(align);
        let offset = self.at.div_ceil(8).next_multiple_of(align);
        self.close_run(offset);
        self.at = offset.saturating_add(self.types.size(field.ty)).saturating_mul(8);
        let FieldSpec { name, ty, chosen_by, .. } = field;
        self.fields.push(Field { name, ty, offset, bits: None, chosen_by });
    }

    /// gcc on x86: a bit-field may not cross a boundary of its declared type, unless packed; it
    /// aligns the record as its type does if it has a name.
    fn add_bits(&mut self, field: FieldSpec, width: u32) {
        let unit = self.types.size(field.ty) * 8;
        let packed = self.packed || field.packed;
        let align = if packed { 1 } else { self.types.member_align(field.ty) };
        let align = align.max(field.align.unwrap_or(1));
        if width == 0 {
            let boundary = self.types.member_align(field.ty) * 8;
            self.at = self.at.next_multiple_of(boundary.max(8));
            self.close_run(self.at / 8);
            return;
        }
        if field.align.is_some() {
            self.at = self.at.next_multiple_of(align * 8);
        }
        let crosses = self.at / unit != (self.at + u64::from(width) - 1) / unit;
        if !packed && crosses {
            self.at = self.at.next_multiple_of(align * 8);
        }
        if field.name.is_some() {
            self.align = self.align.max(align);
            self.run.push((self.fields.len(), self.at, width));
            let signed = self.types.int_kind(field.ty).is_some_and(|kind| kind.is_signed());
            let bits = BitField { pieces: Vec::new(), shift: 0, width, signed };
            self.fields.push(Field {
                name: field.name,
                ty: field.ty,
                offset: self.at / 8,
                bits: Some(bits),
                chosen_by: field.chosen_by,
            });
        }
        self.at += u64::from(width);
    }

    /// Chooses the pieces for the open run; nothing but padding stands between its end and byte
    /// `limit`.
    fn close_run(&mut self, limit: u64) {
        let run = std::mem::take(&mut self.run);
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let start = first.1 / 8;
        let end = (last.1 + u64::from(last.2)).div_ceil(8);
        let pieces = pieces(start, end, limit);
        for (index, bit, width) in run {
            let signed = self.fields[index].bits.as_ref().is_some_and(|bits| bits.signed);
            let covers = |p: &&Piece| {
                let low = p.offset * 8;
                bit < low + u64::from(p.int.width) && low < bit + u64::from(width)
            };
            let own: Vec<Piece> = pieces.iter().filter(covers).copied().collect();
            let shift = own.first().map_or(0, |p| (bit - p.offset * 8) as u32);
            self.fields[index].offset = own.first().map_or(start, |p| p.offset);
            self.fields[index].bits = Some(BitField { pieces: own, shift, width, signed });
        }
    }

    /// The finished record; `align` is what attributes on the record ask for.
    pub fn finish(mut self, align: Option<u64>, record: &Record) -> Record {
        let align = self.align.max(align.unwrap_or(1));
        let size = self.size_bits.max(self.at).div_ceil(8).next_multiple_of(align);
        self.close_run(size);
        Record { complete: true, fields: self.fields, size, align, ..record.clone() }
    }
}

/// Covers the bytes from `start` to `end` with integers; the first try is one integer that may
/// reach into padding, up to `limit`.
fn pieces(start: u64, end: u64, limit: u64) -> Vec<Piece> {
    let piece =
        |offset, bytes: u64| Piece { offset, int: Int { width: bytes as u8 * 8, signed: false } };
    let whole = (end - start).next_power_of_two();
    if whole <= 8 && start.is_multiple_of(whole) && start + whole <= limit {
        return vec![piece(start, whole)];
    }
    let mut found = Vec::new();
    let mut at = start;
    while at < end {
        let fits = |bytes: &u64| at.is_multiple_of(*bytes) && at + bytes <= end;
        let bytes = [8, 4, 2, 1].into_iter().find(fits).unwrap_or(1);
        found.push(piece(at, bytes));
        at += bytes;
    }
    found
}

#[cfg(test)]
mod tests {
    use selvedge_ir::DataModel;

    use super::super::IntKind;
    use super::*;

    fn layout(model: DataModel, packed: bool, members: &[(IntKind, Option<u32>)]) -> Record {
        let mut types = Types::new(model);
        let tys: Vec<Ty> = members.iter().map(|(kind, _)| types.int(*kind)).collect();
        let mut layouter = Layouter::new(&types, false, packed);
        for (i, (ty, (_, bits))) in tys.iter().zip(members).enumerate() {
            let name = Some(Rc::from(format!("f{i}")));
            let (ty, bits) = (*ty, *bits);
            let spec = FieldSpec { name, ty, bits, packed: false, align: None, chosen_by: None };
            layouter.add(spec);
        }
        layouter.finish(None, &Record::incomplete(None, false))
    }

    #[test]
    fn padding_and_packing() {
        use IntKind::*;
        let members = [(Char, None), (LongLong, None), (Char, None)];
        assert_eq!(layout(DataModel::Lp64, false, &members).size, 24);
        assert_eq!(layout(DataModel::Ilp32, false, &members).size, 16);
        assert_eq!(layout(DataModel::Lp64, true, &members).size, 10);
    }

    #[test]
    fn a_run_of_bit_fields_shares_one_piece() {
        let (uint, int) = (IntKind::UInt, IntKind::Int);
        let members = [(uint, Some(3)), (uint, Some(7)), (int, None)];
        let record = layout(DataModel::Lp64, false, &members);
        assert_eq!(record.size, 8);
        let second = record.fields[1].bits.as_ref().expect("a bit-field");
        assert_eq!(second.pieces, [Piece { offset: 0, int: Int::U16 }]);
        assert_eq!(second.shift, 3);
    }

    #[test]
    fn pieces_do_not_touch_other_members() {
        let members = [(IntKind::UInt, Some(20)), (IntKind::Char, None)];
        let record = layout(DataModel::Lp64, false, &members);
        assert_eq!((record.size, record.fields[1].offset), (4, 3));
        let bits = record.fields[0].bits.as_ref().expect("a bit-field");
        let ints: Vec<Int> = bits.pieces.iter().map(|p| p.int).collect();
        assert_eq!(ints, [Int::U16, Int::U8]);
    }

    #[test]
    fn a_bit_field_does_not_cross_its_unit() {
        use IntKind::*;
        let record = layout(DataModel::Lp64, false, &[(UInt, Some(20)), (UInt, Some(20))]);
        assert_eq!(record.size, 8);
        assert_eq!(record.fields[1].bits.as_ref().map(|bits| bits.shift), Some(32));
        let packed = layout(DataModel::Lp64, true, &[(UInt, Some(20)), (UInt, Some(20))]);
        assert_eq!(packed.size, 5);
    }

    #[test]
    fn width_zero_closes_the_run() {
        use IntKind::*;
        let members = [(UInt, Some(3)), (UInt, Some(0)), (UInt, Some(3))];
        let record = layout(DataModel::Lp64, false, &members);
        let piece = |i: usize| record.fields[i].bits.as_ref().expect("bits").pieces[0].offset;
        assert_eq!((piece(0), piece(1)), (0, 4));
    }
}
