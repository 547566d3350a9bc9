#include "sim/scenario/read_scalars.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sim/base/text.h"

namespace parsim {
namespace {

bool is_number(const Json& json) {
  return json.kind == Json::Kind::integer || json.kind == Json::Kind::real;
}

/// What to write instead of a value of the wrong type; at least what the key means.
std::string mistyped_hint(const Slot& slot, bool number_needed) {
  const std::string& text = slot.json.text;
  if (slot.json.kind == Json::Kind::null) {
    return "null is never a value; leave a key out to get its default";
  }
  const bool digits = !text.empty() && text.size() < 20 &&
                      text.find_first_not_of("0123456789.") == std::string::npos;
  const bool truth = text == "true" || text == "false";
  if (slot.json.kind == Json::Kind::string && (number_needed ? digits : truth)) {
    return fmt::format("write {} without quotes", text);
  }
  return fmt::format("\"{}\": {}", slot.field.key, slot.field.doc);
}

std::string short_number(const std::string& text) {
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

/// "write 2" for 2.0 and 2e0; the neighbours for 2.5.
std::string whole_number_hint(double value) {
  if (std::fabs(value) > 1e15) {
    return "";
  }
  const auto below = static_cast<std::int64_t>(std::floor(value));
  return value == std::floor(value) ? fmt::format("write {}", below)
                                    : fmt::format("write {} or {}", below, below + 1);
}

std::string ratio_range(const Field& field) {
  return fmt::format("from {} to {}", field.low, field.high);
}

std::string words_hint(std::string_view word, const std::vector<std::string_view>& words) {
  const std::vector<std::string> all(words.begin(), words.end());
  const std::string meant = did_you_mean(word, all);
  return fmt::format("{}{}allowed: {}", meant, meant.empty() ? "" : " ", join(all));
}

}  // namespace

void reject(const Slot& slot, std::string message, std::string hint, Mistakes& mistakes) {
  mistakes.spoil(slot.pointer);
  mistakes.add({slot.json.place, slot.pointer, std::move(message), std::move(hint)});
}

bool expect_kind(const Slot& slot, Json::Kind kind, std::string_view needed, Mistakes& mistakes) {
  if (slot.json.kind == kind) {
    return true;
  }
  const bool null = slot.json.kind == Json::Kind::null;
  const std::string example = kind == Json::Kind::array ? "write a list: [VALUE, VALUE]"
                                                        : "write an object: {\"KEY\": VALUE}";
  reject(slot, fmt::format("must be {}, not {}", needed, describe_json(slot.json)),
         null ? mistyped_hint(slot, false) : example, mistakes);
  return false;
}

std::optional<bool> read_boolean(const Slot& slot, Mistakes& mistakes) {
  if (slot.json.kind != Json::Kind::boolean) {
    reject(slot, fmt::format("must be true or false, not {}", describe_json(slot.json)),
           mistyped_hint(slot, false), mistakes);
    return std::nullopt;
  }
  return slot.json.boolean;
}

std::optional<std::int64_t> read_integer(const Slot& slot, Mistakes& mistakes) {
  const Json& json = slot.json;
  const std::string range =
      fmt::format("from {} to {}", grouped(slot.field.least), grouped(slot.field.most));
  if (!is_number(json)) {
    reject(slot, fmt::format("must be a whole number, not {}", describe_json(json)),
           mistyped_hint(slot, true), mistakes);
    return std::nullopt;
  }
  const std::string shown = short_number(json.text);
  const bool written_whole = json.text.find_first_of(".eE") == std::string::npos;
  if (json.kind == Json::Kind::real && !written_whole) {
    reject(slot, fmt::format("must be a whole number, not {}", shown), whole_number_hint(json.real),
           mistakes);
    return std::nullopt;
  }
  const bool beyond = json.kind == Json::Kind::real;  // whole, but more than 64 bits
  if (beyond ? json.real < 0 : json.integer < slot.field.least) {
    const bool negative = beyond || json.integer < 0;
    reject(slot, fmt::format("{} is {}", shown, negative ? "negative" : "too small"),
           "allowed: " + range, mistakes);
    return std::nullopt;
  }
  if (beyond || json.integer > slot.field.most) {
    reject(slot, fmt::format("{} is too large", shown), "allowed: " + range, mistakes);
    return std::nullopt;
  }
  return json.integer;
}

std::optional<double> read_ratio(const Slot& slot, Mistakes& mistakes) {
  if (!is_number(slot.json)) {
    reject(slot, fmt::format("must be a number, not {}", describe_json(slot.json)),
           mistyped_hint(slot, true), mistakes);
    return std::nullopt;
  }
  const double value = slot.json.real;
  const Field& field = slot.field;
  if (!(value >= field.low && value <= field.high)) {
    const bool percent = field.high == 1.0 && value > 1.0 && value <= 100.0;
    reject(slot, fmt::format("{} is out of range", short_number(slot.json.text)),
           fmt::format("allowed: {}{}", ratio_range(field),
                       percent ? fmt::format("; {:.6g} % is {:.6g}", value, value / 100.0) : ""),
           mistakes);
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> read_string(const Slot& slot, Mistakes& mistakes) {
  if (slot.json.kind != Json::Kind::string) {
    const bool scalar = is_number(slot.json) || slot.json.kind == Json::Kind::boolean;
    const std::string text =
        is_number(slot.json) ? short_number(slot.json.text) : describe_json(slot.json);
    reject(slot, fmt::format("must be a string, not {}", describe_json(slot.json)),
           scalar ? fmt::format("write \"{}\" with quotes", text) : mistyped_hint(slot, false),
           mistakes);
    return std::nullopt;
  }
  if (!slot.field.one_of.empty()) {
    const auto choice = read_choice(slot, slot.field.one_of, mistakes);
    return choice ? std::optional<std::string>(slot.json.text) : std::nullopt;
  }
  return slot.json.text;
}

std::optional<double> read_quantity(const Slot& slot, UnitKind kind, Mistakes& mistakes) {
  if (is_number(slot.json)) {
    UnitMistake mistake = missing_unit(short_number(slot.json.text), kind);
    reject(slot, std::move(mistake.message), std::move(mistake.hint), mistakes);
    return std::nullopt;
  }
  if (slot.json.kind != Json::Kind::string) {
    reject(slot,
           fmt::format("must be {} as a string, not {}", kind_name(kind), describe_json(slot.json)),
           fmt::format("for example \"{}\"", kind_example(kind)), mistakes);
    return std::nullopt;
  }
  auto parsed = parse_quantity(slot.json.text, kind);
  if (auto* mistake = std::get_if<UnitMistake>(&parsed)) {
    reject(slot, std::move(mistake->message), std::move(mistake->hint), mistakes);
    return std::nullopt;
  }
  const double value = std::get<double>(parsed);
  const std::string shown = quoted_short(slot.json.text);
  const QuantityRange range = quantity_range(kind);
  if (value < 0.0) {
    reject(slot, shown + " is negative",
           fmt::format("{} {}", kind_name(kind),
                       slot.field.positive ? "above zero is needed" : "of zero or more is needed"),
           mistakes);
  } else if (value == 0.0 && slot.field.positive) {
    reject(slot, shown + " is zero", fmt::format("{} above zero is needed", kind_name(kind)),
           mistakes);
  } else if (value > range.largest) {
    reject(slot, shown + " is too large",
           fmt::format("the largest is \"{}\"", exact_text(range.largest, kind)), mistakes);
  } else if (value > 0.0 && value < range.smallest_positive) {
    reject(
        slot, shown + " is too small",
        fmt::format("the smallest above zero is \"{}\"", exact_text(range.smallest_positive, kind)),
        mistakes);
  } else {
    return value;
  }
  return std::nullopt;
}

std::optional<std::size_t> read_choice(const Slot& slot, const std::vector<std::string_view>& words,
                                       Mistakes& mistakes) {
  if (slot.json.kind != Json::Kind::string) {
    reject(slot, fmt::format("must be a string, not {}", describe_json(slot.json)),
           words_hint("", words), mistakes);
    return std::nullopt;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == slot.json.text) {
      return i;
    }
  }
  reject(slot, fmt::format("{} is not one of the allowed words", quoted_short(slot.json.text)),
         words_hint(slot.json.text, words), mistakes);
  return std::nullopt;
}

QuantityRange quantity_range(UnitKind kind) {
  switch (kind) {
    case UnitKind::size:
      return {1e-3, 1e18};  // averages may be below a byte
    case UnitKind::time:
      return {1e-15, 1e9};
    case UnitKind::byte_rate:
      return {1.0, 1e18};
    case UnitKind::flops:
      return {1e-3, 1e27};
    case UnitKind::flop_rate:
      return {1.0, 1e24};
  }
  return {0.0, 0.0};
}

}  // namespace parsim
