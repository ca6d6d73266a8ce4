"""What encodings are made of: sets of clauses as functions, with the papers' formulas as docstrings.

- `nodes`     which node can be whose child (LR, RR, parents)
- `counting`  at most one of many
- `pruning`   the counters of leaves and tests (Narodytska et al. 2018, section 3.3)
- `core`      one compact formula that all variants are settings of
- `paper`     MPDT as its paper prints it (Alòs, Ansótegui and Torres 2023), corrected
"""
