//! Ctrl-C: the first asks for what is known so far, the second ends the process at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::status::Status;

/// How long engines have to say what they know.
pub const PATIENCE: Duration = Duration::from_millis(900);

static RAISED: AtomicBool = AtomicBool::new(false);
static WATCHED: OnceLock<()> = OnceLock::new();

/// From now on Ctrl-C is noticed here.
pub fn watch() {
    WATCHED.get_or_init(|| {
        let handler = || {
            if raised() {
                std::process::exit(Status::Unknown as i32);
            }
            raise();
        };
        // Where there are no signals, Ctrl-C ends the process as before.
        let _ = ctrlc::set_handler(handler);
    });
}

pub fn raise() {
    RAISED.store(true, Ordering::SeqCst);
}

pub fn raised() -> bool {
    RAISED.load(Ordering::SeqCst)
}
