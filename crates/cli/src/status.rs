//! How a command ends.

use std::fmt::Display;
use std::process::ExitCode;

/// The exit status. The numbers from 64 on are those of BSD's `sysexits.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Also: done, where there was no verdict to give.
    Safe = 0,
    Unsafe = 1,
    Unknown = 2,
    WrongUsage = 64,
    BadInput = 65,
    Defect = 70,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why a command could not do its work, with what to tell the user on standard error.
#[derive(Debug)]
pub struct Refusal {
    pub status: Status,
    pub message: String,
}

impl Refusal {
    pub fn usage(message: impl Display) -> Refusal {
        Refusal { status: Status::WrongUsage, message: format!("error: {message}\n") }
    }

    pub fn input(message: impl Display) -> Refusal {
        Refusal { status: Status::BadInput, message: format!("error: {message}\n") }
    }

    /// Diagnostics that are rendered already.
    pub fn diagnostics(rendered: String) -> Refusal {
        Refusal { status: Status::BadInput, message: rendered }
    }
}

pub const PLEASE_REPORT: &str =
    "This is a defect of Selvedge. Please report it, with the input that led to it.";
