"""Long-lived processes that do jobs, one after the other, each on cores of its own.

    cores     which cores: whole physical ones first, and what is left for us
    claims    cores that are nobody else's, where no pool shares them out
    pool      the side that hands jobs out
    serving   the side that does them
    failure   why one is not done
    functions for jobs that are no runs, whose results are Python's
    orphans   processes that end with their parent

Why processes: a driver notices signals in the main thread only, and collects the orphans of its run by what
is a property of the process (`wcnfgen.drivers.local`).  Why long-lived ones: to start Python and to import
what a run needs takes a third of a second, much of a run that takes one.

A job is a line of JSON on a worker's standard input and is answered by a line; what was found is in files.
The end of the input is the end of the worker, its parent's death is SIGTERM to it.
"""
