#include "sim/cli/main_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"
#include "sim/base/interrupt.h"
#include "sim/cli/command_line.h"
#include "sim/cli/terminal.h"
#include "sim/cli/usage_error.h"

namespace parsim {

namespace {

enum ExitCode { kDone = 0, kIncomplete = 1, kBadInput = 2, kCheckFailed = 3, kBug = 70 };

int complain(const std::string& text, ExitCode code) {
  tell(text + "\n");
  return code;
}

}  // namespace

int main_program(int argc, const char* const* argv) {
  open_closed_streams();
  exit_cleanly_on_interrupt();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as an error of write()
  try {
    // No name of the program either: a caller may pass nothing at all.
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const Command command = parse_command_line(arguments);
    return std::visit([](const auto& options) { return run_command(options); }, command);
  } catch (const UsageError& error) {
    return complain(fmt::format("parsim: {}", error.what()), kBadInput);
  } catch (const InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const RunError& error) {
    return complain(fmt::format("parsim: {}", error.what()), kIncomplete);
  } catch (const CheckFailed& error) {
    return complain(fmt::format("parsim: {}", error.what()), kCheckFailed);
  } catch (const std::bad_alloc&) {
    return complain(
        "parsim: out of memory; simulate fewer tasks (fewer micro-batches, or without --unfold)",
        kIncomplete);
  } catch (const std::exception& error) {
    return complain(
        fmt::format("parsim: this is a bug: {}\nplease report it with the scenario", error.what()),
        kBug);
  } catch (...) {
    return complain("parsim: this is a bug: an exception of an unknown kind", kBug);
  }
}

}  // namespace parsim
