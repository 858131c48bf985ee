//! The two drivers with n workers: as C, from the examples, and as Promela, written here after the
//! examples step by step.

use std::path::PathBuf;

use crate::system;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Bluetooth,
    Battery,
}

impl Driver {
    pub const ALL: [Driver; 2] = [Driver::Bluetooth, Driver::Battery];

    pub fn name(self) -> &'static str {
        match self {
            Driver::Bluetooth => "bluetooth",
            Driver::Battery => "battery",
        }
    }

    /// The example; `WORKERS` is the number of its workers.
    pub fn source(self) -> PathBuf {
        system::root().join(format!("examples/conform/{}.c", self.name()))
    }

    /// The concrete or the abstract program for SPIN.
    pub fn promela(self, of_abstract: bool, workers: u32) -> String {
        let model = match (self, of_abstract) {
            (Driver::Bluetooth, false) => BLUETOOTH,
            (Driver::Bluetooth, true) => ABSTRACT_BLUETOOTH,
            (Driver::Battery, false) => BATTERY,
            (Driver::Battery, true) => ABSTRACT_BATTERY,
        };
        model.replace("WORKERS", &workers.to_string())
    }
}

const BLUETOOTH: &str = "byte pendingIO = 1; bit stoppingFlag, stoppingEvent, stopped;
inline decrement() { pendingIO--; if :: pendingIO == 0 -> stoppingEvent = 1 :: else fi }
active proctype stop() { stoppingFlag = 1; decrement(); stoppingEvent == 1; stopped = 1 }
active [WORKERS] proctype add() {
  pendingIO++;
  if :: stoppingFlag == 0 -> assert(!stopped) :: else fi;
  decrement()
}
";

const ABSTRACT_BLUETOOTH: &str = "byte pendingIO = 1; bit stoppingFlag, stoppingEvent, stopped;
active proctype unload() {
  stoppingFlag = 1;
  pendingIO--;
left: if
  :: pendingIO == 0 -> stoppingEvent = 1; goto left
  :: stoppingEvent != 0 -> stopped = 1
  fi
}
active [WORKERS] proctype worker() {
  pendingIO++;
  if
  :: stoppingFlag == 0 -> assert(!stopped); pendingIO--
  :: pendingIO--
  fi;
  pendingIO == 0; stoppingEvent = 1
}
";

const BATTERY: &str = "short requests, queued, inUse = 2; bit want, ready, stopped, begun;
inline release() { d_step { inUse--; if :: inUse == 0 -> ready = 1 :: else fi } }
init {
  if :: requests++; if :: requests == 1 -> queued++ :: else fi :: skip fi;
  if :: requests++; if :: requests == 1 -> queued++ :: else fi :: skip fi;
  begun = 1
}
active proctype unload() { short seen;
  begun; want = 1; assert(!stopped);
  d_step { requests++; seen = requests };
  if
  :: seen == 1 -> assert(!stopped); if :: release() :: queued++ fi
  :: else
  fi;
  assert(!stopped);
  d_step { inUse--; seen = inUse };
  if :: seen > 0 -> ready :: else fi;
  stopped = 1
}
active [WORKERS] proctype work() { short left;
  begun; d_step { queued > 0 -> queued-- };
  do
  :: assert(!stopped);
     if :: want -> assert(!stopped); release(); break :: else fi;
     if
     :: assert(!stopped); inUse++;
        if :: !want -> assert(!stopped) :: else fi;
        assert(!stopped); inUse--
     :: skip
     fi;
     assert(!stopped);
     d_step { requests--; left = requests };
     if :: left == 0 -> break :: else fi;
     assert(!stopped);
     if :: left != 1 -> requests = 1 :: else fi
  od
}
";

const ABSTRACT_BATTERY: &str = "short requests, queued, inUse = 2; bit ready, stopped, begun;
inline release() { d_step { inUse--; if :: inUse == 0 -> ready = 1 :: else fi } }
init {
  if :: requests++; if :: requests == 1 -> queued++ :: else fi :: skip fi;
  if :: requests++; if :: requests == 1 -> queued++ :: else fi :: skip fi;
  begun = 1
}
active proctype unload() {
  begun;
  assert(!stopped);
  if
  :: d_step { requests + 1 == 1 -> requests++ }; assert(!stopped); if :: release() :: queued++ fi
  :: d_step { requests + 1 != 1 -> requests++ }
  fi;
  assert(!stopped);
  if
  :: d_step { inUse - 1 > 0 -> inUse-- }; assert(!stopped); ready
  :: d_step { inUse - 1 <= 0 -> inUse-- }
  fi;
  assert(!stopped);
  stopped = 1
}
active [WORKERS] proctype worker() {
  begun; d_step { queued > 0 -> queued-- };
  do
  :: assert(!stopped && requests > 0)
  :: inUse++; assert(!stopped && requests > 0); inUse--
  :: d_step { requests - 1 > 0 -> requests-- }
  :: requests = 1
  :: d_step { requests - 1 == 0 -> requests-- }; break
  :: release(); break
  od
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_as_many_workers_as_wanted() {
        for driver in Driver::ALL {
            let text = std::fs::read_to_string(driver.source()).expect("the example");
            assert!(text.contains("#ifndef WORKERS"), "{text}");
            assert_eq!(text.matches("i < WORKERS").count(), 1, "{text}");
            for workers in [1, 2, 7] {
                let model = driver.promela(false, workers);
                assert!(model.contains(&format!("[{workers}]")), "{model}");
            }
        }
    }
}
