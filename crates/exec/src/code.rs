//! A program made ready to run: types resolved, constants turned into values, addresses of global
//! variables turned into cells. Done once, so that a step need not look anything up.

use selvedge_ir::{
    Action, BinaryOp, Callee, Const, Edge, Expr, Fence, Grain, Int, LayoutId, LocalId, LocationId,
    Mode, ObjectId, Place, ProcId, Procedure, Program, Property, Shape, Sharing, Span, Storage,
    Type, UnaryOp,
};

use crate::value::Value;
use crate::weak::WeakLoads;

/// A global variable with more scalars than this is kept as a sparse object.
const MAX_FIXED_CELLS: usize = 256;

#[derive(Clone, Debug)]
pub struct Code {
    pub procedures: Vec<ProcedureCode>,
    /// By `ObjectId`.
    pub statics: Vec<StaticObject>,
    /// The cells of `State::statics`.
    pub static_cells: Vec<StaticCell>,
    /// Shared global variables without fixed cells: the first objects of `State::heap`.
    pub heap_statics: Vec<ObjectId>,
    /// The variables kept per thread, in the order of `Thread::own`.
    pub per_thread: Vec<ObjectId>,
    /// Where inputs come from.
    pub sites: Vec<Site>,
    /// Of a program with orders weaker than sequential consistency.
    pub(crate) weak: Option<WeakLoads>,
}

/// An action that can give an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub span: Span,
    /// It reads memory, so the input is what nobody has written there. Other inputs are those of
    /// the environment and variables without an initial value, which Plato does not tell apart.
    pub from_memory: bool,
}

#[derive(Clone, Debug)]
pub struct StaticObject {
    pub size: u64,
    pub home: Home,
}

/// Where a global variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Cells `first..end` of `State::statics`.
    Cells { first: u32, end: u32 },
    /// In `State::heap`.
    Heap(u32),
    /// In each thread: a place in `Thread::own`.
    Own(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticCell {
    pub object: ObjectId,
    pub offset: u64,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct ProcedureCode {
    pub locals: Vec<Type>,
    pub params: Vec<LocalId>,
    pub result: Option<LocalId>,
    pub entry: LocationId,
    pub exit: LocationId,
    pub locations: Vec<LocationCode>,
}

#[derive(Clone, Debug)]
pub struct LocationCode {
    pub grain: Grain,
    pub edges: Vec<EdgeCode>,
    /// Two assumptions, the second the negation of the first.
    pub branch: bool,
    /// Some edge leads into an atomic block of this procedure or of a called one.
    pub enters_block: bool,
    /// What a thread that stands here can access next, in one action or atomic block.
    pub reach: Reach,
}

/// Which accesses to memory are possible: sets of global variables, one bit for each (several may
/// share one), all bits where the address is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub reads: u64,
    pub writes: u64,
    /// Those of them that are plain.
    pub plain: u64,
}

impl Reach {
    pub const ALL: Reach = Reach { reads: u64::MAX, writes: u64::MAX, plain: u64::MAX };

    pub fn is_nothing(&self) -> bool {
        self.reads | self.writes == 0
    }

    /// Whether the two could race.
    pub fn may_race(&self, other: &Reach) -> bool {
        let both = self.writes & (other.reads | other.writes) | other.writes & self.reads;
        both & (self.plain | other.plain) != 0
    }

    fn add(&mut self, action: &Action) {
        if let Action::Free { storage: Storage::Heap, .. } = action {
            self.writes = u64::MAX;
            self.plain = u64::MAX;
        }
        let Some(place) = action.place() else { return };
        let object = match place.direct() {
            Some((object, _)) => 1 << (object.as_u32() % 64),
            None => u64::MAX,
        };
        match action {
            Action::Load { .. } => self.reads |= object,
            _ => self.writes |= object,
        }
        if let Action::Load { mode: Mode::Plain, .. } | Action::Store { mode: Mode::Plain, .. } =
            action
        {
            self.plain |= object;
        }
    }
}

#[derive(Clone, Debug)]
pub struct EdgeCode {
    pub act: Act,
    pub target: LocationId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Act {
    Skip,
    Assume(Ex),
    Wait(Ex),
    /// With no property, what C leaves undefined: a violation whatever is asked for.
    Assert {
        cond: Ex,
        property: Option<Property>,
    },
    Assign {
        to: LocalId,
        value: Ex,
    },
    Havoc {
        to: LocalId,
        ty: Type,
        site: u32,
    },
    Load {
        to: LocalId,
        from: Address,
        mode: Mode,
        site: u32,
    },
    Store {
        to: Address,
        value: Ex,
        mode: Mode,
    },
    Lock {
        lock: Address,
    },
    Unlock {
        lock: Address,
    },
    Fence(Fence),
    Alloc {
        to: LocalId,
        storage: Storage,
        layout: LayoutId,
        size: Ex,
        zeroed: bool,
    },
    Free {
        addr: Ex,
        storage: Storage,
    },
    Spawn {
        to: LocalId,
        entry: Entry,
        args: Vec<(Ex, Type)>,
    },
    Join {
        thread: Ex,
        to: Option<LocalId>,
    },
    Call {
        to: Option<LocalId>,
        entry: Entry,
        args: Vec<(Ex, Type)>,
    },
    EndThread {
        value: Option<Ex>,
    },
    Halt,
    Unsupported,
}

#[derive(Clone, Debug)]
pub struct Address {
    pub ty: Type,
    pub at: At,
}

#[derive(Clone, Debug)]
pub enum At {
    /// A cell of `State::statics`, of the access's own type.
    Cell(u32),
    Computed(Ex),
}

#[derive(Clone, Debug)]
pub enum Entry {
    Direct(ProcId),
    Indirect(Ex),
}

/// An expression with its types.
#[derive(Clone, Debug)]
pub enum Ex {
    Value(Value),
    Local(LocalId),
    Tid,
    /// The address of the executing thread's instance of a variable kept per thread.
    Own(u32, i64),
    Unary(UnaryOp, Int, Box<Ex>),
    Binary(Binary, Box<(Ex, Ex)>),
    Cast {
        from: Type,
        to: Type,
        operand: Box<Ex>,
    },
    Ite(Box<(Ex, Ex, Ex)>),
}

/// An operator with the type of its operands, as an integer type and as it is.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    pub op: BinaryOp,
    pub int: Int,
    pub ty: Type,
}

/// The integer type that a scalar's bits have: bools are one bit wide.
pub fn int_of(ty: Type, program: &Program) -> Int {
    match ty {
        Type::Bool => Int { width: 1, signed: false },
        Type::Int(int) => int,
        Type::Ptr | Type::Thread => program.model.size_type(),
    }
}

impl Act {
    /// Part of the schedule of a trace.
    pub fn is_visible(&self) -> bool {
        !matches!(
            self,
            Act::Skip
                | Act::Assume(_)
                | Act::Assert { .. }
                | Act::Assign { .. }
                | Act::Call { .. }
                | Act::Unsupported
        )
    }
}

impl Code {
    pub fn new(program: &Program) -> Code {
        let mut code = Code {
            procedures: Vec::new(),
            statics: Vec::new(),
            static_cells: Vec::new(),
            heap_statics: Vec::new(),
            per_thread: Vec::new(),
            sites: Vec::new(),
            weak: WeakLoads::of(program),
        };
        for (id, object) in program.objects.iter() {
            let home = code.home(program, id, object.layout, object.sharing);
            code.statics.push(StaticObject { size: program.layouts[object.layout].size, home });
        }
        for procedure in program.procedures.values() {
            let compiled = Compiler { program, procedure, code: &mut code }.procedure();
            code.procedures.push(compiled);
        }
        code
    }

    fn home(&mut self, p: &Program, id: ObjectId, layout: LayoutId, sharing: Sharing) -> Home {
        if sharing == Sharing::PerThread {
            self.per_thread.push(id);
            return Home::Own(self.per_thread.len() as u32 - 1);
        }
        let mut cells = Vec::new();
        if !fixed_cells(p, layout, 0, &mut cells) {
            self.heap_statics.push(id);
            return Home::Heap(self.heap_statics.len() as u32 - 1);
        }
        let first = self.static_cells.len() as u32;
        let cell = |(offset, ty)| StaticCell { object: id, offset, ty };
        self.static_cells.extend(cells.into_iter().map(cell));
        Home::Cells { first, end: self.static_cells.len() as u32 }
    }

    pub fn procedure(&self, id: ProcId) -> &ProcedureCode {
        &self.procedures[id.as_u32() as usize]
    }

    pub fn location(&self, procedure: ProcId, at: LocationId) -> &LocationCode {
        &self.procedure(procedure).locations[at.as_u32() as usize]
    }

    pub fn object(&self, id: ObjectId) -> &StaticObject {
        &self.statics[id.as_u32() as usize]
    }

    /// The cell of `State::statics` at a place of a global variable.
    pub fn cell_at(&self, object: ObjectId, offset: u64) -> Option<u32> {
        let Home::Cells { first, end } = self.object(object).home else { return None };
        let cells = &self.static_cells[first as usize..end as usize];
        let found = cells.binary_search_by_key(&offset, |c| c.offset).ok()?;
        Some(first + found as u32)
    }
}

/// Lists the scalars of a layout. False where they are not fixed or too many.
fn fixed_cells(p: &Program, layout: LayoutId, at: u64, cells: &mut Vec<(u64, Type)>) -> bool {
    let layout = &p.layouts[layout];
    match &layout.shape {
        Shape::Scalar(ty) => cells.push((at, *ty)),
        Shape::Struct(fields) => {
            return fields.iter().all(|f| fixed_cells(p, f.layout, at + f.offset, cells));
        }
        Shape::Array { element, count } => {
            let stride = p.layouts[*element].size;
            if *count > MAX_FIXED_CELLS as u64 {
                return false;
            }
            return (0..*count).all(|i| fixed_cells(p, *element, at + i * stride, cells));
        }
        Shape::Union(_) | Shape::Bytes => return false,
    }
    cells.len() <= MAX_FIXED_CELLS
}

struct Compiler<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    code: &'a mut Code,
}

impl Compiler<'_> {
    fn procedure(&mut self) -> ProcedureCode {
        let p = self.procedure;
        let mut locations = Vec::with_capacity(p.locations.len());
        for location in p.locations.values() {
            let edges = location.edges.iter().map(|e| self.edge(e)).collect();
            locations.push(LocationCode {
                grain: location.grain,
                edges,
                branch: is_branch(&location.edges),
                enters_block: false,
                reach: Reach::default(),
            });
        }
        for id in p.locations.keys() {
            let location = &mut locations[id.as_u32() as usize];
            location.enters_block = enters_block(self.program, p, id);
            location.reach = reach(self.program, p, id);
        }
        ProcedureCode {
            locals: p.locals.values().map(|l| l.ty).collect(),
            params: p.params.clone(),
            result: p.result,
            entry: p.entry,
            exit: p.exit,
            locations,
        }
    }

    fn edge(&mut self, edge: &Edge) -> EdgeCode {
        EdgeCode { act: self.act(edge), target: edge.target, span: edge.span }
    }

    fn act(&mut self, edge: &Edge) -> Act {
        match &edge.action {
            Action::Skip => Act::Skip,
            Action::Assume(e) => Act::Assume(self.expr(e)),
            Action::Wait(e) => Act::Wait(self.expr(e)),
            Action::Assert { cond, check } => {
                let property = (!check.is_asked(&[])).then_some(check.property);
                Act::Assert { cond: self.expr(cond), property }
            }
            Action::Assign { to, value } => Act::Assign { to: *to, value: self.expr(value) },
            Action::Havoc { to } => {
                let ty = self.procedure.locals[*to].ty;
                Act::Havoc { to: *to, ty, site: self.site(edge.span, false) }
            }
            Action::Load { to, from, mode } => {
                let site = self.site(edge.span, true);
                Act::Load { to: *to, from: self.address(from), mode: *mode, site }
            }
            Action::Store { to, value, mode } => {
                Act::Store { to: self.address(to), value: self.expr(value), mode: *mode }
            }
            Action::Lock { lock } => Act::Lock { lock: self.address(lock) },
            Action::Unlock { lock } => Act::Unlock { lock: self.address(lock) },
            Action::Alloc { to, storage, layout, size, zeroed } => {
                let (storage, layout, zeroed) = (*storage, *layout, *zeroed);
                Act::Alloc { to: *to, storage, layout, size: self.expr(size), zeroed }
            }
            Action::Free { addr, storage } => {
                Act::Free { addr: self.expr(addr), storage: *storage }
            }
            Action::Spawn { to, entry, args } => {
                Act::Spawn { to: *to, entry: self.entry(entry), args: self.args(args) }
            }
            Action::Join { thread, to } => Act::Join { thread: self.expr(thread), to: *to },
            Action::Call { to, callee, args } => {
                Act::Call { to: *to, entry: self.entry(callee), args: self.args(args) }
            }
            Action::EndThread { value } => {
                Act::EndThread { value: value.as_ref().map(|v| self.expr(v)) }
            }
            // Without weaker accesses there is nothing that a fence could order.
            Action::Fence(fence) => Act::Fence(*fence),
            Action::Halt => Act::Halt,
            Action::Unsupported { .. } | Action::Ghost(_) => Act::Unsupported,
        }
    }

    fn site(&mut self, span: Span, from_memory: bool) -> u32 {
        let site = Site { span, from_memory };
        if self.code.sites.last() != Some(&site) {
            self.code.sites.push(site);
        }
        self.code.sites.len() as u32 - 1
    }

    fn entry(&self, callee: &Callee) -> Entry {
        match callee {
            Callee::Direct(id) => Entry::Direct(*id),
            Callee::Indirect(e) => Entry::Indirect(self.expr(e)),
        }
    }

    fn args(&self, args: &[Expr]) -> Vec<(Ex, Type)> {
        args.iter().map(|a| (self.expr(a), self.ty(a))).collect()
    }

    fn address(&self, place: &Place) -> Address {
        let cell = place.direct().and_then(|(object, offset)| {
            let cell = self.code.cell_at(object, u64::try_from(offset).ok()?)?;
            (self.code.static_cells[cell as usize].ty == place.ty).then_some(cell)
        });
        let at = match cell {
            Some(cell) => At::Cell(cell),
            None => At::Computed(self.expr(&place.addr)),
        };
        Address { ty: place.ty, at }
    }

    fn ty(&self, e: &Expr) -> Type {
        e.ty(self.program, self.procedure)
    }

    fn expr(&self, e: &Expr) -> Ex {
        match e {
            Expr::Const(c) => self.constant(*c),
            Expr::Local(local) => Ex::Local(*local),
            Expr::Tid => Ex::Tid,
            Expr::Unary(op, a) => {
                Ex::Unary(*op, int_of(self.ty(a), self.program), Box::new(self.expr(a)))
            }
            Expr::Binary(op, a, b) => {
                let ty = self.ty(a);
                let operator = Binary { op: *op, int: int_of(ty, self.program), ty };
                Ex::Binary(operator, Box::new((self.expr(a), self.expr(b))))
            }
            Expr::Cast(to, a) => {
                Ex::Cast { from: self.ty(a), to: *to, operand: Box::new(self.expr(a)) }
            }
            Expr::Ite(c, a, b) => Ex::Ite(Box::new((self.expr(c), self.expr(a), self.expr(b)))),
        }
    }

    fn constant(&self, c: Const) -> Ex {
        if let Const::Object(object, offset) = c
            && let Home::Own(index) = self.code.object(object).home
        {
            return Ex::Own(index, offset);
        }
        Ex::Value(constant(c))
    }
}

/// The value of a constant that is not the address of a variable kept per thread.
pub fn constant(c: Const) -> Value {
    match c {
        Const::Bool(b) => Value::bool(b),
        Const::Int(bits, _) => Value::Int(bits),
        Const::Null => Value::Null,
        Const::Object(object, offset) => Value::Static(object, offset),
        Const::Proc(id) => Value::Proc(id),
        Const::NoThread => Value::NO_THREAD,
    }
}

/// All-zero bytes, read at a type.
pub fn zero(ty: Type) -> Value {
    constant(Const::zero(ty))
}

fn is_branch(edges: &[Edge]) -> bool {
    match edges {
        [Edge { action: Action::Assume(a), .. }, Edge { action: Action::Assume(b), .. }] => {
            a.clone().not() == *b || b.clone().not() == *a
        }
        _ => false,
    }
}

fn enters_block(program: &Program, procedure: &Procedure, at: LocationId) -> bool {
    procedure.locations[at].edges.iter().any(|e| leads_into_block(program, procedure, e))
}

fn leads_into_block(program: &Program, procedure: &Procedure, edge: &Edge) -> bool {
    let entered = match &edge.action {
        Action::Call { callee: Callee::Direct(id), .. } => {
            let callee = &program.procedures[*id];
            callee.locations[callee.entry].grain == Grain::Atomic
        }
        Action::Call { callee: Callee::Indirect(_), .. } => true,
        _ => false,
    };
    entered || procedure.locations[edge.target].grain == Grain::Atomic
}

fn reach(program: &Program, procedure: &Procedure, at: LocationId) -> Reach {
    let mut all = Reach::default();
    let mut seen = vec![false; procedure.locations.len()];
    let mut open = vec![at];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at.as_u32() as usize], true) {
            continue;
        }
        for edge in &procedure.locations[at].edges {
            // What a call inside a block does is not looked into.
            if matches!(edge.action, Action::Call { .. })
                && leads_into_block(program, procedure, edge)
            {
                return Reach::ALL;
            }
            all.add(&edge.action);
            if procedure.locations[edge.target].grain == Grain::Atomic {
                open.push(edge.target);
            }
        }
    }
    all
}
