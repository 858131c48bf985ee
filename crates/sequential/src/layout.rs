//! How memory is laid out: what the unrolling and the Horn clauses have in common.
//!
//! Both say of a sequential program which maps are held in one way because they must match
//! ([`Layout::family`]), at which types a map is accessed ([`Layout::accesses`]), at which offsets of
//! an object it has scalars ([`offsets`]), what it starts with ([`Layout::start`],
//! [`Layout::initial`]), and when an access lies in an object ([`inside`]). That is decided here,
//! once.
//!
//! What differs is how that becomes terms, for reasons that lie in the two methods:
//!
//! - *Pointers.* When unrolling (`address`), a pointer is one word, so that casts
//!   to integers and back keep it, and constant addresses fold. In clauses
//!   (`horn::objects`), it is an object and an offset: the solver of Horn clauses works
//!   on integers, and no linear term takes a word apart.
//! - *Objects.* When unrolling, every executed `Alloc` is a copy of its own, so each object has a
//!   constant number. A relation of a loop speaks of every iteration at once: objects made in a loop
//!   are numbered by a counter, which is a parameter, and so are their sizes.
//! - *Holding a map.* The unrolling merges states in SSA form, so a variable for one more address
//!   can be added at any time, and whether a map must be an array is found out by trying. The
//!   parameters of a relation are fixed before the first clause is built: cells or an array, and
//!   which index, follow from the extents alone.
//! - *Maps of mixed types.* The unrolling holds their bytes. An unbounded integer has no bytes, so
//!   in clauses such a map is not held: what is read from it is anything, which only adds
//!   executions. For the same reason, initial content that is made up of parts is unknown there.

use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use selvedge_ir::{Action, Const, ObjectId, RegionId, Type};
use selvedge_passes::pointsto::Extent;
use selvedge_smt::{Sort, Term, Terms};

use super::program::SequentialProgram;

#[derive(Debug)]
pub(super) struct Layout<'a> {
    program: &'a SequentialProgram,
    /// By region: the first region of those that are matched with it, directly or not.
    families: SecondaryMap<RegionId, RegionId>,
    /// By family: the types of all accesses, each once.
    accesses: FxHashMap<RegionId, Vec<Type>>,
    /// Some `Alloc` makes memory without initial content.
    makes_undefined: bool,
}

/// An object, as far as its initial content depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Static(ObjectId),
    Made { zeroed: bool },
}

/// What a scalar of a map starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Unknown,
    Zero,
    /// As the object says.
    Static(ObjectId),
}

/// What a static object says about a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Initial {
    Zero,
    Constant(Const),
    /// Constants that overlap it, with their offsets relative to it.
    Parts(Vec<(i64, Const)>),
}

impl<'a> Layout<'a> {
    pub fn of(program: &'a SequentialProgram) -> Layout<'a> {
        let families = families(program);
        let mut accesses: FxHashMap<RegionId, Vec<Type>> = FxHashMap::default();
        let mut makes_undefined = false;
        for (_, edge) in program.body().edges() {
            makes_undefined |= matches!(edge.action, Action::Alloc { zeroed: false, .. });
            let Some(place) = edge.action.place() else { continue };
            let Some(region) = place.region else { continue };
            let types = accesses.entry(families[region]).or_default();
            if !types.contains(&place.ty) {
                types.push(place.ty);
            }
        }
        Layout { program, families, accesses, makes_undefined }
    }

    pub fn family(&self, region: RegionId) -> RegionId {
        self.families[region]
    }

    /// The types at which a map, or one that it must match, is accessed.
    pub fn accesses(&self, region: RegionId) -> &[Type] {
        self.accesses.get(&self.family(region)).map_or(&[], Vec::as_slice)
    }

    /// What a map starts with in an object. Pointers start null, as an input pointer is.
    pub fn start(&self, region: RegionId, kind: Kind) -> Start {
        if self.program.arbitrary.contains(&region) {
            return Start::Unknown;
        }
        match kind {
            _ if self.program.per_object.contains(&region) => Start::Zero,
            Kind::Static(object) => Start::Static(object),
            Kind::Made { zeroed: true } => Start::Zero,
            Kind::Made { zeroed: false } if self.has_pointers(region) => Start::Zero,
            Kind::Made { zeroed: false } => Start::Unknown,
        }
    }

    /// Whether some object may start with unknown content in a map.
    pub fn may_start_unknown(&self, region: RegionId) -> bool {
        self.makes_undefined && self.start(region, Kind::Made { zeroed: false }) == Start::Unknown
    }

    fn has_pointers(&self, region: RegionId) -> bool {
        self.accesses(region).iter().any(|ty| matches!(ty, Type::Ptr | Type::Thread))
    }

    /// What a static object says about the scalar of so many bytes at an offset.
    pub fn initial(&self, object: ObjectId, offset: i64, bytes: u64) -> Initial {
        let program = &self.program.program;
        let bytes = bytes as i64;
        let size = |constant: Const| constant.ty().size(program.model) as i64;
        let init = program.objects[object].init.iter();
        let relative = init.map(|&(at, constant)| (at as i64 - offset, constant));
        let parts: Vec<(i64, Const)> =
            relative.filter(|&(at, constant)| at < bytes && at + size(constant) > 0).collect();
        match parts[..] {
            [] => Initial::Zero,
            [(0, constant)] if size(constant) == bytes => Initial::Constant(constant),
            _ => Initial::Parts(parts),
        }
    }
}

/// For each region, the first of those that are matched with it, directly or not.
fn families(program: &SequentialProgram) -> SecondaryMap<RegionId, RegionId> {
    let mut parents: Vec<usize> = (0..program.program.regions.len()).collect();
    fn root(parents: &[usize], mut at: usize) -> usize {
        while parents[at] != at {
            at = parents[at];
        }
        at
    }
    for &(a, b) in &program.matches {
        let (a, b) = (root(&parents, a.index()), root(&parents, b.index()));
        parents[a.max(b)] = a.min(b);
    }
    let mut families = SecondaryMap::with_default(RegionId::new(0));
    for index in 0..parents.len() {
        families[RegionId::new(index)] = RegionId::new(root(&parents, index));
    }
    families
}

/// The offsets at which a scalar lies inside an extent and inside an object of some size; none if
/// the extent repeats more than `most` times in it.
pub(super) fn offsets(extent: &Extent, bytes: u64, size: u64, most: usize) -> Option<Vec<i64>> {
    let (bytes, size, most) = (bytes as i64, i64::try_from(size).ok()?, most as i64);
    let Extent { start, length, stride, .. } = *extent;
    let inside =
        |first: i64| (first..=first + length - bytes).filter(|&o| o >= 0 && o + bytes <= size);
    if stride == 0 {
        return Some(inside(start).collect());
    }
    if stride == 1 && size <= most {
        // Nothing is known of offsets.
        return Some((0..=size - bytes).collect());
    }
    if size / stride > most {
        return None;
    }
    let first = start.rem_euclid(stride);
    // The place before the first may reach into the object, too.
    let starts = (-1..=size / stride).map(|i| first + i * stride);
    let mut all: Vec<i64> = starts.flat_map(inside).collect();
    all.dedup();
    Some(all)
}

/// Whether each place of an extent is one scalar of so many bytes, and apart from the next.
pub(super) fn is_plain(extent: &Extent, bytes: u64) -> bool {
    let bytes = bytes as i64;
    extent.length == bytes && (extent.stride == 0 || extent.stride >= bytes)
}

/// Whether so many bytes from an offset on lie in an object of some size: words or integers, all
/// three of one sort.
pub(super) fn inside(terms: &mut Terms, offset: Term, bytes: Term, size: Term) -> Term {
    if terms.sort(offset) == Sort::Int {
        let zero = terms.int(0);
        let (from, end) = (terms.le(zero, offset), terms.add(&[offset, bytes]));
        let before = terms.le(end, size);
        return terms.and(&[from, before]);
    }
    // The end of an access may wrap around, the last offset that fits does not.
    let large_enough = terms.bv_ule(bytes, size);
    let last = terms.bv_sub(size, bytes);
    let before_end = terms.bv_ule(offset, last);
    terms.and(&[large_enough, before_end])
}

#[cfg(test)]
mod tests {
    use selvedge_ir::{Property, text};
    use selvedge_passes::pointsto::Origin;
    use selvedge_passes::prepare;

    use super::*;

    fn extent(start: i64, length: i64, stride: i64) -> Extent {
        Extent { origin: Origin::Object(ObjectId::from_u32(0)), start, length, stride }
    }

    #[test]
    fn offsets_of_extents() {
        assert_eq!(offsets(&extent(4, 4, 0), 4, 16, 9), Some(vec![4]));
        assert_eq!(offsets(&extent(4, 8, 0), 4, 16, 9), Some(vec![4, 5, 6, 7, 8]));
        assert_eq!(offsets(&extent(20, 4, 8), 4, 16, 9), Some(vec![4, 12]));
        assert_eq!(offsets(&extent(0, 4, 8), 4, 80, 9), None);
        assert_eq!(offsets(&extent(14, 4, 0), 4, 16, 9), Some(vec![]), "it reaches beyond the end");
        assert!(is_plain(&extent(0, 4, 8), 4) && !is_plain(&extent(0, 4, 2), 4));
    }

    fn with_layout(source: &str, check: impl Fn(&SequentialProgram, &Layout<'_>)) {
        let program = text::parse("test.plato", source).expect("a good program");
        let properties = vec![Property::Assert];
        let passes = selvedge_passes::Options { properties, ..Default::default() };
        let prepared = prepare(&program, &passes);
        let program = SequentialProgram::from_single(&prepared, &[Property::Assert]);
        let program = program.expect("one thread");
        check(&program, &Layout::of(&program));
    }

    #[test]
    fn what_maps_start_with() {
        let source = "shared x: i32 = 258;
            procedure main() { local t: i32; t := x; x := t + 1; } thread main main;";
        with_layout(source, |program, layout| {
            let object = program.program.objects.keys().next().expect("a variable");
            let region = program.program.regions.keys().next().expect("its region");
            assert_eq!(layout.start(region, Kind::Static(object)), Start::Static(object));
            assert_eq!(layout.start(region, Kind::Made { zeroed: true }), Start::Zero);
            assert_eq!(layout.start(region, Kind::Made { zeroed: false }), Start::Unknown);
            assert!(!layout.may_start_unknown(region), "nothing is made without content");
            let whole = layout.initial(object, 0, 4);
            let Initial::Constant(constant) = whole else { panic!("{whole:?}") };
            assert_eq!(layout.initial(object, 1, 1), Initial::Parts(vec![(-1, constant)]));
            assert_eq!(layout.initial(object, 4, 4), Initial::Zero);
        });
    }
}
