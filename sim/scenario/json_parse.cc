// The only file that includes the JSON parser. It has no positions for values, so a cursor walks
// the text beside its events: between two tokens stand only blanks, commas and colons, and a
// token's kind says how to find its end.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/text.h"
#include "sim/scenario/json_value.h"

namespace parsim {
namespace {

constexpr std::size_t kMostMistakes = 100;

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

std::string_view cut_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(at + mark.size());
}

/// The parser's own words without its prefix, its positions and the bytes it read last.
std::string plain_words(const std::string& what) {
  std::string_view words = cut_after(what, " - ");
  std::string core(words.substr(0, words.find("; last read: '")));
  const std::size_t expected = words.rfind("; expected ");
  if (expected != std::string_view::npos && core.find("; expected ") == std::string::npos) {
    core += words.substr(expected);
  }
  return core;
}

std::string syntax_hint(std::string_view text, std::size_t offset, const std::string& words) {
  if (words.find("unexpected end of input") != std::string::npos ||
      words.find("missing closing quote") != std::string::npos) {
    return "is the text cut off? a string, an object or an array is still open";
  }
  if (words.find("UTF-8") != std::string::npos) {
    return "save the file as UTF-8";
  }
  if (offset >= text.size()) {
    return "";
  }
  const std::size_t before = text.substr(0, offset).find_last_not_of(" \t\r\n");
  const char found = text[offset];
  if (before != std::string_view::npos && text[before] == ',' && (found == '}' || found == ']')) {
    return fmt::format("JSON has no comma before a closing {}", found);
  }
  if (found == '/' || found == '#') {
    return "JSON has no comments; use \"description\"";
  }
  if (found == '\'') {
    return "strings stand in double quotes";
  }
  if (words.find("expected end of input") != std::string::npos) {
    return "one file holds one value; remove what follows it";
  }
  return "";
}

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, int document) : text_(text), document_(document) {
    frames_.reserve(kDeepestNesting);  // frames hold pointers into one another: they must not move
  }

  JsonParse take() { return std::move(result_); }

  bool null() override { return put(json_null(), 4); }
  bool boolean(bool value) override { return put(json_boolean(value), value ? 4 : 5); }
  bool number_integer(std::int64_t value) override { return put_number(json_integer(value)); }
  bool number_unsigned(std::uint64_t value) override {
    const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return put_number(fits ? json_integer(static_cast<std::int64_t>(value))
                           : json_real(static_cast<double>(value)));
  }
  bool number_float(double value, const std::string&) override {
    return put_number(json_real(value));
  }
  bool string(std::string& value) override {
    return put(json_string(std::move(value)), string_length(token_start()));
  }
  bool binary(binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(json_object()); }
  bool start_array(std::size_t) override { return open(json_array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const std::size_t start = token_start();
    cursor_ = start + string_length(start);
    Frame& frame = frames_.back();
    frame.key = std::move(name);
    frame.key_offset = start;
    const auto [first, fresh] = frame.seen.emplace(frame.key, start);
    frame.skip = !fresh;
    if (!fresh && result_.duplicates.size() < kMostMistakes) {
      result_.duplicates.push_back(
          {start, child_pointer(frame.pointer, frame.key),
           fmt::format("the key {} is given twice; first on line {}", quoted_short(frame.key),
                       line_of(text_, first->second)),
           "remove one of the two"});
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      fail(token_start(), "the number is too large", "numbers go up to 1.8e308");
      return false;
    }
    const std::string words = plain_words(error.what());
    const bool at_end = words.find("unexpected end of input") != std::string::npos;
    const std::size_t offset =
        at_end ? text_.size() : std::min(position == 0 ? 0 : position - 1, text_.size());
    fail(offset, "not valid JSON: " + words, syntax_hint(text_, offset, words));
    return false;
  }

 private:
  struct Frame {
    Json* container;
    std::string pointer;
    std::string key;
    std::size_t key_offset = 0;
    bool skip = false;  ///< the member's key is a duplicate; its value goes nowhere
    Json discarded;
    std::map<std::string, std::size_t> seen;
  };

  [[nodiscard]] std::size_t token_start() const {
    const std::size_t at = text_.find_first_not_of(" \t\r\n,:", cursor_);
    return std::min(at, text_.size());
  }
  [[nodiscard]] std::size_t string_length(std::size_t start) const {
    std::size_t at = start + 1;
    while (at < text_.size() && text_[at] != '"') {
      at += text_[at] == '\\' ? 2 : 1;
    }
    return at + 1 - start;
  }
  void fail(std::size_t offset, std::string message, std::string hint) {
    result_.syntax.push_back({offset, "", std::move(message), std::move(hint)});
  }

  bool put_number(Json value) {
    const std::size_t start = token_start();
    const std::size_t end = text_.find_first_not_of("+-.eE0123456789", start);
    value.text = std::string(text_.substr(start, std::min(end, text_.size()) - start));
    const std::size_t length = value.text.size();
    return put(std::move(value), length);
  }

  bool put(Json value, std::size_t length) {
    const std::size_t start = token_start();
    cursor_ = start + length;
    value.place = {document_, start};
    store(std::move(value));
    return true;
  }

  Json* store(Json value) {
    if (frames_.empty()) {
      result_.value = std::move(value);
      return &result_.value;
    }
    Frame& frame = frames_.back();
    if (frame.container->kind == Json::Kind::array) {
      frame.container->items.push_back(std::move(value));
      return &frame.container->items.back();
    }
    if (frame.skip) {
      frame.discarded = std::move(value);
      return &frame.discarded;
    }
    frame.container->members.push_back(
        {frame.key, Place{document_, frame.key_offset}, std::move(value)});
    return &frame.container->members.back().value;
  }

  bool open(Json container) {
    const std::size_t start = token_start();
    if (frames_.size() >= kDeepestNesting) {
      fail(start, fmt::format("nesting deeper than {} levels", kDeepestNesting),
           "a scenario needs fewer than ten");
      return false;
    }
    cursor_ = start + 1;
    container.place = {document_, start};
    std::string pointer;
    if (!frames_.empty()) {
      const Frame& frame = frames_.back();
      pointer = child_pointer(frame.pointer, frame.container->kind == Json::Kind::array
                                                 ? std::to_string(frame.container->items.size())
                                                 : frame.key);
    }
    Json* stored = store(std::move(container));
    frames_.push_back(Frame{stored, std::move(pointer), "", 0, false, {}, {}});
    return true;
  }
  bool close() {
    cursor_ = token_start() + 1;
    frames_.pop_back();
    return true;
  }

  std::string_view text_;
  int document_;
  std::size_t cursor_ = 0;
  std::vector<Frame> frames_;
  JsonParse result_;
};

}  // namespace

JsonParse parse_json(std::string_view text, int document) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string without_mark;
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    // Blanks instead of the mark: offsets stay those of the file.
    without_mark = "   " + std::string(text.substr(kByteOrderMark.size()));
    text = without_mark;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    JsonParse empty;
    empty.syntax.push_back(
        {0, "", "the file is empty", "a scenario is a JSON object; `parsim schema` describes it"});
    return empty;
  }
  Builder builder(text, document);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace parsim
