#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes completions for bash, zsh and fish, and manual pages, of the tools from what they print with --help and --version.

  scripts/shell-support.py BIN SHARE

BIN is the folder of the tools; under SHARE are made bash-completion/completions, zsh/site-functions, fish/vendor_completions.d and man/man1, where
systems look for them. Options that both tile-opt and tile-lsp-server have are those of LLVM's libraries: they are left out.
"""

import os
import re
import subprocess
import sys

TOOLS = ["tilec", "tile-run", "tile-tune", "tile-opt", "tile-layout", "tile-ptx-check", "tile-reduce", "tile-lsp-server"]
OF_LLVM = ("tile-opt", "tile-lsp-server")


def output(*command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"shell-support: error: {' '.join(command)}: {run.stderr.strip() or run.returncode}")
    return run.stdout


def options(text):
    """{option: (whether it takes a value, description, [values])} of the text of --help."""
    found, last = {}, None
    for line in text.split("\n"):
        match = re.match(r" {2,8}(--?[A-Za-z][\w-]*)((?:[= ]<[^>]*>|=[A-Z]\S*| [A-Z]+\b| \d+x\d+)?\S*)(?:\s+-\s+|\s{2,}|\s*$)(.*)", line)
        value = re.match(r"\s+=([\w.-]+)\s+-\s", line)
        if match:
            last = match[1]
            found.setdefault(last, (bool(match[2]), match[3].strip(), []))
        elif value and last:
            found[last][2].append(value[1])
    return found


def quoted(text):
    return text.replace("'", "’")


def bash(tool, opts):
    name = "_" + tool.replace("-", "_")
    cases = "".join(f"    {opt}) COMPREPLY=($(compgen -W '{' '.join(values)}' -- \"$value\")); return ;;\n" for opt, (_, _, values) in opts.items() if values)
    words = " ".join(opt + ("=" if takes else "") for opt, (takes, _, _) in opts.items())
    return f"""# bash completion for {tool}; made by scripts/shell-support.py
{name}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" option="${{COMP_WORDS[COMP_CWORD-1]}}" value=""
  COMPREPLY=()
  # Bash may split words at '='.
  if [[ $option == = ]]; then option="${{COMP_WORDS[COMP_CWORD-2]}}"; value="$word"
  elif [[ $word == = ]]; then value=""
  elif [[ $word == *=* ]]; then option="${{word%%=*}}"; value="${{word#*=}}"
  else option=""; fi
  case "$option" in
{cases}  esac
  if [[ $word == -* && -z $option ]]; then
    COMPREPLY=($(compgen -W '{words}' -- "$word"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
  else
    # After '--option=' any file may follow.
    [[ -z $option ]] && value="$word"
    COMPREPLY=($(compgen -f -- "$value"))
  fi
}}
complete -o filenames -F {name} {tool}
"""


def zsh(tool, opts):
    lines = []
    for opt, (takes, description, values) in opts.items():
        text = re.sub(r"([\[\]:])", r"\\\1", quoted(description))
        argument = "" if not takes else f":value:({' '.join(values)})" if values else ":value:_files"
        lines.append(f"  '{opt}{'=' if takes else ''}[{text}]{argument}' \\")
    return f"#compdef {tool}\n# made by scripts/shell-support.py\n_arguments \\\n" + "\n".join(lines) + "\n  '*:file:_files'\n"


def fish(tool, opts):
    lines = [f"# fish completion for {tool}; made by scripts/shell-support.py"]
    for opt, (takes, description, values) in opts.items():
        kind = f"-l {opt[2:]}" if opt.startswith("--") else f"-o {opt[1:]}" if len(opt) > 2 else f"-s {opt[1:]}"
        of = (f" -x -a '{' '.join(values)}'" if values else " -r") if takes else ""
        lines.append(f"complete -c {tool} {kind}{of} -d '{quoted(description)}'")
    return "\n".join(lines) + "\n"


def manual(tool, text, opts, version, hidden):
    def troff(line):
        line = line.replace("\\", "\\e").replace("-", "\\-")
        return "\\&" + line if line.startswith((".", "'")) else line

    lines = [line for line in text.rstrip().split("\n")]
    overview = next((line for line in lines if line.strip()), tool)
    summary = re.sub(rf"^(OVERVIEW|{re.escape(tool)}):\s*", "", overview).strip()
    kept, dropping = [], False
    for line in lines:
        match = re.match(r"\s{2,8}(--?[\w-]+)", line)
        if match:
            dropping = match[1] in hidden
        elif line and not line.startswith("    "):
            dropping = False
        if not dropping:
            kept.append(line)
    body = "\n".join(troff(line) for line in kept)
    return (f'.TH {tool.upper()} 1 "" "{version}" "Tessera"\n.SH NAME\n{tool} \\- {troff(summary)}\n.SH DESCRIPTION\n.nf\n{body}\n.fi\n'
            f".SH VERSION\n{troff(version)}\n.SH SEE ALSO\n{', '.join(troff(other) + '(1)' for other in TOOLS if other != tool)}\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binaries, share = sys.argv[1:]
    texts = {tool: output(os.path.join(binaries, tool), "--help") for tool in TOOLS}
    hidden = set.intersection(*(set(options(texts[tool])) for tool in OF_LLVM))
    for tool, text in texts.items():
        opts = options(text)
        if tool in OF_LLVM:
            opts = {opt: what for opt, what in opts.items() if opt not in hidden or opt == "--help"}
        opts.setdefault("--help", (False, "print the options", []))
        opts.setdefault("--version", (False, "print the version", []))
        version = output(os.path.join(binaries, tool), "--version").strip().split("\n")[0]
        pages = {
            f"bash-completion/completions/{tool}": bash(tool, opts),
            f"zsh/site-functions/_{tool}": zsh(tool, opts),
            f"fish/vendor_completions.d/{tool}.fish": fish(tool, opts),
            f"man/man1/{tool}.1": manual(tool, text, opts, version, hidden if tool in OF_LLVM else set()),
        }
        for path, page in pages.items():
            path = os.path.join(share, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)


main()
