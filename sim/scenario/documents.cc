#include "sim/scenario/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace parsim {
namespace {

bool is_inside(const std::string& pointer, const std::string& outer) {
  return pointer.compare(0, outer.size(), outer) == 0 &&
         (pointer.size() == outer.size() || pointer[outer.size()] == '/');
}

Diagnostic locate(const Mistake& mistake, const std::vector<Document>& documents) {
  Diagnostic diagnostic{"", 0, 0, mistake.pointer, mistake.message, mistake.hint};
  if (mistake.place.document < 0) {
    return diagnostic;
  }
  const Document& document = documents[static_cast<std::size_t>(mistake.place.document)];
  diagnostic.file = document.label;
  if (!document.text.empty()) {
    const std::string_view before = std::string_view(document.text).substr(0, mistake.place.offset);
    const std::size_t line_start = before.rfind('\n');
    diagnostic.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    diagnostic.column = static_cast<int>(
        line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start);
  }
  if (is_inside(mistake.pointer, document.mount)) {
    diagnostic.pointer = mistake.pointer.substr(document.mount.size());
  }
  return diagnostic;
}

}  // namespace

void Mistakes::add(Mistake mistake) {
  if (full()) {
    ++left_out_;
    return;
  }
  mistakes_.push_back(std::move(mistake));
}

bool Mistakes::is_spoiled(const std::string& pointer) const {
  return std::any_of(spoiled_.begin(), spoiled_.end(), [&](const std::string& bad) {
    return is_inside(pointer, bad) || is_inside(bad, pointer);
  });
}

void throw_if_any(const Mistakes& mistakes, const std::vector<Document>& documents) {
  if (mistakes.empty()) {
    return;
  }
  std::vector<Mistake> sorted = mistakes.list();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Mistake& a, const Mistake& b) {
    return std::tie(a.place.document, a.place.offset) < std::tie(b.place.document, b.place.offset);
  });
  std::vector<Diagnostic> diagnostics;
  for (const Mistake& mistake : sorted) {
    diagnostics.push_back(locate(mistake, documents));
  }
  if (mistakes.left_out() > 0) {
    diagnostics.push_back({documents.empty() ? "" : documents.front().label, 0, 0, "",
                           fmt::format("and {} more mistakes", mistakes.left_out()), ""});
  }
  throw InputError(std::move(diagnostics));
}

}  // namespace parsim
