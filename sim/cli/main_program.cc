#include "sim/cli/main_program.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/base/interrupt.h"
#include "sim/cli/command_line.h"
#include "sim/cli/usage_error.h"

namespace parsim {

namespace {

enum ExitCode { kDone = 0, kIncomplete = 1, kBadInput = 2, kCheckFailed = 3, kBug = 70 };

void complain(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
}

}  // namespace

int main_program(int argc, const char* const* argv) {
  exit_cleanly_on_interrupt();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as an error of write()
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Command command = parse_command_line(arguments);
    return std::visit([](const auto& options) { return run_command(options); }, command);
  } catch (const UsageError& error) {
    complain(fmt::format("parsim: {}", error.what()));
    return kBadInput;
  } catch (const InputError& error) {
    complain(error.what());
    return kBadInput;
  } catch (const RunError& error) {
    complain(fmt::format("parsim: {}", error.what()));
    return kIncomplete;
  } catch (const CheckFailed& error) {
    complain(fmt::format("parsim: {}", error.what()));
    return kCheckFailed;
  } catch (const std::bad_alloc&) {
    complain(
        "parsim: out of memory; simulate fewer tasks (fewer micro-batches, or without --unfold)");
    return kIncomplete;
  } catch (const std::exception& error) {
    complain(
        fmt::format("parsim: this is a bug: {}\nplease report it with the scenario", error.what()));
    return kBug;
  }
}

}  // namespace parsim
