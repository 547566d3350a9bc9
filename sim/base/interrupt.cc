#include "sim/base/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace parsim {
namespace {

constexpr int kInterrupted = 130;

/// What a signal handler may touch: fixed storage and lock-free flags, nothing that allocates.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> armed{false};
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, 8> slots;

extern "C" void on_interrupt(int) {
  for (const Slot& slot : slots) {
    if (slot.armed) {
      unlink(slot.path.data());
    }
  }
  _exit(kInterrupted);
}

}  // namespace

void exit_cleanly_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, on_interrupt);
  }
}

RemoveOnInterrupt::RemoveOnInterrupt(const std::string& path) {
  for (std::size_t i = 0; i < slots.size() && path.size() < PATH_MAX; ++i) {
    if (!slots[i].taken.exchange(true)) {
      std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
      slots[i].armed = true;
      slot_ = static_cast<int>(i);
      return;
    }
  }
}

RemoveOnInterrupt::~RemoveOnInterrupt() {
  if (slot_ >= 0) {
    slots[static_cast<std::size_t>(slot_)].armed = false;
    slots[static_cast<std::size_t>(slot_)].taken = false;
  }
}

}  // namespace parsim
