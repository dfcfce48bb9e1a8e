"""The verb `completion`: a script that completes verbs, options and files, for bash, zsh and fish."""

from __future__ import annotations

import argparse
from argparse import Namespace
from importlib import import_module

YES = 0
SHELLS = ("bash", "zsh", "fish")

_BASH = """_hedgerow() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" verb="${{COMP_WORDS[1]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{verbs}" -- "$word"))
        return
    fi
    local options=""
    case "$verb" in
{cases}
    esac
    case "$word" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o filenames -F _hedgerow hedgerow
"""


def add_completion(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = completion.__doc__
    verb.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    verb.set_defaults(run=completion)


def completion(options: Namespace) -> int:
    """Print a script to source: `hedgerow completion bash >> ~/.bashrc`, or as your shell has it."""
    from hedgerow.cli.main import VERBS  # noqa: PLC0415 - which names this module

    verbs = {name: (summary, _options_of(place)) for name, (summary, place) in VERBS.items()}
    if options.shell == "fish":
        print(_fish(verbs), end="")
    else:
        # Zsh reads the functions of bash after this line.
        head = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
        cases = "\n".join(f'        {name}) options="{" ".join(found)}" ;;' for name, (_, found) in verbs.items())
        print(head + _BASH.format(verbs=" ".join(verbs), cases=cases), end="")
    return YES


def _options_of(place: str) -> list[str]:
    """Return the long options of a verb, from its own parser."""
    module, function = place.split(":")
    parser = argparse.ArgumentParser()
    getattr(import_module(module), function)(parser)
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    return [name for action in shown for name in action.option_strings if name.startswith("--")]


def _fish(verbs: dict[str, tuple[str, list[str]]]) -> str:
    lines = ["complete -c hedgerow -n __fish_use_subcommand -f"]
    for name, (summary, options) in verbs.items():
        quoted = summary.replace("'", "\\'")
        lines.append(f"complete -c hedgerow -n __fish_use_subcommand -a {name} -d '{quoted}'")
        lines += [
            f"complete -c hedgerow -n '__fish_seen_subcommand_from {name}' -l {option.removeprefix('--')}"
            for option in options
        ]
    return "\n".join(lines) + "\n"
