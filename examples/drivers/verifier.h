/*
 * What the drivers ask of the verifier. Selvedge knows these names; a compiler needs only their
 * types.
 */
#ifndef VERIFIER_H
#define VERIFIER_H

/* Executions in which the condition is false are not looked at: a wait. */
extern void __VERIFIER_assume(int condition);

/* Any of the two values. */
extern _Bool __VERIFIER_nondet_bool(void);

#endif
