/*
 * examples/bluetooth.c for SPIN: the same shared variables, the same steps, WORKERS workers.
 *
 * The model is as favourable to SPIN as the program allows. All processes are active from the
 * start, where the C program creates them one by one. The counter is a byte and the flags are
 * bits. The C program's local `status` is not kept: where a worker stands says what it was.
 */
#ifndef WORKERS
#define WORKERS 3
#endif

byte pendingIO = 1;
bit stoppingFlag, stoppingEvent, stopped;

inline IoDecrement() {
	pendingIO--;
	if
	:: pendingIO == 0 -> stoppingEvent = 1
	:: else
	fi
}

active proctype PnpStop() {
	stoppingFlag = 1;
	IoDecrement();
	stoppingEvent == 1;
	stopped = 1
}

active [WORKERS] proctype PnpAdd() {
	pendingIO++;
	if
	:: stoppingFlag
	:: else -> assert(!stopped)
	fi;
	IoDecrement()
}
