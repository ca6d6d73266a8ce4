"""What encodings are made of: sets of clauses as functions, with the papers' formulas as docstrings.

- `nodes`     which node can be whose child (LR, RR, parents)
- `counting`  at most one of many
- `pruning`   the counters of leaves and tests (Narodytska et al. 2018, section 3.3)
- `core`      one compact formula that all variants are settings of
- `depths`    how deep nodes are, and the deepest of them
- `softrows`  rows that may be classified wrongly, at a cost
- `topology`  the shape of the tree, or of its top levels, as given
- `fixed`     a tree of given shape, with nothing but features and classes to find
- `complete`  a complete tree of given depth, with the rows' paths (Avellaneda 2020)
- `paper`     MPDT as its paper prints it (Alòs, Ansótegui and Torres 2023), corrected
"""
