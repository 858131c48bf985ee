//! `--property`: what to check. Given several times, it means all that is named.

use std::error::Error;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use selvedge_ir::Property;

use crate::status::Refusal;

const PROPERTY: &str = "property";
const ASKED: &str = "asked";

/// All properties, unless fewer are named.
#[derive(Clone, Debug)]
pub struct Checks {
    pub properties: PropertyList,
}

/// Likewise, where there is one execution or one program to look at: assertions, unless others are
/// named.
#[derive(Clone, Debug)]
pub struct FewChecks {
    pub properties: PropertyList,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyList(pub Vec<Property>);

fn option(default: &'static str) -> Arg {
    Arg::new(PROPERTY)
        .long(PROPERTY)
        .value_name("NAMES")
        .action(ArgAction::Append)
        .default_value(default)
        .value_parser(parse)
        .help(
            "What to check, separated by commas: assert, race, memory, overflow, deadlock, or all; of \
             Java programs assert, race, deadlock, exception, or all",
        )
}

/// What an engine of several is asked for, whatever else the command line says.
fn asked() -> Arg {
    Arg::new(ASKED).long(ASKED).value_name("NAMES").hide(true).value_parser(parse)
}

fn parse(text: &str) -> Result<PropertyList, Box<dyn Error + Send + Sync>> {
    let mut found = Vec::new();
    for name in text.split(',').map(str::trim) {
        match Property::from_name(name).filter(|p| *p != Property::Invariant) {
            Some(property) => found.push(property),
            None if name == "all" => found.extend(Property::ALL),
            None => return Err(format!("unknown property `{name}`; {}", known()).into()),
        }
    }
    Ok(together(found))
}

fn together(mut properties: Vec<Property>) -> PropertyList {
    properties.sort();
    properties.dedup();
    PropertyList(properties)
}

fn known() -> String {
    let names = Property::ALL.map(Property::name).join(", ");
    format!("choose from {names}, exception, or all")
}

impl PropertyList {
    /// What is asked of a program in Java, or in another language: `all` is another list there.
    pub fn of_language(&self, java: bool) -> Result<PropertyList, Refusal> {
        let all = together(Property::ALL.to_vec());
        let wrong: &[Property] = match java {
            true if *self == all => return Ok(PropertyList(Property::JAVA.to_vec())),
            true => &[Property::Memory, Property::Overflow],
            false => &[Property::Exception],
        };
        match self.0.iter().find(|property| wrong.contains(property)) {
            None => Ok(self.clone()),
            Some(property) if java => Err(Refusal::usage(format!(
                "the property {property} is not checked of Java programs"
            ))),
            Some(property) => Err(Refusal::usage(format!(
                "the property {property} is checked of Java programs only"
            ))),
        }
    }
}

/// The union of all lists that are given.
fn given(matches: &ArgMatches) -> PropertyList {
    let lists = matches.get_many::<PropertyList>(PROPERTY).into_iter().flatten();
    together(lists.flat_map(|list| list.0.iter().copied()).collect())
}

impl Args for Checks {
    fn augment_args(command: Command) -> Command {
        command.arg(option("all")).arg(asked())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Checks::augment_args(command)
    }
}

impl FromArgMatches for Checks {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Checks, clap::Error> {
        let asked = matches.get_one::<PropertyList>(ASKED).cloned();
        Ok(Checks { properties: asked.unwrap_or_else(|| given(matches)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Checks::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for FewChecks {
    fn augment_args(command: Command) -> Command {
        command.arg(option("assert"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FewChecks::augment_args(command)
    }
}

impl FromArgMatches for FewChecks {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FewChecks, clap::Error> {
        Ok(FewChecks { properties: given(matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FewChecks::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::tests::verify;

    #[test]
    fn property_lists() {
        let list = |text| parse(text).map(|list| list.0).map_err(|error| error.to_string());
        assert_eq!(list("race,assert,race"), Ok(vec![Property::Assert, Property::Race]));
        assert_eq!(list("all").map(|all| all.len()), Ok(5));
        assert!(list("races").is_err_and(|message| message.contains("`races`")));
        assert!(list("").is_err());
    }

    #[test]
    fn lists_given_apart_count_together() {
        let asked = |line: &[&str]| verify(line).checks.properties.0;
        let both = vec![Property::Assert, Property::Race];
        assert_eq!(asked(&["--property", "race", "--property", "assert"]), both);
        assert_eq!(asked(&["--property=race", "--property", "assert,race"]), both);
        assert_eq!(asked(&["--property", "race", "--property", "all"]).len(), 5);
        assert_eq!(asked(&[]).len(), 5);
    }

    #[test]
    fn an_engine_of_several_is_asked_for_its_part() {
        let asked = |line: &[&str]| verify(line).checks.properties.0;
        let line = ["--property", "race", "--asked", "memory", "--property", "assert"];
        assert_eq!(asked(&line), [Property::Memory]);
        assert_eq!(asked(&["--asked", "memory"]), [Property::Memory]);
    }
}
