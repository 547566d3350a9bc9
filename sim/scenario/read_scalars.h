#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/unit_text.h"
#include "sim/scenario/documents.h"
#include "sim/scenario/field.h"
#include "sim/scenario/json_value.h"

namespace parsim {

/// A value to be read: where it stands and what its field asks of it.
struct Slot {
  const Json& json;
  const std::string& pointer;
  const Field& field;
};

// Each adds a mistake and returns nothing when the value does not fit.
[[nodiscard]] std::optional<bool> read_boolean(const Slot& slot, Mistakes& mistakes);
[[nodiscard]] std::optional<std::int64_t> read_integer(const Slot& slot, Mistakes& mistakes);
[[nodiscard]] std::optional<double> read_ratio(const Slot& slot, Mistakes& mistakes);
[[nodiscard]] std::optional<std::string> read_string(const Slot& slot, Mistakes& mistakes);
/// In the SI base unit.
[[nodiscard]] std::optional<double> read_quantity(const Slot& slot, UnitKind kind,
                                                  Mistakes& mistakes);
/// The index of the chosen word.
[[nodiscard]] std::optional<std::size_t> read_choice(const Slot& slot,
                                                     const std::vector<std::string_view>& words,
                                                     Mistakes& mistakes);

/// False and a mistake when the value is not of this kind; `needed` is "an object", "an array", ….
[[nodiscard]] bool expect_kind(const Slot& slot, Json::Kind kind, std::string_view needed,
                               Mistakes& mistakes);

/// Adds a mistake at the value and spoils its pointer.
void reject(const Slot& slot, std::string message, std::string hint, Mistakes& mistakes);

/// The range of quantities of a kind: beyond it, sums and quotients would leave what a double
/// holds.
struct QuantityRange {
  double smallest_positive;
  double largest;
};
[[nodiscard]] QuantityRange quantity_range(UnitKind kind);

}  // namespace parsim
