//! From `cafebabe`'s opcodes to [`Insn`]s.

use cafebabe::bytecode::{ByteCode, Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{Loadable, MemberRef, ObjectArrayType};

use crate::dynamic::Bootstrap;
use crate::literal::literal;
use crate::{
    Arith, CallKind, Compare, Element, FieldRef, Insn, JavaType, Kind, MethodRef, Shift, StackOp,
};

/// Numbers of instructions take the place of offsets in bytes.
pub(crate) fn decode(code: &ByteCode<'_>, bootstrap: &Bootstrap) -> Vec<Insn> {
    let opcodes = code.opcodes.iter();
    opcodes
        .map(|(offset, opcode)| Decoder { code, bootstrap, offset: *offset }.insn(opcode))
        .collect()
}

struct Decoder<'a, 'b> {
    code: &'a ByteCode<'b>,
    bootstrap: &'a Bootstrap,
    offset: usize,
}

impl Decoder<'_, '_> {
    fn to(&self, jump: i32) -> usize {
        let target = (self.offset as i64 + i64::from(jump)) as usize;
        // The reader has checked that jumps lead to instructions.
        self.code.get_opcode_index(target).unwrap_or(usize::MAX)
    }

    fn insn(&self, opcode: &Opcode<'_>) -> Insn {
        constants(opcode)
            .or_else(|| variables(opcode))
            .or_else(|| arithmetic(opcode))
            .or_else(|| stack(opcode))
            .or_else(|| arrays(opcode))
            .or_else(|| self.jumps(opcode))
            .or_else(|| self.objects(opcode))
            .unwrap_or_else(|| Insn::Other(format!("the instruction {opcode:?}")))
    }

    fn jumps(&self, opcode: &Opcode<'_>) -> Option<Insn> {
        use Compare::*;
        Some(match opcode {
            Opcode::Ifeq(to) => Insn::If(Eq, self.to(*to)),
            Opcode::Ifne(to) => Insn::If(Ne, self.to(*to)),
            Opcode::Iflt(to) => Insn::If(Lt, self.to(*to)),
            Opcode::Ifle(to) => Insn::If(Le, self.to(*to)),
            Opcode::Ifgt(to) => Insn::If(Gt, self.to(*to)),
            Opcode::Ifge(to) => Insn::If(Ge, self.to(*to)),
            Opcode::IfIcmpeq(to) => Insn::IfInts(Eq, self.to(*to)),
            Opcode::IfIcmpne(to) => Insn::IfInts(Ne, self.to(*to)),
            Opcode::IfIcmplt(to) => Insn::IfInts(Lt, self.to(*to)),
            Opcode::IfIcmple(to) => Insn::IfInts(Le, self.to(*to)),
            Opcode::IfIcmpgt(to) => Insn::IfInts(Gt, self.to(*to)),
            Opcode::IfIcmpge(to) => Insn::IfInts(Ge, self.to(*to)),
            Opcode::IfAcmpeq(to) => Insn::IfSame(true, self.to(*to)),
            Opcode::IfAcmpne(to) => Insn::IfSame(false, self.to(*to)),
            Opcode::Ifnull(to) => Insn::IfNull(true, self.to(*to)),
            Opcode::Ifnonnull(to) => Insn::IfNull(false, self.to(*to)),
            Opcode::Goto(to) => Insn::Goto(self.to(*to)),
            Opcode::Tableswitch(table) => {
                let cases = (table.low..=table.high).zip(&table.jumps);
                let cases = cases.map(|(value, jump)| (value, self.to(*jump))).collect();
                Insn::Switch { cases, default: self.to(table.default) }
            }
            Opcode::Lookupswitch(table) => {
                let cases = table.match_offsets.iter();
                let cases = cases.map(|(value, jump)| (*value, self.to(*jump))).collect();
                Insn::Switch { cases, default: self.to(table.default) }
            }
            Opcode::Return => Insn::Return(None),
            Opcode::Ireturn => Insn::Return(Some(Kind::Int)),
            Opcode::Lreturn => Insn::Return(Some(Kind::Long)),
            Opcode::Freturn => Insn::Return(Some(Kind::Float)),
            Opcode::Dreturn => Insn::Return(Some(Kind::Double)),
            Opcode::Areturn => Insn::Return(Some(Kind::Ref)),
            Opcode::Athrow => Insn::Throw,
            _ => return None,
        })
    }

    fn objects(&self, opcode: &Opcode<'_>) -> Option<Insn> {
        Some(match opcode {
            Opcode::Getfield(member) => Insn::GetField(field(member)),
            Opcode::Putfield(member) => Insn::PutField(field(member)),
            Opcode::Getstatic(member) => Insn::GetStatic(field(member)),
            Opcode::Putstatic(member) => Insn::PutStatic(field(member)),
            Opcode::Invokestatic(member) => Insn::Call(CallKind::Static, method(member)),
            Opcode::Invokespecial(member) => Insn::Call(CallKind::Special, method(member)),
            Opcode::Invokevirtual(member) | Opcode::Invokeinterface(member, _) => {
                Insn::Call(CallKind::Virtual, method(member))
            }
            Opcode::Invokedynamic(call) => Insn::Dynamic(self.bootstrap.resolve(call)),
            Opcode::New(class) => Insn::New(class.to_string()),
            Opcode::Checkcast(ty) => Insn::CheckCast(reference(ty)),
            Opcode::Instanceof(ty) => Insn::InstanceOf(reference(ty)),
            Opcode::Monitorenter => Insn::MonitorEnter,
            Opcode::Monitorexit => Insn::MonitorExit,
            _ => return None,
        })
    }
}

fn field(member: &MemberRef<'_>) -> FieldRef {
    FieldRef {
        class: member.class_name.to_string(),
        name: member.name_and_type.name.to_string(),
        ty: JavaType::of(&member.name_and_type.descriptor),
    }
}

fn method(member: &MemberRef<'_>) -> MethodRef {
    MethodRef {
        class: member.class_name.to_string(),
        name: member.name_and_type.name.to_string(),
        descriptor: member.name_and_type.descriptor.to_string(),
    }
}

fn reference(ty: &ObjectArrayType<'_>) -> JavaType {
    match ty {
        ObjectArrayType::ArrayType(descriptor) => JavaType::Ref(descriptor.to_string()),
        ObjectArrayType::BinaryName(name) => JavaType::Ref(name.to_string()),
    }
}

fn constants(opcode: &Opcode<'_>) -> Option<Insn> {
    use crate::Literal::{Double, Float, Int, Long};
    let constant = match opcode {
        Opcode::AconstNull => return Some(Insn::Null),
        Opcode::IconstM1 => Int(-1),
        Opcode::Iconst0 => Int(0),
        Opcode::Iconst1 => Int(1),
        Opcode::Iconst2 => Int(2),
        Opcode::Iconst3 => Int(3),
        Opcode::Iconst4 => Int(4),
        Opcode::Iconst5 => Int(5),
        Opcode::Bipush(value) => Int(i32::from(*value)),
        Opcode::Sipush(value) => Int(i32::from(*value)),
        Opcode::Lconst0 => Long(0),
        Opcode::Lconst1 => Long(1),
        Opcode::Fconst0 => Float(0.0),
        Opcode::Fconst1 => Float(1.0),
        Opcode::Fconst2 => Float(2.0),
        Opcode::Dconst0 => Double(0.0),
        Opcode::Dconst1 => Double(1.0),
        Opcode::Ldc(value) | Opcode::LdcW(value) | Opcode::Ldc2W(value) => {
            return Some(match value {
                Loadable::LiteralConstant(constant) => match literal(constant) {
                    Some(constant) => Insn::Constant(constant),
                    None => Insn::Other("a string constant that is not Unicode".to_owned()),
                },
                Loadable::ClassInfo(name) => Insn::ClassConstant(name.to_string()),
                other => Insn::Other(format!("the constant {other:?}")),
            });
        }
        _ => return None,
    };
    Some(Insn::Constant(constant))
}

fn variables(opcode: &Opcode<'_>) -> Option<Insn> {
    use Kind::*;
    Some(match opcode {
        Opcode::Nop => Insn::Nop,
        Opcode::Iload(slot) => Insn::Load(Int, *slot),
        Opcode::Lload(slot) => Insn::Load(Long, *slot),
        Opcode::Fload(slot) => Insn::Load(Float, *slot),
        Opcode::Dload(slot) => Insn::Load(Double, *slot),
        Opcode::Aload(slot) => Insn::Load(Ref, *slot),
        Opcode::Istore(slot) => Insn::Store(Int, *slot),
        Opcode::Lstore(slot) => Insn::Store(Long, *slot),
        Opcode::Fstore(slot) => Insn::Store(Float, *slot),
        Opcode::Dstore(slot) => Insn::Store(Double, *slot),
        Opcode::Astore(slot) => Insn::Store(Ref, *slot),
        Opcode::Iinc(slot, by) => Insn::Increment(*slot, *by),
        _ => return None,
    })
}

fn arithmetic(opcode: &Opcode<'_>) -> Option<Insn> {
    use Kind::*;
    let arith = |kind, op| Some(Insn::Arith(kind, op));
    match opcode {
        Opcode::Iadd => arith(Int, Arith::Add),
        Opcode::Isub => arith(Int, Arith::Sub),
        Opcode::Imul => arith(Int, Arith::Mul),
        Opcode::Idiv => arith(Int, Arith::Div),
        Opcode::Irem => arith(Int, Arith::Rem),
        Opcode::Iand => arith(Int, Arith::And),
        Opcode::Ior => arith(Int, Arith::Or),
        Opcode::Ixor => arith(Int, Arith::Xor),
        Opcode::Ladd => arith(Long, Arith::Add),
        Opcode::Lsub => arith(Long, Arith::Sub),
        Opcode::Lmul => arith(Long, Arith::Mul),
        Opcode::Ldiv => arith(Long, Arith::Div),
        Opcode::Lrem => arith(Long, Arith::Rem),
        Opcode::Land => arith(Long, Arith::And),
        Opcode::Lor => arith(Long, Arith::Or),
        Opcode::Lxor => arith(Long, Arith::Xor),
        Opcode::Fadd => arith(Float, Arith::Add),
        Opcode::Fsub => arith(Float, Arith::Sub),
        Opcode::Fmul => arith(Float, Arith::Mul),
        Opcode::Fdiv => arith(Float, Arith::Div),
        Opcode::Frem => arith(Float, Arith::Rem),
        Opcode::Dadd => arith(Double, Arith::Add),
        Opcode::Dsub => arith(Double, Arith::Sub),
        Opcode::Dmul => arith(Double, Arith::Mul),
        Opcode::Ddiv => arith(Double, Arith::Div),
        Opcode::Drem => arith(Double, Arith::Rem),
        Opcode::Ineg => Some(Insn::Negate(Int)),
        Opcode::Lneg => Some(Insn::Negate(Long)),
        Opcode::Fneg => Some(Insn::Negate(Float)),
        Opcode::Dneg => Some(Insn::Negate(Double)),
        Opcode::Ishl => Some(Insn::Shift(Int, Shift::Left)),
        Opcode::Ishr => Some(Insn::Shift(Int, Shift::Right)),
        Opcode::Iushr => Some(Insn::Shift(Int, Shift::Unsigned)),
        Opcode::Lshl => Some(Insn::Shift(Long, Shift::Left)),
        Opcode::Lshr => Some(Insn::Shift(Long, Shift::Right)),
        Opcode::Lushr => Some(Insn::Shift(Long, Shift::Unsigned)),
        Opcode::Lcmp => Some(Insn::CompareTo(Long, None)),
        Opcode::Fcmpl => Some(Insn::CompareTo(Float, Some(-1))),
        Opcode::Fcmpg => Some(Insn::CompareTo(Float, Some(1))),
        Opcode::Dcmpl => Some(Insn::CompareTo(Double, Some(-1))),
        Opcode::Dcmpg => Some(Insn::CompareTo(Double, Some(1))),
        _ => conversions(opcode),
    }
}

fn conversions(opcode: &Opcode<'_>) -> Option<Insn> {
    use Kind::*;
    Some(match opcode {
        Opcode::I2l => Insn::Convert(Int, Long),
        Opcode::I2f => Insn::Convert(Int, Float),
        Opcode::I2d => Insn::Convert(Int, Double),
        Opcode::L2i => Insn::Convert(Long, Int),
        Opcode::L2f => Insn::Convert(Long, Float),
        Opcode::L2d => Insn::Convert(Long, Double),
        Opcode::F2i => Insn::Convert(Float, Int),
        Opcode::F2l => Insn::Convert(Float, Long),
        Opcode::F2d => Insn::Convert(Float, Double),
        Opcode::D2i => Insn::Convert(Double, Int),
        Opcode::D2l => Insn::Convert(Double, Long),
        Opcode::D2f => Insn::Convert(Double, Float),
        Opcode::I2b => Insn::Narrow(Element::Byte),
        Opcode::I2c => Insn::Narrow(Element::Char),
        Opcode::I2s => Insn::Narrow(Element::Short),
        _ => return None,
    })
}

fn stack(opcode: &Opcode<'_>) -> Option<Insn> {
    Some(Insn::Stack(match opcode {
        Opcode::Pop => StackOp::Pop,
        Opcode::Pop2 => StackOp::Pop2,
        Opcode::Dup => StackOp::Dup,
        Opcode::DupX1 => StackOp::DupX1,
        Opcode::DupX2 => StackOp::DupX2,
        Opcode::Dup2 => StackOp::Dup2,
        Opcode::Dup2X1 => StackOp::Dup2X1,
        Opcode::Dup2X2 => StackOp::Dup2X2,
        Opcode::Swap => StackOp::Swap,
        _ => return None,
    }))
}

fn arrays(opcode: &Opcode<'_>) -> Option<Insn> {
    use Element::*;
    Some(match opcode {
        Opcode::Iaload => Insn::ArrayLoad(Int),
        Opcode::Laload => Insn::ArrayLoad(Long),
        Opcode::Faload => Insn::ArrayLoad(Float),
        Opcode::Daload => Insn::ArrayLoad(Double),
        Opcode::Aaload => Insn::ArrayLoad(Ref),
        // Of bytes or of booleans: the array itself knows.
        Opcode::Baload => Insn::ArrayLoad(Byte),
        Opcode::Caload => Insn::ArrayLoad(Char),
        Opcode::Saload => Insn::ArrayLoad(Short),
        Opcode::Iastore => Insn::ArrayStore(Int),
        Opcode::Lastore => Insn::ArrayStore(Long),
        Opcode::Fastore => Insn::ArrayStore(Float),
        Opcode::Dastore => Insn::ArrayStore(Double),
        Opcode::Aastore => Insn::ArrayStore(Ref),
        Opcode::Bastore => Insn::ArrayStore(Byte),
        Opcode::Castore => Insn::ArrayStore(Char),
        Opcode::Sastore => Insn::ArrayStore(Short),
        Opcode::Arraylength => Insn::ArrayLength,
        Opcode::Newarray(element) => Insn::NewArray(JavaType::Ref(
            match element {
                PrimitiveArrayType::Boolean => "[Z",
                PrimitiveArrayType::Byte => "[B",
                PrimitiveArrayType::Char => "[C",
                PrimitiveArrayType::Short => "[S",
                PrimitiveArrayType::Int => "[I",
                PrimitiveArrayType::Long => "[J",
                PrimitiveArrayType::Float => "[F",
                PrimitiveArrayType::Double => "[D",
            }
            .to_owned(),
        )),
        Opcode::Anewarray(element) => Insn::NewArray(JavaType::Ref(match element {
            ObjectArrayType::ArrayType(descriptor) => format!("[{descriptor}"),
            ObjectArrayType::BinaryName(name) => format!("[L{name};"),
        })),
        Opcode::Multianewarray(ty, dimensions) => Insn::NewArrays(reference(ty), *dimensions),
        _ => return None,
    })
}
