//! The tree in a short form for expectations: operators first, declarations in words.

use crate::ast::*;

pub fn unit(unit: &TranslationUnit) -> String {
    unit.items.iter().map(item).collect::<Vec<_>>().join("\n")
}

fn item(item: &Item) -> String {
    match item {
        Item::Function(def) => function(def),
        Item::Declaration(it) => declaration(it),
        Item::StaticAssert(it) => static_assert(it),
        Item::Asm(_) => "asm".into(),
    }
}

fn function(def: &FunctionDef) -> String {
    let declarator = declarator(&def.declarator, &def.specifiers);
    let old: String = def.old_style.iter().map(|it| format!(" [{}]", declaration(it))).collect();
    format!("{declarator}{old} {}", block(&def.body))
}

fn declaration(it: &Declaration) -> String {
    if it.declarators.is_empty() {
        return format!("declare {}", specifiers(&it.specifiers));
    }
    let one = |item: &InitDeclarator| {
        let mut text = declarator(&item.declarator, &it.specifiers);
        if let Some(label) = &item.asm_label {
            text += &format!(" asm({label})");
        }
        if let Some(init) = &item.init {
            text += &format!(" = {}", initializer(init));
        }
        text
    };
    it.declarators.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn static_assert(it: &StaticAssert) -> String {
    format!("static_assert {} {:?}", expr(&it.condition), it.message)
}

fn declarator(it: &Declarator, base: &Specifiers) -> String {
    let name = it.name.as_ref().map_or("_", |name| &name.name);
    let attributes = attributes(&it.attributes);
    format!("{name}: {}{}{attributes}", derived(&it.derived), specifiers(base))
}

fn derived(parts: &[Derived]) -> String {
    let one = |part: &Derived| match part {
        Derived::Pointer { qualifiers: q, attributes: a } => {
            format!("{}pointer{} to ", qualifiers(*q), attributes(a))
        }
        Derived::Array { qualifiers: q, size } => {
            let size = match size {
                ArraySize::Unspecified => String::new(),
                ArraySize::Star => "*".into(),
                ArraySize::Expr(size) => expr(size),
            };
            format!("{}array[{size}] of ", qualifiers(*q))
        }
        Derived::Function { params } => format!("function{} to ", params_text(params)),
    };
    parts.iter().map(one).collect()
}

fn params_text(params: &Params) -> String {
    match params {
        Params::Unspecified => "(?)".into(),
        Params::Identifiers(names) => {
            format!("(names {})", names.iter().map(|n| &*n.name).collect::<Vec<_>>().join(" "))
        }
        Params::Prototype { params, variadic } => {
            let mut all: Vec<String> =
                params.iter().map(|p| declarator(&p.declarator, &p.specifiers)).collect();
            all.extend(variadic.then(|| "...".to_string()));
            format!("({})", all.join(", "))
        }
    }
}

fn qualifiers(it: Qualifiers) -> String {
    let all = [
        (it.constant, "const "),
        (it.volatile, "volatile "),
        (it.restrict, "restrict "),
        (it.atomic, "atomic "),
    ];
    all.iter().filter(|(on, _)| *on).map(|(_, text)| *text).collect()
}

fn attributes(all: &[Attribute]) -> String {
    let one = |it: &Attribute| {
        let args: Vec<_> = it.args.iter().map(expr).collect();
        format!(" @{}({})", it.name, args.join(" "))
    };
    all.iter().map(one).collect::<String>().replace("()", "")
}

fn specifiers(it: &Specifiers) -> String {
    let mut text = String::new();
    if let Some(storage) = it.storage {
        text += &format!("{storage:?} ").to_lowercase();
    }
    for (on, word) in [
        (it.thread_local, "thread_local "),
        (it.inline, "inline "),
        (it.noreturn, "noreturn "),
        (!it.alignas.is_empty(), "aligned "),
    ] {
        text += if on { word } else { "" };
    }
    text + &qualifiers(it.qualifiers) + &type_specifier(&it.ty) + &attributes(&it.attributes)
}

fn type_specifier(ty: &TypeSpecifier) -> String {
    match ty {
        TypeSpecifier::Void => "void".into(),
        TypeSpecifier::Bool => "bool".into(),
        TypeSpecifier::Integer { signed, rank } => {
            let sign = match signed {
                None => "",
                Some(true) => "signed ",
                Some(false) => "unsigned ",
            };
            format!("{sign}{rank:?}").to_lowercase()
        }
        TypeSpecifier::Float { kind, complex } => {
            let complex = if *complex { "complex " } else { "" };
            format!("{complex}{kind:?}").to_lowercase()
        }
        TypeSpecifier::Record(it) => record(it),
        TypeSpecifier::Enum(it) => enumeration(it),
        TypeSpecifier::Typedef(name) => format!("<{}>", name.name),
        TypeSpecifier::TypeofExpr(of) => format!("typeof({})", expr(of)),
        TypeSpecifier::TypeofType(of) => format!("typeof({})", type_name(of)),
        TypeSpecifier::Atomic(of) => format!("_Atomic({})", type_name(of)),
        TypeSpecifier::Auto => "__auto_type".into(),
        TypeSpecifier::VaList => "va_list".into(),
    }
}

fn record(it: &RecordSpecifier) -> String {
    let word = if it.union { "union" } else { "struct" };
    let tag = it.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.name));
    let members = it.members.as_ref().map_or(String::new(), |members| {
        format!(" {{{}}}", members.iter().map(member).collect::<Vec<_>>().join("; "))
    });
    format!("{word}{tag}{members}{}", attributes(&it.attributes))
}

fn member(member: &Member) -> String {
    let Member::Fields { specifiers: base, declarators, .. } = member else {
        return "static_assert".into();
    };
    if declarators.is_empty() {
        return specifiers(base);
    }
    let one = |it: &MemberDeclarator| {
        let name = it.declarator.as_ref().map_or("_".into(), |declared| declarator(declared, base));
        let bits = it.bits.as_ref().map_or(String::new(), |bits| format!(" : {}", expr(bits)));
        name + &bits + &attributes(&it.attributes)
    };
    declarators.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn enumeration(it: &EnumSpecifier) -> String {
    let tag = it.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.name));
    let one = |it: &Enumerator| match &it.value {
        Some(value) => format!("{}={}", it.name.name, expr(value)),
        None => it.name.name.to_string(),
    };
    let list = it.enumerators.as_ref().map_or(String::new(), |all| {
        format!(" {{{}}}", all.iter().map(one).collect::<Vec<_>>().join(" "))
    });
    format!("enum{tag}{list}{}", attributes(&it.attributes))
}

fn type_name(it: &TypeName) -> String {
    derived(&it.derived) + &specifiers(&it.specifiers)
}

fn initializer(init: &Initializer) -> String {
    match init {
        Initializer::Expr(value) => expr(value),
        Initializer::List(items, _) => init_items(items),
    }
}

fn init_items(items: &[InitItem]) -> String {
    let one = |item: &InitItem| {
        let path = designators(&item.designators);
        let equals = if path.is_empty() { "" } else { "=" };
        format!("{path}{equals}{}", initializer(&item.init))
    };
    format!("{{{}}}", items.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn designators(path: &[Designator]) -> String {
    let one = |part: &Designator| match part {
        Designator::Field(name) => format!(".{}", name.name),
        Designator::Index(index) => format!("[{}]", expr(index)),
        Designator::Range(low, high) => format!("[{}...{}]", expr(low), expr(high)),
    };
    path.iter().map(one).collect()
}

fn block(block: &Block) -> String {
    format!("{{{}}}", block.items.iter().map(block_item).collect::<Vec<_>>().join("; "))
}

fn block_item(item: &BlockItem) -> String {
    match item {
        BlockItem::Statement(it) => statement(it),
        BlockItem::Declaration(it) => declaration(it),
        BlockItem::StaticAssert(it) => static_assert(it),
        BlockItem::Function(def) => format!("nested {}", function(def)),
        BlockItem::LocalLabels(names) => {
            format!("labels {}", names.iter().map(|n| &*n.name).collect::<Vec<_>>().join(" "))
        }
    }
}

fn statement(it: &Statement) -> String {
    let optional = |value: &Option<Expr>| value.as_ref().map_or("_".into(), expr);
    match &it.kind {
        StatementKind::Empty => "empty".into(),
        StatementKind::Expr(value) => expr(value),
        StatementKind::Block(inner) => block(inner),
        StatementKind::If { condition, then, otherwise } => {
            let otherwise = otherwise.as_ref();
            let tail = otherwise.map_or(String::new(), |it| format!(" else {}", statement(it)));
            format!("if {} {}{tail}", expr(condition), statement(then))
        }
        StatementKind::Switch { value, body } => {
            format!("switch {} {}", expr(value), statement(body))
        }
        StatementKind::While { condition, body } => {
            format!("while {} {}", expr(condition), statement(body))
        }
        StatementKind::DoWhile { body, condition } => {
            format!("do {} while {}", statement(body), expr(condition))
        }
        StatementKind::For { init, condition, step, body } => {
            let init = match init {
                ForInit::None => "_".into(),
                ForInit::Expr(value) => expr(value),
                ForInit::Declaration(it) => format!("[{}]", declaration(it)),
            };
            let (condition, step) = (optional(condition), optional(step));
            format!("for {init} {condition} {step} {}", statement(body))
        }
        StatementKind::Label { name, body } => format!("{}: {}", name.name, statement(body)),
        StatementKind::Case { low, high, body } => {
            let high = high.as_ref().map_or(String::new(), |high| format!("...{}", expr(high)));
            format!("case {}{high}: {}", expr(low), statement(body))
        }
        StatementKind::Default { body } => format!("default: {}", statement(body)),
        StatementKind::Goto(name) => format!("goto {}", name.name),
        StatementKind::GotoComputed(target) => format!("goto *{}", expr(target)),
        StatementKind::Continue => "continue".into(),
        StatementKind::Break => "break".into(),
        StatementKind::Return(value) => format!("return {}", optional(value)),
        StatementKind::Asm(it) => {
            let operands = |all: &[Expr]| all.iter().map(expr).collect::<Vec<_>>().join(" ");
            let labels: Vec<&str> = it.labels.iter().map(|label| &*label.name).collect();
            let (outputs, inputs) = (operands(&it.outputs), operands(&it.inputs));
            format!("asm {:?} [{outputs}] [{inputs}] {:?} {labels:?}", it.template, it.clobbers)
        }
    }
}

fn expr(it: &Expr) -> String {
    let all =
        |values: &[Expr]| -> String { values.iter().map(|v| format!(" {}", expr(v))).collect() };
    match &it.kind {
        ExprKind::Ident(name) => name.name.to_string(),
        ExprKind::Integer(it) => {
            let unsigned = if it.unsigned { "u" } else { "" };
            let long = match it.long {
                LongSuffix::None => "",
                LongSuffix::Long => "l",
                LongSuffix::LongLong => "ll",
            };
            format!("{}{unsigned}{long}", it.value)
        }
        ExprKind::Float(it) => {
            let imaginary = if it.imaginary { " i" } else { "" };
            format!("({} {:?}{imaginary})", it.text, it.kind)
        }
        ExprKind::Char(it) => format!("'{}", it.value),
        ExprKind::String(it) => {
            let unit = |&unit| char::from_u32(unit).unwrap_or('\u{fffd}');
            format!("{:?}", it.units.iter().map(unit).collect::<String>())
        }
        ExprKind::Index { array, index } => format!("([] {} {})", expr(array), expr(index)),
        ExprKind::Call { callee, args } => format!("(call {}{})", expr(callee), all(args)),
        ExprKind::Member { object, arrow, name } => {
            format!("({} {} {})", if *arrow { "->" } else { "." }, expr(object), name.name)
        }
        ExprKind::Unary { op, operand } => format!("({op:?} {})", expr(operand)),
        ExprKind::Binary { op, left, right } => format!("({op:?} {} {})", expr(left), expr(right)),
        ExprKind::Assign { op, target, value } => {
            let op = op.map_or(String::new(), |op| format!("{op:?}"));
            format!("({op}= {} {})", expr(target), expr(value))
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            let then = then.as_ref().map_or("_".into(), |then| expr(then));
            format!("(? {} {then} {})", expr(condition), expr(otherwise))
        }
        ExprKind::Comma { left, right } => format!("(, {} {})", expr(left), expr(right)),
        ExprKind::Cast { ty, operand } => format!("(cast {} {})", type_name(ty), expr(operand)),
        ExprKind::CompoundLiteral { ty, init } => {
            format!("(literal {} {})", type_name(ty), init_items(init))
        }
        ExprKind::SizeofExpr(of) => format!("(sizeof {})", expr(of)),
        ExprKind::SizeofType(of) => format!("(sizeof type {})", type_name(of)),
        ExprKind::AlignofExpr(of) => format!("(alignof {})", expr(of)),
        ExprKind::AlignofType(of) => format!("(alignof type {})", type_name(of)),
        ExprKind::Offsetof { ty, path } => {
            format!("(offsetof {} {})", type_name(ty), designators(path))
        }
        ExprKind::StatementExpr(inner) => format!("({})", block(inner)),
        ExprKind::Generic { control, arms } => {
            let arm = |arm: &GenericArm| {
                let ty = arm.ty.as_ref().map_or("default".into(), type_name);
                format!(" {ty}: {}", expr(&arm.value))
            };
            format!("(generic {}{})", expr(control), arms.iter().map(arm).collect::<String>())
        }
        ExprKind::LabelAddress(name) => format!("(label {})", name.name),
        ExprKind::VaArg { list, ty } => format!("(va_arg {} {})", expr(list), type_name(ty)),
        ExprKind::TypesCompatible(a, b) => {
            format!("(compatible {}, {})", type_name(a), type_name(b))
        }
        ExprKind::Choose { condition, then, otherwise } => {
            format!("(choose {} {} {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Convert { ty, operand } => {
            format!("(convert {} {})", type_name(ty), expr(operand))
        }
    }
}
