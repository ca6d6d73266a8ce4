"""Shims: solvers that do not speak the protocol, as programs of the MaxSAT Evaluation.

Two libraries hold a solver that is worth running and no program to run: UWrMaxSat in hermax, CP-SAT in
OR-tools.  toulbar2 has a program, which answers in words of its own: its shim is a filter.

A shim, ``python -m wcnfgen.shims.NAME FILE [SECONDS]``, reads a WCNF file, gives it to the solver and
speaks the protocol.  It is written as a search is (`wcnfgen.searches`), a generator of improvements, and
runs in the same frame (`wcnfgen.searches._program`), so that it obeys SIGTERM and prints its best model.

A shim believes nothing.  Each cost it prints is counted from the model and the clauses of the file; a model
that falsifies a hard clause is none; an optimum is claimed only if the solver's cost is that of the best
model.  Only that there is nothing better, or nothing at all, has to be taken on trust.

A name stands for what is really inside.  hermax has modules named after Loandra, Open-WBO-Inc, NuWLS,
SPB-MaxSAT and TT-Open-WBO-Inc too, but the first two are another algorithm, and the others end the process
or are replaced by RC2: there are no shims of those.
"""
