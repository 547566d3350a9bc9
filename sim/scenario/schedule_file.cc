#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sim/base/diagnostic.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/scenario/components.h"
#include "sim/schedule/cells.h"
#include "sim/schedule/csv.h"

namespace parsim {

namespace {

constexpr const char* kPointer = "/schedule/file";

void reject(Assembly& assembly, const Json& value, std::string message, std::string hint) {
  assembly.mistakes.spoil(kPointer);
  assembly.mistakes.spoil("/schedule/orders");
  assembly.mistakes.add({value.place, kPointer, std::move(message), std::move(hint)});
}

Json orders_of(const Schedule& schedule, const Place& place) {
  Json orders = json_array();
  orders.place = place;
  for (const auto& actions : schedule.ranks) {
    Json row = json_array();
    row.place = place;
    for (const std::string& cell : cell_texts(actions)) {
      row.items.push_back(json_string(cell));
      row.items.back().place = place;
    }
    orders.items.push_back(std::move(row));
  }
  return orders;
}

}  // namespace

void resolve_schedule_file(Assembly& assembly, const std::string& scenario_file) {
  Json* schedule = assembly.root.find("schedule");
  Json* file = schedule == nullptr ? nullptr : schedule->find("file");
  const Json* name = schedule == nullptr ? nullptr : schedule->find("name");
  const bool wanted = file != nullptr && file->kind == Json::Kind::string && !file->text.empty() &&
                      name != nullptr && name->text == "explicit";
  if (!wanted) {
    return;  // the checks say what is wrong with it
  }
  if (schedule->find("orders") != nullptr) {
    reject(assembly, *file, "there are \"orders\" as well", "give one of the two");
    return;
  }
  const std::filesystem::path path =
      std::filesystem::path(scenario_file).parent_path() / file->text;
  std::string text;
  try {
    text = read_file(path.string());
  } catch (const InputError& error) {
    reject(assembly, *file, error.diagnostics().front().message,
           fmt::format("the path is relative to the scenario: {}", path.string()));
    return;
  }
  const Schedule read = schedule_of(read_schedule_csv(text, path.string()), path.string());
  const Place place = file->place;
  *file = json_string("");
  file->place = place;
  schedule->add("orders", orders_of(read, place));
  if (schedule->find("chunks") == nullptr) {
    const auto ranks = static_cast<std::int32_t>(read.ranks.size());
    Json chunks = json_integer((read.stages() + ranks - 1) / ranks);
    chunks.place = place;
    schedule->add("chunks", std::move(chunks));
  }
}

}  // namespace parsim
