//! What real compilers make of programs: many compiled as one file, each run in a process of its
//! own, by the `fork` of a driver.
//!
//! In a program's text every global name ends in `$`, so that programs can stand side by side.

use std::io;
use std::process::{Command, Stdio};

use crate::generate::Source;
use crate::work::Bench;

/// A compiler with the sanitizers that it is asked to build in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compiler {
    pub command: &'static str,
    pub sanitizers: &'static [&'static str],
}

const FAULTS: &[&str] = &[
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    // Selvedge's pointers have no numbers, so their alignment is not looked at.
    "-fno-sanitize=alignment",
];

pub const GCC: Compiler = Compiler { command: "gcc", sanitizers: FAULTS };
pub const CLANG: Compiler = Compiler { command: "clang", sanitizers: FAULTS };
pub const GCC_PLAIN: Compiler = Compiler { command: "gcc", sanitizers: &[] };
pub const GCC_THREADS: Compiler = Compiler { command: "gcc", sanitizers: &["-fsanitize=thread"] };

/// How one execution ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ran {
    /// With this checksum.
    Sum(u32),
    /// A sanitizer complained.
    Fault(String),
    /// By a signal that no sanitizer explains.
    Signal(i32),
    /// It did not end in time.
    Hung,
}

const INCLUDES: &str = "\
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
";

/// Between any two shared accesses of a thread a real run has a fence, because Selvedge's threads
/// are sequentially consistent, and sometimes lets others go first.
const PAUSES: &str = "\
static unsigned noise_start;
static __thread unsigned noise;
static void pause_somewhat(void) {
  __sync_synchronize();
  noise = noise * 1103515245u + 12345u + noise_start + (unsigned)(size_t)&noise / 64u;
  if ((noise >> 16) % 3 == 0) sched_yield();
}
#define PAUSE pause_somewhat()
";

const DRIVER: &str = "\
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **arguments) {
  int runs = count > 1 ? atoi(arguments[1]) : 1;
  for (unsigned k = 0; k < sizeof programs / sizeof *programs; k++)
    for (int run = 0; run < runs; run++) {
      printf(\"@program %u\\n\", k);
      fflush(stdout);
      int child = fork(), status = 0;
      if (child == 0) {
        dup2(1, 2);
        alarm(SECONDS);
        noise_start = run * 77u;
        printf(\"@sum %u\\n\", programs[k]());
        fflush(stdout);
        _exit(0);
      }
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status)) printf(\"\\n@signal %d\\n\", WTERMSIG(status));
      else printf(\"\\n@end\\n\");
      fflush(stdout);
    }
}
";

/// Seconds before an execution counts as hanging.
const SECONDS: u32 = 4;
const ALARM: i32 = 14;

/// The program alone, as Selvedge reads it: its checksum in `main`, where `check` stands.
pub fn alone(source: &Source, check: &str) -> String {
    let text = source.text.replace('$', "");
    format!(
        "{INCLUDES}#define PAUSE ((void)0)\n{text}\nint main(void) {{\n  unsigned sum = program();\n  \
         {check}\n  return 0;\n}}\n"
    )
}

impl Compiler {
    pub fn is_installed(&self) -> bool {
        let quiet = Command::new(self.command)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        quiet.is_ok_and(|status| status.success())
    }

    /// Compiles the programs and runs each `runs` times; an error has the compiler's words.
    pub fn run(
        &self,
        programs: &[Source],
        runs: u32,
        bench: &Bench,
    ) -> Result<Vec<Vec<Ran>>, String> {
        let name = format!("{}{}", self.command, self.sanitizers.len());
        let file = bench.file(&format!("{name}.c"), &batch(programs)).map_err(told)?;
        let binary = bench.path(&name);
        let built = Command::new(self.command)
            .args(["-w", "-O0", "-std=gnu11", "-pthread"])
            .args(self.sanitizers)
            .arg("-o")
            .args([&binary, &file])
            .output()
            .map_err(told)?;
        if !built.status.success() {
            return Err(String::from_utf8_lossy(&built.stderr).into_owned());
        }
        let done = Command::new(&binary)
            .arg(runs.to_string())
            .env("ASAN_OPTIONS", "detect_leaks=0:symbolize=0:detect_stack_use_after_return=1")
            .env("TSAN_OPTIONS", "halt_on_error=1:symbolize=0:report_signal_unsafe=0")
            .env("UBSAN_OPTIONS", "symbolize=0")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(told)?;
        Ok(outcomes(&String::from_utf8_lossy(&done.stdout), programs.len()))
    }
}

fn told(error: io::Error) -> String {
    error.to_string()
}

fn batch(programs: &[Source]) -> String {
    let mut text = format!("#define _GNU_SOURCE\n{INCLUDES}{PAUSES}\n#define SECONDS {SECONDS}\n");
    for (number, program) in programs.iter().enumerate() {
        text += &program.text.replace('$', &format!("_{number}"));
    }
    text += "static unsigned (*programs[])(void) = {";
    for number in 0..programs.len() {
        text += &format!(" program_{number},");
    }
    text + " };\n" + DRIVER
}

/// What the driver told about each program, each way that a run ended once.
fn outcomes(told: &str, programs: usize) -> Vec<Vec<Ran>> {
    let mut all = vec![Vec::new(); programs];
    for part in told.split("@program ").skip(1) {
        let number = part.lines().next().and_then(|line| line.trim().parse::<usize>().ok());
        let Some(ends) = number.and_then(|number| all.get_mut(number)) else { continue };
        let ran = outcome(part);
        if !ends.contains(&ran) {
            ends.push(ran);
        }
    }
    all
}

fn outcome(part: &str) -> Ran {
    let after = |mark: &str| {
        let rest = part.split_once(mark)?.1;
        Some(rest.lines().next().unwrap_or("").trim().to_owned())
    };
    let fault = after("runtime error: ")
        .or_else(|| after("ERROR: AddressSanitizer: ").map(|text| first_word(&text)))
        .or_else(|| after("WARNING: ThreadSanitizer: ").map(|text| first_words(&text)));
    if let Some(fault) = fault {
        return Ran::Fault(fault);
    }
    match (after("@sum "), after("@signal ")) {
        (_, Some(signal)) if signal == ALARM.to_string() => Ran::Hung,
        (Some(sum), _) => sum.parse().map_or(Ran::Signal(0), Ran::Sum),
        (None, signal) => Ran::Signal(signal.and_then(|text| text.parse().ok()).unwrap_or(0)),
    }
}

fn first_word(text: &str) -> String {
    text.split_whitespace().next().unwrap_or("").to_owned()
}

/// Without the number of the process.
fn first_words(text: &str) -> String {
    text.split(" (pid").next().unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_driver_tells() {
        let told = "@program 0\n@sum 7\n\n@end\n@program 0\n@sum 7\n\n@end\n@program 1\na.c:1:2: \
                    runtime error: division by zero\n\n@end\n@program 2\n\n@signal 14\n@program 3\n\
                    ==1==ERROR: AddressSanitizer: heap-use-after-free on address\n\n@end\n";
        let expected = [
            vec![Ran::Sum(7)],
            vec![Ran::Fault("division by zero".into())],
            vec![Ran::Hung],
            vec![Ran::Fault("heap-use-after-free".into())],
        ];
        assert_eq!(outcomes(told, 4), expected);
    }
}
