//! The variables of a sequential program in Horn clauses: what a relation has as parameters.
//!
//! Each scalar local is a slot, each pointer two; then the slots of the maps; then what maps started
//! with, where something must match that in the end; the counter of objects and their sizes.

use rustc_hash::FxHashMap;
use selvedge_ir::{LocalId, LocationId, RegionId, Type};
use selvedge_smt::translate::{Sym, Types};
use selvedge_smt::{Sort, Term, Terms};

use super::super::program::SequentialProgram;
use super::super::state::{Slot, State};
use super::graph::Graph;
use super::maps::Map;
use super::objects::Objects;

/// What a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Local(LocalId),
    Map(RegionId),
    /// What a map started with.
    Start(RegionId),
    /// How many objects were numbered.
    Count,
    Sizes,
}

/// One value: a scalar, a pointer, an array, or the two arrays of a map of pointers.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub owner: Owner,
    pub name: String,
    pub first: Slot,
    pub sorts: Vec<Sort>,
    /// Of a scalar or a pointer.
    pub ty: Option<Type>,
}

#[derive(Debug)]
pub(super) struct Slots {
    pub values: Vec<Value>,
    locals: FxHashMap<LocalId, usize>,
    maps: FxHashMap<RegionId, usize>,
    starts: FxHashMap<RegionId, usize>,
    pub count: Option<Slot>,
    pub sizes: Option<Slot>,
    next: u32,
}

impl Slots {
    pub fn of(
        program: &SequentialProgram,
        maps: &FxHashMap<RegionId, Map>,
        objects: &Objects,
        terms: &mut Terms,
        types: Types,
    ) -> Slots {
        let mut slots = Slots {
            values: Vec::new(),
            locals: FxHashMap::default(),
            maps: FxHashMap::default(),
            starts: FxHashMap::default(),
            count: None,
            sizes: None,
            next: 0,
        };
        for (id, local) in &program.body().locals {
            slots.locals.insert(id, slots.values.len());
            let sorts = types.sorts(local.ty).to_vec();
            slots.add(Owner::Local(id), local.name.clone(), sorts, Some(local.ty));
        }
        for region in program.program.regions.keys() {
            let Some(map) = maps.get(&region) else { continue };
            slots.maps.insert(region, slots.values.len());
            slots.add_map(program, map, Owner::Map(region), terms, types);
            let matched = program.matches.iter().any(|&(_, start)| start == region);
            if matched {
                slots.starts.insert(region, slots.values.len());
                slots.add_map(program, map, Owner::Start(region), terms, types);
            }
        }
        if objects.count() {
            slots.count = Some(slots.add(Owner::Count, "objects".into(), vec![Sort::Int], None));
        }
        if maps.values().any(|map| map.candidates.looks_up_sizes()) {
            let size = types.int_sort(types.offset_int());
            let sort = terms.array_sort(types.id_sort(), size);
            slots.sizes = Some(slots.add(Owner::Sizes, "sizes".into(), vec![sort], None));
        }
        slots
    }

    fn add(&mut self, owner: Owner, name: String, sorts: Vec<Sort>, ty: Option<Type>) -> Slot {
        let first = Slot(self.next);
        self.next += sorts.len() as u32;
        let name = name.replace(['|', '\\'], "_");
        self.values.push(Value { owner, name, first, sorts, ty });
        first
    }

    fn add_map(
        &mut self,
        program: &SequentialProgram,
        map: &Map,
        owner: Owner,
        terms: &mut Terms,
        types: Types,
    ) {
        let name = &program.program.regions[map.region].name;
        for index in 0..map.values() {
            let mut name = match map.values() {
                1 => name.clone(),
                _ => format!("{name}[{index}]"),
            };
            if let Owner::Start(_) = owner {
                name.push_str(".start");
            }
            let sorts = map.sorts(terms, types);
            let ty = (!map.is_array()).then_some(map.ty);
            self.add(owner, name, sorts, ty);
        }
    }

    pub fn local(&self, local: LocalId) -> &Value {
        &self.values[self.locals[&local]]
    }

    /// A value of a map: a place's, or the whole.
    pub fn map(&self, region: RegionId, index: usize) -> &Value {
        &self.values[self.maps[&region] + index]
    }

    pub fn start(&self, region: RegionId, index: usize) -> &Value {
        &self.values[self.starts[&region] + index]
    }

    /// The values that matter at a cut point.
    pub fn at<'s>(
        &'s self,
        program: &'s SequentialProgram,
        graph: &'s Graph,
        location: LocationId,
    ) -> impl Iterator<Item = &'s Value> + 's {
        self.values.iter().filter(move |value| matters(program, graph, location, value.owner))
    }
}

pub(super) fn matters(
    program: &SequentialProgram,
    graph: &Graph,
    location: LocationId,
    owner: Owner,
) -> bool {
    match owner {
        Owner::Local(local) => local == program.error || graph.is_live(location, local),
        Owner::Map(region) => {
            graph.is_read(location, region)
                || program.matches.iter().any(|&(last, _)| last == region)
        }
        Owner::Start(_) | Owner::Count | Owner::Sizes => true,
    }
}

impl Value {
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        let first = self.first.0;
        (first..first + self.sorts.len() as u32).map(Slot)
    }

    /// Its terms in a state; where it has none, it was never set.
    pub fn get(&self, state: &State) -> Option<Sym> {
        let terms: Option<Vec<Term>> = self.slots().map(|slot| state.get(slot)).collect();
        terms.map(|terms| Sym::from_terms(&terms))
    }

    pub fn set(&self, state: &mut State, sym: Sym) {
        for (slot, term) in self.slots().zip(sym.terms()) {
            state.set(slot, term);
        }
    }

    /// A fresh value.
    pub fn fresh(&self, terms: &mut Terms) -> Sym {
        self.fresh_named(terms, &self.name)
    }

    pub fn fresh_named(&self, terms: &mut Terms, name: &str) -> Sym {
        let parts: Vec<Term> = self.sorts.iter().map(|&sort| terms.fresh(name, sort)).collect();
        Sym::from_terms(&parts)
    }
}
