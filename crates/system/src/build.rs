//! Building a system from a prepared program.
//!
//! Work: an edge on a path between cut locations counts [`super::walk::EDGE`] units, and so does each
//! edge of the program for the analyses before.

use selvedge_exec::Stop;
use selvedge_ir::Span;
use selvedge_passes::Prepared;

use super::builder::Builder;
use super::cuts::is_inside;
use super::roles::Roles;
use super::stop::within;
use super::walk::{EDGE, Walk};
use super::{At, Location, Options, System, Template, TemplateId};

impl System {
    /// Builds the system of a prepared program. The only error is that the limits are reached.
    ///
    /// ```
    /// use selvedge_ir::{Property, text};
    /// use selvedge_system::{Options, System};
    ///
    /// let program = text::parse(
    ///     "two.plato",
    ///     "shared x: i32;
    ///      procedure inc() { local t: i32; t := x; x := t + 1; }
    ///      thread inc; thread inc;",
    /// )
    /// .expect("a good program");
    /// let prepared = selvedge_passes::prepare(&program, &selvedge_passes::Options::default());
    /// let system = System::build(&prepared, &Options::new(&[Property::Race])).expect("no limit");
    /// let names: Vec<&str> = system.templates.iter().map(|t| t.name.as_str()).collect();
    /// assert_eq!(names, ["inc", "inc#2"]);
    /// assert_eq!(system.shared[0].name, "x");
    /// ```
    pub fn build(prepared: &Prepared, options: &Options) -> Result<System, Stop> {
        let roles = Roles::of(&prepared.program);
        let procedures = roles.iter().map(|(_, role)| &prepared.program.procedures[role.procedure]);
        let edges: usize = procedures.map(|procedure| procedure.edges().count()).sum();
        within(&options.limits, EDGE * edges as u64)?;
        let mut builder = Builder::new(prepared, options, &roles);
        builder.shared_cells();
        builder.shared_arrays();
        builder.shared_objects();
        builder.shared_ends();
        builder.token();
        builder.frames();
        builder.finish()
    }
}

impl Builder<'_> {
    fn finish(mut self) -> Result<System, Stop> {
        let templates = (0..self.roles.list.len()).map(TemplateId::at);
        let templates: Result<Vec<Template>, Stop> =
            templates.map(|id| self.template(id)).collect();
        let templates = templates?;
        let initial = self.terms.and(&self.initial);
        let ranges = self.terms.and(&self.ranges);
        Ok(System {
            terms: self.terms,
            arithmetic: self.options.arithmetic,
            model: self.program.model,
            shared: self.shared,
            templates,
            initial,
            ranges,
            guessed: self.memory.guessed,
        })
    }

    fn template(&mut self, id: TemplateId) -> Result<Template, Stop> {
        let role = self.roles.get(id);
        let ranges = self.local_ranges(id);
        let begin = self.begin(id, &[]);
        let walked = Walk::new(self, id).run()?;
        let procedure = &self.program.procedures[role.procedure];
        let locations = walked.locations.iter().map(|&location| Location {
            location,
            atomic: is_inside(procedure, location),
            live: self.live(id, location),
            span: procedure.locations[location].edges.first().map_or(Span::NONE, |e| e.span),
        });
        Ok(Template {
            name: role.name.clone(),
            procedure: role.procedure,
            pool: role.pool,
            initial: role.initial,
            begin,
            tid: self.frames[id.index()].tid,
            locations: locations.collect(),
            locals: self.frames[id.index()].variables.clone(),
            ranges,
            entry: At::Cut(0),
            steps: walked.steps,
            accesses: walked.accesses,
        })
    }
}
