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
    /// A parameter of this type takes an argument of any member's type.
    pub transparent: bool,
    /// An attribute that is not understood: members cannot be used.
    pub strange: Option<Rc<str>>,
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
    /// The first piece of the run, where it is none of `pieces`. The run is one memory location, so
    /// every access to the bit-field is one to this piece, too.
    pub shared: Option<Piece>,
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
        Record {
            tag,
            union,
            complete: false,
            fields: Vec::new(),
            size: 0,
            align: 1,
            model: false,
            transparent: false,
            strange: None,
        }
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

/// What holds for all members of a record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    pub union: bool,
    pub packed: bool,
    /// `#pragma pack`: no member is aligned to more bytes.
    pub limit: Option<u64>,
}

/// Places one member after another, as gcc's `place_field` does.
pub(crate) struct Layouter<'t> {
    types: &'t Types,
    rules: Rules,
    /// The next free bit.
    at: u64,
    size_bits: u64,
    /// In bytes.
    align: u64,
    fields: Vec<Field>,
    /// Fields of the run of bit-fields that is open, with their first bit.
    run: Vec<(usize, u64, u32)>,
    /// Runs of a union: each bit-field is one.
    runs: Vec<(usize, u64, u32)>,
}

impl<'t> Layouter<'t> {
    pub fn new(types: &'t Types, rules: Rules) -> Layouter<'t> {
        Layouter {
            types,
            rules,
            at: 0,
            size_bits: 0,
            align: 1,
            fields: Vec::new(),
            run: Vec::new(),
            runs: Vec::new(),
        }
    }

    pub fn add(&mut self, field: FieldSpec) {
        if self.rules.union {
            self.at = 0;
        }
        match field.bits {
            Some(width) => self.add_bits(field, width),
            None => self.add_plain(field),
        }
        self.size_bits = self.size_bits.max(self.at);
        if self.rules.union {
            self.runs.append(&mut self.run);
        }
    }

    fn add_plain(&mut self, field: FieldSpec) {
        let align = self.field_align(&field).div_ceil(8);
        self.align = self.align.max(align);
        let offset = self.at.div_ceil(8).next_multiple_of(align);
        self.close_run(offset);
        self.at = offset.saturating_add(self.types.size(field.ty)).saturating_mul(8);
        let FieldSpec { name, ty, chosen_by, .. } = field;
        self.fields.push(Field { name, ty, offset, bits: None, chosen_by });
    }

    /// A bit-field may not span more units of its type's alignment than its type does, unless
    /// packed; it aligns the record as its type does if it has a name.
    fn add_bits(&mut self, field: FieldSpec, width: u32) {
        let align = self.field_align(&field);
        self.at = self.at.next_multiple_of(align);
        if width == 0 {
            self.at = self.at.next_multiple_of(8);
            return self.close_run(self.at / 8);
        }
        let packed = self.rules.packed || field.packed;
        let unit = self.types.member_align(field.ty) * 8;
        if !packed && self.rules.limit.is_none() {
            let spanned = (self.at % unit + u64::from(width)).div_ceil(unit);
            if spanned > self.types.size(field.ty) * 8 / unit {
                self.at = self.at.next_multiple_of(unit);
            }
        }
        if field.name.is_some() {
            let of_type = match self.rules.limit {
                Some(limit) => unit.min(limit * 8),
                None if packed => unit.min(8),
                None => unit,
            };
            self.align = self.align.max(align.div_ceil(8)).max(of_type / 8);
            self.run.push((self.fields.len(), self.at, width));
            let signed = self.types.int_kind(field.ty).is_some_and(|kind| kind.is_signed());
            let bits = BitField { pieces: Vec::new(), shared: None, shift: 0, width, signed };
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

    /// The alignment of a member in bits, after gcc's `layout_decl`. An attribute on the member can
    /// only raise the alignment of its type, unless the member is packed.
    fn field_align(&self, field: &FieldSpec) -> u64 {
        let (ty, zero) = (field.ty, field.bits == Some(0));
        let packed = (self.rules.packed || field.packed) && !zero;
        let mut align = field.align.map_or(1, |bytes| bytes * 8);
        let mut of_type = align < self.types.align(ty) * 8;
        match field.bits {
            Some(width) if !zero => {
                of_type = false;
                if let Some(own) = self.whole_bytes(width, packed, field.align.is_some()) {
                    align = align.max(own);
                }
            }
            _ if packed => of_type = false,
            _ => {}
        }
        if of_type {
            align = self.types.member_align(ty) * 8;
        }
        if packed && field.align.is_none() {
            align = align.min(8);
        }
        match self.rules.limit {
            Some(limit) if !zero => align.min(limit * 8),
            _ => align,
        }
    }

    /// The alignment of a bit-field that is an integer of its own, and stands where one may.
    fn whole_bytes(&self, width: u32, packed: bool, aligned: bool) -> Option<u64> {
        let known = 1 << self.at.trailing_zeros().min(32);
        let whole = matches!(width, 8 | 16 | 32 | 64) && !(width > 8 && packed);
        (whole && (self.at == 0 || known >= u64::from(width))).then(|| {
            let narrow = self.types.model == selvedge_ir::DataModel::Ilp32 && !aligned;
            if narrow { u64::from(width.min(32)) } else { u64::from(width) }
        })
    }

    /// Chooses the pieces for the open run; nothing but padding stands between its end and byte
    /// `limit`.
    fn close_run(&mut self, limit: u64) {
        let run = std::mem::take(&mut self.run);
        self.settle_run(&run, limit);
    }

    fn settle_run(&mut self, run: &[(usize, u64, u32)], limit: u64) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let start = first.1 / 8;
        let end = (last.1 + u64::from(last.2)).div_ceil(8);
        let mut all = pieces(start, end, limit);
        let wide = |bit, width| bits_of(&covering(&all, bit, width)) > 64;
        if run.iter().any(|&(_, bit, width)| wide(bit, width)) {
            all = (start..end).map(|at| piece(at, 1)).collect();
        }
        for &(index, bit, width) in run {
            let own = covering(&all, bit, width);
            let Some(&lowest) = own.first() else { continue };
            let field = &mut self.fields[index];
            let signed = field.bits.as_ref().is_some_and(|bits| bits.signed);
            let shift = (bit - lowest.offset * 8) as u32;
            let shared = all.first().copied().filter(|piece| *piece != lowest);
            field.offset = lowest.offset;
            field.bits = Some(BitField { pieces: own, shared, shift, width, signed });
        }
    }

    /// The finished record; `align` is what attributes on the record ask for.
    pub fn finish(mut self, align: Option<u64>, record: &Record) -> Record {
        let align = self.align.max(align.unwrap_or(1));
        let size = self.size_bits.max(self.at).div_ceil(8).next_multiple_of(align);
        self.close_run(size);
        for run in std::mem::take(&mut self.runs) {
            self.settle_run(&[run], size);
        }
        Record { complete: true, fields: self.fields, size, align, ..record.clone() }
    }
}

fn piece(offset: u64, bytes: u64) -> Piece {
    Piece { offset, int: Int { width: bytes as u8 * 8, signed: false } }
}

/// The pieces with bits of a bit-field.
fn covering(pieces: &[Piece], bit: u64, width: u32) -> Vec<Piece> {
    let covers = |p: &&Piece| {
        let low = p.offset * 8;
        bit < low + u64::from(p.int.width) && low < bit + u64::from(width)
    };
    pieces.iter().filter(covers).copied().collect()
}

fn bits_of(pieces: &[Piece]) -> u32 {
    pieces.iter().map(|piece| u32::from(piece.int.width)).sum()
}

/// Covers the bytes from `start` to `end` with integers; the first try is one integer that may
/// reach into padding, up to `limit`.
fn pieces(start: u64, end: u64, limit: u64) -> Vec<Piece> {
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
        let mut layouter = Layouter::new(&types, Rules { packed, ..Rules::default() });
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
