#include <fmt/format.h>

#include <vector>

#include "sim/base/text.h"
#include "sim/cli/commands.h"
#include "sim/cli/terminal.h"
#include "sim/scenario/load.h"
#include "sim/schedule/rules.h"

namespace parsim {

namespace {

std::vector<CatalogueEntry> schedules() {
  std::vector<CatalogueEntry> entries;
  for (const ScheduleRule& rule : schedule_rules()) {
    entries.push_back({"schedule", std::string(rule.spelling), std::string(rule.summary), {}});
  }
  return entries;
}

std::string json_entry(const CatalogueEntry& entry) {
  std::string text = fmt::format("  {{\"kind\": {}, \"name\": {}, \"summary\": {}, \"sources\": {{",
                                 quoted(entry.kind), quoted(entry.name), quoted(entry.summary));
  const char* separator = "";
  for (const auto& [pointer, source] : entry.sources) {
    text += fmt::format("{}{}: {}", separator, quoted(pointer), quoted(source));
    separator = ", ";
  }
  return text + "}}";
}

std::string as_json(const std::vector<CatalogueEntry>& entries) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += json_entry(entries[i]) + (i + 1 < entries.size() ? ",\n" : "\n");
  }
  return text + "]\n";
}

std::string as_text(const std::vector<CatalogueEntry>& entries, bool sources) {
  if (!sources) {
    Table table{{{"kind"}, {"name"}, {"key figures"}}, {}};
    for (const CatalogueEntry& entry : entries) {
      table.rows.push_back({entry.kind, entry.name, entry.summary});
    }
    return to_text(table);
  }
  std::string text;
  for (const CatalogueEntry& entry : entries) {
    text += fmt::format("{} {}: {}\n", entry.kind, entry.name, entry.summary);
    for (const auto& [pointer, source] : entry.sources) {
      text += fmt::format("  {}: {}\n", pointer, source);
    }
  }
  return text;
}

}  // namespace

int run_command(const ListOptions& options) {
  std::vector<CatalogueEntry> entries;
  if (options.kind != "schedules") {
    entries = list_catalogue(options.models_folder.empty() ? default_models_folder()
                                                           : options.models_folder);
  }
  const auto shipped = schedules();
  entries.insert(entries.end(), shipped.begin(), shipped.end());
  if (!options.kind.empty()) {
    std::erase_if(entries,
                  [&](const CatalogueEntry& entry) { return entry.kind + "s" != options.kind; });
  }
  print(options.json ? as_json(entries) : as_text(entries, options.sources));
  return 0;
}

}  // namespace parsim
