//! What may be undefined: ends of lifetimes, bounds, overflows. The values decide.

use super::scope::Maker;

impl Maker<'_> {
    /// A statement that goes wrong for some values; rare, because it hides what comes after it.
    pub fn fault(&mut self) -> String {
        if !self.choices.chance(1, 4) {
            return self.assignment();
        }
        let value = self.value(1);
        match self.choices.below(6) {
            5 => self.objects(&value),
            0 | 1 => self.arithmetic(&value),
            2 => self.bounds(&value),
            3 => self.lifetime(&value),
            _ => self.heap_misuse(&value),
        }
    }

    fn arithmetic(&mut self, value: &str) -> String {
        let ty = self.choices.pick(&["int", "long"]);
        let other = self.value(1);
        match self.choices.below(9) {
            6 => format!("  mix$((({ty})1 << 62 >> 31 << (({value}) & 1)) + ({other}));\n"),
            7 => format!("  mix$((int)((double)(int)({value}) * 1.5));\n"),
            8 => format!("  mix$(({ty})({value}) / (({ty})(({other}) & 1) - 1));\n"),
            0 => {
                let operator = self.choices.pick(&["+", "-", "*"]);
                format!("  mix$(({ty})({value}) {operator} ({ty})({other}));\n")
            }
            1 => format!("  mix$(({ty})({value}) / (({ty})({other}) & 1));\n"),
            2 => format!("  mix$(({ty})({value}) % (({ty})({other}) & 1));\n"),
            3 => format!("  mix$((unsigned)({value}) << (({other}) & 63));\n"),
            4 => format!("  mix$(-({ty})({value}));\n"),
            _ => format!("  {{ {ty} t = {value}; t++; mix$(t); }}\n"),
        }
    }

    fn bounds(&mut self, value: &str) -> String {
        let int = super::types::some_int(self.choices, false).name;
        match self.choices.below(8) {
            4 => format!(
                "  {{ {int} t[2][2] = {{ {{ 1, 0 }}, {{ 1, 1 }} }}; mix$(t[0][({value}) & 3]); }}\n"
            ),
            5 => format!(
                "  {{ {int} t[4] = {{ 1 }}, *q = t + 2; mix$(q[-(int)(({value}) & 3)]); }}\n"
            ),
            6 => format!(
                "  {{ char t[4], u[] = \"abcdef\"; strcpy(t, u + 1 + (({value}) & 3)); mix$(t[0]); }}\n"
            ),
            7 => format!("  {{ int n = (int)(({value}) & 3) - 1; {int} t[n]; mix$(sizeof t); }}\n"),
            0 => format!("  {{ {int} t[3] = {{ 1, 0, 1 }}; mix$(t[({value}) & 3]); }}\n"),
            1 => format!("  {{ {int} t[3] = {{ 1, 0, 1 }}; t[({value}) & 3] = 1; mix$(t[0]); }}\n"),
            2 => format!(
                "  {{ {int} *t = malloc(3 * sizeof *t); t[({value}) & 3] = 1; free(t); }}\n"
            ),
            _ => format!("  {{ char t[4]; memset(t, 0, 3 + (({value}) & 3)); mix$(t[0]); }}\n"),
        }
    }

    fn lifetime(&mut self, value: &str) -> String {
        let number = self.fresh();
        match self.choices.below(4) {
            0 => format!(
                "  {{ int o{number} = 3; int *q = &o{number}; {{ int t = 4; if (({value}) & 1) q = &t; }} \
                 mix$(*q); }}\n"
            ),
            1 => format!(
                "  {{ int *q = 0, n = 0, o = 5; l{number}: ; {{ int t = 7; if (n == 0) q = (({value}) & 1) ? &t : &o; }} \
                 if (n++ < 1) goto l{number}; mix$(*q); }}\n"
            ),
            2 => format!(
                "  {{ int *q = 0, o = 5; for (int i = 0; i < 2; i++) {{ int t = i; q = (({value}) & 1) ? &t \
                 : &o; }} mix$(*q); }}\n"
            ),
            _ => format!(
                "  {{ int *q, o = 2; {{ q = (({value}) & 1) ? &(int){{ 6 }} : &o; }} mix$(*q); }}\n"
            ),
        }
    }

    /// Read-only objects, values that are none of their type, and what is never reached.
    fn objects(&mut self, value: &str) -> String {
        let number = self.fresh();
        match self.choices.below(5) {
            0 => format!(
                "  {{ char *t = (char *)\"abc\"; if (({value}) & 1) t[1] = 'x'; mix$(t[1]); }}\n"
            ),
            1 => format!(
                "  {{ static const int k{number} = 4; if (({value}) & 1) *(int *)&k{number} = 5; \
                 mix$(k{number}); }}\n"
            ),
            2 => format!("  if (({value}) & 1) __builtin_unreachable();\n"),
            3 => format!(
                "  {{ _Bool t; unsigned char u = ({value}) & 3; memcpy(&t, &u, 1); mix$(t ? 1 : 0); }}\n"
            ),
            _ => format!("  {{ int *t = (({value}) & 1) ? &(int){{ 1 }} : 0; mix$(*t); }}\n"),
        }
    }

    fn heap_misuse(&mut self, value: &str) -> String {
        match self.choices.below(6) {
            4 => format!(
                "  {{ int *t = malloc(8), *u = t; t[0] = t[1] = 1; if (({value}) & 1) t = realloc(t, 64); \
                 mix$(u[0]); free(t); }}\n"
            ),
            5 => format!(
                "  {{ int t = 1, *u = malloc(4); *u = 2; free(({value}) & 1 ? &t : u); }}\n"
            ),
            0 => format!(
                "  {{ int *t = malloc(4); *t = 1; if (({value}) & 1) free(t); mix$(*t); }}\n"
            ),
            1 => format!("  {{ int *t = malloc(4); free(t); if (({value}) & 1) free(t); }}\n"),
            2 => format!("  {{ int o = 1, *t = (({value}) & 1) ? &o : 0; mix$(*t); }}\n"),
            _ => format!(
                "  {{ char t[8] = \"abcdefg\"; memcpy(t + 1 + (({value}) & 3), t, 3); mix$(t[3]); }}\n"
            ),
        }
    }
}
