"""The commands, one file each: `NAME.py` holds the public function NAME and what presents its result.

The command line is the function said again: keyword-only parameters are options, the others
arguments, and the docstring's ``name: meaning`` lines are the help.  A function returns its
result and prints nothing; ``present(result, out, **options)`` writes it for a person and gives the exit
code.  A command that passes options on to another function names it in ``forwards(options)``, where
``first`` is the first argument and ``encoding`` what --encoding says.

Nothing heavy is imported here before a command runs, which keeps ``wcnfgen --help`` quick.
"""
