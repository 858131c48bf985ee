//! Shapes of code that are hard to come by at random, with random values in them.

use super::scope::Maker;
use super::types;

impl Maker<'_> {
    pub fn template(&mut self) -> String {
        let (value, other) = (self.value(1), self.value(1));
        match self.choices.below(12) {
            0 => duff(&value),
            1 => self.walk_through_an_array(&value),
            2 => self.anonymous_members(&value, &other),
            3 => format!(
                "  {{ struct calls$ b = {{ pick$, 0 }}, a = {{ ({value}) & 1 ? add$ : pick$, &b }}; \
                 mix$(each$(&a, ({other}) & 255)); }}\n"
            ),
            4 => format!(
                "  {{ int n = 2 + (({value}) & 1); unsigned char t[3][3] = {{ {{ 0 }} }}; mix$(grid$(n, (void \
                 *)t, ({other}) & 63)); mix$(((unsigned char *)t)[n]); }}\n"
            ),
            5 => leave_a_statement_expression(&value, self.fresh()),
            6 => self.bytes_of_an_object(&value),
            7 => self.fields_in_a_loop(&value),
            8 => format!(
                "  {{ int n = 1; int t[n += ({value}) & 1]; mix$(sizeof t + sizeof(int[n++])); mix$(n); }}\n"
            ),
            9 => format!(
                "  {{ enum e {{ A = -1, B = 300, C }}; enum e t = ({value}) & 1 ? B : A; mix$(t); mix$(t < C); \
                 mix$(sizeof(enum e)); }}\n"
            ),
            10 => format!(
                "  for (int i = 0; i < 3; i++) {{ int n = 1 + ((({value}) + i) & 1); short t[n]; t[n - 1] = i; \
                 if (n == 2) continue; mix$(t[0] + sizeof t); }}\n"
            ),
            _ => flexible(&value, &other),
        }
    }

    fn walk_through_an_array(&mut self, value: &str) -> String {
        let int = types::some_int(self.choices, false).name;
        let step =
            self.choices.pick(&["*q++", "*++q", "(*q)++", "*(q += 1)", "q[1]", "*q--", "1[q]"]);
        format!(
            "  {{ {int} t[4] = {{ 1, {value}, 0, 1 }}, *q = t + 1; mix$({step}); mix$(q - t); mix$(q > t); \
             mix$(t[1]); mix$(&t[3] - q); }}\n"
        )
    }

    fn anonymous_members(&mut self, value: &str, other: &str) -> String {
        let (first, second) =
            (types::some_int(self.choices, true).name, types::some_int(self.choices, true).name);
        let member = self.choices.pick(&["b", "c[0]", "c[1]", "d"]);
        format!(
            "  {{ struct {{ {first} a; union {{ {second} b; unsigned char c[8]; }}; int d : 5; struct {{ short \
             e; }}; }} t; memset(&t, 0, sizeof t); t.a = {value}; t.{member} = {other}; t.e = -1; mix$(t.a); \
             mix$(t.b); mix$(t.c[1]); mix$(t.d); mix$(t.e); mix$(sizeof t); }}\n"
        )
    }

    /// The representation of an integer, byte by byte.
    fn bytes_of_an_object(&mut self, value: &str) -> String {
        let int = types::some_int(self.choices, true).name;
        let byte = self.choices.below(3);
        format!(
            "  {{ {int} t = {value}; unsigned char *q = (unsigned char *)&t; if ({byte} < sizeof t) q[{byte}] ^= \
             5; for (unsigned i = 0; i < sizeof t; i++) mix$(q[i]); mix$(t); }}\n"
        )
    }

    fn fields_in_a_loop(&mut self, value: &str) -> String {
        let (first, second) = (1 + self.choices.below(31), 1 + self.choices.below(40));
        let change = self.choices.pick(&[
            "t.b++",
            "t.b += 3",
            "t.a -= t.b",
            "t.b = -t.a",
            "t.b <<= 1",
            "t.a ^= t.b",
        ]);
        format!(
            "  {{ struct {{ int a : {first}; unsigned long b : {second}; signed char c : 3; }} t = {{ 0, 1, -1 }}; \
             t.a = {value}; for (int i = 0; i < 3; i++) {{ {change}; mix$(t.a); mix$((unsigned long)t.b); \
             mix$(t.c); }} }}\n"
        )
    }
}

fn duff(value: &str) -> String {
    format!(
        "  {{ int n = 2, k = ({value}) & 3; switch (k) {{ do {{ case 0: mix$(10); case 1: mix$(11); break; case 2: \
         mix$(12); default: mix$(13); }} while (--n > 0); }} mix$(n); }}\n"
    )
}

fn leave_a_statement_expression(value: &str, number: u32) -> String {
    format!(
        "  mix$(({{ int t = ({value}) & 3; if (t == 1) goto s{number}; t * 2; }}));\n  s{number}: ;\n"
    )
}

fn flexible(value: &str, other: &str) -> String {
    format!(
        "  {{ struct f {{ short n; int t[]; }} *q = malloc(sizeof *q + 3 * sizeof(int)); q->n = ({value}) & 1; \
         q->t[1 + q->n] = {other}; mix$(q->t[1 + q->n]); mix$(sizeof *q); mix$(offsetof(struct f, t)); \
         free(q); }}\n"
    )
}
