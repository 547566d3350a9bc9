#include "sim/cli/completion_script.h"

#include <fmt/format.h>

#include "sim/base/text.h"

namespace parsim {

namespace {

std::vector<std::string> names(const std::vector<CompletionEntry>& entries) {
  std::vector<std::string> result;
  for (const CompletionEntry& entry : entries) {
    result.push_back(entry.name);
  }
  return result;
}

std::string bash_script(const std::vector<CompletionEntry>& entries) {
  std::string cases;
  for (const CompletionEntry& entry : entries) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", entry.name, join(entry.flags, " "));
  }
  return fmt::format(
      "# bash completion of parsim\n"
      "_parsim() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n"
      "{}"
      "  esac\n"
      "  if [[ \"$current\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _parsim parsim\n",
      join(names(entries), " "), cases);
}

std::string zsh_script(const std::vector<CompletionEntry>& entries) {
  std::string commands;
  std::string cases;
  for (const CompletionEntry& entry : entries) {
    commands += fmt::format("    '{}:{}'\n", entry.name, entry.description);
    cases += fmt::format("    {}) compadd -- {}; _files ;;\n", entry.name, join(entry.flags, " "));
  }
  return fmt::format(
      "#compdef parsim\n"
      "_parsim() {{\n"
      "  local -a commands=(\n"
      "{}"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' commands\n"
      "    return\n"
      "  fi\n"
      "  case \"${{words[2]}}\" in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "compdef _parsim parsim\n",
      commands, cases);
}

std::string fish_script(const std::vector<CompletionEntry>& entries) {
  std::string script = "# fish completion of parsim\n";
  for (const CompletionEntry& entry : entries) {
    script += fmt::format("complete -c parsim -n __fish_use_subcommand -f -a {} -d '{}'\n",
                          entry.name, entry.description);
    for (const std::string& flag : entry.flags) {
      if (flag.rfind("--", 0) == 0) {
        script += fmt::format("complete -c parsim -n '__fish_seen_subcommand_from {}' -l {}\n",
                              entry.name, flag.substr(2));
      }
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const std::string& shell,
                              const std::vector<CompletionEntry>& entries) {
  if (shell == "zsh") {
    return zsh_script(entries);
  }
  return shell == "fish" ? fish_script(entries) : bash_script(entries);
}

}  // namespace parsim
