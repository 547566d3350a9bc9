#include "sim/cli/completion_script.h"

#include <fmt/format.h>

#include "sim/base/text.h"

namespace parsim {

namespace {

std::string names(const std::vector<CompletionEntry>& entries) {
  std::vector<std::string> result;
  for (const CompletionEntry& entry : entries) {
    result.push_back(entry.name);
  }
  return join(result, " ");
}

std::string option_names(const CompletionEntry& entry) {
  std::vector<std::string> result;
  for (const CompletionOption& option : entry.options) {
    result.push_back(option.name);
  }
  return join(result, " ");
}

/// The text between single quotes; how a quote inside is written differs between shells.
std::string single_quoted(const std::string& text, const std::string& escaped_quote) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? escaped_quote : std::string(1, c);
  }
  return result + "'";
}

/// `case` branches of bash and zsh: the choices of an option's value, then those of the argument.
std::string choice_branches(const std::vector<CompletionEntry>& entries,
                            const std::string& assignment) {
  std::string branches;
  for (const CompletionEntry& entry : entries) {
    for (const CompletionOption& option : entry.options) {
      if (!option.choices.empty()) {
        branches += fmt::format("    '{} {}') {}({}) ;;\n", entry.name, option.name, assignment,
                                join(option.choices, " "));
      }
    }
    if (!entry.choices.empty()) {
      branches += fmt::format("    '{0} {0}') {1}({2}) ;;\n", entry.name, assignment,
                              join(entry.choices, " "));
    }
  }
  return branches;
}

std::string option_branches(const std::vector<CompletionEntry>& entries,
                            const std::string& assignment) {
  std::string branches;
  for (const CompletionEntry& entry : entries) {
    branches += fmt::format("    {}) {}({}) ;;\n", entry.name, assignment, option_names(entry));
  }
  return branches;
}

/// Bash cuts words at "=": `--engine=g` arrives as three words.
std::string bash_script(const std::vector<CompletionEntry>& entries) {
  return fmt::format(
      "# bash completion of parsim\n"
      "_parsim() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local -a options=() choices=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$current\" = '=' ]; then\n"
      "    current=''\n"
      "  elif [ \"$previous\" = '=' ]; then\n"
      "    previous=\"${{COMP_WORDS[COMP_CWORD-2]}}\"\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n"
      "{}"
      "  esac\n"
      "  case \"${{COMP_WORDS[1]}} $previous\" in\n"
      "{}"
      "  esac\n"
      "  if [[ \"$current\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"${{options[*]}}\" -- \"$current\"))\n"
      "  elif [ \"${{#choices[@]}}\" -gt 0 ]; then\n"
      "    COMPREPLY=($(compgen -W \"${{choices[*]}}\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _parsim parsim\n",
      names(entries), option_branches(entries, "options="), choice_branches(entries, "choices="));
}

/// The names `commands` and `options` are zsh's own. The last lines serve both ways of loading:
/// from $fpath at the first completion, or by source.
std::string zsh_script(const std::vector<CompletionEntry>& entries) {
  std::string commands;
  for (const CompletionEntry& entry : entries) {
    commands +=
        fmt::format("    {}\n", single_quoted(entry.name + ":" + entry.description, "'\\''"));
  }
  return fmt::format(
      "#compdef parsim\n"
      "_parsim() {{\n"
      "  local -a subcommands=(\n"
      "{}"
      "  )\n"
      "  local -a flags=() choices=()\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' subcommands\n"
      "    return\n"
      "  fi\n"
      "  case \"${{words[2]}}\" in\n"
      "{}"
      "  esac\n"
      "  case \"${{words[2]}} ${{words[CURRENT-1]}}\" in\n"
      "{}"
      "  esac\n"
      "  if [[ \"${{words[CURRENT]}}\" == -* ]]; then\n"
      "    compadd -- $flags\n"
      "  elif (( ${{#choices}} )); then\n"
      "    compadd -- $choices\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}}\n"
      "if [ \"${{funcstack[1]}}\" = '_parsim' ]; then\n"
      "  _parsim \"$@\"\n"
      "else\n"
      "  compdef _parsim parsim\n"
      "fi\n",
      commands, option_branches(entries, "flags="), choice_branches(entries, "choices="));
}

std::string fish_script(const std::vector<CompletionEntry>& entries) {
  std::string script = "# fish completion of parsim\n";
  for (const CompletionEntry& entry : entries) {
    script += fmt::format("complete -c parsim -n __fish_use_subcommand -f -a {} -d {}\n",
                          entry.name, single_quoted(entry.description, "\\'"));
    const std::string here =
        fmt::format("complete -c parsim -n '__fish_seen_subcommand_from {}'", entry.name);
    for (const CompletionOption& option : entry.options) {
      const bool is_long = option.name.rfind("--", 0) == 0;
      script += fmt::format("{} {} {}{}", here, is_long ? "-l" : "-s",
                            option.name.substr(is_long ? 2 : 1), option.takes_value ? " -r" : "");
      if (!option.choices.empty()) {
        script += fmt::format(" -f -a '{}'", join(option.choices, " "));
      }
      script += "\n";
    }
    if (!entry.choices.empty()) {
      script += fmt::format("{} -f -a '{}'\n", here, join(entry.choices, " "));
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
