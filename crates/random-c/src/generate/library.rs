//! Strings, memory blocks, formatted output.

use super::scope::Maker;

const TEXTS: [&str; 6] = ["", "a", "abc", "abd", "b,c", "-42x"];

impl Maker<'_> {
    pub fn library(&mut self) -> String {
        match self.choices.below(6) {
            0 => self.strings(),
            1 => self.formatted(),
            2 => self.blocks(),
            3 => self.heap(),
            4 => self.numbers(),
            _ => self.searched(),
        }
    }

    fn text(&mut self) -> &'static str {
        self.choices.pick(&TEXTS)
    }

    fn strings(&mut self) -> String {
        let (first, second) = (self.text(), self.text());
        let what = self.choices.pick(&[
            "strlen(t)",
            "strcmp(t, u) < 0",
            "strcmp(t, u) > 0",
            "strncmp(t, u, 2) == 0",
            "strcat(t, u)[1]",
            "strncat(t, u, 1)[1]",
            "strncpy(t, u, 4)[3]",
            "memcmp(t, u, 2) < 0",
            "strcpy(t + 1, u) - t",
            "strspn(t, \"ab\")",
            "strcspn(t, \"c,\")",
            "strnlen(t, 2)",
        ]);
        format!(
            "  {{ char t[16] = \"{first}\", u[8] = \"{second}\"; mix$({what}); for (int i = 0; i < 8; i++) \
             mix$(t[i]); }}\n"
        )
    }

    fn searched(&mut self) -> String {
        let (first, second) = (self.text(), self.text());
        let call = self.choices.pick(&[
            "strchr(t, 'b')",
            "strrchr(t, 'a')",
            "strstr(t, u)",
            "memchr(t, 'c', 3)",
            "strpbrk(t, u)",
        ]);
        format!(
            "  {{ const char *t = \"{first}\\0zz\", *u = \"{second}\"; const char *f = {call}; \
             mix$(f ? f - t : 99); }}\n"
        )
    }

    fn formatted(&mut self) -> String {
        let (value, text) = (self.value(1), self.text());
        let length = self.choices.pick(&[16, 4, 1]);
        let (format, argument) = match self.choices.below(7) {
            0 => ("%d", format!("(int)({value})")),
            1 => ("%u!", format!("(unsigned)({value})")),
            2 => ("%x", format!("(unsigned)({value})")),
            3 => ("<%s>", format!("\"{text}\"")),
            4 => ("%5d", format!("(short)({value})")),
            5 => ("%c%%", format!("'a' + ((int)({value}) & 7)")),
            _ => ("%ld", format!("(long)({value})")),
        };
        format!(
            "  {{ char t[16] = \"\"; mix$(snprintf(t, {length}, \"{format}\", {argument})); \
             mix$(strlen(t)); for (int i = 0; t[i]; i++) mix$(t[i]); }}\n"
        )
    }

    fn blocks(&mut self) -> String {
        let value = self.value(1);
        let call = self.choices.pick(&[
            "memset(t + 1, 7, 4)",
            "memmove(t + 1, t, 6)",
            "memmove(t, t + 2, 5)",
            "memcpy(t, u, sizeof u)",
            "memcpy(t + 2, &v, sizeof v)",
        ]);
        format!(
            "  {{ unsigned char t[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }}, u[4] = {{ 9, 8, 7, 6 }}; int v = {value}; \
             (void)u; {call}; memcpy(&v, t + 1, sizeof v); mix$(v); for (int i = 0; i < 8; i++) mix$(t[i]); }}\n"
        )
    }

    fn heap(&mut self) -> String {
        let (value, body) = (self.value(1), self.value(1));
        let int = super::types::some_int(self.choices, false).name;
        match self.choices.below(3) {
            0 => format!(
                "  {{ {int} *t = malloc(2 * sizeof *t); t[0] = {value}; t[1] = t[0]; mix$(t[1]); \
                 free(t); }}\n"
            ),
            1 => format!(
                "  {{ {int} *t = calloc(3, sizeof *t); mix$(t[2]); t[1] = {value}; t = realloc(t, 4 * \
                 sizeof *t); t[3] = {body}; mix$(t[1]); mix$(t[3]); free(t); }}\n"
            ),
            _ => format!(
                "  {{ struct node {{ struct node *next; {int} v; }} *head = 0; for (int i = 0; i < 3; i++) {{ \
                 struct node *n = malloc(sizeof *n); n->next = head; n->v = {value}; head = n; }} while \
                 (head) {{ struct node *n = head->next; mix$(head->v); free(head); head = n; }} }}\n"
            ),
        }
    }

    fn numbers(&mut self) -> String {
        let (text, value) = (self.text(), self.value(1));
        let call = match self.choices.below(6) {
            0 => format!("atoi(\"{text}\")"),
            1 => format!("strtol(\"{text}\", 0, 10)"),
            2 => format!("abs((short)({value}))"),
            3 => format!("labs((short)({value}))"),
            4 => format!("strtoul(\"{text}\", 0, 16)"),
            _ => format!("div((short)({value}), 7).rem"),
        };
        format!("  mix$({call});\n")
    }
}
