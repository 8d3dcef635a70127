#!/usr/bin/env python3
"""Writes the manual pages and the completions of the command from its own tables of options.

    tools/manual.py COMMAND FOLDER

runs `COMMAND help --json`, and writes below FOLDER what belongs below share/: man/man1/sonde.1 and
sonde-VERB.1, and what bash, zsh and fish complete a command line by. CMake does so in every build
and installs them; a new option is in all of them at once.
"""
import json
import pathlib
import re
import subprocess
import sys

FILES = {"FILE", "FOLDER"}      # values that are completed as files
EXIT = [(0, "It is done."), (1, "The run failed."), (2, "The command line is wrong."),
        (3, "The input file is wrong."), (4, "It is too large.")]


def options(verb):
    return [option for group in verb["groups"] for option in group["options"]]


def names(option):
    return [choice["name"] for choice in option["choices"]]


# ------------------------------------------------------------------------------ manual pages --

def roff(words):
    """Text as roff takes it: no escape, no request, and every dash the one that can be typed."""
    text = re.sub(r"\s+", " ", words.replace("\\", "\\e").replace("-", "\\-"))
    return "\\&" + text if text[:1] in ("'", ".") else text


def header(title, about, document):
    name = title.lower().replace("-", "\\-")
    return [f'.TH {title} 1 "" "sonde {document["sonde"]}" "Sonde"', ".SH NAME",
            f"{name} \\- {roff(about)}"]


def exits():
    return [".SH EXIT STATUS",
            *(line for status, words in EXIT for line in (".TP", f".B {status}", words))]


def see_also(pages):
    return [".SH SEE ALSO",
            *(f".BR {roff(page)} (1)" + "," * (page != pages[-1]) for page in pages)]


def option_lines(option):
    letter = f"\\fB\\-{option['letter']}\\fR, " if option["letter"] else ""
    value = f" \\fI{roff(option['value'])}\\fR" if option["value"] else ""
    plain = [name for name in names(option) if not any(c["about"] for c in option["choices"])]
    words = option["help"]
    if plain:
        words += ": " + ", ".join(plain[:-1]) + " or " * (len(plain) > 1) + plain[-1]
    if option["default"] is not None:
        words += f" (default: {option['default']})"
    lines = [".TP", f"{letter}\\fB\\-\\-{roff(option['name'])}\\fR{value}", roff(words)]
    if not plain and option["choices"]:
        lines.append(".RS")
        for choice in option["choices"]:
            lines += [".TP", f".B {roff(choice['name'])}", roff(choice["about"])]
        lines.append(".RE")
    return lines


def verb_page(verb, document):
    lines = header(f"SONDE-{verb['name'].upper()}", verb["line"], document)
    lines += [".SH SYNOPSIS", f".B sonde {verb['name']}", roff(verb["usage"]),
              ".SH DESCRIPTION", roff(verb["story"]), ".SH OPTIONS"]
    for group in verb["groups"]:
        lines.append(f".SS {roff(group['title'])}")
        for option in group["options"]:
            lines += option_lines(option)
    return "\n".join(lines + exits() + see_also(["sonde"])) + "\n"


def first_page(document):
    lines = header("SONDE", "policy search for discrete active inference", document)
    lines += [".SH SYNOPSIS", ".B sonde", ".I VERB", "[options]", ".br", ".B sonde help",
              "[\\fIVERB\\fR | \\fB\\-\\-json\\fR]", ".br", ".B sonde \\-\\-version",
              ".SH DESCRIPTION",
              "Decides from a sliver of an agent's policies, and says how far the result can be "
              "from the exact one.", ".SH VERBS"]
    for verb in document["verbs"]:
        lines += [".TP", f".BR sonde\\-{verb['name']} (1)", roff(verb["line"])]
    pages = see_also([f"sonde-{verb['name']}" for verb in document["verbs"]])
    return "\n".join(lines + exits() + pages) + "\n"


# ------------------------------------------------------------------------------- completions --

def spellings(option):
    return [f"--{option['name']}"] + ([f"-{option['letter']}"] if option["letter"] else [])


def bash(document):
    """One list of options for each verb, and one list of values for each option with choices."""
    lists, values, free = [], {}, []
    for verb in document["verbs"]:
        words = [word for option in options(verb) for word in spellings(option)] + ["--help"]
        lists.append(f"    {verb['name']}) words='{' '.join(words)}' ;;")
        for option in options(verb):
            cases = [f"'{verb['name']} {word}'" for word in spellings(option)]
            if option["choices"]:
                values.setdefault(" ".join(names(option)), []).extend(cases)
            elif option["value"] and option["value"] not in FILES:
                free += cases
    verbs = " ".join(verb["name"] for verb in document["verbs"])
    cases = [f"    {' | '.join(where)}) _sonde_words '{words}'; return ;;"
             for words, where in values.items()]
    return "\n".join([
        "# Completes the command sonde in bash. Written by tools/manual.py.", "",
        "_sonde_words() {", '    COMPREPLY=($(compgen -W "$1" -- "$now"))', "}", "",
        "_sonde() {",
        "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
        "    local verb=${COMP_WORDS[1]} words=",
        "    # bash takes --search=full for three words",
        "    [ \"$now\" != = ] || now=",
        "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}",
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
        f"        _sonde_words '{verbs} help --help --version'", "        return", "    fi",
        '    case "$verb $before" in',
        f"    'help help') _sonde_words '{verbs} --json'; return ;;",
        *cases, f"    {' | '.join(free)}) return ;;", "    esac",
        '    case "$verb" in', *lists, "    esac",
        '    case "$now" in', '    -*) _sonde_words "$words" ;;',
        "    *)", "        local IFS=$'\\n'", '        COMPREPLY=($(compgen -f -- "$now"))',
        "        ;;", "    esac",
        "} && complete -o filenames -F _sonde sonde", ""])


def quoted(words):
    return "'" + words.replace("'", "'\\''") + "'"


def zsh_option(option):
    """As _arguments takes it: '--search=[what it does]:HOW:(full cluster)'."""
    about = re.sub(r"([\[\]:\\])", r"\\\1", option["help"])
    value = ""
    if option["value"]:
        action = f"({' '.join(names(option))})" if option["choices"] else (
            "_files" if option["value"] in FILES else " ")
        value = f":{option['value']}:{action}"
    long = f"--{option['name']}{'=' if value else ''}"
    specs = [quoted(f"{long}[{about}]{value}")]
    if option["letter"]:
        specs.append(quoted(f"-{option['letter']}{'+' if value else ''}[{about}]{value}"))
    return [f"            {spec} \\" for spec in specs]


def zsh(document):
    lines = ["#compdef sonde", "# Completes the command sonde in zsh. Written by tools/manual.py.",
             "", "_sonde() {", "    local -a verbs", "    verbs=("]
    for verb in document["verbs"]:
        lines.append("        " + quoted(f"{verb['name']}:{verb['line']}"))
    lines += ["        'help:the options of a verb')", "    if (( CURRENT == 2 )); then",
              "        _describe verb verbs", "        return", "    fi",
              "    local verb=$words[2]", "    shift words", "    (( CURRENT-- ))",
              "    case $verb in", "    help) _describe verb verbs ;;"]
    for verb in document["verbs"]:
        lines += [f"    {verb['name']})", "        _arguments \\"]
        lines += [line for option in options(verb) for line in zsh_option(option)]
        lines += ["            '*:file:_files' ;;"]
    return "\n".join([*lines, "    esac", "}", "", '_sonde "$@"', ""])


def fish_option(verb, option):
    line = f"complete -c sonde -n '__fish_seen_subcommand_from {verb}' -l {option['name']}"
    if option["letter"]:
        line += f" -s {option['letter']}"
    if option["choices"]:
        line += f" -x -a {quoted(' '.join(names(option)))}"
    elif option["value"]:
        line += " -r -F" if option["value"] in FILES else " -x"
    about = option["help"].replace("\\", "\\\\").replace("'", "\\'")
    return f"{line} -d '{about}'"


def fish(document):
    lines = ["# Completes the command sonde in fish. Written by tools/manual.py."]
    for verb in [*document["verbs"], {"name": "help", "line": "the options of a verb"}]:
        about = verb["line"].replace("'", "\\'")
        lines.append("complete -c sonde -f -n __fish_use_subcommand "
                     f"-a {verb['name']} -d '{about}'")
    verbs = " ".join(verb["name"] for verb in document["verbs"])
    lines.append(f"complete -c sonde -f -n '__fish_seen_subcommand_from help' -a '{verbs}'")
    lines += [fish_option(verb["name"], option) for verb in document["verbs"]
              for option in options(verb)]
    return "\n".join(lines) + "\n"


def main(command, folder):
    told = subprocess.run([command, "help", "--json"], check=True, capture_output=True, text=True)
    document = json.loads(told.stdout)
    texts = {"man/man1/sonde.1": first_page(document),
             "bash-completion/completions/sonde": bash(document),
             "zsh/site-functions/_sonde": zsh(document),
             "fish/vendor_completions.d/sonde.fish": fish(document)}
    for verb in document["verbs"]:
        texts[f"man/man1/sonde-{verb['name']}.1"] = verb_page(verb, document)
    for path, text in texts.items():
        target = pathlib.Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
