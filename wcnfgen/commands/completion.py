"""``wcnfgen completion``: the script by which a shell completes commands, options and names.

The script is shtab's, made of the same parsers that read the command line, so that it knows all commands and
options there are.  It asks nothing when it runs: solvers, encodings and families that are added later need a
new script.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TextIO, get_args

from wcnfgen import commands, options, signatures
from wcnfgen.errors import UsageError

Shell = Literal["bash", "zsh", "tcsh"]


def completion(shell: Shell) -> str:
    """Print the script by which a shell completes what you type.

    It completes commands, options (those of every --encoding and of every family), choices, and the names of
    solvers, encodings, families, searches, rules and experiments; where none of these belongs, files.

    For bash, once:  wcnfgen completion bash > ~/.local/share/bash-completion/completions/wcnfgen
    For zsh, once, into a folder of $fpath:  wcnfgen completion zsh > ~/.zfunc/_wcnfgen

    examples:
      wcnfgen completion bash > wcnfgen.bash                    then: source wcnfgen.bash
      wcnfgen completion zsh > _wcnfgen

    shell: bash, zsh or tcsh

    Raises UsageError for another shell, or where shtab is not installed (extra: completion).
    """
    if shell not in get_args(Shell):
        raise UsageError(f"{shell}: there is completion for {', '.join(get_args(Shell))}")
    if find_spec("shtab") is None:
        raise UsageError("shtab is not installed: pip install 'wcnfgen[completion]'")
    import shtab

    kinds: dict[str, tuple[str, ...]] = {}
    whole = argparse.ArgumentParser(prog="wcnfgen", description="Decision trees as MaxSAT.")
    whole.add_argument("-V", "--version", action="store_true", help="the version")
    places = whole.add_subparsers()
    for name in commands.names():
        _declare(places, name, kinds)
    script: str = shtab.complete(whole, shell, preamble=_functions(kinds, shell))
    return script


def present(result: str, out: TextIO) -> int:
    """Print the script."""
    out.write(result.rstrip("\n") + "\n")
    return 0


# ---------------------------------------------------------------------------- what there is to complete


def _declare(places: Any, name: str, kinds: dict[str, tuple[str, ...]]) -> None:
    """One command with all the options that it can have; what it names is added to the kinds."""
    function = commands.get(name)[1]
    parser = places.add_parser(name, help=signatures.summary(function).replace("%", "%%"))
    for each, parameter in _parameters(name):
        action = options.add(parser, each, parameter)
        if action.nargs == 0 or action.choices or getattr(action.type, "__name__", "") in ("int", "float"):
            continue
        words = tuple(_words(name, parameter.name))
        kind = "file" if not words else next((k for k, w in kinds.items() if w == words), parameter.name)
        if words and kinds.get(kind, words) != words:
            kind = f"{name}_{kind}"
        kinds[kind] = words
        vars(action)["complete"] = _pattern(kind, words)
    options.add_quiet(parser)


def _parameters(name: str) -> Iterator[tuple[Callable[..., Any], inspect.Parameter]]:
    """The parameters of a command, and of all the functions whose options it may have; each name once."""
    module, function = commands.get(name)
    seen: set[str] = set()
    for each in (function, *_others(name, module)):
        for parameter in signatures.parameters(each):
            is_ours = each is function or parameter.kind is parameter.KEYWORD_ONLY
            if is_ours and parameter.name not in seen:
                seen.add(parameter.name)
                yield each, parameter


def _others(name: str, module: Any) -> Iterator[Callable[..., Any]]:
    """Those whose options depend on the first word, and those that depend on --encoding."""
    from wcnfgen import encodings

    if hasattr(module, "forwards"):
        first = next(iter(signatures.parameters(commands.get(name)[1]))).name
        for word in ("", *_words(name, first)):
            yield from options.forwarded(module, [word] if word else [])
        for encoding in encodings.names():
            yield from module.forwards({"first": "", "encoding": encoding})


def _words(command: str, parameter: str) -> Sequence[str]:
    """The names that a parameter takes; none: it takes a file, a number or any text."""
    from wcnfgen import drivers, encodings, experiments, instances, solvers
    from wcnfgen.campaign import engines
    from wcnfgen.commands import campaign, family, report
    from wcnfgen.instances import rules

    found: dict[str, Callable[[], Sequence[str]]] = {
        "solver": solvers.names,
        "encoding": encodings.names,
        "driver": drivers.names,
        "engine": engines.names,
        "against": solvers.names,
        "solvers check": solvers.names,
        "solvers name": solvers.names,
        "search method": solvers.names,
        "campaign action": lambda: campaign.ACTIONS,
        "family name": lambda: (*instances.names(), family.SUBMISSION),
        "report folders": lambda: (report.DIFF,),
        "report family": instances.names,
        "data rule": rules.names,
        "reproduce table": experiments.names,
    }
    return found.get(f"{command} {parameter}", found.get(parameter, tuple))()


# ---------------------------------------------------------------------------- how shells are told


def _pattern(kind: str, words: Sequence[str]) -> dict[str, str]:
    """What completes a parameter in each shell."""
    tcsh = f"({' '.join(words)})" if words else "f"
    return {"bash": f"_wcnfgen_{kind}", "zsh": f"_wcnfgen_{kind}", "tcsh": tcsh}


def _functions(kinds: dict[str, tuple[str, ...]], shell: Shell) -> str:
    """The functions that are called: names, and files where no name begins so."""
    if shell == "tcsh":
        return ""
    if shell == "zsh":
        return "\n".join(
            f"_wcnfgen_{kind}() {{ _alternative '{kind}:{kind}:({' '.join(words)})' 'file:file:_files'; }}"
            for kind, words in kinds.items()
        )
    return "\n".join(
        f'_wcnfgen_{kind}() {{ compgen -W \'{" ".join(words)}\' -- "$1" || compgen -f -- "$1"; }}'
        for kind, words in kinds.items()
    )
