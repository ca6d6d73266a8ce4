"""How difficult a family is: what reference solvers make of it, and which of its instances to submit.

    plan       which runs are there, and which have to be made
    course     has them made, a few at a time, and judged (`worker`, a program of `wcnfgen.workers`)
    opinions   what follows for each instance: its best model, its proof, its class of difficulty
    keeping    the best models as files
    choosing   a balanced choice of instances

A run is a log and a record, ``runs/SOLVER/NAME.log.gz`` and ``NAME.run.json``; what is true of it is
``NAME.verdict.json``.  All else follows from these files, so a calibration can stop at any moment and go
on, be judged again, and grow by a solver: ``--solver`` says who is to run, but all runs count.

Nothing a solver says is believed.  A model counts with the cost that the formula gives it.  A proof is
``s OPTIMUM FOUND`` with such a model, about which nothing is odd and which no model of anybody's beats, or
UNSATISFIABLE where nobody has a model; and whoever claims in this family an optimum that is beaten, a cost
below a proved bound, or that there is no model where there is one, proves nothing anywhere in it.  Such a
solver's models, being verified, still count.  Proofs themselves are not checked: one solver's claim of
optimality counts until a better model or a proved bound contradicts it, whatever its trial runs told
(`wcnfgen.launch`).  So let more than one solver run.

Classes of difficulty, by the fastest proof of a reference solver within the limit on wall time, which
includes the start of its program:

    trivial     proved within a second, or known before any solver ran: the witness meets our own bound
    easy        proved within a tenth of the limit
    medium      proved within the limit
    hard        not proved, but somebody found a better model than the witness that came with the formula:
                the anytime track lives of these
    untouched   nobody did better than the witness, though somebody worked: had a model, or used all its time

An instance on which all runs crashed, gave up or lied has no class: nothing is known of its difficulty.

The fastest proof and not the number of proofs, since an organiser asks whether *any* solver is within reach
(the Evaluation drops from its anytime track what one solver finishes early); how many solvers proved
it is part of the reason that `choosing` gives.  Without an objective (CNF) a verified model or an
uncontradicted UNSATISFIABLE takes the place of the proof, and nothing is hard: it is solved or untouched.
"""
