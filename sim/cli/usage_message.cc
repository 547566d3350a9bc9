#include "sim/cli/usage_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text.h"

namespace parsim {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

std::string help_of(const CompletionEntry* command) {
  return fmt::format("see parsim {}--help", command == nullptr ? "" : command->name + " ");
}

std::string unknown_command(const std::vector<CompletionEntry>& commands, const std::string& word) {
  std::vector<std::string> names;
  for (const CompletionEntry& entry : commands) {
    names.push_back(entry.name);
  }
  const std::string near = word == "help" ? help_of(nullptr) : did_you_mean(word, names);
  return fmt::format("unknown command {}\nhint: {}", quoted_short(word),
                     near.empty() ? "the commands are " + join(names, ", ", " and ") : near);
}

std::vector<std::string> options_of(const CompletionEntry* command) {
  if (command == nullptr) {
    return {"-h", "--help", "--version", "--json"};
  }
  std::vector<std::string> names;
  for (const CompletionOption& option : command->options) {
    names.push_back(option.name);
  }
  return names;
}

std::string unknown_option(const CompletionEntry* command, const std::string& option) {
  // One letter is near to every other letter.
  const std::string near =
      option.size() > 2 ? did_you_mean(option, options_of(command)) : std::string();
  return fmt::format("unknown option {}\nhint: {}", quoted_short(option),
                     near.empty() ? help_of(command) : near);
}

/// `words` as the parser lists them: what is left over, separated by blanks.
std::string surplus(const CompletionEntry* command, const std::vector<std::string>& arguments,
                    const std::string& words) {
  if (is_option(words)) {
    return unknown_option(command, words.substr(0, words.find_first_of(" =")));
  }
  const auto word = std::find(arguments.begin(), arguments.end(), words);
  const bool after_json =
      word != arguments.end() && word != arguments.begin() && *(word - 1) == "--json";
  return fmt::format("surplus argument: {}\nhint: {}", words,
                     after_json ? "write --json=" + words : help_of(command));
}

/// The parser's standard complaints in our words.
std::string reworded(const std::string& complaint) {
  const std::size_t colon = complaint.find(':');
  const std::string option = complaint.substr(0, colon);
  if (contains(complaint, ": At Most 1 required")) {
    return option + ": given more than once";
  }
  const std::size_t required = complaint.find(": 1 required ");
  const std::size_t missing = complaint.rfind(" missing");
  if (required != std::string::npos && missing != std::string::npos) {
    const std::size_t type = required + std::string(": 1 required ").size();
    const std::string name = complaint.substr(type, missing - type);
    return fmt::format("{}: {} is missing", option, name.substr(0, name.find(':')));
  }
  const std::size_t override_text = complaint.find(" was given a disallowed flag override");
  if (override_text != std::string::npos) {
    return fmt::format("{}{}: takes no value", override_text == 1 ? "-" : "--",
                       complaint.substr(0, override_text));
  }
  return complaint;
}

}  // namespace

std::string usage_message(const std::vector<CompletionEntry>& commands,
                          const std::vector<std::string>& arguments, const std::string& complaint) {
  const CompletionEntry* command = nullptr;
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      break;
    }
    if (argument.rfind("--", 0) == 0) {
      const std::string option = argument.substr(0, argument.find('='));
      const auto known = options_of(command);
      if (std::find(known.begin(), known.end(), option) == known.end()) {
        return unknown_option(command, option);
      }
    } else if (command == nullptr && !is_option(argument)) {
      const auto found = std::find_if(commands.begin(), commands.end(),
                                      [&](const auto& entry) { return entry.name == argument; });
      if (found == commands.end()) {
        return unknown_command(commands, argument);
      }
      command = &*found;
    }
  }
  constexpr std::string_view kSurplus = " not expected: ";
  const std::size_t extras = complaint.find(kSurplus);
  if (extras != std::string::npos) {
    return surplus(command, arguments, complaint.substr(extras + kSurplus.size()));
  }
  const std::string message = reworded(complaint);
  return contains(message, "\nhint:") ? message
                                      : fmt::format("{}\nhint: {}", message, help_of(command));
}

}  // namespace parsim
