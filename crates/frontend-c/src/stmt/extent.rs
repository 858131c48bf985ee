//! Extents: stretches of a function at whose ends something happens, and the jumps in and out.
//!
//! An object lives from the entry into its block to the block's end, however control comes there
//! (C11 6.2.4). What a block declares, and where labels stand, is known only when all of it has
//! been lowered, so jumps wait until then.

use selvedge_c_syntax::ast::Span;
use selvedge_ir::{Action, Expr, LayoutId, LocalId, Storage};

use crate::body::Loc;
use crate::lowering::{BlockObject, Extent, ExtentId, Leap, Lowering, Scope, Target};

impl Lowering<'_> {
    /// Begins a block.
    pub fn enter_scope(&mut self) {
        let mut scope = Scope::default();
        if self.tracks_lifetimes() && !self.frame.constant {
            let (entry, inside) = (self.body.current, self.body.location());
            scope.extents.push(self.frame.extents.len());
            self.frame.extents.push(Extent::Block { objects: Vec::new(), entry, inside });
            self.body.current = inside;
        }
        self.frame.scopes.push(scope);
    }

    /// Ends the innermost block, and the life of its objects.
    pub fn leave_scope(&mut self, span: Span) {
        let outside = self.path_to(self.frame.scopes.len() - 1);
        self.cross(&self.path(), &outside, span);
        let Some(scope) = self.frame.scopes.pop() else { return };
        let Some(first) = scope.extents.first().copied() else { return };
        if let Extent::Block { entry, inside, .. } = self.frame.extents[first] {
            let after = std::mem::replace(&mut self.body.current, entry);
            self.make_objects(first);
            let place = self.place(span);
            self.body.jump(inside, place);
            self.body.current = after;
        }
    }

    /// A variable of the innermost block; its address is in the local.
    pub fn block_object(&mut self, name: &str, layout: LayoutId, size: u64, span: Span) -> Expr {
        let place = self.place(span);
        let pointer = self.body.pointer_to_object(name, place);
        let block = self.frame.scopes.iter().rev().find_map(|scope| scope.extents.first());
        if let Some(block) = block
            && let Extent::Block { objects, .. } = &mut self.frame.extents[*block]
        {
            objects.push(BlockObject { pointer, layout, size, span });
        }
        Expr::Local(pointer)
    }

    /// Begins an extent that ends with the innermost block.
    pub fn begin_extent(&mut self, extent: Extent) {
        let id = self.frame.extents.len();
        self.frame.extents.push(extent);
        if let Some(scope) = self.frame.scopes.last_mut() {
            scope.extents.push(id);
        }
    }

    /// The extents around this point, from the outermost.
    pub fn path(&self) -> Vec<ExtentId> {
        self.path_to(self.frame.scopes.len())
    }

    /// Those of the outermost scopes.
    pub fn path_to(&self, depth: usize) -> Vec<ExtentId> {
        self.frame.scopes[..depth].iter().flat_map(|scope| scope.extents.iter().copied()).collect()
    }

    /// Whether a variable with a `cleanup` lives here.
    pub fn awaits_cleanup(&self) -> bool {
        let is_cleanup = |id: &ExtentId| matches!(self.frame.extents[*id], Extent::Cleanup { .. });
        self.path().iter().any(is_cleanup)
    }

    /// Jumps, when it is known what that means.
    pub fn leap(&mut self, target: Target, span: Span) {
        let (from, path) = (self.body.current, self.path());
        self.frame.leaps.push(Leap { from, path, target, span });
        self.body.dead();
    }

    /// Does what the way from some extents to others takes.
    pub fn cross(&mut self, from: &[ExtentId], to: &[ExtentId], span: Span) {
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        for extent in from[common..].iter().rev() {
            self.end_extent(*extent, span);
        }
        for extent in &to[common..] {
            self.make_objects(*extent);
        }
    }

    /// A location from which control goes to the target, by way of the ends and beginnings.
    pub fn crossing(&mut self, from: &[ExtentId], to: &[ExtentId], target: Loc, span: Span) -> Loc {
        let (here, start) = (self.body.current, self.body.location());
        self.body.current = start;
        self.cross(from, to, span);
        let idle = self.body.current == start;
        if !idle {
            let place = self.place(span);
            self.body.jump(target, place);
        }
        self.body.current = here;
        if idle { target } else { start }
    }

    fn make_objects(&mut self, extent: ExtentId) {
        let Extent::Block { objects, .. } = &self.frame.extents[extent] else { return };
        for BlockObject { pointer, layout, size, span } in objects.clone() {
            let size = Expr::int(i128::from(size), self.types.model.size_type());
            let (storage, zeroed) = (Storage::Stack, false);
            self.emit(Action::Alloc { to: pointer, storage, layout, size, zeroed }, span);
        }
    }

    fn end_extent(&mut self, extent: ExtentId, span: Span) {
        match self.frame.extents[extent].clone() {
            Extent::Block { objects, .. } => {
                for object in objects.iter().rev() {
                    self.end_object(object.pointer, span);
                }
            }
            Extent::Array(pointer) => self.end_object(pointer, span),
            Extent::Cleanup { function, variable } => self.clean_up(function, variable, span),
        }
    }

    /// Ends the life of a stack object; nobody frees it once more.
    pub fn end_object(&mut self, pointer: LocalId, span: Span) {
        let (addr, storage) = (Expr::Local(pointer), Storage::Stack);
        self.emit(Action::Free { addr, storage }, span);
        self.emit(Action::Assign { to: pointer, value: Expr::NULL }, span);
    }
}
