"""Reports: what the results of campaigns say.

    comparison    results of one campaign or several, by instance and solver, and the best that is known
    standings     what of them counts: who solved what, and whose claims are not so
    scores        the figures of the Evaluation and of the papers
    statistics    whether a difference is one
    best          the store of best models, which reports share
    summary, summarising  all that is shown, as tables of plain values
    tables, plots, page   how it is shown: as text, for papers, and as one HTML file
    diff          what changed from one campaign to another

Nothing here runs or judges anything: `wcnfgen.campaign.collect` has, and all figures are from its files.
"""
