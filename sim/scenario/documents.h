#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/json_value.h"

namespace parsim {

/// A text that values come from: the scenario file, a model file or one `--set`.
struct Document {
  std::string label;  ///< the file's path, or "--set path=value"
  std::string text;   ///< empty for --set: no positions
  std::string mount;  ///< pointer in the scenario where the file's root stands; "" for the scenario
};

struct Mistake {
  Place place;
  std::string pointer;  ///< in the scenario
  std::string message;
  std::string hint;
};

/// Collects what is wrong, and which pointers can no longer be relied upon.
class Mistakes {
 public:
  void add(Mistake mistake);
  /// A value that cannot be used; findings that need it are not worth reporting.
  void spoil(std::string pointer) { spoiled_.insert(std::move(pointer)); }
  /// True when the pointer, something above or something below it is spoiled.
  [[nodiscard]] bool is_spoiled(const std::string& pointer) const;
  /// True when this very pointer is.
  [[nodiscard]] bool is_spoiled_exactly(const std::string& pointer) const {
    return spoiled_.count(pointer) > 0;
  }
  /// True when so many are known that no reader wants more; what follows is only counted.
  [[nodiscard]] bool full() const { return mistakes_.size() >= kMost; }
  [[nodiscard]] bool empty() const { return mistakes_.empty(); }
  [[nodiscard]] const std::vector<Mistake>& list() const { return mistakes_; }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] std::size_t total() const { return mistakes_.size() + left_out_; }

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<Mistake> mistakes_;
  std::set<std::string> spoiled_;
  std::size_t left_out_ = 0;
};

/// Throws InputError with every mistake, in order of document and position; returns when there are
/// none. Pointers into a model file become relative to that file.
void throw_if_any(const Mistakes& mistakes, const std::vector<Document>& documents);

}  // namespace parsim
