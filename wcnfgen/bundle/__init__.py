"""A benchmark family as a folder: what `wcnfgen family` makes and `wcnfgen calibrate` completes.

    family.json       what the family says of itself, its options and authors (`folder`)
    manifest.csv      one line an instance, those left out included, with the reason (`manifest`)
    instances/        NAME.wcnf.xz, or .cnf.xz
    models/           NAME.sol: the best model known, as a solver would print it (`models`)
    data/             the data sets that a rule generated
    chains/           the trees that weights of AdaBoost rounds follow from (`chains`)
    runs/             logs and records of reference solvers (`wcnfgen.calibration`)
    plots/            size and difficulty (`plots`)
    description.tex   and .pdf, references.bib (`description`)
    REPRODUCE.md      how to make it again (`reproduce`)
    selection.csv     which instances to submit, and why (`selection`)
    NAME.tar.gz       the submission (`pack`)

Each step reads files and writes files, whole or not at all, and can be repeated: what is there and still
what the family says is not made again.
"""
