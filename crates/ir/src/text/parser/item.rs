//! Declarations at the top of a text.

use super::{Failed, Parsed, Parser};
use crate::text::ast::{
    FieldOf, InitAt, Item, LocalOf, Object, Parameter, Procedure, ResultOf, ShapeOf, Step,
};
use crate::text::lexer::Token;
use crate::text::names::type_named;
use crate::{Assumption, DataModel, Multiplicity, Property, Sharing};

const ITEMS: [&str; 18] = [
    "program",
    "model",
    "file",
    "layout",
    "shared",
    "per_thread",
    "region",
    "procedure",
    "thread",
    "predicate",
    "ghost",
    "environment",
    "invariant",
    "contract",
    "abstract_thread",
    "note",
    "assumed",
    "checks",
];

impl Parser<'_> {
    pub fn program(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while *self.token() != Token::End {
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) => self.skip_item(),
            }
        }
        items
    }

    /// To behind the next `;` or closing brace, or to what looks like the start of an item.
    fn skip_item(&mut self) {
        let mut braces = 0;
        loop {
            self.advance();
            match self.token() {
                Token::End => return,
                Token::Word(word) if self.at().column == 1 && ITEMS.contains(&word.as_str()) => {
                    return;
                }
                Token::Symbol("{") => braces += 1,
                Token::Symbol("}") => braces -= 1,
                Token::Symbol(";") => {}
                _ => continue,
            }
            if braces <= 0 && !self.is("{") {
                return self.advance();
            }
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let word = match self.token() {
            Token::Word(word) => word.clone(),
            _ => String::new(),
        };
        let parse = match word.as_str() {
            "program" => Parser::program_name,
            "model" => Parser::model,
            "file" => Parser::file,
            "layout" => Parser::layout,
            "shared" | "per_thread" => {
                self.advance();
                let shared = word == "shared";
                return self.object(if shared { Sharing::Shared } else { Sharing::PerThread });
            }
            "region" => Parser::region,
            "procedure" => Parser::procedure,
            "thread" => Parser::thread,
            "predicate" => Parser::predicate,
            "ghost" => Parser::ghost,
            "environment" => Parser::environment,
            "invariant" => Parser::invariant,
            "contract" => Parser::contract,
            "abstract_thread" => Parser::abstract_thread,
            "note" => Parser::note,
            "assumed" => Parser::assumed,
            "checks" => Parser::checks,
            _ => {
                let found = self.token().describe();
                let error = self.at().error(format!("expected a declaration, found {found}"));
                return self.fail(error.help(format!("one of {}", ITEMS.join(", "))));
            }
        };
        self.advance();
        parse(self)
    }

    fn program_name(&mut self) -> Parsed<Item> {
        let name = self.name("the program's name")?;
        self.expect(";")?;
        Ok(Item::Program(name))
    }

    fn model(&mut self) -> Parsed<Item> {
        let model = if self.accept_word("lp64") {
            DataModel::Lp64
        } else if self.accept_word("ilp32") {
            DataModel::Ilp32
        } else {
            return self.expected("`lp64` or `ilp32`");
        };
        self.expect(";")?;
        Ok(Item::Model(model))
    }

    fn file(&mut self) -> Parsed<Item> {
        if self.accept_word("none") {
            self.expect(";")?;
            return Ok(Item::NoFiles);
        }
        let label = match self.token() {
            Token::Word(_) => Some(self.name("the file's label")?),
            _ => None,
        };
        let name = self.quoted("the file's name in quotes")?;
        self.expect(";")?;
        Ok(Item::File(label, name))
    }

    fn layout(&mut self) -> Parsed<Item> {
        let name = self.layout_ref()?;
        self.expect("=")?;
        let shape = self.shape()?;
        let size = match self.accept_word("size") {
            true => Some(self.number("the size in bytes")?),
            false => None,
        };
        self.expect(";")?;
        Ok(Item::Layout { name, shape, size })
    }

    fn shape(&mut self) -> Parsed<ShapeOf> {
        if self.accept_word("scalar") {
            Ok(ShapeOf::Scalar(self.ty()?))
        } else if self.accept_word("struct") {
            Ok(ShapeOf::Struct(self.fields()?))
        } else if self.accept_word("union") {
            Ok(ShapeOf::Union(self.fields()?))
        } else if self.accept_word("array") {
            let element = self.layout_ref()?;
            self.expect_word("count")?;
            Ok(ShapeOf::Array { element, count: self.number("the number of elements")? })
        } else if self.accept_word("bytes") {
            Ok(ShapeOf::Bytes)
        } else {
            self.expected("`scalar`, `struct`, `union`, `array` or `bytes`")
        }
    }

    fn fields(&mut self) -> Parsed<Vec<FieldOf>> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.accept("}") {
            let offset = match self.token() {
                Token::Number(..) => Some(self.number("an offset in bytes")?),
                _ => None,
            };
            let name = self.name("a field")?;
            self.expect(":")?;
            let layout = self.layout_ref()?;
            fields.push(FieldOf { offset, name, layout });
            if !self.accept(";") && !self.is("}") {
                return self.expected("`;` or `}`");
            }
        }
        Ok(fields)
    }

    fn object(&mut self, sharing: Sharing) -> Parsed<Item> {
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let layout = self.layout_ref()?;
        let mut init = Vec::new();
        if self.accept("=") {
            if self.accept("{") {
                init = self.initialisers()?;
            } else {
                init.push((InitAt::Path(Vec::new()), self.expr()?));
            }
        }
        let span = self.span();
        self.expect(";")?;
        Ok(Item::Object(Object { name, layout, sharing, init, span }))
    }

    /// `.key = 5, [2].next = &x, +8 = 1i32 }`
    fn initialisers(&mut self) -> Parsed<Vec<(InitAt, crate::text::ast::Expr)>> {
        let mut init = Vec::new();
        while !self.accept("}") {
            let at = if self.accept("+") {
                InitAt::Offset(self.number("an offset in bytes")?)
            } else if self.is(".") || self.is("[") {
                InitAt::Path(self.steps()?)
            } else {
                // Values in order are those of an array.
                let index = init.len() as i128;
                let here = self.at();
                let index = Parser::made(crate::text::ast::ExprOf::Number(index, None), here, 1);
                init.push((InitAt::Path(vec![Step::Index(index)]), self.expr()?));
                if !self.accept(",") && !self.is("}") {
                    return self.expected("`,` or `}`");
                }
                continue;
            };
            self.expect("=")?;
            init.push((at, self.expr()?));
            if !self.accept(",") && !self.is("}") {
                return self.expected("`,` or `}`");
            }
        }
        Ok(init)
    }

    fn region(&mut self) -> Parsed<Item> {
        let name = self.name("the region's name")?;
        self.expect(":")?;
        let ty = if self.accept_word("mixed") { None } else { Some(self.ty()?) };
        self.expect(";")?;
        Ok(Item::Region { name, ty })
    }

    fn thread(&mut self) -> Parsed<Item> {
        let flagged = !self.is_ahead(1, ";");
        let main = flagged && self.accept_word("main");
        let count = match *self.token() {
            Token::Number(n, None) => {
                let Ok(n) = u32::try_from(n) else { return self.expected("a smaller number") };
                self.advance();
                Multiplicity::Exactly(n)
            }
            _ if self.is_word("any") && self.is_name(1) => {
                self.advance();
                Multiplicity::Any
            }
            _ => Multiplicity::Exactly(1),
        };
        let procedure = self.name("the procedure that the thread runs")?;
        self.expect(";")?;
        Ok(Item::Thread { procedure, count, main })
    }

    fn predicate(&mut self) -> Parsed<Item> {
        let at = self.at();
        let text = self.quoted("the predicate in quotes")?;
        let span = self.span();
        self.expect(";")?;
        Ok(Item::Predicate { text, at, span })
    }

    fn note(&mut self) -> Parsed<Item> {
        let text = self.quoted("the note in quotes")?;
        let span = self.span();
        self.expect(";")?;
        Ok(Item::Note { text, span })
    }

    fn assumed(&mut self) -> Parsed<Item> {
        let what = if self.accept_word("sequential_consistency") {
            Assumption::SequentialConsistency
        } else if self.accept_word("few_arguments") {
            Assumption::FewArguments
        } else if self.accept_word("few_objects") {
            Assumption::FewObjects
        } else {
            let kind = self.name("the kind of the assumption")?.text;
            let function = self.quoted("the function in quotes")?;
            match Assumption::about(&kind, function) {
                Some(what) => what,
                None => {
                    return self.expected(
                        "`sequential_consistency`, `few_arguments`, `few_objects`, `succeeds`, `havoc` or `pure`",
                    );
                }
            }
        };
        let span = self.span();
        self.expect(";")?;
        Ok(Item::Assumed(what, span))
    }

    /// The list may be empty.
    fn checks(&mut self) -> Parsed<Item> {
        let mut properties = Vec::new();
        while !self.accept(";") {
            if !properties.is_empty() {
                self.expect(",")?;
            }
            let name = self.name("the name of a property")?;
            match Property::from_name(&name.text) {
                Some(property) => properties.push(property),
                None => return self.expected("the name of a property"),
            }
        }
        Ok(Item::Checks(properties))
    }

    fn procedure(&mut self) -> Parsed<Item> {
        let name = self.name("the procedure's name")?;
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.accept(")") {
            params.push(self.parameter()?);
            if !self.accept(",") && !self.is(")") {
                return self.expected("`,` or `)`");
            }
        }
        let result = if self.accept("->") { self.result()? } else { ResultOf::Nothing };
        let span = self.span();
        let body = self.body()?;
        Ok(Item::Procedure(Procedure { name, params, result, span, body }))
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let named = !(self.is_word("temp") && self.is_name(1));
        if !named {
            self.advance();
        }
        let name = self.name("a parameter")?;
        if self.accept(":") {
            return Ok(Parameter::Declared(LocalOf { name, ty: self.ty()?, named }));
        }
        Ok(Parameter::Named(name))
    }

    fn result(&mut self) -> Parsed<ResultOf> {
        if let Token::Word(word) = self.token()
            && !self.is_ahead(1, ":")
            && let Some(ty) = type_named(word)
        {
            self.advance();
            return Ok(ResultOf::Type(ty));
        }
        Ok(match self.parameter()? {
            Parameter::Declared(local) => ResultOf::Declared(local),
            Parameter::Named(name) => ResultOf::Named(name),
        })
    }
}
