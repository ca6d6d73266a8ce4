"""Reports: what the results of campaigns say.

    comparison    results of one campaign or several, by instance and solver, and the best that is known
    standings     what of them counts: who solved what, and whose claims are not so
    scores        the figures of the Evaluation and of the papers, as arrays
    curves        what each plot shows, as arrays
    statistics    whether a difference is one
    best          the store of best models, which reports share
    summarising   all that is shown: scores in tables, with `pairwise`, each solver against each other, and
                  `accounts` of the runs themselves; `summary` says what a table is
    diff          the same of what changed from one campaign to another
    tables, plots, page   how it is shown: as text, for papers, and as one HTML file

Nothing here runs or judges anything: `wcnfgen.campaign.collect` has, and all figures are from its files.
"""
