//! The library models: C text that ships inside the binary.

use selvedge_c_syntax::ast::TranslationUnit;
use selvedge_c_syntax::{Diagnostic, SourceMap, parse};

/// Each file is a translation unit of its own.
const FILES: &[(&str, &str)] = &[
    ("<models>/abort.c", include_str!("../models/abort.c")),
    ("<models>/assert.c", include_str!("../models/assert.c")),
    ("<models>/atomic.c", include_str!("../models/atomic.c")),
    ("<models>/barrier.c", include_str!("../models/barrier.c")),
    ("<models>/bits.c", include_str!("../models/bits.c")),
    ("<models>/c11threads.c", include_str!("../models/c11threads.c")),
    ("<models>/cond.c", include_str!("../models/cond.c")),
    ("<models>/ctype.c", include_str!("../models/ctype.c")),
    ("<models>/environment.c", include_str!("../models/environment.c")),
    ("<models>/errno.c", include_str!("../models/errno.c")),
    ("<models>/exit.c", include_str!("../models/exit.c")),
    ("<models>/files.c", include_str!("../models/files.c")),
    ("<models>/format.c", include_str!("../models/format.c")),
    ("<models>/keys.c", include_str!("../models/keys.c")),
    ("<models>/math.c", include_str!("../models/math.c")),
    ("<models>/mutex.c", include_str!("../models/mutex.c")),
    ("<models>/network.c", include_str!("../models/network.c")),
    ("<models>/number.c", include_str!("../models/number.c")),
    ("<models>/pthread.c", include_str!("../models/pthread.c")),
    ("<models>/random.c", include_str!("../models/random.c")),
    ("<models>/rwlock.c", include_str!("../models/rwlock.c")),
    ("<models>/scan.c", include_str!("../models/scan.c")),
    ("<models>/semaphore.c", include_str!("../models/semaphore.c")),
    ("<models>/signal.c", include_str!("../models/signal.c")),
    ("<models>/socket.c", include_str!("../models/socket.c")),
    ("<models>/sort.c", include_str!("../models/sort.c")),
    ("<models>/spin.c", include_str!("../models/spin.c")),
    ("<models>/stdio.c", include_str!("../models/stdio.c")),
    ("<models>/stdlib.c", include_str!("../models/stdlib.c")),
    ("<models>/string.c", include_str!("../models/string.c")),
    ("<models>/strings.c", include_str!("../models/strings.c")),
    ("<models>/time.c", include_str!("../models/time.c")),
    ("<models>/unistd.c", include_str!("../models/unistd.c")),
];

/// Parses all models; diagnostics among the results are mistakes of ours.
pub(crate) fn parsed(sources: &mut SourceMap) -> (Vec<TranslationUnit>, Vec<Diagnostic>) {
    let mut units = Vec::new();
    let mut diagnostics = Vec::new();
    for (name, text) in FILES {
        let source = sources.add(*name, *text);
        let parsed = parse(source, sources);
        units.push(parsed.unit);
        diagnostics.extend(parsed.diagnostics);
    }
    (units, diagnostics)
}
